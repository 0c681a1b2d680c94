#include "world/crowd.h"

// A body is small when it has at most this part of the vertices of all: then there are enough
// others to keep many workers busy, and the last one to finish is not waited for long. Its model
// must be one that allocates nothing on the way.
enum { SMALL_PART = 8 };

static int64_t count_vertices(const SinewWorld *world)
{
    int64_t sum = 0;
    for (int i = 0; i < sn_slots_count(&world->bodies); ++i) {
        sum += SN_BODIES(world, i) != NULL ? SN_BODIES(world, i)->vertex_count : 0;
    }
    return sum;
}

static bool is_small(const SnBody *body, int64_t all)
{
    return body->model->is_quiet && SMALL_PART * (int64_t)body->vertex_count <= all;
}

bool sn_crowd_is_small(const SinewWorld *world, const SnBody *body)
{
    return is_small(body, count_vertices(world));
}

typedef struct Job {
    const SinewWorld *world;
    SnBodyFn *fn;
    void *context;
    int64_t all; // vertices
} Job;

static void run_small(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    for (int i = begin; i < end; ++i) {
        SnBody *body = SN_BODIES(job->world, i);
        if (body != NULL && is_small(body, job->all)) {
            body->point_room = job->world->point_rooms[worker].forces;
            job->fn(job->context, body);
        }
    }
}

// The most points that forces act at, of a body that the worker may run.
static int count_points(const SinewWorld *world, int worker, int64_t all)
{
    int most = 0;
    for (int i = 0; i < sn_slots_count(&world->bodies); ++i) {
        const SnBody *body = SN_BODIES(world, i);
        if (body != NULL && (worker == 0 || is_small(body, all))) {
            int count = body->force_points.tie_count + body->force_points.contact_count;
            most = count > most ? count : most;
        }
    }
    return most;
}

SinewStatus sn_crowd_reserve(SinewWorld *world, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int64_t all = count_vertices(world);
    for (int w = 0; w < sn_workers_count(world->workers); ++w) {
        SnPointRoom *room = &world->point_rooms[w];
        int count = count_points(world, w, all);
        if (count > room->count) {
            SnPointForce *forces = NULL;
            SN_ALLOC(forces, &world->allocator, count, error);
            sn_free(&world->allocator, room->forces);
            *room = (SnPointRoom){forces, count};
        }
    }
done:
    return status;
}

void sn_crowd_each(SinewWorld *world, SnBodyFn *fn, void *context)
{
    Job job = {world, fn, context, count_vertices(world)};
    int count = sn_slots_count(&world->bodies);
    // Loops inside this loop stay on the thread that runs the body.
    sn_parallel_for(world->workers, count, 1, run_small, &job);
    for (int i = 0; i < count; ++i) {
        SnBody *body = SN_BODIES(world, i);
        if (body != NULL && !is_small(body, job.all)) {
            body->point_room = world->point_rooms[0].forces;
            fn(context, body);
        }
    }
}

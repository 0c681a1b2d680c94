#include "model/near_points.h"

#include <math.h>

enum { GRAIN = 256 }; // points per range

// More than rounding of bounds and clearances, relative.
#define ROUNDING 1e-6

SinewStatus sn_near_points_create(int point_count, const SinewAllocator *allocator,
                                  SnNearPoints *out_near, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *out_near = (SnNearPoints){0};
    SN_ALLOC(out_near->due_points, allocator, point_count, error);
    SN_ALLOC(out_near->points, allocator, point_count, error);
    SN_ALLOC(out_near->due, allocator, point_count, error);
done:
    return status;
}

void sn_near_points_release(SnNearPoints *near, const SinewAllocator *allocator)
{
    sn_free(allocator, near->due_points);
    sn_free(allocator, near->points);
    sn_free(allocator, near->due);
    *near = (SnNearPoints){0};
}

void sn_near_points_begin(SnNearPoints *near, const SnPointForces *forces, double moved)
{
    bool is_new = near->serial != forces->serial;
    near->serial = forces->serial;
    near->moved = is_new ? 0.0 : near->moved + moved * (1.0 + ROUNDING);
    near->due_count = 0;
    for (int p = 0; p < forces->count; ++p) {
        // Not those that are surely not due: where a sum is no number, all are.
        if (is_new || !(near->due[p] > near->moved)) {
            near->due_points[near->due_count++] = p;
        }
    }
    near->evaluations += 1;
    near->placed += near->due_count;
}

typedef struct Job {
    const SnNearPoints *near;
    const SnPointForces *forces;
    const double *x;
} Job;

static void clear_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    job->forces->clearances(job->forces->context, job->near->due_points + begin, end - begin,
                            job->x, job->near->due);
}

void sn_near_points_find(SnNearPoints *near, const SnPointForces *forces, SnWorkers *workers,
                         const double *x)
{
    Job job = {near, forces, x};
    sn_parallel_for(workers, near->due_count, GRAIN, clear_range, &job);
    near->count = 0;
    for (int i = 0; i < near->due_count; ++i) {
        int p = near->due_points[i];
        double clearance = near->due[p] * (1.0 - ROUNDING) - forces->margin;
        if (!(clearance > 0.0)) {
            near->points[near->count++] = p;
            clearance = 0.0;
        }
        near->due[p] = near->moved + clearance;
    }
    near->evaluated += near->count;
    forces->select(forces->context, near->points, near->count);
}

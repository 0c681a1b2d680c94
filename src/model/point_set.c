#include "model/point_set.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 256 }; // points a range

void sn_point_locate_tet(const void *locator, const double X[3], SnPointPlace *out)
{
    int guess = -1;
    SnTetLocation found = sn_tet_locate(locator, X, &guess);
    out->element = found.tet;
    out->distance = found.distance;
    memcpy(out->weights, found.weights, sizeof found.weights);
}

static SinewStatus find_one(const SnPointFinder *finder, const double X[3], int index,
                            SnPointSet *set, SinewError *error)
{
    SnPointPlace place;
    size_t corners = (size_t)finder->corners;
    for (int k = 0; k < 3; ++k) {
        if (!(fabs(X[k]) <= SN_ELEMENT_REACH)) {
            return sn_fail_at(
                error, SINEW_ERROR_ARGUMENT, index,
                "body \"%s\": material point %d is at (%g, %g, %g) m, expected finite "
                "numbers within %g",
                finder->name, index, X[0], X[1], X[2], SN_ELEMENT_REACH);
        }
    }
    finder->locate(finder->context, X, &place);
    set->elements[index] = place.element;
    set->distances[index] = place.distance;
    memcpy(set->vertices + (size_t)index * corners,
           finder->elements + (size_t)place.element * corners, corners * sizeof *set->vertices);
    memcpy(set->weights + (size_t)index * corners, place.weights, corners * sizeof *set->weights);
    return SINEW_OK;
}

static SinewStatus make_room(SnPointSet *set, int count, int corners,
                             const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t weight_count = (size_t)count * (size_t)corners;

    *set = (SnPointSet){.count = count, .corners = corners};
    SN_ALLOC(set->elements, allocator, count, error);
    SN_ALLOC(set->vertices, allocator, weight_count, error);
    SN_ALLOC(set->weights, allocator, weight_count, error);
    SN_ALLOC(set->distances, allocator, count, error);
    SN_ALLOC(set->places, allocator, 3 * (size_t)count, error);
    SN_ALLOC(set->active, allocator, count, error);
done:
    return status;
}

SinewStatus sn_point_set_find(const SnPointFinder *finder, const double *rest, int count,
                              const SinewAllocator *allocator, SnPointSet *out_set,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnPointSet *set = out_set;

    SN_TRY(make_room(set, count, finder->corners, allocator, error));
    for (int p = 0; p < count; ++p) {
        SN_TRY(find_one(finder, rest + 3 * (size_t)p, p, set, error));
    }

done:
    return status;
}

void sn_point_set_release(SnPointSet *set, const SinewAllocator *allocator)
{
    sn_free(allocator, set->elements);
    sn_free(allocator, set->vertices);
    sn_free(allocator, set->weights);
    sn_free(allocator, set->distances);
    sn_free(allocator, set->places);
    sn_free(allocator, set->active);
    sn_near_points_release(&set->near, allocator);
    sn_free(allocator, set->last_x);
    *set = (SnPointSet){0};
}

SinewStatus sn_point_set_create(const SnPointFinder *finder, const double *rest, int count,
                                const SinewAllocator *allocator, void **out_points,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnPointSet *set = NULL;

    *out_points = NULL;
    SN_ALLOC_ZERO(set, allocator, 1, error);
    SN_TRY(sn_point_set_find(finder, rest, count, allocator, set, error));
    *out_points = set;
    set = NULL;

done:
    sn_point_set_destroy(set, allocator);
    return status;
}

SinewStatus sn_point_set_create_in(const int *vertices, int corners, const int *elements,
                                   const double *weights, int count,
                                   const SinewAllocator *allocator, void **out_points,
                                   SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnPointSet *set = NULL;
    size_t width = (size_t)corners;

    *out_points = NULL;
    SN_ALLOC_ZERO(set, allocator, 1, error);
    SN_TRY(make_room(set, count, corners, allocator, error));
    for (size_t p = 0; p < (size_t)count; ++p) {
        set->elements[p] = elements[p];
        set->distances[p] = 0.0;
        memcpy(set->vertices + p * width, vertices + (size_t)elements[p] * width,
               width * sizeof *set->vertices);
        memcpy(set->weights + p * width, weights + p * width, width * sizeof *set->weights);
    }
    *out_points = set;
    set = NULL;

done:
    sn_point_set_destroy(set, allocator);
    return status;
}

int sn_point_parts_count(const SnPointPart *parts, int part_count)
{
    int count = 0;
    for (int i = 0; i < part_count; ++i) {
        count += parts[i].count;
    }
    return count;
}

// Copies what is known of one point.
static void copy_point(const SnPointSet *from, int index, SnPointSet *to, int place)
{
    size_t width = (size_t)to->corners, source = (size_t)index, target = (size_t)place;
    to->elements[target] = from->elements[source];
    to->distances[target] = from->distances[source];
    memcpy(to->vertices + target * width, from->vertices + source * width,
           width * sizeof *to->vertices);
    memcpy(to->weights + target * width, from->weights + source * width,
           width * sizeof *to->weights);
}

// What finding near points takes: the vertices that move points, and by how much at most.
static SinewStatus make_near(SnPointSet *set, const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    set->vertex_end = 0;
    set->stretch = 1.0;
    for (size_t p = 0; p < (size_t)set->count; ++p) {
        double sum = 0.0;
        for (size_t c = p * (size_t)set->corners; c < (p + 1) * (size_t)set->corners; ++c) {
            sum += fabs(set->weights[c]);
            set->vertex_end =
                set->vertices[c] < set->vertex_end ? set->vertex_end : set->vertices[c] + 1;
        }
        set->stretch = sum > set->stretch ? sum : set->stretch;
    }
    SN_TRY(sn_near_points_create(set->count, allocator, &set->near, error));
    SN_ALLOC(set->last_x, allocator, 3 * (size_t)set->vertex_end, error);
done:
    return status;
}

SinewStatus sn_point_set_join_into(const SnPointPart *parts, int part_count, int corners,
                                   const SinewAllocator *allocator, SnPointSet *out_set,
                                   SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int place = 0;
    SN_TRY(make_room(out_set, sn_point_parts_count(parts, part_count), corners, allocator, error));
    for (int i = 0; i < part_count; ++i) {
        for (int p = 0; p < parts[i].count; ++p) {
            int index = parts[i].indices != NULL ? parts[i].indices[p] : p;
            copy_point(parts[i].points, index, out_set, place++);
        }
    }
    SN_TRY(make_near(out_set, allocator, error));
done:
    return status;
}

SinewStatus sn_point_set_join(const SnPointPart *parts, int part_count, int corners,
                              const SinewAllocator *allocator, void **out_points, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnPointSet *set = NULL;
    *out_points = NULL;
    SN_ALLOC_ZERO(set, allocator, 1, error);
    SN_TRY(sn_point_set_join_into(parts, part_count, corners, allocator, set, error));
    *out_points = set;
    set = NULL;
done:
    sn_point_set_destroy(set, allocator);
    return status;
}

void sn_point_set_where(const void *points, int index, int *out_element, double out_weights[4])
{
    const SnPointSet *set = points;
    *out_element = set->elements[index];
    memcpy(out_weights, set->weights + 4 * (size_t)index, 4 * sizeof *out_weights);
}

void sn_point_set_destroy(void *points, const SinewAllocator *allocator)
{
    if (points != NULL) {
        sn_point_set_release(points, allocator);
        sn_free(allocator, points);
    }
}

double sn_point_set_distance(const void *points, int index)
{
    return ((const SnPointSet *)points)->distances[index];
}

static void blend_one(const SnPointSet *set, int p, const double *vector, double *out)
{
    const int *vertices = set->vertices + (size_t)p * (size_t)set->corners;
    const double *weights = set->weights + (size_t)p * (size_t)set->corners;
    double sum[3] = {0.0, 0.0, 0.0};
    for (int a = 0; a < set->corners; ++a) {
        const double *v = vector + 3 * (size_t)vertices[a];
        sum[0] += weights[a] * v[0];
        sum[1] += weights[a] * v[1];
        sum[2] += weights[a] * v[2];
    }
    memcpy(out + 3 * (size_t)p, sum, sizeof sum);
}

static void blend_range(const SnPointSet *set, int begin, int end, const double *vector,
                        double *out)
{
    for (int p = begin; p < end; ++p) {
        blend_one(set, p, vector, out);
    }
}

void sn_point_set_blend(const SnPointSet *set, const double *vector, double *out)
{
    blend_range(set, 0, set->count, vector, out);
}

static void spread_one(const SnPointSet *set, int p, const double force[3], double *out_force)
{
    const int *vertices = set->vertices + (size_t)p * (size_t)set->corners;
    const double *weights = set->weights + (size_t)p * (size_t)set->corners;
    for (int a = 0; a < set->corners; ++a) {
        double *out = out_force + 3 * (size_t)vertices[a];
        out[0] += weights[a] * force[0];
        out[1] += weights[a] * force[1];
        out[2] += weights[a] * force[2];
    }
}

void sn_point_set_spread(const SnPointSet *set, const double *forces, double *out_force)
{
    for (int p = 0; p < set->count; ++p) {
        spread_one(set, p, forces + 3 * (size_t)p, out_force);
    }
}

typedef struct Job {
    const SnPointForces *contacts;
    const double *x;
} Job;

static void evaluate_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnPointSet *set = job->contacts->points;
    (void)worker;
    blend_range(set, begin, end, job->x, set->places);
    // The table's evaluate takes all points' places and answers for its range.
    job->contacts->evaluate(job->contacts->context, begin, end, set->places, set->forces + begin);
}

static void place_due(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnPointSet *set = job->contacts->points;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        blend_one(set, set->near.due_points[i], job->x, set->places);
    }
}

static void evaluate_near(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnPointSet *set = job->contacts->points;
    (void)worker;
    job->contacts->evaluate_listed(job->contacts->context, set->near.points + begin, end - begin,
                                   set->places, set->forces);
}

// How far any point has moved at most since the last evaluation: a point goes no farther than its
// vertices, times its sum of |weights|. Two maxima side by side, for speed. Infinite where a place
// is no number.
static double bound_moves(const SnPointSet *set, const double *x)
{
    const double *from = set->last_x;
    double most[2] = {0.0, 0.0}, sum[2] = {0.0, 0.0};
    for (size_t v = 0; v < (size_t)set->vertex_end; ++v) {
        double a = x[3 * v] - from[3 * v];
        double b = x[3 * v + 1] - from[3 * v + 1];
        double c = x[3 * v + 2] - from[3 * v + 2];
        double square = a * a + b * b + c * c;
        most[v % 2] = square > most[v % 2] ? square : most[v % 2];
        sum[v % 2] += square;
    }
    return isfinite(sum[0] + sum[1]) ? set->stretch * sqrt(most[0] > most[1] ? most[0] : most[1])
                                     : INFINITY;
}

// Finds the points that may feel a force with the vertices at x, and places them.
static void find_near(SnPointSet *set, Job *job, SnWorkers *workers)
{
    bool is_known = set->near.serial == job->contacts->serial;
    sn_near_points_begin(&set->near, job->contacts, is_known ? bound_moves(set, job->x) : 0.0);
    memcpy(set->last_x, job->x, 3 * (size_t)set->vertex_end * sizeof *job->x);
    sn_parallel_for(workers, set->near.due_count, GRAIN, place_due, job);
    sn_near_points_find(&set->near, job->contacts, workers, set->places);
}

static bool acts(const SnPointForce *force)
{
    bool any = force->force[0] != 0.0 || force->force[1] != 0.0 || force->force[2] != 0.0;
    for (int k = 0; k < 9; ++k) {
        any = any || force->stiffness[k] != 0.0;
    }
    return any;
}

// Adds a point to those with a force, and returns its energy.
static double count_point(SnPointSet *set, int p)
{
    if (acts(&set->forces[p])) {
        set->active[set->active_count++] = p;
    }
    return set->forces[p].energy;
}

double sn_point_set_evaluate(const SnPointForces *contacts, SnWorkers *workers, const double *x)
{
    // The points are the world's const, what is evaluated there is the model's.
    SnPointSet *set = (SnPointSet *)(uintptr_t)contacts->points;
    const SnNearPoints *near = &set->near;
    Job job = {contacts, x};
    double energy = 0.0;
    set->forces = contacts->room;
    set->active_count = 0;
    if (contacts->clearances == NULL || near->points == NULL) {
        sn_parallel_for(workers, contacts->count, GRAIN, evaluate_range, &job);
        for (int p = 0; p < contacts->count; ++p) {
            energy += count_point(set, p);
        }
        return energy;
    }
    find_near(set, &job, workers);
    sn_parallel_for(workers, near->count, GRAIN, evaluate_near, &job);
    for (int i = 0; i < near->count; ++i) {
        energy += count_point(set, near->points[i]);
    }
    return energy;
}

void sn_point_set_push(const SnPointSet *set, double *out_force)
{
    for (int i = 0; i < set->active_count; ++i) {
        int p = set->active[i];
        spread_one(set, p, set->forces[p].force, out_force);
    }
}

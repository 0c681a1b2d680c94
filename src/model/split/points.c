#include "model/split/points.h"

#include "geometry/point_location.h"
#include "math/affine.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 256 }; // points a range

SinewStatus sn_split_finder_create(SnSplit *body, SinewError *error)
{
    body->tets = (SnTetMesh){.vertex_count = body->elements.vertex_count,
                             .tet_count = body->elements.count,
                             .positions = body->elements.rest,
                             .tets = body->elements.vertices};
    return sn_tet_locator_create(&body->tets, body->workers, &body->allocator, &body->locator,
                                 error);
}

void sn_split_finder_destroy(SnSplit *body)
{
    sn_tet_locator_destroy(body->locator, &body->allocator);
    body->locator = NULL;
}

static SinewStatus locate(const SnSplit *body, const double *X, int index, SnSplitPoints *points,
                          SinewError *error)
{
    int guess = -1;
    for (int k = 0; k < 3; ++k) {
        if (!(fabs(X[k]) <= SN_ELEMENT_REACH)) {
            return sn_fail_at(
                error, SINEW_ERROR_ARGUMENT, index,
                "body \"%s\": material point %d is at (%g, %g, %g) m, expected finite "
                "numbers within %g",
                body->name, index, X[0], X[1], X[2], SN_ELEMENT_REACH);
        }
    }
    double unplaced[3];
    sn_affine_apply(&body->back, X, unplaced);
    SnTetLocation found = sn_tet_locate(body->locator, unplaced, &guess);
    points->tets[index] = found.tet;
    points->distances[index] = found.distance;
    memcpy(points->weights + 4 * (size_t)index, found.weights, sizeof found.weights);
    return SINEW_OK;
}

SinewStatus sn_split_points_create(const void *body_, const double *rest, int count,
                                   void **out_points, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSplit *body = body_;
    const SinewAllocator *allocator = &body->allocator;
    SnSplitPoints *points = NULL;

    *out_points = NULL;
    SN_ALLOC_ZERO(points, allocator, 1, error);
    points->count = count;
    SN_ALLOC(points->tets, allocator, count, error);
    SN_ALLOC(points->weights, allocator, 4 * (size_t)count, error);
    SN_ALLOC(points->distances, allocator, count, error);
    SN_ALLOC(points->places, allocator, 3 * (size_t)count, error);
    SN_ALLOC(points->forces, allocator, count, error);
    SN_ALLOC(points->active, allocator, count, error);
    for (int p = 0; p < count; ++p) {
        SN_TRY(locate(body, rest + 3 * (size_t)p, p, points, error));
    }
    *out_points = points;
    points = NULL;

done:
    sn_split_points_destroy(body, points);
    return status;
}

void sn_split_points_destroy(const void *body_, void *points_)
{
    const SnSplit *body = body_;
    SnSplitPoints *points = points_;
    if (points != NULL) {
        sn_free(&body->allocator, points->tets);
        sn_free(&body->allocator, points->weights);
        sn_free(&body->allocator, points->distances);
        sn_free(&body->allocator, points->places);
        sn_free(&body->allocator, points->forces);
        sn_free(&body->allocator, points->active);
        sn_free(&body->allocator, points);
    }
}

double sn_split_points_distance(const void *points, int index)
{
    return ((const SnSplitPoints *)points)->distances[index];
}

static const int *corners_of(const SnSplit *body, const SnSplitPoints *points, int p)
{
    return body->elements.vertices + 4 * (size_t)points->tets[p];
}

static void blend(const SnSplit *body, const SnSplitPoints *points, int p, const double *vector,
                  double out[3])
{
    const int *corners = corners_of(body, points, p);
    const double *weights = points->weights + 4 * (size_t)p;
    out[0] = out[1] = out[2] = 0.0;
    for (int a = 0; a < 4; ++a) {
        const double *v = vector + 3 * (size_t)corners[a];
        for (int k = 0; k < 3; ++k) {
            out[k] += weights[a] * v[k];
        }
    }
}

void sn_split_points_place(const void *body_, const void *points_, double *out_x, double *out_v)
{
    const SnSplit *body = body_;
    const SnSplitPoints *points = points_;
    for (int p = 0; p < points->count; ++p) {
        blend(body, points, p, body->state.positions, out_x + 3 * (size_t)p);
        if (out_v != NULL) {
            blend(body, points, p, body->state.velocities, out_v + 3 * (size_t)p);
        }
    }
}

void sn_split_points_spread(const SnSplit *body, const SnSplitPoints *points, const double *forces,
                            double *out_force)
{
    for (int p = 0; p < points->count; ++p) {
        const int *corners = corners_of(body, points, p);
        for (int a = 0; a < 4; ++a) {
            double *out = out_force + 3 * (size_t)corners[a];
            for (int k = 0; k < 3; ++k) {
                out[k] +=
                    points->weights[4 * (size_t)p + (size_t)a] * forces[3 * (size_t)p + (size_t)k];
            }
        }
    }
}

typedef struct Job {
    const SnSplit *body;
    const SnPointForces *contacts;
    const double *x;
} Job;

static void evaluate_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnSplitPoints *points = job->contacts->points;
    (void)worker;
    for (int p = begin; p < end; ++p) {
        blend(job->body, points, p, job->x, points->places + 3 * (size_t)p);
    }
    job->contacts->evaluate(job->contacts->context, begin, end, points->places,
                            points->forces + begin);
}

static bool acts(const SnPointForce *force)
{
    bool any = force->force[0] != 0.0 || force->force[1] != 0.0 || force->force[2] != 0.0;
    for (int k = 0; k < 9; ++k) {
        any = any || force->stiffness[k] != 0.0;
    }
    return any;
}

double sn_split_points_evaluate(const SnSplit *body, SnWorkers *workers,
                                const SnPointForces *contacts, const double *x)
{
    // The points are the world's const, their room is the body's.
    SnSplitPoints *points = (SnSplitPoints *)contacts->points;
    Job job = {body, contacts, x};
    double energy = 0.0;
    sn_parallel_for(workers, contacts->count, GRAIN, evaluate_range, &job);
    points->active_count = 0;
    for (int p = 0; p < contacts->count; ++p) {
        energy += points->forces[p].energy;
        if (acts(&points->forces[p])) {
            points->active[points->active_count++] = p;
        }
    }
    return energy;
}

void sn_split_points_push(const SnSplit *body, const SnPointForces *contacts, float scale,
                          float *residual)
{
    const SnSplitPoints *points = contacts->points;
    for (int i = 0; i < points->active_count; ++i) {
        int p = points->active[i];
        const int *corners = corners_of(body, points, p);
        for (size_t a = 0; a < 4; ++a) {
            size_t at = 3 * (size_t)body->inside[corners[a]];
            double w = points->weights[4 * (size_t)p + a] * (double)scale;
            for (size_t k = 0; k < 3; ++k) {
                residual[at + k] +=
                    (float)(w * points->forces[p].force[k]) * body->room.free[at + k];
            }
        }
    }
}

void sn_split_points_multiply(const SnSplit *body, const SnPointForces *contacts, float scale,
                              const float *p, float *hp)
{
    const SnSplitPoints *points = contacts->points;
    for (int i = 0; i < points->active_count; ++i) {
        int index = points->active[i];
        const int *corners = corners_of(body, points, index);
        const double *weights = points->weights + 4 * (size_t)index;
        const double *K = points->forces[index].stiffness;
        double u[3] = {0.0, 0.0, 0.0};
        for (size_t a = 0; a < 4; ++a) {
            const float *v = p + 3 * (size_t)body->inside[corners[a]];
            for (size_t k = 0; k < 3; ++k) {
                u[k] += weights[a] * (double)v[k];
            }
        }
        for (size_t a = 0; a < 4; ++a) {
            size_t at = 3 * (size_t)body->inside[corners[a]];
            double w = weights[a] * (double)scale;
            for (size_t k = 0; k < 3; ++k) {
                double f = K[3 * k] * u[0] + K[3 * k + 1] * u[1] + K[3 * k + 2] * u[2];
                hp[at + k] += (float)(w * f) * body->room.free[at + k];
            }
        }
    }
}

void sn_split_points_correct(const SnSplit *body, const SnPointForces *contacts, double h2,
                             float *move)
{
    const SnSplitPoints *points = contacts->points;
    for (int i = 0; i < points->active_count; ++i) {
        int p = points->active[i];
        const int *corners = corners_of(body, points, p);
        const double *weights = points->weights + 4 * (size_t)p;
        const SnPointForce *force = &points->forces[p];
        double lightness = 0.0; // 1/kg, of the point
        for (size_t a = 0; a < 4; ++a) {
            bool free = body->pins.set.held[corners[a]] == 0;
            lightness += free ? weights[a] * weights[a] / body->masses[corners[a]] : 0.0;
        }
        // (I + h^2 K / m) u = h^2 f / m, u the move of the point.
        SnAffine matrix = {{0.0}}, inverse;
        for (int k = 0; k < 9; ++k) {
            matrix.m[4 * (k / 3) + k % 3] =
                h2 * lightness * force->stiffness[k] + (k % 4 == 0 ? 1.0 : 0.0);
        }
        if (lightness == 0.0 || !sn_affine_invert(&matrix, &inverse)) {
            continue;
        }
        double u[3];
        sn_affine_apply(&inverse, force->force, u);
        for (size_t a = 0; a < 4; ++a) {
            double share = h2 * weights[a] / body->masses[corners[a]];
            float *out = move + 3 * (size_t)body->inside[corners[a]];
            for (size_t k = 0; k < 3 && body->pins.set.held[corners[a]] == 0; ++k) {
                out[k] += (float)(share * u[k]);
            }
        }
    }
}

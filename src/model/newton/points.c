#include "model/newton/points.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 256 }; // points a range

static SinewStatus build_hex_tree(SnNewton *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnNewtonElements *elements = &body->elements;
    SnBox *boxes = NULL;

    SN_ALLOC(boxes, &body->allocator, elements->count, error);
    for (int e = 0; e < elements->count; ++e) {
        double X[24];
        sn_newton_elements_gather(elements, e, elements->rest, X);
        boxes[e] = sn_box_empty();
        for (int a = 0; a < 8; ++a) {
            sn_box_add_point(&boxes[e], X + 3 * a);
        }
    }
    SN_TRY(sn_element_tree_create(boxes, elements->count, body->workers, &body->allocator,
                                  &body->finder->tree, error));

done:
    sn_free(&body->allocator, boxes);
    return status;
}

SinewStatus sn_newton_finder_create(SnNewton *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnNewtonFinder *finder = NULL;

    SN_ALLOC_ZERO(finder, &body->allocator, 1, error);
    body->finder = finder;
    if (body->elements.corners == 4) {
        finder->tets = (SnTetMesh){.vertex_count = body->elements.vertex_count,
                                   .tet_count = body->elements.count,
                                   .positions = body->elements.rest,
                                   .tets = body->elements.vertices};
        SN_TRY(sn_tet_locator_create(&finder->tets, body->workers, &body->allocator,
                                     &finder->locator, error));
    } else {
        SN_TRY(build_hex_tree(body, error));
    }

done:
    return status;
}

void sn_newton_finder_destroy(SnNewton *body)
{
    if (body->finder != NULL) {
        sn_tet_locator_destroy(body->finder->locator, &body->allocator);
        sn_element_tree_destroy(body->finder->tree, &body->allocator);
        sn_free(&body->allocator, body->finder);
        body->finder = NULL;
    }
}

static void hex_place(const double corners[24], const double natural[3], double out[3],
                      double out_J[9])
{
    double N[8], dN[8][3];
    sn_newton_hex_shape(natural, N, dN);
    memset(out_J, 0, 9 * sizeof *out_J);
    out[0] = out[1] = out[2] = 0.0;
    for (int a = 0; a < 8; ++a) {
        for (int i = 0; i < 3; ++i) {
            out[i] += N[a] * corners[3 * a + i];
            for (int k = 0; k < 3; ++k) {
                out_J[3 * i + k] += corners[3 * a + i] * dN[a][k];
            }
        }
    }
}

double sn_newton_hex_locate(const double corners[24], const double X[3], double out_natural[3])
{
    double x[3], J[9], clamped[3];
    out_natural[0] = out_natural[1] = out_natural[2] = 0.5;
    // An affine cell is done after one step; others converge quadratically from the middle. The
    // reach is kept within a few cells, where the map of a distorted cell can still be inverted.
    for (int iteration = 0; iteration < 20; ++iteration) {
        SnAffine map, inverse;
        double step[3], length = 0.0;
        hex_place(corners, out_natural, x, J);
        for (int i = 0; i < 3; ++i) {
            memcpy(map.m + 4 * i, J + 3 * i, 3 * sizeof *J);
            map.m[4 * i + 3] = x[i] - X[i];
        }
        if (!sn_affine_invert(&map, &inverse)) {
            break;
        }
        for (int k = 0; k < 3; ++k) {
            step[k] = inverse.m[4 * k + 3]; // -J^-1 (x - X)
            double moved = fmin(fmax(out_natural[k] + step[k], -4.0), 5.0);
            length = fmax(length, fabs(moved - out_natural[k]));
            out_natural[k] = moved;
        }
        if (length < 1e-14) {
            break;
        }
    }
    double outside = 0.0;
    for (int k = 0; k < 3; ++k) {
        clamped[k] = fmin(fmax(out_natural[k], 0.0), 1.0);
        outside = fmax(outside, fabs(clamped[k] - out_natural[k]));
    }
    if (outside < 1e-10) {
        return 0.0;
    }
    hex_place(corners, clamped, x, J);
    double d[3] = {x[0] - X[0], x[1] - X[1], x[2] - X[2]};
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

// The nearest hexahedron; the first in the tree's order among equals, which lies deepest inside no
// worse than another.
static void locate_in_hexes(const SnNewton *body, const double X[3], int *out_element,
                            double *out_weights, double *out_distance)
{
    const SnElementTree *tree = body->finder->tree;
    SnElementApproach approach;
    double best = INFINITY;
    double natural[3] = {0.5, 0.5, 0.5};
    int place;
    *out_element = 0;
    sn_element_approach(tree, X, &approach);
    while (best > 0.0 && (place = sn_element_approach_next(&approach, best * best)) >= 0) {
        double corners[24], found[3];
        int e = tree->items[place];
        sn_newton_elements_gather(&body->elements, e, body->elements.rest, corners);
        double distance = sn_newton_hex_locate(corners, X, found);
        if (distance < best) {
            best = distance;
            *out_element = e;
            memcpy(natural, found, sizeof natural);
        }
    }
    sn_newton_hex_shape(natural, out_weights, NULL);
    *out_distance = best;
}

static SinewStatus locate(const SnNewton *body, const double *X, int index, SnNewtonPoints *points,
                          SinewError *error)
{
    for (int k = 0; k < 3; ++k) {
        if (!(fabs(X[k]) <= SN_ELEMENT_REACH)) {
            return sn_fail_at(
                error, SINEW_ERROR_ARGUMENT, index,
                "body \"%s\": material point %d is at (%g, %g, %g) m, expected finite "
                "numbers within %g",
                body->name, index, X[0], X[1], X[2], SN_ELEMENT_REACH);
        }
    }
    double *weights = points->weights + (size_t)index * (size_t)points->corners;
    if (points->corners == 4) {
        int guess = -1;
        SnTetLocation found = sn_tet_locate(body->finder->locator, X, &guess);
        points->elements[index] = found.tet;
        points->distances[index] = found.distance;
        memcpy(weights, found.weights, sizeof found.weights);
    } else {
        locate_in_hexes(body, X, &points->elements[index], weights, &points->distances[index]);
    }
    return SINEW_OK;
}

SinewStatus sn_newton_points_create(const void *body_, const double *rest, int count,
                                    void **out_points, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnNewton *body = body_;
    const SinewAllocator *allocator = &body->allocator;
    SnNewtonPoints *points = NULL;

    *out_points = NULL;
    SN_ALLOC_ZERO(points, allocator, 1, error);
    points->count = count;
    points->corners = body->elements.corners;
    SN_ALLOC(points->elements, allocator, count, error);
    SN_ALLOC(points->weights, allocator, (size_t)count * (size_t)points->corners, error);
    SN_ALLOC(points->distances, allocator, count, error);
    SN_ALLOC(points->places, allocator, 3 * (size_t)count, error);
    SN_ALLOC(points->forces, allocator, count, error);
    for (int p = 0; p < count; ++p) {
        SN_TRY(locate(body, rest + 3 * (size_t)p, p, points, error));
    }
    *out_points = points;
    points = NULL;

done:
    sn_newton_points_destroy(body, points);
    return status;
}

void sn_newton_points_destroy(const void *body_, void *points_)
{
    const SnNewton *body = body_;
    SnNewtonPoints *points = points_;
    if (points != NULL) {
        sn_free(&body->allocator, points->elements);
        sn_free(&body->allocator, points->weights);
        sn_free(&body->allocator, points->distances);
        sn_free(&body->allocator, points->places);
        sn_free(&body->allocator, points->forces);
        sn_free(&body->allocator, points);
    }
}

double sn_newton_points_distance(const void *points, int index)
{
    return ((const SnNewtonPoints *)points)->distances[index];
}

static void blend(const SnNewton *body, const SnNewtonPoints *points, int p, const double *vector,
                  double out[3])
{
    const int *vertices =
        body->elements.vertices + (size_t)points->elements[p] * (size_t)points->corners;
    const double *weights = points->weights + (size_t)p * (size_t)points->corners;
    out[0] = out[1] = out[2] = 0.0;
    for (int a = 0; a < points->corners; ++a) {
        const double *v = vector + 3 * (size_t)vertices[a];
        out[0] += weights[a] * v[0];
        out[1] += weights[a] * v[1];
        out[2] += weights[a] * v[2];
    }
}

void sn_newton_points_place(const void *body_, const void *points_, double *out_x, double *out_v)
{
    const SnNewton *body = body_;
    const SnNewtonPoints *points = points_;
    for (int p = 0; p < points->count; ++p) {
        blend(body, points, p, body->state.positions, out_x + 3 * (size_t)p);
        if (out_v != NULL) {
            blend(body, points, p, body->state.velocities, out_v + 3 * (size_t)p);
        }
    }
}

static void spread_one(const SnNewton *body, const SnNewtonPoints *points, int p, const double *f,
                       double *out_force)
{
    const int *vertices =
        body->elements.vertices + (size_t)points->elements[p] * (size_t)points->corners;
    const double *weights = points->weights + (size_t)p * (size_t)points->corners;
    for (int a = 0; a < points->corners; ++a) {
        double *out = out_force + 3 * (size_t)vertices[a];
        out[0] += weights[a] * f[0];
        out[1] += weights[a] * f[1];
        out[2] += weights[a] * f[2];
    }
}

void sn_newton_points_spread(const SnNewton *body, const SnNewtonPoints *points,
                             const double *forces, double *out_force)
{
    for (int p = 0; p < points->count; ++p) {
        spread_one(body, points, p, forces + 3 * (size_t)p, out_force);
    }
}

typedef struct Job {
    const SnNewton *body;
    const SnPointForces *contacts;
    const double *x;
} Job;

static void evaluate_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnNewtonPoints *points = job->contacts->points;
    (void)worker;
    for (int p = begin; p < end; ++p) {
        blend(job->body, points, p, job->x, points->places + 3 * (size_t)p);
    }
    // The table's evaluate takes all points' places and answers for its range.
    job->contacts->evaluate(job->contacts->context, begin, end, points->places,
                            points->forces + begin);
}

static bool acts(const SnPointForce *force)
{
    return force->force[0] != 0.0 || force->force[1] != 0.0 || force->force[2] != 0.0;
}

double sn_newton_points_evaluate(const SnNewton *body, SnWorkers *workers,
                                 const SnPointForces *contacts, const double *x, double *out_force)
{
    const SnNewtonPoints *points = contacts->points;
    Job job = {body, contacts, x};
    double energy = 0.0;
    sn_parallel_for(workers, contacts->count, GRAIN, evaluate_range, &job);
    for (int p = 0; p < contacts->count; ++p) {
        energy += points->forces[p].energy;
        if (acts(&points->forces[p])) {
            spread_one(body, points, p, points->forces[p].force, out_force);
        }
    }
    return energy;
}

static bool stiff(const SnPointForce *force)
{
    bool any = false;
    for (int k = 0; k < 9; ++k) {
        any = any || force->stiffness[k] != 0.0;
    }
    return any;
}

void sn_newton_points_stiffness(const SnNewton *body, const SnPointForces *contacts, double *value)
{
    const SnNewtonPoints *points = contacts->points;
    int corners = points->corners;
    for (int p = 0; p < contacts->count; ++p) {
        const double *k = points->forces[p].stiffness;
        const double *weights = points->weights + (size_t)p * (size_t)corners;
        const int *slots =
            body->pattern.slots + (size_t)points->elements[p] * (size_t)(corners * corners);
        if (!stiff(&points->forces[p])) {
            continue;
        }
        for (int i = 0; i < corners * corners; ++i) {
            double w = weights[i / corners] * weights[i % corners];
            double *block = value + 9 * (size_t)slots[i];
            for (int j = 0; j < 9; ++j) {
                block[j] += w * k[j];
            }
        }
    }
}

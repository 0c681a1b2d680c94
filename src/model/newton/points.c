#include "model/newton/points.h"

#include <math.h>
#include <string.h>

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
static void locate_in_hexes(const void *context, const double X[3], SnPointPlace *out)
{
    const SnNewton *body = context;
    const SnElementTree *tree = body->finder->tree;
    SnElementApproach approach;
    double best = INFINITY;
    double natural[3] = {0.5, 0.5, 0.5};
    int place;
    out->element = 0;
    sn_element_approach(tree, X, &approach);
    while (best > 0.0 && (place = sn_element_approach_next(&approach, best * best)) >= 0) {
        double corners[24], found[3];
        int e = tree->items[place];
        sn_newton_elements_gather(&body->elements, e, body->elements.rest, corners);
        double distance = sn_newton_hex_locate(corners, X, found);
        if (distance < best) {
            best = distance;
            out->element = e;
            memcpy(natural, found, sizeof natural);
        }
    }
    sn_newton_hex_shape(natural, out->weights, NULL);
    out->distance = best;
}

SinewStatus sn_newton_points_create(const void *body_, const double *rest, int count,
                                    void **out_points, SinewError *error)
{
    const SnNewton *body = body_;
    bool tets = body->elements.corners == 4;
    SnPointFinder finder = {.name = body->name,
                            .elements = body->elements.vertices,
                            .corners = body->elements.corners,
                            .locate = tets ? sn_point_locate_tet : locate_in_hexes,
                            .context = tets ? (const void *)body->finder->locator : body};
    return sn_point_set_create(&finder, rest, count, &body->allocator, out_points, error);
}

SinewStatus sn_newton_points_join(const void *body_, const SnPointPart *parts, int part_count,
                                  void **out_points, SinewError *error)
{
    const SnNewton *body = body_;
    return sn_point_set_join(parts, part_count, body->elements.corners, &body->allocator,
                             out_points, error);
}

void sn_newton_points_destroy(const void *body, void *points)
{
    sn_point_set_destroy(points, &((const SnNewton *)body)->allocator);
}

void sn_newton_points_place(const void *body_, const void *points, double *out_x, double *out_v)
{
    const SnNewton *body = body_;
    sn_point_set_blend(points, body->state.positions, out_x);
    if (out_v != NULL) {
        sn_point_set_blend(points, body->state.velocities, out_v);
    }
}

void sn_newton_points_stiffness(const SnNewton *body, const SnPointForces *contacts, double *value)
{
    const SnPointSet *points = contacts->points;
    int corners = points->corners;
    for (int a = 0; a < points->active_count; ++a) {
        int p = points->active[a];
        const double *k = points->forces[p].stiffness;
        const double *weights = points->weights + (size_t)p * (size_t)corners;
        const int *slots =
            body->pattern.slots + (size_t)points->elements[p] * (size_t)(corners * corners);
        for (int i = 0; i < corners * corners; ++i) {
            double w = weights[i / corners] * weights[i % corners];
            double *block = value + 9 * (size_t)slots[i];
            for (int j = 0; j < 9; ++j) {
                block[j] += w * k[j];
            }
        }
    }
}

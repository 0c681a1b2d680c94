#include "model/split/points.h"

#include "geometry/point_location.h"
#include "math/affine.h"
#include "model/split/shape.h"

#include <math.h>
#include <string.h>

// Made when the first point is asked for: many bodies never ask, and it has 130 bytes a tet.
static SinewStatus make_locator(SnSplit *common, SinewError *error)
{
    return common->locator != NULL
               ? SINEW_OK
               : sn_tet_locator_create(&common->tets, common->workers, &common->allocator,
                                       &common->locator, error);
}

void sn_split_finder_destroy(SnSplit *body)
{
    sn_tet_locator_destroy(body->locator, &body->allocator);
    body->locator = NULL;
}

// The shape knows where it is before it is placed.
static void locate(const void *body_, const double X[3], SnPointPlace *out)
{
    const SnSplit *body = body_;
    double unplaced[3];
    sn_affine_apply(&body->back, X, unplaced);
    sn_point_locate_tet(body->shape->body.locator, unplaced, out);
}

SinewStatus sn_split_points_create(const void *body_, const double *rest, int count,
                                   void **out_points, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSplit *body = body_;
    SnPointFinder finder = {body->name, body->elements.vertices, 4, locate, body};
    *out_points = NULL;
    SN_TRY(make_locator(&body->shape->body, error));
    SN_TRY(sn_point_set_create(&finder, rest, count, &body->allocator, out_points, error));
done:
    return status;
}

static void locate_unplaced(const void *body_, const double X[3], SnPointPlace *out)
{
    const SnSplit *body = body_;
    sn_point_locate_tet(body->shape->body.locator, X, out);
}

SinewStatus sn_split_points_create_unplaced(const void *body_, const double *unplaced, int count,
                                            void **out_points, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSplit *body = body_;
    SnPointFinder finder = {body->name, body->elements.vertices, 4, locate_unplaced, body};
    *out_points = NULL;
    SN_TRY(make_locator(&body->shape->body, error));
    SN_TRY(sn_point_set_create(&finder, unplaced, count, &body->allocator, out_points, error));
done:
    return status;
}

const void *sn_split_shape(const void *body)
{
    return ((const SnSplit *)body)->shape;
}

SinewStatus sn_split_points_in(const void *body_, const int *elements, const double *weights,
                               int count, void **out_points, SinewError *error)
{
    const SnSplit *body = body_;
    return sn_point_set_create_in(body->elements.vertices, 4, elements, weights, count,
                                  &body->allocator, out_points, error);
}

SinewStatus sn_split_points_join(const void *body, const SnPointPart *parts, int part_count,
                                 void **out_points, SinewError *error)
{
    return sn_point_set_join(parts, part_count, 4, &((const SnSplit *)body)->allocator, out_points,
                             error);
}

void sn_split_points_destroy(const void *body, void *points)
{
    sn_point_set_destroy(points, &((const SnSplit *)body)->allocator);
}

void sn_split_points_place(const void *body_, const void *points, double *out_x, double *out_v)
{
    const SnSplit *body = body_;
    sn_point_set_blend(points, body->state.positions, out_x);
    if (out_v != NULL) {
        sn_point_set_blend(points, body->state.velocities, out_v);
    }
}

void sn_split_points_balance(const SnPointForces *contacts, double *force)
{
    const SnPointSet *points = contacts->points;
    for (int i = 0; i < points->active_count; ++i) {
        int p = points->active[i];
        const int *corners = points->vertices + 4 * (size_t)p;
        for (size_t c = 0; c < 12; ++c) {
            force[3 * (size_t)corners[c / 3] + c % 3] -=
                points->weights[4 * (size_t)p + c / 3] * points->forces[p].force[c % 3];
        }
    }
}

void sn_split_points_push(const SnSplit *body, const SnPointForces *contacts, float scale,
                          float *residual)
{
    const SnPointSet *points = contacts->points;
    for (int i = 0; i < points->active_count; ++i) {
        int p = points->active[i];
        const int *corners = points->vertices + 4 * (size_t)p;
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
    const SnPointSet *points = contacts->points;
    for (int i = 0; i < points->active_count; ++i) {
        int index = points->active[i];
        const int *corners = points->vertices + 4 * (size_t)index;
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

#include "contact/collider.h"

#include "geometry/distance_grid.h"
#include "geometry/point.h"
#include "geometry/shape_def.h"
#include "geometry/surface_repair.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef enum Kind { PLANE, SHAPE, MESH } Kind;

struct SnCollider {
    SinewAllocator allocator;
    Kind kind;
    double friction;
    double normal[3]; // of a plane, length one
    double offset;    // of a plane, m
    SnShape shape;
    SnSurface *surface; // of a mesh, repaired
    SnDistance *distance;
    SnDistanceGrid *grid; // of a mesh: tells quickly what is far outside
    SnBox bounds;         // of a shape or mesh; a point outside is outside
    double length;        // m, the longest side of the bounds
    SnAffine to;          // of the shape to where it is at the end of the step
    SnAffine back;        // the inverse of that
    SnAffine carry;       // from where it is at the start of the step
    bool is_at_rest;      // `to` is the identity
    bool is_still;        // `carry` is the identity
};

// Creation ---------------------------------------------------------------------------------------

static SinewStatus make_plane(SnCollider *collider, const SinewShape *shape, const char *what,
                              SinewError *error)
{
    const double *n = shape->normal;
    // The longest component first: squares must neither vanish nor overflow.
    double most = fmax(fabs(n[0]), fmax(fabs(n[1]), fabs(n[2])));
    double sum = n[0] + n[1] + n[2]; // not a number where one of them is none
    if (!(most > 0.0) || !isfinite(sum)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: the normal of its plane is [%g, %g, %g], expected a direction of any "
                       "length but zero",
                       what, n[0], n[1], n[2]);
    }
    if (!isfinite(shape->offset)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: the offset of its plane is %g m, expected a finite number", what,
                       shape->offset);
    }
    double scaled[3] = {n[0] / most, n[1] / most, n[2] / most};
    double length = sn_point_length(scaled);
    for (int k = 0; k < 3; ++k) {
        collider->normal[k] = scaled[k] / length;
    }
    collider->kind = PLANE;
    collider->offset = shape->offset;
    return SINEW_OK;
}

// The surface is checked, then repaired as that of a body is.
static SinewStatus measure_mesh(SnCollider *collider, const SnSurface *surface, SnWorkers *workers,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSurfaceRepair repair;
    SnDistance *given = NULL;
    SnDistanceGridDef def = sn_distance_grid_def_default();
    const SinewAllocator *allocator = &collider->allocator;
    if (surface == NULL) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "its mesh has no surface, expected one");
    }
    SnSoup soup = sn_soup_of(surface);
    SN_TRY(sn_distance_create(&soup, allocator, &given, error)); // refuses what is no mesh
    SN_TRY(sn_surface_copy(surface, allocator, &collider->surface, error));
    SN_TRY(sn_surface_repair(collider->surface, 0.0, allocator, &repair, error));
    soup = sn_soup_of(collider->surface);
    SN_TRY(sn_distance_create(&soup, allocator, &collider->distance, error));
    SN_TRY(sn_distance_grid_create(collider->distance, &def, workers, allocator, &collider->grid,
                                   error));
    collider->bounds = sn_distance_bounds(collider->distance);
done:
    sn_distance_destroy(given);
    return status;
}

static SinewStatus make_mesh(SnCollider *collider, const SnSurface *surface, SnWorkers *workers,
                             const char *what, SinewError *error)
{
    SinewError inner = {0};
    collider->kind = MESH;
    SinewStatus status = measure_mesh(collider, surface, workers, &inner);
    if (status < 0) {
        sn_fail_at(error, status, inner.index, "%s: %s", what, inner.text);
    }
    return status;
}

static SinewStatus make_shape(SnCollider *collider, const SinewShape *shape, const char *what,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (shape->kind == SINEW_SHAPE_NONE) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: its shape is not said, expected a plane, a mesh or one of box to blob",
                       what);
    }
    SN_TRY(sn_shape_from_def(shape, what, &collider->allocator, &collider->shape, error));
    collider->kind = SHAPE;
    collider->bounds = sn_shape_bounds(&collider->shape);
done:
    return status;
}

SinewStatus sn_collider_create(const SinewShape *shape, const SnSurface *surface, double friction,
                               SnWorkers *workers, const SinewAllocator *allocator,
                               const char *what, SnCollider **out_collider, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnCollider *collider = NULL;
    SnAffine identity = sn_affine_identity();
    *out_collider = NULL;
    if (!(friction >= 0.0) || isinf(friction)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: friction is %g, expected zero or a positive number", what, friction);
    }
    SN_ALLOC_ZERO(collider, allocator, 1, error);
    collider->allocator = allocator != NULL ? *allocator : (SinewAllocator){0};
    collider->friction = friction;
    if (shape->kind == SINEW_SHAPE_PLANE) {
        SN_TRY(make_plane(collider, shape, what, error));
    } else if (shape->kind == SINEW_SHAPE_MESH) {
        SN_TRY(make_mesh(collider, surface, workers, what, error));
    } else {
        SN_TRY(make_shape(collider, shape, what, error));
    }
    for (int k = 0; k < 3; ++k) {
        collider->length =
            fmax(collider->length, collider->bounds.max[k] - collider->bounds.min[k]);
    }
    sn_collider_move(collider, &identity, &identity);
    *out_collider = collider;
    collider = NULL;
done:
    sn_collider_destroy(collider);
    return status;
}

void sn_collider_destroy(SnCollider *collider)
{
    if (collider == NULL) {
        return;
    }
    SinewAllocator allocator = collider->allocator;
    sn_distance_grid_destroy(collider->grid, &allocator);
    sn_distance_destroy(collider->distance);
    sn_surface_destroy(collider->surface, &allocator);
    if (collider->kind == SHAPE) {
        sn_shape_release(&collider->shape, &allocator);
    }
    sn_free(&allocator, collider);
}

// Motion -----------------------------------------------------------------------------------------

static bool is_identity(const SnAffine *map)
{
    SnAffine identity = sn_affine_identity();
    bool is_same = true;
    for (int k = 0; k < 12; ++k) {
        is_same = is_same && map->m[k] == identity.m[k];
    }
    return is_same;
}

void sn_collider_move(SnCollider *collider, const SnAffine *from, const SnAffine *to)
{
    SnAffine from_back = sn_affine_identity();
    collider->to = *to;
    bool is_good = sn_affine_invert(to, &collider->back);
    is_good = is_good && sn_affine_invert(from, &from_back);
    SN_ASSERT(is_good); // motions are rigid
    (void)is_good;
    // Without a motion nothing is carried, not even by a rounding: what sticks must not creep.
    collider->is_still = memcmp(from, to, sizeof *from) == 0;
    collider->is_at_rest = is_identity(to);
    collider->carry =
        collider->is_still ? sn_affine_identity() : sn_affine_multiply(to, &from_back);
}

void sn_collider_carry(const SnCollider *collider, const double x[3], double out_x[3])
{
    double carried[3] = {x[0], x[1], x[2]};
    if (!collider->is_still) {
        sn_affine_apply(&collider->carry, x, carried);
    }
    memcpy(out_x, carried, sizeof carried);
}

// The linear part of a map. `out` may be `v`.
static void turn_by(const SnAffine *map, const double v[3], double out[3])
{
    double x = v[0], y = v[1], z = v[2];
    for (int k = 0; k < 3; ++k) {
        const double *row = map->m + 4 * k;
        out[k] = row[0] * x + row[1] * y + row[2] * z;
    }
}

void sn_collider_turn(const SnCollider *collider, const double direction[3], double out[3])
{
    double turned[3] = {direction[0], direction[1], direction[2]};
    if (!collider->is_still) {
        turn_by(&collider->carry, direction, turned);
    }
    memcpy(out, turned, sizeof turned);
}

double sn_collider_friction(const SnCollider *collider)
{
    return collider->friction;
}

// Distances, in the shape's own place -------------------------------------------------------------

// A unit vector along v, or up where v is too short for a direction.
static void direct(const double v[3], double length, double out[3])
{
    for (int k = 0; k < 3; ++k) {
        out[k] = length > 0.0 ? v[k] / length : k == 1;
    }
}

static double ball_query(const double center[3], double radius, const double p[3], double normal[3])
{
    double d[3];
    sn_point_minus(p, center, d);
    double length = sn_point_length(d);
    direct(d, length, normal);
    return length - radius;
}

// Outside, from the nearest point of the box; inside, through the nearest face, of several the
// first.
static double box_query(const SnBox *box, const double p[3], double normal[3])
{
    double d[3];
    double nearest = -INFINITY;
    int axis = 0;
    double side = 1.0;
    for (int k = 0; k < 3; ++k) {
        double below = box->min[k] - p[k];
        double above = p[k] - box->max[k];
        d[k] = below > 0.0 ? -below : above > 0.0 ? above : 0.0;
        double least = below > above ? below : above;
        if (least > nearest) {
            nearest = least;
            axis = k;
            side = below > above ? -1.0 : 1.0;
        }
    }
    if (nearest > 0.0) {
        double length = sn_point_length(d);
        if (length > 0.0) {
            direct(d, length, normal);
            return length;
        }
    }
    for (int k = 0; k < 3; ++k) {
        normal[k] = k == axis ? side : 0.0;
    }
    return nearest;
}

// Any direction across an axis: away from the coordinate axis that is nearest to it.
static void direct_across(const double axis[3], double out[3])
{
    double x = fabs(axis[0]), y = fabs(axis[1]), z = fabs(axis[2]);
    double least[3] = {x <= y && x <= z, y < x && y <= z, z < x && z < y};
    double across[3];
    sn_point_cross(axis, least, across);
    direct(across, sn_point_length(across), out);
}

static double capsule_query(const SnShape *shape, const double p[3], double normal[3])
{
    double axis[3], offset[3];
    sn_point_minus(shape->capsule.to, shape->capsule.from, axis);
    sn_point_minus(p, shape->capsule.from, offset);
    double along = sn_point_dot(axis, offset);
    double square = sn_point_dot(axis, axis);
    double t = !(along > 0.0) ? 0.0 : along >= square ? 1.0 : along / square;
    sn_point_along(offset, -t, axis, offset);
    double length = sn_point_length(offset);
    if (!(length > 0.0) && square > 0.0) {
        direct_across(axis, normal);
    } else {
        direct(offset, length, normal);
    }
    return length - shape->capsule.radius;
}

// Central differences over 1e-5 of the shape's size: what is cut off and what is rounded off are
// both about 1e-10 there. On creases, the mean of the directions that meet.
static double difference_query(const SnCollider *collider, const double p[3], double normal[3])
{
    double step = 1e-5 * collider->length;
    double gradient[3];
    for (int k = 0; k < 3; ++k) {
        double a[3] = {p[0], p[1], p[2]};
        double b[3] = {p[0], p[1], p[2]};
        a[k] -= step;
        b[k] += step;
        gradient[k] = sn_shape_signed(&collider->shape, b) - sn_shape_signed(&collider->shape, a);
    }
    double length = sn_point_length(gradient);
    direct(gradient, length > 1e-12 * step ? length : 0.0, normal);
    return sn_shape_signed(&collider->shape, p);
}

static double shape_query(const SnCollider *collider, const double p[3], double normal[3])
{
    const SnShape *shape = &collider->shape;
    switch (shape->kind) {
    case SN_SHAPE_BOX:
        return box_query(&shape->box, p, normal);
    case SN_SHAPE_SPHERE:
        return ball_query(shape->sphere.center, shape->sphere.radius, p, normal);
    case SN_SHAPE_CAPSULE:
        return capsule_query(shape, p, normal);
    default:
        return difference_query(collider, p, normal);
    }
}

// The normal of a triangle, for points so near to it that their offset has no direction.
static void triangle_normal(const SnSurface *surface, int triangle, double normal[3])
{
    const int *corner = surface->triangles + 3 * (size_t)triangle;
    const double *x[3];
    double ab[3], ac[3], across[3];
    for (int c = 0; c < 3; ++c) {
        x[c] = surface->positions + 3 * (size_t)corner[c];
    }
    sn_point_minus(x[1], x[0], ab);
    sn_point_minus(x[2], x[0], ac);
    sn_point_cross(ab, ac, across);
    direct(across, sn_point_length(across), normal);
}

static bool is_in_mesh(const SnCollider *collider, const double p[3])
{
    return fabs(sn_distance_winding(collider->distance, p)) > 0.5;
}

static double mesh_query(const SnCollider *collider, bool is_inside, const double p[3],
                         double normal[3])
{
    SnClosest closest;
    double offset[3];
    sn_distance_closest(collider->distance, p, &closest);
    if (closest.triangle < 0) { // p is not a number, or beyond all reach
        direct(p, 0.0, normal);
        return INFINITY;
    }
    double sign = is_inside ? -1.0 : 1.0;
    if (closest.distance > 1e-12 * collider->length) {
        sn_point_minus(p, closest.point, offset);
        for (int k = 0; k < 3; ++k) {
            normal[k] = sign * offset[k] / closest.distance;
        }
    } else {
        triangle_normal(collider->surface, closest.triangle, normal);
    }
    return sign * closest.distance;
}

static double local_query(const SnCollider *collider, const double p[3], double normal[3])
{
    if (collider->kind == PLANE) {
        memcpy(normal, collider->normal, sizeof collider->normal);
        return sn_point_dot(collider->normal, p) - collider->offset;
    }
    if (collider->kind == MESH) {
        return mesh_query(collider, is_in_mesh(collider, p), p, normal);
    }
    return shape_query(collider, p, normal);
}

// Queries ----------------------------------------------------------------------------------------

static void move_back(const SnCollider *collider, const double x[3], double out[3])
{
    memcpy(out, x, 3 * sizeof *out);
    if (!collider->is_at_rest) {
        sn_affine_apply(&collider->back, x, out);
    }
}

static void turn_normal(const SnCollider *collider, double normal[3])
{
    if (!collider->is_at_rest) {
        turn_by(&collider->to, normal, normal);
    }
}

double sn_collider_query(const SnCollider *collider, const double x[3], double out_normal[3])
{
    double p[3];
    move_back(collider, x, p);
    double distance = local_query(collider, p, out_normal);
    turn_normal(collider, out_normal);
    return distance;
}

// Whether p is outside as far as can be told without measuring. A node of the grid is at most
// sqrt(3) spacings from p, and one of those around p has at least the sample's value, which is
// right in a band of three spacings and outside it never less than that: a sample above two means
// that p is outside.
static bool is_far_outside(const SnCollider *collider, const double p[3])
{
    if (collider->kind == PLANE) {
        return false;
    }
    if (!(sn_box_distance_squared(&collider->bounds, p) <= 0.0)) {
        return true;
    }
    return collider->kind == MESH &&
           sn_distance_grid_sample(collider->grid, p, NULL) > 2.0 * collider->grid->spacing;
}

double sn_collider_depth(const SnCollider *collider, const double x[3], double out_normal[3])
{
    double p[3], normal[3];
    move_back(collider, x, p);
    // Inside a mesh or not is told sooner than how far from it.
    if (is_far_outside(collider, p) || (collider->kind == MESH && !is_in_mesh(collider, p))) {
        return 0.0;
    }
    double distance = collider->kind == MESH ? mesh_query(collider, true, p, normal)
                                             : local_query(collider, p, normal);
    if (!(distance < 0.0)) {
        return 0.0;
    }
    turn_normal(collider, normal);
    memcpy(out_normal, normal, sizeof normal);
    return -distance;
}

// Whether local_query is the true distance outside, and cheap.
static bool is_measured(const SnCollider *collider)
{
    SnShapeKind kind = collider->shape.kind;
    return collider->kind == PLANE ||
           (collider->kind != MESH &&
            (kind == SN_SHAPE_BOX || kind == SN_SHAPE_SPHERE || kind == SN_SHAPE_CAPSULE));
}

double sn_collider_clearance(const SnCollider *collider, const double x[3])
{
    double p[3], normal[3];
    move_back(collider, x, p);
    if (is_measured(collider)) {
        return local_query(collider, p, normal);
    }
    double square = sn_box_distance_squared(&collider->bounds, p);
    return square > 0.0 ? sqrt(square) : 0.0;
}

bool sn_collider_clears(const SnCollider *collider, const double center[3], double radius)
{
    double p[3], normal[3];
    double reach = radius * (1.0 + 1e-6); // more than rounding of the maps
    move_back(collider, center, p);
    if (collider->kind == PLANE) {
        return local_query(collider, p, normal) > reach;
    }
    return sn_box_distance_squared(&collider->bounds, p) > reach * reach;
}

#include "geometry/shape.h"

#include "geometry/point.h"

#include <math.h>

static const char *const names[SN_SHAPE_KIND_COUNT] = {"box",      "sphere", "ellipsoid", "capsule",
                                                       "cylinder", "cone",   "torus",     "blob"};

const char *sn_shape_name(SnShapeKind kind)
{
    SN_ASSERT(kind >= 0 && kind < SN_SHAPE_KIND_COUNT);
    return names[kind];
}

// Checking ---------------------------------------------------------------------------------------

// Coordinates beyond this are refused: their powers would overflow.
static const double REACH = 1e30;

static SinewStatus check_point(const SnShape *shape, const char *member, const double p[3],
                               SinewError *error)
{
    for (int k = 0; k < 3; ++k) {
        if (!(fabs(p[k]) <= REACH)) {
            return sn_fail(error, SINEW_ERROR_ARGUMENT,
                           "%s of a %s is [%g, %g, %g], expected finite numbers", member,
                           names[shape->kind], p[0], p[1], p[2]);
        }
    }
    return SINEW_OK;
}

static SinewStatus check_length(const SnShape *shape, const char *member, double length,
                                SinewError *error)
{
    if (!(length > 1e-30) || !(length <= REACH)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s of a %s is %g m, expected a positive number", member, names[shape->kind],
                       length);
    }
    return SINEW_OK;
}

// The axis of a cylinder or a cone.
static SinewStatus check_axis(const SnShape *shape, const double from[3], const double to[3],
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(check_point(shape, "from", from, error));
    SN_TRY(check_point(shape, "to", to, error));
    if (!(sn_point_distance_squared(from, to) > 1e-60)) {
        status = sn_fail(error, SINEW_ERROR_ARGUMENT,
                         "from and to of a %s are the same point, expected two ends",
                         names[shape->kind]);
    }
done:
    return status;
}

static SinewStatus check_box(const SnShape *shape, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnBox *box = &shape->box;
    SN_TRY(check_point(shape, "min", box->min, error));
    SN_TRY(check_point(shape, "max", box->max, error));
    for (int k = 0; k < 3; ++k) {
        if (!(box->max[k] - box->min[k] > 1e-30)) {
            return sn_fail(error, SINEW_ERROR_ARGUMENT,
                           "a box from %g to %g along %c, expected max greater than min",
                           box->min[k], box->max[k], "xyz"[k]);
        }
    }
done:
    return status;
}

static SinewStatus check_torus(const SnShape *shape, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(check_point(shape, "center", shape->torus.center, error));
    SN_TRY(check_point(shape, "axis", shape->torus.axis, error));
    SN_TRY(check_length(shape, "radius", shape->torus.radius, error));
    SN_TRY(check_length(shape, "tube", shape->torus.tube, error));
    if (!(shape->torus.tube < shape->torus.radius)) {
        status = sn_fail(error, SINEW_ERROR_ARGUMENT,
                         "tube of a torus is %g m, expected less than its radius of %g m",
                         shape->torus.tube, shape->torus.radius);
    }
done:
    return status;
}

static SinewStatus check_cone(const SnShape *shape, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(check_axis(shape, shape->cone.from, shape->cone.to, error));
    SN_TRY(check_length(shape, "radius", shape->cone.radius, error));
    if (!(shape->cone.top >= 0.0) || !(shape->cone.top <= REACH)) {
        status =
            sn_fail(error, SINEW_ERROR_ARGUMENT,
                    "top of a cone is %g m, expected zero or a positive number", shape->cone.top);
    }
done:
    return status;
}

static SinewStatus check_blob(const SnShape *shape, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (shape->blob.part_count < 1) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "a blob of %d parts, expected at least one",
                       shape->blob.part_count);
    }
    if (!(shape->blob.smooth >= 0.0) || !(shape->blob.smooth <= REACH)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "smooth of a blob is %g m, expected zero or a positive number",
                       shape->blob.smooth);
    }
    for (int i = 0; i < shape->blob.part_count; ++i) {
        if (shape->blob.parts[i].kind == SN_SHAPE_BLOB) {
            return sn_fail_at(error, SINEW_ERROR_ARGUMENT, i,
                              "part %d of a blob is a blob, expected one of the other shapes", i);
        }
        SN_TRY(sn_shape_check(&shape->blob.parts[i], error));
    }
done:
    return status;
}

SinewStatus sn_shape_check(const SnShape *shape, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    switch (shape->kind) {
    case SN_SHAPE_BOX:
        return check_box(shape, error);
    case SN_SHAPE_SPHERE:
        SN_TRY(check_point(shape, "center", shape->sphere.center, error));
        return check_length(shape, "radius", shape->sphere.radius, error);
    case SN_SHAPE_ELLIPSOID:
        SN_TRY(check_point(shape, "center", shape->ellipsoid.center, error));
        for (int k = 0; k < 3; ++k) {
            SN_TRY(check_length(shape, "a radius", shape->ellipsoid.radii[k], error));
        }
        return SINEW_OK;
    case SN_SHAPE_CAPSULE:
        SN_TRY(check_point(shape, "from", shape->capsule.from, error));
        SN_TRY(check_point(shape, "to", shape->capsule.to, error));
        return check_length(shape, "radius", shape->capsule.radius, error);
    case SN_SHAPE_CYLINDER:
        SN_TRY(check_axis(shape, shape->cylinder.from, shape->cylinder.to, error));
        return check_length(shape, "radius", shape->cylinder.radius, error);
    case SN_SHAPE_CONE:
        return check_cone(shape, error);
    case SN_SHAPE_TORUS:
        return check_torus(shape, error);
    case SN_SHAPE_BLOB:
        return check_blob(shape, error);
    default:
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "a shape of kind %d, expected 0 to %d",
                       (int)shape->kind, SN_SHAPE_KIND_COUNT - 1);
    }
done:
    return status;
}

// Distances --------------------------------------------------------------------------------------

static double box_signed(const SnBox *box, const double p[3])
{
    double outside = sn_box_distance_squared(box, p);
    if (outside > 0.0) {
        return sqrt(outside);
    }
    double nearest = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        nearest = fmax(nearest, fmax(box->min[k] - p[k], p[k] - box->max[k]));
    }
    return nearest;
}

// The nearest point x of an ellipsoid with radii e to y in its first octant solves
// x_k = e_k^2 y_k / (t + e_k^2) with the one t > -min e^2 for which x lies on it (Eberly, Distance
// from a Point to an Ellipsoid, 2013). g(t) = sum (e_k y_k / (t + e_k^2))^2 - 1 falls and is
// convex, so Newton's steps from the left never overshoot; each grows t + e^2 by half at least, and
// coordinates are kept off zero by 1e-12 of the radius, so there are at most 70 and seldom 8. The
// unknown is s = t + min e^2, which keeps its digits where t comes close to its bound.
static double ellipsoid_signed(const double center[3], const double radii[3], const double p[3])
{
    double e[3], y[3], rest[3];
    double scale = fmax(radii[0], fmax(radii[1], radii[2]));
    double least = fmin(radii[0], fmin(radii[1], radii[2])) / scale;
    double s = 0.0;
    double level = 0.0;
    for (int k = 0; k < 3; ++k) {
        e[k] = radii[k] / scale;
        rest[k] = (e[k] - least) * (e[k] + least);
        double offset = fabs(p[k] - center[k]) / scale;
        y[k] = fmax(offset, 1e-12 * e[k]);
        s = fmax(s, e[k] * y[k] - rest[k]);
        level += offset / e[k] * (offset / e[k]);
    }
    for (int step = 0; step < 100; ++step) {
        double g = -1.0;
        double slope = 0.0;
        for (int k = 0; k < 3; ++k) {
            double ratio = e[k] * y[k] / (s + rest[k]);
            g += ratio * ratio;
            slope -= 2.0 * ratio * ratio / (s + rest[k]);
        }
        double next = s - g / slope;
        if (!(next > s)) {
            break; // there, but for a rounding
        }
        s = next;
    }
    double t = s - least * least;
    double square = 0.0;
    for (int k = 0; k < 3; ++k) {
        double d = y[k] * t / (s + rest[k]); // y - x
        square += d * d;
    }
    return (level < 1.0 ? -scale : scale) * sqrt(square);
}

static double capsule_signed(const double from[3], const double to[3], double radius,
                             const double p[3])
{
    double axis[3], offset[3];
    sn_point_minus(to, from, axis);
    sn_point_minus(p, from, offset);
    double along = sn_point_dot(axis, offset);
    double square = sn_point_dot(axis, axis);
    double t = !(along > 0.0) ? 0.0 : along >= square ? 1.0 : along / square;
    sn_point_along(offset, -t, axis, offset);
    return sn_point_length(offset) - radius;
}

// Square of the distance in the plane from (x, y) to a segment.
static double plane_segment(double ax, double ay, double bx, double by, double x, double y)
{
    double dx = bx - ax, dy = by - ay;
    double along = (x - ax) * dx + (y - ay) * dy;
    double square = dx * dx + dy * dy;
    double t = !(along > 0.0) ? 0.0 : along >= square ? 1.0 : along / square;
    double qx = x - ax - t * dx, qy = y - ay - t * dy;
    return qx * qx + qy * qy;
}

// A cone cut off at the top, or a cylinder: in the half plane of (distance from the axis, height)
// it is a quadrilateral whose fourth side, the axis, is no border.
static double cone_signed(const double from[3], const double to[3], double base, double top,
                          const double p[3])
{
    double axis[3], offset[3], across[3];
    sn_point_minus(to, from, axis);
    sn_point_minus(p, from, offset);
    double height = sn_point_length(axis);
    double y = sn_point_dot(axis, offset) / height;
    sn_point_along(offset, -y / height, axis, across);
    double x = sn_point_length(across);
    double square =
        fmin(plane_segment(0.0, 0.0, base, 0.0, x, y), plane_segment(base, 0.0, top, height, x, y));
    square = fmin(square, plane_segment(0.0, height, top, height, x, y));
    bool is_inside = y > 0.0 && y < height && x < base + (top - base) * (y / height);
    return is_inside ? -sqrt(square) : sqrt(square);
}

static void torus_axis(const SnShape *shape, double out[3])
{
    const double *axis = shape->torus.axis;
    double length = sn_point_length(axis);
    for (int k = 0; k < 3; ++k) {
        out[k] = length > 0.0 ? axis[k] / length : k == 1;
    }
}

static double torus_signed(const SnShape *shape, const double p[3])
{
    double axis[3], offset[3], across[3];
    torus_axis(shape, axis);
    sn_point_minus(p, shape->torus.center, offset);
    double y = sn_point_dot(axis, offset);
    sn_point_along(offset, -y, axis, across);
    double x = sn_point_length(across) - shape->torus.radius;
    return sqrt(x * x + y * y) - shape->torus.tube;
}

// Smaller than both by up to a quarter of `smooth` where they are equal.
static double smooth_min(double a, double b, double smooth)
{
    double least = a < b ? a : b;
    double overlap = smooth - fabs(a - b);
    return overlap > 0.0 ? least - overlap * overlap / (4.0 * smooth) : least;
}

static double blob_signed(const SnShape *shape, const double p[3])
{
    double value = sn_shape_signed(&shape->blob.parts[0], p);
    for (int i = 1; i < shape->blob.part_count; ++i) {
        value = smooth_min(value, sn_shape_signed(&shape->blob.parts[i], p), shape->blob.smooth);
    }
    return value;
}

double sn_shape_signed(const SnShape *shape, const double p[3])
{
    switch (shape->kind) {
    case SN_SHAPE_BOX:
        return box_signed(&shape->box, p);
    case SN_SHAPE_SPHERE:
        return sqrt(sn_point_distance_squared(p, shape->sphere.center)) - shape->sphere.radius;
    case SN_SHAPE_ELLIPSOID:
        return ellipsoid_signed(shape->ellipsoid.center, shape->ellipsoid.radii, p);
    case SN_SHAPE_CAPSULE:
        return capsule_signed(shape->capsule.from, shape->capsule.to, shape->capsule.radius, p);
    case SN_SHAPE_CYLINDER:
        return cone_signed(shape->cylinder.from, shape->cylinder.to, shape->cylinder.radius,
                           shape->cylinder.radius, p);
    case SN_SHAPE_CONE:
        return cone_signed(shape->cone.from, shape->cone.to, shape->cone.radius, shape->cone.top,
                           p);
    case SN_SHAPE_TORUS:
        return torus_signed(shape, p);
    default:
        return blob_signed(shape, p);
    }
}

double sn_shape_fn(void *context, const double p[3])
{
    return sn_shape_signed(context, p);
}

// Bounds -----------------------------------------------------------------------------------------

// Adds a ball, or where `axis` (of length one) is given, the disc across it: along k that reaches
// radius sqrt(1 - axis_k^2).
static void add_round(SnBox *box, const double center[3], double radius, const double axis[3])
{
    for (int k = 0; k < 3; ++k) {
        double share = axis != NULL ? fmax(1.0 - axis[k] * axis[k], 0.0) : 1.0;
        double reach = radius * sqrt(share);
        box->min[k] = fmin(box->min[k], center[k] - reach);
        box->max[k] = fmax(box->max[k], center[k] + reach);
    }
}

static SnBox cone_bounds(const double from[3], const double to[3], double base, double top)
{
    SnBox box = sn_box_empty();
    double axis[3];
    sn_point_minus(to, from, axis);
    double height = sn_point_length(axis);
    for (int k = 0; k < 3; ++k) {
        axis[k] /= height;
    }
    add_round(&box, from, base, axis);
    add_round(&box, to, top, axis);
    return box;
}

static SnBox torus_bounds(const SnShape *shape)
{
    SnBox box = sn_box_empty();
    double axis[3];
    torus_axis(shape, axis);
    add_round(&box, shape->torus.center, shape->torus.radius, axis);
    for (int k = 0; k < 3; ++k) {
        box.min[k] -= shape->torus.tube;
        box.max[k] += shape->torus.tube;
    }
    return box;
}

// Each joint lowers the distance by a quarter of `smooth` at most, and all together by `smooth`:
// a value that much below a part's is not changed by it.
static SnBox blob_bounds(const SnShape *shape)
{
    SnBox box = sn_box_empty();
    int joints = shape->blob.part_count - 1;
    double swell = shape->blob.smooth * fmin(0.25 * joints, 1.0);
    for (int i = 0; i < shape->blob.part_count; ++i) {
        SnBox part = sn_shape_bounds(&shape->blob.parts[i]);
        sn_box_add(&box, &part);
    }
    for (int k = 0; k < 3; ++k) {
        box.min[k] -= swell;
        box.max[k] += swell;
    }
    return box;
}

SnBox sn_shape_bounds(const SnShape *shape)
{
    SnBox box = sn_box_empty();
    switch (shape->kind) {
    case SN_SHAPE_BOX:
        return shape->box;
    case SN_SHAPE_SPHERE:
        add_round(&box, shape->sphere.center, shape->sphere.radius, NULL);
        return box;
    case SN_SHAPE_ELLIPSOID:
        for (int k = 0; k < 3; ++k) {
            box.min[k] = shape->ellipsoid.center[k] - shape->ellipsoid.radii[k];
            box.max[k] = shape->ellipsoid.center[k] + shape->ellipsoid.radii[k];
        }
        return box;
    case SN_SHAPE_CAPSULE:
        add_round(&box, shape->capsule.from, shape->capsule.radius, NULL);
        add_round(&box, shape->capsule.to, shape->capsule.radius, NULL);
        return box;
    case SN_SHAPE_CYLINDER:
        return cone_bounds(shape->cylinder.from, shape->cylinder.to, shape->cylinder.radius,
                           shape->cylinder.radius);
    case SN_SHAPE_CONE:
        return cone_bounds(shape->cone.from, shape->cone.to, shape->cone.radius, shape->cone.top);
    case SN_SHAPE_TORUS:
        return torus_bounds(shape);
    default:
        return blob_bounds(shape);
    }
}

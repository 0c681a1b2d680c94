// The triangle surfaces of shapes: boxes as grids of squares, round ones as rings around an axis,
// blobs by marching over their distance.
#include "geometry/shape.h"

#include "base/array.h"
#include "geometry/isosurface.h"
#include "geometry/point.h"
#include "math/angle.h"

#include <math.h>
#include <string.h>

enum { RESOLUTION_MAX = 1024 };

// How many pieces of about `edge` a length is cut into.
static int pieces(double length, double edge, int least)
{
    double count = floor(length / edge + 0.5);
    return count < least ? least : (int)count;
}

// Boxes
// --------------------------------------------------------------------------------------------

// The grid points on the outside of a box of n cells: all of the first and the last layer along x,
// and the rings of those between.
static int box_vertex(const int n[3], const int i[3])
{
    int layer = (n[1] + 1) * (n[2] + 1);
    int ring = 2 * (n[1] + n[2]);
    if (i[0] == 0 || i[0] == n[0]) {
        int first = i[0] == 0 ? 0 : layer + (n[0] - 1) * ring;
        return first + i[1] * (n[2] + 1) + i[2];
    }
    int first = layer + (i[0] - 1) * ring;
    if (i[1] == 0 || i[1] == n[1]) {
        return first + (i[1] == 0 ? 0 : n[2] + 1) + i[2];
    }
    return first + 2 * (n[2] + 1) + 2 * (i[1] - 1) + (i[2] == n[2]);
}

static void place_box_vertices(const SnBox *box, const int n[3], SnSurface *surface)
{
    int i[3];
    for (i[0] = 0; i[0] <= n[0]; ++i[0]) {
        for (i[1] = 0; i[1] <= n[1]; ++i[1]) {
            bool is_side = i[0] == 0 || i[0] == n[0] || i[1] == 0 || i[1] == n[1];
            for (i[2] = 0; i[2] <= n[2]; i[2] += is_side ? 1 : n[2]) {
                double *p = surface->positions + 3 * (size_t)box_vertex(n, i);
                for (int k = 0; k < 3; ++k) {
                    double t = (double)i[k] / n[k];
                    p[k] = (1.0 - t) * box->min[k] + t * box->max[k];
                }
            }
        }
    }
}

// One side, its squares cut along alternating diagonals.
static int *add_box_side(const int n[3], int axis, int is_max, int *out)
{
    int b = (axis + 1) % 3;
    int c = (axis + 2) % 3;
    for (int j = 0; j < n[b]; ++j) {
        for (int k = 0; k < n[c]; ++k) {
            int corner[4];
            for (int v = 0; v < 4; ++v) {
                int i[3];
                i[axis] = is_max ? n[axis] : 0;
                i[b] = j + (v == 1 || v == 2);
                i[c] = k + (v >= 2);
                corner[is_max ? v : 3 - v] = box_vertex(n, i);
            }
            int s = (j + k) % 2;
            const int triangles[6] = {corner[s],     corner[s + 1],       corner[s + 2],
                                      corner[s + 2], corner[(s + 3) % 4], corner[s]};
            memcpy(out, triangles, sizeof triangles);
            out += 6;
        }
    }
    return out;
}

static SinewStatus create_box(const SnBox *box, double edge, const SinewAllocator *allocator,
                              SnSurface **out_surface, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int n[3];
    for (int k = 0; k < 3; ++k) {
        n[k] = pieces(box->max[k] - box->min[k], edge, 1);
    }
    int triangle_count = 4 * (n[0] * n[1] + n[1] * n[2] + n[2] * n[0]);
    SN_TRY(sn_surface_create(triangle_count / 2 + 2, triangle_count, 0, 1, allocator, out_surface,
                             error));
    place_box_vertices(box, n, *out_surface);
    int *triangle = (*out_surface)->triangles;
    for (int side = 0; side < 6; ++side) {
        triangle = add_box_side(n, side / 2, side % 2, triangle);
    }
done:
    return status;
}

// Rings
// --------------------------------------------------------------------------------------------

// A circle around the axis, or a single point of it.
typedef struct Ring {
    double x; // m, from the axis
    double y; // m, along it
    int count;
    int first; // vertex
} Ring;

// The outline that is turned around an axis: from its lower pole outwards and up to the upper one,
// or around a tube.
typedef struct Outline {
    SnArray rings;
    double edge;
    double origin[3];
    double axis[3]; // of length one
    bool is_loop;
} Outline;

static SinewStatus add_ring(Outline *outline, double x, double y, SinewError *error)
{
    Ring ring = {.x = x, .y = y, .count = 1};
    if (x > 0.0) {
        // A hexagon at least: around poles and tips fewer corners would show.
        ring.count = pieces(2.0 * SN_PI * x, outline->edge, 6);
    }
    return sn_array_push(&outline->rings, &ring, error);
}

// Points after (ax, ay) up to (bx, by).
static SinewStatus add_line(Outline *outline, double ax, double ay, double bx, double by,
                            SinewError *error)
{
    SinewStatus status = SINEW_OK;
    double length = sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay));
    int count = pieces(length, outline->edge, 1);
    for (int i = 1; i <= count; ++i) {
        double t = (double)i / count;
        SN_TRY(add_ring(outline, (1.0 - t) * ax + t * bx, (1.0 - t) * ay + t * by, error));
    }
done:
    return status;
}

// Points [begin, end] of a circle cut into `count`, from its lowest point on.
static SinewStatus add_arc(Outline *outline, double x, double y, double radius, const int range[3],
                           SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int i = range[0]; i <= range[1]; ++i) {
        double p[2]; // cosine and sine from the lowest point: down and out
        sn_circle_point(i, range[2], p);
        SN_TRY(add_ring(outline, x + radius * p[1], y - radius * p[0], error));
    }
done:
    return status;
}

static SinewStatus outline_capsule(Outline *outline, double radius, double height,
                                   SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int quarter = pieces(0.5 * SN_PI * radius, outline->edge, 1);
    const int lower[3] = {0, quarter, 4 * quarter};
    const int upper[3] = {quarter + 1, 2 * quarter, 4 * quarter};
    SN_TRY(add_arc(outline, 0.0, 0.0, radius, lower, error));
    if (height > 0.0) {
        SN_TRY(add_line(outline, radius, 0.0, radius, height, error));
    }
    SN_TRY(add_arc(outline, 0.0, height, radius, upper, error));
done:
    return status;
}

static SinewStatus outline_cone(Outline *outline, double base, double top, double height,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(add_ring(outline, 0.0, 0.0, error));
    SN_TRY(add_line(outline, 0.0, 0.0, base, 0.0, error));
    SN_TRY(add_line(outline, base, 0.0, top, height, error));
    if (top > 0.0) {
        SN_TRY(add_line(outline, top, height, 0.0, height, error));
    }
done:
    return status;
}

static SinewStatus outline_torus(Outline *outline, double radius, double tube, SinewError *error)
{
    int count = pieces(2.0 * SN_PI * tube, outline->edge, 3);
    const int range[3] = {0, count - 1, count};
    outline->is_loop = true;
    return add_arc(outline, radius, 0.0, tube, range, error);
}

static void place_rings(const Outline *outline, SnSurface *surface)
{
    // Two directions across the axis; the first is not along its largest part.
    const double *w = outline->axis;
    double u[3], v[3];
    double other[3] = {0.0};
    int least = fabs(w[0]) <= fabs(w[1]) && fabs(w[0]) <= fabs(w[2]) ? 0
                : fabs(w[1]) <= fabs(w[2])                           ? 1
                                                                     : 2;
    other[least] = 1.0;
    sn_point_cross(w, other, v);
    double length = sn_point_length(v);
    sn_point_along((const double[3]){0.0, 0.0, 0.0}, 1.0 / length, v, v);
    sn_point_cross(v, w, u);
    for (size_t r = 0; r < outline->rings.count; ++r) {
        const Ring *ring = &SN_ITEMS(outline->rings, Ring)[r];
        for (int i = 0; i < ring->count; ++i) {
            double *p = surface->positions + 3 * (size_t)(ring->first + i);
            double c[2];
            sn_circle_point(i, ring->count, c);
            sn_point_along(outline->origin, ring->y, w, p);
            sn_point_along(p, ring->x * c[0], u, p);
            sn_point_along(p, ring->x * c[1], v, p);
        }
    }
}

// Triangles between two rings, walking around both at once: whichever edge's middle comes first is
// next. Poles have no edges.
static int *stitch_rings(const Ring *a, const Ring *b, int *out)
{
    int a_end = a->count > 1 ? a->count : 0;
    int b_end = b->count > 1 ? b->count : 0;
    for (int i = 0, j = 0; i < a_end || j < b_end; out += 3) {
        int64_t a_middle = (2 * (int64_t)i + 1) * b->count;
        int64_t b_middle = (2 * (int64_t)j + 1) * a->count;
        bool is_a = j == b_end || (i < a_end && a_middle <= b_middle);
        out[0] = a->first + i % a->count;
        out[1] = is_a ? a->first + (i + 1) % a->count : b->first + (j + 1) % b->count;
        out[2] = b->first + j % b->count;
        i += is_a;
        j += !is_a;
    }
    return out;
}

static SinewStatus create_rings(const Outline *outline, const SinewAllocator *allocator,
                                SnSurface **out_surface, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Ring *rings = SN_ITEMS(outline->rings, Ring);
    int ring_count = (int)outline->rings.count;
    int strip_count = outline->is_loop ? ring_count : ring_count - 1;
    int64_t vertex_count = 0;
    int64_t triangle_count = 0;
    for (int r = 0; r < ring_count; ++r) {
        rings[r].first = (int)vertex_count;
        vertex_count += rings[r].count;
        triangle_count += rings[r].count > 1 ? 2 * rings[r].count : 0;
        if (triangle_count > INT32_MAX / 3) {
            return sn_fail(error, SINEW_ERROR_ARGUMENT,
                           "edges of %g m make too many triangles; ask for a coarser resolution",
                           outline->edge);
        }
    }
    SN_TRY(sn_surface_create((int)vertex_count, (int)triangle_count, 0, 1, allocator, out_surface,
                             error));
    place_rings(outline, *out_surface);
    int *triangle = (*out_surface)->triangles;
    for (int s = 0; s < strip_count; ++s) {
        triangle = stitch_rings(&rings[s], &rings[(s + 1) % ring_count], triangle);
    }
done:
    return status;
}

static double set_axis(Outline *outline, const double from[3], const double to[3])
{
    double axis[3];
    sn_point_minus(to, from, axis);
    double length = sn_point_length(axis);
    for (int k = 0; k < 3; ++k) {
        outline->origin[k] = from[k];
        outline->axis[k] = length > 0.0 ? axis[k] / length : k == 1;
    }
    return length;
}

static SinewStatus make_outline(const SnShape *shape, Outline *outline, SinewError *error)
{
    static const double zero[3] = {0.0, 0.0, 0.0};
    const double *center = NULL;
    double length = 0.0;
    switch (shape->kind) {
    case SN_SHAPE_SPHERE:
        center = shape->sphere.center;
        set_axis(outline, center, center);
        return outline_capsule(outline, shape->sphere.radius, 0.0, error);
    case SN_SHAPE_CAPSULE:
        length = set_axis(outline, shape->capsule.from, shape->capsule.to);
        return outline_capsule(outline, shape->capsule.radius, length, error);
    case SN_SHAPE_CYLINDER:
        length = set_axis(outline, shape->cylinder.from, shape->cylinder.to);
        return outline_cone(outline, shape->cylinder.radius, shape->cylinder.radius, length, error);
    case SN_SHAPE_CONE:
        length = set_axis(outline, shape->cone.from, shape->cone.to);
        return outline_cone(outline, shape->cone.radius, shape->cone.top, length, error);
    default:
        set_axis(outline, zero, shape->torus.axis);
        memcpy(outline->origin, shape->torus.center, sizeof outline->origin);
        return outline_torus(outline, shape->torus.radius, shape->torus.tube, error);
    }
}

static SinewStatus create_round(const SnShape *shape, double edge, const SinewAllocator *allocator,
                                SnSurface **out_surface, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Outline outline = {.rings = sn_array_of(allocator, sizeof(Ring)), .edge = edge};
    SN_TRY(make_outline(shape, &outline, error));
    SN_TRY(create_rings(&outline, allocator, out_surface, error));
done:
    sn_array_release(&outline.rings);
    return status;
}

// A sphere of the largest radius, pressed.
static SinewStatus create_ellipsoid(const SnShape *shape, double edge,
                                    const SinewAllocator *allocator, SnSurface **out_surface,
                                    SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const double *radii = shape->ellipsoid.radii;
    double radius = fmax(radii[0], fmax(radii[1], radii[2]));
    SnShape sphere = {.kind = SN_SHAPE_SPHERE, .sphere = {.radius = radius}};
    SN_TRY(create_round(&sphere, edge, allocator, out_surface, error));
    for (int i = 0; i < 3 * (*out_surface)->vertex_count; ++i) {
        double *x = &(*out_surface)->positions[i];
        *x = shape->ellipsoid.center[i % 3] + *x / radius * radii[i % 3];
    }
done:
    return status;
}

// All --------------------------------------------------------------------------------------------

static SinewStatus create_blob(const SnShape *shape, double cell, SnWorkers *workers,
                               const SinewAllocator *allocator, SnSurface **out_surface,
                               SinewError *error)
{
    SnShape copy = *shape; // the callback's context is not const
    SnIsosurfaceDef def = {
        .fn = sn_shape_fn, .context = &copy, .bounds = sn_shape_bounds(shape), .cell = cell};
    return sn_isosurface_create(&def, workers, allocator, out_surface, error);
}

SinewStatus sn_shape_surface(const SnShape *shape, int resolution, SnWorkers *workers,
                             const SinewAllocator *allocator, SnSurface **out_surface,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSurface *surface = NULL;
    *out_surface = NULL;
    SN_TRY(sn_shape_check(shape, error));
    if (resolution < 1 || resolution > RESOLUTION_MAX) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "resolution of a %s is %d, expected 1 to %d cells along its longest side",
                       sn_shape_name(shape->kind), resolution, RESOLUTION_MAX);
    }
    SnBox box = sn_shape_bounds(shape);
    double longest =
        fmax(box.max[0] - box.min[0], fmax(box.max[1] - box.min[1], box.max[2] - box.min[2]));
    double edge = longest / resolution;
    if (shape->kind == SN_SHAPE_BOX) {
        SN_TRY(create_box(&shape->box, edge, allocator, &surface, error));
    } else if (shape->kind == SN_SHAPE_ELLIPSOID) {
        SN_TRY(create_ellipsoid(shape, edge, allocator, &surface, error));
    } else if (shape->kind == SN_SHAPE_BLOB) {
        SN_TRY(create_blob(shape, edge, workers, allocator, &surface, error));
    } else {
        SN_TRY(create_round(shape, edge, allocator, &surface, error));
    }
    const char *name = sn_shape_name(shape->kind);
    SN_TRY(sn_names_set(&surface->names, 0, name, strlen(name), allocator, error));
    *out_surface = surface;
    surface = NULL;
done:
    sn_surface_destroy(surface, allocator);
    return status;
}

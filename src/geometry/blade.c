#include "geometry/blade.h"

#include "base/array.h"
#include "geometry/box_tree.h"
#include "geometry/point.h"

#include <math.h>
#include <string.h>

enum { LEAF = 4 }; // triangles

// What the search works with.
typedef struct Search {
    const SnBlade *blade;
    const SnBladeMesh *mesh;
    double normal[3];  // of a plane, of length one
    SnBoxTree *tree;   // over the triangles of a surface
    SnBox bounds;      // of the surface
    const double *way; // from and to, xyz each, of the way that is tried
    const double *tet; // corners of the tet that is tried, xyz each
    int crossings;
} Search;

static const double *vertex_of(const Search *search, int tet, int corner)
{
    const int *corners = search->mesh->tets + 4 * (size_t)tet;
    return search->mesh->positions + 3 * (size_t)corners[corner];
}

static void middle_of(const Search *search, int tet, double out[3])
{
    for (int k = 0; k < 3; ++k) {
        out[k] = 0.25 * ((vertex_of(search, tet, 0)[k] + vertex_of(search, tet, 1)[k]) +
                         (vertex_of(search, tet, 2)[k] + vertex_of(search, tet, 3)[k]));
    }
}

// Triangles --------------------------------------------------------------------------------------

// Six times the volume of the tet a, b, c, d.
static double volume6(const double a[3], const double b[3], const double c[3], const double d[3])
{
    double ab[3], ac[3], ad[3], normal[3];
    sn_point_minus(b, a, ab);
    sn_point_minus(c, a, ac);
    sn_point_minus(d, a, ad);
    sn_point_cross(ab, ac, normal);
    return sn_point_dot(normal, ad);
}

static bool comes_before(const double a[3], const double b[3])
{
    for (int k = 0; k < 3; ++k) {
        if (a[k] != b[k]) {
            return a[k] < b[k];
        }
    }
    return false;
}

// On which side of the way an edge passes. The edge is looked at from the same end by all triangles
// that have it.
static bool passes(const double way[6], const double a[3], const double b[3])
{
    return comes_before(a, b) ? volume6(way, way + 3, a, b) >= 0.0
                              : !(volume6(way, way + 3, b, a) >= 0.0);
}

static bool crosses(const double way[6], const double *const corners[3])
{
    bool from = volume6(corners[0], corners[1], corners[2], way) >= 0.0;
    bool to = volume6(corners[0], corners[1], corners[2], way + 3) >= 0.0;
    if (from == to) {
        return false;
    }
    bool side = passes(way, corners[0], corners[1]);
    return side == passes(way, corners[1], corners[2]) &&
           side == passes(way, corners[2], corners[0]);
}

static void triangle_of(const Search *search, int triangle, const double *out[3])
{
    const SnSurface *surface = search->blade->surface;
    for (int c = 0; c < 3; ++c) {
        int v = surface->triangles[3 * (size_t)triangle + (size_t)c];
        out[c] = surface->positions + 3 * (size_t)v;
    }
}

static bool try_triangle(void *context, int triangle)
{
    Search *search = context;
    const double *corners[3];
    triangle_of(search, triangle, corners);
    search->crossings += crosses(search->way, corners) ? 1 : 0;
    return true;
}

static bool overlaps(const SnBox *a, const SnBox *b)
{
    bool far = false;
    for (int k = 0; k < 3; ++k) {
        far = far || a->min[k] > b->max[k] || b->min[k] > a->max[k];
    }
    return !far;
}

// Whether the way passes through the surface an odd number of times.
static bool parts_surface(Search *search, const double way[6])
{
    SnBox box = sn_box_empty();
    sn_box_add_point(&box, way);
    sn_box_add_point(&box, way + 3);
    search->way = way;
    search->crossings = 0;
    if (overlaps(&box, &search->bounds)) {
        sn_box_tree_visit(search->tree, &box, try_triangle, search);
    }
    return search->crossings % 2 == 1;
}

static bool holds(const double *tet, const double p[3])
{
    return volume6(tet + 3, tet + 6, tet + 9, p) <= 0.0 &&
           volume6(tet, tet + 6, tet + 9, p) >= 0.0 && volume6(tet, tet + 3, tet + 9, p) <= 0.0 &&
           volume6(tet, tet + 3, tet + 6, p) >= 0.0;
}

static bool is_crossed(const double *tet, const double *const triangle[3])
{
    double way[6];
    for (int e = 0; e < 12; ++e) { // each edge of the tet against the triangle
        int a = e / 3, b = (a + 1 + e % 3) % 4;
        memcpy(way, tet + 3 * (size_t)a, 3 * sizeof *way);
        memcpy(way + 3, tet + 3 * (size_t)b, 3 * sizeof *way);
        if (a < b && crosses(way, triangle)) {
            return true;
        }
    }
    for (size_t e = 0; e < 12; ++e) { // and each of the triangle's against the tet's faces
        size_t f = e / 3;
        const double *face[3] = {tet + 3 * ((f + 1) % 4), tet + 3 * ((f + 2) % 4),
                                 tet + 3 * ((f + 3) % 4)};
        memcpy(way, triangle[e % 3], 3 * sizeof *way);
        memcpy(way + 3, triangle[(e + 1) % 3], 3 * sizeof *way);
        if (crosses(way, face)) {
            return true;
        }
    }
    return holds(tet, triangle[0]);
}

static bool try_tet(void *context, int triangle)
{
    Search *search = context;
    const double *corners[3];
    triangle_of(search, triangle, corners);
    search->crossings += is_crossed(search->tet, corners) ? 1 : 0;
    return search->crossings == 0;
}

static bool surface_meets(Search *search, int tet)
{
    double corners[12];
    SnBox box = sn_box_empty();
    for (int c = 0; c < 4; ++c) {
        memcpy(corners + 3 * (size_t)c, vertex_of(search, tet, c), 3 * sizeof *corners);
        sn_box_add_point(&box, corners + 3 * (size_t)c);
    }
    search->tet = corners;
    search->crossings = 0;
    if (overlaps(&box, &search->bounds)) {
        sn_box_tree_visit(search->tree, &box, try_tet, search);
    }
    search->tet = NULL;
    return search->crossings > 0;
}

// Planes and discs -------------------------------------------------------------------------------

static double height(const Search *search, const double p[3])
{
    double d[3];
    sn_point_minus(p, search->blade->point, d);
    return sn_point_dot(d, search->normal);
}

static bool parts_plane(const Search *search, const double way[6])
{
    double from = height(search, way), to = height(search, way + 3);
    if ((from >= 0.0) == (to >= 0.0)) {
        return false;
    }
    double radius = search->blade->radius;
    double t = from / (from - to), along[3], at[3];
    sn_point_minus(way + 3, way, along);
    sn_point_along(way, t, along, at);
    return !(radius > 0.0) ||
           sn_point_distance_squared(at, search->blade->point) <= radius * radius;
}

// A disc meets a tet when an edge passes through it, or when the tet's middle lies over it.
static bool plane_meets(const Search *search, int tet)
{
    double radius = search->blade->radius, way[6], middle[3], foot[3];
    int below = 0;
    for (int c = 0; c < 4; ++c) {
        below += height(search, vertex_of(search, tet, c)) < 0.0 ? 1 : 0;
    }
    if (below == 0 || below == 4) {
        return false;
    }
    middle_of(search, tet, middle);
    sn_point_along(middle, -height(search, middle), search->normal, foot);
    bool meets =
        !(radius > 0.0) || sn_point_distance_squared(foot, search->blade->point) <= radius * radius;
    for (int e = 0; e < 16 && !meets; ++e) {
        memcpy(way, vertex_of(search, tet, e / 4), 3 * sizeof *way);
        memcpy(way + 3, vertex_of(search, tet, e % 4), 3 * sizeof *way);
        meets = e / 4 < e % 4 && parts_plane(search, way);
    }
    return meets;
}

// What is near ----------------------------------------------------------------------------------

static void set_normal(Search *search)
{
    double length = sn_point_length(search->blade->normal);
    sn_point_along((const double[3]){0.0, 0.0, 0.0}, 1.0 / length, search->blade->normal,
                   search->normal);
}

// Of two tets with their middles on both sides of a plane, one at least has corners on both, but
// for rounding.
static SinewStatus mark_plane(Search *search, const SinewAllocator *allocator, unsigned char *near,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnBladeMesh *mesh = search->mesh;
    double *heights = NULL; // a vertex
    double slack = sn_point_length(search->blade->point);
    SN_ALLOC(heights, allocator, mesh->vertex_count, error);
    set_normal(search);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        const double *x = mesh->positions + 3 * (size_t)v;
        heights[v] = height(search, x);
        slack = fmax(slack, fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2]))));
    }
    slack *= 1e-12; // some thousand roundings
    for (int t = 0; t < mesh->tet_count; ++t) {
        const int *tet = mesh->tets + 4 * (size_t)t;
        int above = 0, below = 0;
        for (int c = 0; c < 4; ++c) {
            above += heights[tet[c]] >= -slack ? 1 : 0;
            below += heights[tet[c]] <= slack ? 1 : 0;
        }
        for (int c = 0; c < 4 && above > 0 && below > 0; ++c) {
            near[tet[c]] = 1;
        }
    }
done:
    sn_free(allocator, heights);
    return status;
}

// A way between the middles of two tets is within the bounds of the tets around each vertex that
// they share.
static SinewStatus mark_surface(const Search *search, const SinewAllocator *allocator,
                                unsigned char *near, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnBladeMesh *mesh = search->mesh;
    const SnSurface *surface = search->blade->surface;
    SnBox *stars = NULL; // a vertex
    SnBox bounds = sn_box_empty();
    for (int i = 0; i < 3 * surface->triangle_count; ++i) {
        sn_box_add_point(&bounds, surface->positions + 3 * (size_t)surface->triangles[i]);
    }
    SN_ALLOC(stars, allocator, mesh->vertex_count, error);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        stars[v] = sn_box_empty();
    }
    for (int t = 0; t < mesh->tet_count; ++t) {
        SnBox box = sn_box_empty();
        for (int c = 0; c < 4; ++c) {
            sn_box_add_point(&box, vertex_of(search, t, c));
        }
        for (int c = 0; c < 4; ++c) {
            sn_box_add(&stars[mesh->tets[4 * (size_t)t + (size_t)c]], &box);
        }
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        near[v] = overlaps(&stars[v], &bounds) ? 1 : 0;
    }
done:
    sn_free(allocator, stars);
    return status;
}

SinewStatus sn_blade_mark(const SnBlade *blade, const SnBladeMesh *mesh,
                          const SinewAllocator *allocator, unsigned char **out_near,
                          SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Search search = {.blade = blade, .mesh = mesh};
    SN_ALLOC_ZERO(*out_near, allocator, mesh->vertex_count, error);
    status = blade->surface != NULL ? mark_surface(&search, allocator, *out_near, error)
                                    : mark_plane(&search, allocator, *out_near, error);
    if (status < 0) {
        sn_free(allocator, *out_near);
        *out_near = NULL;
    }
done:
    return status;
}

// The search -------------------------------------------------------------------------------------

static SinewStatus make_tree(Search *search, const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSurface *surface = search->blade->surface;
    SnBox *boxes = NULL;
    SN_ALLOC(boxes, allocator, surface->triangle_count, error);
    search->bounds = sn_box_empty();
    for (int t = 0; t < surface->triangle_count; ++t) {
        const double *corners[3];
        triangle_of(search, t, corners);
        boxes[t] = sn_box_empty();
        for (int c = 0; c < 3; ++c) {
            sn_box_add_point(&boxes[t], corners[c]);
        }
        sn_box_add(&search->bounds, &boxes[t]);
    }
    if (surface->triangle_count > 0) {
        SN_TRY(sn_box_tree_create(boxes, surface->triangle_count, LEAF, allocator, &search->tree,
                                  error));
    }
done:
    sn_free(allocator, boxes);
    return status;
}

static bool is_cut(Search *search, bool removes, int item)
{
    bool plane = search->blade->surface == NULL;
    double way[6];
    if (removes) {
        return plane ? plane_meets(search, item) : surface_meets(search, item);
    }
    int other = search->mesh->neighbours[item];
    if (other < item) { // outside, or seen from the other tet
        return false;
    }
    middle_of(search, item / 4, way);
    middle_of(search, other / 4, way + 3);
    return plane ? parts_plane(search, way) : parts_surface(search, way);
}

SinewStatus sn_blade_find(const SnBlade *blade, const SnBladeMesh *mesh, bool removes,
                          const SinewAllocator *allocator, SnTetCutList *out_list,
                          SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Search search = {.blade = blade, .mesh = mesh};
    SnArray items = sn_array_of(allocator, sizeof(int));
    int count = removes ? mesh->tet_count : 4 * mesh->tet_count;
    *out_list = (SnTetCutList){.removes = removes};
    if (blade->surface != NULL) {
        SN_TRY(make_tree(&search, allocator, error));
    } else {
        set_normal(&search);
    }
    if (blade->surface != NULL && search.tree == NULL) {
        count = 0; // no triangle, no cut
    }
    for (int i = 0; i < count; ++i) {
        if (is_cut(&search, removes, i)) {
            SN_TRY(sn_array_push(&items, &i, error));
        }
    }
    out_list->count = (int)items.count;
    out_list->items = sn_array_take(&items);
    SN_TRY(sn_expect_memory(out_list->items, items.count, sizeof(int), error));
done:
    sn_box_tree_destroy(search.tree, allocator);
    sn_array_release(&items);
    return status;
}

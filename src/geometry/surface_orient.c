#include "geometry/surface_orient.h"

#include "geometry/surface_edges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Patch {
    int first; // of its triangles, in Work.order
    int count;
    bool orientable;
    bool closed;
    bool turned;        // as a whole
    double volume;      // signed, about its first vertex; of what the flood made of it
    double area;        // of all its triangles
    double turned_area; // of those that the flood turned
    double low[3];      // box
    double high[3];     //
    int net;            // sides along the edge at hand, rising less falling
} Patch;

typedef struct Work {
    SnSurface *surface;
    SnSurfaceEdges edges;
    int *edge_of_side;
    int *patch_of; // each triangle; -1: not yet reached
    bool *turned;  // each triangle, by the flood
    int *order;    // triangles patch by patch; the queue of the flood too
    Patch *patches;
    int patch_count;
} Work;

static SinewStatus open_work(Work *work, const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSurface *surface = work->surface;
    size_t count = (size_t)surface->triangle_count;
    SN_TRY(sn_surface_edges_create(surface->triangles, surface->triangle_count,
                                   surface->vertex_count, allocator, &work->edges, error));
    SN_ALLOC(work->edge_of_side, allocator, 3 * count, error);
    SN_ALLOC(work->patch_of, allocator, count, error);
    SN_ALLOC_ZERO(work->turned, allocator, count, error);
    SN_ALLOC(work->order, allocator, count, error);
    SN_ALLOC(work->patches, allocator, count, error);
    memset(work->edge_of_side, 0xff, 3 * count * sizeof(int));
    memset(work->patch_of, 0xff, count * sizeof(int));
    for (int edge = 0; edge < work->edges.count; ++edge) {
        for (int i = work->edges.starts[edge]; i < work->edges.starts[edge + 1]; ++i) {
            work->edge_of_side[work->edges.sides[i]] = edge;
        }
    }
done:
    return status;
}

static void close_work(Work *work, const SinewAllocator *allocator)
{
    sn_surface_edges_release(&work->edges, allocator);
    sn_free(allocator, work->edge_of_side);
    sn_free(allocator, work->patch_of);
    sn_free(allocator, work->turned);
    sn_free(allocator, work->order);
    sn_free(allocator, work->patches);
}

// The side on the other face of the edge; -1 where the edge has not just two.
static int side_across(const Work *work, int side)
{
    int edge = work->edge_of_side[side];
    if (edge < 0) {
        return -1;
    }
    int start = work->edges.starts[edge];
    if (work->edges.starts[edge + 1] - start != 2) {
        return -1;
    }
    return work->edges.sides[start] == side ? work->edges.sides[start + 1]
                                            : work->edges.sides[start];
}

// Everything that is reached from one triangle, in the order in which it is reached.
static void flood(Work *work, int seed, int patch)
{
    const int *triangles = work->surface->triangles;
    Patch *self = &work->patches[patch];
    int *queue = work->order + self->first;
    self->orientable = true;
    self->count = 1;
    queue[0] = seed;
    work->patch_of[seed] = patch;
    for (int next = 0; next < self->count; ++next) {
        int triangle = queue[next];
        for (int side = 3 * triangle; side < 3 * triangle + 3; ++side) {
            int across = side_across(work, side);
            if (across < 0) {
                continue;
            }
            int other = across / 3;
            bool same_way =
                sn_side_is_rising(triangles, side) == sn_side_is_rising(triangles, across);
            bool turned = work->turned[triangle] != same_way;
            if (work->patch_of[other] < 0) {
                work->patch_of[other] = patch;
                work->turned[other] = turned;
                queue[self->count++] = other;
            } else if (work->turned[other] != turned) {
                self->orientable = false;
            }
        }
    }
}

static void flood_all(Work *work)
{
    int reached = 0;
    for (int t = 0; t < work->surface->triangle_count; ++t) {
        if (work->patch_of[t] < 0) {
            work->patches[work->patch_count] = (Patch){.first = reached};
            flood(work, t, work->patch_count);
            reached += work->patches[work->patch_count++].count;
        }
    }
}

static const double *corner_of(const Work *work, int triangle, int corner)
{
    return work->surface->positions + 3 * (size_t)work->surface->triangles[3 * triangle + corner];
}

// Adds a triangle to the sums of its patch.
static void measure_triangle(const Work *work, Patch *patch, int triangle)
{
    const double *origin = corner_of(work, work->order[patch->first], 0);
    double edge[3][3]; // from the origin
    for (int i = 0; i < 3; ++i) {
        const double *corner = corner_of(work, triangle, i);
        for (int k = 0; k < 3; ++k) {
            edge[i][k] = corner[k] - origin[k];
            patch->low[k] = corner[k] < patch->low[k] ? corner[k] : patch->low[k];
            patch->high[k] = corner[k] > patch->high[k] ? corner[k] : patch->high[k];
        }
    }
    double area = 0.0;
    double volume = 0.0;
    for (int k = 0; k < 3; ++k) {
        int u = (k + 1) % 3;
        int v = (k + 2) % 3;
        double normal = (edge[1][u] - edge[0][u]) * (edge[2][v] - edge[0][v]) -
                        (edge[1][v] - edge[0][v]) * (edge[2][u] - edge[0][u]);
        area += normal * normal;
        volume += normal * edge[0][k];
    }
    area = sqrt(area);
    patch->area += area;
    patch->turned_area += work->turned[triangle] ? area : 0.0;
    patch->volume += work->turned[triangle] ? -volume : volume;
}

static void measure_all(Work *work)
{
    for (int p = 0; p < work->patch_count; ++p) {
        Patch *patch = &work->patches[p];
        const double *origin = corner_of(work, work->order[patch->first], 0);
        memcpy(patch->low, origin, sizeof patch->low);
        memcpy(patch->high, origin, sizeof patch->high);
        for (int i = 0; i < patch->count; ++i) {
            measure_triangle(work, patch, work->order[patch->first + i]);
        }
        patch->closed = patch->orientable && patch->volume != 0.0;
    }
}

// A patch is closed if along every edge as many of its sides rise as fall. So are two cubes that
// touch in an edge, though that edge has four sides.
static void find_open(Work *work)
{
    const int *triangles = work->surface->triangles;
    for (int edge = 0; edge < work->edges.count; ++edge) {
        int begin = work->edges.starts[edge];
        int end = work->edges.starts[edge + 1];
        for (int i = begin; i < end; ++i) {
            int side = work->edges.sides[i];
            bool rises = sn_side_is_rising(triangles, side) != work->turned[side / 3];
            work->patches[work->patch_of[side / 3]].net += rises ? 1 : -1;
        }
        for (int i = begin; i < end; ++i) {
            Patch *patch = &work->patches[work->patch_of[work->edges.sides[i] / 3]];
            patch->closed = patch->closed && patch->net == 0;
        }
        for (int i = begin; i < end; ++i) {
            work->patches[work->patch_of[work->edges.sides[i] / 3]].net = 0;
        }
    }
}

// Whether the ray from `point` along x, seen in the plane of y and z, passes to one side of an edge
// within its height. The ends are taken in index order, so that both triangles of an edge agree.
static bool passes_edge(const Work *work, int from, int to, const double *point)
{
    const double *a = work->surface->positions + 3 * (size_t)(from < to ? from : to);
    const double *b = work->surface->positions + 3 * (size_t)(from < to ? to : from);
    if ((a[2] > point[2]) == (b[2] > point[2])) {
        return false;
    }
    return point[1] < a[1] + (b[1] - a[1]) * ((point[2] - a[2]) / (b[2] - a[2]));
}

static bool ray_hits(const Work *work, int triangle, const double *point)
{
    const int *corner = work->surface->triangles + 3 * triangle;
    bool inside = passes_edge(work, corner[0], corner[1], point) !=
                  (passes_edge(work, corner[1], corner[2], point) !=
                   passes_edge(work, corner[2], corner[0], point));
    if (!inside) {
        return false;
    }
    const double *a = corner_of(work, triangle, 0);
    const double *b = corner_of(work, triangle, 1);
    const double *c = corner_of(work, triangle, 2);
    double nx = (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]);
    double ny = (b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]);
    double nz = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    return a[0] - (ny * (point[1] - a[1]) + nz * (point[2] - a[2])) / nx > point[0];
}

// By the middle of the inner one's first triangle: an odd number of hits is inside.
static bool lies_inside(const Work *work, const Patch *inner, const Patch *outer)
{
    double point[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k) {
        if (inner->low[k] < outer->low[k] || inner->high[k] > outer->high[k]) {
            return false;
        }
        for (int i = 0; i < 3; ++i) {
            point[k] += corner_of(work, work->order[inner->first], i)[k] / 3.0;
        }
    }
    bool inside = false;
    for (int i = 0; i < outer->count; ++i) {
        inside = inside != ray_hits(work, work->order[outer->first + i], point);
    }
    return inside;
}

typedef struct Sized {
    double size; // of the box
    int patch;
} Sized;

static int compare_sizes(const void *left, const void *right)
{
    const Sized *a = left;
    const Sized *b = right;
    if (a->size != b->size) {
        return a->size > b->size ? -1 : 1;
    }
    return a->patch < b->patch ? -1 : a->patch > b->patch;
}

// Closed patches from the largest box down, so that what contains is decided before what is
// contained. A patch that would be turned by its own volume just as its container is needs no look
// at containers; the others look among those, of the other decision, that came before.
static SinewStatus decide_closed(Work *work, const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Sized *closed = NULL;
    int *outer[2] = {NULL, NULL}; // patches that stay, and that are turned
    int outer_count[2] = {0, 0};
    int count = 0;
    SN_ALLOC(closed, allocator, work->patch_count, error);
    SN_ALLOC(outer[0], allocator, work->patch_count, error);
    SN_ALLOC(outer[1], allocator, work->patch_count, error);
    for (int p = 0; p < work->patch_count; ++p) {
        const Patch *patch = &work->patches[p];
        if (patch->closed) {
            double size = (patch->high[0] - patch->low[0]) * (patch->high[1] - patch->low[1]) *
                          (patch->high[2] - patch->low[2]);
            closed[count++] = (Sized){size, p};
        }
    }
    qsort(closed, (size_t)count, sizeof *closed, compare_sizes);
    for (int i = 0; i < count; ++i) {
        Patch *patch = &work->patches[closed[i].patch];
        bool turned = patch->volume < 0.0;
        bool contained = false;
        for (int j = 0; j < outer_count[!turned] && !contained; ++j) {
            contained = lies_inside(work, patch, &work->patches[outer[!turned][j]]);
        }
        patch->turned = contained ? !turned : turned;
        if (!contained) {
            outer[turned][outer_count[turned]++] = closed[i].patch;
        }
    }
done:
    sn_free(allocator, closed);
    sn_free(allocator, outer[0]);
    sn_free(allocator, outer[1]);
    return status;
}

static void turn_triangles(Work *work, SnOrientation *out)
{
    for (int p = 0; p < work->patch_count; ++p) {
        Patch *patch = &work->patches[p];
        if (!patch->closed) {
            patch->turned = patch->orientable && patch->turned_area > 0.5 * patch->area;
        }
        out->closed_patches += patch->closed;
        out->unorientable += !patch->orientable;
    }
    for (int t = 0; t < work->surface->triangle_count; ++t) {
        if (work->turned[t] != work->patches[work->patch_of[t]].turned) {
            int *corner = work->surface->triangles + 3 * t;
            int last = corner[2];
            corner[2] = corner[1];
            corner[1] = last;
            ++out->flipped_triangles;
        }
    }
    out->patches = work->patch_count;
}

SinewStatus sn_surface_orient(SnSurface *surface, const SinewAllocator *allocator,
                              SnOrientation *out_orientation, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Work work = {.surface = surface};
    *out_orientation = (SnOrientation){0};
    SN_TRY(open_work(&work, allocator, error));
    flood_all(&work);
    measure_all(&work);
    find_open(&work);
    SN_TRY(decide_closed(&work, allocator, error));
    turn_triangles(&work, out_orientation);
done:
    close_work(&work, allocator);
    return status;
}

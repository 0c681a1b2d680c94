#include "geometry/isosurface.h"

#include "base/array.h"
#include "geometry/point.h"

#include <math.h>
#include <string.h>

// Lattice points have integer coordinates in half cells: corners of cells are even on all axes,
// middles odd on all. A point's neighbours are the next of its kind along the axes and the eight of
// the other kind around it.
enum { WAYS = 14 };

static const int ways[WAYS][3] = {{2, 0, 0},  {-2, 0, 0},  {0, 2, 0},   {0, -2, 0},  {0, 0, 2},
                                  {0, 0, -2}, {1, 1, 1},   {1, 1, -1},  {1, -1, 1},  {1, -1, -1},
                                  {-1, 1, 1}, {-1, 1, -1}, {-1, -1, 1}, {-1, -1, -1}};

// Cells along the side of a block whose points are skipped when the body's surface is far from it.
enum { BLOCK = 4 };

// Spreading passes, and the share of the way to the middle of its neighbours that a vertex goes.
enum { PASSES = 6 };
static const double SPREAD = 0.7;

typedef struct Lattice {
    const SnIsosurfaceDef *def;
    const SinewAllocator *allocator;
    double origin[3];
    double cell; // m
    int n[3];    // cells
    int blocks[3];
    int corner_count;
    int count;         // points: corners, then middles
    float *values;     // of each point
    int *slots;        // of each point: its number among those inside next to an outside one, or -1
    int *cuts;         // WAYS a slot: the vertex on the way to each neighbour, or -1
    SnArray positions; // of vertices
    SnArray triangles;
} Lattice;

static int point_index(const Lattice *l, const int x[3])
{
    if (x[0] % 2 == 0) {
        return (x[0] / 2 * (l->n[1] + 1) + x[1] / 2) * (l->n[2] + 1) + x[2] / 2;
    }
    return l->corner_count + (x[0] / 2 * l->n[1] + x[1] / 2) * l->n[2] + x[2] / 2;
}

static void point_position(const Lattice *l, const int x[3], double out[3])
{
    for (int k = 0; k < 3; ++k) {
        out[k] = l->origin[k] + 0.5 * l->cell * x[k];
    }
}

// The outermost points count as outside, whatever the function says, so that the surface is closed.
static bool is_rim(const Lattice *l, const int x[3])
{
    for (int k = 0; k < 3; ++k) {
        if (x[k] <= 1 || x[k] >= 2 * l->n[k] - 1) {
            return true;
        }
    }
    return false;
}

static SinewStatus place_lattice(Lattice *l, SinewError *error)
{
    const SnBox *box = &l->def->bounds;
    double corners = 1.0;
    double cells[3];
    l->cell = l->def->cell;
    for (int k = 0; k < 3; ++k) {
        // A cell of air around the bounds, and the rim.
        double side = box->max[k] - box->min[k];
        cells[k] = floor(side / l->cell) + 4.0;
        corners *= cells[k] + 1.0;
        l->origin[k] = 0.5 * (box->min[k] + box->max[k]) - 0.5 * cells[k] * l->cell;
    }
    if (!(l->cell > 0.0) || !(corners <= 0x1p29)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "cells of %g m make a lattice of %.3g points, expected at most %.3g",
                       l->cell, 2.0 * corners, 0x1p30);
    }
    for (int k = 0; k < 3; ++k) {
        l->n[k] = (int)cells[k];
        l->blocks[k] = (l->n[k] + BLOCK) / BLOCK;
    }
    l->corner_count = (int)corners;
    l->count = l->corner_count + l->n[0] * l->n[1] * l->n[2];
    return SINEW_OK;
}

// Values -----------------------------------------------------------------------------------------

static void fill_point(const Lattice *l, const int x[3], bool is_known, double known)
{
    double p[3];
    point_position(l, x, p);
    double value = is_known ? known : l->def->fn(l->def->context, p);
    if (is_rim(l, x) || !(value < 0.0)) {
        value = fmax(value, 0.0); // zero, and what is not a number, is outside
    }
    l->values[point_index(l, x)] = (float)value;
}

static void fill_block(const Lattice *l, int index)
{
    int begin[3], end[3], x[3];
    double middle[3];
    for (int k = 2; k >= 0; --k) {
        begin[k] = index % l->blocks[k] * 2 * BLOCK;
        index /= l->blocks[k];
        end[k] = begin[k] + 2 * BLOCK;
        end[k] = end[k] < 2 * l->n[k] + 1 ? end[k] : 2 * l->n[k] + 1;
        middle[k] = l->origin[k] + 0.5 * l->cell * (begin[k] + BLOCK);
    }
    // Farther from the surface than any point of the block is from its middle, with some to spare.
    double known = l->def->fn(l->def->context, middle);
    bool is_known = fabs(known) > 1.1 * 0.5 * sqrt(3.0) * BLOCK * l->cell;
    for (x[0] = begin[0]; x[0] < end[0]; ++x[0]) {
        for (x[1] = begin[1]; x[1] < end[1]; ++x[1]) {
            for (x[2] = begin[2]; x[2] < end[2]; ++x[2]) {
                if (x[0] % 2 == x[1] % 2 && x[1] % 2 == x[2] % 2) {
                    fill_point(l, x, is_known, known);
                }
            }
        }
    }
}

static void fill_blocks(void *context, int begin, int end, int worker)
{
    (void)worker;
    for (int b = begin; b < end; ++b) {
        fill_block(context, b);
    }
}

// Vertices ---------------------------------------------------------------------------------------

static bool is_inside(const Lattice *l, int point)
{
    return l->values[point] < 0.0f;
}

static void neighbour_of(const int x[3], int way, int out[3])
{
    for (int k = 0; k < 3; ++k) {
        out[k] = x[k] + ways[way][k];
    }
}

// Puts a vertex on each edge from an inside point to an outside one.
static SinewStatus cut_edges(Lattice *l, const int x[3], SnArray *cuts, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int point = point_index(l, x);
    l->slots[point] = -1;
    if (!is_inside(l, point)) {
        return SINEW_OK; // the rim is outside, so all points that go on have all neighbours
    }
    int row[WAYS];
    bool is_cut = false;
    for (int way = 0; way < WAYS; ++way) {
        int y[3];
        neighbour_of(x, way, y);
        int other = point_index(l, y);
        row[way] = -1;
        if (is_inside(l, other)) {
            continue;
        }
        is_cut = true;
        double a = -(double)l->values[point];
        double b = (double)l->values[other];
        double t = fmin(fmax(a / (a + b), 0.25), 0.75);
        double from[3], to[3], p[3];
        point_position(l, x, from);
        point_position(l, y, to);
        sn_point_minus(to, from, to);
        sn_point_along(from, t, to, p);
        row[way] = (int)l->positions.count;
        SN_TRY(sn_array_push(&l->positions, p, error));
    }
    if (is_cut) {
        l->slots[point] = (int)cuts->count;
        SN_TRY(sn_array_push(cuts, row, error));
    }
done:
    return status;
}

static SinewStatus create_vertices(Lattice *l, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnArray cuts = sn_array_of(l->allocator, WAYS * sizeof(int));
    SN_ALLOC(l->slots, l->allocator, l->count, error);
    for (int odd = 0; odd < 2; ++odd) {
        int x[3];
        for (x[0] = odd; x[0] <= 2 * l->n[0]; x[0] += 2) {
            for (x[1] = odd; x[1] <= 2 * l->n[1]; x[1] += 2) {
                for (x[2] = odd; x[2] <= 2 * l->n[2]; x[2] += 2) {
                    SN_TRY(cut_edges(l, x, &cuts, error));
                }
            }
        }
    }
    l->cuts = sn_array_take(&cuts);
    SN_TRY(sn_expect_memory(l->cuts, cuts.count, sizeof(int), error));
done:
    sn_array_release(&cuts);
    return status;
}

// Triangles --------------------------------------------------------------------------------------

// A lattice point of a tet.
typedef struct Corner {
    int x[3];
    int point;
} Corner;

// The vertex between two points of which one is inside.
static int vertex_between(const Lattice *l, const Corner *a, const Corner *b)
{
    const Corner *inside = is_inside(l, a->point) ? a : b;
    const Corner *outside = inside == a ? b : a;
    int step[3];
    for (int k = 0; k < 3; ++k) {
        step[k] = outside->x[k] - inside->x[k];
    }
    int way = 0;
    while (memcmp(ways[way], step, sizeof step) != 0) {
        ++way;
    }
    return l->cuts[WAYS * l->slots[inside->point] + way];
}

static SinewStatus push_triangle(Lattice *l, int a, int b, int c, SinewError *error)
{
    const int triangle[3] = {a, b, c};
    return sn_array_push(&l->triangles, triangle, error);
}

// Four vertices in a ring, cut along the shorter diagonal.
static SinewStatus push_ring(Lattice *l, const int ring[4], SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const double *x = SN_ITEMS(l->positions, double);
    bool is_turned = sn_point_distance_squared(x + 3 * ring[1], x + 3 * ring[3]) <
                     sn_point_distance_squared(x + 3 * ring[0], x + 3 * ring[2]);
    int s = is_turned ? 1 : 0;
    SN_TRY(push_triangle(l, ring[s], ring[s + 1], ring[s + 2], error));
    SN_TRY(push_triangle(l, ring[s], ring[s + 2], ring[(s + 3) % 4], error));
done:
    return status;
}

// The corners of a tet, by which of them are inside (a bit each), in an even order, so that the
// orientation stays, which brings the one that differs, or the two inside, to the front.
static const unsigned char orders[16][4] = {{0},          {0, 1, 2, 3}, {1, 0, 3, 2}, {0, 1, 2, 3},
                                            {2, 3, 0, 1}, {0, 2, 3, 1}, {1, 2, 0, 3}, {3, 2, 1, 0},
                                            {3, 2, 1, 0}, {0, 3, 1, 2}, {1, 3, 2, 0}, {2, 3, 0, 1},
                                            {2, 3, 0, 1}, {1, 0, 3, 2}, {0, 1, 2, 3}, {0}};

// `tet` is positively oriented; triangles face outside.
static SinewStatus march_tet(Lattice *l, const Corner tet[4], SinewError *error)
{
    int inside = 0;
    int count = 0;
    for (int c = 0; c < 4; ++c) {
        bool in = is_inside(l, tet[c].point);
        inside |= in << c;
        count += in;
    }
    if (count == 0 || count == 4) {
        return SINEW_OK;
    }
    const unsigned char *order = orders[inside];
    const Corner *a = &tet[order[0]], *b = &tet[order[1]];
    const Corner *c = &tet[order[2]], *d = &tet[order[3]];
    if (count == 2) {
        const int ring[4] = {vertex_between(l, a, c), vertex_between(l, a, d),
                             vertex_between(l, b, d), vertex_between(l, b, c)};
        return push_ring(l, ring, error);
    }
    int ab = vertex_between(l, a, b), ac = vertex_between(l, a, c), ad = vertex_between(l, a, d);
    return count == 1 ? push_triangle(l, ab, ac, ad, error) : push_triangle(l, ab, ad, ac, error);
}

// The four tets around the segment between the middles of two cells that share a face: each has an
// edge of the face for its other side.
static SinewStatus march_face(Lattice *l, const int x[3], int axis, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const int ring[5][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}, {1, 1}};
    Corner tet[4];
    Corner around[5];
    for (int m = 0; m < 2; ++m) {
        memcpy(tet[m].x, x, sizeof tet[m].x);
        tet[m].x[axis] += 2 * m;
        tet[m].point = point_index(l, tet[m].x);
    }
    int inside = is_inside(l, tet[0].point) + is_inside(l, tet[1].point);
    for (int c = 0; c < 5; ++c) {
        around[c].x[axis] = x[axis] + 1;
        around[c].x[(axis + 1) % 3] = x[(axis + 1) % 3] + ring[c][0];
        around[c].x[(axis + 2) % 3] = x[(axis + 2) % 3] + ring[c][1];
        around[c].point = point_index(l, around[c].x);
        inside += is_inside(l, around[c].point);
    }
    for (int e = 0; e < 4 && inside > 0 && inside < 7; ++e) {
        tet[2] = around[e];
        tet[3] = around[e + 1];
        SN_TRY(march_tet(l, tet, error));
    }
done:
    return status;
}

static SinewStatus create_triangles(Lattice *l, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int x[3];
    for (x[0] = 1; x[0] < 2 * l->n[0]; x[0] += 2) {
        for (x[1] = 1; x[1] < 2 * l->n[1]; x[1] += 2) {
            for (x[2] = 1; x[2] < 2 * l->n[2]; x[2] += 2) {
                for (int axis = 0; axis < 3; ++axis) {
                    if (x[axis] + 2 < 2 * l->n[axis]) {
                        SN_TRY(march_face(l, x, axis, error));
                    }
                }
            }
        }
    }
done:
    return status;
}

// Spreading --------------------------------------------------------------------------------------

typedef struct Spread {
    const SnIsosurfaceDef *def;
    SnSurface *surface;
    double *sums; // of each vertex: its neighbours' positions, each twice, and their number
    bool is_last;
} Spread;

// Gradient by central differences over a twentieth of a cell. Returns its length.
static double gradient_at(const SnIsosurfaceDef *def, const double p[3], double out_unit[3])
{
    double step = 0.025 * def->cell;
    for (int k = 0; k < 3; ++k) {
        double at[3] = {p[0], p[1], p[2]};
        at[k] = p[k] + step;
        double above = def->fn(def->context, at);
        at[k] = p[k] - step;
        out_unit[k] = (above - def->fn(def->context, at)) / (2.0 * step);
    }
    double length = sn_point_length(out_unit);
    for (int k = 0; k < 3; ++k) {
        out_unit[k] = length > 0.0 ? out_unit[k] / length : 0.0;
    }
    return length;
}

// One Newton step along the gradient, at most a quarter of a cell; none where the gradient
// vanishes.
static void pull(const SnIsosurfaceDef *def, double p[3])
{
    double unit[3];
    double slope = gradient_at(def, p, unit);
    if (!(slope > 0.1)) {
        return;
    }
    double step = -def->fn(def->context, p) / slope;
    double limit = 0.25 * def->cell;
    sn_point_along(p, fmin(fmax(step, -limit), limit), unit, p);
}

static void spread_vertices(void *context, int begin, int end, int worker)
{
    (void)worker;
    const Spread *spread = context;
    for (int v = begin; v < end; ++v) {
        double *p = spread->surface->positions + 3 * (size_t)v;
        const double *sum = spread->sums + 4 * (size_t)v;
        double unit[3], move[3];
        for (int k = 0; k < 3; ++k) {
            move[k] = SPREAD * (sum[k] / sum[3] - p[k]);
        }
        gradient_at(spread->def, p, unit);
        sn_point_along(move, -sn_point_dot(move, unit), unit, move);
        sn_point_along(p, 1.0, move, p);
        pull(spread->def, p);
        for (int i = 0; i < (spread->is_last ? 3 : 0); ++i) {
            pull(spread->def, p);
        }
    }
}

// Vertices go towards the middle of their neighbours, along the surface alone, and back onto it.
static SinewStatus spread_surface(const Lattice *l, SnSurface *surface, SnWorkers *workers,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Spread spread = {.def = l->def, .surface = surface};
    SN_ALLOC(spread.sums, l->allocator, 4 * (size_t)surface->vertex_count, error);
    for (int pass = 0; pass < PASSES; ++pass) {
        memset(spread.sums, 0, 4 * (size_t)surface->vertex_count * sizeof *spread.sums);
        for (int i = 0; i < 3 * surface->triangle_count; ++i) {
            const int *triangle = surface->triangles + i / 3 * 3;
            double *sum = spread.sums + 4 * (size_t)triangle[i % 3];
            for (int other = 1; other < 3; ++other) {
                sn_point_along(sum, 1.0, surface->positions + 3 * (size_t)triangle[(i + other) % 3],
                               sum);
                sum[3] += 1.0;
            }
        }
        spread.is_last = pass == PASSES - 1;
        sn_parallel_for(workers, surface->vertex_count, 256, spread_vertices, &spread);
    }
done:
    sn_free(l->allocator, spread.sums);
    return status;
}

static SinewStatus create_surface(const Lattice *l, SnWorkers *workers, SnSurface **out_surface,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSurface *surface = NULL;
    SN_TRY(sn_surface_create((int)l->positions.count, (int)l->triangles.count, 0, 1, l->allocator,
                             &surface, error));
    if (surface->triangle_count > 0) {
        memcpy(surface->positions, l->positions.items, l->positions.count * 3 * sizeof(double));
        memcpy(surface->triangles, l->triangles.items, l->triangles.count * 3 * sizeof(int));
    }
    SN_TRY(spread_surface(l, surface, workers, error));
    *out_surface = surface;
    surface = NULL;
done:
    sn_surface_destroy(surface, l->allocator);
    return status;
}

SinewStatus sn_isosurface_create(const SnIsosurfaceDef *def, SnWorkers *workers,
                                 const SinewAllocator *allocator, SnSurface **out_surface,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Lattice l = {.def = def,
                 .allocator = allocator,
                 .positions = sn_array_of(allocator, 3 * sizeof(double)),
                 .triangles = sn_array_of(allocator, 3 * sizeof(int))};
    *out_surface = NULL;
    SN_TRY(place_lattice(&l, error));
    SN_ALLOC(l.values, allocator, l.count, error);
    sn_parallel_for(workers, l.blocks[0] * l.blocks[1] * l.blocks[2], 4, fill_blocks, &l);
    SN_TRY(create_vertices(&l, error));
    SN_TRY(create_triangles(&l, error));
    SN_TRY(create_surface(&l, workers, out_surface, error));
done:
    sn_array_release(&l.triangles);
    sn_array_release(&l.positions);
    sn_free(allocator, l.cuts);
    sn_free(allocator, l.slots);
    sn_free(allocator, l.values);
    return status;
}

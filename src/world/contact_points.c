#include "world/contact_points.h"

#include "geometry/point.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Vertices face the same way when their normals are within 60 degrees: the two sides of a sheet, or
// of an edge, never stand for each other.
#define SAME_WAY 0.5

// A vertex is sharp where its triangles' normals cancel so much: 0.97 is a bend by 14 degrees to
// each side.
#define SHARP 0.97

typedef struct Thinning {
    const SnContactPointsDef *def;
    double *normals; // of length one, or zero: xyz per vertex
    bool *sharp;     // per vertex
    int *keeper;     // per vertex: the vertex that is kept for it; -1: not known yet
    // Kept vertices in a table by the cube of a grid, as wide as the spacing, that they are in.
    int *heads; // the first of a slot; -1: none
    int *nexts; // per vertex: the next in its slot
    size_t slots;
} Thinning;

static SinewStatus make(Thinning *thinning, const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t count = (size_t)thinning->def->surface->vertex_count;
    thinning->slots = 64;
    while (thinning->slots < 2 * count) {
        thinning->slots *= 2;
    }
    SN_ALLOC_ZERO(thinning->normals, allocator, 3 * count, error);
    SN_ALLOC(thinning->sharp, allocator, count, error);
    SN_ALLOC(thinning->keeper, allocator, count, error);
    SN_ALLOC(thinning->nexts, allocator, count, error);
    SN_ALLOC(thinning->heads, allocator, thinning->slots, error);
    memset(thinning->keeper, -1, count * sizeof *thinning->keeper);
    memset(thinning->heads, -1, thinning->slots * sizeof *thinning->heads);
done:
    return status;
}

static void release(Thinning *thinning, const SinewAllocator *allocator)
{
    sn_free(allocator, thinning->normals);
    sn_free(allocator, thinning->sharp);
    sn_free(allocator, thinning->keeper);
    sn_free(allocator, thinning->nexts);
    sn_free(allocator, thinning->heads);
}

// The normal of a vertex, and whether its triangles bend there.
static void find_normal(const Thinning *thinning, int v)
{
    const SnContactPointsDef *def = thinning->def;
    double *normal = thinning->normals + 3 * (size_t)v;
    double sum = 0.0;
    for (int i = def->vertex_start[v]; i < def->vertex_start[v + 1]; ++i) {
        const int *corner = def->surface->triangles + 3 * (size_t)def->vertex_triangles[i];
        const double *x[3];
        double ab[3], ac[3], facet[3];
        for (int c = 0; c < 3; ++c) {
            x[c] = def->surface->positions + 3 * (size_t)corner[c];
        }
        sn_point_minus(x[1], x[0], ab);
        sn_point_minus(x[2], x[0], ac);
        sn_point_cross(ab, ac, facet);
        sn_point_along(normal, 1.0, facet, normal);
        sum += sn_point_length(facet);
    }
    double length = sn_point_length(normal);
    thinning->sharp[v] = length < SHARP * sum;
    for (int k = 0; k < 3; ++k) {
        normal[k] = length > 0.0 ? normal[k] / length : 0.0;
    }
}

static size_t slot_of(const Thinning *thinning, const double cube[3])
{
    uint64_t key = (uint64_t)(int64_t)cube[0] * 0x9e3779b97f4a7c15u ^
                   (uint64_t)(int64_t)cube[1] * 0xc2b2ae3d27d4eb4fu ^
                   (uint64_t)(int64_t)cube[2] * 0x165667b19e3779f9u;
    return (size_t)(key ^ key >> 29) & (thinning->slots - 1);
}

static void find_cube(const Thinning *thinning, int v, double out[3])
{
    for (int k = 0; k < 3; ++k) {
        out[k] = floor(thinning->def->surface->positions[3 * (size_t)v + (size_t)k] /
                       thinning->def->spacing);
    }
}

// The nearest kept vertex within the spacing that faces the same way, of several the first; -1:
// there is none.
static int find_keeper(const Thinning *thinning, int v)
{
    const double *x = thinning->def->surface->positions;
    double nearest = thinning->def->spacing * thinning->def->spacing;
    double cube[3];
    int found = -1;
    find_cube(thinning, v, cube);
    for (int n = 0; n < 27; ++n) {
        double at[3] = {cube[0] + n / 9 - 1, cube[1] + n / 3 % 3 - 1, cube[2] + n % 3 - 1};
        for (int q = thinning->heads[slot_of(thinning, at)]; q >= 0; q = thinning->nexts[q]) {
            double square = sn_point_distance_squared(x + 3 * (size_t)v, x + 3 * (size_t)q);
            bool nearer = square < nearest || (square <= nearest && q < found);
            if (nearer && sn_point_dot(thinning->normals + 3 * (size_t)v,
                                       thinning->normals + 3 * (size_t)q) > SAME_WAY) {
                nearest = square;
                found = q;
            }
        }
    }
    return found;
}

// Keeps vertices, sharp ones or the others, that none stands for yet.
static void keep(Thinning *thinning, bool sharp)
{
    const SnContactPointsDef *def = thinning->def;
    for (int v = 0; v < def->surface->vertex_count; ++v) {
        bool is_there = def->vertex_start[v] < def->vertex_start[v + 1];
        if (is_there && thinning->sharp[v] == sharp && find_keeper(thinning, v) < 0) {
            double cube[3];
            find_cube(thinning, v, cube);
            size_t slot = slot_of(thinning, cube);
            thinning->keeper[v] = v;
            thinning->nexts[v] = thinning->heads[slot];
            thinning->heads[slot] = v;
        }
    }
}

// Numbers the kept vertices and gives them the areas.
static SinewStatus number(const Thinning *thinning, const SinewAllocator *allocator,
                          SnContactPoints *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const int *keeper = thinning->keeper;
    int vertices = thinning->def->surface->vertex_count;
    for (int v = 0; v < vertices; ++v) {
        out->count += keeper[v] == v ? 1 : 0;
    }
    SN_ALLOC(out->vertices, allocator, out->count, error);
    SN_ALLOC_ZERO(out->areas, allocator, out->count, error);
    SN_ALLOC(out->carriers, allocator, vertices, error);
    for (int v = 0, p = 0; v < vertices; ++v) {
        if (keeper[v] == v) {
            out->vertices[p] = v;
            out->carriers[v] = p++;
        }
    }
    for (int v = 0; v < vertices; ++v) {
        out->carriers[v] = keeper[v] >= 0 ? out->carriers[keeper[v]] : -1;
        if (keeper[v] >= 0) {
            out->areas[out->carriers[v]] += thinning->def->areas[v];
        }
    }
done:
    return status;
}

SinewStatus sn_contact_points_find(const SnContactPointsDef *def, const SinewAllocator *allocator,
                                   SnContactPoints *out_points, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Thinning thinning = {.def = def};
    int vertices = def->surface->vertex_count;
    *out_points = (SnContactPoints){0};
    SN_TRY(make(&thinning, allocator, error));
    for (int v = 0; v < vertices && def->spacing > 0.0; ++v) {
        find_normal(&thinning, v);
    }
    if (def->spacing > 0.0) {
        keep(&thinning, true);
        keep(&thinning, false);
    }
    for (int v = 0; v < vertices; ++v) {
        bool is_left_out = def->spacing > 0.0 && thinning.keeper[v] != v;
        thinning.keeper[v] = is_left_out ? find_keeper(&thinning, v) : v;
    }
    SN_TRY(number(&thinning, allocator, out_points, error));
done:
    release(&thinning, allocator);
    return status;
}

void sn_contact_points_release(SnContactPoints *points, const SinewAllocator *allocator)
{
    sn_free(allocator, points->vertices);
    sn_free(allocator, points->areas);
    sn_free(allocator, points->carriers);
    *points = (SnContactPoints){0};
}

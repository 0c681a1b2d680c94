#include "geometry/surface_clean.h"

#include <math.h>
#include <string.h>

bool sn_triangle_is_degenerate(const double *positions, const int corner[3])
{
    if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]) {
        return true;
    }
    double edge[3][3];
    double longest = 0.0;
    double scale = 0.0; // edges are divided by it, so that squares neither overflow nor vanish
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            edge[i][k] = positions[3 * (size_t)corner[(i + 1) % 3] + (size_t)k] -
                         positions[3 * (size_t)corner[i] + (size_t)k];
            scale = fabs(edge[i][k]) > scale ? fabs(edge[i][k]) : scale;
        }
    }
    if (scale == 0.0) {
        return true;
    }
    for (int i = 0; i < 3; ++i) {
        double squared = 0.0;
        for (int k = 0; k < 3; ++k) {
            edge[i][k] /= scale;
            squared += edge[i][k] * edge[i][k];
        }
        longest = squared > longest ? squared : longest;
    }
    double area = 0.0; // twice, squared
    for (int k = 0; k < 3; ++k) {
        int u = (k + 1) % 3;
        int v = (k + 2) % 3;
        double normal = edge[0][u] * edge[1][v] - edge[0][v] * edge[1][u];
        area += normal * normal;
    }
    return !(sqrt(area) > 1e-12 * longest); // height times longest edge
}

static void sort_corners(const int *corner, int out[3])
{
    int a = corner[0];
    int b = corner[1];
    int c = corner[2];
    int low = a < b ? a : b;
    int high = a < b ? b : a;
    out[0] = low < c ? low : c;
    out[2] = high > c ? high : c;
    out[1] = low < c ? (high < c ? high : c) : low;
}

SinewStatus sn_triangle_duplicates(const int *triangles, int triangle_count,
                                   const SinewAllocator *allocator, bool *out_is_duplicate,
                                   int *out_count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *slots = NULL; // triangles by the hash of their corners; -1: empty
    size_t slot_count = 16;
    while (slot_count < 2 * (size_t)triangle_count) {
        slot_count *= 2;
    }
    SN_ALLOC(slots, allocator, slot_count, error);
    memset(slots, 0xff, slot_count * sizeof *slots);
    *out_count = 0;
    for (int t = 0; t < triangle_count; ++t) {
        int corners[3];
        int others[3];
        sort_corners(triangles + 3 * (size_t)t, corners);
        uint64_t hash = (uint64_t)corners[0] * 0x9e3779b97f4a7c15u;
        hash = ((hash ^ hash >> 29) + (uint64_t)corners[1]) * 0xbf58476d1ce4e5b9u;
        hash = ((hash ^ hash >> 32) + (uint64_t)corners[2]) * 0x94d049bb133111ebu;
        size_t slot = (size_t)(hash ^ hash >> 31) & (slot_count - 1);
        out_is_duplicate[t] = false;
        for (; slots[slot] >= 0; slot = (slot + 1) & (slot_count - 1)) {
            sort_corners(triangles + 3 * (size_t)slots[slot], others);
            if (memcmp(corners, others, sizeof corners) == 0) {
                out_is_duplicate[t] = true;
                ++*out_count;
                break;
            }
        }
        if (!out_is_duplicate[t]) {
            slots[slot] = t;
        }
    }
done:
    sn_free(allocator, slots);
    return status;
}

SinewStatus sn_surface_clean(SnSurface *surface, const SinewAllocator *allocator,
                             int *out_degenerate, int *out_duplicate, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    bool *is_duplicate = NULL;
    int duplicates = 0;
    SN_ALLOC(is_duplicate, allocator, surface->triangle_count, error);
    SN_TRY(sn_triangle_duplicates(surface->triangles, surface->triangle_count, allocator,
                                  is_duplicate, &duplicates, error));
    *out_degenerate = 0;
    *out_duplicate = 0;
    int kept = 0;
    for (int t = 0; t < surface->triangle_count; ++t) {
        const int *corner = surface->triangles + 3 * (size_t)t;
        if (sn_triangle_is_degenerate(surface->positions, corner)) {
            ++*out_degenerate;
        } else if (is_duplicate[t]) {
            ++*out_duplicate;
        } else {
            memmove(surface->triangles + 3 * (size_t)kept, corner, 3 * sizeof *corner);
            surface->groups[kept++] = surface->groups[t];
        }
    }
    surface->triangle_count = kept;
done:
    sn_free(allocator, is_duplicate);
    return status;
}

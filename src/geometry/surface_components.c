#include "geometry/surface_components.h"

#include "base/union_find.h"

SinewStatus sn_triangle_components(const int *triangles, int triangle_count, int vertex_count,
                                   const SinewAllocator *allocator, int *out_components,
                                   int *out_count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *parents = NULL;
    int *numbers = NULL; // of the components, at their roots; -1: none yet
    SN_ALLOC(parents, allocator, vertex_count, error);
    SN_ALLOC(numbers, allocator, vertex_count, error);
    for (int v = 0; v < vertex_count; ++v) {
        parents[v] = v;
        numbers[v] = -1;
    }
    for (int t = 0; t < triangle_count; ++t) {
        sn_union_find_join(parents, triangles[3 * t], triangles[3 * t + 1]);
        sn_union_find_join(parents, triangles[3 * t], triangles[3 * t + 2]);
    }
    *out_count = 0;
    for (int t = 0; t < triangle_count; ++t) {
        int *number = &numbers[sn_union_find_root(parents, triangles[3 * t])];
        *number = *number < 0 ? (*out_count)++ : *number;
        out_components[t] = *number;
    }
done:
    sn_free(allocator, parents);
    sn_free(allocator, numbers);
    return status;
}

#include "geometry/surface_components.h"

// The vertex that stands for all those joined with it, with paths halved on the way.
static int find_root(int *parents, int vertex)
{
    while (parents[vertex] != vertex) {
        parents[vertex] = parents[parents[vertex]];
        vertex = parents[vertex];
    }
    return vertex;
}

// The lower one stays, so that the outcome does not depend on the order of joining.
static void join(int *parents, int a, int b)
{
    a = find_root(parents, a);
    b = find_root(parents, b);
    if (a < b) {
        parents[b] = a;
    } else {
        parents[a] = b;
    }
}

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
        join(parents, triangles[3 * t], triangles[3 * t + 1]);
        join(parents, triangles[3 * t], triangles[3 * t + 2]);
    }
    *out_count = 0;
    for (int t = 0; t < triangle_count; ++t) {
        int *number = &numbers[find_root(parents, triangles[3 * t])];
        *number = *number < 0 ? (*out_count)++ : *number;
        out_components[t] = *number;
    }
done:
    sn_free(allocator, parents);
    sn_free(allocator, numbers);
    return status;
}

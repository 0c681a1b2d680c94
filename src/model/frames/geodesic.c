#include "model/frames/geodesic.h"

#include <math.h>

// A binary heap of vertices by their distance; `places` says where a vertex is, or -1.
typedef struct Heap {
    int *vertices;
    int *places;
    int count;
    const double *distances;
} Heap;

// Ties go to the smaller vertex, so that the order never depends on the heap's history.
static bool is_before(const Heap *heap, int a, int b)
{
    double da = heap->distances[a], db = heap->distances[b];
    return da < db || (da <= db && a < b);
}

static void put(Heap *heap, int place, int vertex)
{
    heap->vertices[place] = vertex;
    heap->places[vertex] = place;
}

static void lift(Heap *heap, int vertex)
{
    if (heap->places[vertex] < 0) {
        put(heap, heap->count++, vertex);
    }
    int place = heap->places[vertex];
    while (place > 0) {
        int parent = heap->vertices[(place - 1) / 2];
        if (!is_before(heap, vertex, parent)) {
            break;
        }
        put(heap, place, parent);
        place = (place - 1) / 2;
    }
    put(heap, place, vertex);
}

static int take(Heap *heap)
{
    int first = heap->vertices[0];
    int moved = heap->vertices[--heap->count];
    int place = 0;
    heap->places[first] = -1;
    while (heap->count > 0) {
        int child = 2 * place + 1;
        if (child >= heap->count) {
            break;
        }
        if (child + 1 < heap->count &&
            is_before(heap, heap->vertices[child + 1], heap->vertices[child])) {
            child += 1;
        }
        if (!is_before(heap, heap->vertices[child], moved)) {
            break;
        }
        put(heap, place, heap->vertices[child]);
        place = child;
    }
    if (heap->count > 0 && moved != first) {
        put(heap, place, moved);
    }
    return first;
}

static double length_between(const SnFramesGrid *grid, int a, int b)
{
    const double *x = grid->cubes.mesh->positions + 3 * (size_t)a;
    const double *y = grid->cubes.mesh->positions + 3 * (size_t)b;
    double dx = x[0] - y[0], dy = x[1] - y[1], dz = x[2] - y[2];
    return sqrt(dx * dx + dy * dy + dz * dz);
}

SinewStatus sn_geodesic_spread(const SnFramesGrid *grid, const SinewAllocator *allocator,
                               double *distances, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = grid->cubes.mesh->vertex_count;
    Heap heap = {.distances = distances};

    SN_ALLOC(heap.vertices, allocator, count, error);
    SN_ALLOC(heap.places, allocator, count, error);
    for (int v = 0; v < count; ++v) {
        heap.places[v] = -1;
    }
    for (int v = 0; v < count; ++v) {
        if (distances[v] <= 0.0) {
            lift(&heap, v);
        }
    }
    while (heap.count > 0) {
        int v = take(&heap);
        for (int e = grid->row_start[v]; e < grid->row_start[v + 1]; ++e) {
            int to = grid->column[e];
            double way = distances[v] + length_between(grid, v, to);
            if (way < distances[to]) {
                distances[to] = way;
                lift(&heap, to);
            }
        }
    }

done:
    sn_free(allocator, heap.vertices);
    sn_free(allocator, heap.places);
    return status;
}

static int farthest_of(const double *distances, int count)
{
    int found = 0;
    for (int v = 1; v < count; ++v) {
        found = distances[v] > distances[found] ? v : found;
    }
    return found;
}

SinewStatus sn_geodesic_farthest(const SnFramesGrid *grid, int count,
                                 const SinewAllocator *allocator, int *out_vertices,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int vertices = grid->cubes.mesh->vertex_count;
    double *distances = NULL;

    SN_ALLOC(distances, allocator, vertices, error);
    for (int v = 0; v < vertices; ++v) {
        distances[v] = INFINITY;
    }
    distances[sn_frames_grid_nearest(grid, grid->center)] = 0.0;
    SN_TRY(sn_geodesic_spread(grid, allocator, distances, error));
    int next = farthest_of(distances, vertices);
    for (int v = 0; v < vertices; ++v) {
        distances[v] = INFINITY;
    }
    for (int i = 0; i < count; ++i) {
        out_vertices[i] = next;
        distances[next] = 0.0;
        SN_TRY(sn_geodesic_spread(grid, allocator, distances, error));
        next = farthest_of(distances, vertices);
    }

done:
    sn_free(allocator, distances);
    return status;
}

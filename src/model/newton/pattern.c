#include "model/newton/pattern.h"

#include <limits.h>
#include <string.h>

// Elements a range; a tet takes about a microsecond.
enum { GRAIN = 64 };

// The elements at each vertex, by counting.
typedef struct Incidence {
    int *start;
    int *elements;
} Incidence;

static SinewStatus find_incidence(const SnNewtonElements *elements, const SinewAllocator *allocator,
                                  Incidence *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int corners = elements->corners;
    int total = elements->count * corners;

    SN_ALLOC_ZERO(out->start, allocator, elements->vertex_count + 2, error);
    SN_ALLOC(out->elements, allocator, total, error);
    for (int i = 0; i < total; ++i) {
        out->start[elements->vertices[i] + 2] += 1;
    }
    for (int v = 0; v <= elements->vertex_count; ++v) {
        out->start[v + 1] += out->start[v];
    }
    // start[v + 1] runs while the lists fill and ends as the start of the next vertex.
    for (int i = 0; i < total; ++i) {
        out->elements[out->start[elements->vertices[i] + 1]++] = i / corners;
    }

done:
    return status;
}

static void sort_columns(int *columns, int count)
{
    for (int i = 1; i < count; ++i) {
        int value = columns[i];
        int at = i;
        for (; at > 0 && columns[at - 1] > value; --at) {
            columns[at] = columns[at - 1];
        }
        columns[at] = value;
    }
}

// Neighbours of a vertex, itself included, written to out (nullable: count only). `mark` holds the
// last vertex that saw each one.
static int find_neighbours(const SnNewtonElements *elements, const Incidence *incidence, int vertex,
                           int *mark, int *out)
{
    int count = 0;
    for (int i = incidence->start[vertex]; i < incidence->start[vertex + 1]; ++i) {
        const int *corners = elements->vertices + incidence->elements[i] * elements->corners;
        for (int a = 0; a < elements->corners; ++a) {
            if (mark[corners[a]] != vertex) {
                mark[corners[a]] = vertex;
                if (out != NULL) {
                    out[count] = corners[a];
                }
                count += 1;
            }
        }
    }
    if (mark[vertex] != vertex) { // a vertex of no element
        mark[vertex] = vertex;
        if (out != NULL) {
            out[count] = vertex;
        }
        count += 1;
    }
    return count;
}

static SinewStatus find_rows(const SnNewtonElements *elements, const Incidence *incidence,
                             const SinewAllocator *allocator, int *mark, SnNewtonPattern *pattern,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int64_t total = 0;

    SN_ALLOC(pattern->row_start, allocator, pattern->count + 1, error);
    memset(mark, 0xff, (size_t)pattern->count * sizeof *mark);
    pattern->row_start[0] = 0;
    for (int v = 0; v < pattern->count; ++v) {
        total += find_neighbours(elements, incidence, v, mark, NULL);
        if (total > INT_MAX / 9) {
            status = sn_fail(error, SINEW_ERROR_ARGUMENT,
                             "the matrix has more than %d blocks, more than this version counts",
                             INT_MAX / 9);
            goto done;
        }
        pattern->row_start[v + 1] = (int)total;
    }
    pattern->entry_count = (int)total;
    SN_ALLOC(pattern->column, allocator, total, error);
    memset(mark, 0xff, (size_t)pattern->count * sizeof *mark);
    for (int v = 0; v < pattern->count; ++v) {
        int *row = pattern->column + pattern->row_start[v];
        sort_columns(row, find_neighbours(elements, incidence, v, mark, row));
    }

done:
    return status;
}

// Row by row: `entry` holds where each neighbour's column is in the row at hand.
static SinewStatus find_slots(const SnNewtonElements *elements, const Incidence *incidence,
                              const SinewAllocator *allocator, int *entry, SnNewtonPattern *pattern,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int corners = elements->corners;

    SN_ALLOC(pattern->slots, allocator, (size_t)elements->count * (size_t)corners * (size_t)corners,
             error);
    SN_ALLOC(pattern->diagonal, allocator, pattern->count, error);
    for (int v = 0; v < pattern->count; ++v) {
        for (int i = pattern->row_start[v]; i < pattern->row_start[v + 1]; ++i) {
            entry[pattern->column[i]] = i;
        }
        pattern->diagonal[v] = entry[v];
        for (int i = incidence->start[v]; i < incidence->start[v + 1]; ++i) {
            const int *vertices = elements->vertices + incidence->elements[i] * corners;
            int *slots = pattern->slots + incidence->elements[i] * corners * corners;
            for (int a = 0; a < corners; ++a) {
                for (int c = 0; c < corners && vertices[a] == v; ++c) {
                    slots[a * corners + c] = entry[vertices[c]];
                }
            }
        }
    }

done:
    return status;
}

// The lowest colour that no element at a shared vertex has. `taken` holds the last element that saw
// a colour taken.
static int pick_colour(const SnNewtonElements *elements, const Incidence *incidence, int element,
                       const int *colours, int *taken)
{
    const int *corners = elements->vertices + element * elements->corners;
    for (int a = 0; a < elements->corners; ++a) {
        for (int i = incidence->start[corners[a]]; i < incidence->start[corners[a] + 1]; ++i) {
            int other = incidence->elements[i];
            if (other >= element) {
                break; // lists ascend; later elements have no colour yet
            }
            taken[colours[other]] = element;
        }
    }
    int colour = 0;
    while (taken[colour] == element) {
        colour += 1;
    }
    return colour;
}

static SinewStatus find_colours(const SnNewtonElements *elements, const Incidence *incidence,
                                const SinewAllocator *allocator, SnNewtonPattern *pattern,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *colours = NULL;
    int *taken = NULL;
    int count = elements->count;

    SN_ALLOC(colours, allocator, count, error);
    SN_ALLOC(taken, allocator, count + 1, error);
    SN_ALLOC(pattern->order, allocator, count, error);
    memset(taken, 0xff, (size_t)(count + 1) * sizeof *taken);
    for (int e = 0; e < count; ++e) {
        colours[e] = pick_colour(elements, incidence, e, colours, taken);
        pattern->colour_count =
            colours[e] + 1 > pattern->colour_count ? colours[e] + 1 : pattern->colour_count;
    }
    SN_ALLOC_ZERO(pattern->colour_start, allocator, pattern->colour_count + 2, error);
    for (int e = 0; e < count; ++e) {
        pattern->colour_start[colours[e] + 2] += 1;
    }
    for (int c = 0; c <= pattern->colour_count; ++c) {
        pattern->colour_start[c + 1] += pattern->colour_start[c];
    }
    for (int e = 0; e < count; ++e) {
        pattern->order[pattern->colour_start[colours[e] + 1]++] = e;
    }

done:
    sn_free(allocator, taken);
    sn_free(allocator, colours);
    return status;
}

SinewStatus sn_newton_pattern_create(const SnNewtonElements *elements,
                                     const SinewAllocator *allocator, SnNewtonPattern *out_pattern,
                                     SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Incidence incidence = {NULL, NULL};
    int *mark = NULL;

    *out_pattern = (SnNewtonPattern){.count = elements->vertex_count};
    if (elements->count > INT_MAX / 64 || elements->vertex_count > INT_MAX / 9) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the body has %d elements and %d vertices, expected at most %d and %d",
                       elements->count, elements->vertex_count, INT_MAX / 64, INT_MAX / 9);
    }
    SN_TRY(find_incidence(elements, allocator, &incidence, error));
    SN_ALLOC(mark, allocator, elements->vertex_count, error);
    SN_TRY(find_rows(elements, &incidence, allocator, mark, out_pattern, error));
    SN_TRY(find_slots(elements, &incidence, allocator, mark, out_pattern, error));
    SN_TRY(find_colours(elements, &incidence, allocator, out_pattern, error));

done:
    sn_free(allocator, mark);
    sn_free(allocator, incidence.start);
    sn_free(allocator, incidence.elements);
    return status;
}

void sn_newton_pattern_release(SnNewtonPattern *pattern, const SinewAllocator *allocator)
{
    sn_free(allocator, pattern->row_start);
    sn_free(allocator, pattern->column);
    sn_free(allocator, pattern->slots);
    sn_free(allocator, pattern->diagonal);
    sn_free(allocator, pattern->colour_start);
    sn_free(allocator, pattern->order);
    *pattern = (SnNewtonPattern){0};
}

// A range of one colour, shifted to its places in `order`.
typedef struct Shifted {
    SnRangeFn *fn;
    void *context;
    int offset;
} Shifted;

static void run_shifted(void *context, int begin, int end, int worker)
{
    const Shifted *shifted = context;
    shifted->fn(shifted->context, begin + shifted->offset, end + shifted->offset, worker);
}

void sn_newton_pattern_each(const SnNewtonPattern *pattern, SnWorkers *workers, SnRangeFn *fn,
                            void *context)
{
    for (int c = 0; c < pattern->colour_count; ++c) {
        Shifted shifted = {fn, context, pattern->colour_start[c]};
        int count = pattern->colour_start[c + 1] - shifted.offset;
        sn_parallel_for(workers, count, GRAIN, run_shifted, &shifted);
    }
}

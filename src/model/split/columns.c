#include "model/split/columns.h"

#include "model/split/system.h"

#include <string.h>

enum {
    AT_ONCE = 3,          // right-hand sides of a solve
    COLUMNS_MAX = 300,    // of a linearisation: the dense part grows with the third power
    SLOTS_SPARE = 84,     // beyond those: contact that comes and goes finds its columns again
    SLOTS_LEAST = 24,     //
    VERTICES_SHARED = 512 // up to so many, all columns are solved for at once: some milliseconds
};

// Floats of all slots: 32 MB.
#define FLOATS_MAX ((size_t)8 << 20)

static void write_column(const float *x, int side, int count, int length, float *out)
{
    for (int i = 0; i < count; ++i) {
        out[i] = x[AT_ONCE * (size_t)i + (size_t)side];
    }
    memset(out + count, 0, (size_t)(length - count) * sizeof *out);
}

// Columns of up to three vertices by one solve in `x`; negative vertices are none.
static SinewStatus solve_columns(const SnSplit *body, SnWorkers *workers, const int vertices[3],
                                 float *const out[3], int length, float *x, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = body->elements.vertex_count;
    memset(x, 0, sn_split_dofs(body) * sizeof *x);
    for (int side = 0; side < AT_ONCE; ++side) {
        if (vertices[side] >= 0) {
            x[AT_ONCE * (size_t)vertices[side] + (size_t)side] = 1.0f;
        }
    }
    SN_TRY(sn_split_system_solve(body, workers, x, error));
    for (int side = 0; side < AT_ONCE; ++side) {
        if (vertices[side] >= 0) {
            write_column(x, side, count, length, out[side]);
        }
    }
done:
    return status;
}

// All columns of a small body, with its system.
static SinewStatus fill_system(SnSplit *body, int length, SnWorkers *workers, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitSystem *system = body->system;
    int count = body->elements.vertex_count;
    if (system->has_columns) {
        return SINEW_OK;
    }
    if (system->columns == NULL) {
        SN_ALLOC(system->columns, &system->allocator, (size_t)count * (size_t)length, error);
    }
    for (int v = 0; v < count; v += AT_ONCE) {
        int vertices[AT_ONCE];
        float *out[AT_ONCE];
        for (int side = 0; side < AT_ONCE; ++side) {
            vertices[side] = v + side < count ? v + side : -1;
            out[side] = system->columns + (size_t)(v + side) * (size_t)length;
        }
        SN_TRY(solve_columns(body, workers, vertices, out, length, body->room.hp, error));
    }
    system->has_columns = true;
done:
    return status;
}

static SinewStatus make_slots(SnSplit *body, SnSplitColumns *columns, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->allocator;
    size_t most = FLOATS_MAX / (size_t)columns->length;
    int slots = most < COLUMNS_MAX + SLOTS_SPARE ? (int)most : COLUMNS_MAX + SLOTS_SPARE;
    slots = slots > SLOTS_LEAST ? slots : SLOTS_LEAST;
    SN_ALLOC(columns->values, allocator, (size_t)slots * (size_t)columns->length, error);
    SN_ALLOC(columns->slots, allocator, body->elements.vertex_count, error);
    SN_ALLOC(columns->vertices, allocator, slots, error);
    SN_ALLOC(columns->wanted, allocator, slots, error);
    columns->slot_count = slots;
    columns->capacity = slots < COLUMNS_MAX ? slots : COLUMNS_MAX;
    for (int v = 0; v < body->elements.vertex_count; ++v) {
        columns->slots[v] = -1;
    }
done:
    return status;
}

SinewStatus sn_split_columns_reserve(SnSplit *body, SnSplitColumns *columns, SnWorkers *workers,
                                     SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = body->elements.vertex_count;
    columns->length = (int)sn_round_up((size_t)count, SN_COLUMNS_PARTS);
    if (count <= VERTICES_SHARED) {
        columns->capacity = count < COLUMNS_MAX ? count : COLUMNS_MAX;
        SN_TRY(fill_system(body, columns->length, workers, error));
    } else if (columns->slot_count == 0) {
        SN_TRY(make_slots(body, columns, error));
    }
done:
    return status;
}

void sn_split_columns_release(SnSplitColumns *columns, const SinewAllocator *allocator)
{
    sn_free(allocator, columns->values);
    sn_free(allocator, columns->slots);
    sn_free(allocator, columns->vertices);
    sn_free(allocator, columns->wanted);
    *columns = (SnSplitColumns){0};
}

void sn_split_columns_forget(SnSplitColumns *columns)
{
    for (int s = 0; s < columns->used; ++s) {
        columns->slots[columns->vertices[s]] = -1;
    }
    columns->used = columns->next = 0;
}

// A slot for a vertex that has none: a new one, or one that nobody wants now.
static int take_slot(SnSplitColumns *columns, int vertex)
{
    int slot = columns->used;
    if (slot < columns->slot_count) {
        columns->used += 1;
    } else {
        while (columns->wanted[columns->next] == columns->now) {
            columns->next = (columns->next + 1) % columns->slot_count;
        }
        slot = columns->next;
        columns->slots[columns->vertices[slot]] = -1;
    }
    columns->vertices[slot] = vertex;
    columns->slots[vertex] = slot;
    columns->wanted[slot] = columns->now;
    return slot;
}

static void mark_known(SnSplitColumns *columns, const int *vertices, int count)
{
    columns->now += 1;
    for (int i = 0; i < count; ++i) {
        int slot = columns->slots[vertices[i]];
        if (slot >= 0) {
            columns->wanted[slot] = columns->now;
        }
    }
}

static SinewStatus solve_missing(const SnSplitProblem *problem, SnSplitColumns *columns,
                                 const int *vertices, int count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int length = columns->length, some[AT_ONCE], found = 0;
    float *out[AT_ONCE];
    for (int i = 0; i <= count; ++i) {
        if (i < count && columns->slots[vertices[i]] < 0) {
            some[found] = vertices[i];
            out[found] = columns->values + (size_t)take_slot(columns, vertices[i]) * (size_t)length;
            found += 1;
        }
        if (found == AT_ONCE || (i == count && found > 0)) {
            for (; found < AT_ONCE; ++found) {
                some[found] = -1;
            }
            SN_TRY(solve_columns(problem->body, problem->workers, some, out, length,
                                 problem->body->room.hp, error));
            problem->report->linear_solves += 1;
            columns->solves += 1;
            found = 0;
        }
    }
done:
    return status;
}

SinewStatus sn_split_columns_take(const SnSplitProblem *problem, SnSplitColumns *columns,
                                  const int *vertices, int count, const float **out_columns,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t length = (size_t)columns->length;
    if (columns->slot_count > 0) {
        mark_known(columns, vertices, count);
        SN_TRY(solve_missing(problem, columns, vertices, count, error));
    }
    for (int i = 0; i < count; ++i) {
        out_columns[i] = columns->slot_count > 0
                             ? columns->values + (size_t)columns->slots[vertices[i]] * length
                             : problem->body->system->columns + (size_t)vertices[i] * length;
    }
done:
    if (status < 0) {
        sn_split_columns_forget(columns); // some slots have no column yet
    }
    return status;
}

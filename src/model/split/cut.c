// What a cut makes of a body of tets: elements, state and pins of the old body, by where each came
// from. Masses are sums over tets, so those of a vertex' copies add up to its own.
#include "model/split/blocks.h"
#include "model/split/pins.h"
#include "model/split/shape.h"

#include <stdio.h>
#include <string.h>

static void copy_vectors(const int *source, int count, const double *from, double *to)
{
    for (int v = 0; v < count; ++v) {
        memcpy(to + 3 * (size_t)v, from + 3 * (size_t)source[v], 3 * sizeof *to);
    }
}

static SinewStatus take_shape(SnSplit *body, const SnSplit *from, const SnTetCut *cut,
                              SinewError *error)
{
    SnSplitShapeDef def = {.materials = from->materials,
                           .material_count = from->material_count,
                           .name = body->name,
                           .model = body->solver->model};
    return sn_split_shape_cut(&def, from->shape, cut, &body->shape, error);
}

// Rotations are by lane.
static SinewStatus copy_rotations(SnSplit *body, const SnSplit *from, const SnTetCut *cut,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *before = NULL;
    SN_TRY(sn_split_lanes_before(body, from, cut, &before, error));
    sn_split_lanes_copy(body, before, 4, from->state.rotations, body->state.rotations);
done:
    sn_free(&body->allocator, before);
    return status;
}

static SinewStatus copy_state(SnSplit *body, const SnSplit *from, const SnTetCut *cut,
                              SinewError *error)
{
    const int *source = cut->vertex_source;
    int count = cut->vertex_count;
    copy_vectors(source, count, from->state.positions, body->state.positions);
    copy_vectors(source, count, from->state.velocities, body->state.velocities);
    copy_vectors(source, count, from->state.last_move, body->state.last_move);
    copy_vectors(source, count, from->state.last_change, body->state.last_change);
    memcpy(body->state.clock, from->state.clock, SN_SPLIT_CLOCK_COUNT * sizeof(double));
    if (cut->tet_count != cut->old_tet_count) {
        body->state.clock[SN_SPLIT_KNOWN] = 0.0; // some of the energy went
    }
    return copy_rotations(body, from, cut, error);
}

static int find_in_pin(const SnPinSet *set, int pin, int vertex)
{
    int low = set->start[pin], high = set->start[pin + 1];
    while (low < high) {
        int middle = (low + high) / 2;
        if (set->vertices[middle] < vertex) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < set->start[pin + 1] && set->vertices[low] == vertex ? low : -1;
}

// What reactions are found from: a copy has its share by mass.
static void copy_balance(SnSplit *body, const SnSplit *from, const SnTetCut *cut)
{
    const SnPinSet *set = &body->pins.set;
    for (int p = 0; p < set->count && p < from->pins.set.count; ++p) {
        for (int i = set->start[p]; i < set->start[p + 1]; ++i) {
            int vertex = set->vertices[i], old = cut->vertex_source[vertex];
            int at = find_in_pin(&from->pins.set, p, old);
            double share = body->masses[vertex] / from->masses[old];
            for (size_t k = 0; at >= 0 && k < 3; ++k) {
                body->state.balance[3 * (size_t)i + k] =
                    share * from->state.balance[3 * (size_t)at + k];
            }
        }
    }
}

SinewStatus sn_split_init_cut(SnSplit *body, const SnSplit *from, const SnTetCut *cut,
                              const SnPin *pins, int pin_count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    body->allocator = from->allocator;
    body->workers = from->workers;
    body->kernels = from->kernels;
    body->options = from->options;
    body->solver = from->solver;
    body->share = from->share;
    body->start_seed = from->start_seed;
    snprintf(body->name, sizeof body->name, "%s", from->name);
    SN_TRY(take_shape(body, from, cut, error));
    SN_TRY(sn_split_furnish(body, &from->placement, error));
    SN_TRY(copy_state(body, from, cut, error));
    SN_TRY(sn_split_set_pins(body, pins, pin_count, error));
    copy_balance(body, from, cut);
done:
    return status;
}

void sn_split_inherit(SnSplit *body, SnSplit *from)
{
    if (body->blocks.count <= from->blocks.count) {
        float *tangent = body->room.tangent;
        body->room.tangent = from->room.tangent;
        from->room.tangent = tangent;
    }
}

#include "model/lattice/body.h"

#include <string.h>

void sn_lattice_pins_release(SnLatticePins *pins, const SinewAllocator *allocator)
{
    sn_pin_set_release(&pins->set, allocator);
    *pins = (SnLatticePins){0};
}

static int find_root(int *parents, int v)
{
    while (parents[v] != v) {
        parents[v] = parents[parents[v]];
        v = parents[v];
    }
    return v;
}

// A vertex of a piece that no pin holds. Pieces are cells that share vertices.
static SinewStatus find_loose(const SnLattice *body, SnLatticePins *pins, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnHexMesh *mesh = body->mesh;
    int *parents = NULL;
    unsigned char *is_held = NULL;

    SN_ALLOC(parents, &body->allocator, mesh->vertex_count, error);
    SN_ALLOC_ZERO(is_held, &body->allocator, mesh->vertex_count, error);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        parents[v] = v;
    }
    for (int n = 0; n < 8 * mesh->hex_count; ++n) {
        int a = find_root(parents, mesh->hexes[n / 8 * 8]), b = find_root(parents, mesh->hexes[n]);
        parents[a > b ? a : b] = a > b ? b : a;
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        if (pins->set.held[v] != 0) {
            is_held[find_root(parents, v)] = 1;
        }
    }
    pins->loose = -1;
    for (int v = mesh->vertex_count - 1; v >= 0; --v) {
        pins->loose = is_held[find_root(parents, v)] ? pins->loose : v;
    }

done:
    sn_free(&body->allocator, parents);
    sn_free(&body->allocator, is_held);
    return status;
}

// The same for the multigrid: a number each of its vectors.
static SinewStatus hold_levels(SnLattice *body, const SnLatticePins *pins, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t numbers = (size_t)sn_lattice_grid_numbers(&body->multigrid.levels[0].grid);
    unsigned char *held = NULL;

    SN_ALLOC(held, &body->allocator, numbers, error);
    memset(held, SN_LATTICE_NOTHING, numbers);
    for (int v = 0; v < body->mesh->vertex_count; ++v) {
        for (int k = 0; k < 3; ++k) {
            held[body->nodes[v] + SN_LATTICE_BLOCK * k] =
                pins->set.held[v] >> k & 1 ? SN_LATTICE_HELD : SN_LATTICE_FREE;
        }
    }
    SN_TRY(sn_lattice_multigrid_hold(&body->multigrid, held, &body->allocator, error));
    held = NULL;

done:
    sn_free(&body->allocator, held);
    return status;
}

SinewStatus sn_lattice_set_pins(void *body_, const SnPin *pins, int count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLattice *body = body_;
    SnLatticePins made = {0};
    double *state = NULL;
    SnPinBody held = {body->name, body->mesh->positions, body->mesh->vertex_count};

    SN_TRY(sn_pin_set_find(&held, pins, count, &body->allocator, &made.set, error));
    SN_TRY(find_loose(body, &made, error));
    SN_TRY(sn_pin_set_states(count, &body->allocator, &state, error));
    SN_TRY(hold_levels(body, &made, error));
    // From here on nothing fails: what was goes, what was made stays.
    sn_lattice_pins_release(&body->pins, &body->allocator);
    sn_free(&body->allocator, body->state.pins);
    body->pins = made;
    body->state.pins = state;
    made = (SnLatticePins){0};
    state = NULL;
    for (int v = 0; v < body->mesh->vertex_count; ++v) {
        for (int k = 0; k < 3; ++k) {
            body->room.x64[body->nodes[v] + SN_LATTICE_BLOCK * k] =
                body->mesh->positions[3 * v + k];
        }
    }
    sn_lattice_multigrid_measure(&body->multigrid, body->workers, body->room.x64);

done:
    sn_free(&body->allocator, state);
    sn_lattice_pins_release(&made, &body->allocator);
    return status;
}

void sn_lattice_pins_target(const SnLattice *body, const SnAffine *motions, double s, double *out_x)
{
    sn_pin_set_target(&body->pins.set, body->mesh->positions, body->state.pins, body->room.start,
                      motions, s, out_x);
}

void sn_lattice_pins_record(SnLattice *body, const SnAffine *motions, const double *forces)
{
    sn_pin_set_record(&body->pins.set, body->state.positions, motions, forces, body->state.pins);
}

#include "base/union_find.h"
#include "model/lattice/shape.h"
#include "model/lattice/vectors.h"

#include <string.h>

// What holds a piece.
enum { PINNED = 1, TIED = 2 };

void sn_lattice_pins_release(SnLatticePins *pins, const SinewAllocator *allocator)
{
    sn_pin_set_release(&pins->set, allocator);
    sn_free(allocator, pins->pieces);
    sn_free(allocator, pins->has);
    *pins = (SnLatticePins){0};
}

// The pieces of the body, and which of them pins hold.
static SinewStatus find_pieces(const SnLattice *body, SnLatticePins *pins, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnHexMesh *mesh = body->mesh;

    SN_ALLOC(pins->pieces, &body->allocator, mesh->vertex_count, error);
    SN_ALLOC_ZERO(pins->has, &body->allocator, mesh->vertex_count, error);
    sn_union_find_reset(pins->pieces, mesh->vertex_count);
    for (int n = 0; n < 8 * mesh->hex_count; ++n) {
        sn_union_find_join(pins->pieces, mesh->hexes[n / 8 * 8], mesh->hexes[n]);
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        pins->pieces[v] = sn_union_find_root(pins->pieces, v);
        pins->has[pins->pieces[v]] |= pins->set.held[v] != 0 ? PINNED : 0;
    }

done:
    return status;
}

int sn_lattice_pins_loose(const SnLattice *body, const SnPointForces *forces)
{
    const SnLatticePins *pins = &body->pins;
    const SnPointSet *points = forces != NULL ? forces->points : NULL;
    int ties = forces != NULL ? forces->tie_count : 0, loose = -1;
    if (forces != NULL && forces->count > ties) {
        return -1; // what lies on a collider is held by it, and nobody knows before
    }
    for (int p = 0; p < ties; ++p) {
        pins->has[pins->pieces[points->vertices[8 * (size_t)p]]] |= TIED;
    }
    for (int v = body->mesh->vertex_count - 1; v >= 0; --v) {
        loose = pins->has[pins->pieces[v]] == 0 ? v : loose;
    }
    for (int v = 0; v < body->mesh->vertex_count; ++v) {
        pins->has[v] &= PINNED;
    }
    return loose;
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
    SN_TRY(find_pieces(body, &made, error));
    SN_TRY(sn_pin_set_states(count, &body->allocator, &state, error));
    SN_TRY(count > 0 ? hold_levels(body, &made, error)
                     : sn_lattice_multigrid_let_go(&body->multigrid, &body->shape->body.multigrid,
                                                   &body->allocator, error));
    // From here on nothing fails: what was goes, what was made stays.
    sn_lattice_pins_release(&body->pins, &body->allocator);
    sn_free(&body->allocator, body->state.pins);
    body->pins = made;
    body->state.pins = state;
    made = (SnLatticePins){0};
    state = NULL;
    if (count > 0) { // else the shape has measured it
        sn_lattice_vectors_spread(body, body->workers, body->mesh->positions, body->room.x64);
        sn_lattice_multigrid_measure(&body->multigrid, body->workers, body->room.x64);
    }
    body->has_levels = false;

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

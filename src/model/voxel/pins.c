#include "base/union_find.h"
#include "model/voxel/grip.h"

void sn_voxel_pins_release(const SnVoxelBody *body, SnVoxelPins *pins)
{
    sn_pin_set_release(&pins->set, &body->allocator);
    sn_voxel_grip_release(body, &pins->grip);
    sn_free(&body->allocator, pins->pieces);
    sn_free(&body->allocator, pins->piece_of);
    sn_free(&body->allocator, pins->weights);
    *pins = (SnVoxelPins){0};
}

// Numbers the pieces that no pin holds, by their roots, which are their lowest vertices.
static SinewStatus list_pieces(const SnVoxelBody *body, int *parents, const unsigned char *is_held,
                               SnVoxelPins *pins, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = body->grid.vertex_count;
    SN_ALLOC(pins->piece_of, &body->allocator, count, error);
    SN_ALLOC_ZERO(pins->weights, &body->allocator, count, error);
    for (int v = 0; v < count; ++v) {
        int root = sn_union_find_root(parents, v);
        pins->piece_of[v] = is_held[root] ? -1
                            : root == v   ? pins->piece_count
                                          : pins->piece_of[root];
        pins->piece_count += root == v && !is_held[v] ? 1 : 0;
    }
    SN_ALLOC_ZERO(pins->pieces, &body->allocator, pins->piece_count + 1, error);
    for (int v = count - 1; v >= 0; --v) {
        if (pins->piece_of[v] >= 0) {
            pins->pieces[pins->piece_of[v]].first = v;
        }
    }
    pins->loose = pins->piece_count > 0 ? pins->pieces[0].first : -1;

done:
    return status;
}

// Pieces that no pin holds. Pieces are cells that share vertices.
static SinewStatus find_loose(const SnVoxelBody *body, SnVoxelPins *pins, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnVoxelGrid *grid = &body->grid;
    int *parents = NULL;
    unsigned char *is_held = NULL;

    SN_ALLOC(parents, &body->allocator, grid->vertex_count, error);
    SN_ALLOC_ZERO(is_held, &body->allocator, grid->vertex_count, error);
    sn_union_find_reset(parents, grid->vertex_count);
    for (int n = 0; n < 8 * grid->cell_count; ++n) {
        sn_union_find_join(parents, grid->corners[n / 8 * 8], grid->corners[n]);
    }
    for (int v = 0; v < grid->vertex_count; ++v) {
        const int *column_of = pins->grip.column_of;
        bool by_point = column_of != NULL && (column_of[3 * v] >= 0 || column_of[3 * v + 1] >= 0 ||
                                              column_of[3 * v + 2] >= 0);
        if (pins->set.held[v] != 0 || by_point) {
            is_held[sn_union_find_root(parents, v)] = 1;
        }
    }
    SN_TRY(list_pieces(body, parents, is_held, pins, error));

done:
    sn_free(&body->allocator, parents);
    sn_free(&body->allocator, is_held);
    return status;
}

SinewStatus sn_voxel_set_pins(void *body_, const SnPin *pins, int count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelBody *body = body_;
    SnVoxelPins made = {0};
    double *state = NULL;
    SnPinBody held = {body->name, body->grid.rest, body->grid.vertex_count};

    SN_TRY(sn_pin_set_find(&held, pins, count, &body->allocator, &made.set, error));
    SN_TRY(sn_voxel_grip_create(body, pins, count, &made.set, &made.grip, error));
    SN_TRY(find_loose(body, &made, error));
    SN_TRY(sn_pin_set_states(count, &body->allocator, &state, error));
    // From here on nothing fails: what was goes, what was made stays.
    sn_voxel_pins_release(body, &body->pins);
    sn_free(&body->allocator, body->state.pins);
    body->pins = made;
    body->system.made = false; // weights of the pieces go with the matrices
    body->state.pins = state;
    made = (SnVoxelPins){0};
    state = NULL;

done:
    sn_free(&body->allocator, state);
    sn_voxel_pins_release(body, &made);
    return status;
}

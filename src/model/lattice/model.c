// The lattice model: how a body is made and ended, what it tells, and the table it fills.
#include "model/lattice/shape.h"
#include "model/measure.h"
#include "model/start.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static SinewStatus make_state(SnLattice *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLatticeMotion *state = &body->state;
    size_t dofs = sn_lattice_dofs(body);
    double **vectors[] = {&state->positions,   &state->velocities, &state->last_move,
                          &state->last_change, &state->last_load,  &state->linear};
    size_t count = sizeof vectors / sizeof *vectors;

    SN_ALLOC_ZERO(body->state_block, &body->allocator, sn_lattice_state_count(body), error);
    for (size_t i = 0; i < count; ++i) {
        *vectors[i] = body->state_block + i * dofs;
    }
    state->springs = body->state_block + count * dofs;
    state->clock = state->springs + SN_LATTICE_CELL_SPRING * (size_t)body->mesh->hex_count;
    memcpy(state->positions, body->mesh->positions, dofs * sizeof *state->positions);

done:
    return status;
}

static SinewStatus make_room(SnLattice *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLatticeRoom *room = &body->room;
    const SnLatticeGrid *grid = &body->multigrid.levels[0].grid;
    size_t dofs = sn_lattice_dofs(body);
    size_t numbers = (size_t)sn_lattice_grid_numbers(grid);
    double **vectors[] = {&room->move,      &room->trial,    &room->x,         &room->v0,
                          &room->a0,        &room->external, &room->contact,   &room->residual,
                          &room->direction, &room->target,   &room->held_move, &room->start,
                          &room->load_from, &room->load_to,  &room->damping};
    size_t count = sizeof vectors / sizeof *vectors;

    SN_ALLOC_ZERO(body->room_block, &body->allocator,
                  count * dofs + 2 * numbers + (size_t)grid->cell_blocks +
                      SN_LATTICE_CELL_SPRING * (size_t)body->mesh->hex_count,
                  error);
    for (size_t i = 0; i < count; ++i) {
        *vectors[i] = body->room_block + i * dofs;
    }
    room->x64 = body->room_block + count * dofs;
    room->force64 = room->x64 + numbers;
    room->energies = room->force64 + numbers;
    room->springs = room->energies + grid->cell_blocks;
    SN_ALLOC_ZERO(room->dets, &body->allocator, grid->cell_blocks * SN_LATTICE_BLOCK, error);
    if (body->betas != NULL) {
        SN_ALLOC_ZERO(room->damp_tangents, &body->allocator, body->mesh->hex_count, error);
        SN_ALLOC_ZERO(room->damp_forces, &body->allocator, 24 * (size_t)body->mesh->hex_count,
                      error);
    }

done:
    return status;
}

static void lattice_destroy(void *body_)
{
    SnLattice *body = body_;
    if (body == NULL) {
        return;
    }
    SinewAllocator allocator = body->allocator;
    sn_lattice_pins_release(&body->pins, &allocator);
    sn_lattice_multigrid_release(&body->multigrid, &allocator);
    sn_free(&allocator, body->placed.positions);
    sn_free(&allocator, body->room.damp_tangents);
    sn_free(&allocator, body->room.damp_forces);
    sn_free(&allocator, body->state_block);
    sn_free(&allocator, body->state.pins);
    sn_free(&allocator, body->room_block);
    sn_free(&allocator, body->room.dets);
    sn_lattice_shape_leave(body->shape);
    sn_free(&allocator, body);
}

// Where it is at rest, and how long it is there.
static SinewStatus place(SnLattice *body, const SnAffine *placement, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnHexMesh *unplaced = body->shape->cubes.mesh;

    body->placed = *unplaced;
    body->placed.positions = NULL;
    body->mesh = &body->placed;
    // Turned and moved only, so it has an inverse.
    sn_affine_invert(placement, &body->back);
    SN_ALLOC(body->placed.positions, &body->allocator, sn_lattice_dofs(body), error);
    for (size_t v = 0; v < (size_t)unplaced->vertex_count; ++v) {
        sn_affine_apply(placement, unplaced->positions + 3 * v, body->placed.positions + 3 * v);
    }
    for (int k = 0; k < 3; ++k) {
        double low = INFINITY, high = -INFINITY;
        for (int v = 0; v < body->mesh->vertex_count; ++v) {
            low = fmin(low, body->mesh->positions[3 * v + k]);
            high = fmax(high, body->mesh->positions[3 * v + k]);
        }
        body->size = fmax(body->size, high - low);
    }

done:
    return status;
}

static SinewStatus lattice_create(const SnModelDef *def, void **out_body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLattice *body = NULL;
    SinewAllocator allocator = def->allocator != NULL ? *def->allocator : (SinewAllocator){0};
    SnLatticeShape *shape = NULL;
    SnAffine placement = sn_solid_placement(def->solid);

    *out_body = NULL;
    SN_TRY(sn_lattice_shape_take(def, &shape, error));
    SN_ALLOC_ZERO(body, &allocator, 1, error);
    sn_lattice_shape_lend(shape, body);
    shape = NULL;
    body->options = def->options->lattice;
    body->start_seed = def->options->start_seed;
    snprintf(body->name, sizeof body->name, "%s", def->name != NULL ? def->name : "body");
    SN_TRY(sn_lattice_multigrid_copy(&body->shape->body.multigrid, &body->allocator,
                                     &body->multigrid, error));
    SN_TRY(place(body, &placement, error));
    SN_TRY(make_state(body, error));
    SN_TRY(make_room(body, error));
    SN_TRY(sn_lattice_set_pins(body, NULL, 0, error));
    *out_body = body;
    body = NULL;

done:
    lattice_destroy(body);
    sn_lattice_shape_leave(shape);
    return status;
}

// What it tells ----------------------------------------------------------------------------------

static SinewBodyMesh lattice_mesh(const void *body_)
{
    const SnLattice *body = body_;
    return (SinewBodyMesh){.rest = body->mesh->positions,
                           .positions = body->state.positions,
                           .velocities = body->state.velocities,
                           .vertex_count = body->mesh->vertex_count,
                           .elements = body->mesh->hexes,
                           .element_count = body->mesh->hex_count,
                           .corners = 8};
}

static const void *lattice_shape(const void *body)
{
    return ((const SnLattice *)body)->shape;
}

static int lattice_dof_count(const void *body_)
{
    const SnLattice *body = body_;
    return 3 * body->mesh->vertex_count - body->pins.set.held_count;
}

static double lattice_fill(const void *body_, int cell)
{
    const SnLattice *body = body_;
    return body->fills != NULL ? body->fills[body->cells[cell]] : 1.0;
}

static void lattice_start(void *body_, SinewStart start, const double linear[3],
                          const double angular[3])
{
    SnLattice *body = body_;
    memset(body->state_block, 0, sn_lattice_state_count(body) * sizeof *body->state_block);
    body->state.clock[SN_LATTICE_CLOCK_LOST] = start == SINEW_START_REST ? 0.0 : 1.0;
    sn_start_seeded(start, body->start_seed, linear, angular, body->mesh->positions, body->masses,
                    body->mesh->vertex_count, body->state.positions, body->state.velocities);
}

void sn_lattice_measure(const void *body_, SnMeasure *out_measure)
{
    const SnLattice *body = body_;
    const SnLatticeRoom *room = &body->room; // free between steps
    SnLatticeState state = {body->lame,     room->x64,  room->force64,
                            room->energies, room->dets, .linearises = false};
    *out_measure = (SnMeasure){.residual = body->state.clock[SN_LATTICE_CLOCK_RESIDUAL],
                               .smallest_det = INFINITY};
    sn_measure_masses(out_measure, body->masses, body->state.positions, body->state.velocities,
                      body->mesh->vertex_count);
    for (int v = 0; v < body->mesh->vertex_count; ++v) {
        for (int k = 0; k < 3; ++k) {
            room->x64[body->nodes[v] + SN_LATTICE_BLOCK * k] = body->state.positions[3 * v + k];
        }
    }
    out_measure->elastic =
        sn_lattice_level_force(&body->multigrid.levels[0], body->workers, &state);
    for (int e = 0; e < body->mesh->hex_count; ++e) {
        double det = (double)room->dets[body->cells[e]];
        out_measure->volume += lattice_fill(body, e) * det * body->h * body->h * body->h;
        sn_measure_det(out_measure, e, det);
    }
}

static void lattice_reaction(const void *body_, int pin, double out_wrench[6])
{
    const SnLattice *body = body_;
    memcpy(out_wrench, body->state.pins + pin * SN_PIN_STATE + 12, 6 * sizeof *out_wrench);
}

// State ------------------------------------------------------------------------------------------

size_t sn_lattice_state_count(const SnLattice *body)
{
    return 6 * sn_lattice_dofs(body) + SN_LATTICE_CELL_SPRING * (size_t)body->mesh->hex_count +
           SN_LATTICE_CLOCK_COUNT;
}

static size_t pin_count(const SnLattice *body)
{
    return (size_t)body->pins.set.count * SN_PIN_STATE;
}

static size_t lattice_state_size(const void *body_)
{
    const SnLattice *body = body_;
    return (sn_lattice_state_count(body) + pin_count(body)) * sizeof(double);
}

static void lattice_save(const void *body_, void *bytes)
{
    const SnLattice *body = body_;
    size_t size = sn_lattice_state_count(body) * sizeof(double);
    memcpy(bytes, body->state_block, size);
    memcpy((char *)bytes + size, body->state.pins, pin_count(body) * sizeof(double));
}

static void lattice_restore(void *body_, const void *bytes)
{
    SnLattice *body = body_;
    size_t size = sn_lattice_state_count(body) * sizeof(double);
    memcpy(body->state_block, bytes, size);
    memcpy(body->state.pins, (const char *)bytes + size, pin_count(body) * sizeof(double));
    body->has_levels = false;
}

static double lattice_accuracy(const void *body)
{
    return ((const SnLattice *)body)->options.tolerance;
}

const SnModel sn_lattice_model = {
    .name = "lattice",
    .is_quiet = true,
    .create = lattice_create,
    .destroy = lattice_destroy,
    .accuracy = lattice_accuracy,
    .mesh = lattice_mesh,
    .dof_count = lattice_dof_count,
    .fill = lattice_fill,
    .start = lattice_start,
    .set_pins = sn_lattice_set_pins,
    .points_create = sn_lattice_points_create,
    .points_create_unplaced = sn_lattice_points_create_unplaced,
    .shape = lattice_shape,
    .points_destroy = sn_lattice_points_destroy,
    .points_distance = sn_point_set_distance,
    .points_join = sn_lattice_points_join,
    .points_place = sn_lattice_points_place,
    .step = sn_lattice_step,
    .solve_static = sn_lattice_solve_static,
    .measure = sn_lattice_measure,
    .reaction = lattice_reaction,
    .state_size = lattice_state_size,
    .save = lattice_save,
    .restore = lattice_restore,
};

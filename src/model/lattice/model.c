// The lattice model: how a body is made and ended, what it tells, and the table it fills.
#include "model/lattice/body.h"

#include "math/mat3.h"
#include "model/measure.h"
#include "model/start.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A cell has at least this share of its mass, half of what its 64 points tell apart, and at least
// that of its stiffness: emptier ones would be loose, and multigrid needs more iterations.
#define LEAST_FILL (1.0 / 128.0)
#define LEAST_STIFFNESS 0.05

static SinewStatus check_materials(const SnLattice *body, const SnMaterials *materials,
                                   SinewError *error)
{
    for (int m = 0; m <= materials->region_count; ++m) {
        const SnMaterial *material = &materials->materials[m];
        if (material->law.kind != SN_LAW_COROTATED) {
            return sn_fail_at(error, SINEW_ERROR_ARGUMENT, m,
                              "body \"%s\": the law of material %d is %s, expected corotated for "
                              "lattice; newton and frames take every law",
                              body->name, m, sn_law_name(material->law.kind));
        }
    }
    return SINEW_OK;
}

// The longest axis of the grid is its own last one, so that blocks are full; the others follow in a
// circle, which keeps cells right-handed.
static SinewStatus make_grid(SnLattice *body, const SnSolidCubes *cubes, SnLatticeGrid *out_grid,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    uint16_t *masks = NULL;
    int size[3], last = 0;

    for (int k = 1; k < 3; ++k) {
        last = cubes->size[k] >= cubes->size[last] ? k : last;
    }
    body->last_axis = last;
    for (int k = 0; k < 3; ++k) {
        size[k] = cubes->size[(last + 1 + k) % 3];
    }
    size_t row = (size_t)sn_lattice_row_blocks(size);
    SN_ALLOC(body->places, &body->allocator, 3 * (size_t)cubes->mesh->hex_count, error);
    SN_ALLOC_ZERO(masks, &body->allocator, (size_t)size[0] * (size_t)size[1] * row, error);
    for (int e = 0; e < cubes->mesh->hex_count; ++e) {
        int *at = body->places + 3 * (size_t)e;
        for (int k = 0; k < 3; ++k) {
            at[k] = cubes->places[3 * e + (last + 1 + k) % 3];
        }
        uint16_t *mask = masks + ((size_t)at[0] * (size_t)size[1] + (size_t)at[1]) * row +
                         (size_t)(at[2] / SN_LATTICE_BLOCK);
        *mask = (uint16_t)(*mask | 1u << at[2] % SN_LATTICE_BLOCK);
    }
    SN_TRY(sn_lattice_grid_create(size, body->h, masks, &body->allocator, out_grid, error));

done:
    sn_free(&body->allocator, masks);
    return status;
}

// Where vertices and cells are in the grid, and the grid at rest.
static SinewStatus map_mesh(SnLattice *body, const SnLatticeGrid *grid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnHexMesh *mesh = body->mesh;
    const double *first = mesh->positions + 3 * (size_t)mesh->hexes[0];

    SN_ALLOC(body->nodes, &body->allocator, mesh->vertex_count, error);
    SN_ALLOC(body->cells, &body->allocator, mesh->hex_count, error);
    for (int e = 0; e < mesh->hex_count; ++e) {
        const int *at = body->places + 3 * (size_t)e;
        body->cells[e] = sn_lattice_grid_cell(grid, at[0], at[1], at[2]);
        for (int c = 0; c < 8; ++c) {
            int bits[3] = {c >> 2 & 1, c >> 1 & 1, c & 1}; // along the body's axes
            int last = body->last_axis;
            body->nodes[mesh->hexes[8 * e + c]] =
                sn_lattice_grid_node(grid, at[0] + bits[(last + 1) % 3],
                                     at[1] + bits[(last + 2) % 3], at[2] + bits[last]);
        }
    }
    memcpy(body->origin, first, sizeof body->origin);
    for (int k = 0; k < 3; ++k) {
        int corner = 4 >> (body->last_axis + 1 + k) % 3;
        const double *end = mesh->positions + 3 * (size_t)mesh->hexes[corner];
        for (int i = 0; i < 3; ++i) {
            body->axes[3 * k + i] = (end[i] - first[i]) / body->h;
            body->origin[i] -= body->places[k] * (end[i] - first[i]);
        }
    }

done:
    return status;
}

// Shares of the cells that are inside the shape, where some count in part.
static SinewStatus find_fills(SnLattice *body, const SnSolidCubes *cubes, const SnLatticeGrid *grid,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    bool partly = false;

    for (int e = 0; e < body->mesh->hex_count; ++e) {
        partly = partly || cubes->fills[e] < 1.0;
    }
    if (partly && body->options.fill == SINEW_LATTICE_WEIGHTED) {
        SN_ALLOC_ZERO(body->fills, &body->allocator, grid->cell_blocks * SN_LATTICE_BLOCK, error);
        for (int e = 0; e < body->mesh->hex_count; ++e) {
            body->fills[body->cells[e]] = fmax(cubes->fills[e], LEAST_FILL);
        }
    }

done:
    return status;
}

static double largest_poisson(const SnMaterials *materials)
{
    double largest = -1.0;
    for (int m = 0; m <= materials->region_count; ++m) {
        const SnLaw *law = &materials->materials[m].law;
        largest = fmax(largest, 0.5 * law->lambda / (law->lambda + law->mu));
    }
    return largest;
}

// Stiffness, mass and damping of one cell.
static void take_cell(SnLattice *body, const SnMaterials *materials, int cell)
{
    SnLatticeLevel *fine = &body->multigrid.levels[0];
    const int *corners = body->mesh->hexes + 8 * (size_t)cell;
    double middle[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 24; ++i) {
        middle[i % 3] += body->mesh->positions[3 * (size_t)corners[i / 3] + (size_t)(i % 3)] / 8.0;
    }
    const SnMaterial *material = &materials->materials[sn_materials_find(materials, middle)];
    size_t place = (size_t)body->cells[cell];
    size_t at = place / SN_LATTICE_BLOCK * 2 * SN_LATTICE_BLOCK + place % SN_LATTICE_BLOCK;
    double fill = body->fills != NULL ? body->fills[place] : 1.0;
    double share = fill * material->density * body->h * body->h * body->h / 8.0;
    double stiff = fmax(fill, LEAST_STIFFNESS);
    body->lame[at] = stiff * material->law.mu;
    body->lame[at + SN_LATTICE_BLOCK] = stiff * material->law.lambda;
    for (size_t k = at; k <= at + SN_LATTICE_BLOCK; k += SN_LATTICE_BLOCK) {
        fine->lame[k] = (float)(body->lame[k] * body->h / 16.0);
    }
    if (body->betas != NULL) {
        body->betas[place] = material->damping_stiffness;
    }
    for (int c = 0; c < 8; ++c) {
        body->masses[corners[c]] += share;
        if (body->damp_masses != NULL) {
            body->damp_masses[corners[c]] += share * material->damping_mass;
        }
    }
}

static SinewStatus take_materials(SnLattice *body, const SnMaterials *materials, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnHexMesh *mesh = body->mesh;
    SnLatticeLevel *fine = &body->multigrid.levels[0];
    size_t cells = (size_t)fine->grid.cell_blocks * SN_LATTICE_BLOCK;
    bool damped = false, stiffly = false;

    SN_ALLOC_ZERO(body->lame, &body->allocator, 2 * cells, error);
    SN_ALLOC_ZERO(body->masses, &body->allocator, mesh->vertex_count, error);
    for (int m = 0; m <= materials->region_count; ++m) {
        damped = damped || materials->materials[m].damping_mass > 0.0;
        stiffly = stiffly || materials->materials[m].damping_stiffness > 0.0;
    }
    if (stiffly) {
        SN_ALLOC_ZERO(body->betas, &body->allocator, cells, error);
    }
    if (damped) {
        SN_ALLOC_ZERO(body->damp_masses, &body->allocator, mesh->vertex_count, error);
    }
    for (int e = 0; e < mesh->hex_count; ++e) {
        take_cell(body, materials, e);
    }

done:
    return status;
}

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

static void find_scales(SnLattice *body)
{
    const SnLatticeLevel *fine = &body->multigrid.levels[0];
    double square = 0.0;
    for (int k = 0; k < 3; ++k) {
        double low = INFINITY, high = -INFINITY;
        for (int v = 0; v < body->mesh->vertex_count; ++v) {
            float d = fine->d_inverse[body->nodes[v] + SN_LATTICE_BLOCK * k];
            low = fmin(low, body->mesh->positions[3 * v + k]);
            high = fmax(high, body->mesh->positions[3 * v + k]);
            square += d > 0.0f ? 1.0 / ((double)d * (double)d) : 0.0;
        }
        body->size = fmax(body->size, high - low);
    }
    body->stiffness_scale = sqrt(square);
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
    sn_element_tree_destroy(body->tree, &allocator);
    sn_hex_mesh_destroy(body->mesh, &allocator);
    sn_free(&allocator, body->places);
    sn_free(&allocator, body->nodes);
    sn_free(&allocator, body->cells);
    sn_free(&allocator, body->lame);
    sn_free(&allocator, body->masses);
    sn_free(&allocator, body->damp_masses);
    sn_free(&allocator, body->betas);
    sn_free(&allocator, body->fills);
    sn_free(&allocator, body->room.damp_tangents);
    sn_free(&allocator, body->room.damp_forces);
    sn_free(&allocator, body->state_block);
    sn_free(&allocator, body->state.pins);
    sn_free(&allocator, body->room_block);
    sn_free(&allocator, body->room.dets);
    sn_free(&allocator, body);
}

static SinewStatus make_multigrid(SnLattice *body, const SnModelDef *def, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSolidCubes cubes = {0};
    SnLatticeGrid grid = {0};
    SnLatticeMultigridDef multigrid = {.kernels = body->kernels,
                                       .element = body->options.element,
                                       .differential = body->options.differential,
                                       .smoother = body->options.smoother,
                                       .corrects = body->options.cycle == SINEW_LATTICE_FAS,
                                       .poisson = largest_poisson(def->materials),
                                       .worker_count = sn_workers_count(body->workers)};

    SN_TRY(sn_fail_body(error, sn_solid_cubes(def->solid, &cubes, error), def->name));
    body->h = cubes.edge;
    SN_TRY(make_grid(body, &cubes, &grid, error));
    body->mesh = cubes.mesh;
    cubes.mesh = NULL;
    SN_TRY(map_mesh(body, &grid, error));
    SN_TRY(find_fills(body, &cubes, &grid, error));
    SN_TRY(
        sn_lattice_multigrid_create(&multigrid, &grid, &body->allocator, &body->multigrid, error));

done:
    sn_lattice_grid_release(&grid, &body->allocator);
    sn_solid_cubes_destroy(&cubes, &body->allocator);
    return status;
}

static SinewStatus lattice_create(const SnModelDef *def, void **out_body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLattice *body = NULL;
    SinewAllocator allocator = def->allocator != NULL ? *def->allocator : (SinewAllocator){0};

    *out_body = NULL;
    SN_ALLOC_ZERO(body, &allocator, 1, error);
    body->allocator = allocator;
    body->workers = def->workers;
    body->kernels = def->kernels;
    body->options = def->options->lattice;
    body->start_seed = def->options->start_seed;
    snprintf(body->name, sizeof body->name, "%s", def->name != NULL ? def->name : "body");
    SN_TRY(check_materials(body, def->materials, error));
    SN_TRY(make_multigrid(body, def, error));
    SN_TRY(take_materials(body, def->materials, error));
    SN_TRY(sn_lattice_multigrid_mix(&body->multigrid, &body->allocator, error));
    SN_TRY(make_state(body, error));
    SN_TRY(make_room(body, error));
    SN_TRY(sn_lattice_tree_create(body, error));
    SN_TRY(sn_lattice_set_pins(body, NULL, 0, error));
    find_scales(body);
    *out_body = body;
    body = NULL;

done:
    lattice_destroy(body);
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
    .create = lattice_create,
    .destroy = lattice_destroy,
    .accuracy = lattice_accuracy,
    .mesh = lattice_mesh,
    .dof_count = lattice_dof_count,
    .fill = lattice_fill,
    .start = lattice_start,
    .set_pins = sn_lattice_set_pins,
    .points_create = sn_lattice_points_create,
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

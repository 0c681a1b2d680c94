// The reference model: how a body is made and ended, and the table it fills.
#include "model/newton/assembly.h"

#include "math/mat3.h"
#include "model/newton/mass.h"
#include "model/newton/pins.h"
#include "model/newton/points.h"
#include "model/start.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static SinewStatus check_options(const SnNewton *body, SinewError *error)
{
    const SinewNewtonDef *options = &body->options;
    if (!(options->tolerance >= 0.0 && options->tolerance < 1.0)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "body \"%s\": newton's tolerance is %g, expected 0 or more and below 1",
                       body->name, options->tolerance);
    }
    if (options->max_iterations < 1) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "body \"%s\": newton's max_iterations is %d, expected at least 1",
                       body->name, options->max_iterations);
    }
    if ((int)options->element < 0 || options->element > SINEW_ELEMENT_HEX ||
        (int)options->integrator < 0 || options->integrator > SINEW_INTEGRATOR_NEWMARK ||
        (int)options->mass < 0 || options->mass > SINEW_MASS_CONSISTENT) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "body \"%s\": newton's element, integrator and mass are %d, %d and %d, "
                       "expected at most 1, 2 and 1",
                       body->name, (int)options->element, (int)options->integrator,
                       (int)options->mass);
    }
    return SINEW_OK;
}

static SinewStatus make_elements(SnNewton *body, const SnModelDef *def, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->allocator;
    SnTetMesh *tets = NULL;
    SnHexMesh *hexes = NULL;
    double *fills = NULL;

    body->material_count = 1 + def->materials->region_count;
    SN_ALLOC(body->materials, allocator, body->material_count, error);
    memcpy(body->materials, def->materials->materials,
           (size_t)body->material_count * sizeof *body->materials);
    if (body->options.element == SINEW_ELEMENT_TET) {
        SN_TRY(sn_solid_tets(def->solid, &tets, error));
        SN_TRY(sn_newton_elements_from_tets(tets, def->materials, body->name, allocator,
                                            &body->elements, error));
    } else {
        SN_TRY(sn_solid_hexes(def->solid, &hexes, &fills, error));
        SN_TRY(sn_newton_elements_from_hexes(hexes, fills, def->materials, body->name, allocator,
                                             &body->elements, error));
    }

done:
    // The solid makes meshes with its own allocator, which is the body's.
    sn_tet_mesh_destroy(tets, allocator);
    sn_hex_mesh_destroy(hexes, allocator);
    sn_free(allocator, fills);
    return status;
}

static SinewStatus make_state(SnNewton *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnNewtonState *state = &body->state;
    size_t dofs = sn_newton_dofs(body);

    SN_ALLOC_ZERO(body->state_block, &body->allocator, sn_newton_state_count(body), error);
    double **vectors[] = {&state->positions, &state->velocities,  &state->accelerations,
                          &state->last_move, &state->last_change, &state->last_load,
                          &state->clock};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i) {
        *vectors[i] = body->state_block + i * dofs;
    }
    memcpy(state->positions, body->elements.rest, dofs * sizeof *state->positions);

done:
    return status;
}

static SinewStatus make_room(SnNewton *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnNewtonRoom *room = &body->room;
    size_t dofs = sn_newton_dofs(body);
    size_t elements = (size_t)body->elements.count;
    size_t blocks = 9 * (size_t)body->pattern.entry_count;
    double **vectors[] = {&room->move,     &room->trial,     &room->x,        &room->v,
                          &room->a,        &room->v0,        &room->a0,       &room->inertia,
                          &room->damping,  &room->internal,  &room->external, &room->contact,
                          &room->residual, &room->direction, &room->target,   &room->held_move,
                          &room->start,    &room->load_from, &room->load_to,  &room->solution};
    size_t count = sizeof vectors / sizeof *vectors;

    SN_ALLOC_ZERO(body->room_block, &body->allocator,
                  count * dofs + 2 * elements + (body->damped ? 2 : 1) * blocks, error);
    for (size_t i = 0; i < count; ++i) {
        *vectors[i] = body->room_block + i * dofs;
    }
    room->energies = body->room_block + count * dofs;
    room->dets = room->energies + elements;
    room->stiffness = room->dets + elements;
    room->damping_matrix = body->damped ? room->stiffness + blocks : NULL;

done:
    return status;
}

// The rest stiffness of each vertex alone, which says how large a force is that doubles resolve.
static void find_stiffness_scale(SnNewton *body)
{
    double square = 0.0;
    sn_newton_stiffness(body, body->workers, body->elements.rest, true, false,
                        body->room.stiffness);
    for (int v = 0; v < body->pattern.count; ++v) {
        const double *block = body->room.stiffness + 9 * (size_t)body->pattern.diagonal[v];
        square += block[0] * block[0] + block[4] * block[4] + block[8] * block[8];
    }
    body->stiffness_scale = sqrt(square);
}

static void find_size(SnNewton *body)
{
    for (int k = 0; k < 3; ++k) {
        double low = INFINITY, high = -INFINITY;
        for (int v = 0; v < body->elements.vertex_count; ++v) {
            low = fmin(low, body->elements.rest[3 * v + k]);
            high = fmax(high, body->elements.rest[3 * v + k]);
        }
        body->size = fmax(body->size, high - low);
    }
}

SinewStatus sn_newton_create(const SnModelDef *def, void **out_body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnNewton *body = NULL;
    SinewAllocator allocator = def->allocator != NULL ? *def->allocator : (SinewAllocator){0};

    *out_body = NULL;
    SN_ALLOC_ZERO(body, &allocator, 1, error);
    body->allocator = allocator;
    body->workers = def->workers;
    body->kernels = def->kernels;
    body->options = def->options->newton;
    body->start_seed = def->options->start_seed;
    snprintf(body->name, sizeof body->name, "%s", def->name != NULL ? def->name : "body");
    SN_TRY(check_options(body, error));
    SN_TRY(make_elements(body, def, error));
    SN_TRY(sn_newton_pattern_create(&body->elements, &body->allocator, &body->pattern, error));
    SN_TRY(sn_newton_mass_create(body, error));
    SN_TRY(make_state(body, error));
    SN_TRY(make_room(body, error));
    SN_TRY(sn_newton_finder_create(body, error));
    SN_TRY(sn_newton_set_pins(body, NULL, 0, error));
    find_stiffness_scale(body);
    find_size(body);
    *out_body = body;
    body = NULL;

done:
    sn_newton_destroy(body);
    return status;
}

void sn_newton_destroy(void *body_)
{
    SnNewton *body = body_;
    if (body == NULL) {
        return;
    }
    SinewAllocator allocator = body->allocator;
    sn_newton_pins_release(body, &body->pins);
    sn_newton_finder_destroy(body);
    sn_newton_elements_release(&body->elements, &allocator);
    sn_newton_pattern_release(&body->pattern, &allocator);
    sn_free(&allocator, body->materials);
    sn_free(&allocator, body->masses);
    sn_free(&allocator, body->mass_value);
    sn_free(&allocator, body->damp_mass);
    sn_free(&allocator, body->state_block);
    sn_free(&allocator, body->state.pins);
    sn_free(&allocator, body->room_block);
    sn_free(&allocator, body);
}

SinewBodyMesh sn_newton_mesh(const void *body_)
{
    const SnNewton *body = body_;
    return (SinewBodyMesh){.rest = body->elements.rest,
                           .positions = body->state.positions,
                           .velocities = body->state.velocities,
                           .vertex_count = body->elements.vertex_count,
                           .elements = body->elements.vertices,
                           .element_count = body->elements.count,
                           .corners = body->elements.corners};
}

void sn_newton_start(void *body_, SinewStart start, const double linear[3], const double angular[3])
{
    SnNewton *body = body_;
    size_t count = sn_newton_state_count(body);
    memset(body->state_block, 0, count * sizeof *body->state_block);
    sn_start_seeded(start, body->start_seed, linear, angular, body->elements.rest, body->masses,
                    body->elements.vertex_count, body->state.positions, body->state.velocities);
}

// Hexahedra of a shape are cubes, and the weights of their points have the share that is inside.
static double newton_fill(const void *body_, int element)
{
    const SnNewtonElements *elements = &((const SnNewton *)body_)->elements;
    if (elements->corners == 4) {
        return 1.0;
    }
    const int *corners = elements->vertices + 8 * (size_t)element;
    double edges[9], sum = 0.0;
    for (int i = 0; i < 9; ++i) {
        int k = i % 3;
        edges[i] = elements->rest[3 * (size_t)corners[4 >> i / 3] + (size_t)k] -
                   elements->rest[3 * (size_t)corners[0] + (size_t)k];
    }
    for (int q = 0; q < 8; ++q) {
        sum += elements->weights[8 * (size_t)element + (size_t)q];
    }
    return sum / fabs(sn_mat3_determinant(edges));
}

// A tolerance that is given asks for all that can be had.
static double newton_accuracy(const void *body)
{
    return ((const SnNewton *)body)->options.tolerance > 0.0 ? 0.0 : SN_NEWTON_MOTION;
}

const SnModel sn_newton_model = {
    .name = "newton",
    .accuracy = newton_accuracy,
    .create = sn_newton_create,
    .destroy = sn_newton_destroy,
    .mesh = sn_newton_mesh,
    .dof_count = sn_newton_dof_count,
    .fill = newton_fill,
    .start = sn_newton_start,
    .set_pins = sn_newton_set_pins,
    .points_create = sn_newton_points_create,
    .points_destroy = sn_newton_points_destroy,
    .points_distance = sn_point_set_distance,
    .points_join = sn_newton_points_join,
    .points_place = sn_newton_points_place,
    .step = sn_newton_step,
    .solve_static = sn_newton_solve_static,
    .measure = sn_newton_measure,
    .reaction = sn_newton_reaction,
    .state_size = sn_newton_state_size,
    .save = sn_newton_save,
    .restore = sn_newton_restore,
};

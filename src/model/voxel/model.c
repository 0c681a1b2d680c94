// The voxel model: how a body is made and ended, what it tells, and the table it fills.
#include "model/voxel/potential.h"
#include "model/voxel/ties.h"

#include "math/mat3.h"
#include "model/measure.h"
#include "model/start.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static SinewStatus check_materials(SnVoxelBody *body, const SnMaterials *materials,
                                   SinewError *error)
{
    body->linear = materials->materials[0].law.kind == SN_LAW_LINEAR;
    for (int m = 0; m <= materials->region_count; ++m) {
        const SnMaterial *material = &materials->materials[m];
        bool linear = material->law.kind == SN_LAW_LINEAR;
        if ((!linear && material->law.kind != SN_LAW_COROTATED) || linear != body->linear) {
            return sn_fail_at(
                error, SINEW_ERROR_ARGUMENT, m,
                "body \"%s\": the law of material %d is %s, expected corotated, or "
                "linear for all materials, for voxel; newton and frames take every law",
                body->name, m, sn_law_name(material->law.kind));
        }
    }
    return SINEW_OK;
}

static SinewStatus make_grid(SnVoxelBody *body, const SnModelDef *def, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewVoxelDef *options = &body->options;
    bool paper = options->mode == SINEW_VOXEL_PAPER;
    SnVolume image = {0};
    SnVoxelGridDef grid = {.image = options->image != NULL ? &image : NULL,
                           .image_name = options->image,
                           .solid = def->solid,
                           .materials = def->materials,
                           .kernels = body->kernels,
                           .kind = !paper                                      ? SN_VOXEL_CONDENSED
                                   : options->stiffness == SINEW_VOXEL_UNIFORM ? SN_VOXEL_UNIFORM
                                                                               : SN_VOXEL_TRILINEAR,
                           .division = 1 << options->fine_levels,
                           .hollow = options->hollow != 0 || sn_solid_is_lines(def->solid),
                           .halves = paper,
                           .name = body->name,
                           .progress = def->progress,
                           .cache = options->cache,
                           .share = def->share};
    if (options->image != NULL) {
        SN_TRY(options->image_raw.size[0] != 0
                   ? sn_volume_read_raw(options->image, &options->image_raw, &body->allocator,
                                        &image, error)
                   : sn_volume_read(options->image, &body->allocator, &image, error));
    }
    SN_TRY(sn_voxel_grid_create(&grid, body->workers, &body->allocator, &body->grid, error));

done:
    sn_volume_release(&image, &body->allocator);
    return status;
}

// Sums of the rows of the mass matrices, for start states, and the size of the stiffness.
static SinewStatus find_scales(SnVoxelBody *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnVoxelGrid *grid = &body->grid;
    double square = 0.0;
    SN_ALLOC_ZERO(body->masses, &body->allocator, grid->vertex_count, error);
    SN_ALLOC_ZERO(body->carried, &body->allocator, grid->vertex_count, error);
    for (int e = 0; e < grid->cell_count; ++e) {
        const SnVoxelCell *cell = sn_voxel_grid_cell(grid, e);
        for (int c = 0; c < 8; ++c) {
            const double *w = cell->weight + 9 * c;
            double k = cell->stiffness[3 * c * (SN_VOXEL_DOFS + 1)];
            int vertex = grid->corners[8 * (size_t)e + (size_t)c];
            body->masses[vertex] += (w[0] + w[4] + w[8]) / 3.0;
            body->carried[vertex] += 0.125 * cell->total;
            square += 3.0 * k * k;
        }
    }
    body->stiffness_scale = sqrt(square);
    for (int k = 0; k < 3; ++k) {
        double low = INFINITY, high = -INFINITY;
        for (int v = 0; v < grid->vertex_count; ++v) {
            low = fmin(low, grid->rest[3 * (size_t)v + (size_t)k]);
            high = fmax(high, grid->rest[3 * (size_t)v + (size_t)k]);
        }
        body->size = fmax(body->size, high - low);
    }

done:
    return status;
}

static void set_rotations(SnVoxelBody *body)
{
    for (size_t i = 0; i < 9 * (size_t)body->grid.cell_count; ++i) {
        // From the cell's frame to the world: the grid's axes are columns.
        body->state.rotations[i] = body->grid.axes[3 * (i % 9 % 3) + i % 9 / 3];
    }
}

static SinewStatus make_state(SnVoxelBody *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelMotion *state = &body->state;
    size_t dofs = sn_voxel_dofs(body);
    double **vectors[] = {&state->positions, &state->velocities, &state->last_move,
                          &state->last_change, &state->rotations};

    SN_ALLOC_ZERO(body->state_block, &body->allocator, sn_voxel_state_count(body), error);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i) {
        *vectors[i] = body->state_block + i * dofs;
    }
    state->clock = state->rotations + 9 * (size_t)body->grid.cell_count;
    memcpy(state->positions, body->grid.rest, dofs * sizeof *state->positions);
    set_rotations(body);

done:
    return status;
}

static SinewStatus make_room(SnVoxelBody *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelRoom *room = &body->room;
    size_t dofs = sn_voxel_dofs(body), cells = (size_t)body->grid.cell_count;
    double **vectors[] = {&room->move,      &room->trial,    &room->x,       &room->v0,
                          &room->a0,        &room->internal, &room->inertia, &room->residual,
                          &room->direction, &room->target,   &room->start,   &room->balance,
                          &room->right};
    size_t count = sizeof vectors / sizeof *vectors;

    SN_ALLOC_ZERO(body->room_block, &body->allocator,
                  count * dofs + (9 + 2 * SN_VOXEL_DOFS + 2 + SN_VOXEL_LAST) * cells, error);
    for (size_t i = 0; i < count; ++i) {
        *vectors[i] = body->room_block + i * dofs;
    }
    room->base = body->room_block + count * dofs;
    room->cell_force = room->base + 9 * cells;
    room->gradients = room->cell_force + SN_VOXEL_DOFS * cells;
    room->energies = room->gradients + SN_VOXEL_DOFS * cells;
    room->last = room->energies + 2 * cells;
    SN_ALLOC_ZERO(room->poses, &body->allocator, cells, error);
    SN_ALLOC_ZERO(room->stays, &body->allocator, cells, error);
    SN_ALLOC_ZERO(room->pulls, &body->allocator, cells, error);
    SN_ALLOC_ZERO(room->twists, &body->allocator, cells, error);

done:
    return status;
}

static void voxel_destroy(void *body_)
{
    SnVoxelBody *body = body_;
    if (body == NULL) {
        return;
    }
    SinewAllocator allocator = body->allocator;
    sn_voxel_pins_release(body, &body->pins);
    sn_voxel_system_release(&body->system, &allocator);
    sn_voxel_lanes_release(&body->lanes, &allocator);
    sn_element_tree_destroy(body->tree, &allocator);
    sn_voxel_grid_release(&body->grid, &allocator);
    sn_free(&allocator, body->vertex_start);
    sn_free(&allocator, body->vertex_corners);
    sn_free(&allocator, body->masses);
    sn_free(&allocator, body->carried);
    sn_free(&allocator, body->stretches);
    sn_free(&allocator, body->state_block);
    sn_free(&allocator, body->state.pins);
    sn_free(&allocator, body->room_block);
    sn_free(&allocator, body->room.poses);
    sn_free(&allocator, body->room.stays);
    sn_free(&allocator, body->room.pulls);
    sn_free(&allocator, body->room.twists);
    sn_free(&allocator, body);
}

static SinewStatus voxel_create(const SnModelDef *def, void **out_body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelBody *body = NULL;
    SinewAllocator allocator = def->allocator != NULL ? *def->allocator : (SinewAllocator){0};

    *out_body = NULL;
    SN_ALLOC_ZERO(body, &allocator, 1, error);
    body->allocator = allocator;
    body->workers = def->workers;
    body->kernels = def->kernels;
    body->options = def->options->voxel;
    body->start_seed = def->options->start_seed;
    snprintf(body->name, sizeof body->name, "%s", def->name != NULL ? def->name : "body");
    SN_TRY(check_materials(body, def->materials, error));
    SN_TRY(make_grid(body, def, error));
    body->options.cache = body->options.image = NULL; // the caller's
    SN_TRY(sn_voxel_list_corners(body->grid.corners, body->grid.cell_count, body->grid.vertex_count,
                                 &body->allocator, &body->vertex_start, &body->vertex_corners,
                                 error));
    SN_TRY(find_scales(body, error));
    SN_TRY(sn_voxel_stretches_find(body, error));
    SN_TRY(make_state(body, error));
    SN_TRY(make_room(body, error));
    SN_TRY(sn_voxel_tree_create(body, error));
    SN_TRY(sn_voxel_system_create(body, error));
    SN_TRY(sn_voxel_lanes_create(body, error));
    SN_TRY(sn_voxel_set_pins(body, NULL, 0, error));
    *out_body = body;
    body = NULL;

done:
    voxel_destroy(body);
    return status;
}

// What it tells ----------------------------------------------------------------------------------

static SinewBodyMesh voxel_mesh(const void *body_)
{
    const SnVoxelBody *body = body_;
    return (SinewBodyMesh){.rest = body->grid.rest,
                           .positions = body->state.positions,
                           .velocities = body->state.velocities,
                           .vertex_count = body->grid.vertex_count,
                           .elements = body->grid.corners,
                           .element_count = body->grid.cell_count,
                           .corners = 8};
}

// Points inside go by trilinear functions between planes of cells or voxels.
static bool voxel_split_grid(const void *body_, SnSplitGrid *out_grid)
{
    const SnVoxelBody *body = body_;
    memcpy(out_grid->origin, body->grid.origin, sizeof out_grid->origin);
    memcpy(out_grid->axes, body->grid.axes, sizeof out_grid->axes);
    out_grid->edge = body->grid.edge / body->grid.shown;
    return body->options.split_triangles != 0;
}

static int voxel_dof_count(const void *body_)
{
    const SnVoxelBody *body = body_;
    // Equations of points that depend on each other take fewer, but that is known with their first
    // pose alone.
    return 3 * body->grid.vertex_count - body->pins.set.held_count -
           body->pins.grip.inverse.rank_max;
}

static void voxel_start(void *body_, SinewStart start, const double linear[3],
                        const double angular[3])
{
    SnVoxelBody *body = body_;
    memset(body->state_block, 0, sn_voxel_state_count(body) * sizeof *body->state_block);
    sn_start_seeded(start, body->start_seed, linear, angular, body->grid.rest, body->masses,
                    body->grid.vertex_count, body->state.positions, body->state.velocities);
    body->state.clock[SN_VOXEL_CLOCK_LOST] = start == SINEW_START_REST ? 0.0 : 1.0;
    set_rotations(body);
}

// Momenta and kinetic energy of a cell: its mass matrix on its corners' velocities.
static void add_motion(const SnVoxelBody *body, int e, SnMeasure *out)
{
    const SnVoxelCell *cell = sn_voxel_grid_cell(&body->grid, e);
    const double *R = body->room.poses[e].rotation;
    const int *corners = body->grid.corners + 8 * (size_t)e;
    double v[SN_VOXEL_DOFS], p[SN_VOXEL_DOFS];
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        const double *w = body->state.velocities + 3 * (size_t)corners[i / 3];
        v[i] = R[i % 3] * w[0] + R[3 + i % 3] * w[1] + R[6 + i % 3] * w[2];
    }
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        p[i] = 0.0;
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            p[i] += cell->mass[i * SN_VOXEL_DOFS + j] * v[j];
        }
        out->kinetic += 0.5 * p[i] * v[i];
    }
    for (int c = 0; c < 8; ++c) {
        const double *x = body->state.positions + 3 * (size_t)corners[c];
        double world[3];
        sn_mat3_apply(R, p + 3 * c, world);
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            out->momentum[i] += world[i];
            out->angular_momentum[i] += x[j] * world[k] - x[k] * world[j];
        }
    }
}

static void add_rest(const SnVoxelBody *body, int e, SnMeasure *out)
{
    const SnVoxelCell *cell = sn_voxel_grid_cell(&body->grid, e);
    const SnVoxelPose *pose = &body->room.poses[e];
    double at[3] = {cell->moment[0], cell->moment[1], cell->moment[2]}, world[3];
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        double f = 0.0;
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            f += cell->stiffness[i * SN_VOXEL_DOFS + j] * pose->u[j];
        }
        out->elastic += 0.5 * f * pose->u[i];
        for (int k = 0; k < 3; ++k) {
            at[k] += cell->weight[3 * i + k] * pose->u[i];
        }
    }
    sn_mat3_apply(pose->rotation, at, world);
    for (int k = 0; k < 3; ++k) {
        out->mass_center[k] += cell->total * pose->center[k] + world[k];
    }
    out->mass += cell->total;
}

static double voxel_fill(const void *body_, int cell)
{
    const SnVoxelGrid *grid = &((const SnVoxelBody *)body_)->grid;
    return sn_voxel_grid_cell(grid, cell)->volume / (grid->edge * grid->edge * grid->edge);
}

static void voxel_measure(const void *body_, SnMeasure *out_measure)
{
    const SnVoxelBody *body = body_;
    *out_measure = (SnMeasure){.residual = body->state.clock[SN_VOXEL_CLOCK_RESIDUAL],
                               .smallest_det = INFINITY};
    sn_voxel_pose_cells(body, body->workers, body->state.positions, body->state.rotations,
                        sn_voxel_turns_usual(body), body->room.poses); // free between steps
    for (int e = 0; e < body->grid.cell_count; ++e) {
        double det = sn_voxel_cell_det(body, e);
        add_motion(body, e, out_measure);
        add_rest(body, e, out_measure);
        out_measure->volume += det * sn_voxel_grid_cell(&body->grid, e)->volume;
        sn_measure_det(out_measure, e, det);
    }
    for (int k = 0; k < 3; ++k) {
        out_measure->mass_center[k] /= out_measure->mass;
    }
}

static void voxel_reaction(const void *body_, int pin, double out_wrench[6])
{
    const SnVoxelBody *body = body_;
    memcpy(out_wrench, body->state.pins + pin * SN_PIN_STATE + 12, 6 * sizeof *out_wrench);
}

// State ------------------------------------------------------------------------------------------

size_t sn_voxel_state_count(const SnVoxelBody *body)
{
    return 4 * sn_voxel_dofs(body) + 9 * (size_t)body->grid.cell_count + SN_VOXEL_CLOCK_COUNT;
}

static size_t pin_count(const SnVoxelBody *body)
{
    return (size_t)body->pins.set.count * SN_PIN_STATE;
}

static size_t voxel_state_size(const void *body_)
{
    const SnVoxelBody *body = body_;
    return (sn_voxel_state_count(body) + pin_count(body)) * sizeof(double);
}

static void voxel_save(const void *body_, void *bytes)
{
    const SnVoxelBody *body = body_;
    size_t size = sn_voxel_state_count(body) * sizeof(double);
    memcpy(bytes, body->state_block, size);
    memcpy((char *)bytes + size, body->state.pins, pin_count(body) * sizeof(double));
}

static void voxel_restore(void *body_, const void *bytes)
{
    SnVoxelBody *body = body_;
    size_t size = sn_voxel_state_count(body) * sizeof(double);
    memcpy(body->state_block, bytes, size);
    memcpy(body->state.pins, (const char *)bytes + size, pin_count(body) * sizeof(double));
}

static SinewStatus take_step(void *body, const SnStep *step, SinewStepReport *out_report,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *out_report = (SinewStepReport){0};
    SN_TRY(sn_voxel_touch_create(body, step, error));
    SN_TRY(sn_voxel_ties_prepare(body, step, error));
    status = sn_voxel_step(body, step, out_report, error);

done:
    return status;
}

static SinewStatus solve_static(void *body, const SnStep *step, SinewStepReport *out_report,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *out_report = (SinewStepReport){0};
    SN_TRY(sn_voxel_touch_create(body, step, error));
    SN_TRY(sn_voxel_ties_prepare(body, step, error));
    status = sn_voxel_solve_static(body, step, out_report, error);

done:
    return status;
}

static double voxel_accuracy(const void *body)
{
    return ((const SnVoxelBody *)body)->options.tolerance;
}

const SnModel sn_voxel_model = {
    .name = "voxel",
    .holds_points = true,
    .create = voxel_create,
    .destroy = voxel_destroy,
    .accuracy = voxel_accuracy,
    .mesh = voxel_mesh,
    .dof_count = voxel_dof_count,
    .fill = voxel_fill,
    .split_grid = voxel_split_grid,
    .start = voxel_start,
    .set_pins = sn_voxel_set_pins,
    .points_create = sn_voxel_points_create,
    .points_destroy = sn_voxel_points_destroy,
    .points_distance = sn_voxel_points_distance,
    .points_join = sn_voxel_points_join,
    .points_place = sn_voxel_points_place,
    .step = take_step,
    .solve_static = solve_static,
    .measure = voxel_measure,
    .reaction = voxel_reaction,
    .state_size = voxel_state_size,
    .save = voxel_save,
    .restore = voxel_restore,
};

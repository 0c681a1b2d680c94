// The model of frames: how a body is made and ended, what it tells, and the table it fills.
#include "model/frames/damping.h"

#include "geometry/element_tree.h"
#include "math/affine.h"
#include "math/mat3.h"
#include "model/frames/lumps.h"
#include "model/frames/place.h"
#include "model/frames/weights.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LUMPS_PER_FRAME = 32, GRAIN = 128 };

// Any number; the same one every time.
#define SCRAMBLE_SEED 20110701u

// Following ---------------------------------------------------------------------------------------

typedef struct FollowJob {
    const SnFrames *body;
    double frames[SN_FRAMES_BLEND_MAX];
    double rates[SN_FRAMES_BLEND_MAX];
} FollowJob;

static void follow_range(void *context, int begin, int end, int worker)
{
    const FollowJob *job = context;
    const SnFrames *body = job->body;
    SnFramePoints part = body->vertices;
    (void)worker;
    sn_frame_points_place(&part, body->kernels, job->frames, begin, end, body->mesh_places);
    size_t first = SN_FRAMES_GROUP * (size_t)begin;
    int last = SN_FRAMES_GROUP * end;
    part.count = (last < part.count ? last : part.count) - (int)first;
    part.X += 3 * first;
    part.weights += (size_t)part.frame_count * first;
    sn_frame_points_speed(&part, job->frames, job->rates, body->mesh_speeds + 3 * first);
}

void sn_frames_follow(const SnFrames *body)
{
    FollowJob job;
    if (!body->is_stale) {
        return;
    }
    job.body = body;
    sn_frames_blend(body, body->state.poses, job.frames);
    sn_frames_blend_rates(body, job.rates);
    sn_parallel_for(body->workers, sn_samples_groups(body->vertices.count), GRAIN, follow_range,
                    &job);
    ((SnFrames *)(uintptr_t)body)->is_stale = false;
}

// Making -----------------------------------------------------------------------------------------

static SinewStatus check_materials(const SnFrames *body, const SnMaterials *materials,
                                   SinewError *error)
{
    for (int m = 0; m <= materials->region_count; ++m) {
        const SnMaterial *material = &materials->materials[m];
        if (!(material->law.lambda + material->law.mu > 0.0)) {
            return sn_fail_at(error, SINEW_ERROR_ARGUMENT, m,
                              "body \"%s\": Poisson's ratio of material %d is too close to -1 for "
                              "frames",
                              body->name, m);
        }
    }
    return SINEW_OK;
}

static SinewStatus copy_materials(SnFrames *body, const SnMaterials *materials, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t count = 1 + (size_t)materials->region_count;
    SN_TRY(check_materials(body, materials, error));
    SN_ALLOC(body->materials, &body->allocator, count, error);
    memcpy(body->materials, materials->materials, count * sizeof *body->materials);
    body->material_count = (int)count;

done:
    return status;
}

// When frames wake and sleep, and whom they go along with meanwhile.
static SinewStatus make_leaders(SnFrames *body, const SinewFramesDef *options,
                                const double *origins, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = body->frame_count;
    SN_ALLOC_ZERO(body->wakes, &body->allocator, 2 * (size_t)count, error);
    SN_ALLOC_ZERO(body->leaders, &body->allocator, count, error);
    for (int i = 0; options->frame_count > 0 && i < count; ++i) {
        body->wakes[2 * i] = options->frames[i].wakes;
        body->wakes[2 * i + 1] = options->frames[i].sleeps;
    }
    for (int j = 0; j < count; ++j) {
        double best = INFINITY;
        for (int i = 0; i < count; ++i) {
            const double *a = origins + 3 * (size_t)i, *b = origins + 3 * (size_t)j;
            double dx = a[0] - b[0], dy = a[1] - b[1], dz = a[2] - b[2];
            double square = dx * dx + dy * dy + dz * dz;
            bool always = !(body->wakes[2 * i] > 0.0) && !(body->wakes[2 * i + 1] > 0.0);
            if (always && square < best) {
                best = square;
                body->leaders[j] = i;
            }
        }
        if (!isfinite(best)) {
            SN_TRY(
                sn_fail(error, SINEW_ERROR_ARGUMENT,
                        "body \"%s\": all of its %d frames wake late or sleep, expected one that "
                        "is always there",
                        body->name, count));
        }
    }

done:
    return status;
}

static SinewStatus make_frames(SnFrames *body, const SnModelDef *def, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnFramePlaces places = {0};
    const SinewFramesDef *options = &def->options->frames;
    const SinewAllocator *allocator = &body->allocator;

    SN_TRY(sn_frames_place(def, &body->grid, &places, error));
    double *origins = places.origins;
    body->frame_count = places.count;
    SN_TRY(make_leaders(body, options, origins, error));
    SnWeightsDef weights = {def, &body->grid, options, body->frame_count, origins, places.parents};
    SN_TRY(sn_weights_make(&weights, &body->weights, error));
    SN_TRY(sn_frames_make_elastic(body, def, origins, error));
    SnLumpsDef lumps = {
        &body->grid,
        body->materials,
        body->frame_count,
        body->is_affine,
        body->weights,
        options->mass == SINEW_MASS_CONSISTENT ? 0 : LUMPS_PER_FRAME * body->frame_count};
    body->carries = options->springs && options->mass == SINEW_MASS_LUMPED;
    SnLumpsMake *make = body->carries ? sn_lumps_carry : sn_lumps_make;
    SN_TRY(make(&lumps, allocator, &body->lumps, &body->lump_masses, &body->lump_damping, error));
    for (int i = 0; i < 3 * body->frame_count; ++i) {
        origins[i] -= body->grid.center[i % 3];
    }
    body->origins = origins;
    places.origins = NULL;

done:
    sn_frame_places_release(&places, allocator);
    return status;
}

size_t sn_frames_state_count(const SnFrames *body)
{
    size_t numbers = (size_t)(2 * body->numbers.pose + body->numbers.dofs) + SN_FRAMES_LEAD;
    return numbers * (size_t)body->frame_count + 12 * (size_t)body->lumps.count +
           SN_FRAMES_CLOCK_COUNT;
}

static SinewStatus make_state(SnFrames *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t frames = (size_t)body->frame_count, lumps = 3 * (size_t)body->lumps.count;
    SnFramesMotion *state = &body->state;
    SN_ALLOC_ZERO(body->state_block, &body->allocator, sn_frames_state_count(body), error);
    state->poses = body->state_block;
    state->last_poses = state->poses + sn_frames_pose_count(body);
    state->rates = state->last_poses + sn_frames_pose_count(body);
    state->leads = state->rates + sn_frames_dofs(body);
    state->places = state->leads + SN_FRAMES_LEAD * frames;
    state->velocities = state->places + lumps;
    state->last_move = state->velocities + lumps;
    state->last_change = state->last_move + lumps;
    state->clock = state->last_change + lumps;

done:
    return status;
}

static SinewStatus make_room(SnFrames *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnFramesRoom *room = &body->room;
    size_t frames = (size_t)body->frame_count, dofs = (size_t)sn_frames_dofs(body);
    size_t poses = sn_frames_pose_count(body), blend = (size_t)body->numbers.blend * frames;
    size_t lumps = 3 * (size_t)body->lumps.count;
    size_t vertices = 3 * (size_t)body->grid.cubes.mesh->vertex_count;
    size_t blocks = sn_samples_block(body->frame_count, body->frame_count, body->frame_count);
    struct {
        double **vector;
        size_t size;
    } parts[] = {{&room->trial, poses},
                 {&room->start, poses},
                 {&room->frames, blend},
                 {&room->gradient8, blend},
                 {&room->blocks, body->is_affine ? 0 : blocks},
                 {&room->part, dofs},
                 {&room->direct, dofs},
                 {&room->jacobians, 48 * frames},
                 {&room->gradient, dofs},
                 {&room->hessian, dofs * dofs},
                 {&room->factor, dofs * dofs},
                 {&room->direction, dofs},
                 {&room->v0, lumps},
                 {&room->a0, lumps},
                 {&room->targets, vertices},
                 {&room->begin, vertices},
                 {&room->forces, vertices},
                 {&body->mesh_places, vertices},
                 {&body->mesh_speeds, vertices}};
    size_t total = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        total += sn_round_up(parts[i].size, 8);
    }
    SN_ALLOC_ZERO(body->room_block, &body->allocator, total, error);
    total = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        *parts[i].vector = body->room_block + total;
        total += sn_round_up(parts[i].size, 8);
    }

done:
    return status;
}

// The vertices of the grid as points, for the mesh that is lent.
static SinewStatus make_vertices(SnFrames *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnHexMesh *mesh = body->grid.cubes.mesh;
    SN_TRY(sn_frame_points_create(mesh->vertex_count, body->frame_count, body->is_affine,
                                  &body->allocator, &body->vertices, error));
    memcpy(body->vertices.weights, body->weights,
           (size_t)mesh->vertex_count * (size_t)body->frame_count * sizeof *body->weights);
    for (int i = 0; i < 3 * mesh->vertex_count; ++i) {
        body->vertices.X[i] = mesh->positions[i] - body->grid.center[i % 3];
    }
    SN_TRY(sn_frame_points_pack(&body->vertices, &body->allocator, error));

done:
    return status;
}

static double young_of(const SnLaw *law)
{
    return law->mu * (3.0 * law->lambda + 2.0 * law->mu) / (law->lambda + law->mu);
}

// Lengths and stiffnesses that make numbers comparable; at rest.
static void find_scales(SnFrames *body)
{
    SnStep step = {0};
    SinewStepReport report = {0};
    SnFramesProblem problem = {.body = body, .step = &step, .report = &report, .geometric = true};
    int dofs = sn_frames_dofs(body);
    body->length = 0.5 * body->grid.size;
    body->stiffness = 1e-3 * young_of(&body->materials[0].law) * body->grid.size;
    sn_frames_potential(&problem, body->state.poses, true);
    for (int d = 0; d < dofs; ++d) {
        if (d % body->numbers.dofs >= body->numbers.turns) {
            body->stiffness = fmax(body->stiffness, body->room.hessian[d * dofs + d]);
        }
    }
}

static void frames_destroy(void *body_)
{
    SnFrames *body = body_;
    if (body == NULL) {
        return;
    }
    SinewAllocator allocator = body->allocator;
    sn_frames_pins_release(&body->pins, &allocator);
    sn_frames_grid_release(&body->grid, &allocator);
    sn_samples_release(&body->samples, &allocator);
    sn_springs_release(&body->springs, &allocator);
    sn_frames_damping_release(&body->damping, &allocator);
    sn_samples_room_release(&body->parts, &allocator);
    sn_frame_points_release(&body->lumps, &allocator);
    sn_frame_points_release(&body->vertices, &allocator);
    sn_free(&allocator, body->materials);
    sn_free(&allocator, body->origins);
    sn_free(&allocator, body->weights);
    sn_free(&allocator, body->wakes);
    sn_free(&allocator, body->leaders);
    sn_free(&allocator, body->lump_masses);
    sn_free(&allocator, body->lump_damping);
    sn_free(&allocator, body->state_block);
    sn_free(&allocator, body->state.pins);
    sn_free(&allocator, body->room_block);
    sn_free(&allocator, body);
}

static void frames_start(void *body, SinewStart start, const double linear[3],
                         const double angular[3]);

static SinewStatus frames_create(const SnModelDef *def_, void **out_body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnFrames *body = NULL;
    SinewAllocator allocator = def_->allocator != NULL ? *def_->allocator : (SinewAllocator){0};
    SnModelDef def = *def_;
    const double none[3] = {0.0, 0.0, 0.0};

    *out_body = NULL;
    SN_ALLOC_ZERO(body, &allocator, 1, error);
    body->allocator = allocator;
    def.allocator = &body->allocator;
    body->workers = def.workers;
    body->kernels = def.kernels;
    body->options = def.options->frames;
    body->is_affine = body->options.kind == SINEW_FRAME_AFFINE;
    body->numbers = sn_frame_numbers(body->options.kind);
    snprintf(body->name, sizeof body->name, "%s", def.name != NULL ? def.name : "body");
    def.name = body->name;
    SN_TRY(copy_materials(body, def.materials, error));
    SN_TRY(sn_frames_grid_create(&def, &body->grid, error));
    SN_TRY(make_frames(body, &def, error));
    body->options.frames = NULL;
    body->options.painted = NULL;
    body->options.image = body->options.density_image = body->options.skeleton = NULL;
    SN_TRY(make_state(body, error));
    SN_TRY(make_room(body, error));
    SN_TRY(make_vertices(body, error));
    frames_start(body, SINEW_START_REST, none, none);
    find_scales(body);
    SN_TRY(sn_frames_make_pairs(body, &def, error));
    SN_TRY(sn_frames_damping_create(body, error));
    SN_TRY(sn_frames_set_pins(body, NULL, 0, error));
    *out_body = body;
    body = NULL;

done:
    frames_destroy(body);
    return status;
}

// Starts -----------------------------------------------------------------------------------------

static void frames_start(void *body_, SinewStart start, const double linear[3],
                         const double angular[3])
{
    SnFrames *body = body_;
    SnFramesMotion *state = &body->state;
    SnRandom random = {SCRAMBLE_SEED};
    double total = 0.0, middle[3] = {0.0, 0.0, 0.0};
    memset(body->state_block, 0, sn_frames_state_count(body) * sizeof *body->state_block);
    for (int i = 0; i < body->frame_count; ++i) {
        sn_frames_start_pose(body, start, i, &random, state->poses + body->numbers.pose * i);
        state->leads[SN_FRAMES_LEAD * (size_t)i + SN_LEAD_FRAME] = -1.0;
    }
    sn_frames_rouse(body);
    sn_frames_blend(body, state->poses, body->room.frames);
    sn_frame_points_place(&body->lumps, body->kernels, body->room.frames, 0,
                          sn_samples_groups(body->lumps.count), state->places);
    for (int p = 0; p < body->lumps.count; ++p) {
        total += body->lump_masses[p];
        for (int k = 0; k < 3; ++k) {
            middle[k] += body->lump_masses[p] * state->places[3 * p + k];
        }
    }
    for (int n = 0; n < body->lumps.count + body->frame_count; ++n) {
        int i = n - body->lumps.count;
        const double *x =
            i < 0 ? state->places + 3 * (size_t)n : state->poses + body->numbers.pose * (i + 1) - 3;
        double *v = i < 0 ? state->velocities + 3 * (size_t)n
                          : state->rates + body->numbers.dofs * (i + 1) - 3;
        double r[3];
        for (int k = 0; k < 3; ++k) {
            r[k] = x[k] - middle[k] / total;
        }
        v[0] = linear[0] + angular[1] * r[2] - angular[2] * r[1];
        v[1] = linear[1] + angular[2] * r[0] - angular[0] * r[2];
        v[2] = linear[2] + angular[0] * r[1] - angular[1] * r[0];
        if (i >= 0) {
            sn_frames_start_turn(body, i, angular);
        }
    }
    body->is_stale = true;
}

// What it tells ----------------------------------------------------------------------------------

static SinewBodyMesh frames_mesh(const void *body_)
{
    const SnFrames *body = body_;
    const SnHexMesh *mesh = body->grid.cubes.mesh;
    sn_frames_follow(body);
    return (SinewBodyMesh){.rest = mesh->positions,
                           .positions = body->mesh_places,
                           .velocities = body->mesh_speeds,
                           .vertex_count = mesh->vertex_count,
                           .elements = mesh->hexes,
                           .element_count = mesh->hex_count,
                           .corners = 8};
}

static int frames_dof_count(const void *body)
{
    return sn_frames_dofs(body);
}

static void measure_lumps(const SnFrames *body, SnMeasure *out)
{
    for (int p = 0; p < body->lumps.count; ++p) {
        const double *x = body->state.places + 3 * (size_t)p;
        const double *v = body->state.velocities + 3 * (size_t)p;
        double mass = body->lump_masses[p];
        for (int k = 0; k < 3; ++k) {
            out->kinetic += 0.5 * mass * v[k] * v[k];
            out->momentum[k] += mass * v[k];
            out->mass_center[k] += mass * x[k];
        }
        out->angular_momentum[0] += mass * (x[1] * v[2] - x[2] * v[1]);
        out->angular_momentum[1] += mass * (x[2] * v[0] - x[0] * v[2]);
        out->angular_momentum[2] += mass * (x[0] * v[1] - x[1] * v[0]);
        out->mass += mass;
    }
    for (int k = 0; k < 3; ++k) {
        out->mass_center[k] /= out->mass;
    }
}

void sn_frames_measure(const void *body_, SnMeasure *out)
{
    const SnFrames *body = body_;
    const SnHexMesh *mesh = body->grid.cubes.mesh;
    double slopes[24], gradient[SN_FRAMES_BLEND_MAX] = {0.0};
    double volume = body->grid.cubes.edge * body->grid.cubes.edge * body->grid.cubes.edge;
    *out = (SnMeasure){.residual = body->state.clock[SN_FRAMES_CLOCK_RESIDUAL],
                       .smallest_det = INFINITY};
    measure_lumps(body, out);
    // The room is free between steps.
    SnFrames *room_of = (SnFrames *)(uintptr_t)body;
    sn_frames_blend(body, body->state.poses, body->room.frames);
    SnSamplesDef samples = {.samples = &body->samples,
                            .room = &room_of->parts,
                            .workers = body->workers,
                            .kernels = body->kernels,
                            .frames = body->room.frames};
    out->elastic = sn_samples_evaluate(&samples, gradient, NULL, NULL);
    out->elastic += sn_springs_evaluate(&body->springs, body->state.poses, 0.0, gradient, NULL);
    sn_frames_follow(body);
    sn_frames_grid_slopes(&body->grid, slopes);
    for (int e = 0; e < mesh->hex_count; ++e) {
        double F[9] = {0.0};
        for (int n = 0; n < 72; ++n) {
            int c = n / 9;
            F[n % 9] += body->mesh_places[3 * mesh->hexes[8 * (size_t)e + (size_t)c] + n % 9 / 3] *
                        slopes[3 * c + n % 3];
        }
        double det = sn_mat3_determinant(F);
        out->volume += det * volume;
        out->inverted_count += !(det > 0.0);
        if (det < out->smallest_det || !(det == det)) {
            out->smallest_det = det;
            out->smallest_element = e;
        }
    }
}

static void frames_reaction(const void *body_, int pin, double out_wrench[6])
{
    const SnFrames *body = body_;
    memcpy(out_wrench, body->state.pins + pin * SN_PIN_STATE + 12, 6 * sizeof *out_wrench);
}

static bool frames_is_finite(const void *body_)
{
    const SnFrames *body = body_;
    size_t count = sn_frames_state_count(body);
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(body->state_block[i])) {
            return false;
        }
    }
    return true;
}

// Points -----------------------------------------------------------------------------------------

static void frames_points_destroy(const void *body_, void *points)
{
    const SnFrames *body = body_;
    if (points != NULL) {
        sn_frame_points_release(points, &body->allocator);
        sn_free(&body->allocator, points);
    }
}

static SinewStatus frames_points_create(const void *body_, const double *rest, int count,
                                        void **out_points, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnFrames *body = body_;
    SnFramePoints *points = NULL;

    *out_points = NULL;
    SN_ALLOC_ZERO(points, &body->allocator, 1, error);
    SN_TRY(sn_frame_points_create(count, body->frame_count, body->is_affine, &body->allocator,
                                  points, error));
    for (int p = 0; p < count; ++p) {
        const double *X = rest + 3 * (size_t)p;
        for (int k = 0; k < 3; ++k) {
            if (!(fabs(X[k]) <= SN_ELEMENT_REACH)) {
                SN_TRY(sn_fail_at(error, SINEW_ERROR_ARGUMENT, p,
                                  "body \"%s\": material point %d is at (%g, %g, %g) m, expected "
                                  "finite numbers within %g",
                                  body->name, p, X[0], X[1], X[2], SN_ELEMENT_REACH));
            }
        }
        sn_frame_points_put(points, p, &body->grid, body->weights, X);
    }
    SN_TRY(sn_frame_points_pack(points, &body->allocator, error));
    *out_points = points;
    points = NULL;

done:
    frames_points_destroy(body, points);
    return status;
}

static double frames_points_distance(const void *points, int index)
{
    return ((const SnFramePoints *)points)->distances[index];
}

static void frames_points_place(const void *body_, const void *points_, double *out_x,
                                double *out_v)
{
    const SnFrames *body = body_;
    const SnFramePoints *points = points_;
    double frames[SN_FRAMES_BLEND_MAX], rates[SN_FRAMES_BLEND_MAX];
    sn_frames_blend(body, body->state.poses, frames);
    sn_frame_points_place(points, body->kernels, frames, 0, sn_samples_groups(points->count),
                          out_x);
    if (out_v != NULL) {
        sn_frames_blend_rates(body, rates);
        sn_frame_points_speed(points, frames, rates, out_v);
    }
}

// State ------------------------------------------------------------------------------------------

static size_t pin_count(const SnFrames *body)
{
    return (size_t)body->pins.set.count * SN_PIN_STATE;
}

static size_t frames_state_size(const void *body_)
{
    const SnFrames *body = body_;
    return (sn_frames_state_count(body) + pin_count(body)) * sizeof(double);
}

static void frames_save(const void *body_, void *bytes)
{
    const SnFrames *body = body_;
    size_t size = sn_frames_state_count(body) * sizeof(double);
    memcpy(bytes, body->state_block, size);
    memcpy((char *)bytes + size, body->state.pins, pin_count(body) * sizeof(double));
}

static void frames_restore(void *body_, const void *bytes)
{
    SnFrames *body = body_;
    size_t size = sn_frames_state_count(body) * sizeof(double);
    memcpy(body->state_block, bytes, size);
    memcpy(body->state.pins, (const char *)bytes + size, pin_count(body) * sizeof(double));
    body->is_stale = true;
}

const SnModel sn_frames_model = {
    .name = "frames",
    .is_quiet = true,
    .create = frames_create,
    .destroy = frames_destroy,
    .mesh = frames_mesh,
    .dof_count = frames_dof_count,
    .is_finite = frames_is_finite,
    .start = frames_start,
    .set_pins = sn_frames_set_pins,
    .points_create = frames_points_create,
    .points_destroy = frames_points_destroy,
    .points_distance = frames_points_distance,
    .points_place = frames_points_place,
    .step = sn_frames_step,
    .solve_static = sn_frames_solve_static,
    .measure = sn_frames_measure,
    .reaction = frames_reaction,
    .state_size = frames_state_size,
    .save = frames_save,
    .restore = frames_restore,
};

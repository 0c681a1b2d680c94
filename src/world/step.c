#include "world/step.h"

#include "base/clock.h"
#include "world/attachment.h"
#include "world/body_surface.h"
#include "world/check.h"
#include "world/crowd.h"
#include "world/cut.h"
#include "world/force_points.h"
#include "world/held.h"
#include "world/motion.h"
#include "world/state.h"
#include "world/warning.h"

#include <math.h>

// Drivers -----------------------------------------------------------------------------------------

static void drive_body(SnBody *body, const SnAdvance *advance)
{
    for (size_t i = 0; i < body->pins.count; ++i) {
        const SnWorldPin *pin = SN_ITEMS(body->pins, SnWorldPin *)[i];
        SN_ITEMS(body->pin_motions, SnAffine)
        [i] = sn_motion_at(pin->keys, pin->key_count, advance->to);
    }
    for (size_t i = 0; i < body->loads.count; ++i) {
        SnWorldLoad *load = SN_ITEMS(body->loads, SnWorldLoad *)[i];
        double scale = load->ramp_count > 0 ? sn_ramp_at(load->ramp, load->ramp_count, advance->to)
                                            : advance->load_scale;
        for (size_t c = 0; c < 3 * (size_t)load->count; ++c) {
            load->forces[c] = scale * load->full[c];
        }
    }
    sn_body_drive_attachments(body, advance->to);
}

// Colliders go to where they are at the end of the step, as pins, loads and attachments do.
static void drive_colliders(SinewWorld *world, const SnAdvance *advance)
{
    for (int i = 0; i < sn_slots_count(&world->colliders); ++i) {
        SnWorldCollider *collider = sn_slots_at(&world->colliders, i);
        if (collider != NULL) {
            SnAffine from = sn_motion_at(collider->keys, collider->key_count, advance->from);
            SnAffine to = sn_motion_at(collider->keys, collider->key_count, advance->to);
            sn_collider_move(collider->collider, &from, &to);
        }
    }
}

// Bodies ------------------------------------------------------------------------------------------

static void count_wild(void *context, int begin, int end, double *sums)
{
    const SinewBodyMesh *mesh = context;
    sums[0] = 0.0;
    for (size_t c = 3 * (size_t)begin; c < 3 * (size_t)end; ++c) {
        sums[0] += isfinite(mesh->positions[c]) && isfinite(mesh->velocities[c]) ? 0.0 : 1.0;
    }
}

// Models find out themselves when they diverge; this is the last to see that nothing slips through.
static SinewStatus check_finite(const SinewWorld *world, const SnBody *body, SinewError *error)
{
    if (body->model->is_finite != NULL && body->model->is_finite(body->state)) {
        return SINEW_OK;
    }
    SinewBodyMesh mesh = body->model->mesh(body->state);
    double wild;
    sn_parallel_sum(world->workers, mesh.vertex_count, 1, count_wild, &mesh, &wild);
    if (wild > 0.0) {
        int vertex = 0;
        for (double one = 0.0; vertex < mesh.vertex_count; ++vertex) {
            count_wild(&mesh, vertex, vertex + 1, &one);
            if (one > 0.0) {
                break;
            }
        }
        return sn_fail_at(error, SINEW_ERROR_DIVERGED, vertex,
                          "body \"%s\" diverged: the position or velocity of vertex %d is no "
                          "finite number",
                          body->name, vertex);
    }
    return SINEW_OK;
}

// `contacts` is room for what the step points to.
static SnStep step_of(const SinewWorld *world, SnBody *body, const SnAdvance *advance,
                      SnPointForces *contacts)
{
    bool has_forces = sn_body_point_forces(body, contacts);
    SnStep step = {.dt = advance->dt,
                   .pin_motions = SN_ITEMS(body->pin_motions, SnAffine),
                   .loads = SN_ITEMS(body->point_loads, SnPointLoad),
                   .load_count = (int)body->point_loads.count,
                   .contacts = has_forces ? contacts : NULL,
                   .tolerance = advance->tolerance,
                   .max_solves = advance->is_static ? 0 : world->max_solves,
                   .workers = world->workers};
    for (int k = 0; k < 3; ++k) {
        step.gravity[k] = advance->gravity_scale * world->gravity[k];
    }
    return step;
}

static SinewStatus ask_model(SinewWorld *world, SnBody *body, const SnAdvance *advance,
                             SinewStepReport *report, SinewError *error)
{
    SnPointForces contacts;
    SnStep step = step_of(world, body, advance, &contacts);
    if (!advance->is_static) {
        return body->model->step(body->state, &step, report, error);
    }
    SinewStatus status = body->model->solve_static(body->state, &step, report, error);
    sn_body_renew_warning(body);
    bool failed = status == SINEW_NOT_CONVERGED || status == SINEW_ERROR_DIVERGED;
    int loose = failed ? sn_body_find_loose(world, body) : -1;
    if (loose >= 0) {
        return sn_fail_at(error, SINEW_ERROR_DIVERGED, loose,
                          "body \"%s\" found no equilibrium at t = %g: it was cut into %d pieces, "
                          "and no pin holds the one with vertex %d",
                          body->name, advance->to, body->sum.pieces, loose);
    }
    if (status == SINEW_NOT_CONVERGED) {
        return sn_fail(error, SINEW_ERROR_DIVERGED,
                       "body \"%s\" found no equilibrium at t = %g: its residual is %g after %d "
                       "iterations",
                       body->name, advance->to, report->residual, report->iterations);
    }
    return status;
}

// Friction is as good as the steps of a model that solves them roughly; equilibria are exact.
static double friction_tolerance(const SnBody *body, const SnAdvance *advance)
{
    double accuracy = body->model->accuracy != NULL ? body->model->accuracy(body->state) : 0.0;
    if (advance->is_static || accuracy == 0.0) {
        return SN_PENALTY_TOLERANCE;
    }
    return fmax(SN_PENALTY_TOLERANCE_MOTION, accuracy);
}

// One body: contact begins where its surface is, the model moves, contact ends where it then is.
static SinewStatus move_body(SinewWorld *world, SnBody *body, const SnAdvance *advance,
                             SinewStepReport *report, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewStatus model_status = SINEW_OK;
    body->moves += 1;
    if (body->penalty != NULL) {
        sn_penalty_set_tolerance(body->penalty, friction_tolerance(body, advance));
        sn_penalty_begin(body->penalty, SN_ITEMS(world->touching, SnCollider *),
                         (int)world->touching.count, body->contact_stiffness,
                         body->surface.contact_x);
    }
    SN_TRY(ask_model(world, body, advance, report, error));
    model_status = status;
    SN_TRY(check_finite(world, body, error));
    sn_body_surface_place(body);
    if (body->penalty != NULL) {
        sn_penalty_end(body->penalty, body->surface.contact_x, body->contact_force,
                       &body->contacts);
        report->contacts = body->contacts;
    }
    status = model_status;
done:
    return status;
}

static void add_report(SinewStepReport *sum, const SinewStepReport *one)
{
    sum->iterations += one->iterations;
    sum->linear_solves += one->linear_solves;
    sum->line_search_cuts += one->line_search_cuts;
    sum->projected += one->projected;
    sum->substeps += one->substeps;
    sum->contacts += one->contacts;
    sum->rescues += one->rescues;
    sum->capped += one->capped;
    sum->analyses += one->analyses;
    sum->factorisations += one->factorisations;
    sum->seconds_factor += one->seconds_factor;
    sum->residual = one->residual > sum->residual ? one->residual : sum->residual;
}

// What the stages below work with.
typedef struct Stage {
    SinewWorld *world;
    const SnAdvance *advance;
} Stage;

static void begin_body(void *context, SnBody *body)
{
    const Stage *stage = context;
    sn_state_keep_body(stage->world, body);
    drive_body(body, stage->advance);
}

// What bodies share is made ready while none of them moves.
static SinewStatus prepare(SinewWorld *world, const SnAdvance *advance, SinewStepReport *report,
                           SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int i = 0; i < sn_slots_count(&world->bodies); ++i) {
        SnBody *body = SN_BODIES(world, i);
        if (body != NULL && body->model->prepare != NULL) {
            SnPointForces contacts;
            SnStep step = step_of(world, body, advance, &contacts);
            SN_TRY(body->model->prepare(body->state, &step, report, error));
        }
    }
done:
    return status;
}

static void move_one(void *context, SnBody *body)
{
    const Stage *stage = context;
    body->report = (SinewStepReport){0};
    body->status = move_body(stage->world, body, stage->advance, &body->report, &body->said);
}

static void move_again(void *context, SnBody *body)
{
    if (body->is_to_move_again) {
        move_one(context, body);
    }
}

// All bodies move. One that came to touch more than it had room for gets more and moves again from
// where the step began, whatever became of it: what it has room for never shows in what it does.
static SinewStatus move_all(Stage *stage, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewWorld *world = stage->world;
    bool is_short = true;
    for (SnBodyFn *move = move_one; is_short; move = move_again) {
        sn_crowd_each(world, move, stage);
        is_short = false;
        for (int i = 0; i < sn_slots_count(&world->bodies); ++i) {
            SnBody *body = SN_BODIES(world, i);
            if (body == NULL) {
                continue;
            }
            body->is_to_move_again = body->penalty != NULL && sn_penalty_is_short(body->penalty);
            if (body->is_to_move_again) {
                is_short = true;
                sn_state_put_back_body(world, body);
                SN_TRY(sn_penalty_grow(body->penalty, 0, error));
            }
        }
    }
done:
    return status;
}

// The first body that failed is the one to be told of, whichever failed first.
static SinewStatus collect(const SinewWorld *world, SinewStepReport *sum, SinewError *error)
{
    SinewStatus worst = SINEW_OK;
    for (int i = 0; i < sn_slots_count(&world->bodies); ++i) {
        const SnBody *body = SN_BODIES(world, i);
        if (body == NULL) {
            continue;
        }
        if (body->status < 0) {
            if (error != NULL) {
                *error = body->said;
            }
            return body->status;
        }
        worst = body->status > worst ? body->status : worst;
        add_report(sum, &body->report);
    }
    return worst;
}

static void follow_body(void *context, SnBody *body)
{
    const Stage *stage = context;
    sn_body_surface_follow(body, stage->world->workers);
}

// The step ----------------------------------------------------------------------------------------

SinewStatus sn_world_advance(SinewWorld *world, const SnAdvance *advance, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewStepReport report = {0};
    double begin = sn_clock_seconds();
    Stage stage = {world, advance};
    SN_TRY(sn_state_reserve(world, error));
    SN_TRY(sn_crowd_reserve(world, error));
    sn_crowd_each(world, begin_body, &stage);
    drive_colliders(world, advance);
    double driven = sn_clock_seconds();
    if (advance->is_static) {
        SN_TRY(sn_static_begin(world, advance, error));
    }
    SN_TRY(prepare(world, advance, &report, error));
    status = move_all(&stage, error);
    status = status < 0 ? status : collect(world, &report, error);
    if (advance->is_static) {
        status = sn_static_end(world, advance, status, &report, error);
    }
    if (status < 0) {
        sn_state_put_back(world);
        goto done;
    }
    double moved = sn_clock_seconds();
    sn_crowd_each(world, follow_body, &stage);
    double end = sn_clock_seconds();

    world->time = advance->to;
    world->step_count += 1;
    world->gravity_scale = advance->gravity_scale;
    report.seconds_drive = driven - begin;
    report.seconds_model = moved - driven;
    report.seconds_surface = end - moved;
    report.seconds_total = end - begin;
    world->report = report;
done:
    return status;
}

SinewStatus sinew_world_step(SinewWorld *world, double seconds, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_check_pointer(world, "the world", error));
    SN_TRY(sn_check_positive(seconds, "step", "seconds", error));
    if (seconds > SN_STEP_MAX) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT, "step: seconds is %g, expected at most %g",
                       seconds, SN_STEP_MAX));
    }
    SnAdvance advance = {.from = world->time,
                         .to = world->time + seconds,
                         .dt = seconds,
                         .gravity_scale = 1.0,
                         .load_scale = 1.0};
    SN_TRY(sn_world_advance(world, &advance, error));
done:
    return status;
}

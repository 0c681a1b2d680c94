// A step of motion.
#include "model/newton/step.h"

#include "model/newton/assembly.h"
#include "model/newton/integrator.h"
#include "model/newton/minimise.h"
#include "model/newton/pins.h"
#include "model/newton/points.h"

#include <string.h>

// The least share of a pin's way that is tried before a step gives up.
#define LEAST_SHARE (1.0 / 1024.0)

// Up to this share a response that inverts elements is avoided even where the law allows it.
#define STRICT_SHARE (1.0 / 16.0)

// Between shares of a pin's way the body only has to be near its equilibrium.
#define SHARE_TOLERANCE 1e-3
enum { SHARE_ITERATIONS = 8 };

// The step's own, else the user's, else what the kind of solve is worth.
static double choose_tolerance(const SnNewton *body, const SnStep *step)
{
    double fallback = step->dt > 0.0 ? SN_NEWTON_MOTION : SN_NEWTON_STATIC;
    double own = body->options.tolerance > 0.0 ? body->options.tolerance : fallback;
    return step->tolerance > 0.0 ? step->tolerance : own;
}

SnNewtonProblem sn_newton_problem_make(SnNewton *body, const SnStep *step, SinewStepReport *report)
{
    // The factor has room for the body's own workers.
    bool fits = sn_workers_count(step->workers) <= sn_workers_count(body->workers);
    return (SnNewtonProblem){
        .body = body,
        .step = step,
        .workers = fits ? step->workers : body->workers,
        .report = report,
        .tolerance = choose_tolerance(body, step),
        .dynamic = step->dt > 0.0,
        .renews = true,
    };
}

void sn_newton_load(const SnNewton *body, const SnStep *step, double *out_force)
{
    for (int v = 0; v < body->elements.vertex_count; ++v) {
        for (int k = 0; k < 3; ++k) {
            out_force[3 * v + k] = body->masses[v] * step->gravity[k];
        }
    }
    for (int l = 0; l < step->load_count; ++l) {
        sn_point_set_spread(step->loads[l].points, step->loads[l].forces, out_force);
    }
}

void sn_newton_finish(const SnNewtonProblem *problem, const SnNewtonValue *value)
{
    SnNewton *body = problem->body;
    const SnStep *step = problem->step;
    double residual = value->scale > 0.0 ? value->residual / value->scale : 0.0;
    sn_newton_pins_target(body, step->pin_motions, 1.0, body->state.positions);
    sn_newton_pins_record(body, step->pin_motions, body->room.residual);
    memcpy(body->state.last_load, body->room.external,
           sn_newton_dofs(body) * sizeof *body->room.external);
    body->state.clock[SN_CLOCK_RESIDUAL] = residual;
    problem->report->residual = residual;
}

// Brings held components to where the step ends, at once or, where that would invert elements, bit
// by bit with some iterations between.
static SinewStatus drive(const SnNewtonProblem *problem, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnNewton *body = problem->body;
    const SnAffine *motions = problem->step->pin_motions;
    SnNewtonProblem on_the_way = *problem;
    double done_share = 0.0;
    double share = 1.0;

    on_the_way.renews = false;
    sn_newton_pins_target(body, motions, 1.0, body->room.target);
    if (!sn_newton_must_respond(problem)) {
        return SINEW_OK;
    }
    while (done_share < 1.0) {
        bool moved;
        SnNewtonValue value;
        SnNewtonEnd end;
        sn_newton_pins_target(body, motions, done_share + share, body->room.target);
        SN_TRY(sn_newton_respond(problem, share > STRICT_SHARE, &moved, error));
        if (!moved) {
            share *= 0.5;
            problem->report->substeps += 1;
            if (share < LEAST_SHARE) {
                status = sn_newton_potential_fail(body, "on the way of its pins", error);
                goto done;
            }
            continue;
        }
        done_share += share;
        share = done_share + 2.0 * share > 1.0 ? 1.0 - done_share : 2.0 * share;
        if (done_share < 1.0) {
            SN_TRY(sn_newton_minimise(&on_the_way, SHARE_TOLERANCE, SHARE_ITERATIONS, &value, &end,
                                      error));
        }
    }

done:
    return status;
}

// Only numbers out of all bounds make a matrix that no shift makes definite.
static SinewStatus name_matrix(const SnNewton *body, SinewStatus status, SinewError *error)
{
    if (status != SINEW_ERROR_NOT_DEFINITE) {
        return status;
    }
    SnNewtonVolume volume = sn_newton_volume(body);
    return sn_fail_at(
        error, SINEW_ERROR_DIVERGED, volume.element,
        "body \"%s\": the stiffness of a step cannot be factored, expected a definite "
        "matrix; det F of element %d is %g",
        body->name, volume.element, volume.smallest);
}

SinewStatus sn_newton_step(void *body_, const SnStep *step, SinewStepReport *out_report,
                           SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnNewton *body = body_;
    SnNewtonRoom *room = &body->room;
    SnNewtonProblem problem = sn_newton_problem_make(body, step, out_report);
    SnNewtonValue value;
    SnNewtonEnd end;
    size_t count = sn_newton_dofs(body);

    *out_report = (SinewStepReport){0};
    memcpy(room->start, body->state.positions, count * sizeof *room->start);
    sn_newton_load(body, step, room->external);
    if (body->damped) {
        sn_newton_stiffness(body, problem.workers, room->start, true, true, room->damping_matrix);
    }
    SN_TRY(sn_newton_integrator_begin(&problem, error));
    memset(room->move, 0, count * sizeof *room->move);
    if (!sn_newton_potential(&problem, room->move).allowed) {
        status = sn_newton_potential_fail(body, "at the start of the step", error);
        goto done;
    }
    SN_TRY(drive(&problem, error));
    SN_TRY(sn_newton_minimise(&problem, problem.tolerance, body->options.max_iterations, &value,
                              &end, error));
    if (!value.allowed) {
        status = sn_newton_potential_fail(body, "in a step", error);
        goto done;
    }
    sn_newton_integrator_end(&problem);
    sn_newton_finish(&problem, &value);
    status = end == SN_NEWTON_CONVERGED ? SINEW_OK : SINEW_NOT_CONVERGED;

done:
    return name_matrix(body, status, error);
}

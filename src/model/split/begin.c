// Where a step begins and how it ends.
#include "model/split/pins.h"
#include "model/split/points.h"
#include "model/split/step.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 1024 }; // vertices a range

// Backward Euler: v = d / dt, dt^2 a = d - dt v_n. BDF2, with r = dt / dt_last: D(u) = (now du -
// last du_last) / dt with now = (1 + 2r)/(1 + r), last = r^2/(1 + r); v = D(x), a = D(v), h = dt /
// now.
// Newmark's rule of average acceleration: v = 2 d / dt - v_n, dt^2/4 a = d - dt v_n - dt^2/4 a_n.
// It begins with a step of Euler, as BDF2 does.
SnSplitRule sn_split_rule(const SnSplit *body, double dt)
{
    double before = body->state.clock[SN_SPLIT_LAST_DT];
    bool newmark = body->options.integrator == SINEW_INTEGRATOR_NEWMARK;
    if (newmark && before > 0.0) {
        double half = 0.5 * dt;
        return (SnSplitRule){.h = half,
                             .velocity_rate = -1.0,
                             .velocity_time = -half,
                             .change_time = -half * half,
                             .keeps_acceleration = true};
    }
    if (body->options.integrator != SINEW_INTEGRATOR_BDF2 || !(before > 0.0)) {
        return (SnSplitRule){.h = dt, .velocity_time = -dt, .keeps_acceleration = newmark};
    }
    double r = dt / before;
    double now = (1.0 + 2.0 * r) / (1.0 + r);
    double last = r * r / (1.0 + r);
    double h = dt / now;
    return (SnSplitRule){
        .h = h, .move_rate = -last / dt, .velocity_time = -h, .change_time = -last / dt * h * h};
}

SnSplitProblem sn_split_problem_make(SnSplit *body, const SnStep *step, SinewStepReport *report)
{
    // The factor has room for the body's own workers.
    bool fits = sn_workers_count(step->workers) <= sn_workers_count(body->workers);
    SnSplitProblem problem = {.body = body,
                              .step = step,
                              .workers = fits ? step->workers : body->workers,
                              .report = report,
                              .law = body->law,
                              .mass = body->room.mass};
    memcpy(problem.origin, body->state.positions + 3 * (size_t)body->outside[0],
           sizeof problem.origin);
    return problem;
}

void sn_split_load(SnSplit *body, const SnStep *step)
{
    double *load = body->room.load;
    for (int v = 0; v < body->elements.vertex_count; ++v) {
        for (int k = 0; k < 3; ++k) {
            load[3 * v + k] = body->masses[v] * step->gravity[k];
        }
    }
    for (int l = 0; l < step->load_count; ++l) {
        sn_point_set_spread(step->loads[l].points, step->loads[l].forces, load);
    }
}

typedef struct Job {
    const SnSplitProblem *problem;
    const SnSplitRule *rule;
    double weight2; // m^2/s^4, square of gravity
} Job;

// Share of gravity that a vertex felt in the last step, 0 to 1: what hangs does not fall.
// (SPLIT.md, G5.)
static double falling(const Job *job, const double *last_change)
{
    const double *g = job->problem->step->gravity;
    double last_dt = job->problem->body->state.clock[SN_SPLIT_LAST_DT];
    if (!(job->weight2 > 0.0) || !(last_dt > 0.0)) {
        return 0.0;
    }
    double along =
        (last_change[0] * g[0] + last_change[1] * g[1] + last_change[2] * g[2]) / last_dt;
    return fmin(fmax(along / job->weight2, 0.0), 1.0);
}

static void begin_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnSplitProblem *problem = job->problem;
    const SnSplit *body = problem->body;
    const SnSplitState *state = &body->state;
    const SnSplitRule *rule = job->rule;
    double dt = problem->step->dt;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        size_t v = (size_t)body->outside[i];
        double mass = body->masses[v];
        double drag = rule->h * body->damp[v];
        double share = falling(job, state->last_change + 3 * v);
        for (size_t k = 0; k < 3; ++k) {
            size_t at = 3 * v + k;
            size_t in = 3 * (size_t)i + k;
            double x = state->positions[at];
            double v0 = rule->move_rate * state->last_move[at] +
                        rule->velocity_rate * state->velocities[at];
            double h2_a0 = rule->h * v0 + rule->velocity_time * state->velocities[at] +
                           rule->change_time * state->last_change[at];
            double aim = problem->h2 * body->room.load[at] / mass - h2_a0;
            aim = (mass * aim - drag * rule->h * v0) / (mass + drag);
            double guess = dt * (state->velocities[at] + dt * share * problem->step->gravity[k]);
            bool held = sn_split_holds(body, at);
            body->room.start[in] = (float)(x - problem->origin[k]);
            body->room.aim[in] = (float)aim;
            body->room.move[in] = (float)(held ? body->room.place[at] - x : guess);
        }
    }
}

bool sn_split_begin(SnSplitProblem *problem, const SnSplitRule *rule)
{
    SnSplit *body = problem->body;
    const double *g = problem->step->gravity;
    Job job = {problem, rule, g[0] * g[0] + g[1] * g[1] + g[2] * g[2]};
    memcpy(body->room.place, body->state.positions, sn_split_dofs(body) * sizeof *body->room.place);
    bool moved = sn_split_pins_target(body, problem->step->pin_motions, body->room.place);
    sn_parallel_for(problem->workers, body->elements.vertex_count, GRAIN, begin_range, &job);
    return moved;
}

static void end_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnSplit *body = job->problem->body;
    const SnSplitState *state = &body->state;
    const SnSplitRule *rule = job->rule;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            size_t at = 3 * (size_t)body->outside[i] + k;
            double move = (double)body->room.move[3 * (size_t)i + k];
            double v0 = rule->move_rate * state->last_move[at] +
                        rule->velocity_rate * state->velocities[at];
            double v = move / rule->h + v0;
            double h2_a = move + rule->h * v0 + rule->velocity_time * state->velocities[at] +
                          rule->change_time * state->last_change[at];
            body->room.force[at] = body->masses[at / 3] * h2_a / (rule->h * rule->h) +
                                   body->damp[at / 3] * v - body->room.load[at];
            state->last_change[at] =
                rule->keeps_acceleration ? h2_a / (rule->h * rule->h) : v - state->velocities[at];
            state->last_move[at] = move;
            state->velocities[at] = v;
            state->positions[at] += move;
        }
    }
}

static SinewStatus check(const SnSplit *body, SinewError *error)
{
    size_t count = sn_split_dofs(body);
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(body->state.positions[i])) {
            return sn_fail_at(error, SINEW_ERROR_DIVERGED, (int64_t)(i / 3),
                              "body \"%s\": the position of vertex %d is %g m after a step, "
                              "expected a finite number",
                              body->name, (int)(i / 3), body->state.positions[i]);
        }
    }
    return SINEW_OK;
}

SinewStatus sn_split_end(const SnSplitProblem *problem, const SnSplitRule *rule, SinewError *error)
{
    SnSplit *body = problem->body;
    Job job = {problem, rule, 0.0};
    const SnPointForces *contacts = problem->step->contacts;
    sn_parallel_for(problem->workers, body->elements.vertex_count, GRAIN, end_range, &job);
    sn_split_pins_target(body, problem->step->pin_motions, body->state.positions);
    if (contacts != NULL && body->pins.set.count > 0) {
        const SnPointSet *points = contacts->points;
        for (int i = 0; i < points->active_count; ++i) {
            int p = points->active[i];
            const int *corners = points->vertices + 4 * (size_t)p;
            for (size_t a = 0; a < 4; ++a) {
                for (size_t k = 0; k < 3; ++k) {
                    body->room.force[3 * (size_t)corners[a] + k] -=
                        points->weights[4 * (size_t)p + a] * points->forces[p].force[k];
                }
            }
        }
    }
    sn_split_pins_record(body, body->room.force);
    body->state.clock[SN_SPLIT_LAST_DT] = problem->step->dt;
    return check(body, error);
}

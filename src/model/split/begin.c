// Where a step begins and how it ends.
#include "model/split/damping.h"
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
// It begins with a step of Euler.
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
    if (body->options.integrator != SINEW_INTEGRATOR_BDF2) {
        return (SnSplitRule){.h = dt, .velocity_time = -dt, .keeps_acceleration = newmark};
    }
    double r = before > 0.0 ? dt / before : 1.0; // the first step makes up one as long before it
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
    bool from_aim;  // the guess is the aim
    SnVertexFall fall;
} Job;

// Share of gravity that a vertex felt in the last step, 0 to 1: what hangs does not fall, and a
// guess that lets it fall costs an iteration.
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

double sn_split_load_at(const SnSplitProblem *problem, size_t v, size_t k)
{
    const SnSplit *body = problem->body;
    return problem->step->load_count > 0 ? body->room.load[3 * v + k]
                                         : body->masses[v] * problem->step->gravity[k];
}

static void begin_vertex(const Job *job, int inside)
{
    const SnSplitProblem *problem = job->problem;
    const SnSplit *body = problem->body;
    const SnSplitState *state = &body->state;
    const SnSplitRule *rule = job->rule;
    size_t v = (size_t)body->outside[inside];
    double dt = problem->step->dt;
    double mass = body->masses[v];
    double drag = rule->h * body->damp[v];
    double lightness = 1.0 / (mass + drag);
    double share = job->from_aim ? 0.0 : falling(job, state->last_change + 3 * v);
    for (size_t k = 0; k < 3; ++k) {
        size_t at = 3 * v + k;
        size_t in = 3 * (size_t)inside + k;
        double x = state->positions[at];
        double v0 = 0.0, change = 0.0;
        if (rule->move_rate != 0.0) {
            v0 = rule->move_rate * state->last_move[at];
            change = rule->change_time * state->last_change[at];
        } else if (rule->velocity_rate != 0.0) {
            v0 = rule->velocity_rate * state->velocities[at];
            change = rule->change_time * state->last_change[at];
        }
        double h2_a0 = rule->h * v0 + rule->velocity_time * state->velocities[at] + change;
        double aim =
            (problem->h2 * sn_split_load_at(problem, v, k) - mass * h2_a0 - drag * rule->h * v0) *
            lightness;
        double move = job->from_aim
                          ? aim
                          : dt * (state->velocities[at] + dt * share * problem->step->gravity[k]);
        body->room.start[in] = (float)(x - problem->origin[k]);
        body->room.aim[in] = (float)aim;
        body->room.move[in] = (float)move;
        body->room.x[in] = body->room.start[in] + body->room.move[in];
    }
}

static void begin_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    for (int i = begin; i < end; ++i) {
        begin_vertex(context, i);
    }
}

// Where weight is the only load and nothing is damped masses cancel.
static void fall_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    job->problem->body->kernels->vertex->fall(&job->fall, begin, end);
}

static bool is_damped(const SnSplit *body)
{
    for (int m = 0; m < body->material_count; ++m) {
        if (body->materials[m].damping_mass > 0.0) {
            return true;
        }
    }
    return false;
}

// Where pinned vertices go, in the room's `place`.
static bool aim_pins(SnSplit *body, const SnAffine *motions)
{
    const SnPinSet *set = &body->pins.set;
    for (int i = 0; i < set->start[set->count]; ++i) {
        size_t at = 3 * (size_t)set->vertices[i];
        memcpy(body->room.place + at, body->state.positions + at, 3 * sizeof *body->room.place);
    }
    return sn_split_pins_target(body, motions, body->room.place);
}

// The way of held components.
static void begin_pins(SnSplit *body)
{
    const SnPinSet *set = &body->pins.set;
    const SnSplitRoom *room = &body->room;
    for (int i = 0; i < 3 * set->start[set->count]; ++i) {
        size_t v = (size_t)set->vertices[i / 3];
        size_t at = 3 * v + (size_t)(i % 3), in = 3 * (size_t)body->inside[v] + (size_t)(i % 3);
        if (room->free[in] == 0.0f) {
            room->move[in] = (float)(room->place[at] - body->state.positions[at]);
            room->x[in] = room->start[in] + room->move[in];
        }
    }
}

// The rule without damping and dead loads, for the kernel.
static SnVertexFall fall_of(const Job *job)
{
    const SnSplitProblem *problem = job->problem;
    const SnSplit *body = problem->body;
    const SnSplitState *state = &body->state;
    const SnSplitRoom *room = &body->room;
    const SnSplitRule *rule = job->rule;
    double dt = problem->step->dt, last_dt = state->clock[SN_SPLIT_LAST_DT];
    bool weighs = job->weight2 > 0.0 && last_dt > 0.0;
    SnVertexFall fall = {.outside = body->outside,
                         .positions = state->positions,
                         .velocities = state->velocities,
                         .last_move = rule->move_rate != 0.0 ? state->last_move : NULL,
                         .time = -(rule->velocity_time + rule->h * rule->velocity_rate),
                         .move_share = -rule->h * rule->move_rate,
                         .change_share = -rule->change_time,
                         .guesses = !job->from_aim,
                         .guess_time = dt,
                         .start = room->start,
                         .aim = room->aim,
                         .move = room->move,
                         .x = room->x};
    if (fall.guesses || fall.change_share != 0.0) {
        fall.last_change = state->last_change;
    }
    for (int k = 0; k < 3; ++k) {
        double g = problem->step->gravity[k];
        fall.origin[k] = problem->origin[k];
        fall.pull[k] = problem->h2 * g;
        fall.guess_pull[k] = dt * dt * g;
        fall.weigh[k] = weighs ? g / (last_dt * job->weight2) : 0.0;
    }
    return fall;
}

bool sn_split_begin(SnSplitProblem *problem, const SnSplitRule *rule, bool from_aim)
{
    SnSplit *body = problem->body;
    const double *g = problem->step->gravity;
    Job job = {.problem = problem,
               .rule = rule,
               .weight2 = g[0] * g[0] + g[1] * g[1] + g[2] * g[2],
               .from_aim = from_aim};
    bool weighs = problem->step->load_count == 0 && !is_damped(body);
    job.fall = fall_of(&job);
    bool moved = aim_pins(body, problem->step->pin_motions);
    sn_parallel_for(problem->workers, body->elements.vertex_count, GRAIN,
                    weighs ? fall_range : begin_range, &job);
    begin_pins(body);
    return moved;
}

// Inertia less loads on pinned vertices, from the state before the step, into the room's `force`.
static void balance_pins(const Job *job)
{
    SnSplit *body = job->problem->body;
    const SnSplitRule *rule = job->rule;
    const SnSplitState *state = &body->state;
    const SnPinSet *set = &body->pins.set;
    for (int i = 0; i < 3 * set->start[set->count]; ++i) {
        size_t v = (size_t)set->vertices[i / 3];
        size_t at = 3 * v + (size_t)(i % 3);
        double move = (double)body->room.move[3 * (size_t)body->inside[v] + (size_t)(i % 3)];
        double v0 =
            rule->move_rate * state->last_move[at] + rule->velocity_rate * state->velocities[at];
        double h2_a = move + rule->h * v0 + rule->velocity_time * state->velocities[at] +
                      rule->change_time * state->last_change[at];
        body->room.force[at] = body->masses[v] * h2_a / (rule->h * rule->h) +
                               body->damp[v] * (move / rule->h + v0) -
                               sn_split_load_at(job->problem, v, (size_t)(i % 3));
    }
}

// Vertices [begin, end) outside. Counts components that are no finite numbers. The history is kept
// where something reads it.
static int end_vertices(const Job *job, int begin, int end)
{
    const SnSplit *body = job->problem->body;
    const SnSplitState *state = &body->state;
    const SnSplitRule *rule = job->rule;
    double rate = 1.0 / rule->h;
    bool two_steps = body->options.integrator == SINEW_INTEGRATOR_BDF2;
    bool guesses = two_steps || body->options.mode == SINEW_SPLIT_IMPLICIT;
    int bad = 0;
    for (int v = begin; v < end; ++v) {
        const float *moves = body->room.move + 3 * (size_t)body->inside[v];
        for (size_t k = 0; k < 3; ++k) {
            size_t at = 3 * (size_t)v + k;
            double move = (double)moves[k];
            double speed = move * rate;
            if (two_steps) {
                speed += rule->move_rate * state->last_move[at];
                state->last_move[at] = move;
            }
            if (rule->keeps_acceleration) {
                // Before velocities change.
                double v0 = rule->velocity_rate * state->velocities[at];
                double h2_a = move + rule->h * v0 + rule->velocity_time * state->velocities[at] +
                              rule->change_time * state->last_change[at];
                speed += v0;
                state->last_change[at] = h2_a * rate * rate;
            } else if (guesses) {
                state->last_change[at] = speed - state->velocities[at];
            }
            state->velocities[at] = speed;
            state->positions[at] += move;
            bad += isfinite(state->positions[at]) ? 0 : 1;
        }
    }
    return bad;
}

// Bundles of vertices that lie side by side outside, so that no two workers write to one line of
// the cache, in the order in which they are met inside, so that the state of most vertices stays
// with the worker that also begins with them.
static void end_range(void *context, int begin, int end, double *sums)
{
    const Job *job = context;
    const SnSplit *body = job->problem->body;
    int bad = 0;
    for (int i = begin, next; i < end; i = next) {
        int bundle = i / SN_SPLIT_BUNDLE;
        next = (bundle + 1) * SN_SPLIT_BUNDLE < end ? (bundle + 1) * SN_SPLIT_BUNDLE : end;
        int shift = SN_SPLIT_BUNDLE * (body->bundles[bundle] - bundle);
        int last = next + shift;
        last = last < body->elements.vertex_count ? last : body->elements.vertex_count;
        bad += end_vertices(job, i + shift, last);
    }
    sums[0] = bad;
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
    Job job = {.problem = problem, .rule = rule};
    const SnPointForces *contacts = problem->step->contacts;
    double bad;
    balance_pins(&job);
    if (contacts != NULL && body->pins.set.count > 0) {
        sn_split_points_balance(contacts, body->room.force);
    }
    if (problem->damped && body->pins.set.count > 0) {
        sn_split_damping_balance(problem, body->room.force);
    }
    sn_split_pins_record(body, body->room.force);
    sn_parallel_sum(problem->workers, body->bundle_count * SN_SPLIT_BUNDLE, 1, end_range, &job,
                    &bad);
    sn_split_pins_target(body, problem->step->pin_motions, body->state.positions);
    body->state.clock[SN_SPLIT_LAST_DT] = problem->step->dt;
    return bad > 0.0 ? check(body, error) : SINEW_OK;
}

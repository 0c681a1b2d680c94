// Bodies of `split` that hang by a hand: the tables of [B], on the armadillo meshes where those are
// there and on blobs of about the same sizes always. ms a step unless said; one thread, and all of
// them in the entries that end in .parallel.
//
// split.MESH.step      mode paper, one pass and one volume iteration, E 1e6 Pa, nu 0.33, 10 ms,
//                      with the times of its phases in us and the MB that a step cannot do without
//                      moving, which the limit is made of
// split.MESH.setup     everything to the end of the first step of that, s
// split.MESH.memory    what it takes at most, MB
// split.MESH.accurate  the implicit step with accuracy 1e-2, the cheapest that follows converged
//                      backward Euler to 1 % of the mean displacement (armadillo_16k)
// split.MESH.young_E, dt_MS   `step` at other stiffness and time steps: it should not change
// split.MESH.curve.RULE_NxM   time and error of N linearisations of M conjugate gradients in half a
//                      second of swinging. error_%: largest over ten output times of the distance
//                      of the mean displacement from what it should be, relative to that;
//                      of_largest_%: relative to the largest of the ten. Euler's should be
//                      converged backward Euler, BDF2's the motion as the time step goes to 0
// split.MESH.newton    the same body by `newton`
#include "bench/hanging.h"
#include "bench/swing.h"

#include "base/clock.h"
#include "model/split/system.h"

#include <math.h>
#include <string.h>

typedef enum Kind { STEP, SETUP, MEMORY, ACCURATE, YOUNG, DT, CURVE, NEWTON } Kind;

typedef struct Case {
    const char *mesh;
    const char *name; // after the mesh
    Kind kind;
    double value;   // Pa or s
    int newton;     // of a curve
    int pcg;        //
    bool bdf2;      //
    bool one_alone; // no entry for all threads
} Case;

#define ONE_MESH(m)                                                                                \
    {.mesh = m, .name = "step", .kind = STEP}, {.mesh = m, .name = "accurate", .kind = ACCURATE},
#define SET_UP(m)                                                                                  \
    {.mesh = m, .name = "setup", .kind = SETUP, .one_alone = true},                                \
        {.mesh = m, .name = "memory", .kind = MEMORY, .one_alone = true},
#define OTHER(m, n, k, v) {.mesh = m, .name = n, .kind = k, .value = v, .one_alone = true},
#define TABLES(m)                                                                                  \
    OTHER(m, "young_1e5", YOUNG, 1e5)                                                              \
    OTHER(m, "young_1e6", YOUNG, 1e6)                                                              \
    OTHER(m, "young_1e7", YOUNG, 1e7)                                                              \
    OTHER(m, "dt_5", DT, 0.005)                                                                    \
    OTHER(m, "dt_10", DT, 0.01)                                                                    \
    OTHER(m, "dt_17", DT, 0.0167)                                                                  \
    OTHER(m, "dt_33", DT, 0.0333)
#define POINT(m, n, r, a, b)                                                                       \
    {.mesh = m, .name = n, .kind = CURVE, .newton = a, .pcg = b, .bdf2 = r, .one_alone = true},
#define CURVES(m)                                                                                  \
    POINT(m, "curve.euler_1x1", false, 1, 1)                                                       \
    POINT(m, "curve.euler_2x1", false, 2, 1)                                                       \
    POINT(m, "curve.euler_2x2", false, 2, 2)                                                       \
    POINT(m, "curve.euler_2x3", false, 2, 3)                                                       \
    POINT(m, "curve.euler_3x3", false, 3, 3)                                                       \
    POINT(m, "curve.euler_1e-2", false, 0, 0)                                                      \
    POINT(m, "curve.bdf2_2x1", true, 2, 1)                                                         \
    POINT(m, "curve.bdf2_2x2", true, 2, 2)                                                         \
    POINT(m, "curve.bdf2_2x3", true, 2, 3)                                                         \
    POINT(m, "curve.bdf2_3x3", true, 3, 3)                                                         \
    POINT(m, "curve.bdf2_1e-2", true, 0, 0)

static const Case cases[] = {
    // clang-format off
    ONE_MESH("blob_6k") ONE_MESH("blob_16k") TABLES("blob_16k") ONE_MESH("blob_33k")
    ONE_MESH("blob_55k") ONE_MESH("blob_173k") ONE_MESH("blob_331k")
    ONE_MESH("armadillo_4k") ONE_MESH("armadillo_6k") ONE_MESH("armadillo_10k")
    ONE_MESH("armadillo_16k") SET_UP("armadillo_16k")
    TABLES("armadillo_16k") CURVES("armadillo_16k") OTHER("armadillo_16k", "newton", NEWTON, 0.0)
    ONE_MESH("armadillo_33k") ONE_MESH("armadillo_55k") ONE_MESH("armadillo_55k_shuf")
    ONE_MESH("armadillo_173k") ONE_MESH("armadillo_331k") SET_UP("armadillo_331k")
    // clang-format on
};

enum { CASES = sizeof cases / sizeof *cases };

// What is wanted of one thread, in the unit of the entry.
static const struct {
    const char *mesh;
    const char *name;
    double goal;
} goals[] = {{"armadillo_6k", "step", 0.14},           {"armadillo_16k", "step", 0.40},
             {"armadillo_55k", "step", 1.9},           {"armadillo_55k_shuf", "step", 1.9},
             {"armadillo_173k", "step", 9.5},          {"armadillo_331k", "step", 20.0},
             {"armadillo_331k", "setup", 3.0},         {"armadillo_331k", "memory", 350.0},
             {"armadillo_16k", "accurate", 2.0},       {"armadillo_16k", "curve.euler_1e-2", 2.0},
             {"armadillo_16k", "curve.bdf2_1e-2", 2.2}};

// What entries share.
typedef struct State {
    double limit_motion[SN_SWING_TIMES][3]; // as the time step goes to 0
    bool has_limit;
} State;

static SinewStatus list(SnBench *bench, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int i = 0; i < CASES; ++i) {
        char name[SN_BENCH_NAME];
        snprintf(name, sizeof name, "split.%s.%s", cases[i].mesh, cases[i].name);
        SN_TRY(sn_bench_add(bench, &sn_bench_split, name, bench->kernels, SN_ONE_THREAD, i, error));
        if (!cases[i].one_alone && bench->threads > 1) {
            strncat(name, ".parallel", sizeof name - strlen(name) - 1);
            SN_TRY(sn_bench_add(bench, &sn_bench_split, name, bench->kernels, SN_ALL_THREADS, i,
                                error));
        }
    }
done:
    return status;
}

static SinewStatus open_state(SnBench *bench, void **out_state, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    State *state = NULL;
    (void)bench;
    SN_ALLOC_ZERO(state, NULL, 1, error);
    *out_state = state;
done:
    return status;
}

static void close_state(void *state)
{
    sn_free(NULL, state);
}

static SnHangingPlan plan_of(const Case *c)
{
    SnHangingPlan plan = sn_hanging_plan(c->mesh);
    if (c->kind == ACCURATE || c->kind == CURVE) {
        plan.split.mode = SINEW_SPLIT_IMPLICIT;
        plan.split.accuracy = 1e-2;
        plan.split.newton = c->newton;
        plan.split.pcg = c->pcg;
        plan.split.integrator = c->bdf2 ? SINEW_INTEGRATOR_BDF2 : SINEW_INTEGRATOR_EULER;
    }
    plan.young = c->kind == YOUNG ? c->value : plan.young;
    plan.dt = c->kind == DT ? c->value : plan.dt;
    plan.model = c->kind == NEWTON ? &sn_newton_model : plan.model;
    return plan;
}

// Bytes that a step of mode paper cannot do without: what its tets and its vertices are read and
// written once, and the factor twice.
static SnBenchWork work_of(const SnHanging *rig, bool paper)
{
    const SnSplit *body = rig->body;
    double tets = body->elements.count;
    double vertices = body->elements.vertex_count;
    double factor = (double)sn_cholesky_info(body->system->cholesky).solve_reads;
    double passes = paper ? 1.0 : 6.0;
    return (SnBenchWork){.items = 1.0,
                         .bytes_read =
                             4.0 * passes * (factor + (17.0 + 6.0) * tets) + 8.0 * 12.0 * vertices,
                         .bytes_written = 4.0 * 4.0 * tets + 8.0 * 9.0 * vertices,
                         .flops = passes * 600.0 * tets,
                         .working_set = 2.0 * factor + 4.0 * (paper ? 27.0 : 31.0) * tets};
}

static void add_phases(SnHanging *rig, SnBenchResult *out_result)
{
    static const char *const names[SN_SPLIT_PHASE_COUNT] = {
        "predict_us", "local_us", "forward_us", "backward_us", "volume_us", "velocity_us"};
    enum { RUNS = 20 };
    SnSplit *body = rig->body;
    double least[SN_SPLIT_PHASE_COUNT] = {0.0};
    for (int run = 0; run < RUNS; ++run) {
        double phases[SN_SPLIT_PHASE_COUNT] = {0.0};
        body->phases = phases;
        sn_hanging_step(rig, NULL);
        for (int k = 0; k < SN_SPLIT_PHASE_COUNT; ++k) {
            least[k] = run == 0 || phases[k] < least[k] ? phases[k] : least[k];
        }
    }
    body->phases = NULL;
    for (int k = 0; k < SN_SPLIT_PHASE_COUNT; ++k) {
        sn_bench_figure(out_result, names[k], least[k] * 1e6);
    }
}

// BDF2 converged at an eighth of the step: within 0.1 % of the limit, for its error falls with the
// square of the step.
static SinewStatus find_limit(const SnBench *bench, const SnBenchEntry *entry, State *state,
                              SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnHangingPlan plan = plan_of(&cases[entry->index]);
    SnHanging *rig = NULL;
    plan.dt = 0.01 / 8.0;
    plan.split.newton = plan.split.pcg = 3;
    SN_TRY(sn_hanging_create(bench, &plan, entry->kernels, NULL, out_result, &rig, error));
    if (rig != NULL) {
        sn_swing_run(rig, 8 * SN_SWING_STEPS, 1, state->limit_motion);
        state->has_limit = true;
    }
done:
    sn_hanging_destroy(rig);
    return status;
}

static SinewStatus run_curve(const SnBench *bench, State *state, const SnBenchEntry *entry,
                             SnHanging *rig, SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    bool bdf2 = cases[entry->index].bdf2;
    double means[SN_SWING_TIMES][3];
    double least = sn_swing_run(rig, SN_SWING_STEPS, 5, means);
    if (bdf2 && !state->has_limit) {
        SN_TRY(find_limit(bench, entry, state, out_result, error));
    }
    out_result->unit = "ms";
    out_result->value = out_result->median = least * 1e3;
    sn_swing_errors(means, bdf2 ? (const double(*)[3])state->limit_motion : sn_swing_euler,
                    out_result);
done:
    return status;
}

// Too slow to be clocked at length.
static void run_newton(SnHanging *rig, SnBenchResult *out_result)
{
    double least = INFINITY;
    for (int i = 0; i < 2; ++i) {
        double begin = sn_clock_seconds();
        sn_hanging_step(rig, NULL);
        least = fmin(least, sn_clock_seconds() - begin);
    }
    out_result->unit = "ms";
    out_result->value = out_result->median = least * 1e3;
}

static void run_step(const SnBench *bench, const SnBenchEntry *entry, SnHanging *rig,
                     SnBenchResult *out_result)
{
    bool paper = cases[entry->index].kind != ACCURATE;
    SnBenchTask task = {NULL, sn_hanging_step, rig};
    SnBenchTime time = sn_bench_time(bench, entry, &task);
    SnBenchWork work = work_of(rig, paper);
    sn_bench_fill(bench, entry, time, &work, "ms", out_result);
    sn_bench_figure(out_result, "MB", 1e-6 * (work.bytes_read + work.bytes_written));
    if (cases[entry->index].kind == STEP) {
        add_phases(rig, out_result);
    }
}

static void add_goal(const Case *c, const SnBenchEntry *entry, SnBenchResult *out_result)
{
    for (size_t i = 0; i < sizeof goals / sizeof *goals; ++i) {
        if (entry->threading == SN_ONE_THREAD && strcmp(goals[i].mesh, c->mesh) == 0 &&
            strcmp(goals[i].name, c->name) == 0) {
            sn_bench_figure(out_result, "goal", goals[i].goal);
        }
    }
}

static SinewStatus run(SnBench *bench, void *state, const SnBenchEntry *entry,
                       SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const Case *c = &cases[entry->index];
    SnHangingPlan plan = plan_of(c);
    SnHanging *rig = NULL;
    SnWorkers *workers = entry->threading == SN_ALL_THREADS ? bench->workers : NULL;
    SN_TRY(sn_hanging_create(bench, &plan, entry->kernels, workers, out_result, &rig, error));
    if (rig == NULL) {
        goto done;
    }
    if (c->kind == SETUP || c->kind == MEMORY) {
        out_result->unit = c->kind == SETUP ? "s" : "MB";
        out_result->value = c->kind == SETUP ? rig->setup : (double)rig->tally.most * 1e-6;
        out_result->median = out_result->value;
    } else if (c->kind == CURVE) {
        SN_TRY(run_curve(bench, state, entry, rig, out_result, error));
    } else if (c->kind == NEWTON) {
        run_newton(rig, out_result);
    } else {
        run_step(bench, entry, rig, out_result);
    }
    sn_bench_figure(out_result, "tets", rig->model->mesh(rig->body).element_count);
    add_goal(c, entry, out_result);
    status = rig->status;

done:
    sn_hanging_destroy(rig);
    return status;
}

const SnBenchGroup sn_bench_split = {
    .name = "split", .list = list, .open = open_state, .close = close_state, .run = run};

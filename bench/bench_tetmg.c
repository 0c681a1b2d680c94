// Bodies of `tetmg` that hang by a hand: the tables of [D] on blobs always, on a bunny, a horse and
// the armadillo meshes where those are there. ms a step unless said, E 1e6 Pa, nu 0.33, 10 ms; one
// thread, and all of them in the entries that end in .parallel.
//
// tetmg.MESH.accurate  the implicit step with accuracy 1e-2, the cheapest that follows converged
//                      backward Euler to 1 % of the mean displacement (tetmg.16k.curve)
// tetmg.MESH.stiff     the same at E 1e7 Pa
// tetmg.MESH.setup     everything to the end of the first step, s
// tetmg.MESH.paper     a step of mode paper, with the times of its phases in us and steps a second
// tetmg.MESH.stream, gather, two_stage, plain   the update of its coarse matrices by each product
// tetmg.16k.curve.RULE_NxM  time and error of N linearisations of M conjugate gradients in half a
//                      second of swinging, as split.MESH.curve has them; exact_ and warped_NxM
//                      with those tangents, 1e-2 and 1e-3 by accuracy
// tetmg.MESH.beside_E and first_E are in bench_tetmg_beside.c.
#include "bench/hanging.h"
#include "bench/swing.h"

#include "model/tetmg/hierarchy.h"

#include <string.h>

typedef enum Kind { ACCURATE, STIFF, SETUP, PAPER, PRODUCT, CURVE } Kind;

typedef struct Case {
    const char *mesh; // of hanging.h
    const char *name; // "16k.accurate"
    Kind kind;
    SinewTetmgProduct product;
    bool one_alone; // no entry for all threads
    int newton;     // of a curve
    int pcg;        //
    double accuracy;
    bool bdf2;
    SinewTangent tangent;
} Case;

// clang-format off
#define ENTRY(m, n, k) .mesh = m, .name = n, .kind = k
#define TABLES(m, n)                                                                               \
    {ENTRY(m, n ".accurate", ACCURATE)}, {ENTRY(m, n ".stiff", STIFF)},                            \
    {ENTRY(m, n ".setup", SETUP), .one_alone = true}, {ENTRY(m, n ".paper", PAPER)},               \
    {ENTRY(m, n ".stream", PRODUCT), .product = SINEW_PRODUCT_STREAM},                             \
    {ENTRY(m, n ".gather", PRODUCT), .product = SINEW_PRODUCT_GATHER},                             \
    {ENTRY(m, n ".two_stage", PRODUCT), .product = SINEW_PRODUCT_TWO_STAGE},                       \
    {ENTRY(m, n ".plain", PRODUCT), .product = SINEW_PRODUCT_PLAIN, .one_alone = true},
#define POINT(n, a, b, c, r, t)                                                                    \
    {ENTRY("armadillo_16k", "16k.curve." n, CURVE), .one_alone = true, .newton = a, .pcg = b,      \
     .accuracy = c, .bdf2 = r, .tangent = t},

static const Case cases[] = {
    TABLES("blob_11k", "11k") TABLES("blob_34k", "34k") TABLES("blob_67k", "67k")
    TABLES("bunny_11k", "bunny_11k") TABLES("bunny_34k", "bunny_34k")
    TABLES("bunny_67k", "bunny_67k") TABLES("horse_34k", "horse_34k")
    TABLES("armadillo_10k", "10k") TABLES("armadillo_16k", "16k") TABLES("armadillo_33k", "33k")
    TABLES("armadillo_55k", "55k") TABLES("armadillo_173k", "173k") TABLES("armadillo_331k", "331k")
    POINT("euler_1x2", 1, 2, 1e-2, false, SINEW_TANGENT_MIXED)
    POINT("euler_1x3", 1, 3, 1e-2, false, SINEW_TANGENT_MIXED)
    POINT("euler_1x4", 1, 4, 1e-2, false, SINEW_TANGENT_MIXED)
    POINT("euler_2x2", 2, 2, 1e-2, false, SINEW_TANGENT_MIXED)
    POINT("euler_2x4", 2, 4, 1e-2, false, SINEW_TANGENT_MIXED)
    POINT("exact_1x3", 1, 3, 1e-2, false, SINEW_TANGENT_EXACT)
    POINT("exact_2x2", 2, 2, 1e-2, false, SINEW_TANGENT_EXACT)
    POINT("warped_1x3", 1, 3, 1e-2, false, SINEW_TANGENT_WARPED)
    POINT("euler_1e-2", 0, 0, 1e-2, false, SINEW_TANGENT_MIXED)
    POINT("euler_1e-3", 0, 0, 1e-3, false, SINEW_TANGENT_MIXED)
};
// clang-format on

enum { CASES = sizeof cases / sizeof *cases };

static SinewStatus list(SnBench *bench, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int i = 0; i < CASES; ++i) {
        char name[SN_BENCH_NAME];
        snprintf(name, sizeof name, "tetmg.%s", cases[i].name);
        SN_TRY(sn_bench_add(bench, &sn_bench_tetmg, name, bench->kernels, SN_ONE_THREAD, i, error));
        if (!cases[i].one_alone && bench->threads > 1) {
            strncat(name, ".parallel", sizeof name - strlen(name) - 1);
            SN_TRY(sn_bench_add(bench, &sn_bench_tetmg, name, bench->kernels, SN_ALL_THREADS, i,
                                error));
        }
    }
done:
    return status;
}

static SnHangingPlan plan_of(const Case *c)
{
    SnHangingPlan plan = sn_hanging_plan(c->mesh);
    plan.model = &sn_tetmg_model;
    plan.young = c->kind == STIFF ? 1e7 : 1e6;
    plan.tetmg.accuracy = c->kind == CURVE ? c->accuracy : 1e-2;
    if (c->kind == PAPER || c->kind == PRODUCT) {
        plan.tetmg.mode = SINEW_TETMG_PAPER;
        plan.tetmg.accuracy = 1e-3;
        plan.tetmg.product = c->product;
    } else if (c->kind == CURVE) {
        plan.tetmg.newton = c->newton;
        plan.tetmg.pcg = c->pcg;
        plan.tetmg.integrator = c->bdf2 ? SINEW_INTEGRATOR_BDF2 : SINEW_INTEGRATOR_EULER;
        plan.tetmg.tangent = c->tangent;
    }
    return plan;
}

static void update(void *context, SnWorkers *workers)
{
    SnHanging *rig = context;
    SinewStatus status = sn_tetmg_hierarchy_update(rig->body, workers, NULL);
    rig->status = status < 0 ? status : rig->status;
}

static void add_phases(SnHanging *rig, SnBenchResult *out_result)
{
    static const char *const names[SN_TETMG_PHASE_COUNT] = {"rotate_us", "assemble_us", "update_us",
                                                            "solve_us"};
    enum { RUNS = 20 };
    SnTetmg *body = rig->body;
    double least[SN_TETMG_PHASE_COUNT] = {0.0};
    for (int run = 0; run < RUNS; ++run) {
        double phases[SN_TETMG_PHASE_COUNT] = {0.0};
        body->phases = phases;
        sn_hanging_step(rig, NULL);
        for (int k = 0; k < SN_TETMG_PHASE_COUNT; ++k) {
            least[k] = run == 0 || phases[k] < least[k] ? phases[k] : least[k];
        }
    }
    body->phases = NULL;
    for (int k = 0; k < SN_TETMG_PHASE_COUNT; ++k) {
        sn_bench_figure(out_result, names[k], least[k] * 1e6);
    }
    sn_bench_figure(out_result, "steps_s", 1e3 / out_result->value);
}

static void run_step(const SnBench *bench, const SnBenchEntry *entry, SnHanging *rig,
                     SnBenchResult *out_result)
{
    Kind kind = cases[entry->index].kind;
    double tets = rig->model->mesh(rig->body).element_count;
    SnBenchTask task = {NULL, kind == PRODUCT ? update : sn_hanging_step, rig};
    SnBenchTime time = sn_bench_time(bench, entry, &task);
    // A gradient and an energy read a tet's 27 numbers and write 16; its six blocks are written
    // and read once; an iteration reads 12 blocks a vertex four times, and there are about six
    // tets a vertex.
    double blocks = 12.0 * 9.0 / 6.0;
    SnBenchWork work = {.items = 1.0,
                        .bytes_read = 4.0 * (2.0 * 27.0 + 54.0 + 4.0 * rig->solves * blocks) * tets,
                        .bytes_written = 4.0 * (16.0 + 54.0) * tets,
                        .flops = (500.0 + 8.0 * rig->solves * blocks) * tets,
                        .working_set = 4.0 * (27.0 + 54.0 + blocks) * tets};
    sn_bench_fill(bench, entry, time, &work, "ms", out_result);
    sn_bench_figure(out_result, "solves", rig->solves);
    if (kind == PAPER) {
        add_phases(rig, out_result);
    }
}

static SinewStatus run_rig(const SnBench *bench, const SnBenchEntry *entry, SnHanging *rig,
                           SnBenchResult *out_result)
{
    double means[SN_SWING_TIMES][3];
    switch (cases[entry->index].kind) {
    case SETUP:
        out_result->unit = "s";
        out_result->value = out_result->median = rig->setup;
        break;
    case CURVE:
        out_result->unit = "ms";
        out_result->value = 1e3 * sn_swing_run(rig, SN_SWING_STEPS, 5, means);
        out_result->median = out_result->value;
        sn_swing_errors(means, sn_swing_euler, out_result);
        break;
    default:
        run_step(bench, entry, rig, out_result);
    }
    sn_bench_figure(out_result, "tets", rig->model->mesh(rig->body).element_count);
    return rig->status;
}

static SinewStatus run(SnBench *bench, void *state, const SnBenchEntry *entry,
                       SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const Case *c = &cases[entry->index];
    SnHangingPlan plan = plan_of(c);
    SnHanging *rig = NULL;
    SnWorkers *workers = entry->threading == SN_ALL_THREADS ? bench->workers : NULL;
    (void)state;
    SN_TRY(sn_hanging_create(bench, &plan, entry->kernels, workers, out_result, &rig, error));
    if (rig != NULL) {
        SN_TRY(run_rig(bench, entry, rig, out_result));
    }
done:
    sn_hanging_destroy(rig);
    return status;
}

const SnBenchGroup sn_bench_tetmg = {.name = "tetmg", .list = list, .run = run};

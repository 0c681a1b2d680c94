// multilevel.CASE.setup, .coarse and .fine: the solve of linear cost beside the factor of
// cholesky.CASE, with three right-hand sides of random numbers. `setup` makes all levels, `coarse`
// solves to a residual of 1e-3 and `fine` to 1e-6; ms. A solve is held against reading its matrices
// as often as its iterations do.
#include "bench/bench.h"
#include "bench/workload_matrix.h"

#include "base/random.h"
#include "solve/multilevel.h"

#include <string.h>

typedef enum Phase { SETUP, COARSE, FINE, PHASES } Phase;

static const char *const phase_names[PHASES] = {"setup", "coarse", "fine"};
static const double tolerances[PHASES] = {0.0, 1e-3, 1e-6};

typedef struct Case {
    const char *name;
    int side; // points along a grid's edge; 0: a mesh
} Case;

static const Case cases[] = {{"grid_100k", 46},    {"grid_1m", 100},      {"armadillo_16k", 0},
                             {"armadillo_55k", 0}, {"armadillo_173k", 0}, {"armadillo_331k", 0}};

enum { CASES = sizeof cases / sizeof *cases };

// One entry while it runs.
typedef struct Run {
    const SnKernels *kernels;
    SnBenchMatrix values;
    SnSparse matrix;
    SnMultilevel *multilevel;
    SnMultilevelWork *work;
    SnMultilevelGoal goal;
    float *b, *x;
    SnSolveReport report;
    SinewStatus status; // of the last call
    SinewError error;
} Run;

static SinewStatus list(SnBench *bench, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (sn_bench_leaves_out(bench, "multilevel")) {
        goto done;
    }
    for (int i = 0; i < CASES * PHASES; ++i) {
        char name[SN_BENCH_NAME];
        snprintf(name, sizeof name, "multilevel.%s.%s", cases[i / PHASES].name,
                 phase_names[i % PHASES]);
        SN_TRY(sn_bench_add(bench, &sn_bench_multilevel, name, bench->kernels, SN_ONE_THREAD, i,
                            error));
        if (i % PHASES >= COARSE && bench->threads > 1) {
            strncat(name, ".parallel", sizeof name - strlen(name) - 1);
            SN_TRY(sn_bench_add(bench, &sn_bench_multilevel, name, bench->kernels, SN_ALL_THREADS,
                                i, error));
        }
    }
done:
    return status;
}

static SinewStatus load(const SnBench *bench, const Case *chosen, Run *run, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBenchMesh mesh = {0};
    if (chosen->side > 0) {
        SN_TRY(sn_matrix_of_grid(chosen->side, 7, &run->values, error));
    } else {
        SN_TRY(sn_mesh_read_armadillo(bench->data_folder, chosen->name, &mesh, error));
        SN_TRY(sn_matrix_of_mesh(&mesh, &run->values, error));
    }
    run->matrix = (SnSparse){.count = run->values.count,
                             .block = 1,
                             .row_start = run->values.row_start,
                             .column = run->values.column,
                             .value = run->values.value};
done:
    sn_mesh_release(&mesh);
    return status;
}

static void set_up(void *context, SnWorkers *workers)
{
    Run *run = context;
    (void)workers;
    sn_multilevel_destroy(run->multilevel);
    run->multilevel = NULL;
    run->status =
        sn_multilevel_create(&run->matrix, run->kernels, NULL, &run->multilevel, &run->error);
}

static void prepare(void *context)
{
    Run *run = context;
    memcpy(run->x, run->b, 3 * (size_t)run->matrix.count * sizeof *run->x);
}

static void solve(void *context, SnWorkers *workers)
{
    Run *run = context;
    run->status = sn_multilevel_solve(run->multilevel, run->work, workers, &run->goal, run->x,
                                      &run->report, &run->error);
}

static SinewStatus make_run(const SnBench *bench, const SnBenchEntry *entry, Run *run,
                            SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnRandom random = {1};
    SN_TRY(load(bench, &cases[entry->index / PHASES], run, error));
    size_t count = 3 * (size_t)run->matrix.count;
    run->kernels = entry->kernels;
    run->goal = (SnMultilevelGoal){tolerances[entry->index % PHASES], 100};
    SN_ALLOC(run->b, NULL, count, error);
    SN_ALLOC(run->x, NULL, count, error);
    for (size_t i = 0; i < count; ++i) {
        run->b[i] = (float)sn_random_between(&random, -1.0, 1.0);
    }
    SN_TRY(sn_multilevel_create(&run->matrix, run->kernels, NULL, &run->multilevel, error));
    SN_TRY(sn_multilevel_work_create(run->multilevel, bench->threads, &run->work, error));
done:
    return status;
}

static void add_figures(const Run *run, bool is_solve, SnBenchResult *out_result)
{
    SnMultilevelInfo info = sn_multilevel_info(run->multilevel);
    sn_bench_figure(out_result, "unknowns", run->matrix.count);
    sn_bench_figure(out_result, "levels", info.levels);
    sn_bench_figure(out_result, "complexity", info.complexity);
    sn_bench_figure(out_result, "bytes", (double)info.bytes);
    if (is_solve) {
        sn_bench_figure(out_result, "iterations", run->report.iterations);
        sn_bench_figure(out_result, "residual", run->report.residual);
    }
}

static SinewStatus run_entry(SnBench *bench, void *state, const SnBenchEntry *entry,
                             SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const Case *chosen = &cases[entry->index / PHASES];
    Phase phase = (Phase)(entry->index % PHASES);
    Run run = {0};
    (void)state;
    if (chosen->side == 0 && !sn_mesh_has_armadillo(bench->data_folder, chosen->name)) {
        sn_bench_skip(out_result, "%.100s holds no %s.node and .ele", bench->data_folder,
                      chosen->name);
        return SINEW_OK;
    }
    SN_TRY(make_run(bench, entry, &run, error));
    static void (*const runs[PHASES])(void *, SnWorkers *) = {set_up, solve, solve};
    bool is_solve = phase >= COARSE;
    SnBenchTask task = {is_solve ? prepare : NULL, runs[phase], &run};
    SnBenchTime time = sn_bench_time(bench, entry, &task);
    if (run.status < 0) {
        SN_TRY(sn_fail(error, run.status, "%s", run.error.text));
    }
    SnMultilevelInfo info = sn_multilevel_info(run.multilevel);
    double entries = run.values.row_start[run.values.count];
    double reads = is_solve ? (double)info.cycle_reads * run.report.iterations : 12.0 * entries;
    SnBenchWork work = {.items = 1.0,
                        .bytes_read = reads,
                        .flops = 0.75 * reads, // six a number and its place
                        .precision = SN_FLOAT,
                        .working_set = is_solve ? (double)info.bytes : 12.0 * entries};
    sn_bench_fill(bench, entry, time, &work, "ms", out_result);
    add_figures(&run, is_solve, out_result);
done:
    sn_multilevel_work_destroy(run.work);
    sn_multilevel_destroy(run.multilevel);
    sn_matrix_release(&run.values);
    sn_free(NULL, run.b);
    sn_free(NULL, run.x);
    return status;
}

const SnBenchGroup sn_bench_multilevel = {.name = "multilevel", .list = list, .run = run_entry};

// cholesky.CASE.analyse, .factor and .solve: the prefactored solver with three right-hand sides on
// grids of 1k to 100k unknowns, and on the matrices of the armadillo meshes where those are there.
//
// A solve is held against reading the factor's entries twice, forward and backward, as floats; the
// zeros and the padding that joined supernodes store count as lost. A factorisation is held against
// the peak of multiply-adds in double. An analysis has no such limit: it is held against reading
// the pattern once, which no ordering can do.
#include "bench/bench.h"
#include "bench/workload_matrix.h"

#include "base/random.h"
#include "solve/cholesky.h"

#include <math.h>
#include <string.h>

enum { RIGHT_SIDES = 3 };

typedef enum Phase { ANALYSE, FACTOR, SOLVE, PHASES } Phase;

static const char *const phase_names[PHASES] = {"analyse", "factor", "solve"};

typedef struct Case {
    const char *name;
    int side; // points along a grid's edge; 0: a mesh
    bool
        in_rows; // its solve is measured in every row of the kernel table, not the picked one alone
    bool quick;  // also with --quick
} Case;

static const Case cases[] = {
    {"grid_1k", 10, false, true},        {"grid_10k", 22, true, true},
    {"grid_30k", 31, false, false},      {"grid_100k", 46, false, false},
    {"armadillo_16k", 0, true, false},   {"armadillo_55k", 0, false, false},
    {"armadillo_173k", 0, false, false}, {"armadillo_331k", 0, false, false},
};

enum { CASE_COUNT = sizeof cases / sizeof *cases };

// The case that was measured last: entries of one case follow each other.
typedef struct State {
    int present; // case, -1: none
    SnBenchMatrix matrix;
    SnSparse sparse;
} State;

static SinewStatus list(SnBench *bench, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int c = 0; c < CASE_COUNT; ++c) {
        char name[SN_BENCH_NAME];
        snprintf(name, sizeof name, "cholesky.%s", cases[c].name);
        if (!cases[c].quick && sn_bench_leaves_out(bench, name)) {
            continue;
        }
        for (int phase = ANALYSE; phase < PHASES; ++phase) {
            int index = c * PHASES + phase;
            snprintf(name, sizeof name, "cholesky.%s.%s", cases[c].name, phase_names[phase]);
            if (phase == SOLVE && cases[c].in_rows) {
                SN_TRY(sn_bench_add_rows(bench, &sn_bench_cholesky, name, true, index, error));
                continue;
            }
            SN_TRY(sn_bench_add(bench, &sn_bench_cholesky, name, bench->kernels, SN_ONE_THREAD,
                                index, error));
            if (phase != ANALYSE && bench->threads > 1) {
                strncat(name, ".parallel", sizeof name - strlen(name) - 1);
                SN_TRY(sn_bench_add(bench, &sn_bench_cholesky, name, bench->kernels, SN_ALL_THREADS,
                                    index, error));
            }
        }
    }
done:
    return status;
}

static SinewStatus open_cholesky(SnBench *bench, void **out_state, SinewError *error)
{
    (void)bench;
    SinewStatus status = SINEW_OK;
    State *state = NULL;
    SN_ALLOC_ZERO(state, NULL, 1, error);
    state->present = -1;
    *out_state = state;
done:
    return status;
}

static void close_cholesky(void *context)
{
    State *state = context;
    if (state != NULL) {
        sn_matrix_release(&state->matrix);
        sn_free(NULL, state);
    }
}

static SinewStatus load_mesh(const char *folder, const char *name, SnBenchMatrix *out,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBenchMesh mesh = {0};
    SN_TRY(sn_mesh_read_armadillo(folder, name, &mesh, error));
    SN_TRY(sn_matrix_of_mesh(&mesh, out, error));
done:
    sn_mesh_release(&mesh);
    return status;
}

static SinewStatus load_case(const SnBench *bench, State *state, int index, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (state->present == index) {
        return SINEW_OK;
    }
    sn_matrix_release(&state->matrix);
    state->present = -1;
    if (cases[index].side > 0) {
        SN_TRY(sn_matrix_of_grid(cases[index].side, 7, &state->matrix, error));
    } else {
        SN_TRY(load_mesh(bench->data_folder, cases[index].name, &state->matrix, error));
    }
    state->sparse = (SnSparse){.count = state->matrix.count,
                               .block = 1,
                               .row_start = state->matrix.row_start,
                               .column = state->matrix.column,
                               .value = state->matrix.value};
    state->present = index;
done:
    return status;
}

// One entry while it runs.
typedef struct Run {
    SnCholeskyDef def;
    const SnSparse *matrix;
    SnCholesky *cholesky;
    SnCholeskyWork *work;
    float *b;
    float *x;
    double *exact;
    SinewStatus status; // of the last call
    SinewError error;
} Run;

static void run_analyse(void *context, SnWorkers *workers)
{
    (void)workers;
    Run *run = context;
    sn_cholesky_destroy(run->cholesky);
    run->cholesky = NULL;
    run->status = sn_cholesky_create(&run->def, run->matrix, &run->cholesky, &run->error);
}

static void run_factor(void *context, SnWorkers *workers)
{
    Run *run = context;
    run->status = sn_cholesky_factor(run->cholesky, run->matrix, workers, &run->error);
}

static void prepare_solve(void *context)
{
    Run *run = context;
    memcpy(run->x, run->b, (size_t)run->matrix->count * RIGHT_SIDES * sizeof *run->x);
}

static void run_solve(void *context, SnWorkers *workers)
{
    Run *run = context;
    run->status = sn_cholesky_solve_float(run->cholesky, run->work, workers, run->x, &run->error);
}

// |x - exact| / |exact| of a float solve of b, exact being the double solve of the same floats.
static SinewStatus relative_error(Run *run, double *out_error)
{
    SinewStatus status = SINEW_OK;
    size_t count = (size_t)run->matrix->count * RIGHT_SIDES;
    for (size_t i = 0; i < count; ++i) {
        run->exact[i] = (double)run->b[i];
    }
    prepare_solve(run);
    SN_TRY(sn_cholesky_solve_float(run->cholesky, run->work, NULL, run->x, &run->error));
    SN_TRY(sn_cholesky_solve_double(run->cholesky, run->work, NULL, run->exact, &run->error));
    double difference = 0.0;
    double size = 0.0;
    for (size_t i = 0; i < count; ++i) {
        double d = (double)run->x[i] - run->exact[i];
        difference += d * d;
        size += run->exact[i] * run->exact[i];
    }
    *out_error = sqrt(difference / size);
done:
    run->status = status;
    return status;
}

static void fill_random(Run *run)
{
    SnRandom random = {1};
    for (size_t i = 0; i < (size_t)run->matrix->count * RIGHT_SIDES; ++i) {
        run->b[i] = (float)sn_random_between(&random, -1.0, 1.0);
    }
}

// Errors for right-hand sides of random numbers, and for those of a random solution, the roughest
// there are: then b = A x is large where x is not, and its rounding to float alone costs the
// condition number times 6e-8.
static SinewStatus add_errors(Run *run, SnBenchResult *out_result)
{
    SinewStatus status = SINEW_OK;
    size_t count = (size_t)run->matrix->count * RIGHT_SIDES;
    double error = 0.0;
    double rough = 0.0;
    fill_random(run);
    SN_TRY(relative_error(run, &error));
    for (size_t i = 0; i < count; ++i) {
        run->exact[i] = (double)run->b[i];
    }
    double *product = run->exact + count;
    sn_sparse_multiply(run->matrix, NULL, RIGHT_SIDES, run->exact, product);
    for (size_t i = 0; i < count; ++i) {
        run->b[i] = (float)product[i];
    }
    SN_TRY(relative_error(run, &rough));
    sn_bench_figure(out_result, "error", error);
    sn_bench_figure(out_result, "error_rough", rough);
done:
    return status;
}

static SinewStatus make_run(const SnBench *bench, const SnBenchEntry *entry, Phase phase,
                            const SnSparse *matrix, Run *run, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t count = (size_t)matrix->count * RIGHT_SIDES;
    run->matrix = matrix;
    run->def = (SnCholeskyDef){.kernels = entry->kernels,
                               .ordering = SN_ORDERING_BEST,
                               .right_sides = RIGHT_SIDES,
                               .worker_count = bench->threads,
                               .keep_float = true};
    SN_ALLOC(run->b, NULL, count, error);
    SN_ALLOC(run->x, NULL, count, error);
    SN_ALLOC(run->exact, NULL, 2 * count, error);
    SN_TRY(sn_cholesky_create(&run->def, matrix, &run->cholesky, error));
    SN_TRY(sn_cholesky_work_create(run->cholesky, bench->threads, &run->work, error));
    if (phase != ANALYSE) {
        SN_TRY(sn_cholesky_factor(run->cholesky, matrix, NULL, error));
    }
    fill_random(run);
done:
    return status;
}

static void end_run(Run *run)
{
    sn_cholesky_work_destroy(run->work);
    sn_cholesky_destroy(run->cholesky);
    sn_free(NULL, run->exact);
    sn_free(NULL, run->x);
    sn_free(NULL, run->b);
    *run = (Run){.status = run->status, .error = run->error};
}

// The limit of each phase, as the top of this file explains.
static SnBenchWork work_of(const Run *run, Phase phase)
{
    SnCholeskyInfo info = sn_cholesky_info(run->cholesky);
    double entries = run->matrix->row_start[run->matrix->count];
    double fill = (double)info.fill;
    switch (phase) {
    case ANALYSE:
        return (SnBenchWork){
            .items = 1.0, .bytes_read = 4.0 * entries, .working_set = 4.0 * entries};
    case FACTOR:
        return (SnBenchWork){.items = 1.0,
                             .bytes_read = 12.0 * entries,
                             .bytes_written = 4.0 * fill,
                             .flops = info.factor_flops,
                             .precision = SN_DOUBLE,
                             .working_set = 12.0 * entries + 4.0 * fill};
    default:
        return (SnBenchWork){.items = 1.0,
                             .bytes_read = 2.0 * 4.0 * fill,
                             .flops = 4.0 * RIGHT_SIDES * fill,
                             .precision = SN_FLOAT,
                             .working_set = 4.0 * fill};
    }
}

static void add_sizes(const Run *run, SnBenchResult *out_result)
{
    SnCholeskyInfo info = sn_cholesky_info(run->cholesky);
    sn_bench_figure(out_result, "unknowns", run->matrix->count);
    sn_bench_figure(out_result, "entries", (double)info.fill);
    sn_bench_figure(out_result, "entries_metis", (double)info.fill_metis);
    sn_bench_figure(out_result, "entries_amd", (double)info.fill_amd);
    sn_bench_figure(out_result, "stored", (double)info.stored);
    sn_bench_figure(out_result, "bytes", (double)info.bytes);
}

// With a second factor that keeps doubles too, so that the timed one is as users have it.
static SinewStatus measure_errors(const SnBench *bench, const SnBenchEntry *entry,
                                  const SnSparse *matrix, SnBenchResult *out_result,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Run run = {0};
    SN_TRY(make_run(bench, entry, ANALYSE, matrix, &run, error));
    sn_cholesky_work_destroy(run.work);
    run.work = NULL;
    sn_cholesky_destroy(run.cholesky);
    run.cholesky = NULL;
    run.def.keep_double = true;
    SN_TRY(sn_cholesky_create(&run.def, matrix, &run.cholesky, error));
    SN_TRY(sn_cholesky_work_create(run.cholesky, bench->threads, &run.work, error));
    SN_TRY(sn_cholesky_factor(run.cholesky, matrix, NULL, error));
    SN_TRY(add_errors(&run, out_result));
done:
    end_run(&run);
    return status;
}

static SinewStatus run_entry(SnBench *bench, void *context, const SnBenchEntry *entry,
                             SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    State *state = context;
    int index = entry->index / PHASES;
    Phase phase = (Phase)(entry->index % PHASES);
    Run run = {0};
    if (cases[index].side == 0 && !sn_mesh_has_armadillo(bench->data_folder, cases[index].name)) {
        sn_bench_skip(out_result, "%.100s holds no %s.node and .ele", bench->data_folder,
                      cases[index].name);
        return SINEW_OK;
    }
    SN_TRY(load_case(bench, state, index, error));
    SN_TRY(make_run(bench, entry, phase, &state->sparse, &run, error));
    static void (*const runs[PHASES])(void *, SnWorkers *) = {run_analyse, run_factor, run_solve};
    SnBenchTask task = {
        .prepare = phase == SOLVE ? prepare_solve : NULL, .run = runs[phase], .context = &run};
    SnBenchTime time = sn_bench_time(bench, entry, &task);
    if (run.status < 0) {
        status = sn_fail(error, run.status, "%s", run.error.text);
        goto done;
    }
    SnBenchWork work = work_of(&run, phase);
    sn_bench_fill(bench, entry, time, &work, "ms", out_result);
    add_sizes(&run, out_result);
    end_run(&run);
    if (phase == SOLVE) {
        SN_TRY(measure_errors(bench, entry, &state->sparse, out_result, error));
    }
done:
    end_run(&run);
    return status;
}

const SnBenchGroup sn_bench_cholesky = {.name = "cholesky",
                                        .list = list,
                                        .open = open_cholesky,
                                        .close = close_cholesky,
                                        .run = run_entry};

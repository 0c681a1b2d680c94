#include "bench/charts.h"

#include "bench/workload_lattice.h"
#include "tool/chart/chart.h"

#include <math.h>
#include <string.h>

enum { PATH_MAX_LENGTH = 1024, POINTS_MAX = 32 };

static SinewStatus path_of(const char *folder, const char *name, char path[PATH_MAX_LENGTH],
                           SinewError *error)
{
    if (snprintf(path, PATH_MAX_LENGTH, "%s/%s", folder, name) >= PATH_MAX_LENGTH) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "the folder's name is too long");
    }
    return SINEW_OK;
}

// "PROCESSOR, 2 cores, avx512": under each title, so that a picture says where it comes from.
static void describe(const SnBench *bench, char *text, size_t size)
{
    snprintf(text, size, "%s, %d cores, %s", bench->machine.processor, bench->machine.cores,
             bench->kernels->isa);
}

static SinewStatus chart_machine(const SnBench *bench, const char *path, SinewError *error)
{
    const SnMachine *machine = &bench->machine;
    double size[SN_MACHINE_SIZES_MAX];
    double rate[4][SN_MACHINE_SIZES_MAX];
    char several[32];
    char several_update[32];
    snprintf(several, sizeof several, "read, %d threads", machine->threads);
    snprintf(several_update, sizeof several_update, "update, %d threads", machine->threads);
    const char *names[4] = {"read, 1 thread", "update, 1 thread", several, several_update};
    SnChartSeries series[4];
    int count = machine->threads > 1 ? 4 : 2;
    for (int s = 0; s < count; ++s) {
        int threading = s < 2 ? SN_ONE_THREAD : SN_ALL_THREADS;
        const SnCurve *curve = s % 2 == 0 ? &machine->read[threading] : &machine->update[threading];
        for (int i = 0; i < machine->size_count; ++i) {
            size[i] = (double)machine->size[i] / 1048576.0;
            rate[s][i] = 1e-9 * curve->rate[i];
        }
        series[s] = (SnChartSeries){.name = names[s],
                                    .x = size,
                                    .y = rate[s],
                                    .count = machine->size_count,
                                    .has_marks = 1,
                                    .is_dashed = s % 2};
    }
    char subtitle[160];
    describe(bench, subtitle, sizeof subtitle);
    SnLineChart chart = {.title = "What memory gives, by working set",
                         .subtitle = subtitle,
                         .x_label = "working set, MB",
                         .y_label = "GB/s",
                         .is_log_x = 1,
                         .is_log_y = 1,
                         .series = series,
                         .series_count = count};
    return sn_line_chart_write(&chart, path, NULL, error);
}

// A measured entry of the picked row whose name begins so, with one thread: the plain name, without
// .parallel or an instruction set.
static bool is_plain(const SnBench *bench, int e, const char *start)
{
    const SnBenchEntry *entry = &bench->entries[e];
    return entry->selected && bench->results[e].skipped[0] == '\0' &&
           strncmp(entry->name, start, strlen(start)) == 0 && entry->kernels == bench->kernels &&
           entry->threading == SN_ONE_THREAD;
}

static SinewStatus chart_rotation(const SnBench *bench, const char *path, SinewError *error)
{
    SnChartBar bars[POINTS_MAX];
    int count = 0;
    for (int e = 0; e < bench->entry_count && count < POINTS_MAX; ++e) {
        if (is_plain(bench, e, "rotation.")) {
            bars[count++] = (SnChartBar){.label = strchr(bench->entries[e].name, '.') + 1,
                                         .value = bench->results[e].value,
                                         .reference = bench->results[e].limit};
        }
    }
    char subtitle[160];
    describe(bench, subtitle, sizeof subtitle);
    SnBarChart chart = {.title = "Rotations of 3x3 matrices, one core",
                        .subtitle = subtitle,
                        .unit = "ns",
                        .reference_label = "limit of bytes and operations",
                        .bars = bars,
                        .bar_count = count};
    return sn_bar_chart_write(&chart, path, NULL, error);
}

static double figure_of(const SnBenchResult *result, const char *name)
{
    for (int f = 0; f < result->figure_count; ++f) {
        if (strcmp(result->figures[f].name, name) == 0) {
            return result->figures[f].value;
        }
    }
    return (double)NAN;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text);
    size_t tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

// Solves by unknowns: grids and meshes are two lines, each with its limit.
static SinewStatus chart_cholesky(const SnBench *bench, const char *path, SinewError *error)
{
    static const char *const families[] = {"cholesky.grid", "cholesky.armadillo"};
    static const char *const names[] = {"grid", "grid, limit", "armadillo", "armadillo, limit"};
    double unknowns[2][POINTS_MAX];
    double time[2][2][POINTS_MAX];
    SnChartSeries series[4];
    int series_count = 0;
    for (int family = 0; family < 2; ++family) {
        int count = 0;
        for (int e = 0; e < bench->entry_count && count < POINTS_MAX; ++e) {
            const char *name = bench->entries[e].name;
            if (is_plain(bench, e, families[family]) && ends_with(name, ".solve")) {
                unknowns[family][count] = figure_of(&bench->results[e], "unknowns");
                time[family][0][count] = bench->results[e].value;
                time[family][1][count++] = bench->results[e].limit;
            }
        }
        for (int line = 0; count > 0 && line < 2; ++line) {
            series[series_count++] = (SnChartSeries){.name = names[2 * family + line],
                                                     .x = unknowns[family],
                                                     .y = time[family][line],
                                                     .count = count,
                                                     .has_marks = line == 0,
                                                     .is_dashed = line};
        }
    }
    char subtitle[160];
    describe(bench, subtitle, sizeof subtitle);
    SnLineChart chart = {.title = "One solve with three right-hand sides, one core",
                         .subtitle = subtitle,
                         .x_label = "unknowns",
                         .y_label = "ms",
                         .is_log_x = 1,
                         .is_log_y = 1,
                         .series = series,
                         .series_count = series_count};
    return sn_line_chart_write(&chart, path, NULL, error);
}

// Entries whose names begin alike, as one line of error against time.
typedef struct Family {
    const char *start;
    const char *name;
    int is_dashed;
} Family;

enum { FAMILIES_MAX = 6 };

// Error, a figure of the entries, against their time: of static solves where the chart does not say
// otherwise.
static SinewStatus chart_errors(const SnBench *bench, const char *figure, const Family *families,
                                int family_count, SnLineChart chart, const char *path,
                                SinewError *error)
{
    double time[FAMILIES_MAX][POINTS_MAX];
    double wrong[FAMILIES_MAX][POINTS_MAX];
    SnChartSeries series[FAMILIES_MAX];
    char subtitle[160];
    for (int f = 0; f < family_count; ++f) {
        int count = 0;
        for (int e = 0; e < bench->entry_count && count < POINTS_MAX; ++e) {
            if (is_plain(bench, e, families[f].start)) {
                time[f][count] = bench->results[e].value;
                wrong[f][count++] = figure_of(&bench->results[e], figure);
            }
        }
        if (count > 0) {
            series[chart.series_count++] = (SnChartSeries){.name = families[f].name,
                                                           .x = time[f],
                                                           .y = wrong[f],
                                                           .count = count,
                                                           .has_marks = 1,
                                                           .is_dashed = families[f].is_dashed};
        }
    }
    describe(bench, subtitle, sizeof subtitle);
    chart.subtitle = subtitle;
    chart.x_label = chart.x_label != NULL ? chart.x_label : "ms a static solve, one core";
    chart.is_log_x = chart.is_log_y = 1;
    chart.series = series;
    return sn_line_chart_write(&chart, path, NULL, error);
}

// Both elements on both bars.
static SinewStatus chart_accuracy(const SnBench *bench, const char *path, SinewError *error)
{
    static const Family families[] = {{"lattice.cantilever.wilson", "cantilever, wilson", 0},
                                      {"lattice.cantilever.mcadams", "cantilever, mcadams", 1},
                                      {"lattice.torsion.wilson", "torsion, wilson", 0},
                                      {"lattice.torsion.mcadams", "torsion, mcadams", 1}};
    SnLineChart chart = {.title = "Error against time, 1, 2, 4 and 8 cells of thickness",
                         .y_label = "error, %"};
    return chart_errors(bench, "error", families, 4, chart, path, error);
}

// The bar of [C] figures 6 and 10.
static SinewStatus chart_bar(const SnBench *bench, const char *path, SinewError *error)
{
    static const Family families[] = {
        {"frames.bar.fitted", "frames, fitted", 0}, {"frames.bar.paper", "frames, mode paper", 1},
        {"frames.bar.affine", "frames, affine", 1}, {"frames.bar.springs_", "frames, springs", 0},
        {"frames.bar.lattice", "lattice", 0},       {"frames.bar.newton", "newton", 0}};
    SnLineChart chart = {.title =
                             "A bar bent by half its length: 3, 5 and 9 frames; 1, 2 and 4 cells",
                         .y_label = "tip off, % of the length"};
    return chart_errors(bench, "error", families, 6, chart, path, error);
}

static SinewStatus chart_voxel(const SnBench *bench, const char *path, SinewError *error)
{
    static const Family families[] = {
        {"voxel.accuracy.cantilever.condensed", "cantilever, condensed", 0},
        {"voxel.accuracy.cantilever.paper", "cantilever, paper", 1},
        {"voxel.accuracy.cantilever.lattice", "cantilever, lattice", 1},
        {"voxel.accuracy.rod.condensed", "rod, condensed", 0},
        {"voxel.accuracy.rod.paper", "rod, paper", 1},
        {"voxel.accuracy.rod.lattice", "rod, lattice", 1}};
    SnLineChart chart = {.title = "Error against time, 1 to 4 cells of thickness; lattice 4 to 16",
                         .y_label = "error, %"};
    return chart_errors(bench, "error", families, 6, chart, path, error);
}

// An armadillo of 16k tets that swings by a hand.
static SinewStatus chart_swing(const SnBench *bench, const char *path, SinewError *error)
{
    static const Family families[] = {
        {"split.armadillo_16k.curve.euler", "split", 0},
        {"tetmg.16k.curve.euler", "tetmg", 0},
        {"tetmg.16k.curve.exact", "tetmg, tangent exact", 1},
        {"split.armadillo_16k.curve.bdf2", "split, bdf2, against dt -> 0", 1}};
    SnLineChart chart = {.title = "A swing in steps of 10 ms: how far the mean displacement is off",
                         .x_label = "ms a step, one core",
                         .y_label = "error, %"};
    return chart_errors(bench, "error_%", families, 4, chart, path, error);
}

// Numbers up to the first that is below `least`.
static int count_above(const double *values, int count, double least)
{
    for (int i = 0; i < count; ++i) {
        if (!(values[i] > least)) {
            return i + 1;
        }
    }
    return count;
}

// [A fig 7]: residuals of V-cycles, of conjugate gradients with and without them, on its cube.
static SinewStatus chart_history(const SnBench *bench, const char *path, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    enum { ITERATIONS = 100, SIDE = 64, SIDE_QUICK = 16 };
    static const char *const names[] = {"V-cycles", "conjugate gradients with a V-cycle",
                                        "conjugate gradients alone",
                                        "V-cycles of damped Jacobi, 10 sweeps, mcadams"};
    double at[ITERATIONS + 1];
    double residuals[4][ITERATIONS + 1];
    SnChartSeries series[4];
    SnLatticeCube cube = {0};
    SnLatticeCubeDef def = {.kernels = bench->kernels,
                            .workers = bench->workers,
                            .cells = bench->quick ? SIDE_QUICK : SIDE,
                            .poisson = 0.3};
    for (int s = 0; s < 4; ++s) {
        if (s == 0 || s == 3) {
            sn_lattice_cube_release(&cube);
            def.element = s == 0 ? SINEW_LATTICE_WILSON : SINEW_LATTICE_MCADAMS;
            SN_TRY(sn_lattice_cube_create(&def, &cube, error));
        }
        if (s == 3) {
            cube.multigrid.smoother = sn_lattice_paper_smoother(10);
        }
        SN_TRY(sn_lattice_history(&cube.multigrid, bench->workers, (SnLatticeMethod)(s % 3),
                                  ITERATIONS, residuals[s], error));
        series[s] = (SnChartSeries){.name = names[s],
                                    .x = at,
                                    .y = residuals[s],
                                    .count = count_above(residuals[s], ITERATIONS + 1, 1e-8),
                                    .has_marks = s<2, .is_dashed = s> 1};
    }
    for (int i = 0; i <= ITERATIONS; ++i) {
        at[i] = i;
    }
    char subtitle[160];
    snprintf(subtitle, sizeof subtitle, "cube of %d^3 cells, two faces held, Poisson's ratio 0.3",
             def.cells);
    SnLineChart chart = {.title = "Relative residual by iteration",
                         .subtitle = subtitle,
                         .x_label = "iteration",
                         .y_label = "relative residual",
                         .is_log_y = 1,
                         .series = series,
                         .series_count = 4};
    SN_TRY(sn_line_chart_write(&chart, path, NULL, error));
done:
    sn_lattice_cube_release(&cube);
    return status;
}

// Whether something was measured whose name begins and ends so.
static bool has_any(const SnBench *bench, const char *start, const char *end)
{
    bool found = false;
    for (int e = 0; e < bench->entry_count; ++e) {
        const char *name = bench->entries[e].name;
        bool is_history = strcmp(start, "lattice.64.mgcg") == 0 && strcmp(name, start) == 0 &&
                          bench->entries[e].selected;
        found = found || is_history || (is_plain(bench, e, start) && ends_with(name, end));
    }
    return found;
}

typedef SinewStatus ChartFn(const SnBench *bench, const char *path, SinewError *error);

SinewStatus sn_bench_charts(const SnBench *bench, const char *folder, FILE *file, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    static const struct {
        const char *start, *end; // of names
        const char *file;
        ChartFn *write;
    } charts[] = {{"machine", "", "machine.svg", chart_machine},
                  {"rotation.", "", "rotation.svg", chart_rotation},
                  {"cholesky.", ".solve", "cholesky.svg", chart_cholesky},
                  {"lattice.", "wilson_1", "lattice_accuracy.svg", chart_accuracy},
                  {"voxel.accuracy.", "", "voxel_accuracy.svg", chart_voxel},
                  {"frames.bar.", "_5", "frames_bar.svg", chart_bar},
                  {"split.armadillo_16k.curve.", "", "swing.svg", chart_swing},
                  {"lattice.64.mgcg", "mgcg", "lattice_history.svg", chart_history}};
    for (size_t c = 0; c < sizeof charts / sizeof *charts; ++c) {
        char path[PATH_MAX_LENGTH];
        // The machine is measured in every run.
        if (c == 0 || has_any(bench, charts[c].start, charts[c].end)) {
            SN_TRY(path_of(folder, charts[c].file, path, error));
            SN_TRY(charts[c].write(bench, path, error));
            fprintf(file, "wrote %s\n", path);
        }
    }
done:
    return status;
}

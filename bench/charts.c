#include "bench/charts.h"

#include "bench/workload_lattice.h"
#include "io/chart.h"

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

// An entry of the picked row with one thread: the plain name, without .parallel or an instruction
// set.
static bool is_plain(const SnBench *bench, int e, const char *group)
{
    const SnBenchEntry *entry = &bench->entries[e];
    return entry->selected && bench->results[e].skipped[0] == '\0' &&
           strcmp(entry->group->name, group) == 0 && entry->kernels == bench->kernels &&
           entry->threading == SN_ONE_THREAD;
}

static SinewStatus chart_rotation(const SnBench *bench, const char *path, SinewError *error)
{
    SnChartBar bars[POINTS_MAX];
    int count = 0;
    for (int e = 0; e < bench->entry_count && count < POINTS_MAX; ++e) {
        if (is_plain(bench, e, "rotation")) {
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
            if (is_plain(bench, e, "cholesky") && ends_with(name, ".solve") &&
                strncmp(name, families[family], strlen(families[family])) == 0) {
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

// Error against time of static solves: a line a family of entries, which begin with its name.
typedef struct Accuracy {
    const char *group;
    const char *title;
    int count; // of families
    const char *const *families;
    const char *const *names;
    int period; // each so many families one of another style
} Accuracy;

enum { FAMILIES_MAX = 6 };

static SinewStatus chart_errors(const SnBench *bench, const Accuracy *what, const char *path,
                                SinewError *error)
{
    double time[FAMILIES_MAX][POINTS_MAX], wrong[FAMILIES_MAX][POINTS_MAX];
    SnChartSeries series[FAMILIES_MAX];
    int series_count = 0;
    for (int f = 0; f < what->count; ++f) {
        int count = 0;
        for (int e = 0; e < bench->entry_count && count < POINTS_MAX; ++e) {
            if (is_plain(bench, e, what->group) &&
                strncmp(bench->entries[e].name, what->families[f], strlen(what->families[f])) ==
                    0) {
                time[f][count] = bench->results[e].value;
                wrong[f][count++] = figure_of(&bench->results[e], "error");
            }
        }
        if (count > 0) {
            series[series_count++] = (SnChartSeries){.name = what->names[f],
                                                     .x = time[f],
                                                     .y = wrong[f],
                                                     .count = count,
                                                     .has_marks = 1,
                                                     .is_dashed = f % what->period > 0};
        }
    }
    char subtitle[160];
    describe(bench, subtitle, sizeof subtitle);
    SnLineChart chart = {.title = what->title,
                         .subtitle = subtitle,
                         .x_label = "ms a static solve, one core",
                         .y_label = "error, %",
                         .is_log_x = 1,
                         .is_log_y = 1,
                         .series = series,
                         .series_count = series_count};
    return sn_line_chart_write(&chart, path, NULL, error);
}

static SinewStatus chart_accuracy(const SnBench *bench, const char *path, SinewError *error)
{
    static const char *const families[] = {"lattice.cantilever.wilson",
                                           "lattice.cantilever.mcadams", "lattice.torsion.wilson",
                                           "lattice.torsion.mcadams"};
    static const char *const names[] = {"cantilever, wilson", "cantilever, mcadams",
                                        "torsion, wilson", "torsion, mcadams"};
    const Accuracy what = {
        "lattice", "Error against time, 1, 2, 4 and 8 cells of thickness", 4, families, names, 2};
    return chart_errors(bench, &what, path, error);
}

static SinewStatus chart_voxel(const SnBench *bench, const char *path, SinewError *error)
{
    static const char *const families[] = {"voxel.accuracy.cantilever.condensed",
                                           "voxel.accuracy.cantilever.paper",
                                           "voxel.accuracy.cantilever.lattice",
                                           "voxel.accuracy.rod.condensed",
                                           "voxel.accuracy.rod.paper",
                                           "voxel.accuracy.rod.lattice"};
    static const char *const names[] = {
        "cantilever, condensed", "cantilever, paper", "cantilever, lattice",
        "rod, condensed",        "rod, paper",        "rod, lattice"};
    const Accuracy what = {
        "voxel", "Error against time, 1 to 4 cells of thickness; lattice 4 to 16",
        6,       families,
        names,   3};
    return chart_errors(bench, &what, path, error);
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

static bool has_any(const SnBench *bench, const char *group)
{
    bool found = false;
    for (int e = 0; e < bench->entry_count; ++e) {
        const char *name = bench->entries[e].name;
        bool drawn = strcmp(group, "cholesky") != 0 || ends_with(name, ".solve");
        // Bars have an error; the history is drawn where iterations were counted.
        bool barred = strcmp(group, "lattice") == 0 && ends_with(name, "wilson_1");
        drawn = strcmp(group, "lattice") == 0 ? barred : drawn;
        drawn = strcmp(group, "voxel") == 0 ? strncmp(name, "voxel.accuracy", 14) == 0 : drawn;
        found = found || (is_plain(bench, e, group) && drawn) ||
                (bench->entries[e].selected && strcmp(group, "lattice.64.mgcg") == 0 &&
                 strcmp(name, group) == 0);
    }
    return found;
}

typedef SinewStatus ChartFn(const SnBench *bench, const char *path, SinewError *error);

SinewStatus sn_bench_charts(const SnBench *bench, const char *folder, FILE *file, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    static const struct {
        const char *group;
        const char *file;
        ChartFn *write;
    } charts[] = {{"machine", "machine.svg", chart_machine},
                  {"rotation", "rotation.svg", chart_rotation},
                  {"cholesky", "cholesky.svg", chart_cholesky},
                  {"lattice", "lattice_accuracy.svg", chart_accuracy},
                  {"voxel", "voxel_accuracy.svg", chart_voxel},
                  {"lattice.64.mgcg", "lattice_history.svg", chart_history}};
    for (size_t c = 0; c < sizeof charts / sizeof *charts; ++c) {
        char path[PATH_MAX_LENGTH];
        // The machine is measured in every run.
        if (c == 0 || has_any(bench, charts[c].group)) {
            SN_TRY(path_of(folder, charts[c].file, path, error));
            SN_TRY(charts[c].write(bench, path, error));
            fprintf(file, "wrote %s\n", path);
        }
    }
done:
    return status;
}

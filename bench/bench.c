#include "bench/bench.h"

#include "base/clock.h"
#include "base/nearest.h"
#include "tool/progress.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// In the order in which they run and are printed.
static const SnBenchGroup *const groups[] = {
    &sn_bench_machine,      &sn_bench_rotation,     &sn_bench_cholesky,
    &sn_bench_multilevel,   &sn_bench_geometry,     &sn_bench_embedding,
    &sn_bench_newton,       &sn_bench_split,        &sn_bench_split_crowd,
    &sn_bench_lattice,      &sn_bench_lattice_body, &sn_bench_lattice_accuracy,
    &sn_bench_voxel,        &sn_bench_voxel_many,   &sn_bench_voxel_accuracy,
    &sn_bench_frames,       &sn_bench_frames_bar,   &sn_bench_tetmg,
    &sn_bench_tetmg_beside, &sn_bench_tetmg_cut,    &sn_bench_realtime};

enum { GROUP_COUNT = sizeof groups / sizeof *groups, RUNS_MAX = 2000 };

// On a noisy machine a clock is patient for this many times as long.
enum { NOISY_FACTOR = 5 };

SinewStatus sn_bench_open(SnBench *bench, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_workers_create(NULL, NULL, bench->threads, &bench->workers, error));
    for (int g = 0; g < GROUP_COUNT; ++g) {
        SN_TRY(groups[g]->list(bench, error));
    }
    SN_ALLOC_ZERO(bench->results, NULL, bench->entry_count, error);
done:
    return status;
}

void sn_bench_close(SnBench *bench)
{
    sn_workers_destroy(bench->workers);
    sn_free(NULL, bench->entries);
    sn_free(NULL, bench->results);
}

SinewStatus sn_bench_add(SnBench *bench, const SnBenchGroup *group, const char *name,
                         const SnKernels *kernels, int threading, int index, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (bench->entry_count == bench->entry_capacity) {
        int capacity = 2 * bench->entry_capacity + 64;
        SnBenchEntry *entries = NULL;
        SN_ALLOC(entries, NULL, capacity, error);
        if (bench->entry_count > 0) {
            memcpy(entries, bench->entries, (size_t)bench->entry_count * sizeof *entries);
        }
        sn_free(NULL, bench->entries);
        bench->entries = entries;
        bench->entry_capacity = capacity;
    }
    // With one thread in all, the machine's limits are those of one thread alone.
    threading = bench->threads > 1 ? threading : SN_ONE_THREAD;
    SnBenchEntry *entry = &bench->entries[bench->entry_count++];
    *entry =
        (SnBenchEntry){.group = group, .kernels = kernels, .threading = threading, .index = index};
    snprintf(entry->name, sizeof entry->name, "%s", name);
done:
    return status;
}

SinewStatus sn_bench_add_rows(SnBench *bench, const SnBenchGroup *group, const char *name,
                              bool parallel, int index, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnKernels *reference = sn_kernels_of(SN_ISA_REF, SN_PORTABLE_BITS);
    char extended[SN_BENCH_NAME];
    SN_TRY(sn_bench_add(bench, group, name, bench->kernels, SN_ONE_THREAD, index, error));
    if (parallel && bench->threads > 1) {
        snprintf(extended, sizeof extended, "%s.parallel", name);
        SN_TRY(sn_bench_add(bench, group, extended, bench->kernels, SN_ALL_THREADS, index, error));
    }
    for (int isa = SN_ISA_COUNT - 1; isa >= 0; --isa) {
        if (!sn_isa_runs((SnIsa)isa)) {
            continue;
        }
        const SnKernels *fast = sn_kernels_of((SnIsa)isa, SN_FAST_BITS);
        const SnKernels *portable = sn_kernels_of((SnIsa)isa, SN_PORTABLE_BITS);
        const SnKernels *rows[] = {fast, portable};
        for (int r = 0; r < (fast == portable ? 1 : 2); ++r) {
            // A build with few variants has the reference in place of a portable one.
            if (rows[r] == bench->kernels || (rows[r] == reference && isa != SN_ISA_REF)) {
                continue;
            }
            snprintf(extended, sizeof extended, "%s.%s.%s", name, rows[r]->isa, rows[r]->variant);
            SN_TRY(sn_bench_add(bench, group, extended, rows[r], SN_ONE_THREAD, index, error));
        }
    }
done:
    return status;
}

bool sn_bench_leaves_out(SnBench *bench, const char *name)
{
    if (bench->quick && bench->left_out_count < SN_BENCH_LEFT_MAX) {
        snprintf(bench->left_out[bench->left_out_count++], SN_BENCH_NAME, "%s", name);
    }
    return bench->quick;
}

// Selects what `name` stands for; `whole` asks for a dot or the end behind it. Returns how many.
static int select_name(SnBench *bench, const char *name, bool whole)
{
    int found = 0;
    size_t length = strlen(name);
    for (int e = 0; e < bench->entry_count; ++e) {
        SnBenchEntry *entry = &bench->entries[e];
        if (strncmp(entry->name, name, length) == 0 &&
            (!whole || entry->name[length] == '.' || entry->name[length] == '\0')) {
            entry->selected = true;
            found++;
        }
    }
    return found;
}

// Every name that selects something: each entry's, cut at each of its dots.
static SinewStatus refuse_name(const SnBench *bench, const char *name, SinewError *error)
{
    char nearest[SN_BENCH_NAME] = "";
    int shortest = SN_BENCH_NAME;
    for (int i = 0; i < bench->left_out_count; ++i) {
        if (strncmp(name, bench->left_out[i], strlen(bench->left_out[i])) == 0) {
            return sn_fail(error, SINEW_ERROR_ARGUMENT, "--quick leaves out \"%s\"",
                           bench->left_out[i]);
        }
    }
    for (int e = 0; e < bench->entry_count; ++e) {
        char known[SN_BENCH_NAME];
        memcpy(known, bench->entries[e].name, sizeof known);
        for (char *cut = known; cut != NULL; cut = strrchr(known, '.')) {
            if (cut != known) {
                *cut = '\0';
            }
            const char *one = known;
            int distance = sn_word_distance(name, known);
            if (distance < shortest && sn_resembling_word(name, &one, 1) == 0) {
                shortest = distance;
                memcpy(nearest, known, sizeof nearest);
            }
        }
    }
    if (nearest[0] == '\0') {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "no entry \"%.60s\"; --list names them all",
                       name);
    }
    return sn_fail(error, SINEW_ERROR_ARGUMENT, "no entry \"%.60s\"; the nearest is \"%s\"", name,
                   nearest);
}

SinewStatus sn_bench_select(SnBench *bench, char **names, int name_count, SinewError *error)
{
    for (int n = 0; n < name_count; ++n) {
        bool found = names[n][0] != '\0' && (select_name(bench, names[n], true) > 0 ||
                                             select_name(bench, names[n], false) > 0);
        if (!found) {
            return refuse_name(bench, names[n], error);
        }
    }
    if (name_count == 0) {
        select_name(bench, "", false);
    }
    return SINEW_OK;
}

static SinewStatus run_group(SnBench *bench, const SnBenchGroup *group, int *done_count, int total,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    void *state = NULL;
    bool is_open = false;
    for (int e = 0; e < bench->entry_count; ++e) {
        const SnBenchEntry *entry = &bench->entries[e];
        if (entry->group != group || !entry->selected) {
            continue;
        }
        if (!group->is_known) {
            sn_progress_show(bench->quiet, (*done_count)++, total, entry->name);
        }
        if (!is_open) {
            is_open = true;
            SN_TRY(group->open != NULL ? group->open(bench, &state, error) : SINEW_OK);
        }
        SN_TRY(group->run(bench, state, entry, &bench->results[e], error));
    }
done:
    if (is_open && group->close != NULL) {
        group->close(state);
    }
    return status;
}

SinewStatus sn_bench_run(SnBench *bench, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int done_count = 0;
    int total = 1;
    for (int e = 0; e < bench->entry_count; ++e) {
        total += bench->entries[e].selected && !bench->entries[e].group->is_known;
    }
    sn_progress_show(bench->quiet, done_count++, total, "measuring the machine");
    SN_TRY(sn_machine_measure(bench->workers, bench->quick, &bench->machine, error));
    for (int g = 0; g < GROUP_COUNT; ++g) {
        SN_TRY(run_group(bench, groups[g], &done_count, total, error));
    }
done:
    sn_progress_end(bench->quiet);
    return status;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

// Whether some runs came within a few per cent of the fastest, so that it was no accident and a
// quieter moment would hardly give a better one.
static bool is_confirmed(const double *times, int runs)
{
    double least = times[0];
    for (int r = 1; r < runs; ++r) {
        least = times[r] < least ? times[r] : least;
    }
    int near = 0;
    for (int r = 0; r < runs; ++r) {
        near += times[r] <= 1.03 * least;
    }
    return near >= 3;
}

static bool is_enough(const double *times, int runs, double total, int least_runs, double seconds)
{
    if (runs < least_runs || total < seconds) {
        return false;
    }
    return total >= NOISY_FACTOR * seconds || is_confirmed(times, runs);
}

SnBenchTime sn_bench_clock(const SnBenchTask *task, SnWorkers *workers, int least_runs,
                           double seconds)
{
    SN_ASSERT(least_runs >= 1 && least_runs <= RUNS_MAX);
    double times[RUNS_MAX];
    double total = 0.0;
    int runs = 0;
    for (bool warm = false; runs < RUNS_MAX; warm = true) {
        if (warm && is_enough(times, runs, total, least_runs, seconds)) {
            break;
        }
        if (task->prepare != NULL) {
            task->prepare(task->context);
        }
        double start = sn_clock_seconds();
        task->run(task->context, workers);
        double time = sn_clock_seconds() - start;
        if (warm) {
            times[runs++] = time;
            total += time;
        }
    }
    qsort(times, (size_t)runs, sizeof *times, compare_doubles);
    return (SnBenchTime){.least = times[0], .median = times[runs / 2], .runs = runs};
}

SnBenchTime sn_bench_time(const SnBench *bench, const SnBenchEntry *entry, const SnBenchTask *task)
{
    SnWorkers *workers = entry->threading == SN_ALL_THREADS ? bench->workers : NULL;
    return sn_bench_clock(task, workers, bench->quick ? 3 : 5, bench->quick ? 0.02 : 0.3);
}

static double units_in_a_second(const char *unit)
{
    const char *const names[] = {"s", "ms", "us", "ns"};
    const double scale[] = {1.0, 1e3, 1e6, 1e9};
    for (int u = 0; u < 4; ++u) {
        if (strcmp(unit, names[u]) == 0) {
            return scale[u];
        }
    }
    SN_ASSERT(false); // not a unit of time
    return 1.0;
}

void sn_bench_fill(const SnBench *bench, const SnBenchEntry *entry, SnBenchTime time,
                   const SnBenchWork *work, const char *unit, SnBenchResult *out_result)
{
    double scale = units_in_a_second(unit);
    out_result->value = time.least / work->items * scale;
    out_result->median = time.median / work->items * scale;
    out_result->unit = unit;
    out_result->limit =
        sn_machine_limit(&bench->machine, work, entry->kernels, entry->threading) * scale;
    out_result->fraction = out_result->limit / out_result->value;
    out_result->runs = time.runs;
}

void sn_bench_figure(SnBenchResult *result, const char *name, double value)
{
    SN_ASSERT(result->figure_count < SN_BENCH_FIGURES_MAX);
    result->figures[result->figure_count++] = (SnBenchFigure){name, value};
}

void sn_bench_skip(SnBenchResult *result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result->skipped, sizeof result->skipped, format, arguments);
    va_end(arguments);
}

// The bench: a list of entries in groups, the clock they share, and the reports. A group lists its
// entries, then runs those that were selected; the runner puts the machine's limit beside each.
#ifndef SN_BENCH_BENCH_H
#define SN_BENCH_BENCH_H

#include "bench/machine.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct SnBench SnBench;
typedef struct SnBenchEntry SnBenchEntry;
typedef struct SnBenchResult SnBenchResult;

// A family of entries that share their set-up.
typedef struct SnBenchGroup {
    const char *name; // first word of its entries' names
    bool is_known;    // its entries were measured with the machine: no progress is shown

    // Adds the group's entries with sn_bench_add. Computes nothing yet.
    SinewStatus (*list)(SnBench *bench, SinewError *error);

    // Called once, before the first selected entry; what it makes goes to all `run`s and to
    // `close`, which is called also when `open` failed half-way. Both nullable.
    SinewStatus (*open)(SnBench *bench, void **out_state, SinewError *error);
    void (*close)(void *state);

    // Measures one entry. An entry that cannot be measured here (a file is not there) calls
    // sn_bench_skip and returns SINEW_OK.
    SinewStatus (*run)(SnBench *bench, void *state, const SnBenchEntry *entry,
                       SnBenchResult *out_result, SinewError *error);
} SnBenchGroup;

extern const SnBenchGroup sn_bench_machine;
extern const SnBenchGroup sn_bench_rotation;
extern const SnBenchGroup sn_bench_cholesky;
extern const SnBenchGroup sn_bench_multilevel;
extern const SnBenchGroup sn_bench_geometry;
extern const SnBenchGroup sn_bench_embedding;
extern const SnBenchGroup sn_bench_newton;
extern const SnBenchGroup sn_bench_split;
extern const SnBenchGroup sn_bench_split_crowd;
extern const SnBenchGroup sn_bench_tetmg;
extern const SnBenchGroup sn_bench_tetmg_beside;
extern const SnBenchGroup sn_bench_tetmg_cut;
extern const SnBenchGroup sn_bench_lattice;
extern const SnBenchGroup sn_bench_voxel;
extern const SnBenchGroup sn_bench_voxel_many;
extern const SnBenchGroup sn_bench_voxel_accuracy;
extern const SnBenchGroup sn_bench_frames;
extern const SnBenchGroup sn_bench_frames_bar;
extern const SnBenchGroup sn_bench_lattice_body;
extern const SnBenchGroup sn_bench_lattice_accuracy;
extern const SnBenchGroup sn_bench_realtime;

enum { SN_BENCH_NAME = 80, SN_BENCH_FIGURES_MAX = 10, SN_BENCH_LEFT_MAX = 24 };

struct SnBenchEntry {
    char name[SN_BENCH_NAME]; // "rotation.apd1", "rotation.apd1.avx2.portable"
    const SnBenchGroup *group;
    const SnKernels *kernels; // the row it runs with
    int threading;            // SN_ONE_THREAD or SN_ALL_THREADS
    int index;                // the group's own
    bool selected;
};

// One more number about an entry, such as error_mean_deg.
typedef struct SnBenchFigure {
    const char *name;
    double value;
} SnBenchFigure;

struct SnBenchResult {
    double value;     // of the fastest run
    double median;    // of all runs
    const char *unit; // "ns", "ms": less is better; "GB/s", "GF/s": more is
    double limit;     // in the same unit
    double fraction;  // of the limit that was reached, 1 is all
    int runs;         // 0: not counted
    int figure_count;
    SnBenchFigure figures[SN_BENCH_FIGURES_MAX];
    char skipped[200]; // why it was not measured; empty when it was
};

struct SnBench {
    // Given by the caller.
    bool quick;
    bool quiet;
    int threads;
    const char *data_folder;  // of meshes
    const SnKernels *kernels; // the picked row, fast

    SnWorkers *workers; // `threads` of them
    SnMachine machine;
    int entry_count;
    int entry_capacity;
    SnBenchEntry *entries;
    SnBenchResult *results; // beside entries
    int left_out_count;     // names that --quick leaves out, which the reports tell
    char left_out[SN_BENCH_LEFT_MAX][SN_BENCH_NAME];
};

// Lists all entries of all groups. The caller has filled its part of `bench`, the rest is zero.
SinewStatus sn_bench_open(SnBench *bench, SinewError *error);

// Selects the entries that a name stands for: all whose name is equal or goes on with a dot, or,
// where there is none, all that begin with it. No names: everything. An unknown name fails with
// the nearest known one.
SinewStatus sn_bench_select(SnBench *bench, char **names, int name_count, SinewError *error);

// Measures the machine, then the selected entries.
SinewStatus sn_bench_run(SnBench *bench, SinewError *error);

void sn_bench_close(SnBench *bench);

// For people: the machine in a line, then an aligned table a group.
void sn_bench_print(const SnBench *bench, FILE *file);

// One JSON document. False when memory is short or the file refuses.
bool sn_bench_print_json(const SnBench *bench, FILE *file);

// For groups -------------------------------------------------------------------------------------

SinewStatus sn_bench_add(SnBench *bench, const SnBenchGroup *group, const char *name,
                         const SnKernels *kernels, int threading, int index, SinewError *error);

// Adds `name` for the picked row with one thread, `name.parallel` with all threads if there are
// more than one and it is wanted, and `name.ISA.VARIANT` for every other row that runs here.
SinewStatus sn_bench_add_rows(SnBench *bench, const SnBenchGroup *group, const char *name,
                              bool parallel, int index, SinewError *error);

// Whether --quick leaves out what goes by this name, such as "lattice.128"; the reports tell. An
// entry always does what its name says: a smaller workload has a name of its own.
bool sn_bench_leaves_out(SnBench *bench, const char *name);

// What is timed. `prepare`, nullable, is called before each run and not timed. `workers` is NULL
// for one thread.
typedef struct SnBenchTask {
    void (*prepare)(void *context);
    void (*run)(void *context, SnWorkers *workers);
    void *context;
} SnBenchTask;

// Seconds a run.
typedef struct SnBenchTime {
    double least;
    double median;
    int runs;
} SnBenchTime;

// One run to warm up, then runs until both `least_runs` and `seconds` are reached, and beyond, up
// to five times as long, while fewer than three came within 3 % of the fastest.
SnBenchTime sn_bench_clock(const SnBenchTask *task, SnWorkers *workers, int least_runs,
                           double seconds);

// The same with the bench's own patience, and with the entry's threads.
SnBenchTime sn_bench_time(const SnBench *bench, const SnBenchEntry *entry, const SnBenchTask *task);

// Time and limit an item, in `unit`: "s", "ms", "us" or "ns".
void sn_bench_fill(const SnBench *bench, const SnBenchEntry *entry, SnBenchTime time,
                   const SnBenchWork *work, const char *unit, SnBenchResult *out_result);

void sn_bench_figure(SnBenchResult *result, const char *name, double value);

void sn_bench_skip(SnBenchResult *result, const char *format, ...) SN_PRINTF(2, 3);

#endif

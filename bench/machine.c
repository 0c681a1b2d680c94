#include "bench/machine.h"

#include "bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const size_t KB = 1 << 10;
static const size_t MB = 1 << 20;

// A set is read over and over until about this much has gone by, so that starting and stopping the
// clock and the threads does not count.
enum { BYTES_A_RUN = 16 << 20, ROUNDS_A_RUN = 200000 };

// Floats between the shares of two threads: prefetchers run past the end of a share, and must not
// take lines away from the neighbour that writes them.
enum { GAP = 4096 };

static void read_processor(char *name, size_t size)
{
    snprintf(name, size, "unknown processor");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL) {
        return;
    }
    char line[256];
    while (fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL && colon[1] == ' ') {
            line[strcspn(line, "\n")] = '\0';
            snprintf(name, size, "%s", colon + 2);
            break;
        }
    }
    fclose(file);
}

static double read_load(void)
{
    double load = 0.0;
    FILE *file = fopen("/proc/loadavg", "r");
    if (file == NULL) {
        return 0.0;
    }
    if (fscanf(file, "%lf", &load) != 1) {
        load = 0.0;
    }
    fclose(file);
    return load;
}

static void read_caches(long cache_size[3])
{
#if defined(_SC_LEVEL1_DCACHE_SIZE)
    const int keys[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
    for (int level = 0; level < 3; ++level) {
        long size = sysconf(keys[level]);
        cache_size[level] = size > 0 ? size : 0;
    }
#else
    memset(cache_size, 0, 3 * sizeof *cache_size);
#endif
}

// Doubling from 16 KB to 512 MB, to at most a quarter of the memory; quick: some of them.
int sn_machine_sizes(bool quick, size_t out_sizes[SN_MACHINE_SIZES_MAX])
{
    const size_t quick_sizes[] = {32 * KB, 64 * KB, 256 * KB, MB, 4 * MB, 16 * MB, 64 * MB};
    size_t most = (size_t)sysconf(_SC_PHYS_PAGES) / 4 * (size_t)sysconf(_SC_PAGESIZE);
    int count = 0;
    for (int s = 0; s < (quick ? 7 : SN_MACHINE_SIZES_MAX); ++s) {
        size_t size = quick ? quick_sizes[s] : 16 * KB << s;
        if (s == 0 || size <= most) {
            out_sizes[count++] = size;
        }
    }
    return count;
}

typedef struct Stream {
    const SnMachineKernels *kernels;
    float *array;
    size_t share; // floats a thread
    int passes;
    float sums[SN_WORKERS_MAX]; // read by nobody, but the compiler cannot know
} Stream;

// The worker, not the range, says which share: so it stays in that worker's caches.
static void read_share(void *context, int begin, int end, int worker)
{
    Stream *stream = context;
    const float *x = stream->array + (size_t)worker * (stream->share + GAP);
    for (int i = begin; i < end; ++i) {
        stream->sums[worker] = stream->kernels->stream_read(x, stream->share, stream->passes);
    }
}

static void update_share(void *context, int begin, int end, int worker)
{
    Stream *stream = context;
    float *x = stream->array + (size_t)worker * (stream->share + GAP);
    for (int i = begin; i < end; ++i) {
        stream->kernels->stream_update(x, stream->share, stream->passes, 0.5f, 1.0f);
    }
}

static void run_read(void *context, SnWorkers *workers)
{
    sn_parallel_for(workers, sn_workers_count(workers), 1, read_share, context);
}

static void run_update(void *context, SnWorkers *workers)
{
    sn_parallel_for(workers, sn_workers_count(workers), 1, update_share, context);
}

typedef struct Patience {
    int least_runs;
    double seconds;
} Patience;

static void measure_streams(SnMachine *machine, SnWorkers *workers, const SnKernels *kernels,
                            float *array, Patience patience)
{
    int threading = workers == NULL ? SN_ONE_THREAD : SN_ALL_THREADS;
    size_t threads = (size_t)sn_workers_count(workers);
    for (int s = 0; s < machine->size_count; ++s) {
        Stream stream = {.kernels = kernels->machine, .array = array};
        stream.share = machine->size[s] / sizeof(float) / threads;
        stream.share -= stream.share % SN_MACHINE_BLOCK;
        stream.share = stream.share > 0 ? stream.share : SN_MACHINE_BLOCK;
        double bytes = (double)(stream.share * threads * sizeof(float));
        stream.passes = bytes < BYTES_A_RUN ? (int)(BYTES_A_RUN / bytes) : 1;
        bytes *= stream.passes;

        SnBenchTask task = {.run = run_read, .context = &stream};
        SnBenchTime time = sn_bench_clock(&task, workers, patience.least_runs, patience.seconds);
        machine->read[threading].rate[s] = bytes / time.least;
        machine->read[threading].median[s] = bytes / time.median;

        task.run = run_update;
        time = sn_bench_clock(&task, workers, patience.least_runs, patience.seconds);
        machine->update[threading].rate[s] = 2.0 * bytes / time.least;
        machine->update[threading].median[s] = 2.0 * bytes / time.median;
    }
}

typedef struct Madd {
    const SnMachineKernels *kernels;
    SnPrecision precision;
    double flops[SN_WORKERS_MAX];
    double sums[SN_WORKERS_MAX];
} Madd;

static void madd_share(void *context, int begin, int end, int worker)
{
    Madd *madd = context;
    for (int i = begin; i < end; ++i) {
        if (madd->precision == SN_FLOAT) {
            float sum = 0.0f;
            madd->flops[i] = madd->kernels->peak_madd_float(ROUNDS_A_RUN, 0.999f, 1.0f, &sum);
            madd->sums[worker] = (double)sum;
        } else {
            madd->flops[i] =
                madd->kernels->peak_madd_double(ROUNDS_A_RUN, 0.999, 1.0, &madd->sums[worker]);
        }
    }
}

static void run_madd(void *context, SnWorkers *workers)
{
    sn_parallel_for(workers, sn_workers_count(workers), 1, madd_share, context);
}

static SnPeak measure_peak(SnWorkers *workers, const SnKernels *kernels, SnPrecision precision,
                           Patience patience)
{
    Madd madd = {.kernels = kernels->machine, .precision = precision};
    SnBenchTask task = {.run = run_madd, .context = &madd};
    SnBenchTime time = sn_bench_clock(&task, workers, patience.least_runs, patience.seconds);
    double flops = 0.0;
    for (int t = 0; t < sn_workers_count(workers); ++t) {
        flops += madd.flops[t];
    }
    return (SnPeak){kernels, flops / time.least, flops / time.median};
}

static void measure_peaks(SnMachine *machine, SnWorkers *workers, Patience patience)
{
    int threading = workers == NULL ? SN_ONE_THREAD : SN_ALL_THREADS;
    for (int p = 0; p < SN_PRECISIONS; ++p) {
        machine->row_count = 0;
        const SnKernels *last = NULL;
        for (int i = 0; i < SN_MACHINE_ROWS_MAX; ++i) {
            if (!sn_isa_runs((SnIsa)(i / 2))) {
                continue;
            }
            const SnKernels *row = sn_kernels_of((SnIsa)(i / 2), (SnDeterminism)(i % 2));
            if (row != last) {
                machine->peak[p][threading][machine->row_count++] =
                    measure_peak(workers, row, (SnPrecision)p, patience);
            }
            last = row;
        }
    }
}

const SnKernels *sn_machine_widest(void)
{
    int isa = SN_ISA_COUNT - 1;
    while (!sn_isa_runs((SnIsa)isa)) {
        --isa;
    }
    return sn_kernels_of((SnIsa)isa, SN_FAST_BITS);
}

SinewStatus sn_machine_measure(SnWorkers *workers, bool quick, SnMachine *out_machine,
                               SinewError *error)
{
    SnMachine *machine = out_machine;
    read_processor(machine->processor, sizeof machine->processor);
    read_caches(machine->cache_size);
    machine->load = read_load();
    machine->cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    machine->threads = sn_workers_count(workers);
    machine->size_count = sn_machine_sizes(quick, machine->size);

    size_t size = machine->size[machine->size_count - 1];
    size_t more = (size_t)machine->threads * (SN_MACHINE_BLOCK + GAP) * sizeof(float);
    float *array = sn_alloc_zero(NULL, size + more, 1); // zeroed, so that no page is missing
    if (array == NULL) {
        return sn_fail(error, SINEW_ERROR_MEMORY,
                       "out of memory: the streams need an array of %zu MB", size / MB);
    }
    const SnKernels *kernels = sn_machine_widest();
    // The processor takes some milliseconds to settle on the clock rate of its wide units.
    measure_peak(NULL, kernels, SN_FLOAT, (Patience){1, 0.05});

    Patience patience = {quick ? 3 : 5, quick ? 0.01 : 0.06};
    measure_streams(machine, NULL, kernels, array, patience);
    measure_peaks(machine, NULL, patience);
    if (machine->threads > 1) {
        measure_streams(machine, workers, kernels, array, patience);
        measure_peaks(machine, workers, patience);
    }
    sn_free(NULL, array);
    return SINEW_OK;
}

double sn_curve_at(const SnMachine *machine, const SnCurve *curve, double working_set)
{
    int count = machine->size_count;
    double filled[SN_MACHINE_SIZES_MAX];
    double best = 0.0;
    for (int s = count - 1; s >= 0; --s) {
        best = curve->rate[s] > best ? curve->rate[s] : best;
        filled[s] = best;
    }
    if (working_set <= (double)machine->size[0]) {
        return filled[0];
    }
    for (int s = 1; s < count; ++s) {
        double left = (double)machine->size[s - 1];
        double right = (double)machine->size[s];
        if (working_set <= right) {
            double t = log(working_set / left) / log(right / left);
            return filled[s - 1] + t * (filled[s] - filled[s - 1]);
        }
    }
    return filled[count - 1];
}

static double peak_of(const SnMachine *machine, const SnKernels *kernels, SnPrecision precision,
                      int threading)
{
    for (int r = 0; r < machine->row_count; ++r) {
        if (machine->peak[precision][threading][r].kernels == kernels) {
            return machine->peak[precision][threading][r].rate;
        }
    }
    SN_ASSERT(false); // not a row that runs here
    return 1.0;
}

double sn_machine_limit(const SnMachine *machine, const SnBenchWork *work, const SnKernels *kernels,
                        int threading)
{
    double read = sn_curve_at(machine, &machine->read[threading], work->working_set);
    double update = sn_curve_at(machine, &machine->update[threading], work->working_set);
    double written_byte = fmax(2.0 / update - 1.0 / read, 0.0);
    double memory = work->bytes_read / read + work->bytes_written * written_byte;
    double arithmetic = work->flops / peak_of(machine, kernels, work->precision, threading);
    return fmax(memory, arithmetic);
}

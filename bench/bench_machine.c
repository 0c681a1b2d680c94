// The machine as entries: machine.read.32KB, machine.update.4MB, machine.madd_float and so on. They
// were measured before all others and are what those are held against, so their own limit is
// themselves, with two exceptions that tell something: with all threads it is one thread's figure,
// on its share of the set, times their number, and for multiply-adds it is the widest row.
#include "bench/bench.h"

#include <string.h>

enum { READ, UPDATE, MADD_FLOAT, MADD_DOUBLE, KINDS };

static const char *const kind_names[KINDS] = {"read", "update", "madd_float", "madd_double"};

static void size_text(size_t size, char *text, size_t text_size)
{
    if (size < 1 << 20) {
        snprintf(text, text_size, "%zuKB", size >> 10);
    } else {
        snprintf(text, text_size, "%zuMB", size >> 20);
    }
}

static SinewStatus list(SnBench *bench, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t sizes[SN_MACHINE_SIZES_MAX];
    int size_count = sn_machine_sizes(bench->quick, sizes);
    char name[SN_BENCH_NAME];
    for (int kind = READ; kind <= UPDATE; ++kind) {
        for (int threading = 0; threading < (bench->threads > 1 ? 2 : 1); ++threading) {
            for (int s = 0; s < size_count; ++s) {
                char size[32];
                size_text(sizes[s], size, sizeof size);
                snprintf(name, sizeof name, "machine.%s.%s%s", kind_names[kind], size,
                         threading == SN_ALL_THREADS ? ".parallel" : "");
                SN_TRY(sn_bench_add(bench, &sn_bench_machine, name, sn_machine_widest(), threading,
                                    s * KINDS + kind, error));
            }
        }
    }
    SN_TRY(
        sn_bench_add_rows(bench, &sn_bench_machine, "machine.madd_float", true, MADD_FLOAT, error));
    SN_TRY(sn_bench_add_rows(bench, &sn_bench_machine, "machine.madd_double", true, MADD_DOUBLE,
                             error));
done:
    return status;
}

// Threads that can run at the same time.
static int side_by_side(const SnMachine *machine)
{
    return machine->threads < machine->cores ? machine->threads : machine->cores;
}

static void fill_stream(const SnMachine *machine, const SnCurve curves[SN_THREADINGS],
                        int threading, int size, SnBenchResult *out_result)
{
    out_result->unit = "GB/s";
    out_result->value = 1e-9 * curves[threading].rate[size];
    out_result->median = 1e-9 * curves[threading].median[size];
    out_result->limit = out_result->value;
    if (threading == SN_ALL_THREADS) {
        int threads = side_by_side(machine);
        double share = (double)machine->size[size] / threads;
        out_result->limit = 1e-9 * threads * sn_curve_at(machine, &curves[SN_ONE_THREAD], share);
    }
}

static void fill_peak(const SnBench *bench, const SnBenchEntry *entry, SnPrecision precision,
                      SnBenchResult *out_result)
{
    const SnMachine *machine = &bench->machine;
    out_result->unit = "GF/s";
    for (int r = 0; r < machine->row_count; ++r) {
        const SnPeak *peak = &machine->peak[precision][entry->threading][r];
        if (peak->kernels == entry->kernels) {
            out_result->value = 1e-9 * peak->rate;
            out_result->median = 1e-9 * peak->median;
        }
        const SnPeak *one = &machine->peak[precision][SN_ONE_THREAD][r];
        if (one->kernels == sn_machine_widest()) {
            int threads = entry->threading == SN_ALL_THREADS ? side_by_side(machine) : 1;
            out_result->limit = 1e-9 * one->rate * threads;
        }
    }
}

static SinewStatus run(SnBench *bench, void *state, const SnBenchEntry *entry,
                       SnBenchResult *out_result, SinewError *error)
{
    (void)state;
    (void)error;
    const SnMachine *machine = &bench->machine;
    int size = entry->index / KINDS;
    switch (entry->index % KINDS) {
    case READ:
        fill_stream(machine, machine->read, entry->threading, size, out_result);
        break;
    case UPDATE:
        fill_stream(machine, machine->update, entry->threading, size, out_result);
        break;
    case MADD_FLOAT:
        fill_peak(bench, entry, SN_FLOAT, out_result);
        break;
    default:
        fill_peak(bench, entry, SN_DOUBLE, out_result);
        break;
    }
    out_result->fraction = out_result->value / out_result->limit;
    return SINEW_OK;
}

const SnBenchGroup sn_bench_machine = {
    .name = "machine", .is_known = true, .list = list, .run = run};

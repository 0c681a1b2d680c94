// The machine that a bench runs on: how fast it reads and updates working sets of each size, how
// fast it multiplies and adds, and what that implies for an item of work, its limit. Measured in
// the same run as everything held against it, since machines are noisy and shared.
#ifndef SN_BENCH_MACHINE_H
#define SN_BENCH_MACHINE_H

#include "base/workers.h"
#include "kernel/kernel_table.h"

enum { SN_MACHINE_SIZES_MAX = 16 };

// Bytes a second by working set. The working set is that of all threads together, and each has its
// own share of it.
typedef struct SnCurve {
    double rate[SN_MACHINE_SIZES_MAX];   // from the fastest run
    double median[SN_MACHINE_SIZES_MAX]; //
} SnCurve;

// Floating-point operations a second of one row of the kernel table.
typedef struct SnPeak {
    const SnKernels *kernels;
    double rate;
    double median;
} SnPeak;

// Fast and portable rows of every instruction set; those that are the same row appear once.
enum { SN_MACHINE_ROWS_MAX = 2 * SN_ISA_COUNT };

// With one thread, and with all that the bench may use.
enum { SN_ONE_THREAD, SN_ALL_THREADS, SN_THREADINGS };

typedef enum SnPrecision { SN_FLOAT, SN_DOUBLE, SN_PRECISIONS } SnPrecision;

typedef struct SnMachine {
    char processor[96]; // as the system calls it
    int cores;          // that the system has online
    int threads;        // that SN_ALL_THREADS stands for
    long cache_size[3]; // bytes of data cache in level 1, 2, 3; 0: the system does not tell
    double load;        // programs that wanted a core in the minute before; 0: not known
    int size_count;
    size_t size[SN_MACHINE_SIZES_MAX]; // bytes, increasing
    SnCurve read[SN_THREADINGS];       // bytes read
    SnCurve update[SN_THREADINGS];     // bytes read and bytes written, both counted
    int row_count;
    SnPeak peak[SN_PRECISIONS][SN_THREADINGS][SN_MACHINE_ROWS_MAX];
} SnMachine;

// What one item of work moves and computes. Each byte counts once for an item, however often the
// item comes back to it.
typedef struct SnBenchWork {
    double items;          // in one run
    double bytes_read;     // an item
    double bytes_written;  // an item
    double flops;          // an item; a multiply-add is two
    SnPrecision precision; // of those
    double working_set;    // bytes that one run touches
} SnBenchWork;

// The working sets that are measured, in bytes; returns how many. At most a quarter of the memory.
int sn_machine_sizes(bool quick, size_t out_sizes[SN_MACHINE_SIZES_MAX]);

// The row that streams are measured with: the widest that runs here, whichever is picked, since
// memory is as fast as it is.
const SnKernels *sn_machine_widest(void);

// Measures. `quick` takes fewer sizes and less time.
SinewStatus sn_machine_measure(SnWorkers *workers, bool quick, SnMachine *out_machine,
                               SinewError *error);

// Seconds an item that memory and arithmetic allow: the greater of
//   bytes_read / read + bytes_written * (2 / update - 1 / read)   at that working set, and
//   flops / multiply-add peak of the row `kernels`.
// An update moves one byte in and one out, so the bracket is what a written byte costs beyond the
// read that came with it: the formula gives a pure read and an in-place update exactly.
double sn_machine_limit(const SnMachine *machine, const SnBenchWork *work, const SnKernels *kernels,
                        int threading);

// Bytes a second at a working set: between the measured sizes along straight lines in the logarithm
// of the size, outside them the nearest. What a larger set reaches a smaller one can too, so dips
// that noise left in the curve are filled.
double sn_curve_at(const SnMachine *machine, const SnCurve *curve, double working_set);

#endif

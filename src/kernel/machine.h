// What the machine itself can do: kernels that only read, only update, or only multiply and add, as
// fast as this instruction set allows. A bench runs them first, and holds the others against them.
#ifndef SN_KERNEL_MACHINE_H
#define SN_KERNEL_MACHINE_H

#include <stddef.h>
#include <stdint.h>

// Arrays are 64-byte aligned and their length is a multiple of this many floats.
#define SN_MACHINE_BLOCK 256

typedef struct SnMachineKernels {
    // Sum of x[0..count), read `passes` times over. The order of the sum is fixed for one row of
    // the table and differs between rows.
    float (*stream_read)(const float *x, size_t count, int passes);

    // x = a x + b in place, `passes` times over.
    void (*stream_update)(float *x, size_t count, int passes, float a, float b);

    // x = a x + b in registers, in as many independent chains as the units can hold, `rounds`
    // times. Fused in fast rows, a multiplication and an addition in portable ones. Returns the
    // floating-point operations done; the sum of the chains goes to out_sum, so that no compiler
    // can leave the work out. |a| < 1 keeps the numbers in range.
    double (*peak_madd_float)(int64_t rounds, float a, float b, float *out_sum);
    double (*peak_madd_double)(int64_t rounds, double a, double b, double *out_sum);
} SnMachineKernels;

#endif

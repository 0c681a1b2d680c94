// Lines such as `hash rotation_apd portable 0123456789abcdef`: what each room computes in portable
// mode, as a hash, to be compared between instruction sets, compilers and machines. A room adds a
// file hash_<room>.c with one function, and that to the list in hash_lines.c. Inputs must come from
// + - * / alone, never from the machine's sin or pow.
#ifndef SN_TEST_SUPPORT_HASH_LINES_H
#define SN_TEST_SUPPORT_HASH_LINES_H

#include "base/workers.h"
#include "kernel/kernel_table.h"

#include <stdio.h>

// Prints the lines of every room for one row of the kernel table. Returns 0, or 1 when memory ran
// out.
int hash_lines(const SnKernels *kernels, SnWorkers *workers, FILE *out);

// One line.
void hash_line(FILE *out, const char *name, const SnKernels *kernels, uint64_t hash);

int hash_rotation(const SnKernels *kernels, SnWorkers *workers, FILE *out);
int hash_geometry(const SnKernels *kernels, SnWorkers *workers, FILE *out);
int hash_embed(const SnKernels *kernels, SnWorkers *workers, FILE *out);
int hash_solve(const SnKernels *kernels, SnWorkers *workers, FILE *out);
int hash_material(const SnKernels *kernels, SnWorkers *workers, FILE *out);
int hash_frames(const SnKernels *kernels, SnWorkers *workers, FILE *out);

#endif

// What the processor offers and the operating system saves when it switches between programs: a
// register that is not saved must not be used, whatever the processor says.
#ifndef SN_KERNEL_CPU_H
#define SN_KERNEL_CPU_H

#include <stdbool.h>

// AVX2 with fused multiply-add, and the upper halves of the ymm registers saved.
bool sn_cpu_has_avx2(void);

// AVX-512 F, DQ, BW and VL, and mask and zmm registers saved.
bool sn_cpu_has_avx512(void);

#endif

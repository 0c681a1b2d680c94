// Three floats out of a register of four, for the kernels over blocks of vertices.
#ifndef SN_KERNEL_BLOCK_WIDE_H
#define SN_KERNEL_BLOCK_WIDE_H

#include "kernel/corner_wide.h"

// x, y and z alone: what follows in memory may be another worker's.
static inline void vec3_write(float *p, Vec4 v)
{
    memcpy(p, &v, 3 * sizeof *p);
}

static inline Vec4 vec3_read(const float *p)
{
    return (Vec4){p[0], p[1], p[2], 0.0f};
}

#endif

// Blends of frames, half a register of samples at a time in double; see frames.h.
#include "kernel/frames.h"
#include "kernel/wide.h"

typedef WideDouble Real;
#define REAL_LANES (SN_LANES / 2)

static inline Real real_load(const double *p)
{
    Real v;
    memcpy(&v, __builtin_assume_aligned(p, 4 * SN_LANES), sizeof v);
    return v;
}

static inline void real_store(double *p, Real v)
{
    memcpy(__builtin_assume_aligned(p, 4 * SN_LANES), &v, sizeof v);
}

static inline Real real_set(double value)
{
    return value - (Real){0.0};
}

static inline Real real_madd(Real a, Real b, Real c)
{
    return wide_double_madd(a, b, c);
}

#include "kernel/frames_blend.h"

extern const SnFramesKernels SN_NAME(frames);
const SnFramesKernels SN_NAME(frames) = {
    .samples = frames_samples, .place = frames_place, .push = frames_push};

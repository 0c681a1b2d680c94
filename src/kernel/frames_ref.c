// The reference of the frames kernels: the formulas of frames_blend.h, one sample at a time.
#include "kernel/frames.h"

typedef double Real;
#define REAL_LANES 1

static inline Real real_load(const double *p)
{
    return *p;
}

static inline void real_store(double *p, Real v)
{
    *p = v;
}

static inline Real real_set(double value)
{
    return value;
}

static inline Real real_madd(Real a, Real b, Real c)
{
    return a * b + c;
}

#include "kernel/frames_blend.h"

extern const SnFramesKernels sn_frames_ref;
const SnFramesKernels sn_frames_ref = {
    .samples = frames_samples, .place = frames_place, .push = frames_push};

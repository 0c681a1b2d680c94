// The reference of the frames kernels: the formulas of frames_blend.h, one sample at a time.
#include "kernel/frames.h"

#define REAL_NUMBER double
#include "kernel/real_one.h"

#include "kernel/frames_blend.h"

extern const SnFramesKernels sn_frames_ref;
const SnFramesKernels sn_frames_ref = {
    .samples = frames_samples, .place = frames_place, .push = frames_push};

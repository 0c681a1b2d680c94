// How soft frames are against each other: the compliance of a stiffness matrix between them, and
// of one matrix over another.
#ifndef SN_MODEL_FRAMES_COMPLIANCE_H
#define SN_MODEL_FRAMES_COMPLIANCE_H

#include "base/memory.h"

// Of all unit wrenches at a frame, the first frame held and all others free.
typedef struct SnComplianceRatio {
    double least, most; // 1: as soft; INFINITY where nothing resists
} SnComplianceRatio;

// Compliance of K over that of `of`, both for two frames or more: symmetric, 6 frame_count squared;
// `of` is definite when a frame is held.
SinewStatus sn_compliance_compare(const double *K, const double *of, int frame_count,
                                  const SinewAllocator *allocator, SnComplianceRatio *out_ratio,
                                  SinewError *error);

#endif

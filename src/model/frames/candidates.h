// What a fit may choose from: places of the body, in cubes far from each other, with some strains
// at each, and how each strain answers the frames' motions at rest.
#ifndef SN_MODEL_FRAMES_CANDIDATES_H
#define SN_MODEL_FRAMES_CANDIDATES_H

#include "model/frames/fit.h"

// Of a place: three along its own axes, three between them, and their sum.
enum { SN_CANDIDATE_STRAINS = 7 };

typedef struct SnCandidates {
    int *cells;        // cubes that have some
    int cube_count;    //
    int points;        // places in each: one in its middle, or eight
    int place_count;   // in all
    SnSamples samples; // at the places
    double *strains;   // 6 a candidate: which combination of xx yy zz yz xz xy it is
    double *rows;      // b, 6 frame_count a candidate: its change by a motion of the frames
} SnCandidates;

// What was made is released by sn_candidates_release in any case.
SinewStatus sn_candidates_create(const SnFitDef *def, int points, SnCandidates *out_candidates,
                                 SinewError *error);
void sn_candidates_release(SnCandidates *candidates, const SinewAllocator *allocator);

// A place as a sample.
void sn_candidates_put(const SnCandidates *candidates, const SnFitDef *def, int place,
                       SnSamples *samples, int index);

#endif

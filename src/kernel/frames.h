// Blends of frames over groups of eight samples or points: forces, and what Hessians need. The
// formulas are those of model/frames/blend.h, in double; a number of a group is eight doubles, one
// a sample, whatever the instruction set, so that sums over lanes have one order everywhere.
//
// Strains are six numbers, xx yy zz yz xz xy with the last three doubled: linear ones of D = R^T F,
// or Green's. A sample's stiffness is C = R^T R with R upper triangular, 21 numbers row by row.
// Lanes past the last sample repeat it with a stiffness of zero.
#ifndef SN_KERNEL_FRAMES_H
#define SN_KERNEL_FRAMES_H

#include <stdbool.h>

enum { SN_FRAMES_GROUP = 8, SN_FRAMES_ROOT = 21 };

typedef struct SnFramesBatch {
    int frame_count;
    const double *frames;    // (q, s), 8 a frame
    const double *jacobians; // d (q, s) / d dofs, 8 rows of 6 a frame
    const double *X;         // 3 groups a group of samples
    const double *weights;   // 4 groups a frame
    const double *roots;     // SN_FRAMES_ROOT groups
    const double *offsets;   // nullable: 6 groups, strains at which a sample stores no energy
    bool green;              // strains are Green's
    // Results; all but dets are added to.
    double *dets;     // a group of samples: det D
    double *energy;   // one group
    double *gradient; // by (q, s): 8 groups a frame
    double *matrix;   // nullable: by the dofs, groups of the lower triangle, row by row
    double *blocks;   // nullable: curvature of blends by (q, s), 64 groups a pair i <= j
    double *scratch;  // groups: 36 a frame for rows, then 64 a frame for curves
} SnFramesBatch;

// Samples of the groups [begin, end).
typedef void SnFramesSamplesFn(const SnFramesBatch *batch, int begin, int end);

typedef struct SnFramesPoints {
    int frame_count;
    const double *frames;  // (q, s), 8 a frame
    const double *X;       // 3 groups a group of points
    const double *weights; // a group a frame
    double *x;             // 3 groups: places
    // For forces at points alone.
    const double *forces;    // 3 groups
    const double *stiffness; // 6 groups: xx yy zz yz xz xy
    double *gradient;        // by (q, s), of minus the forces' work: 8 groups a frame, added to
    double *blocks;          // nullable: 64 groups a pair i <= j, added to
    bool curved;             // with the curvature of blends
} SnFramesPoints;

typedef void SnFramesPointsFn(const SnFramesPoints *points, int begin, int end);

typedef struct SnFramesKernels {
    SnFramesSamplesFn *samples;
    SnFramesPointsFn *place; // x of the points
    SnFramesPointsFn *push;  // their forces to the frames
} SnFramesKernels;

#endif

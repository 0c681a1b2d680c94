// Few samples instead of one in each voxel, with the stiffness that the body really has. Each
// candidate is one strain at one place, measured against the blend: it costs stiffness times its
// square, and at rest that is a matrix of rank one in the frames' motions. Non-negative stiffnesses
// are sought whose sum is the matrix of a finite-element solve (flexibility.h).
//
// A sum of such squares is safe whatever it fits: energy is never negative, zero for rigid motion
// and nowhere else but at rest, and forces follow from it. It cures what blending does wrong: where
// blends lock in shear or in sections, places and strains that do not see it are chosen. On a chain
// those are the mid-slabs of bars, found without being told.
#ifndef SN_MODEL_FRAMES_FIT_H
#define SN_MODEL_FRAMES_FIT_H

#include "model/frames/compliance.h"
#include "model/frames/samples.h"

typedef struct SnFitDef {
    const SnModelDef *model;
    const SnFramesGrid *grid;
    int frame_count;
    const double *origins; // m, xyz a frame
    const double *weights; // frame_count a vertex
    const double *K;       // of flexibility.h
    const double *Z;       //
} SnFitDef;

// How near the fit came.
typedef struct SnFitReport {
    double error;            // of the matrix, in units of the matrix: root of the mean square
    SnComplianceRatio ratio; // of the samples over K
    int cubes;               // that had candidates
} SnFitReport;

SinewStatus sn_fit_samples(const SnFitDef *def, SnSamples *out_samples, SnFitReport *out_report,
                           SinewError *error);

#endif

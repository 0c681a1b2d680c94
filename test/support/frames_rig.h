// Bodies of frames that no scalar weight serves: a bar, a T, a star, half stiff, bones in flesh;
// and how soft their models are beside finite elements.
#ifndef SN_TEST_SUPPORT_FRAMES_RIG_H
#define SN_TEST_SUPPORT_FRAMES_RIG_H

#include "model/frames/potential.h"

typedef struct FramesBody {
    const char *name;
    SinewShapeKind kind;
    double boxes[2][6]; // min and max of one or two
    int cells[3];       // of a box
    double origins[6][3];
    int frames;
    double stiff[2][6]; // boxes that are a hundred times as stiff
    int stiff_count;
    double wakes[6]; // s, a frame
    SinewLaw law;    // 0: corotated
} FramesBody;

// Numbers of six rigid frames or three affine ones.
enum { FRAMES_BODY_COUNT = 5, FRAMES_POSES_MAX = 42, FRAMES_DOFS_MAX = 36 };
extern const FramesBody frames_bodies[FRAMES_BODY_COUNT];

// A body of the model, with what it was made from.
typedef struct FramesRig {
    SnSolid *solid;
    SnMaterial materials[3];
    SinewRegion regions[2];
    SnMaterials table;
    SinewBodyDef options;
    SinewFrame frames[6];
    SnModelDef def;
    SnFrames *body;
} FramesRig;

// Places of frames are those of the body. Fails the test where the model refuses.
void frames_rig_make(const FramesBody *what, const SinewFramesDef *options, FramesRig *rig);
void frames_rig_release(FramesRig *rig);

// Of the body's Hessian at rest over finite elements.
SnComplianceRatio frames_rig_ratio(FramesRig *rig);

// Poses of a body at random, each dof changed by up to `size`.
void frames_rig_bend(const SnFrames *body, double size, uint64_t seed, double *out_poses);

// A potential and its derivatives at some poses, by its own words and by central differences with a
// step of 1e-5: those are off by 1e-10 of what they are taken of and by as much of rounding.
typedef struct FramesSlopes {
    double gradient[FRAMES_DOFS_MAX];
    double hessian[FRAMES_DOFS_MAX * FRAMES_DOFS_MAX];
    double of_phi[FRAMES_DOFS_MAX];
    double of_gradient[FRAMES_DOFS_MAX * FRAMES_DOFS_MAX]; // row d: its change along dof d
    double steepest, largest; // sizes of entries of the gradient and of the Hessian
} FramesSlopes;
void frames_rig_slopes(const SnFramesProblem *problem, const double *poses, FramesSlopes *out);

// The gradient is that of phi, to 1e-8.
void frames_slopes_fit_phi(const FramesSlopes *slopes, int dofs);

#endif

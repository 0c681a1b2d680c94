// Points that one frame alone carries, as lumps of mass with springs do: they move as the frame
// does, so that forces at them are its wrench and no blend is needed.
#ifndef SN_MODEL_FRAMES_CARRIED_H
#define SN_MODEL_FRAMES_CARRIED_H

#include "model/frames/points.h"

typedef struct SnCarriedDef {
    const SnFramePoints *points; // as many of each frame, one frame after the other
    const double *poses;         // 7 a frame
    const double *origins;       // m, xyz a frame, from the grid's centre
    SnPointForceFn *evaluate;
    void *context;
    bool curvature; // with the part of the Hessian that comes from arms that turn
} SnCarriedDef;

// Energy, J; adds to the gradient by the dofs and to the lower triangle of the matrix (nullable).
// The points' places and forces are filled.
double sn_carried_evaluate(const SnCarriedDef *def, double *gradient, double *matrix);

#endif

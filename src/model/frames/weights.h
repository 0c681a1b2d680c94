// Weights: how much of each frame every vertex of the grid follows. They sum to one at a vertex. A
// frame has a rigid part, the vertices that follow it alone; between those parts weights are linear
// along a chain, harmonic, biharmonic, or fall off with the way inside the body; or someone painted
// them. Harmonic weights see stiffness: they change where the body is soft.
#ifndef SN_MODEL_FRAMES_WEIGHTS_H
#define SN_MODEL_FRAMES_WEIGHTS_H

#include "model/frames/grid.h"

// What weights are made from. All borrowed.
typedef struct SnWeightsDef {
    const SnModelDef *model;
    const SnFramesGrid *grid;
    const SinewFramesDef *options;
    int frame_count;
    const double *origins; // m, xyz a frame
    const int *parents;    // a frame: the one its bone comes from, or -1; nullable: a chain
    bool is_smooth;        // weights of kind auto are biharmonic where they are not linear
} SnWeightsDef;

// frame_count numbers a vertex, the caller's. Refuses pieces of the body that no frame is in.
SinewStatus sn_weights_make(const SnWeightsDef *def, double **out_weights, SinewError *error);

// True where frames stand along the body one after the other, so that linear weights fit: as good
// as on a line, from near one end to near the other of a body that is longer than thick.
bool sn_weights_is_chain(const SnWeightsDef *def);

#endif

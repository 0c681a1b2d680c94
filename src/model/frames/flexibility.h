// What a body's frames feel of each other at rest, from one finite-element solve on its voxels: the
// symmetric matrix K with wrench = K motion for all frames, six numbers (omega, v) each. A frame's
// motion is the mean motion of its rigid part, a wrench is spread over that by mass. Nothing is
// assumed of the deformation between frames, so K neither locks nor depends on weights there.
#ifndef SN_MODEL_FRAMES_FLEXIBILITY_H
#define SN_MODEL_FRAMES_FLEXIBILITY_H

#include "model/frames/grid.h"

typedef struct SnFlexibilityDef {
    const SnModelDef *model;
    const SnFramesGrid *grid;
    int frame_count;
    const double *origins; // m, xyz a frame
    const double *weights; // frame_count a vertex
    const bool *members;   // nullable: the cubes that take part; others are not there
} SnFlexibilityDef;

// K, 6 frame_count squared, and Z, 6 frame_count x 6: the frames' motions when the body moves as a
// whole, turning about the middle of the grid and moving. K Z = 0. Both the caller's.
SinewStatus sn_flexibility_find(const SnFlexibilityDef *def, double **out_K, double **out_Z,
                                SinewError *error);

// Stiffness of the cubes at rest by finite elements: adds to 9 numbers an entry of the grid's
// pattern. `members` as above. A cube's matrix is in the grid's own axes, which may be turned.
void sn_flexibility_assemble(const SnFramesGrid *grid, const SnMaterial *materials,
                             const bool *members, double *value);

// Vectors of three numbers to those axes, or back.
void sn_flexibility_turn(const SnFramesGrid *grid, double *vector, size_t rows, bool back);

#endif

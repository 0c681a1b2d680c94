// Fewer samples with laws for affine frames: some of a body's cells with volumes that are fitted,
// instead of all. At rest each cell has a matrix by the frames' numbers; volumes >= 0 are sought
// whose sum of such matrices is that of all cells, in the norm in which that one is the identity.
// The volume of each material is kept, so even strain has the energy that it has in all cells.
#ifndef SN_MODEL_FRAMES_CUBATURE_H
#define SN_MODEL_FRAMES_CUBATURE_H

#include "model/frames/samples.h"

typedef struct SnCubatureDef {
    const SnFramesGrid *grid;
    const double *weights; // frame_count a vertex
    const SnSamples *all;  // of affine frames, one a cell
    const SinewAllocator *allocator;
} SnCubatureDef;

// The caller's; empty where all cells are as few. `out_error` is what is left of the matrix: the
// root of the mean square of its entries, relative to the identity.
SinewStatus sn_cubature_thin(const SnCubatureDef *def, SnSamples *out_samples, double *out_error,
                             SinewError *error);

#endif

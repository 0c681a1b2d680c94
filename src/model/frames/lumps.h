// Lumps of mass that stand for the voxels of a body: few points with the body's mass and centre of
// mass, and all but a little of its inertia.
#ifndef SN_MODEL_FRAMES_LUMPS_H
#define SN_MODEL_FRAMES_LUMPS_H

#include "model/frames/points.h"

typedef struct SnLumpsDef {
    const SnFramesGrid *grid;
    const SnMaterial *materials;
    int frame_count;
    bool is_affine;
    const double *weights; // frame_count a vertex
    int count;             // the most that are made; 0: one a cube
} SnLumpsDef;

// Cubes go to the nearest lump; masses and masses times Rayleigh's alpha, a lump, are the caller's.
typedef SinewStatus SnLumpsMake(const SnLumpsDef *def, const SinewAllocator *allocator,
                                SnFramePoints *out_lumps, double **out_masses, double **out_damping,
                                SinewError *error);
SnLumpsMake sn_lumps_make;

// Four lumps a frame that follow it alone, as [C sec 4.3] has mass: a frame carries what its
// weights give it, with that part's middle and inertia. The body as a whole has all of its own.
SnLumpsMake sn_lumps_carry;

#endif

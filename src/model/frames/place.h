// Where frames stand: as the scene says, at the joints of a skeleton, or as arrange.h has it.
#ifndef SN_MODEL_FRAMES_PLACE_H
#define SN_MODEL_FRAMES_PLACE_H

#include "model/frames/grid.h"

// Who placed them, and how.
typedef enum SnArrangement {
    SN_ARRANGED_GIVEN = 0, // by the scene, or at joints
    SN_ARRANGED_ROW,
    SN_ARRANGED_BLOCKS,
    SN_ARRANGED_FAR
} SnArrangement;

typedef struct SnFramePlaces {
    int count;
    SnArrangement arrangement;
    double *origins; // m, xyz a frame
    int *parents;    // a frame: the one that its bone comes from, or -1; NULL: there are no bones
} SnFramePlaces;

// At most `count` where nobody placed them. What was made is released by sn_frame_places_release,
// in any case.
SinewStatus sn_frames_place(const SnModelDef *def, const SnFramesGrid *grid, int count,
                            SnFramePlaces *out_places, SinewError *error);
void sn_frame_places_release(SnFramePlaces *places, const SinewAllocator *allocator);

// From a frame to the nearest other, m; the size of the body where there is none.
double sn_frames_spacing(const SnFramesGrid *grid, const double *origins, int count, int frame);

#endif

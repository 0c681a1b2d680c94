// Frames at the joints of a skeleton: a glTF file's joints where they were bound, after the body's
// pose, and the bones between them.
#ifndef SN_MODEL_FRAMES_SKELETON_H
#define SN_MODEL_FRAMES_SKELETON_H

#include "model/frames/place.h"

// Joints farther from the body than a cube are left out, and what hangs on them hangs on the next
// one above. Refuses files without joints, with none in the body or too many.
SinewStatus sn_skeleton_place(const SnModelDef *def, const SnFramesGrid *grid,
                              SnFramePlaces *out_places, SinewError *error);

#endif

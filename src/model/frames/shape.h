// What bodies of frames share that have the same rest shape, materials and options: grid, weights,
// samples, springs, lumps. It is in coordinates of the body, before it is turned and moved, but
// where the scene placed frames itself: those bodies share nothing.
#ifndef SN_MODEL_FRAMES_SHAPE_H
#define SN_MODEL_FRAMES_SHAPE_H

#include "model/frames/body.h"

typedef struct SnFramesShape {
    SnShared shared;
    SnFrames body; // a body without state, workspace and pins, which is not placed
} SnFramesShape;

// Finds the shape that such a body has, or makes it; the caller leaves it with sn_share_leave.
// Tells where its grid is.
SinewStatus sn_frames_shape_take(const SnModelDef *def, SnFramesGridPlace *out_place,
                                 SnFramesShape **out_shape, SinewError *error);

// State and workspace of a body that knows its shape, and the end of them.
SinewStatus sn_frames_make_own(SnFrames *body, SinewError *error);
void sn_frames_release_own(SnFrames *body);

#endif

// Where frames stand that nobody placed. A body that is straight and slender has them in a row
// along its axis, from end to end: linear weights and rigid frames bend as finite elements do. A
// body that fills most of its bounding box has them in the middles of equal blocks of it, so that
// what is symmetric stays so. Any other has them far from each other by ways inside the body.
#ifndef SN_MODEL_FRAMES_ARRANGE_H
#define SN_MODEL_FRAMES_ARRANGE_H

#include "model/frames/place.h"

// At most `count` frames into places that are empty. Fewer where the cells carry no more.
SinewStatus sn_frames_arrange(const SnModelDef *def, const SnFramesGrid *grid, int count,
                              SnFramePlaces *places, SinewError *error);

#endif

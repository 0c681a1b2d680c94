// Where frames stand: as the scene says, or so many far from each other by ways inside the body and
// moved from its tips to the middle of what is around.
#ifndef SN_MODEL_FRAMES_PLACE_H
#define SN_MODEL_FRAMES_PLACE_H

#include "model/frames/grid.h"

// *out_origins, m, xyz a frame, is the caller's.
SinewStatus sn_frames_place(const SnModelDef *def, const SnFramesGrid *grid, int *out_count,
                            double **out_origins, SinewError *error);

// From a frame to the nearest other, m; the size of the body where there is none.
double sn_frames_spacing(const SnFramesGrid *grid, const double *origins, int count, int frame);

#endif

// Colliders in the pictures of a run. A level plane is the ground that shadows fall on; any other
// plane is a square as wide as the bodies; the rest are their own surfaces. Those that move have a
// point cache for the time of the run.
#ifndef SN_TOOL_RUN_PROPS_H
#define SN_TOOL_RUN_PROPS_H

#include "tool/run/output.h"

SinewStatus sn_run_props_open(SnRunOutput *output, const SinewScene *scene, int64_t frame,
                              SinewError *error);
void sn_run_props_close(SnRunOutput *output);

// Adds where those that move are at this time.
SinewStatus sn_run_props_frame(SnRunOutput *output, double time, SinewError *error);

#endif

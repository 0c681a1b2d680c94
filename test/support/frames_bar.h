// The bar that tests of `frames` bend: from the origin to (4, 1, 1), a frame each metre. All fail
// the test, with the sentence, when a call is refused.
#ifndef SN_TEST_SUPPORT_FRAMES_BAR_H
#define SN_TEST_SUPPORT_FRAMES_BAR_H

#include "support/worlds.h"

enum { FRAMES_BAR_COUNT = 5 };

// Of any model, `cells` through the thickness.
SinewBodyDef frames_bar_def(SinewModelKind model, int cells, double poisson);

// A world without weight that holds one body.
SinewWorld *frames_bar_world(const SinewBodyDef *def, SinewBodyId *out_body);

// Displacement of the middle of the end at x = 4.
SinewProbeId frames_bar_tip(SinewWorld *world, SinewBodyId body);

// Where the tip of a bar goes that is held at x = 0 and pulled down at x = 4 with `load` N.
void frames_bar_bend(const SinewBodyDef *def, double load, double out_tip[6]);

// Distance of two tips, over the bar's length.
double frames_bar_error(const double a[3], const double b[3]);

// Holds the end at x = 4 and moves it from t = 0 to t = 1 to the last key.
SinewPinId frames_bar_move_end(SinewWorld *world, SinewBodyId body, const SinewKey *end);

// The force and moment of a pin.
void frames_bar_reaction(SinewWorld *world, SinewBodyId body, SinewPinId pin, double out[6]);

// A ball of three placed frames for dropped_world, by BDF2. At rest the floor carries its weight,
// and it has this many numbers.
SinewBodyDef frames_ball_def(SinewFrameKind kind);
void frames_ball_rests(SinewFrameKind kind, int dofs);

#endif

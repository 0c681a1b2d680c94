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

// The same distance between the bar and one of `lattice` cells instead, both pulled with `load` N.
// Four cells through the thickness have a tip within 0.5 % of the length of finer ones.
double frames_bar_off(const SinewBodyDef *def, double load);

// Holds both ends and moves the one at x = 4 by the keys, or from t = 0 to t = 1 to one key.
SinewPinId frames_bar_drive(SinewWorld *world, SinewBodyId body, const SinewKey *keys, int count);
SinewPinId frames_bar_move_end(SinewWorld *world, SinewBodyId body, const SinewKey *end);

// The force and moment of a pin.
void frames_bar_reaction(SinewWorld *world, SinewBodyId body, SinewPinId pin, double out[6]);

// The bar of 4,000 kg flies along x with 1 m/s, turns about z with 0.5 rad/s, and keeps its linear
// momentum for 50 steps of 2 ms.
typedef struct FramesFlight {
    double before[6], after[6]; // momentum, linear and angular
    double elastic;             // J, at the end
} FramesFlight;
FramesFlight frames_bar_fly(const SinewBodyDef *def);

// Kinetic and elastic energy of a bar of 1 MPa that is held at x = 0, begins in a bad start and has
// moved for so many steps of 0.05 s.
void frames_bar_calm(const SinewBodyDef *def, SinewStart start, int steps, double out_energy[6]);

// Two frames at the ends of a bar of two cells with St. Venant-Kirchhoff's law: pulled and pressed,
// sections stay as they are and the force is (lambda + 2 mu) A (e + 3/2 e^2 + 1/2 e^3), to 1e-6.
void frames_bar_stretches(const SinewBodyDef *def);

// Moment of the end at x = 4 when it is turned by half a turn, over St. Venant's for a square,
// 0.1406 G a^4 angle / L.
double frames_bar_twist(const SinewBodyDef *def);

// A ball of three placed frames for dropped_world, by BDF2. At rest the floor carries its weight,
// and it has this many numbers.
SinewBodyDef frames_ball_def(SinewFrameKind kind);
void frames_ball_rests(SinewFrameKind kind, int dofs);

#endif

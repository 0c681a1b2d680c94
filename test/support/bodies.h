// Bodies given by signed functions in closed form, for tests, benches and pictures of the mesher.
#ifndef SN_TEST_SUPPORT_BODIES_H
#define SN_TEST_SUPPORT_BODIES_H

#include "geometry/signed_fn.h"

// All of them fit into the cube from -1 to 1 but the gyroid, which has no end. The context is not
// used.
SnSignedFn sn_body_sphere;   // radius 0.9
SnSignedFn sn_body_torus;    // radii 0.6 and 0.3 around z
SnSignedFn sn_body_box;      // half sides 0.83, 0.51, 0.37, with sharp edges
SnSignedFn sn_body_touching; // two spheres of radius 0.45 that touch in the origin
SnSignedFn sn_body_sheet;    // half sides 0.8, 0.8, 0.02
SnSignedFn sn_body_gyroid;   // walls of about 0.2; a function of slope 1 at most, no distance
SnSignedFn sn_body_noise;    // a sign without any pattern, not continuous
SnSignedFn sn_body_jump;     // half of a sphere: cut by a plane at which the function jumps
SnSignedFn sn_body_holed;    // a sphere that answers NaN for x > 0.3

#endif

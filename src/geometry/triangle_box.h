// Whether a triangle touches a box with sides along the axes, by separating axes. A segment is the
// triangle a, b, b and a point a, a, a: axes that vanish separate nothing and the others suffice.
#ifndef SN_GEOMETRY_TRIANGLE_BOX_H
#define SN_GEOMETRY_TRIANGLE_BOX_H

#include <stdbool.h>

// `corners` are nine doubles, xyz each. Touching counts; rounding may let a triangle touch that is
// 1e-15 of its distance from the box's centre away, so who needs a margin makes `half` larger.
bool sn_triangle_box_touch(const double corners[9], const double centre[3], const double half[3]);

#endif

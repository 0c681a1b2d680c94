// Rigid colliders: how far a point is from one, in which direction out, and how the collider itself
// moves.
//
// Planes, spheres, boxes and capsules have their distance and normal in closed form; ellipsoids,
// cylinders, cones, tori and blobs the distance of geometry/shape.h and a normal by central
// differences of it, right to 1e-9. A mesh is measured exactly: its closest point by a box
// hierarchy, its inside by the winding number. A grid of distances tells which points need that.
//
// Not taken: distances and normals of meshes from that grid. It answers in a hundredth of the time,
// but its normals jump from cell to cell and round off edges, and Newton's method pays for that
// with iterations.
#ifndef SN_CONTACT_COLLIDER_H
#define SN_CONTACT_COLLIDER_H

#include "geometry/shape.h"
#include "math/affine.h"
#include "sinew/geometry.h"

typedef struct SnCollider SnCollider;

// Copies the shape; `surface` is that of a mesh, copied and repaired, else not looked at. Refuses,
// with a sentence that begins with `what` ("collider 0"), shapes that are not said or out of range,
// a friction that is negative or not finite, and a mesh without triangles. It stands still where
// the shape says until sn_collider_move.
SinewStatus sn_collider_create(const SinewShape *shape, const SnSurface *surface, double friction,
                               SnWorkers *workers, const SinewAllocator *allocator,
                               const char *what, SnCollider **out_collider, SinewError *error);

// NULL is fine.
void sn_collider_destroy(SnCollider *collider);

// Where it is at the start and at the end of the step that follows: rigid maps of its shape.
void sn_collider_move(SnCollider *collider, const SnAffine *from, const SnAffine *to);

// Signed distance of x (negative inside) at the end of the step, and the direction out, of length
// one. Where several directions out are as short, always the same of them. From many threads.
double sn_collider_query(const SnCollider *collider, const double x[3], double out_normal[3]);

// How deep x is inside at the end of the step, m, and the direction out; 0, and no direction
// written, where it is outside. The same numbers as sn_collider_query, but quick for points well
// outside, as most are. (In the hole of an open mesh, where inside and outside meet without a
// triangle, the two may disagree by two cells of its grid, 1/32 of its longest side.)
double sn_collider_depth(const SnCollider *collider, const double x[3], double out_normal[3]);

// A lower bound of the distance of x from the collider at the end of the step, m; zero or less
// where x may have a depth. The distance itself of planes, spheres, boxes and capsules, else that
// from the collider's bounds.
double sn_collider_clearance(const SnCollider *collider, const double x[3]);

// True: the ball is wholly outside at the end of the step, so that no point in it has a depth.
// False tells nothing: most shapes are asked by their bounds alone.
bool sn_collider_clears(const SnCollider *collider, const double center[3], double radius);

// Where a point that sticks to the collider goes from the start of the step to its end; exactly x
// when the collider does not move. `out_x` may be `x`.
void sn_collider_carry(const SnCollider *collider, const double x[3], double out_x[3]);

// How a direction that sticks to the collider turns in the step. `out` may be `direction`.
void sn_collider_turn(const SnCollider *collider, const double direction[3], double out[3]);

// Coulomb's coefficient.
double sn_collider_friction(const SnCollider *collider);

#endif

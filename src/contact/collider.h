// Rigid colliders: how far a point is from one, in which direction out, and how the collider itself
// moves.
#ifndef SN_CONTACT_COLLIDER_H
#define SN_CONTACT_COLLIDER_H

#include "geometry/distance_grid.h"
#include "geometry/shape.h"
#include "math/affine.h"
#include "sinew/geometry.h"

typedef struct SnCollider SnCollider;

// Copies the shape (of a mesh, its signed distance). Refuses with a sentence that begins with
// `what`.
SinewStatus sn_collider_create(const SinewShape *shape, const SnSurface *surface, double friction,
                               SnWorkers *workers, const SinewAllocator *allocator,
                               const char *what, SnCollider **out_collider, SinewError *error);
void sn_collider_destroy(SnCollider *collider);

// Where it is at the start and at the end of the step that follows.
void sn_collider_move(SnCollider *collider, const SnAffine *from, const SnAffine *to);

// Signed distance of x (negative inside) at the end of the step, and the direction out, of length
// one.
double sn_collider_query(const SnCollider *collider, const double x[3], double out_normal[3]);

// Where a point that sticks to the collider goes from the start of the step to its end.
void sn_collider_carry(const SnCollider *collider, const double x[3], double out_x[3]);

double sn_collider_friction(const SnCollider *collider);

#endif

// Penalty contact of a body's surface points with rigid colliders, with Coulomb friction, as forces
// at material points (model/model.h).
//
// Normal: a point that is d deep feels stiffness * area * d along the collider's normal; energy
// stiffness * area * d^2 / 2, so the pressure is stiffness * d whatever the mesh.
// Friction: each point in contact has an anchor on the collider, carried along as the collider
// moves. A spring of the same stiffness pulls the point's tangential offset back, up to friction
// times the normal force, beyond which the anchor follows (a return mapping at the end of each
// step). So what sticks does not creep. Within a solve the normal force that limits friction is
// held constant, which makes the friction force the gradient of a convex (Huber) energy; it is
// renewed when the model has converged.
#ifndef SN_CONTACT_PENALTY_H
#define SN_CONTACT_PENALTY_H

#include "contact/collider.h"
#include "model/model.h"

typedef struct SnPenalty SnPenalty;

// Contact of one body: `areas` are the surface points' shares of the rest area, m^2.
SinewStatus sn_penalty_create(const double *areas, int point_count, const SinewAllocator *allocator,
                              SnPenalty **out_penalty, SinewError *error);
void sn_penalty_destroy(SnPenalty *penalty);

// Room for so many colliders; anchors are kept where the count does not change.
SinewStatus sn_penalty_reserve(SnPenalty *penalty, int collider_count, SinewError *error);

// Before a step: `x` is where the points are at its start.
void sn_penalty_begin(SnPenalty *penalty, SnCollider *const *colliders, int collider_count,
                      double stiffness, const double *x);

// The functions of SnPointForces; `context` is the SnPenalty.
void sn_penalty_evaluate(void *context, int begin, int end, const double *x, SnPointForce *out);
bool sn_penalty_renew(void *context, const double *x);

// After an accepted step: anchors follow where points slid. Adds up the forces.
void sn_penalty_end(SnPenalty *penalty, const double *x, double out_force[3], int *out_contacts);

// The force on one point at the end of the last step, N.
void sn_penalty_force(const SnPenalty *penalty, int point, double out_force[3]);

size_t sn_penalty_state_size(const SnPenalty *penalty);
void sn_penalty_save(const SnPenalty *penalty, void *bytes);
void sn_penalty_restore(SnPenalty *penalty, const void *bytes);

#endif

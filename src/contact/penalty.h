// Penalty contact of a body's surface points with rigid colliders, with Coulomb friction, as forces
// at material points (model/model.h). A point in several colliders feels the sum.
//
// Normal: a point that is d deep feels stiffness * area * d along the collider's normal; energy
// stiffness * area * d^2 / 2, so the pressure is stiffness * d whatever the mesh. Of its second
// derivative, stiffness * area * (n n^T - d dn/dx), the first term is taken: the second, from the
// curvature of round colliders, is not definite. It is smaller by the depth over the radius, so
// Newton's method converges as good as quadratically.
//
// Friction: each point in contact has an anchor on the collider, carried along as the collider
// moves. A spring of the same stiffness pulls the point's tangential offset back, up to friction
// times the normal force, beyond which the anchor follows (a return mapping at the end of each
// step). So what sticks does not creep. Within a solve the normal force N and the normal n that
// friction is made of are held constant, which makes the friction force the gradient of a convex
// (Huber) energy; they are renewed when the model has converged, until N n changes by less than
// a tolerance of its sum or SN_PENALTY_PASSES solves are done. Friction is then right to
// that tolerance, and the sliding direction and the sticking force are as exact as the solve.
//
// Not taken: friction from the velocity, smoothed below a threshold speed, as many codes do. It
// needs no state, but what should stick creeps at about that speed for ever.
#ifndef SN_CONTACT_PENALTY_H
#define SN_CONTACT_PENALTY_H

#include "contact/collider.h"
#include "model/model.h"

// When the normal forces that limit friction count as settled: by default, and the least in motion,
// where each further pass costs a solve and moves bodies by micrometres. After SN_PENALTY_PASSES
// solves of a step they are taken as they are.
#define SN_PENALTY_TOLERANCE 1e-6
#define SN_PENALTY_TOLERANCE_MOTION 1e-3
#define SN_PENALTY_PASSES 8

typedef struct SnPenalty SnPenalty;

// Contact of one body: `areas` are the surface points' shares of the rest area, m^2, not negative.
// Copied. Has room for no collider yet.
SinewStatus sn_penalty_create(const double *areas, int point_count, const SinewAllocator *allocator,
                              SnPenalty **out_penalty, SinewError *error);

// NULL is fine.
void sn_penalty_destroy(SnPenalty *penalty);

// Room for so many colliders; anchors are kept where the count does not change, else all contacts
// begin anew. When it fails, nothing has changed.
SinewStatus sn_penalty_reserve(SnPenalty *penalty, int collider_count, SinewError *error);

// Room for touches, pairs of a point and a collider, is made outside of steps, for what touches and
// some more. A step that is short of it has left contacts out: its state must be put back, the room
// grow, and the step begin again. That is rare, since room at least doubles.
bool sn_penalty_is_short(const SnPenalty *penalty);

// Room for `count` touches, and for what the last step was short of. Where there is too little: at
// least twice what there was, or all there can be. Keeps the state. When it fails, nothing has
// changed.
SinewStatus sn_penalty_grow(SnPenalty *penalty, size_t count, SinewError *error);

// What a step left behind goes to another contact with as many colliders, whose point p was the
// point source[p], or none (-1). Where a point became several, each has its share by area.
SinewStatus sn_penalty_carry(const SnPenalty *from, const int *source, SnPenalty *to,
                             SinewError *error);

// Before a step, after the colliders were moved: `x` is where the points are at its start.
// `stiffness` is in Pa/m; `collider_count` that of sn_penalty_reserve. The colliders are borrowed
// until the step's end. Does not change the state: a step may begin again.
void sn_penalty_begin(SnPenalty *penalty, SnCollider *const *colliders, int collider_count,
                      double stiffness, const double *x);

// The functions of SnPointForces; `context` is the SnPenalty. Points in [begin, end) are at x, xyz
// a point, indexed from 0; out[p - begin].
void sn_penalty_evaluate(void *context, int begin, int end, const double *x, SnPointForce *out);
bool sn_penalty_renew(void *context, const double *x);

// The rest of them, for listed points: point points[i] - first of the body; x and `out` are indexed
// by points[i]. Lists are ascending. Points that friction holds have no clearance;
// all of them that lie between the first and the last of a list must be in it.
void sn_penalty_clearances(const SnPenalty *penalty, const int *points, int count, int first,
                           const double *x, double *out);
void sn_penalty_select(SnPenalty *penalty, const int *points, int count, int first);
void sn_penalty_evaluate_listed(const SnPenalty *penalty, const int *points, int count, int first,
                                const double *x, SnPointForce *out);

// The tolerance of friction from the next step on, relative; SN_PENALTY_TOLERANCE at first.
void sn_penalty_set_tolerance(SnPenalty *penalty, double tolerance);

// How much of N n changed at the last call of sn_penalty_renew, relative: more than the tolerance
// after a step whose passes did not suffice. 0 before the first.
double sn_penalty_change(const SnPenalty *penalty);

// After an accepted step: anchors follow where points slid. Adds up the forces; counts the points
// in contact.
void sn_penalty_end(SnPenalty *penalty, const double *x, double out_force[3], int *out_contacts);

// The force on one point at the end of the last step, N.
void sn_penalty_force(const SnPenalty *penalty, int point, double out_force[3]);

// Anchors, normal forces and forces of what touches, as bytes: now, and at most before room grows.
size_t sn_penalty_state_size(const SnPenalty *penalty);
size_t sn_penalty_state_size_max(const SnPenalty *penalty);
void sn_penalty_save(const SnPenalty *penalty, void *bytes);

// Whether the first of `size` bytes are a state of this contact, whole and in order: how many they
// are, and the touches that there must be room for to restore them.
bool sn_penalty_fits(const SnPenalty *penalty, const void *bytes, size_t size, size_t *out_size,
                     size_t *out_room);

// From bytes that fit.
void sn_penalty_restore(SnPenalty *penalty, const void *bytes);

#endif

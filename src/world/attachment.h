// Attachments of a world's bodies as forces at material points. A body that has any also has one
// set of points with the attached ones first and the surface after them, so that models see
// attachments and contact as one thing.
#ifndef SN_WORLD_ATTACHMENT_H
#define SN_WORLD_ATTACHMENT_H

#include "world/world.h"

// Where the frames are at the time: targets and directions of the body's ties.
void sn_body_drive_attachments(SnBody *body, double time);

// What acts on the body's points in a step: its ties and, where there are colliders, contact. False
// when nothing does.
bool sn_body_point_forces(SnBody *body, SnPointForces *out_forces);

// Force on the body, N, its moment about the origin, N m, and (nullable) the energy, J, of one
// attachment with its frame as it is at the time.
void sn_world_attachment_read(const SnWorldAttachment *attachment, double time,
                              double out_wrench[6], double *out_energy);

// The body's set of attached points made of those of its attachments and of a surface, which all
// are of `state`. For models whose points are tets and weights.
SinewStatus sn_body_join_attached(SinewWorld *world, const SnBody *body, const void *state,
                                  void *const *attachment_points, const SnBodySurface *surface,
                                  SnAttached *out_attached, SinewError *error);

// Energy of all attachments of a body, J.
double sn_body_attachment_energy(const SnBody *body, double time);

#endif

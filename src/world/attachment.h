// Attachments of a world's bodies as ties, springs at material points; see force_points.h.
#ifndef SN_WORLD_ATTACHMENT_H
#define SN_WORLD_ATTACHMENT_H

#include "world/world.h"

// Where the frames are at the time: targets and directions of the body's ties.
void sn_body_drive_attachments(SnBody *body, double time);

// Force on the body, N, its moment about the origin, N m, and (nullable) the energy, J, of one
// attachment with its frame as it is at the time.
void sn_world_attachment_read(const SnWorldAttachment *attachment, double time,
                              double out_wrench[6], double *out_energy);

// Energy of all attachments of a body, J.
double sn_body_attachment_energy(const SnBody *body, double time);

#endif

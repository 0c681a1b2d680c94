// The points of a body at which forces depend on places, as models see them: one set with the
// attached points first and the points that may touch after them. The set is joined from points
// that are known, so that adding an attachment locates no point but its own.
#ifndef SN_WORLD_FORCE_POINTS_H
#define SN_WORLD_FORCE_POINTS_H

#include "world/world.h"

// The set of a body with its attachments but `without`, and with `more` (both nullable); where it
// touches, with the points that may.
SinewStatus sn_force_points_make(SinewWorld *world, const SnBody *body, bool touches,
                                 const SnWorldAttachment *without, const SnWorldAttachment *more,
                                 SnForcePoints *out_points, SinewError *error);

// What the set is made of. All borrowed.
typedef struct SnForcePointsDef {
    const SnModel *model;
    const void *state;
    const SnBodySurface *surface;
    const SnPointPart *ties; // a part for each attachment
    int tie_parts;
    bool touches; // with the points that may touch
} SnForcePointsDef;

SinewStatus sn_force_points_create(SinewWorld *world, const SnForcePointsDef *def,
                                   SnForcePoints *out_points, SinewError *error);

// `state` may be NULL where the points are all zero, which is fine.
void sn_force_points_release(SinewWorld *world, const SnModel *model, const void *state,
                             SnForcePoints *points);

// What acts on the body's points in a step: its ties and, where there are colliders, contact. False
// when nothing does.
bool sn_body_point_forces(SnBody *body, SnPointForces *out_forces);

#endif

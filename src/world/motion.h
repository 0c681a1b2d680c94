// Motions by keys: where a rigid thing is at a time, and how strong a load is. Uses no function but
// sqrt and floor, so the same keys give the same bits on every machine.
#ifndef SN_WORLD_MOTION_H
#define SN_WORLD_MOTION_H

#include "math/affine.h"
#include "sinew/world.h"

// Refuse times that do not ascend, numbers that are not finite, axes of no length and a count
// without a list; the sentence begins with `what`. No keys are fine.
SinewStatus sn_motion_check(const SinewKey *keys, int count, const char *what, SinewError *error);
SinewStatus sn_ramp_check(const SinewRampKey *keys, int count, const char *what, SinewError *error);

// Refuses a scale that is not positive besides.
SinewStatus sn_pose_check(const SinewPose *pose, const char *what, SinewError *error);

// Maps rest positions to positions at the time t; the identity without keys. At a key it is that
// key's map, and so before the first and after the last. Between two keys translation and `about`
// change linearly; so does the angle where the two have the same axis, up to its length, else the
// turn goes the short way round at constant speed. A key of 0 degrees has the axis and `about` of
// the other: from rest to 720 degrees is two turns, whatever the axis.
SnAffine sn_motion_at(const SinewKey *keys, int count, double t);

// Linear between keys, constant before and after; 1 without keys.
double sn_ramp_at(const SinewRampKey *keys, int count, double t);

// The map of a pose: scaled about the origin, turned about it, moved.
SnAffine sn_pose_map(const SinewPose *pose);

#endif

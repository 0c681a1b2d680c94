// Motions by keys: where a rigid thing is at a time, and how strong a load is.
#ifndef SN_WORLD_MOTION_H
#define SN_WORLD_MOTION_H

#include "math/affine.h"
#include "sinew/world.h"

// Refuses times that do not ascend, numbers that are not finite and axes of no length; the sentence
// begins with `what`.
SinewStatus sn_motion_check(const SinewKey *keys, int count, const char *what, SinewError *error);
SinewStatus sn_ramp_check(const SinewRampKey *keys, int count, const char *what, SinewError *error);

// Maps rest positions to positions at the time t; the identity without keys.
SnAffine sn_motion_at(const SinewKey *keys, int count, double t);

double sn_ramp_at(const SinewRampKey *keys, int count, double t);

// The map of a pose.
SnAffine sn_pose_map(const SinewPose *pose);

#endif

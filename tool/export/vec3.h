// Vectors of three floats, for pictures: positions and directions in the world, and linear colours.
#ifndef SN_TOOL_VEC3_H
#define SN_TOOL_VEC3_H

#include <math.h>

typedef struct SnVec3 {
    float x, y, z;
} SnVec3;

static inline SnVec3 sn_vec3(float x, float y, float z)
{
    return (SnVec3){x, y, z};
}

static inline SnVec3 sn_vec3_load(const float *xyz)
{
    return (SnVec3){xyz[0], xyz[1], xyz[2]};
}

static inline SnVec3 sn_vec3_add(SnVec3 a, SnVec3 b)
{
    return (SnVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline SnVec3 sn_vec3_sub(SnVec3 a, SnVec3 b)
{
    return (SnVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline SnVec3 sn_vec3_scale(float s, SnVec3 a)
{
    return (SnVec3){s * a.x, s * a.y, s * a.z};
}

// a + s b
static inline SnVec3 sn_vec3_add_scaled(SnVec3 a, float s, SnVec3 b)
{
    return (SnVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

// Component by component: what a surface of colour b returns of light of colour a.
static inline SnVec3 sn_vec3_multiply(SnVec3 a, SnVec3 b)
{
    return (SnVec3){a.x * b.x, a.y * b.y, a.z * b.z};
}

static inline SnVec3 sn_vec3_mix(SnVec3 a, SnVec3 b, float t)
{
    return sn_vec3_add_scaled(a, t, sn_vec3_sub(b, a));
}

static inline float sn_vec3_dot(SnVec3 a, SnVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline SnVec3 sn_vec3_cross(SnVec3 a, SnVec3 b)
{
    return (SnVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline float sn_vec3_length(SnVec3 a)
{
    return sqrtf(sn_vec3_dot(a, a));
}

// The zero vector stays zero.
static inline SnVec3 sn_vec3_unit(SnVec3 a)
{
    float length = sn_vec3_length(a);
    return length > 0.0f ? sn_vec3_scale(1.0f / length, a) : a;
}

static inline int sn_vec3_is_finite(SnVec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

#endif

#include "tool/picture/shade.h"

// Strengths of the lights on a surface that faces each squarely. Together they bring white to about
// white, so that a colour map's colours are recognised in the picture.
static const SnVec3 key_light = {0.66f, 0.63f, 0.58f};
static const SnVec3 sky_light = {0.40f, 0.42f, 0.46f};
static const SnVec3 fill_light = {0.10f, 0.11f, 0.13f};
static const SnVec3 rim_light = {0.30f, 0.31f, 0.33f};
static const SnVec3 bounce_light = {0.26f, 0.25f, 0.24f};

static float positive(float x)
{
    return x > 0.0f ? x : 0.0f;
}

SnStudio sn_studio(const SnVec3 axis[3], SnVec3 key)
{
    // Lamps stand around the scene at the camera's bearing, whatever its pitch.
    SnVec3 up = sn_vec3(0, 1, 0);
    SnVec3 right = axis[0];
    SnVec3 forward = sn_vec3_unit(sn_vec3_cross(up, right));
    SnStudio studio = {.key = sn_vec3_unit(key)};
    if (!(sn_vec3_length(studio.key) > 0.5f)) {
        studio.key = sn_vec3_add_scaled(sn_vec3_scale(-0.62f, right), -0.55f, forward);
        studio.key = sn_vec3_unit(sn_vec3_add_scaled(studio.key, 1.15f, up));
    }
    studio.fill = sn_vec3_add_scaled(sn_vec3_scale(0.9f, right), -0.6f, forward);
    studio.fill = sn_vec3_unit(sn_vec3_add_scaled(studio.fill, 0.25f, up));
    studio.rim = sn_vec3_add_scaled(sn_vec3_scale(0.55f, right), 0.9f, forward);
    studio.rim = sn_vec3_unit(sn_vec3_add_scaled(studio.rim, 0.6f, up));
    return studio;
}

// Schlick's approximation of Fresnel reflection, for a dielectric.
static float fresnel(float cosine)
{
    float m = 1.0f - positive(cosine);
    float m2 = m * m;
    return 0.04f + 0.96f * m2 * m2 * m;
}

// A highlight of normalised Blinn-Phong shape.
static float highlight(SnVec3 normal, SnVec3 to_eye, SnVec3 to_light, float gloss)
{
    float cosine = sn_vec3_dot(normal, to_light);
    if (!(cosine > 0.0f)) {
        return 0.0f;
    }
    SnVec3 half = sn_vec3_unit(sn_vec3_add(to_eye, to_light));
    float power = 8.0f + 120.0f * gloss * gloss;
    float lobe = powf(positive(sn_vec3_dot(normal, half)), power) * (power + 8.0f) / 8.0f;
    return cosine * lobe * fresnel(sn_vec3_dot(half, to_eye));
}

// Bends what is brighter than white back below it, and leaves the rest alone.
static float shoulder(float x)
{
    const float knee = 0.75f;
    float over = x - knee;
    return over <= 0.0f ? x : knee + (1.0f - knee) * over / (over + 1.0f - knee);
}

SnVec3 sn_shade_surface(const SnStudio *studio, const SnSurfacePoint *point)
{
    SnLight light = sn_lights_at(studio->lights, point->position, point->face, point->normal);
    SnVec3 n = point->normal;
    float ndotv = sn_vec3_dot(n, point->to_eye);

    float key = light.key * positive(sn_vec3_dot(n, studio->key));
    float fill = positive(0.7f * sn_vec3_dot(n, studio->fill) + 0.3f) * (0.3f + 0.7f * light.open);
    // Light thrown back by the ground reaches what looks down, less so where the sky is hidden.
    float bounce = (0.5f - 0.5f * n.y) * (0.25f + 0.75f * light.open);
    SnVec3 sum = sn_vec3_scale(key, key_light);
    sum = sn_vec3_add_scaled(sum, light.sky, sky_light);
    sum = sn_vec3_add_scaled(sum, fill, fill_light);
    sum = sn_vec3_add_scaled(sum, bounce, bounce_light);
    SnVec3 colour = sn_vec3_multiply(sum, point->albedo);

    float gloss = point->gloss;
    float shine = light.key * highlight(n, point->to_eye, studio->key, gloss);
    float edge = fresnel(ndotv) * (0.15f + 0.85f * gloss) * light.open;
    float rim = positive(sn_vec3_dot(n, studio->rim)) * (1.0f - positive(ndotv));
    colour = sn_vec3_add_scaled(colour, (0.2f + 1.3f * gloss) * shine, key_light);
    colour = sn_vec3_add_scaled(colour, edge, sky_light);
    colour = sn_vec3_add_scaled(colour, rim * rim * light.open, rim_light);
    return sn_vec3(shoulder(colour.x), shoulder(colour.y), shoulder(colour.z));
}

float sn_shade_ground(const SnStudio *studio, SnLight light)
{
    float key = 0.55f * positive(studio->key.y);
    float kept = (light.key * key + light.sky * 0.45f) / (key + 0.45f);
    return fminf(kept, 1.0f);
}

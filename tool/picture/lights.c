#include "tool/picture/lights.h"

#include <stdbool.h>

enum { SKY_SIDE = 288, KEY_SIDE = 512 };

// The angle that spreads points most evenly on a disc or sphere as they are laid on a spiral.
#define GOLDEN_ANGLE 2.39996323f

static void make_across(SnVec3 direction, SnVec3 axis[2])
{
    SnVec3 helper = fabsf(direction.y) < 0.9f ? sn_vec3(0, 1, 0) : sn_vec3(1, 0, 0);
    axis[0] = sn_vec3_unit(sn_vec3_cross(helper, direction));
    axis[1] = sn_vec3_cross(direction, axis[0]);
}

// Evenly over the upper half of the sphere of directions.
static SnVec3 sky_direction(int i)
{
    float y = ((float)i + 0.5f) / SN_LIGHTS_SKY;
    float r = sqrtf(1.0f - y * y);
    float angle = GOLDEN_ANGLE * (float)i;
    return sn_vec3(r * cosf(angle), y, r * sinf(angle));
}

// Evenly over a disc around the lamp's middle.
static SnVec3 key_direction(int i, SnVec3 key, float spread)
{
    SnVec3 axis[2];
    make_across(key, axis);
    float r = spread * sqrtf(((float)i + 0.5f) / SN_LIGHTS_KEY);
    float angle = GOLDEN_ANGLE * (float)i;
    SnVec3 d = sn_vec3_add_scaled(key, r * cosf(angle), axis[0]);
    return sn_vec3_unit(sn_vec3_add_scaled(d, r * sinf(angle), axis[1]));
}

static SnVec3 to_map(const SnLightMap *map, SnVec3 point)
{
    return sn_vec3(sn_vec3_dot(map->axis[0], point) + map->offset[0],
                   sn_vec3_dot(map->axis[1], point) + map->offset[1],
                   sn_vec3_dot(map->axis[2], point) + map->offset[2]);
}

static int clamp_texel(float x, int side)
{
    return x <= 0.0f ? 0 : x >= (float)(side - 1) ? side - 1 : (int)x;
}

static float min3(float a, float b, float c)
{
    float least = a < b ? a : b;
    return least < c ? least : c;
}

// Raises the map where the triangle covers the middle of a texel. A little generous at the edges:
// a map without cracks matters more than a texel raised twice.
static void raise_triangle(SnLightMap *map, const SnVec3 p[3])
{
    int left = clamp_texel(ceilf(min3(p[0].x, p[1].x, p[2].x) - 0.01f), map->side);
    int right = clamp_texel(0.01f - min3(-p[0].x, -p[1].x, -p[2].x), map->side);
    int bottom = clamp_texel(ceilf(min3(p[0].y, p[1].y, p[2].y) - 0.01f), map->side);
    int top = clamp_texel(0.01f - min3(-p[0].y, -p[1].y, -p[2].y), map->side);
    if (left > right || bottom > top) {
        return; // between the texels' middles, as most small triangles are
    }
    float bx = p[1].x - p[0].x, by = p[1].y - p[0].y;
    float cx = p[2].x - p[0].x, cy = p[2].y - p[0].y;
    float area = bx * cy - by * cx;
    if (!(fabsf(area) > 1e-9f)) {
        return;
    }
    float scale = 1.0f / area;
    for (int y = bottom; y <= top; ++y) {
        float *row = map->height + (size_t)y * (size_t)map->side;
        float dy = (float)y - p[0].y;
        for (int x = left; x <= right; ++x) {
            // Weights of the second and the third corner.
            float dx = (float)x - p[0].x;
            float v = (dx * cy - dy * cx) * scale;
            float w = (dy * bx - dx * by) * scale;
            if (v >= -1e-3f && w >= -1e-3f && v + w <= 1.001f) {
                float height = p[0].z + v * (p[1].z - p[0].z) + w * (p[2].z - p[0].z);
                row[x] = height > row[x] ? height : row[x];
            }
        }
    }
}

typedef struct Job {
    SnLights *lights;
    const SnVec3 *points;
    int triangle_count;
} Job;

static void raise_maps(void *context, int begin, int end, int worker)
{
    (void)worker;
    Job *job = context;
    for (int m = begin; m < end; ++m) {
        SnLightMap *map = &job->lights->maps[m];
        for (size_t i = 0; i < (size_t)map->side * (size_t)map->side; ++i) {
            map->height[i] = -INFINITY;
        }
        for (int t = 0; t < job->triangle_count; ++t) {
            SnVec3 p[3];
            for (int c = 0; c < 3; ++c) {
                p[c] = to_map(map, job->points[3 * (size_t)t + (size_t)c]);
            }
            raise_triangle(map, p);
        }
    }
}

static void place_map(SnLightMap *map, SnVec3 direction, int side, SnVec3 centre, float radius)
{
    map->side = side;
    map->direction = direction;
    make_across(direction, map->axis);
    // Two empty texels all around, so that the border is lit.
    map->texel = 2.0f * radius / (float)(side - 4);
    for (int i = 0; i < 2; ++i) {
        map->axis[i] = sn_vec3_scale(1.0f / map->texel, map->axis[i]);
        map->offset[i] = 0.5f * (float)(side - 1) - sn_vec3_dot(map->axis[i], centre);
    }
    map->axis[2] = direction;
    map->offset[2] = -sn_vec3_dot(direction, centre);
}

static void place_maps(SnLights *lights, SnVec3 centre, float radius, SnVec3 key, float spread)
{
    float *height = lights->heights;
    for (int m = 0; m < SN_LIGHTS_COUNT; ++m) {
        SnLightMap *map = &lights->maps[m];
        if (m < SN_LIGHTS_SKY) {
            place_map(map, sky_direction(m), SKY_SIDE, centre, radius);
        } else {
            place_map(map, key_direction(m - SN_LIGHTS_SKY, key, spread), KEY_SIDE, centre, radius);
        }
        map->height = height;
        height += (size_t)map->side * (size_t)map->side;
    }
}

SinewStatus sn_lights_create(const SnVec3 *points, int triangle_count, SnVec3 centre, float radius,
                             SnVec3 key, float spread, SnWorkers *workers,
                             const SinewAllocator *allocator, SnLights **out_lights,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLights *lights = NULL;
    *out_lights = NULL;

    SN_ALLOC_ZERO(lights, allocator, 1, error);
    SN_ALLOC(lights->heights, allocator,
             SN_LIGHTS_SKY * SKY_SIDE * SKY_SIDE + SN_LIGHTS_KEY * KEY_SIDE * KEY_SIDE, error);
    place_maps(lights, centre, fmaxf(radius, 1e-6f), key, spread);
    Job job = {lights, points, triangle_count};
    sn_parallel_for(workers, SN_LIGHTS_COUNT, 1, raise_maps, &job);
    *out_lights = lights;
    lights = NULL;

done:
    sn_lights_destroy(lights, allocator);
    return status;
}

void sn_lights_destroy(SnLights *lights, const SinewAllocator *allocator)
{
    if (lights == NULL) {
        return;
    }
    sn_free(allocator, lights->heights);
    sn_free(allocator, lights);
}

// How much of a point is free towards the light: the four texels around it, each above it or not,
// weighted by distance, so that the edge of a shadow has no steps.
static float visible(const SnLightMap *map, SnVec3 point)
{
    SnVec3 p = to_map(map, point);
    float most = (float)(map->side - 1);
    if (!(p.x >= 0.0f && p.y >= 0.0f && p.x < most && p.y < most)) {
        return 1.0f;
    }
    int i = (int)p.x;
    int j = (int)p.y;
    float s = p.x - (float)i;
    float t = p.y - (float)j;
    const float *row = map->height + (size_t)j * (size_t)map->side + i;
    float near_row = (row[0] <= p.z ? 1.0f - s : 0.0f) + (row[1] <= p.z ? s : 0.0f);
    row += map->side;
    float far_row = (row[0] <= p.z ? 1.0f - s : 0.0f) + (row[1] <= p.z ? s : 0.0f);
    return near_row + t * (far_row - near_row);
}

SnLight sn_lights_at(const SnLights *lights, SnVec3 point, SnVec3 face, SnVec3 normal)
{
    SnLight light = {0};
    // A texel and a half along the normal clears the surface's own steps in a map.
    SnVec3 start = sn_vec3_add_scaled(point, 1.6f * lights->maps[0].texel, face);
    for (int m = 0; m < SN_LIGHTS_SKY; ++m) {
        const SnLightMap *map = &lights->maps[m];
        float cosine = sn_vec3_dot(map->direction, normal);
        if (sn_vec3_dot(map->direction, face) > 0.0f) {
            float v = visible(map, start);
            light.sky += v * fmaxf(cosine, 0.0f);
            light.open += v;
        }
    }
    light.sky *= 2.0f / SN_LIGHTS_SKY;
    light.open *= 1.0f / SN_LIGHTS_SKY;
    start = sn_vec3_add_scaled(point, 2.0f * lights->maps[SN_LIGHTS_SKY].texel, face);
    for (int m = SN_LIGHTS_SKY; m < SN_LIGHTS_COUNT; ++m) {
        const SnLightMap *map = &lights->maps[m];
        if (sn_vec3_dot(map->direction, face) > 0.0f) {
            light.key += visible(map, start);
        }
    }
    light.key *= 1.0f / SN_LIGHTS_KEY;
    return light;
}

#include "io/lights.h"

#include <stdbool.h>

enum { SKY_SIDE = 384, KEY_SIDE = 1024 };

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

// Texel coordinates of a point, and its height.
static SnVec3 to_map(const SnLightMap *map, SnVec3 centre, SnVec3 point)
{
    SnVec3 d = sn_vec3_sub(point, centre);
    float half = 0.5f * (float)map->side;
    float scale = 1.0f / map->texel;
    return sn_vec3(scale * sn_vec3_dot(map->axis[0], d) + half,
                   scale * sn_vec3_dot(map->axis[1], d) + half, sn_vec3_dot(map->direction, d));
}

static int clamp_texel(float x, int side)
{
    return x <= 0.0f ? 0 : x >= (float)(side - 1) ? side - 1 : (int)x;
}

// Raises the map where the triangle covers the middle of a texel. Edge functions in double, so that
// the two triangles at an edge agree to the bit on which side a texel lies.
static void raise_triangle(SnLightMap *map, const SnVec3 p[3])
{
    double ax = p[0].x, ay = p[0].y, bx = p[1].x, by = p[1].y, cx = p[2].x, cy = p[2].y;
    double area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
    if (!(fabs(area) > 1e-9)) {
        return;
    }
    double scale = 1.0 / area;
    int left = clamp_texel(fminf(p[0].x, fminf(p[1].x, p[2].x)) - 0.5f, map->side);
    int right = clamp_texel(fmaxf(p[0].x, fmaxf(p[1].x, p[2].x)) - 0.5f, map->side);
    int bottom = clamp_texel(fminf(p[0].y, fminf(p[1].y, p[2].y)) - 0.5f, map->side);
    int top = clamp_texel(fmaxf(p[0].y, fmaxf(p[1].y, p[2].y)) - 0.5f, map->side);
    for (int y = bottom; y <= top; ++y) {
        float *row = map->height + (size_t)y * (size_t)map->side;
        double Y = y + 0.5;
        for (int x = left; x <= right; ++x) {
            double X = x + 0.5;
            double u = ((cx - bx) * (Y - by) - (cy - by) * (X - bx)) * scale;
            double v = ((ax - cx) * (Y - cy) - (ay - cy) * (X - cx)) * scale;
            double w = 1.0 - u - v;
            // Slightly generous: a map without cracks matters more than a texel counted twice.
            if (u >= -1e-6 && v >= -1e-6 && w >= -1e-6) {
                float height = (float)(u * p[0].z + v * p[1].z + w * p[2].z);
                row[x] = fmaxf(row[x], height);
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
                p[c] = to_map(map, job->lights->centre, job->points[3 * (size_t)t + (size_t)c]);
            }
            raise_triangle(map, p);
        }
    }
}

static void place_maps(SnLights *lights, float radius, SnVec3 key, float spread)
{
    float *height = lights->heights;
    for (int m = 0; m < SN_LIGHTS_COUNT; ++m) {
        SnLightMap *map = &lights->maps[m];
        bool is_sky = m < SN_LIGHTS_SKY;
        map->side = is_sky ? SKY_SIDE : KEY_SIDE;
        map->direction = is_sky ? sky_direction(m) : key_direction(m - SN_LIGHTS_SKY, key, spread);
        make_across(map->direction, map->axis);
        // Two empty texels all around, so that the border is lit.
        map->texel = 2.0f * radius / (float)(map->side - 4);
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
    lights->centre = centre;
    SN_ALLOC(lights->heights, allocator,
             SN_LIGHTS_SKY * SKY_SIDE * SKY_SIDE + SN_LIGHTS_KEY * KEY_SIDE * KEY_SIDE, error);
    place_maps(lights, fmaxf(radius, 1e-6f), key, spread);
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
static float visible(const SnLightMap *map, SnVec3 centre, SnVec3 point)
{
    SnVec3 p = to_map(map, centre, point);
    float x = p.x - 0.5f;
    float y = p.y - 0.5f;
    float most = (float)(map->side - 2);
    if (!(x >= 0.0f && y >= 0.0f && x < most && y < most)) {
        return 1.0f;
    }
    int i = (int)x;
    int j = (int)y;
    float s = x - (float)i;
    float t = y - (float)j;
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
            float v = visible(map, lights->centre, start);
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
            light.key += visible(map, lights->centre, start);
        }
    }
    light.key *= 1.0f / SN_LIGHTS_KEY;
    return light;
}

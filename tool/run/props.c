#include "tool/run/props.h"

#include "geometry/shape.h"
#include "geometry/shape_def.h"
#include "io/surface_files.h"
#include "world/motion.h"

#include <math.h>
#include <string.h>

enum { RESOLUTION = 48 };

// Half the side of the square that stands for a plane, m: twice the longest side of all bodies.
static double stage_size(const SnRunOutput *output)
{
    double size = 0.0;
    for (int b = 0; b < output->body_count; ++b) {
        SinewPoints points = sinew_body_surface(output->world, output->bodies[b].id);
        float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
        sn_bounds_add(low, high, points.xyz, points.count);
        for (int k = 0; k < 3; ++k) {
            size = fmax(size, (double)(high[k] - low[k]));
        }
    }
    return 2.0 * size;
}

// A square of two triangles on the plane, facing out.
static SinewStatus make_square(const SinewShape *plane, double half, SnSurface **out_surface,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    double n[3], u[3], v[3];
    double length = sqrt(plane->normal[0] * plane->normal[0] + plane->normal[1] * plane->normal[1] +
                         plane->normal[2] * plane->normal[2]);
    int flat = 0; // the axis that the normal has least of
    for (int k = 0; k < 3; ++k) {
        n[k] = plane->normal[k] / length;
        flat = fabs(n[k]) < fabs(n[flat]) ? k : flat;
    }
    double along = 1.0 / sqrt(1.0 - n[flat] * n[flat]);
    for (int k = 0; k < 3; ++k) {
        u[k] = ((k == flat ? 1.0 : 0.0) - n[flat] * n[k]) * along;
    }
    for (int k = 0; k < 3; ++k) {
        v[k] = n[(k + 1) % 3] * u[(k + 2) % 3] - n[(k + 2) % 3] * u[(k + 1) % 3];
    }
    SN_TRY(sn_surface_create(4, 2, 0, 1, NULL, out_surface, error));
    for (int c = 0; c < 4; ++c) {
        double a = c == 0 || c == 3 ? -half : half;
        double b = c < 2 ? -half : half;
        for (int k = 0; k < 3; ++k) {
            (*out_surface)->positions[3 * c + k] = plane->offset * n[k] + a * u[k] + b * v[k];
        }
    }
    memcpy((*out_surface)->triangles, (int[]){0, 1, 2, 0, 2, 3}, 6 * sizeof(int));
done:
    return status;
}

static SinewStatus make_surface(const SnRunOutput *output, const SnSceneShape *def,
                                SnSurface **out_surface, SinewError *error)
{
    const SinewShape *shape = &def->shape;
    SinewStatus status = SINEW_OK;
    SnShape inner = {0};
    if (shape->kind == SINEW_SHAPE_PLANE) {
        return make_square(shape, stage_size(output), out_surface, error);
    }
    if (def->file != NULL) {
        return sn_surface_read(def->file, NULL, out_surface, error);
    }
    SN_TRY(sn_shape_from_def(shape, "collider", NULL, &inner, error));
    SN_TRY(sn_shape_surface(&inner, RESOLUTION, NULL, NULL, out_surface, error));
done:
    sn_shape_release(&inner, NULL);
    return status;
}

static void place(SnRunProp *prop, double time)
{
    SnAffine map = sn_motion_at(prop->def->keys, prop->def->key_count, time);
    for (int v = 0; v < prop->surface->vertex_count; ++v) {
        double x[3];
        sn_affine_apply(&map, prop->surface->positions + 3 * (size_t)v, x);
        for (int k = 0; k < 3; ++k) {
            prop->xyz[3 * (size_t)v + (size_t)k] = (float)x[k];
        }
    }
}

static SinewStatus open_prop(SnRunOutput *output, int index, int64_t frame, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnRunProp *prop = &output->props[index];
    SN_TRY(make_surface(output, &prop->def->shape, &prop->surface, error));
    SN_ALLOC(prop->xyz, NULL, 3 * (size_t)prop->surface->vertex_count, error);
    place(prop, 0.0);
    if (prop->def->key_count > 0) {
        sn_run_folder_frame(&output->folder, "collider", index, ".pc2", prop->cache_path);
        SnPointCacheDef def = {.vertex_count = prop->surface->vertex_count, .frame_step = 1.0f};
        if (frame >= 0) {
            SN_TRY(sn_point_cache_begin(&prop->cache, prop->cache_path, &def, (int)frame, NULL,
                                        error));
        }
    }
done:
    return status;
}

SinewStatus sn_run_props_open(SnRunOutput *output, const SinewScene *scene, int64_t frame,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    output->prop_count = output->settings.collider_count;
    SN_ALLOC_ZERO(output->props, NULL, output->prop_count, error);
    for (int c = 0; c < output->prop_count; ++c) {
        output->props[c].def = &scene->content.colliders[c];
        SN_TRY(open_prop(output, c, frame, error));
    }
done:
    return status;
}

void sn_run_props_close(SnRunOutput *output)
{
    for (int c = 0; output->props != NULL && c < output->prop_count; ++c) {
        SnRunProp *prop = &output->props[c];
        sn_point_cache_end(&prop->cache, NULL);
        sn_surface_destroy(prop->surface, NULL);
        sn_free(NULL, prop->xyz);
    }
    sn_free(NULL, output->props);
    output->props = NULL;
}

SinewStatus sn_run_props_frame(SnRunOutput *output, double time, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int c = 0; c < output->prop_count; ++c) {
        SnRunProp *prop = &output->props[c];
        if (prop->def->key_count > 0) {
            place(prop, time);
            SN_TRY(sn_point_cache_append(&prop->cache, prop->xyz, error));
        }
    }
done:
    return status;
}

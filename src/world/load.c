// Loads: dead forces, at material points of a body. A traction is integrated over each loaded
// triangle by the rule of its three edge middles, which is exact for quadratics: so the forces are
// consistent with linear tets and with trilinear cells alike.
#include "world/body_surface.h"
#include "world/check.h"
#include "world/motion.h"

#include <stdio.h>
#include <string.h>

// What is loaded, while a load is made: points with their shares of the whole.
typedef struct Target {
    double *rest;   // m, xyz a point
    double *shares; // of area or mass, a point
    int count;
    double total; // m^2 of triangles, kg of vertices; 0: nothing
} Target;

static void release_target(Target *target, const SinewAllocator *allocator)
{
    sn_free(allocator, target->rest);
    sn_free(allocator, target->shares);
    *target = (Target){0};
}

static SinewStatus allocate_target(Target *target, size_t count, const SinewAllocator *allocator,
                                   SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_ALLOC(target->rest, allocator, 3 * count, error);
    SN_ALLOC(target->shares, allocator, count, error);
done:
    return status;
}

static void add_point(Target *target, const double rest[3], double share)
{
    memcpy(target->rest + 3 * (size_t)target->count, rest, 3 * sizeof(double));
    target->shares[target->count++] = share;
    target->total += share;
}

// The model's vertex at the place of each surface vertex, where the surface is made of the model's
// own vertices in their order; else -1 for all.
static void map_vertices(const SnSurface *surface, const SinewBodyMesh *mesh, int *out_map)
{
    int m = 0;
    for (int s = 0; s < surface->vertex_count; ++s, ++m) {
        const double *place = surface->positions + 3 * (size_t)s;
        while (m < mesh->vertex_count &&
               memcmp(mesh->rest + 3 * (size_t)m, place, 3 * sizeof(double)) != 0) {
            ++m;
        }
        if (m == mesh->vertex_count) {
            for (int v = 0; v < surface->vertex_count; ++v) {
                out_map[v] = -1;
            }
            return;
        }
        out_map[s] = m;
    }
}

static bool holds_triangle(const SinewRegion *region, const SnSurface *surface, const int *map,
                           int triangle)
{
    for (int c = 0; c < 3; ++c) {
        int v = surface->triangles[3 * (size_t)triangle + (size_t)c];
        if (!sn_region_holds(region, map[v], surface->positions + 3 * (size_t)v)) {
            return false;
        }
    }
    return true;
}

static void add_triangle(Target *target, const SnSurface *surface, int triangle)
{
    const int *corners = surface->triangles + 3 * (size_t)triangle;
    double third = sn_body_surface_triangle_area(surface, triangle) / 3.0;
    for (int c = 0; c < 3; ++c) {
        const double *a = surface->positions + 3 * (size_t)corners[c];
        const double *b = surface->positions + 3 * (size_t)corners[(c + 1) % 3];
        double middle[3];
        for (int k = 0; k < 3; ++k) {
            middle[k] = 0.5 * (a[k] + b[k]);
        }
        add_point(target, middle, third);
    }
}

static SinewStatus find_triangles(const SnBody *body, const SinewRegion *region,
                                  const SinewAllocator *allocator, Target *target,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSurface *surface = body->surface.rest;
    SinewBodyMesh mesh = body->model->mesh(body->state);
    int *map = NULL;
    SN_ALLOC(map, allocator, surface->vertex_count, error);
    map_vertices(surface, &mesh, map);
    size_t held = 0;
    for (int t = 0; t < surface->triangle_count; ++t) {
        held += holds_triangle(region, surface, map, t) ? 1 : 0;
    }
    SN_TRY(allocate_target(target, 3 * held, allocator, error));
    for (int t = 0; t < surface->triangle_count; ++t) {
        if (holds_triangle(region, surface, map, t)) {
            add_triangle(target, surface, t);
        }
    }
done:
    sn_free(allocator, map);
    return status;
}

static SinewStatus find_vertices(const SnBody *body, const SinewRegion *region,
                                 const SinewAllocator *allocator, Target *target, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewBodyMesh mesh = body->model->mesh(body->state);
    size_t held = 0;
    for (int v = 0; v < mesh.vertex_count; ++v) {
        held += sn_region_holds(region, v, mesh.rest + 3 * (size_t)v) ? 1 : 0;
    }
    SN_TRY(allocate_target(target, held, allocator, error));
    for (int v = 0; v < mesh.vertex_count; ++v) {
        if (sn_region_holds(region, v, mesh.rest + 3 * (size_t)v)) {
            add_point(target, mesh.rest + 3 * (size_t)v, body->vertex_mass[v]);
        }
    }
done:
    return status;
}

static bool is_zero(const double v[3])
{
    return v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0;
}

static SinewStatus check_load(const SnBody *body, const SinewLoadDef *def, const char *what,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int vertex_count = body->model->mesh(body->state).vertex_count;
    SN_TRY(sn_region_check(&def->within, vertex_count, what, error));
    SN_TRY(sn_check_vector(def->force, what, "force", error));
    SN_TRY(sn_check_vector(def->traction, what, "traction", error));
    if (is_zero(def->force) == is_zero(def->traction)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: %s force and traction are zero, expected exactly one that is not", what,
                       is_zero(def->force) ? "both" : "neither of"));
    }
    SN_TRY(sn_check_list(def->ramp, def->ramp_count, what, "ramp", error));
    SN_TRY(sn_ramp_check(def->ramp, def->ramp_count, what, error));
done:
    return status;
}

// Triangles if there are any, else vertices.
static SinewStatus aim(const SnBody *body, const SinewLoadDef *def, const SinewRegion *region,
                       const char *what, const SinewAllocator *allocator, Target *target,
                       SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(find_triangles(body, region, allocator, target, error));
    if (target->total > 0.0) {
        goto done;
    }
    if (!is_zero(def->traction)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: within holds no triangle of the surface, which a traction needs; "
                       "expected at least one, or a force",
                       what));
    }
    release_target(target, allocator);
    SN_TRY(find_vertices(body, region, allocator, target, error));
    if (!(target->total > 0.0)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: within holds no triangle of the surface and no vertex, expected at "
                       "least one",
                       what));
    }
done:
    return status;
}

static SinewStatus make_load(SinewWorld *world, SnBody *body, const SinewLoadDef *def,
                             const Target *target, SnWorldLoad **out_load, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWorldLoad *load = NULL;
    SN_ALLOC_ZERO(load, &world->allocator, 1, error);
    load->body = body;
    load->count = target->count;
    SN_TRY(
        body->model->points_create(body->state, target->rest, target->count, &load->points, error));
    SN_ALLOC(load->full, &world->allocator, 3 * (size_t)target->count, error);
    SN_ALLOC_ZERO(load->forces, &world->allocator, 3 * (size_t)target->count, error);
    for (int p = 0; p < target->count; ++p) {
        for (int k = 0; k < 3; ++k) {
            double density = is_zero(def->force) ? def->traction[k] : def->force[k] / target->total;
            load->full[3 * (size_t)p + (size_t)k] = density * target->shares[p];
        }
    }
    SN_ALLOC(load->ramp, &world->allocator, def->ramp_count, error);
    if (def->ramp_count > 0) {
        memcpy(load->ramp, def->ramp, (size_t)def->ramp_count * sizeof *load->ramp);
    }
    load->ramp_count = def->ramp_count;
    *out_load = load;
    load = NULL;
done:
    sn_world_load_destroy(world, load);
    return status;
}

void sn_world_load_destroy(SinewWorld *world, SnWorldLoad *load)
{
    if (load != NULL) {
        load->body->model->points_destroy(load->body->state, load->points);
        sn_free(&world->allocator, load->full);
        sn_free(&world->allocator, load->forces);
        sn_free(&world->allocator, load->ramp);
        sn_free(&world->allocator, load);
    }
}

// Puts it into the world; on failure nothing has changed and the load is still the caller's.
static SinewStatus enlist(SinewWorld *world, SnWorldLoad *load, SinewLoadId *out_load,
                          SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBody *body = load->body;
    SN_TRY(sn_slots_reserve(&world->loads, error));
    SN_TRY(sn_array_push(&body->loads, &load, error));
    status = sn_array_push(&body->point_loads, &(SnPointLoad){load->points, load->forces}, error);
    if (status < 0) {
        body->loads.count -= 1;
        goto done;
    }
    SnId id = sn_slots_add(&world->loads, load);
    *out_load = (SinewLoadId){id.index1, id.generation};
done:
    return status;
}

SinewStatus sinew_world_add_load(SinewWorld *world, const SinewLoadDef *def, SinewLoadId *out_load,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWorldLoad *load = NULL;
    Target target = {0};
    SinewRegion region = {0};
    SN_TRY(sn_check_pointer(world, "the world", error));
    SN_TRY(sn_check_pointer(out_load, "out_load", error));
    SN_TRY(sn_check_def(def, "load", error));
    SnBody *body = sn_slots_find(&world->bodies, SN_ID(def->body), error);
    if (body == NULL) {
        return SINEW_ERROR_ARGUMENT;
    }
    char what[100];
    snprintf(what, sizeof what, "load %zu of body \"%s\"", body->loads.count, body->name);
    SN_TRY(check_load(body, def, what, error));
    SN_TRY(sn_region_copy(&def->within, &world->allocator, &region, error));
    SN_TRY(aim(body, def, &region, what, &world->allocator, &target, error));
    SN_TRY(make_load(world, body, def, &target, &load, error));
    SN_TRY(enlist(world, load, out_load, error));
    load = NULL;
done:
    sn_world_load_destroy(world, load);
    if (world != NULL) {
        release_target(&target, &world->allocator);
        sn_region_release(&region, &world->allocator);
    }
    return status;
}

SinewStatus sinew_world_remove_load(SinewWorld *world, SinewLoadId id, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_check_pointer(world, "the world", error));
    SnWorldLoad *load = sn_slots_find(&world->loads, SN_ID(id), error);
    if (load == NULL) {
        return SINEW_ERROR_ARGUMENT;
    }
    SnBody *body = load->body;
    SnWorldLoad **loads = SN_ITEMS(body->loads, SnWorldLoad *);
    SnPointLoad *points = SN_ITEMS(body->point_loads, SnPointLoad);
    size_t kept = 0;
    for (size_t i = 0; i < body->loads.count; ++i) {
        if (loads[i] != load) {
            loads[kept] = loads[i];
            points[kept++] = points[i];
        }
    }
    body->loads.count = kept;
    body->point_loads.count = kept;
    sn_slots_remove(&world->loads, SN_ID(id));
    sn_world_load_destroy(world, load);
done:
    return status;
}

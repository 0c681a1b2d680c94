#include "world/body_surface.h"

#include "base/hash.h"
#include "geometry/point.h"
#include "world/body_solid.h"

#include <string.h>

// Vertices and triangles a range of a loop: some 10 us of work.
enum { GRAIN = 4096 };

static const double *corner_of(const double *x, const int *triangle, int corner)
{
    return x + 3 * (size_t)triangle[corner];
}

// (b - a) x (c - a): along the normal, twice the area long.
static void facet_of(const double *x, const int *triangle, double out[3])
{
    double ab[3], ac[3];
    sn_point_minus(corner_of(x, triangle, 1), corner_of(x, triangle, 0), ab);
    sn_point_minus(corner_of(x, triangle, 2), corner_of(x, triangle, 0), ac);
    sn_point_cross(ab, ac, out);
}

double sn_body_surface_triangle_area(const SnSurface *rest, int triangle)
{
    double facet[3];
    facet_of(rest->positions, rest->triangles + 3 * (size_t)triangle, facet);
    return 0.5 * sn_point_length(facet);
}

// What bodies share ------------------------------------------------------------------------------

static void share_areas(SnSurfaceShape *shape, const SnSurface *rest)
{
    memset(shape->areas, 0, (size_t)rest->vertex_count * sizeof *shape->areas);
    for (int t = 0; t < rest->triangle_count; ++t) {
        double third = sn_body_surface_triangle_area(rest, t) / 3.0;
        for (int c = 0; c < 3; ++c) {
            shape->areas[rest->triangles[3 * (size_t)t + (size_t)c]] += third;
        }
    }
}

// The triangles around each vertex, in ascending order, so that sums over them are always the same.
static void list_triangles(SnSurfaceShape *shape, const SnSurface *rest)
{
    int *start = shape->vertex_start;
    size_t corners = 3 * (size_t)rest->triangle_count;
    memset(start, 0, ((size_t)rest->vertex_count + 1) * sizeof *start);
    for (size_t c = 0; c < corners; ++c) {
        start[rest->triangles[c] + 1] += 1;
    }
    for (int v = 0; v < rest->vertex_count; ++v) {
        start[v + 1] += start[v];
    }
    for (size_t c = 0; c < corners; ++c) {
        shape->vertex_triangles[start[rest->triangles[c]]++] = (int)(c / 3);
    }
    // Filling moved each start to its end, which is the next one's start.
    for (int v = rest->vertex_count; v > 0; --v) {
        start[v] = start[v - 1];
    }
    start[0] = 0;
}

static bool is_shape(const SnShared *thing, const void *key)
{
    const SnSurfaceShape *a = (const SnSurfaceShape *)thing, *b = key;
    return a->model == b->model && a->solid == b->solid && a->model_shape == b->model_shape &&
           a->scale == b->scale && a->spacing == b->spacing;
}

static void destroy_shape(SnShared *thing)
{
    SnSurfaceShape *shape = (SnSurfaceShape *)thing;
    SinewAllocator allocator = shape->allocator;
    if (shape->points != NULL) {
        shape->model->points_destroy(shape->state, shape->points);
    }
    sn_contact_points_release(&shape->contact, &allocator);
    sn_free(&allocator, shape->areas);
    sn_free(&allocator, shape->vertex_start);
    sn_free(&allocator, shape->vertex_triangles);
    sn_free(&allocator, shape);
}

static const SnSharedKind shape_kind = {is_shape, destroy_shape};

static uint64_t hash_shape(const SnSurfaceShape *key)
{
    uint64_t hash = sn_hash(SN_HASH_START, &key->solid, sizeof key->solid);
    return sn_hash(hash, &key->model_shape, sizeof key->model_shape);
}

// A shape for one body, with what follows from the surface at rest.
static SinewStatus make_shape(SinewWorld *world, const SnSurfaceShape *key, const SnSurface *rest,
                              SnSurfaceShape **out_shape, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &world->allocator;
    int vertices = rest->vertex_count, triangles = rest->triangle_count;
    SnSurfaceShape *shape = NULL;
    SN_ALLOC_ZERO(shape, allocator, 1, error);
    *shape = *key;
    shape->allocator = world->allocator;
    SN_ALLOC_FILLED(shape->areas, allocator, vertices, error);
    SN_ALLOC_FILLED(shape->vertex_start, allocator, (size_t)vertices + 1, error);
    SN_ALLOC_FILLED(shape->vertex_triangles, allocator, 3 * (size_t)triangles, error);
    share_areas(shape, rest);
    list_triangles(shape, rest);
    shape->hash = sn_hash(SN_HASH_START, rest->positions, 3 * (size_t)vertices * sizeof(double));
    shape->hash = sn_hash(shape->hash, rest->triangles, 3 * (size_t)triangles * sizeof(int));
    SnContactPointsDef def = {.surface = rest,
                              .areas = shape->areas,
                              .vertex_start = shape->vertex_start,
                              .vertex_triangles = shape->vertex_triangles,
                              .spacing = shape->spacing};
    SN_TRY(sn_contact_points_find(&def, allocator, &shape->contact, error));
    *out_shape = shape;
    shape = NULL;
done:
    if (shape != NULL) {
        destroy_shape(&shape->shared);
    }
    return status;
}

// Making -----------------------------------------------------------------------------------------

// The solid's surface, split where the model wants it to be.
static SinewStatus take_surface(SinewWorld *world, SnBody *body, const SnSolid *solid,
                                bool *out_is_split, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBodySurface *surface = &body->surface;
    SnSplitGrid grid;
    *out_is_split = false;
    SN_TRY(sn_solid_surface(solid, &surface->rest, error));
    if (body->model->split_grid != NULL && body->model->split_grid(body->state, &grid)) {
        SnSurface *split = NULL;
        SN_TRY(sn_surface_split(surface->rest, &grid, &world->allocator, &split, error));
        sn_surface_destroy(surface->rest, &world->allocator);
        surface->rest = split;
        *out_is_split = true;
    }
done:
    return status;
}

static void round_positions(void *context, int begin, int end, int worker)
{
    (void)worker;
    SnBodySurface *surface = context;
    for (size_t i = 3 * (size_t)begin; i < 3 * (size_t)end; ++i) {
        surface->positions[i] = (float)surface->x[i];
    }
}

static void make_facets(void *context, int begin, int end, int worker)
{
    (void)worker;
    SnBodySurface *surface = context;
    for (int t = begin; t < end; ++t) {
        facet_of(surface->x, surface->rest->triangles + 3 * (size_t)t,
                 surface->facets + 3 * (size_t)t);
    }
}

// Area-weighted: the sum of the facets around, made one long.
static void gather_normals(void *context, int begin, int end, int worker)
{
    (void)worker;
    SnBodySurface *surface = context;
    for (int v = begin; v < end; ++v) {
        double sum[3] = {0.0, 0.0, 0.0};
        const SnSurfaceShape *shape = surface->shape;
        for (int i = shape->vertex_start[v]; i < shape->vertex_start[v + 1]; ++i) {
            sn_point_along(sum, 1.0, surface->facets + 3 * (size_t)shape->vertex_triangles[i], sum);
        }
        double length = sn_point_length(sum);
        for (int k = 0; k < 3; ++k) {
            surface->normals[3 * (size_t)v + (size_t)k] =
                length > 0.0 ? (float)(sum[k] / length) : 0.0f;
        }
    }
}

static void follow(SnBodySurface *surface, SnWorkers *workers)
{
    int vertices = surface->rest->vertex_count;
    sn_parallel_for(workers, vertices, GRAIN, round_positions, surface);
    sn_parallel_for(workers, surface->rest->triangle_count, GRAIN, make_facets, surface);
    sn_parallel_for(workers, vertices, GRAIN, gather_normals, surface);
}

static void place(const SnModel *model, const void *state, SnBodySurface *surface)
{
    const SnContactPoints *contact = &surface->shape->contact;
    model->points_place(state, surface->shape->points, surface->x, NULL);
    for (size_t p = 0; p < (size_t)contact->count; ++p) {
        memcpy(surface->contact_x + 3 * p, surface->x + 3 * (size_t)contact->vertices[p],
               3 * sizeof *surface->x);
    }
}

// What moves with the body, of a surface that has its shape.
static SinewStatus make_moving(SinewWorld *world, const SnModel *model, const void *state,
                               SnBodySurface *surface, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &world->allocator;
    int vertices = surface->rest->vertex_count;
    int triangles = surface->rest->triangle_count;
    SN_ALLOC_FILLED(surface->x, allocator, 3 * (size_t)vertices, error);
    SN_ALLOC_FILLED(surface->contact_x, allocator, 3 * (size_t)surface->shape->contact.count,
                    error);
    SN_ALLOC_FILLED(surface->positions, allocator, 3 * (size_t)vertices, error);
    SN_ALLOC_FILLED(surface->normals, allocator, 3 * (size_t)vertices, error);
    SN_ALLOC_FILLED(surface->facets, allocator, 3 * (size_t)triangles, error);
    place(model, state, surface);
    follow(surface, world->workers);
done:
    return status;
}

SinewStatus sn_body_surface_furnish(SinewWorld *world, const SnModel *model, const void *state,
                                    void *points, SnBodySurface *surface, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSurfaceShape key = {.model = model};
    SN_TRY(make_shape(world, &key, surface->rest, &surface->shape, error));
    sn_share_add(NULL, &shape_kind, 0, &surface->shape->shared);
    surface->shape->points = points;
    points = NULL;
    SN_TRY(make_moving(world, model, state, surface, error));
done:
    model->points_destroy(state, points);
    return status;
}

// Contact is felt half a cell apart where the surface is finer than that.
static double choose_spacing(const SinewWorld *world, const SnSolid *solid)
{
    bool all = world->contact_points == SINEW_CONTACT_ALL || sn_solid_shows_elements(solid);
    return all ? 0.0 : 0.5 * sn_solid_cell_size(solid);
}

// Areas, contact points and the vertices' places in the body, all before the body was placed, so
// that they are the same bits in every copy. A surface that the model splits is placed already.
static SinewStatus make_own_shape(SinewWorld *world, SnBody *body, const SnSolid *solid,
                                  const SnSurfaceShape *key, bool is_split, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnModel *model = body->model;
    const SnSurface *rest = body->surface.rest;
    SnSurface *unplaced = NULL;
    SnSurfaceShape *shape = NULL;
    if (!is_split) {
        SN_TRY(sn_solid_unplaced_surface(solid, &unplaced, error));
    }
    SN_TRY(make_shape(world, key, is_split ? rest : unplaced, &shape, error));
    shape->state = body->state;
    if (model->points_create_unplaced != NULL && !is_split) {
        SN_TRY(model->points_create_unplaced(body->state, unplaced->positions,
                                             unplaced->vertex_count, &shape->points, error));
    } else {
        SN_TRY(model->points_create(body->state, rest->positions, rest->vertex_count,
                                    &shape->points, error));
    }
    sn_share_add(key->solid != NULL ? &world->share : NULL, &shape_kind, hash_shape(key),
                 &shape->shared);
    body->surface.shape = shape;
    shape = NULL;
done:
    sn_surface_destroy(unplaced, &world->allocator);
    if (shape != NULL) {
        destroy_shape(&shape->shared);
    }
    return status;
}

SinewStatus sn_body_surface_create(SinewWorld *world, SnBody *body, const SnSolid *solid,
                                   bool is_kept, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBodySurface *surface = &body->surface;
    SnSurfaceShape key = {.model = body->model, .spacing = choose_spacing(world, solid)};
    bool is_split;
    SN_TRY(take_surface(world, body, solid, &is_split, error));
    if (is_kept && !is_split && body->model->shape != NULL) {
        key.model_shape = body->model->shape(body->state);
        key.solid = key.model_shape != NULL ? body->solid : NULL;
        key.scale = sn_solid_scale(solid);
    }
    if (key.solid != NULL) {
        surface->shape =
            (SnSurfaceShape *)sn_share_find(&world->share, &shape_kind, hash_shape(&key), &key);
    }
    if (surface->shape == NULL) {
        SN_TRY(make_own_shape(world, body, solid, &key, is_split, error));
    }
    SN_TRY(make_moving(world, body->model, body->state, surface, error));
done:
    return status;
}

void sn_body_surface_release(SinewWorld *world, const void *state, SnBodySurface *surface)
{
    const SinewAllocator *allocator = &world->allocator;
    if (surface->shape != NULL) {
        surface->shape->state = state;
        sn_share_leave(&surface->shape->shared);
    }
    sn_surface_destroy(surface->rest, allocator);
    sn_free(allocator, surface->x);
    sn_free(allocator, surface->contact_x);
    sn_free(allocator, surface->positions);
    sn_free(allocator, surface->normals);
    sn_free(allocator, surface->facets);
    *surface = (SnBodySurface){0};
}

void sn_body_surface_place(SnBody *body)
{
    place(body->model, body->state, &body->surface);
}

void sn_body_surface_follow(SnBody *body, SnWorkers *workers)
{
    follow(&body->surface, workers);
}

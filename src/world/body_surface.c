#include "world/body_surface.h"

#include "geometry/point.h"

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

static void share_areas(SnBodySurface *surface)
{
    const SnSurface *rest = surface->rest;
    memset(surface->areas, 0, (size_t)rest->vertex_count * sizeof *surface->areas);
    for (int t = 0; t < rest->triangle_count; ++t) {
        double third = sn_body_surface_triangle_area(rest, t) / 3.0;
        for (int c = 0; c < 3; ++c) {
            surface->areas[rest->triangles[3 * (size_t)t + (size_t)c]] += third;
        }
    }
}

// The triangles around each vertex, in ascending order, so that sums over them are always the same.
static void list_triangles(SnBodySurface *surface)
{
    const SnSurface *rest = surface->rest;
    int *start = surface->vertex_start;
    size_t corners = 3 * (size_t)rest->triangle_count;
    memset(start, 0, ((size_t)rest->vertex_count + 1) * sizeof *start);
    for (size_t c = 0; c < corners; ++c) {
        start[rest->triangles[c] + 1] += 1;
    }
    for (int v = 0; v < rest->vertex_count; ++v) {
        start[v + 1] += start[v];
    }
    for (size_t c = 0; c < corners; ++c) {
        surface->vertex_triangles[start[rest->triangles[c]]++] = (int)(c / 3);
    }
    // Filling moved each start to its end, which is the next one's start.
    for (int v = rest->vertex_count; v > 0; --v) {
        start[v] = start[v - 1];
    }
    start[0] = 0;
}

// The solid's surface, split where the model wants it to be.
static SinewStatus take_surface(SinewWorld *world, SnBody *body, const SnSolid *solid,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBodySurface *surface = &body->surface;
    SnSplitGrid grid;
    SN_TRY(sn_solid_surface(solid, &surface->rest, error));
    if (body->model->split_grid != NULL && body->model->split_grid(body->state, &grid)) {
        SnSurface *split = NULL;
        SN_TRY(sn_surface_split(surface->rest, &grid, &world->allocator, &split, error));
        sn_surface_destroy(surface->rest, &world->allocator);
        surface->rest = split;
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
        for (int i = surface->vertex_start[v]; i < surface->vertex_start[v + 1]; ++i) {
            sn_point_along(sum, 1.0, surface->facets + 3 * (size_t)surface->vertex_triangles[i],
                           sum);
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

SinewStatus sn_body_surface_furnish(SinewWorld *world, const SnModel *model, const void *state,
                                    SnBodySurface *surface, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &world->allocator;
    int vertices = surface->rest->vertex_count;
    int triangles = surface->rest->triangle_count;
    SN_ALLOC_FILLED(surface->areas, allocator, vertices, error);
    SN_ALLOC_FILLED(surface->x, allocator, 3 * (size_t)vertices, error);
    SN_ALLOC_FILLED(surface->positions, allocator, 3 * (size_t)vertices, error);
    SN_ALLOC_FILLED(surface->normals, allocator, 3 * (size_t)vertices, error);
    SN_ALLOC_FILLED(surface->facets, allocator, 3 * (size_t)triangles, error);
    SN_ALLOC_FILLED(surface->vertex_start, allocator, (size_t)vertices + 1, error);
    SN_ALLOC_FILLED(surface->vertex_triangles, allocator, 3 * (size_t)triangles, error);
    share_areas(surface);
    list_triangles(surface);
    model->points_place(state, surface->points, surface->x, NULL);
    follow(surface, world->workers);
done:
    return status;
}

SinewStatus sn_body_surface_create(SinewWorld *world, SnBody *body, const SnSolid *solid,
                                   SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBodySurface *surface = &body->surface;
    SN_TRY(take_surface(world, body, solid, error));
    SN_TRY(body->model->points_create(body->state, surface->rest->positions,
                                      surface->rest->vertex_count, &surface->points, error));
    SN_TRY(sn_body_surface_furnish(world, body->model, body->state, surface, error));
done:
    return status;
}

void sn_body_surface_release(SinewWorld *world, const SnModel *model, const void *state,
                             SnBodySurface *surface)
{
    const SinewAllocator *allocator = &world->allocator;
    if (state != NULL) {
        model->points_destroy(state, surface->points);
    }
    sn_surface_destroy(surface->rest, allocator);
    sn_free(allocator, surface->areas);
    sn_free(allocator, surface->x);
    sn_free(allocator, surface->positions);
    sn_free(allocator, surface->normals);
    sn_free(allocator, surface->facets);
    sn_free(allocator, surface->vertex_start);
    sn_free(allocator, surface->vertex_triangles);
    *surface = (SnBodySurface){0};
}

void sn_body_surface_place(SnBody *body)
{
    body->model->points_place(body->state, body->surface.points, body->surface.x, NULL);
}

void sn_body_surface_follow(SnBody *body, SnWorkers *workers)
{
    follow(&body->surface, workers);
}

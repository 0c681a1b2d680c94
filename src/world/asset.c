#include "world/asset.h"

#include "geometry/point.h"
#include "io/surface_files.h"
#include "io/tet_files.h"
#include "world/check.h"

#include <string.h>

// Arrays ------------------------------------------------------------------------------------------

static SinewStatus check_counts(const char *noun, const char *element, const double *positions,
                                int vertex_count, const int *elements, int element_count,
                                int corners, SinewError *error)
{
    if (vertex_count < corners || element_count < 1) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "a %s of %d vertices and %d %s, expected at least %d and 1", noun,
                       vertex_count, element_count, element, corners);
    }
    if (positions == NULL || elements == NULL) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "%s of a %s is NULL",
                       positions == NULL ? "positions" : element, noun);
    }
    return SINEW_OK;
}

static SinewStatus check_positions(const double *positions, int count, SinewError *error)
{
    for (int v = 0; v < count; ++v) {
        const double *p = positions + 3 * (size_t)v;
        for (int k = 0; k < 3; ++k) {
            if (!(fabs(p[k]) <= SN_REACH)) {
                return sn_fail_at(error, SINEW_ERROR_ARGUMENT, v,
                                  "vertex %d is at [%g, %g, %g], expected finite numbers", v, p[0],
                                  p[1], p[2]);
            }
        }
    }
    return SINEW_OK;
}

static SinewStatus check_corners(const char *noun, const int *elements, int element_count,
                                 int corners, int vertex_count, SinewError *error)
{
    for (int e = 0; e < element_count; ++e) {
        for (int c = 0; c < corners; ++c) {
            int vertex = elements[(size_t)corners * (size_t)e + (size_t)c];
            if (vertex < 0 || vertex >= vertex_count) {
                return sn_fail_at(error, SINEW_ERROR_ARGUMENT, e,
                                  "%s %d has the vertex %d, expected 0 to %d", noun, e, vertex,
                                  vertex_count - 1);
            }
        }
    }
    return SINEW_OK;
}

// Surfaces ----------------------------------------------------------------------------------------

static SinewStatus check_surface_def(const SinewSurfaceDef *def, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_check_def(def, "surface", error));
    SN_TRY(sn_check_allocator(&def->allocator, error));
    if (def->line_count != 0) {
        SN_TRY(check_counts("surface", "lines", def->positions, def->vertex_count, def->lines,
                            def->line_count, 2, error));
        SN_TRY(check_corners("line", def->lines, def->line_count, 2, def->vertex_count, error));
    }
    if (def->line_count == 0 || def->triangle_count != 0) {
        SN_TRY(check_counts("surface", "triangles", def->positions, def->vertex_count,
                            def->triangles, def->triangle_count, 3, error));
    }
    SN_TRY(check_positions(def->positions, def->vertex_count, error));
    SN_TRY(check_corners("triangle", def->triangles, def->triangle_count, 3, def->vertex_count,
                         error));
done:
    return status;
}

SinewStatus sinew_surface_create(const SinewSurfaceDef *def, SinewSurface **out_surface,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewSurface *surface = NULL;
    SN_TRY(sn_check_pointer(out_surface, "out_surface", error));
    *out_surface = NULL;
    SN_TRY(check_surface_def(def, error));
    SN_ALLOC_ZERO(surface, &def->allocator, 1, error);
    surface->allocator = def->allocator;
    SN_TRY(sn_surface_create(def->vertex_count, def->triangle_count, def->line_count, 1,
                             &surface->allocator, &surface->surface, error));
    memcpy(surface->surface->positions, def->positions,
           3 * (size_t)def->vertex_count * sizeof(double));
    if (def->triangle_count > 0) {
        memcpy(surface->surface->triangles, def->triangles,
               3 * (size_t)def->triangle_count * sizeof(int));
    }
    if (def->line_count > 0) {
        memcpy(surface->surface->lines, def->lines, 2 * (size_t)def->line_count * sizeof(int));
    }
    *out_surface = surface;
    surface = NULL;
done:
    sinew_surface_destroy(surface);
    return status;
}

SinewStatus sinew_surface_load(const char *path, const SinewAllocator *allocator,
                               SinewSurface **out_surface, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewSurface *surface = NULL;
    SN_TRY(sn_check_pointer(out_surface, "out_surface", error));
    *out_surface = NULL;
    SN_TRY(sn_check_pointer(path, "the path of a surface", error));
    SinewAllocator own = allocator != NULL ? *allocator : (SinewAllocator){0};
    SN_TRY(sn_check_allocator(&own, error));
    SN_ALLOC_ZERO(surface, &own, 1, error);
    surface->allocator = own;
    SN_TRY(sn_surface_read(path, &surface->allocator, &surface->surface, error));
    *out_surface = surface;
    surface = NULL;
done:
    sinew_surface_destroy(surface);
    return status;
}

SinewStatus sinew_surface_save(const SinewSurface *surface, const char *path, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_check_pointer(surface, "surface", error));
    SN_TRY(sn_check_pointer(path, "the path of a surface", error));
    SN_TRY(sn_surface_write(surface->surface, path, &surface->allocator, error));
done:
    return status;
}

void sinew_surface_destroy(SinewSurface *surface)
{
    if (surface == NULL) {
        return;
    }
    SinewAllocator allocator = surface->allocator;
    sn_surface_destroy(surface->surface, &allocator);
    sn_free(&allocator, surface);
}

// Tet meshes --------------------------------------------------------------------------------------

// A tet without volume has no strain, and a vertex without a tet no mass: neither can be moved.
static SinewStatus check_volumes(const SnTetMesh *mesh, SinewError *error)
{
    // Relative to the longest edge, as point location counts it: rounding alone makes as much.
    const double flat = 1e-10 / 6.0;
    for (int t = 0; t < mesh->tet_count; ++t) {
        const int *tet = mesh->tets + 4 * (size_t)t;
        double longest2 = 0.0;
        for (int a = 0; a < 4; ++a) {
            for (int b = a + 1; b < 4; ++b) {
                longest2 =
                    fmax(longest2, sn_point_distance_squared(mesh->positions + 3 * (size_t)tet[a],
                                                             mesh->positions + 3 * (size_t)tet[b]));
            }
        }
        double volume = sn_tet_mesh_volume(mesh, t);
        if (!(volume > flat * longest2 * sqrt(longest2))) {
            return sn_fail_at(error, SINEW_ERROR_ARGUMENT, t,
                              "tet %d has a volume of %g m^3 and edges up to %g m: it is flat, "
                              "expected a volume",
                              t, volume, sqrt(longest2));
        }
    }
    return SINEW_OK;
}

static SinewStatus check_use(const SnTetMesh *mesh, const SinewAllocator *allocator,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    bool *is_used = NULL;
    SN_ALLOC_ZERO(is_used, allocator, mesh->vertex_count, error);
    for (size_t i = 0; i < 4 * (size_t)mesh->tet_count; ++i) {
        is_used[mesh->tets[i]] = true;
    }
    for (int v = 0; v < mesh->vertex_count && status == SINEW_OK; ++v) {
        if (!is_used[v]) {
            status = sn_fail_at(error, SINEW_ERROR_ARGUMENT, v,
                                "vertex %d is in no tet, expected a mesh of tets alone", v);
        }
    }
done:
    sn_free(allocator, is_used);
    return status;
}

static void turn_negative(SnTetMesh *mesh)
{
    for (int t = 0; t < mesh->tet_count; ++t) {
        if (sn_tet_mesh_volume(mesh, t) < 0.0) {
            int *tet = mesh->tets + 4 * (size_t)t;
            int third = tet[2];
            tet[2] = tet[3];
            tet[3] = third;
        }
    }
}

static SinewStatus check_tets_def(const SinewTetsDef *def, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_check_def(def, "tets", error));
    SN_TRY(sn_check_allocator(&def->allocator, error));
    SN_TRY(check_counts("tet mesh", "tets", def->positions, def->vertex_count, def->tets,
                        def->tet_count, 4, error));
    SN_TRY(check_positions(def->positions, def->vertex_count, error));
    SN_TRY(check_corners("tet", def->tets, def->tet_count, 4, def->vertex_count, error));
done:
    return status;
}

SinewStatus sinew_tets_create(const SinewTetsDef *def, SinewTets **out_tets, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewTets *tets = NULL;
    SN_TRY(sn_check_pointer(out_tets, "out_tets", error));
    *out_tets = NULL;
    SN_TRY(check_tets_def(def, error));
    SN_ALLOC_ZERO(tets, &def->allocator, 1, error);
    tets->allocator = def->allocator;
    SN_TRY(sn_tet_mesh_create(def->vertex_count, def->tet_count, &tets->allocator, &tets->mesh,
                              error));
    memcpy(tets->mesh->positions, def->positions, 3 * (size_t)def->vertex_count * sizeof(double));
    memcpy(tets->mesh->tets, def->tets, 4 * (size_t)def->tet_count * sizeof(int));
    turn_negative(tets->mesh);
    SN_TRY(check_volumes(tets->mesh, error));
    SN_TRY(check_use(tets->mesh, &tets->allocator, error));
    *out_tets = tets;
    tets = NULL;
done:
    sinew_tets_destroy(tets);
    return status;
}

SinewStatus sinew_tets_load(const char *path, const SinewAllocator *allocator, SinewTets **out_tets,
                            SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewTets *tets = NULL;
    SN_TRY(sn_check_pointer(out_tets, "out_tets", error));
    *out_tets = NULL;
    SN_TRY(sn_check_pointer(path, "the path of a tet mesh", error));
    SinewAllocator own = allocator != NULL ? *allocator : (SinewAllocator){0};
    SN_TRY(sn_check_allocator(&own, error));
    SN_ALLOC_ZERO(tets, &own, 1, error);
    tets->allocator = own;
    SN_TRY(sn_tet_mesh_read(path, &tets->allocator, &tets->mesh, error));
    *out_tets = tets;
    tets = NULL;
done:
    sinew_tets_destroy(tets);
    return status;
}

SinewStatus sinew_tets_save(const SinewTets *tets, const char *path, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_check_pointer(tets, "tets", error));
    SN_TRY(sn_check_pointer(path, "the path of a tet mesh", error));
    SN_TRY(sn_tet_mesh_write(tets->mesh, path, &tets->allocator, error));
done:
    return status;
}

void sinew_tets_destroy(SinewTets *tets)
{
    if (tets == NULL) {
        return;
    }
    SinewAllocator allocator = tets->allocator;
    sn_tet_mesh_destroy(tets->mesh, &allocator);
    sn_free(&allocator, tets);
}

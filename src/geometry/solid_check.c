// What surfaces and tet meshes may have wrong, each told with a sentence.
#include "geometry/solid_internal.h"

#include <math.h>

SinewStatus sn_solid_check_vertices(const double *positions, int vertex_count, const char *what,
                                    SinewError *error)
{
    for (int i = 0; i < vertex_count; ++i) {
        const double *x = positions + 3 * (size_t)i;
        for (int k = 0; k < 3; ++k) {
            if (!(fabs(x[k]) <= SN_DISTANCE_REACH)) {
                return sn_fail_at(error, SINEW_ERROR_ARGUMENT, i,
                                  "vertex %d of the %s is at %g m along %c, expected at most %g in "
                                  "size",
                                  i, what, x[k], "xyz"[k], SN_DISTANCE_REACH);
            }
        }
    }
    return SINEW_OK;
}

SinewStatus sn_solid_check_triangles(const SnSurface *surface, SinewError *error)
{
    for (int t = 0; t < surface->triangle_count; ++t) {
        const int *corner = surface->triangles + 3 * (size_t)t;
        for (int c = 0; c < 3; ++c) {
            if (corner[c] < 0 || corner[c] >= surface->vertex_count) {
                return sn_fail_at(error, SINEW_ERROR_ARGUMENT, t,
                                  "triangle %d of the surface has vertex %d, expected 0 to %d", t,
                                  corner[c], surface->vertex_count - 1);
            }
        }
    }
    return SINEW_OK;
}

static SinewStatus check_corners(const SnTetMesh *mesh, int tet, SinewError *error)
{
    const int *corner = mesh->tets + 4 * (size_t)tet;
    for (int c = 0; c < 4; ++c) {
        if (corner[c] < 0 || corner[c] >= mesh->vertex_count) {
            return sn_fail_at(error, SINEW_ERROR_ARGUMENT, tet,
                              "tet %d has vertex %d, expected 0 to %d", tet, corner[c],
                              mesh->vertex_count - 1);
        }
    }
    return SINEW_OK;
}

// A tet whose volume is less than rounding makes of four points in a plane: 1e-12 of the cube of
// its longest edge.
static SinewStatus check_volume(const SnTetMesh *mesh, int tet, SinewError *error)
{
    const int *corner = mesh->tets + 4 * (size_t)tet;
    double longest = 0.0;
    for (int a = 0; a < 4; ++a) {
        for (int b = 0; b < a; ++b) {
            const double *x = mesh->positions + 3 * (size_t)corner[a];
            const double *y = mesh->positions + 3 * (size_t)corner[b];
            double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
            longest = fmax(longest, d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        }
    }
    double volume = sn_tet_mesh_volume(mesh, tet);
    if (!(fabs(volume) > 1e-12 * longest * sqrt(longest))) {
        return sn_fail_at(error, SINEW_ERROR_ARGUMENT, tet,
                          "tet %d (vertices %d, %d, %d, %d) has a volume of %g m^3 with an edge of "
                          "%g m, expected one that is not flat",
                          tet, corner[0], corner[1], corner[2], corner[3], volume, sqrt(longest));
    }
    return SINEW_OK;
}

// A vertex without a tet would have no mass and nothing to hold it.
static SinewStatus check_all_used(const SnTetMesh *mesh, const SinewAllocator *allocator,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    unsigned char *is_used = NULL;
    SN_ALLOC_ZERO(is_used, allocator, mesh->vertex_count, error);
    for (size_t i = 0; i < 4 * (size_t)mesh->tet_count; ++i) {
        is_used[mesh->tets[i]] = 1;
    }
    for (int v = 0; v < mesh->vertex_count && status == SINEW_OK; ++v) {
        if (!is_used[v]) {
            status =
                sn_fail_at(error, SINEW_ERROR_ARGUMENT, v,
                           "vertex %d of the tet mesh is in no tet, expected all to be used", v);
        }
    }
done:
    sn_free(allocator, is_used);
    return status;
}

SinewStatus sn_solid_check_tets(const SnTetMesh *mesh, const SinewAllocator *allocator,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (mesh->tet_count < 1) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the tet mesh has %d tets, expected at least one", mesh->tet_count);
    }
    SN_TRY(sn_solid_check_vertices(mesh->positions, mesh->vertex_count, "tet mesh", error));
    for (int t = 0; t < mesh->tet_count; ++t) {
        SN_TRY(check_corners(mesh, t, error));
        SN_TRY(check_volume(mesh, t, error));
    }
    SN_TRY(check_all_used(mesh, allocator, error));
done:
    return status;
}

#include "geometry/tet_quality.h"

#include "geometry/tet_surface.h"

#include <math.h>
#include <stdbool.h>

static void subtract(const double *a, const double *b, double out[3])
{
    for (int c = 0; c < 3; ++c) {
        out[c] = a[c] - b[c];
    }
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// Normals of the four faces, as long as twice the face is large, out of a positive tet. Face f is
// opposite corner f.
static void face_normals(const SnTetMesh *mesh, int tet, double normals[4][3])
{
    static const int corners[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (int f = 0; f < 4; ++f) {
        const double *x[3];
        for (int k = 0; k < 3; ++k) {
            x[k] =
                mesh->positions + 3 * (size_t)mesh->tets[4 * (size_t)tet + (size_t)corners[f][k]];
        }
        double u[3];
        double v[3];
        subtract(x[1], x[0], u);
        subtract(x[2], x[0], v);
        cross(u, v, normals[f]);
    }
}

void sn_tet_quality_dihedrals(const SnTetMesh *mesh, int tet, double out_degrees[6])
{
    static const int pairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    double normals[4][3];
    face_normals(mesh, tet, normals);
    for (int e = 0; e < 6; ++e) {
        const double *a = normals[pairs[e][0]];
        const double *b = normals[pairs[e][1]];
        double perpendicular[3];
        cross(a, b, perpendicular);
        // Between the inner sides of the faces; good also near 0 and 180, where acos is not.
        double angle = atan2(sqrt(dot(perpendicular, perpendicular)), -dot(a, b));
        out_degrees[e] = angle * (180.0 / 3.14159265358979323846);
    }
}

// The longest edge by the shortest height, which is sqrt(3/2) for a regular tet and 1 after
// scaling.
static double aspect_of(const SnTetMesh *mesh, int tet, double volume)
{
    double normals[4][3];
    double longest = 0.0;
    double widest = 0.0;
    face_normals(mesh, tet, normals);
    for (int a = 0; a < 4; ++a) {
        widest = fmax(widest, dot(normals[a], normals[a]));
        for (int b = 0; b < a; ++b) {
            double edge[3];
            subtract(mesh->positions + 3 * (size_t)mesh->tets[4 * (size_t)tet + (size_t)a],
                     mesh->positions + 3 * (size_t)mesh->tets[4 * (size_t)tet + (size_t)b], edge);
            longest = fmax(longest, dot(edge, edge));
        }
    }
    double height = 6.0 * fabs(volume) / sqrt(widest);
    return sqrt(longest) / height * sqrt(2.0 / 3.0);
}

static void measure_tet(const SnTetMesh *mesh, int tet, SnTetQuality *quality)
{
    double angles[6];
    double volume = sn_tet_mesh_volume(mesh, tet);
    quality->volume += volume;
    quality->smallest_volume = fmin(quality->smallest_volume, volume);
    quality->inverted_count += !(volume > 0.0);
    quality->largest_aspect = fmax(quality->largest_aspect, aspect_of(mesh, tet, volume));
    sn_tet_quality_dihedrals(mesh, tet, angles);
    for (int e = 0; e < 6; ++e) {
        quality->smallest_dihedral = fmin(quality->smallest_dihedral, angles[e]);
        quality->largest_dihedral = fmax(quality->largest_dihedral, angles[e]);
        int bin = angles[e] >= 0.0 ? (int)fmin(angles[e], SN_TET_QUALITY_BINS - 1.0) : 0;
        quality->histogram[bin]++;
    }
}

// Each vertex of the boundary once.
static void measure_boundary(const SnTetMesh *mesh, const SnTetSurface *surface, bool *is_seen,
                             SnSignedFn *distance, void *context, SnTetQuality *quality)
{
    double sum = 0.0;
    double largest = 0.0;
    quality->boundary_triangle_count = surface->triangle_count;
    for (int i = 0; i < 3 * surface->triangle_count; ++i) {
        int vertex = surface->triangles[i];
        if (is_seen[vertex]) {
            continue;
        }
        is_seen[vertex] = true;
        quality->boundary_vertex_count++;
        if (distance != NULL) {
            double d = fabs(distance(context, mesh->positions + 3 * (size_t)vertex));
            sum += d;
            largest = fmax(largest, d);
        }
    }
    if (distance != NULL && quality->boundary_vertex_count > 0) {
        quality->largest_distance = largest;
        quality->mean_distance = sum / quality->boundary_vertex_count;
    }
}

SinewStatus sn_tet_quality_measure(const SnTetMesh *mesh, double volume, SnSignedFn *distance,
                                   void *context, const SinewAllocator *allocator,
                                   SnTetQuality *out_quality, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetSurface *surface = NULL;
    bool *is_seen = NULL;
    SnTetQuality quality = {.smallest_dihedral = 180.0,
                            .smallest_volume = INFINITY,
                            .volume_error = NAN,
                            .largest_distance = NAN,
                            .mean_distance = NAN};

    SN_TRY(sn_tet_surface_create(mesh->tets, mesh->tet_count, mesh->vertex_count, allocator,
                                 &surface, error));
    SN_ALLOC_ZERO(is_seen, allocator, mesh->vertex_count, error);
    for (int t = 0; t < mesh->tet_count; ++t) {
        measure_tet(mesh, t, &quality);
    }
    measure_boundary(mesh, surface, is_seen, distance, context, &quality);
    quality.volume_error = (quality.volume - volume) / fabs(volume);
    *out_quality = quality;

done:
    sn_free(allocator, is_seen);
    sn_tet_surface_destroy(surface, allocator);
    return status;
}

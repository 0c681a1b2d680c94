#include "geometry/tet_surface.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

// Face f of a tet lies opposite its corner f; seen from outside its corners turn counter-clockwise.
static const int face_corners[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

// A face's corners in rising order, and which face of the mesh it is: 4 tet + f.
typedef struct Face {
    int corner[3];
    int id;
} Face;

static SinewStatus check(const int *tets, int tet_count, int vertex_count, SinewError *error)
{
    if (tet_count < 0 || vertex_count < 0 || tet_count > INT_MAX / 12) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "a mesh has %d tets and %d vertices, expected 0 to %d tets", tet_count,
                       vertex_count, INT_MAX / 12);
    }
    for (int i = 0; i < 4 * tet_count; ++i) {
        if (tets[i] < 0 || tets[i] >= vertex_count) {
            return sn_fail_at(error, SINEW_ERROR_ARGUMENT, i / 4,
                              "tet %d names vertex %d, expected 0 to %d", i / 4, tets[i],
                              vertex_count - 1);
        }
    }
    return SINEW_OK;
}

static void swap_if_above(int *a, int *b)
{
    if (*a > *b) {
        int c = *a;
        *a = *b;
        *b = c;
    }
}

static Face make_face(const int *tets, int id)
{
    const int *tet = tets + 4 * (id / 4);
    const int *corners = face_corners[id % 4];
    Face face = {{tet[corners[0]], tet[corners[1]], tet[corners[2]]}, id};
    swap_if_above(&face.corner[0], &face.corner[1]);
    swap_if_above(&face.corner[1], &face.corner[2]);
    swap_if_above(&face.corner[0], &face.corner[1]);
    return face;
}

// One pass of a radix sort: stable, by the vertex index of one corner.
static void sort_by_corner(const Face *from, Face *to, int count, int corner, int *start,
                           int vertex_count)
{
    memset(start, 0, ((size_t)vertex_count + 1) * sizeof *start);
    for (int i = 0; i < count; ++i) {
        start[from[i].corner[corner] + 1]++;
    }
    for (int v = 0; v < vertex_count; ++v) {
        start[v + 1] += start[v];
    }
    for (int i = 0; i < count; ++i) {
        to[start[from[i].corner[corner]]++] = from[i];
    }
}

// Marks the faces that have no equal; returns how many.
static int mark_single_faces(const Face *sorted, int count, bool *is_outer)
{
    int outer_count = 0;
    for (int i = 0; i < count;) {
        int end = i + 1;
        while (end < count &&
               memcmp(sorted[end].corner, sorted[i].corner, sizeof sorted[i].corner) == 0) {
            is_outer[sorted[end++].id] = false;
        }
        is_outer[sorted[i].id] = end == i + 1;
        outer_count += end == i + 1;
        i = end;
    }
    return outer_count;
}

static void gather_triangles(const int *tets, int face_count, const bool *is_outer,
                             SnTetSurface *surface)
{
    int n = 0;
    for (int id = 0; id < face_count; ++id) {
        if (is_outer[id]) {
            for (int c = 0; c < 3; ++c) {
                surface->triangles[3 * n + c] = tets[4 * (id / 4) + face_corners[id % 4][c]];
            }
            surface->tets[n++] = id / 4;
        }
    }
}

SinewStatus sn_tet_surface_create(const int *tets, int tet_count, int vertex_count,
                                  const SinewAllocator *allocator, SnTetSurface **out_surface,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Face *faces = NULL;
    Face *other = NULL;
    int *start = NULL;
    bool *is_outer = NULL;
    SnTetSurface *surface = NULL;
    *out_surface = NULL;

    SN_TRY(check(tets, tet_count, vertex_count, error));
    int count = 4 * tet_count;
    SN_ALLOC(faces, allocator, count, error);
    SN_ALLOC(other, allocator, count, error);
    SN_ALLOC(start, allocator, (size_t)vertex_count + 1, error);
    SN_ALLOC(is_outer, allocator, count, error);

    for (int id = 0; id < count; ++id) {
        faces[id] = make_face(tets, id);
    }
    sort_by_corner(faces, other, count, 2, start, vertex_count);
    sort_by_corner(other, faces, count, 1, start, vertex_count);
    sort_by_corner(faces, other, count, 0, start, vertex_count);
    int outer_count = mark_single_faces(other, count, is_outer);

    SN_ALLOC_ZERO(surface, allocator, 1, error);
    surface->triangle_count = outer_count;
    SN_ALLOC(surface->triangles, allocator, 3 * (size_t)outer_count, error);
    SN_ALLOC(surface->tets, allocator, outer_count, error);
    gather_triangles(tets, count, is_outer, surface);
    *out_surface = surface;
    surface = NULL;

done:
    sn_free(allocator, faces);
    sn_free(allocator, other);
    sn_free(allocator, start);
    sn_free(allocator, is_outer);
    sn_tet_surface_destroy(surface, allocator);
    return status;
}

void sn_tet_surface_destroy(SnTetSurface *surface, const SinewAllocator *allocator)
{
    if (surface == NULL) {
        return;
    }
    sn_free(allocator, surface->triangles);
    sn_free(allocator, surface->tets);
    sn_free(allocator, surface);
}

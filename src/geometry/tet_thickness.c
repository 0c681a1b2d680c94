#include "geometry/tet_thickness.h"

#include "geometry/tet_cut.h"

#include <math.h>
#include <stdlib.h>

// Rays beyond this many would not change the tenth that is asked for.
enum { RAYS_MAX = 4096, PASSED_MAX = 100000 };

// Of the outside, how much is at least as thin as the answer.
#define SHARE 0.1

// Tets per element of a box, between five and six.
#define TETS_PER_ELEMENT 5.5

typedef struct Mesh {
    const int *tets;
    const double *positions;
    const int *neighbours; // 4 tet + face across each face, -1 outside
} Mesh;

typedef struct Ray {
    double across; // elements
    double length; // m
    double area;   // m^2, of the face that it started from
} Ray;

static const double *corner_of(const Mesh *mesh, int tet, int corner)
{
    return mesh->positions + 3 * (size_t)mesh->tets[4 * (size_t)tet + (size_t)corner];
}

// Twice the area times the normal of the face opposite to a corner, pointing out of the tet.
static void face_normal(const Mesh *mesh, int tet, int face, double out[3])
{
    const double *p = corner_of(mesh, tet, (face + 1) % 4);
    const double *q = corner_of(mesh, tet, (face + 2) % 4);
    const double *r = corner_of(mesh, tet, (face + 3) % 4);
    const double *inner = corner_of(mesh, tet, face);
    double u[3], v[3], side = 0.0;
    for (int k = 0; k < 3; ++k) {
        u[k] = q[k] - p[k];
        v[k] = r[k] - p[k];
    }
    out[0] = u[1] * v[2] - u[2] * v[1];
    out[1] = u[2] * v[0] - u[0] * v[2];
    out[2] = u[0] * v[1] - u[1] * v[0];
    for (int k = 0; k < 3; ++k) {
        side += out[k] * (inner[k] - p[k]);
    }
    for (int k = 0; k < 3 && side > 0.0; ++k) {
        out[k] = -out[k];
    }
}

static double volume_of(const Mesh *mesh, int tet)
{
    double normal[3], sum = 0.0;
    const double *p = corner_of(mesh, tet, 0), *q = corner_of(mesh, tet, 1);
    face_normal(mesh, tet, 0, normal);
    for (int k = 0; k < 3; ++k) {
        sum += normal[k] * (q[k] - p[k]);
    }
    return fabs(sum) / 6.0;
}

// The face through which a ray that came in through `entry` leaves the tet, and how far from its
// origin that is.
static int find_exit(const Mesh *mesh, int tet, int entry, const double o[3], const double d[3],
                     double *out_length)
{
    int exit = -1;
    *out_length = INFINITY;
    for (int face = 0; face < 4; ++face) {
        double n[3], along = 0.0, height = 0.0;
        const double *p = corner_of(mesh, tet, (face + 1) % 4);
        if (face == entry) {
            continue;
        }
        face_normal(mesh, tet, face, n);
        for (int k = 0; k < 3; ++k) {
            along += n[k] * d[k];
            height += n[k] * (p[k] - o[k]);
        }
        if (along > 0.0 && height / along < *out_length) {
            *out_length = height / along;
            exit = face;
        }
    }
    return exit;
}

// From the middle of a face of the outside along its inward normal.
static Ray cast(const Mesh *mesh, int tet, int face)
{
    Ray ray = {0};
    double o[3] = {0.0}, d[3], volume = 0.0;
    int passed = 0;
    face_normal(mesh, tet, face, d);
    double size = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    ray.area = 0.5 * size;
    for (int k = 0; k < 3; ++k) {
        d[k] = size > 0.0 ? -d[k] / size : 0.0;
        for (int c = 1; c < 4; ++c) {
            o[k] += corner_of(mesh, tet, (face + c) % 4)[k] / 3.0;
        }
    }
    while (tet >= 0 && passed < PASSED_MAX) {
        double length;
        int exit = find_exit(mesh, tet, face, o, d, &length);
        volume += volume_of(mesh, tet);
        passed += 1;
        if (exit < 0) {
            break;
        }
        ray.length = fmax(ray.length, length);
        int next = mesh->neighbours[4 * (size_t)tet + (size_t)exit];
        tet = next >= 0 ? next / 4 : -1;
        face = next >= 0 ? next % 4 : -1;
    }
    double side = cbrt(TETS_PER_ELEMENT * volume / passed);
    ray.across = side > 0.0 ? ray.length / side : 0.0;
    return ray;
}

static int compare(const void *a, const void *b)
{
    double x = ((const Ray *)a)->across, y = ((const Ray *)b)->across;
    return (x > y) - (x < y);
}

static Ray thinnest(Ray *rays, int count)
{
    double area = 0.0, sum = 0.0;
    int r = 0;
    for (int i = 0; i < count; ++i) {
        area += rays[i].area;
    }
    qsort(rays, (size_t)count, sizeof *rays, compare);
    for (; r < count - 1; ++r) {
        sum += rays[r].area;
        if (sum >= SHARE * area) {
            break;
        }
    }
    return rays[r];
}

SinewStatus sn_tet_thickness_find(const int *tets, int tet_count, int vertex_count,
                                  const double *positions, const SinewAllocator *allocator,
                                  SnTetThickness *out_thickness, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *neighbours = NULL, face_count = 0, ray_count = 0;
    Ray *rays = NULL;

    *out_thickness = (SnTetThickness){0};
    SN_TRY(sn_tet_neighbours_create(tets, tet_count, vertex_count, NULL, allocator, &neighbours,
                                    error));
    SN_ALLOC(rays, allocator, RAYS_MAX, error);
    for (size_t i = 0; i < 4 * (size_t)tet_count; ++i) {
        face_count += neighbours[i] < 0 ? 1 : 0;
    }
    Mesh mesh = {tets, positions, neighbours};
    int stride = 1 + face_count / RAYS_MAX;
    for (int i = 0, face = 0; i < 4 * tet_count && ray_count < RAYS_MAX; ++i) {
        if (neighbours[i] < 0 && face++ % stride == 0) {
            rays[ray_count++] = cast(&mesh, i / 4, i % 4);
        }
    }
    if (ray_count > 0) {
        Ray ray = thinnest(rays, ray_count);
        *out_thickness = (SnTetThickness){ray.across, ray.length};
    }

done:
    sn_free(allocator, neighbours);
    sn_free(allocator, rays);
    return status;
}

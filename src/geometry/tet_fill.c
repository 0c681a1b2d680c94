#include "geometry/tet_fill.h"

#include "geometry/tet_quality.h"
#include "geometry/tet_surface.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// The furthest that a vertex moves, in cells.
static const double reach = 0.25;

// Angles between faces, degrees, that a move must not pass: those of the mesher.
static const double smallest_angle = 10.5;
static const double largest_angle = 163.8;

// How often moves are halved before those that spoil a tet are none.
enum { HALVINGS = 4 };

typedef struct Fill {
    SnTetMesh *mesh;
    const SnTetSurface *outside;
    SnSignedFn *function;
    void *context;
    double *places;         // m, before the moves
    double *gaps;           // m, mean distance of each face from the surface, positive inside
    double *moves;          // m, xyz packed, of each vertex
    double *shares;         // m^3, three times the volume that each vertex is to add
    unsigned char *spoiled; // whether a vertex is of a tet that its moves spoil
} Fill;

// The function is nearly quadratic over a face and zero at its corners; its mean is then three
// quarters of its value in the middle.
static void find_gaps(void *context, int begin, int end, int worker)
{
    (void)worker;
    const Fill *fill = context;
    for (int f = begin; f < end; ++f) {
        const int *corner = fill->outside->triangles + 3 * (size_t)f;
        double middle[3] = {0.0, 0.0, 0.0};
        for (int i = 0; i < 9; ++i) {
            middle[i % 3] +=
                fill->mesh->positions[3 * (size_t)corner[i / 3] + (size_t)(i % 3)] / 3.0;
        }
        double value = fill->function(fill->context, middle);
        fill->gaps[f] = isfinite(value) ? -0.75 * value : 0.0;
    }
}

// Twice the area of a face, along its normal.
static void face_normal(const SnTetMesh *mesh, const int corner[3], double out[3])
{
    const double *a = mesh->positions + 3 * (size_t)corner[0];
    const double *b = mesh->positions + 3 * (size_t)corner[1];
    const double *c = mesh->positions + 3 * (size_t)corner[2];
    double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    double v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    out[0] = u[1] * v[2] - u[2] * v[1];
    out[1] = u[2] * v[0] - u[0] * v[2];
    out[2] = u[0] * v[1] - u[1] * v[0];
}

// A vertex that moves by m along the sum s of its faces' areas adds m |s| / 3 to the volume, and is
// to add a third of what is between its faces and the surface.
static void find_moves(Fill *fill, double most)
{
    const SnTetMesh *mesh = fill->mesh;
    for (int f = 0; f < fill->outside->triangle_count; ++f) {
        const int *corner = fill->outside->triangles + 3 * (size_t)f;
        double normal[3];
        face_normal(mesh, corner, normal);
        double area = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
        for (int i = 0; i < 3; ++i) {
            for (int k = 0; k < 3; ++k) {
                fill->moves[3 * (size_t)corner[i] + (size_t)k] += normal[k];
            }
            fill->shares[corner[i]] += area * fill->gaps[f];
        }
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        double *move = fill->moves + 3 * (size_t)v;
        double length = sqrt(move[0] * move[0] + move[1] * move[1] + move[2] * move[2]);
        double distance = length > 0.0 ? fill->shares[v] / length : 0.0;
        distance = fmin(fmax(distance, -most), most);
        for (int k = 0; k < 3; ++k) {
            move[k] = length > 0.0 ? move[k] * (distance / length) : 0.0;
        }
    }
}

static bool is_good(const double angles[6])
{
    for (int i = 0; i < 6; ++i) {
        if (angles[i] < smallest_angle || angles[i] > largest_angle) {
            return false;
        }
    }
    return true;
}

// Marks the vertices of tets that the moves spoil.
static void find_spoiled(Fill *fill)
{
    const SnTetMesh *mesh = fill->mesh;
    memset(fill->spoiled, 0, (size_t)mesh->vertex_count);
    for (int t = 0; t < mesh->tet_count; ++t) {
        const int *corner = mesh->tets + 4 * (size_t)t;
        bool is_moved = false;
        double angles[6];
        for (int i = 0; i < 4; ++i) {
            is_moved = is_moved || fill->shares[corner[i]] != 0.0;
        }
        if (!is_moved) {
            continue;
        }
        sn_tet_quality_dihedrals(mesh, t, angles);
        if (!is_good(angles) || !(sn_tet_mesh_volume(mesh, t) > 0.0)) {
            for (int i = 0; i < 4; ++i) {
                fill->spoiled[corner[i]] = 1;
            }
        }
    }
}

// Shortens the moves of marked vertices. False: none of them moves.
static bool shorten(Fill *fill, double rest)
{
    bool is_any = false;
    for (int v = 0; v < fill->mesh->vertex_count; ++v) {
        for (int k = 0; k < 3 && fill->spoiled[v] != 0; ++k) {
            double *move = &fill->moves[3 * (size_t)v + (size_t)k];
            is_any = is_any || *move != 0.0;
            *move *= rest;
        }
    }
    return is_any;
}

// Moves vertices as far as their tets stay good.
static void move_vertices(Fill *fill)
{
    size_t count = 3 * (size_t)fill->mesh->vertex_count;
    bool is_spoiled = true;
    memcpy(fill->places, fill->mesh->positions, count * sizeof *fill->places);
    for (int pass = 0; is_spoiled; ++pass) {
        for (size_t i = 0; i < count; ++i) {
            fill->mesh->positions[i] = fill->places[i] + fill->moves[i];
        }
        find_spoiled(fill);
        is_spoiled = shorten(fill, pass < HALVINGS ? 0.5 : 0.0);
    }
}

SinewStatus sn_tet_fill(SnTetMesh *mesh, SnSignedFn *function, void *context, double cell_size,
                        SnWorkers *workers, const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetSurface *outside = NULL;
    Fill fill = {.mesh = mesh, .function = function, .context = context};
    SN_TRY(sn_tet_surface_create(mesh->tets, mesh->tet_count, mesh->vertex_count, allocator,
                                 &outside, error));
    fill.outside = outside;
    SN_ALLOC(fill.gaps, allocator, outside->triangle_count, error);
    SN_ALLOC(fill.places, allocator, 3 * (size_t)mesh->vertex_count, error);
    SN_ALLOC_ZERO(fill.moves, allocator, 3 * (size_t)mesh->vertex_count, error);
    SN_ALLOC_ZERO(fill.shares, allocator, mesh->vertex_count, error);
    SN_ALLOC_ZERO(fill.spoiled, allocator, mesh->vertex_count, error);
    sn_parallel_for(workers, outside->triangle_count, 64, find_gaps, &fill);
    find_moves(&fill, reach * cell_size);
    move_vertices(&fill);
done:
    sn_free(allocator, fill.spoiled);
    sn_free(allocator, fill.shares);
    sn_free(allocator, fill.moves);
    sn_free(allocator, fill.places);
    sn_free(allocator, fill.gaps);
    sn_tet_surface_destroy(outside, allocator);
    return status;
}

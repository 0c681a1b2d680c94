// Hexahedra of a solid: the grid of a box, cells that cover anything else, cubes, voxels, and how
// much of each is inside.
#include "geometry/solid_internal.h"

#include "geometry/cell_lattice.h"

#include <math.h>
#include <string.h>

// The grid of a box: vertices in the order of its tets' vertices, cells by (i, j, k), k fastest.
static SinewStatus grid_hexes(const SnSolid *solid, SnHexMesh **out_mesh, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnBoxTetsDef *grid = &solid->grid;
    const int *n = grid->cells;
    SN_TRY(sn_hex_mesh_create((n[0] + 1) * (n[1] + 1) * (n[2] + 1), n[0] * n[1] * n[2],
                              &solid->allocator, out_mesh, error));
    int *hex = (*out_mesh)->hexes;
    for (int v = 0; v < (*out_mesh)->vertex_count; ++v) {
        int k = v % (n[2] + 1), j = v / (n[2] + 1) % (n[1] + 1), i = v / (n[2] + 1) / (n[1] + 1);
        double *x = (*out_mesh)->positions + 3 * (size_t)v;
        x[0] = sn_box_tets_coordinate(grid, 0, i);
        x[1] = sn_box_tets_coordinate(grid, 1, j);
        x[2] = sn_box_tets_coordinate(grid, 2, k);
    }
    for (int cell = 0; cell < n[0] * n[1] * n[2]; ++cell) {
        int k = cell % n[2], j = cell / n[2] % n[1], i = cell / n[2] / n[1];
        for (int c = 0; c < 8; ++c) {
            *hex++ = sn_box_tets_vertex(grid, i + (c >> 2 & 1), j + (c >> 1 & 1), k + (c & 1));
        }
    }
done:
    return status;
}

// All cells that hold some of the body.
static SinewStatus find_lattice(const SnSolid *solid, int division, bool hollow,
                                SnCellLattice **out_lattice, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnCellLattice *lattice = NULL;
    SnCellLatticeDef def = sn_cell_lattice_def_default();
    SnCellBody body = {.surface = solid->outside};
    body.fn = hollow || sn_solid_is_lines(solid) ? NULL : sn_solid_function(solid, &body.context);
    memcpy(body.min, solid->bounds.min, sizeof body.min);
    memcpy(body.max, solid->bounds.max, sizeof body.max);
    def.longest_cells = solid->def.resolution * division;
    if (solid->def.tets != NULL && def.longest_cells < 1) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "resolution is %d cells along the longest side, expected at least 1 to "
                       "cover a tet mesh with hexahedra",
                       def.longest_cells));
    }
    SN_TRY(sn_cell_lattice_create(&body, &def, solid->workers, &solid->allocator, &lattice, error));
    if (lattice->cell_count == 0) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "no cell of %g m holds some of the body at resolution %d; it is thinner "
                       "than the cells or has no inside; use a higher resolution",
                       lattice->cell_size, solid->def.resolution));
    }
    *out_lattice = lattice;
    lattice = NULL;
done:
    sn_cell_lattice_destroy(lattice, &solid->allocator);
    return status;
}

static SinewStatus mesh_lattice(const SnSolid *solid, const SnCellLattice *lattice,
                                SnHexMesh **out_mesh, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_hex_mesh_create(lattice->node_count, lattice->cell_count, &solid->allocator, out_mesh,
                              error));
    memcpy((*out_mesh)->positions, lattice->positions,
           3 * (size_t)lattice->node_count * sizeof(double));
    memcpy((*out_mesh)->hexes, lattice->nodes, 8 * (size_t)lattice->cell_count * sizeof(int));
done:
    return status;
}

static SinewStatus lattice_hexes(const SnSolid *solid, SnHexMesh **out_mesh, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnCellLattice *lattice = NULL;
    SN_TRY(find_lattice(solid, 1, false, &lattice, error));
    SN_TRY(mesh_lattice(solid, lattice, out_mesh, error));
done:
    sn_cell_lattice_destroy(lattice, &solid->allocator);
    return status;
}

SinewStatus sn_solid_hexes(const SnSolid *solid, SnHexMesh **out_mesh, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *out_mesh = NULL;
    if (sn_solid_is_box(solid)) {
        SN_TRY(grid_hexes(solid, out_mesh, error));
    } else {
        SN_TRY(lattice_hexes(solid, out_mesh, error));
    }
    sn_solid_pose_points(solid, (*out_mesh)->positions, (*out_mesh)->vertex_count);
done:
    return status;
}

// The edge of a box' cells before the pose, where they are cubes.
static SinewStatus find_edge(const SnSolid *solid, double *out_edge, SinewError *error)
{
    double edges[3];
    for (int k = 0; k < 3; ++k) {
        edges[k] = (solid->grid.max[k] - solid->grid.min[k]) / solid->grid.cells[k];
    }
    *out_edge = edges[0];
    for (int k = 1; k < 3; ++k) {
        if (!(fabs(edges[k] - edges[0]) <= 1e-6 * edges[0])) {
            return sn_fail(error, SINEW_ERROR_ARGUMENT,
                           "the box has cells of %g x %g x %g m, expected cubes; choose cells in "
                           "proportion to its sides",
                           edges[0], edges[1], edges[2]);
        }
    }
    return SINEW_OK;
}

static SinewStatus box_cubes(const SnSolid *solid, SnSolidCubes *cubes, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const int *n = solid->grid.cells;
    SN_TRY(find_edge(solid, &cubes->edge, error));
    SN_TRY(grid_hexes(solid, &cubes->mesh, error));
    SN_ALLOC(cubes->places, &solid->allocator, 3 * (size_t)cubes->mesh->hex_count, error);
    memcpy(cubes->size, n, sizeof cubes->size);
    for (int cell = 0; cell < cubes->mesh->hex_count; ++cell) {
        cubes->places[3 * cell] = cell / n[2] / n[1];
        cubes->places[3 * cell + 1] = cell / n[2] % n[1];
        cubes->places[3 * cell + 2] = cell % n[2];
    }
done:
    return status;
}

static SinewStatus lattice_cubes(const SnSolid *solid, SnSolidCubes *cubes, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnCellLattice *lattice = NULL;
    SN_TRY(find_lattice(solid, 1, false, &lattice, error));
    SN_TRY(mesh_lattice(solid, lattice, &cubes->mesh, error));
    SN_ALLOC(cubes->places, &solid->allocator, 3 * (size_t)lattice->cell_count, error);
    memcpy(cubes->places, lattice->cells, 3 * (size_t)lattice->cell_count * sizeof(int));
    memcpy(cubes->size, lattice->size, sizeof cubes->size);
    cubes->edge = lattice->cell_size;
done:
    sn_cell_lattice_destroy(lattice, &solid->allocator);
    return status;
}

SinewStatus sn_solid_cubes(const SnSolid *solid, SnSolidCubes *out_cubes, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *out_cubes = (SnSolidCubes){0};
    SN_TRY(sn_solid_is_box(solid) ? box_cubes(solid, out_cubes, error)
                                  : lattice_cubes(solid, out_cubes, error));
    sn_solid_pose_points(solid, out_cubes->mesh->positions, out_cubes->mesh->vertex_count);
    out_cubes->edge *= solid->scale;
done:
    if (status < 0) {
        sn_solid_cubes_destroy(out_cubes, &solid->allocator);
    }
    return status;
}

void sn_solid_cubes_destroy(SnSolidCubes *cubes, const SinewAllocator *allocator)
{
    sn_hex_mesh_destroy(cubes->mesh, allocator);
    sn_free(allocator, cubes->places);
    *cubes = (SnSolidCubes){0};
}

// Voxels -----------------------------------------------------------------------------------------

static SinewStatus make_voxels(const SnSolid *solid, int count, SnSolidVoxels *voxels,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    voxels->count = count;
    SN_ALLOC(voxels->places, &solid->allocator, 3 * (size_t)count, error);
    SN_ALLOC(voxels->fills, &solid->allocator, count, error);
    SN_ALLOC_ZERO(voxels->touched, &solid->allocator, count, error);
done:
    return status;
}

static SinewStatus box_voxels(const SnSolid *solid, int division, SnSolidVoxels *voxels,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int64_t count = 1;
    SN_TRY(find_edge(solid, &voxels->edge, error));
    voxels->edge /= division;
    for (int k = 0; k < 3; ++k) {
        voxels->size[k] = solid->grid.cells[k] * division;
        voxels->origin[k] = solid->grid.min[k];
        count *= voxels->size[k];
    }
    if (count > INT32_MAX / 4) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the box has %lld voxels, expected at most %d; use fewer cells or fine "
                       "levels",
                       (long long)count, INT32_MAX / 4));
    }
    SN_TRY(make_voxels(solid, (int)count, voxels, error));
    for (int v = 0; v < (int)count; ++v) {
        voxels->places[3 * (size_t)v] = v / voxels->size[2] / voxels->size[1];
        voxels->places[3 * (size_t)v + 1] = v / voxels->size[2] % voxels->size[1];
        voxels->places[3 * (size_t)v + 2] = v % voxels->size[2];
        voxels->fills[v] = 1.0f;
    }
done:
    return status;
}

static SinewStatus lattice_voxels(const SnSolid *solid, const SnSolidCut *cut,
                                  SnSolidVoxels *voxels, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnCellLattice *lattice = NULL;
    SN_TRY(find_lattice(solid, cut->division, cut->hollow, &lattice, error));
    SN_TRY(make_voxels(solid, lattice->cell_count, voxels, error));
    memcpy(voxels->places, lattice->cells, 3 * (size_t)lattice->cell_count * sizeof(int));
    memcpy(voxels->fills, lattice->fills, (size_t)lattice->cell_count * sizeof(float));
    for (int v = 0; v < voxels->count && solid->outside != NULL; ++v) {
        voxels->touched[v] = lattice->labels[v] == SN_CELL_BOUNDARY;
    }
    memcpy(voxels->size, lattice->size, sizeof voxels->size);
    memcpy(voxels->origin, lattice->origin, sizeof voxels->origin);
    voxels->edge = lattice->cell_size;
done:
    sn_cell_lattice_destroy(lattice, &solid->allocator);
    return status;
}

SinewStatus sn_solid_voxels(const SnSolid *solid, const SnSolidCut *cut, SnSolidVoxels *out_voxels,
                            SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *out_voxels = (SnSolidVoxels){0};
    if (cut->hollow && solid->outside == NULL) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "a body without a surface of its own cannot be hollow"));
    }
    SN_TRY(sn_solid_is_box(solid) ? box_voxels(solid, cut->division, out_voxels, error)
                                  : lattice_voxels(solid, cut, out_voxels, error));
    sn_affine_apply(&solid->def.pose, out_voxels->origin, out_voxels->origin);
    out_voxels->edge *= solid->scale;
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) {
            out_voxels->axes[3 * k + i] = solid->def.pose.m[4 * i + k] / solid->scale;
        }
    }
done:
    if (status < 0) {
        sn_solid_voxels_destroy(out_voxels, &solid->allocator);
    }
    return status;
}

void sn_solid_voxels_destroy(SnSolidVoxels *voxels, const SinewAllocator *allocator)
{
    sn_free(allocator, voxels->places);
    sn_free(allocator, voxels->fills);
    sn_free(allocator, voxels->touched);
    *voxels = (SnSolidVoxels){0};
}

// Shares -----------------------------------------------------------------------------------------

enum { FILL_POINTS = 4, FILL_GRAIN = 32 };

typedef struct FillJob {
    SnSignedFn *function;
    void *context;
    const SnHexMesh *cubes;
    SnAffine back; // from the posed cubes to where the function is
    double *shares;
} FillJob;

static double find_fill(const FillJob *job, int cube)
{
    const int *corners = job->cubes->hexes + 8 * (size_t)cube;
    const double *low = job->cubes->positions + 3 * (size_t)corners[0];
    int inside = 0;
    for (int n = 0; n < FILL_POINTS * FILL_POINTS * FILL_POINTS; ++n) {
        const int at[3] = {n / (FILL_POINTS * FILL_POINTS), n / FILL_POINTS % FILL_POINTS,
                           n % FILL_POINTS};
        double x[3] = {low[0], low[1], low[2]};
        for (int axis = 0; axis < 3; ++axis) {
            const double *end = job->cubes->positions + 3 * (size_t)corners[4 >> axis];
            for (int k = 0; k < 3; ++k) {
                x[k] += (at[axis] + 0.5) / FILL_POINTS * (end[k] - low[k]);
            }
        }
        sn_affine_apply(&job->back, x, x);
        inside += job->function(job->context, x) <= 0.0 ? 1 : 0;
    }
    return (double)inside / (FILL_POINTS * FILL_POINTS * FILL_POINTS);
}

static void fill_range(void *context, int begin, int end, int worker)
{
    const FillJob *job = context;
    (void)worker;
    for (int e = begin; e < end; ++e) {
        job->shares[e] = find_fill(job, e);
    }
}

SinewStatus sn_solid_fill(const SnSolid *solid, const SnHexMesh *cubes, double *out_shares,
                          SinewError *error)
{
    FillJob job = {.cubes = cubes, .shares = out_shares};
    if (sn_solid_is_box(solid) || sn_solid_is_lines(solid)) {
        for (int e = 0; e < cubes->hex_count; ++e) {
            out_shares[e] = 1.0;
        }
        return SINEW_OK;
    }
    job.function = sn_solid_function(solid, &job.context);
    if (!sn_affine_invert(&solid->def.pose, &job.back)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the body's pose is flat, expected one that can be inverted");
    }
    sn_parallel_for(solid->workers, cubes->hex_count, FILL_GRAIN, fill_range, &job);
    return SINEW_OK;
}

// Hexahedra of a solid: the grid of a box, cells that cover anything else, cubes, voxels, and how
// much of each is inside.
#include "geometry/solid_internal.h"

#include "geometry/box_cover.h"
#include "geometry/cell_lattice.h"

#include <math.h>
#include <stdio.h>
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

// Lines have no inside: their cells count whole.
static SinewStatus copy_fills(const SnSolid *solid, const SnCellLattice *lattice,
                              double **out_fills, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_ALLOC(*out_fills, &solid->allocator, lattice->cell_count, error);
    for (int e = 0; e < lattice->cell_count; ++e) {
        (*out_fills)[e] = sn_solid_is_lines(solid) ? 1.0 : (double)lattice->fills[e];
    }
done:
    return status;
}

SinewStatus sn_solid_hexes(const SnSolid *solid, SnHexMesh **out_mesh, double **out_fills,
                           SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnCellLattice *lattice = NULL;
    *out_mesh = NULL;
    *out_fills = NULL;
    if (sn_solid_is_box(solid)) {
        SN_TRY(grid_hexes(solid, out_mesh, error));
    } else {
        SN_TRY(find_lattice(solid, 1, false, &lattice, error));
        SN_TRY(mesh_lattice(solid, lattice, out_mesh, error));
        SN_TRY(copy_fills(solid, lattice, out_fills, error));
    }
    sn_solid_pose_points(solid, (*out_mesh)->positions, (*out_mesh)->vertex_count);
done:
    sn_cell_lattice_destroy(lattice, &solid->allocator);
    return status;
}

// The nodes of a box' cubes: those of its own grid where its cells are cubes.
static SinewStatus cover_hexes(const SnSolid *solid, const SnBoxCover *cover, SnHexMesh **out_mesh,
                               SinewError *error)
{
    SnSolid covered = *solid;
    memcpy(covered.grid.cells, cover->cells, sizeof cover->cells);
    for (int k = 0; k < 3 && cover->overhang > 0.0; ++k) {
        covered.grid.min[k] = cover->min[k];
        covered.grid.max[k] = cover->min[k] + cover->cells[k] * cover->edge;
    }
    return grid_hexes(&covered, out_mesh, error);
}

static SinewStatus box_cubes(const SnSolid *solid, SnSolidCubes *cubes, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBoxCover cover = sn_box_cover_find(&solid->grid);
    const int *n = cover.cells;
    cubes->edge = cover.edge;
    SN_TRY(cover_hexes(solid, &cover, &cubes->mesh, error));
    SN_ALLOC(cubes->places, &solid->allocator, 3 * (size_t)cubes->mesh->hex_count, error);
    SN_ALLOC(cubes->fills, &solid->allocator, cubes->mesh->hex_count, error);
    memcpy(cubes->size, n, sizeof cubes->size);
    for (int cell = 0; cell < cubes->mesh->hex_count; ++cell) {
        int *place = cubes->places + 3 * (size_t)cell;
        place[0] = cell / n[2] / n[1];
        place[1] = cell / n[2] % n[1];
        place[2] = cell % n[2];
        cubes->fills[cell] = sn_box_cover_fill(&cover, &solid->grid, place, 1);
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
    SN_TRY(copy_fills(solid, lattice, &cubes->fills, error));
    memcpy(cubes->places, lattice->cells, 3 * (size_t)lattice->cell_count * sizeof(int));
    memcpy(cubes->size, lattice->size, sizeof cubes->size);
    cubes->edge = lattice->cell_size;
done:
    sn_cell_lattice_destroy(lattice, &solid->allocator);
    return status;
}

bool sn_solid_cover_note(const SnSolid *solid, char *out_text, size_t size)
{
    if (!sn_solid_is_box(solid)) {
        return false;
    }
    const int *asked = solid->grid.cells;
    SnBoxCover cover = sn_box_cover_find(&solid->grid);
    if (cover.is_as_said) {
        return false;
    }
    int length = snprintf(out_text, size,
                          "the %d x %d x %d cells of the box are not cubes; it has %d x %d x %d "
                          "cubes of %.3g m instead",
                          asked[0], asked[1], asked[2], cover.cells[0], cover.cells[1],
                          cover.cells[2], cover.edge * solid->scale);
    if (cover.overhang > 0.0 && length > 0 && (size_t)length < size) {
        snprintf(out_text + length, size - (size_t)length,
                 ", of which those outside stick out and count with what they hold");
    }
    return true;
}

// Before any pose.
static SinewStatus make_cubes(const SnSolid *solid, SnSolidCubes *out_cubes, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *out_cubes = (SnSolidCubes){0};
    SN_TRY(sn_solid_is_box(solid) ? box_cubes(solid, out_cubes, error)
                                  : lattice_cubes(solid, out_cubes, error));
done:
    if (status < 0) {
        sn_solid_cubes_destroy(out_cubes, &solid->allocator);
    }
    return status;
}

static SinewStatus copy_cubes(const SnSolidCubes *from, const SinewAllocator *allocator,
                              SnSolidCubes *to, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t vertices = (size_t)from->mesh->vertex_count, count = (size_t)from->mesh->hex_count;
    *to = (SnSolidCubes){.edge = from->edge};
    memcpy(to->size, from->size, sizeof to->size);
    SN_TRY(sn_hex_mesh_create(from->mesh->vertex_count, from->mesh->hex_count, allocator, &to->mesh,
                              error));
    SN_ALLOC(to->places, allocator, 3 * count, error);
    SN_ALLOC(to->fills, allocator, count, error);
    memcpy(to->mesh->positions, from->mesh->positions, 3 * vertices * sizeof(double));
    memcpy(to->mesh->hexes, from->mesh->hexes, 8 * count * sizeof(int));
    memcpy(to->places, from->places, 3 * count * sizeof(int));
    memcpy(to->fills, from->fills, count * sizeof(double));
done:
    if (status < 0) {
        sn_solid_cubes_destroy(to, allocator);
    }
    return status;
}

// The caller's, without a pose.
static SinewStatus plain_cubes(const SnSolid *solid, SnSolidCubes *out_cubes, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSolid *base = solid->base;
    *out_cubes = (SnSolidCubes){0};
    if (base == NULL) {
        return make_cubes(solid, out_cubes, error);
    }
    if (base->cubes.mesh == NULL) {
        SN_TRY(make_cubes(base, &base->cubes, error));
    }
    SN_TRY(copy_cubes(&base->cubes, &solid->allocator, out_cubes, error));
done:
    return status;
}

SinewStatus sn_solid_cubes(const SnSolid *solid, SnSolidCubes *out_cubes, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(plain_cubes(solid, out_cubes, error));
    sn_solid_pose_points(solid, out_cubes->mesh->positions, out_cubes->mesh->vertex_count);
    out_cubes->edge *= solid->scale;
done:
    return status;
}

SinewStatus sn_solid_unplaced_cubes(const SnSolid *solid, SnSolidCubes *out_cubes,
                                    SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(plain_cubes(solid, out_cubes, error));
    for (size_t i = 0; i < 3 * (size_t)out_cubes->mesh->vertex_count; ++i) {
        out_cubes->mesh->positions[i] *= solid->scale;
    }
    out_cubes->edge *= solid->scale;
done:
    return status;
}

void sn_solid_cubes_destroy(SnSolidCubes *cubes, const SinewAllocator *allocator)
{
    sn_hex_mesh_destroy(cubes->mesh, allocator);
    sn_free(allocator, cubes->places);
    sn_free(allocator, cubes->fills);
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
    SnBoxCover cover = sn_box_cover_find(&solid->grid);
    voxels->edge = cover.edge / division;
    for (int k = 0; k < 3; ++k) {
        voxels->size[k] = cover.cells[k] * division;
        voxels->origin[k] = cover.min[k];
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
        int *place = voxels->places + 3 * (size_t)v;
        place[0] = v / voxels->size[2] / voxels->size[1];
        place[1] = v / voxels->size[2] % voxels->size[1];
        place[2] = v % voxels->size[2];
        voxels->fills[v] = (float)sn_box_cover_fill(&cover, &solid->grid, place, division);
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
                       "hollow is for surfaces, lines and tet meshes; this shape is a formula and "
                       "has no triangles to be a sheet"));
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
    SnAffine back; // from the cubes to where the function is
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

// Cubes of a box in their order. False: it was cut into others.
static bool fill_box(const SnSolid *solid, const SnHexMesh *cubes, double *out_shares)
{
    SnBoxCover cover = sn_box_cover_find(&solid->grid);
    const int *n = cover.cells;
    bool is_cover = cubes->hex_count == n[0] * n[1] * n[2];
    for (int e = 0; is_cover && e < cubes->hex_count; ++e) {
        int place[3] = {e / n[2] / n[1], e / n[2] % n[1], e % n[2]};
        out_shares[e] = sn_box_cover_fill(&cover, &solid->grid, place, 1);
    }
    return is_cover;
}

// `pose` is where the cubes are.
static SinewStatus find_fills(const SnSolid *solid, const SnAffine *pose, const SnHexMesh *cubes,
                              double *out_shares, SinewError *error)
{
    FillJob job = {.cubes = cubes, .shares = out_shares};
    if (sn_solid_is_box(solid) && fill_box(solid, cubes, out_shares)) {
        return SINEW_OK;
    }
    if (sn_solid_is_lines(solid)) {
        for (int e = 0; e < cubes->hex_count; ++e) {
            out_shares[e] = 1.0;
        }
        return SINEW_OK;
    }
    job.function = sn_solid_function(solid, &job.context);
    if (!sn_affine_invert(pose, &job.back)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the body's pose is flat, expected one that can be inverted");
    }
    sn_parallel_for(solid->workers, cubes->hex_count, FILL_GRAIN, fill_range, &job);
    return SINEW_OK;
}

SinewStatus sn_solid_fill(const SnSolid *solid, const SnHexMesh *cubes, double *out_shares,
                          SinewError *error)
{
    return find_fills(solid, &solid->def.pose, cubes, out_shares, error);
}

SinewStatus sn_solid_unplaced_fill(const SnSolid *solid, const SnHexMesh *cubes, double *out_shares,
                                   SinewError *error)
{
    SnAffine scaled = sn_affine_identity();
    for (int k = 0; k < 3; ++k) {
        scaled.m[5 * k] = solid->scale;
    }
    return find_fills(solid, &scaled, cubes, out_shares, error);
}

#include "geometry/solid.h"

#include "geometry/cell_lattice.h"
#include "geometry/distance.h"
#include "geometry/stuffing.h"
#include "geometry/surface_repair.h"
#include "geometry/tet_boundary.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

struct SnSolid {
    SinewAllocator allocator;
    SnWorkers *workers;
    SnSolidDef def;
    double scale;         // of the pose
    SnBox bounds;         // before the pose
    SnBoxTetsDef grid;    // of a box
    SnSurface *outside;   // of a surface, repaired; of a tet mesh, its boundary; else NULL
    SnDistance *distance; // to that
    SnSolid *base;        // lends the two above and keeps meshes; NULL: they are its own
    SnTetMesh *mesh;      // of a base that was asked for tets: before any pose
    SnSurface *shown;     // of a base that was asked for its surface
};

static bool is_box(const SnSolid *solid)
{
    return solid->def.shape != NULL && solid->def.shape->kind == SN_SHAPE_BOX;
}

// Creation ---------------------------------------------------------------------------------------

static SinewStatus check_def(const SnSolidDef *def, SinewError *error)
{
    int given = (def->shape != NULL) + (def->surface != NULL) + (def->tets != NULL);
    if (given != 1) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "a body is given by %d of shape, surface and tets, expected exactly one",
                       given);
    }
    if (def->tets == NULL && def->resolution < 1) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "resolution is %d cells along the longest side, expected at least 1",
                       def->resolution);
    }
    double scale = sn_affine_determinant(&def->pose);
    if (!(scale > 0.0) || isinf(scale)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the pose makes volumes %g times as large, expected a positive number",
                       scale);
    }
    return SINEW_OK;
}

// The cells of a box: as said, or so many that their longest side is that of the resolution and the
// others are as near to it as whole numbers allow.
static SinewStatus lay_grid(SnSolid *solid, SinewError *error)
{
    const SnBox *box = &solid->def.shape->box;
    const int *cells = solid->def.cells;
    SnBoxTetsDef *grid = &solid->grid;
    memcpy(grid->min, box->min, sizeof grid->min);
    memcpy(grid->max, box->max, sizeof grid->max);
    memcpy(grid->cells, cells, sizeof grid->cells);
    grid->cut = solid->def.cut;
    if (cells[0] == 0 && cells[1] == 0 && cells[2] == 0) {
        double longest = 0.0;
        for (int k = 0; k < 3; ++k) {
            longest = fmax(longest, box->max[k] - box->min[k]);
        }
        for (int k = 0; k < 3; ++k) {
            double share = (box->max[k] - box->min[k]) / longest;
            int count = (int)floor(share * solid->def.resolution + 0.5);
            grid->cells[k] = count > 1 ? count : 1;
        }
    }
    return sn_box_tets_check(grid, error);
}

static SinewStatus check_vertices(const double *positions, int vertex_count, const char *what,
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

static SinewStatus check_triangles(const SnSurface *surface, SinewError *error)
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

static SinewStatus check_tets(const SnTetMesh *mesh, const SinewAllocator *allocator,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (mesh->tet_count < 1) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the tet mesh has %d tets, expected at least one", mesh->tet_count);
    }
    SN_TRY(check_vertices(mesh->positions, mesh->vertex_count, "tet mesh", error));
    for (int t = 0; t < mesh->tet_count; ++t) {
        SN_TRY(check_corners(mesh, t, error));
        SN_TRY(check_volume(mesh, t, error));
    }
    SN_TRY(check_all_used(mesh, allocator, error));
done:
    return status;
}

// Tets in a new mesh, turned so that each has a positive volume.
static SinewStatus copy_tets(const SnTetMesh *from, const SinewAllocator *allocator,
                             SnTetMesh **out_mesh, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetMesh *to = NULL;
    *out_mesh = NULL;
    SN_TRY(sn_tet_mesh_create(from->vertex_count, from->tet_count, allocator, &to, error));
    size_t tets = (size_t)from->tet_count;
    memcpy(to->positions, from->positions, 3 * (size_t)from->vertex_count * sizeof(double));
    memcpy(to->tets, from->tets, 4 * tets * sizeof(int));
    memcpy(to->regions, from->regions, tets * sizeof(int));
    SN_TRY(sn_names_copy(&from->names, allocator, &to->names, error));
    for (int t = 0; t < to->tet_count; ++t) {
        if (sn_tet_mesh_volume(to, t) < 0.0) {
            int *corner = to->tets + 4 * (size_t)t;
            int last = corner[3];
            corner[3] = corner[2];
            corner[2] = last;
        }
    }
    *out_mesh = to;
    to = NULL;
done:
    sn_tet_mesh_destroy(to, allocator);
    return status;
}

// The surface that parts inside from outside, and the distance to it. A surface is repaired as
// `sinew mesh` does.
static SinewStatus find_outside(SnSolid *solid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &solid->allocator;
    SnTetMesh *turned = NULL;
    if (solid->def.tets != NULL) {
        SN_TRY(check_tets(solid->def.tets, allocator, error));
        SN_TRY(copy_tets(solid->def.tets, allocator, &turned, error));
        SN_TRY(sn_tet_boundary_create(turned, allocator, &solid->outside, error));
    } else {
        const SnSurface *given = solid->def.surface;
        SnSurfaceRepair repair;
        SN_TRY(check_vertices(given->positions, given->vertex_count, "surface", error));
        SN_TRY(check_triangles(given, error));
        SN_TRY(sn_surface_copy(given, allocator, &solid->outside, error));
        SN_TRY(sn_surface_repair(solid->outside, 0.0, allocator, &repair, error));
    }
    SnSoup soup = sn_soup_of(solid->outside);
    SN_TRY(sn_distance_create(&soup, allocator, &solid->distance, error));
    solid->bounds = sn_distance_bounds(solid->distance);
done:
    sn_tet_mesh_destroy(turned, allocator);
    return status;
}

static double scale_of(const SnAffine *pose)
{
    const double *m = pose->m;
    return sqrt(m[0] * m[0] + m[4] * m[4] + m[8] * m[8]);
}

SinewStatus sn_solid_create(const SnSolidDef *def, SnWorkers *workers,
                            const SinewAllocator *allocator, SnSolid **out_solid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSolid *solid = NULL;
    *out_solid = NULL;
    SN_TRY(check_def(def, error));
    SN_ALLOC_ZERO(solid, allocator, 1, error);
    solid->allocator = allocator != NULL ? *allocator : (SinewAllocator){0};
    solid->workers = workers;
    solid->def = *def;
    solid->scale = def->scale > 0.0 ? def->scale : scale_of(&def->pose);
    if (def->shape != NULL) {
        SN_TRY(sn_shape_check(def->shape, error));
        solid->bounds = sn_shape_bounds(def->shape);
    } else {
        SN_TRY(find_outside(solid, error));
    }
    if (is_box(solid)) {
        SN_TRY(lay_grid(solid, error));
    }
    *out_solid = solid;
    solid = NULL;
done:
    sn_solid_destroy(solid);
    return status;
}

SinewStatus sn_solid_create_posed(SnSolid *base, const SnAffine *pose, double scale,
                                  SnSolid **out_solid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSolidDef def = base->def;
    *out_solid = NULL;
    def.pose = *pose;
    SN_TRY(check_def(&def, error));
    SN_ALLOC(*out_solid, &base->allocator, 1, error);
    **out_solid = *base;
    (*out_solid)->base = base;
    (*out_solid)->def = def;
    (*out_solid)->scale = scale > 0.0 ? scale : scale_of(pose);
    (*out_solid)->mesh = NULL;
    (*out_solid)->shown = NULL;
done:
    return status;
}

void sn_solid_destroy(SnSolid *solid)
{
    if (solid == NULL) {
        return;
    }
    SinewAllocator allocator = solid->allocator;
    if (solid->base == NULL) {
        sn_distance_destroy(solid->distance);
        sn_surface_destroy(solid->outside, &allocator);
        sn_tet_mesh_destroy(solid->mesh, &allocator);
        sn_surface_destroy(solid->shown, &allocator);
    }
    sn_free(&allocator, solid);
}

// Elements ---------------------------------------------------------------------------------------

static void pose_points(const SnSolid *solid, double *positions, int count)
{
    for (int i = 0; i < count; ++i) {
        double *x = positions + 3 * (size_t)i;
        sn_affine_apply(&solid->def.pose, x, x);
    }
}

// The signed function of what is not a box.
static SnSignedFn *signed_fn(const SnSolid *solid, void **out_context)
{
    if (solid->distance != NULL) {
        *out_context = solid->distance;
        return sn_distance_fn;
    }
    // SnSignedFn takes any context; sn_shape_fn only reads this one.
    *out_context = (void *)(uintptr_t)solid->def.shape;
    return sn_shape_fn;
}

static SinewStatus stuff(const SnSolid *solid, SnTetMesh **out_mesh, SinewError *error)
{
    SnStuffingDef def = sn_stuffing_def_default();
    def.function = signed_fn(solid, &def.context);
    memcpy(def.min, solid->bounds.min, sizeof def.min);
    memcpy(def.max, solid->bounds.max, sizeof def.max);
    def.cells = solid->def.resolution;
    return sn_stuffing_create(&def, solid->workers, &solid->allocator, out_mesh, error);
}

// Before any pose.
static SinewStatus make_tets(const SnSolid *solid, SnTetMesh **out_mesh, SinewError *error)
{
    if (is_box(solid)) {
        return sn_box_tets_create(&solid->grid, &solid->allocator, out_mesh, error);
    }
    if (solid->def.tets != NULL) {
        return copy_tets(solid->def.tets, &solid->allocator, out_mesh, error);
    }
    return stuff(solid, out_mesh, error);
}

static SinewStatus plain_tets(const SnSolid *solid, SnTetMesh **out_mesh, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSolid *base = solid->base;
    *out_mesh = NULL;
    if (base == NULL) {
        return make_tets(solid, out_mesh, error);
    }
    if (base->mesh == NULL) {
        SN_TRY(make_tets(base, &base->mesh, error));
    }
    SN_TRY(copy_tets(base->mesh, &solid->allocator, out_mesh, error));
done:
    return status;
}

SinewStatus sn_solid_tets(const SnSolid *solid, SnTetMesh **out_mesh, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(plain_tets(solid, out_mesh, error));
    pose_points(solid, (*out_mesh)->positions, (*out_mesh)->vertex_count);
done:
    return status;
}

SinewStatus sn_solid_unplaced_tets(const SnSolid *solid, SnTetMesh **out_mesh, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(plain_tets(solid, out_mesh, error));
    for (size_t i = 0; i < 3 * (size_t)(*out_mesh)->vertex_count; ++i) {
        (*out_mesh)->positions[i] *= solid->scale;
    }
done:
    return status;
}

SnAffine sn_solid_placement(const SnSolid *solid)
{
    SnAffine placement = solid->def.pose;
    for (int i = 0; i < 12; ++i) {
        placement.m[i] = i % 4 == 3 ? placement.m[i] : placement.m[i] / solid->scale;
    }
    return placement;
}

SnAffine sn_solid_pose(const SnSolid *solid)
{
    return solid->def.pose;
}

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
    body.fn = hollow ? NULL : signed_fn(solid, &body.context);
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
    if (is_box(solid)) {
        SN_TRY(grid_hexes(solid, out_mesh, error));
    } else {
        SN_TRY(lattice_hexes(solid, out_mesh, error));
    }
    pose_points(solid, (*out_mesh)->positions, (*out_mesh)->vertex_count);
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
    SN_TRY(is_box(solid) ? box_cubes(solid, out_cubes, error)
                         : lattice_cubes(solid, out_cubes, error));
    pose_points(solid, out_cubes->mesh->positions, out_cubes->mesh->vertex_count);
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
    SN_TRY(is_box(solid) ? box_voxels(solid, cut->division, out_voxels, error)
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
    if (is_box(solid)) {
        for (int e = 0; e < cubes->hex_count; ++e) {
            out_shares[e] = 1.0;
        }
        return SINEW_OK;
    }
    job.function = signed_fn(solid, &job.context);
    if (!sn_affine_invert(&solid->def.pose, &job.back)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "the body's pose is flat");
    }
    sn_parallel_for(solid->workers, cubes->hex_count, FILL_GRAIN, fill_range, &job);
    return SINEW_OK;
}

// Outside ----------------------------------------------------------------------------------------

// Both cuts part each square of the grid's faces in two, so the tets' outside is the box's.
static SinewStatus box_surface(const SnSolid *solid, SnSurface **out_surface, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetMesh *mesh = NULL;
    SN_TRY(sn_box_tets_create(&solid->grid, &solid->allocator, &mesh, error));
    SN_TRY(sn_tet_boundary_create(mesh, &solid->allocator, out_surface, error));
done:
    sn_tet_mesh_destroy(mesh, &solid->allocator);
    return status;
}

// Twice as fine as the simulation, so that roundness shows, and never coarser than 32.
static int shown_resolution(int resolution)
{
    int twice = resolution > 512 ? 1024 : 2 * resolution;
    return twice > 32 ? twice : 32;
}

// Before any pose.
static SinewStatus make_surface(const SnSolid *solid, SnSurface **out_surface, SinewError *error)
{
    const SnSolidDef *def = &solid->def;
    if (is_box(solid)) {
        return box_surface(solid, out_surface, error);
    }
    if (def->shape != NULL) {
        return sn_shape_surface(def->shape, shown_resolution(def->resolution), solid->workers,
                                &solid->allocator, out_surface, error);
    }
    const SnSurface *source = def->surface != NULL ? def->surface : solid->outside;
    return sn_surface_copy(source, &solid->allocator, out_surface, error);
}

SinewStatus sn_solid_surface(const SnSolid *solid, SnSurface **out_surface, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSolid *base = solid->base;
    *out_surface = NULL;
    if (base != NULL) {
        if (base->shown == NULL) {
            SN_TRY(make_surface(base, &base->shown, error));
        }
        SN_TRY(sn_surface_copy(base->shown, &solid->allocator, out_surface, error));
    } else {
        SN_TRY(make_surface(solid, out_surface, error));
    }
    pose_points(solid, (*out_surface)->positions, (*out_surface)->vertex_count);
done:
    return status;
}

// The posed bounds of points; a box's corners stand for a shape, whose own bounds would need it
// turned.
SnBox sn_solid_bounds(const SnSolid *solid)
{
    SnBox box = sn_box_empty();
    double x[3];
    if (solid->outside != NULL) {
        for (int t = 0; t < 3 * solid->outside->triangle_count; ++t) {
            int vertex = solid->outside->triangles[t];
            sn_affine_apply(&solid->def.pose, solid->outside->positions + 3 * (size_t)vertex, x);
            sn_box_add_point(&box, x);
        }
        return box;
    }
    for (int c = 0; c < 8; ++c) {
        const SnBox *b = &solid->bounds;
        double corner[3] = {c & 4 ? b->max[0] : b->min[0], c & 2 ? b->max[1] : b->min[1],
                            c & 1 ? b->max[2] : b->min[2]};
        sn_affine_apply(&solid->def.pose, corner, x);
        sn_box_add_point(&box, x);
    }
    return box;
}

// The mean edge of the tets that are given, all of them counted.
static double mean_edge(const SnTetMesh *mesh)
{
    double sum = 0.0;
    for (int t = 0; t < mesh->tet_count; ++t) {
        const int *corner = mesh->tets + 4 * (size_t)t;
        for (int a = 1; a < 4; ++a) {
            for (int b = 0; b < a; ++b) {
                const double *x = mesh->positions + 3 * (size_t)corner[a];
                const double *y = mesh->positions + 3 * (size_t)corner[b];
                double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
                sum += sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            }
        }
    }
    return sum / (6.0 * mesh->tet_count);
}

double sn_solid_cell_size(const SnSolid *solid)
{
    double size = 0.0;
    if (solid->def.tets != NULL) {
        return solid->scale * mean_edge(solid->def.tets);
    }
    for (int k = 0; k < 3; ++k) {
        double side = solid->bounds.max[k] - solid->bounds.min[k];
        int cells = is_box(solid) ? solid->grid.cells[k] : solid->def.resolution;
        size = fmax(size, side / cells);
    }
    return solid->scale * size;
}

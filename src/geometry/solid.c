#include "geometry/solid_internal.h"

#include "geometry/line_tubes.h"
#include "geometry/stuffing.h"
#include "geometry/surface_repair.h"
#include "geometry/tet_boundary.h"
#include "geometry/tet_fill.h"

#include <math.h>
#include <string.h>

// Of the tubes that lines are shown as, in cells.
#define TUBE_RADIUS 0.1

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

// Lines have no inside and need neither repair nor a distance.
static SinewStatus take_lines(SnSolid *solid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSurface *given = solid->def.surface;
    SN_TRY(sn_solid_check_vertices(given->positions, given->vertex_count, "surface", error));
    solid->bounds = sn_box_empty();
    for (int i = 0; i < 2 * given->line_count; ++i) {
        if (given->lines[i] < 0 || given->lines[i] >= given->vertex_count) {
            SN_TRY(sn_fail_at(error, SINEW_ERROR_ARGUMENT, i / 2,
                              "line %d of the surface has vertex %d, expected 0 to %d", i / 2,
                              given->lines[i], given->vertex_count - 1));
        }
        sn_box_add_point(&solid->bounds, given->positions + 3 * (size_t)given->lines[i]);
    }
    SN_TRY(sn_surface_copy(given, &solid->allocator, &solid->outside, error));
done:
    return status;
}

bool sn_solid_is_lines(const SnSolid *solid)
{
    const SnSurface *surface = solid->def.surface;
    return surface != NULL && surface->triangle_count == 0 && surface->line_count > 0;
}

// The surface that parts inside from outside, and the distance to it. A surface is repaired as
// `sinew mesh` does.
static SinewStatus find_outside(SnSolid *solid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &solid->allocator;
    SnTetMesh *turned = NULL;
    if (solid->def.tets != NULL) {
        SN_TRY(sn_solid_check_tets(solid->def.tets, allocator, error));
        SN_TRY(copy_tets(solid->def.tets, allocator, &turned, error));
        SN_TRY(sn_tet_boundary_create(turned, allocator, &solid->outside, error));
    } else {
        const SnSurface *given = solid->def.surface;
        SnSurfaceRepair repair;
        SN_TRY(sn_solid_check_vertices(given->positions, given->vertex_count, "surface", error));
        SN_TRY(sn_solid_check_triangles(given, error));
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
    } else if (sn_solid_is_lines(solid)) {
        SN_TRY(take_lines(solid, error));
    } else {
        SN_TRY(find_outside(solid, error));
    }
    if (sn_solid_is_box(solid)) {
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
    (*out_solid)->cubes = (SnSolidCubes){0};
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
        sn_solid_cubes_destroy(&solid->cubes, &allocator);
    }
    sn_free(&allocator, solid);
}

// Elements ---------------------------------------------------------------------------------------

void sn_solid_pose_points(const SnSolid *solid, double *positions, int count)
{
    for (int i = 0; i < count; ++i) {
        double *x = positions + 3 * (size_t)i;
        sn_affine_apply(&solid->def.pose, x, x);
    }
}

SnSignedFn *sn_solid_function(const SnSolid *solid, void **out_context)
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
    SinewStatus status = SINEW_OK;
    SnTetMesh *mesh = NULL;
    *out_mesh = NULL;
    if (sn_solid_is_lines(solid)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the surface has %d lines and no triangles, which have no inside to fill",
                       solid->def.surface->line_count);
    }
    SnStuffingDef def = sn_stuffing_def_default();
    def.function = sn_solid_function(solid, &def.context);
    memcpy(def.min, solid->bounds.min, sizeof def.min);
    memcpy(def.max, solid->bounds.max, sizeof def.max);
    def.cells = solid->def.resolution;
    SN_TRY(sn_stuffing_create(&def, solid->workers, &solid->allocator, &mesh, error));
    SN_TRY(sn_tet_fill(mesh, def.function, def.context, sn_stuffing_cell_size(&def), solid->workers,
                       &solid->allocator, error));
    *out_mesh = mesh;
    mesh = NULL;
done:
    sn_tet_mesh_destroy(mesh, &solid->allocator);
    return status;
}

// Before any pose.
static SinewStatus make_tets(const SnSolid *solid, SnTetMesh **out_mesh, SinewError *error)
{
    if (sn_solid_is_box(solid)) {
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
    sn_solid_pose_points(solid, (*out_mesh)->positions, (*out_mesh)->vertex_count);
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

double sn_solid_scale(const SnSolid *solid)
{
    return solid->scale;
}

SnAffine sn_solid_pose(const SnSolid *solid)
{
    return solid->def.pose;
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
    if (sn_solid_is_box(solid)) {
        return box_surface(solid, out_surface, error);
    }
    if (def->shape != NULL) {
        return sn_shape_surface(def->shape, shown_resolution(def->resolution), solid->workers,
                                &solid->allocator, out_surface, error);
    }
    if (sn_solid_is_lines(solid)) {
        double cell = sn_box_longest_side(&solid->bounds) / def->resolution;
        return sn_line_tubes_create(def->surface, TUBE_RADIUS * cell, 0.5 * cell, &solid->allocator,
                                    out_surface, error);
    }
    const SnSurface *source = def->surface != NULL ? def->surface : solid->outside;
    return sn_surface_copy(source, &solid->allocator, out_surface, error);
}

// A copy, without a pose.
static SinewStatus copy_shown(const SnSolid *solid, SnSurface **out_surface, SinewError *error)
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
done:
    return status;
}

SinewStatus sn_solid_surface(const SnSolid *solid, SnSurface **out_surface, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(copy_shown(solid, out_surface, error));
    sn_solid_pose_points(solid, (*out_surface)->positions, (*out_surface)->vertex_count);
done:
    return status;
}

SinewStatus sn_solid_unplaced_surface(const SnSolid *solid, SnSurface **out_surface,
                                      SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(copy_shown(solid, out_surface, error));
    for (size_t i = 0; i < 3 * (size_t)(*out_surface)->vertex_count; ++i) {
        (*out_surface)->positions[i] *= solid->scale;
    }
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
        for (int l = 0; l < 2 * solid->outside->line_count; ++l) {
            int vertex = solid->outside->lines[l];
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

bool sn_solid_shows_elements(const SnSolid *solid)
{
    return solid->def.tets != NULL || sn_solid_is_box(solid);
}

double sn_solid_cell_size(const SnSolid *solid)
{
    double size = 0.0;
    if (solid->def.tets != NULL) {
        return solid->scale * mean_edge(solid->def.tets);
    }
    for (int k = 0; k < 3; ++k) {
        double side = solid->bounds.max[k] - solid->bounds.min[k];
        int cells = sn_solid_is_box(solid) ? solid->grid.cells[k] : solid->def.resolution;
        size = fmax(size, side / cells);
    }
    return solid->scale * size;
}

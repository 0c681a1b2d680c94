// A blob as tets, of one size and graded; its surface, the signed distance to that on a grid, and
// where points lie in the tets.
#include "support/hash_lines.h"

#include "base/hash.h"
#include "base/random.h"
#include "geometry/distance_grid.h"
#include "geometry/point_location.h"
#include "geometry/shape.h"
#include "geometry/stuffing.h"

#include <string.h>

// Graded meshes need more cells before any of them can be larger.
enum { CELLS = 18, GRADED_CELLS = 40, POINTS = 500 };

static const SnShape parts[] = {
    {.kind = SN_SHAPE_SPHERE, .sphere = {{0.1, 0.2, -0.1}, 0.5}},
    {.kind = SN_SHAPE_ELLIPSOID, .ellipsoid = {{-0.3, 0.6, 0.1}, {0.5, 0.3, 0.4}}},
    {.kind = SN_SHAPE_CAPSULE, .capsule = {{0.2, 0.1, 0.0}, {0.9, -0.4, 0.3}, 0.2}},
    {.kind = SN_SHAPE_TORUS, .torus = {{0.0, -0.3, 0.0}, {0.1, 1.0, 0.2}, 0.6, 0.15}},
};

static const SnShape blob = {
    .kind = SN_SHAPE_BLOB,
    .blob = {.parts = parts, .part_count = sizeof parts / sizeof *parts, .smooth = 0.2}};

static SinewStatus stuff(bool is_graded, SnWorkers *workers, SnTetMesh **out_mesh)
{
    SnStuffingDef def = sn_stuffing_def_default();
    SnShape body = blob;
    SnBox box = sn_shape_bounds(&blob);
    def.function = sn_shape_fn;
    def.context = &body;
    memcpy(def.min, box.min, sizeof def.min);
    memcpy(def.max, box.max, sizeof def.max);
    def.cells = is_graded ? GRADED_CELLS : CELLS;
    def.is_graded = is_graded;
    return sn_stuffing_create(&def, workers, NULL, out_mesh, NULL);
}

static uint64_t hash_mesh(const SnTetMesh *mesh)
{
    uint64_t hash = sn_hash(SN_HASH_START, mesh->positions,
                            3 * (size_t)mesh->vertex_count * sizeof *mesh->positions);
    return sn_hash(hash, mesh->tets, 4 * (size_t)mesh->tet_count * sizeof *mesh->tets);
}

static SinewStatus hash_tets(bool is_graded, const SnKernels *kernels, SnWorkers *workers,
                             FILE *out)
{
    SinewStatus status = SINEW_OK;
    SnTetMesh *mesh = NULL;
    SnTetLocator *locator = NULL;
    SN_TRY(stuff(is_graded, workers, &mesh));
    hash_line(out, is_graded ? "stuffing_graded" : "stuffing", kernels, hash_mesh(mesh));
    SN_TRY(sn_tet_locator_create(mesh, workers, NULL, &locator, NULL));
    SnRandom random = {12};
    uint64_t hash = SN_HASH_START;
    int guess = -1;
    for (int i = 0; i < POINTS; ++i) {
        double p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = sn_random_between(&random, -1.2, 1.2);
        }
        SnTetLocation at = sn_tet_locate(locator, p, &guess);
        hash = sn_hash(hash, &at.tet, sizeof at.tet);
        hash = sn_hash(hash, at.weights, sizeof at.weights);
        hash = sn_hash(hash, &at.distance, sizeof at.distance);
    }
    hash_line(out, is_graded ? "point_location_graded" : "point_location", kernels, hash);
done:
    sn_tet_locator_destroy(locator, NULL);
    sn_tet_mesh_destroy(mesh, NULL);
    return status;
}

static SinewStatus hash_distance(const SnKernels *kernels, SnWorkers *workers, FILE *out)
{
    SinewStatus status = SINEW_OK;
    SnSurface *surface = NULL;
    SnDistance *distance = NULL;
    SnDistanceGrid *grid = NULL;
    SnDistanceGridDef def = sn_distance_grid_def_default();
    SN_TRY(sn_shape_surface(&blob, CELLS, workers, NULL, &surface, NULL));
    uint64_t hash = sn_hash(SN_HASH_START, surface->positions,
                            3 * (size_t)surface->vertex_count * sizeof *surface->positions);
    hash = sn_hash(hash, surface->triangles,
                   3 * (size_t)surface->triangle_count * sizeof *surface->triangles);
    hash_line(out, "shape_surface", kernels, hash);
    SnSoup soup = sn_soup_of(surface);
    def.cells = CELLS;
    SN_TRY(sn_distance_create(&soup, NULL, &distance, NULL));
    SN_TRY(sn_distance_grid_create(distance, &def, workers, NULL, &grid, NULL));
    size_t count = (size_t)grid->size[0] * (size_t)grid->size[1] * (size_t)grid->size[2];
    hash_line(out, "distance_grid", kernels,
              sn_hash(SN_HASH_START, grid->values, count * sizeof *grid->values));
done:
    sn_distance_grid_destroy(grid, NULL);
    sn_distance_destroy(distance);
    sn_surface_destroy(surface, NULL);
    return status;
}

int hash_geometry(const SnKernels *kernels, SnWorkers *workers, FILE *out)
{
    bool failed = hash_tets(false, kernels, workers, out) < 0;
    failed |= hash_tets(true, kernels, workers, out) < 0;
    failed |= hash_distance(kernels, workers, out) < 0;
    return failed ? 1 : 0;
}

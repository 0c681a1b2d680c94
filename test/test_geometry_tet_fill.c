// Tets fill round bodies: their volume against closed forms, their angles, flat sides, hollows.
#include "support/test.h"

#include "base/hash.h"
#include "geometry/shape.h"
#include "geometry/stuffing.h"
#include "geometry/tet_fill.h"
#include "geometry/tet_quality.h"
#include "math/angle.h"

#include <math.h>
#include <string.h>

typedef struct Body {
    const char *name;
    SnShape shape;
    double volume;
} Body;

static const Body bodies[] = {
    {"sphere", {.kind = SN_SHAPE_SPHERE, .sphere = {{0.01, 0.02, 0.0}, 1.0}}, 4.0 / 3.0 * SN_PI},
    {"ellipsoid",
     {.kind = SN_SHAPE_ELLIPSOID, .ellipsoid = {{0.0, 0.0, 0.0}, {1.0, 0.8, 0.6}}},
     4.0 / 3.0 * SN_PI * 0.48},
    {"capsule",
     {.kind = SN_SHAPE_CAPSULE, .capsule = {{0.0, 0.0, 0.0}, {0.3, 1.0, 0.2}, 0.4}},
     SN_PI * 0.16 * (1.0630145812734649 + 4.0 / 3.0 * 0.4)},
    {"torus",
     {.kind = SN_SHAPE_TORUS, .torus = {{0.0, 0.0, 0.0}, {0.1, 1.0, 0.0}, 1.0, 0.45}},
     2.0 * SN_PI *SN_PI * 0.2025},
};

enum { BODIES = sizeof bodies / sizeof *bodies };

static SnTetMesh *stuffed(const SnShape *shape, int cells, double *out_cell)
{
    SnStuffingDef def = sn_stuffing_def_default();
    SnTetMesh *mesh = NULL;
    SnBox bounds = sn_shape_bounds(shape);
    def.function = sn_shape_fn;
    def.context = (void *)(uintptr_t)shape;
    def.cells = cells;
    memcpy(def.min, bounds.min, sizeof def.min);
    memcpy(def.max, bounds.max, sizeof def.max);
    assert_int_equal(sn_stuffing_create(&def, NULL, NULL, &mesh, NULL), SINEW_OK);
    *out_cell = sn_stuffing_cell_size(&def);
    return mesh;
}

static SnTetQuality quality_of(const SnTetMesh *mesh, const Body *body)
{
    SnTetQuality quality;
    assert_int_equal(sn_tet_quality_measure(mesh, body->volume, NULL, NULL, NULL, &quality, NULL),
                     SINEW_OK);
    return quality;
}

// At most a sixtieth of what chords miss is left; 1 to 6 % miss at eight cells.
static void round_bodies_are_filled(void **state)
{
    (void)state;
    for (int b = 0; b < BODIES; ++b) {
        for (int cells = 8; cells <= 24; cells += 8) {
            double cell;
            SnShape shape = bodies[b].shape;
            SnTetMesh *mesh = stuffed(&shape, cells, &cell);
            SnTetQuality before = quality_of(mesh, &bodies[b]);
            assert_int_equal(sn_tet_fill(mesh, sn_shape_fn, &shape, cell, NULL, NULL, NULL),
                             SINEW_OK);
            SnTetQuality after = quality_of(mesh, &bodies[b]);
            assert_true(before.volume_error < -0.001);
            assert_at_most(fabs(after.volume_error), 0.05 * fabs(before.volume_error));
            assert_int_equal(after.inverted_count, 0);
            assert_true(after.smallest_dihedral > 10.5 && after.largest_dihedral < 163.8);
            sn_tet_mesh_destroy(mesh, NULL);
        }
    }
}

// A can: the rim, where no plane is near the surface, gets back most of what is cut off, and the
// vertices of the discs stay on them.
static void flat_sides_stay(void **state)
{
    (void)state;
    const double from[3] = {0.013, 0.021, 0.0};
    SnShape can = {.kind = SN_SHAPE_CYLINDER,
                   .cylinder = {{from[0], from[1], from[2]}, {0.013, 1.021, 0.0}, 0.5}};
    const Body body = {"can", can, 0.25 * SN_PI};
    double cell;
    int flat_count = 0;
    SnTetMesh *mesh = stuffed(&can, 16, &cell);
    SnTetMesh *filled = stuffed(&can, 16, &cell);
    assert_int_equal(sn_tet_fill(filled, sn_shape_fn, &can, cell, NULL, NULL, NULL), SINEW_OK);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        const double *x = mesh->positions + 3 * (size_t)v;
        const double *y = filled->positions + 3 * (size_t)v;
        bool is_on_disc = hypot(x[0] - from[0], x[2] - from[2]) < 0.5 - 1.5 * cell &&
                          fmin(fabs(x[1] - from[1]), fabs(x[1] - from[1] - 1.0)) < 1e-3 * cell;
        flat_count += is_on_disc;
        // Cuts are found to 1e-4 of a cell.
        for (int k = 0; k < 3 && is_on_disc; ++k) {
            assert_at_most(fabs(y[k] - x[k]), 2e-4 * cell);
        }
    }
    assert_true(flat_count > 100);
    double before = quality_of(mesh, &body).volume_error;
    double after = quality_of(filled, &body).volume_error;
    // -0.36 and -0.04 %.
    assert_true(before < -0.003);
    assert_at_most(fabs(after), 0.001);
    sn_tet_mesh_destroy(filled, NULL);
    sn_tet_mesh_destroy(mesh, NULL);
}

static void hash_of(int workers, uint64_t *out_hash)
{
    SnShape shape = bodies[3].shape;
    double cell;
    SnTetMesh *mesh = stuffed(&shape, 12, &cell);
    SnWorkers *pool = NULL;
    assert_int_equal(sn_workers_create(NULL, NULL, workers, &pool, NULL), SINEW_OK);
    assert_int_equal(sn_tet_fill(mesh, sn_shape_fn, &shape, cell, pool, NULL, NULL), SINEW_OK);
    *out_hash =
        sn_hash(SN_HASH_START, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof(double));
    sn_workers_destroy(pool);
    sn_tet_mesh_destroy(mesh, NULL);
}

static void workers_do_not_change_the_bits(void **state)
{
    (void)state;
    const int counts[4] = {1, 2, 3, 8};
    uint64_t hashes[4];
    for (int i = 0; i < 4; ++i) {
        hash_of(counts[i], &hashes[i]);
        assert_true(hashes[i] == hashes[0]);
    }
}

// Moves that would spoil a tet are shortened: a function that asks for as much as a cell can give.
static double far_out(void *context, const double p[3])
{
    return sn_shape_fn(context, p) - 0.5;
}

static void tets_stay_good_whatever_is_asked(void **state)
{
    (void)state;
    SnShape shape = bodies[3].shape;
    double cell;
    SnTetMesh *mesh = stuffed(&shape, 12, &cell);
    double before = quality_of(mesh, &bodies[3]).volume;
    assert_int_equal(sn_tet_fill(mesh, far_out, &shape, cell, NULL, NULL, NULL), SINEW_OK);
    SnTetQuality after = quality_of(mesh, &bodies[3]);
    assert_true(after.volume > 1.1 * before);
    assert_true(after.smallest_dihedral >= 10.5 && after.largest_dihedral <= 163.8);
    sn_tet_mesh_destroy(mesh, NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(round_bodies_are_filled),
    cmocka_unit_test(flat_sides_stay),
    cmocka_unit_test(workers_do_not_change_the_bits),
    cmocka_unit_test(tets_stay_good_whatever_is_asked),
};

SN_TEST_GROUP(geometry_tet_fill, tests);

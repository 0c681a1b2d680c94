// Solids: whatever a body is given by, tets and hexahedra that fill it, a surface around it, posed.
#include "support/closed.h"
#include "support/fail_allocator.h"
#include "support/shapes.h"
#include "support/test.h"

#include "geometry/distance.h"
#include "geometry/solid.h"
#include "math/angle.h"

#include <math.h>

static SnAffine some_pose(void)
{
    // Twice as large, a quarter about z, moved.
    return (SnAffine){{0.0, -2.0, 0.0, 1.0, 2.0, 0.0, 0.0, -3.0, 0.0, 0.0, 2.0, 0.5}};
}

static SnSolid *make(const SnSolidDef *def)
{
    SnSolid *solid = NULL;
    SinewError error;
    if (sn_solid_create(def, NULL, NULL, &solid, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    return solid;
}

static SnTetMesh *tets_of(const SnSolid *solid)
{
    SnTetMesh *mesh = NULL;
    SinewError error;
    if (sn_solid_tets(solid, &mesh, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    return mesh;
}

static SnHexMesh *hexes_of(const SnSolid *solid)
{
    SnHexMesh *mesh = NULL;
    double *fills = NULL;
    SinewError error;
    if (sn_solid_hexes(solid, &mesh, &fills, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    sn_free(NULL, fills);
    return mesh;
}

static SnSurface *surface_of(const SnSolid *solid)
{
    SnSurface *surface = NULL;
    SinewError error;
    if (sn_solid_surface(solid, &surface, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    return surface;
}

// Of all tets; each must be positive.
static double tets_volume(const SnTetMesh *mesh)
{
    double sum = 0.0;
    for (int t = 0; t < mesh->tet_count; ++t) {
        double volume = sn_tet_mesh_volume(mesh, t);
        assert_true(volume > 0.0);
        sum += volume;
    }
    return sum;
}

// Of bricks: the determinant of the edges from corner 0, which must be positive.
static double hexes_volume(const SnHexMesh *mesh)
{
    double sum = 0.0;
    for (int h = 0; h < mesh->hex_count; ++h) {
        const int *v = mesh->hexes + 8 * h;
        const double *x = mesh->positions;
        double e[3][3];
        for (int a = 0; a < 3; ++a) {
            for (int k = 0; k < 3; ++k) {
                e[a][k] = x[3 * v[4 >> a] + k] - x[3 * v[0] + k];
                // The corner opposite is the sum of all edges.
                assert_true(v[7] >= 0 && v[7] < mesh->vertex_count);
            }
        }
        double volume = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                        e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                        e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
        assert_true(volume > 0.0);
        sum += volume;
    }
    return sum;
}

static double surface_volume(const SnSurface *surface)
{
    double sum = 0.0;
    for (int t = 0; t < surface->triangle_count; ++t) {
        const double *p[3];
        for (int c = 0; c < 3; ++c) {
            p[c] = surface->positions + 3 * surface->triangles[3 * t + c];
        }
        sum += (p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) -
                p[0][1] * (p[1][0] * p[2][2] - p[1][2] * p[2][0]) +
                p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0])) /
               6.0;
    }
    return sum;
}

static void boxes_are_exact(void **state)
{
    (void)state;
    SnShape box = {.kind = SN_SHAPE_BOX, .box = {{0.0, 0.0, 0.0}, {1.0, 0.2, 0.3}}};
    for (int cut = 0; cut < 2; ++cut) {
        SnSolidDef def = {.shape = &box,
                          .resolution = 16,
                          .cells = {5, 1, 4},
                          .cut = cut == 0 ? SN_BOX_FIVE : SN_BOX_KUHN,
                          .pose = some_pose()};
        SnSolid *solid = make(&def);
        SnTetMesh *tets = tets_of(solid);
        SnHexMesh *hexes = hexes_of(solid);
        SnSurface *surface = surface_of(solid);
        assert_int_equal(tets->vertex_count, 6 * 2 * 5);
        assert_int_equal(tets->tet_count, 20 * (cut == 0 ? 5 : 6));
        assert_int_equal(hexes->vertex_count, tets->vertex_count);
        assert_int_equal(hexes->hex_count, 20);
        assert_memory_equal(hexes->positions, tets->positions,
                            3 * (size_t)tets->vertex_count * sizeof(double));
        // Vertex (5, 1, 4) is the corner max, posed: exact, since the pose is.
        const double *last = tets->positions + 3 * (tets->vertex_count - 1);
        assert_true(last[0] == 1.0 - 2.0 * 0.2 && last[1] == -1.0 && last[2] == 2.0 * 0.3 + 0.5);
        assert_at_most(fabs(tets_volume(tets) - 0.48), 1e-15);
        assert_at_most(fabs(hexes_volume(hexes) - 0.48), 1e-15);
        // All vertices are outside here: one cell along y. Closed, of the same volume.
        assert_int_equal(surface->vertex_count, tets->vertex_count);
        assert_memory_equal(surface->positions, tets->positions,
                            3 * (size_t)tets->vertex_count * sizeof(double));
        assert_int_equal(surface->triangle_count, 2 * 2 * (5 * 1 + 1 * 4 + 5 * 4));
        assert_at_most(fabs(surface_volume(surface) - 0.48), 1e-14);
        assert_at_most(fabs(sn_solid_cell_size(solid) - 0.4), 1e-15);
        SnBox bounds = sn_solid_bounds(solid);
        assert_true(bounds.min[0] == 1.0 - 2.0 * 0.2 && bounds.max[0] == 1.0);
        assert_true(bounds.min[1] == -3.0 && bounds.max[1] == -1.0);
        sn_surface_destroy(surface, NULL);
        sn_hex_mesh_destroy(hexes, NULL);
        sn_tet_mesh_destroy(tets, NULL);
        sn_solid_destroy(solid);
    }
}

static void resolution_makes_cells_of_a_box_nearly_cubic(void **state)
{
    (void)state;
    SnShape box = {.kind = SN_SHAPE_BOX, .box = {{0.0, 0.0, 0.0}, {0.02, 1.0, 0.33}}};
    SnSolidDef def = {.shape = &box, .resolution = 10, .pose = sn_affine_identity()};
    SnSolid *solid = make(&def);
    SnHexMesh *hexes = hexes_of(solid);
    assert_int_equal(hexes->hex_count, 1 * 10 * 3);
    sn_hex_mesh_destroy(hexes, NULL);
    sn_solid_destroy(solid);
}

static void shapes_are_filled(void **state)
{
    (void)state;
    const SnShape parts[2] = {{.kind = SN_SHAPE_SPHERE, .sphere = {{0.0, 0.0, 0.0}, 0.5}},
                              {.kind = SN_SHAPE_SPHERE, .sphere = {{2.0, 0.0, 0.0}, 0.5}}};
    const SnShape shapes[3] = {
        {.kind = SN_SHAPE_SPHERE, .sphere = {{0.5, 0.0, 0.0}, 1.0}},
        {.kind = SN_SHAPE_TORUS, .torus = {{0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 1.0, 0.4}},
        {.kind = SN_SHAPE_BLOB, .blob = {parts, 2, 0.1}}};
    const double volumes[3] = {4.0 / 3.0 * SN_PI, 2.0 * SN_PI * SN_PI * 0.16, SN_PI / 3.0};
    for (int s = 0; s < 3; ++s) {
        SnSolidDef def = {.shape = &shapes[s], .resolution = 20, .pose = some_pose()};
        SnSolid *solid = make(&def);
        SnTetMesh *tets = tets_of(solid);
        SnHexMesh *hexes = hexes_of(solid);
        SnSurface *surface = surface_of(solid);
        double volume = 8.0 * volumes[s];
        // Chords of a round body with cells h lose about (h / r)^2 / 4 of it; the worst here is the
        // blob with h = 0.15, r = 0.5.
        assert_at_most(fabs(tets_volume(tets) - volume), 0.04 * volume);
        assert_at_most(fabs(surface_volume(surface) - volume), 0.02 * volume);
        assert_true(hexes_volume(hexes) > volume && hexes_volume(hexes) < 2.2 * volume);
        assert_at_most(fabs(sn_solid_cell_size(solid) - 2.0 *
                                                            (s == 0   ? 2.0
                                                             : s == 1 ? 2.8
                                                                      : 3.05) /
                                                            20.0),
                       1e-14);
        sn_surface_destroy(surface, NULL);
        sn_hex_mesh_destroy(hexes, NULL);
        sn_tet_mesh_destroy(tets, NULL);
        sn_solid_destroy(solid);
    }
}

// A sphere with every third triangle flipped and its vertices doubled: repaired, then filled.
static void surfaces_are_repaired_and_filled(void **state)
{
    (void)state;
    SnSurface *given = sn_test_sphere(24);
    for (int t = 0; t < given->triangle_count; t += 3) {
        int *corner = given->triangles + 3 * t;
        int swap = corner[0];
        corner[0] = corner[1];
        corner[1] = swap;
    }
    SnSolidDef def = {.surface = given, .resolution = 16, .pose = sn_affine_identity()};
    SnSolid *solid = make(&def);
    SnTetMesh *tets = tets_of(solid);
    SnHexMesh *hexes = hexes_of(solid);
    SnSurface *surface = surface_of(solid);
    double volume = 4.0 / 3.0 * SN_PI;
    assert_at_most(fabs(tets_volume(tets) - volume), 0.03 * volume);
    assert_true(hexes_volume(hexes) > 0.99 * volume && hexes_volume(hexes) < 1.5 * volume);
    // As given, flips and all.
    assert_int_equal(surface->triangle_count, given->triangle_count);
    assert_memory_equal(surface->triangles, given->triangles,
                        3 * (size_t)given->triangle_count * sizeof(int));
    for (int i = 0; i < 3 * given->vertex_count; ++i) {
        assert_true(surface->positions[i] == given->positions[i]);
    }
    sn_surface_destroy(surface, NULL);
    sn_hex_mesh_destroy(hexes, NULL);
    sn_tet_mesh_destroy(tets, NULL);
    sn_solid_destroy(solid);
    sn_surface_destroy(given, NULL);
}

static SnTetMesh *some_tets(void)
{
    SnBoxTetsDef def = {.max = {1.0, 1.0, 1.0}, .cells = {3, 3, 3}, .cut = SN_BOX_FIVE};
    SnTetMesh *mesh = NULL;
    assert_int_equal(sn_box_tets_create(&def, NULL, &mesh, NULL), SINEW_OK);
    return mesh;
}

static void tet_meshes_stay_as_they_are(void **state)
{
    (void)state;
    SnTetMesh *given = some_tets();
    int *flipped = given->tets + 4 * 7;
    int swap = flipped[0];
    flipped[0] = flipped[1];
    flipped[1] = swap;
    given->regions[5] = 0;
    SnSolidDef def = {.tets = given, .resolution = 6, .pose = some_pose()};
    SnSolid *solid = make(&def);
    SnTetMesh *tets = tets_of(solid);
    SnHexMesh *hexes = hexes_of(solid);
    SnSurface *surface = surface_of(solid);
    assert_int_equal(tets->vertex_count, 64);
    assert_memory_equal(tets->tets, given->tets, 28 * sizeof(int));
    assert_at_most(fabs(tets_volume(tets) - 8.0), 1e-13); // positive, the flipped one too
    assert_int_equal(hexes->hex_count, 216);
    // 64 vertices but for the 8 inside, in their order.
    assert_int_equal(surface->vertex_count, 56);
    assert_at_most(fabs(surface_volume(surface) - 8.0), 1e-13);
    int next = 0;
    for (int v = 0; v < 64; ++v) {
        int i = v / 16, j = v / 4 % 4, k = v % 4;
        bool is_inside = i % 3 != 0 && j % 3 != 0 && k % 3 != 0;
        if (!is_inside) {
            assert_memory_equal(surface->positions + 3 * next++, tets->positions + 3 * v,
                                3 * sizeof(double));
        }
    }
    sn_surface_destroy(surface, NULL);
    sn_hex_mesh_destroy(hexes, NULL);
    sn_tet_mesh_destroy(tets, NULL);
    sn_solid_destroy(solid);
    sn_tet_mesh_destroy(given, NULL);
}

static void expect_refused(const SnSolidDef *def, const char *part, int64_t index)
{
    SnSolid *solid = NULL;
    SinewError error;
    assert_int_equal(sn_solid_create(def, NULL, NULL, &solid, &error), SINEW_ERROR_ARGUMENT);
    assert_null(solid);
    if (strstr(error.text, part) == NULL) {
        fail_msg("\"%s\" does not hold \"%s\"", error.text, part);
    }
    assert_int_equal(error.index, index);
}

static void bad_solids_are_refused(void **state)
{
    (void)state;
    SnShape box = {.kind = SN_SHAPE_BOX, .box = {{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}}};
    SnSolidDef def = {.shape = &box, .resolution = 8, .pose = sn_affine_identity()};
    SnSolidDef bad = def;
    bad.shape = NULL;
    expect_refused(&bad, "by 0 of shape, surface and tets, expected exactly one", -1);
    bad = def;
    bad.resolution = 0;
    expect_refused(&bad, "resolution is 0 cells along the longest side", -1);
    bad = def;
    bad.cells[1] = 4;
    expect_refused(&bad, "a box has 0 cells along x", -1);
    bad = def;
    bad.pose.m[0] = -1.0;
    expect_refused(&bad, "the pose makes volumes -1 times as large", -1);
    SnShape flat = box;
    flat.box.max[2] = 0.0;
    bad = def;
    bad.shape = &flat;
    expect_refused(&bad, "a box from 0 to 0 along z", -1);

    SnTetMesh *tets = some_tets();
    bad = (SnSolidDef){.tets = tets, .resolution = 8, .pose = sn_affine_identity()};
    int kept = tets->tets[4 * 9 + 2];
    tets->tets[4 * 9 + 2] = tets->tets[4 * 9 + 1];
    expect_refused(&bad, "tet 9 (vertices", 9);
    tets->tets[4 * 9 + 2] = 64;
    expect_refused(&bad, "tet 9 has vertex 64, expected 0 to 63", 9);
    tets->tets[4 * 9 + 2] = kept;
    tets->vertex_count = 63;
    expect_refused(&bad, "has vertex 63, expected 0 to 62", 134);
    tets->vertex_count = 64;
    tets->tet_count = 100;
    expect_refused(&bad, "vertex 51 of the tet mesh is in no tet", 51);
    tets->tet_count = 0;
    expect_refused(&bad, "the tet mesh has 0 tets", -1);
    sn_tet_mesh_destroy(tets, NULL);

    SnSurface *surface = sn_test_sphere(8);
    bad = (SnSolidDef){.surface = surface, .resolution = 8, .pose = sn_affine_identity()};
    surface->positions[7] = (double)NAN;
    expect_refused(&bad, "vertex 2 of the surface is at nan m along y", 2);
    surface->positions[7] = 0.0;
    surface->triangles[4] = -1;
    expect_refused(&bad, "triangle 1 of the surface has vertex -1", 1);
    surface->triangle_count = 0;
    expect_refused(&bad, "the surface has 0 triangles", -1);
    sn_surface_destroy(surface, NULL);
}

// A sheet without an inside: no tets, but cells that it touches.
static void open_surfaces_have_cells_but_no_tets(void **state)
{
    (void)state;
    SnSurface *disc = sn_test_disc(8);
    SnSolidDef def = {.surface = disc, .resolution = 8, .pose = sn_affine_identity()};
    SnSolid *solid = make(&def);
    SnTetMesh *tets = NULL;
    SinewError error;
    assert_int_equal(sn_solid_tets(solid, &tets, &error), SINEW_ERROR_ARGUMENT);
    assert_null(tets);
    assert_non_null(strstr(error.text, "thinner than the cells"));
    SnHexMesh *hexes = hexes_of(solid);
    assert_true(hexes->hex_count > 40);
    sn_hex_mesh_destroy(hexes, NULL);
    sn_solid_destroy(solid);
    sn_surface_destroy(disc, NULL);
}

static SinewStatus make_all(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSolid *solid = NULL;
    SnTetMesh *tets = NULL;
    SnHexMesh *hexes = NULL;
    SnSurface *surface = NULL;
    SnSolidCubes cubes = {0};
    double *fills = NULL;
    SN_TRY(sn_solid_create(context, NULL, allocator, &solid, error));
    SN_TRY(sn_solid_tets(solid, &tets, error));
    SN_TRY(sn_solid_hexes(solid, &hexes, &fills, error));
    SN_TRY(sn_solid_cubes(solid, &cubes, error));
    SN_TRY(sn_solid_surface(solid, &surface, error));
done:
    sn_surface_destroy(surface, allocator);
    sn_solid_cubes_destroy(&cubes, allocator);
    sn_free(allocator, fills);
    sn_hex_mesh_destroy(hexes, allocator);
    sn_tet_mesh_destroy(tets, allocator);
    sn_solid_destroy(solid);
    return status;
}

// Meshes that were made once and posed are those of a solid made with that pose; unplaced and then
// placed they are the same again, to rounding.
static void posed_solids_are_those_made_posed(void **state)
{
    (void)state;
    SnShape box = {.kind = SN_SHAPE_BOX, .box = {{0.0, 0.0, 0.0}, {1.0, 2.0, 1.0}}};
    SnShape ball = {.kind = SN_SHAPE_SPHERE, .sphere = {{0.5, 0.0, 0.0}, 1.0}};
    SnSurface *surface = sn_test_sphere(6);
    SnTetMesh *tets = some_tets();
    SnSolidDef defs[4] = {{.shape = &box}, {.shape = &ball}, {.surface = surface}, {.tets = tets}};
    for (int i = 0; i < 4; ++i) {
        defs[i].resolution = 4;
        defs[i].pose = sn_affine_identity();
        SnSolid *base = make(&defs[i]);
        SnSolid *posed = NULL;
        SnAffine pose = some_pose();
        assert_int_equal(sn_solid_create_posed(base, &pose, 2.0, &posed, NULL), SINEW_OK);
        defs[i].pose = pose;
        SnSolid *alone = make(&defs[i]);
        for (int again = 0; again < 2; ++again) {
            SnTetMesh *a = tets_of(posed), *b = tets_of(alone), *c = NULL;
            SnSurface *s = surface_of(posed), *t = surface_of(alone);
            size_t size = 3 * (size_t)b->vertex_count * sizeof(double);
            assert_int_equal(sn_solid_unplaced_tets(posed, &c, NULL), SINEW_OK);
            SnAffine placement = sn_solid_placement(posed);
            assert_memory_equal(a->positions, b->positions, size);
            assert_memory_equal(a->tets, b->tets, 4 * (size_t)b->tet_count * sizeof(int));
            assert_memory_equal(s->positions, t->positions,
                                3 * (size_t)t->vertex_count * sizeof(double));
            for (int v = 0; v < b->vertex_count; ++v) {
                double x[3];
                sn_affine_apply(&placement, c->positions + 3 * (size_t)v, x);
                for (int k = 0; k < 3; ++k) {
                    assert_at_most(fabs(x[k] - b->positions[3 * (size_t)v + (size_t)k]), 1e-14 * 8);
                }
            }
            sn_tet_mesh_destroy(a, NULL);
            sn_tet_mesh_destroy(b, NULL);
            sn_tet_mesh_destroy(c, NULL);
            sn_surface_destroy(s, NULL);
            sn_surface_destroy(t, NULL);
        }
        sn_solid_destroy(posed);
        sn_solid_destroy(alone);
        sn_solid_destroy(base);
    }
    sn_surface_destroy(surface, NULL);
    sn_tet_mesh_destroy(tets, NULL);
}

static void solids_survive_short_memory(void **state)
{
    (void)state;
    SnShape box = {.kind = SN_SHAPE_BOX, .box = {{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}}};
    SnShape ball = {.kind = SN_SHAPE_SPHERE, .sphere = {{0.0, 0.0, 0.0}, 1.0}};
    SnSurface *surface = sn_test_sphere(6);
    SnTetMesh *tets = some_tets();
    SnSolidDef defs[4] = {{.shape = &box}, {.shape = &ball}, {.surface = surface}, {.tets = tets}};
    for (int i = 0; i < 4; ++i) {
        defs[i].resolution = 3;
        defs[i].pose = sn_affine_identity();
        assert_true(sn_fail_each_allocation(make_all, &defs[i]) > 8);
    }
    sn_surface_destroy(surface, NULL);
    sn_tet_mesh_destroy(tets, NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(boxes_are_exact),
    cmocka_unit_test(resolution_makes_cells_of_a_box_nearly_cubic),
    cmocka_unit_test(shapes_are_filled),
    cmocka_unit_test(surfaces_are_repaired_and_filled),
    cmocka_unit_test(tet_meshes_stay_as_they_are),
    cmocka_unit_test(bad_solids_are_refused),
    cmocka_unit_test(open_surfaces_have_cells_but_no_tets),
    cmocka_unit_test(posed_solids_are_those_made_posed),
    cmocka_unit_test(solids_survive_short_memory),
};
SN_TEST_GROUP(geometry_solid, tests);

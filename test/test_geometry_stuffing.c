#include "support/bodies.h"
#include "support/fail_allocator.h"
#include "support/test.h"

#include "base/hash.h"
#include "base/random.h"
#include "geometry/stuffing.h"
#include "geometry/tet_quality.h"
#include "geometry/tet_surface.h"

#include <math.h>

static SnStuffingDef make_def(SnSignedFn *function, int cells, int is_graded)
{
    SnStuffingDef def = sn_stuffing_def_default();
    def.function = function;
    for (int c = 0; c < 3; ++c) {
        // Not symmetrical to the bodies, so that no lattice point is on their surfaces by chance.
        def.min[c] = -1.013;
        def.max[c] = 1.007;
    }
    def.cells = cells;
    def.is_graded = is_graded;
    return def;
}

static SnTetMesh *make_mesh(const SnStuffingDef *def)
{
    SnTetMesh *mesh = NULL;
    SinewError error;
    if (sn_stuffing_create(def, NULL, NULL, &mesh, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    return mesh;
}

static SnTetQuality measure(const SnTetMesh *mesh, double volume, SnSignedFn *function)
{
    SnTetQuality quality;
    SinewError error;
    assert_int_equal(sn_tet_quality_measure(mesh, volume, function, NULL, NULL, &quality, &error),
                     SINEW_OK);
    return quality;
}

static int compare_triples(const void *a, const void *b)
{
    return memcmp(a, b, 3 * sizeof(int));
}

static int compare_pairs(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(int));
}

static void sort_ints(int *x, int count)
{
    for (int i = 1; i < count; ++i) {
        for (int j = i; j > 0 && x[j] < x[j - 1]; --j) {
            int swapped = x[j];
            x[j] = x[j - 1];
            x[j - 1] = swapped;
        }
    }
}

// No face belongs to more than two tets.
static void expect_conforming(const SnTetMesh *mesh)
{
    static const int corners[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    size_t count = 4 * (size_t)mesh->tet_count;
    int(*faces)[3] = malloc(count * sizeof *faces);
    for (size_t f = 0; f < count; ++f) {
        for (int k = 0; k < 3; ++k) {
            faces[f][k] = mesh->tets[4 * (f / 4) + (size_t)corners[f % 4][k]];
        }
        sort_ints(faces[f], 3);
    }
    qsort(faces, count, sizeof *faces, compare_triples);
    for (size_t f = 2; f < count; ++f) {
        assert_false(memcmp(faces[f], faces[f - 1], sizeof *faces) == 0 &&
                     memcmp(faces[f], faces[f - 2], sizeof *faces) == 0);
    }
    free(faces);
}

static int find_root(int *parent, int i)
{
    while (parent[i] != i) {
        i = parent[i] = parent[parent[i]];
    }
    return i;
}

// Joins the corners of triangles that share an edge; at each vertex all corners must come together,
// or two sheets of the surface meet there.
static void expect_one_sheet_at_vertices(const SnTetSurface *surface, int (*edges)[4], int count)
{
    int corner_count = 3 * surface->triangle_count;
    int *parent = malloc((size_t)corner_count * sizeof *parent);
    for (int i = 0; i < corner_count; ++i) {
        parent[i] = i;
    }
    for (int e = 0; e + 1 < count; e += 2) {
        for (int end = 0; end < 2; ++end) {
            int found[2] = {-1, -1};
            for (int side = 0; side < 2; ++side) {
                for (int k = 0; k < 3; ++k) {
                    int corner = 3 * edges[e + side][2] + k;
                    if (surface->triangles[corner] == edges[e][end]) {
                        found[side] = corner;
                    }
                }
            }
            parent[find_root(parent, found[0])] = find_root(parent, found[1]);
        }
    }
    int vertex_count = 0;
    for (int i = 0; i < corner_count; ++i) {
        vertex_count =
            surface->triangles[i] >= vertex_count ? surface->triangles[i] + 1 : vertex_count;
    }
    int *sheet = malloc((size_t)vertex_count * sizeof *sheet);
    memset(sheet, 0xff, (size_t)vertex_count * sizeof *sheet);
    for (int i = 0; i < corner_count; ++i) {
        int *own = &sheet[surface->triangles[i]];
        int root = find_root(parent, i);
        assert_true(*own == -1 || *own == root);
        *own = root;
    }
    free(sheet);
    free(parent);
}

// Every edge of the boundary belongs to two triangles that run along it in opposite directions, and
// every vertex has one fan of triangles. Returns the Euler characteristic.
static int expect_closed_manifold(const SnTetMesh *mesh)
{
    SnTetSurface *surface = NULL;
    SinewError error;
    assert_int_equal(sn_tet_surface_create(mesh->tets, mesh->tet_count, mesh->vertex_count, NULL,
                                           &surface, &error),
                     SINEW_OK);
    int count = 3 * surface->triangle_count;
    int(*edges)[4] = malloc((size_t)count * sizeof *edges);
    for (int i = 0; i < count; ++i) {
        int a = surface->triangles[i];
        int b = surface->triangles[i / 3 * 3 + (i + 1) % 3];
        edges[i][0] = a < b ? a : b;
        edges[i][1] = a < b ? b : a;
        edges[i][2] = i / 3;
        edges[i][3] = a < b ? 1 : -1;
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_pairs);
    for (int e = 0; e < count; e += 2) {
        assert_true(e + 1 < count && memcmp(edges[e], edges[e + 1], 2 * sizeof(int)) == 0);
        assert_int_equal(edges[e][3] + edges[e + 1][3], 0);
        assert_false(e + 2 < count && memcmp(edges[e], edges[e + 2], 2 * sizeof(int)) == 0);
    }
    expect_one_sheet_at_vertices(surface, edges, count);
    SnTetQuality quality = measure(mesh, NAN, NULL);
    int euler = quality.boundary_vertex_count - count / 2 + surface->triangle_count;
    free(edges);
    sn_tet_surface_destroy(surface, NULL);
    return euler;
}

static void expect_all_vertices_used(const SnTetMesh *mesh)
{
    char *is_used = calloc((size_t)mesh->vertex_count, 1);
    for (int i = 0; i < 4 * mesh->tet_count; ++i) {
        is_used[mesh->tets[i]] = 1;
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        assert_true(is_used[v]);
    }
    free(is_used);
}

// What every mesh must be. Returns the Euler characteristic of the boundary.
static int expect_sound(const SnTetMesh *mesh)
{
    SnTetQuality quality = measure(mesh, NAN, NULL);
    assert_int_equal(quality.inverted_count, 0);
    // The worst that cuts at the ends of their ranges give, see stuffing_cuts.c.
    assert_at_most(10.5, quality.smallest_dihedral);
    assert_at_most(quality.largest_dihedral, 163.8);
    expect_all_vertices_used(mesh);
    expect_conforming(mesh);
    return expect_closed_manifold(mesh);
}

typedef struct Body {
    const char *name;
    SnSignedFn *function;
    double volume; // NaN: not known
    int euler;     // of the surface; -1: not known
    int is_smooth;
} Body;

static const double pi = 3.14159265358979323846;

static void bodies_give_sound_meshes(void **state)
{
    (void)state;
    const Body bodies[] = {
        {"sphere", sn_body_sphere, 4.0 / 3.0 * pi * 0.9 * 0.9 * 0.9, 2, 1},
        {"torus", sn_body_torus, 2.0 * pi * pi * 0.6 * 0.3 * 0.3, 0, 1},
        {"box", sn_body_box, 8.0 * 0.83 * 0.51 * 0.37, 2, 0},
        {"touching", sn_body_touching, 8.0 / 3.0 * pi * 0.45 * 0.45 * 0.45, -1, 0},
        {"gyroid", sn_body_gyroid, NAN, -1, 0},
    };
    for (int b = 0; b < SN_COUNT(bodies); ++b) {
        for (int graded = 0; graded < 2; ++graded) {
            for (int cells = 7; cells <= 28; cells += 7) {
                SnStuffingDef def = make_def(bodies[b].function, cells, graded);
                SnTetMesh *mesh = make_mesh(&def);
                int euler = expect_sound(mesh);
                double h = sn_stuffing_cell_size(&def);
                SnTetQuality quality = measure(mesh, bodies[b].volume, bodies[b].function);
                if (bodies[b].euler >= 0 && cells > 10) {
                    assert_int_equal(euler, bodies[b].euler);
                }
                if (!isnan(bodies[b].volume)) {
                    // A chord cuts off of a smooth body about h / 5 r, twice; sharp edges lose
                    // up to a cell's cross-section.
                    assert_at_most(fabs(quality.volume_error), 1.5 * h * h / 0.09 + 0.02);
                }
                if (bodies[b].is_smooth && cells > 10) {
                    assert_at_most(quality.largest_distance, 1e-3 * h);
                }
                sn_tet_mesh_destroy(mesh, NULL);
            }
        }
    }
}

// Functions that keep no promise: without pattern, with jumps, thinner than the cells, NaN in
// parts.
static void wild_functions_give_sound_meshes(void **state)
{
    (void)state;
    SnSignedFn *const functions[] = {sn_body_noise, sn_body_jump, sn_body_holed, sn_body_sheet};
    for (int f = 0; f < SN_COUNT(functions); ++f) {
        for (int graded = 0; graded < 2; ++graded) {
            for (int slope = 0; slope < 2; ++slope) {
                SnStuffingDef def = make_def(functions[f], 17, graded);
                def.slope = slope;
                if (functions[f] == sn_body_sheet) {
                    // 1.7 cells to the sheet's thickness in one direction, a third in the other.
                    def.cells = slope ? 85 : 44;
                }
                SnTetMesh *mesh = make_mesh(&def);
                expect_sound(mesh);
                sn_tet_mesh_destroy(mesh, NULL);
            }
        }
    }
}

// Half a sphere, closed by a plane at which the function jumps from -0.5 to 0.5: the plane is
// found although the function is nowhere near zero there.
static void a_jump_is_a_surface(void **state)
{
    (void)state;
    for (int graded = 0; graded < 2; ++graded) {
        SnStuffingDef def = make_def(sn_body_jump, 40, graded);
        SnTetMesh *mesh = make_mesh(&def);
        // The cap of a sphere of radius r beyond distance a: pi (r - a)^2 (2 r + a) / 3.
        double r = 0.9;
        double a = 0.1 / sqrt(1.09);
        double volume = 4.0 / 3.0 * pi * r * r * r - pi * (r - a) * (r - a) * (2.0 * r + a) / 3.0;
        SnTetQuality quality = measure(mesh, volume, NULL);
        // A sharp edge along the rim loses about h^2 / 2 of its length.
        assert_at_most(fabs(quality.volume_error), 0.01);
        assert_int_equal(expect_closed_manifold(mesh), 2);
        sn_tet_mesh_destroy(mesh, NULL);
    }
}

static double everywhere(void *context, const double p[3])
{
    (void)context;
    (void)p;
    return -100.0;
}

static void bodies_end_at_the_bounds(void **state)
{
    (void)state;
    for (int graded = 0; graded < 2; ++graded) {
        SnStuffingDef def = make_def(everywhere, 16, graded);
        SnTetMesh *mesh = make_mesh(&def);
        assert_int_equal(expect_sound(mesh), 2);
        // The bounds are a cube of whole cells, so that the mesh fills it exactly.
        assert_at_most(fabs(measure(mesh, 2.02 * 2.02 * 2.02, NULL).volume_error), 1e-4);
        sn_tet_mesh_destroy(mesh, NULL);
    }
}

static void volume_converges_at_second_order(void **state)
{
    (void)state;
    double error[3];
    for (int i = 0; i < 3; ++i) {
        SnStuffingDef def = make_def(sn_body_sphere, 10 << i, 0);
        SnTetMesh *mesh = make_mesh(&def);
        error[i] = fabs(measure(mesh, 4.0 / 3.0 * pi * 0.729, NULL).volume_error);
        sn_tet_mesh_destroy(mesh, NULL);
    }
    // Halving the cells quarters the error; how the lattice lies makes it 3.5 to 4.5.
    for (int i = 0; i < 2; ++i) {
        assert_at_most(3.4, error[i] / error[i + 1]);
        assert_at_most(error[i] / error[i + 1], 4.7);
    }
}

static void a_graded_interior_has_fewer_tets(void **state)
{
    (void)state;
    SnStuffingDef def = make_def(sn_body_sphere, 48, 0);
    SnTetMesh *even = make_mesh(&def);
    def.is_graded = 1;
    SnTetMesh *graded = make_mesh(&def);
    assert_true(3 * graded->tet_count < 2 * even->tet_count);
    // The surface is the same; only numbers differ.
    SnTetQuality a = measure(even, 1.0, sn_body_sphere);
    SnTetQuality b = measure(graded, 1.0, sn_body_sphere);
    assert_int_equal(a.boundary_triangle_count, b.boundary_triangle_count);
    // Sums of 1e5 rounded terms each.
    assert_at_most(fabs(a.volume - b.volume), 1e-10);
    assert_at_most(10.5, b.smallest_dihedral);
    sn_tet_mesh_destroy(even, NULL);
    sn_tet_mesh_destroy(graded, NULL);
}

static uint64_t hash_mesh(const SnTetMesh *mesh)
{
    uint64_t hash = sn_hash(SN_HASH_START, mesh->positions,
                            3 * (size_t)mesh->vertex_count * sizeof *mesh->positions);
    return sn_hash(hash, mesh->tets, 4 * (size_t)mesh->tet_count * sizeof *mesh->tets);
}

// A torus with cells of one size, and a sphere thick enough for larger cells inside.
static void workers_do_not_change_a_bit(void **state)
{
    (void)state;
    const int counts[] = {1, 2, 3, 8};
    for (int graded = 0; graded < 2; ++graded) {
        SnStuffingDef def = make_def(graded ? sn_body_sphere : sn_body_torus, 24, graded);
        uint64_t first = 0;
        for (int i = 0; i < SN_COUNT(counts); ++i) {
            SnWorkers *workers = NULL;
            SnTetMesh *mesh = NULL;
            SinewError error;
            assert_int_equal(sn_workers_create(NULL, NULL, counts[i], &workers, &error), SINEW_OK);
            assert_int_equal(sn_stuffing_create(&def, workers, NULL, &mesh, &error), SINEW_OK);
            first = i == 0 ? hash_mesh(mesh) : first;
            assert_true(hash_mesh(mesh) == first);
            sn_tet_mesh_destroy(mesh, NULL);
            sn_workers_destroy(workers);
        }
        // Nothing but + - * / and sqrt is in them: the same mesh on any machine.
        if (!graded) {
            assert_true(first == 0xc4aeb74dccb79d85u);
        }
    }
}

static void expect_refusal(const SnStuffingDef *def, const char *part)
{
    SnTetMesh *mesh = NULL;
    SinewError error = {0};
    assert_int_equal(sn_stuffing_create(def, NULL, NULL, &mesh, &error), SINEW_ERROR_ARGUMENT);
    assert_null(mesh);
    if (strstr(error.text, part) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", error.text, part);
    }
}

static double nowhere(void *context, const double p[3])
{
    (void)context;
    (void)p;
    return NAN;
}

static void what_cannot_be_meshed_is_refused(void **state)
{
    (void)state;
    SnStuffingDef def = make_def(nowhere, 8, 0);
    expect_refusal(&def, "no point of the lattice is inside");
    def = make_def(sn_body_sheet, 5, 0);
    def.min[2] = -0.9; // the sheet lies between two layers of the lattice
    expect_refusal(&def, "thinner than the cells (size 0.404 m)");
    def = make_def(sn_body_sphere, 0, 0);
    expect_refusal(&def, "0 cells along the longest side");
    def.cell_size = 1e-9;
    expect_refusal(&def, "use larger cells");
    def.cell_size = NAN;
    expect_refusal(&def, "expected one of them to be positive");
    def = make_def(everywhere, 2000, 0);
    expect_refusal(&def, "more than 14000000 would be needed");
    def = make_def(sn_body_sphere, 8, 0);
    def.max[1] = INFINITY;
    expect_refusal(&def, "along y");
    def = make_def(sn_body_sphere, 8, 0);
    def.slope = -1.0;
    expect_refusal(&def, "slope is -1");
}

typedef struct Speck {
    double centre[3];
    double radius;
} Speck;

static double speck_distance(void *context, const double p[3])
{
    const Speck *speck = context;
    double square = 0.0;
    for (int c = 0; c < 3; ++c) {
        square += (p[c] - speck->centre[c]) * (p[c] - speck->centre[c]);
    }
    return sqrt(square) - speck->radius;
}

// A body smaller than a cell has tets or is refused; it is never a mesh of nothing.
static void specks_are_filled_or_refused(void **state)
{
    (void)state;
    SnRandom random = {5};
    int filled = 0;
    int refused = 0;
    for (int i = 0; i < 300; ++i) {
        Speck speck = {.radius = sn_random_between(&random, 0.001, 0.25)};
        for (int c = 0; c < 3; ++c) {
            speck.centre[c] = sn_random_between(&random, -0.5, 0.5);
        }
        SnStuffingDef def = make_def(speck_distance, 8, i % 2);
        def.context = &speck;
        SnTetMesh *mesh = NULL;
        SinewError error;
        if (sn_stuffing_create(&def, NULL, NULL, &mesh, &error) == SINEW_OK) {
            assert_true(mesh->tet_count > 0);
            ++filled;
        } else {
            assert_non_null(strstr(error.text, "use smaller cells"));
            ++refused;
        }
        sn_tet_mesh_destroy(mesh, NULL);
    }
    assert_true(filled > 20 && refused > 20);
}

static SinewStatus create_and_measure(const SinewAllocator *allocator, void *context,
                                      SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetMesh *mesh = NULL;
    SnTetQuality quality;
    SnStuffingDef def = make_def(sn_body_jump, 9, *(int *)context);
    SN_TRY(sn_stuffing_create(&def, NULL, allocator, &mesh, error));
    SN_TRY(sn_tet_quality_measure(mesh, 1.0, NULL, NULL, allocator, &quality, error));
done:
    sn_tet_mesh_destroy(mesh, allocator);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    for (int graded = 0; graded < 2; ++graded) {
        assert_true(sn_fail_each_allocation(create_and_measure, &graded) > 20);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(bodies_give_sound_meshes),
    cmocka_unit_test(wild_functions_give_sound_meshes),
    cmocka_unit_test(a_jump_is_a_surface),
    cmocka_unit_test(bodies_end_at_the_bounds),
    cmocka_unit_test(volume_converges_at_second_order),
    cmocka_unit_test(a_graded_interior_has_fewer_tets),
    cmocka_unit_test(workers_do_not_change_a_bit),
    cmocka_unit_test(what_cannot_be_meshed_is_refused),
    cmocka_unit_test(specks_are_filled_or_refused),
    cmocka_unit_test(each_allocation_may_fail),
};
SN_TEST_GROUP(geometry_stuffing, tests);

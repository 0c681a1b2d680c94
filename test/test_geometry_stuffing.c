#include "support/bodies.h"
#include "support/fail_allocator.h"
#include "support/test.h"

#include "base/hash.h"
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
        vertex_count = surface->triangles[i] >= vertex_count ? surface->triangles[i] + 1
                                                             : vertex_count;
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
    // [L] theorem 1 proves 10.7 and 164.8 degrees for these alphas.
    if (getenv("SHOW")) {
        printf("tets %d dihedral %g .. %g aspect %g\n", mesh->tet_count, quality.smallest_dihedral,
               quality.largest_dihedral, quality.largest_aspect);
    }
    assert_at_most(10.7, quality.smallest_dihedral);
    assert_at_most(quality.largest_dihedral, 164.8);
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(bodies_give_sound_meshes),
};
SN_TEST_GROUP(geometry_stuffing, tests);

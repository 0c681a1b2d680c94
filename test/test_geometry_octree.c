// The octree of [E]: labels against the lattice and against distances, fills, open surfaces, lines.
#include "support/fail_allocator.h"
#include "support/shapes.h"
#include "support/test.h"

#include "base/hash.h"
#include "geometry/cell_lattice.h"
#include "geometry/morton.h"
#include "geometry/octree.h"

#include <math.h>

static SnOctree *make(const SnSurface *surface, int depth, bool cubic, SnWorkers *workers)
{
    SnOctreeDef def = {.depth = depth, .cubic = cubic};
    SnOctree *octree = NULL;
    SinewError error;
    if (sn_octree_create(surface, &def, workers, NULL, &octree, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    return octree;
}

static void check_tree(const SnOctree *octree)
{
    for (int n = 0; n < octree->node_count; ++n) {
        int level = sn_octree_level(octree, n);
        int ijk[3];
        sn_morton_decode(octree->keys[n], ijk);
        assert_int_equal(sn_octree_find(octree, level, ijk[0], ijk[1], ijk[2]), n);
        assert_true(n == octree->level_start[level] || octree->keys[n] > octree->keys[n - 1]);
        bool is_leaf = octree->children[n] < 0;
        assert_true(is_leaf == (level == octree->depth || octree->labels[n] != SN_OCTREE_BOUNDARY));
        if (!is_leaf) {
            float sum = 0.0f;
            bool any_touched = false;
            for (int k = 0; k < 8; ++k) {
                int child = octree->children[n] + k;
                assert_int_equal(octree->parents[child], n);
                any_touched = any_touched || octree->labels[child] == SN_OCTREE_BOUNDARY;
                sum += octree->fills[child];
            }
            assert_true(any_touched);
            assert_true(octree->fills[n] == sum / 8.0f);
        }
    }
    assert_int_equal(octree->parents[0], -1);
}

// Every leaf against the signed distance of its centre: boundary within half a diagonal of the
// surface, inside and outside by the sign.
static void check_labels(const SnOctree *octree, SnSignedFn *fn, double flatness)
{
    int seen[3] = {0, 0, 0};
    for (int n = 0; n < octree->node_count; ++n) {
        if (octree->children[n] >= 0) {
            continue;
        }
        int ijk[3];
        double centre[3];
        double diagonal2 = 0.0;
        sn_morton_decode(octree->keys[n], ijk);
        for (int c = 0; c < 3; ++c) {
            double size = octree->size[c] / (1 << sn_octree_level(octree, n));
            centre[c] = octree->min[c] + (ijk[c] + 0.5) * size;
            diagonal2 += size * size;
        }
        double distance = fn(NULL, centre);
        seen[octree->labels[n]]++;
        if (octree->labels[n] == SN_OCTREE_BOUNDARY) {
            assert_at_most(fabs(distance), 0.5 * sqrt(diagonal2) + flatness);
        } else {
            assert_true((distance < 0.0) == (octree->labels[n] == SN_OCTREE_INSIDE));
        }
    }
    assert_true(seen[0] > 0 && seen[1] > 0 && seen[2] > 0);
}

static void round_bodies_have_the_right_labels(void **state)
{
    (void)state;
    SnSurface *sphere = sn_test_sphere(64);
    SnSurface *torus = sn_test_torus(64);
    for (int cubic = 0; cubic < 2; ++cubic) {
        for (int depth = 4; depth <= 6; ++depth) {
            SnOctree *octree = make(sphere, depth, cubic == 1, NULL);
            check_tree(octree);
            // Triangles of 64 rings lie up to 1 - cos(pi / 64) = 0.0012 below the sphere.
            check_labels(octree, sn_test_sphere_distance, 0.0025);
            sn_octree_destroy(octree, NULL);
            octree = make(torus, depth, cubic == 1, NULL);
            check_labels(octree, sn_test_torus_distance, 0.005);
            sn_octree_destroy(octree, NULL);
        }
    }
    sn_surface_destroy(torus, NULL);
    sn_surface_destroy(sphere, NULL);
}

// The root's fill times its volume is the body's: boundary leaves are half full on average.
static void the_root_knows_the_volume(void **state)
{
    (void)state;
    SnSurface *sphere = sn_test_sphere(64);
    double last = 1.0;
    for (int depth = 4; depth <= 7; ++depth) {
        SnOctree *octree = make(sphere, depth, true, NULL);
        double volume = (double)octree->fills[0] * pow(octree->size[0], 3.0);
        double error = fabs(volume / (4.0 / 3.0 * 3.14159265358979) - 1.0);
        // Boundary leaves reach half a diagonal, t = 0.87 h, to either side, and half of that shell
        // is ((1 + t)^3 + (1 - t)^3) / 2 - 1 = 3 t^2 too much; the net lies 0.002 too deep.
        double h = octree->size[0] / (1 << depth);
        assert_at_most(error, 2.3 * h * h + 0.002);
        last = error;
        sn_octree_destroy(octree, NULL);
    }
    assert_at_most(last, 0.004);
    sn_surface_destroy(sphere, NULL);
}

static void labels_agree_with_the_lattice(void **state)
{
    (void)state;
    SnSurface *torus = sn_test_torus(48);
    SnOctree *octree = make(torus, 5, true, NULL);
    // The same grid: a lattice of cells of the same size, padded to the octree's 32^3.
    SnCellBody body = {.surface = torus, .fn = sn_test_torus_distance};
    SnCellLatticeDef def = sn_cell_lattice_def_default();
    def.cell_size = octree->size[0] / 32;
    SnCellLattice *lattice = NULL;
    assert_int_equal(sn_cell_lattice_create(&body, &def, NULL, NULL, &lattice, NULL), SINEW_OK);
    int shift[3];
    for (int c = 0; c < 3; ++c) {
        double cells = (lattice->origin[c] - octree->min[c]) / def.cell_size;
        shift[c] = (int)floor(cells + 0.5);
        // Both are centred on the torus, so grids meet where both have an even number of cells.
        assert_at_most(fabs(cells - shift[c]), 1e-6);
    }
    for (int cell = 0; cell < lattice->cell_count; ++cell) {
        const int *ijk = lattice->cells + 3 * cell;
        int node =
            sn_octree_find(octree, 5, ijk[0] + shift[0], ijk[1] + shift[1], ijk[2] + shift[2]);
        assert_int_equal(octree->labels[node], lattice->labels[cell] == SN_CELL_BOUNDARY
                                                   ? SN_OCTREE_BOUNDARY
                                                   : SN_OCTREE_INSIDE);
    }
    sn_cell_lattice_destroy(lattice, NULL);
    sn_octree_destroy(octree, NULL);
    sn_surface_destroy(torus, NULL);
}

static void open_surfaces_and_lines_have_no_inside(void **state)
{
    (void)state;
    SnSurface *surfaces[2] = {sn_test_disc(12), sn_test_spiral(40)};
    for (int s = 0; s < 2; ++s) {
        for (int depth = 0; depth <= 6; depth += 2) {
            SnOctree *octree = make(surfaces[s], depth, true, NULL);
            check_tree(octree);
            int touched = 0;
            for (int n = octree->level_start[depth]; n < octree->node_count; ++n) {
                touched += octree->labels[n] == SN_OCTREE_BOUNDARY;
            }
            for (int n = 0; n < octree->node_count; ++n) {
                assert_int_not_equal(octree->labels[n], SN_OCTREE_INSIDE);
            }
            // A disc of area pi crosses at least its area in squares, a line its length in
            // diagonals of cells, once those are small against its bends.
            double leaf = octree->size[0] / (1 << depth);
            assert_true(depth < 4 ||
                        touched * (s == 0 ? leaf * leaf / 3.1 : leaf * 1.8 / 9.0) > 0.9);
            sn_octree_destroy(octree, NULL);
        }
        sn_surface_destroy(surfaces[s], NULL);
    }
}

static void any_number_of_workers_gives_the_same_bits(void **state)
{
    (void)state;
    static const int counts[] = {1, 2, 3, 8};
    SnSurface *surface = sn_test_torus(48);
    uint64_t first = 0;
    for (int n = 0; n < SN_COUNT(counts); ++n) {
        SnWorkers *workers = NULL;
        assert_int_equal(sn_workers_create(NULL, NULL, counts[n], &workers, NULL), SINEW_OK);
        SnOctree *o = make(surface, 6, false, workers);
        uint64_t hash = sn_hash(SN_HASH_START, o->keys, sizeof *o->keys * (size_t)o->node_count);
        hash = sn_hash(hash, o->labels, (size_t)o->node_count);
        hash = sn_hash(hash, o->children, sizeof *o->children * (size_t)o->node_count);
        first = n == 0 ? hash : first;
        assert_true(hash == first);
        sn_octree_destroy(o, NULL);
        sn_workers_destroy(workers);
    }
    sn_surface_destroy(surface, NULL);
}

static void refuse(const SnSurface *surface, int depth, const char *words)
{
    SnOctreeDef def = {.depth = depth};
    SnOctree *octree = NULL;
    SinewError error;
    assert_int_equal(sn_octree_create(surface, &def, NULL, NULL, &octree, &error),
                     SINEW_ERROR_ARGUMENT);
    if (strstr(error.text, words) == NULL) {
        fail_msg("\"%s\" does not hold \"%s\"", error.text, words);
    }
    assert_null(octree);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    SnSurface *surface = sn_test_spiral(5);
    refuse(surface, -1, "depth of the octree is -1");
    refuse(surface, 17, "depth of the octree is 17");
    surface->lines[3] = 77;
    refuse(surface, 3, "line 1 names vertex 77, expected 0 to 5");
    surface->lines[3] = 2;
    surface->positions[4] = INFINITY;
    refuse(surface, 3, "vertex 1 of the surface is at inf along y");
    memset(surface->positions, 0, 18 * sizeof(double));
    refuse(surface, 3, "the surface is 0 m large");
    surface->line_count = 0;
    refuse(surface, 3, "no triangles and no lines");
    sn_surface_destroy(surface, NULL);
}

static SinewStatus create_and_destroy(const SinewAllocator *allocator, void *context,
                                      SinewError *error)
{
    SnOctreeDef def = {.depth = 3};
    SnOctree *octree = NULL;
    SinewStatus status = sn_octree_create(context, &def, NULL, allocator, &octree, error);
    assert_true((status == SINEW_OK) == (octree != NULL));
    sn_octree_destroy(octree, allocator);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    SnSurface *surface = sn_test_sphere(8);
    assert_true(sn_fail_each_allocation(create_and_destroy, surface) > 10);
    sn_surface_destroy(surface, NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(round_bodies_have_the_right_labels),
    cmocka_unit_test(the_root_knows_the_volume),
    cmocka_unit_test(labels_agree_with_the_lattice),
    cmocka_unit_test(open_surfaces_and_lines_have_no_inside),
    cmocka_unit_test(any_number_of_workers_gives_the_same_bits),
    cmocka_unit_test(bad_input_is_refused),
    cmocka_unit_test(each_allocation_may_fail),
};
SN_TEST_GROUP(geometry_octree, tests);

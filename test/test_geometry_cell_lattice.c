// Lattices of bodies with known volumes, of open surfaces and lines, and of parts kept apart.
#include "support/fail_allocator.h"
#include "support/shapes.h"
#include "support/test.h"

#include "base/hash.h"
#include "base/random.h"
#include "geometry/cell_lattice.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static SnCellLattice *make(const SnCellBody *body, const SnCellLatticeDef *def, SnWorkers *workers)
{
    SnCellLattice *lattice = NULL;
    SinewError error;
    if (sn_cell_lattice_create(body, def, workers, NULL, &lattice, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    return lattice;
}

static SnCellLatticeDef cells_along(int count, int samples)
{
    SnCellLatticeDef def = sn_cell_lattice_def_default();
    def.longest_cells = count;
    def.samples = samples;
    return def;
}

static double volume_of(const SnCellLattice *lattice)
{
    double sum = 0.0;
    for (int cell = 0; cell < lattice->cell_count; ++cell) {
        sum += (double)lattice->fills[cell];
    }
    return sum * lattice->cell_size * lattice->cell_size * lattice->cell_size;
}

// Numbering without gaps, places that can be found again, nodes where they belong.
static void check_lattice(const SnCellLattice *lattice)
{
    int most = -1;
    for (int cell = 0; cell < lattice->cell_count; ++cell) {
        const int *ijk = lattice->cells + 3 * cell;
        int count = 0;
        int first = sn_cell_lattice_find(lattice, ijk[0], ijk[1], ijk[2], &count);
        assert_true(first <= cell && cell < first + count);
        for (int k = 0; k < 8; ++k) {
            int node = lattice->nodes[8 * cell + k];
            assert_true(node >= 0 && node <= most + 1); // named for the first time, in order
            most = node > most ? node : most;
            const int bits[3] = {k >> 2 & 1, k >> 1 & 1, k & 1};
            for (int c = 0; c < 3; ++c) {
                double expected = lattice->origin[c] + (ijk[c] + bits[c]) * lattice->cell_size;
                assert_true(lattice->positions[3 * node + c] == expected);
                assert_int_equal(lattice->node_cells[3 * node + c], ijk[c] + bits[c]);
            }
        }
        assert_true(lattice->fills[cell] >= 0.0f && lattice->fills[cell] <= 1.0f);
        assert_true(lattice->labels[cell] == SN_CELL_BOUNDARY || lattice->fills[cell] == 1.0f);
    }
    assert_int_equal(most + 1, lattice->node_count);
    assert_int_equal(sn_cell_lattice_find(lattice, -1, 0, 0, NULL), -1);
    assert_int_equal(sn_cell_lattice_find(lattice, 0, lattice->size[1], 0, NULL), -1);
}

// Random points of the body are in cells; returns how many were tried.
static int check_cover(const SnCellLattice *lattice, SnSignedFn *fn, void *context)
{
    SnRandom random = {5};
    int tried = 0;
    for (int n = 0; n < 20000; ++n) {
        double p[3];
        int ijk[3];
        for (int c = 0; c < 3; ++c) {
            double along = sn_random_between(&random, 0.0, lattice->size[c]);
            p[c] = lattice->origin[c] + along * lattice->cell_size;
            ijk[c] = (int)along;
        }
        double distance = fn(context, p);
        int cell = sn_cell_lattice_find(lattice, ijk[0], ijk[1], ijk[2], NULL);
        // The triangles lie inside the round shapes by up to 0.002.
        if (distance < -0.003) {
            assert_true(cell >= 0);
            tried++;
        } else if (distance > 1.8 * lattice->cell_size) { // more than a diagonal
            assert_true(cell < 0);
        }
    }
    return tried;
}

static void round_bodies_have_their_volume(void **state)
{
    (void)state;
    SnSurface *surfaces[2] = {sn_test_sphere(64), sn_test_torus(64)};
    SnSignedFn *const fns[2] = {sn_test_sphere_distance, sn_test_torus_distance};
    const double volumes[2] = {4.0 / 3.0 * pi, 2.0 * pi * pi * 0.4 * 0.4};
    const double areas[2] = {4.0 * pi, 4.0 * pi * pi * 0.4};
    for (int s = 0; s < 2; ++s) {
        for (int n = 8; n <= 32; n *= 2) {
            SnCellBody body = {.surface = surfaces[s], .fn = fns[s]};
            SnCellLatticeDef def = cells_along(n, 4);
            SnCellLattice *lattice = make(&body, &def, NULL);
            check_lattice(lattice);
            assert_true(check_cover(lattice, fns[s], NULL) > 1000);
            double h = lattice->cell_size;
            // Samples are a grid of spacing h / 4, whose count in a smooth body of area S is known
            // to be off by far less than a sample in each of its S / (h / 4)^2 columns: a tenth of
            // that, (h / 4) S / 10, is ample and a factor 50 below the fill itself.
            assert_at_most(fabs(volume_of(lattice) - volumes[s]), 0.1 * h / 4 * areas[s]);
            // Every boundary cell is within a diagonal of the surface; there are at least as many
            // as squares of side h that make up half its area.
            assert_true(lattice->boundary_count * h * h > 0.5 * areas[s]);
            assert_at_most(lattice->boundary_count * h * h * h, 2 * 1.8 * h * areas[s] * 1.3);
            sn_cell_lattice_destroy(lattice, NULL);
        }
        sn_surface_destroy(surfaces[s], NULL);
    }
}

static void a_box_in_the_planes_of_the_grid_is_exact(void **state)
{
    (void)state;
    const double box[6] = {-1.0, 0.5, 2.0, 1.0, 1.5, 2.5};
    SnTestBoxes boxes = {box, 1};
    SnSurface *surface = sn_test_boxes(box, 1);
    for (int padding = 0; padding < 3; ++padding) {
        for (int apart = 0; apart < 2; ++apart) {
            SnCellBody body = {surface, sn_test_boxes_distance, &boxes, {0}, {0}};
            SnCellLatticeDef def = cells_along(8, 4);
            def.padding = padding;
            def.keep_apart = apart == 1;
            SnCellLattice *lattice = make(&body, &def, NULL);
            check_lattice(lattice);
            assert_int_equal(lattice->size[0], 8 + 2 * padding);
            assert_int_equal(lattice->size[1], 4 + 2 * padding);
            assert_int_equal(lattice->size[2], 2 + 2 * padding);
            // Cells outside that the faces merely touch are not counted.
            assert_int_equal(lattice->cell_count, 8 * 4 * 2);
            assert_int_equal(lattice->node_count, 9 * 5 * 3);
            assert_true(volume_of(lattice) == 1.0);
            sn_cell_lattice_destroy(lattice, NULL);
        }
    }
    sn_surface_destroy(surface, NULL);
}

static void cells_by_size_cover_the_body(void **state)
{
    (void)state;
    SnSurface *surface = sn_test_sphere(32);
    SnCellBody body = {.surface = surface, .fn = sn_test_sphere_distance};
    SnCellLatticeDef def = sn_cell_lattice_def_default();
    def.cell_size = 0.3;
    SnCellLattice *lattice = make(&body, &def, NULL);
    for (int c = 0; c < 3; ++c) {
        assert_int_equal(lattice->size[c], 7);
        assert_true(lattice->origin[c] <= -1.0 && lattice->origin[c] + 7 * 0.3 >= 1.0);
    }
    sn_cell_lattice_destroy(lattice, NULL);
    sn_surface_destroy(surface, NULL);
}

// Without triangles the function alone decides; the lattice is nearly that of the surface.
static void a_function_alone_is_enough(void **state)
{
    (void)state;
    SnCellBody body = {
        .fn = sn_test_torus_distance, .min = {-1.4, -1.4, -0.4}, .max = {1.4, 1.4, 0.4}};
    SnCellLatticeDef def = cells_along(24, 4);
    SnCellLattice *lattice = make(&body, &def, NULL);
    check_lattice(lattice);
    double volume = 2.0 * pi * pi * 0.4 * 0.4;
    assert_at_most(fabs(volume_of(lattice) - volume), 0.01 * volume);
    assert_true(lattice->boundary_count > 100);
    sn_cell_lattice_destroy(lattice, NULL);
}

static void open_surfaces_and_lines_are_boundary_alone(void **state)
{
    (void)state;
    SnSurface *surfaces[2] = {sn_test_disc(16), sn_test_spiral(50)};
    for (int s = 0; s < 2; ++s) {
        for (int apart = 0; apart < 2; ++apart) {
            SnCellBody body = {.surface = surfaces[s]};
            SnCellLatticeDef def = cells_along(16, 4);
            def.padding = 1;
            def.keep_apart = apart == 1;
            SnCellLattice *lattice = make(&body, &def, NULL);
            check_lattice(lattice);
            assert_int_equal(lattice->boundary_count, lattice->cell_count);
            assert_true(volume_of(lattice) == 0.0);
            assert_true(lattice->cell_count > 40);
            for (int v = 0; v < surfaces[s]->vertex_count; ++v) {
                const double *x = surfaces[s]->positions + 3 * v;
                int ijk[3];
                for (int c = 0; c < 3; ++c) {
                    double along = (x[c] - lattice->origin[c]) / lattice->cell_size;
                    ijk[c] = (int)floor(along + 1e-9);
                }
                int there = sn_cell_lattice_find(lattice, ijk[0], ijk[1], ijk[2], NULL);
                // The highest points lie on the upper face of their cell.
                assert_true(there >= 0 || fabs(x[0]) == 1.0 || fabs(x[1]) == 1.0 || v == 50);
            }
            sn_cell_lattice_destroy(lattice, NULL);
        }
        sn_surface_destroy(surfaces[s], NULL);
    }
}

// Connected sets of cells, by the nodes they share.
static int count_pieces(const SnCellLattice *lattice)
{
    int *piece = malloc((size_t)lattice->node_count * sizeof *piece);
    assert_non_null(piece);
    for (int n = 0; n < lattice->node_count; ++n) {
        piece[n] = n;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int cell = 0; cell < lattice->cell_count; ++cell) {
            const int *nodes = lattice->nodes + 8 * cell;
            int least = piece[nodes[0]];
            for (int k = 1; k < 8; ++k) {
                least = piece[nodes[k]] < least ? piece[nodes[k]] : least;
            }
            for (int k = 0; k < 8; ++k) {
                changed = changed || piece[nodes[k]] != least;
                piece[nodes[k]] = least;
            }
        }
    }
    int count = 0;
    for (int n = 0; n < lattice->node_count; ++n) {
        count += piece[n] == n;
    }
    free(piece);
    return count;
}

static int pieces_of(const double *box, int count, int cells, int samples, bool keep_apart)
{
    SnTestBoxes boxes = {box, count};
    SnSurface *surface = sn_test_boxes(box, count);
    SnCellBody body = {surface, sn_test_boxes_distance, &boxes, {0}, {0}};
    SnCellLatticeDef def = cells_along(cells, samples);
    def.keep_apart = keep_apart;
    SnCellLattice *lattice = make(&body, &def, NULL);
    check_lattice(lattice);
    // Fills of parts add up to the body's volume; a plate's two faces lose at most a layer of
    // samples each.
    double volume = 0.0;
    double area = 0.0;
    for (int b = 0; b < count; ++b) {
        const double *x = box + 6 * b;
        const double side[3] = {x[3] - x[0], x[4] - x[1], x[5] - x[2]};
        volume += side[0] * side[1] * side[2];
        area += 2 * (side[0] * side[1] + side[1] * side[2] + side[2] * side[0]);
    }
    assert_at_most(fabs(volume_of(lattice) - volume), area * lattice->cell_size / samples);
    int pieces = count_pieces(lattice);
    sn_cell_lattice_destroy(lattice, NULL);
    sn_surface_destroy(surface, NULL);
    return pieces;
}

static void plates_closer_than_a_cell_come_apart_when_asked(void **state)
{
    (void)state;
    // 8 cells of 1 along x. The gap is 0.6 of a cell and lies within one, at 2.23 to 2.83.
    const double plates[12] = {0, 0, 0, 8, 8, 2.23, 0, 0, 2.83, 8, 8, 4.7};
    assert_int_equal(pieces_of(plates, 2, 8, 4, false), 1);
    assert_int_equal(pieces_of(plates, 2, 8, 4, true), 2);
    // A gap across a plane of the grid, in neighbouring cells; and a thin one, with finer samples.
    const double across[12] = {0, 0, 0, 8, 8, 2.61, 0, 0, 3.22, 8, 8, 5};
    assert_int_equal(pieces_of(across, 2, 8, 4, false), 1);
    assert_int_equal(pieces_of(across, 2, 8, 4, true), 2);
    const double thin[12] = {0, 0, 0, 8, 8, 2.45, 0, 0, 2.65, 8, 8, 5};
    assert_int_equal(pieces_of(thin, 2, 8, 16, true), 2);
}

static void what_is_connected_stays_connected(void **state)
{
    (void)state;
    // Two plates with a bridge of a tenth of a cell, and a plate far thinner than a sample.
    const double bridge[18] = {0, 0, 0,   8,    8,    2.23, 0,    0,    2.83,
                               8, 8, 4.7, 3.41, 3.41, 2,    3.51, 3.51, 3};
    assert_int_equal(pieces_of(bridge, 3, 8, 4, true), 1);
    const double sheet[6] = {0, 0, 0, 8, 5, 0.01};
    assert_int_equal(pieces_of(sheet, 1, 8, 4, true), 1);
    SnSurface *torus = sn_test_torus(32);
    SnCellBody body = {.surface = torus, .fn = sn_test_torus_distance};
    SnCellLatticeDef def = cells_along(16, 4);
    SnCellLattice *joined = make(&body, &def, NULL);
    def.keep_apart = true;
    SnCellLattice *apart = make(&body, &def, NULL);
    check_lattice(apart);
    assert_int_equal(count_pieces(apart), 1);
    assert_true(fabs(volume_of(apart) - volume_of(joined)) < 1e-5); // floats added in other parts
    sn_cell_lattice_destroy(apart, NULL);
    sn_cell_lattice_destroy(joined, NULL);
    sn_surface_destroy(torus, NULL);
}

static uint64_t hash_of(const SnCellLattice *l)
{
    uint64_t hash = sn_hash(SN_HASH_START, l->nodes, 8 * sizeof(int) * (size_t)l->cell_count);
    hash = sn_hash(hash, l->cells, 3 * sizeof(int) * (size_t)l->cell_count);
    hash = sn_hash(hash, l->labels, (size_t)l->cell_count);
    hash = sn_hash(hash, l->fills, sizeof(float) * (size_t)l->cell_count);
    return sn_hash(hash, l->positions, 3 * sizeof(double) * (size_t)l->node_count);
}

static void any_number_of_workers_gives_the_same_bits(void **state)
{
    (void)state;
    static const int counts[] = {1, 2, 3, 8};
    SnSurface *surface = sn_test_torus(32);
    SnCellBody body = {.surface = surface, .fn = sn_test_torus_distance};
    for (int apart = 0; apart < 2; ++apart) {
        uint64_t first = 0;
        for (int n = 0; n < SN_COUNT(counts); ++n) {
            SnWorkers *workers = NULL;
            assert_int_equal(sn_workers_create(NULL, NULL, counts[n], &workers, NULL), SINEW_OK);
            SnCellLatticeDef def = cells_along(20, 4);
            def.keep_apart = apart == 1;
            SnCellLattice *lattice = make(&body, &def, workers);
            uint64_t hash = hash_of(lattice);
            first = n == 0 ? hash : first;
            assert_true(hash == first);
            sn_cell_lattice_destroy(lattice, NULL);
            sn_workers_destroy(workers);
        }
    }
    sn_surface_destroy(surface, NULL);
}

static void refuse(const SnCellBody *body, SnCellLatticeDef def, const char *words)
{
    SnCellLattice *lattice = NULL;
    SinewError error;
    assert_int_equal(sn_cell_lattice_create(body, &def, NULL, NULL, &lattice, &error),
                     SINEW_ERROR_ARGUMENT);
    if (strstr(error.text, words) == NULL) {
        fail_msg("\"%s\" does not hold \"%s\"", error.text, words);
    }
    assert_null(lattice);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    SnSurface *surface = sn_test_sphere(8);
    SnCellBody body = {.surface = surface, .fn = sn_test_sphere_distance};
    refuse(&body, (SnCellLatticeDef){.longest_cells = 0, .samples = 4}, "longest_cells is 0");
    refuse(&body, (SnCellLatticeDef){.cell_size = -1.0, .samples = 4}, "cell_size is -1");
    refuse(&body, (SnCellLatticeDef){.cell_size = NAN, .samples = 4}, "cell_size is");
    refuse(&body, (SnCellLatticeDef){.cell_size = 1e-9, .samples = 4}, "too large");
    refuse(&body, (SnCellLatticeDef){.cell_size = 1e-20, .samples = 4}, "cells would be 1e-20 m");
    refuse(&body, (SnCellLatticeDef){.longest_cells = 5, .samples = 17}, "samples is 17");
    refuse(&body, (SnCellLatticeDef){.longest_cells = 5, .samples = 4, .padding = -1},
           "padding is -1");
    surface->triangles[5] = 1000000;
    refuse(&body, cells_along(4, 4), "triangle 1 names vertex 1000000");
    surface->triangles[5] = 3;
    surface->positions[9] = NAN;
    refuse(&body, cells_along(4, 4), "vertex 3 of the surface is at");
    surface->positions[9] = 0.0;
    surface->triangle_count = 0;
    refuse(&body, cells_along(4, 4), "no triangles and no lines");
    sn_surface_destroy(surface, NULL);
    body.surface = NULL;
    refuse(&body, cells_along(4, 4), "cells would be 0 m");
    body.min[1] = 2.0;
    refuse(&body, cells_along(4, 4), "from 2 to 0 m along y");
}

static SinewStatus create_and_destroy(const SinewAllocator *allocator, void *context,
                                      SinewError *error)
{
    SnCellLatticeDef def = cells_along(5, 2);
    def.keep_apart = true;
    SnCellLattice *lattice = NULL;
    SinewStatus status = sn_cell_lattice_create(context, &def, NULL, allocator, &lattice, error);
    assert_true((status == SINEW_OK) == (lattice != NULL));
    sn_cell_lattice_destroy(lattice, allocator);
    if (status == SINEW_OK) {
        def.keep_apart = false;
        status = sn_cell_lattice_create(context, &def, NULL, allocator, &lattice, error);
        sn_cell_lattice_destroy(lattice, allocator);
    }
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    SnSurface *surface = sn_test_sphere(8);
    SnCellBody body = {.surface = surface, .fn = sn_test_sphere_distance};
    assert_int_equal(sn_fail_each_allocation(create_and_destroy, &body), 32);
    sn_surface_destroy(surface, NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(round_bodies_have_their_volume),
    cmocka_unit_test(a_box_in_the_planes_of_the_grid_is_exact),
    cmocka_unit_test(cells_by_size_cover_the_body),
    cmocka_unit_test(a_function_alone_is_enough),
    cmocka_unit_test(open_surfaces_and_lines_are_boundary_alone),
    cmocka_unit_test(plates_closer_than_a_cell_come_apart_when_asked),
    cmocka_unit_test(what_is_connected_stays_connected),
    cmocka_unit_test(any_number_of_workers_gives_the_same_bits),
    cmocka_unit_test(bad_input_is_refused),
    cmocka_unit_test(each_allocation_may_fail),
};
SN_TEST_GROUP(geometry_cell_lattice, tests);

// Sweeps that follow each other through a level, cells with matrices over modes, and how far down
// residuals go.
#include "support/lattice_rig.h"
#include "support/test.h"

#include "base/random.h"
#include "bench/workload_lattice.h"
#include "model/lattice/galerkin.h"
#include "model/lattice/wave.h"

#include <math.h>

enum { SIDE = 11 }; // odd, so that coarse cells are cut

// The cube, bent and squeezed, so that rotations and L are none that are easy.
static void make_bent(const SnKernels *kernels, SinewLatticeElement element, SnLatticeCube *cube)
{
    SnLatticeCubeDef def = {.kernels = kernels,
                            .element = element,
                            .cells = SIDE,
                            .poisson = 0.3,
                            .coarsest_unknowns = 200};
    assert_int_equal(sn_lattice_cube_create(&def, cube, NULL), SINEW_OK);
    SnLatticeMultigrid *m = &cube->multigrid;
    for (int b = 1; b < m->levels[0].grid.node_blocks; ++b) {
        for (int n = 0; n < 16; ++n) {
            double *x = cube->x + 48 * b + n;
            x[16] += 0.3 * x[0] * x[0];
            x[32] += 0.4 * x[16] * x[0];
        }
    }
    assert_int_equal(sn_lattice_multigrid_linearise(m, NULL, cube->x, NULL, NULL), SINEW_OK);
    assert_true(m->level_count >= 3);
    assert_true(m->levels[1].hold.modal_count > 0);
}

static void set_random(const SnLatticeLevel *level, float *to)
{
    SnRandom random = {3};
    for (int i = 0; i < sn_lattice_grid_numbers(&level->grid); ++i) {
        float value = (float)sn_random_between(&random, -1.0, 1.0);
        to[i] = level->d_inverse[i] != 0.0f ? value : 0.0f;
    }
}

static const SnLatticeStage STAGES[] = {
    {SN_LATTICE_FROM_ZERO, 0.0f, 0.4f}, {SN_LATTICE_SWEEP, 0.2f, 0.5f},
    {SN_LATTICE_SWEEP, 0.3f, 0.3f},     {SN_LATTICE_SWEEP, 0.1f, 0.4f},
    {SN_LATTICE_SWEEP, 0.0f, 0.7f},     {SN_LATTICE_SWEEP, 0.1f, 0.2f},
    {SN_LATTICE_RESIDUAL, 0.0f, 0.0f}};

static void waves_have_the_bits_of_single_sweeps(void **state)
{
    (void)state;
    SnLatticeCube cube;
    const SnKernels *kernels;
    assert_int_equal(sn_kernels_pick(SN_FAST_BITS, &kernels, NULL), SINEW_OK);
    make_bent(kernels, SINEW_LATTICE_WILSON, &cube);
    for (int pass = 0; pass < 4; ++pass) {
        SnLatticeLevel *level = &cube.multigrid.levels[pass / 2];
        size_t size = (size_t)sn_lattice_grid_numbers(&level->grid) * sizeof(float);
        float *x = sn_alloc(NULL, size, 1), *y = sn_alloc(NULL, size, 1);
        level->has_inertia = pass % 2;
        set_random(level, level->b);
        for (size_t i = 0; i < size / sizeof *x / 3; ++i) {
            level->inertia[i] = 10.0f;
        }
        // By five workers no four sweeps are shared: one whole sweep after the other.
        for (int workers = 5; workers >= 1; --workers) {
            SnWorkers *pool;
            assert_int_equal(sn_workers_create(NULL, NULL, workers, &pool, NULL), SINEW_OK);
            sn_lattice_level_sweep(level, pool, STAGES, SN_COUNT(STAGES));
            if (workers == 5) {
                memcpy(x, level->x, size);
                memcpy(y, level->y, size);
                assert_true(sn_lattice_level_dot(level, NULL, x, x) > 0.0);
            }
            assert_memory_equal(x, level->x, size);
            assert_memory_equal(y, level->y, size);
            sn_workers_destroy(pool);
        }
        sn_free(NULL, x);
        sn_free(NULL, y);
    }
    sn_lattice_cube_release(&cube);
}

// Trilinear interpolation in the parent to corner `a` of child `c`.
static double weight_of(int parent_corner, int c, int a)
{
    double w = 1.0;
    for (int k = 0; k < 3; ++k) {
        double place = 0.5 * ((c >> k & 1) + (a >> k & 1));
        w *= parent_corner >> k & 1 ? place : 1.0 - place;
    }
    return w;
}

// The Galerkin matrix of a coarse cell that no pin touches, by its definition.
static void galerkin(const SnLatticeLevel *fine, const int at[3], double K[576])
{
    memset(K, 0, 576 * sizeof *K);
    for (int c = 0; c < 8; ++c) {
        double T[24][24] = {{0.0}}, child[576];
        int cell = sn_lattice_grid_cell(&fine->grid, 2 * at[0] + (c >> 2 & 1),
                                        2 * at[1] + (c >> 1 & 1), 2 * at[2] + (c & 1));
        if (cell < 0) {
            continue;
        }
        sn_lattice_level_matrix(fine, cell, child);
        for (int n = 0; n < 192; ++n) {
            int a = n / 24, b = n / 3 % 8, k = n % 3;
            T[3 * a + k][3 * b + k] = weight_of(b, c, a);
        }
        for (int n = 0; n < 576; ++n) {
            for (int m = 0; m < 576; ++m) {
                K[n] += T[m / 24][n / 24] * child[m] * T[m % 24][n % 24];
            }
        }
    }
}

// Cells with matrices over modes on the first coarse level, where the cells below have none.
static void matrices_over_modes_are_galerkins(void **state)
{
    (void)state;
    for (int element = 0; element < 2; ++element) {
        SnLatticeCube cube;
        make_bent(sn_kernels_of(SN_ISA_REF, SN_PORTABLE_BITS), (SinewLatticeElement)element, &cube);
        const SnLatticeLevel *level = &cube.multigrid.levels[1];
        const SnLatticeModal *modal = &level->hold.modals[0];
        for (int lane = 0; lane < modal->count; ++lane) {
            double K[576], want[576], largest = 0.0;
            int cell = modal->cells[lane];
            const int *block = level->grid.places + 3 * (cell / 16);
            int at[3] = {block[0], block[1], block[2] + cell % 16};
            SnLatticeMade made = {.has = false};
            sn_lattice_galerkin_matrix(level, cell, &made, K);
            galerkin(&cube.multigrid.levels[0], at, want);
            for (int n = 0; n < 576; ++n) {
                largest = fmax(largest, fabs(want[n]));
            }
            for (int n = 0; n < 576; ++n) {
                // Float sums of eight children's numbers of either sign.
                assert_at_most(fabs(K[n] - want[n]), 2e-6 * largest);
            }
        }
        sn_lattice_cube_release(&cube);
    }
}

// Products and diagonals of all levels against their cells' matrices in double.
static void check_products(const SnLatticeLevel *level, float *v, float *y)
{
    const SnLatticeGrid *grid = &level->grid;
    size_t numbers = (size_t)sn_lattice_grid_numbers(grid);
    double *want = sn_alloc_zero(NULL, 2 * numbers, sizeof *want), largest = 0.0;
    SnLatticeMade made = {.has = false};
    set_random(level, v);
    sn_lattice_level_apply(level, NULL, false, v, y);
    for (int cell = 0; cell < grid->cell_blocks * 16; ++cell) {
        const int *at = grid->places + 3 * (cell / 16);
        double K[576];
        int corners[8];
        if (!(grid->masks[cell / 16] >> cell % 16 & 1)) {
            continue;
        }
        sn_lattice_galerkin_matrix(level, cell, &made, K);
        sn_lattice_grid_corners(grid, at[0], at[1], at[2] + cell % 16, corners);
        for (int n = 0; n < 576; ++n) {
            int row = corners[n / 72] + 16 * (n / 24 % 3),
                column = corners[n % 24 / 3] + 16 * (n % 3);
            want[row] += K[n] * (double)v[column];
            want[numbers + (size_t)row] += n / 24 == n % 24 ? K[n] : 0.0;
            largest = fmax(largest, fabs(want[row]));
        }
    }
    for (size_t i = 48; i < numbers; ++i) {
        // Some hundred float operations.
        assert_at_most(fabs((double)y[i] - want[i]), 1e-5 * largest);
        double d = (double)level->d_inverse[i] * want[numbers + i];
        assert_at_most(level->d_inverse[i] != 0.0f ? fabs(d - 1.0) : 0.0, 1e-5);
    }
    sn_free(NULL, want);
}

static void coarse_levels_agree_with_single_cells(void **state)
{
    (void)state;
    enum { NUMBERS_MAX = 48 * 400 };
    _Alignas(64) static float v[NUMBERS_MAX], y[NUMBERS_MAX], ref[2][NUMBERS_MAX];
    // The reference first: portable kernels have its bits.
    for (int isa = SN_ISA_REF, done = 0; done < SN_ISA_COUNT; ++done, isa = done) {
        for (int pass = 0; pass < 4 && sn_isa_runs((SnIsa)isa); ++pass) {
            SnLatticeCube cube;
            SnDeterminism bits = pass < 2 ? SN_FAST_BITS : SN_PORTABLE_BITS;
            make_bent(sn_kernels_of((SnIsa)isa, bits), (SinewLatticeElement)(pass % 2), &cube);
            assert_true(sn_lattice_grid_numbers(&cube.multigrid.levels[1].grid) <= NUMBERS_MAX);
            memset(y, 0, sizeof y);
            check_products(&cube.multigrid.levels[2], v, y);
            memset(y, 0, sizeof y);
            check_products(&cube.multigrid.levels[1], v, y);
            if (isa == SN_ISA_REF && bits == SN_PORTABLE_BITS) {
                memcpy(ref[pass % 2], y, sizeof y);
            } else if (bits == SN_PORTABLE_BITS) {
                assert_memory_equal(y, ref[pass % 2], sizeof y);
            }
            sn_lattice_cube_release(&cube);
        }
    }
}

// Levels and vectors are in float, positions and residuals in double.
static void static_solves_reach_1e_8(void **state)
{
    (void)state;
    SinewLatticeDef options = sinew_body_def_default().lattice;
    for (int pass = 0; pass < 4; ++pass) {
        LatticeRig rig;
        SinewError error;
        options.element = pass % 2 ? SINEW_LATTICE_MCADAMS : SINEW_LATTICE_WILSON;
        lattice_rig_make(&rig, (int[]){12, 6, 6}, pass < 2 ? 0.3 : 0.45, &options);
        assert_int_equal(lattice_rig_twist(&rig, 1.5, 1e-8, &error), SINEW_OK);
        assert_at_most(rig.report.residual, 1e-8);
        lattice_rig_release(&rig);
    }
}

// All levels of a cube, with room for whatever its number of workers needs.
static void levels_take_few_bytes(void **state)
{
    (void)state;
    SnLatticeCube cube;
    SnLatticeCubeDef def = {.cells = 64, .poisson = 0.3};
    assert_int_equal(sn_kernels_pick(SN_FAST_BITS, &def.kernels, NULL), SINEW_OK);
    assert_int_equal(sn_lattice_cube_create(&def, &cube, NULL), SINEW_OK);
    assert_at_most((double)cube.tally.now / (64.0 * 64.0 * 64.0), 250.0);
    sn_lattice_cube_release(&cube);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(waves_have_the_bits_of_single_sweeps),
    cmocka_unit_test(matrices_over_modes_are_galerkins),
    cmocka_unit_test(coarse_levels_agree_with_single_cells),
    cmocka_unit_test(static_solves_reach_1e_8),
    cmocka_unit_test(levels_take_few_bytes),
};

SN_TEST_GROUP(model_lattice_wave, tests);

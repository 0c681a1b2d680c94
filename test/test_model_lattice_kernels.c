// Kernels of the lattice on every instruction set, on a grid with holes and tails, against single
// cells in double; and portable ones against the reference, bit for bit.
#include "support/test.h"

#include "base/random.h"
#include "model/lattice/multigrid.h"

#include <math.h>

enum { SX = 3, SY = 4, SZ = 37, NUMBERS_MAX = 48 * 100 };

typedef struct Made {
    SnLatticeMultigrid m;
    _Alignas(64) double x[NUMBERS_MAX];
    _Alignas(64) double lame[2 * 16 * 60];
    _Alignas(64) float v[NUMBERS_MAX];
} Made;

static Made *make(const SnKernels *kernels, int element)
{
    Made *made = sn_alloc_zero(NULL, 1, sizeof *made);
    SnRandom random = {9};
    int size[3] = {SX, SY, SZ};
    uint16_t masks[SX * SY * (SZ / 16 + 1)];
    SnLatticeGrid grid;
    for (int r = 0; r < SN_COUNT(masks); ++r) {
        int b = r % (SZ / 16 + 1);
        masks[r] = (uint16_t)(sn_random_between(&random, 0.0, 65536.0));
        masks[r] = (uint16_t)(r % 7 == 3 ? 0 : masks[r] | (r % 2 ? 0x8000 : 0));
        masks[r] = (uint16_t)(b == 2 ? masks[r] & 0x1f : masks[r]);
    }
    assert_int_equal(sn_lattice_grid_create(size, 0.5, masks, NULL, &grid, NULL), SINEW_OK);
    SnLatticeMultigridDef def = {.kernels = kernels,
                                 .element = (SinewLatticeElement)element,
                                 .coarsest_unknowns = 100000,
                                 .poisson = 0.3,
                                 .worker_count = 1};
    assert_int_equal(sn_lattice_multigrid_create(&def, &grid, NULL, &made->m, NULL), SINEW_OK);
    SnLatticeLevel *level = &made->m.levels[0];
    assert_true(sn_lattice_grid_numbers(&level->grid) <= NUMBERS_MAX);
    unsigned char *held = sn_alloc_zero(NULL, NUMBERS_MAX, 1);
    assert_int_equal(sn_lattice_multigrid_hold(&made->m, held, NULL, NULL), SINEW_OK);
    for (int b = 0; b < level->grid.cell_blocks; ++b) {
        for (int n = 0; n < 16; ++n) {
            if (level->grid.masks[b] >> n & 1) {
                made->lame[32 * b + n] = 400.0 + n;
                made->lame[32 * b + 16 + n] = 600.0 - 3.0 * n;
            }
            level->lame[32 * b + n] = (float)(made->lame[32 * b + n] * 0.5 / 16.0);
            level->lame[32 * b + 16 + n] = (float)(made->lame[32 * b + 16 + n] * 0.5 / 16.0);
        }
    }
    for (int i = 0; i <= SX; ++i) {
        for (int j = 0; j <= SY; ++j) {
            for (int k = 0; k <= SZ; ++k) {
                int at = sn_lattice_grid_node(&level->grid, i, j, k);
                double X[3] = {0.5 * i, 0.5 * j, 0.5 * k};
                for (int c = 0; c < 3 && at >= 48; ++c) {
                    made->x[at + 16 * c] =
                        X[(c + 1) % 3] + 0.3 * X[c] + sn_random_between(&random, -0.1, 0.1);
                    made->v[at + 16 * c] = (float)sn_random_between(&random, -1.0, 1.0);
                }
            }
        }
    }
    sn_lattice_level_linearise(level, NULL, made->x);
    return made;
}

static void destroy(Made *made)
{
    sn_lattice_multigrid_release(&made->m, NULL);
    sn_free(NULL, made);
}

// What a product, a diagonal and forces should be, cell by cell.
static void expect(const Made *made, double *product, double *diagonal, double *force,
                   double *out_energy)
{
    const SnLatticeLevel *level = &made->m.levels[0];
    const SnLatticeGrid *grid = &level->grid;
    *out_energy = 0.0;
    for (int b = 0; b < grid->cell_blocks * 16; ++b) {
        const int *at = grid->places + 3 * (b / 16);
        double K[576], x[24], f[24];
        int corners[8];
        SnCell cell = {.element = level->element,
                       .h = 0.5,
                       .mu = made->lame[32 * (b / 16) + b % 16],
                       .lambda = made->lame[32 * (b / 16) + 16 + b % 16],
                       .hourglass = 1.0};
        if (!(grid->masks[b / 16] >> b % 16 & 1)) {
            continue;
        }
        sn_lattice_grid_corners(grid, at[0], at[1], at[2] + b % 16, corners);
        sn_lattice_level_matrix(level, b, K);
        for (int n = 0; n < 24; ++n) {
            x[n] = made->x[corners[n / 3] + 16 * (n % 3)];
        }
        *out_energy += sn_cell_energy(&cell, x, f);
        for (int n = 0; n < 24; ++n) {
            int to = corners[n / 3] + 16 * (n % 3);
            force[to] += f[n];
            diagonal[to] += K[25 * n];
            for (int m = 0; m < 24; ++m) {
                product[to] += K[24 * n + m] * (double)made->v[corners[m / 3] + 16 * (m % 3)];
            }
        }
    }
}

static void check(const SnKernels *kernels, int element, float *out)
{
    Made *made = make(kernels, element);
    SnLatticeLevel *level = &made->m.levels[0];
    int count = sn_lattice_grid_numbers(&level->grid);
    double *want = sn_alloc_zero(NULL, 4 * (size_t)NUMBERS_MAX, sizeof *want), energy;
    _Alignas(64) double energies[60];
    double *force = want + 3 * NUMBERS_MAX;
    _Alignas(64) float dets[16 * 60];
    SnLatticeState state = {made->lame, made->x, force, energies, dets, .linearises = false};
    expect(made, want, want + NUMBERS_MAX, want + 2 * NUMBERS_MAX, &energy);
    sn_lattice_level_apply(level, NULL, false, made->v, out);
    sn_lattice_level_invert_diagonal(level, NULL);
    double found = sn_lattice_level_force(level, NULL, &state);
    assert_at_most(fabs(found - energy), 1e-11 * energy);
    for (int i = 48; i < count; ++i) {
        // Stiffnesses are of the order 1e3, float has 6e-8 of it in some hundred operations.
        assert_at_most(fabs((double)out[i] - want[i]), 4e-3);
        double d = want[NUMBERS_MAX + i];
        assert_at_most(d > 0.0 ? fabs((double)level->d_inverse[i] * d - 1.0) : 0.0, 1e-5);
        // Double throughout; cells near a kink of the rotation lose some digits.
        assert_at_most(fabs(force[i] - want[2 * NUMBERS_MAX + i]), 1e-8);
    }
    sn_free(NULL, want);
    destroy(made);
}

static void kernels_agree_with_single_cells(void **state)
{
    (void)state;
    for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
        for (int pass = 0; pass < 4 && sn_isa_runs((SnIsa)isa); ++pass) {
            _Alignas(64) static float out[NUMBERS_MAX], ref[NUMBERS_MAX];
            SnDeterminism bits = pass < 2 ? SN_FAST_BITS : SN_PORTABLE_BITS;
            check(sn_kernels_of((SnIsa)isa, bits), pass % 2, out);
            if (bits == SN_PORTABLE_BITS) {
                check(sn_kernels_of(SN_ISA_REF, bits), pass % 2, ref);
                assert_memory_equal(out, ref, sizeof out);
            }
        }
    }
}

// Energy of the grid at rest after every place X moved by t A X.
static double energy_after(Made *made, const double A[9], double t, double *out_move)
{
    SnLatticeLevel *level = &made->m.levels[0];
    _Alignas(64) static double force[NUMBERS_MAX], energies[60];
    _Alignas(64) static float dets[16 * 60];
    SnLatticeState state = {made->lame, made->x, force, energies, dets, .linearises = t == 0.0};
    for (int n = 0; n < (SX + 1) * (SY + 1) * (SZ + 1); ++n) {
        int place[3] = {n / ((SY + 1) * (SZ + 1)), n / (SZ + 1) % (SY + 1), n % (SZ + 1)};
        int at = sn_lattice_grid_node(&level->grid, place[0], place[1], place[2]);
        for (int c = 0; c < 3 && at >= 48; ++c) {
            double move =
                0.5 * (A[3 * c] * place[0] + A[3 * c + 1] * place[1] + A[3 * c + 2] * place[2]);
            out_move[at + 16 * c] = move;
            made->x[at + 16 * c] = 0.5 * place[c] + t * move;
        }
    }
    return sn_lattice_level_force(level, NULL, &state);
}

static void turning_moves_raise_the_energy_as_foreseen(void **state)
{
    (void)state;
    const double spin[9] = {0.0, -0.7, 0.4, 0.7, 0.0, -0.9, -0.4, 0.9, 0.0};
    const double both[9] = {0.5, -0.6, 0.2, 0.8, -0.2, -0.8, -0.6, 1.0, 0.7};
    _Alignas(64) static double move[NUMBERS_MAX];
    double t = 1e-2;
    for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
        for (int pass = 0; pass < 2 && sn_isa_runs((SnIsa)isa); ++pass) {
            Made *made = make(sn_kernels_of((SnIsa)isa, SN_FAST_BITS), pass);
            double rise[2];
            energy_after(made, spin, 0.0, move);
            sn_lattice_level_rise(&made->m.levels[0], NULL, move, rise);
            // Without stretch there is nothing below t^4; the next term is t^2 of it.
            double quartic = energy_after(made, spin, t, move) / (t * t * t * t);
            assert_at_most(fabs(rise[1] / quartic - 1.0), 1e-3);
            assert_at_most(fabs(rise[0]), 1e-5 * quartic);
            energy_after(made, both, 0.0, move);
            sn_lattice_level_rise(&made->m.levels[0], NULL, move, rise);
            double cubic =
                0.5 * (energy_after(made, both, t, move) - energy_after(made, both, -t, move)) /
                (t * t * t);
            assert_at_most(fabs(rise[0] / cubic - 1.0), 1e-3);
            destroy(made);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(kernels_agree_with_single_cells),
    cmocka_unit_test(turning_moves_raise_the_energy_as_foreseen),
};

SN_TEST_GROUP(model_lattice_kernels, tests);

#include "model/lattice/multigrid.h"

#include "base/random.h"
#include "model/lattice/galerkin.h"
#include "model/lattice/hold.h"
#include "model/lattice/transfer.h"

#include <math.h>
#include <string.h>

enum {
    COARSEST_UNKNOWNS = 2600, // a factorisation of some milliseconds
    EAGER_UNKNOWNS = 600,     // and down to these while the body fills the next level's cells
    FLOAT_LEVELS = 2,         // bodies of more spend little of a step in the coarsest
    POWER_ITERATIONS = 20
};

// How full that is. Limbs as thick as a cell fill less, and need the larger matrix.
#define EAGER_FILL 0.68

// Radians by which cells may turn before coarse levels are linearised again. A figure that falls
// over needs a third fewer factorisations than with 0.1, and 2 % more iterations.
#define TURN_KEPT 0.2

// What power iteration falls short of.
#define EIGENVALUE_MARGIN 1.05

// Hourglass stiffness of `mcadams` on coarse levels, where the cells' own is too stiff.
static const float COARSE_HOURGLASS[4] = {1.0f, 0.4f, 0.25f, 0.2f};

// Making -----------------------------------------------------------------------------------------

static SnLatticeSmoother smoother_of(SinewLatticeSmoother kind, double poisson)
{
    if (kind == SINEW_LATTICE_JACOBI) {
        return (SnLatticeSmoother){.degree = 5, .reach = 8.0, .jacobi = true, .damping = 0.8};
    }
    if (poisson <= 0.4) {
        return (SnLatticeSmoother){.degree = 2, .reach = 8.0};
    }
    if (poisson <= 0.47) {
        return (SnLatticeSmoother){.degree = 3, .reach = 15.0};
    }
    return (SnLatticeSmoother){.degree = 5, .reach = 25.0};
}

static int count_unknowns(const SnLatticeGrid *grid)
{
    // Nodes of full rows are about as many as cells; thin parts have up to eight times as many.
    int count = 0;
    for (int i = 0; i <= grid->size[0]; ++i) {
        for (int j = 0; j <= grid->size[1]; ++j) {
            for (int k = 0; k <= grid->size[2]; ++k) {
                bool used = false;
                for (int c = 0; c < 8; ++c) {
                    used = used || sn_lattice_grid_cell(grid, i - (c >> 2 & 1), j - (c >> 1 & 1),
                                                        k - (c & 1)) >= 0;
                }
                count += used ? 3 : 0;
            }
        }
    }
    return count;
}

static bool is_coarsest(const SnLatticeGrid *grid, int unknowns_max)
{
    int longest = 0;
    for (int k = 0; k < 3; ++k) {
        longest = grid->size[k] > longest ? grid->size[k] : longest;
    }
    return longest <= 1 ||
           (grid->cell_count <= unknowns_max && count_unknowns(grid) <= unknowns_max);
}

// Whether the coarser grid of two is to be made a level.
static bool is_wanted(const SnLatticeGrid *fine, const SnLatticeGrid *coarse, int limit)
{
    double fill = fine->cell_count / (8.0 * coarse->cell_count);
    return !is_coarsest(fine, limit) ||
           (limit > EAGER_UNKNOWNS && !is_coarsest(fine, EAGER_UNKNOWNS) && fill >= EAGER_FILL);
}

static SinewStatus make_levels(SnLatticeMultigrid *m, const SnLatticeMultigridDef *def,
                               const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int limit = def->coarsest_unknowns > 0 ? def->coarsest_unknowns : COARSEST_UNKNOWNS;

    for (int l = 0; l < m->level_count; ++l) {
        SnLatticeLevel *level = &m->levels[l];
        level->index = l;
        level->kernels = def->kernels->lattice;
        level->rotations = def->kernels->rotation_svd;
        level->element = def->element;
        level->differential = def->differential;
        level->corrects = def->corrects;
        level->hourglass =
            def->element == SINEW_LATTICE_NAIVE ? 0.0f : COARSE_HOURGLASS[l < 3 ? l : 3];
        SN_TRY(sn_lattice_level_create(level, allocator, error));
        if (l + 1 < SN_LATTICE_LEVELS_MAX && !is_coarsest(&level->grid, 0)) {
            SnLatticeLevel *next = &m->levels[l + 1];
            SN_TRY(sn_lattice_grid_coarsen(&level->grid, allocator, &next->grid, error));
            if (!is_wanted(&level->grid, &next->grid, limit)) {
                sn_lattice_grid_release(&next->grid, allocator);
                break;
            }
            m->level_count += 1;
            size_t line = sn_lattice_line_size(&level->grid, &next->grid);
            m->line_size = line > m->line_size ? line : m->line_size;
        }
    }

done:
    return status;
}

// Vectors over the finest level, and scratch.
static SinewStatus make_vectors(SnLatticeMultigrid *m, const SinewAllocator *allocator,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLatticeLevel *fine = &m->levels[0];
    size_t numbers = (size_t)sn_lattice_grid_numbers(&fine->grid);
    if (m->level_count == 1) {
        SN_ALLOC_ZERO(fine->R_kept, allocator,
                      9 * (size_t)fine->grid.cell_blocks * SN_LATTICE_BLOCK, error);
    }
    SN_ALLOC_ZERO(m->lines, allocator, m->line_size * (size_t)m->worker_count, error);
    SN_ALLOC_ZERO(m->direction, allocator, numbers, error);
    m->product = fine->y;
    SN_ALLOC_ZERO(m->solution, allocator, numbers, error);

done:
    return status;
}

SinewStatus sn_lattice_multigrid_create(const SnLatticeMultigridDef *def, SnLatticeGrid *grid,
                                        const SinewAllocator *allocator,
                                        SnLatticeMultigrid *out_multigrid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLatticeMultigrid *m = out_multigrid;

    *m = (SnLatticeMultigrid){.level_count = 1,
                              .worker_count = def->worker_count,
                              .smoother = smoother_of(def->smoother, def->poisson)};
    m->levels[0].grid = *grid;
    *grid = (SnLatticeGrid){0};
    SN_TRY(make_levels(m, def, allocator, error));
    SN_TRY(sn_lattice_coarsest_create(&m->levels[m->level_count - 1].grid,
                                      m->level_count <= FLOAT_LEVELS, def->kernels,
                                      def->worker_count, allocator, &m->coarsest, error));
    SN_TRY(make_vectors(m, allocator, error));

done:
    return status;
}

SinewStatus sn_lattice_multigrid_copy(const SnLatticeMultigrid *from,
                                      const SinewAllocator *allocator,
                                      SnLatticeMultigrid *out_multigrid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLatticeMultigrid *m = out_multigrid;
    *m = (SnLatticeMultigrid){.level_count = from->level_count,
                              .smoother = from->smoother,
                              .worker_count = from->worker_count,
                              .line_size = from->line_size};
    for (int l = 0; l < from->level_count; ++l) {
        SN_TRY(sn_lattice_level_copy(&from->levels[l], allocator, &m->levels[l], error));
    }
    SN_TRY(sn_lattice_coarsest_copy(&from->coarsest, from->worker_count, allocator, &m->coarsest,
                                    error));
    SN_TRY(make_vectors(m, allocator, error));

done:
    return status;
}

void sn_lattice_multigrid_shrink(SnLatticeMultigrid *m, const SinewAllocator *allocator)
{
    for (int l = 0; l < m->level_count; ++l) {
        sn_lattice_level_shrink(&m->levels[l], allocator);
    }
    sn_lattice_coarsest_shrink(&m->coarsest, allocator);
    sn_free(allocator, m->lines);
    sn_free(allocator, m->direction);
    sn_free(allocator, m->solution);
    m->lines = m->direction = m->solution = m->product = NULL;
}

void sn_lattice_multigrid_release(SnLatticeMultigrid *m, const SinewAllocator *allocator)
{
    for (int l = 0; l < SN_LATTICE_LEVELS_MAX; ++l) {
        sn_lattice_level_release(&m->levels[l], allocator);
    }
    sn_lattice_coarsest_release(&m->coarsest, allocator);
    sn_free(allocator, m->lines);
    sn_free(allocator, m->direction);
    sn_free(allocator, m->solution);
    *m = (SnLatticeMultigrid){0};
}

SinewStatus sn_lattice_multigrid_mix(SnLatticeMultigrid *m, const SinewAllocator *allocator,
                                     SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int l = 1; l < m->level_count; ++l) {
        SnLatticeLevel *level = &m->levels[l];
        SN_ALLOC_ZERO(level->mixed, allocator, level->grid.cell_blocks * SN_LATTICE_BLOCK, error);
        sn_lattice_hold_mix(&m->levels[l - 1], level);
    }

done:
    return status;
}

void sn_lattice_multigrid_lame(SnLatticeMultigrid *m)
{
    for (int l = 1; l < m->level_count; ++l) {
        sn_lattice_hold_lame(&m->levels[l - 1], &m->levels[l]);
    }
}

// Takes other holds and gives back those that were.
static void take_holds(SnLatticeMultigrid *m, SnLatticeHold *holds)
{
    for (int l = 0; l < m->level_count; ++l) {
        SnLatticeHold old = m->levels[l].hold;
        m->levels[l].hold = holds[l];
        holds[l] = old;
        if (l > 0) {
            sn_lattice_hold_lame(&m->levels[l - 1], &m->levels[l]);
        }
    }
}

SinewStatus sn_lattice_multigrid_hold(SnLatticeMultigrid *m, unsigned char *held,
                                      const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLatticeHold holds[SN_LATTICE_LEVELS_MAX] = {{.held = held}};
    SN_ALLOC_ZERO(holds[0].cut_start, allocator, m->levels[0].grid.size[0] + 1, error);
    for (int l = 1; l < m->level_count; ++l) {
        SN_TRY(sn_lattice_hold_coarsen(&m->levels[l - 1].grid, &holds[l - 1], &m->levels[l],
                                       allocator, &holds[l], error));
    }
    take_holds(m, holds);

done:
    if (status < 0) {
        holds[0].held = NULL; // still the caller's
    }
    for (int l = 0; l < m->level_count; ++l) {
        sn_lattice_hold_release(&holds[l], allocator);
    }
    return status;
}

SinewStatus sn_lattice_multigrid_let_go(SnLatticeMultigrid *m, const SnLatticeMultigrid *from,
                                        const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLatticeHold holds[SN_LATTICE_LEVELS_MAX] = {{0}};
    for (int l = 0; l < m->level_count; ++l) {
        SN_TRY(sn_lattice_hold_lend(&from->levels[l].hold, allocator, &holds[l], error));
    }
    take_holds(m, holds);

done:
    for (int l = 0; l < m->level_count; ++l) {
        sn_lattice_hold_release(&holds[l], allocator);
    }
    return status;
}

// Linearising ------------------------------------------------------------------------------------

// From F, R and L of the finest level.
static void linearise_coarse(SnLatticeMultigrid *m, SnWorkers *workers)
{
    sn_lattice_level_invert_diagonal(&m->levels[0], workers);
    for (int l = 1; l < m->level_count; ++l) {
        SnLatticeLevel *level = &m->levels[l];
        sn_lattice_level_average(level, &m->levels[l - 1], workers);
        sn_lattice_galerkin_make(&m->levels[l - 1], level, workers);
        sn_lattice_level_invert_diagonal(level, workers);
    }
    m->turned = 0.0;
}

// Where F was: b is zero where nothing is, and so is node block 0 of y. The rest of y, and p, are
// written before they are read.
static void clear_vectors(SnLatticeMultigrid *m, int level_count)
{
    for (int l = 0; l < level_count; ++l) {
        SnLatticeLevel *level = &m->levels[l];
        size_t numbers = (size_t)sn_lattice_grid_numbers(&level->grid);
        memset(level->b, 0, (numbers + SN_LATTICE_NODE) * sizeof *level->b);
    }
}

static void linearise(SnLatticeMultigrid *m, SnWorkers *workers, const double *x)
{
    sn_lattice_level_linearise(&m->levels[0], workers, x);
    linearise_coarse(m, workers);
    clear_vectors(m, m->level_count);
}

// The growth of a vector under D^-1 K.
static double find_eigenvalue(SnLatticeLevel *level, SnWorkers *workers)
{
    int count = sn_lattice_grid_numbers(&level->grid);
    SnRandom random = {(uint64_t)level->index + 7};
    double growth = 1.0;
    for (int i = 0; i < count; ++i) {
        level->x[i] =
            level->d_inverse[i] != 0.0f ? (float)sn_random_between(&random, -1.0, 1.0) : 0.0f;
    }
    for (int n = 0; n < POWER_ITERATIONS; ++n) {
        double before = sqrt(sn_lattice_level_dot(level, workers, level->x, level->x));
        if (!(before > 0.0)) {
            return 1.0; // nothing is free
        }
        sn_lattice_level_apply(level, workers, false, level->x, level->y);
        float scale = (float)(1.0 / before);
        for (int i = 0; i < count; ++i) {
            level->x[i] = scale * level->d_inverse[i] * level->y[i];
        }
        growth = sqrt(sn_lattice_level_dot(level, workers, level->x, level->x));
    }
    return growth > 0.1 ? growth : 1.0;
}

void sn_lattice_multigrid_measure(SnLatticeMultigrid *m, SnWorkers *workers, const double *x)
{
    for (int l = 0; l < m->level_count; ++l) {
        m->levels[l].has_inertia = false;
        m->levels[l].springs = NULL;
    }
    linearise(m, workers, x);
    for (int l = 0; l + 1 < m->level_count; ++l) {
        SnLatticeLevel *level = &m->levels[l];
        level->hold.lambda_max = EIGENVALUE_MARGIN * find_eigenvalue(level, workers);
    }
}

void sn_lattice_multigrid_inertia(SnLatticeMultigrid *m, bool has_inertia)
{
    for (int l = 0; l < m->level_count; ++l) {
        m->levels[l].has_inertia = has_inertia;
        if (has_inertia && l > 0) {
            sn_lattice_restrict_scalar(&m->levels[l - 1], &m->levels[l], m->levels[l - 1].inertia,
                                       m->levels[l].inertia);
        }
    }
}

// Springs of the levels that are smoothed. The coarsest has those of its factor; where it is the
// only level, products have them too.
static void set_springs(SnLatticeMultigrid *m, const SnLatticeSprings *springs)
{
    int last = m->level_count - 1;
    for (int l = 0; l <= last; ++l) {
        bool takes = l == 0 || l < last || m->coarsest.springs.numbers == NULL;
        m->levels[l].springs = takes ? springs : NULL;
    }
}

// The factor, which depends on the level and on springs that are joined by cell, so that it can be
// made again from a state.
static SinewStatus factor(SnLatticeMultigrid *m, SnWorkers *workers, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLatticeLevel *last = &m->levels[m->level_count - 1];
    SN_TRY(sn_lattice_coarsest_factor(&m->coarsest, last, workers, error));
    if (last->R_kept != NULL) {
        memcpy(last->R_kept, last->R,
               9 * (size_t)last->grid.cell_blocks * SN_LATTICE_BLOCK * sizeof *last->R);
    }

done:
    return status;
}

SinewStatus sn_lattice_multigrid_linearise(SnLatticeMultigrid *m, SnWorkers *workers,
                                           const double *x, const SnLatticeSprings *springs,
                                           SinewError *error)
{
    set_springs(m, springs);
    linearise(m, workers, x);
    return factor(m, workers, error);
}

SinewStatus sn_lattice_multigrid_renew(SnLatticeMultigrid *m, SnWorkers *workers, const double *x,
                                       const SnLatticeSprings *springs, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    bool joined = m->coarsest.springs.numbers != NULL;

    set_springs(m, joined ? NULL : springs);
    sn_lattice_level_gradients(&m->levels[0], workers, x);
    linearise_coarse(m, workers);
    clear_vectors(m, m->level_count);
    SN_TRY(factor(m, workers, error));
    if (joined && springs != NULL) {
        sn_lattice_multigrid_follow(m, workers, springs);
    }

done:
    return status;
}

void sn_lattice_multigrid_follow(SnLatticeMultigrid *m, SnWorkers *workers,
                                 const SnLatticeSprings *springs)
{
    bool had = m->levels[0].springs != NULL;
    set_springs(m, springs);
    sn_lattice_level_invert_diagonal(&m->levels[0], workers);
    for (int l = 1; l + 1 < m->level_count && (had || springs != NULL); ++l) {
        sn_lattice_level_invert_diagonal(&m->levels[l], workers);
    }
}

bool sn_lattice_multigrid_fits(SnLatticeMultigrid *m)
{
    if (m->level_count == 1 && m->turned < INFINITY) {
        m->turned = sn_lattice_level_compare_kept(&m->levels[0]);
    }
    return m->turned <= TURN_KEPT;
}

void sn_lattice_multigrid_compare(SnLatticeMultigrid *m, SnWorkers *workers, const double *x)
{
    if (m->level_count == 1) {
        m->turned = sn_lattice_level_compare_kept(&m->levels[0]);
        clear_vectors(m, 1);
        return;
    }
    sn_lattice_level_gradients(&m->levels[0], workers, x);
    m->turned = sn_lattice_level_compare(&m->levels[1], &m->levels[0], workers);
    clear_vectors(m, 2);
}

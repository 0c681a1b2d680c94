#include "bench/workload_lattice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Memory -----------------------------------------------------------------------------------------

static void *tally_allocate(void *context, size_t size, size_t alignment)
{
    SnBenchTally *tally = context;
    tally->now += size;
    tally->most = tally->now > tally->most ? tally->now : tally->most;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void tally_release(void *context, void *memory, size_t size)
{
    ((SnBenchTally *)context)->now -= size;
    free(memory);
}

SinewAllocator sn_bench_tally_allocator(SnBenchTally *tally)
{
    return (SinewAllocator){tally_allocate, tally_release, tally};
}

SinewStatus sn_lattice_count_bytes(const SnLatticeMultigrid *like, const SnLatticeMultigridDef *def,
                                   size_t *out_bytes, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnLatticeGrid *grid = &like->levels[0].grid;
    size_t numbers = (size_t)sn_lattice_grid_numbers(grid);
    size_t rows = (size_t)grid->size[0] * (size_t)grid->size[1] * (size_t)grid->row_blocks;
    SnBenchTally tally = {0};
    SinewAllocator allocator = sn_bench_tally_allocator(&tally);
    SnLatticeMultigrid copy = {0};
    SnLatticeGrid own = {0};
    uint16_t *masks = NULL;
    unsigned char *held = NULL;

    SN_ALLOC_ZERO(masks, NULL, rows, error);
    for (size_t r = 0; r < rows; ++r) {
        masks[r] = grid->cell_at[r] >= 0 ? grid->masks[grid->cell_at[r]] : 0;
    }
    SN_TRY(sn_lattice_grid_create(grid->size, grid->h, masks, &allocator, &own, error));
    SN_TRY(sn_lattice_multigrid_create(def, &own, &allocator, &copy, error));
    SN_ALLOC(held, &allocator, numbers, error);
    memcpy(held, like->levels[0].hold.held, numbers);
    SN_TRY(sn_lattice_multigrid_hold(&copy, held, &allocator, error));
    held = NULL;
    *out_bytes = tally.now;

done:
    sn_free(&allocator, held);
    sn_free(NULL, masks);
    sn_lattice_multigrid_release(&copy, &allocator);
    return status;
}

// The cube ---------------------------------------------------------------------------------------

static SinewStatus make_grid(SnLatticeCube *cube, int n, SnLatticeGrid *out_grid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int size[3] = {n, n, n};
    int row = sn_lattice_row_blocks(size);
    uint16_t *masks = NULL;
    SN_ALLOC_ZERO(masks, NULL, n * n * row, error);
    for (int r = 0; r < n * n * row; ++r) {
        int left = n - r % row * SN_LATTICE_BLOCK;
        masks[r] = (uint16_t)(left >= SN_LATTICE_BLOCK ? 0xffff : (1u << left) - 1u);
    }
    SN_TRY(sn_lattice_grid_create(size, 1.0 / n, masks, &cube->allocator, out_grid, error));
done:
    sn_free(NULL, masks);
    return status;
}

// Positions at rest and the two faces that are held.
static void place(const SnLatticeCube *cube, int n, unsigned char *held)
{
    const SnLatticeGrid *grid = &cube->multigrid.levels[0].grid;
    int side = n + 1;
    memset(held, SN_LATTICE_NOTHING, (size_t)sn_lattice_grid_numbers(grid));
    for (int v = 0; v < side * side * side; ++v) {
        int at[3] = {v / side / side, v / side % side, v % side};
        int node = sn_lattice_grid_node(grid, at[0], at[1], at[2]);
        for (int k = 0; k < 3; ++k) {
            bool is_held = at[0] == 0 || at[0] == n;
            held[node + SN_LATTICE_BLOCK * k] = is_held ? SN_LATTICE_HELD : SN_LATTICE_FREE;
            cube->x[node + SN_LATTICE_BLOCK * k] = grid->h * at[k];
        }
    }
}

static SinewStatus fill(const SnLatticeCubeDef *def, SnLatticeCube *cube, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLatticeMultigrid *m = &cube->multigrid;
    SnLatticeLevel *level = &m->levels[0];
    size_t numbers = (size_t)sn_lattice_grid_numbers(&level->grid);
    unsigned char *held = NULL;
    double mu = 0.5e6 / (1.0 + def->poisson);
    double lambda = 2.0 * mu * def->poisson / (1.0 - 2.0 * def->poisson);

    for (int i = 0; i < level->grid.cell_blocks * 2 * SN_LATTICE_BLOCK; ++i) {
        double modulus = i / SN_LATTICE_BLOCK % 2 ? lambda : mu;
        level->lame[i] = (float)(modulus * level->grid.h / 16.0);
    }
    SN_ALLOC(held, &cube->allocator, numbers, error);
    SN_ALLOC_ZERO(cube->x, NULL, numbers, error);
    place(cube, def->cells, held);
    SN_TRY(sn_lattice_multigrid_hold(m, held, &cube->allocator, error));
    held = NULL;
    sn_lattice_multigrid_measure(m, def->workers, cube->x);
    SN_TRY(sn_lattice_multigrid_linearise(m, def->workers, cube->x, NULL, error));
done:
    sn_free(&cube->allocator, held);
    return status;
}

SinewStatus sn_lattice_cube_create(const SnLatticeCubeDef *def, SnLatticeCube *out_cube,
                                   SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLatticeGrid grid = {0};
    SnLatticeMultigridDef multigrid = {.kernels = def->kernels,
                                       .element = def->element,
                                       .coarsest_unknowns = def->coarsest_unknowns,
                                       .poisson = def->poisson,
                                       .worker_count = sn_workers_count(def->workers)};
    *out_cube = (SnLatticeCube){0};
    out_cube->allocator = sn_bench_tally_allocator(&out_cube->tally);
    SN_TRY(make_grid(out_cube, def->cells, &grid, error));
    SN_TRY(sn_lattice_multigrid_create(&multigrid, &grid, &out_cube->allocator,
                                       &out_cube->multigrid, error));
    SN_TRY(fill(def, out_cube, error));
done:
    return status;
}

void sn_lattice_cube_release(SnLatticeCube *cube)
{
    sn_lattice_multigrid_release(&cube->multigrid, &cube->allocator);
    sn_free(NULL, cube->x);
    cube->x = NULL;
}

// Solves -----------------------------------------------------------------------------------------

SnLatticeSmoother sn_lattice_paper_smoother(int sweeps)
{
    return (SnLatticeSmoother){.degree = sweeps, .jacobi = true, .damping = 0.8, .reach = 1.0};
}

void sn_lattice_load(SnLatticeMultigrid *m)
{
    SnLatticeLevel *level = &m->levels[0];
    int count = sn_lattice_grid_numbers(&level->grid);
    for (int i = 0; i < count; ++i) {
        bool is_y = i % SN_LATTICE_NODE / SN_LATTICE_BLOCK == 1;
        level->b[i] = is_y && level->d_inverse[i] != 0.0f ? -1.0f : 0.0f;
    }
}

SnLatticeWork sn_lattice_count_work(SnLatticeMultigrid *m, SnWorkers *workers, double tolerance,
                                    int max_iterations)
{
    sn_lattice_load(m);
    m->applies = 0;
    SnLatticeSolve solve = sn_lattice_multigrid_solve(
        m, workers, true, (SnLatticeGoal){tolerance, 0.0, max_iterations});
    return (SnLatticeWork){solve.iterations, m->applies, solve.residual};
}

static double size_of(const SnLatticeLevel *level, SnWorkers *workers, const float *a)
{
    return sqrt(sn_lattice_level_dot(level, workers, a, a));
}

// y += a x.
static void add(const SnLatticeLevel *level, double a, const float *x, float *y)
{
    level->kernels->add((float)a, x, sn_lattice_grid_numbers(&level->grid), y);
}

// b -= a K p where the level is free.
static void reduce(const SnLatticeLevel *level, SnWorkers *workers, double a, const float *p,
                   float *y)
{
    sn_lattice_level_apply(level, workers, true, p, y);
    level->kernels->mask(level->d_inverse, sn_lattice_grid_numbers(&level->grid), y);
    add(level, -a, y, level->b);
}

SinewStatus sn_lattice_history(SnLatticeMultigrid *m, SnWorkers *workers, SnLatticeMethod method,
                               int count, double *out_residuals, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLatticeLevel *level = &m->levels[0];
    int numbers = sn_lattice_grid_numbers(&level->grid);
    float *p = NULL, *y = NULL;
    double last = 1.0;

    SN_ALLOC_ZERO(p, NULL, numbers, error);
    SN_ALLOC_ZERO(y, NULL, numbers, error);
    sn_lattice_load(m);
    double start = size_of(level, workers, level->b);
    out_residuals[0] = 1.0;
    for (int n = 1; n <= count; ++n) {
        const float *z = method == SN_LATTICE_CG ? level->b : level->x;
        if (method != SN_LATTICE_CG) {
            sn_lattice_multigrid_cycle(m, workers);
        }
        if (method == SN_LATTICE_CYCLES) {
            reduce(level, workers, 1.0, z, y);
        } else {
            double now = sn_lattice_level_dot(level, workers, level->b, z);
            level->kernels->turn((float)(n > 1 ? now / last : 0.0), z, numbers, p);
            sn_lattice_level_apply(level, workers, true, p, y);
            level->kernels->mask(level->d_inverse, numbers, y);
            double curvature = sn_lattice_level_dot(level, workers, p, y);
            add(level, curvature > 0.0 ? -now / curvature : 0.0, y, level->b);
            last = now;
        }
        out_residuals[n] = size_of(level, workers, level->b) / start;
    }

done:
    sn_free(NULL, p);
    sn_free(NULL, y);
    return status;
}

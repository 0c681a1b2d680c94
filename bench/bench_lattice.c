// lattice.64.*: the cube of [A] with 64^3 cells and two opposite faces held, linearised at rest
// with a Poisson ratio of 0.3. Products are timed a cell; vcycle10 is the paper's V-cycle with ten
// Jacobi sweeps around each transfer and five levels; mgcg and work7 count iterations and products
// on the finest level to a relative residual of 1e-7 under a body force.
#include "bench/bench.h"

#include "model/lattice/multigrid.h"

#include <string.h>

enum { CELLS = 64, CELLS_QUICK = 16, PAPER_UNKNOWNS = 400, PAPER_SWEEPS = 10 };

typedef enum Case { APPLY, APPLY_MCADAMS, CYCLE10, ITERATIONS, WORK7 } Case;

static const char *const names[] = {
    [APPLY] = "lattice.64.apply",      [APPLY_MCADAMS] = "lattice.64.apply_mcadams",
    [CYCLE10] = "lattice.64.vcycle10", [ITERATIONS] = "lattice.64.mgcg",
    [WORK7] = "lattice.64.work7",
};

// Flops of a cell by hand count.
#define FLOPS_WILSON 450.0
#define FLOPS_MCADAMS 310.0

// What the issue asks for to 1e-7.
#define ITERATIONS_ASKED 9.0
#define APPLIES_ASKED 48.0

typedef struct State {
    int cells;
    SnLatticeMultigrid wilson, paper;
    double *x;
} State;

static SinewStatus list(SnBench *bench, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int c = 0; c <= WORK7; ++c) {
        SN_TRY(sn_bench_add(bench, &sn_bench_lattice, names[c], bench->kernels, SN_ALL_THREADS, c,
                            error));
    }
done:
    return status;
}

static SinewStatus make_grid(int n, SnLatticeGrid *out_grid, SinewError *error)
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
    SN_TRY(sn_lattice_grid_create(size, 1.0 / n, masks, NULL, out_grid, error));
done:
    sn_free(NULL, masks);
    return status;
}

// Stiffness, positions and held faces of the finest level.
static SinewStatus fill(State *s, SnLatticeMultigrid *m, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLatticeLevel *level = &m->levels[0];
    const SnLatticeGrid *grid = &level->grid;
    size_t numbers = (size_t)sn_lattice_grid_numbers(grid);
    unsigned char *held = NULL;
    float mu = (float)(1e6 / 2.6 * grid->h / 16.0), lambda = (float)(1.5 * (double)mu);

    for (int i = 0; i < grid->cell_blocks * 2 * SN_LATTICE_BLOCK; ++i) {
        level->lame[i] = i / SN_LATTICE_BLOCK % 2 ? lambda : mu;
    }
    SN_ALLOC(held, NULL, numbers, error);
    memset(held, SN_LATTICE_NOTHING, numbers);
    if (s->x == NULL) {
        SN_ALLOC_ZERO(s->x, NULL, numbers, error);
    }
    for (int n = 0; n < (s->cells + 1) * (s->cells + 1) * (s->cells + 1); ++n) {
        int side = s->cells + 1;
        int at[3] = {n / side / side, n / side % side, n % side};
        int node = sn_lattice_grid_node(grid, at[0], at[1], at[2]);
        for (int k = 0; k < 3; ++k) {
            bool is_held = at[0] == 0 || at[0] == s->cells;
            held[node + SN_LATTICE_BLOCK * k] = is_held ? SN_LATTICE_HELD : SN_LATTICE_FREE;
            s->x[node + SN_LATTICE_BLOCK * k] = grid->h * at[k];
        }
    }
    SN_TRY(sn_lattice_multigrid_hold(m, held, NULL, error));
    held = NULL;
    sn_lattice_multigrid_measure(m, NULL, s->x);
    SN_TRY(sn_lattice_multigrid_linearise(m, NULL, s->x, NULL, error));
done:
    sn_free(NULL, held);
    return status;
}

static SinewStatus open_lattice(SnBench *bench, void **out_state, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    State *s = NULL;
    SnLatticeGrid grid = {0};
    SN_ALLOC_ZERO(s, NULL, 1, error);
    *out_state = s;
    s->cells = bench->quick ? CELLS_QUICK : CELLS;
    for (int pass = 0; pass < 2; ++pass) {
        SnLatticeMultigrid *m = pass == 0 ? &s->wilson : &s->paper;
        SnLatticeMultigridDef def = {.kernels = bench->kernels,
                                     .element =
                                         pass == 0 ? SINEW_LATTICE_WILSON : SINEW_LATTICE_MCADAMS,
                                     .coarsest_unknowns = pass == 0 ? 0 : PAPER_UNKNOWNS,
                                     .poisson = 0.3,
                                     .worker_count = sn_workers_count(bench->workers)};
        SN_TRY(make_grid(s->cells, &grid, error));
        SN_TRY(sn_lattice_multigrid_create(&def, &grid, NULL, m, error));
        SN_TRY(fill(s, m, error));
    }
    s->paper.smoother =
        (SnLatticeSmoother){.degree = PAPER_SWEEPS, .jacobi = true, .damping = 0.8, .reach = 1.0};
done:
    return status;
}

static void close_lattice(void *state)
{
    State *s = state;
    if (s != NULL) {
        sn_lattice_multigrid_release(&s->wilson, NULL);
        sn_lattice_multigrid_release(&s->paper, NULL);
        sn_free(NULL, s->x);
        sn_free(NULL, s);
    }
}

typedef struct Run {
    State *state;
    Case what;
} Run;

// A body force on what is free.
static void load(SnLatticeMultigrid *m)
{
    SnLatticeLevel *level = &m->levels[0];
    int count = sn_lattice_grid_numbers(&level->grid);
    for (int i = 0; i < count; ++i) {
        bool is_y = i % SN_LATTICE_NODE / SN_LATTICE_BLOCK == 1;
        level->b[i] = is_y && level->d_inverse[i] != 0.0f ? -1.0f : 0.0f;
    }
}

static void run_once(void *context, SnWorkers *workers)
{
    const Run *run = context;
    SnLatticeMultigrid *m = run->what == APPLY ? &run->state->wilson : &run->state->paper;
    SnLatticeLevel *level = &m->levels[0];
    if (run->what == CYCLE10) {
        load(m);
        sn_lattice_multigrid_cycle(m, workers);
    } else {
        sn_lattice_level_apply(level, workers, false, level->x, level->y);
    }
}

static SinewStatus run_entry(SnBench *bench, void *state, const SnBenchEntry *entry,
                             SnBenchResult *out_result, SinewError *error)
{
    State *s = state;
    Run run = {s, (Case)entry->index};
    SnBenchTask task = {.run = run_once, .context = &run};
    double cells = (double)s->cells * s->cells * s->cells;
    // R, L and Lame's constants are read; x is read, y is read and written.
    SnBenchWork work = {.items = cells,
                        .bytes_read = 68.0 + 24.0,
                        .bytes_written = 12.0,
                        .flops = run.what == APPLY ? FLOPS_WILSON : FLOPS_MCADAMS,
                        .working_set = 92.0 * cells};
    (void)error;
    if (run.what <= CYCLE10) {
        // A cycle is 2 x 10 sweeps less the free first one, and a residual, on 8/7 of the cells.
        if (run.what == CYCLE10) {
            double applies = 2.0 * PAPER_SWEEPS * 8.0 / 7.0;
            work = (SnBenchWork){.items = 1.0,
                                 .bytes_read = applies * cells * 128.0,
                                 .bytes_written = applies * cells * 36.0,
                                 .flops = applies * cells * FLOPS_MCADAMS,
                                 .working_set = 164.0 * cells};
        }
        SnBenchTime time = sn_bench_time(bench, entry, &task);
        sn_bench_fill(bench, entry, time, &work, run.what == CYCLE10 ? "ms" : "ns", out_result);
        return SINEW_OK;
    }
    load(&s->wilson);
    s->wilson.applies = 0;
    SnLatticeSolve solve = sn_lattice_multigrid_solve(&s->wilson, bench->workers, true, 1e-7, 100);
    bool iterations = run.what == ITERATIONS;
    out_result->unit = iterations ? "iterations" : "applies";
    out_result->value = out_result->median = iterations ? solve.iterations : s->wilson.applies;
    out_result->limit = iterations ? ITERATIONS_ASKED : APPLIES_ASKED;
    out_result->fraction = out_result->limit / out_result->value;
    out_result->runs = 1;
    return SINEW_OK;
}

const SnBenchGroup sn_bench_lattice = {.name = "lattice",
                                       .list = list,
                                       .open = open_lattice,
                                       .close = close_lattice,
                                       .run = run_entry};

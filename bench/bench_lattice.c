// lattice.N.*: the cube of [A] with N^3 cells and two opposite faces held, linearised at rest.
//
// apply, apply_mcadams    a product with the tangent, ns a cell
// rotations               R and L of the finest level from positions, ns a cell
// diagonal                its inverse, ns a cell
// vcycle5, vcycle10       the V-cycle of [A] with five and ten damped Jacobi sweeps around each
//                         transfer, `mcadams`, ms: 4, 5 and 6 levels at 32^3, 64^3 and 128^3
// cycle                   the default preconditioner, ms
// mgcg, mgcg45            iterations to 1e-7 at Poisson's ratios 0.3 and 0.45
// mgcg_jacobi             the same at 0.3 with two sweeps of damped Jacobi, `mcadams`
// work3, work7            products on the finest level to 1e-3 and 1e-7, Poisson's ratio 0.3
// memory                  bytes a cell, all levels
//
// Where nothing but a count is measured the limit is what the method is to stay below.
#include "bench/bench.h"

#include "bench/workload_lattice.h"

#include <string.h>

typedef enum Kind {
    APPLY,
    APPLY_MCADAMS,
    ROTATIONS,
    DIAGONAL,
    CYCLE5,
    CYCLE10,
    CYCLE,
    ITERATIONS,
    ITERATIONS45,
    ITERATIONS_JACOBI,
    WORK3,
    WORK7,
    MEMORY,
    KINDS
} Kind;

static const char *const names[KINDS] = {
    [APPLY] = "apply",         [APPLY_MCADAMS] = "apply_mcadams",
    [ROTATIONS] = "rotations", [DIAGONAL] = "diagonal",
    [CYCLE5] = "vcycle5",      [CYCLE10] = "vcycle10",
    [CYCLE] = "cycle",         [ITERATIONS] = "mgcg",
    [ITERATIONS45] = "mgcg45", [ITERATIONS_JACOBI] = "mgcg_jacobi",
    [WORK3] = "work3",         [WORK7] = "work7",
    [MEMORY] = "memory",
};

// Below what the entries that count are to stay. No limit of the machine.
static const double goals[KINDS] = {
    [ITERATIONS] = 9.0, [ITERATIONS45] = 13.0, [ITERATIONS_JACOBI] = 9.0,
    [WORK3] = 26.0,     [WORK7] = 48.0,        [MEMORY] = 250.0};

static const int sides[] = {16, 32, 64, 128};

enum {
    SIDES = sizeof sides / sizeof *sides,
    SIDE_QUICK = 32,      // the largest with --quick
    PAPER_UNKNOWNS = 400, // leaves 4^3 cells on the coarsest level
    ITERATIONS_MAX = 200
};

// The cube last worked on; entries come in the order of cubes.
typedef struct State {
    SnLatticeCube cube;
    SnLatticeCubeDef made;
    bool is_made;
} State;

static SinewStatus list(SnBench *bench, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int i = 0; i < SIDES * KINDS; ++i) {
        char name[SN_BENCH_NAME];
        int kind = i % KINDS;
        snprintf(name, sizeof name, "lattice.%d", sides[i / KINDS]);
        if (kind == 0 && sides[i / KINDS] > SIDE_QUICK && sn_bench_leaves_out(bench, name)) {
            i += KINDS - 1;
            continue;
        }
        // The smallest is there for its counts.
        if (i / KINDS == 0 && kind < ITERATIONS) {
            continue;
        }
        snprintf(name, sizeof name, "lattice.%d.%s", sides[i / KINDS], names[kind]);
        SN_TRY(
            sn_bench_add(bench, &sn_bench_lattice, name, bench->kernels, SN_ALL_THREADS, i, error));
    }
done:
    return status;
}

static SinewStatus open_lattice(SnBench *bench, void **out_state, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    State *s = NULL;
    (void)bench;
    SN_ALLOC_ZERO(s, NULL, 1, error);
    *out_state = s;
done:
    return status;
}

static void close_lattice(void *state)
{
    State *s = state;
    if (s != NULL && s->is_made) {
        sn_lattice_cube_release(&s->cube);
    }
    sn_free(NULL, s);
}

static bool is_paper(Kind kind)
{
    return kind == APPLY_MCADAMS || kind == CYCLE5 || kind == CYCLE10 || kind == ITERATIONS_JACOBI;
}

// Makes the cube of an entry unless it is there.
static SinewStatus make(const SnBench *bench, State *s, Kind kind, int side, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLatticeCubeDef def = {.kernels = bench->kernels,
                            .workers = bench->workers,
                            .element =
                                is_paper(kind) ? SINEW_LATTICE_MCADAMS : SINEW_LATTICE_WILSON,
                            .cells = side,
                            .poisson = kind == ITERATIONS45 ? 0.45 : 0.3,
                            .coarsest_unknowns = is_paper(kind) ? PAPER_UNKNOWNS : 0};
    SnLatticeMultigrid *m = &s->cube.multigrid;
    bool fits = s->is_made && s->made.element == def.element && s->made.cells == def.cells &&
                s->made.poisson == def.poisson;
    if (!fits) {
        if (s->is_made) {
            sn_lattice_cube_release(&s->cube);
        }
        s->is_made = true;
        s->made = def;
        SN_TRY(sn_lattice_cube_create(&def, &s->cube, error));
    }
    if (kind == CYCLE5 || kind == CYCLE10) {
        m->smoother = sn_lattice_paper_smoother(kind == CYCLE5 ? 5 : 10);
    } else if (kind == ITERATIONS_JACOBI) {
        m->smoother = sn_lattice_paper_smoother(2);
    }
done:
    return status;
}

typedef struct Run {
    SnLatticeCube *cube;
    Kind kind;
} Run;

static void run_once(void *context, SnWorkers *workers)
{
    const Run *run = context;
    SnLatticeMultigrid *m = &run->cube->multigrid;
    SnLatticeLevel *level = &m->levels[0];
    if (run->kind == ROTATIONS) {
        sn_lattice_level_linearise(level, workers, run->cube->x);
    } else if (run->kind == DIAGONAL) {
        sn_lattice_level_invert_diagonal(level, workers);
    } else if (run->kind >= CYCLE5) {
        sn_lattice_multigrid_cycle(m, workers);
    } else {
        sn_lattice_level_apply(level, workers, false, level->x, level->y);
    }
}

// What a run must read, write and compute, a cell of the finest level.
static SnBenchWork work_of(Kind kind, const SnLatticeSmoother *smoother)
{
    // R, L and Lame's constants are read; x is read, y is read and written.
    SnBenchWork apply = {.bytes_read = 68.0 + 24.0,
                         .bytes_written = 12.0,
                         .flops =
                             is_paper(kind) ? SN_LATTICE_FLOPS_MCADAMS : SN_LATTICE_FLOPS_WILSON,
                         .working_set = 92.0};
    if (kind == ROTATIONS) {
        // Positions; R and both L. Some 700 flops of singular values.
        return (SnBenchWork){
            .bytes_read = 24.0 + 8.0, .bytes_written = 84.0, .flops = 900.0, .working_set = 116.0};
    }
    if (kind == DIAGONAL) {
        return (SnBenchWork){
            .bytes_read = 68.0 + 12.0, .bytes_written = 24.0, .flops = 700.0, .working_set = 92.0};
    }
    if (kind >= CYCLE5) {
        // Sweeps before and after less the free first one, and a residual, on 8/7 of the cells;
        // with each b, D^-1 and x are read as well and x is written.
        double applies = 2.0 * smoother->degree * 8.0 / 7.0;
        return (SnBenchWork){.bytes_read = applies * (apply.bytes_read + 36.0),
                             .bytes_written = applies * (apply.bytes_written + 24.0),
                             .flops = applies * apply.flops,
                             .working_set = 164.0};
    }
    return apply;
}

static void time_entry(const SnBench *bench, const SnBenchEntry *entry, Run *run,
                       SnBenchResult *out_result)
{
    const SnLatticeMultigrid *m = &run->cube->multigrid;
    double cells = m->levels[0].grid.cell_count;
    bool is_cycle = run->kind >= CYCLE5;
    SnBenchTask task = {.run = run_once, .context = run};
    SnBenchWork work = work_of(run->kind, &m->smoother);
    sn_lattice_load(&run->cube->multigrid);
    work.items = is_cycle ? 1.0 : cells;
    work.working_set *= cells;
    if (is_cycle) {
        work.bytes_read *= cells;
        work.bytes_written *= cells;
        work.flops *= cells;
        sn_bench_figure(out_result, "levels", m->level_count);
    }
    SnBenchTime time = sn_bench_time(bench, entry, &task);
    sn_bench_fill(bench, entry, time, &work, is_cycle ? "ms" : "ns", out_result);
}

static void count_entry(const SnBench *bench, Run *run, SnBenchResult *out_result)
{
    SnLatticeMultigrid *m = &run->cube->multigrid;
    if (run->kind == MEMORY) {
        out_result->unit = "bytes";
        out_result->value = (double)run->cube->tally.now / m->levels[0].grid.cell_count;
    } else {
        bool counts_applies = run->kind == WORK3 || run->kind == WORK7;
        SnLatticeWork work = sn_lattice_count_work(
            m, bench->workers, run->kind == WORK3 ? 1e-3 : 1e-7, ITERATIONS_MAX);
        out_result->unit = counts_applies ? "applies" : "iterations";
        out_result->value = counts_applies ? work.applies : work.iterations;
        sn_bench_figure(out_result, counts_applies ? "iterations" : "applies",
                        counts_applies ? work.iterations : work.applies);
    }
    out_result->median = out_result->value;
    out_result->runs = 1;
    sn_bench_figure(out_result, "goal", goals[run->kind]);
}

static SinewStatus run_entry(SnBench *bench, void *state, const SnBenchEntry *entry,
                             SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    State *s = state;
    Run run = {&s->cube, (Kind)(entry->index % KINDS)};
    SN_TRY(make(bench, s, run.kind, sides[entry->index / KINDS], error));
    if (run.kind <= CYCLE) {
        time_entry(bench, entry, &run, out_result);
    } else {
        count_entry(bench, &run, out_result);
    }
done:
    return status;
}

const SnBenchGroup sn_bench_lattice = {.name = "lattice",
                                       .list = list,
                                       .open = open_lattice,
                                       .close = close_lattice,
                                       .run = run_entry};

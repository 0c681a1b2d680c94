// V-cycles of a multigrid, and conjugate gradients that have them for a preconditioner.
#include "model/lattice/multigrid.h"

#include "model/lattice/transfer.h"
#include "model/lattice/wave.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 256 }; // node blocks a range of a vector

// Damped Jacobi converges below 2 over the largest eigenvalue, which [A]'s 0.8 exceeds at high
// Poisson ratios.
#define SAFE_DAMPING 1.8

typedef struct Pass {
    const SnLatticeLevel *level;
    float take;
    const float *a;
    float *b;
} Pass;

static void turn_range(void *context, int begin, int end, int worker)
{
    const Pass *pass = context;
    size_t at = (size_t)begin * SN_LATTICE_NODE;
    (void)worker;
    pass->level->kernels->turn(pass->take, pass->a + at, (end - begin) * SN_LATTICE_NODE,
                               pass->b + at);
}

// Of conjugate gradients: what is summed while vectors are at hand anyway.
typedef struct Stride {
    const SnLatticeMultigrid *m;
    float length;
} Stride;

static void curve_range(void *context, int begin, int end, double *sums)
{
    const Stride *stride = context;
    const SnLatticeLevel *level = &stride->m->levels[0];
    size_t at = (size_t)begin * SN_LATTICE_NODE;
    sums[0] = level->kernels->curve(level->d_inverse + at, stride->m->direction + at,
                                    (end - begin) * SN_LATTICE_NODE, stride->m->product + at);
}

static void advance_range(void *context, int begin, int end, double *sums)
{
    const Stride *stride = context;
    const SnLatticeMultigrid *m = stride->m;
    size_t at = (size_t)begin * SN_LATTICE_NODE;
    sums[0] = m->levels[0].kernels->advance(stride->length, m->direction + at, m->product + at,
                                            (end - begin) * SN_LATTICE_NODE, m->solution + at,
                                            m->levels[0].b + at);
}

static double sum(Stride *stride, SnWorkers *workers, SnSumFn *fn)
{
    double sums[1];
    sn_parallel_sum(workers, stride->m->levels[0].grid.node_blocks, 1, fn, stride, sums);
    return sums[0];
}

static void apply(SnLatticeMultigrid *m, const SnLatticeLevel *level, SnWorkers *workers,
                  bool exact, const float *x, float *y)
{
    m->applies += level->index == 0 ? 1 : 0;
    sn_lattice_level_apply(level, workers, exact, x, y);
}

// The steps of a smoother as they are due, done in groups.
typedef struct Steps {
    SnLatticeStage stages[SN_LATTICE_STAGES + 1];
    int count;
} Steps;

static void flush(SnLatticeMultigrid *m, const SnLatticeLevel *level, SnWorkers *workers,
                  Steps *steps)
{
    for (int s = 0; s < steps->count; ++s) {
        bool multiplies = steps->stages[s].kind != SN_LATTICE_FROM_ZERO;
        m->applies += level->index == 0 && multiplies ? 1 : 0;
    }
    sn_lattice_level_sweep(level, workers, steps->stages, steps->count);
    steps->count = 0;
}

static void add_step(SnLatticeMultigrid *m, const SnLatticeLevel *level, SnWorkers *workers,
                     SnLatticeStage stage, Steps *steps)
{
    bool full = steps->count == SN_LATTICE_STAGES && steps->stages[0].kind != SN_LATTICE_FROM_ZERO;
    if (full || steps->count > SN_LATTICE_STAGES) {
        flush(m, level, workers, steps);
    }
    steps->stages[steps->count++] = stage;
}

// A few steps on K x = b. `down`: from x = 0, for which K x is, and then the residual into y.
static void smooth(SnLatticeMultigrid *m, const SnLatticeLevel *level, SnWorkers *workers,
                   bool down)
{
    const SnLatticeSmoother *s = &m->smoother;
    Steps steps = {.count = 0};
    double high = level->hold.lambda_max, low = high / s->reach;
    double middle = 0.5 * (high + low), half = 0.5 * (high - low);
    double rho = half / middle;
    for (int step = 0; step < s->degree; ++step) {
        SnLatticeStage stage = {
            .kind = down && step == 0 ? SN_LATTICE_FROM_ZERO : SN_LATTICE_SWEEP,
            .take = (float)(s->jacobi ? fmin(s->damping, SAFE_DAMPING / high) : 1.0 / middle)};
        if (step > 0 && !s->jacobi) {
            double next = 1.0 / (2.0 * middle / half - rho);
            stage.keep = (float)(next * rho);
            stage.take = (float)(2.0 * next / half);
            rho = next;
        }
        add_step(m, level, workers, stage, &steps);
    }
    if (down) {
        add_step(m, level, workers, (SnLatticeStage){.kind = SN_LATTICE_RESIDUAL}, &steps);
    }
    flush(m, level, workers, &steps);
}

void sn_lattice_multigrid_cycle(SnLatticeMultigrid *m, SnWorkers *workers)
{
    int last = m->level_count - 1;
    for (int l = 0; l < last; ++l) {
        const SnLatticeLevel *level = &m->levels[l];
        smooth(m, level, workers, true);
        sn_lattice_restrict(level, &m->levels[l + 1], workers, m->lines, m->line_size, level->y,
                            m->levels[l + 1].b);
    }
    sn_lattice_coarsest_solve(&m->coarsest, &m->levels[last], workers, m->levels[last].b,
                              m->levels[last].x);
    for (int l = last - 1; l >= 0; --l) {
        SnLatticeLevel *level = &m->levels[l];
        sn_lattice_prolong(level, &m->levels[l + 1], workers, m->lines, m->line_size,
                           m->levels[l + 1].x, level->x);
        smooth(m, level, workers, false);
    }
}

// Conjugate gradients ----------------------------------------------------------------------------

SnLatticeSolve sn_lattice_multigrid_solve(SnLatticeMultigrid *m, SnWorkers *workers, bool exact,
                                          SnLatticeGoal goal)
{
    SnLatticeLevel *level = &m->levels[0];
    int count = sn_lattice_grid_numbers(&level->grid);
    SnLatticeSolve solve = {0};
    double start = sqrt(sn_lattice_level_dot(level, workers, level->b, level->b));
    double last = 1.0, all = 0.0, taken = 0.0; // J, energy of all iterations and of the last

    memset(m->solution, 0, (size_t)count * sizeof *m->solution);
    memset(m->direction, 0, (size_t)count * sizeof *m->direction);
    solve.residual = start > 0.0 ? 1.0 : 0.0;
    while (solve.residual > goal.residual && solve.iterations < goal.max_iterations &&
           (taken > goal.share * goal.share * all || solve.iterations == 0)) {
        sn_lattice_multigrid_cycle(m, workers);
        double now = sn_lattice_level_dot(level, workers, level->b, level->x);
        Pass turn = {.level = level,
                     .take = (float)(solve.iterations > 0 ? now / last : 0.0),
                     .a = level->x,
                     .b = m->direction};
        sn_parallel_for(workers, level->grid.node_blocks, GRAIN, turn_range, &turn); // z + beta p
        apply(m, level, workers, exact, m->direction, m->product);
        double curvature = sum(&(Stride){.m = m}, workers, curve_range);
        if (!(curvature > 0.0) || !(now > 0.0)) {
            solve.indefinite = true;
            break;
        }
        Stride step = {.m = m, .length = (float)(now / curvature)};
        last = now;
        taken = now * (now / curvature);
        all += taken;
        solve.iterations += 1;
        solve.residual = sqrt(sum(&step, workers, advance_range)) / start;
    }
    return solve;
}

#include "model/lattice/fas.h"

#include "math/mat3.h"
#include "model/lattice/galerkin.h"
#include "model/lattice/transfer.h"

#include <math.h>
#include <string.h>

static const int SYMMETRIC[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};

// What stress has beyond its linearisation -------------------------------------------------------

static void load_cell(const float *field, int components, int cell, double *out)
{
    const float *from = field +
                        (size_t)(cell / SN_LATTICE_BLOCK) * (size_t)components * SN_LATTICE_BLOCK +
                        cell % SN_LATTICE_BLOCK;
    for (int k = 0; k < components; ++k) {
        out[k] = (double)from[k * SN_LATTICE_BLOCK];
    }
}

// G u of a cell.
static void find_gradient(const SnLatticeGrid *grid, const int corners[8], const float *u,
                          double dF[9])
{
    memset(dF, 0, 9 * sizeof *dF);
    for (int c = 0; c < 8; ++c) {
        for (int k = 0; k < 9; ++k) {
            double sign = c >> (2 - k % 3) & 1 ? 1.0 : -1.0;
            dF[k] += sign * (double)u[corners[c] + SN_LATTICE_BLOCK * (k / 3)] / (4.0 * grid->h);
        }
    }
}

// P(F) - P(F_off) - dP(dF) at the middle of a cell, F = F_off + dF with the rotation R, in Pa.
static void find_excess(const SnLatticeLevel *level, int cell, const double F[9],
                        const double dF[9], const double R[9], double out[9])
{
    double F0[9], R0[9], L[6], lame[2], A[9], W[9], turned[9];
    double unit = 16.0 / level->grid.h;
    load_cell(level->F, 9, cell, F0);
    load_cell(level->R, 9, cell, R0);
    load_cell(level->L, 6, cell, L);
    load_cell(level->lame, 2, cell, lame);
    sn_mat3_transpose_multiply(R0, dF, A);
    double a[3] = {A[7] - A[5], A[2] - A[6], A[3] - A[1]}, w[3];
    double t = -3.0, t0 = -3.0;
    for (int i = 0; i < 3; ++i) {
        w[i] = 0.0;
        for (int j = 0; j < 3; ++j) {
            w[i] += L[SYMMETRIC[i][j]] * a[j];
        }
    }
    for (int k = 0; k < 9; ++k) {
        t += R[k] * F[k];
        t0 += R0[k] * F0[k];
    }
    double spin[9] = {0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0};
    memcpy(W, spin, sizeof W);
    for (int k = 0; k < 3; ++k) {
        W[4 * k] += lame[1] * sn_mat3_trace(A);
    }
    sn_mat3_multiply(R0, W, turned);
    for (int k = 0; k < 9; ++k) {
        out[k] =
            unit * (lame[1] * (t * R[k] - t0 * R0[k]) - 2.0 * lame[0] * (R[k] - R0[k]) - turned[k]);
    }
}

static bool counts(const SnLatticeLevel *level, int cell)
{
    const SnLatticeGrid *grid = &level->grid;
    bool there = grid->masks[cell / SN_LATTICE_BLOCK] >> cell % SN_LATTICE_BLOCK & 1;
    return there && !sn_lattice_hold_cuts(&level->hold, cell);
}

static void corners_of(const SnLatticeGrid *grid, int cell, int corners[8])
{
    const int *at = grid->places + 3 * (size_t)(cell / SN_LATTICE_BLOCK);
    sn_lattice_grid_corners(grid, at[0], at[1], at[2] + cell % SN_LATTICE_BLOCK, corners);
}

static void find_rotations(const SnLatticeLevel *level, int begin, int count, const float *u,
                           SnLatticeRotations *r)
{
    for (int i = 0; i < count; ++i) {
        double F[9], dF[9];
        int corners[8];
        load_cell(level->F, 9, begin + i, F);
        memset(dF, 0, sizeof dF);
        if (counts(level, begin + i)) {
            corners_of(&level->grid, begin + i, corners);
            find_gradient(&level->grid, corners, u, dF);
        }
        for (int k = 0; k < 9; ++k) {
            r->F[k * SN_LATTICE_BATCH + i] = (float)(F[k] + dF[k]);
        }
    }
    sn_lattice_level_rotate(level, count, r);
}

// Adds the excess of the cells [begin, begin + count) to y.
static void add_excess(const SnLatticeLevel *level, int begin, int count, const float *u, float *y)
{
    _Alignas(64) SnLatticeRotations r;
    double scale = level->grid.h * level->grid.h / 4.0;
    find_rotations(level, begin, count, u, &r);
    for (int i = 0; i < count; ++i) {
        double F[9], dF[9], R[9], P[9];
        int corners[8];
        if (!counts(level, begin + i)) {
            continue;
        }
        corners_of(&level->grid, begin + i, corners);
        find_gradient(&level->grid, corners, u, dF);
        for (int k = 0; k < 9; ++k) {
            F[k] = (double)r.F[k * SN_LATTICE_BATCH + i];
            R[k] = (double)r.R[k * SN_LATTICE_BATCH + i];
        }
        find_excess(level, begin + i, F, dF, R, P);
        for (int c = 0; c < 8; ++c) {
            double s[3] = {c >> 2 & 1 ? scale : -scale, c >> 1 & 1 ? scale : -scale,
                           c & 1 ? scale : -scale};
            for (int k = 0; k < 3; ++k) {
                y[corners[c] + SN_LATTICE_BLOCK * k] +=
                    (float)(P[3 * k] * s[0] + P[3 * k + 1] * s[1] + P[3 * k + 2] * s[2]);
            }
        }
    }
}

// y = the level's forces at its correction u, but for those at none. Serial in the excess: cells
// share nodes, and the order of sums must not depend on workers.
static void find_forces(const SnLatticeLevel *level, SnWorkers *workers, const float *u, float *y)
{
    int cells = level->grid.cell_blocks * SN_LATTICE_BLOCK;
    sn_lattice_level_apply(level, workers, false, u, y);
    for (int begin = 0; begin < cells; begin += SN_LATTICE_BATCH) {
        int count = cells - begin < SN_LATTICE_BATCH ? cells - begin : SN_LATTICE_BATCH;
        add_excess(level, begin, count, u, y);
    }
    level->kernels->mask(level->d_inverse, sn_lattice_grid_numbers(&level->grid), y);
}

// Smoothing --------------------------------------------------------------------------------------

// Factors of the step `step` of smoothing: p = keep p + take D^-1 r, x += p.
typedef struct Factors {
    double rho; // of the step before
    double keep, take;
} Factors;

static void next_factors(const SnLatticeMultigrid *m, const SnLatticeLevel *level, int step,
                         Factors *f)
{
    const SnLatticeSmoother *s = &m->smoother;
    double high = level->hold.lambda_max, low = high / s->reach;
    double middle = 0.5 * (high + low), half = 0.5 * (high - low);
    f->keep = 0.0;
    if (s->jacobi) {
        f->take = fmin(s->damping, 1.8 / high);
    } else if (step == 0) {
        f->rho = half / middle;
        f->take = 1.0 / middle;
    } else {
        double next = 1.0 / (2.0 * middle / half - f->rho);
        f->keep = next * f->rho;
        f->take = 2.0 * next / half;
        f->rho = next;
    }
}

static void smooth(const SnLatticeMultigrid *m, SnLatticeLevel *level, SnWorkers *workers,
                   bool from_zero)
{
    int count = sn_lattice_grid_numbers(&level->grid);
    Factors f = {0};
    for (int step = 0; step < m->smoother.degree; ++step) {
        if (from_zero && step == 0) {
            memset(level->x, 0, (size_t)count * sizeof *level->x);
            memset(level->y, 0, (size_t)count * sizeof *level->y);
        } else {
            find_forces(level, workers, level->x, level->y);
        }
        next_factors(m, level, step, &f);
        level->kernels->smooth(level->b, level->y, level->d_inverse, (float)f.keep, (float)f.take,
                               count, level->p, level->x);
    }
}

// The same on the finest level, in double and on the potential's own residual; `d` is changed.
static void smooth_finest(const SnLatticeProblem *problem, double *d)
{
    SnLattice *body = problem->body;
    const SnLatticeLevel *fine = &body->multigrid.levels[0];
    size_t count = sn_lattice_dofs(body);
    double *p = body->room.direction;
    Factors f = {0};
    for (int step = 0; step < body->multigrid.smoother.degree; ++step) {
        sn_lattice_potential(problem, d);
        next_factors(&body->multigrid, fine, step, &f);
        for (size_t i = 0; i < count; ++i) {
            double inverse =
                (double)fine->d_inverse[body->nodes[i / 3] + SN_LATTICE_BLOCK * (int)(i % 3)];
            double kept = step > 0 ? f.keep * p[i] : 0.0;
            p[i] = kept - f.take * inverse * body->room.residual[i];
            d[i] += p[i];
        }
    }
}

// The cycle --------------------------------------------------------------------------------------

// Takes u into F_off: b becomes what is left, and the level is linearised there.
static void absorb(SnLatticeLevel *level, SnWorkers *workers)
{
    int count = sn_lattice_grid_numbers(&level->grid);
    int cells = level->grid.cell_blocks * SN_LATTICE_BLOCK;
    find_forces(level, workers, level->x, level->y);
    level->kernels->residual(level->b, level->y, level->d_inverse, count, level->b);
    for (int cell = 0; cell < cells; ++cell) {
        double dF[9];
        int corners[8];
        if (!(level->grid.masks[cell / SN_LATTICE_BLOCK] >> cell % SN_LATTICE_BLOCK & 1)) {
            continue;
        }
        corners_of(&level->grid, cell, corners);
        find_gradient(&level->grid, corners, level->x, dF);
        float *F = level->F + (size_t)(cell / SN_LATTICE_BLOCK) * 9 * SN_LATTICE_BLOCK +
                   cell % SN_LATTICE_BLOCK;
        for (int k = 0; k < 9; ++k) {
            F[k * SN_LATTICE_BLOCK] += (float)dF[k];
        }
    }
    memcpy(level->correction, level->x, (size_t)count * sizeof *level->x);
    sn_lattice_level_relinearise(level, workers);
}

// From a level whose b is what is left to do to the next one.
static void descend(SnLatticeMultigrid *m, int l, SnWorkers *workers)
{
    SnLatticeLevel *level = &m->levels[l], *next = &m->levels[l + 1];
    sn_lattice_restrict(level, next, workers, m->lines, m->line_size, level->b, next->b);
    sn_lattice_level_average(next, level, workers);
    sn_lattice_galerkin_make(level, next, workers);
    sn_lattice_level_invert_diagonal(next, workers);
}

// Solves the levels below the finest for their corrections; x of the first is the result.
static SinewStatus solve_below(SnLatticeMultigrid *m, SnWorkers *workers, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int last = m->level_count - 1;

    for (int l = 1; l < last; ++l) {
        smooth(m, &m->levels[l], workers, true);
        absorb(&m->levels[l], workers);
        sn_lattice_level_invert_diagonal(&m->levels[l], workers);
        descend(m, l, workers);
    }
    SN_TRY(sn_lattice_coarsest_factor(&m->coarsest, &m->levels[last], workers, error));
    sn_lattice_coarsest_solve(&m->coarsest, &m->levels[last], workers, m->levels[last].b,
                              m->levels[last].x);
    for (int l = last - 1; l >= 1; --l) {
        SnLatticeLevel *level = &m->levels[l];
        int count = sn_lattice_grid_numbers(&level->grid);
        memset(level->x, 0, (size_t)count * sizeof *level->x);
        sn_lattice_prolong(level, &m->levels[l + 1], workers, m->lines, m->line_size,
                           m->levels[l + 1].x, level->x);
        smooth(m, level, workers, false);
        level->kernels->add(1.0f, level->correction, count, level->x);
    }

done:
    return status;
}

SinewStatus sn_lattice_fas(const SnLatticeProblem *problem, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLattice *body = problem->body;
    SnLatticeMultigrid *m = &body->multigrid;
    SnLatticeLevel *fine = &m->levels[0];
    SnLatticeRoom *room = &body->room;
    size_t count = sn_lattice_dofs(body);

    memcpy(room->trial, room->move, count * sizeof *room->trial);
    if (m->level_count > 1) {
        smooth_finest(problem, room->trial);
    }
    sn_lattice_potential(problem, room->trial);
    sn_lattice_level_linearise(fine, problem->workers, room->x64);
    sn_lattice_level_invert_diagonal(fine, problem->workers);
    memset(fine->b, 0, (size_t)sn_lattice_grid_numbers(&fine->grid) * sizeof *fine->b);
    for (size_t i = 0; i < count; ++i) {
        fine->b[body->nodes[i / 3] + SN_LATTICE_BLOCK * (int)(i % 3)] =
            sn_lattice_holds(body, i) ? 0.0f : (float)-room->residual[i];
    }
    memset(fine->x, 0, (size_t)sn_lattice_grid_numbers(&fine->grid) * sizeof *fine->x);
    if (m->level_count > 1) {
        descend(m, 0, problem->workers);
        SN_TRY(solve_below(m, problem->workers, error));
        sn_lattice_prolong(fine, &m->levels[1], problem->workers, m->lines, m->line_size,
                           m->levels[1].x, fine->x);
    } else {
        SN_TRY(sn_lattice_coarsest_factor(&m->coarsest, fine, problem->workers, error));
        sn_lattice_coarsest_solve(&m->coarsest, fine, problem->workers, fine->b, fine->x);
    }
    for (size_t i = 0; i < count; ++i) {
        room->trial[i] += (double)fine->x[body->nodes[i / 3] + SN_LATTICE_BLOCK * (int)(i % 3)];
    }
    if (m->level_count > 1) {
        smooth_finest(problem, room->trial);
    }
    for (size_t i = 0; i < count; ++i) {
        room->direction[i] = room->trial[i] - room->move[i];
    }
    problem->report->linear_solves += 1;

done:
    return status;
}

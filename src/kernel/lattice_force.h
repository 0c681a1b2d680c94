// Gradients and forces of cells in double; see lattice.h. Included as lattice_cell.h is.
#ifndef SN_KERNEL_LATTICE_FORCE_H
#define SN_KERNEL_LATTICE_FORCE_H

#include "kernel/lattice_modal.h"

// Where the sum of the two least singular values is at least this, LATTICE_GUARD is far.
#define LATTICE_UNGUARDED 0.125f

// A turn by more than this is not what a float rotation leaves to correct.
#define LATTICE_TURN_MAX 1e-2

typedef struct LatticeCorners64 {
    WideDouble at[4][2];
} LatticeCorners64;

typedef struct LatticeModes64 {
    WideDouble d[3], q[4];
} LatticeModes64;

// As lattice_transform.
static inline LatticeModes64 lattice_transform64(const LatticeCorners64 *c)
{
    WideDouble a[4], b[4];
    for (int r = 0; r < 4; ++r) {
        a[r] = c->at[r][1] + c->at[r][0];
        b[r] = c->at[r][1] - c->at[r][0];
    }
    WideDouble b_low = b[1] + b[0], b_high = b[3] + b[2];
    WideDouble b_low_j = b[1] - b[0], b_high_j = b[3] - b[2];
    // Differences first: far from the origin nothing is lost but the rounding of positions.
    WideDouble a_i0 = a[2] - a[0], a_i1 = a[3] - a[1];
    WideDouble a_j0 = a[1] - a[0], a_j1 = a[3] - a[2];
    return (LatticeModes64){
        .d = {a_i1 + a_i0, a_j1 + a_j0, b_high + b_low},
        .q = {b_high_j + b_low_j, b_high - b_low, a_j1 - a_j0, b_high_j - b_low_j},
    };
}

static inline LatticeCorners64 lattice_transform_back64(const LatticeModes64 *m)
{
    WideDouble u = m->d[1] + m->q[2], v = m->d[1] - m->q[2];
    WideDouble s = m->d[2] + m->q[1], t = m->d[2] - m->q[1];
    WideDouble e = m->q[0] + m->q[3], f = m->q[0] - m->q[3];
    WideDouble a[4] = {-(m->d[0] + v), v - m->d[0], m->d[0] - u, m->d[0] + u};
    WideDouble b[4] = {t - f, t + f, s - e, s + e};
    LatticeCorners64 c;
    for (int r = 0; r < 4; ++r) {
        c.at[r][0] = a[r] - b[r];
        c.at[r][1] = a[r] + b[r];
    }
    return c;
}

static inline LatticeCorners64 lattice_load64(const SnLatticeBlock *block, const double *x,
                                              int axis, int lane)
{
    LatticeCorners64 c;
    for (int r = 0; r < 4; ++r) {
        const double *at =
            x + (size_t)block->nodes[r] * SN_LATTICE_NODE + axis * SN_LATTICE_BLOCK + lane;
        const double *after =
            lane + SN_DOUBLE_LANES < SN_LATTICE_BLOCK
                ? at + SN_DOUBLE_LANES
                : x + (size_t)block->next[r] * SN_LATTICE_NODE + axis * SN_LATTICE_BLOCK;
        c.at[r][0] = wide_double_load(at);
        c.at[r][1] = wide_double_shift_up(c.at[r][0], wide_double_load(after));
    }
    return c;
}

// As those of products.
typedef struct LatticeCarry64 {
    WideDouble at[4][3];
} LatticeCarry64;

static inline void lattice_carry_clear64(LatticeCarry64 *carry)
{
    for (int r = 0; r < 4; ++r) {
        for (int k = 0; k < 3; ++k) {
            carry->at[r][k] = wide_double_set(0.0);
        }
    }
}

static inline void lattice_store64(const SnLatticeBlock *block, const LatticeCorners64 *c, int axis,
                                   int lane, LatticeCarry64 *carry, double *f_low, double *f_high)
{
    for (int r = 0; r < 4; ++r) {
        double *at = (r < 2 ? f_low : f_high) + (size_t)block->nodes[r] * SN_LATTICE_NODE +
                     axis * SN_LATTICE_BLOCK + lane;
        WideDouble sum = c->at[r][0] + wide_double_shift_in(carry->at[r][axis], c->at[r][1]);
        carry->at[r][axis] = c->at[r][1];
        wide_double_store(at, wide_double_load(at) + sum);
    }
}

static inline void lattice_flush64(const SnLatticeBlock *block, const LatticeCarry64 *carry,
                                   double *f_low, double *f_high)
{
    for (int r = 0; r < 4; ++r) {
        if (block->next[r] != 0) {
            double *at = (r < 2 ? f_low : f_high) + (size_t)block->next[r] * SN_LATTICE_NODE;
            for (int k = 0; k < 3; ++k) {
                at[k * SN_LATTICE_BLOCK] += wide_double_last(carry->at[r][k]);
            }
        }
    }
}

static void lattice_gradient(const SnLatticeBlock *blocks, int begin, int end, const double *x,
                             double scale, SnLatticeRotations *out)
{
    for (int b = begin; b < end; ++b) {
        for (int lane = 0; lane < SN_LATTICE_BLOCK; lane += SN_DOUBLE_LANES) {
            int i = (b - begin) * SN_LATTICE_BLOCK + lane;
            for (int k = 0; k < 3; ++k) {
                LatticeCorners64 c = lattice_load64(blocks + b, x, k, lane);
                LatticeModes64 m = lattice_transform64(&c);
                for (int j = 0; j < 3; ++j) {
                    wide_double_to_float(out->F + (3 * k + j) * SN_LATTICE_BATCH + i,
                                         m.d[j] * scale);
                }
            }
        }
    }
}

static inline WideDouble lattice_dot64(WideDouble a0, WideDouble b0, WideDouble a1, WideDouble b1,
                                       WideDouble a2, WideDouble b2)
{
    return wide_double_madd(a2, b2, wide_double_madd(a1, b1, a0 * b0));
}

// out = a^T b.
static inline void lattice_transpose_multiply64(const WideDouble a[9], const WideDouble b[9],
                                                WideDouble out[9])
{
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            out[3 * r + c] = lattice_dot64(a[r], b[c], a[3 + r], b[3 + c], a[6 + r], b[6 + c]);
        }
    }
}

static inline void lattice_multiply64(const WideDouble a[9], const WideDouble b[9],
                                      WideDouble out[9])
{
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            out[3 * r + c] =
                lattice_dot64(a[3 * r], b[c], a[3 * r + 1], b[3 + c], a[3 * r + 2], b[6 + c]);
        }
    }
}

// (tr S I - S)^-1 of the symmetric part of S, six numbers, and whether that is safe: all its
// eigenvalues far from zero.
static inline WideDouble lattice_invert64(const WideDouble S[9], WideDouble G[6])
{
    WideDouble m0 = S[4] + S[8], m1 = S[0] + S[8], m2 = S[0] + S[4];
    WideDouble m01 = -0.5 * (S[1] + S[3]), m02 = -0.5 * (S[2] + S[6]), m12 = -0.5 * (S[5] + S[7]);
    WideDouble c0 = m1 * m2 - m12 * m12;
    WideDouble c1 = m02 * m12 - m01 * m2;
    WideDouble c2 = m01 * m12 - m02 * m1;
    WideDouble det = lattice_dot64(m0, c0, m01, c1, m02, c2);
    WideDouble safe = wide_double_select_less(wide_double_set(1e-3), det, wide_double_set(1.0),
                                              wide_double_set(0.0));
    WideDouble inverse =
        safe / wide_double_select_less(wide_double_set(1e-3), det, det, wide_double_set(1.0));
    G[0] = c0 * inverse;
    G[1] = (m0 * m2 - m02 * m02) * inverse;
    G[2] = (m0 * m1 - m01 * m01) * inverse;
    G[3] = c1 * inverse;
    G[4] = c2 * inverse;
    G[5] = (m01 * m02 - m0 * m12) * inverse;
    return safe;
}

static inline void lattice_symmetric64(const WideDouble G[6], const WideDouble a[3],
                                       WideDouble out[3])
{
    out[0] = lattice_dot64(G[0], a[0], G[3], a[1], G[4], a[2]);
    out[1] = lattice_dot64(G[3], a[0], G[1], a[1], G[5], a[2]);
    out[2] = lattice_dot64(G[4], a[0], G[5], a[1], G[2], a[2]);
}

// Takes a rotation that is right to float to one that is right to double: R (3 I - R^T R) / 2, then
// a turn by w = (tr S I - S)^-1 axl(R^T F).
static inline void lattice_refine64(const WideDouble F[9], WideDouble R[9])
{
    WideDouble A[9], T[9], G[6], w[3];
    lattice_transpose_multiply64(R, R, A);
    for (int k = 0; k < 9; ++k) {
        A[k] = (k % 4 == 0 ? 1.5 : 0.0) - 0.5 * A[k];
    }
    lattice_multiply64(R, A, T);
    lattice_transpose_multiply64(T, F, A);
    WideDouble axial[3] = {A[7] - A[5], A[2] - A[6], A[3] - A[1]};
    lattice_invert64(A, G);
    lattice_symmetric64(G, axial, w);
    WideDouble square = lattice_dot64(w[0], w[0], w[1], w[1], w[2], w[2]);
    WideDouble keep =
        wide_double_select_less(square, wide_double_set(LATTICE_TURN_MAX * LATTICE_TURN_MAX),
                                wide_double_set(1.0), wide_double_set(0.0));
    for (int k = 0; k < 3; ++k) {
        w[k] = w[k] * keep;
    }
    // I + [w]x + [w]x^2 / 2.
    WideDouble half = 0.5 * square * keep;
    WideDouble E[9] = {1.0 - half + 0.5 * w[0] * w[0], 0.5 * w[0] * w[1] - w[2],
                       0.5 * w[0] * w[2] + w[1],       0.5 * w[0] * w[1] + w[2],
                       1.0 - half + 0.5 * w[1] * w[1], 0.5 * w[1] * w[2] - w[0],
                       0.5 * w[0] * w[2] - w[1],       0.5 * w[1] * w[2] + w[0],
                       1.0 - half + 0.5 * w[2] * w[2]};
    lattice_multiply64(T, E, R);
}

// A cell's numbers on the way to its forces.
typedef struct LatticeState64 {
    WideDouble F[9], R[9];
    WideDouble mu, lambda;
    WideDouble trace; // tr(R^T F - I)
    WideDouble energy;
} LatticeState64;

// h^3 [ mu |F - R|^2 + lambda / 2 tr^2 ] and its stress, h^3 P, into m.d.
static inline void lattice_centre64(LatticeState64 *s, double volume, LatticeModes64 m[3],
                                    double scale)
{
    WideDouble square = wide_double_set(0.0);
    s->trace = wide_double_set(0.0);
    for (int k = 0; k < 9; ++k) {
        WideDouble e = s->F[k] - s->R[k];
        square = wide_double_madd(e, e, square);
        s->trace = wide_double_madd(s->R[k], e, s->trace);
    }
    s->energy = volume * (s->mu * square + 0.5 * s->lambda * s->trace * s->trace);
    // f = P g with g = s / (4 h).
    double weight = volume * scale;
    for (int k = 0; k < 9; ++k) {
        WideDouble e = s->F[k] - s->R[k];
        m[k / 3].d[k % 3] = weight * (2.0 * s->mu * e + s->lambda * s->trace * s->R[k]);
    }
}

// The guarded inverse in float, for cells that are nearly flat or inverted.
static inline void lattice_guarded64(const SnLatticeRotations *rotations, int i, WideDouble safe,
                                     WideDouble G[6])
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double blend[SN_DOUBLE_LANES], g[6][SN_DOUBLE_LANES];
    int all = 1;
    memcpy(blend, &safe, sizeof blend);
    for (int n = 0; n < SN_DOUBLE_LANES; ++n) {
        const float *sigma = rotations->sigma + i + n;
        float pair = sigma[SN_LATTICE_BATCH] + sigma[2 * SN_LATTICE_BATCH];
        all &= blend[n] != 0.0 && pair >= LATTICE_UNGUARDED;
    }
    if (all) {
        return;
    }
    for (int k = 0; k < 6; ++k) {
        memcpy(g[k], &G[k], sizeof g[k]);
    }
    for (int n = 0; n < SN_DOUBLE_LANES; ++n) {
        const float *sigma = rotations->sigma + i + n;
        float trace = sigma[0] + sigma[SN_LATTICE_BATCH] + sigma[2 * SN_LATTICE_BATCH];
        if (blend[n] != 0.0 && trace - sigma[0] >= LATTICE_GUARD) {
            continue;
        }
        for (int k = 0; k < 6; ++k) {
            float sum = 0.0f;
            for (int a = 0; a < 3; ++a) {
                float below = trace - sigma[a * SN_LATTICE_BATCH];
                const float *V = rotations->V + i + n;
                sum += V[(3 * row[k] + a) * SN_LATTICE_BATCH] *
                       V[(3 * column[k] + a) * SN_LATTICE_BATCH] /
                       (below > LATTICE_GUARD ? below : LATTICE_GUARD);
            }
            g[k][n] = (double)sum;
        }
    }
    for (int k = 0; k < 6; ++k) {
        memcpy(&G[k], g[k], sizeof g[k]);
    }
}

// C qh for the modes of `wilson`, times 64; q is not scaled, hence stiffnesses over 64.
static inline void lattice_wilson64(const LatticeState64 *s, double h, WideDouble q[3][4],
                                    WideDouble g[3][4])
{
    WideDouble sum = s->lambda + s->mu;
    WideDouble plane = sum + s->mu;
    WideDouble k0 = wide_double_set(h / 48.0);
    WideDouble full = wide_double_select_less(wide_double_set(0.0), sum, sum, wide_double_set(1.0));
    WideDouble full_plane =
        wide_double_select_less(wide_double_set(0.0), plane, plane, wide_double_set(1.0));
    // One division serves both.
    WideDouble twist = k0 * s->mu;
    WideDouble inverse = twist / (full * full_plane);
    WideDouble over_plane = inverse * full;
    WideDouble bend = 4.0 * sum * over_plane;
    WideDouble cross = 2.0 * s->lambda * over_plane;
    WideDouble fourth = (3.0 * s->lambda + 2.0 * s->mu) * (inverse * full_plane);
    WideDouble trace = q[0][0] + q[1][1] + q[2][2];
    for (int i = 0; i < 3; ++i) {
        for (int a = 0; a < 3; ++a) {
            g[i][a] = a == i ? twist * (q[i][i] + trace) : bend * q[i][a] + cross * q[a][i];
        }
        g[i][3] = fourth * q[i][3];
    }
}

// Adds the hourglass energy and forces of `wilson`: gh = C qh, tau = sum qh x gh, Ptot -= R [G
// tau]x, and R gh into m.q.
static inline void lattice_force_modes_wilson(LatticeState64 *s,
                                              const SnLatticeRotations *rotations, int i, double h,
                                              double scale, LatticeModes64 m[3])
{
    const WideDouble *R = s->R;
    WideDouble q[3][4], g[3][4], A[9], G[6], w[3];
    WideDouble tau[3] = {wide_double_set(0.0), wide_double_set(0.0), wide_double_set(0.0)};
    for (int k = 0; k < 3; ++k) {
        for (int a = 0; a < 4; ++a) {
            q[k][a] = lattice_dot64(R[k], m[0].q[a], R[3 + k], m[1].q[a], R[6 + k], m[2].q[a]);
        }
    }
    lattice_wilson64(s, h, q, g);
    for (int a = 0; a < 4; ++a) {
        s->energy =
            s->energy + 0.5 * lattice_dot64(q[0][a], g[0][a], q[1][a], g[1][a], q[2][a], g[2][a]);
        tau[0] = tau[0] + (q[1][a] * g[2][a] - q[2][a] * g[1][a]);
        tau[1] = tau[1] + (q[2][a] * g[0][a] - q[0][a] * g[2][a]);
        tau[2] = tau[2] + (q[0][a] * g[1][a] - q[1][a] * g[0][a]);
    }
    lattice_transpose_multiply64(R, s->F, A);
    WideDouble safe = lattice_invert64(A, G);
    lattice_guarded64(rotations, i, safe, G);
    lattice_symmetric64(G, tau, w);
    for (int k = 0; k < 3; ++k) {
        WideDouble r0 = R[3 * k], r1 = R[3 * k + 1], r2 = R[3 * k + 2];
        m[k].d[0] = m[k].d[0] - scale * (r1 * w[2] - r2 * w[1]);
        m[k].d[1] = m[k].d[1] - scale * (r2 * w[0] - r0 * w[2]);
        m[k].d[2] = m[k].d[2] - scale * (r0 * w[1] - r1 * w[0]);
        for (int a = 0; a < 4; ++a) {
            m[k].q[a] = lattice_dot64(r0, g[0][a], r1, g[1][a], r2, g[2][a]);
        }
    }
}

// That of `mcadams`, which turns with nothing.
static inline void lattice_force_modes_mcadams(LatticeState64 *s, double h, double missing,
                                               LatticeModes64 m[3])
{
    WideDouble edge = s->mu * (h / 4.0 * (1.0 - missing));
    for (int k = 0; k < 3; ++k) {
        for (int a = 0; a < 4; ++a) {
            WideDouble f = edge * (a < 3 ? 1.0 : 1.5) * m[k].q[a];
            s->energy = s->energy + 0.5 * f * m[k].q[a];
            m[k].q[a] = f;
        }
    }
}

static inline void lattice_det64(const WideDouble F[9], float *out)
{
    WideDouble det = F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) +
                     F[2] * (F[3] * F[7] - F[4] * F[6]);
    wide_double_to_float(out, det);
}

// Loads the cells' corners into modes, F and a refined R.
static inline void lattice_state64(const SnLatticeForces *in, const SnLatticeRotations *rotations,
                                   int b, int i, int lane, double scale, LatticeState64 *s,
                                   LatticeModes64 m[3])
{
    const double *lame = in->lame + (size_t)b * 2 * SN_LATTICE_BLOCK + lane;
    s->mu = wide_double_load(lame);
    s->lambda = wide_double_load(lame + SN_LATTICE_BLOCK);
    for (int k = 0; k < 3; ++k) {
        LatticeCorners64 c = lattice_load64(in->blocks + b, in->x, k, lane);
        m[k] = lattice_transform64(&c);
        for (int j = 0; j < 3; ++j) {
            s->F[3 * k + j] = m[k].d[j] * scale;
            s->R[3 * k + j] =
                wide_double_from_float(rotations->R + (3 * k + j) * SN_LATTICE_BATCH + i);
        }
    }
    lattice_refine64(s->F, s->R);
}

static inline __attribute__((always_inline)) void lattice_force(const SnLatticeForces *in,
                                                                const SnLatticeRotations *rotations,
                                                                int begin, int end, double *f_low,
                                                                double *f_high, int wilson)
{
    double scale = 0.25 / in->h;
    LatticeCarry64 carry;
    lattice_carry_clear64(&carry);
    for (int b = begin; b < end; ++b) {
        double energies[SN_LATTICE_BLOCK];
        double sum = 0.0;
        for (int lane = 0; lane < SN_LATTICE_BLOCK; lane += SN_DOUBLE_LANES) {
            int i = (b - begin) * SN_LATTICE_BLOCK + lane;
            LatticeState64 s;
            LatticeModes64 m[3];
            lattice_state64(in, rotations, b, i, lane, scale, &s, m);
            lattice_centre64(&s, in->h * in->h * in->h, m, scale);
            if (wilson) {
                lattice_force_modes_wilson(&s, rotations, i, in->h, scale, m);
            } else {
                lattice_force_modes_mcadams(&s, in->h, in->missing, m);
            }
            for (int k = 0; k < 3; ++k) {
                LatticeCorners64 c = lattice_transform_back64(&m[k]);
                lattice_store64(in->blocks + b, &c, k, lane, &carry, f_low, f_high);
            }
            memcpy(energies + lane, &s.energy, sizeof s.energy);
            lattice_det64(s.F, in->dets + (size_t)b * SN_LATTICE_BLOCK + lane);
        }
        for (int k = 0; k < SN_LATTICE_BLOCK; ++k) {
            sum += energies[k];
        }
        in->energies[b] = sum;
        if (b + 1 == end || !in->blocks[b + 1].joins) {
            lattice_flush64(in->blocks + b, &carry, f_low, f_high);
            lattice_carry_clear64(&carry);
        }
    }
}

static void lattice_force_wilson(const SnLatticeForces *forces, const SnLatticeRotations *rotations,
                                 int begin, int end, double *f_low, double *f_high)
{
    lattice_force(forces, rotations, begin, end, f_low, f_high, 1);
}

static void lattice_force_mcadams(const SnLatticeForces *forces,
                                  const SnLatticeRotations *rotations, int begin, int end,
                                  double *f_low, double *f_high)
{
    lattice_force(forces, rotations, begin, end, f_low, f_high, 0);
}

#define LATTICE_TABLE                                                                              \
    {                                                                                              \
        .apply_wilson = lattice_apply_wilson, .apply_mcadams = lattice_apply_mcadams,              \
        .diagonal_wilson = lattice_diagonal_wilson, .diagonal_mcadams = lattice_diagonal_mcadams,  \
        .gradient = lattice_gradient, .linearise = lattice_linearise, .rise = lattice_rise,        \
        .force_wilson = lattice_force_wilson, .force_mcadams = lattice_force_mcadams,              \
        .dense = lattice_dense, .modal_make_wilson = lattice_modal_make_wilson,                    \
        .modal_make_mcadams = lattice_modal_make_mcadams,                                          \
        .modal_add_wilson = lattice_modal_add_wilson,                                              \
        .modal_add_mcadams = lattice_modal_add_mcadams, .modal_apply = lattice_modal_apply,        \
        .modal_diagonal = lattice_modal_diagonal, .dot = lattice_dot, .curve = lattice_curve,      \
        .advance = lattice_advance, .begin = lattice_begin, .smooth = lattice_smooth,              \
        .residual = lattice_residual, .mask = lattice_mask, .add = lattice_add,                    \
        .turn = lattice_turn, .mass = lattice_mass, .gather = lattice_gather,                      \
        .halve = lattice_halve, .spread = lattice_spread                                           \
    }

#endif

// The arithmetic of one cell, for as many cells as a register holds; see lattice.h. Included after
// Wide, WideDouble, SN_LANES, SN_DOUBLE_LANES and their operations are defined, by the kernels as
// vectors and by their reference as plain numbers, so that both do the same operations in the same
// order.
#ifndef SN_KERNEL_LATTICE_CELL_H
#define SN_KERNEL_LATTICE_CELL_H

#include "kernel/lattice.h"

#include <stddef.h>

// The least that tr Sigma - sigma_i counts as: near zero a rotation answers to nothing.
#define LATTICE_GUARD 0.1f

// Corners' values of one component; first index the row, second the end along the last axis.
typedef struct LatticeCorners {
    Wide at[4][2];
} LatticeCorners;

// One component of D and Q.
typedef struct LatticeModes {
    Wide d[3], q[4];
} LatticeModes;

// Sums with all sign patterns, by halves: 23 additions.
static inline LatticeModes lattice_transform(const LatticeCorners *c)
{
    Wide a[4], b[4];
    for (int r = 0; r < 4; ++r) {
        a[r] = c->at[r][1] + c->at[r][0];
        b[r] = c->at[r][1] - c->at[r][0];
    }
    Wide a_low = a[1] + a[0], a_high = a[3] + a[2];
    Wide b_low = b[1] + b[0], b_high = b[3] + b[2];
    Wide a_low_j = a[1] - a[0], a_high_j = a[3] - a[2];
    Wide b_low_j = b[1] - b[0], b_high_j = b[3] - b[2];
    return (LatticeModes){
        .d = {a_high - a_low, a_high_j + a_low_j, b_high + b_low},
        .q = {b_high_j + b_low_j, b_high - b_low, a_high_j - a_low_j, b_high_j - b_low_j},
    };
}

// The transpose: what each corner gets.
static inline LatticeCorners lattice_transform_back(const LatticeModes *m)
{
    Wide u = m->d[1] + m->q[2], v = m->d[1] - m->q[2];
    Wide s = m->d[2] + m->q[1], t = m->d[2] - m->q[1];
    Wide e = m->q[0] + m->q[3], f = m->q[0] - m->q[3];
    Wide a[4] = {-(m->d[0] + v), v - m->d[0], m->d[0] - u, m->d[0] + u};
    Wide b[4] = {t - f, t + f, s - e, s + e};
    LatticeCorners c;
    for (int r = 0; r < 4; ++r) {
        c.at[r][0] = a[r] - b[r];
        c.at[r][1] = a[r] + b[r];
    }
    return c;
}

static inline Wide lattice_dot3(Wide a0, Wide b0, Wide a1, Wide b1, Wide a2, Wide b2)
{
    return SN_MADD(a2, b2, SN_MADD(a1, b1, a0 * b0));
}

// One cell's numbers of a linearisation.
typedef struct LatticeTangent {
    Wide R[9], L[6], mu, lambda;
} LatticeTangent;

static inline LatticeTangent lattice_tangent(const SnLatticeOperator *op, int block, int lane)
{
    LatticeTangent t;
    const float *R = op->R + (size_t)block * 9 * SN_LATTICE_BLOCK + lane;
    const float *L = op->L + (size_t)block * 6 * SN_LATTICE_BLOCK + lane;
    const float *lame = op->lame + (size_t)block * 2 * SN_LATTICE_BLOCK + lane;
    for (int k = 0; k < 9; ++k) {
        t.R[k] = wide_load(R + k * SN_LATTICE_BLOCK);
    }
    for (int k = 0; k < 6; ++k) {
        t.L[k] = wide_load(L + k * SN_LATTICE_BLOCK);
    }
    t.mu = wide_load(lame);
    t.lambda = wide_load(lame + SN_LATTICE_BLOCK);
    return t;
}

// The centre: D becomes 2 mu D + R (lambda tr(R^T D) I + [L axl(R^T D)]x), [A alg 1] with all of mu
// at the centre.
static inline void lattice_centre(const LatticeTangent *t, LatticeModes m[3])
{
    const Wide *R = t->R;
    Wide A[9];
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            A[3 * r + c] = lattice_dot3(R[r], m[0].d[c], R[3 + r], m[1].d[c], R[6 + r], m[2].d[c]);
        }
    }
    Wide trace = t->lambda * (A[0] + A[4] + A[8]);
    Wide a0 = A[7] - A[5], a1 = A[2] - A[6], a2 = A[3] - A[1];
    Wide w0 = lattice_dot3(t->L[0], a0, t->L[3], a1, t->L[4], a2);
    Wide w1 = lattice_dot3(t->L[3], a0, t->L[1], a1, t->L[5], a2);
    Wide w2 = lattice_dot3(t->L[4], a0, t->L[5], a1, t->L[2], a2);
    Wide mu2 = t->mu + t->mu;
    for (int i = 0; i < 3; ++i) {
        Wide r0 = R[3 * i], r1 = R[3 * i + 1], r2 = R[3 * i + 2];
        m[i].d[0] = SN_MADD(mu2, m[i].d[0], SN_MADD(r0, trace, SN_NMADD(r2, w1, r1 * w2)));
        m[i].d[1] = SN_MADD(mu2, m[i].d[1], SN_MADD(r1, trace, SN_NMADD(r0, w2, r2 * w0)));
        m[i].d[2] = SN_MADD(mu2, m[i].d[2], SN_MADD(r2, trace, SN_NMADD(r1, w0, r0 * w1)));
    }
}

// Stiffnesses of Wilson's modes, over 64: bending, its coupling, torsion, the fourth mode.
typedef struct LatticeModuli {
    Wide bend, cross, twist, fourth;
} LatticeModuli;

static inline LatticeModuli lattice_moduli(Wide mu, Wide lambda)
{
    // cb = k0 4 mu (lambda + mu) / (lambda + 2 mu), cx = k0 2 mu lambda / (lambda + 2 mu), c4 =
    // k0 E, with k0 / 64 = h / 48. One division serves both; empty cells must not divide by zero.
    Wide sum = lambda + mu;
    Wide plane = sum + mu;
    Wide third = mu * (1.0f / 3.0f);
    Wide inverse = wide_reciprocal(wide_max(sum * plane, wide_set(1e-36f)));
    Wide over_plane = inverse * sum * third;
    Wide over_sum = inverse * plane * third;
    return (LatticeModuli){
        .bend = over_plane * sum * 4.0f,
        .cross = over_plane * lambda * 2.0f,
        .twist = third,
        .fourth = over_sum * SN_MADD(wide_set(3.0f), lambda, mu + mu),
    };
}

// The hourglass part of `wilson`: Q becomes R C R^T Q.
static inline void lattice_hourglass_wilson(const LatticeTangent *t, LatticeModes m[3])
{
    const Wide *R = t->R;
    LatticeModuli c = lattice_moduli(t->mu, t->lambda);
    Wide q[3][4];
    for (int i = 0; i < 3; ++i) {
        for (int a = 0; a < 4; ++a) {
            q[i][a] = lattice_dot3(R[i], m[0].q[a], R[3 + i], m[1].q[a], R[6 + i], m[2].q[a]);
        }
    }
    Wide sum = q[0][0] + q[1][1] + q[2][2];
    Wide g[3][4];
    for (int i = 0; i < 3; ++i) {
        for (int a = 0; a < 3; ++a) {
            g[i][a] =
                a == i ? c.twist * (q[i][i] + sum) : SN_MADD(c.bend, q[i][a], c.cross * q[a][i]);
        }
        g[i][3] = c.fourth * q[i][3];
    }
    for (int i = 0; i < 3; ++i) {
        for (int a = 0; a < 4; ++a) {
            m[i].q[a] =
                lattice_dot3(R[3 * i], g[0][a], R[3 * i + 1], g[1][a], R[3 * i + 2], g[2][a]);
        }
    }
}

// That of `mcadams`: the 12 edges' Laplacian without the centre, 16 h mu and 24 h mu over 64.
static inline void lattice_hourglass_mcadams(const LatticeTangent *t, float share,
                                             LatticeModes m[3])
{
    Wide edge = t->mu * (4.0f * share);
    Wide fourth = t->mu * (6.0f * share);
    for (int i = 0; i < 3; ++i) {
        m[i].q[0] = edge * m[i].q[0];
        m[i].q[1] = edge * m[i].q[1];
        m[i].q[2] = edge * m[i].q[2];
        m[i].q[3] = fourth * m[i].q[3];
    }
}

// Rows of nodes -----------------------------------------------------------------------------------

static inline LatticeCorners lattice_load(const SnLatticeBlock *block, const float *x, int axis,
                                          int lane)
{
    LatticeCorners c;
    for (int r = 0; r < 4; ++r) {
        const float *at =
            x + (size_t)block->nodes[r] * SN_LATTICE_NODE + axis * SN_LATTICE_BLOCK + lane;
        const float *after =
            lane + SN_LANES < SN_LATTICE_BLOCK
                ? at + SN_LANES
                : x + (size_t)block->next[r] * SN_LATTICE_NODE + axis * SN_LATTICE_BLOCK;
        c.at[r][0] = wide_load(at);
        c.at[r][1] = wide_shift_up(c.at[r][0], wide_load(after));
    }
    return c;
}

// What the last lanes pass on to the nodes after them.
typedef struct LatticeCarry {
    Wide at[4][3];
} LatticeCarry;

static inline void lattice_carry_clear(LatticeCarry *carry)
{
    for (int r = 0; r < 4; ++r) {
        for (int k = 0; k < 3; ++k) {
            carry->at[r][k] = wide_set(0.0f);
        }
    }
}

static inline void lattice_store(const SnLatticeBlock *block, const LatticeCorners *c, int axis,
                                 int lane, LatticeCarry *carry, float *y_low, float *y_high)
{
    for (int r = 0; r < 4; ++r) {
        float *at = (r < 2 ? y_low : y_high) + (size_t)block->nodes[r] * SN_LATTICE_NODE +
                    axis * SN_LATTICE_BLOCK + lane;
        Wide sum = c->at[r][0] + wide_shift_in(carry->at[r][axis], c->at[r][1]);
        carry->at[r][axis] = c->at[r][1];
        wide_store(at, wide_load(at) + sum);
    }
}

// The end of a run of blocks.
static inline void lattice_flush(const SnLatticeBlock *block, const LatticeCarry *carry,
                                 float *y_low, float *y_high)
{
    for (int r = 0; r < 4; ++r) {
        if (block->next[r] != 0) {
            float *at = (r < 2 ? y_low : y_high) + (size_t)block->next[r] * SN_LATTICE_NODE;
            for (int k = 0; k < 3; ++k) {
                at[k * SN_LATTICE_BLOCK] += wide_last(carry->at[r][k]);
            }
        }
    }
}

// K x ---------------------------------------------------------------------------------------------

static inline __attribute__((always_inline)) void lattice_apply(const SnLatticeOperator *op,
                                                                int begin, int end, const float *x,
                                                                float *y_low, float *y_high,
                                                                int wilson)
{
    LatticeCarry carry;
    lattice_carry_clear(&carry);
    for (int b = begin; b < end; ++b) {
        const SnLatticeBlock *block = op->blocks + b;
        for (int lane = 0; lane < SN_LATTICE_BLOCK; lane += SN_LANES) {
            LatticeModes m[3];
            for (int k = 0; k < 3; ++k) {
                LatticeCorners c = lattice_load(block, x, k, lane);
                m[k] = lattice_transform(&c);
            }
            LatticeTangent t = lattice_tangent(op, b, lane);
            lattice_centre(&t, m);
            if (wilson) {
                lattice_hourglass_wilson(&t, m);
            } else {
                lattice_hourglass_mcadams(&t, op->hourglass, m);
            }
            for (int k = 0; k < 3; ++k) {
                LatticeCorners c = lattice_transform_back(&m[k]);
                lattice_store(block, &c, k, lane, &carry, y_low, y_high);
            }
        }
        if (b + 1 == end || !block[1].joins) {
            lattice_flush(block, &carry, y_low, y_high);
            lattice_carry_clear(&carry);
        }
    }
}

static void lattice_apply_wilson(const SnLatticeOperator *op, int begin, int end, const float *x,
                                 float *y_low, float *y_high)
{
    lattice_apply(op, begin, end, x, y_low, y_high, 1);
}

static void lattice_apply_mcadams(const SnLatticeOperator *op, int begin, int end, const float *x,
                                  float *y_low, float *y_high)
{
    lattice_apply(op, begin, end, x, y_low, y_high, 0);
}

// Diagonal ----------------------------------------------------------------------------------------

// Of the corner with these signs, component j: 6 mu + lambda (r.s)^2 + (s x r)^T L (s x r), r the
// row j of R, and the hourglass part.
static inline Wide lattice_corner_diagonal(const LatticeTangent *t, const LatticeModuli *c, int j,
                                           float s0, float s1, float s2, int wilson, float share)
{
    const Wide *r = t->R + 3 * j;
    Wide along = SN_MADD(r[2], wide_set(s2), SN_MADD(r[1], wide_set(s1), r[0] * s0));
    Wide a0 = s1 * r[2] - s2 * r[1];
    Wide a1 = s2 * r[0] - s0 * r[2];
    Wide a2 = s0 * r[1] - s1 * r[0];
    Wide w0 = lattice_dot3(t->L[0], a0, t->L[3], a1, t->L[4], a2);
    Wide w1 = lattice_dot3(t->L[3], a0, t->L[1], a1, t->L[5], a2);
    Wide w2 = lattice_dot3(t->L[4], a0, t->L[5], a1, t->L[2], a2);
    Wide sum = lattice_dot3(a0, w0, a1, w1, a2, w2) + t->lambda * along * along;
    if (wilson) {
        Wide across =
            SN_MADD(r[2], wide_set(s0 * s1), SN_MADD(r[1], wide_set(s0 * s2), r[0] * (s1 * s2)));
        Wide both = c->cross + c->twist;
        Wide modes = (c->bend + c->bend - c->cross) + (c->twist + c->fourth);
        return sum + (t->mu * 6.0f + SN_MADD(both * across, across, modes));
    }
    return sum + t->mu * (6.0f + 18.0f * share);
}

static inline __attribute__((always_inline)) void lattice_diagonal(const SnLatticeOperator *op,
                                                                   int begin, int end, float *y_low,
                                                                   float *y_high, int wilson)
{
    LatticeCarry carry;
    lattice_carry_clear(&carry);
    for (int b = begin; b < end; ++b) {
        const SnLatticeBlock *block = op->blocks + b;
        for (int lane = 0; lane < SN_LATTICE_BLOCK; lane += SN_LANES) {
            LatticeTangent t = lattice_tangent(op, b, lane);
            LatticeModuli moduli = lattice_moduli(t.mu, t.lambda);
            for (int k = 0; k < 3; ++k) {
                LatticeCorners c;
                for (int r = 0; r < 4; ++r) {
                    for (int e = 0; e < 2; ++e) {
                        c.at[r][e] = lattice_corner_diagonal(&t, &moduli, k, r < 2 ? -1.0f : 1.0f,
                                                             r % 2 ? 1.0f : -1.0f, e ? 1.0f : -1.0f,
                                                             wilson, op->hourglass);
                    }
                }
                lattice_store(block, &c, k, lane, &carry, y_low, y_high);
            }
        }
        if (b + 1 == end || !block[1].joins) {
            lattice_flush(block, &carry, y_low, y_high);
            lattice_carry_clear(&carry);
        }
    }
}

static void lattice_diagonal_wilson(const SnLatticeOperator *op, int begin, int end, float *y_low,
                                    float *y_high)
{
    lattice_diagonal(op, begin, end, y_low, y_high, 1);
}

static void lattice_diagonal_mcadams(const SnLatticeOperator *op, int begin, int end, float *y_low,
                                     float *y_high)
{
    lattice_diagonal(op, begin, end, y_low, y_high, 0);
}

// R and L -----------------------------------------------------------------------------------------

// V diag(d) V^T into six numbers.
static inline void lattice_sandwich(const Wide V[9], const Wide d[3], float *out)
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; ++k) {
        const Wide *a = V + 3 * row[k], *b = V + 3 * column[k];
        wide_store(out + k * SN_LATTICE_BLOCK,
                   lattice_dot3(a[0] * d[0], b[0], a[1] * d[1], b[1], a[2] * d[2], b[2]));
    }
}

static void lattice_linearise(const SnLatticeRotations *rotations, int begin, int end,
                              const float *lame, float *R, float *L_definite, float *L_exact)
{
    for (int b = begin; b < end; ++b) {
        for (int lane = 0; lane < SN_LATTICE_BLOCK; lane += SN_LANES) {
            int i = (b - begin) * SN_LATTICE_BLOCK + lane;
            size_t at = (size_t)b * SN_LATTICE_BLOCK;
            Wide mu = wide_load(lame + 2 * at + lane);
            Wide lambda = wide_load(lame + 2 * at + SN_LATTICE_BLOCK + lane);
            Wide V[9], sigma[3], exact[3], definite[3];
            for (int k = 0; k < 9; ++k) {
                V[k] = wide_load(rotations->V + k * SN_LATTICE_BATCH + i);
                wide_store(R + 9 * at + k * SN_LATTICE_BLOCK + lane,
                           wide_load(rotations->R + k * SN_LATTICE_BATCH + i));
            }
            for (int k = 0; k < 3; ++k) {
                sigma[k] = wide_load(rotations->sigma + k * SN_LATTICE_BATCH + i);
            }
            // L_D = (lambda tr(Sigma - I) - 2 mu) / (tr Sigma - sigma_i).
            Wide trace = sigma[0] + sigma[1] + sigma[2];
            Wide above = lambda * (trace - 3.0f) - (mu + mu);
            for (int k = 0; k < 3; ++k) {
                exact[k] = above / wide_max(trace - sigma[k], wide_set(LATTICE_GUARD));
                definite[k] = wide_max(exact[k], -mu);
            }
            lattice_sandwich(V, definite, L_definite + 6 * at + lane);
            if (L_exact != NULL) {
                lattice_sandwich(V, exact, L_exact + 6 * at + lane);
            }
        }
    }
}

// R^T dF = S + [w]x. To second order the stretch is t S + t^2 E with E = (|w|^2 I - w w^T) / 2,
// hence 2 mu S.E + lambda tr S tr E with t^3, and mu |E|^2 + lambda / 2 tr^2 E with t^4.
static inline void lattice_rise_lanes(const SnLatticeOperator *op, const SnLatticeRotations *move,
                                      int b, int i, int lane, float out[2][SN_LATTICE_BLOCK])
{
    LatticeTangent t = lattice_tangent(op, b, lane);
    Wide A[9];
    for (int k = 0; k < 9; ++k) {
        const float *F = move->F + k % 3 * SN_LATTICE_BATCH + i;
        int r = k / 3;
        A[k] = lattice_dot3(t.R[r], wide_load(F), t.R[3 + r], wide_load(F + 3 * SN_LATTICE_BATCH),
                            t.R[6 + r], wide_load(F + 6 * SN_LATTICE_BATCH));
    }
    Wide w0 = (A[7] - A[5]) * 0.5f, w1 = (A[2] - A[6]) * 0.5f, w2 = (A[3] - A[1]) * 0.5f;
    Wide square = lattice_dot3(w0, w0, w1, w1, w2, w2);
    Wide trace = A[0] + A[4] + A[8];
    Wide s0 = lattice_dot3(A[0], w0, (A[1] + A[3]) * 0.5f, w1, (A[2] + A[6]) * 0.5f, w2);
    Wide s1 = lattice_dot3((A[1] + A[3]) * 0.5f, w0, A[4], w1, (A[5] + A[7]) * 0.5f, w2);
    Wide s2 = lattice_dot3((A[2] + A[6]) * 0.5f, w0, (A[5] + A[7]) * 0.5f, w1, A[8], w2);
    Wide along = lattice_dot3(w0, s0, w1, s1, w2, s2);
    Wide cubic = SN_MADD(t.mu, square * trace - along, t.lambda * trace * square);
    wide_store(out[0] + lane, cubic);
    wide_store(out[1] + lane, (t.mu + t.lambda) * 0.5f * square * square);
}

static void lattice_rise(const SnLatticeOperator *op, const SnLatticeRotations *move, int begin,
                         int end, double out_factors[2])
{
    for (int b = begin; b < end; ++b) {
        _Alignas(64) float factors[2][SN_LATTICE_BLOCK];
        for (int lane = 0; lane < SN_LATTICE_BLOCK; lane += SN_LANES) {
            lattice_rise_lanes(op, move, b, (b - begin) * SN_LATTICE_BLOCK + lane, lane, factors);
        }
        for (int k = 0; k < 2 * SN_LATTICE_BLOCK; ++k) {
            out_factors[k / SN_LATTICE_BLOCK] +=
                (double)factors[k / SN_LATTICE_BLOCK][k % SN_LATTICE_BLOCK];
        }
    }
}

// Vectors -----------------------------------------------------------------------------------------

static void lattice_dense(const float *matrix, const float *x, float *y)
{
    for (int row = 0; row < 32; row += SN_LANES) {
        Wide sum = wide_load(y + row);
        for (int column = 0; column < 24; ++column) {
            sum = SN_MADD(wide_load(matrix + 32 * column + row), wide_set(x[column]), sum);
        }
        wide_store(y + row, sum);
    }
}

// Sixteen sums side by side whatever the register, added in their order at the end.
static inline double lattice_total(const double sums[SN_LATTICE_BLOCK])
{
    double total = 0.0;
    for (int k = 0; k < SN_LATTICE_BLOCK; ++k) {
        total += sums[k];
    }
    return total;
}

static double lattice_dot(const float *a, const float *b, int count)
{
    double sums[SN_LATTICE_BLOCK] = {0.0};
    for (int i = 0; i < count; i += SN_LATTICE_BLOCK) {
        for (int k = 0; k < SN_LATTICE_BLOCK; ++k) {
            sums[k] += (double)a[i + k] * (double)b[i + k];
        }
    }
    return lattice_total(sums);
}

static double lattice_curve(const float *d_inverse, const float *p, int count, float *y)
{
    double sums[SN_LATTICE_BLOCK] = {0.0};
    for (int i = 0; i < count; i += SN_LATTICE_BLOCK) {
        for (int k = 0; k < SN_LATTICE_BLOCK; ++k) {
            float value = d_inverse[i + k] != 0.0f ? y[i + k] : 0.0f;
            y[i + k] = value;
            sums[k] += (double)p[i + k] * (double)value;
        }
    }
    return lattice_total(sums);
}

static double lattice_advance(float a, const float *p, const float *y, int count, float *x,
                              float *b)
{
    WideDouble squares[SN_LATTICE_BLOCK / SN_DOUBLE_LANES];
    double sums[SN_LATTICE_BLOCK];
    for (int n = 0; n < SN_LATTICE_BLOCK / SN_DOUBLE_LANES; ++n) {
        squares[n] = wide_double_set(0.0);
    }
    for (int i = 0; i < count; i += SN_LATTICE_BLOCK) {
        for (int lane = i; lane < i + SN_LATTICE_BLOCK; lane += SN_LANES) {
            wide_store(x + lane, SN_MADD(wide_set(a), wide_load(p + lane), wide_load(x + lane)));
            wide_store(b + lane, SN_MADD(wide_set(-a), wide_load(y + lane), wide_load(b + lane)));
        }
        for (int n = 0; n < SN_LATTICE_BLOCK / SN_DOUBLE_LANES; ++n) {
            WideDouble value = wide_double_from_float(b + i + n * SN_DOUBLE_LANES);
            squares[n] = squares[n] + value * value;
        }
    }
    memcpy(sums, squares, sizeof sums);
    return lattice_total(sums);
}

static void lattice_begin(const float *b, const float *d_inverse, float take, int count, float *p,
                          float *x)
{
    for (int i = 0; i < count; i += SN_LANES) {
        Wide step = wide_load(d_inverse + i) * take * wide_load(b + i);
        wide_store(p + i, step);
        wide_store(x + i, step);
    }
}

static void lattice_smooth(const float *b, const float *y, const float *d_inverse, float keep,
                           float take, int count, float *p, float *x)
{
    for (int i = 0; i < count; i += SN_LANES) {
        Wide r = wide_load(b + i) - wide_load(y + i);
        Wide step = SN_MADD(wide_load(d_inverse + i) * take, r, wide_load(p + i) * keep);
        wide_store(p + i, step);
        wide_store(x + i, wide_load(x + i) + step);
    }
}

static void lattice_residual(const float *b, const float *y, const float *d_inverse, int count,
                             float *out)
{
    for (int i = 0; i < count; ++i) {
        out[i] = d_inverse[i] != 0.0f ? b[i] - y[i] : 0.0f;
    }
}

static void lattice_mask(const float *d_inverse, int count, float *y)
{
    for (int i = 0; i < count; ++i) {
        y[i] = d_inverse[i] != 0.0f ? y[i] : 0.0f;
    }
}

static void lattice_add(float a, const float *x, int count, float *y)
{
    for (int i = 0; i < count; i += SN_LANES) {
        wide_store(y + i, SN_MADD(wide_set(a), wide_load(x + i), wide_load(y + i)));
    }
}

static void lattice_turn(float a, const float *x, int count, float *y)
{
    for (int i = 0; i < count; i += SN_LANES) {
        wide_store(y + i, SN_MADD(wide_set(a), wide_load(y + i), wide_load(x + i)));
    }
}

static void lattice_mass(float rate, const float *mass, const float *x, int blocks, float *y)
{
    for (size_t n = 0; n < (size_t)blocks; ++n) {
        for (int lane = 0; lane < SN_LATTICE_BLOCK; lane += SN_LANES) {
            Wide m = wide_load(mass + n * SN_LATTICE_BLOCK + lane) * rate;
            for (int k = 0; k < 3; ++k) {
                size_t at = n * SN_LATTICE_NODE + (size_t)(k * SN_LATTICE_BLOCK + lane);
                wide_store(y + at, SN_MADD(m, wide_load(x + at), wide_load(y + at)));
            }
        }
    }
}

// Transfers ---------------------------------------------------------------------------------------

static void lattice_gather(const SnLatticeRows *rows, const float *x, int axis, float *out)
{
    for (int b = 0; b < rows->blocks; ++b) {
        for (int lane = 0; lane < SN_LATTICE_BLOCK; lane += SN_LANES) {
            Wide sum = wide_set(0.0f);
            for (int r = 0; r < rows->count; ++r) {
                const float *at =
                    x + (size_t)rows->rows[r][b] * SN_LATTICE_NODE + axis * SN_LATTICE_BLOCK;
                sum = SN_MADD(wide_load(at + lane), wide_set(rows->weights[r]), sum);
            }
            wide_store(out + b * SN_LATTICE_BLOCK + lane, sum);
        }
    }
}

static void lattice_halve(const float *line, float *out)
{
    for (int k = 0; k < SN_LATTICE_BLOCK; ++k) {
        out[k] = line[2 * k] + 0.5f * (line[2 * k - 1] + line[2 * k + 1]);
    }
}

static void lattice_spread(const float *line, const float *d_inverse, float *out)
{
    _Alignas(64) float fine[SN_LATTICE_BLOCK];
    for (int lane = 0; lane < SN_LATTICE_BLOCK; lane += SN_LANES) {
        wide_store(fine + lane, wide_between(line, lane));
    }
    for (int k = 0; k < SN_LATTICE_BLOCK; ++k) {
        out[k] += d_inverse[k] != 0.0f ? fine[k] : 0.0f;
    }
}

#endif

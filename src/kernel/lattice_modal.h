// Matrices of cells in the space of their modes, sixteen cells at a time; see lattice.h. A cell's
// K is H^T M H, where H takes its 24 numbers to the 21 of D and Q: M knows no translations, which
// are exactly free, and a coarse cell's M is a sum over the cells below it that costs a hundredth
// of what products of 24 x 24 matrices do. Included as lattice_cell.h is.
#ifndef SN_KERNEL_LATTICE_MODAL_H
#define SN_KERNEL_LATTICE_MODAL_H

#include "kernel/lattice_cell.h"

// Number 3 m + i: mode m (three of D, four of Q), component i.
enum { LATTICE_MODES = 21 };

// M of cells that have a linearisation: 2 mu + lambda t t^T + A^T L A at the centre with
// t.D = tr(R^T D), A D = axl(R^T D), and the stiffness of the hourglass modes.
static inline void lattice_modal_centre(const LatticeTangent *t,
                                        Wide M[LATTICE_MODES][LATTICE_MODES])
{
    const Wide *R = t->R;
    Wide zero = wide_set(0.0f);
    for (int a = 0; a < 9; ++a) {
        int l = a / 3;
        const Wide *row = R + 3 * (a % 3);
        Wide A[3] = {zero, zero, zero}, w[3];
        A[(l + 2) % 3] = row[(l + 1) % 3];
        A[(l + 1) % 3] = -row[(l + 2) % 3];
        w[0] = lattice_dot3(t->L[0], A[0], t->L[3], A[1], t->L[4], A[2]);
        w[1] = lattice_dot3(t->L[3], A[0], t->L[1], A[1], t->L[5], A[2]);
        w[2] = lattice_dot3(t->L[4], A[0], t->L[5], A[1], t->L[2], A[2]);
        Wide along = t->lambda * row[l];
        for (int b = 0; b < 9; ++b) {
            int m = b / 3;
            const Wide *other = R + 3 * (b % 3);
            Wide sum = SN_MADD(w[(m + 2) % 3], other[(m + 1) % 3], along * other[m]);
            sum = SN_NMADD(w[(m + 1) % 3], other[(m + 2) % 3], sum);
            M[a][b] = a == b ? sum + (t->mu + t->mu) : sum;
        }
    }
}

static inline Wide lattice_modal_wilson(const LatticeModuli *c, const Wide *R, int a, int b, int p,
                                        int s)
{
    Wide zero = wide_set(0.0f);
    if (a == 3 || b == 3) {
        return a == b && p == s ? c->fourth : zero;
    }
    if (a != b) {
        return SN_MADD(c->cross, R[3 * p + b] * R[3 * s + a],
                       c->twist * (R[3 * p + a] * R[3 * s + b]));
    }
    Wide both = (c->twist + c->twist - c->bend) * (R[3 * p + a] * R[3 * s + a]);
    return p == s ? c->bend + both : both;
}

static inline void lattice_modal_hourglass(const LatticeTangent *t, float share, int wilson,
                                           Wide M[LATTICE_MODES][LATTICE_MODES])
{
    LatticeModuli c = lattice_moduli(t->mu, t->lambda);
    Wide zero = wide_set(0.0f);
    for (int m = 0; m < 12; ++m) {
        for (int n = 0; n < 12; ++n) {
            Wide edge = t->mu * (m / 3 == 3 ? 6.0f * share : 4.0f * share);
            M[9 + m][9 + n] = wilson ? lattice_modal_wilson(&c, t->R, m / 3, n / 3, m % 3, n % 3)
                                     : (m == n ? edge : zero);
        }
    }
}

// How the modes of the child on the side s of each axis follow from its parent's: from xi = (s +
// xi') / 2 in the trilinear field.
static inline void lattice_modal_inherit(int child, float S[7][7])
{
    float s[3];
    for (int k = 0; k < 3; ++k) {
        s[k] = child >> (2 - k) & 1 ? 1.0f : -1.0f;
    }
    for (int m = 0; m < 49; ++m) {
        S[m / 7][m % 7] = 0.0f;
    }
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        S[k][k] = 0.5f;
        S[k][3 + i] = 0.25f * s[j];
        S[k][3 + j] = 0.25f * s[i];
        S[k][6] = 0.125f * s[i] * s[j];
        S[3 + k][3 + k] = 0.25f;
        S[3 + k][6] = 0.125f * s[k];
    }
    S[6][6] = 0.125f;
}

// out += S^T M S, the upper triangle by rows. Row by row of M, so that all of it stays in the first
// cache. Unless it `mixes`, M has no entries between D and Q.
static inline void lattice_modal_sandwich(float S[7][7], Wide M[LATTICE_MODES][LATTICE_MODES],
                                          int lane, int mixes, float *out)
{
    for (int a = 0; a < LATTICE_MODES; ++a) {
        int first = mixes || a < 9 ? 0 : 3, last = mixes || a >= 9 ? 7 : 3;
        Wide B[LATTICE_MODES];
        for (int n = 0; n < 7; ++n) {
            Wide sum[3] = {wide_set(0.0f), wide_set(0.0f), wide_set(0.0f)};
            for (int m = first; m < last; ++m) {
                for (int k = 0; k < 3 && S[m][n] != 0.0f; ++k) {
                    sum[k] = SN_MADD(M[a][3 * m + k], wide_set(S[m][n]), sum[k]);
                }
            }
            for (int k = 0; k < 3; ++k) {
                B[3 * n + k] = sum[k];
            }
        }
        for (int n = 0; n < 7; ++n) {
            int row = 3 * n + a % 3;
            float *to = out + (row * LATTICE_MODES - row * (row - 1) / 2) * SN_LATTICE_BLOCK + lane;
            for (int b = row; b < LATTICE_MODES && S[a / 3][n] != 0.0f; ++b) {
                wide_store(to, SN_MADD(B[b], wide_set(S[a / 3][n]), wide_load(to)));
                to += SN_LATTICE_BLOCK;
            }
        }
    }
}

static inline void lattice_modal_add(const float *tangents, const float *modal, int child,
                                     float share, int wilson, float *out)
{
    // One tangent after the other, as an operator has them.
    SnLatticeOperator op = {.R = tangents,
                            .L = tangents + 9 * SN_LATTICE_BLOCK,
                            .lame = tangents + 15 * SN_LATTICE_BLOCK};
    float S[7][7];
    lattice_modal_inherit(child, S);
    for (int lane = 0; lane < SN_LATTICE_BLOCK; lane += SN_LANES) {
        Wide M[LATTICE_MODES][LATTICE_MODES];
        LatticeTangent t = lattice_tangent(&op, 0, lane);
        lattice_modal_centre(&t, M);
        lattice_modal_hourglass(&t, share, wilson, M);
        for (int k = 0; k < 9 * 12 && modal != NULL; ++k) {
            M[k / 12][9 + k % 12] = M[9 + k % 12][k / 12] = wide_set(0.0f);
        }
        const float *own = modal;
        for (int a = 0; a < LATTICE_MODES && modal != NULL; ++a) {
            for (int b = a; b < LATTICE_MODES; ++b, own += SN_LATTICE_BLOCK) {
                Wide value = wide_load(own + lane);
                M[a][b] = M[a][b] + value;
                M[b][a] = a == b ? M[a][b] : M[b][a] + value;
            }
        }
        if (modal != NULL) {
            lattice_modal_sandwich(S, M, lane, 1, out);
        } else {
            lattice_modal_sandwich(S, M, lane, 0, out);
        }
    }
}

// The upper triangle of M of a block.
static inline void lattice_modal_make(const SnLatticeOperator *op, int block, int wilson,
                                      float *out)
{
    for (int lane = 0; lane < SN_LATTICE_BLOCK; lane += SN_LANES) {
        Wide M[LATTICE_MODES][LATTICE_MODES];
        LatticeTangent t = lattice_tangent(op, block, lane);
        float *to = out + lane;
        lattice_modal_centre(&t, M);
        lattice_modal_hourglass(&t, op->hourglass, wilson, M);
        for (int a = 0; a < LATTICE_MODES; ++a) {
            for (int b = a; b < LATTICE_MODES; ++b, to += SN_LATTICE_BLOCK) {
                wide_store(to, a < 9 && b >= 9 ? wide_set(0.0f) : M[a][b]);
            }
        }
    }
}

static void lattice_modal_make_wilson(const SnLatticeOperator *op, int block, float *out)
{
    lattice_modal_make(op, block, 1, out);
}

static void lattice_modal_make_mcadams(const SnLatticeOperator *op, int block, float *out)
{
    lattice_modal_make(op, block, 0, out);
}

static void lattice_modal_add_wilson(const float *tangents, const float *modal, int child,
                                     float share, float *out)
{
    lattice_modal_add(tangents, modal, child, share, 1, out);
}

static void lattice_modal_add_mcadams(const float *tangents, const float *modal, int child,
                                      float share, float *out)
{
    lattice_modal_add(tangents, modal, child, share, 0, out);
}

// y = H^T M H x.
static void lattice_modal_apply(const float *modal, const float *x, float *y)
{
    for (int lane = 0; lane < SN_LATTICE_BLOCK; lane += SN_LANES) {
        Wide in[LATTICE_MODES], out[LATTICE_MODES];
        const float *M = modal + lane;
        for (int k = 0; k < 3; ++k) {
            LatticeCorners c;
            for (int r = 0; r < 8; ++r) {
                c.at[r / 2][r % 2] = wide_load(x + (3 * r + k) * SN_LATTICE_BLOCK + lane);
            }
            LatticeModes m = lattice_transform(&c);
            for (int n = 0; n < 7; ++n) {
                in[3 * n + k] = n < 3 ? m.d[n % 3] : m.q[n - 3 < 0 ? 0 : n - 3];
                out[3 * n + k] = wide_set(0.0f);
            }
        }
        for (int a = 0; a < LATTICE_MODES; ++a) {
            Wide sum = SN_MADD(wide_load(M), in[a], out[a]);
            M += SN_LATTICE_BLOCK;
            for (int b = a + 1; b < LATTICE_MODES; ++b, M += SN_LATTICE_BLOCK) {
                Wide value = wide_load(M);
                sum = SN_MADD(value, in[b], sum);
                out[b] = SN_MADD(value, in[a], out[b]);
            }
            out[a] = sum;
        }
        for (int k = 0; k < 3; ++k) {
            LatticeModes m = {.d = {out[k], out[3 + k], out[6 + k]},
                              .q = {out[9 + k], out[12 + k], out[15 + k], out[18 + k]}};
            LatticeCorners c = lattice_transform_back(&m);
            for (int r = 0; r < 8; ++r) {
                wide_store(y + (3 * r + k) * SN_LATTICE_BLOCK + lane, c.at[r / 2][r % 2]);
            }
        }
    }
}

// The sign of mode n at a corner.
static inline float lattice_modal_sign(int n, int corner)
{
    static const int axes[7] = {4, 2, 1, 3, 5, 6, 7}; // bits of the corner that count
    int ones = axes[n] & corner;
    int plus = (ones >> 2 & 1) + (ones >> 1 & 1) + (ones & 1);
    int all = (axes[n] >> 2 & 1) + (axes[n] >> 1 & 1) + (axes[n] & 1);
    return (all - plus) % 2 ? -1.0f : 1.0f;
}

static void lattice_modal_diagonal(const float *modal, float *y)
{
    for (int n = 0; n < 24; ++n) {
        int k = n % 3;
        for (int lane = 0; lane < SN_LATTICE_BLOCK; lane += SN_LANES) {
            Wide sum = wide_set(0.0f);
            for (int a = 0; a < 7; ++a) {
                for (int b = a; b < 7; ++b) {
                    int row = 3 * a + k, at = row * LATTICE_MODES - row * (row - 1) / 2;
                    float sign = lattice_modal_sign(a, n / 3) * lattice_modal_sign(b, n / 3);
                    Wide value = wide_load(modal + (at + 3 * (b - a)) * SN_LATTICE_BLOCK + lane);
                    sum = SN_MADD(value, wide_set(a == b ? 1.0f : 2.0f * sign), sum);
                }
            }
            wide_store(y + n * SN_LATTICE_BLOCK + lane, sum);
        }
    }
}

#endif

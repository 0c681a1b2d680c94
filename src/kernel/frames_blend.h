// The bodies of the frames kernels; see frames.h. Included once by the wide source and once by the
// reference, which say what a Real is (doubles side by side, or one), REAL_LANES, and how it is
// loaded, stored, set and multiplied with addition.
#ifndef SN_KERNEL_FRAMES_BLEND_H
#define SN_KERNEL_FRAMES_BLEND_H

#define GROUP SN_FRAMES_GROUP

// c - a b.
static inline Real real_nmadd(Real a, Real b, Real c)
{
    return real_madd(-a, b, c);
}

// a b; quaternions are (x, y, z, w).
static inline void quat(const Real a[4], const Real b[4], Real out[4])
{
    out[0] = real_nmadd(a[2], b[1], real_madd(a[1], b[2], real_madd(a[0], b[3], a[3] * b[0])));
    out[1] = real_madd(a[2], b[0], real_nmadd(a[0], b[2], real_madd(a[1], b[3], a[3] * b[1])));
    out[2] = real_nmadd(a[1], b[0], real_madd(a[0], b[1], real_madd(a[2], b[3], a[3] * b[2])));
    out[3] = real_nmadd(a[2], b[2], real_nmadd(a[1], b[1], real_nmadd(a[0], b[0], a[3] * b[3])));
}

static inline void conjugate(const Real a[4], Real out[4])
{
    out[0] = -a[0];
    out[1] = -a[1];
    out[2] = -a[2];
    out[3] = a[3];
}

// a b*, and a* b.
static inline void quat_right(const Real a[4], const Real b[4], Real out[4])
{
    Real c[4];
    conjugate(b, c);
    quat(a, c, out);
}

static inline void quat_left(const Real a[4], const Real b[4], Real out[4])
{
    Real c[4];
    conjugate(a, c);
    quat(c, b, out);
}

static inline void left_matrix(const Real a[4], Real m[16])
{
    Real v[16] = {a[3],  -a[2], a[1], a[0], a[2],  a[3],  -a[0], a[1],
                  -a[1], a[0],  a[3], a[2], -a[0], -a[1], -a[2], a[3]};
    for (int i = 0; i < 16; ++i) {
        m[i] = v[i];
    }
}

static inline void right_matrix(const Real b[4], Real m[16])
{
    Real v[16] = {b[3], b[2],  -b[1], b[0], -b[2], b[3],  b[0],  b[1],
                  b[1], -b[0], b[3],  b[2], -b[0], -b[1], -b[2], b[3]};
    for (int i = 0; i < 16; ++i) {
        m[i] = v[i];
    }
}

// M with <g, a b> = a^T M b.
static inline void form_matrix(const Real g[4], Real m[16])
{
    Real v[16] = {-g[3], g[2],  -g[1], g[0], -g[2], -g[3], g[0], g[1],
                  g[1],  -g[0], -g[3], g[2], g[0],  g[1],  g[2], g[3]};
    for (int i = 0; i < 16; ++i) {
        m[i] = v[i];
    }
}

static inline void mat4(const Real a[16], const Real b[16], Real out[16])
{
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c < 4; ++c) {
            Real sum = a[4 * r] * b[c];
            for (int k = 1; k < 4; ++k) {
                sum = real_madd(a[4 * r + k], b[4 * k + c], sum);
            }
            out[4 * r + c] = sum;
        }
    }
}

// A sample's blend and the matrices of its derivatives.
typedef struct Sample {
    Real X[4], m[4], A[4], B[3][4], D[3][4];
    Real left[16], NL[16], turn[3][16], value[3][16];
} Sample;

static inline void invert_quat(const Real b[4], Real out[4])
{
    Real square = real_madd(b[3], b[3], real_madd(b[2], b[2], real_madd(b[1], b[1], b[0] * b[0])));
    Real inverse = real_set(1.0) / square;
    for (int c = 0; c < 4; ++c) {
        out[c] = (c < 3 ? -b[c] : b[c]) * inverse;
    }
}

// z of a sample: 8 numbers for each of the four weights.
static inline void gather_sample(const SnFramesBatch *batch, const double *weights, Real z[32])
{
    for (int n = 0; n < 32; ++n) {
        z[n] = real_set(0.0);
    }
    for (int i = 0; i < batch->frame_count; ++i) {
        for (int a = 0; a < 4; ++a) {
            Real u = real_load(weights + (4 * i + a) * GROUP);
            for (int c = 0; c < 8; ++c) {
                z[8 * a + c] = real_madd(u, real_set(batch->frames[8 * i + c]), z[8 * a + c]);
            }
        }
    }
}

static inline void make_sample(const Real z[32], Sample *s)
{
    Real Y[4];
    invert_quat(z, s->m);
    quat(z, s->X, Y);
    for (int c = 0; c < 4; ++c) {
        Y[c] += z[4 + c];
    }
    quat(s->m, Y, s->A);
    for (int k = 0; k < 3; ++k) {
        const Real *W = z + 8 * (k + 1);
        Real unit[4] = {real_set(0.0), real_set(0.0), real_set(0.0), real_set(0.0)};
        Real be[4], Yk[4], mY[4], AB[4];
        unit[k] = real_set(1.0);
        quat(W, s->X, Yk);
        quat(z, unit, be);
        for (int c = 0; c < 4; ++c) {
            Yk[c] += W[4 + c] + be[c];
        }
        quat(s->m, W, s->B[k]);
        quat(s->m, Yk, mY);
        quat(s->A, s->B[k], AB);
        for (int c = 0; c < 4; ++c) {
            s->D[k][c] = mY[c] - AB[c];
        }
    }
}

// Where the two indices of a strain are: rows and columns of D.
static const int strain_a[6] = {0, 1, 2, 1, 0, 0}, strain_b[6] = {0, 1, 2, 2, 2, 1};

// D as columns without the scalar part, E the strain that is measured of it.
static inline void measure_strain(const Sample *s, bool green, Real e[6])
{
    for (int n = 0; n < 6; ++n) {
        int a = strain_a[n], b = strain_b[n];
        if (green) {
            Real dot = real_madd(s->D[a][2], s->D[b][2],
                                 real_madd(s->D[a][1], s->D[b][1], s->D[a][0] * s->D[b][0]));
            e[n] = n < 3 ? (dot - real_set(1.0)) * real_set(0.5) : dot;
        } else {
            e[n] = n < 3 ? s->D[a][a] - real_set(1.0) : s->D[b][a] + s->D[a][b];
        }
    }
}

// Energy and the gradient by D, as columns. Offsets may be none.
static inline Real stress_sample(const Sample *s, const double *roots, const double *offsets,
                                 bool green, Real G[3][4])
{
    Real e[6], stress[6], energy = real_set(0.0);
    int at = 0;
    measure_strain(s, green, e);
    for (int n = 0; n < 6; ++n) {
        stress[n] = real_set(0.0);
        if (offsets != 0) {
            e[n] -= real_load(offsets + n * GROUP);
        }
    }
    for (int r = 0; r < 6; ++r) {
        Real sum = real_set(0.0);
        for (int c = r; c < 6; ++c) {
            sum = real_madd(real_load(roots + (at + c - r) * GROUP), e[c], sum);
        }
        for (int c = r; c < 6; ++c) {
            stress[c] = real_madd(real_load(roots + (at + c - r) * GROUP), sum, stress[c]);
        }
        energy = real_madd(sum * real_set(0.5), sum, energy);
        at += 6 - r;
    }
    for (int k = 0; k < 3; ++k) {
        for (int r = 0; r < 4; ++r) {
            G[k][r] = real_set(0.0);
        }
    }
    for (int n = 0; n < 6; ++n) {
        int a = strain_a[n], b = strain_b[n];
        for (int r = 0; r < 3; ++r) {
            if (green) {
                G[a][r] = real_madd(stress[n], s->D[b][r], G[a][r]);
                if (n >= 3) {
                    G[b][r] = real_madd(stress[n], s->D[a][r], G[b][r]);
                }
            } else if (r == a) {
                G[b][r] = stress[n];
            } else if (r == b) {
                G[a][r] = stress[n];
            }
        }
    }
    return energy;
}

// Gradient by z.
static inline void reverse_sample(const Sample *s, Real G[3][4], Real g[32])
{
    Real rho[4], beta[4], a[4], b[4];
    for (int c = 0; c < 4; ++c) {
        rho[c] = beta[c] = real_set(0.0);
    }
    for (int k = 0; k < 3; ++k) {
        Real omega[4], unit[4] = {real_set(0.0), real_set(0.0), real_set(0.0), real_set(0.0)};
        unit[k] = real_set(1.0);
        quat_right(G[k], s->X, a);
        quat_left(s->A, G[k], b);
        for (int c = 0; c < 4; ++c) {
            omega[c] = a[c] - b[c];
        }
        quat_left(s->m, omega, g + 8 * (k + 1));
        quat_left(s->m, G[k], g + 8 * (k + 1) + 4);
        quat_right(G[k], s->B[k], a);
        for (int c = 0; c < 4; ++c) {
            rho[c] -= a[c];
        }
        quat_right(G[k], unit, a);
        quat_right(G[k], s->D[k], b);
        for (int c = 0; c < 4; ++c) {
            beta[c] += a[c] - b[c];
        }
    }
    quat_right(rho, s->X, a);
    quat_left(s->A, rho, b);
    for (int c = 0; c < 4; ++c) {
        beta[c] += a[c] - b[c];
    }
    quat_left(s->m, beta, g);
    quat_left(s->m, rho, g + 4);
}

// Matrices of dD: of D_k by b it is value[k], by S -turn[k]; by W_k NL, by S_k left.
static inline void tangent_sample(Sample *s)
{
    Real RX[16], LA[16], N[16];
    left_matrix(s->m, s->left);
    right_matrix(s->X, RX);
    left_matrix(s->A, LA);
    for (int i = 0; i < 16; ++i) {
        N[i] = RX[i] - LA[i];
    }
    mat4(N, s->left, s->NL);
    for (int k = 0; k < 3; ++k) {
        Real unit[4] = {real_set(0.0), real_set(0.0), real_set(0.0), real_set(0.0)};
        Real RB[16], Re[16], RD[16], a[16], c[16];
        unit[k] = real_set(1.0);
        right_matrix(s->B[k], RB);
        right_matrix(unit, Re);
        right_matrix(s->D[k], RD);
        mat4(RB, s->left, s->turn[k]);
        mat4(RB, s->NL, a);
        for (int i = 0; i < 16; ++i) {
            Re[i] -= RD[i];
        }
        mat4(Re, s->left, c);
        for (int i = 0; i < 16; ++i) {
            s->value[k][i] = c[i] - a[i];
        }
    }
}

// Strains of columns: 6 rows of 8 from dD_k = value (of k) or grad (of k), before weights.
static inline void strain_rows(const Sample *s, bool green, int k, bool value, Real out[48])
{
    for (int n = 0; n < 48; ++n) {
        out[n] = real_set(0.0);
    }
    for (int n = 0; n < 6; ++n) {
        for (int side = 0; side < (n < 3 ? 1 : 2); ++side) {
            int column = side == 0 ? strain_b[n] : strain_a[n];
            int other = side == 0 ? strain_a[n] : strain_b[n];
            if (column != k) {
                continue;
            }
            for (int r = 0; r < 3; ++r) {
                if (!green && r != other) {
                    continue;
                }
                Real factor = green ? s->D[other][r] : real_set(1.0);
                for (int c = 0; c < 4; ++c) {
                    Real q = value ? s->value[k][4 * r + c] : s->NL[4 * r + c];
                    Real t = value ? -s->turn[k][4 * r + c] : s->left[4 * r + c];
                    out[8 * n + c] = real_madd(factor, q, out[8 * n + c]);
                    out[8 * n + 4 + c] = real_madd(factor, t, out[8 * n + 4 + c]);
                }
            }
        }
    }
}

// R times strains times jacobian of each frame: 36 groups a frame, row by row of six.
static inline void make_rows(const SnFramesBatch *batch, const Sample *s, const double *weights,
                             const double *roots, int lane)
{
    Real parts[4][48], sum[48];
    for (int n = 0; n < 48; ++n) {
        parts[0][n] = real_set(0.0);
    }
    for (int k = 0; k < 3; ++k) {
        strain_rows(s, batch->green, k, true, sum);
        for (int n = 0; n < 48; ++n) {
            parts[0][n] += sum[n];
        }
        strain_rows(s, batch->green, k, false, parts[1 + k]);
    }
    for (int p = 0; p < 4; ++p) { // R times strains
        int at = 0;
        for (int r = 0; r < 6; ++r) {
            for (int c = 0; c < 8; ++c) {
                Real total = real_set(0.0);
                for (int k = r; k < 6; ++k) {
                    total = real_madd(real_load(roots + (at + k - r) * GROUP), parts[p][8 * k + c],
                                      total);
                }
                parts[p][8 * r + c] = total; // rows above are not read again
            }
            at += 6 - r;
        }
    }
    for (int i = 0; i < batch->frame_count; ++i) {
        const double *u = weights + 4 * i * GROUP, *L = batch->jacobians + 48 * i;
        Real w[4];
        for (int a = 0; a < 4; ++a) {
            w[a] = real_load(u + a * GROUP);
        }
        for (int n = 0; n < 48; ++n) {
            sum[n] = real_madd(
                w[3], parts[3][n],
                real_madd(w[2], parts[2][n], real_madd(w[1], parts[1][n], w[0] * parts[0][n])));
        }
        for (int r = 0; r < 6; ++r) {
            for (int d = 0; d < 6; ++d) {
                Real total = sum[8 * r] * real_set(L[d]);
                for (int c = 1; c < 8; ++c) {
                    total = real_madd(sum[8 * r + c], real_set(L[6 * c + d]), total);
                }
                real_store(batch->scratch + (6 * (6 * i + d) + r) * GROUP + lane, total);
            }
        }
    }
}

// matrix += rows^T rows; scratch has the six rows of a dof side by side.
static inline void add_matrix(const SnFramesBatch *batch, int lane)
{
    int dofs = 6 * batch->frame_count;
    double *out = batch->matrix + lane;
    for (int i = 0; i < dofs; ++i) {
        const double *a = batch->scratch + (6 * i) * GROUP + lane;
        Real r0 = real_load(a), r1 = real_load(a + GROUP), r2 = real_load(a + 2 * GROUP);
        Real r3 = real_load(a + 3 * GROUP), r4 = real_load(a + 4 * GROUP);
        Real r5 = real_load(a + 5 * GROUP);
        for (int j = 0; j <= i; ++j, out += GROUP) {
            const double *b = batch->scratch + (6 * j) * GROUP + lane;
            Real even = real_madd(r0, real_load(b), real_load(out));
            Real odd = r1 * real_load(b + GROUP);
            even = real_madd(r2, real_load(b + 2 * GROUP), even);
            odd = real_madd(r3, real_load(b + 3 * GROUP), odd);
            even = real_madd(r4, real_load(b + 4 * GROUP), even);
            odd = real_madd(r5, real_load(b + 5 * GROUP), odd);
            real_store(out, even + odd);
        }
    }
}

// The curve T of one frame, 64 groups.
static inline void make_curve(const Sample *s, Real M[3][16], const Real w[4], double *out)
{
    Real U[32], V[16];
    for (int n = 0; n < 32; ++n) {
        U[n] = real_set(0.0);
        V[n % 16] = real_set(0.0);
    }
    for (int k = 0; k < 3; ++k) {
        Real rows[32], kappa[16];
        for (int n = 0; n < 16; ++n) {
            int r = n / 4, c = n % 4;
            rows[8 * r + c] = real_madd(w[1 + k], s->NL[n], w[0] * s->value[k][n]);
            rows[8 * r + 4 + c] = real_nmadd(w[0], s->turn[k][n], w[1 + k] * s->left[n]);
            kappa[n] = rows[8 * r + 4 + c];
        }
        for (int r = 0; r < 4; ++r) {
            for (int i = 0; i < 4; ++i) {
                for (int c = 0; c < 8; ++c) {
                    U[8 * r + c] = real_madd(M[k][4 * r + i], rows[8 * i + c], U[8 * r + c]);
                }
                for (int c = 0; c < 4; ++c) {
                    V[4 * r + c] = real_madd(M[k][4 * r + i], kappa[4 * i + c], V[4 * r + c]);
                }
            }
        }
    }
    for (int r = 0; r < 8; ++r) {
        for (int c = 0; c < 8; ++c) {
            Real sum = real_set(0.0);
            for (int i = 0; i < 4; ++i) {
                if (r < 4) {
                    sum = real_madd(s->left[4 * i + r], U[8 * i + c], sum);
                }
                if (c < 4) {
                    Real grad = r < 4 ? s->NL[4 * i + r] : s->left[4 * i + r - 4];
                    sum = real_madd(grad, V[4 * i + c], sum);
                }
            }
            real_store(out + (8 * r + c) * GROUP, sum);
        }
    }
}

// blocks -= w_i T_j + w_j T_i^T.
static inline void add_curves(const SnFramesBatch *batch, const Sample *s, Real G[3][4],
                              const double *weights, int lane)
{
    Real M[3][16];
    double *curves = batch->scratch + 36 * batch->frame_count * GROUP + lane;
    double *out = batch->blocks + lane;
    for (int k = 0; k < 3; ++k) {
        form_matrix(G[k], M[k]);
    }
    for (int i = 0; i < batch->frame_count; ++i) {
        Real w[4];
        for (int a = 0; a < 4; ++a) {
            w[a] = real_load(weights + (4 * i + a) * GROUP);
        }
        make_curve(s, M, w, curves + 64 * i * GROUP);
    }
    for (int i = 0; i < batch->frame_count; ++i) {
        Real wi = real_load(weights + 4 * i * GROUP);
        for (int j = i; j < batch->frame_count; ++j) {
            Real wj = real_load(weights + 4 * j * GROUP);
            const double *Ti = curves + 64 * i * GROUP, *Tj = curves + 64 * j * GROUP;
            for (int n = 0; n < 64; ++n, out += GROUP) {
                Real sum = real_nmadd(wi, real_load(Tj + n * GROUP), real_load(out));
                sum = real_nmadd(wj, real_load(Ti + (n % 8 * 8 + n / 8) * GROUP), sum);
                real_store(out, sum);
            }
        }
    }
}

static inline Real determinant(const Sample *s)
{
    const Real *a = s->D[0], *b = s->D[1], *c = s->D[2];
    Real x = real_nmadd(b[2], c[1], b[1] * c[2]);
    Real y = real_nmadd(b[0], c[2], b[2] * c[0]);
    Real z = real_nmadd(b[1], c[0], b[0] * c[1]);
    return real_madd(a[2], z, real_madd(a[1], y, a[0] * x));
}

static void frames_samples(const SnFramesBatch *batch, int begin, int end)
{
    int frames = batch->frame_count;
    for (int group = begin; group < end; ++group) {
        for (int lane = 0; lane < GROUP; lane += REAL_LANES) {
            const double *weights = batch->weights + 4 * (long)frames * group * GROUP + lane;
            const double *roots = batch->roots + SN_FRAMES_ROOT * (long)group * GROUP + lane;
            const double *offsets =
                batch->offsets != 0 ? batch->offsets + 6 * (long)group * GROUP + lane : 0;
            Sample s;
            Real z[32], G[3][4], g[32];
            for (int k = 0; k < 3; ++k) {
                s.X[k] = real_load(batch->X + (3 * (long)group + k) * GROUP + lane);
            }
            s.X[3] = real_set(0.0);
            gather_sample(batch, weights, z);
            make_sample(z, &s);
            real_store(batch->dets + (long)group * GROUP + lane, determinant(&s));
            Real energy = stress_sample(&s, roots, offsets, batch->green, G);
            real_store(batch->energy + lane, real_load(batch->energy + lane) + energy);
            reverse_sample(&s, G, g);
            for (int i = 0; i < frames; ++i) {
                for (int c = 0; c < 8; ++c) {
                    double *out = batch->gradient + (8 * i + c) * GROUP + lane;
                    Real sum = real_load(out);
                    for (int a = 0; a < 4; ++a) {
                        sum =
                            real_madd(real_load(weights + (4 * i + a) * GROUP), g[8 * a + c], sum);
                    }
                    real_store(out, sum);
                }
            }
            if (batch->matrix != 0) {
                tangent_sample(&s);
                make_rows(batch, &s, weights, roots, lane);
                add_matrix(batch, lane);
            }
            if (batch->matrix != 0 && batch->blocks != 0) {
                add_curves(batch, &s, G, weights, lane);
            }
        }
    }
}

// Points -----------------------------------------------------------------------------------------

typedef struct Place {
    Real X[4], m[4], P[4];
} Place;

static inline void make_place(const SnFramesPoints *points, int group, int lane, Place *out)
{
    const double *weights = points->weights + (long)points->frame_count * group * GROUP + lane;
    Real z[8], Y[4];
    for (int c = 0; c < 8; ++c) {
        z[c] = real_set(0.0);
    }
    for (int i = 0; i < points->frame_count; ++i) {
        Real w = real_load(weights + i * GROUP);
        for (int c = 0; c < 8; ++c) {
            z[c] = real_madd(w, real_set(points->frames[8 * i + c]), z[c]);
        }
    }
    for (int k = 0; k < 3; ++k) {
        out->X[k] = real_load(points->X + (3 * (long)group + k) * GROUP + lane);
    }
    out->X[3] = real_set(0.0);
    invert_quat(z, out->m);
    quat(z, out->X, Y);
    for (int c = 0; c < 4; ++c) {
        Y[c] += z[4 + c];
    }
    quat(Y, out->m, out->P);
}

static void frames_place(const SnFramesPoints *points, int begin, int end)
{
    for (int group = begin; group < end; ++group) {
        for (int lane = 0; lane < GROUP; lane += REAL_LANES) {
            Place p;
            make_place(points, group, lane, &p);
            for (int k = 0; k < 3; ++k) {
                real_store(points->x + (3 * (long)group + k) * GROUP + lane, p.P[k]);
            }
        }
    }
}

// Second derivative by a point's own (b, S): J^T K J, and minus the force along the curvature.
static inline void point_square(const SnFramesPoints *points, const Place *p, const Real y[4],
                                int group, int lane, Real out[64])
{
    static const int at[9] = {0, 5, 4, 5, 1, 3, 4, 3, 2};
    const double *K = points->stiffness + 6 * (long)group * GROUP + lane;
    Real RX[16], LP[16], Rm[16], a[16], rows[32], form[16];
    right_matrix(p->X, RX);
    left_matrix(p->P, LP);
    right_matrix(p->m, Rm);
    for (int i = 0; i < 16; ++i) {
        RX[i] -= LP[i];
    }
    mat4(Rm, RX, a);
    for (int n = 0; n < 32; ++n) {
        rows[n] = n % 8 < 4 ? a[4 * (n / 8) + n % 8] : Rm[4 * (n / 8) + n % 8 - 4];
    }
    for (int n = 0; n < 64; ++n) {
        out[n] = real_set(0.0);
    }
    for (int k = 0; k < 3; ++k) {
        Real pushed[8];
        for (int c = 0; c < 8; ++c) {
            pushed[c] = real_load(K + at[3 * k] * GROUP) * rows[c];
            pushed[c] = real_madd(real_load(K + at[3 * k + 1] * GROUP), rows[8 + c], pushed[c]);
            pushed[c] = real_madd(real_load(K + at[3 * k + 2] * GROUP), rows[16 + c], pushed[c]);
        }
        for (int n = 0; n < 64; ++n) {
            out[n] = real_madd(rows[8 * k + n / 8], pushed[n % 8], out[n]);
        }
    }
    if (!points->curved) {
        return;
    }
    form_matrix(y, form); // of <y, dP db>, y being the force times m*
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c < 8; ++c) {
            Real sum = form[r] * rows[c];
            for (int i = 1; i < 4; ++i) {
                sum = real_madd(form[4 * i + r], rows[8 * i + c], sum);
            }
            out[8 * r + c] += sum;
            out[8 * c + r] += sum;
        }
    }
}

static void frames_push(const SnFramesPoints *points, int begin, int end)
{
    int frames = points->frame_count;
    for (int group = begin; group < end; ++group) {
        for (int lane = 0; lane < GROUP; lane += REAL_LANES) {
            const double *weights = points->weights + (long)frames * group * GROUP + lane;
            Place p;
            Real f[4], y[4], a[4], b[4], g[8], Q[64];
            make_place(points, group, lane, &p);
            for (int k = 0; k < 3; ++k) {
                f[k] = real_load(points->forces + (3 * (long)group + k) * GROUP + lane);
            }
            f[3] = real_set(0.0);
            quat_right(f, p.m, y);
            quat_right(y, p.X, a);
            quat_left(p.P, y, b);
            for (int c = 0; c < 4; ++c) {
                g[c] = a[c] - b[c];
                g[4 + c] = y[c];
            }
            for (int i = 0; i < frames; ++i) {
                Real w = real_load(weights + i * GROUP);
                for (int c = 0; c < 8; ++c) {
                    double *out = points->gradient + (8 * i + c) * GROUP + lane;
                    real_store(out, real_nmadd(w, g[c], real_load(out)));
                }
            }
            if (points->blocks == 0) {
                continue;
            }
            point_square(points, &p, y, group, lane, Q);
            double *out = points->blocks + lane;
            for (int i = 0; i < frames; ++i) {
                Real wi = real_load(weights + i * GROUP);
                for (int j = i; j < frames; ++j) {
                    Real share = wi * real_load(weights + j * GROUP);
                    for (int n = 0; n < 64; ++n, out += GROUP) {
                        real_store(out, real_madd(share, Q[n], real_load(out)));
                    }
                }
            }
        }
    }
}

#endif

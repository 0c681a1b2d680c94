// Sweeps over tets one at a time, see tet_sweep.h; operation by operation in the order of the wide
// source, so that the portable variants must give the same bits.
#include "kernel/tet_sweep.h"

#include "kernel/rotation_ref.h"

extern const SnTetKernels sn_tet_ref;

typedef struct Tet {
    float B[9];
    float two_mu, lambda; // times the volume
    float F[9];           // or dF
    float q[4];
    float R[9];
} Tet;

// What is being swept: a block of a patch.
typedef struct Place {
    const SnTetSweep *sweep;
    int patch;
    int block;
    float *force; // of the patch, tet_sweep.h: sources
} Place;

static void load_tet(const Place *p, int lane, Tet *t)
{
    const SnTetSweep *s = p->sweep;
    const int *row_vertex = s->row_vertex + s->patch_row[p->patch];
    float rest[SN_TET_REST];
    float D[9];
    size_t b = (size_t)p->block * SN_TET_BLOCK;
    const float *x[4];
    for (int a = 0; a < 4; ++a) {
        x[a] = s->x + row_vertex[s->corners[4 * b + (size_t)(a * SN_TET_BLOCK + lane)] / 4];
    }
    ref_load(s->rest + SN_TET_REST * b, SN_TET_REST, SN_TET_BLOCK, lane, rest);
    memcpy(t->B, rest, sizeof t->B);
    t->two_mu = rest[9];
    t->lambda = rest[10];
    for (int a = 0; a < 3; ++a) {
        for (int i = 0; i < 3; ++i) {
            D[3 * i + a] = x[a + 1][i] - x[0][i];
        }
    }
    ref_multiply(D, t->B, t->F);
}

// The rotation, after the Newton steps that are asked for.
static void follow(const Place *p, int lane, Tet *t)
{
    const SnTetSweep *s = p->sweep;
    float *q = s->q + (size_t)p->block * 4 * SN_TET_BLOCK;
    ref_load(q, 4, SN_TET_BLOCK, lane, t->q);
    for (int k = 0; k < s->rotations; ++k) {
        if (!sn_ref_newton_step(t->F, t->q)) {
            float R[9];
            sn_ref_rotation_of_any(t->F, R);
            sn_ref_quat_from_mat3(R, t->q);
        }
    }
    ref_store(q, 4, SN_TET_BLOCK, lane, t->q);
    sn_ref_quat_to_mat3(t->q, t->R);
}

static void scatter(Place *p, int lane, const Tet *t, const float G[9])
{
    float f[9];
    ref_multiply_transpose(G, t->B, f);
    for (int a = 0; a < 4; ++a) {
        int first = p->sweep->patch_block[p->patch];
        float *out = p->force + 4 * (64 * (p->block - first) + 16 * a + 4 * (lane % 4) + lane / 4);
        for (int i = 0; i < 3; ++i) {
            const float *row = f + 3 * i;
            out[i] = a == 0 ? 0.0f - ((row[0] + row[1]) + row[2]) : row[a - 1];
        }
    }
}

static void sum_rows(const SnTetSweep *s, int patch, const float *force)
{
    for (int r = s->patch_row[patch]; r < s->patch_row[patch + 1]; ++r) {
        for (size_t i = 0; i < 4; ++i) {
            float sums[2] = {0.0f, 0.0f};
            for (int n = s->row_start[r]; n < s->row_start[r + 1] && i < 3; ++n) {
                int side = (n - s->row_start[r]) % 2;
                sums[side] = sums[side] + force[s->sources[n] + i];
            }
            s->rows[4 * (size_t)r + i] = sums[0] + sums[1];
        }
    }
}

static void cofactor(const float f[9], float c[9])
{
    for (int r = 0; r < 3; ++r) {
        int r1 = (r + 1) % 3, r2 = (r + 2) % 3;
        for (int k = 0; k < 3; ++k) {
            int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            // The wide source writes the products of each difference in this order too.
            c[3 * r + k] = f[3 * r1 + k1] * f[3 * r2 + k2] - f[3 * r1 + k2] * f[3 * r2 + k1];
        }
    }
}

// Floats of a block's tangent.
static size_t tangent_size(SnTetLaw law)
{
    return (size_t)sn_tet_tangent_planes(law) * SN_TET_BLOCK;
}

static void store_tangent(float *planes, int lane, const float y[9], float k)
{
    float a01 = (y[1] + y[3]) * 0.5f;
    float a02 = (y[2] + y[6]) * 0.5f;
    float a12 = (y[5] + y[7]) * 0.5f;
    float b01 = fabsf(a01);
    float b02 = fabsf(a02);
    float b12 = fabsf(a12);
    float trace = (y[0] + y[4]) + y[8];
    float disc = ref_max(y[0] + (b01 + b02), ref_max(y[4] + (b01 + b12), y[8] + (b02 + b12)));
    float shift = ref_max(0.0f, 2.0f - (trace - disc));
    float h00 = (y[4] + y[8]) + shift;
    float h11 = (y[0] + y[8]) + shift;
    float h22 = (y[0] + y[4]) + shift;
    float c00 = h11 * h22 - a12 * a12;
    float c11 = h00 * h22 - a02 * a02;
    float c22 = h00 * h11 - a01 * a01;
    float c01 = a01 * h22 + a02 * a12;
    float c02 = a02 * h11 + a01 * a12;
    float c12 = a12 * h00 + a01 * a02;
    float det = (h00 * c00 - a01 * c01) - a02 * c02;
    float scale = k / det;
    const float w[6] = {c00 * scale, c11 * scale, c22 * scale,
                        c01 * scale, c02 * scale, c12 * scale};
    ref_store(planes, 6, SN_TET_BLOCK, lane, w);
}

static void gradient_one(Place *p, int lane)
{
    const SnTetSweep *s = p->sweep;
    Tet t;
    float G[9], Y[9], C[9];
    float pull = 0.0f;
    load_tet(p, lane, &t);
    follow(p, lane, &t);
    ref_transpose_multiply(t.R, t.F, Y);
    cofactor(t.F, C);
    float det = t.F[0] * C[0] + t.F[1] * C[1] + t.F[2] * C[2];
    float stretch = ((Y[0] + Y[4]) + Y[8]) - 3.0f;
    for (int k = 0; k < 9; ++k) {
        G[k] = t.two_mu * (t.F[k] - t.R[k]);
        if (s->law == SN_TET_COROTATED) {
            G[k] = t.lambda * stretch * t.R[k] + G[k];
        } else if (s->law == SN_TET_FIXED) {
            G[k] = t.lambda * (det - 1.0f) * C[k] + G[k];
        }
    }
    if (s->law == SN_TET_COROTATED) {
        pull = ref_max(0.0f, t.lambda * stretch);
    }
    scatter(p, lane, &t, G);
    if (s->tangent != NULL) {
        float *out = s->tangent + (size_t)p->block * tangent_size(s->law);
        store_tangent(out, lane, Y, pull - t.two_mu);
        if (s->law == SN_TET_FIXED) {
            ref_store(out + 6 * SN_TET_BLOCK, 9, SN_TET_BLOCK, lane, C);
        }
    }
}

static void product_one(Place *p, int lane)
{
    const SnTetSweep *s = p->sweep;
    Tet t;
    float W[SN_TET_TANGENT_FIXED], G[9], Y[9];
    load_tet(p, lane, &t);
    ref_load(s->q + (size_t)p->block * 4 * SN_TET_BLOCK, 4, SN_TET_BLOCK, lane, t.q);
    sn_ref_quat_to_mat3(t.q, t.R);
    ref_load(s->tangent + (size_t)p->block * tangent_size(s->law), sn_tet_tangent_planes(s->law),
             SN_TET_BLOCK, lane, W);
    ref_transpose_multiply(t.R, t.F, Y);
    const float g[3] = {Y[7] - Y[5], Y[2] - Y[6], Y[3] - Y[1]};
    const float rows[3][3] = {{W[0], W[3], W[4]}, {W[3], W[1], W[5]}, {W[4], W[5], W[2]}};
    float w[3];
    for (int i = 0; i < 3; ++i) {
        w[i] = ref_dot(rows[i], 1, g, 1);
    }
    float d = s->law == SN_TET_COROTATED ? t.lambda * ((Y[0] + Y[4]) + Y[8]) : 0.0f;
    if (s->law == SN_TET_COROTATED && s->warped) {
        d = d - (t.two_mu + t.lambda * 3.0f);
    }
    const float Z[9] = {d, 0.0f - w[2], w[1], w[2], d, 0.0f - w[0], 0.0f - w[1], w[0], d};
    ref_multiply(t.R, Z, G);
    float press = 0.0f;
    if (s->law == SN_TET_FIXED) {
        press = W[6] * t.F[0];
        for (int k = 1; k < 9; ++k) {
            press = W[6 + k] * t.F[k] + press;
        }
        press = press * t.lambda;
    }
    for (int k = 0; k < 9; ++k) {
        G[k] = t.two_mu * t.F[k] + G[k];
        if (s->law == SN_TET_FIXED) {
            G[k] = press * W[6 + k] + G[k];
        }
    }
    scatter(p, lane, &t, G);
}

static float energy_one(const Place *p, int lane, int *inverted)
{
    const SnTetSweep *s = p->sweep;
    Tet t;
    float C[9];
    float squares = 0.0f, trace = 0.0f;
    load_tet(p, lane, &t);
    follow(p, lane, &t);
    cofactor(t.F, C);
    float det = t.F[0] * C[0] + t.F[1] * C[1] + t.F[2] * C[2];
    for (int k = 0; k < 9; ++k) {
        float strain = t.F[k] - t.R[k];
        squares = strain * strain + squares;
        trace = t.F[k] * t.R[k] + trace;
    }
    float stretch = s->law == SN_TET_COROTATED ? trace - 3.0f : det - 1.0f;
    float energy = t.two_mu * squares;
    if (s->law != SN_TET_MU) {
        energy = t.lambda * stretch * stretch + energy;
    }
    *inverted += !(0.0f < det) && 0.0f < t.two_mu ? 1 : 0;
    return energy * 0.5f;
}

static void deform_one(Place *p, int lane)
{
    Tet t;
    load_tet(p, lane, &t);
    ref_store(p->sweep->F + (size_t)p->block * 9 * SN_TET_BLOCK, 9, SN_TET_BLOCK, lane, t.F);
}

typedef void TetFn(Place *p, int lane);

static void sweep_forces(const SnTetSweep *s, int begin, int end, TetFn *one)
{
    for (int patch = begin; patch < end; ++patch) {
        float force[4 * 4 * SN_TET_BLOCK * SN_TET_PATCH_BLOCKS] = {0.0f};
        for (int b = s->patch_block[patch]; b < s->patch_block[patch + 1]; ++b) {
            Place p = {s, patch, b, force};
            for (int l = 0; l < SN_TET_BLOCK; ++l) {
                one(&p, l);
            }
        }
        sum_rows(s, patch, force);
    }
}

static void gradient(const SnTetSweep *s, int begin, int end)
{
    sweep_forces(s, begin, end, gradient_one);
}

static void product(const SnTetSweep *s, int begin, int end)
{
    sweep_forces(s, begin, end, product_one);
}

static void deform(const SnTetSweep *s, int begin, int end)
{
    for (int patch = begin; patch < end; ++patch) {
        for (int b = s->patch_block[patch]; b < s->patch_block[patch + 1]; ++b) {
            Place p = {.sweep = s, .patch = patch, .block = b};
            for (int l = 0; l < SN_TET_BLOCK; ++l) {
                deform_one(&p, l);
            }
        }
    }
}

static void energy(const SnTetSweep *s, int begin, int end)
{
    for (int patch = begin; patch < end; ++patch) {
        double sums[SN_TET_BLOCK] = {0.0};
        s->inverted[patch] = 0;
        for (int b = s->patch_block[patch]; b < s->patch_block[patch + 1]; ++b) {
            Place p = {.sweep = s, .patch = patch, .block = b};
            for (int l = 0; l < SN_TET_BLOCK; ++l) {
                sums[l] += (double)energy_one(&p, l, &s->inverted[patch]);
            }
        }
        for (int half = SN_TET_BLOCK / 2; half > 0; half /= 2) {
            for (int l = 0; l < half; ++l) {
                sums[l] += sums[l + half];
            }
        }
        s->energy[patch] = sums[0];
    }
}

const SnTetKernels sn_tet_ref = {
    .deform = deform, .gradient = gradient, .product = product, .energy = energy};

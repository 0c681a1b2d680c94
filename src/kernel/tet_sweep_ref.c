// Sweeps over tets one at a time, see tet_sweep.h; operation by operation in the order of the wide
// source, so that the portable variants must give the same bits.
#include "kernel/tet_sweep.h"

#include "kernel/rotation_ref.h"

extern const SnTetKernels sn_tet_ref;

typedef struct Tet {
    const int *vertices; // 16 apart
    const int *slots;    // 16 apart
    float B[9];
    float two_mu, lambda; // times the volume
    float F[9];           // or dF
    float q[4];
    float R[9];
} Tet;

static void load_tet(const SnTetSweep *s, int block, int lane, Tet *t)
{
    float rest[SN_TET_REST];
    float D[9];
    size_t b = (size_t)block * SN_TET_BLOCK;
    t->vertices = s->vertices + 4 * b + lane;
    t->slots = s->slots + 4 * b + lane;
    ref_load(s->rest + SN_TET_REST * b, SN_TET_REST, SN_TET_BLOCK, lane, rest);
    memcpy(t->B, rest, sizeof t->B);
    t->two_mu = rest[9];
    t->lambda = rest[10];
    for (int a = 0; a < 3; ++a) {
        for (int i = 0; i < 3; ++i) {
            D[3 * i + a] = s->x[t->vertices[(a + 1) * SN_TET_BLOCK] + i] - s->x[t->vertices[0] + i];
        }
    }
    ref_multiply(D, t->B, t->F);
}

// The rotation, after the Newton steps that are asked for.
static void follow(const SnTetSweep *s, int block, int lane, Tet *t)
{
    float *q = s->q + (size_t)block * 4 * SN_TET_BLOCK;
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

static void scatter(const SnTetSweep *s, const Tet *t, const float G[9])
{
    float f[9];
    ref_multiply_transpose(G, t->B, f);
    for (int a = 0; a < 4; ++a) {
        float *out = s->corners + t->slots[a * SN_TET_BLOCK];
        for (int i = 0; i < 3; ++i) {
            const float *row = f + 3 * i;
            out[i] = a == 0 ? 0.0f - ((row[0] + row[1]) + row[2]) : row[a - 1];
        }
        out[3] = 0.0f;
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

static void gradient_one(const SnTetSweep *s, int block, int lane)
{
    Tet t;
    float G[9], Y[9], C[9];
    float pull = 0.0f;
    load_tet(s, block, lane, &t);
    follow(s, block, lane, &t);
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
    scatter(s, &t, G);
    if (s->tangent != NULL) {
        float *out = s->tangent + (size_t)block * SN_TET_TANGENT * SN_TET_BLOCK;
        store_tangent(out, lane, Y, pull - t.two_mu);
        if (s->law == SN_TET_FIXED) {
            ref_store(out + 6 * SN_TET_BLOCK, 9, SN_TET_BLOCK, lane, C);
        }
    }
}

static void product_one(const SnTetSweep *s, int block, int lane)
{
    Tet t;
    float W[SN_TET_TANGENT], G[9], Y[9];
    load_tet(s, block, lane, &t);
    ref_load(s->q + (size_t)block * 4 * SN_TET_BLOCK, 4, SN_TET_BLOCK, lane, t.q);
    sn_ref_quat_to_mat3(t.q, t.R);
    ref_load(s->tangent + (size_t)block * SN_TET_TANGENT * SN_TET_BLOCK,
             s->law == SN_TET_FIXED ? 15 : 6, SN_TET_BLOCK, lane, W);
    ref_transpose_multiply(t.R, t.F, Y);
    const float g[3] = {Y[7] - Y[5], Y[2] - Y[6], Y[3] - Y[1]};
    const float rows[3][3] = {{W[0], W[3], W[4]}, {W[3], W[1], W[5]}, {W[4], W[5], W[2]}};
    float w[3];
    for (int i = 0; i < 3; ++i) {
        w[i] = ref_dot(rows[i], 1, g, 1);
    }
    float d = s->law == SN_TET_COROTATED ? t.lambda * ((Y[0] + Y[4]) + Y[8]) : 0.0f;
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
    scatter(s, &t, G);
}

static float energy_one(const SnTetSweep *s, int block, int lane, int *inverted)
{
    Tet t;
    float C[9];
    float squares = 0.0f, trace = 0.0f;
    load_tet(s, block, lane, &t);
    follow(s, block, lane, &t);
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

static void deform(const SnTetSweep *s, int begin, int end)
{
    for (int i = begin * SN_TET_BLOCK; i < end * SN_TET_BLOCK; ++i) {
        Tet t;
        load_tet(s, i / SN_TET_BLOCK, i % SN_TET_BLOCK, &t);
        ref_store(s->F + (size_t)(i / SN_TET_BLOCK) * 9 * SN_TET_BLOCK, 9, SN_TET_BLOCK,
                  i % SN_TET_BLOCK, t.F);
    }
}

static void gradient(const SnTetSweep *s, int begin, int end)
{
    for (int i = begin * SN_TET_BLOCK; i < end * SN_TET_BLOCK; ++i) {
        gradient_one(s, i / SN_TET_BLOCK, i % SN_TET_BLOCK);
    }
}

static void product(const SnTetSweep *s, int begin, int end)
{
    for (int i = begin * SN_TET_BLOCK; i < end * SN_TET_BLOCK; ++i) {
        product_one(s, i / SN_TET_BLOCK, i % SN_TET_BLOCK);
    }
}

static void energy(const SnTetSweep *s, int begin, int end)
{
    for (int block = begin; block < end; ++block) {
        double sums[SN_TET_BLOCK];
        s->inverted[block] = 0;
        for (int l = 0; l < SN_TET_BLOCK; ++l) {
            sums[l] = (double)energy_one(s, block, l, &s->inverted[block]);
        }
        for (int half = SN_TET_BLOCK / 2; half > 0; half /= 2) {
            for (int l = 0; l < half; ++l) {
                sums[l] += sums[l + half];
            }
        }
        s->energy[block] = sums[0];
    }
}

const SnTetKernels sn_tet_ref = {
    .deform = deform, .gradient = gradient, .product = product, .energy = energy};

// The coarse space of `split`, see coarse.h. A register holds the four numbers of a basis, or x, y,
// z of one vertex; the dense product takes whole registers of rows.
#include "kernel/coarse.h"

#include "kernel/corner_wide.h"

extern const SnCoarseKernels SN_NAME(coarse);

static inline float sum4(Vec4 a)
{
    return (a[0] + a[1]) + (a[2] + a[3]);
}

// Weighted mean of the four quaternions, each with the sign that brings it to the first's side.
static void blend(const SnCoarse *c, int begin, int end)
{
    for (size_t v = (size_t)begin; v < (size_t)end; ++v) {
        const int *clusters = c->clusters + 4 * v;
        const float *basis = c->basis + 16 * v;
        Vec4 first = vec4_read(c->rotations + 4 * (size_t)clusters[0]);
        Vec4 q = vec4_set(basis[0]) * first;
        for (size_t k = 1; k < SN_COARSE_CLUSTERS; ++k) {
            Vec4 other = vec4_read(c->rotations + 4 * (size_t)clusters[k]);
            float weight = sum4(first * other) < 0.0f ? -basis[4 * k] : basis[4 * k];
            q = vec4_madd(vec4_set(weight), other, q);
        }
        float norm2 = sum4(q * q);
        // Held vertices have no weights: any turn will do.
        float two = norm2 > 0.0f ? 2.0f / norm2 : 0.0f;
        float x2 = q[0] * two, y2 = q[1] * two, z2 = q[2] * two;
        float xx = q[0] * x2, yy = q[1] * y2, zz = q[2] * z2;
        float xy = q[0] * y2, xz = q[0] * z2, yz = q[1] * z2;
        float wx = q[3] * x2, wy = q[3] * y2, wz = q[3] * z2;
        float *out = c->turns + 12 * v;
        vec4_write(out, (Vec4){1.0f - (yy + zz), xy - wz, xz + wy, 0.0f});
        vec4_write(out + 4, (Vec4){xy + wz, 1.0f - (xx + zz), yz - wx, 0.0f});
        vec4_write(out + 8, (Vec4){xz - wy, yz + wx, 1.0f - (xx + yy), 0.0f});
    }
}

static void turn(const SnCoarse *c, int begin, int end)
{
    for (size_t v = (size_t)begin; v < (size_t)end; ++v) {
        const float *rows = c->turns + 12 * v;
        const float *r = c->residual + 3 * v;
        Vec4 sum = vec4_set(r[0]) * vec4_read(rows);
        sum = vec4_madd(vec4_set(r[1]), vec4_read(rows + 4), sum);
        sum = vec4_madd(vec4_set(r[2]), vec4_read(rows + 8), sum);
        vec4_write(c->turned + 4 * v, sum);
    }
}

static void gather(const SnCoarse *c, int begin, int end)
{
    for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
        Vec4 x = vec4_set(0.0f), y = x, z = x;
        for (int m = c->start[i]; m < c->start[i + 1]; ++m) {
            size_t member = (size_t)c->members[m];
            Vec4 basis = vec4_read(c->basis + 4 * member);
            const float *r = c->turned + 4 * (member / SN_COARSE_CLUSTERS);
            x = vec4_madd(vec4_set(r[0]), basis, x);
            y = vec4_madd(vec4_set(r[1]), basis, y);
            z = vec4_madd(vec4_set(r[2]), basis, z);
        }
        float *out = c->right + SN_COARSE_FRAME * i;
        vec4_write(out, x);
        vec4_write(out + 4, y);
        vec4_write(out + 8, z);
    }
}

enum { ROWS = SN_COARSE_ROWS / SN_LANES }; // registers of rows

// By columns, which are rows of the symmetric inverse: each entry is summed in the order of
// columns.
static void solve(const SnCoarse *c, int begin, int end)
{
    size_t count = (size_t)c->row_count;
    for (int block = begin; block < end; ++block) {
        const float *column = c->inverse + (size_t)block * SN_COARSE_ROWS;
        Wide sums[ROWS];
        for (int k = 0; k < ROWS; ++k) {
            sums[k] = wide_set(0.0f);
        }
        for (size_t j = 0; j < count; ++j, column += count) {
            Wide right = wide_set(c->right[j]);
            for (int k = 0; k < ROWS; ++k) {
                sums[k] = SN_MADD(wide_load(column + k * SN_LANES), right, sums[k]);
            }
        }
        for (int k = 0; k < ROWS; ++k) {
            wide_store(c->frames + block * SN_COARSE_ROWS + k * SN_LANES, sums[k]);
        }
    }
}

static void spread(const SnCoarse *c, int begin, int end)
{
    for (size_t v = (size_t)begin; v < (size_t)end; ++v) {
        const float *rows = c->turns + 12 * v;
        const int *clusters = c->clusters + SN_COARSE_CLUSTERS * v;
        Vec4 x = vec4_set(0.0f), y = x, z = x;
        for (size_t k = 0; k < SN_COARSE_CLUSTERS; ++k) {
            const float *frame = c->frames + SN_COARSE_FRAME * (size_t)clusters[k];
            Vec4 basis = vec4_read(c->basis + 16 * v + 4 * k);
            x = vec4_madd(basis, vec4_read(frame), x);
            y = vec4_madd(basis, vec4_read(frame + 4), y);
            z = vec4_madd(basis, vec4_read(frame + 8), z);
        }
        Vec4 u = {sum4(x), sum4(y), sum4(z), 0.0f};
        float *out = c->z + 3 * v;
        const float *held = c->free + 3 * v;
        out[0] += sum4(vec4_read(rows) * u) * held[0];
        out[1] += sum4(vec4_read(rows + 4) * u) * held[1];
        out[2] += sum4(vec4_read(rows + 8) * u) * held[2];
    }
}

const SnCoarseKernels SN_NAME(coarse) = {
    .blend = blend, .turn = turn, .gather = gather, .solve = solve, .spread = spread};

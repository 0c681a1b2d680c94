// Sweeps over tets, see tet_sweep.h.
#include "kernel/tet_sweep.h"
#include "kernel/corner_wide.h"
#include "kernel/rotation_newton_wide.h"

#include <stdbool.h>

extern const SnTetKernels SN_NAME(tet);

// What the blocks of a patch share.
typedef struct Patch {
    const SnTetSweep *sweep;
    const float *x; // four floats a row
    float *force;   // a block: corner, lane % 4, lane / 4, four floats
    float *F;       // 9 planes each of the GROUP blocks in hand
} Patch;

// Blocks whose rotations are found together. A rotation is one long chain of operations that wait
// for each other; blocks side by side fill the gaps, where whole tets one after the other would not
// fit into what a processor looks ahead.
enum { GROUP = 8, BLOCK_FORCE = 4 * 4 * SN_TET_BLOCK };

// Edges from the first corner as columns: Ds.
static inline WideMat3 edges_of(const Patch *p, size_t block, int lane)
{
    const uint16_t *corners = p->sweep->corners + block * 4 * SN_TET_BLOCK + lane;
    WideVec3 a = corner_load(p->x, corners);
    WideVec3 b = corner_load(p->x, corners + SN_TET_BLOCK);
    WideVec3 c = corner_load(p->x, corners + 2 * SN_TET_BLOCK);
    WideVec3 d = corner_load(p->x, corners + 3 * SN_TET_BLOCK);
    return (WideMat3){{b.x - a.x, c.x - a.x, d.x - a.x, b.y - a.y, c.y - a.y, d.y - a.y, b.z - a.z,
                       c.z - a.z, d.z - a.z}};
}

static inline Wide plane_load(const float *planes, int plane)
{
    return wide_load(planes + plane * SN_TET_BLOCK);
}

static inline void corner_keep(float *force, int lane, Wide x, Wide y, Wide z)
{
    Wide v[4] = {x, y, z, wide_set(0.0f)};
    quads_turn(v);
    for (int k = 0; k < 4; ++k) {
        wide_store(force + 16 * k + lane, v[k]);
    }
}

// Corner forces of G = V P: corner a > 0 feels G times row a of Dm^-1, the first the rest.
// Inlined by force: a call would take its matrices through memory.
static inline __attribute__((always_inline)) void scatter(const Patch *p, int lane, WideMat3 G,
                                                          WideMat3 B)
{
    WideMat3 f = mat3_multiply_transpose(G, B); // column a - 1: corner a
    const Wide *m = f.m;
    Wide zero = wide_set(0.0f);
    corner_keep(p->force, lane, zero - ((m[0] + m[1]) + m[2]), zero - ((m[3] + m[4]) + m[5]),
                zero - ((m[6] + m[7]) + m[8]));
    for (int a = 0; a < 3; ++a) {
        corner_keep(p->force + 64 * (a + 1), lane, m[a], m[3 + a], m[6 + a]);
    }
}

// The corner forces of a patch to its rows. Rows have been sorted by how many they take, so the end
// of the inner loop is foreseen.
static inline void patch_sum(const SnTetSweep *s, int patch, const float *force)
{
    for (int r = s->patch_row[patch]; r < s->patch_row[patch + 1]; ++r) {
        const uint16_t *source = s->sources + s->row_start[r];
        const uint16_t *stop = s->sources + s->row_start[r + 1];
        Vec4 even = vec4_set(0.0f), odd = even;
        for (; source + 1 < stop; source += 2) {
            even = even + vec4_read(force + source[0]);
            odd = odd + vec4_read(force + source[1]);
        }
        if (source < stop) {
            even = even + vec4_read(force + *source);
        }
        vec4_write(s->rows + 4 * (size_t)r, even + odd);
    }
}

// Rare, and kept out of the loop so that the loop keeps its registers.
static __attribute__((noinline)) void rescue(const WideMat3 *F, Mask lost, WideQuat *q)
{
    *q = quat_select(lost, quat_from_mat3(rotation_of_any(*F)), *q);
}

static inline WideQuat rotation_follow(WideMat3 F, WideQuat q, int iterations)
{
    for (int k = 0; k < iterations; ++k) {
        WideNewton step = newton_step(F, q);
        q = step.q;
        if (__builtin_expect(mask_any(step.lost), 0)) {
            WideMat3 lost_F = F;
            WideQuat rescued = q;
            rescue(&lost_F, step.lost, &rescued);
            q = rescued;
        }
    }
    return q;
}

static inline WideMat3 cofactor_of(WideMat3 F)
{
    const Wide *f = F.m;
    return (WideMat3){{cross2(f[4], f[8], f[5], f[7]), cross2(f[5], f[6], f[3], f[8]),
                       cross2(f[3], f[7], f[4], f[6]), cross2(f[2], f[7], f[1], f[8]),
                       cross2(f[0], f[8], f[2], f[6]), cross2(f[1], f[6], f[0], f[7]),
                       cross2(f[1], f[5], f[2], f[4]), cross2(f[2], f[3], f[0], f[5]),
                       cross2(f[0], f[4], f[1], f[3])}};
}

static inline Wide determinant_of(WideMat3 F, WideMat3 cofactor)
{
    return dot3(F.m[0], cofactor.m[0], F.m[1], cofactor.m[1], F.m[2], cofactor.m[2]);
}

// Floats of a block's tangent.
#define TANGENT_SIZE(law) ((size_t)sn_tet_tangent_planes(law) * SN_TET_BLOCK)

// W = k (H + shift I)^-1 with H = tr(Y) I - sym(Y): how the rotation's share of the stress answers
// a turn. The shift keeps the eigenvalues at two or more by Gershgorin's discs, and k at -2 mu V or
// more, so that the tangent is semi-definite.
static inline void tangent_store(float *out, const Wide *y, Wide k)
{
    Wide a01 = (y[1] + y[3]) * 0.5f;
    Wide a02 = (y[2] + y[6]) * 0.5f;
    Wide a12 = (y[5] + y[7]) * 0.5f;
    Wide b01 = wide_abs(a01);
    Wide b02 = wide_abs(a02);
    Wide b12 = wide_abs(a12);
    Wide trace = (y[0] + y[4]) + y[8];
    Wide disc = wide_max(y[0] + (b01 + b02), wide_max(y[4] + (b01 + b12), y[8] + (b02 + b12)));
    Wide shift = wide_max(wide_set(0.0f), wide_set(2.0f) - (trace - disc));
    Wide h00 = (y[4] + y[8]) + shift;
    Wide h11 = (y[0] + y[8]) + shift;
    Wide h22 = (y[0] + y[4]) + shift;
    // Off the diagonal H is -a; cofactors of a matrix and of its negative off-diagonal differ in
    // the signs below.
    Wide c00 = cross2(h11, h22, a12, a12);
    Wide c11 = cross2(h00, h22, a02, a02);
    Wide c22 = cross2(h00, h11, a01, a01);
    Wide c01 = SN_MADD(a01, h22, a02 * a12);
    Wide c02 = SN_MADD(a02, h11, a01 * a12);
    Wide c12 = SN_MADD(a12, h00, a01 * a02);
    Wide det = SN_NMADD(a02, c02, SN_NMADD(a01, c01, h00 * c00));
    Wide scale = k / det;
    const Wide w[6] = {c00, c11, c22, c01, c02, c12};
    for (int i = 0; i < 6; ++i) {
        wide_store(out + i * SN_TET_BLOCK, w[i] * scale);
    }
}

static inline __attribute__((always_inline)) void gradient_lanes(const Patch *p, size_t block,
                                                                 int place, int lane, SnTetLaw law)
{
    const SnTetSweep *s = p->sweep;
    const float *rest = s->rest + block * SN_TET_REST * SN_TET_BLOCK + lane;
    const float *q_at = s->q + block * 4 * SN_TET_BLOCK + lane;
    WideMat3 B = mat3_load(rest, SN_TET_BLOCK, 0);
    WideMat3 F = mat3_load(p->F + place * 9 * SN_TET_BLOCK + lane, SN_TET_BLOCK, 0);
    WideMat3 R = quat_to_mat3(quat_load(q_at, SN_TET_BLOCK, 0));
    Wide two_mu = plane_load(rest, 9);
    Wide lambda = plane_load(rest, 10);
    Wide zero = wide_set(0.0f);
    WideMat3 G, C = {{zero}};
    Wide pull = zero;
    for (int k = 0; k < 9; ++k) {
        G.m[k] = two_mu * (F.m[k] - R.m[k]);
    }
    WideMat3 Y = mat3_transpose_multiply(R, F);
    if (law == SN_TET_COROTATED) {
        pull = lambda * (((Y.m[0] + Y.m[4]) + Y.m[8]) - 3.0f);
        for (int k = 0; k < 9; ++k) {
            G.m[k] = SN_MADD(pull, R.m[k], G.m[k]);
        }
        pull = wide_max(zero, pull);
    } else if (law == SN_TET_FIXED) {
        C = cofactor_of(F);
        Wide press = lambda * (determinant_of(F, C) - 1.0f);
        for (int k = 0; k < 9; ++k) {
            G.m[k] = SN_MADD(press, C.m[k], G.m[k]);
        }
    }
    scatter(p, lane, G, B);
    if (s->tangent != NULL) {
        float *out = s->tangent + block * TANGENT_SIZE(law) + lane;
        tangent_store(out, Y.m, pull - two_mu);
        if (law == SN_TET_FIXED) {
            mat3_store(out + 6 * SN_TET_BLOCK, SN_TET_BLOCK, 0, C);
        }
    }
}

// dP = 2 mu dF + lambda tr(R^T dF) R + k dR, dR = R [W axl(R^T dF)]x; with SN_TET_FIXED the middle
// term is lambda (cof F : dF) cof F.
static inline __attribute__((always_inline)) void product_lanes(const Patch *p, size_t block,
                                                                int place, int lane, SnTetLaw law)
{
    (void)place;
    const SnTetSweep *s = p->sweep;
    const float *rest = s->rest + block * SN_TET_REST * SN_TET_BLOCK + lane;
    const float *tangent = s->tangent + block * TANGENT_SIZE(law) + lane;
    WideMat3 B = mat3_load(rest, SN_TET_BLOCK, 0);
    WideMat3 dF = mat3_multiply(edges_of(p, block, lane), B);
    WideMat3 R = quat_to_mat3(quat_load(s->q + block * 4 * SN_TET_BLOCK + lane, SN_TET_BLOCK, 0));
    Wide two_mu = plane_load(rest, 9);
    Wide lambda = plane_load(rest, 10);
    WideMat3 Y = mat3_transpose_multiply(R, dF);
    Wide g0 = Y.m[7] - Y.m[5];
    Wide g1 = Y.m[2] - Y.m[6];
    Wide g2 = Y.m[3] - Y.m[1];
    Wide w01 = plane_load(tangent, 3);
    Wide w02 = plane_load(tangent, 4);
    Wide w12 = plane_load(tangent, 5);
    Wide w0 = dot3(plane_load(tangent, 0), g0, w01, g1, w02, g2);
    Wide w1 = dot3(w01, g0, plane_load(tangent, 1), g1, w12, g2);
    Wide w2 = dot3(w02, g0, w12, g1, plane_load(tangent, 2), g2);
    Wide zero = wide_set(0.0f);
    Wide t = law == SN_TET_COROTATED ? lambda * ((Y.m[0] + Y.m[4]) + Y.m[8]) : zero;
    if (law == SN_TET_COROTATED && s->warped) {
        t = t - (two_mu + lambda * 3.0f);
    }
    WideMat3 Z = {{t, zero - w2, w1, w2, t, zero - w0, zero - w1, w0, t}};
    WideMat3 G = mat3_multiply(R, Z);
    for (int k = 0; k < 9; ++k) {
        G.m[k] = SN_MADD(two_mu, dF.m[k], G.m[k]);
    }
    if (law == SN_TET_FIXED) {
        WideMat3 C = mat3_load(tangent + 6 * SN_TET_BLOCK, SN_TET_BLOCK, 0);
        Wide press = C.m[0] * dF.m[0];
        for (int k = 1; k < 9; ++k) {
            press = SN_MADD(C.m[k], dF.m[k], press);
        }
        press = press * lambda;
        for (int k = 0; k < 9; ++k) {
            G.m[k] = SN_MADD(press, C.m[k], G.m[k]);
        }
    }
    scatter(p, lane, G, B);
}

// Energies of SN_LANES tets; returns which are inverted as ones and zeros.
static inline Wide energy_lanes(const Patch *p, size_t block, int place, int lane, float *out)
{
    const SnTetSweep *s = p->sweep;
    const float *rest = s->rest + block * SN_TET_REST * SN_TET_BLOCK + lane;
    const float *q_at = s->q + block * 4 * SN_TET_BLOCK + lane;
    WideMat3 F = mat3_load(p->F + place * 9 * SN_TET_BLOCK + lane, SN_TET_BLOCK, 0);
    WideMat3 R = quat_to_mat3(quat_load(q_at, SN_TET_BLOCK, 0));
    Wide two_mu = plane_load(rest, 9);
    Wide lambda = plane_load(rest, 10);
    Wide zero = wide_set(0.0f);
    Wide squares = zero;
    Wide det = determinant_of(F, cofactor_of(F));
    Wide trace = zero;
    for (int k = 0; k < 9; ++k) {
        Wide strain = F.m[k] - R.m[k];
        squares = SN_MADD(strain, strain, squares);
        trace = SN_MADD(F.m[k], R.m[k], trace);
    }
    Wide stretch = s->law == SN_TET_COROTATED ? trace - 3.0f : det - 1.0f;
    Wide energy = two_mu * squares;
    if (s->law != SN_TET_MU) {
        energy = SN_MADD(lambda * stretch, stretch, energy);
    }
    wide_store(out, energy * 0.5f);
    Wide real = wide_select(wide_less(zero, two_mu), wide_set(1.0f), zero);
    return wide_select(wide_less(zero, det), zero, real);
}

// Positions of a patch's vertices into its rows.
static inline void patch_read(const SnTetSweep *s, int patch, float *x)
{
    const int *vertex = s->row_vertex + s->patch_row[patch];
    int count = s->patch_row[patch + 1] - s->patch_row[patch];
    for (int r = 0; r < count; ++r) {
        vec4_write(x + 4 * r, vec4_read(s->x + vertex[r]));
    }
}

// F of the blocks [begin, end), each at its place in `out`.
static inline void deform_blocks(const Patch *p, int begin, int end, float *out)
{
    for (size_t block = (size_t)begin; block < (size_t)end; ++block, out += 9 * SN_TET_BLOCK) {
        for (int lane = 0; lane < SN_TET_BLOCK; lane += SN_LANES) {
            const float *rest = p->sweep->rest + block * SN_TET_REST * SN_TET_BLOCK + lane;
            WideMat3 B = mat3_load(rest, SN_TET_BLOCK, 0);
            mat3_store(out + lane, SN_TET_BLOCK, 0, mat3_multiply(edges_of(p, block, lane), B));
        }
    }
}

static void deform(const SnTetSweep *s, int begin, int end)
{
    _Alignas(64) float x[4 * SN_TET_PATCH_ROWS];
    const Patch p = {.sweep = s, .x = x};
    for (int patch = begin; patch < end; ++patch) {
        int first = s->patch_block[patch];
        patch_read(s, patch, x);
        deform_blocks(&p, first, s->patch_block[patch + 1],
                      s->F + (size_t)first * 9 * SN_TET_BLOCK);
    }
}

// F and rotations of a group.
static inline void rotate_blocks(const Patch *p, int begin, int end)
{
    const SnTetSweep *s = p->sweep;
    const float *F = p->F;
    deform_blocks(p, begin, end, p->F);
    for (size_t block = (size_t)begin; block < (size_t)end; ++block, F += 9 * SN_TET_BLOCK) {
        for (int lane = 0; lane < SN_TET_BLOCK; lane += SN_LANES) {
            float *q = s->q + block * 4 * SN_TET_BLOCK + lane;
            quat_store(q, SN_TET_BLOCK, 0,
                       rotation_follow(mat3_load(F + lane, SN_TET_BLOCK, 0),
                                       quat_load(q, SN_TET_BLOCK, 0), s->rotations));
        }
    }
}

// The law is a constant in each of these, so that its branches vanish. `gradient` needs rotations.
#define SWEEP(name, law, rotates)                                                                  \
    static void name##_##law(const SnTetSweep *s, int begin, int end)                              \
    {                                                                                              \
        _Alignas(64) float x[4 * SN_TET_PATCH_ROWS];                                               \
        _Alignas(64) float force[BLOCK_FORCE * SN_TET_PATCH_BLOCKS];                               \
        _Alignas(64) float F[9 * SN_TET_BLOCK * GROUP];                                            \
        for (int patch = begin; patch < end; ++patch) {                                            \
            const int first = s->patch_block[patch];                                               \
            const int last = s->patch_block[patch + 1];                                            \
            Patch p = {s, x, force, F};                                                            \
            patch_read(s, patch, x);                                                               \
            for (int b = first; b < last; ++b, p.force += BLOCK_FORCE) {                           \
                if (rotates && (b - first) % GROUP == 0) {                                         \
                    rotate_blocks(&p, b, b + GROUP < last ? b + GROUP : last);                     \
                }                                                                                  \
                for (int lane = 0; lane < SN_TET_BLOCK; lane += SN_LANES) {                        \
                    name##_lanes(&p, (size_t)b, (b - first) % GROUP, lane, law);                   \
                }                                                                                  \
            }                                                                                      \
            patch_sum(s, patch, force);                                                            \
        }                                                                                          \
    }
SWEEP(gradient, SN_TET_MU, true)
SWEEP(gradient, SN_TET_COROTATED, true)
SWEEP(gradient, SN_TET_FIXED, true)
SWEEP(product, SN_TET_MU, false)
SWEEP(product, SN_TET_COROTATED, false)
SWEEP(product, SN_TET_FIXED, false)

static void gradient(const SnTetSweep *s, int begin, int end)
{
    SnTetSweepFn *const of_law[] = {gradient_SN_TET_MU, gradient_SN_TET_COROTATED,
                                    gradient_SN_TET_FIXED};
    of_law[s->law](s, begin, end);
}

static void product(const SnTetSweep *s, int begin, int end)
{
    SnTetSweepFn *const of_law[] = {product_SN_TET_MU, product_SN_TET_COROTATED,
                                    product_SN_TET_FIXED};
    of_law[s->law](s, begin, end);
}

// A block's energies to the sums of its lanes; returns its inverted tets.
static inline int energy_block(const Patch *p, size_t block, int place, double *sums)
{
    _Alignas(64) float lanes[SN_TET_BLOCK];
    int count = 0;
    for (int lane = 0; lane < SN_TET_BLOCK; lane += SN_LANES) {
        Wide flags = energy_lanes(p, block, place, lane, lanes + lane);
        // Almost never.
        if (mask_any(wide_less(wide_set(0.0f), flags))) {
            for (int l = 0; l < SN_LANES; ++l) {
                count += flags[l] > 0.0f ? 1 : 0;
            }
        }
    }
    for (int l = 0; l < SN_TET_BLOCK; ++l) {
        sums[l] += (double)lanes[l];
    }
    return count;
}

// The sum over a patch is one by lane, then a tree of fixed shape, in double: the same for any
// lanes.
static void energy_patch(const Patch *p, int patch)
{
    const SnTetSweep *s = p->sweep;
    int first = s->patch_block[patch], last = s->patch_block[patch + 1];
    _Alignas(64) double sums[SN_TET_BLOCK] = {0.0};
    s->inverted[patch] = 0;
    for (int b = first; b < last; ++b) {
        if ((b - first) % GROUP == 0) {
            rotate_blocks(p, b, b + GROUP < last ? b + GROUP : last);
        }
        s->inverted[patch] += energy_block(p, (size_t)b, (b - first) % GROUP, sums);
    }
    for (int half = SN_TET_BLOCK / 2; half > 0; half /= 2) {
        for (int l = 0; l < half; ++l) {
            sums[l] += sums[l + half];
        }
    }
    s->energy[patch] = sums[0];
}

static void energy(const SnTetSweep *s, int begin, int end)
{
    _Alignas(64) float x[4 * SN_TET_PATCH_ROWS];
    _Alignas(64) float F[9 * SN_TET_BLOCK * GROUP];
    const Patch p = {.sweep = s, .x = x, .F = F};
    for (int patch = begin; patch < end; ++patch) {
        patch_read(s, patch, x);
        energy_patch(&p, patch);
    }
}

const SnTetKernels SN_NAME(tet) = {
    .deform = deform, .gradient = gradient, .product = product, .energy = energy};

// The tangent of tets as blocks of a matrix, see tet_blocks.h.
#include "kernel/tet_blocks.h"
#include "kernel/block_wide.h"
#include "kernel/rotation_wide.h"

extern const SnTetBlockKernels SN_NAME(tet_block);

// What a tet gives to all its blocks.
typedef struct Tet {
    WideVec3 r[4]; // shape gradients, turned: R g
    WideVec3 s[4]; // what lambda pulls along: R g, or cof(F) g
    WideMat3 W;    // R W R^T, 2 mu and lambda as in the sweep
    Wide two_mu, lambda;
} Tet;

// Columns of m, and their negative sum first.
static inline void gradients_of(const Wide *m, WideVec3 out[4])
{
    Wide zero = wide_set(0.0f);
    out[0] = (WideVec3){zero - ((m[0] + m[1]) + m[2]), zero - ((m[3] + m[4]) + m[5]),
                        zero - ((m[6] + m[7]) + m[8])};
    for (int a = 0; a < 3; ++a) {
        out[a + 1] = (WideVec3){m[a], m[3 + a], m[6 + a]};
    }
}

static inline Wide plane_of(const float *planes, int plane)
{
    return wide_load(planes + plane * SN_TET_BLOCK);
}

static inline WideMat3 mixed_of(const WideMat3 *W, Wide mu)
{
    Wide zero = wide_set(0.0f), one = wide_set(1.0f);
    Wide a = W->m[0] + mu, b = W->m[4] + mu, c = W->m[8] + mu;
    Wide beyond = ((a + b) + c) - mu * SN_TET_MIXED_BEGIN;
    Wide share = beyond / wide_max(mu * SN_TET_MIXED_LENGTH, wide_set(1e-30f));
    share = wide_min(wide_max(share, zero), one);
    Wide w01 = share * W->m[1], w02 = share * W->m[2], w12 = share * W->m[5];
    return (WideMat3){
        {share * a - mu, w01, w02, w01, share * b - mu, w12, w02, w12, share * c - mu}};
}

// Inlined by force: a call would take its matrices through memory.
static inline __attribute__((always_inline)) Tet tet_load(const SnTetBlocks *b, size_t block,
                                                          int lane, SnTetLaw law)
{
    const float *rest = b->rest + block * SN_TET_REST * SN_TET_BLOCK + lane;
    const float *tangent =
        b->tangent + block * (size_t)sn_tet_tangent_planes(law) * SN_TET_BLOCK + lane;
    WideMat3 B = mat3_load(rest, SN_TET_BLOCK, 0);
    WideMat3 R = quat_to_mat3(quat_load(b->q + block * 4 * SN_TET_BLOCK + lane, SN_TET_BLOCK, 0));
    WideMat3 turned = mat3_multiply_transpose(R, B);
    Tet tet = {.two_mu = plane_of(rest, 9), .lambda = plane_of(rest, 10)};
    if (b->kind == SN_TET_WARPED) {
        Wide zero = wide_set(0.0f), w = tet.two_mu * -0.5f;
        tet.W = (WideMat3){{w, zero, zero, zero, w, zero, zero, zero, w}};
    } else {
        Wide w00 = plane_of(tangent, 0), w11 = plane_of(tangent, 1), w22 = plane_of(tangent, 2);
        Wide w01 = plane_of(tangent, 3), w02 = plane_of(tangent, 4), w12 = plane_of(tangent, 5);
        WideMat3 W = {{w00, w01, w02, w01, w11, w12, w02, w12, w22}};
        if (b->kind == SN_TET_MIXED) {
            W = mixed_of(&W, tet.two_mu * 0.5f);
        }
        tet.W = mat3_multiply_transpose(mat3_multiply(R, W), R);
    }
    gradients_of(turned.m, tet.r);
    if (law == SN_TET_FIXED) {
        WideMat3 C = mat3_load(tangent + 6 * SN_TET_BLOCK, SN_TET_BLOCK, 0);
        turned = mat3_multiply_transpose(C, B);
    }
    gradients_of(turned.m, tet.s);
    return tet;
}

static inline WideVec3 cross(WideVec3 a, WideVec3 b)
{
    return (WideVec3){cross2(a.y, b.z, a.z, b.y), cross2(a.z, b.x, a.x, b.z),
                      cross2(a.x, b.y, a.y, b.x)};
}

// p x - q y
static inline WideVec3 scaled_difference(Wide p, WideVec3 x, Wide q, WideVec3 y)
{
    return (WideVec3){cross2(p, x.x, q, y.x), cross2(p, x.y, q, y.y), cross2(p, x.z, q, y.z)};
}

// row + pull b, and `spring` on the diagonal.
static inline WideVec3 pulled(WideVec3 row, Wide pull, WideVec3 b)
{
    return (WideVec3){SN_MADD(pull, b.x, row.x), SN_MADD(pull, b.y, row.y),
                      SN_MADD(pull, b.z, row.z)};
}

// One number a slot; at[l] is eight times the slot of lane l.
static inline void lasts_store(float *lasts, const int *at, Wide v)
{
#if SN_LANES == 16
    __m512i places = _mm512_srai_epi32(_mm512_loadu_si512(at), 3);
    _mm512_i32scatter_ps(lasts, places, (__m512)v, 4);
#else
    for (int l = 0; l < SN_LANES; ++l) {
        lasts[at[l] / SN_TET_EDGE_SLOT] = v[l];
    }
#endif
}

// Lanes of bits, from the lowest.
static inline Mask lanes_of(unsigned bits)
{
#if SN_LANES == 16
    return (Mask)bits;
#else
    Wide side = wide_set(0.0f);
    for (int l = 0; l < SN_LANES; ++l) {
        side[l] = (float)(bits >> l & 1U);
    }
    return wide_less(wide_set(0.5f), side);
#endif
}

static inline void swap(Mask lanes, Wide *a, Wide *b)
{
    Wide old = *a;
    *a = wide_select(lanes, *b, old);
    *b = wide_select(lanes, old, *b);
}

// 2 mu (r_a . r_b) I + lambda s_a s_b^T + [r_a]x^T W [r_b]x; `turn` has the rows of W [r_b]x.
static inline __attribute__((always_inline)) void edge_store(const Tet *tet, int a, int b,
                                                             const WideVec3 turn[3],
                                                             const SnTetBlocks *s, const int *slots,
                                                             Mask turned, SnTetLaw law)
{
    WideVec3 p = tet->r[a];
    WideVec3 q = tet->r[b];
    Wide spring = tet->two_mu * dot3(p.x, q.x, p.y, q.y, p.z, q.z);
    WideVec3 rows[3] = {scaled_difference(p.z, turn[1], p.y, turn[2]),
                        scaled_difference(p.x, turn[2], p.z, turn[0]),
                        scaled_difference(p.y, turn[0], p.x, turn[1])};
    rows[0].x = rows[0].x + spring;
    rows[1].y = rows[1].y + spring;
    rows[2].z = rows[2].z + spring;
    if (law != SN_TET_MU) {
        rows[0] = pulled(rows[0], tet->lambda * tet->s[a].x, tet->s[b]);
        rows[1] = pulled(rows[1], tet->lambda * tet->s[a].y, tet->s[b]);
        rows[2] = pulled(rows[2], tet->lambda * tet->s[a].z, tet->s[b]);
    }
    swap(turned, &rows[0].y, &rows[1].x);
    swap(turned, &rows[0].z, &rows[2].x);
    swap(turned, &rows[1].z, &rows[2].y);
    quad_scatter(s->edges, slots, rows[0].x, rows[0].y, rows[0].z, rows[1].x);
    quad_scatter(s->edges + 4, slots, rows[1].y, rows[1].z, rows[2].x, rows[2].y);
    lasts_store(s->lasts, slots, rows[2].z);
}

static inline __attribute__((always_inline)) void blocks_lanes(const SnTetBlocks *s, size_t block,
                                                               int lane, SnTetLaw law)
{
    Tet tet = tet_load(s, block, lane, law);
    const int *slots = s->slots + block * SN_TET_EDGES * SN_TET_BLOCK + lane;
    const uint16_t *sides = s->turned + block * SN_TET_EDGES;
    const Wide *w = tet.W.m;
    for (int b = 1, edge = 0; b < 4; ++b) {
        WideVec3 turn[3];
        for (int k = 0; k < 3; ++k) {
            turn[k] = cross((WideVec3){w[3 * k], w[3 * k + 1], w[3 * k + 2]}, tet.r[b]);
        }
        for (int a = 0; a < b; ++a, ++edge) {
            edge_store(&tet, a, b, turn, s, slots + edge * SN_TET_BLOCK,
                       lanes_of((unsigned)sides[edge] >> lane), law);
        }
    }
}

// The law is a constant in each of these, so that its branches vanish.
#define BLOCKS(law_name)                                                                           \
    static void blocks_##law_name(const SnTetBlocks *s, int begin, int end)                        \
    {                                                                                              \
        for (size_t block = (size_t)begin; block < (size_t)end; ++block) {                         \
            for (int lane = 0; lane < SN_TET_BLOCK; lane += SN_LANES) {                            \
                blocks_lanes(s, block, lane, law_name);                                            \
            }                                                                                      \
        }                                                                                          \
    }
BLOCKS(SN_TET_MU)
BLOCKS(SN_TET_COROTATED)
BLOCKS(SN_TET_FIXED)

static void blocks(const SnTetBlocks *s, int begin, int end)
{
    void (*const of_law[])(const SnTetBlocks *, int,
                           int) = {blocks_SN_TET_MU, blocks_SN_TET_COROTATED, blocks_SN_TET_FIXED};
    of_law[s->law](s, begin, end);
}

typedef float Vec8 __attribute__((vector_size(32)));

// A block: entries 0 to 7, and the last.
typedef struct Block {
    Vec8 most;
    float last;
} Block;

static inline Block slots_sum(const SnEdgeSum *s, int begin, int end)
{
    Block sum = {(Vec8){0.0f}, 0.0f};
    for (int i = begin; i < end; ++i) {
        Vec8 slot;
        memcpy(&slot, s->edges + SN_TET_EDGE_SLOT * (size_t)i, sizeof slot);
        sum.most = sum.most + slot;
        sum.last = sum.last + s->lasts[i];
    }
    return sum;
}

// All but the last, which stays. By pointer: how eight floats are handed over differs between
// instruction sets.
static inline void transpose(const Vec8 *from, Vec8 *out)
{
    Vec8 m = *from;
    *out = (Vec8){m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5]};
}

static void sum(const SnEdgeSum *s, int begin, int end)
{
    for (size_t e = (size_t)begin; e < (size_t)end; ++e) {
        Block block = slots_sum(s, s->start[e], s->start[e + 1]);
        Vec8 columns, rows = block.most * s->scale;
        transpose(&rows, &columns);
        float last = block.last * s->scale;
        memcpy(s->values + s->first[e], &columns, sizeof columns);
        s->values[s->first[e] + 8] = last;
        memcpy(s->values + s->second[e], &rows, sizeof rows);
        s->values[s->second[e] + 8] = last;
    }
}

const SnTetBlockKernels SN_NAME(tet_block) = {.blocks = blocks, .sum = sum};

// The tangent of tets as blocks of a matrix by the formulas, see tet_blocks.h.
#include "kernel/tet_blocks.h"

#include "kernel/rotation_ref.h"

#include <stdbool.h>

extern const SnTetBlockKernels sn_tet_block_ref;

typedef struct Tet {
    float r[4][3]; // R g
    float s[4][3]; // R g, or cof(F) g
    float W[9];    // R W R^T
    float two_mu, lambda;
} Tet;

// Columns of A B^T, and their negative sum first.
static void turn_gradients(const float *A, const float *B, float out[4][3])
{
    for (int i = 0; i < 3; ++i) {
        for (int a = 0; a < 3; ++a) {
            out[a + 1][i] = ref_dot(A + 3 * i, 1, B + 3 * a, 1);
        }
        out[0][i] = 0.0f - ((out[1][i] + out[2][i]) + out[3][i]);
    }
}

static void mix(float W[9], float mu)
{
    float trace = ((W[0] + mu) + (W[4] + mu)) + (W[8] + mu);
    float least = mu * SN_TET_MIXED_LENGTH;
    float share = (trace - mu * SN_TET_MIXED_BEGIN) / (least > 1e-30f ? least : 1e-30f);
    share = share > 0.0f ? share : 0.0f;
    share = share < 1.0f ? share : 1.0f;
    for (int k = 0; k < 9; ++k) {
        W[k] = k % 4 == 0 ? share * (W[k] + mu) - mu : share * W[k];
    }
}

static void tet_load(const SnTetBlocks *s, size_t block, size_t lane, Tet *tet)
{
    const float *tangent =
        s->tangent + block * (size_t)sn_tet_tangent_planes(s->law) * SN_TET_BLOCK + lane;
    float rest[SN_TET_REST], q[4], w[SN_TET_TANGENT_FIXED], R[9], RW[9];
    ref_load(s->rest + block * SN_TET_REST * SN_TET_BLOCK + lane, SN_TET_REST, SN_TET_BLOCK, 0,
             rest);
    ref_load(s->q + block * 4 * SN_TET_BLOCK + lane, 4, SN_TET_BLOCK, 0, q);
    ref_load(tangent, sn_tet_tangent_planes(s->law), SN_TET_BLOCK, 0, w);
    sn_ref_quat_to_mat3(q, R);
    float W[9] = {w[0], w[3], w[4], w[3], w[1], w[5], w[4], w[5], w[2]};
    if (s->kind == SN_TET_MIXED) {
        mix(W, rest[9] * 0.5f);
    }
    for (int k = 0; k < 9; ++k) {
        RW[k] = ref_dot(R + 3 * (k / 3), 1, W + k % 3, 3);
    }
    for (int k = 0; k < 9; ++k) {
        float held = k % 4 == 0 ? rest[9] * -0.5f : 0.0f;
        tet->W[k] =
            s->kind == SN_TET_WARPED ? held : ref_dot(RW + 3 * (k / 3), 1, R + 3 * (k % 3), 1);
    }
    turn_gradients(R, rest, tet->r);
    turn_gradients(s->law == SN_TET_FIXED ? w + 6 : R, rest, tet->s);
    tet->two_mu = rest[9];
    tet->lambda = rest[10];
}

static void edge_store(const SnTetBlocks *s, const Tet *tet, int a, int b, int slot, bool turned)
{
    const float *p = tet->r[a];
    float turn[3][3]; // rows of W [r_b]x
    float spring = tet->two_mu * ref_dot(p, 1, tet->r[b], 1);
    for (int k = 0; k < 3; ++k) {
        ref_cross(tet->W + 3 * k, tet->r[b], turn[k]);
    }
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        for (int c = 0; c < 3; ++c) {
            float value = p[k] * turn[j][c] - p[j] * turn[k][c];
            value = i == c ? value + spring : value;
            if (s->law != SN_TET_MU) {
                value = tet->lambda * tet->s[a][i] * tet->s[b][c] + value;
            }
            int at = turned ? 3 * c + i : 3 * i + c;
            if (at < SN_TET_EDGE_SLOT) {
                s->edges[slot + at] = value;
            } else {
                s->lasts[slot / SN_TET_EDGE_SLOT] = value;
            }
        }
    }
}

static void blocks(const SnTetBlocks *s, int begin, int end)
{
    for (int at = begin * SN_TET_BLOCK; at < end * SN_TET_BLOCK; ++at) {
        size_t block = (size_t)(at / SN_TET_BLOCK);
        size_t lane = (size_t)(at % SN_TET_BLOCK);
        const int *slots = s->slots + block * SN_TET_EDGES * SN_TET_BLOCK + lane;
        Tet tet;
        tet_load(s, block, lane, &tet);
        for (int b = 1, edge = 0; b < 4; ++b) {
            for (int a = 0; a < b; ++a, ++edge) {
                bool turned = (s->turned[block * SN_TET_EDGES + (size_t)edge] >> lane & 1) != 0;
                edge_store(s, &tet, a, b, slots[edge * SN_TET_BLOCK], turned);
            }
        }
    }
}

static float entry(const SnEdgeSum *s, int slot, size_t k)
{
    return k < SN_TET_EDGE_SLOT ? s->edges[SN_TET_EDGE_SLOT * (size_t)slot + k] : s->lasts[slot];
}

static void sum(const SnEdgeSum *s, int begin, int end)
{
    for (size_t e = (size_t)begin; e < (size_t)end; ++e) {
        for (size_t k = 0; k < 9; ++k) {
            float value = 0.0f;
            for (int i = s->start[e]; i < s->start[e + 1]; ++i) {
                value += entry(s, i, k);
            }
            value *= s->scale;
            s->values[(size_t)s->first[e] + 3 * (k % 3) + k / 3] = value;
            s->values[(size_t)s->second[e] + k] = value;
        }
    }
}

const SnTetBlockKernels sn_tet_block_ref = {.blocks = blocks, .sum = sum};

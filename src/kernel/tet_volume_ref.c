// Compliant volume constraints one at a time, see tet_volume.h.
#include "kernel/tet_volume.h"

#include "kernel/rotation_ref.h"

SnTetVolumeFn sn_tet_volume_ref;

// Returns 1 for a tet that was left alone.
static int correct(const SnTetVolume *s, int block, int lane)
{
    const int *at = s->vertices + (size_t)block * 4 * SN_VOLUME_BLOCK + lane;
    float *k = s->multipliers + (size_t)block * SN_VOLUME_BLOCK + lane;
    float rest[SN_VOLUME_REST], D[9], f[9], c[9], g[4][3];
    ref_load(s->rest + (size_t)block * SN_VOLUME_REST * SN_VOLUME_BLOCK, SN_VOLUME_REST,
             SN_VOLUME_BLOCK, lane, rest);
    for (int a = 0; a < 3; ++a) {
        for (int i = 0; i < 3; ++i) {
            D[3 * i + a] = s->x[at[(a + 1) * SN_VOLUME_BLOCK] + i] - s->x[at[0] + i];
        }
    }
    ref_multiply(D, rest, f);
    for (int r = 0; r < 3; ++r) {
        int r1 = (r + 1) % 3, r2 = (r + 2) % 3;
        for (int j = 0; j < 3; ++j) {
            int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            c[3 * r + j] = f[3 * r1 + j1] * f[3 * r2 + j2] - f[3 * r1 + j2] * f[3 * r2 + j1];
        }
    }
    float C = ref_dot(f, 1, c, 1) - 1.0f;
    for (int i = 0; i < 3; ++i) {
        for (int a = 1; a < 4; ++a) {
            g[a][i] = ref_dot(c + 3 * i, 1, rest + 3 * (a - 1), 1);
        }
        g[0][i] = 0.0f - ((g[1][i] + g[2][i]) + g[3][i]);
    }
    float alpha = rest[9] * s->inverse_dt2;
    float total = alpha;
    for (int a = 0; a < 4; ++a) {
        total = s->x[at[a * SN_VOLUME_BLOCK] + 3] * ref_dot(g[a], 1, g[a], 1) + total;
    }
    float k_old = s->fresh ? 0.0f : *k;
    float dk = -1.0f < C ? (0.0f - (alpha * k_old + C)) / total : 0.0f;
    *k = k_old + dk;
    for (int a = 0; a < 4; ++a) {
        float *x = s->x + at[a * SN_VOLUME_BLOCK];
        float move = x[3] * dk;
        for (int i = 0; i < 3; ++i) {
            x[i] += move * g[a][i];
        }
    }
    return !(-1.0f < C) && 0.0f < alpha ? 1 : 0;
}

void sn_tet_volume_ref(const SnTetVolume *s, int begin, int end)
{
    for (int block = begin; block < end; ++block) {
        s->inverted[block] = 0;
        for (int l = 0; l < SN_VOLUME_BLOCK; ++l) {
            s->inverted[block] += correct(s, block, l);
        }
    }
}

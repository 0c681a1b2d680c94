// Compliant volume constraints one at a time, see tet_volume.h.
#include "kernel/tet_volume.h"

#include "kernel/rotation_ref.h"

SnTetVolumeFn sn_tet_volume_ref;

// det Dm times the gradients of det F by the corners. Returns det Ds.
static float gradients(float *const x[4], float g[4][3])
{
    float e[4][3];
    for (int a = 1; a < 4; ++a) {
        for (int i = 0; i < 3; ++i) {
            e[a][i] = x[a][i] - x[0][i];
        }
    }
    ref_cross(e[2], e[3], g[1]);
    ref_cross(e[3], e[1], g[2]);
    ref_cross(e[1], e[2], g[3]);
    for (int i = 0; i < 3; ++i) {
        g[0][i] = 0.0f - ((g[1][i] + g[2][i]) + g[3][i]);
    }
    return ref_dot(e[1], 1, g[1], 1);
}

// Returns 1 for a tet that was left alone.
static int correct(const SnTetVolume *s, size_t block, size_t lane)
{
    const int *at = s->vertices + block * 4 * SN_VOLUME_BLOCK + lane;
    const float *rest = s->rest + block * SN_VOLUME_REST * SN_VOLUME_BLOCK + lane;
    float scale = rest[0];
    float alpha = rest[SN_VOLUME_BLOCK] * s->inverse_dt2;
    float *x[4], g[4][3], total = 0.0f, k = 0.0f;
    for (int a = 0; a < 4; ++a) {
        x[a] = s->x + at[a * SN_VOLUME_BLOCK];
    }
    float C = gradients(x, g) * scale - 1.0f;
    for (int a = 0; a < 4; ++a) {
        total = x[a][3] * ref_dot(g[a], 1, g[a], 1) + total;
    }
    total = total * scale * scale + alpha;
    float rise = C;
    if (!s->fresh) {
        k = s->multipliers[block * SN_VOLUME_BLOCK + lane];
        rise = alpha * k + C;
    }
    bool upright = -1.0f < C;
    float dk = upright ? (0.0f - rise) / total : 0.0f;
    if (s->multipliers != NULL) {
        s->multipliers[block * SN_VOLUME_BLOCK + lane] = k + dk;
    }
    dk = dk * scale;
    for (int a = 0; a < 4; ++a) {
        float move = x[a][3] * dk;
        for (int i = 0; i < 3; ++i) {
            x[a][i] += move * g[a][i];
        }
    }
    return !upright && 0.0f < scale ? 1 : 0;
}

void sn_tet_volume_ref(const SnTetVolume *s, int begin, int end)
{
    for (int chunk = begin; chunk < end; ++chunk) {
        int lanes = SN_VOLUME_BLOCK * (s->chunk_block[chunk + 1] - s->chunk_block[chunk]);
        s->inverted[chunk] = 0;
        for (int l = 0; l < lanes; ++l) {
            size_t block = (size_t)(s->chunk_block[chunk] + l / SN_VOLUME_BLOCK);
            s->inverted[chunk] += correct(s, block, (size_t)(l % SN_VOLUME_BLOCK));
        }
    }
}

// Compliant volume constraints, see tet_volume.h.
#include "kernel/tet_volume.h"

#include "kernel/corner_wide.h"
#include "kernel/rotation_wide.h"

SnTetVolumeFn SN_NAME(tet_volume);

typedef struct WideVec4 {
    Wide x, y, z, w;
} WideVec4;

static inline WideVec4 corner_read(const float *x, const int *at)
{
    Wide v[4] = {QUADS_LOAD(x, at), QUADS_LOAD(x, at + 1), QUADS_LOAD(x, at + 2),
                 QUADS_LOAD(x, at + 3)};
    quads_turn(v);
    return (WideVec4){v[0], v[1], v[2], v[3]};
}

static inline void corner_move(float *x, const int *at, WideVec4 p)
{
    Wide v[4] = {p.x, p.y, p.z, p.w};
    quads_turn(v);
    for (int k = 0; k < 4; ++k) {
        quads_store(x, at + k, v[k]);
    }
}

static inline WideVec3 row_times(const Wide *c, const Wide *b)
{
    return (WideVec3){dot3(c[0], b[0], c[1], b[1], c[2], b[2]),
                      dot3(c[3], b[0], c[4], b[1], c[5], b[2]),
                      dot3(c[6], b[0], c[7], b[1], c[8], b[2])};
}

static inline Wide square(WideVec3 a)
{
    return dot3(a.x, a.x, a.y, a.y, a.z, a.z);
}

// Returns which tets were left alone as ones and zeros.
static inline __attribute__((always_inline)) Wide correct(const SnTetVolume *s, size_t block,
                                                          int lane)
{
    const int *at = s->vertices + block * 4 * SN_VOLUME_BLOCK + lane;
    const float *rest = s->rest + block * SN_VOLUME_REST * SN_VOLUME_BLOCK + lane;
    float *k_at = s->multipliers + block * SN_VOLUME_BLOCK + lane;
    WideVec4 p[4];
    WideVec3 g[4];
    for (int a = 0; a < 4; ++a) {
        p[a] = corner_read(s->x, at + a * SN_VOLUME_BLOCK);
    }
    WideMat3 D = {{p[1].x - p[0].x, p[2].x - p[0].x, p[3].x - p[0].x, p[1].y - p[0].y,
                   p[2].y - p[0].y, p[3].y - p[0].y, p[1].z - p[0].z, p[2].z - p[0].z,
                   p[3].z - p[0].z}};
    WideMat3 B = mat3_load(rest, SN_VOLUME_BLOCK, 0);
    WideMat3 F = mat3_multiply(D, B);
    const Wide *f = F.m;
    Wide c[9] = {cross2(f[4], f[8], f[5], f[7]), cross2(f[5], f[6], f[3], f[8]),
                 cross2(f[3], f[7], f[4], f[6]), cross2(f[2], f[7], f[1], f[8]),
                 cross2(f[0], f[8], f[2], f[6]), cross2(f[1], f[6], f[0], f[7]),
                 cross2(f[1], f[5], f[2], f[4]), cross2(f[2], f[3], f[0], f[5]),
                 cross2(f[0], f[4], f[1], f[3])};
    Wide zero = wide_set(0.0f);
    Wide C = dot3(f[0], c[0], f[1], c[1], f[2], c[2]) - 1.0f;
    for (int a = 1; a < 4; ++a) {
        g[a] = row_times(c, B.m + 3 * (a - 1));
    }
    g[0] = (WideVec3){zero - ((g[1].x + g[2].x) + g[3].x), zero - ((g[1].y + g[2].y) + g[3].y),
                      zero - ((g[1].z + g[2].z) + g[3].z)};
    Wide alpha = wide_load(rest + 9 * SN_VOLUME_BLOCK) * s->inverse_dt2;
    Wide total = alpha;
    for (int a = 0; a < 4; ++a) {
        total = SN_MADD(p[a].w, square(g[a]), total);
    }
    Wide k = s->fresh ? zero : wide_load(k_at);
    Wide dk = (zero - SN_MADD(alpha, k, C)) / total;
    Mask upright = wide_less(wide_set(-1.0f), C);
    dk = wide_select(upright, dk, zero);
    wide_store(k_at, k + dk);
    for (int a = 0; a < 4; ++a) {
        Wide move = p[a].w * dk;
        corner_move(s->x, at + a * SN_VOLUME_BLOCK,
                    (WideVec4){SN_MADD(move, g[a].x, p[a].x), SN_MADD(move, g[a].y, p[a].y),
                               SN_MADD(move, g[a].z, p[a].z), p[a].w});
    }
    // Lanes without a tet have no compliance.
    Wide real = wide_select(wide_less(zero, alpha), wide_set(1.0f), zero);
    return wide_select(upright, zero, real);
}

void SN_NAME(tet_volume)(const SnTetVolume *s, int begin, int end)
{
    for (size_t block = (size_t)begin; block < (size_t)end; ++block) {
        int count = 0;
        for (int lane = 0; lane < SN_VOLUME_BLOCK; lane += SN_LANES) {
            Wide left = correct(s, block, lane);
            // Almost never.
            if (mask_any(wide_less(wide_set(0.0f), left))) {
                for (int l = 0; l < SN_LANES; ++l) {
                    count += left[l] > 0.0f ? 1 : 0;
                }
            }
        }
        s->inverted[block] = count;
    }
}

// Compliant volume constraints, see tet_volume.h.
#include "kernel/tet_volume.h"

#include "kernel/corner_wide.h"
#include "kernel/rotation_wide.h"

SnTetVolumeFn SN_NAME(tet_volume);

// Three floats of each, for the fourth may be a neighbour's that another worker moves.
static inline WideVec3 corner_read(const float *x, const int *at)
{
    _Alignas(64) float xs[SN_LANES], ys[SN_LANES], zs[SN_LANES];
    for (int l = 0; l < SN_LANES; ++l) {
        xs[l] = x[at[l]];
        ys[l] = x[at[l] + 1];
        zs[l] = x[at[l] + 2];
    }
    return (WideVec3){wide_load(xs), wide_load(ys), wide_load(zs)};
}

static inline void corner_move(float *x, const int *at, WideVec3 v)
{
    _Alignas(64) float xs[SN_LANES], ys[SN_LANES], zs[SN_LANES];
    wide_store(xs, v.x);
    wide_store(ys, v.y);
    wide_store(zs, v.z);
    for (int l = 0; l < SN_LANES; ++l) {
        x[at[l]] = xs[l];
        x[at[l] + 1] = ys[l];
        x[at[l] + 2] = zs[l];
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

static inline void correct(const SnTetVolume *s, size_t block, int lane)
{
    const int *at = s->vertices + block * 4 * SN_VOLUME_BLOCK + lane;
    const float *rest = s->rest + block * SN_VOLUME_REST * SN_VOLUME_BLOCK + lane;
    float *k_at = s->multipliers + block * SN_VOLUME_BLOCK + lane;
    WideVec3 p[4], g[4];
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
    Wide w[4];
    Wide alpha = wide_load(rest + 9 * SN_VOLUME_BLOCK) * s->inverse_dt2;
    Wide total = alpha;
    for (int a = 0; a < 4; ++a) {
        w[a] = wide_load(rest + (10 + a) * SN_VOLUME_BLOCK);
        total = SN_MADD(w[a], square(g[a]), total);
    }
    Wide k = wide_load(k_at);
    Wide dk = (zero - SN_MADD(alpha, k, C)) / total;
    dk = wide_select(wide_less(wide_set(-1.0f), C), dk, zero);
    wide_store(k_at, k + dk);
    for (int a = 0; a < 4; ++a) {
        Wide move = w[a] * dk;
        corner_move(s->x, at + a * SN_VOLUME_BLOCK,
                    (WideVec3){SN_MADD(move, g[a].x, p[a].x), SN_MADD(move, g[a].y, p[a].y),
                               SN_MADD(move, g[a].z, p[a].z)});
    }
}

void SN_NAME(tet_volume)(const SnTetVolume *s, int begin, int end)
{
    for (size_t block = (size_t)begin; block < (size_t)end; ++block) {
        for (int lane = 0; lane < SN_VOLUME_BLOCK; lane += SN_LANES) {
            correct(s, block, lane);
        }
    }
}

// Compliant volume constraints, see tet_volume.h.
#include "kernel/tet_volume.h"

#include "kernel/corner_wide.h"
#include "kernel/rotation_wide.h"

SnTetVolumeFn SN_NAME(tet_volume);

typedef struct WideVec4 {
    Wide x, y, z, w;
} WideVec4;

static inline __attribute__((always_inline)) WideVec4 corner_read(const float *x, const int *at)
{
    Wide v[4] = {QUADS_LOAD(x, at), QUADS_LOAD(x, at + 1), QUADS_LOAD(x, at + 2),
                 QUADS_LOAD(x, at + 3)};
    quads_turn(v);
    return (WideVec4){v[0], v[1], v[2], v[3]};
}

// Moves a corner by the length along g, and writes it back.
static inline __attribute__((always_inline)) void corner_move(float *x, const int *at, WideVec4 p,
                                                              Wide length, WideVec3 g)
{
    Wide move = p.w * length;
    quad_scatter(x, at, SN_MADD(move, g.x, p.x), SN_MADD(move, g.y, p.y), SN_MADD(move, g.z, p.z),
                 p.w);
}

static inline WideVec3 edge_of(WideVec4 a, WideVec4 b)
{
    return (WideVec3){b.x - a.x, b.y - a.y, b.z - a.z};
}

static inline WideVec3 cross(WideVec3 a, WideVec3 b)
{
    return (WideVec3){cross2(a.y, b.z, a.z, b.y), cross2(a.z, b.x, a.x, b.z),
                      cross2(a.x, b.y, a.y, b.x)};
}

static inline Wide dot(WideVec3 a, WideVec3 b)
{
    return dot3(a.x, b.x, a.y, b.y, a.z, b.z);
}

// Returns something positive for tets that were left alone, and zeros. Without loops over corners,
// which the compiler would keep as loops with corners in memory.
static inline __attribute__((always_inline)) Wide correct(const SnTetVolume *s, size_t block,
                                                          int lane)
{
    const int *at = s->vertices + block * 4 * SN_VOLUME_BLOCK + lane;
    const float *rest = s->rest + block * SN_VOLUME_REST * SN_VOLUME_BLOCK + lane;
    WideVec4 a = corner_read(s->x, at);
    WideVec4 b = corner_read(s->x, at + SN_VOLUME_BLOCK);
    WideVec4 c = corner_read(s->x, at + 2 * SN_VOLUME_BLOCK);
    WideVec4 d = corner_read(s->x, at + 3 * SN_VOLUME_BLOCK);
    WideVec3 e1 = edge_of(a, b), e2 = edge_of(a, c), e3 = edge_of(a, d);
    // det Dm times the gradients of det F.
    WideVec3 g1 = cross(e2, e3), g2 = cross(e3, e1), g3 = cross(e1, e2);
    Wide zero = wide_set(0.0f);
    WideVec3 g0 = {zero - ((g1.x + g2.x) + g3.x), zero - ((g1.y + g2.y) + g3.y),
                   zero - ((g1.z + g2.z) + g3.z)};
    Wide scale = wide_load(rest);
    Wide alpha = wide_load(rest + SN_VOLUME_BLOCK) * s->inverse_dt2;
    Wide C = dot(e1, g1) * scale - 1.0f;
    Wide total = a.w * dot(g0, g0);
    total = SN_MADD(b.w, dot(g1, g1), total);
    total = SN_MADD(c.w, dot(g2, g2), total);
    total = SN_MADD(d.w, dot(g3, g3), total);
    total = SN_MADD(total * scale, scale, alpha);
    size_t k_at = block * SN_VOLUME_BLOCK + (size_t)lane;
    Wide rise = C, k = zero;
    if (!s->fresh) {
        k = wide_load(s->multipliers + k_at);
        rise = SN_MADD(alpha, k, C);
    }
    Mask upright = wide_less(wide_set(-1.0f), C);
    Wide dk = wide_select(upright, (zero - rise) / total, zero);
    if (s->multipliers != NULL) {
        wide_store(s->multipliers + k_at, k + dk);
    }
    Wide length = dk * scale;
    corner_move(s->x, at, a, length, g0);
    corner_move(s->x, at + SN_VOLUME_BLOCK, b, length, g1);
    corner_move(s->x, at + 2 * SN_VOLUME_BLOCK, c, length, g2);
    corner_move(s->x, at + 3 * SN_VOLUME_BLOCK, d, length, g3);
    // The scale of lanes without a tet is zero.
    return wide_select(upright, zero, scale);
}

// Rare, and kept out of the loop.
static __attribute__((noinline)) int count_positive(const Wide *lanes)
{
    int count = 0;
    for (int l = 0; l < SN_LANES; ++l) {
        count += (*lanes)[l] > 0.0f ? 1 : 0;
    }
    return count;
}

void SN_NAME(tet_volume)(const SnTetVolume *s, int begin, int end)
{
    for (int chunk = begin; chunk < end; ++chunk) {
        int count = 0;
        for (int block = s->chunk_block[chunk]; block < s->chunk_block[chunk + 1]; ++block) {
            for (int lane = 0; lane < SN_VOLUME_BLOCK; lane += SN_LANES) {
                Wide left = correct(s, (size_t)block, lane);
                if (__builtin_expect(mask_any(wide_less(wide_set(0.0f), left)), 0)) {
                    count += count_positive(&left);
                }
            }
        }
        s->inverted[chunk] = count;
    }
}

// The coarse space of `split`, see coarse.h. Rotations take a register of vertices at a time,
// frames a register of their numbers, the dense product registers of rows.
#include "kernel/coarse.h"

#include "kernel/corner_wide.h"
#include "kernel/rotation_wide.h"

extern const SnCoarseKernels SN_NAME(coarse);

enum { GROUP = SN_COARSE_GROUP, FRAME_WIDES = SN_COARSE_COLUMNS / SN_LANES };

static inline WideQuat rotation_read(const SnCoarse *c, const int *clusters)
{
    Wide v[4] = {QUADS_LOAD(c->rotations, clusters), QUADS_LOAD(c->rotations, clusters + 1),
                 QUADS_LOAD(c->rotations, clusters + 2), QUADS_LOAD(c->rotations, clusters + 3)};
    quads_turn(v);
    return (WideQuat){v[0], v[1], v[2], v[3]};
}

static inline Wide dot4(WideQuat a, WideQuat b)
{
    return SN_MADD(a.w, b.w, dot3(a.x, b.x, a.y, b.y, a.z, b.z));
}

// Weighted mean of the four quaternions, each with the sign that brings it to the first's side.
static inline WideQuat mean_of(const SnCoarse *c, const int *clusters, const float *shares)
{
    WideQuat first = rotation_read(c, clusters);
    Wide share = wide_load(shares);
    WideQuat q = {share * first.x, share * first.y, share * first.z, share * first.w};
    for (int k = 1; k < SN_COARSE_CLUSTERS; ++k) {
        WideQuat other = rotation_read(c, clusters + k * GROUP);
        share = wide_flip_sign(wide_load(shares + k * GROUP), dot4(first, other));
        q.x = SN_MADD(share, other.x, q.x);
        q.y = SN_MADD(share, other.y, q.y);
        q.z = SN_MADD(share, other.z, q.z);
        q.w = SN_MADD(share, other.w, q.w);
    }
    return q;
}

static void blend(const SnCoarse *c, int begin, int end)
{
    for (size_t g = (size_t)begin; g < (size_t)end; ++g) {
        for (int lane = 0; lane < GROUP; lane += SN_LANES) {
            size_t at = 4 * GROUP * g + (size_t)lane;
            WideQuat q = mean_of(c, c->clusters + at, c->shares + at);
            Wide norm2 = dot4(q, q);
            // Held vertices have no shares: any turn will do.
            Mask some = wide_less(wide_set(SN_COARSE_TINY), norm2);
            Wide scale = wide_rsqrt(wide_select(some, norm2, wide_set(1.0f))) * SN_COARSE_SQRT2;
            scale = wide_select(some, scale, wide_set(0.0f));
            quat_store(c->turns + at, GROUP, 0,
                       (WideQuat){q.x * scale, q.y * scale, q.z * scale, q.w * scale});
        }
    }
}

static inline WideVec3 cross(WideQuat q, WideVec3 u)
{
    return (WideVec3){cross2(q.y, u.z, q.z, u.y), cross2(q.z, u.x, q.x, u.z),
                      cross2(q.x, u.y, q.y, u.x)};
}

// u + w q x u + q x (q x u) with |q|^2 = 2; for the turn back give -w.
static inline WideVec3 rotate(WideQuat q, Wide w, WideVec3 u)
{
    WideVec3 t = cross(q, u);
    WideVec3 s = cross(q, t);
    return (WideVec3){SN_MADD(w, t.x, u.x) + s.x, SN_MADD(w, t.y, u.y) + s.y,
                      SN_MADD(w, t.z, u.z) + s.z};
}

// Where lane l is in four registers that quads_turn has made.
static inline int place_of(int l)
{
    return 16 * (l % 4) + 4 * (l / 4);
}

static inline void vertices_store(float *out, int lane, WideVec3 u)
{
    Wide v[4] = {u.x, u.y, u.z, wide_set(0.0f)};
    quads_turn(v);
    for (int k = 0; k < 4; ++k) {
        wide_store(out + 16 * k + lane, v[k]);
    }
}

static void turn(const SnCoarse *c, int begin, int end)
{
    for (size_t g = (size_t)begin; g < (size_t)end; ++g) {
        _Alignas(64) float back[4 * GROUP];
        int at[GROUP];
        int first = GROUP * (int)g;
        for (int l = 0; l < GROUP; ++l) {
            int v = first + l;
            at[l] = 3 * (v < c->vertex_count ? v : c->vertex_count - 1);
        }
        for (int lane = 0; lane < GROUP; lane += SN_LANES) {
            Wide v[4] = {QUADS_LOAD(c->residual, at + lane), QUADS_LOAD(c->residual, at + lane + 1),
                         QUADS_LOAD(c->residual, at + lane + 2),
                         QUADS_LOAD(c->residual, at + lane + 3)};
            quads_turn(v);
            WideQuat q = quat_load(c->turns + 4 * GROUP * g + (size_t)lane, GROUP, 0);
            vertices_store(back, lane,
                           rotate(q, wide_set(0.0f) - q.w, (WideVec3){v[0], v[1], v[2]}));
        }
        for (int l = 0; l < GROUP; ++l) {
            const float *place = c->place + 4 * (size_t)(first + l);
            float *out = c->turned + SN_COARSE_COLUMNS * (size_t)(first + l);
            Vec4 r = vec4_read(back + place_of(l));
            for (int k = 0; k < 4; ++k) {
                vec4_write(out + 4 * k, vec4_set(place[k]) * r);
            }
        }
    }
}

static inline void member_add(const SnCoarse *c, int m, Wide sum[FRAME_WIDES])
{
    const float *turned = c->turned + 4 * (size_t)(c->members[m] & ~3);
    Wide share = wide_set(c->member_shares[m]);
    for (int i = 0; i < FRAME_WIDES; ++i) {
        sum[i] = SN_MADD(share, wide_load(turned + i * SN_LANES), sum[i]);
    }
}

static void gather(const SnCoarse *c, int begin, int end)
{
    for (int i = begin; i < end; ++i) {
        Wide even[FRAME_WIDES], odd[FRAME_WIDES];
        int m = c->start[i];
        memset(even, 0, sizeof even);
        memset(odd, 0, sizeof odd);
        for (; m + 1 < c->start[i + 1]; m += 2) {
            member_add(c, m, even);
            member_add(c, m + 1, odd);
        }
        if (m < c->start[i + 1]) {
            member_add(c, m, even);
        }
        for (int k = 0; k < FRAME_WIDES; ++k) {
            wide_store(c->sums + SN_COARSE_COLUMNS * i + k * SN_LANES, even[k] + odd[k]);
        }
    }
}

// Registers of rows that are summed side by side: as many as hide the time of an addition.
enum { ROWS = 6, PART = ROWS * SN_LANES };

// Rows from `part` on of a block, column after column.
static inline void solve_part(const SnCoarse *c, int block, int part)
{
    size_t count = (size_t)c->row_count;
    const float *column = c->inverse + (size_t)block * count * SN_COARSE_ROWS + part;
    float *out = c->frames + block * SN_COARSE_ROWS + part;
    Wide sums[ROWS];
    for (int k = 0; k < ROWS; ++k) {
        sums[k] = wide_set(0.0f);
    }
    for (size_t j = 0; j < count; ++j, column += SN_COARSE_ROWS) {
        Wide right = wide_set(c->right[j]);
        for (int k = 0; k < ROWS; ++k) {
            sums[k] = SN_MADD(wide_load(column + k * SN_LANES), right, sums[k]);
        }
    }
    for (int k = 0; k < ROWS; ++k) {
        wide_store(out + k * SN_LANES, sums[k]);
    }
}

static void solve(const SnCoarse *c, int begin, int end)
{
    for (int block = begin; block < end; ++block) {
        for (int part = 0; part < SN_COARSE_ROWS; part += PART) {
            solve_part(c, block, part);
        }
    }
}

// What the frames of its clusters make of a vertex, before its turn.
static inline Vec4 vertex_follow(const SnCoarse *c, size_t g, int l)
{
    size_t at = 4 * GROUP * g + (size_t)l;
    const float *place = c->place + 4 * (GROUP * g + (size_t)l);
    _Alignas(64) float columns[SN_COARSE_COLUMNS];
    Wide sum[FRAME_WIDES];
    memset(sum, 0, sizeof sum);
    for (size_t k = 0; k < SN_COARSE_CLUSTERS; ++k) {
        const float *from = c->columns + 4 * (size_t)c->clusters[at + k * GROUP];
        Wide share = wide_set(c->shares[at + k * GROUP]);
        for (int i = 0; i < FRAME_WIDES; ++i) {
            sum[i] = SN_MADD(share, wide_load(from + i * SN_LANES), sum[i]);
        }
    }
    for (int i = 0; i < FRAME_WIDES; ++i) {
        wide_store(columns + i * SN_LANES, sum[i]);
    }
    Vec4 low = vec4_madd(vec4_set(place[1]), vec4_read(columns + 4), vec4_read(columns));
    Vec4 high = vec4_madd(vec4_set(place[3]), vec4_read(columns + 12),
                          vec4_set(place[2]) * vec4_read(columns + 8));
    return low + high;
}

static void spread(const SnCoarse *c, int begin, int end)
{
    for (size_t g = (size_t)begin; g < (size_t)end; ++g) {
        _Alignas(64) float u[4 * GROUP];
        int first = GROUP * (int)g;
        int count = c->vertex_count - first < GROUP ? c->vertex_count - first : GROUP;
        for (int l = 0; l < GROUP; ++l) {
            vec4_write(u + place_of(l), vertex_follow(c, g, l));
        }
        for (int lane = 0; lane < GROUP; lane += SN_LANES) {
            Wide v[4] = {wide_load(u + lane), wide_load(u + 16 + lane), wide_load(u + 32 + lane),
                         wide_load(u + 48 + lane)};
            quads_turn(v);
            WideQuat q = quat_load(c->turns + 4 * GROUP * g + (size_t)lane, GROUP, 0);
            vertices_store(u, lane, rotate(q, q.w, (WideVec3){v[0], v[1], v[2]}));
        }
        for (int l = 0; l < count; ++l) {
            size_t at = 3 * (size_t)(first + l);
            Vec4 z = vec4_read(c->z + at) + vec4_read(u + place_of(l)) * vec4_read(c->free + at);
            memcpy(c->z + at, &z, 3 * sizeof(float));
        }
    }
}

const SnCoarseKernels SN_NAME(coarse) = {
    .blend = blend, .turn = turn, .gather = gather, .solve = solve, .spread = spread};

// Vectors over vertices, see vertex_sum.h. A register holds x, y, z of one vertex.
#include "kernel/vertex_sum.h"

#include "kernel/corner_wide.h"

extern const SnVertexKernels SN_NAME(vertex);

static void sum(const SnVertexSum *s, int begin, int end)
{
    for (int v = begin; v < end; ++v) {
        const int *place = s->places + SN_VERTEX_ROWS * (size_t)v;
        size_t at = 3 * (size_t)v;
        Vec4 total = (vec4_read(s->rows + place[0]) + vec4_read(s->rows + place[1])) +
                     (vec4_read(s->rows + place[2]) + vec4_read(s->rows + place[3]));
        for (int i = s->start[v]; i < s->start[v + 1]; ++i) {
            total = total + vec4_read(s->rows + s->further[i]);
        }
        Vec4 x = vec4_read(s->x + at);
        if (s->minus != NULL) {
            x = x - vec4_read(s->minus + at);
        }
        Vec4 out = vec4_madd(vec4_set(s->scale), total, vec4_set(s->mass[v]) * x);
        out = out * vec4_read(s->free + at);
        memcpy(s->out + at, &out, 3 * sizeof(float));
    }
}

typedef float HalfWide __attribute__((vector_size(2 * SN_LANES)));

enum { PARTS = 16, HALF = SN_LANES / 2 };

static inline WideDouble double_read(const float *p)
{
    HalfWide v;
    memcpy(&v, p, sizeof v);
#if SN_LANES == 16
    // The compiler would convert halves and put them together.
    return (WideDouble)_mm512_cvtps_pd((__m256)v);
#else
    return __builtin_convertvector(v, WideDouble);
#endif
}

// Products of two floats are exact in double, so fused or not makes no difference.
static double dot(const float *a, const float *b, int begin, int end)
{
    WideDouble sums[PARTS / HALF] = {{0.0}};
    double parts[PARTS];
    int i = begin;
    for (; i + PARTS <= end; i += PARTS) {
        for (int k = 0; k < PARTS / HALF; ++k) {
            sums[k] += double_read(a + i + HALF * k) * double_read(b + i + HALF * k);
        }
    }
    for (int k = 0; k < PARTS; ++k) {
        parts[k] = sums[k / HALF][k % HALF];
    }
    for (int k = 0; i < end; ++i, ++k) {
        parts[k] += (double)a[i] * (double)b[i];
    }
    double total = parts[0];
    for (int k = 1; k < PARTS; ++k) {
        total += parts[k];
    }
    return total;
}

typedef double Double4 __attribute__((vector_size(32)));

// Vertices that are asked for before they are needed: the state is in another order.
enum { AHEAD = 16 };

static inline Double4 double3_read(const double *p)
{
    return (Double4){p[0], p[1], p[2], 0.0};
}

static inline Double4 double3_set(double a)
{
    return (Double4){a, a, a, a};
}

static inline void ask_for(const double *p)
{
    __builtin_prefetch(p);
    __builtin_prefetch(p + 2);
}

static inline void fall_ahead(const SnVertexFall *s, int v)
{
    size_t at = 3 * (size_t)s->outside[v];
    ask_for(s->positions + at);
    ask_for(s->velocities + at);
    if (s->last_move != NULL) {
        ask_for(s->last_move + at);
    }
    if (s->last_change != NULL) {
        ask_for(s->last_change + at);
    }
}

// Vertex v of a range that ends at `end`: the next vertex writes over the fourth float, unless it
// may be another worker's.
static inline void xyz_write(float *out, int v, int end, Vec4 value)
{
    if (v + 1 < end) {
        vec4_write(out + 3 * (size_t)v, value);
    } else {
        memcpy(out + 3 * (size_t)v, &value, 3 * sizeof *out);
    }
}

static inline Double4 aim_at(const SnVertexFall *s, size_t from, Double4 velocity)
{
    Double4 aim = double3_read(s->pull) + double3_set(s->time) * velocity;
    if (s->last_move != NULL) {
        aim = aim + double3_set(s->move_share) * double3_read(s->last_move + from);
    }
    if (s->change_share != 0.0) {
        aim = aim + double3_set(s->change_share) * double3_read(s->last_change + from);
    }
    return aim;
}

static inline Double4 guess_at(const SnVertexFall *s, size_t from, Double4 velocity)
{
    const double *last = s->last_change + from;
    double share = s->weigh[0] * last[0] + s->weigh[1] * last[1] + s->weigh[2] * last[2];
    share = share > 0.0 ? share : 0.0;
    share = share < 1.0 ? share : 1.0;
    return double3_set(s->guess_time) * velocity + double3_set(share) * double3_read(s->guess_pull);
}

// Multiply and add round by themselves in every variant: the state is more than float can tell.
static void fall(const SnVertexFall *s, int begin, int end)
{
    for (int v = begin; v < end; ++v) {
        size_t from = 3 * (size_t)s->outside[v];
        if (v + AHEAD < end) {
            fall_ahead(s, v + AHEAD);
        }
        Double4 place = double3_read(s->positions + from) - double3_read(s->origin);
        Double4 velocity = double3_read(s->velocities + from);
        Vec4 start = __builtin_convertvector(place, Vec4);
        Vec4 aim = __builtin_convertvector(aim_at(s, from, velocity), Vec4);
        Vec4 move = aim;
        if (s->guesses) {
            move = __builtin_convertvector(guess_at(s, from, velocity), Vec4);
        }
        xyz_write(s->start, v, end, start);
        xyz_write(s->aim, v, end, aim);
        xyz_write(s->move, v, end, move);
        xyz_write(s->x, v, end, start + move);
    }
}

static inline Double4 square_at(const SnVertexInertia *s, int v)
{
    size_t at = 3 * (size_t)v;
    Vec4 d = (vec4_read(s->a + at) - vec4_read(s->b + at)) * vec4_read(s->free + at);
    Double4 wide = __builtin_convertvector(d, Double4);
    return wide * wide;
}

// The fourth lane is anything, and left out.
static void inertia(const SnVertexInertia *s, int begin, int end, double out_sums[2])
{
    Double4 energy[2] = {{0.0}}, length[2] = {{0.0}};
    int v = begin;
    for (; v + 1 < end; v += 2) {
        Double4 even = square_at(s, v), odd = square_at(s, v + 1);
        energy[0] = energy[0] + double3_set((double)s->mass[v]) * even;
        energy[1] = energy[1] + double3_set((double)s->mass[v + 1]) * odd;
        length[0] = length[0] + even;
        length[1] = length[1] + odd;
    }
    if (v < end) {
        Double4 even = square_at(s, v);
        energy[0] = energy[0] + double3_set((double)s->mass[v]) * even;
        length[0] = length[0] + even;
    }
    Double4 e = energy[0] + energy[1], l = length[0] + length[1];
    out_sums[0] = (e[0] + e[1]) + e[2];
    out_sums[1] = (l[0] + l[1]) + l[2];
}

static void advance(const SnVertexPlaces *s, int begin, int end)
{
    // Factors of free are one or zero: nothing rounds.
    for (int i = 3 * begin; i < 3 * end; ++i) {
        s->move[i] = s->move[i] + s->step[i] * s->free[i];
        s->x[i] = s->start[i] + s->move[i];
    }
    for (int v = begin; v < end; ++v) {
        // Three floats: another worker may be writing the next.
        memcpy(s->places + 4 * (size_t)v, s->x + 3 * (size_t)v, 3 * sizeof(float));
    }
}

static void retreat(const SnVertexPlaces *s, int begin, int end)
{
    for (int v = begin; v < end; ++v) {
        xyz_write(s->move, v, end,
                  vec4_read(s->places + 4 * (size_t)v) - vec4_read(s->start + 3 * (size_t)v));
    }
}

const SnVertexKernels SN_NAME(vertex) = {.sum = sum,
                                         .dot = dot,
                                         .fall = fall,
                                         .inertia = inertia,
                                         .advance = advance,
                                         .retreat = retreat};

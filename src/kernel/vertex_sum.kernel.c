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
    return __builtin_convertvector(v, WideDouble);
}

// Products of two floats are exact in double, so fused or not makes no difference.
static double dot(const float *a, const float *b, int begin, int end)
{
    WideDouble sums[PARTS / HALF];
    double parts[PARTS];
    int i = begin;
    memset(sums, 0, sizeof sums);
    for (; i + PARTS <= end; i += PARTS) {
        for (int k = 0; k < PARTS / HALF; ++k) {
            sums[k] += double_read(a + i + HALF * k) * double_read(b + i + HALF * k);
        }
    }
    memcpy(parts, sums, sizeof parts);
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

static inline void fall_ahead(const SnVertexFall *s, int v)
{
    size_t at = 3 * (size_t)s->outside[v];
    __builtin_prefetch(s->positions + at);
    __builtin_prefetch(s->positions + at + 2);
    __builtin_prefetch(s->velocities + at);
    __builtin_prefetch(s->velocities + at + 2);
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

// Multiply and add round by themselves in every variant: the state is more than float can tell.
static void fall(const SnVertexFall *s, int begin, int end)
{
    Double4 origin = double3_read(s->origin), pull = double3_read(s->pull);
    Double4 time = {s->time, s->time, s->time, s->time};
    for (int v = begin; v < end; ++v) {
        size_t from = 3 * (size_t)s->outside[v];
        if (v + AHEAD < end) {
            fall_ahead(s, v + AHEAD);
        }
        Vec4 start = __builtin_convertvector(double3_read(s->positions + from) - origin, Vec4);
        Vec4 aim = __builtin_convertvector(pull + time * double3_read(s->velocities + from), Vec4);
        Vec4 x = start + aim;
        xyz_write(s->start, v, end, start);
        xyz_write(s->aim, v, end, aim);
        xyz_write(s->move, v, end, aim);
        xyz_write(s->x, v, end, x);
    }
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

const SnVertexKernels SN_NAME(vertex) = {
    .sum = sum, .dot = dot, .fall = fall, .advance = advance, .retreat = retreat};

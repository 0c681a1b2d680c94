#include "model/pin_set.h"

#include "geometry/region.h"
#include "math/mat3.h"

#include <string.h>

static const char AXIS_NAMES[] = "xyz";

void sn_pin_set_release(SnPinSet *set, const SinewAllocator *allocator)
{
    sn_free(allocator, set->start);
    sn_free(allocator, set->vertices);
    sn_free(allocator, set->axes);
    sn_free(allocator, set->held);
    *set = (SnPinSet){0};
}

// The pin before `pin` that holds a component of a vertex that both hold.
static SinewStatus fail_held_twice(const SnPinBody *body, const SnPinSet *set, int pin, int vertex,
                                   int twice, SinewError *error)
{
    int axis = twice & 1 ? 0 : twice & 2 ? 1 : 2;
    int other = 0;
    for (int p = 0; p < pin; ++p) {
        for (int i = set->start[p]; i < set->start[p + 1]; ++i) {
            other = set->vertices[i] == vertex && (set->axes[p] >> axis & 1) ? p : other;
        }
    }
    return sn_fail_at(error, SINEW_ERROR_ARGUMENT, pin,
                      "body \"%s\": pin %d holds the component %c of vertex %d, which pin %d holds "
                      "already, expected one pin for each",
                      body->name, pin, AXIS_NAMES[axis], vertex, other);
}

static int axes_of(const SnPin *pin)
{
    return (pin->axes[0] ? 1 : 0) | (pin->axes[1] ? 2 : 0) | (pin->axes[2] ? 4 : 0);
}

// Lists the vertices of a pin after those of the pins before.
static SinewStatus find_vertices(const SnPinBody *body, const SnPin *pin, int index, SnPinSet *set,
                                 SinewError *error)
{
    int count = set->start[index];
    int axes = axes_of(pin);
    if (axes == 0) {
        return sn_fail_at(error, SINEW_ERROR_ARGUMENT, index,
                          "body \"%s\": pin %d holds no axis, expected at least one of x, y, z",
                          body->name, index);
    }
    set->axes[index] = (unsigned char)axes;
    if (pin->points != NULL) {
        set->start[index + 1] = count;
        return SINEW_OK;
    }
    for (int v = 0; v < body->vertex_count; ++v) {
        if (!sn_region_holds(pin->region, v, body->rest + 3 * (size_t)v)) {
            continue;
        }
        int twice = set->held[v] & axes;
        if (twice != 0) {
            return fail_held_twice(body, set, index, v, twice, error);
        }
        set->held[v] = (unsigned char)(set->held[v] | axes);
        set->vertices[count++] = v;
    }
    if (count == set->start[index]) {
        return sn_fail_at(
            error, SINEW_ERROR_ARGUMENT, index,
            "body \"%s\": pin %d holds none of the %d vertices, expected at least one "
            "in its region",
            body->name, index, body->vertex_count);
    }
    set->start[index + 1] = count;
    return SINEW_OK;
}

SinewStatus sn_pin_set_find(const SnPinBody *body, const SnPin *pins, int count,
                            const SinewAllocator *allocator, SnPinSet *out_set, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnPinSet *set = out_set;
    size_t vertex_count = (size_t)body->vertex_count;

    set->count = count;
    SN_ALLOC_ZERO(set->start, allocator, count + 1, error);
    SN_ALLOC(set->axes, allocator, count, error);
    SN_ALLOC_ZERO(set->held, allocator, vertex_count, error);
    // A component is held once, so no vertex is in more than three pins.
    SN_ALLOC(set->vertices, allocator, (count < 3 ? (size_t)count : 3) * vertex_count, error);
    for (int p = 0; p < count; ++p) {
        SN_TRY(find_vertices(body, &pins[p], p, set, error));
    }
    for (size_t v = 0; v < vertex_count; ++v) {
        set->held_count += (set->held[v] & 1) + (set->held[v] >> 1 & 1) + (set->held[v] >> 2);
    }

done:
    return status;
}

SinewStatus sn_pin_set_points(const SnPin *pins, int count, const SinewAllocator *allocator,
                              SnPinSet *out_set, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnPinSet *set = out_set;
    int point_count = 0;

    set->count = count;
    SN_ALLOC_ZERO(set->start, allocator, count + 1, error);
    SN_ALLOC(set->axes, allocator, count, error);
    for (int p = 0; p < count; ++p) {
        point_count += pins[p].points != NULL ? pins[p].point_count : 0;
        set->axes[p] = (unsigned char)axes_of(&pins[p]);
        set->start[p + 1] = point_count;
    }
    SN_ALLOC(set->vertices, allocator, point_count, error);
    for (int v = 0; v < point_count; ++v) {
        set->vertices[v] = v;
    }

done:
    return status;
}

SinewStatus sn_pin_set_states(int count, const SinewAllocator *allocator, double **out_states,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_ALLOC_ZERO(*out_states, allocator, (size_t)count * SN_PIN_STATE, error);
    for (int p = 0; p < count; ++p) {
        SnAffine identity = sn_affine_identity();
        memcpy(*out_states + (size_t)p * SN_PIN_STATE, identity.m, sizeof identity.m);
    }

done:
    return status;
}

// The rigid way from one motion to another at the fraction s, about the middle of a pin's vertices.
typedef struct Way {
    SnAffine from;
    SnAffine to;
    double R[9];      // turn so far
    double middle[3]; // m, at the start
    double shift[3];  // m, of the middle so far
} Way;

static Way way_of(const SnPinSet *set, const double *rest, const double *states, int pin,
                  const SnAffine *to, double s)
{
    Way way = {.to = *to};
    SnAffine back, relative = sn_affine_identity();
    double identity[4] = {0.0, 0.0, 0.0, 1.0}, turn[4], end[3];
    int count = set->start[pin + 1] - set->start[pin];
    memcpy(way.from.m, states + (size_t)pin * SN_PIN_STATE, sizeof way.from.m);
    for (int i = set->start[pin]; i < set->start[pin + 1]; ++i) {
        double x[3];
        sn_affine_apply(&way.from, rest + 3 * (size_t)set->vertices[i], x);
        for (int k = 0; k < 3; ++k) {
            way.middle[k] += x[k] / count;
        }
    }
    if (sn_affine_invert(&way.from, &back)) {
        relative = sn_affine_multiply(to, &back);
    }
    SnPlacement placement = sn_affine_place(&relative);
    sn_quaternion_slerp(identity, placement.rotation, s, turn);
    sn_quat_to_mat3(turn, way.R);
    sn_affine_apply(&relative, way.middle, end);
    for (int k = 0; k < 3; ++k) {
        way.shift[k] = s * (end[k] - way.middle[k]);
    }
    return way;
}

void sn_pin_set_target(const SnPinSet *set, const double *rest, const double *states,
                       const double *start, const SnAffine *motions, double s, double *out_x)
{
    for (int p = 0; p < set->count; ++p) {
        Way way = way_of(set, rest, states, p, &motions[p], s);
        for (int i = set->start[p]; i < set->start[p + 1]; ++i) {
            size_t at = 3 * (size_t)set->vertices[i];
            double begin[3], end[3], offset[3], turned[3];
            sn_affine_apply(&way.from, rest + at, begin);
            sn_affine_apply(&way.to, rest + at, end);
            for (int k = 0; k < 3; ++k) {
                offset[k] = begin[k] - way.middle[k];
            }
            sn_mat3_apply(way.R, offset, turned);
            for (int k = 0; k < 3; ++k) {
                if (set->axes[p] >> k & 1) {
                    // A vertex that was not where the last motion put it comes in evenly.
                    double stray = start[at + (size_t)k] - begin[k];
                    double way_x = way.middle[k] + way.shift[k] + turned[k] + (1.0 - s) * stray;
                    out_x[at + (size_t)k] = s < 1.0 ? way_x : end[k];
                }
            }
        }
    }
}

void sn_pin_set_add_wrench(const SnPinSet *set, int pin, const double x[3], const double force[3],
                           double wrench[6])
{
    double f[3];
    for (int k = 0; k < 3; ++k) {
        f[k] = set->axes[pin] >> k & 1 ? force[k] : 0.0;
        wrench[k] += f[k];
    }
    wrench[3] += x[1] * f[2] - x[2] * f[1];
    wrench[4] += x[2] * f[0] - x[0] * f[2];
    wrench[5] += x[0] * f[1] - x[1] * f[0];
}

void sn_pin_set_record(const SnPinSet *set, const double *positions, const SnAffine *motions,
                       const double *forces, double *states)
{
    for (int p = 0; p < set->count; ++p) {
        double *state = states + (size_t)p * SN_PIN_STATE;
        double *wrench = state + 12;
        memcpy(state, motions[p].m, sizeof motions[p].m);
        memset(wrench, 0, 6 * sizeof *wrench);
        for (int i = set->start[p]; i < set->start[p + 1]; ++i) {
            size_t at = 3 * (size_t)set->vertices[i];
            sn_pin_set_add_wrench(set, p, positions + at, forces + at, wrench);
        }
    }
}

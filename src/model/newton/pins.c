#include "model/newton/pins.h"

#include "geometry/region.h"
#include "math/mat3.h"

#include <string.h>

static const char AXIS_NAMES[] = "xyz";

void sn_newton_pins_release(SnNewton *body, SnNewtonPins *pins)
{
    const SinewAllocator *allocator = &body->allocator;
    sn_free(allocator, pins->start);
    sn_free(allocator, pins->vertices);
    sn_free(allocator, pins->axes);
    sn_free(allocator, pins->held);
    sn_free(allocator, pins->rows);
    sn_free(allocator, pins->row_vertices);
    sn_free(allocator, pins->row_start);
    sn_free(allocator, pins->column);
    sn_free(allocator, pins->source);
    sn_free(allocator, pins->value);
    sn_cholesky_work_destroy(pins->work);
    sn_cholesky_destroy(pins->cholesky);
    *pins = (SnNewtonPins){0};
}

// The pin before `pin` that holds a component of a vertex that both hold.
static SinewStatus fail_held_twice(const SnNewton *body, const SnNewtonPins *pins, int pin,
                                   int vertex, int twice, SinewError *error)
{
    int axis = twice & 1 ? 0 : twice & 2 ? 1 : 2;
    int other = 0;
    for (int p = 0; p < pin; ++p) {
        for (int i = pins->start[p]; i < pins->start[p + 1]; ++i) {
            other = pins->vertices[i] == vertex && (pins->axes[p] >> axis & 1) ? p : other;
        }
    }
    return sn_fail_at(error, SINEW_ERROR_ARGUMENT, pin,
                      "body \"%s\": pin %d holds the component %c of vertex %d, which pin %d holds "
                      "already",
                      body->name, pin, AXIS_NAMES[axis], vertex, other);
}

// Lists the vertices of a pin after those of the pins before.
static SinewStatus find_vertices(const SnNewton *body, const SnPin *pin, int index,
                                 SnNewtonPins *pins, SinewError *error)
{
    int count = pins->start[index];
    int axes = (pin->axes[0] ? 1 : 0) | (pin->axes[1] ? 2 : 0) | (pin->axes[2] ? 4 : 0);
    if (axes == 0) {
        return sn_fail_at(error, SINEW_ERROR_ARGUMENT, index,
                          "body \"%s\": pin %d holds no axis, expected at least one of x, y, z",
                          body->name, index);
    }
    pins->axes[index] = (unsigned char)axes;
    for (int v = 0; v < body->elements.vertex_count; ++v) {
        if (!sn_region_holds(pin->region, v, body->elements.rest + 3 * (size_t)v)) {
            continue;
        }
        int twice = pins->held[v] & axes;
        if (twice != 0) {
            return fail_held_twice(body, pins, index, v, twice, error);
        }
        pins->held[v] = (unsigned char)(pins->held[v] | axes);
        pins->vertices[count++] = v;
    }
    if (count == pins->start[index]) {
        return sn_fail_at(
            error, SINEW_ERROR_ARGUMENT, index,
            "body \"%s\": pin %d holds none of the %d vertices, expected at least one "
            "in its region",
            body->name, index, body->elements.vertex_count);
    }
    pins->start[index + 1] = count;
    return SINEW_OK;
}

static SinewStatus find_held(const SnNewton *body, const SnPin *list, int count, SnNewtonPins *pins,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->allocator;
    size_t vertex_count = (size_t)body->elements.vertex_count;

    pins->count = count;
    SN_ALLOC_ZERO(pins->start, allocator, count + 1, error);
    SN_ALLOC(pins->axes, allocator, count, error);
    SN_ALLOC_ZERO(pins->held, allocator, vertex_count, error);
    // A component is held once, so no vertex is in more than three pins.
    SN_ALLOC(pins->vertices, allocator, (count < 3 ? (size_t)count : 3) * vertex_count, error);
    for (int p = 0; p < count; ++p) {
        SN_TRY(find_vertices(body, &list[p], p, pins, error));
    }
    SN_ALLOC(pins->rows, allocator, vertex_count, error);
    SN_ALLOC(pins->row_vertices, allocator, vertex_count, error);
    for (int v = 0; v < body->elements.vertex_count; ++v) {
        pins->held_count += (pins->held[v] & 1) + (pins->held[v] >> 1 & 1) + (pins->held[v] >> 2);
        pins->rows[v] = pins->held[v] == 7 ? -1 : pins->row_count;
        if (pins->rows[v] >= 0) {
            pins->row_vertices[pins->row_count++] = v;
        }
    }

done:
    return status;
}

// The body's pattern without the vertices that are held whole.
static SinewStatus find_system(const SnNewton *body, SnNewtonPins *pins, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->allocator;
    const SnNewtonPattern *pattern = &body->pattern;
    int count = 0;

    SN_ALLOC(pins->row_start, allocator, pins->row_count + 1, error);
    SN_ALLOC(pins->column, allocator, pattern->entry_count, error);
    SN_ALLOC(pins->source, allocator, pattern->entry_count, error);
    pins->row_start[0] = 0;
    for (int r = 0; r < pins->row_count; ++r) {
        int v = pins->row_vertices[r];
        for (int i = pattern->row_start[v]; i < pattern->row_start[v + 1]; ++i) {
            if (pins->rows[pattern->column[i]] >= 0) {
                pins->column[count] = pins->rows[pattern->column[i]];
                pins->source[count++] = i;
            }
        }
        pins->row_start[r + 1] = count;
    }
    SN_ALLOC(pins->value, allocator, 9 * (size_t)count, error);

done:
    return status;
}

static SinewStatus analyse(const SnNewton *body, SnNewtonPins *pins, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int workers = sn_workers_count(body->workers);
    SnSparse A = {
        .count = pins->row_count, .block = 3, .row_start = pins->row_start, .column = pins->column};
    SnCholeskyDef def = {.allocator = &body->allocator,
                         .kernels = body->kernels,
                         .ordering = SN_ORDERING_BEST,
                         .right_sides = 1,
                         .worker_count = workers,
                         .keep_double = true};
    if (pins->row_count == 0) {
        return SINEW_OK; // all is held: nothing to solve
    }
    SN_TRY(sn_cholesky_create(&def, &A, &pins->cholesky, error));
    SN_TRY(sn_cholesky_work_create(pins->cholesky, workers, &pins->work, error));

done:
    return status;
}

// True when the same vertices are held whole, so that the system and its analysis stay.
static bool same_system(const SnNewton *body, const SnNewtonPins *a, const SnNewtonPins *b)
{
    return a->row_start != NULL && a->row_count == b->row_count &&
           memcmp(a->rows, b->rows, (size_t)body->elements.vertex_count * sizeof *a->rows) == 0;
}

static void take_system(SnNewtonPins *from, SnNewtonPins *to)
{
    to->row_start = from->row_start;
    to->column = from->column;
    to->source = from->source;
    to->value = from->value;
    to->cholesky = from->cholesky;
    to->work = from->work;
    from->row_start = from->column = from->source = NULL;
    from->value = NULL;
    from->cholesky = NULL;
    from->work = NULL;
}

SinewStatus sn_newton_set_pins(void *body_, const SnPin *pins, int count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnNewton *body = body_;
    SnNewtonPins made = {0};
    double *state = NULL;

    SN_TRY(find_held(body, pins, count, &made, error));
    SN_ALLOC_ZERO(state, &body->allocator, (size_t)count * SN_PIN_STATE, error);
    if (!same_system(body, &body->pins, &made)) {
        SN_TRY(find_system(body, &made, error));
        SN_TRY(analyse(body, &made, error));
    } else {
        take_system(&body->pins, &made);
    }
    for (int p = 0; p < count; ++p) {
        SnAffine identity = sn_affine_identity();
        memcpy(state + p * SN_PIN_STATE, identity.m, sizeof identity.m);
    }
    // From here on nothing fails: what was goes, what was made stays.
    sn_newton_pins_release(body, &body->pins);
    sn_free(&body->allocator, body->state.pins);
    body->pins = made;
    body->state.pins = state;
    made = (SnNewtonPins){0};
    state = NULL;

done:
    sn_free(&body->allocator, state);
    sn_newton_pins_release(body, &made);
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

static Way way_of(const SnNewton *body, int pin, const SnAffine *to, double s)
{
    const SnNewtonPins *pins = &body->pins;
    Way way = {.to = *to};
    SnAffine back, relative = sn_affine_identity();
    double identity[4] = {0.0, 0.0, 0.0, 1.0}, turn[4], end[3];
    int count = pins->start[pin + 1] - pins->start[pin];
    memcpy(way.from.m, body->state.pins + pin * SN_PIN_STATE, sizeof way.from.m);
    for (int i = pins->start[pin]; i < pins->start[pin + 1]; ++i) {
        double x[3];
        sn_affine_apply(&way.from, body->elements.rest + 3 * (size_t)pins->vertices[i], x);
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

void sn_newton_pins_target(const SnNewton *body, const SnAffine *motions, double s, double *out_x)
{
    const SnNewtonPins *pins = &body->pins;
    for (int p = 0; p < pins->count; ++p) {
        Way way = way_of(body, p, &motions[p], s);
        for (int i = pins->start[p]; i < pins->start[p + 1]; ++i) {
            size_t at = 3 * (size_t)pins->vertices[i];
            double begin[3], end[3], offset[3], turned[3];
            sn_affine_apply(&way.from, body->elements.rest + at, begin);
            sn_affine_apply(&way.to, body->elements.rest + at, end);
            for (int k = 0; k < 3; ++k) {
                offset[k] = begin[k] - way.middle[k];
            }
            sn_mat3_apply(way.R, offset, turned);
            for (int k = 0; k < 3; ++k) {
                if (pins->axes[p] >> k & 1) {
                    // A vertex that was not where the last motion put it comes in evenly.
                    double stray = body->room.start[at + (size_t)k] - begin[k];
                    double way_x = way.middle[k] + way.shift[k] + turned[k] + (1.0 - s) * stray;
                    out_x[at + (size_t)k] = s < 1.0 ? way_x : end[k];
                }
            }
        }
    }
}

void sn_newton_pins_record(SnNewton *body, const SnAffine *motions, const double *forces)
{
    const SnNewtonPins *pins = &body->pins;
    for (int p = 0; p < pins->count; ++p) {
        double *state = body->state.pins + p * SN_PIN_STATE;
        double *wrench = state + 12;
        memcpy(state, motions[p].m, sizeof motions[p].m);
        memset(wrench, 0, 6 * sizeof *wrench);
        for (int i = pins->start[p]; i < pins->start[p + 1]; ++i) {
            size_t at = 3 * (size_t)pins->vertices[i];
            const double *x = body->state.positions + at;
            double f[3];
            for (int k = 0; k < 3; ++k) {
                f[k] = pins->axes[p] >> k & 1 ? forces[at + (size_t)k] : 0.0;
                wrench[k] += f[k];
            }
            wrench[3] += x[1] * f[2] - x[2] * f[1];
            wrench[4] += x[2] * f[0] - x[0] * f[2];
            wrench[5] += x[0] * f[1] - x[1] * f[0];
        }
    }
}

void sn_newton_reaction(const void *body_, int pin, double out_wrench[6])
{
    const SnNewton *body = body_;
    memcpy(out_wrench, body->state.pins + pin * SN_PIN_STATE + 12, 6 * sizeof *out_wrench);
}

int sn_newton_dof_count(const void *body_)
{
    const SnNewton *body = body_;
    return 3 * body->elements.vertex_count - body->pins.held_count;
}

#include "model/newton/pins.h"

#include <string.h>

void sn_newton_pins_release(SnNewton *body, SnNewtonPins *pins)
{
    const SinewAllocator *allocator = &body->allocator;
    sn_pin_set_release(&pins->set, allocator);
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

static SinewStatus find_held(const SnNewton *body, const SnPin *list, int count, SnNewtonPins *pins,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->allocator;
    int vertex_count = body->elements.vertex_count;
    SnPinBody held = {body->name, body->elements.rest, vertex_count};

    SN_TRY(sn_pin_set_find(&held, list, count, allocator, &pins->set, error));
    SN_ALLOC(pins->rows, allocator, vertex_count, error);
    SN_ALLOC(pins->row_vertices, allocator, vertex_count, error);
    for (int v = 0; v < vertex_count; ++v) {
        pins->rows[v] = pins->set.held[v] == 7 ? -1 : pins->row_count;
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
    SN_TRY(sn_pin_set_states(count, &body->allocator, &state, error));
    if (!same_system(body, &body->pins, &made)) {
        SN_TRY(find_system(body, &made, error));
        SN_TRY(analyse(body, &made, error));
    } else {
        take_system(&body->pins, &made);
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

void sn_newton_pins_target(const SnNewton *body, const SnAffine *motions, double s, double *out_x)
{
    sn_pin_set_target(&body->pins.set, body->elements.rest, body->state.pins, body->room.start,
                      motions, s, out_x);
}

void sn_newton_pins_record(SnNewton *body, const SnAffine *motions, const double *forces)
{
    sn_pin_set_record(&body->pins.set, body->state.positions, motions, forces, body->state.pins);
}

void sn_newton_reaction(const void *body_, int pin, double out_wrench[6])
{
    const SnNewton *body = body_;
    memcpy(out_wrench, body->state.pins + pin * SN_PIN_STATE + 12, 6 * sizeof *out_wrench);
}

int sn_newton_dof_count(const void *body_)
{
    const SnNewton *body = body_;
    return 3 * body->elements.vertex_count - body->pins.set.held_count;
}

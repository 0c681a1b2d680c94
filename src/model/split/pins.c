#include "model/split/pins.h"

#include "model/split/blocks.h"
#include "model/split/clusters.h"

#include <string.h>

void sn_split_pins_release(SnSplit *body, SnSplitPins *pins)
{
    const SinewAllocator *allocator = &body->allocator;
    sn_pin_set_release(&pins->set, allocator);
    sn_free(allocator, pins->row_start);
    sn_free(allocator, pins->column);
    sn_free(allocator, pins->source);
    sn_free(allocator, pins->value);
    sn_cholesky_work_destroy(pins->work);
    sn_cholesky_destroy(pins->cholesky);
    *pins = (SnSplitPins){0};
}

// Columns of a row inside, ascending; rows are short.
static void sort_row(int *column, int *source, int count)
{
    for (int i = 1; i < count; ++i) {
        int c = column[i], s = source[i], k = i;
        for (; k > 0 && column[k - 1] > c; --k) {
            column[k] = column[k - 1];
            source[k] = source[k - 1];
        }
        column[k] = c;
        source[k] = s;
    }
}

// The body's pattern in the order inside. Vertices held whole keep a diagonal and nothing else:
// that takes them out of the system and leaves every vector as it is.
static SinewStatus find_system(const SnSplit *body, SnSplitPins *pins, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->allocator;
    const SnNewtonPattern *pattern = &body->pattern;
    int count = 0;

    SN_ALLOC(pins->row_start, allocator, pattern->count + 1, error);
    SN_ALLOC(pins->column, allocator, pattern->entry_count, error);
    SN_ALLOC(pins->source, allocator, pattern->entry_count, error);
    SN_ALLOC(pins->value, allocator, pattern->entry_count, error);
    pins->row_start[0] = 0;
    for (int r = 0; r < pattern->count; ++r) {
        int v = body->outside[r];
        int first = count;
        for (int i = pattern->row_start[v]; i < pattern->row_start[v + 1]; ++i) {
            int other = pattern->column[i];
            if (other == v || (pins->set.held[v] != 7 && pins->set.held[other] != 7)) {
                pins->column[count] = body->inside[other];
                pins->source[count++] = i;
            }
        }
        sort_row(pins->column + first, pins->source + first, count - first);
        pins->row_start[r + 1] = count;
    }

done:
    return status;
}

static SinewStatus analyse(const SnSplit *body, SnSplitPins *pins, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int workers = sn_workers_count(body->workers);
    SnSparse A = {.count = body->pattern.count,
                  .block = 1,
                  .row_start = pins->row_start,
                  .column = pins->column};
    SnCholeskyDef def = {.allocator = &body->allocator,
                         .kernels = body->kernels,
                         .ordering = SN_ORDERING_BEST,
                         .right_sides = 3,
                         .worker_count = workers,
                         .keep_float = true};
    SN_TRY(sn_cholesky_create(&def, &A, &pins->cholesky, error));
    SN_TRY(sn_cholesky_work_create(pins->cholesky, workers, &pins->work, error));

done:
    return status;
}

// True when the same vertices are held whole, so that the system, its analysis and its factor stay.
static bool same_system(const SnSplit *body, const SnSplitPins *a, const SnSplitPins *b)
{
    if (a->row_start == NULL) {
        return false;
    }
    for (int v = 0; v < body->elements.vertex_count; ++v) {
        if ((a->set.held[v] == 7) != (b->set.held[v] == 7)) {
            return false;
        }
    }
    return true;
}

static void take_system(SnSplitPins *from, SnSplitPins *to)
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

static void set_free(SnSplit *body)
{
    size_t count = sn_split_dofs(body);
    for (size_t i = 0; i < count; ++i) {
        size_t out = 3 * (size_t)body->outside[i / 3] + i % 3;
        body->room.free[i] = sn_split_holds(body, out) ? 0.0f : 1.0f;
    }
}

SinewStatus sn_split_set_pins(void *body_, const SnPin *pins, int count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplit *body = body_;
    SnSplitPins made = {0};
    double *balance = NULL;
    SnPinBody held = {body->name, body->elements.rest, body->elements.vertex_count};

    SN_TRY(sn_pin_set_find(&held, pins, count, &body->allocator, &made.set, error));
    SN_ALLOC_ZERO(balance, &body->allocator, 3 * (size_t)made.set.start[count], error);
    if (!body->solver->scalar) {
        body->factored_h2 = 0.0;
    } else if (!same_system(body, &body->pins, &made)) {
        SN_TRY(find_system(body, &made, error));
        SN_TRY(analyse(body, &made, error));
        body->factored_h2 = 0.0;
    } else {
        take_system(&body->pins, &made);
    }
    // From here on nothing fails: what was goes, what was made stays.
    sn_split_pins_release(body, &body->pins);
    sn_free(&body->allocator, body->state.balance);
    body->pins = made;
    body->state.balance = balance;
    made = (SnSplitPins){0};
    balance = NULL;
    set_free(body);
    sn_split_clusters_hold(body);
    sn_split_colours_set_masses(body);

done:
    sn_free(&body->allocator, balance);
    sn_split_pins_release(body, &made);
    return status;
}

bool sn_split_pins_target(const SnSplit *body, const SnAffine *motions, double *x)
{
    const SnSplitPins *pins = &body->pins;
    bool moved = false;
    for (int p = 0; p < pins->set.count; ++p) {
        for (int i = pins->set.start[p]; i < pins->set.start[p + 1]; ++i) {
            size_t at = 3 * (size_t)pins->set.vertices[i];
            double end[3];
            sn_affine_apply(&motions[p], body->elements.rest + at, end);
            for (size_t k = 0; k < 3; ++k) {
                if (pins->set.axes[p] >> k & 1) {
                    moved = moved || x[at + k] != end[k];
                    x[at + k] = end[k];
                }
            }
        }
    }
    return moved;
}

void sn_split_pins_record(SnSplit *body, const double *forces)
{
    const SnSplitPins *pins = &body->pins;
    for (int i = 0; i < pins->set.start[pins->set.count]; ++i) {
        memcpy(body->state.balance + 3 * (size_t)i, forces + 3 * (size_t)pins->set.vertices[i],
               3 * sizeof *forces);
    }
}

// Adds the elastic force on the corners of one tet that is at x to the forces on vertices.
static void add_elastic(const SnSplit *body, int tet, double *out_force)
{
    const SnNewtonElements *elements = &body->elements;
    const double *g = elements->gradients + 12 * (size_t)tet;
    double x[12], F[9], P[9];
    sn_newton_elements_gather(elements, tet, body->state.positions, x);
    sn_newton_elements_gradient(g, x, 4, F);
    sn_law_stress(&body->materials[elements->materials[tet]].law, F, P);
    for (size_t a = 0; a < 4; ++a) {
        double *out = out_force + 3 * (size_t)elements->vertices[4 * (size_t)tet + a];
        for (size_t i = 0; i < 3; ++i) {
            out[i] += elements->weights[tet] * (P[3 * i] * g[3 * a] + P[3 * i + 1] * g[3 * a + 1] +
                                                P[3 * i + 2] * g[3 * a + 2]);
        }
    }
}

void sn_split_reaction(const void *body_, int pin, double out_wrench[6])
{
    const SnSplit *body = body_;
    const SnSplitPins *pins = &body->pins;
    double *force = body->room.force; // free between steps
    memset(out_wrench, 0, 6 * sizeof *out_wrench);
    memset(force, 0, sn_split_dofs(body) * sizeof *force);
    for (int e = 0; e < body->elements.count; ++e) {
        const int *v = body->elements.vertices + 4 * (size_t)e;
        if ((pins->set.held[v[0]] | pins->set.held[v[1]] | pins->set.held[v[2]] |
             pins->set.held[v[3]]) != 0) {
            add_elastic(body, e, force);
        }
    }
    for (int i = pins->set.start[pin]; i < pins->set.start[pin + 1]; ++i) {
        size_t at = 3 * (size_t)pins->set.vertices[i];
        double total[3];
        for (size_t k = 0; k < 3; ++k) {
            total[k] = force[at + k] + body->state.balance[3 * (size_t)i + k];
        }
        sn_pin_set_add_wrench(&pins->set, pin, body->state.positions + at, total, out_wrench);
    }
}

int sn_split_dof_count(const void *body_)
{
    const SnSplit *body = body_;
    return 3 * body->elements.vertex_count - body->pins.set.held_count;
}

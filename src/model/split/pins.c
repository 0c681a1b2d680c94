#include "model/split/pins.h"

#include "model/split/blocks.h"

#include <string.h>

static void set_free(SnSplit *body)
{
    size_t count = sn_split_dofs(body);
    for (size_t i = 0; i < count; ++i) {
        size_t out = 3 * (size_t)body->outside[i / 3] + i % 3;
        body->room.free[i] = sn_split_holds(body, out) ? 0.0f : 1.0f;
    }
}

// The system is made when a step is prepared, so that pins that come one after the other cost one
// analysis.
SinewStatus sn_split_set_pins(void *body_, const SnPin *pins, int count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplit *body = body_;
    SnPinSet made = {0};
    double *balance = NULL;
    SnPinBody held = {body->name, body->rest, body->elements.vertex_count};

    SN_TRY(sn_pin_set_find(&held, pins, count, &body->allocator, &made, error));
    SN_ALLOC_ZERO(balance, &body->allocator, 3 * (size_t)made.start[count], error);
    // From here on nothing fails: what was goes, what was made stays.
    sn_pin_set_release(&body->pins.set, &body->allocator);
    sn_free(&body->allocator, body->state.balance);
    body->pins.set = made;
    body->state.balance = balance;
    body->system_is_stale = true;
    made = (SnPinSet){0};
    balance = NULL;
    set_free(body);
    sn_split_colours_set_masses(body);

done:
    sn_free(&body->allocator, balance);
    sn_pin_set_release(&made, &body->allocator);
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
            sn_affine_apply(&motions[p], body->rest + at, end);
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

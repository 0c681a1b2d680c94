// What a body is doing, as numbers, and its state as bytes.
#include "model/split/elastic.h"

#include "math/mat3.h"
#include "model/measure.h"

#include <math.h>
#include <string.h>

void sn_split_measure(const void *body_, SnMeasure *out_measure)
{
    const SnSplit *body = body_;
    const SnSplitState *state = &body->state;
    const SnNewtonElements *elements = &body->elements;
    *out_measure =
        (SnMeasure){.residual = state->clock[SN_SPLIT_RESIDUAL], .smallest_det = INFINITY};
    sn_measure_masses(out_measure, body->masses, state->positions, state->velocities,
                      elements->vertex_count);
    out_measure->elastic = sn_split_elastic(body, body->workers, state->positions, NULL);
    for (int e = 0; e < elements->count; ++e) {
        double x[12], g[12], F[9];
        sn_newton_elements_gather(elements, e, state->positions, x);
        sn_newton_elements_tet_gradients(elements, e, g);
        sn_newton_elements_gradient(g, x, 4, F);
        double det = sn_mat3_determinant(F);
        out_measure->volume += elements->weights[e] * det;
        sn_measure_det(out_measure, e, det);
    }
}

// Bytes of the doubles, the rotations and the pins' part, in this order.
typedef struct Sizes {
    size_t doubles;
    size_t rotations;
    size_t balance;
} Sizes;

static Sizes sizes_of(const SnSplit *body)
{
    const SnSplitPins *pins = &body->pins;
    return (Sizes){
        .doubles = (4 * sn_split_dofs(body) + SN_SPLIT_CLOCK_COUNT) * sizeof(double),
        .rotations = (size_t)body->blocks.count * 4 * SN_TET_BLOCK * sizeof(float),
        .balance = 3 * (size_t)(pins->set.start != NULL ? pins->set.start[pins->set.count] : 0) *
                   sizeof(double),
    };
}

size_t sn_split_state_size(const void *body)
{
    Sizes sizes = sizes_of(body);
    return sizes.doubles + sizes.rotations + sizes.balance;
}

void sn_split_save(const void *body_, void *bytes)
{
    const SnSplit *body = body_;
    Sizes sizes = sizes_of(body);
    char *out = bytes;
    memcpy(out, body->state_block, sizes.doubles);
    memcpy(out + sizes.doubles, body->state.rotations, sizes.rotations);
    memcpy(out + sizes.doubles + sizes.rotations, body->state.balance, sizes.balance);
}

void sn_split_restore(void *body_, const void *bytes)
{
    SnSplit *body = body_;
    Sizes sizes = sizes_of(body);
    const char *in = bytes;
    memcpy(body->state_block, in, sizes.doubles);
    memcpy(body->state.rotations, in + sizes.doubles, sizes.rotations);
    memcpy(body->state.balance, in + sizes.doubles + sizes.rotations, sizes.balance);
}

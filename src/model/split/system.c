#include "model/split/system.h"

#include "model/split/clusters.h"

#include <string.h>

// Share of lambda in the scalar weight: conjugate gradients want 0.1 to 0.25 (SPLIT.md, 2).
#define LAMBDA_SHARE 0.25

// The stiffness part over the body's pattern, h^2 included.
static void add_stiffness(const SnSplit *body, double h2, double *value)
{
    const SnNewtonElements *elements = &body->elements;
    double share = body->options.mode == SINEW_SPLIT_PAPER ? 0.0 : LAMBDA_SHARE;
    for (int e = 0; e < elements->count; ++e) {
        const SnLaw *law = &body->materials[elements->materials[e]].law;
        const double *g = elements->gradients + 12 * (size_t)e;
        const int *slots = body->pattern.slots + 16 * (size_t)e;
        double lambda = law->lambda > 0.0 ? law->lambda : 0.0;
        double weight = 2.0 * h2 * (law->mu + share * lambda) * elements->weights[e];
        for (int i = 0; i < 16; ++i) {
            const double *a = g + 3 * (i / 4);
            const double *b = g + 3 * (i % 4);
            value[slots[i]] += weight * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
        }
    }
}

void sn_split_set_masses(SnSplit *body, double h, double mass_scale)
{
    for (int i = 0; i < body->elements.vertex_count; ++i) {
        int v = body->outside[i];
        body->room.mass[i] = (float)(mass_scale * (body->masses[v] + h * body->damp[v]));
    }
}

SinewStatus sn_split_system_prepare(SnSplit *body, SnWorkers *workers, double h2, double h,
                                    double mass_scale, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitPins *pins = &body->pins;
    const SnNewtonPattern *pattern = &body->pattern;
    double *whole = NULL;

    if (body->factored_h2 == h2 && body->factored_mass == mass_scale) {
        return SINEW_OK;
    }
    body->factored_h2 = 0.0;
    sn_split_set_masses(body, h, mass_scale);
    SN_ALLOC_ZERO(whole, &body->allocator, pattern->entry_count, error);
    add_stiffness(body, h2, whole);
    for (int v = 0; v < pattern->count; ++v) {
        whole[pattern->diagonal[v]] += mass_scale * (body->masses[v] + h * body->damp[v]);
    }
    for (int i = 0; i < pins->row_start[pattern->count]; ++i) {
        pins->value[i] = whole[pins->source[i]];
    }
    SnSparse A = {.count = pattern->count,
                  .block = 1,
                  .row_start = pins->row_start,
                  .column = pins->column,
                  .value = pins->value};
    SN_TRY(sn_cholesky_factor(pins->cholesky, &A, workers, error));
    SN_TRY(sn_split_clusters_factor(body, h2, h, mass_scale, error));
    body->factored_h2 = h2;
    body->factored_mass = mass_scale;

done:
    sn_free(&body->allocator, whole);
    return status;
}

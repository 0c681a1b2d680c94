#include "model/newton/mass.h"

// One element: integrals of density N_a, and of density N_a N_b where `value` is given.
static void add_element(const SnNewton *body, int e, double factor, double *lumped, double *value)
{
    const SnNewtonElements *elements = &body->elements;
    int corners = elements->corners;
    const int *vertices = elements->vertices + e * corners;
    const int *slots = body->pattern.slots + (size_t)e * (size_t)(corners * corners);
    for (int q = 0; q < elements->point_count; ++q) {
        double N[SN_CORNERS_MAX];
        double w = factor * elements->weights[e * elements->point_count + q];
        sn_newton_elements_shape(elements, q, N);
        for (int a = 0; a < corners; ++a) {
            if (lumped != NULL) {
                lumped[vertices[a]] += w * N[a];
            }
            for (int b = 0; b < corners && value != NULL; ++b) {
                // One point cannot integrate the quadratic of a tet: V/20 (1 + delta_ab) is exact.
                double product = corners == 4 ? (a == b ? 0.1 : 0.05) : N[a] * N[b];
                value[slots[a * corners + b]] += w * product;
            }
        }
    }
}

static bool any_damping(const SnNewton *body)
{
    for (int m = 0; m < body->material_count; ++m) {
        if (body->materials[m].damping_mass > 0.0 || body->materials[m].damping_stiffness > 0.0) {
            return true;
        }
    }
    return false;
}

SinewStatus sn_newton_mass_create(SnNewton *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->allocator;
    bool consistent = body->options.mass == SINEW_MASS_CONSISTENT;
    size_t count = (size_t)(consistent ? body->pattern.entry_count : body->elements.vertex_count);

    body->damped = any_damping(body);
    SN_ALLOC_ZERO(body->masses, allocator, body->elements.vertex_count, error);
    if (consistent) {
        SN_ALLOC_ZERO(body->mass_value, allocator, count, error);
    }
    if (body->damped) {
        SN_ALLOC_ZERO(body->damp_mass, allocator, count, error);
    }
    for (int e = 0; e < body->elements.count; ++e) {
        const SnMaterial *material = &body->materials[body->elements.materials[e]];
        add_element(body, e, material->density, body->masses, body->mass_value);
        if (body->damped) {
            double factor = material->density * material->damping_mass;
            add_element(body, e, factor, consistent ? NULL : body->damp_mass,
                        consistent ? body->damp_mass : NULL);
        }
    }

done:
    return status;
}

// `value` as masses, or in the pattern where the mass is consistent.
static void apply(const SnNewton *body, SnWorkers *workers, const double *value, const double *v,
                  double *out)
{
    const SnNewtonPattern *pattern = &body->pattern;
    if (body->mass_value != NULL) {
        SnSparse M = {.count = pattern->count,
                      .block = 1,
                      .row_start = pattern->row_start,
                      .column = pattern->column,
                      .value = value};
        sn_sparse_multiply(&M, workers, 3, v, out);
        return;
    }
    for (int i = 0; i < pattern->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            out[3 * i + k] = value[i] * v[3 * i + k];
        }
    }
}

void sn_newton_mass_apply(const SnNewton *body, SnWorkers *workers, const double *v, double *out)
{
    apply(body, workers, body->mass_value != NULL ? body->mass_value : body->masses, v, out);
}

void sn_newton_mass_damp(const SnNewton *body, SnWorkers *workers, const double *v, double *out)
{
    apply(body, workers, body->damp_mass, v, out);
}

void sn_newton_mass_add(const SnNewton *body, double rate, double damp_rate, double *value)
{
    bool consistent = body->mass_value != NULL;
    const double *mass = consistent ? body->mass_value : body->masses;
    int count = consistent ? body->pattern.entry_count : body->pattern.count;
    for (int i = 0; i < count; ++i) {
        double m = rate * mass[i] + (body->damped ? damp_rate * body->damp_mass[i] : 0.0);
        double *block = value + 9 * (size_t)(consistent ? i : body->pattern.diagonal[i]);
        block[0] += m;
        block[4] += m;
        block[8] += m;
    }
}

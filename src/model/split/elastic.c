#include "model/split/elastic.h"

typedef struct Job {
    const SnSplit *body;
    const double *x;
    double *force;
} Job;

static void evaluate_tet(const Job *job, int e)
{
    const SnNewtonElements *elements = &job->body->elements;
    const SnLaw *law = &job->body->materials[elements->materials[e]].law;
    double g[12];
    const int *vertices = elements->vertices + 4 * (size_t)e;
    double w = elements->weights[e];
    double x[12], F[9], P[9];
    sn_newton_elements_tet_gradients(elements, e, g);
    sn_newton_elements_gather(elements, e, job->x, x);
    sn_newton_elements_gradient(g, x, 4, F);
    if (job->force == NULL) {
        job->body->room.element[e] = w * sn_law_energy(law, F);
        return;
    }
    job->body->room.element[e] = w * sn_law_energy_stress(law, F, P);
    for (size_t a = 0; a < 4; ++a) {
        double *out = job->force + 3 * (size_t)vertices[a];
        for (size_t i = 0; i < 3; ++i) {
            out[i] += w * (P[3 * i] * g[3 * a] + P[3 * i + 1] * g[3 * a + 1] +
                           P[3 * i + 2] * g[3 * a + 2]);
        }
    }
}

static void evaluate_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        evaluate_tet(job, job->body->pattern.order[i]);
    }
}

static void sum_energies(void *context, int begin, int end, double *sums)
{
    const double *energies = context;
    sums[0] = 0.0;
    for (int e = begin; e < end; ++e) {
        sums[0] += energies[e];
    }
}

double sn_split_elastic(const SnSplit *body, SnWorkers *workers, const double *x, double *out_force)
{
    Job job = {body, x, out_force};
    double energy;
    sn_newton_pattern_each(&body->pattern, workers, evaluate_range, &job);
    sn_parallel_sum(workers, body->elements.count, 1, sum_energies, body->room.element, &energy);
    return energy;
}

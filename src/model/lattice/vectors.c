#include "model/lattice/vectors.h"

#include <math.h>

enum { GRAIN = 4096, CHAINS = 6 };

typedef struct Job {
    const SnLattice *body;
    double scale;
    const double *a, *b;
    double *out;
} Job;

static void run(const Job *job, SnWorkers *workers, SnRangeFn *fn)
{
    // Ranges only read what the context points to.
    sn_parallel_for(workers, job->body->mesh->vertex_count, GRAIN, fn, (void *)(uintptr_t)job);
}

// Two vertices at a time.
static void dot_range(void *context, int begin, int end, double *sums)
{
    const Job *job = context;
    const double *a = job->a + 3 * (size_t)begin, *b = job->b + 3 * (size_t)begin;
    double chains[CHAINS] = {0.0};
    int count = 3 * (end - begin), i = 0;
    for (; i + CHAINS <= count; i += CHAINS) {
        for (int k = 0; k < CHAINS; ++k) {
            chains[k] += a[i + k] * b[i + k];
        }
    }
    for (; i < count; ++i) {
        chains[0] += a[i] * b[i];
    }
    sums[0] = (chains[0] + chains[1]) + (chains[2] + chains[3]) + (chains[4] + chains[5]);
}

double sn_lattice_vectors_dot(const SnLattice *body, SnWorkers *workers, const double *a,
                              const double *b)
{
    Job job = {.body = body, .a = a, .b = b};
    double sum = 0.0;
    sn_parallel_sum(workers, body->mesh->vertex_count, 1, dot_range, &job, &sum);
    return sum;
}

double sn_lattice_vectors_largest(const SnLattice *body, const double *a)
{
    double chains[3] = {0.0};
    for (int v = 0; v < body->mesh->vertex_count; ++v) {
        for (int k = 0; k < 3; ++k) {
            double size = fabs(a[3 * v + k]);
            chains[k] = size > chains[k] ? size : chains[k];
        }
    }
    return fmax(chains[0], fmax(chains[1], chains[2]));
}

static void add_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const double *a = job->a, *b = job->b;
    double *restrict out = job->out;
    double length = job->scale;
    (void)worker;
    for (int i = 3 * begin; i < 3 * end; ++i) {
        out[i] = a[i] + length * b[i];
    }
}

void sn_lattice_vectors_add(const SnLattice *body, SnWorkers *workers, const double *a,
                            double length, const double *b, double *out)
{
    run(&(Job){.body = body, .scale = length, .a = a, .b = b, .out = out}, workers, add_range);
}

static void send_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const unsigned char *held = job->body->pins.set.held;
    float *restrict to = job->body->multigrid.levels[0].b;
    (void)worker;
    for (int v = begin; v < end; ++v) {
        float *at = to + job->body->nodes[v];
        for (int k = 0; k < 3; ++k) {
            bool free = (held[v] >> k & 1) == 0;
            at[SN_LATTICE_BLOCK * k] = free ? (float)(job->scale * job->a[3 * v + k]) : 0.0f;
        }
    }
}

void sn_lattice_vectors_send(SnLattice *body, SnWorkers *workers, double scale, const double *a)
{
    run(&(Job){.body = body, .scale = scale, .a = a}, workers, send_range);
}

static void fetch_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    double *restrict out = job->out;
    (void)worker;
    for (int v = begin; v < end; ++v) {
        const float *at = job->body->multigrid.solution + job->body->nodes[v];
        for (int k = 0; k < 3; ++k) {
            out[3 * v + k] = job->scale * (double)at[SN_LATTICE_BLOCK * k];
        }
    }
}

void sn_lattice_vectors_fetch(const SnLattice *body, SnWorkers *workers, double scale, double *out)
{
    run(&(Job){.body = body, .scale = scale, .out = out}, workers, fetch_range);
}

static void spread_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    double *restrict out = job->out;
    (void)worker;
    for (int v = begin; v < end; ++v) {
        for (int k = 0; k < 3; ++k) {
            out[job->body->nodes[v] + SN_LATTICE_BLOCK * k] = job->a[3 * v + k];
        }
    }
}

void sn_lattice_vectors_spread(const SnLattice *body, SnWorkers *workers, const double *a,
                               double *out64)
{
    run(&(Job){.body = body, .a = a, .out = out64}, workers, spread_range);
}

#include "model/newton/assembly.h"

#include "math/mat3.h"

#include <math.h>
#include <string.h>

typedef struct Job {
    const SnNewton *body;
    const double *x;
    double *force;
    double *value;
    bool definite;
    bool damping;
} Job;

// Energy, smallest det and (where wanted) nodal forces f_a = sum_q w P dN_a/dX of one element.
static void evaluate_element(const Job *job, int e)
{
    const SnNewton *body = job->body;
    const SnNewtonElements *elements = &body->elements;
    const SnLaw *law = &body->materials[elements->materials[e]].law;
    int corners = elements->corners;
    double x[3 * SN_CORNERS_MAX];
    double f[3 * SN_CORNERS_MAX] = {0.0};
    double energy = 0.0;
    double smallest = INFINITY;
    sn_newton_elements_gather(elements, e, job->x, x);
    for (int q = 0; q < elements->point_count; ++q) {
        size_t at = (size_t)e * (size_t)elements->point_count + (size_t)q;
        const double *g = elements->gradients + at * 3 * (size_t)corners;
        double w = elements->weights[at];
        double F[9], P[9];
        sn_newton_elements_gradient(g, x, corners, F);
        double det = sn_mat3_determinant(F);
        smallest = det < smallest || !(det == det) ? det : smallest;
        if (job->force == NULL) {
            energy += w * sn_law_energy(law, F);
            continue;
        }
        energy += w * sn_law_energy_stress(law, F, P);
        for (int a = 0; a < corners; ++a) {
            for (int i = 0; i < 3; ++i) {
                f[3 * a + i] += w * (P[3 * i] * g[3 * a] + P[3 * i + 1] * g[3 * a + 1] +
                                     P[3 * i + 2] * g[3 * a + 2]);
            }
        }
    }
    body->room.energies[e] = energy;
    body->room.dets[e] = smallest;
    if (job->force != NULL) {
        const int *vertices = elements->vertices + e * corners;
        for (int a = 0; a < corners; ++a) {
            double *out = job->force + 3 * (size_t)vertices[a];
            out[0] += f[3 * a];
            out[1] += f[3 * a + 1];
            out[2] += f[3 * a + 2];
        }
    }
}

static void evaluate_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        evaluate_element(job, job->body->pattern.order[i]);
    }
}

static void sum_energies(void *context, int begin, int end, double *sums)
{
    const double *energies = context;
    double sum = 0.0;
    for (int e = begin; e < end; ++e) {
        sum += energies[e];
    }
    sums[0] = sum;
}

double sn_newton_elastic(const SnNewton *body, SnWorkers *workers, const double *x,
                         double *out_force)
{
    Job job = {.body = body, .x = x, .force = out_force};
    double energy = 0.0;
    if (out_force != NULL) {
        memset(out_force, 0, sn_newton_dofs(body) * sizeof *out_force);
    }
    sn_newton_pattern_each(&body->pattern, workers, evaluate_range, &job);
    sn_parallel_sum(workers, body->elements.count, 1, sum_energies, body->room.energies, &energy);
    return energy == energy ? energy : INFINITY;
}

// K_ab += w dN_a . H . dN_b for one point, blocks b >= a alone; T is H contracted with dN_b.
static void add_point(const double *H, const double *g, double w, int corners,
                      double (*K)[SN_CORNERS_MAX][9])
{
    for (int b = 0; b < corners; ++b) {
        double T[9][3]; // T[ij][k] = sum_l H[ij][kl] w dN_b_l
        double gb[3] = {w * g[3 * b], w * g[3 * b + 1], w * g[3 * b + 2]};
        for (int ij = 0; ij < 9; ++ij) {
            const double *row = H + 9 * ij;
            for (int k = 0; k < 3; ++k) {
                T[ij][k] = row[3 * k] * gb[0] + row[3 * k + 1] * gb[1] + row[3 * k + 2] * gb[2];
            }
        }
        for (int a = 0; a <= b; ++a) {
            const double *ga = g + 3 * a;
            double *block = K[a][b];
            for (int i = 0; i < 3; ++i) {
                for (int k = 0; k < 3; ++k) {
                    block[3 * i + k] +=
                        ga[0] * T[3 * i][k] + ga[1] * T[3 * i + 1][k] + ga[2] * T[3 * i + 2][k];
                }
            }
        }
    }
}

// Adds the element's blocks; the lower ones are the upper transposed, so that the sum is symmetric
// to the last bit.
static void scatter(const SnNewton *body, int e, double (*K)[SN_CORNERS_MAX][9], double *value)
{
    int corners = body->elements.corners;
    const int *slots = body->pattern.slots + (size_t)e * (size_t)(corners * corners);
    for (int a = 0; a < corners; ++a) {
        for (int b = a; b < corners; ++b) {
            const double *block = K[a][b];
            double *upper = value + 9 * (size_t)slots[a * corners + b];
            double *lower = value + 9 * (size_t)slots[b * corners + a];
            for (int i = 0; i < 3; ++i) {
                for (int k = 0; k < 3; ++k) {
                    if (a == b) {
                        // The rounding of the two halves differs; their mean is symmetric.
                        upper[3 * i + k] += 0.5 * (block[3 * i + k] + block[3 * k + i]);
                    } else {
                        upper[3 * i + k] += block[3 * i + k];
                        lower[3 * k + i] += block[3 * i + k];
                    }
                }
            }
        }
    }
}

static void stiffness_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnNewton *body = job->body;
    const SnNewtonElements *elements = &body->elements;
    int corners = elements->corners;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        int e = body->pattern.order[i];
        const SnMaterial *material = &body->materials[elements->materials[e]];
        double scale = job->damping ? material->damping_stiffness : 1.0;
        double x[3 * SN_CORNERS_MAX];
        double K[SN_CORNERS_MAX][SN_CORNERS_MAX][9];
        for (int a = 0; a < corners; ++a) {
            memset(K[a], 0, (size_t)corners * sizeof K[a][0]);
        }
        sn_newton_elements_gather(elements, e, job->x, x);
        for (int q = 0; q < elements->point_count; ++q) {
            size_t at = (size_t)e * (size_t)elements->point_count + (size_t)q;
            const double *g = elements->gradients + at * 3 * (size_t)corners;
            double F[9], H[81];
            sn_newton_elements_gradient(g, x, corners, F);
            (job->definite ? sn_law_hessian_definite : sn_law_hessian)(&material->law, F, H);
            add_point(H, g, scale * elements->weights[at], corners, K);
        }
        scatter(body, e, K, job->value);
    }
}

void sn_newton_stiffness(const SnNewton *body, SnWorkers *workers, const double *x, bool definite,
                         bool damping, double *out_value)
{
    Job job = {.body = body, .x = x, .value = out_value, .definite = definite, .damping = damping};
    memset(out_value, 0, 9 * (size_t)body->pattern.entry_count * sizeof *out_value);
    sn_newton_pattern_each(&body->pattern, workers, stiffness_range, &job);
}

SnNewtonVolume sn_newton_volume(const SnNewton *body)
{
    SnNewtonVolume volume = {.smallest = INFINITY};
    for (int e = 0; e < body->elements.count; ++e) {
        double det = body->room.dets[e];
        if (det < volume.smallest || !(det == det)) {
            volume.smallest = det;
            volume.element = e;
        }
        if (!(det > 0.0)) {
            SnLawKind kind = body->materials[body->elements.materials[e]].law.kind;
            volume.inverted += 1;
            volume.forbidden += sn_law_is_barrier(kind) ? 1 : 0;
        }
    }
    return volume;
}

#include "model/split/stability.h"

#include "base/random.h"
#include "model/split/pcg.h"
#include "model/split/points.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 80 };

// Conjugate gradients that come so far met no direction in which the energy falls.
#define SOLVED 1e-3

// Curvature below this share of what the law's stiffness could give is rounding of float moves.
#define ROUNDING 1e-6

// The tangent times p, both outside, in double; the size of its parts beside it.
typedef struct Product {
    double *hp;
    double curvature; // p^T H p, J
    double size;      // J
} Product;

static void add_tet(const SnSplit *body, int e, const double *x, const double *p, Product *out)
{
    const SnNewtonElements *elements = &body->elements;
    const SnLaw *law = &body->materials[elements->materials[e]].law;
    const double *g = elements->gradients + 12 * (size_t)e;
    const int *vertices = elements->vertices + 4 * (size_t)e;
    double w = elements->weights[e], square = 0.0;
    double corners[12], F[9], dF[9], dP[9];
    sn_newton_elements_gather(elements, e, x, corners);
    sn_newton_elements_gradient(g, corners, 4, F);
    sn_newton_elements_gather(elements, e, p, corners);
    sn_newton_elements_gradient(g, corners, 4, dF);
    sn_law_differential(law, F, dF, dP);
    for (size_t k = 0; k < 9; ++k) {
        out->curvature += w * dP[k] * dF[k];
        square += dF[k] * dF[k];
    }
    out->size += w * (2.0 * law->mu + fabs(law->lambda)) * square;
    for (size_t a = 0; a < 4; ++a) {
        for (size_t i = 0; i < 3; ++i) {
            out->hp[3 * (size_t)vertices[a] + i] +=
                w * (dP[3 * i] * g[3 * a] + dP[3 * i + 1] * g[3 * a + 1] +
                     dP[3 * i + 2] * g[3 * a + 2]);
        }
    }
}

// The room's hp = H p of its p; the argument p is room for it outside.
static Product multiply(const SnSplitProblem *problem, const double *x, double *p)
{
    SnSplit *body = problem->body;
    SnSplitRoom *room = &body->room;
    size_t count = sn_split_dofs(body);
    Product product = {.hp = room->force};
    memset(room->force, 0, count * sizeof *room->force);
    for (size_t i = 0; i < count; ++i) {
        p[3 * (size_t)body->outside[i / 3] + i % 3] = (double)room->p[i];
    }
    for (int e = 0; e < body->elements.count; ++e) {
        add_tet(body, e, x, p, &product);
    }
    for (size_t i = 0; i < count; ++i) {
        room->hp[i] = (float)room->force[3 * (size_t)body->outside[i / 3] + i % 3] * room->free[i];
    }
    if (problem->step->contacts != NULL) {
        sn_split_points_multiply(body, problem->step->contacts, 1.0f, room->p, room->hp);
        product.curvature = sn_split_dot(problem, room->p, room->hp);
    }
    return product;
}

static void normalise(const SnSplit *body, float *p)
{
    size_t count = sn_split_dofs(body);
    float largest = 0.0f;
    for (size_t i = 0; i < count; ++i) {
        largest = fmaxf(largest, fabsf(p[i]));
    }
    for (size_t i = 0; i < count && largest > 0.0f; ++i) {
        p[i] /= largest;
    }
}

SinewStatus sn_split_find_fall(const SnSplitProblem *problem, const double *x, double *scratch,
                               bool *out_falls, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplit *body = problem->body;
    SnSplitRoom *room = &body->room;
    size_t count = sn_split_dofs(body);
    SnRandom random = {1909};

    *out_falls = false;
    for (size_t i = 0; i < count; ++i) {
        room->residual[i] = (float)sn_random_between(&random, -1.0, 1.0) * room->free[i];
    }
    SN_TRY(problem->body->solver->precondition(problem, room->residual, room->z, error));
    memcpy(room->p, room->z, count * sizeof *room->p);
    double rz = sn_split_dot(problem, room->residual, room->z), first = rz;
    for (int k = 0; k < ITERATIONS && rz > SOLVED * SOLVED * first; ++k) {
        normalise(body, room->p); // the length of p is of no use, but could overflow
        Product product = multiply(problem, x, scratch);
        *out_falls = product.curvature < -ROUNDING * product.size;
        if (*out_falls || !(product.curvature > ROUNDING * product.size)) {
            break;
        }
        double alpha = sn_split_dot(problem, room->p, room->residual) / product.curvature;
        sn_split_add(problem, (float)-alpha, room->hp, room->residual);
        SN_TRY(problem->body->solver->precondition(problem, room->residual, room->z, error));
        double next = sn_split_dot(problem, room->residual, room->z);
        // p = z - p (z^T H p) / (p^T H p)
        double beta = -sn_split_dot(problem, room->z, room->hp) / product.curvature;
        float *old = room->p;
        sn_split_add(problem, (float)beta, old, room->z);
        room->p = room->z;
        room->z = old;
        rz = next;
    }

done:
    return status;
}

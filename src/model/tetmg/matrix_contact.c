// What sweeps of `tetmg` know of contact: stiffness on the diagonal blocks that they invert.
#include "model/tetmg/coarse_contact.h"
#include "model/tetmg/matrix.h"
#include "model/tetmg/ties.h"

#include "model/point_set.h"

#include <string.h>

static SnTetmg *body_of(const SnSplitProblem *problem)
{
    return (SnTetmg *)(void *)problem->body; // its first member
}

// A point's stiffness as its corner `a` sees it in sweeps: lumped, since products have all of it.
// Lumping also stiffens what moves corners and not the point, unless the point is a corner; that is
// kept to the size of the corner's own stiffness, or sweeps would not see such moves at all.
static double lump_scale(const SnSplitProblem *problem, const SnPointSet *points, int p, size_t a)
{
    const SnTetmg *body = body_of(problem);
    size_t corner = 4 * (size_t)p + a;
    const float *own =
        body->matrix.diagonal + 12 * (size_t)body->tets.inside[points->vertices[corner]];
    const double *K = points->forces[p].stiffness;
    double weight = points->weights[corner];
    double most = (double)own[0] + (double)own[5] + (double)own[10];
    double idle = problem->h2 * weight * (1.0 - weight) * (K[0] + K[4] + K[8]);
    return problem->h2 * weight * (idle > most ? most / idle : 1.0);
}

// Adds contact's stiffness at the corners of each active point from the first one on, or takes it
// away, which leaves exact zeros to the next.
static void lump_contact(const SnSplitProblem *problem, int first, bool add)
{
    SnTetmg *body = body_of(problem);
    const SnPointSet *points = problem->step->contacts->points;
    for (int i = first; i < points->active_count; ++i) {
        int p = points->active[i];
        for (size_t a = 0; a < 4; ++a) {
            int corner = points->vertices[4 * (size_t)p + a];
            float *out = body->matrix.added + 12 * (size_t)body->tets.inside[corner];
            double scale = add ? lump_scale(problem, points, p, a) : 0.0;
            for (size_t k = 0; k < 9; ++k) {
                float share = (float)(scale * points->forces[p].stiffness[k]);
                out[4 * (k / 3) + k % 3] = add ? out[4 * (k / 3) + k % 3] + share : 0.0f;
            }
        }
    }
}

SinewStatus sn_tetmg_matrix_invert_contact(const SnSplitProblem *problem, SinewError *error)
{
    SnTetmg *body = body_of(problem);
    const SnPointSet *points = problem->step->contacts->points;
    SnBlockRows rows = sn_tetmg_matrix_rows(problem);
    rows.added = body->matrix.added;
    int first = sn_tetmg_ties_choose(problem);
    lump_contact(problem, first, true);
    for (int i = 4 * first; i < 4 * points->active_count; ++i) {
        size_t corner = 4 * (size_t)points->active[i / 4] + (size_t)(i % 4);
        int row = body->tets.inside[points->vertices[corner]];
        float *block = body->matrix.diagonal + 12 * (size_t)row;
        float own[12];
        memcpy(own, block, sizeof own);
        problem->body->kernels->block->invert(&rows, row, row + 1);
        memcpy(block, own, sizeof own);
    }
    SinewStatus status = sn_tetmg_coarse_contact_linearise(problem, first, error);
    lump_contact(problem, first, false);
    return status;
}

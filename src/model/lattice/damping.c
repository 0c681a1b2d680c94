#include "model/lattice/damping.h"

#include <string.h>

enum { GRAIN = 64 }; // cells a range

typedef struct Job {
    const SnLatticeProblem *problem;
    const double *d;
} Job;

static SnCell cell_of(const SnLattice *body, int cell)
{
    size_t place = (size_t)body->cells[cell];
    const double *lame =
        body->lame + place / SN_LATTICE_BLOCK * 2 * SN_LATTICE_BLOCK + place % SN_LATTICE_BLOCK;
    return (SnCell){.element = body->options.element,
                    .h = body->h,
                    .mu = lame[0],
                    .lambda = lame[SN_LATTICE_BLOCK],
                    .hourglass = body->options.element == SINEW_LATTICE_NAIVE ? 0.0 : 1.0};
}

// The vertex at a corner of a cell along the grid's own axes.
static int vertex_at(const SnLattice *body, int cell, int corner)
{
    int own = 0;
    for (int k = 0; k < 3; ++k) {
        int axis = (body->last_axis + 1 + k) % 3;
        own |= (corner >> (2 - k) & 1) << (2 - axis);
    }
    return body->mesh->hexes[8 * (size_t)cell + (size_t)own];
}

static void begin_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnLattice *body = job->problem->body;
    (void)worker;
    for (int e = begin; e < end; ++e) {
        SnCell cell = cell_of(body, e);
        double x[24], F[9];
        for (int i = 0; i < 24; ++i) {
            x[i] = body->room.start[3 * (size_t)vertex_at(body, e, i / 3) + (size_t)(i % 3)];
        }
        sn_cell_gradient(&cell, x, F);
        body->room.damp_tangents[e] = sn_cell_linearise(&cell, F, true);
    }
}

void sn_lattice_damping_begin(const SnLatticeProblem *problem)
{
    Job job = {problem, NULL};
    sn_parallel_for(problem->workers, problem->body->mesh->hex_count, GRAIN, begin_range, &job);
}

static void force_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnLatticeProblem *problem = job->problem;
    const SnLattice *body = problem->body;
    (void)worker;
    for (int e = begin; e < end; ++e) {
        double beta = body->betas[body->cells[e]];
        double *out = body->room.damp_forces + 24 * (size_t)e;
        double v[24];
        memset(out, 0, 24 * sizeof *out);
        if (!(beta > 0.0)) {
            continue;
        }
        for (int i = 0; i < 24; ++i) {
            size_t at = 3 * (size_t)vertex_at(body, e, i / 3) + (size_t)(i % 3);
            v[i] = beta * (problem->v_rate * job->d[at] + body->room.v0[at]);
        }
        SnCell cell = cell_of(body, e);
        sn_cell_apply(&cell, &body->room.damp_tangents[e], v, out);
    }
}

void sn_lattice_damping_force(const SnLatticeProblem *problem, const double *d)
{
    const SnLattice *body = problem->body;
    Job job = {problem, d};
    sn_parallel_for(problem->workers, body->mesh->hex_count, GRAIN, force_range, &job);
    memset(body->room.damping, 0, sn_lattice_dofs(body) * sizeof *body->room.damping);
    // By one thread: cells share vertices, and adding is little next to the above.
    for (int e = 0; e < body->mesh->hex_count; ++e) {
        for (int i = 0; i < 24; ++i) {
            body->room.damping[3 * (size_t)vertex_at(body, e, i / 3) + (size_t)(i % 3)] +=
                body->room.damp_forces[24 * (size_t)e + (size_t)i];
        }
    }
}

void sn_lattice_damping_stiffen(SnLattice *body, double v_rate)
{
    SnLatticeLevel *fine = &body->multigrid.levels[0];
    for (int e = 0; e < body->mesh->hex_count; ++e) {
        size_t place = (size_t)body->cells[e];
        size_t at = place / SN_LATTICE_BLOCK * 2 * SN_LATTICE_BLOCK + place % SN_LATTICE_BLOCK;
        double factor = (1.0 + v_rate * body->betas[place]) * body->h / 16.0;
        fine->lame[at] = (float)(factor * body->lame[at]);
        fine->lame[at + SN_LATTICE_BLOCK] = (float)(factor * body->lame[at + SN_LATTICE_BLOCK]);
    }
    sn_lattice_multigrid_lame(&body->multigrid);
}

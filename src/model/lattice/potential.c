#include "model/lattice/damping.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { GRAIN = 4096, SUMS = 8 };

// Forces below those of a strain of about this are measured against those.
#define STRAIN_FLOOR 1e-6

// Share of the potential's parts that rounding may take, and of single terms.
#define SUM_NOISE 1e-13
#define UNIT_NOISE (4.0 * DBL_EPSILON)

typedef struct Job {
    const SnLatticeProblem *problem;
    const double *d;
} Job;

// Places at d, here and in the multigrid's layout.
static void place_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnLattice *body = job->problem->body;
    (void)worker;
    for (int v = begin; v < end; ++v) {
        for (int k = 0; k < 3; ++k) {
            size_t i = 3 * (size_t)v + (size_t)k;
            double x = body->state.positions[i] + job->d[i];
            body->room.x[i] = x;
            body->room.x64[body->nodes[v] + SN_LATTICE_BLOCK * k] = x;
        }
    }
}

// The gradient and all sums over components in one pass: inertia and its noise, work, squares of
// residual, internal, external and contact forces, sizes of forces.
static void sum_range(void *context, int begin, int end, double *sums)
{
    const Job *job = context;
    const SnLatticeProblem *problem = job->problem;
    const SnLattice *body = problem->body;
    const SnLatticeRoom *room = &body->room;
    memset(sums, 0, SUMS * sizeof *sums);
    for (int i = begin; i < end; ++i) {
        int v = i / 3;
        double internal = room->force64[body->nodes[v] + SN_LATTICE_BLOCK * (i % 3)];
        double inertia = 0.0;
        if (problem->dynamic) {
            double a = problem->a_rate * job->d[i] + room->a0[i];
            inertia = body->masses[v] * a;
            sums[0] += 0.5 * inertia * a / problem->a_rate;
            sums[1] += fabs(inertia * job->d[i]);
            if (body->damp_masses != NULL) {
                double speed = problem->v_rate * job->d[i] + room->v0[i];
                double damping = body->damp_masses[v] * speed;
                sums[0] += 0.5 * damping * speed / problem->v_rate;
                inertia += damping;
            }
            if (body->betas != NULL) {
                double speed = problem->v_rate * job->d[i] + room->v0[i];
                sums[0] += 0.5 * room->damping[i] * speed / problem->v_rate;
                sums[1] += fabs(room->damping[i] * job->d[i]);
                inertia += room->damping[i];
            }
        }
        double r = internal + inertia - room->external[i] - room->contact[i];
        room->internal[i] = internal;
        room->residual[i] = r;
        sums[2] += room->external[i] * job->d[i];
        sums[3] += sn_lattice_holds(body, (size_t)i) ? 0.0 : r * r;
        sums[4] += internal * internal;
        sums[5] += room->external[i] * room->external[i];
        sums[6] += room->contact[i] * room->contact[i] + inertia * inertia;
        sums[7] += fabs(internal) + fabs(room->contact[i]);
    }
}

static int count_inverted(const SnLattice *body)
{
    int count = 0;
    for (int e = 0; e < body->mesh->hex_count; ++e) {
        count += !(body->room.dets[body->cells[e]] > 0.0f);
    }
    return count;
}

SnLatticeValue sn_lattice_potential(const SnLatticeProblem *problem, const double *d)
{
    const SnLattice *body = problem->body;
    const SnLatticeRoom *room = &body->room;
    SnLatticeState state = {body->lame, room->x64, room->force64, room->energies, room->dets};
    Job job = {problem, d};
    double sums[SUMS], contact = 0.0;
    sn_parallel_for(problem->workers, body->mesh->vertex_count, GRAIN, place_range, &job);
    double elastic = sn_lattice_level_force(&body->multigrid.levels[0], problem->workers, &state);
    if (problem->step->contacts != NULL) {
        memset(room->contact, 0, sn_lattice_dofs(body) * sizeof *room->contact);
        contact = sn_point_set_evaluate(problem->step->contacts, problem->workers, room->x);
        sn_point_set_push(problem->step->contacts->points, room->contact);
    }
    if (problem->dynamic && body->betas != NULL) {
        sn_lattice_damping_force(problem, d);
    }
    sn_parallel_sum(problem->workers, (int)sn_lattice_dofs(body), SUMS, sum_range, &job, sums);
    SnLatticeValue value = {
        .phi = sums[0] - sums[2] + elastic + contact,
        .noise = SUM_NOISE * (fabs(elastic) + fabs(sums[2]) + fabs(sums[0]) + fabs(contact)) +
                 UNIT_NOISE * (sums[1] + problem->largest * sums[7]),
        .residual = sqrt(sums[3]),
        .inverted = count_inverted(body)};
    value.scale = fmax(STRAIN_FLOOR * body->stiffness_scale * problem->largest,
                       sqrt(fmax(sums[4], fmax(sums[5], sums[6]))));
    value.allowed = isfinite(value.phi) && isfinite(value.residual);
    return value;
}

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
    double half_period; // s^2, 1 / (2 a_rate)
} Job;

// Places at d, here and in the multigrid's layout.
static void place_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnLattice *body = job->problem->body;
    (void)worker;
    const double *from = body->state.positions, *d = job->d;
    double *restrict x = body->room.x, *restrict x64 = body->room.x64;
    const int *nodes = body->nodes;
    for (int v = begin; v < end; ++v) {
        for (int k = 0; k < 3; ++k) {
            double to = from[3 * v + k] + d[3 * v + k];
            x[3 * v + k] = to;
            x64[nodes[v] + SN_LATTICE_BLOCK * k] = to;
        }
    }
}

// Inertia and damping of component i of vertex v, N; adds their energy and its noise to sums.
static double find_inertia(const Job *job, int v, int i, double *sums)
{
    const SnLatticeProblem *problem = job->problem;
    const SnLattice *body = problem->body;
    const SnLatticeRoom *room = &body->room;
    double a = problem->a_rate * job->d[i] + room->a0[i];
    double inertia = body->masses[v] * a;
    sums[0] += inertia * a * job->half_period;
    sums[1] += fabs(inertia * job->d[i]);
    if (body->damp_masses != NULL || body->betas != NULL) {
        double speed = problem->v_rate * job->d[i] + room->v0[i];
        double damping = body->damp_masses != NULL ? body->damp_masses[v] * speed : 0.0;
        double stiff = body->betas != NULL ? room->damping[i] : 0.0;
        sums[0] += 0.5 * (damping + stiff) * speed / problem->v_rate;
        sums[1] += fabs(stiff * job->d[i]);
        inertia += damping + stiff;
    }
    return inertia;
}

// The gradient and all sums over vertices in one pass: inertia and its noise, work, squares of
// residual, internal, external and contact forces, sizes of forces.
static void sum_range(void *context, int begin, int end, double *out_sums)
{
    const Job *job = context;
    const SnLattice *body = job->problem->body;
    const SnLatticeRoom *room = &body->room;
    bool dynamic = job->problem->dynamic;
    double chains[3][SUMS] = {{0.0}}; // one sum would wait for every addition
    for (int v = begin; v < end; ++v) {
        const double *force = room->force64 + body->nodes[v];
        unsigned held = body->pins.set.held[v];
        for (int k = 0; k < 3; ++k) {
            int i = 3 * v + k;
            double internal = force[SN_LATTICE_BLOCK * k];
            double external = room->external[i], contact = room->contact[i];
            double *sums = chains[k];
            double inertia = dynamic ? find_inertia(job, v, i, sums) : 0.0;
            double r = internal + inertia - external - contact;
            room->internal[i] = internal;
            room->residual[i] = r;
            sums[2] += external * job->d[i];
            sums[3] += held >> k & 1u ? 0.0 : r * r;
            sums[4] += internal * internal;
            sums[5] += external * external;
            sums[6] += contact * contact + inertia * inertia;
            sums[7] += fabs(internal) + fabs(contact);
        }
    }
    for (int n = 0; n < SUMS; ++n) {
        out_sums[n] = chains[0][n] + chains[1][n] + chains[2][n];
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
    SnLattice *body = problem->body;
    const SnLatticeRoom *room = &body->room;
    SnLatticeState state = {body->lame,     room->x64,  room->force64,
                            room->energies, room->dets, .linearises = true};
    Job job = {problem, d, problem->dynamic ? 0.5 / problem->a_rate : 0.0};
    double sums[SUMS], contact = 0.0;
    sn_parallel_for(problem->workers, body->mesh->vertex_count, GRAIN, place_range, &job);
    double elastic = sn_lattice_level_force(&body->multigrid.levels[0], problem->workers, &state);
    body->multigrid.turned += sn_lattice_level_turned(&body->multigrid.levels[0]);
    if (problem->step->contacts != NULL) {
        memset(room->contact, 0, sn_lattice_dofs(body) * sizeof *room->contact);
        contact = sn_point_set_evaluate(problem->step->contacts, problem->workers, room->x);
        sn_point_set_push(problem->step->contacts->points, room->contact);
    }
    if (problem->dynamic && body->betas != NULL) {
        sn_lattice_damping_force(problem, d);
    }
    sn_parallel_sum(problem->workers, body->mesh->vertex_count, SUMS, sum_range, &job, sums);
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

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

// What rounding may leave of a residual, in units of stiffness times the largest coordinate, as in
// model/newton/potential.c.
#define RESIDUAL_NOISE (256.0 * DBL_EPSILON)

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

// Sums over vertices.
typedef struct Sums {
    double action;                               // J, a'M a / (2 a_rate) and v'C v / (2 v_rate)
    double unsure;                               // J, terms whose rounding may matter
    double work;                                 // J
    double residual, internal, external, others; // N^2, of free components and of all
    double sizes;                                // N
} Sums;

_Static_assert(sizeof(Sums) == SUMS * sizeof(double), "Sums are SUMS numbers");

// Damping of component i of vertex v, N; adds its energy and its noise.
static double find_damping(const Job *job, int v, int i, Sums *s)
{
    const SnLatticeProblem *problem = job->problem;
    const SnLattice *body = problem->body;
    double speed = problem->v_rate * job->d[i] + body->room.v0[i];
    double damping = body->damp_masses != NULL ? body->damp_masses[v] * speed : 0.0;
    double stiff = body->betas != NULL ? body->room.damping[i] : 0.0;
    s->action += 0.5 * (damping + stiff) * speed / problem->v_rate;
    s->unsure += fabs(stiff * job->d[i]);
    return damping + stiff;
}

// The gradient and all sums over vertices in one pass. Sums are local, so that they stay in
// registers.
static void sum_range(void *context, int begin, int end, double *out_sums)
{
    const Job *job = context;
    const SnLatticeProblem *problem = job->problem;
    const SnLattice *body = problem->body;
    const SnLatticeRoom *room = &body->room;
    bool damps = problem->dynamic && (body->damp_masses != NULL || body->betas != NULL);
    double inertial = problem->dynamic ? 1.0 : 0.0;
    double kinetic = 0.0, rounding = 0.0, work = 0.0, free = 0.0;
    double inside = 0.0, outside = 0.0, others = 0.0, sizes = 0.0;
    Sums damped = {0};
    for (int v = begin; v < end; ++v) {
        const double *force = room->force64 + body->nodes[v];
        unsigned held = body->pins.set.held[v];
        double mass = inertial * body->masses[v];
        for (int k = 0; k < 3; ++k) {
            int i = 3 * v + k;
            double internal = force[SN_LATTICE_BLOCK * k], d = job->d[i];
            double external = room->external[i], contact = room->contact[i];
            double a = problem->a_rate * d + room->a0[i];
            double inertia = mass * a;
            kinetic += inertia * a;
            rounding += fabs(inertia * d);
            inertia += damps ? find_damping(job, v, i, &damped) : 0.0;
            double r = internal + inertia - external - contact;
            room->residual[i] = r;
            work += external * d;
            free += held >> k & 1u ? 0.0 : r * r;
            inside += internal * internal;
            outside += external * external;
            others += contact * contact + inertia * inertia;
            sizes += fabs(internal) + fabs(contact);
        }
    }
    Sums sums = {kinetic * job->half_period + damped.action,
                 rounding + damped.unsure,
                 work,
                 free,
                 inside,
                 outside,
                 others,
                 sizes};
    memcpy(out_sums, &sums, sizeof sums);
}

static int count_inverted(const SnLattice *body)
{
    int count = 0;
    for (int e = 0; e < body->mesh->hex_count; ++e) {
        count += !(body->room.dets[body->cells[e]] > 0.0f);
    }
    return count;
}

// All but places, forces of cells and what follows from them.
static SnLatticeValue evaluate(const SnLatticeProblem *problem, const double *d, double elastic)
{
    SnLattice *body = problem->body;
    const SnLatticeRoom *room = &body->room;
    Job job = {problem, d, problem->dynamic ? 0.5 / problem->a_rate : 0.0};
    double numbers[SUMS], contact = 0.0;
    Sums sums;
    if (problem->step->contacts != NULL) {
        memset(room->contact, 0, sn_lattice_dofs(body) * sizeof *room->contact);
        contact = sn_point_set_evaluate(problem->step->contacts, problem->workers, room->x);
        sn_point_set_push(problem->step->contacts->points, room->contact);
    }
    sn_parallel_sum(problem->workers, body->mesh->vertex_count, SUMS, sum_range, &job, numbers);
    memcpy(&sums, numbers, sizeof sums);
    SnLatticeValue value = {
        .phi = sums.action - sums.work + elastic + contact,
        .elastic = elastic,
        .noise = SUM_NOISE * (fabs(elastic) + fabs(sums.work) + fabs(sums.action) + fabs(contact)) +
                 UNIT_NOISE * (sums.unsure + problem->largest * sums.sizes),
        .residual = sqrt(sums.residual)};
    value.scale = fmax(STRAIN_FLOOR * body->stiffness_scale * problem->largest,
                       sqrt(fmax(sums.internal, fmax(sums.external, sums.others))));
    value.least = RESIDUAL_NOISE * body->stiffness_scale * problem->largest;
    value.allowed = isfinite(value.phi) && isfinite(value.residual);
    return value;
}

SnLatticeValue sn_lattice_potential(const SnLatticeProblem *problem, const double *d)
{
    SnLattice *body = problem->body;
    const SnLatticeRoom *room = &body->room;
    SnLatticeState state = {body->lame,     room->x64,  room->force64,
                            room->energies, room->dets, .linearises = true};
    Job job = {.problem = problem, .d = d};
    sn_parallel_for(problem->workers, body->mesh->vertex_count, GRAIN, place_range, &job);
    double elastic = sn_lattice_level_force(&body->multigrid.levels[0], problem->workers, &state);
    body->multigrid.turned += sn_lattice_level_turned(&body->multigrid.levels[0]);
    if (problem->dynamic && body->betas != NULL) {
        sn_lattice_damping_force(problem, d);
    }
    SnLatticeValue value = evaluate(problem, d, elastic);
    value.inverted = count_inverted(body);
    return value;
}

SnLatticeValue sn_lattice_potential_again(const SnLatticeProblem *problem, const double *d,
                                          const SnLatticeValue *last)
{
    SnLatticeValue value = evaluate(problem, d, last->elastic);
    value.inverted = last->inverted;
    return value;
}

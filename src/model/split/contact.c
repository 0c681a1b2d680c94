#include "model/split/contact.h"

#include "model/split/pcg.h"
#include "model/split/points.h"

#include <math.h>
#include <string.h>

enum {
    VERTEX_GRAIN = 1024, // vertices a range
    ROUNDS_MAX = 6,      // linearisations: points come and go
    PCG_MAX = 12,        // iterations of each
    CUTS_MAX = 8         // halvings of a step that raises the energy
};

// Forces count as balanced when what is left is this share of them.
#define BALANCED 0.05

// Energies are sums of numbers in float: differences below this share are rounding.
#define ENERGY_NOISE 1e-6

// Vectors of the step, lent by the room. u = d - d*.
typedef struct Correction {
    const SnSplitProblem *problem;
    float *pull;     // A u where the linearisation was made
    float *next;     // A (u + du)
    float *du;       //
    float *residual; // h^2 W f - A u, linearised
    float *p;        // conjugate gradients
    float *ap;       // A p
    float *z;        // A^-1 r, then the points' stiffness times p
    double square;   // u . A u
} Correction;

typedef struct Job {
    const float *a;
    const float *b;
    float factor;
    float *out;
} Job;

static void combine_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    for (int i = 3 * begin; i < 3 * end; ++i) {
        job->out[i] = job->b[i] + job->factor * job->a[i];
    }
}

// out = b + factor a
static void combine(const SnSplitProblem *problem, const float *b, double factor, const float *a,
                    float *out)
{
    Job job = {a, b, (float)factor, out};
    sn_parallel_for(problem->workers, problem->body->elements.vertex_count, VERTEX_GRAIN,
                    combine_range, &job);
}

// The points' energy with a move, times h^2.
static double energy_at(const SnSplitProblem *problem, const float *move)
{
    sn_split_place(problem, move, problem->body->room.place);
    return problem->h2 * sn_point_set_evaluate(problem->step->contacts, problem->workers,
                                               problem->body->room.place);
}

// Conjugate gradients for (A + h^2 W K W^T) du = residual. A p follows from A z = r, so that A
// itself is never multiplied.
static SinewStatus solve(Correction *c, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSplitProblem *problem = c->problem;
    size_t size = sn_split_dofs(problem->body) * sizeof *c->p;
    float h2 = (float)problem->h2;
    memset(c->du, 0, size);
    memcpy(c->next, c->pull, size);
    SN_TRY(sn_split_precondition(problem, c->residual, c->p, error));
    memcpy(c->ap, c->residual, size);
    double rz = sn_split_dot(problem, c->residual, c->p);
    for (int k = 0; k < PCG_MAX && rz > 0.0; ++k) {
        memset(c->z, 0, size);
        sn_split_points_multiply(problem->body, problem->step->contacts, h2, c->p, c->z);
        double curvature = sn_split_dot(problem, c->p, c->ap) + sn_split_dot(problem, c->p, c->z);
        if (!(curvature > 0.0) || !isfinite(curvature)) {
            break;
        }
        double alpha = rz / curvature;
        combine(problem, c->du, alpha, c->p, c->du);
        combine(problem, c->next, alpha, c->ap, c->next);
        combine(problem, c->residual, -alpha, c->ap, c->residual);
        combine(problem, c->residual, -alpha, c->z, c->residual);
        if (sn_split_dot(problem, c->residual, c->residual) <=
            BALANCED * BALANCED * sn_split_dot(problem, c->next, c->next)) {
            break;
        }
        SN_TRY(sn_split_precondition(problem, c->residual, c->z, error));
        double next = sn_split_dot(problem, c->residual, c->z);
        combine(problem, c->z, next / rz, c->p, c->p);
        combine(problem, c->residual, next / rz, c->ap, c->ap);
        rz = next;
    }
done:
    return status;
}

// Goes along du as far as the energy falls. False: nowhere.
static bool walk(Correction *c, double energy)
{
    const SnSplitProblem *problem = c->problem;
    float *move = problem->body->room.move;
    double along = sn_split_dot(problem, c->du, c->pull);
    double bend = sn_split_dot(problem, c->du, c->next) - along;
    double from = 0.5 * c->square + energy;
    double length = 1.0;
    for (int cut = 0; cut < CUTS_MAX; ++cut, length *= 0.5) {
        double square = c->square + length * (2.0 * along + length * bend);
        combine(problem, move, length, c->du, c->p);
        if (0.5 * square + energy_at(problem, c->p) <= from + ENERGY_NOISE * fabs(from)) {
            memcpy(move, c->p, sn_split_dofs(problem->body) * sizeof *move);
            combine(problem, c->pull, -length, c->pull, c->pull);
            combine(problem, c->pull, length, c->next, c->pull);
            c->square = square;
            return true;
        }
        problem->report->line_search_cuts += 1;
    }
    energy_at(problem, move); // the forces belong to it again
    return false;
}

// residual = h^2 W f - A u. True: it is nothing beside its parts.
static bool is_balanced(const Correction *c)
{
    const SnSplitProblem *problem = c->problem;
    memset(c->residual, 0, sn_split_dofs(problem->body) * sizeof *c->residual);
    sn_split_points_push(problem->body, problem->step->contacts, (float)problem->h2, c->residual);
    combine(problem, c->residual, -1.0, c->pull, c->residual);
    return sn_split_dot(problem, c->residual, c->residual) <=
           BALANCED * BALANCED * sn_split_dot(problem, c->pull, c->pull);
}

SinewStatus sn_split_contact_correct(const SnSplitProblem *problem, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitRoom *room = &problem->body->room;
    const SnPointForces *contacts = problem->step->contacts;
    const SnPointSet *points = contacts->points;
    Correction c = {problem, room->x,  room->trial, room->step, room->residual,
                    room->p, room->hp, room->z,     0.0};
    memset(c.pull, 0, sn_split_dofs(problem->body) * sizeof *c.pull);
    double energy = energy_at(problem, room->move);
    for (int round = 0; round < ROUNDS_MAX && points->active_count > 0; ++round) {
        if (is_balanced(&c)) {
            break;
        }
        SN_TRY(solve(&c, error));
        if (!walk(&c, energy)) {
            break;
        }
        // Friction follows the normal forces; the energy is then another one.
        if (contacts->renew != NULL) {
            contacts->renew(contacts->context, points->places);
        }
        energy = energy_at(problem, room->move);
    }
done:
    return status;
}

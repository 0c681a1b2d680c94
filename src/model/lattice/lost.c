#include "model/lattice/lost.h"

#include "math/mat3.h"
#include "model/cube_edges.h"
#include "model/lattice/cell.h"
#include "model/one_turn.h"
#include "model/rigid_motion.h"

#include <math.h>
#include <string.h>

enum {
    SOLVES = 4, // Newton steps of one step: contact is not linear
    CUTS = 6,   // halvings of one of them
    ITERATIONS = 300
};

#define SOLVE_TOLERANCE 1e-4

typedef struct Lost {
    const SnLatticeProblem *problem;
    SnLattice *body;
    double R[9];
    double weight;  // J, sum of mu V
    double elastic; // J, at the place last looked at
    int inverted;   // cells there
} Lost;

// mu h / 4, N/m.
static double stiffness_of(const SnLattice *body, int cell)
{
    int at = body->cells[cell];
    size_t place = (size_t)(at / SN_LATTICE_BLOCK) * 2 * SN_LATTICE_BLOCK;
    return 0.25 * body->h * body->lame[place + (size_t)(at % SN_LATTICE_BLOCK)];
}

static void gather(const SnLattice *body, int cell, const double *x, double out[24])
{
    for (int c = 0; c < 8; ++c) {
        memcpy(out + 3 * c, x + 3 * (size_t)body->mesh->hexes[8 * (size_t)cell + (size_t)c],
               3 * sizeof *out);
    }
}

static void scatter(const SnLattice *body, int cell, const double f[24], double *out)
{
    for (int i = 0; i < 24; ++i) {
        size_t v = (size_t)body->mesh->hexes[8 * (size_t)cell + (size_t)(i / 3)];
        out[3 * v + (size_t)(i % 3)] += f[i];
    }
}

// Nothing from outside acts on the body but its weight, so that its spin stays.
static bool is_loose(const SnLatticeProblem *problem)
{
    return problem->body->pins.set.held_count == 0 && problem->step->contacts == NULL &&
           problem->step->load_count == 0;
}

// Held vertices are to be in the room's `target`.
static void find_rotation(Lost *lost, const SnRigidMotion *motion)
{
    const SnLattice *body = lost->body;
    SnOneTurn one = {
        .pins = &body->pins.set, .rest = body->mesh->positions, .places = body->room.target};
    for (int e = 0; e < body->mesh->hex_count; ++e) {
        double x[24], X[24], k = stiffness_of(body, e);
        gather(body, e, body->state.positions, x);
        gather(body, e, body->mesh->positions, X);
        sn_cube_edges_align(x, X, k, one.sum);
        lost->weight += 4.0 * k * body->h * body->h;
    }
    one.weight = lost->weight;
    sn_mat3_identity(one.at_rest);
    for (int k = 0; k < 3 && is_loose(lost->problem); ++k) {
        one.turn[k] = lost->problem->step->dt * motion->turn[k];
    }
    sn_one_turn_find(&one, lost->R);
}

// The gradient of the edges' energy into out; keeps the energy and counts inverted cells.
static void look_at_cells(Lost *lost, const double *at, double *out)
{
    const SnLattice *body = lost->body;
    const SnCell cell = {.h = body->h};
    lost->elastic = 0.0;
    lost->inverted = 0;
    for (int e = 0; e < body->mesh->hex_count; ++e) {
        double x[24], X[24], f[24] = {0.0}, F[9], rest[9], k = stiffness_of(body, e);
        gather(body, e, at, x);
        gather(body, e, body->mesh->positions, X);
        sn_cube_edges_look(x, X, lost->R, k, &lost->elastic, f);
        scatter(body, e, f, out);
        sn_cell_gradient(&cell, x, F);
        sn_cell_gradient(&cell, X, rest);
        lost->inverted += !(sn_mat3_determinant(F) * sn_mat3_determinant(rest) > 0.0);
    }
}

// The potential at the move d, J; its gradient into the room's `residual`.
static double look(Lost *lost, const double *d)
{
    const SnLattice *body = lost->body;
    const SnLatticeRoom *room = &body->room;
    const SnStep *step = lost->problem->step;
    size_t count = sn_lattice_dofs(body);
    double rate = 1.0 / (step->dt * step->dt), phi = 0.0;
    for (size_t i = 0; i < count; ++i) {
        double inertia = rate * body->masses[i / 3] * (d[i] - step->dt * body->state.velocities[i]);
        room->x[i] = body->state.positions[i] + d[i];
        room->residual[i] = inertia - room->external[i];
        phi += 0.5 * inertia * (d[i] - step->dt * body->state.velocities[i]) -
               room->external[i] * d[i];
    }
    look_at_cells(lost, room->x, room->residual);
    if (step->contacts != NULL) {
        memset(room->contact, 0, count * sizeof *room->contact);
        phi += sn_point_set_evaluate(step->contacts, lost->problem->workers, room->x);
        sn_point_set_push(step->contacts->points, room->contact);
        for (size_t i = 0; i < count; ++i) {
            room->residual[i] -= room->contact[i];
        }
    }
    return phi + lost->elastic;
}

// Adds the stiffness of contact times p.
static void apply_contact(const SnPointSet *set, const double *p, double *out)
{
    for (int n = 0; n < set->active_count; ++n) {
        int point = set->active[n];
        const int *vertices = set->vertices + (size_t)point * (size_t)set->corners;
        const double *weights = set->weights + (size_t)point * (size_t)set->corners;
        double at[3] = {0.0, 0.0, 0.0}, force[3];
        for (int c = 0; c < set->corners; ++c) {
            for (int k = 0; k < 3; ++k) {
                at[k] += weights[c] * p[3 * (size_t)vertices[c] + (size_t)k];
            }
        }
        sn_mat3_apply(set->forces[point].stiffness, at, force);
        for (int c = 0; c < set->corners; ++c) {
            for (int k = 0; k < 3; ++k) {
                out[3 * (size_t)vertices[c] + (size_t)k] += weights[c] * force[k];
            }
        }
    }
}

// out = H p over free components.
static void apply(const Lost *lost, const double *p, double *out)
{
    const SnLattice *body = lost->body;
    const SnStep *step = lost->problem->step;
    size_t count = sn_lattice_dofs(body);
    double rate = 1.0 / (step->dt * step->dt);
    for (size_t i = 0; i < count; ++i) {
        out[i] = rate * body->masses[i / 3] * p[i];
    }
    for (int e = 0; e < body->mesh->hex_count; ++e) {
        double u[24], f[24] = {0.0}, k = stiffness_of(body, e);
        gather(body, e, p, u);
        sn_cube_edges_apply(k, u, f);
        scatter(body, e, f, out);
    }
    if (step->contacts != NULL) {
        apply_contact(step->contacts->points, p, out);
    }
    for (size_t i = 0; i < count; ++i) {
        out[i] = sn_lattice_holds(body, i) ? 0.0 : out[i];
    }
}

static double dot(const SnLattice *body, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t i = 0; i < sn_lattice_dofs(body); ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

// The diagonal of H without contact into the room's `v0`, which these steps do not use: each corner
// has three edges a cell.
static void find_diagonal(const Lost *lost)
{
    const SnLattice *body = lost->body;
    double *diagonal = body->room.v0;
    double rate = 1.0 / (lost->problem->step->dt * lost->problem->step->dt);
    for (size_t i = 0; i < sn_lattice_dofs(body); ++i) {
        diagonal[i] = rate * body->masses[i / 3];
    }
    for (int e = 0; e < body->mesh->hex_count; ++e) {
        double f[24], k = stiffness_of(body, e);
        for (int i = 0; i < 24; ++i) {
            f[i] = 6.0 * k;
        }
        scatter(body, e, f, diagonal);
    }
}

// The room's `direction` = -H^-1 residual over free components.
static void find_direction(const Lost *lost)
{
    const SnLattice *body = lost->body;
    const SnLatticeRoom *room = &body->room;
    double *r = room->load_from, *p = room->load_to, *hp = room->held_move;
    size_t count = sn_lattice_dofs(body);
    double rz = 0.0;
    memset(room->direction, 0, count * sizeof *room->direction);
    for (size_t i = 0; i < count; ++i) {
        r[i] = sn_lattice_holds(body, i) ? 0.0 : -room->residual[i];
        p[i] = r[i] / room->v0[i];
        rz += r[i] * p[i];
    }
    double first = rz;
    for (int n = 0; n < ITERATIONS && rz > SOLVE_TOLERANCE * SOLVE_TOLERANCE * first; ++n) {
        apply(lost, p, hp);
        double curvature = dot(body, p, hp);
        if (!(curvature > 0.0)) {
            break;
        }
        double alpha = rz / curvature, next = 0.0;
        for (size_t i = 0; i < count; ++i) {
            room->direction[i] += alpha * p[i];
            r[i] -= alpha * hp[i];
            next += r[i] * r[i] / room->v0[i];
        }
        for (size_t i = 0; i < count; ++i) {
            p[i] = r[i] / room->v0[i] + next / rz * p[i];
        }
        rz = next;
        lost->problem->report->linear_solves += 1;
    }
}

// Goes along the direction as far as the potential falls. False: nowhere.
static bool search(Lost *lost, double *phi)
{
    const SnLatticeRoom *room = &lost->body->room;
    size_t count = sn_lattice_dofs(lost->body);
    double length = 1.0;
    for (int cut = 0; cut < CUTS; ++cut, length *= 0.5) {
        for (size_t i = 0; i < count; ++i) {
            room->trial[i] = room->move[i] + length * room->direction[i];
        }
        double trial = look(lost, room->trial);
        if (trial < *phi) {
            memcpy(room->move, room->trial, count * sizeof *room->move);
            *phi = trial;
            return true;
        }
    }
    *phi = look(lost, room->move);
    return false;
}

// Moves a loose body as a whole so that it drifts as its weight lets it: solves that end before
// they are exact would change that, where masses differ.
static void keep_drift(const Lost *lost, const SnRigidMotion *before)
{
    const SnLattice *body = lost->body;
    const SnStep *step = lost->problem->step;
    double mass = 0.0, sums[3] = {0.0, 0.0, 0.0};
    for (int v = 0; v < body->mesh->vertex_count; ++v) {
        mass += body->masses[v];
        for (int k = 0; k < 3; ++k) {
            sums[k] += body->masses[v] * body->room.move[3 * v + k];
        }
    }
    for (int k = 0; k < 3; ++k) {
        double wanted = step->dt * (before->drift[k] + step->dt * step->gravity[k]);
        for (int v = 0; v < body->mesh->vertex_count; ++v) {
            body->room.move[3 * v + k] += wanted - sums[k] / mass;
        }
    }
}

// Euler's velocities at the room's move, with the spin that the body had. Calm: the rigid part of
// them alone; what changed the shape has done its work, and would only swing on.
static void end_motion(const Lost *lost, const SnRigidMotion *before, bool calm)
{
    const SnLattice *body = lost->body;
    const SnLatticeMotion *state = &body->state;
    size_t count = sn_lattice_dofs(body);
    int vertices = body->mesh->vertex_count;
    double dt = lost->problem->step->dt;
    if (is_loose(lost->problem)) {
        keep_drift(lost, before);
    }
    for (size_t i = 0; i < count; ++i) {
        state->positions[i] += body->room.move[i];
        state->velocities[i] = body->room.move[i] / dt;
    }
    if (is_loose(lost->problem)) {
        sn_rigid_motion_spin(body->masses, state->positions, vertices, before->spin,
                             state->velocities);
    }
    if (calm) {
        SnRigidMotion motion =
            sn_rigid_motion_of(body->masses, state->positions, state->velocities, vertices);
        sn_rigid_motion_velocities(&motion, state->positions, vertices, state->velocities);
    }
    for (size_t i = 0; i < count; ++i) {
        state->last_move[i] = dt * state->velocities[i];
        state->last_change[i] = 0.0;
    }
    state->clock[SN_LATTICE_CLOCK_LAST_DT] = dt;
}

void sn_lattice_lost_step(const SnLatticeProblem *problem)
{
    SnLattice *body = problem->body;
    const SnLatticeRoom *room = &body->room;
    double *steps = &body->state.clock[SN_LATTICE_CLOCK_LOST];
    Lost lost = {.problem = problem, .body = body};
    SnRigidMotion motion = sn_rigid_motion_of(body->masses, body->state.positions,
                                              body->state.velocities, body->mesh->vertex_count);

    memcpy(room->target, body->state.positions, sn_lattice_dofs(body) * sizeof *room->target);
    sn_lattice_pins_target(body, problem->step->pin_motions, 1.0, room->target);
    find_rotation(&lost, &motion);
    find_diagonal(&lost);
    for (size_t i = 0; i < sn_lattice_dofs(body); ++i) {
        room->move[i] = room->target[i] - body->state.positions[i];
    }
    double phi = look(&lost, room->move);
    double before = lost.elastic;
    bool moves = true;
    for (int n = 0; n < SOLVES && moves; ++n) {
        find_direction(&lost);
        moves = search(&lost, &phi);
        problem->report->iterations += 1;
        moves = moves && problem->step->contacts != NULL; // else it was linear
    }
    bool ends = (lost.inverted == 0 && lost.elastic <= SN_LOST_FOUND * lost.weight) ||
                *steps >= SN_LOST_STEPS;
    end_motion(&lost, &motion, ends || !(lost.elastic < before));
    *steps = ends ? 0.0 : *steps + 1.0;
    problem->report->rescues += 1;
}

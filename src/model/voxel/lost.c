#include "model/voxel/lost.h"

#include "math/mat3.h"
#include "model/cube_edges.h"
#include "model/one_turn.h"

#include <string.h>

double sn_voxel_lost_stiffness(const SnVoxelCell *cell)
{
    double trace = 0.0;
    for (int i = 0; i < SN_VOXEL_MATRIX; i += SN_VOXEL_DOFS + 1) {
        trace += cell->stiffness[i];
    }
    return trace / 144.0;
}

// Nothing from outside acts on the body's pieces but their weight.
static bool is_free(const SnVoxelProblem *problem)
{
    return problem->step->contacts == NULL && problem->step->load_count == 0;
}

static bool is_held(const SnVoxelBody *body)
{
    return body->pins.set.held_count > 0 || body->pins.grip.count > 0;
}

// Nor any pin, so that its spin stays. Displacements of linear bodies have none.
static bool is_loose(const SnVoxelProblem *problem)
{
    return !problem->body->linear && !is_held(problem->body) && is_free(problem);
}

// Weighed by what cells carry: rows of their matrices may be less than zero.
static SnRigidMotion motion_of(const SnVoxelBody *body)
{
    return sn_rigid_motion_of(body->carried, body->state.positions, body->state.velocities,
                              body->grid.vertex_count);
}

static void gather(const SnVoxelBody *body, int cell, const double *x, double out[SN_CUBE_DOFS])
{
    const int *corners = body->grid.corners + 8 * (size_t)cell;
    for (int c = 0; c < 8; ++c) {
        memcpy(out + 3 * c, x + 3 * (size_t)corners[c], 3 * sizeof *out);
    }
}

// J, of the edges of all cells.
static double look(const SnVoxelBody *body, const double R[9], const double *at)
{
    double energy = 0.0;
    for (int e = 0; e < body->grid.cell_count; ++e) {
        double x[SN_CUBE_DOFS], X[SN_CUBE_DOFS], f[SN_CUBE_DOFS] = {0.0};
        gather(body, e, at, x);
        gather(body, e, body->grid.rest, X);
        sn_cube_edges_look(x, X, R, sn_voxel_lost_stiffness(sn_voxel_grid_cell(&body->grid, e)),
                           &energy, f);
    }
    return energy;
}

static void find_rotation(const SnVoxelProblem *problem, SnVoxelLost *lost)
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelGrip *grip = &body->pins.grip;
    bool by_points = grip->count > 0 && body->pins.set.held_count == 0;
    SnOneTurn one = {.pins = by_points ? &grip->set : &body->pins.set,
                     .rest = by_points ? grip->rest : body->grid.rest,
                     .places = by_points ? grip->targets : body->room.target};
    for (int e = 0; e < body->grid.cell_count; ++e) {
        double x[SN_CUBE_DOFS], X[SN_CUBE_DOFS];
        double k = sn_voxel_lost_stiffness(sn_voxel_grid_cell(&body->grid, e));
        gather(body, e, body->state.positions, x);
        gather(body, e, body->grid.rest, X);
        sn_cube_edges_align(x, X, k, one.sum);
        one.weight += 4.0 * k * body->grid.edge * body->grid.edge;
    }
    lost->weight = one.weight;
    sn_mat3_identity(one.at_rest);
    for (int k = 0; k < 3 && is_loose(problem); ++k) {
        one.turn[k] = problem->step->dt * lost->motion.turn[k];
    }
    if (body->linear) {
        sn_mat3_identity(lost->R); // its cells do not turn
    } else {
        sn_one_turn_find(&one, lost->R);
    }
}

void sn_voxel_lost_begin(const SnVoxelProblem *problem, SnVoxelLost *out_lost)
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelRoom *room = &body->room;
    double turned[9];
    *out_lost = (SnVoxelLost){0};
    if (!problem->one_turn) {
        return;
    }
    out_lost->motion = motion_of(body);
    find_rotation(problem, out_lost);
    for (int i = 0; i < 9; ++i) {
        // The grid's axes are rows.
        turned[i] = out_lost->R[i / 3 * 3] * body->grid.axes[i % 3 * 3] +
                    out_lost->R[i / 3 * 3 + 1] * body->grid.axes[i % 3 * 3 + 1] +
                    out_lost->R[i / 3 * 3 + 2] * body->grid.axes[i % 3 * 3 + 2];
    }
    for (size_t e = 0; e < (size_t)body->grid.cell_count; ++e) {
        memcpy(body->state.rotations + 9 * e, turned, sizeof turned);
        memcpy(room->base + 9 * e, turned, sizeof turned);
    }
    for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
        room->x[i] = sn_voxel_holds(body, i) ? room->target[i] : body->state.positions[i];
    }
    out_lost->elastic = look(body, out_lost->R, room->x);
}

// Adds the momentum of a cell whose corners have these velocities.
static void add_momentum(const SnVoxelBody *body, int cell, const double *v, double out[3])
{
    const double *w = sn_voxel_grid_cell(&body->grid, cell)->weight;
    const double *R = body->state.rotations + 9 * (size_t)cell;
    double at[SN_CUBE_DOFS], sum[3] = {0.0, 0.0, 0.0}, turned[3];
    gather(body, cell, v, at);
    for (int i = 0; i < SN_CUBE_DOFS; ++i) {
        const double *u = at + i / 3 * 3;
        double local = R[i % 3] * u[0] + R[3 + i % 3] * u[1] + R[6 + i % 3] * u[2];
        for (int k = 0; k < 3; ++k) {
            sum[k] += w[3 * i + k] * local;
        }
    }
    sn_mat3_apply(R, sum, turned);
    for (int k = 0; k < 3; ++k) {
        out[k] += turned[k];
    }
}

// Pieces that nothing holds go where their weight takes them: what the solve leaves of the forces
// inside a stiff body would push all of it. By the masses of vertices, which no turn changes.
static void shift_pieces(const SnVoxelProblem *problem)
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelPins *pins = &body->pins;
    for (int p = 0; p < pins->piece_count; ++p) {
        memset(pins->pieces[p].shift, 0, sizeof pins->pieces[p].shift);
        pins->pieces[p].size = 0.0; // kg
    }
    for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
        if (pins->piece_of[i / 3] >= 0) {
            SnVoxelPiece *piece = &pins->pieces[pins->piece_of[i / 3]];
            double a = problem->a_rate * body->room.move[i] + body->room.a0[i];
            piece->shift[i % 3] += body->masses[i / 3] * (problem->step->gravity[i % 3] - a);
            piece->size += body->masses[i / 3] / 3.0;
        }
    }
    for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
        if (pins->piece_of[i / 3] >= 0) {
            const SnVoxelPiece *piece = &pins->pieces[pins->piece_of[i / 3]];
            double shift = piece->shift[i % 3] / (piece->size * problem->a_rate);
            body->state.positions[i] += shift;
            body->state.velocities[i] += problem->v_rate * shift;
        }
    }
}

// By the masses of vertices; or `whole`, by the mass matrices of the cells as they are turned.
static void find_momentum(const SnVoxelBody *body, bool whole, double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int e = 0; e < body->grid.cell_count && whole; ++e) {
        add_momentum(body, e, body->state.velocities, out);
    }
    for (size_t i = 0; i < sn_voxel_dofs(body) && !whole; ++i) {
        out[i % 3] += body->masses[i / 3] * body->state.velocities[i];
    }
}

// Adds the velocity to the whole body that makes its momentum the given one.
static void set_momentum(const SnVoxelBody *body, bool whole, const double momentum[3])
{
    double now[3], mass = 0.0;
    find_momentum(body, whole, now);
    for (int v = 0; v < body->grid.vertex_count; ++v) {
        mass += body->masses[v];
    }
    for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
        body->state.velocities[i] += (momentum[i % 3] - now[i % 3]) / mass;
    }
}

// The nearest rotation at the end is not quite the one that the step took: gives back the spin. Its
// middle is not that of the momentum, which stays as it is.
static void keep_spin(const SnVoxelBody *body, const SnVoxelLost *lost)
{
    double momentum[3];
    find_momentum(body, false, momentum);
    sn_rigid_motion_spin(body->carried, body->state.positions, body->grid.vertex_count,
                         lost->motion.spin, body->state.velocities);
    set_momentum(body, false, momentum);
}

// Leaves the body to its rigid motion: what changed its shape has done its work, and would only
// swing on. Pieces that are held have no other motion. A turn would stretch linear bodies. With its
// shape it has the momentum of its matrices, whose middle is another than that of masses at
// vertices where cells are partly empty.
static void calm(const SnVoxelBody *body, bool has_shape)
{
    SnRigidMotion motion = motion_of(body);
    double momentum[3];
    if (is_held(body)) {
        for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
            body->state.velocities[i] *= body->pins.piece_of[i / 3] < 0 ? 0.0 : 1.0;
        }
        return;
    }
    if (body->linear) {
        memset(motion.turn, 0, sizeof motion.turn);
    }
    find_momentum(body, false, momentum);
    sn_rigid_motion_velocities(&motion, body->state.positions, body->grid.vertex_count,
                               body->state.velocities);
    set_momentum(body, has_shape, momentum);
}

void sn_voxel_lost_end(const SnVoxelProblem *problem, const SnVoxelLost *lost)
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelMotion *state = &body->state;
    double *steps = &state->clock[SN_VOXEL_CLOCK_LOST];
    int inverted = 0;
    if (!problem->one_turn) {
        return;
    }
    if (is_free(problem)) {
        shift_pieces(problem);
    }
    if (is_loose(problem)) {
        keep_spin(body, lost);
    }
    for (int e = 0; e < body->grid.cell_count; ++e) {
        inverted += !(sn_voxel_cell_det(body, e) > 0.0);
    }
    double elastic = look(body, lost->R, state->positions);
    bool found = inverted == 0 && elastic <= SN_LOST_FOUND * lost->weight;
    bool ends = found || *steps >= SN_LOST_STEPS;
    *steps = ends ? 0.0 : *steps + 1.0;
    // While the energy falls the motion is on its way.
    if (ends || !(elastic < lost->elastic)) {
        calm(body, found);
    }
    for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
        state->last_move[i] = problem->step->dt * state->velocities[i];
        state->last_change[i] = 0.0;
    }
    problem->report->rescues += 1;
}

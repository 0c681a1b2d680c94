#include "model/cube_edges.h"
#include "model/voxel/grip.h"
#include "model/voxel/lost.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CELL_GRAIN = 256 };

// Forces below those of a strain of about this are measured against those.
#define STRAIN_FLOOR 1e-9

// Share of the potential's parts that rounding may take, and of single terms.
#define SUM_NOISE 1e-13
#define UNIT_NOISE (4.0 * DBL_EPSILON)

static void cross(const double a[3], const double b[3], double scale, double out[3])
{
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] += scale * (a[j] * b[k] - a[k] * b[j]);
    }
}

// R^T v.
static void turn_back(const double R[9], const double v[3], double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = R[i] * v[0] + R[3 + i] * v[1] + R[6 + i] * v[2];
    }
}

// Takes the content's weight from h and s; answers its work, less a constant.
static double add_weight(const SnVoxelCell *cell, const SnVoxelPose *pose, const double gravity[3],
                         double h[SN_VOXEL_DOFS], double s[3])
{
    double g[3], at[3] = {cell->moment[0], cell->moment[1], cell->moment[2]};
    turn_back(pose->rotation, gravity, g);
    for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
        const double *w = cell->weight + 3 * j;
        h[j] -= w[0] * g[0] + w[1] * g[1] + w[2] * g[2];
        for (int i = 0; i < 3; ++i) {
            at[i] += w[i] * pose->u[j];
        }
    }
    cross(at, g, -1.0, s);
    return cell->total * (gravity[0] * pose->center[0] + gravity[1] * pose->center[1] +
                          gravity[2] * pose->center[2]) +
           g[0] * at[0] + g[1] * at[1] + g[2] * at[2];
}

// g = h + omega^T J^-T (s - sum y x h): what the turn of the cell adds to the derivative by u.
static void add_turn(const SnVoxelGrid *grid, const SnVoxelCell *cell, const SnVoxelPose *pose,
                     const double s[3], double h[SN_VOXEL_DOFS])
{
    double torque[3] = {s[0], s[1], s[2]}, t[3];
    for (int a = 0; a < 8; ++a) {
        double y[3];
        for (int i = 0; i < 3; ++i) {
            y[i] = sn_voxel_corner(grid, a, i) + pose->u[3 * a + i];
        }
        cross(y, h + 3 * a, -1.0, torque);
    }
    for (int i = 0; i < 3; ++i) {
        t[i] = pose->turn[i] * torque[0] + pose->turn[3 + i] * torque[1] +
               pose->turn[6 + i] * torque[2];
    }
    for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
        h[j] += cell->omega[j] * t[0] + cell->omega[SN_VOXEL_DOFS + j] * t[1] +
                cell->omega[2 * SN_VOXEL_DOFS + j] * t[2];
    }
}

void sn_voxel_pull_spread(const SnVoxelBody *body, int cell, const SnVoxelPose *pose, bool exact,
                          const SnVoxelPull *pull, double out[SN_VOXEL_DOFS])
{
    double h[SN_VOXEL_DOFS];
    memcpy(h, pull->h, sizeof h);
    if (pose->turns && exact) {
        add_turn(&body->grid, sn_voxel_grid_cell(&body->grid, cell), pose, pull->s, h);
    }
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        const double *R = pose->rotation + 3 * (i % 3), *f = h + i / 3 * 3;
        out[i] = R[0] * f[0] + R[1] * f[1] + R[2] * f[2];
    }
}

static void multiply(const double *A, const double in[SN_VOXEL_DOFS], double out[SN_VOXEL_DOFS])
{
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        double sum = 0.0;
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            sum += A[i * SN_VOXEL_DOFS + j] * in[j];
        }
        out[i] = sum;
    }
}

typedef struct Job {
    const SnVoxelProblem *problem;
    const double *d;
} Job;

static void force_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnVoxelProblem *problem = job->problem;
    const SnVoxelBody *body = problem->body;
    const SnVoxelRoom *room = &body->room;
    double gravity[3];
    (void)worker;
    for (int i = 0; i < 3; ++i) {
        gravity[i] = problem->share * problem->step->gravity[i];
    }
    for (int e = begin; e < end; ++e) {
        const SnVoxelCell *cell = sn_voxel_grid_cell(&body->grid, e);
        const SnVoxelPose *pose = &room->poses[e];
        double h[SN_VOXEL_DOFS], s[3] = {0.0, 0.0, 0.0}, energy = 0.0, size = 0.0;
        if (problem->one_turn) {
            memset(h, 0, sizeof h);
            sn_cube_edges_apply(sn_voxel_lost_stiffness(cell), pose->u, h);
        } else {
            multiply(cell->stiffness, pose->u, h);
        }
        for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
            energy += 0.5 * h[i] * pose->u[i];
            size += fabs(h[i]);
        }
        energy -= add_weight(cell, pose, gravity, h, s);
        if (room->has_pulls) {
            for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
                h[i] -= room->pulls[e].h[i];
            }
            for (int i = 0; i < 3; ++i) {
                s[i] -= room->pulls[e].s[i];
            }
        }
        if (pose->turns && problem->exact) {
            add_turn(&body->grid, cell, pose, s, h);
        }
        double *out = room->cell_force + SN_VOXEL_DOFS * (size_t)e;
        memcpy(room->gradients + SN_VOXEL_DOFS * (size_t)e, h, sizeof h);
        for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
            const double *R = pose->rotation + 3 * (i % 3), *f = h + i / 3 * 3;
            out[i] = R[0] * f[0] + R[1] * f[1] + R[2] * f[2];
        }
        room->energies[2 * (size_t)e] = energy;
        room->energies[2 * (size_t)e + 1] = size;
    }
}

// M a + C v of the cells, turned as they are at the start of the step; energies are added.
static void inertia_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnVoxelProblem *problem = job->problem;
    const SnVoxelBody *body = problem->body;
    const SnVoxelRoom *room = &body->room;
    (void)worker;
    for (int e = begin; e < end; ++e) {
        const SnVoxelCell *cell = sn_voxel_grid_cell(&body->grid, e);
        const double *R = body->state.rotations + 9 * (size_t)e;
        const int *corners = body->grid.corners + 8 * (size_t)e;
        double a[SN_VOXEL_DOFS], v[SN_VOXEL_DOFS], f[SN_VOXEL_DOFS], energy = 0.0;
        for (int c = 0; c < 8; ++c) {
            double world_a[3], world_v[3];
            for (int k = 0; k < 3; ++k) {
                size_t i = 3 * (size_t)corners[c] + (size_t)k;
                world_a[k] = problem->a_rate * job->d[i] + room->a0[i];
                world_v[k] = problem->v_rate * job->d[i] + room->v0[i];
            }
            turn_back(R, world_a, a + 3 * c);
            turn_back(R, world_v, v + 3 * c);
        }
        double drag[SN_VOXEL_DOFS] = {0.0};
        multiply(cell->mass, a, f);
        if (cell->damping != NULL && !problem->one_turn) {
            multiply(cell->damping, v, drag);
        }
        for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
            energy += 0.5 * f[i] * a[i] / problem->a_rate + 0.5 * drag[i] * v[i] / problem->v_rate;
            f[i] += drag[i];
        }
        double *out = room->cell_force + SN_VOXEL_DOFS * (size_t)e;
        for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
            const double *r = R + 3 * (i % 3), *g = f + i / 3 * 3;
            out[i] = r[0] * g[0] + r[1] * g[1] + r[2] * g[2];
        }
        room->energies[2 * (size_t)e] += energy;
    }
}

// The gradient and sums over components: squares of residual, internal and inertia, work of what
// balances the start, sizes of forces.
static void sum_range(void *context, int begin, int end, double *sums)
{
    const Job *job = context;
    const SnVoxelProblem *problem = job->problem;
    const SnVoxelRoom *room = &problem->body->room;
    double balance = problem->dynamic ? 0.0 : 1.0 - problem->share;
    memset(sums, 0, SN_VOXEL_SUMS * sizeof *sums);
    for (int i = begin; i < end; ++i) {
        double inertia = problem->dynamic ? room->inertia[i] : 0.0;
        double held = balance * room->balance[i];
        double r = room->internal[i] + inertia - held;
        room->residual[i] = r;
        sums[SN_VOXEL_SUM_RESIDUAL] += sn_voxel_holds(problem->body, (size_t)i) ? 0.0 : r * r;
        sums[SN_VOXEL_SUM_INTERNAL] += room->internal[i] * room->internal[i];
        sums[SN_VOXEL_SUM_INERTIA] += inertia * inertia;
        sums[SN_VOXEL_SUM_WORK] += held * job->d[i];
        sums[SN_VOXEL_SUM_MOVED] += fabs(inertia * job->d[i]);
        sums[SN_VOXEL_SUM_BALANCE] += held * held;
        sums[SN_VOXEL_SUM_SIZE] += fabs(room->internal[i]);
    }
}

static double sum_energies(const SnVoxelBody *body, double *out_size)
{
    double energy = 0.0, size = 0.0;
    for (int e = 0; e < body->grid.cell_count; ++e) {
        energy += body->room.energies[2 * (size_t)e];
        size += body->room.energies[2 * (size_t)e + 1];
    }
    *out_size = size;
    return energy;
}

double sn_voxel_pull_cells(const SnVoxelProblem *problem, double *out_load)
{
    const SnVoxelBody *body = problem->body;
    SnVoxelRoom *room = &problem->body->room;
    const SnStep *step = problem->step;
    double energy = 0.0, square = 0.0;
    room->has_pulls = step->load_count > 0 || step->contacts != NULL;
    if (room->has_pulls) {
        memset(room->pulls, 0, (size_t)body->grid.cell_count * sizeof *room->pulls);
    }
    for (int l = 0; l < step->load_count; ++l) {
        energy -= sn_voxel_points_pull(body, step->loads[l].points, problem->share,
                                       step->loads[l].forces, room->poses, room->pulls);
    }
    if (step->contacts != NULL) {
        energy += sn_voxel_points_evaluate(body, problem->workers, step->contacts, room->poses,
                                           room->pulls);
    }
    for (int e = 0; e < body->grid.cell_count && room->has_pulls; ++e) {
        for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
            square += room->pulls[e].h[i] * room->pulls[e].h[i];
        }
    }
    *out_load = square;
    return energy;
}

static double weigh(const SnVoxelProblem *problem)
{
    const SnVoxelBody *body = problem->body;
    const double *g = problem->step->gravity;
    double square = 0.0;
    for (int v = 0; v < body->grid.vertex_count; ++v) {
        square += body->masses[v] * body->masses[v];
    }
    return square * problem->share * problem->share * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

SnVoxelValue sn_voxel_value(const SnVoxelProblem *problem, const double sums[SN_VOXEL_SUMS],
                            double energy, double size, double load)
{
    double work = sums[SN_VOXEL_SUM_WORK];
    SnVoxelValue value = {.phi = energy - work,
                          .noise =
                              SUM_NOISE * (fabs(energy) + fabs(work)) +
                              UNIT_NOISE * (sums[SN_VOXEL_SUM_MOVED] +
                                            problem->largest * (sums[SN_VOXEL_SUM_SIZE] + size)),
                          .residual = sqrt(sums[SN_VOXEL_SUM_RESIDUAL])};
    if (problem->body->pins.grip.inverse.row_count > 0) {
        value.residual = sn_voxel_grip_residual(problem);
    }
    double square = fmax(sums[SN_VOXEL_SUM_INTERNAL], sums[SN_VOXEL_SUM_INERTIA]);
    square = fmax(fmax(square, sums[SN_VOXEL_SUM_BALANCE]), fmax(load, weigh(problem)));
    value.scale =
        fmax(STRAIN_FLOOR * problem->body->stiffness_scale * problem->largest, sqrt(square));
    value.allowed = isfinite(value.phi) && isfinite(value.residual);
    return value;
}

SnVoxelValue sn_voxel_potential(const SnVoxelProblem *problem, const double *d)
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelRoom *room = &body->room;
    int cells = body->grid.cell_count;
    Job job = {problem, d};
    double sums[SN_VOXEL_SUMS], load, size;
    if (problem->counted) {
        return sn_voxel_lanes_look(problem, d);
    }
    for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
        room->x[i] = body->state.positions[i] + d[i];
    }
    sn_voxel_pose_cells(body, problem->workers, room->x, room->base, sn_voxel_turns(problem),
                        room->poses);
    double energy = sn_voxel_pull_cells(problem, &load);
    sn_parallel_for(problem->workers, cells, CELL_GRAIN, force_range, &job);
    sn_voxel_gather_forces(body, problem->workers, room->cell_force, room->internal);
    if (problem->dynamic) {
        sn_parallel_for(problem->workers, cells, CELL_GRAIN, inertia_range, &job);
        sn_voxel_gather_forces(body, problem->workers, room->cell_force, room->inertia);
    }
    energy += sum_energies(body, &size);
    sn_parallel_sum(problem->workers, (int)sn_voxel_dofs(body), SN_VOXEL_SUMS, sum_range, &job,
                    sums);
    return sn_voxel_value(problem, sums, energy, size, load);
}

void sn_voxel_accept(const SnVoxelProblem *problem)
{
    const SnVoxelRoom *room = &problem->body->room;
    size_t numbers = 9 * (size_t)problem->body->grid.cell_count;
    for (size_t i = 0; i < numbers && problem->counted; ++i) {
        room->base[i] = (double)problem->body->system.rotations[i];
    }
    for (int e = 0; e < problem->body->grid.cell_count && !problem->counted; ++e) {
        memcpy(room->base + 9 * (size_t)e, room->poses[e].rotation, 9 * sizeof *room->base);
    }
}

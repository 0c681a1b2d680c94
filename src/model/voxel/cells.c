// Where cells are: their rotations, displacements and the sums over the cells at a vertex.
#include "model/voxel/body.h"

#include "math/mat3.h"
#include "model/voxel/small.h"

#include <math.h>
#include <string.h>

enum { CELL_GRAIN = 256, VERTEX_GRAIN = 1024 };

// A turn smaller than this is none; one larger than LARGEST_TURN is made in parts.
#define SMALLEST_TURN 1e-13
#define LARGEST_TURN 0.5

// How far from a rigid motion a cell may be for Newton's turns: share of the rest's response.
#define LEAST_RESPONSE 0.1

// R <- R exp(w), by a unit quaternion with the vector part along w: exact to first order, and a
// rotation for any w. Only a square root.
static void turn_by(const double w[3], double R[9])
{
    double q[4] = {0.5 * w[0], 0.5 * w[1], 0.5 * w[2], 1.0}, by[9], out[9];
    double norm = sn_quat_norm(q);
    for (int i = 0; i < 4; ++i) {
        q[i] /= norm;
    }
    sn_quat_to_mat3(q, by);
    sn_mat3_multiply(R, by, out);
    memcpy(R, out, 9 * sizeof *R);
}

// Rounding of many turns: one step of Newton's iteration for the nearest rotation.
static void straighten(double R[9])
{
    double T[9], P[9];
    sn_mat3_transpose_multiply(R, R, T);
    for (int i = 0; i < 9; ++i) {
        T[i] = (i % 4 == 0 ? 1.5 : 0.0) - 0.5 * T[i];
    }
    sn_mat3_multiply(R, T, P);
    memcpy(R, P, 9 * sizeof *R);
}

// u = R^T (x - c) - X.
static void displace(const SnVoxelGrid *grid, const double x[SN_VOXEL_DOFS], const double c[3],
                     const double R[9], double u[SN_VOXEL_DOFS])
{
    for (int a = 0; a < 8; ++a) {
        double d[3] = {x[3 * a] - c[0], x[3 * a + 1] - c[1], x[3 * a + 2] - c[2]};
        for (int i = 0; i < 3; ++i) {
            u[3 * a + i] =
                R[i] * d[0] + R[3 + i] * d[1] + R[6 + i] * d[2] - sn_voxel_corner(grid, a, i);
        }
    }
}

static void mean_turn(const SnVoxelCell *cell, const double u[SN_VOXEL_DOFS], double out[3])
{
    for (int k = 0; k < 3; ++k) {
        out[k] = 0.0;
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            out[k] += cell->omega[k * SN_VOXEL_DOFS + j] * u[j];
        }
    }
}

// J with J w = omega (w x y), y = X + u.
static void find_response(const SnVoxelGrid *grid, const SnVoxelCell *cell,
                          const double u[SN_VOXEL_DOFS], double J[9])
{
    memset(J, 0, 9 * sizeof *J);
    for (int a = 0; a < 8; ++a) {
        double y[3];
        for (int i = 0; i < 3; ++i) {
            y[i] = sn_voxel_corner(grid, a, i) + u[3 * a + i];
        }
        for (int r = 0; r < 3; ++r) {
            const double *o = cell->omega + r * SN_VOXEL_DOFS + 3 * a;
            // o . (w x y) = w . (y x o)
            J[3 * r] += y[1] * o[2] - y[2] * o[1];
            J[3 * r + 1] += y[2] * o[0] - y[0] * o[2];
            J[3 * r + 2] += y[0] * o[1] - y[1] * o[0];
        }
    }
}

// Whether the symmetric part of J is well above zero.
static bool responds(const double J[9])
{
    double s01 = 0.5 * (J[1] + J[3]), s02 = 0.5 * (J[2] + J[6]), s12 = 0.5 * (J[5] + J[7]);
    double a = J[0] - LEAST_RESPONSE, b = J[4] - LEAST_RESPONSE, c = J[8] - LEAST_RESPONSE;
    double minor = a * b - s01 * s01;
    double det =
        a * (b * c - s12 * s12) - s01 * (s01 * c - s12 * s02) + s02 * (s01 * s12 - b * s02);
    return a > 0.0 && minor > 0.0 && det > 0.0;
}

// How the mean rotation answers a turn at the pose as it is.
static void find_turn(const SnVoxelGrid *grid, const SnVoxelCell *cell, SnVoxelPose *pose)
{
    double J[9];
    find_response(grid, cell, pose->u, J);
    pose->turns = responds(J) && sn_small_invert3(J, 1e-6, pose->turn);
}

// The rotation in which the content's mean rotation is zero, from the one that R holds. Newton's
// turns where the cell is near a rigid motion, small plain ones where it is not: those have brought
// back cells from every state.
static void find_omega_rotation(const SnVoxelGrid *grid, const SnVoxelCell *cell,
                                const double x[SN_VOXEL_DOFS], int turns, bool smooth,
                                SnVoxelPose *pose)
{
    double w[3], t[3];
    for (int turn = 0; turn <= turns; ++turn) {
        displace(grid, x, pose->center, pose->rotation, pose->u);
        find_turn(grid, cell, pose);
        if (turn == turns || (smooth && !pose->turns)) {
            break;
        }
        mean_turn(cell, pose->u, w);
        if (pose->turns) {
            sn_mat3_apply(pose->turn, w, t);
        } else {
            memcpy(t, w, sizeof t);
        }
        double size = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
        if (!(size > SMALLEST_TURN)) {
            break;
        }
        for (int i = 0; i < 3 && size > LARGEST_TURN; ++i) {
            t[i] *= LARGEST_TURN / size;
        }
        turn_by(t, pose->rotation);
        straighten(pose->rotation);
    }
}

// [E] 4.1: the axes of the means of the four edges along each axis, made orthogonal one after the
// other. Where they are flat, the rotation stays.
static void find_edge_rotation(const SnVoxelGrid *grid, const double x[SN_VOXEL_DOFS],
                               SnVoxelPose *pose)
{
    double e[3][3] = {{0.0}}, r[3][3];
    for (int a = 0; a < 8; ++a) {
        for (int k = 0; k < 2; ++k) {
            double sign = a >> (2 - k) & 1 ? 0.25 : -0.25;
            for (int i = 0; i < 3; ++i) {
                e[k][i] += sign * x[3 * a + i];
            }
        }
    }
    double along = sqrt(e[0][0] * e[0][0] + e[0][1] * e[0][1] + e[0][2] * e[0][2]);
    for (int i = 0; i < 3; ++i) {
        r[0][i] = e[0][i] / along;
    }
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        r[2][i] = r[0][j] * e[1][k] - r[0][k] * e[1][j];
    }
    double across = sqrt(r[2][0] * r[2][0] + r[2][1] * r[2][1] + r[2][2] * r[2][2]);
    if (along > 1e-9 * grid->edge && across > 1e-9 * grid->edge) {
        for (int i = 0; i < 3; ++i) {
            r[2][i] /= across;
        }
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            r[1][i] = r[2][j] * r[0][k] - r[2][k] * r[0][j];
        }
        for (int i = 0; i < 9; ++i) {
            pose->rotation[i] = r[i % 3][i / 3];
        }
    }
    pose->turns = false;
    displace(grid, x, pose->center, pose->rotation, pose->u);
}

typedef struct Posing {
    const SnVoxelBody *body;
    const double *x;
    const double *base;
    int turns;
    SnVoxelPose *poses;
} Posing;

static void pose_range(void *context, int begin, int end, int worker)
{
    const Posing *job = context;
    const SnVoxelBody *body = job->body;
    const SnVoxelGrid *grid = &body->grid;
    (void)worker;
    for (int e = begin; e < end; ++e) {
        SnVoxelPose *pose = &job->poses[e];
        const int *corners = grid->corners + 8 * (size_t)e;
        double x[SN_VOXEL_DOFS];
        memset(pose->center, 0, sizeof pose->center);
        for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
            x[i] = job->x[3 * (size_t)corners[i / 3] + (size_t)(i % 3)];
            pose->center[i % 3] += 0.125 * x[i];
        }
        memcpy(pose->rotation, job->base + 9 * (size_t)e, sizeof pose->rotation);
        bool smooth = job->turns == SN_VOXEL_TURNS_SMOOTH;
        if (body->linear || job->turns == SN_VOXEL_TURNS_NONE || (smooth && body->room.stays[e])) {
            pose->turns = false;
            displace(grid, x, pose->center, pose->rotation, pose->u);
        } else if (job->turns == SN_VOXEL_TURNS_EDGES) {
            find_edge_rotation(grid, x, pose);
        } else {
            find_omega_rotation(grid, sn_voxel_grid_cell(grid, e), x,
                                smooth ? SN_VOXEL_TURNS : job->turns, smooth, pose);
            if (smooth && !pose->turns) {
                memcpy(pose->rotation, job->base + 9 * (size_t)e, sizeof pose->rotation);
                displace(grid, x, pose->center, pose->rotation, pose->u);
            }
        }
    }
}

void sn_voxel_pose_cells(const SnVoxelBody *body, SnWorkers *workers, const double *x,
                         const double *base, int turns, SnVoxelPose *out_poses)
{
    Posing job = {body, x, base, turns, out_poses};
    sn_parallel_for(workers, body->grid.cell_count, CELL_GRAIN, pose_range, &job);
}

double sn_voxel_cell_det(const SnVoxelBody *body, int cell)
{
    double F[9] = {0.0};
    for (int c = 0; c < 8; ++c) {
        const double *x =
            body->state.positions + 3 * (size_t)body->grid.corners[8 * (size_t)cell + (size_t)c];
        for (int k = 0; k < 3; ++k) {
            double sign = c >> (2 - k) & 1 ? 0.25 : -0.25;
            for (int i = 0; i < 3; ++i) {
                F[3 * i + k] += sign * x[i] / body->grid.edge;
            }
        }
    }
    return sn_mat3_determinant(F); // axes of the grid are right-handed
}

typedef struct Gathering {
    const SnVoxelBody *body;
    const double *cell_force;
    double *out;
} Gathering;

static void gather_range(void *context, int begin, int end, int worker)
{
    const Gathering *job = context;
    (void)worker;
    for (int v = begin; v < end; ++v) {
        double sum[3] = {0.0, 0.0, 0.0};
        for (int i = job->body->vertex_start[v]; i < job->body->vertex_start[v + 1]; ++i) {
            const double *f = job->cell_force + 3 * (size_t)job->body->vertex_corners[i];
            sum[0] += f[0];
            sum[1] += f[1];
            sum[2] += f[2];
        }
        memcpy(job->out + 3 * (size_t)v, sum, sizeof sum);
    }
}

void sn_voxel_gather_forces(const SnVoxelBody *body, SnWorkers *workers, const double *cell_force,
                            double *out_force)
{
    Gathering job = {body, cell_force, out_force};
    sn_parallel_for(workers, body->grid.vertex_count, VERTEX_GRAIN, gather_range, &job);
}

// The matrix of a linearised step, put together and factored.
#include "model/voxel/system.h"

#include "model/voxel/grip.h"

#include <string.h>

void sn_voxel_system_release(SnVoxelSystem *system, const SinewAllocator *allocator)
{
    sn_cholesky_work_destroy(system->work);
    sn_cholesky_destroy(system->factor);
    sn_free(allocator, system->values);
    sn_free(allocator, system->matrices);
    sn_free(allocator, system->numbers);
    sn_free(allocator, system->row_start);
    sn_free(allocator, system->columns);
    sn_free(allocator, system->entries);
    sn_free(allocator, system->blocks);
    *system = (SnVoxelSystem){0};
}

// Axis by axis, as the kernels want it.
static void keep_matrix(const double *from, float *to)
{
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            to[(8 * (i % 3) + i / 3) * SN_VOXEL_DOFS + 8 * (j % 3) + j / 3] =
                (float)from[i * SN_VOXEL_DOFS + j];
        }
    }
}

// Floats of the iterative solver: vectors, inverted blocks, and two vectors a cell.
static SinewStatus make_numbers(SnVoxelBody *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelSystem *system = &body->system;
    size_t dofs = sn_round_up(sn_voxel_dofs(body), 16), cells = (size_t)body->grid.cell_count;
    float **vectors[] = {&system->x, &system->r, &system->z, &system->p, &system->q};
    size_t count = sizeof vectors / sizeof *vectors;
    SN_ALLOC_ZERO(system->numbers, &body->allocator,
                  (count + 3) * dofs + (SN_VOXEL_DOFS + 9 + 3) * cells, error);
    for (size_t i = 0; i < count; ++i) {
        *vectors[i] = system->numbers + i * dofs;
    }
    system->inverse = system->numbers + count * dofs;
    system->out = system->inverse + 3 * dofs;
    system->rotations = system->out + SN_VOXEL_DOFS * cells;
    system->centers = system->rotations + 9 * cells;

done:
    return status;
}

SinewStatus sn_voxel_system_create(SnVoxelBody *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelSystem *system = &body->system;
    size_t kinds = (size_t)body->grid.kind_count;
    SN_ALLOC(system->values, &body->allocator, kinds * SN_VOXEL_MATRIX, error);
    SN_ALLOC(system->matrices, &body->allocator, 3 * kinds * SN_VOXEL_MATRIX, error);
    SN_TRY(make_numbers(body, error));
    system->stiffness = system->matrices + kinds * SN_VOXEL_MATRIX;
    system->mass = system->stiffness + kinds * SN_VOXEL_MATRIX;
    for (size_t k = 0; k < kinds; ++k) {
        keep_matrix(body->grid.cells[k].stiffness, system->stiffness + k * SN_VOXEL_MATRIX);
        keep_matrix(body->grid.cells[k].mass, system->mass + k * SN_VOXEL_MATRIX);
    }

done:
    return status;
}

void sn_voxel_system_combine(const SnVoxelProblem *problem)
{
    SnVoxelBody *body = problem->body;
    SnVoxelSystem *system = &body->system;
    double rates[2] = {problem->dynamic ? problem->a_rate : 0.0,
                       problem->dynamic ? problem->v_rate : 0.0};
    if (system->made && memcmp(rates, system->rates, sizeof rates) == 0) {
        return;
    }
    for (int k = 0; k < body->grid.kind_count; ++k) {
        const SnVoxelCell *cell = &body->grid.cells[k];
        double *out = system->values + (size_t)k * SN_VOXEL_MATRIX;
        for (int i = 0; i < SN_VOXEL_MATRIX; ++i) {
            out[i] = cell->stiffness[i] + rates[0] * cell->mass[i] +
                     (cell->damping != NULL ? rates[1] * cell->damping[i] : 0.0);
        }
        keep_matrix(out, system->matrices + (size_t)k * SN_VOXEL_MATRIX);
    }
    memcpy(system->rates, rates, sizeof rates);
    system->made = true;
}

SnVoxelPointBlock sn_voxel_point_block(const SnVoxelBody *body, const SnVoxelPoints *points,
                                       int index)
{
    SnVoxelPointBlock block;
    int p = points->active[index];
    const double *S = points->forces[p].stiffness;
    block.cell = points->cells[p];
    const double *R = body->room.poses[block.cell].rotation;
    sn_voxel_points_shape(body, points, p, block.shape);
    for (int i = 0; i < 9; ++i) {
        double sum = 0.0;
        for (int k = 0; k < 9; ++k) {
            sum += R[3 * (k / 3) + i / 3] * S[k] * R[3 * (k % 3) + i % 3];
        }
        block.stiffness[i] = sum;
    }
    return block;
}

void sn_voxel_fill_right(const SnVoxelBody *body)
{
    const SnVoxelRoom *room = &body->room;
    for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
        room->right[i] = sn_voxel_holds(body, i) ? 0.0 : -room->residual[i];
    }
    sn_voxel_grip_filter(body, room->right);
}

void sn_voxel_add_turned(const double R[9], const double *A, double out[9])
{
    for (int i = 0; i < 3; ++i) {
        double row[3];
        for (int k = 0; k < 3; ++k) {
            row[k] = R[3 * i] * A[k] + R[3 * i + 1] * A[SN_VOXEL_DOFS + k] +
                     R[3 * i + 2] * A[2 * SN_VOXEL_DOFS + k];
        }
        for (int j = 0; j < 3; ++j) {
            out[3 * i + j] += row[0] * R[3 * j] + row[1] * R[3 * j + 1] + row[2] * R[3 * j + 2];
        }
    }
}

// Factoring --------------------------------------------------------------------------------------

// Whether a vertex is already among those of a row; rows are short.
static int find_column(const int *columns, int begin, int end, int vertex)
{
    for (int i = begin; i < end; ++i) {
        if (columns[i] == vertex) {
            return i;
        }
    }
    return -1;
}

static void sort_row(int *row, int count)
{
    for (int i = 1; i < count; ++i) {
        int value = row[i], j = i;
        for (; j > 0 && row[j - 1] > value; --j) {
            row[j] = row[j - 1];
        }
        row[j] = value;
    }
}

// The columns of each row, without repetition. Counts alone where `columns` is NULL.
static void list_rows(const SnVoxelBody *body, int *row_start, int *columns, int *room)
{
    const SnVoxelGrid *grid = &body->grid;
    int count = 0;
    for (int v = 0; v < grid->vertex_count; ++v) {
        int in_row = 0;
        for (int i = body->vertex_start[v]; i < body->vertex_start[v + 1]; ++i) {
            const int *corners = grid->corners + body->vertex_corners[i] / 8 * 8;
            for (int c = 0; c < 8; ++c) {
                if (find_column(room, 0, in_row, corners[c]) < 0) {
                    room[in_row++] = corners[c];
                }
            }
        }
        sort_row(room, in_row);
        row_start[v] = count;
        if (columns != NULL) {
            memcpy(columns + count, room, (size_t)in_row * sizeof *room);
        }
        count += in_row;
    }
    row_start[grid->vertex_count] = count;
}

static SinewStatus make_pattern(SnVoxelBody *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnVoxelGrid *grid = &body->grid;
    SnVoxelSystem *system = &body->system;
    int *room = NULL, widest = 0;

    for (int v = 0; v < grid->vertex_count; ++v) {
        int cells = body->vertex_start[v + 1] - body->vertex_start[v];
        widest = cells > widest ? cells : widest;
    }
    SN_ALLOC(room, &body->allocator, 8 * (size_t)widest, error);
    SN_ALLOC(system->row_start, &body->allocator, (size_t)grid->vertex_count + 1, error);
    list_rows(body, system->row_start, NULL, room);
    size_t count = (size_t)system->row_start[grid->vertex_count];
    SN_ALLOC(system->columns, &body->allocator, count, error);
    SN_ALLOC(system->blocks, &body->allocator, 9 * count, error);
    SN_ALLOC(system->entries, &body->allocator, 64 * (size_t)grid->cell_count, error);
    list_rows(body, system->row_start, system->columns, room);
    for (int e = 0; e < grid->cell_count; ++e) {
        const int *corners = grid->corners + 8 * (size_t)e;
        for (int i = 0; i < 64; ++i) {
            int row = corners[i / 8];
            system->entries[64 * (size_t)e + (size_t)i] =
                find_column(system->columns, system->row_start[row], system->row_start[row + 1],
                            corners[i % 8]);
        }
    }

done:
    sn_free(&body->allocator, room);
    return status;
}

static SinewStatus make_factor(SnVoxelBody *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelSystem *system = &body->system;
    if (system->factor != NULL) {
        return SINEW_OK;
    }
    if (system->blocks == NULL || system->entries == NULL) {
        SN_TRY(make_pattern(body, error));
    }
    SnSparse pattern = {body->grid.vertex_count, 3, system->row_start, system->columns, NULL};
    SnCholeskyDef def = {.allocator = &body->allocator,
                         .kernels = body->kernels,
                         .ordering = SN_ORDERING_BEST,
                         .right_sides = 1,
                         .worker_count = sn_workers_count(body->workers),
                         .keep_double = true};
    SN_TRY(sn_cholesky_create(&def, &pattern, &system->factor, error));
    SN_TRY(sn_cholesky_work_create(system->factor, sn_workers_count(body->workers), &system->work,
                                   error));

done:
    return status;
}

// P = I - [y] J^-1 omega: how u changes with the corners when the rotation follows. And the rows
// theta = J^-1 omega.
static void find_change(const SnVoxelGrid *grid, const SnVoxelCell *cell, const SnVoxelPose *pose,
                        double P[SN_VOXEL_MATRIX], double theta[3 * SN_VOXEL_DOFS])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            theta[i * SN_VOXEL_DOFS + j] =
                pose->turn[3 * i] * cell->omega[j] +
                pose->turn[3 * i + 1] * cell->omega[SN_VOXEL_DOFS + j] +
                pose->turn[3 * i + 2] * cell->omega[2 * SN_VOXEL_DOFS + j];
        }
    }
    for (int a = 0; a < SN_VOXEL_DOFS; ++a) {
        int c = a / 3, i = a % 3, j = (i + 1) % 3, k = (i + 2) % 3;
        double yj = sn_voxel_corner(grid, c, j) + pose->u[3 * c + j];
        double yk = sn_voxel_corner(grid, c, k) + pose->u[3 * c + k];
        for (int b = 0; b < SN_VOXEL_DOFS; ++b) {
            // (theta x y)_i = theta_j y_k - theta_k y_j
            P[a * SN_VOXEL_DOFS + b] = (a == b ? 1.0 : 0.0) - theta[j * SN_VOXEL_DOFS + b] * yk +
                                       theta[k * SN_VOXEL_DOFS + b] * yj;
        }
    }
}

// Adds the second derivative by way of the rotation: g . (theta x (theta x y) - 2 theta x w), w the
// change of the corners in the cell's frame, g the gradient there.
static void add_turning(const SnVoxelGrid *grid, const SnVoxelPose *pose, const double *g,
                        const double theta[3 * SN_VOXEL_DOFS], double H[SN_VOXEL_MATRIX])
{
    double Q[9] = {0.0}, C[3 * SN_VOXEL_DOFS] = {0.0};
    for (int a = 0; a < 8; ++a) {
        double y[3], dot = 0.0;
        const double *f = g + 3 * a;
        for (int i = 0; i < 3; ++i) {
            y[i] = sn_voxel_corner(grid, a, i) + pose->u[3 * a + i];
            dot += y[i] * f[i];
        }
        for (int i = 0; i < 9; ++i) {
            Q[i] += 0.5 * (f[i / 3] * y[i % 3] + y[i / 3] * f[i % 3]) - (i % 4 == 0 ? dot : 0.0);
        }
        // g . (theta x w) = theta . (w x g)
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            C[i * SN_VOXEL_DOFS + 3 * a + j] += f[k];
            C[i * SN_VOXEL_DOFS + 3 * a + k] -= f[j];
        }
    }
    for (int a = 0; a < SN_VOXEL_DOFS; ++a) {
        for (int b = 0; b < SN_VOXEL_DOFS; ++b) {
            double sum = 0.0;
            for (int i = 0; i < 3; ++i) {
                double t = theta[i * SN_VOXEL_DOFS + a];
                for (int j = 0; j < 3; ++j) {
                    sum += t * Q[3 * i + j] * theta[j * SN_VOXEL_DOFS + b];
                }
                sum -= t * C[i * SN_VOXEL_DOFS + b] +
                       C[i * SN_VOXEL_DOFS + a] * theta[i * SN_VOXEL_DOFS + b];
            }
            H[a * SN_VOXEL_DOFS + b] += sum;
        }
    }
}

// The whole derivative of a cell's gradient, in its own frame.
static void find_tangent(const SnVoxelBody *body, int e, double H[SN_VOXEL_MATRIX])
{
    const SnVoxelCell *cell = sn_voxel_grid_cell(&body->grid, e);
    const SnVoxelPose *pose = &body->room.poses[e];
    double P[SN_VOXEL_MATRIX], KP[SN_VOXEL_MATRIX], theta[3 * SN_VOXEL_DOFS], g[SN_VOXEL_DOFS];
    find_change(&body->grid, cell, pose, P, theta);
    memset(KP, 0, sizeof KP);
    memset(g, 0, sizeof g);
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            double k = cell->stiffness[i * SN_VOXEL_DOFS + j];
            g[i] += k * pose->u[j];
            for (int c = 0; c < SN_VOXEL_DOFS; ++c) {
                KP[i * SN_VOXEL_DOFS + c] += k * P[j * SN_VOXEL_DOFS + c];
            }
        }
    }
    // The elastic gradient: P^T K u.
    double elastic[SN_VOXEL_DOFS] = {0.0};
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        for (int c = 0; c < SN_VOXEL_DOFS; ++c) {
            double p = P[i * SN_VOXEL_DOFS + c];
            elastic[c] += p * g[i];
            for (int d = 0; d < SN_VOXEL_DOFS; ++d) {
                H[c * SN_VOXEL_DOFS + d] += p * KP[i * SN_VOXEL_DOFS + d];
            }
        }
    }
    add_turning(&body->grid, pose, elastic, theta, H);
}

static void assemble(const SnVoxelProblem *problem, bool tangent)
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelSystem *system = &body->system;
    const SnVoxelPoints *points = sn_voxel_contact_points(problem);
    size_t count = (size_t)system->row_start[body->grid.vertex_count];
    memset(system->blocks, 0, 9 * count * sizeof *system->blocks);
    for (int e = 0; e < body->grid.cell_count; ++e) {
        double H[SN_VOXEL_MATRIX];
        const double *A = sn_voxel_system_values(body, e);
        if (tangent && body->room.poses[e].turns) {
            for (int i = 0; i < SN_VOXEL_MATRIX; ++i) {
                H[i] = A[i] - sn_voxel_grid_cell(&body->grid, e)->stiffness[i];
            }
            find_tangent(body, e, H);
            A = H;
        }
        for (int i = 0; i < 64; ++i) {
            sn_voxel_add_turned(
                body->room.poses[e].rotation, A + 3 * (i / 8) * SN_VOXEL_DOFS + 3 * (i % 8),
                system->blocks + 9 * (size_t)system->entries[64 * (size_t)e + (size_t)i]);
        }
    }
    for (int p = 0; points != NULL && p < points->active_count; ++p) {
        SnVoxelPointBlock block = sn_voxel_point_block(body, points, p);
        double H[SN_VOXEL_MATRIX] = {0.0};
        for (int i = 0; i < SN_VOXEL_MATRIX; ++i) {
            for (int k = 0; k < 9; ++k) {
                H[i] += block.shape[k / 3 * SN_VOXEL_DOFS + i / SN_VOXEL_DOFS] *
                        block.stiffness[k] * block.shape[k % 3 * SN_VOXEL_DOFS + i % SN_VOXEL_DOFS];
            }
        }
        for (int i = 0; i < 64; ++i) {
            size_t entry = (size_t)system->entries[64 * (size_t)block.cell + (size_t)i];
            sn_voxel_add_turned(body->room.poses[block.cell].rotation,
                                H + 3 * (i / 8) * SN_VOXEL_DOFS + 3 * (i % 8),
                                system->blocks + 9 * entry);
        }
    }
}

// Held components stay: their rows and columns are the identity's.
static void hold(const SnVoxelBody *body)
{
    const SnVoxelSystem *system = &body->system;
    for (int v = 0; v < body->grid.vertex_count; ++v) {
        for (int i = system->row_start[v]; i < system->row_start[v + 1]; ++i) {
            int rows = body->pins.set.held[v], columns = body->pins.set.held[system->columns[i]];
            for (int k = 0; k < 9 && (rows | columns) != 0; ++k) {
                if ((rows >> (k / 3) & 1) || (columns >> (k % 3) & 1)) {
                    system->blocks[9 * (size_t)i + (size_t)k] =
                        system->columns[i] == v && k % 4 == 0 ? 1.0 : 0.0;
                }
            }
        }
    }
}

SinewStatus sn_voxel_system_direct(const SnVoxelProblem *problem, bool tangent, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelBody *body = problem->body;
    SnVoxelSystem *system = &body->system;

    SN_TRY(make_factor(body, error));
    sn_voxel_system_combine(problem);
    assemble(problem, tangent);
    hold(body);
    sn_voxel_grip_stiffen(body);
    SnSparse matrix = {body->grid.vertex_count, 3, system->row_start, system->columns,
                       system->blocks};
    SN_TRY(sn_cholesky_factor(system->factor, &matrix, problem->workers, error));
    sn_voxel_fill_right(body);
    memcpy(body->room.direction, body->room.right, sn_voxel_dofs(body) * sizeof(double));
    SN_TRY(sn_cholesky_solve_double(system->factor, system->work, problem->workers,
                                    body->room.direction, error));
    SN_TRY(sn_voxel_grip_constrain(problem, error));
    problem->report->linear_solves += 1;

done:
    return status;
}

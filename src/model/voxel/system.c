// The matrix of a linearised step, put together and factored.
#include "model/voxel/system.h"

#include "math/mat3.h"
#include "model/cube_edges.h"
#include "model/voxel/grip.h"
#include "model/voxel/lost.h"
#include "model/voxel/rigid.h"
#include "model/voxel/ties.h"
#include "model/voxel/warp.h"

#include <math.h>
#include <string.h>

// Cells from which on there are coarser ones, where the choice is ours, and up to which a factor is
// tried where those do not help.
enum { LEVELS_FROM = 200, FACTORS_TO = 20000 };

// A body is slender that has at most so many cells across, and is so many times as long.
enum { SLENDER_TO = 36, SLENDER_FROM = 12 };

// Shares of the mean diagonal that make matrices of static solves definite: the first, of so many,
// each a hundred times the last.
enum { SHIFTS_MAX = 6 };
#define FIRST_SHIFT 1e-8

void sn_voxel_system_release(SnVoxelSystem *system, const SinewAllocator *allocator)
{
    sn_cholesky_work_destroy(system->work);
    sn_cholesky_destroy(system->factor);
    sn_free(allocator, system->values);
    sn_free(allocator, system->diagonals);
    sn_free(allocator, system->matrices);
    sn_free(allocator, system->numbers);
    sn_voxel_hierarchy_destroy(system->hierarchy);
    sn_free(allocator, system->tangents);
    sn_voxel_level_release(&system->level, allocator);
    sn_voxel_pattern_release(&system->pattern, allocator);
    sn_voxel_warp_release(&system->warp, allocator);
    *system = (SnVoxelSystem){0};
}

void sn_voxel_keep_matrix(const double *from, float *to)
{
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            to[(8 * (i % 3) + i / 3) * SN_VOXEL_DOFS + 8 * (j % 3) + j / 3] =
                (float)from[i * SN_VOXEL_DOFS + j];
        }
    }
}

// The most cells in a layer across the longest side.
static int widest_layer(const SnVoxelGrid *grid, int axis)
{
    int widest = 0;
    for (int layer = 0; layer < grid->size[axis] && widest <= SLENDER_TO; ++layer) {
        int cells = 0;
        for (int e = 0; e < grid->cell_count; ++e) {
            cells += grid->places[3 * (size_t)e + (size_t)axis] == layer;
        }
        widest = cells > widest ? cells : widest;
    }
    return widest;
}

// Coarser cells are too stiff for the bends of slender bodies, which have small factors.
static bool is_slender(const SnVoxelGrid *grid)
{
    int axis = grid->size[0] >= grid->size[1] ? 0 : 1;
    axis = grid->size[2] > grid->size[axis] ? 2 : axis;
    int widest = widest_layer(grid, axis), longest = grid->size[axis];
    return widest <= SLENDER_TO && longest > SLENDER_FROM * sqrt(widest);
}

static bool wants_levels(const SnVoxelBody *body)
{
    return body->options.solver == SINEW_VOXEL_MULTILEVEL ||
           (body->options.solver == SINEW_VOXEL_AUTO && body->grid.cell_count >= LEVELS_FROM &&
            !is_slender(&body->grid));
}

// The cells as a level, and floats of theirs.
static SinewStatus make_level(SnVoxelBody *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelSystem *system = &body->system;
    SnVoxelLevel *level = &system->level;
    size_t cells = (size_t)body->grid.cell_count;
    SN_ALLOC_ZERO(system->numbers, &body->allocator, (9 + 3) * cells, error);
    system->rotations = system->numbers;
    system->centers = system->rotations + 9 * cells;
    *level = (SnVoxelLevel){.kernels = body->kernels,
                            .cell_count = body->grid.cell_count,
                            .vertex_count = body->grid.vertex_count,
                            .corners = body->grid.corners,
                            .kinds = body->grid.kinds,
                            .matrices = system->matrices,
                            .rotations = system->rotations,
                            .vertex_start = body->vertex_start,
                            .vertex_corners = body->vertex_corners};
    SN_TRY(sn_voxel_level_create(level, &body->allocator, error));
    if (wants_levels(body)) {
        SN_TRY(sn_voxel_hierarchy_create(level, body->grid.places, &body->allocator,
                                         &system->hierarchy, error));
    }
    SN_ALLOC_ZERO(system->tangents, &body->allocator, cells, error);

done:
    return status;
}

SinewStatus sn_voxel_system_create(SnVoxelBody *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelSystem *system = &body->system;
    size_t kinds = (size_t)body->grid.kind_count;
    SN_ALLOC(system->values, &body->allocator, kinds * SN_VOXEL_MATRIX, error);
    SN_ALLOC(system->diagonals, &body->allocator, 9 * (size_t)body->grid.vertex_count, error);
    SN_ALLOC(system->matrices, &body->allocator, 3 * kinds * SN_VOXEL_MATRIX, error);
    SN_TRY(make_level(body, error));
    system->stiffness = system->matrices + kinds * SN_VOXEL_MATRIX;
    system->mass = system->stiffness + kinds * SN_VOXEL_MATRIX;
    for (size_t k = 0; k < kinds; ++k) {
        sn_voxel_keep_matrix(body->grid.cells[k].stiffness,
                             system->stiffness + k * SN_VOXEL_MATRIX);
        sn_voxel_keep_matrix(body->grid.cells[k].mass, system->mass + k * SN_VOXEL_MATRIX);
    }

done:
    return status;
}

// Whether points touch: the factor has their stiffness cell by cell alone.
static bool presses(const SnVoxelProblem *problem)
{
    const SnVoxelPoints *points = sn_voxel_contact_points(problem);
    return points != NULL && points->active_count > sn_voxel_ties_count(problem) &&
           problem->exact && problem->body->options.solver == SINEW_VOXEL_AUTO;
}

bool sn_voxel_system_iterates(const SnVoxelProblem *problem)
{
    const SnVoxelBody *body = problem->body;
    return body->options.solver != SINEW_VOXEL_DIRECT &&
           (problem->dynamic ||
            (body->pins.grip.count == 0 && (body->system.hierarchy != NULL || presses(problem))));
}

bool sn_voxel_system_factors(const SnVoxelProblem *problem)
{
    const SnVoxelBody *body = problem->body;
    return body->system.hierarchy == NULL || body->grid.cell_count <= FACTORS_TO;
}

static double find_share(const SnVoxelBody *body, double a_rate)
{
    double all = 0.0, mass = 0.0;
    for (int e = 0; e < body->grid.cell_count; ++e) {
        const double *A = sn_voxel_system_values(body, e);
        const double *M = sn_voxel_grid_cell(&body->grid, e)->mass;
        for (int i = 0; i < SN_VOXEL_MATRIX; i += SN_VOXEL_DOFS + 1) {
            all += A[i];
            mass += a_rate * M[i];
        }
    }
    return mass > 0.0 ? all / mass : INFINITY;
}

// The edges of a cell in place of its stiffness.
static void take_edges(const SnVoxelCell *cell, double A[SN_VOXEL_MATRIX])
{
    double k = sn_voxel_lost_stiffness(cell);
    for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
        double unit[SN_VOXEL_DOFS] = {0.0}, column[SN_VOXEL_DOFS] = {0.0};
        unit[j] = 1.0;
        sn_cube_edges_apply(k, unit, column);
        for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
            A[i * SN_VOXEL_DOFS + j] += column[i] - cell->stiffness[i * SN_VOXEL_DOFS + j];
        }
    }
}

void sn_voxel_system_combine(const SnVoxelProblem *problem)
{
    SnVoxelBody *body = problem->body;
    SnVoxelSystem *system = &body->system;
    double rates[2] = {problem->dynamic ? problem->a_rate : 0.0,
                       problem->dynamic && !problem->one_turn ? problem->v_rate : 0.0};
    if (system->made && system->one_turn == problem->one_turn &&
        memcmp(rates, system->rates, sizeof rates) == 0) {
        return;
    }
    for (int k = 0; k < body->grid.kind_count; ++k) {
        const SnVoxelCell *cell = &body->grid.cells[k];
        double *out = system->values + (size_t)k * SN_VOXEL_MATRIX;
        for (int i = 0; i < SN_VOXEL_MATRIX; ++i) {
            out[i] = cell->stiffness[i] + rates[0] * cell->mass[i] +
                     (cell->damping != NULL ? rates[1] * cell->damping[i] : 0.0);
        }
        if (problem->one_turn) {
            take_edges(cell, out);
        }
        sn_voxel_keep_matrix(out, system->matrices + (size_t)k * SN_VOXEL_MATRIX);
    }
    memcpy(system->rates, rates, sizeof rates);
    system->one_turn = problem->one_turn;
    system->made = true;
    system->means = false;
    system->stiffness_share = find_share(body, rates[0]);
    sn_voxel_rigid_weigh(body);
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

static SinewStatus make_factor(SnVoxelBody *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelSystem *system = &body->system;
    if (system->factor != NULL) {
        return SINEW_OK;
    }
    if (system->pattern.blocks == NULL) {
        SN_TRY(sn_voxel_pattern_create(&system->level, &body->allocator, &system->pattern, error));
    }
    SnSparse pattern = {body->grid.vertex_count, 3, system->pattern.row_start,
                        system->pattern.columns, NULL};
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

// Adds what the rotation of a cell does to its matrix, see tangent.c.
static void add_tangent(const SnVoxelProblem *problem, int e, double H[SN_VOXEL_MATRIX])
{
    double T[3 * SN_VOXEL_DOFS], E[3 * SN_VOXEL_DOFS];
    if (!sn_voxel_tangent_find(problem, e, T, E)) {
        return;
    }
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            double sum = 0.0;
            for (int k = 0; k < 3 * SN_VOXEL_DOFS; k += SN_VOXEL_DOFS) {
                sum += T[k + i] * E[k + j] + E[k + i] * T[k + j];
            }
            H[i * SN_VOXEL_DOFS + j] += sum;
        }
    }
}

// Inertia as cells were turned at the start of the step, for one that has rotated far.
static void turn_inertia(const SnVoxelProblem *problem, int e, double H[SN_VOXEL_MATRIX])
{
    const SnVoxelBody *body = problem->body;
    double Q[9], W[SN_VOXEL_MATRIX];
    sn_mat3_transpose_multiply(body->room.poses[e].rotation, body->state.rotations + 9 * (size_t)e,
                               Q);
    for (int n = 0; n < SN_VOXEL_MATRIX; ++n) {
        W[n] = sn_voxel_tangent_inertia(problem, e, n);
        H[n] -= W[n];
    }
    for (int n = 0; n < 64; ++n) {
        int at = 3 * (n / 8) * SN_VOXEL_DOFS + 3 * (n % 8);
        double block[9] = {0.0};
        sn_voxel_add_turned(Q, W + at, block);
        for (int k = 0; k < 9; ++k) {
            H[at + k / 3 * SN_VOXEL_DOFS + k % 3] += block[k];
        }
    }
}

typedef struct Adding {
    const SnVoxelBody *body;
    const SnVoxelPoints *points;
} Adding;

// Adds a tie, on one of its cells, of which the factor has a share alone.
static void add_tie(void *context, const SnVoxelPointBlock *block)
{
    const Adding *job = context;
    const SnVoxelBody *body = job->body;
    const SnVoxelPattern *pattern = &body->system.pattern;
    double H[SN_VOXEL_MATRIX];
    double share = sn_voxel_ties_share(body, job->points->forces[block->point].stiffness);
    sn_voxel_point_matrix(block, H);
    for (int i = 0; i < SN_VOXEL_MATRIX; ++i) {
        H[i] *= share;
    }
    for (int i = 0; i < 64; ++i) {
        size_t entry = (size_t)pattern->entries[64 * (size_t)block->cell + (size_t)i];
        sn_voxel_add_turned(body->room.poses[block->cell].rotation,
                            H + 3 * (i / 8) * SN_VOXEL_DOFS + 3 * (i % 8),
                            pattern->blocks + 9 * entry);
    }
}

// Adds points in contact, summed by cell.
static void add_touch(const SnVoxelPattern *pattern, const SnVoxelTouch *touch)
{
    for (int b = 0; b < touch->block_count; ++b) {
        const float *block = touch->blocks + SN_VOXEL_ENTRIES * (size_t)b;
        const int *entries = pattern->entries + 64 * (size_t)touch->block_cells[b];
        for (int n = 0; n < 64 * 9; ++n) {
            int row = 8 * (n % 9 / 3) + n / 9 / 8, column = 8 * (n % 3) + n / 9 % 8;
            pattern->blocks[9 * (size_t)entries[n / 9] + (size_t)(n % 9)] +=
                (double)block[row * SN_VOXEL_NUMBERS + column];
        }
    }
}

static void assemble(const SnVoxelProblem *problem, bool tangent, int ties)
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelSystem *system = &body->system;
    const SnVoxelPoints *points = sn_voxel_contact_points(problem);
    size_t count = (size_t)system->pattern.row_start[body->grid.vertex_count];
    memset(system->pattern.blocks, 0, 9 * count * sizeof *system->pattern.blocks);
    if (tangent) {
        sn_voxel_tangent_begin(problem);
    }
    for (int e = 0; e < body->grid.cell_count; ++e) {
        double A[SN_VOXEL_MATRIX];
        memcpy(A, sn_voxel_system_values(body, e), sizeof A);
        if (tangent) {
            add_tangent(problem, e, A);
        }
        if (tangent && sn_voxel_tangent_is_far(problem, e)) {
            turn_inertia(problem, e, A);
        }
        for (int i = 0; i < 64; ++i) {
            sn_voxel_add_turned(
                body->room.poses[e].rotation, A + 3 * (i / 8) * SN_VOXEL_DOFS + 3 * (i % 8),
                system->pattern.blocks +
                    9 * (size_t)system->pattern.entries[64 * (size_t)e + (size_t)i]);
        }
    }
    if (points != NULL) {
        Adding job = {body, points};
        add_touch(&system->pattern, &points->touch);
        for (int p = 0; p < ties; ++p) {
            sn_voxel_touch_visit(body, points, p, add_tie, &job);
        }
    }
}

// Held components stay: their rows and columns are the identity's.
static void hold(const SnVoxelBody *body)
{
    const SnVoxelSystem *system = &body->system;
    for (int v = 0; v < body->grid.vertex_count; ++v) {
        for (int i = system->pattern.row_start[v]; i < system->pattern.row_start[v + 1]; ++i) {
            int rows = body->pins.set.held[v],
                columns = body->pins.set.held[system->pattern.columns[i]];
            for (int k = 0; k < 9 && (rows | columns) != 0; ++k) {
                if ((rows >> (k / 3) & 1) || (columns >> (k % 3) & 1)) {
                    system->pattern.blocks[9 * (size_t)i + (size_t)k] =
                        system->pattern.columns[i] == v && k % 4 == 0 ? 1.0 : 0.0;
                }
            }
        }
    }
}

// Adds a share of the mean diagonal to all of it but held components.
static void shift(const SnVoxelBody *body, double share)
{
    const SnVoxelPattern *pattern = &body->system.pattern;
    int vertices = body->grid.vertex_count;
    double mean = 0.0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int v = 0; v < vertices; ++v) {
            int i = pattern->row_start[v];
            while (pattern->columns[i] != v) {
                ++i;
            }
            for (int k = 0; k < 3 && !(body->pins.set.held[v] >> k & 1); ++k) {
                double *at = &pattern->blocks[9 * (size_t)i + 4 * (size_t)k];
                mean += pass == 0 ? fabs(*at) / (3.0 * vertices) : 0.0;
                *at += pass == 1 ? share * mean : 0.0;
            }
        }
    }
}

// Factors what was assembled. What contact alone holds may slide or turn, and is short of definite
// by rounding: a small share of the diagonal holds it, and directions hardly feel that. What is not
// definite by more, of the definite part of the matrix, gets more.
static SinewStatus factor(const SnVoxelProblem *problem, bool tangent, SinewError *error)
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelSystem *system = &body->system;
    SnSparse matrix = {body->grid.vertex_count, 3, system->pattern.row_start,
                       system->pattern.columns, system->pattern.blocks};
    double share = FIRST_SHIFT;
    if (!problem->dynamic && body->pins.loose >= 0) {
        shift(body, share);
    }
    SinewStatus status = sn_cholesky_factor(system->factor, &matrix, problem->workers, error);
    for (int i = 0;
         i < (tangent ? 1 : SHIFTS_MAX) && !problem->dynamic && status == SINEW_ERROR_NOT_DEFINITE;
         ++i) {
        shift(body, share);
        share *= 100.0;
        status = sn_cholesky_factor(system->factor, &matrix, problem->workers, error);
    }
    return status;
}

// Springs that solves by the factor know besides: points that pins hold go by the factor alone.
static int count_ties(const SnVoxelProblem *problem)
{
    return problem->body->pins.grip.count == 0 ? sn_voxel_ties_count(problem) : 0;
}

SinewStatus sn_voxel_system_factor(const SnVoxelProblem *problem, bool tangent, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelBody *body = problem->body;
    SnVoxelSystem *system = &body->system;
    // The model made these points, and their room is its own.
    SnVoxelPoints *points = (SnVoxelPoints *)(uintptr_t)sn_voxel_contact_points(problem);
    int ties = count_ties(problem);

    system->factored = false;
    SN_TRY(make_factor(body, error));
    sn_voxel_system_combine(problem);
    if (points != NULL) {
        sn_voxel_touch_make(body, ties, points);
    }
    assemble(problem, tangent, ties);
    hold(body);
    sn_voxel_grip_stiffen(body);
    SN_TRY(factor(problem, tangent, error));
    if (ties > 0) {
        SN_TRY(sn_voxel_ties_factor(problem, ties, sn_voxel_contact_points(problem), error));
    }
    SN_TRY(sn_voxel_grip_factor(problem, error));

done:
    return status;
}

static SinewStatus solve(const SnVoxelProblem *problem, double *x, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnVoxelSystem *system = &problem->body->system;
    int ties = count_ties(problem);
    if (ties > 0) {
        const SnVoxelPoints *points = sn_voxel_contact_points(problem);
        return sn_voxel_ties_solve(problem, ties, points, x, error);
    }
    SN_TRY(sn_cholesky_solve_double(system->factor, system->work, problem->workers, x, error));
    sn_voxel_grip_constrain(problem, x);

done:
    return status;
}

void sn_voxel_system_precondition(const SnVoxelProblem *problem, double *x)
{
    solve(problem, x, NULL);
}

SinewStatus sn_voxel_system_solve(const SnVoxelProblem *problem, double *x, SinewError *error)
{
    problem->report->linear_solves += 1;
    return solve(problem, x, error);
}

SinewStatus sn_voxel_system_direct(const SnVoxelProblem *problem, bool tangent, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnVoxelBody *body = problem->body;
    SN_TRY(sn_voxel_system_factor(problem, tangent, error));
    sn_voxel_fill_right(body);
    memcpy(body->room.direction, body->room.right, sn_voxel_dofs(body) * sizeof(double));
    SN_TRY(sn_voxel_system_solve(problem, body->room.direction, error));

done:
    return status;
}

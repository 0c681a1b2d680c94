// Conjugate gradients in float on the matrix of a linearised step, cell by cell: see level.h.
#include "model/voxel/system.h"

#include "model/voxel/grip.h"
#include "model/voxel/rigid.h"
#include "model/voxel/small.h"
#include "model/voxel/ties.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CELL_GRAIN = 256, VERTEX_GRAIN = 1024 };

// The matrix -------------------------------------------------------------------------------------

// The inverse of the diagonal's block of a vertex, over its free components.
static void invert_block(const SnVoxelBody *body, int vertex, double B[9])
{
    double inverse[9];
    for (int k = 0; k < 3; ++k) {
        for (int j = 0; j < 3 && (body->pins.set.held[vertex] >> k & 1); ++j) {
            B[3 * k + j] = B[3 * j + k] = j == k ? 1.0 : 0.0;
        }
    }
    bool done = sn_small_invert3(B, 0.0, inverse) && isfinite(inverse[0] + inverse[4] + inverse[8]);
    for (int i = 0; i < 9; ++i) {
        B[i] = done ? inverse[i] : (i % 4 == 0 ? 1.0 : 0.0);
    }
}

static void keep_block(const SnVoxelBody *body, int vertex, const double B[9])
{
    float *inverse = body->system.level.inverse + SN_VOXEL_INVERSE * (size_t)vertex;
    for (int i = 0; i < 9; ++i) {
        inverse[4 * (i % 3) + i / 3] = (float)B[i];
    }
}

// The mean of each block's diagonal, which no rotation changes: good enough for a counted number of
// iterations, and cheap.
static void mean_range(void *context, int begin, int end, int worker)
{
    const SnVoxelBody *body = context;
    (void)worker;
    for (int v = begin; v < end; ++v) {
        double *B = body->system.diagonals + 9 * (size_t)v;
        double sum = 0.0;
        for (int i = body->vertex_start[v]; i < body->vertex_start[v + 1]; ++i) {
            int cell = body->vertex_corners[i] / 8, corner = body->vertex_corners[i] % 8;
            const double *block =
                sn_voxel_system_values(body, cell) + 3 * corner * (SN_VOXEL_DOFS + 1);
            sum += block[0] + block[SN_VOXEL_DOFS + 1] + block[2 * (SN_VOXEL_DOFS + 1)];
        }
        for (int i = 0; i < 9; ++i) {
            B[i] = i % 4 == 0 ? sum / 3.0 : 0.0;
        }
    }
}

static void diagonal_range(void *context, int begin, int end, int worker)
{
    const SnVoxelBody *body = context;
    (void)worker;
    for (int v = begin; v < end; ++v) {
        double *B = body->system.diagonals + 9 * (size_t)v;
        memset(B, 0, 9 * sizeof *B);
        for (int i = body->vertex_start[v]; i < body->vertex_start[v + 1]; ++i) {
            int cell = body->vertex_corners[i] / 8, corner = body->vertex_corners[i] % 8;
            sn_voxel_add_turned(
                body->room.poses[cell].rotation,
                sn_voxel_system_values(body, cell) + 3 * corner * (SN_VOXEL_DOFS + 1), B);
        }
    }
}

static void invert_range(void *context, int begin, int end, int worker)
{
    const SnVoxelBody *body = context;
    (void)worker;
    for (int v = begin; v < end; ++v) {
        double *B = body->system.diagonals + 9 * (size_t)v;
        invert_block(body, v, B);
        keep_block(body, v, B);
    }
}

// Points that blocks of vertices have: those from the first on.
typedef struct Adding {
    const SnVoxelBody *body;
    int first;
} Adding;

// Adds the blocks of the corners of a cell that feel a contact.
static void add_block(void *context, const SnVoxelPointBlock *block)
{
    const Adding *job = context;
    const SnVoxelBody *body = job->body;
    if (block->point < job->first) {
        return;
    }
    for (int c = 0; c < 8; ++c) {
        int vertex = body->grid.corners[8 * (size_t)block->cell + (size_t)c];
        double part[3 * SN_VOXEL_DOFS];
        for (int i = 0; i < 9; ++i) {
            double sum = 0.0;
            for (int k = 0; k < 9; ++k) {
                sum += block->shape[k / 3 * SN_VOXEL_DOFS + 3 * c + i / 3] * block->stiffness[k] *
                       block->shape[k % 3 * SN_VOXEL_DOFS + 3 * c + i % 3];
            }
            part[i / 3 * SN_VOXEL_DOFS + i % 3] = sum;
        }
        sn_voxel_add_turned(body->room.poses[block->cell].rotation, part,
                            body->system.diagonals + 9 * (size_t)vertex);
    }
}

void sn_voxel_system_make(const SnVoxelProblem *problem)
{
    SnVoxelBody *body = problem->body;
    // The model made these points, and their room is its own.
    SnVoxelPoints *points = (SnVoxelPoints *)(uintptr_t)sn_voxel_contact_points(problem);
    bool touches = points != NULL && points->active_count > 0;
    int vertices = body->grid.vertex_count;
    sn_voxel_system_combine(problem);
    Adding adding = {body, sn_voxel_ties_count(problem)};
    for (int e = 0; e < body->grid.cell_count && !problem->counted; ++e) {
        for (int i = 0; i < 9; ++i) {
            body->system.rotations[9 * (size_t)e + (size_t)i] =
                (float)body->room.poses[e].rotation[i];
        }
    }
    if (!problem->counted || !body->system.means || touches) {
        sn_parallel_for(problem->workers, vertices, VERTEX_GRAIN,
                        problem->counted ? mean_range : diagonal_range, body);
        if (touches) {
            sn_voxel_touch_prepare(points, &points->touch);
            sn_voxel_touch_visit(body, points, add_block, &adding);
        }
        sn_parallel_for(problem->workers, vertices, VERTEX_GRAIN, invert_range, body);
        if (touches) {
            sn_voxel_ties_make(problem, adding.first, points);
        }
    }
    body->system.means = problem->counted && !touches;
}

// Products ---------------------------------------------------------------------------------------

static void correct(void *context, const SnVoxelLevel *level)
{
    sn_voxel_ties_correct(&sn_voxel_contact_points(context)->ties, level->z);
}

// The matrix as an operator on the vectors of a level, which is the body's own or has others of its
// vectors.
static SnVoxelOperator make_operator(const SnVoxelProblem *problem, const SnVoxelLevel *level)
{
    const SnVoxelPoints *points = sn_voxel_contact_points(problem);
    bool touches = points != NULL && points->active_count > 0;
    return (SnVoxelOperator){.level = level,
                             .apply = touches ? sn_voxel_touch_apply : NULL,
                             .add = touches ? sn_voxel_touch_add : NULL,
                             .correct = touches && points->ties.count > 0 ? correct : NULL,
                             .context = (void *)(uintptr_t)problem};
}

// Held components stay where they are, as in [E]'s filter.
static void set_free(const SnVoxelBody *body, bool all)
{
    float *free = body->system.level.free;
    for (size_t v = 0; v < (size_t)body->grid.vertex_count; ++v) {
        for (size_t k = 0; k < 3; ++k) {
            free[4 * v + k] = all || !sn_voxel_holds(body, 3 * v + k) ? 1.0f : 0.0f;
        }
    }
}

void sn_voxel_system_apply(const SnVoxelProblem *problem, const double *x, double *y)
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelLevel *level = &body->system.level;
    for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
        level->p[i / 3 * 4 + i % 3] = (float)x[i];
    }
    set_free(body, true);
    SnVoxelOperator all = make_operator(problem, level);
    sn_voxel_operator_apply(&all, problem->workers);
    for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
        y[i] = (double)level->q[i / 3 * 4 + i % 3];
    }
}

// Conjugate gradients ----------------------------------------------------------------------------

// The right-hand side in units of its largest number, for which floats always have room.
static double begin(const SnVoxelBody *body)
{
    const SnVoxelLevel *level = &body->system.level;
    size_t count = sn_voxel_dofs(body), vertices = (size_t)body->grid.vertex_count;
    double largest = 0.0;
    sn_voxel_fill_right(body);
    for (size_t i = 0; i < count; ++i) {
        double size = fabs(body->room.right[i]);
        largest = size > largest ? size : largest;
    }
    double scale = largest > DBL_MIN ? 1.0 / largest : 0.0;
    memset(level->x, 0, 4 * vertices * sizeof *level->x);
    memset(level->p, 0, 4 * vertices * sizeof *level->p);
    memset(level->q, 0, 4 * vertices * sizeof *level->q);
    for (size_t v = 0; v < vertices; ++v) {
        for (size_t k = 0; k < 3; ++k) {
            level->r[4 * v + k] = (float)(scale * body->room.right[3 * v + k]);
        }
    }
    return largest;
}

// A first iteration along the rigid motion that balances forces and torques, which others would
// only find after many where a body is stiff. Answers how many it took: none where there is nothing
// to balance.
static int begin_rigid(const SnVoxelProblem *problem, const SnVoxelOperator *matrix, double sums[2])
{
    const SnVoxelLevel *level = matrix->level;
    double alpha = 0.0;
    bool moves = false;
    if (sn_voxel_rigid_exists(problem)) {
        sn_voxel_rigid_stiffen(problem);
        moves = sn_voxel_rigid_balance(problem, level->r, level->p);
    }
    if (moves) {
        double pr = sn_voxel_level_dot(level, problem->workers, level->r, level->p);
        double pq = sn_voxel_operator_apply(matrix, problem->workers);
        alpha = pr > 0.0 && pq > 0.0 && isfinite(pr / pq) ? pr / pq : 0.0;
    }
    sn_voxel_operator_advance(matrix, problem->workers, alpha, sums);
    return moves ? 1 : 0;
}

// x of the level, by Jacobi's preconditioner. Answers the square of the residual that is left.
// What points that pins hold do not allow is taken out of z and q, which changes no sum.
static double iterate_plain(const SnVoxelProblem *problem, const SnVoxelOperator *matrix,
                            double goal, int max_iterations, int *out_iterations)
{
    const SnVoxelBody *body = problem->body;
    SnWorkers *workers = problem->workers;
    const SnVoxelLevel *level = matrix->level;
    double sums[2], last_rz = 0.0;
    int first = begin_rigid(problem, matrix, sums), i = first;
    sn_voxel_grip_filter_float(body, level->z);
    for (; i < max_iterations && sums[1] > goal; ++i) {
        double rz = sums[0];
        sn_voxel_level_follow(level, workers, 1.0, i > first ? rz / last_rz : 0.0);
        double pq = sn_voxel_operator_apply(matrix, workers);
        sn_voxel_grip_filter_float(body, level->q);
        if (!(pq > 0.0) || !isfinite(rz / pq)) {
            break;
        }
        sn_voxel_operator_advance(matrix, workers, rz / pq, sums);
        sn_voxel_grip_filter_float(body, level->z);
        last_rz = rz;
    }
    if (matrix->apply == NULL && sn_voxel_rigid_exists(problem)) {
        sn_voxel_rigid_shift(problem, level->x);
    }
    *out_iterations = i;
    return sums[1];
}

// The same for the matrix `whole`, by a cycle over coarser cells for `matrix`. The cycle has the
// level's vectors, conjugate gradients those of the hierarchy, and both the level's q. Where
// `whole` is not positive they end with what they have.
static double iterate_cycles(const SnVoxelOperator *matrix, const SnVoxelOperator *whole,
                             const SnVoxelHierarchy *h, SnWorkers *workers, double goal,
                             int max_iterations, int *out_iterations)
{
    const SnVoxelLevel *level = matrix->level;
    SnVoxelLevel outer = *level;
    SnVoxelOperator on_outer = *whole;
    size_t size = 4 * (size_t)level->vertex_count * sizeof(float);
    double sums[2], last_rz = 0.0;
    int i = 0;
    on_outer.level = &outer;
    outer.x = h->x;
    outer.r = h->r;
    outer.p = h->p;
    memcpy(h->r, level->r, size);
    memset(h->x, 0, size);
    memset(h->p, 0, size);
    sn_voxel_level_advance(&outer, workers, 0.0, sums);
    for (; i < max_iterations && sums[1] > goal; ++i) {
        memcpy(level->r, h->r, size);
        sn_voxel_hierarchy_cycle(h, matrix, workers);
        double rz = sn_voxel_level_dot(level, workers, h->r, level->x);
        outer.z = level->x;
        sn_voxel_level_follow(&outer, workers, 1.0, i > 0 ? rz / last_rz : 0.0);
        outer.z = level->z;
        double pq = sn_voxel_operator_apply(&on_outer, workers);
        if (!(pq > 0.0) || !(rz > 0.0) || !isfinite(rz / pq)) {
            break;
        }
        sn_voxel_level_advance(&outer, workers, rz / pq, sums);
        last_rz = rz;
    }
    memcpy(level->x, h->x, size);
    *out_iterations = i;
    return sums[1];
}

// Below this share of stiffness plain iterations are so few that levels are not worth making.
#define LEAST_SHARE 50.0

// Whether coarser cells help, and are there.
static bool takes_levels(const SnVoxelProblem *problem)
{
    const SnVoxelSystem *system = &problem->body->system;
    // A cycle knows nothing of points that are held.
    return system->hierarchy != NULL && !problem->counted && problem->body->pins.grip.count == 0 &&
           (problem->body->options.solver == SINEW_VOXEL_MULTILEVEL ||
            system->stiffness_share > LEAST_SHARE);
}

// Coarser matrices for the matrix. In a step those of its first linearisation do for all, unless
// something touches: cells turn little, but what coarser cells do not know of they would undo. A
// solve never goes by those of another step, so that a run can be taken up anywhere.
static bool make_levels(const SnVoxelProblem *problem, const SnVoxelOperator *matrix)
{
    SnVoxelSystem *system = &problem->body->system;
    if (!takes_levels(problem)) {
        return false;
    }
    if (!system->leveled) {
        SinewStatus status =
            sn_voxel_hierarchy_make(system->hierarchy, matrix, problem->workers, NULL);
        system->leveled = status >= 0 && problem->dynamic && matrix->apply == NULL;
        return status >= 0;
    }
    return true;
}

// Static solves know how rotations follow, or would need many linearisations where a slender body
// bends; but for where that matrix is not positive from the start.
static double solve_levels(const SnVoxelProblem *problem, const SnVoxelOperator *matrix,
                           double goal, int max_iterations, int *out_iterations)
{
    const SnVoxelHierarchy *h = problem->body->system.hierarchy;
    SnVoxelOperator whole = *matrix;
    if (!problem->dynamic && problem->exact) {
        whole.cells = sn_voxel_tangent_apply;
        sn_voxel_tangent_prepare(problem);
        double left = iterate_cycles(matrix, &whole, h, problem->workers, goal, max_iterations,
                                     out_iterations);
        if (*out_iterations > 0) {
            return left;
        }
        begin(problem->body);
    }
    return iterate_cycles(matrix, matrix, h, problem->workers, goal, max_iterations,
                          out_iterations);
}

double sn_voxel_system_iterate(const SnVoxelProblem *problem, double tolerance, int max_iterations)
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelLevel *level = &body->system.level;
    SnVoxelOperator matrix = make_operator(problem, level);
    double scale, left;
    int iterations;
    set_free(body, false);
    bool by_levels = make_levels(problem, &matrix);
    scale = begin(body);
    double first = sn_voxel_level_dot(level, problem->workers, level->r, level->r);
    double goal = tolerance * tolerance * first;
    if (by_levels) {
        left = solve_levels(problem, &matrix, goal, max_iterations, &iterations);
    } else {
        left = iterate_plain(problem, &matrix, goal, max_iterations, &iterations);
    }
    for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
        body->room.direction[i] = scale * (double)level->x[i / 3 * 4 + i % 3];
    }
    problem->report->linear_solves += iterations;
    return first > 0.0 ? sqrt(left / first) : 0.0;
}

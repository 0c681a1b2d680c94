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

// Adds the blocks of the corners of the cells that feel a contact.
static void add_touch(const SnVoxelBody *body, const SnVoxelTouch *touch)
{
    for (int b = 0; b < touch->block_count; ++b) {
        const float *block = touch->blocks + SN_VOXEL_ENTRIES * (size_t)b;
        for (int n = 0; n < 8 * 9; ++n) {
            int c = n / 9, i = n % 9 / 3, j = n % 3;
            int vertex = body->grid.corners[8 * (size_t)touch->block_cells[b] + (size_t)c];
            body->system.diagonals[9 * (size_t)vertex + (size_t)(n % 9)] +=
                (double)block[(8 * i + c) * SN_VOXEL_NUMBERS + 8 * j + c];
        }
    }
}

// Whether directions know how cells rotate.
static bool takes_tangent(const SnVoxelProblem *problem)
{
    return problem->exact && !problem->far && !problem->counted && !problem->one_turn &&
           !problem->body->linear && sn_voxel_system_iterates(problem);
}

void sn_voxel_system_make(const SnVoxelProblem *problem)
{
    SnVoxelBody *body = problem->body;
    // The model made these points, and their room is its own.
    SnVoxelPoints *points = (SnVoxelPoints *)(uintptr_t)sn_voxel_contact_points(problem);
    bool touches = points != NULL && points->active_count > 0;
    int vertices = body->grid.vertex_count, ties = sn_voxel_ties_count(problem);
    sn_voxel_system_combine(problem);
    for (int e = 0; e < body->grid.cell_count && !problem->counted; ++e) {
        for (int i = 0; i < 9; ++i) {
            body->system.rotations[9 * (size_t)e + (size_t)i] =
                (float)body->room.poses[e].rotation[i];
        }
    }
    if (takes_tangent(problem)) {
        sn_voxel_tangent_prepare(problem);
    }
    if (points != NULL && sn_voxel_touch_make(body, ties, points)) {
        body->system.leveled = body->system.factored = false;
    }
    if (touches) {
        sn_voxel_touch_prepare(problem, points);
    }
    if (sn_voxel_system_preconditions(problem)) {
        return; // the factor is made where it is used
    }
    if (!problem->counted || !body->system.means || touches) {
        sn_parallel_for(problem->workers, vertices, VERTEX_GRAIN,
                        problem->counted ? mean_range : diagonal_range, body);
        if (touches) {
            add_touch(body, &points->touch);
        }
        sn_parallel_for(problem->workers, vertices, VERTEX_GRAIN, invert_range, body);
        if (touches) {
            sn_voxel_ties_make(problem, ties, points);
        }
    }
    body->system.means = problem->counted && !touches;
}

// Products ---------------------------------------------------------------------------------------

static void correct(void *context, const SnVoxelLevel *level)
{
    sn_voxel_ties_correct(&sn_voxel_contact_points(context)->ties, level->z);
}

static void apply_blocks(void *context, const SnVoxelLevel *level)
{
    const SnVoxelPoints *points = sn_voxel_contact_points(context);
    sn_voxel_touch_apply_blocks(&points->touch, level);
    sn_voxel_ties_apply(&points->ties, level);
}

static void add_blocks(void *context, SnVoxelHierarchy *hierarchy)
{
    const SnVoxelProblem *problem = context;
    sn_voxel_touch_add(problem->body, sn_voxel_ties_count(problem),
                       sn_voxel_contact_points(problem), hierarchy);
}

static bool touches(const SnVoxelProblem *problem)
{
    const SnVoxelPoints *points = sn_voxel_contact_points(problem);
    return points != NULL && (points->active_count > 0 || points->touch.block_count > 0);
}

// The matrix as an operator on the vectors of a level, which is the body's own or has others of its
// vectors: with all of the derivative of the forces, or with rotations as they are.
static SnVoxelOperator make_operator(const SnVoxelProblem *problem, const SnVoxelLevel *level,
                                     bool whole)
{
    const SnVoxelPoints *points = sn_voxel_contact_points(problem);
    return (SnVoxelOperator){.level = level,
                             .cells =
                                 whole && takes_tangent(problem) ? sn_voxel_tangent_apply : NULL,
                             .apply = touches(problem) ? sn_voxel_touch_apply : NULL,
                             .correct = touches(problem) && points->ties.count > 0 ? correct : NULL,
                             .context = (void *)(uintptr_t)problem};
}

// What stands in for it in preconditioners: contact goes cell by cell.
static SnVoxelOperator make_near(const SnVoxelProblem *problem, const SnVoxelLevel *level)
{
    SnVoxelOperator near = make_operator(problem, level, false);
    near.apply = touches(problem) ? apply_blocks : NULL;
    near.add = touches(problem) ? add_blocks : NULL;
    return near;
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
    SnVoxelOperator all = make_operator(problem, level, false);
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

// Preconditioners: outer->z = about A^-1 outer->r.
typedef struct Preconditioner {
    void (*apply)(const struct Preconditioner *self, SnVoxelLevel *outer);
    const SnVoxelProblem *problem;
    SnVoxelOperator near; // of cycles
    bool is_exact;        // the factor is that of the matrix, with ties and without contact
} Preconditioner;

// A cycle over coarser cells has the level's vectors.
static void apply_cycle(const Preconditioner *self, SnVoxelLevel *outer)
{
    const SnVoxelLevel *level = self->near.level;
    memcpy(level->r, outer->r, 4 * (size_t)level->vertex_count * sizeof *level->r);
    sn_voxel_hierarchy_cycle(self->problem->body->system.hierarchy, &self->near,
                             self->problem->workers);
    outer->z = level->x;
}

static void apply_factor(const Preconditioner *self, SnVoxelLevel *outer)
{
    const SnVoxelBody *body = self->problem->body;
    double *x = body->room.direction;
    for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
        x[i] = (double)outer->r[i / 3 * 4 + i % 3];
    }
    // Cannot fail: there are values.
    sn_voxel_system_precondition(self->problem, x);
    for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
        outer->z[i / 3 * 4 + i % 3] = (float)x[i] * outer->free[i / 3 * 4 + i % 3];
    }
}

// x of `outer` from its r. Where the matrix is not positive they end with what they have. Answers
// the square of the residual that is left.
static double iterate_by(const Preconditioner *by, const SnVoxelOperator *matrix,
                         SnVoxelLevel *outer, double goal, int max_iterations, int *out_iterations)
{
    SnWorkers *workers = by->problem->workers;
    SnVoxelOperator on_outer = *matrix;
    size_t size = 4 * (size_t)outer->vertex_count * sizeof(float);
    double sums[2] = {0.0, sn_voxel_level_dot(outer, workers, outer->r, outer->r)}, last_rz = 0.0;
    float *z = outer->z;
    int i = 0;
    on_outer.level = outer;
    memset(outer->x, 0, size);
    memset(outer->p, 0, size);
    for (; i < max_iterations && sums[1] > goal; ++i) {
        by->apply(by, outer);
        double rz = sn_voxel_level_dot(outer, workers, outer->r, outer->z);
        sn_voxel_level_follow(outer, workers, 1.0, i > 0 ? rz / last_rz : 0.0);
        outer->z = z;
        double pq = sn_voxel_operator_apply(&on_outer, workers);
        if (!(pq > 0.0) || !(rz > 0.0) || !isfinite(rz / pq)) {
            break;
        }
        sn_voxel_level_advance(outer, workers, rz / pq, sums);
        last_rz = rz;
    }
    *out_iterations = i;
    return sums[1];
}

// Below this share of stiffness plain iterations are so few that levels are not worth making.
#define LEAST_SHARE 50.0
#define FACTOR_SHARE 2.0

// Whether coarser cells help, and are there.
static bool takes_levels(const SnVoxelProblem *problem)
{
    const SnVoxelSystem *system = &problem->body->system;
    // A cycle knows nothing of points that are held.
    return system->hierarchy != NULL && !problem->counted && problem->body->pins.grip.count == 0 &&
           (problem->body->options.solver == SINEW_VOXEL_MULTILEVEL ||
            system->stiffness_share > LEAST_SHARE);
}

bool sn_voxel_system_preconditions(const SnVoxelProblem *problem)
{
    const SnVoxelSystem *system = &problem->body->system;
    return system->hierarchy == NULL && problem->exact && !problem->counted &&
           problem->body->options.solver == SINEW_VOXEL_AUTO &&
           problem->body->pins.grip.count == 0 && system->stiffness_share > FACTOR_SHARE;
}

// Iterations by which a factor has become too old.
enum { FACTOR_ITERATIONS = 12 };

// Coarser matrices, or a factor, for the matrix. In a step those of its first linearisation do for
// all, unless contact changes: cells turn little, but what coarser cells do not know of they would
// undo. A solve never goes by those of another step, so that a run can be taken up anywhere.
static bool make_preconditioner(const SnVoxelProblem *problem, Preconditioner *by)
{
    SnVoxelSystem *system = &problem->body->system;
    SinewStatus status = SINEW_OK;
    if (takes_levels(problem)) {
        by->apply = apply_cycle;
        if (!system->leveled) {
            status = sn_voxel_hierarchy_make(system->hierarchy, &by->near, problem->workers, NULL);
            system->leveled = status >= 0 && problem->dynamic;
        }
        return status >= 0;
    }
    if (sn_voxel_system_preconditions(problem)) {
        const SnVoxelPoints *points = sn_voxel_contact_points(problem);
        bool presses = points != NULL && points->touch.block_count > 0;
        by->apply = apply_factor;
        // Without contact a factor is as good as the matrix, and leaves nothing to iterations.
        if (!system->factored || !presses) {
            status = sn_voxel_system_factor(problem, !problem->far, NULL);
            by->is_exact = status >= 0 && !presses;
            if (status < 0) {
                status = sn_voxel_system_factor(problem, false, NULL);
                problem->report->projected += 1;
            }
            system->factored = status >= 0;
        }
        return status >= 0;
    }
    return false;
}

// By the whole derivative, or directions need many linearisations where a body bends and contact
// presses; but for where that is not positive from the start.
static double solve_by(const Preconditioner *by, double goal, int max_iterations,
                       int *out_iterations)
{
    const SnVoxelProblem *problem = by->problem;
    SnVoxelSystem *system = &problem->body->system;
    const SnVoxelHierarchy *h = system->hierarchy;
    size_t size = 4 * (size_t)system->level.vertex_count * sizeof(float);
    SnVoxelLevel outer = system->level;
    if (h != NULL) {
        outer.x = h->x;
        outer.r = h->r;
        outer.p = h->p;
    }
    double left = 0.0;
    *out_iterations = 0;
    for (int pass = takes_tangent(problem) ? 0 : 1; pass < 2 && *out_iterations == 0; ++pass) {
        SnVoxelOperator matrix = make_operator(problem, &outer, pass == 0);
        memcpy(outer.r, system->level.r, size);
        left = iterate_by(by, &matrix, &outer, goal, max_iterations, out_iterations);
        if (*out_iterations == 0 && pass == 0) {
            begin(problem->body);
        }
    }
    memcpy(system->level.x, outer.x, size);
    system->factored = system->factored && *out_iterations <= FACTOR_ITERATIONS;
    return left;
}

// The same by the blocks of vertices.
static double solve_plain(const SnVoxelProblem *problem, double goal, int max_iterations,
                          int *out_iterations)
{
    double left = 0.0;
    *out_iterations = 0;
    for (int pass = takes_tangent(problem) ? 0 : 1; pass < 2 && *out_iterations == 0; ++pass) {
        SnVoxelOperator matrix = make_operator(problem, &problem->body->system.level, pass == 0);
        left = iterate_plain(problem, &matrix, goal, max_iterations, out_iterations);
        if (*out_iterations == 0 && pass == 0) {
            begin(problem->body);
        }
    }
    return left;
}

double sn_voxel_system_iterate(const SnVoxelProblem *problem, double tolerance, int max_iterations)
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelLevel *level = &body->system.level;
    Preconditioner by = {.problem = problem, .near = make_near(problem, level)};
    double scale, left;
    int iterations;
    max_iterations = sn_voxel_afford(problem, max_iterations);
    set_free(body, false);
    bool preconditions = make_preconditioner(problem, &by);
    if (by.is_exact) {
        sn_voxel_fill_right(body);
        memcpy(body->room.direction, body->room.right, sn_voxel_dofs(body) * sizeof(double));
        sn_voxel_system_precondition(problem, body->room.direction);
        problem->report->linear_solves += 1;
        return 0.0;
    }
    scale = begin(body);
    double first = sn_voxel_level_dot(level, problem->workers, level->r, level->r);
    double goal = tolerance * tolerance * first;
    if (preconditions) {
        left = solve_by(&by, goal, max_iterations, &iterations);
    } else {
        left = solve_plain(problem, goal, max_iterations, &iterations);
    }
    for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
        body->room.direction[i] = scale * (double)level->x[i / 3 * 4 + i % 3];
    }
    problem->report->linear_solves += iterations;
    return first > 0.0 ? sqrt(left / first) : 0.0;
}

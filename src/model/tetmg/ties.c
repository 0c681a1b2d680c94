#include "model/tetmg/ties.h"

#include "model/point_set.h"

#include <math.h>
#include <string.h>

// Springs below this multiple of the stiffness of a corner are soft: lumping costs less.
#define SOFT 5.0

// The most that a spring counts, as a multiple of the stiffness that it meets: floats tell no more.
#define STIFFEST 1e6

typedef struct SnTetmgTies {
    int count;      // springs that are chosen
    int rows;       // 3 count
    double *L;      // rows x rows, by rows: K = L L^T, kg
    double *matrix; // I + L^T G L under way
    double *G;      // kg^-1, W^T Y
    SnSplitTriangle factor;
    float *columns; // Y, `rows` vectors
} SnTetmgTies;

static SnTetmg *body_of(const SnSplitProblem *problem)
{
    return (SnTetmg *)(void *)problem->body; // its first member
}

SinewStatus sn_tetmg_ties_reserve(SnTetmg *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->tets.allocator;
    size_t rows = 3 * SN_TETMG_TIES_MOST, stride = sn_split_triangle_stride((int)rows);
    if (body->ties == NULL) {
        SN_ALLOC_ZERO(body->ties, allocator, 1, error);
        SN_ALLOC(body->ties->L, allocator, rows * rows, error);
        SN_ALLOC(body->ties->G, allocator, rows * rows, error);
        SN_ALLOC(body->ties->matrix, allocator, stride * stride, error);
        SN_ALLOC(body->ties->factor.values, allocator, stride * stride, error);
        SN_ALLOC(body->ties->columns, allocator, rows * sn_split_dofs(&body->tets), error);
    }
    body->ties->count = body->ties->rows = 0;
done:
    if (status < 0) {
        sn_tetmg_ties_release(body);
    }
    return status;
}

void sn_tetmg_ties_release(SnTetmg *body)
{
    const SinewAllocator *allocator = &body->tets.allocator;
    if (body->ties != NULL) {
        sn_free(allocator, body->ties->L);
        sn_free(allocator, body->ties->G);
        sn_free(allocator, body->ties->matrix);
        sn_free(allocator, body->ties->factor.values);
        sn_free(allocator, body->ties->columns);
        sn_free(allocator, body->ties);
    }
    body->ties = NULL;
}

// Whether the spring at a point is much stiffer than what it pulls at.
static bool is_stiff(const SnSplitProblem *problem, const SnPointSet *points, int p)
{
    const SnTetmg *body = body_of(problem);
    const double *K = points->forces[p].stiffness;
    double own = 0.0;
    for (size_t a = 0; a < 4; ++a) {
        int vertex = body->tets.inside[points->vertices[4 * (size_t)p + a]];
        const float *block = body->matrix.diagonal + 12 * (size_t)vertex;
        own += 0.25 * ((double)block[0] + (double)block[5] + (double)block[10]);
    }
    return problem->h2 * (K[0] + K[4] + K[8]) > SOFT * own;
}

int sn_tetmg_ties_choose(const SnSplitProblem *problem)
{
    SnTetmgTies *ties = body_of(problem)->ties;
    const SnPointForces *contacts = problem->step->contacts;
    const SnPointSet *points = contacts->points;
    int count = 0;
    bool stiff = false;
    // Without inertia sweeps alone hold what springs carry.
    if (ties == NULL || contacts->tie_count > SN_TETMG_TIES_MOST || !(problem->step->dt > 0.0)) {
        return 0;
    }
    while (count < points->active_count && points->active[count] < contacts->tie_count) {
        stiff = stiff || is_stiff(problem, points, points->active[count++]);
    }
    ties->count = stiff ? count : 0;
    ties->rows = 3 * ties->count;
    return ties->count;
}

// The weighted mean of a vector at the point of each spring.
static void gather(const SnSplitProblem *problem, const float *z, double *out)
{
    const SnTetmg *body = body_of(problem);
    const SnPointSet *points = problem->step->contacts->points;
    for (int i = 0; i < body->ties->rows; ++i) {
        size_t first = 4 * (size_t)points->active[i / 3];
        out[i] = 0.0;
        for (size_t a = first; a < first + 4; ++a) {
            size_t at = 3 * (size_t)body->tets.inside[points->vertices[a]] + (size_t)(i % 3);
            out[i] += points->weights[a] * (double)z[at];
        }
    }
}

// A column of W, free components.
static void spread(const SnSplitProblem *problem, int row, float *out)
{
    const SnTetmg *body = body_of(problem);
    const SnPointSet *points = problem->step->contacts->points;
    size_t first = 4 * (size_t)points->active[row / 3];
    memset(out, 0, sn_split_dofs(&body->tets) * sizeof *out);
    for (size_t a = first; a < first + 4; ++a) {
        size_t at = 3 * (size_t)body->tets.inside[points->vertices[a]] + (size_t)(row % 3);
        out[at] += (float)points->weights[a] * body->tets.room.free[at];
    }
}

// L of a spring, by Cholesky's method; directions without stiffness have none.
static void root_of(const double K[9], double scale, double L[9])
{
    double least = 1e-12 * (K[0] + K[4] + K[8]);
    memset(L, 0, 9 * sizeof *L);
    for (size_t j = 0; j < 3; ++j) {
        double pivot = K[4 * j];
        for (size_t k = 0; k < j; ++k) {
            pivot -= L[3 * j + k] * L[3 * j + k];
        }
        if (pivot <= least) {
            continue;
        }
        L[4 * j] = sqrt(pivot);
        for (size_t i = j + 1; i < 3; ++i) {
            double sum = K[3 * i + j];
            for (size_t k = 0; k < j; ++k) {
                sum -= L[3 * i + k] * L[3 * j + k];
            }
            L[3 * i + j] = sum / L[4 * j];
        }
    }
    for (size_t i = 0; i < 9; ++i) {
        L[i] *= scale;
    }
}

static void fill_roots(const SnSplitProblem *problem)
{
    const SnTetmgTies *ties = body_of(problem)->ties;
    const SnPointSet *points = problem->step->contacts->points;
    size_t rows = (size_t)ties->rows;
    memset(ties->L, 0, rows * rows * sizeof *ties->L);
    for (size_t t = 0; t < (size_t)ties->count; ++t) {
        const double *K = points->forces[points->active[t]].stiffness;
        double L[9], trace = 0.0;
        for (size_t k = 0; k < 3; ++k) {
            trace += ties->G[(3 * t + k) * (rows + 1)] / 3.0;
        }
        double met = problem->h2 * (K[0] + K[4] + K[8]) / 3.0 * trace;
        root_of(K, sqrt(problem->h2 * (met > STIFFEST ? STIFFEST / met : 1.0)), L);
        for (size_t i = 0; i < 9; ++i) {
            ties->L[(3 * t + i / 3) * rows + 3 * t + i % 3] = L[i];
        }
    }
}

// I + L^T G L, factored. False: rounding made it indefinite.
static bool factor(SnTetmg *body)
{
    SnTetmgTies *ties = body->ties;
    size_t rows = (size_t)ties->rows, stride = sn_split_triangle_stride(ties->rows);
    memset(ties->matrix, 0, stride * stride * sizeof *ties->matrix);
    for (size_t i = 0; i < rows; ++i) {
        for (size_t j = 0; j <= i; ++j) {
            double sum = i == j ? 1.0 : 0.0;
            for (size_t k = 0; k < rows * rows; ++k) {
                size_t a = k / rows, b = k % rows;
                double G = 0.5 * (ties->G[a * rows + b] + ties->G[b * rows + a]);
                sum += ties->L[a * rows + i] * G * ties->L[b * rows + j];
            }
            ties->matrix[i + j * stride] = sum;
        }
    }
    return sn_split_triangle_factor(body->tets.kernels->dense, ties->matrix, ties->rows,
                                    &ties->factor);
}

SinewStatus sn_tetmg_ties_linearise(const SnSplitProblem *problem, SnTetmgApply *apply,
                                    SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmg *body = body_of(problem);
    SnTetmgTies *ties = body->ties;
    size_t dofs = sn_split_dofs(&body->tets);
    double pulled[3 * SN_TETMG_TIES_MOST];
    if (ties == NULL || ties->count == 0) {
        return SINEW_OK;
    }
    size_t rows = (size_t)ties->rows;
    for (size_t row = 0; row < rows; ++row) {
        float *column = ties->columns + row * dofs;
        spread(problem, (int)row, body->tets.room.hp);
        SN_TRY(apply(problem, body->tets.room.hp, column, error));
        gather(problem, column, pulled);
        memcpy(ties->G + row * rows, pulled, rows * sizeof *pulled);
    }
    fill_roots(problem);
    ties->count = factor(body) ? ties->count : 0;
done:
    return status;
}

void sn_tetmg_ties_correct(const SnSplitProblem *problem, float *z)
{
    const SnTetmg *body = body_of(problem);
    const SnTetmgTies *ties = body->ties;
    double moves[3 * SN_TETMG_TIES_MOST];
    float pulls[3 * SN_TETMG_TIES_MOST];
    if (ties == NULL || ties->count == 0) {
        return;
    }
    size_t rows = (size_t)ties->rows;
    gather(problem, z, moves);
    for (size_t i = 0; i < rows; ++i) {
        double sum = 0.0;
        for (size_t k = 0; k < rows; ++k) {
            sum += ties->L[k * rows + i] * moves[k];
        }
        pulls[i] = (float)sum;
    }
    sn_split_triangle_solve(&ties->factor, pulls);
    for (size_t i = 0; i < rows; ++i) {
        double sum = 0.0;
        for (size_t k = 0; k < rows; ++k) {
            sum += ties->L[i * rows + k] * (double)pulls[k];
        }
        sn_split_add(problem, -(float)sum, ties->columns + i * sn_split_dofs(&body->tets), z);
    }
}

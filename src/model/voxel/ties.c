#include "model/voxel/ties.h"

#include "model/voxel/small.h"

#include <math.h>
#include <string.h>

// A pivot of a spring's matrix below this share of its trace is none: it lets points slide.
#define LEAST_PIVOT 1e-12

enum { BLOCK = 9 };

// Creation ---------------------------------------------------------------------------------------

// Puts a number into an ascending list that does not have it.
static void insert(int number, int *list, int *count)
{
    int i = *count;
    for (int k = 0; k < *count; ++k) {
        if (list[k] == number) {
            return;
        }
    }
    for (; i > 0 && list[i - 1] > number; --i) {
        list[i] = list[i - 1];
    }
    list[i] = number;
    *count += 1;
}

// The corners of the cells of all points, as the first of as many equal lists, where they are few
// enough; else the first points are tied, each for itself.
static void join_vertices(const SnVoxelBody *body, const SnVoxelPoints *points, SnVoxelTies *ties)
{
    int list[SN_VOXEL_TIES_MOST + 1], count = 0;
    for (int c = 0; c < 8 * points->cell_start[ties->room] && count <= SN_VOXEL_TIES_MOST; ++c) {
        insert(body->grid.corners[8 * (size_t)points->point_cells[c / 8] + (size_t)(c % 8)], list,
               &count);
    }
    if (count > SN_VOXEL_TIES_MOST) {
        ties->room = SN_VOXEL_TIES_MOST;
        return;
    }
    ties->joined = count;
    for (int p = 0; p < count; ++p) {
        ties->vertex_start[p + 1] = ties->vertex_start[p] + count;
        memcpy(ties->vertices + ties->vertex_start[p], list, (size_t)count * sizeof *list);
    }
}

static SinewStatus find_vertices(const SnVoxelBody *body, const SnVoxelPoints *points,
                                 SnVoxelTies *ties, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t most = 8 * (size_t)points->cell_start[ties->room], all = SN_VOXEL_TIES_MOST;
    SN_ALLOC(ties->vertices, &body->allocator, most > all * all ? most : all * all, error);
    SN_ALLOC_ZERO(ties->vertex_start, &body->allocator, (size_t)ties->room + 1, error);
    if (ties->room > SN_VOXEL_TIES_MOST) {
        join_vertices(body, points, ties);
    }
    for (int p = 0; p < ties->room && ties->joined == 0; ++p) {
        int count = 0;
        for (int c = 8 * points->cell_start[p]; c < 8 * points->cell_start[p + 1]; ++c) {
            insert(body->grid.corners[8 * (size_t)points->point_cells[c / 8] + (size_t)(c % 8)],
                   ties->vertices + ties->vertex_start[p], &count);
        }
        ties->vertex_start[p + 1] = ties->vertex_start[p] + count;
    }

done:
    return status;
}

static SinewStatus create(const SnVoxelBody *body, const SnVoxelPoints *points, int room,
                          SnVoxelTies *ties, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    ties->asked = ties->room = room;
    SN_TRY(find_vertices(body, points, ties, error));
    size_t joined = (size_t)ties->joined, count = joined > 0 ? joined : (size_t)ties->room;
    size_t blocks = (size_t)ties->vertex_start[count], rows = 3 * count;
    SN_ALLOC_ZERO(ties->numbers, &body->allocator,
                  2 * BLOCK * blocks + rows * rows + rows + BLOCK * joined * (joined + 1), error);
    ties->rows = ties->numbers;
    ties->answers = ties->rows + BLOCK * blocks;
    ties->factor = ties->answers + BLOCK * blocks;
    ties->pulls = ties->factor + rows * rows;
    ties->shape = ties->pulls + rows;
    ties->sum = ties->shape + BLOCK * joined;

done:
    return status;
}

SinewStatus sn_voxel_ties_prepare(const SnVoxelBody *body, const SnStep *step, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (step->contacts == NULL) {
        return SINEW_OK;
    }
    // The model made these points, and their room is its own.
    SnVoxelPoints *points = (SnVoxelPoints *)(uintptr_t)step->contacts->points;
    if (points->ties.asked >= step->contacts->tie_count) {
        return SINEW_OK;
    }
    sn_voxel_ties_release(body, &points->ties);
    SN_TRY(create(body, points, step->contacts->tie_count, &points->ties, error));

done:
    if (status < 0) {
        sn_voxel_ties_release(body, &points->ties);
    }
    return status;
}

void sn_voxel_ties_release(const SnVoxelBody *body, SnVoxelTies *ties)
{
    sn_free(&body->allocator, ties->vertex_start);
    sn_free(&body->allocator, ties->vertices);
    sn_free(&body->allocator, ties->numbers);
    *ties = (SnVoxelTies){0};
}

// The matrix -------------------------------------------------------------------------------------

int sn_voxel_ties_count(const SnVoxelProblem *problem)
{
    const SnPointForces *contacts = problem->step->contacts;
    const SnVoxelPoints *points = sn_voxel_contact_points(problem);
    if (points == NULL) {
        return 0;
    }
    return contacts->tie_count < points->ties.room ? contacts->tie_count : points->ties.room;
}

static int find(const SnVoxelTies *ties, int tie, int vertex)
{
    int low = ties->vertex_start[tie], high = ties->vertex_start[tie + 1];
    while (low + 1 < high) {
        int middle = low + (high - low) / 2;
        if (ties->vertices[middle] <= vertex) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// J of a point, a block of 3x3 a vertex of a tie: what forces of one at the point do to the
// corners. Held components have none.
static void find_shape(const SnVoxelProblem *problem, const SnVoxelPoints *points, int point,
                       int tie, double *out)
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelTies *ties = &points->ties;
    const int *cells = points->point_cells + points->cell_start[point];
    int count = points->cell_start[point + 1] - points->cell_start[point];
    int first = ties->vertex_start[tie], last = ties->vertex_start[tie + 1];
    memset(out, 0, BLOCK * (size_t)(last - first) * sizeof *out);
    for (int n = 0; n < 3 * count; ++n) {
        int axis = n / count, cell = cells[n % count];
        double forces[SN_VOXEL_DOFS];
        if (n % count == 0) {
            sn_voxel_points_pull_one(body, points, point, axis, body->room.poses, cells, count,
                                     body->room.pulls);
        }
        sn_voxel_pull_spread(body, cell, &body->room.poses[cell], problem->exact,
                             &body->room.pulls[cell], forces);
        for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
            int vertex = body->grid.corners[8 * (size_t)cell + (size_t)(i / 3)];
            bool held = sn_voxel_holds(body, 3 * (size_t)vertex + (size_t)(i % 3));
            out[BLOCK * (size_t)(find(ties, tie, vertex) - first) + (size_t)(3 * axis + i % 3)] +=
                held ? 0.0 : forces[i];
        }
    }
}

// S = F F^T, F lower triangular; S may be singular.
static void find_root(const double S[9], double F[9])
{
    double least = LEAST_PIVOT * (fabs(S[0]) + fabs(S[4]) + fabs(S[8]));
    for (int j = 0; j < 3; ++j) {
        double pivot = S[4 * j];
        for (int k = 0; k < j; ++k) {
            pivot -= F[3 * j + k] * F[3 * j + k];
        }
        double root = pivot > least ? sqrt(pivot) : 0.0;
        for (int i = 0; i < 3; ++i) {
            double sum = S[3 * i + j];
            for (int k = 0; k < j; ++k) {
                sum -= F[3 * i + k] * F[3 * j + k];
            }
            F[3 * i + j] = i < j || root == 0.0 ? 0.0 : i == j ? root : sum / root;
        }
    }
}

// B = F^T J of a point, over the vertices of a tie.
static void find_rows(const SnVoxelProblem *problem, const SnVoxelPoints *points, int point,
                      int tie, double *out)
{
    const SnVoxelTies *ties = &points->ties;
    int count = ties->vertex_start[tie + 1] - ties->vertex_start[tie];
    double F[9] = {0.0}, J[BLOCK];
    find_shape(problem, points, point, tie, out);
    find_root(points->forces[point].stiffness, F);
    for (int v = 0; v < count; ++v) {
        double *rows = out + BLOCK * (size_t)v;
        memcpy(J, rows, sizeof J);
        for (int i = 0; i < BLOCK; ++i) {
            const double *f = F + i / 3, *j = J + i % 3;
            rows[i] = f[0] * j[0] + f[3] * j[3] + f[6] * j[6];
        }
    }
}

// Adds B^T B of a point to the lower half of a dense matrix of so many vertices.
static void add_square(int vertices, const double *rows, double *out)
{
    size_t size = 3 * (size_t)vertices;
    for (size_t i = 0; i < size; ++i) {
        const double *b = rows + BLOCK * (i / 3) + i % 3;
        for (size_t j = 0; j <= i && (b[0] != 0.0 || b[3] != 0.0 || b[6] != 0.0); ++j) {
            const double *c = rows + BLOCK * (j / 3) + j % 3;
            out[i * size + j] += b[0] * c[0] + b[3] * c[3] + b[6] * c[6];
        }
    }
}

// The lower half becomes L with A = L L^T. What points of a plane do not hold has no pivot, and a
// column of zeros.
static void find_dense_root(size_t size, double *A)
{
    double largest = 0.0;
    for (size_t i = 0; i < size; ++i) {
        largest = fmax(largest, A[i * size + i]);
    }
    for (size_t j = 0; j < size; ++j) {
        for (size_t i = j; i < size; ++i) {
            for (size_t k = 0; k < j; ++k) {
                A[i * size + j] -= A[i * size + k] * A[j * size + k];
            }
        }
        double pivot = A[j * size + j], root = pivot > LEAST_PIVOT * largest ? sqrt(pivot) : 0.0;
        for (size_t i = j; i < size; ++i) {
            A[i * size + j] = root > 0.0 ? A[i * size + j] / root : 0.0;
        }
    }
}

// B of vertices that points are joined on: L^T with L L^T the sum of the points' B^T B.
static void find_joined(const SnVoxelProblem *problem, int count, const SnVoxelPoints *points)
{
    const SnVoxelTies *ties = &points->ties;
    size_t vertices = (size_t)ties->joined, size = 3 * vertices;
    memset(ties->sum, 0, size * size * sizeof *ties->sum);
    for (int p = 0; p < count; ++p) {
        find_rows(problem, points, p, 0, ties->shape);
        add_square(ties->joined, ties->shape, ties->sum);
    }
    find_dense_root(size, ties->sum);
    for (size_t n = 0; n < BLOCK * vertices * vertices; ++n) {
        size_t row = 3 * (n / BLOCK / vertices) + n % BLOCK / 3;
        size_t column = 3 * (n / BLOCK % vertices) + n % 3;
        ties->rows[n] = column >= row ? ties->sum[column * size + row] : 0.0;
    }
}

// B of so many points; answers how many ties those are.
static int find_ties(const SnVoxelProblem *problem, int count, const SnVoxelPoints *points)
{
    const SnVoxelTies *ties = &points->ties;
    if (ties->joined > 0) {
        find_joined(problem, count, points);
        return ties->joined;
    }
    for (int p = 0; p < count; ++p) {
        find_rows(problem, points, p, p, ties->rows + BLOCK * (size_t)ties->vertex_start[p]);
    }
    return count;
}

// D^-1 B^T of a tie.
static void find_answers(const SnVoxelBody *body, const SnVoxelTies *ties, int tie)
{
    for (int v = ties->vertex_start[tie]; v < ties->vertex_start[tie + 1]; ++v) {
        const double *inverse = body->system.diagonals + 9 * (size_t)ties->vertices[v];
        const double *rows = ties->rows + BLOCK * (size_t)v;
        double *answers = ties->answers + BLOCK * (size_t)v;
        for (int i = 0; i < BLOCK; ++i) {
            const double *d = inverse + i / 3 * 3, *row = rows + i % 3 * 3;
            answers[i] = d[0] * row[0] + d[1] * row[1] + d[2] * row[2];
        }
    }
}

// B D^-1 B^T of two points: over the vertices that both have.
static void multiply(const SnVoxelTies *ties, int p, int q, double out[BLOCK])
{
    int i = ties->vertex_start[p], j = ties->vertex_start[q];
    memset(out, 0, BLOCK * sizeof *out);
    while (i < ties->vertex_start[p + 1] && j < ties->vertex_start[q + 1]) {
        int ahead = ties->vertices[i] - ties->vertices[j];
        const double *rows = ties->rows + BLOCK * (size_t)i;
        const double *answers = ties->answers + BLOCK * (size_t)j;
        for (int n = 0; n < BLOCK && ahead == 0; ++n) {
            out[n] += rows[n / 3 * 3] * answers[n % 3] + rows[n / 3 * 3 + 1] * answers[3 + n % 3] +
                      rows[n / 3 * 3 + 2] * answers[6 + n % 3];
        }
        i += ahead <= 0;
        j += ahead >= 0;
    }
}

void sn_voxel_ties_make(const SnVoxelProblem *problem, int count, SnVoxelPoints *points)
{
    SnVoxelTies *ties = &points->ties;
    int tied = ties->tied = find_ties(problem, count, points);
    size_t size = 3 * (size_t)tied;
    for (int p = 0; p < tied; ++p) {
        find_answers(problem->body, ties, p);
        for (int q = 0; q <= p; ++q) {
            double block[BLOCK];
            multiply(ties, p, q, block);
            for (size_t n = 0; n < BLOCK; ++n) {
                size_t row = 3 * (size_t)p + n / 3, column = 3 * (size_t)q + n % 3;
                ties->factor[row * size + column] = block[n] + (row == column ? 1.0 : 0.0);
            }
        }
    }
    bool done = sn_small_cholesky((int)size, ties->factor);
    ties->count = done ? tied : 0;
}

void sn_voxel_ties_correct(const SnVoxelTies *ties, float *z)
{
    for (int p = 0; p < ties->count; ++p) {
        double sum[3] = {0.0, 0.0, 0.0};
        for (int i = ties->vertex_start[p]; i < ties->vertex_start[p + 1]; ++i) {
            const double *rows = ties->rows + BLOCK * (size_t)i;
            const float *at = z + 4 * (size_t)ties->vertices[i];
            for (int n = 0; n < BLOCK; ++n) {
                sum[n / 3] += rows[n] * (double)at[n % 3];
            }
        }
        memcpy(ties->pulls + 3 * (size_t)p, sum, sizeof sum);
    }
    sn_small_forward(3 * ties->count, ties->factor, 1, ties->pulls);
    sn_small_backward(3 * ties->count, ties->factor, 1, ties->pulls);
    for (int p = 0; p < ties->count; ++p) {
        const double *w = ties->pulls + 3 * (size_t)p;
        for (int i = ties->vertex_start[p]; i < ties->vertex_start[p + 1]; ++i) {
            const double *answers = ties->answers + BLOCK * (size_t)i;
            float *at = z + 4 * (size_t)ties->vertices[i];
            for (int k = 0; k < 3; ++k) {
                const double *row = answers + 3 * (size_t)k;
                at[k] = (float)((double)at[k] - row[0] * w[0] - row[1] * w[1] - row[2] * w[2]);
            }
        }
    }
}

void sn_voxel_ties_apply(const SnVoxelTies *ties, const SnVoxelLevel *level)
{
    for (int p = 0; p < ties->tied; ++p) {
        double w[3] = {0.0, 0.0, 0.0};
        for (int i = ties->vertex_start[p]; i < ties->vertex_start[p + 1]; ++i) {
            const double *rows = ties->rows + BLOCK * (size_t)i;
            const float *at = level->p + 4 * (size_t)ties->vertices[i];
            for (int n = 0; n < BLOCK; ++n) {
                w[n / 3] += rows[n] * (double)at[n % 3];
            }
        }
        for (int i = ties->vertex_start[p]; i < ties->vertex_start[p + 1]; ++i) {
            const double *rows = ties->rows + BLOCK * (size_t)i;
            int corner = level->vertex_corners[level->vertex_start[ties->vertices[i]]];
            float *out = level->out + 4 * (size_t)corner;
            for (int k = 0; k < 3; ++k) {
                out[k] += (float)(rows[k] * w[0] + rows[3 + k] * w[1] + rows[6 + k] * w[2]);
            }
        }
    }
}

// Factors ----------------------------------------------------------------------------------------

// Share of what a vertex' stiffness is that the factor has of stiff springs: enough that nothing
// which they alone hold is loose in it, and so little that directions do not feel it.
#define HELD_SHARE 1e-4

double sn_voxel_ties_share(const SnVoxelBody *body, const double S[9])
{
    double stiffness = body->stiffness_scale / sqrt((double)body->grid.vertex_count);
    double size = fabs(S[0]) + fabs(S[4]) + fabs(S[8]);
    return size > HELD_SHARE * stiffness ? HELD_SHARE * stiffness / size : 1.0;
}

// out = B_p x.
static void multiply_rows(const SnVoxelTies *ties, int p, const double *x, double out[3])
{
    out[0] = out[1] = out[2] = 0.0;
    for (int i = ties->vertex_start[p]; i < ties->vertex_start[p + 1]; ++i) {
        const double *rows = ties->rows + BLOCK * (size_t)i;
        const double *at = x + 3 * (size_t)ties->vertices[i];
        for (int n = 0; n < BLOCK; ++n) {
            out[n / 3] += rows[n] * at[n % 3];
        }
    }
}

// x += scale B_p^T w.
static void add_rows(const SnVoxelTies *ties, int p, double scale, const double w[3], double *x)
{
    for (int i = ties->vertex_start[p]; i < ties->vertex_start[p + 1]; ++i) {
        const double *rows = ties->rows + BLOCK * (size_t)i;
        double *at = x + 3 * (size_t)ties->vertices[i];
        for (int k = 0; k < 3; ++k) {
            at[k] += scale * (rows[k] * w[0] + rows[3 + k] * w[1] + rows[6 + k] * w[2]);
        }
    }
}

static SinewStatus solve(const SnVoxelProblem *problem, double *x, SinewError *error)
{
    const SnVoxelSystem *system = &problem->body->system;
    return sn_cholesky_solve_double(system->factor, system->work, problem->workers, x, error);
}

SinewStatus sn_voxel_ties_factor(const SnVoxelProblem *problem, int count,
                                 const SnVoxelPoints *points, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnVoxelTies *ties = &points->ties;
    int tied = find_ties(problem, count, points);
    size_t dofs = sn_voxel_dofs(problem->body), size = 3 * (size_t)tied;
    double *x = problem->body->room.direction;
    for (size_t column = 0; column < size; ++column) {
        double unit[3] = {0.0, 0.0, 0.0};
        unit[column % 3] = 1.0;
        memset(x, 0, dofs * sizeof *x);
        add_rows(ties, (int)(column / 3), 1.0, unit, x);
        SN_TRY(solve(problem, x, error));
        for (size_t p = column / 3; p < (size_t)tied; ++p) {
            double out[3];
            multiply_rows(ties, (int)p, x, out);
            for (size_t k = 0; k < 3; ++k) {
                size_t row = 3 * p + k;
                ties->factor[row * size + column] = out[k] + (row == column ? 1.0 : 0.0);
            }
        }
    }
    if (!sn_small_cholesky((int)size, ties->factor)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_NOT_DEFINITE,
                       "body \"%s\": its springs have no finite stiffness", problem->body->name));
    }

done:
    return status;
}

SinewStatus sn_voxel_ties_solve(const SnVoxelProblem *problem, int count,
                                const SnVoxelPoints *points, double *x, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnVoxelTies *ties = &points->ties;
    int tied = ties->joined > 0 ? ties->joined : count;
    double *right = problem->body->room.right;
    size_t size = sn_voxel_dofs(problem->body) * sizeof(double);
    memcpy(right, x, size);
    SN_TRY(solve(problem, x, error));
    for (int p = 0; p < tied; ++p) {
        multiply_rows(ties, p, x, ties->pulls + 3 * (size_t)p);
    }
    sn_small_forward(3 * tied, ties->factor, 1, ties->pulls);
    sn_small_backward(3 * tied, ties->factor, 1, ties->pulls);
    memcpy(x, right, size);
    for (int p = 0; p < tied; ++p) {
        add_rows(ties, p, -1.0, ties->pulls + 3 * (size_t)p, x);
    }
    SN_TRY(solve(problem, x, error));

done:
    return status;
}

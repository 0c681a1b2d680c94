// Conjugate gradients in float on the matrix of a linearised step, cell by cell: see level.h.
#include "model/voxel/system.h"

#include "model/voxel/small.h"

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

static void add_point_block(const SnVoxelBody *body, const SnVoxelPointBlock *block, int corner,
                            double B[9])
{
    double part[3 * SN_VOXEL_DOFS];
    for (int i = 0; i < 9; ++i) {
        double sum = 0.0;
        for (int k = 0; k < 9; ++k) {
            sum += block->shape[k / 3 * SN_VOXEL_DOFS + 3 * corner + i / 3] * block->stiffness[k] *
                   block->shape[k % 3 * SN_VOXEL_DOFS + 3 * corner + i % 3];
        }
        part[i / 3 * SN_VOXEL_DOFS + i % 3] = sum;
    }
    sn_voxel_add_turned(body->room.poses[block->cell].rotation, part, B);
}

// The mean of each block's diagonal, which no rotation changes: good enough for a counted number of
// iterations, and cheap.
static void mean_range(void *context, int begin, int end, int worker)
{
    const SnVoxelBody *body = context;
    (void)worker;
    for (int v = begin; v < end; ++v) {
        double sum = 0.0;
        double B[9];
        for (int i = body->vertex_start[v]; i < body->vertex_start[v + 1]; ++i) {
            int cell = body->vertex_corners[i] / 8, corner = body->vertex_corners[i] % 8;
            const double *block =
                sn_voxel_system_values(body, cell) + 3 * corner * (SN_VOXEL_DOFS + 1);
            sum += block[0] + block[SN_VOXEL_DOFS + 1] + block[2 * (SN_VOXEL_DOFS + 1)];
        }
        for (int i = 0; i < 9; ++i) {
            B[i] = i % 4 == 0 && sum > 0.0 ? 3.0 / sum : 0.0;
        }
        keep_block(body, v, B);
    }
}

static void diagonal_range(void *context, int begin, int end, int worker)
{
    const SnVoxelBody *body = context;
    (void)worker;
    for (int v = begin; v < end; ++v) {
        double B[9] = {0.0};
        for (int i = body->vertex_start[v]; i < body->vertex_start[v + 1]; ++i) {
            int cell = body->vertex_corners[i] / 8, corner = body->vertex_corners[i] % 8;
            sn_voxel_add_turned(
                body->room.poses[cell].rotation,
                sn_voxel_system_values(body, cell) + 3 * corner * (SN_VOXEL_DOFS + 1), B);
        }
        invert_block(body, v, B);
        keep_block(body, v, B);
    }
}

// Blocks of vertices that feel a contact, once more with it.
static void add_point_diagonals(const SnVoxelBody *body, const SnVoxelPoints *points)
{
    for (int p = 0; p < points->active_count; ++p) {
        SnVoxelPointBlock block = sn_voxel_point_block(body, points, p);
        for (int c = 0; c < 8; ++c) {
            int vertex = body->grid.corners[8 * (size_t)block.cell + (size_t)c];
            const float *inverse = body->system.level.inverse + SN_VOXEL_INVERSE * (size_t)vertex;
            double B[9], A[9];
            for (int i = 0; i < 9; ++i) {
                A[i] = (double)inverse[4 * (i % 3) + i / 3];
            }
            if (sn_small_invert3(A, 0.0, B)) {
                add_point_block(body, &block, c, B);
                invert_block(body, vertex, B);
                keep_block(body, vertex, B);
            }
        }
    }
}

void sn_voxel_system_make(const SnVoxelProblem *problem)
{
    SnVoxelBody *body = problem->body;
    const SnVoxelPoints *points = sn_voxel_contact_points(problem);
    sn_voxel_system_combine(problem);
    for (int e = 0; e < body->grid.cell_count && !problem->counted; ++e) {
        for (int i = 0; i < 9; ++i) {
            body->system.rotations[9 * (size_t)e + (size_t)i] =
                (float)body->room.poses[e].rotation[i];
        }
    }
    if (!problem->counted || !body->system.means) {
        sn_parallel_for(problem->workers, body->grid.vertex_count, VERTEX_GRAIN,
                        problem->counted ? mean_range : diagonal_range, body);
    }
    body->system.means = problem->counted && points == NULL;
    if (points != NULL) {
        add_point_diagonals(body, points);
    }
}

// Products ---------------------------------------------------------------------------------------

// Adds what contact does to the corners of its cells.
static void add_points(const SnVoxelBody *body, const SnVoxelPoints *points, const float *x)
{
    for (int p = 0; p < points->active_count; ++p) {
        SnVoxelPointBlock block = sn_voxel_point_block(body, points, p);
        const double *R = body->room.poses[block.cell].rotation;
        const int *corners = body->grid.corners + 8 * (size_t)block.cell;
        double at[3] = {0.0}, f[3] = {0.0};
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            const float *v = x + 4 * (size_t)corners[j / 3];
            double u =
                R[j % 3] * (double)v[0] + R[3 + j % 3] * (double)v[1] + R[6 + j % 3] * (double)v[2];
            for (int i = 0; i < 3; ++i) {
                at[i] += block.shape[i * SN_VOXEL_DOFS + j] * u;
            }
        }
        for (int i = 0; i < 9; ++i) {
            f[i / 3] += block.stiffness[i] * at[i % 3];
        }
        float *out = body->system.level.out + SN_VOXEL_OUT * (size_t)block.cell;
        for (int c = 0; c < 8; ++c) {
            double h[3];
            for (int k = 0; k < 3; ++k) {
                const double *shape = block.shape + 3 * c + k;
                h[k] =
                    shape[0] * f[0] + shape[SN_VOXEL_DOFS] * f[1] + shape[2 * SN_VOXEL_DOFS] * f[2];
            }
            for (int i = 0; i < 3; ++i) {
                out[4 * c + i] +=
                    (float)(R[3 * i] * h[0] + R[3 * i + 1] * h[1] + R[3 * i + 2] * h[2]);
            }
        }
    }
}

// q = A p on free components; answers p . q.
static double apply(const SnVoxelProblem *problem)
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelPoints *points = sn_voxel_contact_points(problem);
    sn_voxel_level_apply(&body->system.level, problem->workers);
    if (points != NULL) {
        add_points(body, points, body->system.level.p);
    }
    return sn_voxel_level_gather(&body->system.level, problem->workers);
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
    apply(problem);
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
    double scale = largest > 0.0 ? 1.0 / largest : 0.0;
    memset(level->x, 0, 4 * vertices * sizeof *level->x);
    memset(level->p, 0, 4 * vertices * sizeof *level->p);
    memset(level->q, 0, 4 * vertices * sizeof *level->q);
    for (size_t v = 0; v < vertices; ++v) {
        for (size_t k = 0; k < 3; ++k) {
            level->r[4 * v + k] = (float)(scale * body->room.right[3 * v + k]);
        }
    }
    set_free(body, false);
    return largest;
}

double sn_voxel_system_iterate(const SnVoxelProblem *problem, double tolerance, int max_iterations)
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelLevel *level = &body->system.level;
    SnWorkers *workers = problem->workers;
    double scale = begin(body), sums[2], last_rz = 0.0, first;
    int iteration = 0;
    sn_voxel_level_advance(level, workers, 0.0, sums);
    for (first = sums[1]; iteration < max_iterations && sums[1] > tolerance * tolerance * first;
         ++iteration) {
        double rz = sums[0];
        sn_voxel_level_follow(level, workers, 1.0, iteration > 0 ? rz / last_rz : 0.0);
        double pq = apply(problem);
        if (!(pq > 0.0) || !isfinite(rz / pq)) {
            break;
        }
        sn_voxel_level_advance(level, workers, rz / pq, sums);
        last_rz = rz;
    }
    for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
        body->room.direction[i] = scale * (double)level->x[i / 3 * 4 + i % 3];
    }
    problem->report->linear_solves += iteration;
    return first > 0.0 ? sqrt(sums[1] / first) : 0.0;
}

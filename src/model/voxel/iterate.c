// Conjugate gradients in float on the matrix of a linearised step, cell by cell: each cell's matrix
// on its corners, then each vertex sums over its cells, so that the order never changes.
#include "model/voxel/system.h"

#include "model/voxel/grip.h"
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
        float *inverse = body->system.inverse + 9 * (size_t)v;
        for (int i = body->vertex_start[v]; i < body->vertex_start[v + 1]; ++i) {
            int cell = body->vertex_corners[i] / 8, corner = body->vertex_corners[i] % 8;
            const double *block =
                sn_voxel_system_values(body, cell) + 3 * corner * (SN_VOXEL_DOFS + 1);
            sum += block[0] + block[SN_VOXEL_DOFS + 1] + block[2 * (SN_VOXEL_DOFS + 1)];
        }
        for (int i = 0; i < 9; ++i) {
            inverse[i] = i % 4 == 0 && sum > 0.0 ? (float)(3.0 / sum) : 0.0f;
        }
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
        for (int i = 0; i < 9; ++i) {
            body->system.inverse[9 * (size_t)v + (size_t)i] = (float)B[i];
        }
    }
}

// Blocks of vertices that feel a contact, once more with it.
static void add_point_diagonals(const SnVoxelBody *body, const SnVoxelPoints *points)
{
    for (int p = 0; p < points->active_count; ++p) {
        SnVoxelPointBlock block = sn_voxel_point_block(body, points, p);
        for (int c = 0; c < 8; ++c) {
            int vertex = body->grid.corners[8 * (size_t)block.cell + (size_t)c];
            float *inverse = body->system.inverse + 9 * (size_t)vertex;
            double B[9], A[9];
            for (int i = 0; i < 9; ++i) {
                A[i] = (double)inverse[i];
            }
            if (sn_small_invert3(A, 0.0, B)) {
                add_point_block(body, &block, c, B);
                invert_block(body, vertex, B);
                for (int i = 0; i < 9; ++i) {
                    inverse[i] = (float)B[i];
                }
            }
        }
    }
}

void sn_voxel_system_make(const SnVoxelProblem *problem)
{
    SnVoxelBody *body = problem->body;
    const SnVoxelPoints *points = sn_voxel_contact_points(problem);
    sn_voxel_system_combine(problem);
    for (int e = 0; e < body->grid.cell_count; ++e) {
        for (int i = 0; i < 9; ++i) {
            body->system.rotations[9 * (size_t)e + (size_t)i] =
                (float)body->room.poses[e].rotation[i];
        }
    }
    sn_parallel_for(problem->workers, body->grid.vertex_count, VERTEX_GRAIN,
                    problem->counted ? mean_range : diagonal_range, body);
    if (points != NULL) {
        add_point_diagonals(body, points);
    }
}

// Products ---------------------------------------------------------------------------------------

typedef struct Product {
    const SnVoxelBody *body;
    const float *x;
    float *y;
} Product;

static void cell_range(void *context, int begin, int end, int worker)
{
    const Product *job = context;
    const SnVoxelBody *body = job->body;
    SnVoxelBatch batch = {body->system.matrices,  body->grid.kinds, body->grid.corners,
                          body->system.rotations, job->x,           body->system.out};
    (void)worker;
    body->kernels->voxel->apply(&batch, begin, end);
}

static void vertex_range(void *context, int begin, int end, int worker)
{
    const Product *job = context;
    const SnVoxelBody *body = job->body;
    (void)worker;
    for (int v = begin; v < end; ++v) {
        float sum[3] = {0.0f, 0.0f, 0.0f};
        for (int i = body->vertex_start[v]; i < body->vertex_start[v + 1]; ++i) {
            int corner = body->vertex_corners[i];
            const float *f = body->system.out + SN_VOXEL_DOFS * (size_t)(corner / 8) + corner % 8;
            sum[0] += f[0];
            sum[1] += f[8];
            sum[2] += f[16];
        }
        memcpy(job->y + 3 * (size_t)v, sum, sizeof sum);
    }
}

// Adds what contact does to the corners of its cells.
static void add_points(const SnVoxelBody *body, const SnVoxelPoints *points, const float *x)
{
    for (int p = 0; p < points->active_count; ++p) {
        SnVoxelPointBlock block = sn_voxel_point_block(body, points, p);
        const double *R = body->room.poses[block.cell].rotation;
        const int *corners = body->grid.corners + 8 * (size_t)block.cell;
        double at[3] = {0.0}, f[3] = {0.0};
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            const float *v = x + 3 * (size_t)corners[j / 3];
            double u =
                R[j % 3] * (double)v[0] + R[3 + j % 3] * (double)v[1] + R[6 + j % 3] * (double)v[2];
            for (int i = 0; i < 3; ++i) {
                at[i] += block.shape[i * SN_VOXEL_DOFS + j] * u;
            }
        }
        for (int i = 0; i < 9; ++i) {
            f[i / 3] += block.stiffness[i] * at[i % 3];
        }
        float *out = body->system.out + SN_VOXEL_DOFS * (size_t)block.cell;
        for (int c = 0; c < 8; ++c) {
            double h[3];
            for (int k = 0; k < 3; ++k) {
                const double *shape = block.shape + 3 * c + k;
                h[k] =
                    shape[0] * f[0] + shape[SN_VOXEL_DOFS] * f[1] + shape[2 * SN_VOXEL_DOFS] * f[2];
            }
            for (int i = 0; i < 3; ++i) {
                out[8 * i + c] +=
                    (float)(R[3 * i] * h[0] + R[3 * i + 1] * h[1] + R[3 * i + 2] * h[2]);
            }
        }
    }
}

static void apply(const SnVoxelProblem *problem, const float *x, float *y)
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelPoints *points = sn_voxel_contact_points(problem);
    Product job = {body, x, y};
    sn_parallel_for(problem->workers, body->grid.cell_count, CELL_GRAIN, cell_range, &job);
    if (points != NULL) {
        add_points(body, points, x);
    }
    sn_parallel_for(problem->workers, body->grid.vertex_count, VERTEX_GRAIN, vertex_range, &job);
}

void sn_voxel_system_apply(const SnVoxelProblem *problem, const double *x, double *y)
{
    const SnVoxelBody *body = problem->body;
    for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
        body->system.p[i] = (float)x[i];
    }
    apply(problem, body->system.p, body->system.q);
    for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
        y[i] = (double)body->system.q[i];
    }
}

// Conjugate gradients ----------------------------------------------------------------------------

static double dot(const float *a, const float *b, size_t count)
{
    double sums[4] = {0.0, 0.0, 0.0, 0.0};
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (size_t k = 0; k < 4; ++k) {
            sums[k] += (double)a[i + k] * (double)b[i + k];
        }
    }
    for (; i < count; ++i) {
        sums[0] += (double)a[i] * (double)b[i];
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// z = D^-1 r.
static void precondition(const SnVoxelBody *body)
{
    const SnVoxelSystem *system = &body->system;
    for (size_t v = 0; v < (size_t)body->grid.vertex_count; ++v) {
        const float *B = system->inverse + 9 * v, *r = system->r + 3 * v;
        float *z = system->z + 3 * v;
        for (int i = 0; i < 3; ++i) {
            z[i] = B[3 * i] * r[0] + B[3 * i + 1] * r[1] + B[3 * i + 2] * r[2];
        }
    }
    sn_voxel_grip_filter_float(body, system->z);
}

// Held components stay where they are, as in [E]'s filter.
static void filter(const SnVoxelBody *body, float *vector)
{
    for (int p = 0; p < body->pins.set.start[body->pins.set.count]; ++p) {
        int v = body->pins.set.vertices[p];
        for (int k = 0; k < 3; ++k) {
            if (body->pins.set.held[v] >> k & 1) {
                vector[3 * v + k] = 0.0f;
            }
        }
    }
    sn_voxel_grip_filter_float(body, vector);
}

// The right-hand side in units of its largest number, for which floats always have room.
static double begin(const SnVoxelBody *body)
{
    const SnVoxelSystem *system = &body->system;
    size_t count = sn_voxel_dofs(body);
    double largest = 0.0;
    sn_voxel_fill_right(body);
    for (size_t i = 0; i < count; ++i) {
        largest = fmax(largest, fabs(body->room.right[i]));
    }
    for (size_t i = 0; i < count; ++i) {
        system->x[i] = 0.0f;
        system->p[i] = 0.0f;
        system->r[i] = largest > 0.0 ? (float)(body->room.right[i] / largest) : 0.0f;
    }
    return largest;
}

double sn_voxel_system_iterate(const SnVoxelProblem *problem, double tolerance, int max_iterations)
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelSystem *system = &body->system;
    size_t count = sn_voxel_dofs(body);
    double scale = begin(body), first = dot(system->r, system->r, count), now = first;
    double last_rz = 1.0;
    int iteration = 0;
    for (; iteration < max_iterations && now > tolerance * tolerance * first; ++iteration) {
        precondition(body);
        double rz = dot(system->r, system->z, count);
        float beta = iteration > 0 ? (float)(rz / last_rz) : 0.0f;
        for (size_t i = 0; i < count; ++i) {
            system->p[i] = system->z[i] + beta * system->p[i];
        }
        apply(problem, system->p, system->q);
        filter(body, system->q);
        double pq = dot(system->p, system->q, count);
        if (!(pq > 0.0) || !isfinite(rz / pq)) {
            break;
        }
        float alpha = (float)(rz / pq);
        for (size_t i = 0; i < count; ++i) {
            system->x[i] += alpha * system->p[i];
            system->r[i] -= alpha * system->q[i];
        }
        now = dot(system->r, system->r, count);
        last_rz = rz;
    }
    for (size_t i = 0; i < count; ++i) {
        body->room.direction[i] = scale * (double)system->x[i];
    }
    problem->report->linear_solves += iteration;
    return first > 0.0 ? sqrt(now / first) : 0.0;
}

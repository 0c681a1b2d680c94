#include "model/voxel/hierarchy.h"

#include "model/voxel/small.h"

#include <math.h>
#include <string.h>

enum {
    COARSEST = 300, // vertices that are factored rather than coarsened
    MERGE_GRAIN = 16,
    VERTEX_GRAIN = 256,
    POWER_ITERATIONS = 8
};

// Eigenvalues are found a little too small.
#define RADIUS_SAFETY 1.25

// Share of the diagonal that makes a coarsest matrix without pins definite in rounding.
#define DIAGONAL_MORE 1e-6

void sn_voxel_hierarchy_destroy(SnVoxelHierarchy *h)
{
    if (h == NULL) {
        return;
    }
    SinewAllocator allocator = h->allocator;
    for (int i = 0; i < SN_VOXEL_STAGES; ++i) {
        sn_voxel_stage_release(&h->stages[i], &allocator);
    }
    sn_cholesky_work_destroy(h->work);
    sn_cholesky_destroy(h->factor);
    sn_voxel_pattern_release(&h->pattern, &allocator);
    sn_free(&allocator, h->numbers);
    sn_free(&allocator, h->right);
    sn_free(&allocator, h);
}

static SinewStatus make_coarsest(SnVoxelHierarchy *h, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnVoxelLevel *level = &h->stages[h->count - 1].level;
    SN_TRY(sn_voxel_pattern_create(level, &h->allocator, &h->pattern, error));
    SN_ALLOC(h->right, &h->allocator, 3 * (size_t)level->vertex_count, error);
    SnSparse pattern = {level->vertex_count, 3, h->pattern.row_start, h->pattern.columns, NULL};
    // Few rows are as good in any order, and then the bits do not depend on who orders.
    SnCholeskyDef def = {.allocator = &h->allocator,
                         .kernels = level->kernels,
                         .ordering = SN_ORDERING_NATURAL,
                         .right_sides = 1,
                         .worker_count = 1,
                         .keep_double = true};
    SN_TRY(sn_cholesky_create(&def, &pattern, &h->factor, error));
    SN_TRY(sn_cholesky_work_create(h->factor, 1, &h->work, error));

done:
    return status;
}

SinewStatus sn_voxel_hierarchy_create(const SnVoxelLevel *finest, const int *places,
                                      const SinewAllocator *allocator, SnVoxelHierarchy **out,
                                      SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelHierarchy *h = NULL;
    const SnVoxelLevel *level = finest;
    size_t size = 4 * (size_t)finest->vertex_count;
    *out = NULL;
    SN_ALLOC_ZERO(h, allocator, 1, error);
    h->allocator = allocator != NULL ? *allocator : (SinewAllocator){0};
    while (h->count < SN_VOXEL_STAGES && (h->count == 0 || level->vertex_count > COARSEST)) {
        SnVoxelStage *stage = &h->stages[h->count];
        SN_TRY(sn_voxel_stage_create(level, places, &h->allocator, stage, error));
        h->count += 1;
        bool smaller = stage->level.cell_count < level->cell_count;
        level = &stage->level;
        places = stage->places;
        if (!smaller) {
            break; // cells that have nothing to do with each other
        }
    }
    SN_ALLOC_ZERO(h->numbers, &h->allocator, 3 * size, error);
    h->x = h->numbers;
    h->r = h->x + size;
    h->p = h->r + size;
    SN_TRY(make_coarsest(h, error));
    *out = h;
    h = NULL;

done:
    sn_voxel_hierarchy_destroy(h);
    return status;
}

// Matrices ---------------------------------------------------------------------------------------

double sn_voxel_operator_apply(const SnVoxelOperator *finest, SnWorkers *workers)
{
    if (finest->cells != NULL) {
        finest->cells(finest->context, finest->level, workers);
    } else {
        sn_voxel_level_apply(finest->level, workers);
    }
    if (finest->apply != NULL) {
        finest->apply(finest->context, finest->level);
    }
    return sn_voxel_level_gather(finest->level, workers);
}

void sn_voxel_operator_advance(const SnVoxelOperator *matrix, SnWorkers *workers, double alpha,
                               double sums[2])
{
    const SnVoxelLevel *level = matrix->level;
    sn_voxel_level_advance(level, workers, alpha, sums);
    if (matrix->correct != NULL) {
        matrix->correct(matrix->context, level);
        sums[0] = sn_voxel_level_dot(level, workers, level->r, level->z);
    }
}

typedef struct Merging {
    const SnVoxelKernels *kernels;
    SnVoxelMerge merge;
} Merging;

static void merge_range(void *context, int begin, int end, int worker)
{
    const Merging *job = context;
    (void)worker;
    job->kernels->merge(&job->merge, begin, end);
}

static void merge_stage(const SnVoxelStage *stage, const SnVoxelLevel *finer, bool holds,
                        SnWorkers *workers)
{
    Merging job = {finer->kernels->voxel,
                   {.child_start = stage->child_start,
                    .children = stage->children,
                    .octants = stage->octants,
                    .matrices = finer->matrices,
                    .kinds = finer->kinds,
                    .rotations = finer->rotations,
                    .corners = finer->corners,
                    .free = holds ? finer->free : NULL,
                    .out = stage->matrices}};
    sn_parallel_for(workers, stage->level.cell_count, MERGE_GRAIN, merge_range, &job);
}

void sn_voxel_hierarchy_add(SnVoxelHierarchy *h, const SnVoxelLevel *finest, int cell,
                            float *matrix)
{
    SnVoxelStage *stage = &h->stages[0];
    const int start[2] = {0, 1}, child = 0;
    float merged[SN_VOXEL_ENTRIES] = {0.0f};
    SnVoxelMerge merge = {.child_start = start,
                          .children = &child,
                          .octants = stage->octants + cell,
                          .matrices = matrix,
                          .corners = finest->corners + 8 * (size_t)cell,
                          .free = finest->free,
                          .out = merged};
    finest->kernels->voxel->merge(&merge, 0, 1);
    float *out = stage->matrices + SN_VOXEL_ENTRIES * (size_t)stage->parents[cell];
    for (int i = 0; i < SN_VOXEL_ENTRIES; ++i) {
        out[i] += merged[i];
    }
}

// Inverses of the diagonal's blocks, and what is free: components that nothing finer follows freely
// have no diagonal.
static void invert_range(void *context, int begin, int end, int worker)
{
    const SnVoxelLevel *level = context;
    (void)worker;
    for (size_t v = (size_t)begin; v < (size_t)end; ++v) {
        double B[9] = {0.0}, inverse[9];
        for (int i = level->vertex_start[v]; i < level->vertex_start[v + 1]; ++i) {
            int cell = level->vertex_corners[i] / 8, corner = level->vertex_corners[i] % 8;
            const float *A = level->matrices + SN_VOXEL_ENTRIES * (size_t)cell;
            for (int k = 0; k < 9; ++k) {
                B[k] += (double)A[SN_VOXEL_NUMBERS * (8 * (k / 3) + corner) + 8 * (k % 3) + corner];
            }
        }
        for (int k = 0; k < 3; ++k) {
            bool is_free = B[4 * k] > 0.0;
            level->free[4 * v + (size_t)k] = is_free ? 1.0f : 0.0f;
            for (int j = 0; j < 3 && !is_free; ++j) {
                B[3 * k + j] = B[3 * j + k] = j == k ? 1.0 : 0.0;
            }
        }
        bool done = sn_small_invert3(B, 0.0, inverse) && inverse[0] > 0.0 && inverse[4] > 0.0 &&
                    inverse[8] > 0.0 && isfinite(inverse[0] + inverse[4] + inverse[8]);
        for (int k = 0; k < 9; ++k) {
            double value = done ? inverse[k] : k % 4 == 0 ? 1.0 / B[k] : 0.0;
            level->inverse[SN_VOXEL_INVERSE * v + (size_t)(4 * (k % 3) + k / 3)] = (float)value;
        }
    }
}

// A number between -0.5 and 0.5 that looks like chance.
static float scatter(uint32_t n)
{
    n = (n ^ 61u ^ n >> 16) * 9u;
    n = (n ^ n >> 4) * 0x27d4eb2du;
    return (float)((n ^ n >> 15) & 0xffffffu) / 16777216.0f - 0.5f;
}

// The largest eigenvalue of D^-1 A, by some powers of it.
static double find_radius(const SnVoxelOperator *matrix, SnWorkers *workers)
{
    const SnVoxelLevel *level = matrix->level;
    size_t size = 4 * (size_t)level->vertex_count * sizeof(float);
    double radius = 1.0, sums[2];
    for (size_t i = 0; i < 4 * (size_t)level->vertex_count; ++i) {
        level->p[i] = scatter((uint32_t)i) * level->free[i];
    }
    for (int i = 0; i < POWER_ITERATIONS; ++i) {
        double pq = sn_voxel_operator_apply(matrix, workers);
        memset(level->r, 0, size);
        sn_voxel_operator_advance(matrix, workers, -1.0, sums); // r = q, z = D^-1 q
        if (!(pq > 0.0) || !(sums[0] > 0.0)) {
            break;
        }
        radius = sums[0] / pq;
        sn_voxel_level_follow(level, workers, 1.0 / radius, 0.0);
    }
    return RADIUS_SAFETY * radius;
}

static SinewStatus factor_coarsest(SnVoxelHierarchy *h, SinewError *error)
{
    const SnVoxelLevel *level = &h->stages[h->count - 1].level;
    SnVoxelPattern *pattern = &h->pattern;
    size_t count = (size_t)pattern->row_start[level->vertex_count];
    memset(pattern->blocks, 0, 9 * count * sizeof *pattern->blocks);
    for (size_t e = 0; e < (size_t)level->cell_count; ++e) {
        const float *A = level->matrices + SN_VOXEL_ENTRIES * e;
        for (int i = 0; i < 64; ++i) {
            double *block = pattern->blocks + 9 * (size_t)pattern->entries[64 * e + (size_t)i];
            for (int k = 0; k < 9; ++k) {
                int row = 8 * (k / 3) + i / 8, column = 8 * (k % 3) + i % 8;
                // Both halves, which rounding may make differ.
                block[k] += 0.5 * ((double)A[SN_VOXEL_NUMBERS * row + column] +
                                   (double)A[SN_VOXEL_NUMBERS * column + row]);
            }
        }
    }
    for (int v = 0; v < level->vertex_count; ++v) {
        for (int i = pattern->row_start[v]; i < pattern->row_start[v + 1]; ++i) {
            double *block = pattern->blocks + 9 * (size_t)i;
            for (int k = 0; k < 9 && pattern->columns[i] == v; k += 4) {
                block[k] = block[k] > 0.0 ? (1.0 + DIAGONAL_MORE) * block[k] : 1.0;
            }
        }
    }
    SnSparse matrix = {level->vertex_count, 3, pattern->row_start, pattern->columns,
                       pattern->blocks};
    return sn_cholesky_factor(h->factor, &matrix, NULL, error);
}

SinewStatus sn_voxel_hierarchy_make(SnVoxelHierarchy *h, const SnVoxelOperator *finest,
                                    SnWorkers *workers, SinewError *error)
{
    const SnVoxelLevel *finer = finest->level;
    for (int i = 0; i < h->count; ++i) {
        SnVoxelStage *stage = &h->stages[i];
        merge_stage(stage, finer, i == 0, workers);
        if (i == 0 && finest->add != NULL) {
            finest->add(finest->context, h);
        }
        sn_parallel_for(workers, stage->level.vertex_count, VERTEX_GRAIN, invert_range,
                        &stage->level);
        SnVoxelOperator own = {.level = &stage->level};
        stage->radius = i + 1 < h->count ? find_radius(&own, workers) : 0.0;
        finer = &stage->level;
    }
    h->radius = find_radius(finest, workers);
    return factor_coarsest(h, error);
}

// Cycles -----------------------------------------------------------------------------------------

// Chebyshev's iteration of degree DEGREE for D^-1 A between the largest eigenvalue and a share of
// it.
enum { DEGREE = 2 };
#define SMOOTHED_SHARE 0.125

typedef struct Smoother {
    double theta, delta, rho;
} Smoother;

static Smoother begin_smoother(double radius)
{
    double theta = 0.5 * radius * (1.0 + SMOOTHED_SHARE), delta = theta - SMOOTHED_SHARE * radius;
    return (Smoother){theta, delta, delta / theta};
}

// From x and its residual r with z = D^-1 r. `last`: nobody asks for the residual afterwards.
static void smooth(const SnVoxelOperator *matrix, SnWorkers *workers, double radius, bool last)
{
    const SnVoxelLevel *level = matrix->level;
    Smoother s = begin_smoother(radius);
    double sums[2];
    sn_voxel_level_follow(level, workers, 1.0 / s.theta, 0.0);
    for (int i = 1; i <= DEGREE; ++i) {
        if (i == DEGREE && last) {
            memset(level->q, 0, 4 * (size_t)level->vertex_count * sizeof *level->q);
        } else {
            sn_voxel_operator_apply(matrix, workers);
        }
        sn_voxel_operator_advance(matrix, workers, 1.0, sums);
        double rho = 1.0 / (2.0 * s.theta / s.delta - s.rho);
        if (i < DEGREE) {
            sn_voxel_level_follow(level, workers, 2.0 * rho / s.delta, rho * s.rho);
        }
        s.rho = rho;
    }
}

typedef struct Transfer {
    const SnVoxelStage *stage;
    const SnVoxelLevel *finer;
} Transfer;

// r of a coarser vertex from those that follow it.
static void restrict_range(void *context, int begin, int end, int worker)
{
    const Transfer *job = context;
    const SnVoxelStage *stage = job->stage;
    (void)worker;
    for (size_t v = (size_t)begin; v < (size_t)end; ++v) {
        float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
        for (int i = stage->fine_start[v]; i < stage->fine_start[v + 1]; ++i) {
            const float *r = job->finer->r + 4 * (size_t)stage->fine[i];
            for (int k = 0; k < 4; ++k) {
                sum[k] += stage->fine_shares[i] * r[k];
            }
        }
        for (size_t k = 0; k < 4; ++k) {
            stage->level.r[4 * v + k] = sum[k] * stage->level.free[4 * v + k];
        }
    }
}

// p of a finer vertex from what the coarser ones have found.
static void prolong_range(void *context, int begin, int end, int worker)
{
    const Transfer *job = context;
    const SnVoxelStage *stage = job->stage;
    (void)worker;
    for (size_t v = (size_t)begin; v < (size_t)end; ++v) {
        float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
        for (size_t c = 8 * v; c < 8 * v + 8; ++c) {
            const float *x = stage->level.x + 4 * (size_t)stage->nodes[c];
            for (int k = 0; k < 4; ++k) {
                sum[k] += stage->shares[c] * x[k];
            }
        }
        for (size_t k = 0; k < 4; ++k) {
            job->finer->p[4 * v + k] = sum[k] * job->finer->free[4 * v + k];
        }
    }
}

static void solve_coarsest(const SnVoxelHierarchy *h)
{
    const SnVoxelLevel *level = &h->stages[h->count - 1].level;
    size_t vertices = (size_t)level->vertex_count;
    for (size_t i = 0; i < 3 * vertices; ++i) {
        h->right[i] = (double)level->r[i / 3 * 4 + i % 3];
    }
    // Cannot fail: there are values.
    sn_cholesky_solve_double(h->factor, h->work, NULL, h->right, NULL);
    for (size_t i = 0; i < 3 * vertices; ++i) {
        level->x[i / 3 * 4 + i % 3] = (float)h->right[i] * level->free[i / 3 * 4 + i % 3];
    }
}

// Down from a level to the coarsest and up again; `next` is its stage.
static void cycle(const SnVoxelHierarchy *h, const SnVoxelOperator *matrix, double radius, int next,
                  SnWorkers *workers)
{
    const SnVoxelLevel *level = matrix->level;
    size_t size = 4 * (size_t)level->vertex_count * sizeof(float);
    double sums[2];
    if (next == h->count) {
        solve_coarsest(h);
        return;
    }
    const SnVoxelStage *stage = &h->stages[next];
    SnVoxelOperator coarser = {.level = &stage->level};
    Transfer job = {stage, level};
    memset(level->x, 0, size);
    memset(level->p, 0, size);
    memset(level->q, 0, size);
    sn_voxel_operator_advance(matrix, workers, 0.0, sums); // z = D^-1 r
    smooth(matrix, workers, radius, false);
    sn_parallel_for(workers, stage->level.vertex_count, VERTEX_GRAIN, restrict_range, &job);
    cycle(h, &coarser, stage->radius, next + 1, workers);
    sn_parallel_for(workers, level->vertex_count, VERTEX_GRAIN, prolong_range, &job);
    sn_voxel_operator_apply(matrix, workers);
    sn_voxel_operator_advance(matrix, workers, 1.0, sums);
    smooth(matrix, workers, radius, true);
}

void sn_voxel_hierarchy_cycle(const SnVoxelHierarchy *h, const SnVoxelOperator *finest,
                              SnWorkers *workers)
{
    cycle(h, finest, h->radius, 0, workers);
}

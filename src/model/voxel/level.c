#include "model/voxel/level.h"

enum { CELL_GRAIN = 128, VERTEX_GRAIN = 512 };

SinewStatus sn_voxel_level_create(SnVoxelLevel *level, const SinewAllocator *allocator,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    float **vectors[] = {&level->x, &level->r, &level->z, &level->p, &level->q, &level->free};
    size_t count = sizeof vectors / sizeof *vectors, size = 4 * (size_t)level->vertex_count;
    SN_ALLOC_ZERO(level->numbers, allocator,
                  (count + 3) * size + SN_VOXEL_OUT * (size_t)level->cell_count, error);
    for (size_t i = 0; i < count; ++i) {
        *vectors[i] = level->numbers + i * size;
    }
    level->inverse = level->numbers + count * size;
    level->out = level->inverse + 3 * size;

done:
    return status;
}

void sn_voxel_level_release(SnVoxelLevel *level, const SinewAllocator *allocator)
{
    sn_free(allocator, level->numbers);
    *level = (SnVoxelLevel){0};
}

static void apply_range(void *context, int begin, int end, int worker)
{
    const SnVoxelLevel *level = context;
    SnVoxelBatch batch = {level->matrices,  level->kinds, level->corners,
                          level->rotations, level->p,     level->out};
    (void)worker;
    level->kernels->voxel->apply(&batch, begin, end);
}

void sn_voxel_level_apply(const SnVoxelLevel *level, SnWorkers *workers)
{
    SnVoxelLevel job = *level;
    sn_parallel_for(workers, level->cell_count, CELL_GRAIN, apply_range, &job);
}

typedef struct Pass {
    const SnVoxelKernels *kernels;
    SnVoxelVectors vectors;
    float a, b;
} Pass;

static Pass begin_pass(const SnVoxelLevel *level, double a, double b)
{
    return (Pass){level->kernels->voxel,
                  {level->vertex_start, level->vertex_corners, level->out, level->free,
                   level->inverse, level->x, level->r, level->z, level->p, level->q},
                  (float)a,
                  (float)b};
}

static void gather_range(void *context, int begin, int end, double *sums)
{
    const Pass *pass = context;
    sums[0] = pass->kernels->gather(&pass->vectors, begin, end);
}

double sn_voxel_level_gather(const SnVoxelLevel *level, SnWorkers *workers)
{
    Pass pass = begin_pass(level, 0.0, 0.0);
    double sum;
    sn_parallel_sum(workers, level->vertex_count, 1, gather_range, &pass, &sum);
    return sum;
}

static void advance_range(void *context, int begin, int end, double *sums)
{
    const Pass *pass = context;
    pass->kernels->advance(&pass->vectors, pass->a, begin, end, sums);
}

void sn_voxel_level_advance(const SnVoxelLevel *level, SnWorkers *workers, double alpha,
                            double sums[2])
{
    Pass pass = begin_pass(level, alpha, 0.0);
    sn_parallel_sum(workers, level->vertex_count, 2, advance_range, &pass, sums);
}

typedef struct Pair {
    const float *a, *b;
} Pair;

static void dot_range(void *context, int begin, int end, double *sums)
{
    const Pair *pair = context;
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    for (size_t i = 4 * (size_t)begin; i < 4 * (size_t)end; ++i) {
        sum[i % 4] += (double)pair->a[i] * (double)pair->b[i];
    }
    sums[0] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

double sn_voxel_level_dot(const SnVoxelLevel *level, SnWorkers *workers, const float *a,
                          const float *b)
{
    Pair pair = {a, b};
    double sum;
    sn_parallel_sum(workers, level->vertex_count, 1, dot_range, &pair, &sum);
    return sum;
}

static void follow_range(void *context, int begin, int end, int worker)
{
    const Pass *pass = context;
    (void)worker;
    pass->kernels->follow(&pass->vectors, pass->a, pass->b, begin, end);
}

void sn_voxel_level_follow(const SnVoxelLevel *level, SnWorkers *workers, double a, double b)
{
    Pass pass = begin_pass(level, a, b);
    sn_parallel_for(workers, level->vertex_count, VERTEX_GRAIN, follow_range, &pass);
}

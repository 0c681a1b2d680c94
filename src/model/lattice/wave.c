#include "model/lattice/wave.h"

#include <string.h>

enum {
    GRAIN = 256,      // node blocks a range of a vector
    LEAST_BLOCKS = 24 // cell blocks of all sweeps at once for which other workers are called
};

typedef struct Wave {
    const SnLatticeLevel *level;
    const SnLatticeStage *stages;
    int time;        // stage s is at plane time - 2 s
    int first_heavy; // stages before it have no product
} Wave;

// One plane ---------------------------------------------------------------------------------------

static void start_from_zero(const SnLatticeLevel *level, size_t at, size_t size, float take)
{
    level->kernels->begin(level->b + at, level->d_inverse + at, take, (int)size, level->p + at,
                          level->x + at);
}

// K x of a plane: the sums that the slab before it left, and those of the slab after it. Leaves the
// next plane its part.
static float *multiply_plane(const SnLatticeLevel *level, int slot, int plane)
{
    const SnLatticeGrid *grid = &level->grid;
    const SnLatticeKernels *kernels = level->kernels;
    float *own = level->room + 3 * (size_t)slot * level->plane_size;
    float *y = own + (size_t)(1 + plane % 2) * level->plane_size;
    float *next = own + (size_t)(2 - plane % 2) * level->plane_size;
    int begin = grid->plane_start[plane], end = grid->plane_start[plane + 1];
    int count = (end - begin) * SN_LATTICE_NODE;
    // As sn_lattice_level_apply sums: apart where a chunk begins.
    bool apart = plane > 0 && plane % level->chunk_slabs == 0;
    float *low = apart ? own : y;
    if (plane < grid->size[0]) {
        int after = grid->plane_start[plane + 2] - end;
        memset(next, 0, (size_t)after * SN_LATTICE_NODE * sizeof *next);
        if (apart || plane == 0) {
            memset(low, 0, (size_t)count * sizeof *low);
        }
        sn_lattice_level_apply_slab(level, false, plane, level->x,
                                    low - (size_t)begin * SN_LATTICE_NODE,
                                    next - (size_t)end * SN_LATTICE_NODE);
        if (apart) {
            kernels->add(1.0f, low, count, y);
        }
    }
    if (level->has_inertia) {
        kernels->mass(1.0f, level->inertia + (size_t)begin * SN_LATTICE_BLOCK,
                      level->x + (size_t)begin * SN_LATTICE_NODE, end - begin, y);
    }
    return y;
}

static void run_plane(const Wave *wave, int s)
{
    const SnLatticeLevel *level = wave->level;
    const SnLatticeStage *stage = &wave->stages[s];
    const int *start = level->grid.plane_start;
    int plane = wave->time - 2 * s;
    if (plane < 0 || plane > level->grid.size[0]) {
        return;
    }
    size_t at = (size_t)start[plane] * SN_LATTICE_NODE;
    size_t size = (size_t)(start[plane + 1] - start[plane]) * SN_LATTICE_NODE;
    if (stage->kind == SN_LATTICE_FROM_ZERO) {
        start_from_zero(level, at, size, stage->take);
        return;
    }
    const float *y = multiply_plane(level, s - wave->first_heavy, plane);
    if (stage->kind == SN_LATTICE_SWEEP) {
        level->kernels->smooth(level->b + at, y, level->d_inverse + at, stage->keep, stage->take,
                               (int)size, level->p + at, level->x + at);
    } else {
        level->kernels->residual(level->b + at, y, level->d_inverse + at, (int)size, level->y + at);
    }
}

static void run_range(void *context, int begin, int end, int worker)
{
    const Wave *wave = context;
    (void)worker;
    for (int s = begin; s < end; ++s) {
        run_plane(wave, s);
    }
}

// Stages that follow each other through the planes; at most SN_LATTICE_STAGES with a product.
static void run_wave(const SnLatticeLevel *level, SnWorkers *workers, const SnLatticeStage *stages,
                     int count)
{
    Wave wave = {.level = level, .stages = stages};
    wave.first_heavy = stages[0].kind == SN_LATTICE_FROM_ZERO ? 1 : 0;
    int last = level->grid.size[0] + 2 * (count - 1);
    int blocks = level->grid.cell_blocks / level->grid.size[0] * count;
    for (wave.time = 0; wave.time <= last; ++wave.time) {
        sn_parallel_for(blocks < LEAST_BLOCKS ? NULL : workers, count, 1, run_range, &wave);
    }
}

// The whole level ---------------------------------------------------------------------------------

static void whole_range(void *context, int begin, int end, int worker)
{
    const Wave *wave = context;
    const SnLatticeLevel *level = wave->level;
    const SnLatticeStage *stage = wave->stages;
    size_t at = (size_t)begin * SN_LATTICE_NODE;
    int count = (end - begin) * SN_LATTICE_NODE;
    (void)worker;
    if (stage->kind == SN_LATTICE_FROM_ZERO) {
        start_from_zero(level, at, (size_t)count, stage->take);
    } else if (stage->kind == SN_LATTICE_SWEEP) {
        level->kernels->smooth(level->b + at, level->y + at, level->d_inverse + at, stage->keep,
                               stage->take, count, level->p + at, level->x + at);
    } else {
        level->kernels->residual(level->b + at, level->y + at, level->d_inverse + at, count,
                                 level->y + at);
    }
}

static void run_whole(const SnLatticeLevel *level, SnWorkers *workers, const SnLatticeStage *stage)
{
    Wave wave = {.level = level, .stages = stage};
    if (stage->kind != SN_LATTICE_FROM_ZERO) {
        sn_lattice_level_apply(level, workers, false, level->x, level->y);
    }
    sn_parallel_for(workers, level->grid.node_blocks, GRAIN, whole_range, &wave);
}

void sn_lattice_level_sweep(const SnLatticeLevel *level, SnWorkers *workers,
                            const SnLatticeStage *stages, int count)
{
    int workers_count = sn_workers_count(workers);
    int done = 0;
    // Transfers read node block 0 of y for what is not there; y has had other uses.
    memset(level->y, 0, SN_LATTICE_NODE * sizeof *level->y);
    while (done < count) {
        int zero = stages[done].kind == SN_LATTICE_FROM_ZERO ? 1 : 0;
        int heavy = count - done - zero;
        heavy = heavy < SN_LATTICE_STAGES ? heavy : SN_LATTICE_STAGES;
        // Sweeps at work at the same time keep all workers busy, or one goes by itself. Springs sit
        // anywhere.
        heavy -= heavy % workers_count;
        if (heavy > 0 && level->springs == NULL) {
            run_wave(level, workers, stages + done, zero + heavy);
            done += zero + heavy;
        } else {
            run_whole(level, workers, &stages[done]);
            done += 1;
        }
    }
}

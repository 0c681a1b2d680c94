// What a level is at the places of its nodes: rotations and tangents of its cells, and energy and
// forces.
#include "model/lattice/level.h"

#include <math.h>
#include <string.h>

// Linearising ------------------------------------------------------------------------------------

typedef struct Linearise {
    const SnLatticeLevel *level;
    const SnLatticeLevel *finer;
    const double *x;
    bool compares; // R and L stay
} Linearise;

void sn_lattice_level_rotate(const SnLatticeLevel *level, int cells, SnLatticeRotations *r)
{
    SnRotationBatch batch = {.count = cells,
                             .stride = SN_LATTICE_BATCH,
                             .F = r->F,
                             .R = r->R,
                             .sigma = r->sigma,
                             .V = r->V};
    level->rotations(&batch, 0, cells);
}

// F of a coarse cell: the mean over the cells below that are there.
static void average_cell(const SnLatticeGrid *grid, const SnLatticeLevel *finer, int block,
                         int lane, float *out)
{
    const int *place = grid->places + 3 * (size_t)block;
    float sum[9] = {0.0f};
    float count = 0.0f;
    for (int c = 0; c < 8; ++c) {
        int cell =
            sn_lattice_grid_cell(&finer->grid, 2 * place[0] + (c >> 2 & 1),
                                 2 * place[1] + (c >> 1 & 1), 2 * (place[2] + lane) + (c & 1));
        if (cell < 0) {
            continue;
        }
        const float *F = finer->F + (size_t)(cell / SN_LATTICE_BLOCK) * 9 * SN_LATTICE_BLOCK +
                         cell % SN_LATTICE_BLOCK;
        count += 1.0f;
        for (int k = 0; k < 9; ++k) {
            sum[k] += F[SN_LATTICE_BLOCK * k];
        }
    }
    for (int k = 0; k < 9; ++k) {
        out[k * SN_LATTICE_BATCH] = count > 0.0f ? sum[k] / count : 0.0f;
    }
}

// With L = -mu, 2 mu A + [L axl A]x is the mu (A + A^T) of warped stiffness; with L = 0, the 2 mu A
// of Zhu et al. [A sec 5].
static void replace_answers(const SnLatticeLevel *level, int begin, int end)
{
    float share = level->differential == SINEW_LATTICE_WARPED ? -1.0f : 0.0f;
    for (int b = begin; b < end; ++b) {
        const float *mu = level->lame + (size_t)b * 2 * SN_LATTICE_BLOCK;
        float *L = level->L + (size_t)b * 6 * SN_LATTICE_BLOCK;
        for (int i = 0; i < 6 * SN_LATTICE_BLOCK; ++i) {
            L[i] = i < 3 * SN_LATTICE_BLOCK ? share * mu[i % SN_LATTICE_BLOCK] : 0.0f;
        }
    }
}

// F of the blocks [begin, end): from positions, from the finer level, or the level's own.
static void take_gradients(const Linearise *job, int begin, int end, SnLatticeRotations *r)
{
    const SnLatticeLevel *level = job->level;
    bool own = job->x == NULL && job->finer == NULL;
    size_t size = SN_LATTICE_BLOCK * sizeof *level->F;
    if (job->x != NULL) {
        level->kernels->gradient(level->grid.blocks, begin, end, job->x, 0.25 / level->grid.h, r);
    }
    for (int b = begin; b < end; ++b) {
        float *F = level->F + (size_t)b * 9 * SN_LATTICE_BLOCK;
        float *found = r->F + (b - begin) * SN_LATTICE_BLOCK;
        for (int lane = 0; lane < SN_LATTICE_BLOCK && job->finer != NULL; ++lane) {
            average_cell(&level->grid, job->finer, b, lane, found + lane);
        }
        for (int k = 0; k < 9; ++k) {
            float *a = F + k * SN_LATTICE_BLOCK, *c = found + k * SN_LATTICE_BATCH;
            memcpy(own ? c : a, own ? a : c, size);
        }
    }
}

// The largest |R - R_before|^2 over the cells of a range, which is twice the square of the angle
// where that is small. Empty lanes do not count: corners that are not there make their F arbitrary.
static float find_turn(const SnLatticeLevel *level, int begin, int end, const float *R, int stride,
                       const float *from)
{
    _Alignas(64) float most[SN_LATTICE_BLOCK] = {0.0f};
    float largest = 0.0f;
    for (int b = begin; b < end; ++b) {
        const float *before = from + (size_t)b * 9 * SN_LATTICE_BLOCK;
        // A batch has its components in planes; a level's, a block after the other.
        const float *after =
            R + (size_t)(b - begin) *
                    (stride == SN_LATTICE_BLOCK ? 9 * SN_LATTICE_BLOCK : SN_LATTICE_BLOCK);
        unsigned mask = level->grid.masks[b];
        for (int n = 0; n < SN_LATTICE_BLOCK; ++n) {
            float sum = 0.0f;
            for (int k = 0; k < 9; ++k) {
                float e = after[k * stride + n] - before[k * SN_LATTICE_BLOCK + n];
                sum += e * e;
            }
            sum = mask >> n & 1 ? sum : 0.0f;
            most[n] = sum > most[n] ? sum : most[n];
        }
    }
    for (int n = 0; n < SN_LATTICE_BLOCK; ++n) {
        largest = most[n] > largest ? most[n] : largest;
    }
    return largest;
}

// R and L of the blocks [begin, end) from their rotations.
static void take_rotations(const SnLatticeLevel *level, int begin, int end,
                           const SnLatticeRotations *r)
{
    level->kernels->linearise(r, begin, end, level->lame, level->R, level->L, level->L_exact);
    if (level->differential == SINEW_LATTICE_WARPED || level->differential == SINEW_LATTICE_ZHU) {
        replace_answers(level, begin, end);
    }
}

static void linearise_range(void *context, int begin, int end, int worker)
{
    const Linearise *job = context;
    const SnLatticeLevel *level = job->level;
    _Alignas(64) SnLatticeRotations r;
    (void)worker;
    take_gradients(job, begin, end, &r);
    sn_lattice_level_rotate(level, (end - begin) * SN_LATTICE_BLOCK, &r);
    if (job->x != NULL || job->compares) {
        level->turns[begin / SN_LATTICE_BATCH_BLOCKS] =
            find_turn(level, begin, end, r.R, SN_LATTICE_BATCH, level->R);
    }
    if (!job->compares) {
        take_rotations(level, begin, end, &r);
    }
}

// The angle of the largest of some turns.
static double largest_turn(const SnLatticeLevel *level, int count)
{
    float largest = 0.0f;
    for (int r = 0; r < count; ++r) {
        largest = level->turns[r] > largest ? level->turns[r] : largest;
    }
    return sqrt(0.5 * (double)largest);
}

static double turn_batches(const Linearise *job, SnWorkers *workers)
{
    int blocks = job->level->grid.cell_blocks;
    // Ranges write to the level's arrays alone.
    sn_parallel_for(workers, blocks, SN_LATTICE_BATCH_BLOCKS, linearise_range,
                    (void *)(uintptr_t)job);
    return largest_turn(job->level,
                        (blocks + SN_LATTICE_BATCH_BLOCKS - 1) / SN_LATTICE_BATCH_BLOCKS);
}

double sn_lattice_level_linearise(SnLatticeLevel *level, SnWorkers *workers, const double *x)
{
    return turn_batches(&(Linearise){.level = level, .x = x}, workers);
}

double sn_lattice_level_compare(SnLatticeLevel *level, const SnLatticeLevel *finer,
                                SnWorkers *workers)
{
    return turn_batches(&(Linearise){.level = level, .finer = finer, .compares = true}, workers);
}

double sn_lattice_level_compare_kept(const SnLatticeLevel *level)
{
    float turn =
        find_turn(level, 0, level->grid.cell_blocks, level->R, SN_LATTICE_BLOCK, level->R_kept);
    return sqrt(0.5 * (double)turn);
}

static void gradient_range(void *context, int begin, int end, int worker)
{
    const Linearise *job = context;
    _Alignas(64) SnLatticeRotations r;
    (void)worker;
    take_gradients(job, begin, end, &r);
}

void sn_lattice_level_gradients(SnLatticeLevel *level, SnWorkers *workers, const double *x)
{
    Linearise job = {.level = level, .x = x};
    sn_parallel_for(workers, level->grid.cell_blocks, SN_LATTICE_BATCH_BLOCKS, gradient_range,
                    &job);
}

void sn_lattice_level_average(SnLatticeLevel *level, const SnLatticeLevel *finer,
                              SnWorkers *workers)
{
    Linearise job = {.level = level, .finer = finer};
    sn_parallel_for(workers, level->grid.cell_blocks, SN_LATTICE_BATCH_BLOCKS, linearise_range,
                    &job);
}

void sn_lattice_level_relinearise(SnLatticeLevel *level, SnWorkers *workers)
{
    Linearise job = {.level = level};
    sn_parallel_for(workers, level->grid.cell_blocks, SN_LATTICE_BATCH_BLOCKS, linearise_range,
                    &job);
}

// Forces -----------------------------------------------------------------------------------------

typedef struct ForceJob {
    const SnLatticeLevel *level;
    const SnLatticeState *state;
} ForceJob;

static void force_slab(const ForceJob *job, int slab, double *f_low, double *f_high)
{
    const SnLatticeLevel *level = job->level;
    const SnLatticeState *state = job->state;
    bool wilson = level->element == SINEW_LATTICE_WILSON;
    SnLatticeForces forces = {.blocks = level->grid.blocks,
                              .lame = state->lame,
                              .h = level->grid.h,
                              .x = state->x,
                              .energies = state->energies,
                              .dets = state->dets,
                              .missing = level->element == SINEW_LATTICE_NAIVE ? 1.0 : 0.0};
    _Alignas(64) SnLatticeRotations r;
    int end = level->grid.slab_start[slab + 1];
    float turn = 0.0f;
    for (int b = level->grid.slab_start[slab]; b < end; b += SN_LATTICE_BATCH_BLOCKS) {
        int last = b + SN_LATTICE_BATCH_BLOCKS < end ? b + SN_LATTICE_BATCH_BLOCKS : end;
        level->kernels->gradient(level->grid.blocks, b, last, state->x, 0.25 / level->grid.h, &r);
        sn_lattice_level_rotate(level, (last - b) * SN_LATTICE_BLOCK, &r);
        (wilson ? level->kernels->force_wilson
                : level->kernels->force_mcadams)(&forces, &r, b, last, f_low, f_high);
        if (state->linearises) {
            float here = find_turn(level, b, last, r.R, SN_LATTICE_BATCH, level->R);
            turn = here > turn ? here : turn;
            take_rotations(level, b, last, &r);
        }
    }
    if (state->linearises) {
        level->turns[slab] = turn;
    }
}

// Sums in double for the planes between chunks lie over y and p, which hold nothing between cycles
// and have room for a double a number; node block 0 stays zero.
static double *edges64(const SnLatticeLevel *level)
{
    return (double *)(void *)(level->y + SN_LATTICE_NODE);
}

static void force_range(void *context, int begin, int end, int worker)
{
    const ForceJob *job = context;
    const SnLatticeLevel *level = job->level;
    (void)worker;
    for (int c = begin; c < end; ++c) {
        SnLatticeChunk chunk = sn_lattice_level_chunk(level, c);
        double *force = job->state->force;
        double *edge = edges64(level) + chunk.edge;
        size_t planes = (size_t)(chunk.plane_end - chunk.plane) * SN_LATTICE_NODE;
        memset(force + (size_t)chunk.plane * SN_LATTICE_NODE, 0, planes * sizeof *edge);
        memset(edge, 0, (size_t)chunk.edge_size * sizeof *edge);
        for (int s = chunk.first; s < chunk.last; ++s) {
            bool spills = s + 1 == chunk.last && chunk.edge_plane > 0;
            double *above = spills ? edge - (size_t)chunk.edge_plane * SN_LATTICE_NODE : force;
            force_slab(job, s, force, above);
        }
    }
}

static void sum_energies(void *context, int begin, int end, double *sums)
{
    const double *energies = context;
    double sum = 0.0;
    for (int b = begin; b < end; ++b) {
        sum += energies[b];
    }
    sums[0] = sum;
}

double sn_lattice_level_force(const SnLatticeLevel *level, SnWorkers *workers,
                              const SnLatticeState *state)
{
    ForceJob job = {.level = level, .state = state};
    double energy = 0.0;
    sn_parallel_for(workers, level->chunk_count, 1, force_range, &job);
    for (int c = 0; c < level->chunk_count; ++c) {
        SnLatticeChunk chunk = sn_lattice_level_chunk(level, c);
        const double *edge = edges64(level) + chunk.edge;
        double *to = state->force + (size_t)chunk.edge_plane * SN_LATTICE_NODE;
        for (int i = 0; i < chunk.edge_size; ++i) {
            to[i] += edge[i];
        }
    }
    sn_parallel_sum(workers, level->grid.cell_blocks, 1, sum_energies, state->energies, &energy);
    return energy == energy ? energy : INFINITY;
}

double sn_lattice_level_turned(const SnLatticeLevel *level)
{
    return largest_turn(level, level->grid.size[0]);
}

static void rise_range(void *context, int begin, int end, double *sums)
{
    const Linearise *job = context;
    const SnLatticeLevel *level = job->level;
    SnLatticeOperator op = sn_lattice_level_operator(level, false);
    _Alignas(64) SnLatticeRotations r;
    sums[0] = sums[1] = 0.0;
    for (int b = begin; b < end; b += SN_LATTICE_BATCH_BLOCKS) {
        int last = b + SN_LATTICE_BATCH_BLOCKS < end ? b + SN_LATTICE_BATCH_BLOCKS : end;
        level->kernels->gradient(level->grid.blocks, b, last, job->x, 0.25 / level->grid.h, &r);
        level->kernels->rise(&op, &r, b, last, sums);
    }
}

void sn_lattice_level_rise(const SnLatticeLevel *level, SnWorkers *workers, const double *move,
                           double out[2])
{
    Linearise job = {.level = level, .x = move};
    // Stiffnesses are times h / 16, energies times h^3.
    double scale = 16.0 * level->grid.h * level->grid.h;
    sn_parallel_sum(workers, level->grid.cell_blocks, 2, rise_range, &job, out);
    out[0] *= scale;
    out[1] *= scale;
}

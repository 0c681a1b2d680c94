#include "model/lattice/level.h"

#include <math.h>
#include <string.h>

// Ranges of slabs: enough for a few workers, few enough that edges are cheap.
enum { CHUNKS_MAX = 16 };

// Storage ----------------------------------------------------------------------------------------

static SinewStatus lay_chunks(SnLatticeLevel *level, const SinewAllocator *allocator,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnLatticeGrid *grid = &level->grid;
    int slabs = grid->size[0];
    size_t count = 0;

    level->chunk_slabs = (slabs + CHUNKS_MAX - 1) / CHUNKS_MAX;
    level->chunk_slabs = level->chunk_slabs > 2 || slabs < 4 ? level->chunk_slabs : 2;
    level->chunk_count = (slabs + level->chunk_slabs - 1) / level->chunk_slabs;
    SN_ALLOC(level->edge_start, allocator, level->chunk_count + 1, error);
    for (int s = 0; s <= slabs; ++s) {
        size_t plane = (size_t)(grid->plane_start[s + 1] - grid->plane_start[s]) * SN_LATTICE_NODE;
        level->plane_size = plane > level->plane_size ? plane : level->plane_size;
        if (s > 0 && s % level->chunk_slabs == 0 && s < slabs) {
            level->edge_start[s / level->chunk_slabs - 1] = (int)count;
            count += plane;
        }
    }
    level->edge_start[level->chunk_count - 1] = (int)count;

done:
    return status;
}

// What a linearisation and a cycle work with.
static SinewStatus make_moving(SnLatticeLevel *level, const SinewAllocator *allocator,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t cells = (size_t)level->grid.cell_blocks * SN_LATTICE_BLOCK;
    size_t numbers = (size_t)sn_lattice_grid_numbers(&level->grid);

    SN_ALLOC_ZERO(level->R, allocator, 9 * cells, error);
    SN_ALLOC_ZERO(level->L, allocator, 6 * cells, error);
    SN_ALLOC_ZERO(level->lame, allocator, 2 * cells, error);
    SN_ALLOC_ZERO(level->inertia, allocator, numbers / 3, error);
    SN_ALLOC_ZERO(level->d_inverse, allocator, numbers, error);
    SN_ALLOC_ZERO(level->x, allocator, 4 * numbers, error);
    level->b = level->x + numbers;
    level->y = level->b + numbers;
    level->p = level->y + numbers;
    if (level->corrects) {
        SN_ALLOC_ZERO(level->F, allocator, 9 * cells, error);
    } else {
        level->F = level->b; // no cell block without a node block of its own
    }
    if (level->index == 0) {
        SN_ALLOC_ZERO(level->L_exact, allocator, 6 * cells, error);
    } else if (level->corrects) {
        SN_ALLOC_ZERO(level->correction, allocator, numbers, error);
    }
    SN_ALLOC_ZERO(level->turns, allocator,
                  level->grid.cell_blocks / SN_LATTICE_BATCH_BLOCKS + 1 + level->grid.size[0],
                  error);
    size_t planes = (size_t)level->chunk_count - 1;
    planes = planes > SN_LATTICE_ROOM ? planes : SN_LATTICE_ROOM;
    SN_ALLOC_ZERO(level->room, allocator, planes * level->plane_size, error);

done:
    return status;
}

SinewStatus sn_lattice_level_create(SnLatticeLevel *level, const SinewAllocator *allocator,
                                    SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(lay_chunks(level, allocator, error));
    SN_TRY(make_moving(level, allocator, error));

done:
    return status;
}

SinewStatus sn_lattice_level_copy(const SnLatticeLevel *from, const SinewAllocator *allocator,
                                  SnLatticeLevel *out_level, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *out_level = (SnLatticeLevel){.grid = from->grid,
                                  .kernels = from->kernels,
                                  .rotations = from->rotations,
                                  .element = from->element,
                                  .differential = from->differential,
                                  .hourglass = from->hourglass,
                                  .index = from->index,
                                  .mixed = from->mixed,
                                  .corrects = from->corrects,
                                  .chunk_slabs = from->chunk_slabs,
                                  .chunk_count = from->chunk_count,
                                  .edge_start = from->edge_start,
                                  .plane_size = from->plane_size,
                                  .is_lent = true};
    SN_TRY(make_moving(out_level, allocator, error));
    memcpy(out_level->lame, from->lame,
           2 * (size_t)from->grid.cell_blocks * SN_LATTICE_BLOCK * sizeof *from->lame);
    SN_TRY(sn_lattice_hold_lend(&from->hold, allocator, &out_level->hold, error));

done:
    return status;
}

SinewStatus sn_lattice_hold_lend(const SnLatticeHold *from, const SinewAllocator *allocator,
                                 SnLatticeHold *out_hold, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *out_hold = *from;
    out_hold->is_lent = true;
    out_hold->matrices = out_hold->modal_matrices = NULL;
    if (from->cut_count > 0) {
        SN_ALLOC_ZERO(out_hold->matrices, allocator, 768 * (size_t)from->cut_count, error);
    }
    if (from->modal_count > 0) {
        SN_ALLOC_ZERO(out_hold->modal_matrices, allocator,
                      (size_t)from->modal_count * SN_LATTICE_MODAL * SN_LATTICE_BLOCK, error);
    }

done:
    if (status < 0) {
        sn_lattice_hold_release(out_hold, allocator);
    }
    return status;
}

void sn_lattice_hold_release(SnLatticeHold *hold, const SinewAllocator *allocator)
{
    if (!hold->is_lent) {
        sn_free(allocator, hold->held);
        sn_free(allocator, hold->cuts);
        sn_free(allocator, hold->cut_start);
        sn_free(allocator, hold->cut_of);
        sn_free(allocator, hold->modals);
        sn_free(allocator, hold->modal_start);
    }
    sn_free(allocator, hold->matrices);
    sn_free(allocator, hold->modal_matrices);
    *hold = (SnLatticeHold){0};
}

void sn_lattice_level_shrink(SnLatticeLevel *level, const SinewAllocator *allocator)
{
    float **arrays[] = {&level->R,
                        &level->R_kept,
                        &level->L,
                        &level->L_exact,
                        &level->turns,
                        &level->inertia,
                        &level->x,
                        &level->d_inverse,
                        &level->correction,
                        &level->room,
                        &level->F,
                        &level->hold.matrices,
                        &level->hold.modal_matrices};
    level->F = level->corrects ? level->F : NULL; // else it is a part of x
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sn_free(allocator, *arrays[i]);
        *arrays[i] = NULL;
    }
}

void sn_lattice_level_release(SnLatticeLevel *level, const SinewAllocator *allocator)
{
    sn_lattice_level_shrink(level, allocator);
    sn_lattice_hold_release(&level->hold, allocator);
    sn_free(allocator, level->lame);
    if (!level->is_lent) {
        sn_lattice_grid_release(&level->grid, allocator);
        sn_free(allocator, level->mixed);
        sn_free(allocator, level->edge_start);
    }
    *level = (SnLatticeLevel){0};
}

void sn_lattice_grid_site(const SnLatticeGrid *grid, int index, const int place[3],
                          const double u[3], SnLatticeSpring *out_site)
{
    double at[3];
    int there[3];
    for (int k = 0; k < 3; ++k) {
        there[k] = place[k] >> index;
        at[k] = (place[k] + u[k]) / (double)(1 << index) - there[k];
    }
    sn_lattice_grid_corners(grid, there[0], there[1], there[2], out_site->nodes);
    for (int c = 0; c < 8; ++c) {
        double w = 1.0;
        for (int k = 0; k < 3; ++k) {
            w *= c >> (2 - k) & 1 ? at[k] : 1.0 - at[k];
        }
        out_site->weights[c] = (float)w;
    }
}

// Products ---------------------------------------------------------------------------------------

typedef struct Job {
    const SnLatticeLevel *level;
    SnLatticeOperator op;
    const float *x;
    float *y;
    bool diagonal;
} Job;

SnLatticeChunk sn_lattice_level_chunk(const SnLatticeLevel *level, int index)
{
    const SnLatticeGrid *grid = &level->grid;
    int last = (index + 1) * level->chunk_slabs;
    SnLatticeChunk chunk = {.first = index * level->chunk_slabs, .edge = level->edge_start[index]};
    chunk.last = last < grid->size[0] ? last : grid->size[0];
    chunk.plane = grid->plane_start[chunk.first];
    chunk.plane_end = grid->plane_start[chunk.last];
    if (last < grid->size[0]) {
        chunk.edge_plane = chunk.plane_end;
        chunk.edge_size = (grid->plane_start[last + 1] - grid->plane_start[last]) * SN_LATTICE_NODE;
    } else {
        chunk.plane_end = grid->plane_start[chunk.last + 1];
    }
    return chunk;
}

static void add_cuts(const Job *job, int slab, float *y_low, float *y_high)
{
    const SnLatticeHold *hold = &job->level->hold;
    for (int n = hold->cut_start[slab]; n < hold->cut_start[slab + 1]; ++n) {
        const SnLatticeCut *cut = &hold->cuts[n];
        const float *matrix = hold->matrices + (size_t)n * 768;
        _Alignas(64) float x[32] = {0.0f}, y[32] = {0.0f};
        for (int c = 0; c < 24; ++c) {
            int at = cut->corners[c / 3] + SN_LATTICE_BLOCK * (c % 3);
            x[c] = job->diagonal ? 0.0f : job->x[at];
            y[c] = job->diagonal ? matrix[32 * c + c] : 0.0f;
        }
        if (!job->diagonal) {
            job->level->kernels->dense(matrix, x, y);
        }
        for (int c = 0; c < 24; ++c) {
            float *to = c < 12 ? y_low : y_high;
            to[cut->corners[c / 3] + SN_LATTICE_BLOCK * (c % 3)] += y[c];
        }
    }
}

// The same for cells with matrices over modes, sixteen at a time.
static void add_modals(const Job *job, int slab, float *y_low, float *y_high)
{
    const SnLatticeHold *hold = &job->level->hold;
    for (int n = hold->modal_start[slab]; n < hold->modal_start[slab + 1]; ++n) {
        const SnLatticeModal *modal = &hold->modals[n];
        const float *matrix =
            hold->modal_matrices + (size_t)n * SN_LATTICE_MODAL * SN_LATTICE_BLOCK;
        _Alignas(64) float x[24 * SN_LATTICE_BLOCK], y[24 * SN_LATTICE_BLOCK];
        if (job->diagonal) {
            job->level->kernels->modal_diagonal(matrix, y);
        } else {
            for (int i = 0; i < 8 * SN_LATTICE_BLOCK; ++i) {
                const float *at = job->x + modal->corners[i];
                float *to = x + i / SN_LATTICE_BLOCK * 3 * SN_LATTICE_BLOCK + i % SN_LATTICE_BLOCK;
                to[0] = at[0];
                to[SN_LATTICE_BLOCK] = at[SN_LATTICE_BLOCK];
                to[2 * SN_LATTICE_BLOCK] = at[2 * SN_LATTICE_BLOCK];
            }
            job->level->kernels->modal_apply(matrix, x, y);
        }
        for (int c = 0; c < 8; ++c) {
            float *sums = c < 4 ? y_low : y_high;
            const float *from = y + c * 3 * SN_LATTICE_BLOCK;
            for (int lane = 0; lane < modal->count; ++lane) {
                float *to = sums + modal->corners[c * SN_LATTICE_BLOCK + lane];
                to[0] += from[lane];
                to[SN_LATTICE_BLOCK] += from[SN_LATTICE_BLOCK + lane];
                to[2 * SN_LATTICE_BLOCK] += from[2 * SN_LATTICE_BLOCK + lane];
            }
        }
    }
}

SnLatticeOperator sn_lattice_level_operator(const SnLatticeLevel *level, bool exact)
{
    return (SnLatticeOperator){.blocks = level->grid.blocks,
                               .R = level->R,
                               .L = exact ? level->L_exact : level->L,
                               .lame = level->lame,
                               .hourglass = level->hourglass};
}

static void apply_slab(const Job *job, int slab, float *y_low, float *y_high)
{
    const SnLatticeLevel *level = job->level;
    const SnLatticeKernels *kernels = level->kernels;
    bool wilson = level->element == SINEW_LATTICE_WILSON;
    int begin = level->grid.slab_start[slab], end = level->grid.slab_start[slab + 1];
    if (job->diagonal) {
        (wilson ? kernels->diagonal_wilson : kernels->diagonal_mcadams)(&job->op, begin, end, y_low,
                                                                        y_high);
    } else {
        (wilson ? kernels->apply_wilson : kernels->apply_mcadams)(&job->op, begin, end, job->x,
                                                                  y_low, y_high);
    }
    if (level->hold.cut_count > 0) {
        add_cuts(job, slab, y_low, y_high);
    }
    if (level->hold.modal_count > 0) {
        add_modals(job, slab, y_low, y_high);
    }
}

void sn_lattice_level_apply_slab(const SnLatticeLevel *level, bool exact, int slab, const float *x,
                                 float *y_low, float *y_high)
{
    Job job = {.level = level, .op = sn_lattice_level_operator(level, exact), .x = x};
    apply_slab(&job, slab, y_low, y_high);
}

// The sums of a plane begin with those of the slab before it, but where a chunk begins: there the
// slabs before and after are summed by themselves and then added. Sweeps that follow each other
// through the planes (wave.h) keep to the same order, and so have the same bits.
static void apply_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnLatticeLevel *level = job->level;
    (void)worker;
    for (int c = begin; c < end; ++c) {
        SnLatticeChunk chunk = sn_lattice_level_chunk(level, c);
        float *edge = level->room + (size_t)c * level->plane_size;
        size_t planes = (size_t)(chunk.plane_end - chunk.plane) * SN_LATTICE_NODE;
        memset(job->y + (size_t)chunk.plane * SN_LATTICE_NODE, 0, planes * sizeof *edge);
        memset(edge, 0, (size_t)chunk.edge_size * sizeof *edge);
        for (int s = chunk.first; s < chunk.last; ++s) {
            // The edge is addressed by the numbers of its node blocks, as y is.
            bool spills = s + 1 == chunk.last && chunk.edge_plane > 0;
            float *above = spills ? edge - (size_t)chunk.edge_plane * SN_LATTICE_NODE : job->y;
            apply_slab(job, s, job->y, above);
        }
    }
}

static void join_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnLatticeLevel *level = job->level;
    (void)worker;
    for (int c = begin; c < end; ++c) {
        SnLatticeChunk chunk = sn_lattice_level_chunk(level, c);
        if (chunk.edge_plane > 0) {
            level->kernels->add(1.0f, level->room + (size_t)c * level->plane_size, chunk.edge_size,
                                job->y + (size_t)chunk.edge_plane * SN_LATTICE_NODE);
        }
    }
}

// Serial: contacts are few, and share nodes.
static void add_springs(const SnLatticeLevel *level, const float *x, float *y)
{
    const SnLatticeSprings *springs = level->springs;
    for (int n = 0; n < springs->count; ++n) {
        const SnLatticeSpring *site = &springs->sites[level->index][springs->points[n]];
        const float *k = springs->stiffness + 9 * (size_t)n;
        float at[3] = {0.0f, 0.0f, 0.0f}, f[3];
        for (int c = 0; c < 24; ++c) {
            at[c % 3] += site->weights[c / 3] * x[site->nodes[c / 3] + SN_LATTICE_BLOCK * (c % 3)];
        }
        for (int i = 0; i < 3; ++i) {
            f[i] = k[3 * i] * at[0] + k[3 * i + 1] * at[1] + k[3 * i + 2] * at[2];
        }
        for (int c = 0; c < 24; ++c) {
            y[site->nodes[c / 3] + SN_LATTICE_BLOCK * (c % 3)] += site->weights[c / 3] * f[c % 3];
        }
    }
}

void sn_lattice_level_apply(const SnLatticeLevel *level, SnWorkers *workers, bool exact,
                            const float *x, float *y)
{
    Job job = {.level = level, .op = sn_lattice_level_operator(level, exact), .x = x, .y = y};
    sn_parallel_for(workers, level->chunk_count, 1, apply_range, &job);
    sn_parallel_for(workers, level->chunk_count, 1, join_range, &job);
    if (level->has_inertia) {
        level->kernels->mass(1.0f, level->inertia, x, level->grid.node_blocks, y);
    }
    if (level->springs != NULL) {
        add_springs(level, x, y);
    }
}

// Diagonal ---------------------------------------------------------------------------------------

static void add_spring_diagonal(const SnLatticeLevel *level, float *d)
{
    const SnLatticeSprings *springs = level->springs;
    for (int n = 0; n < springs->count; ++n) {
        const SnLatticeSpring *site = &springs->sites[level->index][springs->points[n]];
        const float *k = springs->stiffness + 9 * (size_t)n;
        float total = 0.0f;
        for (int c = 0; c < 8; ++c) {
            total += fabsf(site->weights[c]);
        }
        for (int c = 0; c < 24; ++c) {
            const float *row = k + 3 * (c % 3);
            d[site->nodes[c / 3] + SN_LATTICE_BLOCK * (c % 3)] +=
                fabsf(site->weights[c / 3]) * total *
                (fabsf(row[0]) + fabsf(row[1]) + fabsf(row[2]));
        }
    }
}

typedef struct Inversion {
    const SnLatticeLevel *level;
    float least; // what is not more counts as held
} Inversion;

static void invert_range(void *context, int begin, int end, int worker)
{
    const Inversion *job = context;
    const unsigned char *held = job->level->hold.held;
    float *restrict d = job->level->d_inverse;
    float least = job->least;
    (void)worker;
    for (int i = begin * SN_LATTICE_NODE; i < end * SN_LATTICE_NODE; ++i) {
        bool fixed = held[i] != 0 || !(d[i] > least);
        float inverse = 1.0f / (fixed ? 1.0f : d[i]);
        d[i] = fixed ? 0.0f : inverse;
    }
}

static float find_largest(const float *d, int count)
{
    float most[SN_LATTICE_BLOCK] = {0.0f};
    for (int i = 0; i < count; i += SN_LATTICE_BLOCK) {
        for (int n = 0; n < SN_LATTICE_BLOCK; ++n) {
            most[n] = d[i + n] > most[n] ? d[i + n] : most[n];
        }
    }
    for (int n = 1; n < SN_LATTICE_BLOCK; ++n) {
        most[0] = most[n] > most[0] ? most[n] : most[0];
    }
    return most[0];
}

static void add_inertia(const SnLatticeLevel *level, float *restrict d)
{
    for (int b = 0; b < level->grid.node_blocks; ++b) {
        const float *inertia = level->inertia + (size_t)b * SN_LATTICE_BLOCK;
        float *to = d + (size_t)b * SN_LATTICE_NODE;
        for (int k = 0; k < 3; ++k) {
            for (int n = 0; n < SN_LATTICE_BLOCK; ++n) {
                to[k * SN_LATTICE_BLOCK + n] += inertia[n];
            }
        }
    }
}

void sn_lattice_level_invert_diagonal(SnLatticeLevel *level, SnWorkers *workers)
{
    float *d = level->d_inverse;
    int count = sn_lattice_grid_numbers(&level->grid);
    Job job = {
        .level = level, .op = sn_lattice_level_operator(level, false), .y = d, .diagonal = true};
    sn_parallel_for(workers, level->chunk_count, 1, apply_range, &job);
    sn_parallel_for(workers, level->chunk_count, 1, join_range, &job);
    if (level->springs != NULL) {
        add_spring_diagonal(level, d);
    }
    if (level->has_inertia) {
        add_inertia(level, d);
    }
    // What is left of a coarse node when pins hold all around it is rounding.
    Inversion inversion = {level, 1e-9f * find_largest(d, count)};
    sn_parallel_for(workers, level->grid.node_blocks, 256, invert_range, &inversion);
}

// Others -----------------------------------------------------------------------------------------

typedef struct DotJob {
    const SnLatticeLevel *level;
    const float *a, *b;
} DotJob;

static void dot_range(void *context, int begin, int end, double *sums)
{
    const DotJob *job = context;
    size_t at = (size_t)begin * SN_LATTICE_NODE;
    sums[0] = job->level->kernels->dot(job->a + at, job->b + at, (end - begin) * SN_LATTICE_NODE);
}

double sn_lattice_level_dot(const SnLatticeLevel *level, SnWorkers *workers, const float *a,
                            const float *b)
{
    DotJob job = {level, a, b};
    double sum = 0.0;
    sn_parallel_sum(workers, level->grid.node_blocks, 1, dot_range, &job, &sum);
    return sum;
}

void sn_lattice_level_matrix(const SnLatticeLevel *level, int cell, double K[576])
{
    size_t block = (size_t)(cell / SN_LATTICE_BLOCK) * SN_LATTICE_BLOCK;
    size_t lane = (size_t)(cell % SN_LATTICE_BLOCK);
    double scale = 16.0 / level->grid.h;
    SnCell c = {.element = level->element,
                .h = level->grid.h,
                .mu = scale * (double)level->lame[2 * block + lane],
                .lambda = scale * (double)level->lame[2 * block + SN_LATTICE_BLOCK + lane],
                .hourglass = (double)level->hourglass};
    SnCellTangent tangent;
    for (size_t k = 0; k < 9; ++k) {
        tangent.R[k] = (double)level->R[9 * block + k * SN_LATTICE_BLOCK + lane];
    }
    for (size_t k = 0; k < 6; ++k) {
        tangent.L[k] = scale * (double)level->L[6 * block + k * SN_LATTICE_BLOCK + lane];
    }
    sn_cell_matrix(&c, &tangent, K);
}

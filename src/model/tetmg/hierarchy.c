#include "model/tetmg/hierarchy.h"

#include "model/tetmg/levels.h"
#include "model/tetmg/matrix.h"
#include "model/tetmg/product.h"
#include "model/tetmg/sweep.h"

#include <math.h>
#include <string.h>

enum {
    COARSEST = 64, // nodes that a dense factor may have
    ROW_GRAIN = 128,
    NODE_GRAIN = 32
};

// Spacing of the first lattice, in mean edges; it doubles from level to level [D sec 4].
#define FIRST_SPACING 2.5

// Added to the diagonal of the coarsest matrix, as a share of it.
#define REGULARISE 1e-6

static SinewStatus list_members(SnTetmgLevel *level, const SnTetmgLevel *next,
                                const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *start = NULL;
    SN_ALLOC_ZERO(level->member_start, allocator, next->count + 1, error);
    SN_ALLOC(level->members, allocator, 4 * (size_t)level->count, error);
    start = level->member_start;
    for (int i = 0; i < 4 * level->count; ++i) {
        start[level->parents[i] + 1] += 1;
    }
    for (int n = 0; n < next->count; ++n) {
        start[n + 1] += start[n];
    }
    for (int i = 0; i < 4 * level->count; ++i) {
        level->members[start[level->parents[i]]++] = i;
    }
    // Filling moved each start to its end.
    memmove(start + 1, start, (size_t)next->count * sizeof *start);
    start[0] = 0;
done:
    return status;
}

// Patterns ---------------------------------------------------------------------------------------

// Parents of the neighbours of a node's members, ascending. `stamps` are a node's.
static int find_neighbours(const SnTetmgLevel *level, int node, int *stamps, int *list)
{
    int count = 0;
    for (int m = level->member_start[node]; m < level->member_start[node + 1]; ++m) {
        int row = level->members[m] / 4;
        for (int e = level->start[row] - 1; e < level->start[row + 1]; ++e) {
            int other = e < level->start[row] ? row : level->columns[e] / 3;
            for (int k = 0; k < 4; ++k) {
                int parent = level->parents[4 * other + k];
                if (stamps[parent] != node + 1) {
                    stamps[parent] = node + 1;
                    int i = count++;
                    for (; i > 0 && list[i - 1] > parent; --i) {
                        list[i] = list[i - 1];
                    }
                    list[i] = parent;
                }
            }
        }
    }
    return count;
}

static void fill_row(SnTetmgLevel *next, int row, const int *list, int count)
{
    int at = next->start[row];
    for (int i = 0; i < count; ++i) {
        if (list[i] != row) {
            next->entry_rows[at] = row;
            next->columns[at++] = 3 * list[i];
        }
    }
    next->start[row + 1] = at;
}

// Entries of a row that sweeps come to earlier before the others, columns ascending in both.
static void sort_row(SnTetmgLevel *next, int row, int *room)
{
    int begin = next->start[row], count = next->start[row + 1] - begin, filled = begin;
    memcpy(room, next->columns + begin, (size_t)count * sizeof *room);
    for (int later = 0; later < 2; ++later) {
        for (int i = 0; i < count; ++i) {
            if (sn_sweep_comes_earlier(&next->order, room[i] / 3, row) == (later == 0)) {
                next->columns[filled++] = room[i];
            }
        }
        next->later[row] = later == 0 ? filled : next->later[row];
    }
}

// The order of sweeps, and rows by it.
static SinewStatus order_rows(SnTetmgLevel *next, int *room, const SinewAllocator *allocator,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_sweep_order_create(next->count, next->start, next->columns, 3, allocator,
                                 &next->order, error));
    for (int n = 0; n < next->count; ++n) {
        sort_row(next, n, room);
    }
    for (int e = 0; e < next->entry_count; ++e) {
        next->mirrors[e] = sn_tetmg_level_entry(next, next->columns[e] / 3, next->entry_rows[e]);
    }
done:
    return status;
}

static SinewStatus make_pattern(const SnTetmgLevel *level, SnTetmgLevel *next,
                                const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *stamps = NULL, *list = NULL;
    SN_ALLOC(stamps, allocator, next->count, error);
    SN_ALLOC(list, allocator, next->count, error);
    SN_ALLOC_ZERO(next->start, allocator, next->count + 1, error);
    SN_ALLOC(next->later, allocator, next->count, error);
    for (int pass = 0; pass < 2; ++pass) {
        memset(stamps, 0, (size_t)next->count * sizeof *stamps);
        for (int n = 0; n < next->count; ++n) {
            int count = find_neighbours(level, n, stamps, list);
            if (pass == 0) {
                next->entry_count += count - 1;
            } else {
                fill_row(next, n, list, count);
            }
        }
        if (pass == 0) {
            size_t entries = (size_t)next->entry_count + (size_t)next->count;
            SN_ALLOC_ZERO(next->columns, allocator, next->entry_count + 1, error);
            SN_ALLOC(next->mirrors, allocator, next->entry_count, error);
            SN_ALLOC(next->entry_rows, allocator, entries, error);
            SN_ALLOC_ZERO(next->values, allocator, 9 * entries + 16, error);
        }
    }
    SN_TRY(order_rows(next, list, allocator, error));
    for (int n = 0; n < next->count; ++n) {
        next->entry_rows[next->entry_count + n] = n;
    }
done:
    sn_free(allocator, stamps);
    sn_free(allocator, list);
    return status;
}

static SinewStatus make_vectors(SnTetmgLevel *level, const SinewAllocator *allocator,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t count = (size_t)level->count;
    SN_ALLOC(level->diagonal, allocator, 12 * count, error);
    SN_ALLOC(level->inverse, allocator, 12 * count, error);
    SN_ALLOC(level->free, allocator, 3 * count + 4, error);
    SN_ALLOC_ZERO(level->right, allocator, 3 * count + 4, error);
    SN_ALLOC_ZERO(level->z, allocator, 3 * count + 4, error);
    SN_ALLOC_ZERO(level->left, allocator, 3 * count + 4, error);
    for (size_t i = 0; i < 3 * count + 4; ++i) {
        level->free[i] = 1.0f;
    }
done:
    return status;
}

// The first level is the body's matrix.
static SinewStatus make_first(SnTetmg *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmgLevel *level = &body->paper.levels[0];
    const SnTetmgMatrix *matrix = &body->matrix;
    const SinewAllocator *allocator = &body->tets.allocator;
    level->count = body->tets.elements.vertex_count;
    level->entry_count = matrix->entry_count;
    level->start = matrix->start;
    level->later = matrix->later;
    level->columns = matrix->columns;
    level->values = matrix->values;
    SN_ALLOC(level->rest, allocator, 3 * (size_t)level->count, error);
    SN_ALLOC(level->entry_rows, allocator, level->entry_count + level->count, error);
    for (int r = 0; r < level->count; ++r) {
        memcpy(level->rest + 3 * (size_t)r,
               body->tets.elements.rest + 3 * (size_t)body->tets.outside[r],
               3 * sizeof *level->rest);
        level->entry_rows[level->entry_count + r] = r;
        for (int e = level->start[r]; e < level->start[r + 1]; ++e) {
            level->entry_rows[e] = r;
        }
    }
done:
    return status;
}

static double edge_of(const SnNewtonElements *elements)
{
    double volume = 0.0;
    for (int e = 0; e < elements->count; ++e) {
        volume += elements->weights[e];
    }
    return sn_tetmg_mean_edge(volume / elements->count);
}

// With the rows that kernels read along.
static size_t dense_rows(const SnTetmgLevel *level)
{
    return sn_round_up(3 * (size_t)level->count, SN_DENSE_ROWS);
}

// One level more: by the next of the user's meshes, or by a lattice.
static SinewStatus add_level(SnTetmg *body, SnTetmgLattice *lattice, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmgPaper *paper = &body->paper;
    const SinewAllocator *allocator = &body->tets.allocator;
    int mesh = paper->level_count - 1;
    SnTetmgLevel *level = &paper->levels[paper->level_count - 1];
    SnTetmgLevel *next = level + 1;
    paper->level_count += 1;
    if (mesh < paper->mesh_count) {
        SN_TRY(sn_tetmg_level_by_mesh(body, mesh, level, next, error));
    } else {
        if (mesh == paper->mesh_count) {
            sn_tetmg_lattice_find(level, lattice);
        }
        SN_TRY(sn_tetmg_level_by_lattice(level, next, lattice, allocator, error));
        *lattice = sn_tetmg_lattice_coarsen(lattice);
    }
    SN_TRY(list_members(level, next, allocator, error));
    SN_TRY(make_pattern(level, next, allocator, error));
    SN_TRY(make_vectors(next, allocator, error));
    SN_TRY(sn_tetmg_product_create(level, next, body->options.product, allocator, error));
done:
    return status;
}

SinewStatus sn_tetmg_hierarchy_create(SnTetmg *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmgPaper *paper = &body->paper;
    const SinewAllocator *allocator = &body->tets.allocator;
    SnTetmgLattice lattice = {.spacing = FIRST_SPACING * edge_of(&body->tets.elements)};
    if (paper->mesh_count > 0) {
        lattice.spacing = FIRST_SPACING * sn_tetmg_mesh_edge(paper->meshes[paper->mesh_count - 1]);
    }

    SN_TRY(make_first(body, error));
    paper->level_count = 1;
    // All of the user's meshes, and lattices until a dense factor will do.
    while (paper->level_count < SN_TETMG_LEVELS_MAX &&
           (paper->level_count <= paper->mesh_count ||
            paper->levels[paper->level_count - 1].count > COARSEST)) {
        SN_TRY(add_level(body, &lattice, error));
    }
    if (paper->level_count > 1) {
        size_t rows = dense_rows(&paper->levels[paper->level_count - 1]);
        SN_ALLOC(paper->dense, allocator, rows * rows, error);
        SN_ALLOC(paper->dense_right, allocator, rows, error);
    }
done:
    return status;
}

void sn_tetmg_hierarchy_release(SnTetmg *body)
{
    const SinewAllocator *allocator = &body->tets.allocator;
    for (int l = 0; l < SN_TETMG_LEVELS_MAX; ++l) {
        SnTetmgLevel *level = &body->paper.levels[l];
        void *const own[] = {level->entry_rows, level->rest,         level->parents, level->full,
                             level->weights,    level->member_start, level->members};
        void *const lent[] = {level->start,    level->later,   level->columns, level->values,
                              level->diagonal, level->inverse, level->free,    level->right,
                              level->z,        level->left,    level->mirrors};
        for (size_t i = 0; i < sizeof own / sizeof *own; ++i) {
            sn_free(allocator, own[i]);
        }
        for (size_t i = 0; i < sizeof lent / sizeof *lent && l > 0; ++i) {
            sn_free(allocator, lent[i]);
        }
        sn_tetmg_product_release(level, allocator);
        sn_sweep_order_release(&level->order, allocator);
    }
    sn_free(allocator, body->paper.dense);
    sn_free(allocator, body->paper.dense_right);
    sn_tetmg_meshes_release(body);
}

void sn_tetmg_hierarchy_hold(SnTetmg *body)
{
    SnTetmgPaper *paper = &body->paper;
    SnTetmgLevel *level = &paper->levels[0];
    if (paper->level_count < 2) {
        return;
    }
    for (int r = 0; r < level->count; ++r) {
        bool held = body->tets.pins.set.held[body->tets.outside[r]] != 0;
        for (size_t k = 4 * (size_t)r; k < 4 * (size_t)r + 4; ++k) {
            level->weights[k] = held ? 0.0f : level->full[k];
        }
    }
    sn_tetmg_product_weigh(level, level + 1, body->options.product);
}

// Values -----------------------------------------------------------------------------------------

// Diagonal blocks of the body's matrix behind the others, where products look for them.
static void append_range(void *context, int begin, int end, int worker)
{
    SnTetmgMatrix *matrix = context;
    (void)worker;
    for (int r = begin; r < end; ++r) {
        float *out = matrix->values + 9 * ((size_t)matrix->entry_count + (size_t)r);
        for (size_t k = 0; k < 9; ++k) {
            out[k] = matrix->diagonal[12 * (size_t)r + 4 * (k / 3) + k % 3];
        }
    }
}

static void invert_range(void *context, int begin, int end, int worker)
{
    SnTetmgLevel *level = context;
    (void)worker;
    for (int r = begin; r < end; ++r) {
        const float *d = level->values + 9 * ((size_t)level->entry_count + (size_t)r);
        float *out = level->inverse + 12 * (size_t)r;
        double a = (double)d[0], b = (double)d[4], c = (double)d[8];
        double p = 0.5 * ((double)d[1] + (double)d[3]), q = 0.5 * ((double)d[2] + (double)d[6]);
        double s = 0.5 * ((double)d[5] + (double)d[7]);
        double minors[6] = {b * c - s * s, a * c - q * q, a * b - p * p,
                            q * s - p * c, p * s - q * b, p * q - a * s};
        double det = a * minors[0] + p * minors[3] + q * minors[4];
        // Blocks that are nothing, or flat to rounding, are left to other levels.
        double scale = det > 1e-12 * a * b * c && a > 0.0 && b > 0.0 && c > 0.0 ? 1.0 / det : 0.0;
        const float rows[12] = {(float)(minors[0] * scale), (float)(minors[3] * scale),
                                (float)(minors[4] * scale), 0.0f,
                                (float)(minors[3] * scale), (float)(minors[1] * scale),
                                (float)(minors[5] * scale), 0.0f,
                                (float)(minors[4] * scale), (float)(minors[5] * scale),
                                (float)(minors[2] * scale), 0.0f};
        memcpy(out, rows, sizeof rows);
    }
}

// The coarsest matrix as a dense one, in double.
static void fill_dense(const SnTetmgLevel *level, double share, double *dense)
{
    size_t rows = dense_rows(level);
    memset(dense, 0, rows * rows * sizeof *dense);
    for (int e = 0; e < level->entry_count + level->count; ++e) {
        size_t row = 3 * (size_t)level->entry_rows[e];
        size_t column = e < level->entry_count ? (size_t)level->columns[e]
                                               : 3 * (size_t)(e - level->entry_count);
        for (size_t k = 0; k < 9; ++k) {
            dense[row + k % 3 + (column + k / 3) * rows] = (double)level->values[9 * (size_t)e + k];
        }
    }
    for (size_t i = 0; i < rows; ++i) {
        double *d = &dense[i + i * rows];
        *d = *d > 0.0 ? *d * (1.0 + share) : 1.0;
    }
}

SinewStatus sn_tetmg_hierarchy_update(SnTetmg *body, SnWorkers *workers, SinewError *error)
{
    SnTetmgPaper *paper = &body->paper;
    const SnDenseKernels *dense = body->tets.kernels->dense;
    if (paper->level_count < 2) {
        return SINEW_OK;
    }
    sn_parallel_for(workers, paper->levels[0].count, ROW_GRAIN, append_range, &body->matrix);
    for (int l = 1; l < paper->level_count; ++l) {
        sn_tetmg_product_run(&paper->levels[l - 1], &paper->levels[l], body->options.product,
                             body->tets.kernels->block, workers);
        sn_parallel_for(workers, paper->levels[l].count, ROW_GRAIN, invert_range,
                        &paper->levels[l]);
    }
    const SnTetmgLevel *last = &paper->levels[paper->level_count - 1];
    for (double share = REGULARISE; share < 1e6; share *= 100.0) {
        fill_dense(last, share, paper->dense);
        if (dense->cholesky(3 * last->count, paper->dense, (int)dense_rows(last)) < 0) {
            return SINEW_OK;
        }
    }
    return sn_fail(
        error, SINEW_ERROR_NOT_DEFINITE,
        "body \"%s\": its coarsest matrix is not definite, expected finite stiffness and "
        "positions",
        body->tets.name);
}

// The cycle --------------------------------------------------------------------------------------

static SnTetBlend blend_of(const SnTetmgLevel *level, const SnTetmgLevel *next)
{
    return (SnTetBlend){.parents = level->parents,
                        .weights = level->weights,
                        .start = level->member_start,
                        .members = level->members,
                        .fine = level->left,
                        .right = next->right,
                        .coarse = next->z,
                        .z = level->z};
}

typedef struct BlendJob {
    const SnTetBlend *blend;
    SnTetBlendFn *fn;
} BlendJob;

static void blend_range(void *context, int begin, int end, int worker)
{
    const BlendJob *job = context;
    (void)worker;
    job->fn(job->blend, begin, end);
}

static void solve_coarsest(SnTetmgPaper *paper)
{
    SnTetmgLevel *level = &paper->levels[paper->level_count - 1];
    size_t rows = 3 * (size_t)level->count;
    size_t stride = dense_rows(level);
    double *x = paper->dense_right;
    const double *L = paper->dense; // lower triangle, columns side by side
    for (size_t i = 0; i < rows; ++i) {
        x[i] = (double)level->right[i];
    }
    for (size_t j = 0; j < rows; ++j) {
        x[j] /= L[j + j * stride];
        for (size_t i = j + 1; i < rows; ++i) {
            x[i] -= L[i + j * stride] * x[j];
        }
    }
    for (size_t j = rows; j-- > 0;) {
        double sums[4] = {0.0, 0.0, 0.0, 0.0};
        for (size_t i = j + 1; i < rows; ++i) {
            sums[i % 4] += L[i + j * stride] * x[i];
        }
        x[j] -= (sums[0] + sums[1]) + (sums[2] + sums[3]);
        x[j] /= L[j + j * stride];
    }
    for (size_t i = 0; i < rows; ++i) {
        level->z[i] = (float)x[i];
    }
}

// From what a sweep left on a level to the next, and back.
static void correct(SnTetmg *body, int l, SnWorkers *workers, const SnTetBlend *blend);

static void descend(SnTetmg *body, int l, SnWorkers *workers)
{
    SnTetmgPaper *paper = &body->paper;
    SnTetmgLevel *level = &paper->levels[l];
    const SnBlockKernels *kernels = body->tets.kernels->block;
    if (l == paper->level_count - 1) {
        solve_coarsest(paper);
        return;
    }
    SnBlockRows rows = {.start = level->start,
                        .later = level->later,
                        .columns = level->columns,
                        .values = level->values,
                        .inverse = level->inverse,
                        .free = level->free,
                        .right = level->right,
                        .x = level->z,
                        .out = level->z};
    SnTetBlend blend = blend_of(level, level + 1);
    sn_tetmg_sweep_forward(workers, &level->order, kernels, &rows);
    rows.out = level->left;
    sn_tetmg_sweep_rows(workers, level->count, &rows, kernels->residual);
    correct(body, l, workers, &blend);
    rows.out = level->z;
    sn_tetmg_sweep_backward(workers, &level->order, kernels, &rows);
}

static void correct(SnTetmg *body, int l, SnWorkers *workers, const SnTetBlend *blend)
{
    const SnTetmgLevel *level = &body->paper.levels[l];
    BlendJob job = {blend, body->tets.kernels->node->restrict_to};
    sn_parallel_for(workers, level[1].count, NODE_GRAIN, blend_range, &job);
    descend(body, l + 1, workers);
    job.fn = body->tets.kernels->node->prolong;
    sn_parallel_for(workers, level->count, ROW_GRAIN, blend_range, &job);
}

void sn_tetmg_hierarchy_cycle(const SnSplitProblem *problem, const float *r, float *z)
{
    SnTetmg *body = (SnTetmg *)(void *)problem->body; // its first member
    float *left = body->matrix.left;
    sn_tetmg_matrix_forward(problem, r, z, left);
    if (body->paper.level_count > 1) {
        SnTetBlend blend = blend_of(&body->paper.levels[0], &body->paper.levels[1]);
        blend.fine = left;
        blend.z = z;
        correct(body, 0, problem->workers, &blend);
    }
    sn_tetmg_matrix_backward(problem, r, z);
}

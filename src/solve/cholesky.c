#include "solve/cholesky_internal.h"

#include <string.h>

// Tries the orderings that were asked for and keeps the one that fills in least.
static SinewStatus choose_order(const SnCholeskyDef *def, const SnSparse *pattern, SnCholesky *c,
                                SnElimination *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    static const SnOrdering both[] = {SN_ORDERING_METIS, SN_ORDERING_AMD};
    SnCholeskyInfo *info = &c->info;
    bool best = def->ordering == SN_ORDERING_BEST;
    int *order = NULL;
    SN_ALLOC(order, def->allocator, pattern->count, error);
    SN_ALLOC(c->order, def->allocator, pattern->count, error);
    for (int i = 0; i < (best ? 2 : 1); ++i) {
        SnOrdering ordering = best ? both[i] : def->ordering;
        SnElimination tried = {0};
        if (ordering == SN_ORDERING_GIVEN) {
            memcpy(order, def->permutation, (size_t)pattern->count * sizeof *order);
        } else {
            SN_TRY(sn_ordering_compute(pattern, ordering, def->allocator, order, error));
        }
        SN_TRY(sn_elimination_create(pattern, order, def->allocator, &tried, error));
        info->fill_metis = ordering == SN_ORDERING_METIS ? tried.fill : info->fill_metis;
        info->fill_amd = ordering == SN_ORDERING_AMD ? tried.fill : info->fill_amd;
        if (out->order == NULL || tried.fill < out->fill) {
            sn_elimination_release(out, def->allocator);
            *out = tried;
            info->ordering = ordering;
            memcpy(c->order, order, (size_t)pattern->count * sizeof *order);
        } else {
            sn_elimination_release(&tried, def->allocator);
        }
    }
    info->fill = out->fill * pattern->block * pattern->block -
                 (int64_t)pattern->count * pattern->block * (pattern->block - 1) / 2;
done:
    sn_free(def->allocator, order);
    return status;
}

static SinewStatus check_permutation(const SnCholeskyDef *def, const SnSparse *pattern,
                                     SinewError *error)
{
    SinewStatus status = SINEW_OK;
    unsigned char *seen = NULL;
    if (def->permutation == NULL) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the ordering is given, but permutation is NULL");
    }
    SN_ALLOC_ZERO(seen, def->allocator, pattern->count, error);
    for (int i = 0; i < pattern->count; ++i) {
        int row = def->permutation[i];
        if (row < 0 || row >= pattern->count || seen[row] != 0) {
            status = sn_fail_at(error, SINEW_ERROR_ARGUMENT, i,
                                "permutation[%d] is %d, expected each of 0 to %d once", i, row,
                                pattern->count - 1);
            break;
        }
        seen[row] = 1;
    }
done:
    sn_free(def->allocator, seen);
    return status;
}

static SinewStatus check_def(const SnCholeskyDef *def, const SnSparse *pattern, SinewError *error)
{
    bool sides_fit = def->right_sides == 1 || (def->right_sides == 3 && pattern->block == 1);
    if (!sides_fit) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "right_sides is %d, expected 1, or 3 for a matrix without blocks",
                       def->right_sides);
    }
    if (!def->keep_float && !def->keep_double) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "neither keep_float nor keep_double is set, expected at least one");
    }
    if (def->worker_count < 1 || def->worker_count > SN_WORKERS_MAX) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "worker_count is %d, expected 1 to %d",
                       def->worker_count, SN_WORKERS_MAX);
    }
    return def->ordering == SN_ORDERING_GIVEN ? check_permutation(def, pattern, error) : SINEW_OK;
}

static void link_children(SnCholesky *c)
{
    const SnSupernodes *s = &c->supernodes;
    for (int i = 0; i < s->count; ++i) {
        c->first_child[i] = -1;
    }
    for (int i = s->count - 1; i >= 0; --i) {
        if (s->parent[i] >= 0) {
            c->next_sibling[i] = c->first_child[s->parent[i]];
            c->first_child[s->parent[i]] = i;
        }
    }
}

// Places for the updates of subtrees' roots, and the deepest stack that any subtree or the top
// needs.
static size_t plan_updates(SnCholesky *c, size_t *out_kept)
{
    const SnSupernodes *s = &c->supernodes;
    int block = c->layout.block;
    size_t deepest = 0;
    size_t kept = 0;
    size_t used = 0;
    // Subtrees first, then the top: the order in which they run, each starting with an empty stack.
    for (int t = 0; t <= s->subtree_count; ++t) {
        bool top = t == s->subtree_count;
        used = 0;
        for (int i = top ? 0 : s->subtree_begin[t]; i < (top ? s->count : s->subtree_end[t]); ++i) {
            if (top && s->subtree_of[i] >= 0) {
                continue;
            }
            size_t peak = used + sn_front_size(s, block, i);
            deepest = peak > deepest ? peak : deepest;
            for (int child = c->first_child[i]; child >= 0; child = c->next_sibling[child]) {
                if (s->subtree_of[child] == s->subtree_of[i]) {
                    used -= sn_front_update_size(s, block, child);
                }
            }
            bool is_root = !top && (s->parent[i] < 0 || s->subtree_of[s->parent[i]] != t);
            size_t size = sn_front_update_size(s, block, i);
            if (is_root) {
                kept += size;
            } else {
                used += size;
            }
        }
    }
    *out_kept = kept;
    return deepest;
}

static void place_kept(SnCholesky *c)
{
    const SnSupernodes *s = &c->supernodes;
    size_t at = 0;
    for (int i = 0; i < s->count; ++i) {
        int t = s->subtree_of[i];
        bool is_root = t >= 0 && (s->parent[i] < 0 || s->subtree_of[s->parent[i]] != t);
        c->kept_at[i] = is_root ? c->kept + at : NULL;
        at += is_root ? sn_front_update_size(s, c->layout.block, i) : 0;
    }
}

static SinewStatus allocate_factoring(SnCholesky *c, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &c->allocator;
    int count = c->supernodes.count;
    size_t kept = 0;
    SN_ALLOC(c->first_child, allocator, count, error);
    SN_ALLOC_ZERO(c->next_sibling, allocator, count, error);
    SN_ALLOC(c->updates, allocator, count, error);
    SN_ALLOC(c->kept_at, allocator, count, error);
    SN_ALLOC(c->failed, allocator, c->supernodes.subtree_count, error);
    link_children(c);
    size_t deepest = plan_updates(c, &kept);
    SN_ALLOC(c->kept, allocator, kept, error);
    place_kept(c);
    SN_ALLOC_ZERO(c->fronts, allocator, c->worker_count, error);
    for (int w = 0; w < c->worker_count; ++w) {
        SnFrontWork *front = &c->fronts[w];
        SN_ALLOC(front->stack, allocator, deepest, error);
        SN_ALLOC(front->local, allocator, c->supernodes.columns, error);
        SN_ALLOC(front->child_rows, allocator, c->layout.tallest, error);
        SN_ALLOC_ZERO(front->block, allocator, sn_front_block_size(c->layout.tallest), error);
        SN_ALLOC_ZERO(front->inverse, allocator, sn_front_pivot_size(), error);
        SN_ALLOC_ZERO(front->inverse_t, allocator, sn_front_pivot_size(), error);
        SN_ALLOC_ZERO(front->pivot, allocator, sn_front_pivot_size(), error);
    }
done:
    return status;
}

static void fill_info(SnCholesky *c, const SnCholeskyDef *def)
{
    const SnSupernodes *s = &c->supernodes;
    const SnFactorLayout *layout = &c->layout;
    SnCholeskyInfo *info = &c->info;
    info->stored = (int64_t)layout->value_count;
    info->solve_reads = 0;
    for (int p = 0; p < layout->panel_count; ++p) {
        const SnPanel *panel = &layout->panels[p];
        int64_t tiles = sn_panel_tiles(panel->rows);
        int64_t skipped = panel->rows == panel->columns ? tiles : panel->columns / SN_PANEL_TILE;
        info->solve_reads += panel->columns * (2 * tiles - skipped) * SN_PANEL_TILE;
    }
    info->factor_flops = 0.0;
    for (int i = 0; i < s->count; ++i) {
        double w = sn_supernode_width(s, i) * layout->block;
        double r = sn_supernode_below(s, i) * layout->block;
        info->factor_flops += w * w * w / 3.0 + w * w * r + w * r * r;
    }
    info->supernodes = s->count;
    info->panels = layout->panel_count;
    info->subtrees = s->subtree_count;
    size_t number = (def->keep_float ? sizeof(float) : 0) + (def->keep_double ? sizeof(double) : 0);
    info->bytes = layout->value_count * number + layout->index_count * sizeof *layout->index +
                  (size_t)layout->panel_count * sizeof *layout->panels;
}

SinewStatus sn_cholesky_create(const SnCholeskyDef *def, const SnSparse *pattern,
                               SnCholesky **out_cholesky, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnCholesky *c = NULL;
    SnElimination elimination = {0};
    *out_cholesky = NULL;
    if (!def->is_checked) {
        SN_TRY(sn_sparse_check(pattern, error));
    }
    SN_TRY(check_def(def, pattern, error));
    SN_ALLOC_ZERO(c, def->allocator, 1, error);
    if (def->allocator != NULL) {
        c->allocator = *def->allocator;
    }
    c->kernels = def->kernels;
    c->right_sides = def->right_sides;
    c->worker_count = def->worker_count;
    c->entry_count = pattern->row_start[pattern->count];
    SN_TRY(choose_order(def, pattern, c, &elimination, error));
    SN_TRY(sn_supernodes_create(pattern, &elimination, &c->allocator, &c->supernodes, error));
    SN_TRY(
        sn_factor_layout_create(&c->supernodes, pattern->block, &c->allocator, &c->layout, error));
    fill_info(c, def);
    if (def->keep_float) {
        SN_ALLOC(c->float_values, &c->allocator, c->layout.value_count, error);
    }
    if (def->keep_double) {
        SN_ALLOC(c->double_values, &c->allocator, c->layout.value_count, error);
    }
    SN_TRY(allocate_factoring(c, error));
    *out_cholesky = c;
    c = NULL;
done:
    sn_elimination_release(&elimination, def->allocator);
    sn_cholesky_destroy(c);
    return status;
}

SinewStatus sn_cholesky_create_like(const SnCholesky *like, SnCholesky **out_cholesky,
                                    SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnCholesky *c = NULL;
    *out_cholesky = NULL;
    SN_ALLOC_ZERO(c, &like->allocator, 1, error);
    c->allocator = like->allocator;
    c->kernels = like->kernels;
    c->right_sides = like->right_sides;
    c->worker_count = like->worker_count;
    c->info = like->info;
    c->supernodes = like->supernodes;
    c->layout = like->layout;
    c->entry_count = like->entry_count;
    c->order = like->order;
    c->is_lent = true;
    if (like->float_values != NULL) {
        SN_ALLOC(c->float_values, &c->allocator, c->layout.value_count, error);
    }
    if (like->double_values != NULL) {
        SN_ALLOC(c->double_values, &c->allocator, c->layout.value_count, error);
    }
    SN_TRY(allocate_factoring(c, error));
    *out_cholesky = c;
    c = NULL;
done:
    sn_cholesky_destroy(c);
    return status;
}

void sn_cholesky_shrink(SnCholesky *c)
{
    const SinewAllocator *allocator = &c->allocator;
    for (int w = 0; c->fronts != NULL && w < c->worker_count; ++w) {
        SnFrontWork *front = &c->fronts[w];
        sn_free(allocator, front->stack);
        sn_free(allocator, front->local);
        sn_free(allocator, front->child_rows);
        sn_free(allocator, front->block);
        sn_free(allocator, front->inverse);
        sn_free(allocator, front->inverse_t);
        sn_free(allocator, front->pivot);
    }
    sn_free(allocator, c->fronts);
    sn_free(allocator, c->failed);
    sn_free(allocator, c->kept_at);
    sn_free(allocator, c->kept);
    sn_free(allocator, c->updates);
    sn_free(allocator, c->next_sibling);
    sn_free(allocator, c->first_child);
    c->fronts = NULL;
    c->failed = NULL;
    c->kept_at = NULL;
    c->kept = NULL;
    c->updates = NULL;
    c->next_sibling = c->first_child = NULL;
}

void sn_cholesky_destroy(SnCholesky *c)
{
    if (c == NULL) {
        return;
    }
    SinewAllocator allocator = c->allocator;
    sn_cholesky_shrink(c);
    sn_free(&allocator, c->double_values);
    sn_free(&allocator, c->float_values);
    if (!c->is_lent) {
        sn_factor_layout_release(&c->layout, &allocator);
        sn_supernodes_release(&c->supernodes, &allocator);
        sn_free(&allocator, c->order);
    }
    sn_free(&allocator, c);
}

SnCholeskyInfo sn_cholesky_info(const SnCholesky *cholesky)
{
    return cholesky->info;
}

const int *sn_cholesky_order(const SnCholesky *cholesky)
{
    return cholesky->order;
}

typedef struct FactorLoop {
    SnCholesky *cholesky;
    SnFactoring factoring;
} FactorLoop;

// Subtrees [begin, end), each with an empty stack.
static void factor_subtrees(void *context, int begin, int end, int worker)
{
    FactorLoop *loop = context;
    SnCholesky *c = loop->cholesky;
    for (int t = begin; t < end; ++t) {
        SnFrontWork *front = &c->fronts[worker];
        front->used = 0;
        c->failed[t] = -1;
        for (int i = c->supernodes.subtree_begin[t];
             i < c->supernodes.subtree_end[t] && c->failed[t] < 0; ++i) {
            c->failed[t] = sn_front_factor(&loop->factoring, front, NULL, i, c->kept_at[i]);
        }
    }
}

static int factor_top(FactorLoop *loop, SnWorkers *workers)
{
    SnCholesky *c = loop->cholesky;
    SnFrontWork *front = &c->fronts[0];
    front->used = 0;
    for (int i = 0; i < c->supernodes.count; ++i) {
        if (c->supernodes.subtree_of[i] < 0) {
            int failed = sn_front_factor(&loop->factoring, front, workers, i, NULL);
            if (failed >= 0) {
                return failed;
            }
        }
    }
    return -1;
}

static SinewStatus report_pivot(const SnCholesky *c, int unknown, SinewError *error)
{
    int block = c->layout.block;
    int64_t row = (int64_t)c->supernodes.order[unknown / block] * block + unknown % block;
    return sn_fail_at(error, SINEW_ERROR_NOT_DEFINITE, row,
                      "the matrix is not positive definite: the pivot of row %lld is not positive",
                      (long long)row);
}

SinewStatus sn_cholesky_factor(SnCholesky *c, const SnSparse *matrix, SnWorkers *workers,
                               SinewError *error)
{
    int count = c->supernodes.columns;
    if (matrix->count != count || matrix->block != c->layout.block || matrix->value == NULL ||
        matrix->row_start[count] != c->entry_count) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the matrix has %d rows of blocks of %d, expected the analysed pattern: %d "
                       "rows of blocks of %d, %d entries with values",
                       matrix->count, matrix->block, count, c->layout.block, c->entry_count);
    }
    if (sn_workers_count(workers) > c->worker_count) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "%d workers factor, but only %d were announced",
                       sn_workers_count(workers), c->worker_count);
    }
    if (c->fronts == NULL) {
        SinewStatus status = allocate_factoring(c, error);
        if (status < 0) {
            sn_cholesky_shrink(c);
            return status;
        }
    }
    c->has_values = false;
    FactorLoop loop = {.cholesky = c,
                       .factoring = {.supernodes = &c->supernodes,
                                     .layout = &c->layout,
                                     .dense = c->kernels->dense,
                                     .matrix = matrix,
                                     .first_child = c->first_child,
                                     .next_sibling = c->next_sibling,
                                     .updates = c->updates,
                                     .float_values = c->float_values,
                                     .double_values = c->double_values}};
    sn_parallel_for(workers, c->supernodes.subtree_count, 1, factor_subtrees, &loop);
    for (int t = 0; t < c->supernodes.subtree_count; ++t) {
        if (c->failed[t] >= 0) {
            return report_pivot(c, c->failed[t], error);
        }
    }
    int failed = factor_top(&loop, workers);
    if (failed >= 0) {
        return report_pivot(c, failed, error);
    }
    c->has_values = true;
    return SINEW_OK;
}

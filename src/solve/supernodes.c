#include "solve/supernodes.h"

#include "kernel/panel.h"

#include <stdbool.h>
#include <string.h>

// What a supernode costs in a solve with three right-hand sides, in nanoseconds. Only ratios
// matter: they decide when joining two supernodes pays. Measured with `sinew bench cholesky`.
static const double COST_SUPERNODE = 60.0;   // to start both sweeps
static const double COST_TILE = 22.0;        // to gather and scatter 16 rows
static const double COST_BLOCK = 14.0;       // to add up the lanes of 8 columns
static const double COST_LINE_NEAR = 1.2;    // to read and use 16 numbers of a small factor
static const double COST_LINE_FAR = 2.2;     // ... of one that does not fit the second-level cache
static const int64_t NEAR_ENTRIES = 400000;  // a factor of this size fits
static const double SUBTREE_LEAST = 20000.0; // ns; smaller ones are not worth a thread's waking
enum { SUBTREES_WANTED = 12 };

static double cost(double line, int width, int below)
{
    int tiles = sn_panel_tiles(width + below);
    int skipped = width / SN_PANEL_TILE; // forward reads rows below alone
    int blocks = (width + SN_PANEL_BLOCK - 1) / SN_PANEL_BLOCK;
    return COST_SUPERNODE + COST_TILE * tiles + COST_BLOCK * blocks +
           line * width * (2 * tiles - skipped);
}

// Supernodes while they are being joined: a forest whose nodes vanish into their parents.
typedef struct Forest {
    int count;
    int *first;       // first column of a fundamental supernode; count + 1 of them
    int *parent;      // -1: root
    int *width;       // columns, joined ones included
    int *below;       // rows below
    int *joined_to;   // the parent it vanished into, -1: alive
    int *first_child; // children, alive or not, in a list
    int *next_sibling;
} Forest;

static void forest_release(Forest *f, const SinewAllocator *allocator)
{
    sn_free(allocator, f->first);
    sn_free(allocator, f->parent);
    sn_free(allocator, f->width);
    sn_free(allocator, f->below);
    sn_free(allocator, f->joined_to);
    sn_free(allocator, f->first_child);
    sn_free(allocator, f->next_sibling);
}

// Runs of columns in which each is the parent of the one before and has one row less.
static void find_fundamental(const SnElimination *e, Forest *f, int *supernode_of)
{
    f->count = 0;
    for (int j = 0; j < e->count; ++j) {
        bool goes_on = j > 0 && e->parent[j - 1] == j && e->below[j - 1] == e->below[j] + 1;
        if (!goes_on) {
            f->first[f->count++] = j;
        }
        supernode_of[j] = f->count - 1;
    }
    f->first[f->count] = e->count;
    for (int s = 0; s < f->count; ++s) {
        int last = f->first[s + 1] - 1;
        f->parent[s] = e->parent[last] < 0 ? -1 : supernode_of[e->parent[last]];
        f->width[s] = f->first[s + 1] - f->first[s];
        f->below[s] = e->below[last];
        f->joined_to[s] = -1;
        f->first_child[s] = -1;
    }
    for (int s = f->count - 1; s >= 0; --s) {
        if (f->parent[s] >= 0) {
            f->next_sibling[s] = f->first_child[f->parent[s]];
            f->first_child[f->parent[s]] = s;
        }
    }
}

// Joins children to their parents where that makes a solve faster. A child's rows are among its
// parent's columns and rows, so the joined supernode has the parent's rows.
static void join(Forest *f, double line)
{
    for (int s = 0; s < f->count; ++s) {
        int last = -1; // end of the list of children
        for (int c = f->first_child[s]; c >= 0; c = f->next_sibling[c]) {
            last = c;
        }
        for (int c = f->first_child[s]; c >= 0; c = f->next_sibling[c]) {
            double apart =
                cost(line, f->width[c], f->below[c]) + cost(line, f->width[s], f->below[s]);
            if (cost(line, f->width[c] + f->width[s], f->below[s]) > apart) {
                continue;
            }
            f->width[s] += f->width[c];
            f->joined_to[c] = s;
            // Its children become the parent's, and are looked at in their turn.
            for (int g = f->first_child[c]; g >= 0; g = f->next_sibling[g]) {
                if (f->joined_to[g] < 0) {
                    f->parent[g] = s;
                }
            }
            f->next_sibling[last] = f->first_child[c];
            f->first_child[c] = -1;
            while (f->next_sibling[last] >= 0) {
                last = f->next_sibling[last];
            }
        }
    }
}

static int survivor(const Forest *f, int s)
{
    while (f->joined_to[s] >= 0) {
        s = f->joined_to[s];
    }
    return s;
}

// Numbers what is left in postorder and lines up the columns, a joined child's before its parent's.
static void renumber(const SnElimination *e, const Forest *f, int *scratch, SnSupernodes *out)
{
    int *alive = scratch;                 // dense number of each survivor
    int *parent = scratch + f->count;     // among survivors
    int *post = scratch + 2 * f->count;   // and their postorder
    int *number = scratch + 3 * f->count; // survivor -> final number
    int *lists = scratch + 4 * f->count;  // 2 count numbers
    int count = 0;
    for (int s = 0; s < f->count; ++s) {
        alive[s] = f->joined_to[s] < 0 ? count++ : -1;
    }
    for (int s = 0; s < f->count; ++s) {
        if (alive[s] >= 0) {
            parent[alive[s]] = f->parent[s] < 0 ? -1 : alive[survivor(f, f->parent[s])];
        }
    }
    sn_postorder(count, parent, lists, post);
    out->count = count;
    for (int i = 0; i < count; ++i) {
        number[post[i]] = i;
    }
    for (int i = 0; i < count; ++i) {
        out->parent[number[i]] = parent[i] < 0 ? -1 : number[parent[i]];
    }
    // Counting sort of columns by their supernode keeps the order of elimination within each.
    memset(out->first, 0, ((size_t)count + 1) * sizeof *out->first);
    for (int s = 0; s < f->count; ++s) {
        out->first[number[alive[survivor(f, s)]] + 1] += f->first[s + 1] - f->first[s];
    }
    for (int i = 0; i < count; ++i) {
        out->first[i + 1] += out->first[i];
        lists[i] = out->first[i];
    }
    for (int s = 0; s < f->count; ++s) {
        int target = number[alive[survivor(f, s)]];
        for (int j = f->first[s]; j < f->first[s + 1]; ++j) {
            out->order[lists[target]++] = e->order[j];
        }
    }
    for (int j = 0; j < e->count; ++j) {
        out->place[out->order[j]] = j;
    }
}

// Rows below supernode s: those of the matrix and those of its children, each once, sorted.
static int collect_rows(const SnSparse *pattern, SnSupernodes *s, int node, const int *first_child,
                        const int *next_sibling, int *mark, int *rows)
{
    int end = s->first[node + 1];
    int count = 0;
    for (int j = s->first[node]; j < end; ++j) {
        int row = s->order[j];
        for (int e = pattern->row_start[row]; e < pattern->row_start[row + 1]; ++e) {
            int i = s->place[pattern->column[e]];
            if (i >= end && mark[i] != node) {
                mark[i] = node;
                rows[count++] = i;
            }
        }
    }
    for (int c = first_child[node]; c >= 0; c = next_sibling[c]) {
        for (int64_t e = s->row_start[c]; e < s->row_start[c + 1]; ++e) {
            int i = s->rows[e];
            if (i >= end && mark[i] != node) {
                mark[i] = node;
                rows[count++] = i;
            }
        }
    }
    sn_sort_rows(rows, count);
    return count;
}

static SinewStatus find_rows(const SnSparse *pattern, int64_t total,
                             const SinewAllocator *allocator, SnSupernodes *s, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *scratch = NULL;
    SN_ALLOC(s->rows, allocator, total, error);
    SN_ALLOC(scratch, allocator, 2 * (size_t)s->count + (size_t)s->columns, error);
    int *first_child = scratch;
    int *next_sibling = scratch + s->count;
    int *mark = scratch + 2 * s->count;
    for (int i = 0; i < s->count; ++i) {
        first_child[i] = -1;
    }
    for (int i = 0; i < s->columns; ++i) {
        mark[i] = -1;
    }
    s->row_start[0] = 0;
    for (int i = 0; i < s->count; ++i) {
        int64_t at = s->row_start[i];
        int found = collect_rows(pattern, s, i, first_child, next_sibling, mark, s->rows + at);
        s->row_start[i + 1] = at + found;
        SN_ASSERT(s->row_start[i + 1] <= total);
        if (s->parent[i] >= 0) {
            next_sibling[i] = first_child[s->parent[i]];
            first_child[s->parent[i]] = i;
        }
    }
done:
    sn_free(allocator, scratch);
    return status;
}

// Weight of each subtree, and its first supernode.
static double weigh(const SnSupernodes *s, double line, double *weight, int *begin)
{
    double total = 0.0;
    for (int i = 0; i < s->count; ++i) {
        weight[i] = 0.0;
        begin[i] = i;
    }
    for (int i = 0; i < s->count; ++i) {
        int parent = s->parent[i];
        weight[i] += cost(line, sn_supernode_width(s, i), sn_supernode_below(s, i));
        if (parent < 0) {
            total += weight[i];
        } else {
            weight[parent] += weight[i];
            begin[parent] = begin[i] < begin[parent] ? begin[i] : begin[parent];
        }
    }
    return total;
}

// Opens heavy subtrees from the roots down: a root that is opened belongs to the top. Light ones
// that stand side by side are put together up to the same weight.
static void cut_subtrees(SnSupernodes *s, double line, double *weight, int *begin)
{
    double most = weigh(s, line, weight, begin) / SUBTREES_WANTED;
    most = most < SUBTREE_LEAST ? SUBTREE_LEAST : most;
    enum { TOP = -1, ROOT = -2, INSIDE = -3 };
    for (int i = s->count - 1; i >= 0; --i) {
        bool exposed = s->parent[i] < 0 || s->subtree_of[s->parent[i]] == TOP;
        s->subtree_of[i] = !exposed ? INSIDE : weight[i] > most ? TOP : ROOT;
    }
    double filled = 0.0;
    s->subtree_count = 0;
    for (int root = 0; root < s->count; ++root) {
        if (s->subtree_of[root] != ROOT) {
            continue;
        }
        int last = s->subtree_count - 1;
        bool fits =
            last >= 0 && s->subtree_end[last] == begin[root] && filled + weight[root] <= most;
        if (!fits) {
            last = s->subtree_count++;
            s->subtree_begin[last] = begin[root];
            filled = 0.0;
        }
        s->subtree_end[last] = root + 1;
        filled += weight[root];
        for (int i = begin[root]; i <= root; ++i) {
            s->subtree_of[i] = last;
        }
    }
}

static SinewStatus allocate(int columns, int count, const SinewAllocator *allocator,
                            SnSupernodes *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    out->columns = columns;
    SN_ALLOC(out->order, allocator, columns, error);
    SN_ALLOC(out->place, allocator, columns, error);
    SN_ALLOC(out->first, allocator, count + 1, error);
    SN_ALLOC(out->parent, allocator, count, error);
    SN_ALLOC(out->row_start, allocator, count + 1, error);
    SN_ALLOC(out->subtree_begin, allocator, count, error);
    SN_ALLOC(out->subtree_end, allocator, count, error);
    SN_ALLOC(out->subtree_of, allocator, count, error);
done:
    return status;
}

static SinewStatus forest_create(const SnElimination *e, const SinewAllocator *allocator, Forest *f,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *supernode_of = NULL;
    SN_ALLOC(f->first, allocator, e->count + 1, error);
    SN_ALLOC(f->parent, allocator, e->count, error);
    SN_ALLOC(f->width, allocator, e->count, error);
    SN_ALLOC(f->below, allocator, e->count, error);
    SN_ALLOC(f->joined_to, allocator, e->count, error);
    SN_ALLOC(f->first_child, allocator, e->count, error);
    SN_ALLOC_ZERO(f->next_sibling, allocator, e->count, error);
    SN_ALLOC(supernode_of, allocator, e->count, error);
    find_fundamental(e, f, supernode_of);
done:
    sn_free(allocator, supernode_of);
    return status;
}

SinewStatus sn_supernodes_create(const SnSparse *pattern, const SnElimination *elimination,
                                 const SinewAllocator *allocator, SnSupernodes *out,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Forest forest = {0};
    int *scratch = NULL;
    double *weight = NULL;
    int64_t entries = elimination->fill * pattern->block * pattern->block;
    double line = entries > NEAR_ENTRIES ? COST_LINE_FAR : COST_LINE_NEAR;
    *out = (SnSupernodes){0};

    SN_TRY(forest_create(elimination, allocator, &forest, error));
    join(&forest, line);
    SN_TRY(allocate(elimination->count, forest.count, allocator, out, error));
    SN_ALLOC(scratch, allocator, 6 * (size_t)forest.count, error);
    renumber(elimination, &forest, scratch, out);

    int64_t rows = 0;
    for (int s = 0; s < forest.count; ++s) {
        rows += forest.joined_to[s] < 0 ? forest.below[s] : 0;
    }
    SN_TRY(find_rows(pattern, rows, allocator, out, error));
    SN_ALLOC(weight, allocator, out->count, error);
    cut_subtrees(out, line, weight, scratch);
done:
    forest_release(&forest, allocator);
    sn_free(allocator, scratch);
    sn_free(allocator, weight);
    if (status < 0) {
        sn_supernodes_release(out, allocator);
    }
    return status;
}

void sn_supernodes_release(SnSupernodes *supernodes, const SinewAllocator *allocator)
{
    sn_free(allocator, supernodes->order);
    sn_free(allocator, supernodes->place);
    sn_free(allocator, supernodes->first);
    sn_free(allocator, supernodes->parent);
    sn_free(allocator, supernodes->row_start);
    sn_free(allocator, supernodes->rows);
    sn_free(allocator, supernodes->subtree_begin);
    sn_free(allocator, supernodes->subtree_end);
    sn_free(allocator, supernodes->subtree_of);
    *supernodes = (SnSupernodes){0};
}

#include "solve/elimination.h"

#include <stdlib.h>
#include <string.h>

void sn_postorder(int count, const int *parent, int *scratch, int *post)
{
    int *first_child = scratch;
    int *next_sibling = scratch + count;
    for (int i = 0; i < count; ++i) {
        first_child[i] = -1;
    }
    // Lists are built backwards, so that they ascend.
    int first_root = -1;
    for (int i = count - 1; i >= 0; --i) {
        int *list = parent[i] >= 0 ? &first_child[parent[i]] : &first_root;
        next_sibling[i] = *list;
        *list = i;
    }
    int done = 0;
    int node = first_root;
    while (node >= 0) {
        while (first_child[node] >= 0) {
            int child = first_child[node];
            first_child[node] = next_sibling[child]; // what is left of the list after this child
            next_sibling[child] = -2 - node;         // the way back up
            node = child;
        }
        post[done++] = node;
        // A child goes back to its parent, which then takes its next child; a root to the next
        // root.
        node = next_sibling[node] <= -2 ? -2 - next_sibling[node] : next_sibling[node];
    }
}

// Parents by Liu's algorithm; ancestors are shortened as they are walked.
static void build_tree(const SnSparse *pattern, SnElimination *e, int *ancestor)
{
    for (int k = 0; k < e->count; ++k) {
        e->parent[k] = -1;
        ancestor[k] = -1;
        int row = e->order[k];
        for (int at = pattern->row_start[row]; at < pattern->row_start[row + 1]; ++at) {
            int i = e->place[pattern->column[at]];
            while (i >= 0 && i < k) {
                int next = ancestor[i];
                ancestor[i] = k;
                if (next < 0) {
                    e->parent[i] = k;
                }
                i = next;
            }
        }
    }
}

// Row k of the factor is the part of the tree that is reached from the row's entries on the way to
// k; each column on the way gets one entry more.
static void count_columns(const SnSparse *pattern, SnElimination *e, int *mark)
{
    memset(e->below, 0, (size_t)e->count * sizeof *e->below);
    for (int k = 0; k < e->count; ++k) {
        mark[k] = k;
        int row = e->order[k];
        for (int at = pattern->row_start[row]; at < pattern->row_start[row + 1]; ++at) {
            for (int i = e->place[pattern->column[at]]; i < k && mark[i] != k; i = e->parent[i]) {
                mark[i] = k;
                e->below[i]++;
            }
        }
    }
    e->fill = e->count;
    for (int k = 0; k < e->count; ++k) {
        e->fill += e->below[k];
    }
}

static void set_order(SnElimination *e, const int *order)
{
    memcpy(e->order, order, (size_t)e->count * sizeof *order);
    for (int k = 0; k < e->count; ++k) {
        e->place[order[k]] = k;
    }
}

SinewStatus sn_elimination_create(const SnSparse *pattern, const int *order,
                                  const SinewAllocator *allocator, SnElimination *out,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = pattern->count;
    int *scratch = NULL;
    int *post = NULL;
    *out = (SnElimination){.count = count};
    SN_ALLOC(out->order, allocator, count, error);
    SN_ALLOC(out->place, allocator, count, error);
    SN_ALLOC(out->parent, allocator, count, error);
    SN_ALLOC(out->below, allocator, count, error);
    SN_ALLOC(scratch, allocator, 2 * (size_t)count, error);
    SN_ALLOC(post, allocator, count, error);

    set_order(out, order);
    build_tree(pattern, out, scratch);
    sn_postorder(count, out->parent, scratch, post);
    for (int k = 0; k < count; ++k) {
        post[k] = order[post[k]];
    }
    set_order(out, post);
    build_tree(pattern, out, scratch);
    count_columns(pattern, out, scratch);
done:
    sn_free(allocator, scratch);
    sn_free(allocator, post);
    if (status < 0) {
        sn_elimination_release(out, allocator);
    }
    return status;
}

void sn_elimination_release(SnElimination *elimination, const SinewAllocator *allocator)
{
    sn_free(allocator, elimination->order);
    sn_free(allocator, elimination->place);
    sn_free(allocator, elimination->parent);
    sn_free(allocator, elimination->below);
    *elimination = (SnElimination){0};
}

static int compare_ints(const void *a, const void *b)
{
    int left = *(const int *)a;
    int right = *(const int *)b;
    return (left > right) - (left < right);
}

void sn_sort_rows(int *rows, int count)
{
    qsort(rows, (size_t)count, sizeof *rows, compare_ints);
}

#include "geometry/element_tree.h"

#include "geometry/morton.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { GRAIN = 2048, CODE_BITS = 16, DIGIT_BITS = 12, DIGITS = 3 * CODE_BITS / DIGIT_BITS };

typedef struct Code {
    uint64_t code;
    int item;
} Code;

typedef struct Build {
    const SnBox *boxes;
    SnElementTree *tree;
    Code *codes;
    double min[3];   // of the centres, doubled
    double scale[3]; // to whole numbers of CODE_BITS
    int level;
} Build;

// Corner of a Morton grid over all centres; a flat box has scale 0 along its thin axis.
static void measure_centres(Build *build)
{
    double max[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int c = 0; c < 3; ++c) {
        build->min[c] = INFINITY;
    }
    for (int i = 0; i < build->tree->item_count; ++i) {
        const SnBox *box = build->boxes + i;
        for (int c = 0; c < 3; ++c) {
            double centre = box->min[c] + box->max[c];
            build->min[c] = centre < build->min[c] ? centre : build->min[c];
            max[c] = centre > max[c] ? centre : max[c];
        }
    }
    for (int c = 0; c < 3; ++c) {
        double size = max[c] - build->min[c];
        build->scale[c] = size > 0.0 ? ((1 << CODE_BITS) - 1) / size : 0.0;
        build->scale[c] = build->scale[c] <= 1e300 ? build->scale[c] : 0.0;
    }
}

static void encode(void *context, int begin, int end, int worker)
{
    (void)worker;
    Build *build = context;
    for (int i = begin; i < end; ++i) {
        const SnBox *box = build->boxes + i;
        int ijk[3];
        for (int c = 0; c < 3; ++c) {
            ijk[c] = (int)((box->min[c] + box->max[c] - build->min[c]) * build->scale[c]);
        }
        build->codes[i] = (Code){sn_morton_encode(ijk[0], ijk[1], ijk[2]), i};
    }
}

// Stable, digit by digit; ends in `codes` since the number of digits is even.
static void sort_codes(Code *codes, Code *other, int *start, int count)
{
    for (int digit = 0; digit < DIGITS; ++digit) {
        const unsigned mask = (1u << DIGIT_BITS) - 1;
        int shift = digit * DIGIT_BITS;
        memset(start, 0, (mask + 2) * sizeof *start);
        for (int i = 0; i < count; ++i) {
            start[((codes[i].code >> shift) & mask) + 1]++;
        }
        for (unsigned d = 0; d < mask; ++d) {
            start[d + 1] += start[d];
        }
        for (int i = 0; i < count; ++i) {
            other[start[(codes[i].code >> shift) & mask]++] = codes[i];
        }
        Code *swap = codes;
        codes = other;
        other = swap;
    }
}

// The last float at or below (above) a number, or one beyond it.
static float round_down(double x)
{
    return (float)(x - fabs(x) * 0x1p-23 - 0x1p-126);
}

static float round_up(double x)
{
    return (float)(x + fabs(x) * 0x1p-23 + 0x1p-126);
}

static void fill_items(void *context, int begin, int end, int worker)
{
    (void)worker;
    Build *build = context;
    SnElementTree *tree = build->tree;
    for (int n = begin; n < end; ++n) {
        SnElementNode *node = tree->nodes + n;
        for (int k = 0; k < SN_ELEMENT_WIDTH; ++k) {
            int place = SN_ELEMENT_WIDTH * n + k;
            bool is_there = place < tree->item_count;
            const SnBox *box = build->boxes + (is_there ? tree->items[place] : 0);
            for (int c = 0; c < 3; ++c) {
                node->min[c][k] = is_there ? round_down(box->min[c]) : INFINITY;
                node->max[c][k] = is_there ? round_up(box->max[c]) : -INFINITY;
            }
        }
    }
}

static int level_size(const SnElementTree *tree, int level)
{
    return tree->level_start[level + 1] - tree->level_start[level];
}

// Nodes of a level from those of the one below.
static void fill_level(void *context, int begin, int end, int worker)
{
    (void)worker;
    const Build *build = context;
    const SnElementTree *tree = build->tree;
    int below = level_size(tree, build->level - 1);
    for (int n = begin; n < end; ++n) {
        SnElementNode *node = tree->nodes + tree->level_start[build->level] + n;
        for (int k = 0; k < SN_ELEMENT_WIDTH; ++k) {
            int index = SN_ELEMENT_WIDTH * n + k;
            const SnElementNode *child = tree->nodes + tree->level_start[build->level - 1] + index;
            for (int c = 0; c < 3; ++c) {
                float min = INFINITY;
                float max = -INFINITY;
                for (int s = 0; s < SN_ELEMENT_WIDTH && index < below; ++s) {
                    min = child->min[c][s] < min ? child->min[c][s] : min;
                    max = child->max[c][s] > max ? child->max[c][s] : max;
                }
                node->min[c][k] = min;
                node->max[c][k] = max;
            }
        }
    }
}

// Returns the number of nodes.
static int lay_out_levels(SnElementTree *tree)
{
    int size = (tree->item_count + SN_ELEMENT_WIDTH - 1) / SN_ELEMENT_WIDTH;
    size = size > 0 ? size : 1;
    int node_count = 0;
    int level = 0;
    for (;; ++level) {
        tree->level_start[level] = node_count;
        node_count += size;
        if (size == 1) {
            break;
        }
        size = (size + SN_ELEMENT_WIDTH - 1) / SN_ELEMENT_WIDTH;
    }
    tree->level_count = level + 1;
    tree->level_start[level + 1] = node_count;
    return node_count;
}

static void fill_tree(Build *build, SnWorkers *workers, Code *other, int *start)
{
    SnElementTree *tree = build->tree;
    measure_centres(build);
    sn_parallel_for(workers, tree->item_count, GRAIN, encode, build);
    sort_codes(build->codes, other, start, tree->item_count);
    for (int i = 0; i < tree->item_count; ++i) {
        tree->items[i] = build->codes[i].item;
    }
    sn_parallel_for(workers, level_size(tree, 0), GRAIN / SN_ELEMENT_WIDTH, fill_items, build);
    for (build->level = 1; build->level < tree->level_count; ++build->level) {
        sn_parallel_for(workers, level_size(tree, build->level), GRAIN / SN_ELEMENT_WIDTH,
                        fill_level, build);
    }
}

SinewStatus sn_element_tree_create(const SnBox *boxes, int item_count, SnWorkers *workers,
                                   const SinewAllocator *allocator, SnElementTree **out_tree,
                                   SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnElementTree *tree = NULL;
    Code *codes = NULL;
    Code *other = NULL;
    int *start = NULL;
    *out_tree = NULL;
    SN_ALLOC_ZERO(tree, allocator, 1, error);
    tree->item_count = item_count;
    SN_ALLOC(tree->items, allocator, item_count, error);
    SN_ALLOC(tree->nodes, allocator, lay_out_levels(tree), error);
    SN_ALLOC(codes, allocator, item_count, error);
    SN_ALLOC(other, allocator, item_count, error);
    SN_ALLOC(start, allocator, (1 << DIGIT_BITS) + 1, error);
    Build build = {.boxes = boxes, .tree = tree, .codes = codes};
    fill_tree(&build, workers, other, start);
    *out_tree = tree;
    tree = NULL;
done:
    sn_free(allocator, start);
    sn_free(allocator, other);
    sn_free(allocator, codes);
    sn_element_tree_destroy(tree, allocator);
    return status;
}

void sn_element_tree_destroy(SnElementTree *tree, const SinewAllocator *allocator)
{
    if (tree == NULL) {
        return;
    }
    sn_free(allocator, tree->nodes);
    sn_free(allocator, tree->items);
    sn_free(allocator, tree);
}

typedef float Four __attribute__((vector_size(16)));
typedef int32_t FourInt __attribute__((vector_size(16)));

// Bits of those of four children whose boxes contain p, lane by lane.
static inline FourInt contains(const SnElementNode *node, const float p[3], int k, FourInt bits)
{
    for (int c = 0; c < 3; ++c) {
        Four min;
        Four max;
        memcpy(&min, node->min[c] + k, sizeof min);
        memcpy(&max, node->max[c] + k, sizeof max);
        bits &= (FourInt)(min <= p[c]) & (FourInt)(p[c] <= max);
    }
    return bits;
}

// A bit a child whose box contains p.
static inline unsigned containing_children(const SnElementNode *node, const float p[3])
{
    FourInt bits = contains(node, p, 0, (FourInt){1, 2, 4, 8}) |
                   contains(node, p, 4, (FourInt){16, 32, 64, 128});
    return (unsigned)(bits[0] | bits[1] | bits[2] | bits[3]);
}

static SnElementWalk walk_from(const SnElementTree *tree, const double p[3], int level, int node)
{
    // Rounding p is harmless: it keeps the order with the rounded boxes.
    SnElementWalk walk = {.tree = tree, .p = {(float)p[0], (float)p[1], (float)p[2]}, .depth = 1};
    walk.stack[0].level = level;
    walk.stack[0].node = node;
    walk.stack[0].left = containing_children(tree->nodes + tree->level_start[level] + node, walk.p);
    return walk;
}

SnElementWalk sn_element_walk(const SnElementTree *tree, const double p[3])
{
    return walk_from(tree, p, tree->level_count - 1, 0);
}

SnElementWalk sn_element_walk_near(const SnElementTree *tree, const double p[3], int place)
{
    bool has_levels = tree->level_count > 1;
    int width = has_levels ? SN_ELEMENT_WIDTH * SN_ELEMENT_WIDTH : SN_ELEMENT_WIDTH;
    return walk_from(tree, p, has_levels ? 1 : 0, place / width);
}

int sn_element_walk_next(SnElementWalk *walk)
{
    const SnElementTree *tree = walk->tree;
    while (walk->depth > 0) {
        int top = walk->depth - 1;
        unsigned left = walk->stack[top].left;
        if (left == 0) {
            walk->depth--;
            continue;
        }
        walk->stack[top].left = left & (left - 1);
        int level = walk->stack[top].level - 1;
        int child = SN_ELEMENT_WIDTH * walk->stack[top].node + __builtin_ctz(left);
        if (level < 0) {
            return child;
        }
        walk->stack[top + 1].level = level;
        walk->stack[top + 1].node = child;
        walk->stack[top + 1].left =
            containing_children(tree->nodes + tree->level_start[level] + child, walk->p);
        walk->depth++;
    }
    return -1;
}

void sn_element_approach(const SnElementTree *tree, const double p[3],
                         SnElementApproach *out_approach)
{
    out_approach->tree = tree;
    memcpy(out_approach->p, p, sizeof out_approach->p);
    out_approach->depth = tree->item_count > 0 ? 1 : 0;
    out_approach->stack[0].distance2 = 0.0;
    out_approach->stack[0].level = tree->level_count - 1;
    out_approach->stack[0].index = 0;
}

static inline void box_distances2(const SnElementNode *node, const double p[3],
                                  double out[SN_ELEMENT_WIDTH])
{
    for (int k = 0; k < SN_ELEMENT_WIDTH; ++k) {
        double sum = 0.0;
        for (int c = 0; c < 3; ++c) {
            double below = (double)node->min[c][k] - p[c];
            double above = p[c] - (double)node->max[c][k];
            double out_by = below > above ? below : above;
            out_by = out_by > 0.0 ? out_by : 0.0;
            sum += out_by * out_by;
        }
        out[k] = sum;
    }
}

// Puts the children within the bound on the stack, the nearest on top.
static void push_children(SnElementApproach *a, int level, int index, double bound2)
{
    const SnElementTree *tree = a->tree;
    double distances2[SN_ELEMENT_WIDTH];
    box_distances2(tree->nodes + tree->level_start[level] + index, a->p, distances2);
    int bottom = a->depth;
    for (int k = 0; k < SN_ELEMENT_WIDTH; ++k) {
        // An empty box is infinitely far.
        if (!(distances2[k] <= bound2) || isinf(distances2[k])) {
            continue;
        }
        int at = a->depth++;
        for (; at > bottom && a->stack[at - 1].distance2 < distances2[k]; --at) {
            a->stack[at] = a->stack[at - 1];
        }
        a->stack[at].distance2 = distances2[k];
        a->stack[at].level = level - 1;
        a->stack[at].index = SN_ELEMENT_WIDTH * index + k;
    }
}

int sn_element_approach_next(SnElementApproach *approach, double bound2)
{
    while (approach->depth > 0) {
        int top = --approach->depth;
        if (approach->stack[top].distance2 > bound2) {
            continue;
        }
        int level = approach->stack[top].level;
        int index = approach->stack[top].index;
        if (level < 0) {
            return index;
        }
        push_children(approach, level, index, bound2);
    }
    return -1;
}

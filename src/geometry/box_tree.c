#include "geometry/box_tree.h"

enum { BINS = 16 };

// Below this depth splits are halves, so that the heuristic cannot make a list out of a tree:
// 40 levels and the 31 that halving an int's worth of things takes.
enum { DEPTH_FREE = 40 };

typedef struct Build {
    const SnBox *boxes;
    int leaf_count;
    SnBoxTree *tree;
} Build;

typedef struct Bin {
    SnBox box;
    int count;
} Bin;

// Where a range of things is cut: those whose middle lies in a bin before `bin` go first.
typedef struct Cut {
    int axis;
    int bin; // 0: no cut is worth it
    double low;
    double scale; // bins a length
} Cut;

// Twice the middle of a box, which sorts as well.
static double middle(const SnBox *box, int axis)
{
    return box->min[axis] + box->max[axis];
}

static int bin_of(const SnBox *box, const Cut *cut)
{
    int bin = (int)((middle(box, cut->axis) - cut->low) * cut->scale);
    return bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
}

static double half_area(const SnBox *box)
{
    double x = box->max[0] - box->min[0];
    double y = box->max[1] - box->min[1];
    double z = box->max[2] - box->min[2];
    return x * y + y * z + z * x;
}

// Sorts the things of a node into bins along the axis on which their middles spread most, and takes
// the cut with the smallest sum of area times count.
static Cut choose_cut(const Build *build, const SnBoxNode *node, const SnBox *middles)
{
    Cut cut = {.axis = 0};
    double width = 0.0;
    for (int k = 0; k < 3; ++k) {
        if (middles->max[k] - middles->min[k] > width) {
            width = middles->max[k] - middles->min[k];
            cut.axis = k;
        }
    }
    cut.low = middles->min[cut.axis];
    cut.scale = BINS / width;
    if (!(width > 0.0) || !(cut.scale < 1e300)) {
        return cut;
    }
    Bin bins[BINS];
    for (int b = 0; b < BINS; ++b) {
        bins[b] = (Bin){sn_box_empty(), 0};
    }
    for (int i = node->begin; i < node->end; ++i) {
        const SnBox *box = &build->boxes[build->tree->order[i]];
        Bin *bin = &bins[bin_of(box, &cut)];
        sn_box_add(&bin->box, box);
        bin->count++;
    }
    double cost_after[BINS]; // of the bins from b on
    Bin sum = {sn_box_empty(), 0};
    for (int b = BINS - 1; b > 0; --b) {
        sn_box_add(&sum.box, &bins[b].box);
        sum.count += bins[b].count;
        cost_after[b] = sum.count > 0 ? half_area(&sum.box) * sum.count : 0.0;
    }
    sum = (Bin){sn_box_empty(), 0};
    double least = 1e300;
    for (int b = 1; b < BINS; ++b) {
        sn_box_add(&sum.box, &bins[b - 1].box);
        sum.count += bins[b - 1].count;
        bool is_cut = sum.count > 0 && sum.count < node->end - node->begin;
        double cost = is_cut ? half_area(&sum.box) * sum.count + cost_after[b] : 1e300;
        if (cost < least) {
            least = cost;
            cut.bin = b;
        }
    }
    return cut;
}

// Brings what goes first to the front; returns where the rest begins.
static int partition(const Build *build, const SnBoxNode *node, const Cut *cut)
{
    int *order = build->tree->order;
    int front = node->begin;
    int back = node->end;
    while (front < back) {
        if (bin_of(&build->boxes[order[front]], cut) < cut->bin) {
            front++;
        } else {
            int swap = order[front];
            order[front] = order[--back];
            order[back] = swap;
        }
    }
    return front;
}

static void build_node(Build *build, int begin, int end, int depth)
{
    int index = build->tree->node_count++;
    SnBoxNode *node = &build->tree->nodes[index];
    *node = (SnBoxNode){.box = sn_box_empty(), .begin = begin, .end = end};
    SnBox middles = sn_box_empty();
    for (int i = begin; i < end; ++i) {
        const SnBox *box = &build->boxes[build->tree->order[i]];
        sn_box_add(&node->box, box);
        const double m[3] = {middle(box, 0), middle(box, 1), middle(box, 2)};
        sn_box_add_point(&middles, m);
    }
    if (end - begin <= build->leaf_count) {
        return;
    }
    int half = begin + (end - begin) / 2;
    if (depth < DEPTH_FREE) {
        Cut cut = choose_cut(build, node, &middles);
        half = cut.bin > 0 ? partition(build, node, &cut) : half;
    }
    build_node(build, begin, half, depth + 1);
    node->second = build->tree->node_count;
    build_node(build, half, end, depth + 1);
}

SinewStatus sn_box_tree_create(const SnBox *boxes, int count, int leaf_count,
                               const SinewAllocator *allocator, SnBoxTree **out_tree,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBoxTree *tree = NULL;
    *out_tree = NULL;
    if (count < 1 || count > INT32_MAX / 2) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "a box tree over %d things, expected 1 to %d",
                       count, INT32_MAX / 2);
    }
    SN_ASSERT(leaf_count >= 1);
    SN_ALLOC_ZERO(tree, allocator, 1, error);
    tree->count = count;
    SN_ALLOC(tree->nodes, allocator, 2 * (size_t)count - 1, error);
    SN_ALLOC(tree->order, allocator, count, error);
    for (int i = 0; i < count; ++i) {
        tree->order[i] = i;
    }
    Build build = {boxes, leaf_count, tree};
    build_node(&build, 0, count, 0);
    *out_tree = tree;
    tree = NULL;
done:
    sn_box_tree_destroy(tree, allocator);
    return status;
}

void sn_box_tree_destroy(SnBoxTree *tree, const SinewAllocator *allocator)
{
    if (tree == NULL) {
        return;
    }
    sn_free(allocator, tree->order);
    sn_free(allocator, tree->nodes);
    sn_free(allocator, tree);
}

static bool touch(const SnBox *a, const SnBox *b)
{
    for (int k = 0; k < 3; ++k) {
        if (a->min[k] > b->max[k] || b->min[k] > a->max[k]) {
            return false;
        }
    }
    return true;
}

void sn_box_tree_visit(const SnBoxTree *tree, const SnBox *box, SnBoxFn *fn, void *context)
{
    int stack[SN_BOX_TREE_DEPTH];
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
        int index = stack[--top];
        const SnBoxNode *node = &tree->nodes[index];
        if (!touch(&node->box, box)) {
            continue;
        }
        if (node->second > 0) {
            stack[top++] = node->second;
            stack[top++] = index + 1;
            continue;
        }
        for (int i = node->begin; i < node->end; ++i) {
            if (!fn(context, tree->order[i])) {
                return;
            }
        }
    }
}

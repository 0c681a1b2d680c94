// A hierarchy of boxes over any things that have one: triangles, tets, bodies. Boxes go in, a flat
// array of nodes comes out, in which each inner node splits its things in two. Splits follow the
// surface area heuristic over 16 bins; the tree depends on the boxes and their order alone.
//
// Not taken: nodes of four or eight children. Queries are dominated by the triangles they reach,
// and the far field of winding numbers wants many small steps of size.
#ifndef SN_GEOMETRY_BOX_TREE_H
#define SN_GEOMETRY_BOX_TREE_H

#include "base/memory.h"

#include <stdbool.h>

typedef struct SnBox {
    double min[3];
    double max[3];
} SnBox;

typedef struct SnBoxNode {
    SnBox box;
    int begin;  // its things are order[begin..end)
    int end;    //
    int second; // index of the second child, the first one follows its parent; 0: a leaf
} SnBoxNode;

// More than the depth of any tree: traversals keep their stacks on the stack.
#define SN_BOX_TREE_DEPTH 80

typedef struct SnBoxTree {
    int count;
    int node_count;
    SnBoxNode *nodes; // the root first, then depth first
    int *order;       // the things, sorted into leaves
} SnBoxTree;

// `boxes` must be finite with min <= max, and at least one. Leaves hold at most `leaf_count`.
SinewStatus sn_box_tree_create(const SnBox *boxes, int count, int leaf_count,
                               const SinewAllocator *allocator, SnBoxTree **out_tree,
                               SinewError *error);

// NULL is fine. The allocator must be the one it was made with.
void sn_box_tree_destroy(SnBoxTree *tree, const SinewAllocator *allocator);

// Called for a thing; false ends the visit.
typedef bool SnBoxFn(void *context, int item);

// Calls fn for the things of every leaf that touches `box`, in the tree's order. The things' own
// boxes are not kept, so some may lie a little beside it.
void sn_box_tree_visit(const SnBoxTree *tree, const SnBox *box, SnBoxFn *fn, void *context);

// Square of the distance from a point to a box; 0 inside.
static inline double sn_box_distance_squared(const SnBox *box, const double p[3])
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        double below = box->min[k] - p[k];
        double above = p[k] - box->max[k];
        double d = below > above ? below : above;
        d = d > 0.0 ? d : 0.0;
        sum += d * d;
    }
    return sum;
}

// A box that holds nothing yet, and the smallest one that holds another too.
static inline SnBox sn_box_empty(void)
{
    return (SnBox){{1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}};
}

static inline void sn_box_add_point(SnBox *box, const double p[3])
{
    for (int k = 0; k < 3; ++k) {
        box->min[k] = p[k] < box->min[k] ? p[k] : box->min[k];
        box->max[k] = p[k] > box->max[k] ? p[k] : box->max[k];
    }
}

static inline void sn_box_add(SnBox *box, const SnBox *other)
{
    for (int k = 0; k < 3; ++k) {
        box->min[k] = other->min[k] < box->min[k] ? other->min[k] : box->min[k];
        box->max[k] = other->max[k] > box->max[k] ? other->max[k] : box->max[k];
    }
}

#endif

// A tree of boxes over elements (tets, cells), for finding those around a point or nearest to it.
// Boxes go in; a walk over the tree gives item after item, and the caller decides what it wants.
//
// The items are put into Morton order of their centres, eight neighbours make a node, eight nodes
// the next, up to one root: no pointers, no recursion, and the same tree for any number of workers.
// Not taken: splits by surface area. They make walks a little shorter but building ten times as
// long, and elements of a mesh are alike and do not overlap.
#ifndef SN_GEOMETRY_BOX_TREE_H
#define SN_GEOMETRY_BOX_TREE_H

#include "base/workers.h"

enum { SN_BOX_WIDTH = 8, SN_BOX_LEVELS_MAX = 12 };

// Coordinates must be within plus and minus this, so that squares fit a double and boxes a float.
#define SN_BOX_REACH 1e30

// Boxes of the eight children, axis by axis; where a child is missing the box is empty. Rounded
// outwards to float.
typedef struct SnBoxNode {
    float min[3][SN_BOX_WIDTH];
    float max[3][SN_BOX_WIDTH];
} SnBoxNode;

typedef struct SnBoxTree {
    int item_count;
    int *items; // the item at each place of the Morton order
    int level_count;
    int level_start[SN_BOX_LEVELS_MAX]; // first node of a level; level 0 holds items, the last
                                        // level is the root alone
    SnBoxNode *nodes;
} SnBoxTree;

// `boxes` holds min xyz, max xyz an item, within SN_BOX_REACH. Walks answer with places in
// `tree->items`, so that the caller can keep its data in the same order.
SinewStatus sn_box_tree_create(const double *boxes, int item_count, SnWorkers *workers,
                               const SinewAllocator *allocator, SnBoxTree **out_tree,
                               SinewError *error);

// NULL is fine. The allocator must be the one it was made with.
void sn_box_tree_destroy(SnBoxTree *tree, const SinewAllocator *allocator);

// The places whose boxes contain a point, one after the other.
typedef struct SnBoxWalk {
    const SnBoxTree *tree;
    float p[3];
    int depth;
    struct {
        int level;
        int node;
        unsigned left; // children still to visit, a bit each
    } stack[SN_BOX_LEVELS_MAX];
} SnBoxWalk;

SnBoxWalk sn_box_walk(const SnBoxTree *tree, const double p[3]);

// The next place, or -1 at the end.
int sn_box_walk_next(SnBoxWalk *walk);

// The places in the order of growing distance of their boxes from a point, roughly: nearer
// subtrees first.
typedef struct SnBoxApproach {
    const SnBoxTree *tree;
    double p[3];
    int depth;
    struct {
        double distance2; // no item below is nearer
        int level;        // -1: an item
        int index;
    } stack[SN_BOX_LEVELS_MAX * SN_BOX_WIDTH];
} SnBoxApproach;

void sn_box_approach(const SnBoxTree *tree, const double p[3], SnBoxApproach *out_approach);

// The next place whose box is not farther than the root of `bound2`, or -1 when there is none. The
// bound may shrink from call to call.
int sn_box_approach_next(SnBoxApproach *approach, double bound2);

#endif

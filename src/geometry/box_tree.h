// A hierarchy of boxes over any things that have one: triangles, tets, bodies. Boxes go in, a flat
// array of nodes comes out, in which each inner node splits its things in two. Splits follow the
// surface area heuristic over 16 bins; the tree depends on the boxes and their order alone.
//
// For things that overlap or differ in size and are asked for their nearest; the elements of a mesh
// are found by element_tree.h, which is built four times as fast (8 against 34 ms over 110k tets)
// and on several workers, but takes 1.7 times as long to the nearest of 65k triangles.
//
// Not taken: nodes of four or eight children. They were not tried: two are simpler, and fast enough
// for the figures asked of the distance grid, where walking the tree takes a third of the time.
#ifndef SN_GEOMETRY_BOX_TREE_H
#define SN_GEOMETRY_BOX_TREE_H

#include "base/memory.h"
#include "geometry/box.h"

#include <stdbool.h>

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

#endif

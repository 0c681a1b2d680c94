// The octree of [E] over a surface: leaves of the finest level that the surface touches are
// boundary; what can be reached from outside without crossing them is outside; the rest is inside.
// Needs no signs and no closed surface: open surfaces and lines are boundary all over.
//
// Where nothing touches a node it is not divided, so the tree has as many nodes as the surface has
// area, not as the body has volume. Nodes are kept level by level, each level in Morton order.
#ifndef SN_GEOMETRY_OCTREE_H
#define SN_GEOMETRY_OCTREE_H

#include "base/workers.h"
#include "geometry/surface.h"

#include <stdbool.h>

enum { SN_OCTREE_DEPTH_MAX = 16 };

typedef enum SnOctreeLabel {
    SN_OCTREE_OUTSIDE,
    SN_OCTREE_BOUNDARY, // the surface touches it, or a leaf below it
    SN_OCTREE_INSIDE
} SnOctreeLabel;

typedef struct SnOctreeDef {
    int depth;  // of the finest leaves: 2^depth cells along a side, 0 to SN_OCTREE_DEPTH_MAX
    bool cubic; // a cube about the surface's box, so that cells are cubes; else the box itself, as
                // in the paper
} SnOctreeDef;

// The root's box is the surface's, inflated by 1 %: sides are 1.01 times as long. Flat boxes are
// given a thickness of 1 % of the longest side.
typedef struct SnOctree {
    double min[3];  // m
    double size[3]; // m, of the root
    int depth;
    int node_count;
    int level_start[SN_OCTREE_DEPTH_MAX + 2]; // first node of each level, and one more for the end
    uint64_t *keys;        // place of a node on the grid of its level, interleaved as in morton.h
    unsigned char *labels; // SnOctreeLabel
    float *fills; // [E]: 1 inside, 1/2 in boundary leaves, 0 outside, the mean of the children else
    int *children; // the first of eight, in the order of their keys; -1 for a leaf
    int *parents;  // -1 for the root
} SnOctree;

SinewStatus sn_octree_create(const SnSurface *surface, const SnOctreeDef *def, SnWorkers *workers,
                             const SinewAllocator *allocator, SnOctree **out_octree,
                             SinewError *error);

// NULL is fine. The allocator must be the one it was made with.
void sn_octree_destroy(SnOctree *octree, const SinewAllocator *allocator);

// The node of `level` at (i, j, k), or the leaf of a coarser level that covers it; -1 beyond the
// root's box.
int sn_octree_find(const SnOctree *octree, int level, int i, int j, int k);

// The level of a node.
int sn_octree_level(const SnOctree *octree, int node);

#endif

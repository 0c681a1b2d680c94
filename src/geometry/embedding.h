// Points embedded in a body: each takes its place from the nodes of one element, x_p = sum_k w_k
// x_node(k). Made once from rest positions; evaluated every step, for millions of points.
#ifndef SN_GEOMETRY_EMBEDDING_H
#define SN_GEOMETRY_EMBEDDING_H

#include "geometry/cell_location.h"
#include "geometry/point_location.h"
#include "kernel/kernel_table.h"

// Arrays are in the order of the points. Evaluation is fastest where that order keeps points of one
// element together.
typedef struct SnEmbedding {
    int count;        // points
    int width;        // nodes a point: 4 in tets, 8 in cells
    int *nodes;       // `width` a point: vertices of the mesh, nodes of the lattice
    float *weights;   // beside nodes
    int *elements;    // the tet or cell of each point
    float *distances; // m, from that element; 0 inside
} SnEmbedding;

// `points` holds xyz a point, within SN_ELEMENT_REACH; one that is not is refused with its index.
SinewStatus sn_embedding_create_in_tets(const SnTetLocator *locator, const double *points,
                                        int count, SnWorkers *workers,
                                        const SinewAllocator *allocator,
                                        SnEmbedding **out_embedding, SinewError *error);

SinewStatus sn_embedding_create_in_cells(const SnCellLocator *locator, const double *points,
                                         int count, SnWorkers *workers,
                                         const SinewAllocator *allocator,
                                         SnEmbedding **out_embedding, SinewError *error);

// NULL is fine. The allocator must be the one it was made with.
void sn_embedding_destroy(SnEmbedding *embedding, const SinewAllocator *allocator);

// Where the points are when the nodes are at `positions` (xyz packed); `out_xyz` has room for all
// points, xyz packed, and does not overlap.
void sn_embedding_evaluate(const SnEmbedding *embedding, const SnKernels *kernels,
                           SnWorkers *workers, const float *positions, float *out_xyz);

#endif

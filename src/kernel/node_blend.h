// Between the vertices of a body and the nodes of a coarse lattice around it, for `tetmg`: a vertex
// follows the eight nodes of its cell by trilinear weights, and each node has a rotation of its
// own, so that a coarse matrix made at rest serves the body as it has turned.
#ifndef SN_KERNEL_NODE_BLEND_H
#define SN_KERNEL_NODE_BLEND_H

enum { SN_NODE_CORNERS = 8, SN_TET_CORNERS = 4 };

typedef struct SnNodeBlend {
    const int *nodes;      // 8 a vertex: four times a node
    const float *weights;  // 8 a vertex; zero where the vertex is held
    const int *start;      // a node: its first member; and the end
    const int *members;    // 8 vertex + corner
    const float *turns;    // 12 a node: rotation Q, rows of four floats
    const float *residual; // xyz a vertex, and a float more
    float *right;          // xyz a node
    float *moves;          // 4 a node
    const float *free;     // xyz a vertex: 1, or 0 where held
    float *z;              // xyz a vertex
} SnNodeBlend;

typedef void SnNodeBlendFn(const SnNodeBlend *blend, int begin, int end);

// Between the rows of two levels of a hierarchy: a row follows the four corners of a coarse tet.
typedef struct SnTetBlend {
    const int *parents;   // 4 a row
    const float *weights; // 4 a row
    const int *start;     // a coarse row: its first member; and the end
    const int *members;   // 4 row + corner
    const float *fine;    // of `restrict_to`: xyz a row, and a float more
    float *right;         // of `restrict_to`: xyz a coarse row
    const float *coarse;  // of `prolong`: xyz a coarse row, and a float more
    float *z;             // of `prolong`: xyz a row
} SnTetBlend;

typedef void SnTetBlendFn(const SnTetBlend *blend, int begin, int end);

typedef struct SnNodeKernels {
    SnNodeBlendFn *gather;     // nodes: right = Q^T sum over members of weight residual
    SnNodeBlendFn *turn;       // nodes: moves = Q right
    SnNodeBlendFn *spread;     // vertices: z += free sum over nodes of weight moves
    SnTetBlendFn *restrict_to; // coarse rows: right = sum over members of weight fine
    SnTetBlendFn *prolong;     // rows: z += sum over parents of weight coarse
} SnNodeKernels;

#endif

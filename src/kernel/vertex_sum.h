// Vectors over vertices for `split`: forces of patches gathered by vertex, and dot products.
// Vectors are xyz packed, with room for one float more. Every sum has one order, whatever the
// lanes.
#ifndef SN_KERNEL_VERTEX_SUM_H
#define SN_KERNEL_VERTEX_SUM_H

enum { SN_VERTEX_ROWS = 4 };

// out = free (mass (x - minus) + scale sum of the vertex's rows). The first four rows are added as
// (0 + 1) + (2 + 3), further ones, which few vertices have, one after the other: a loop of another
// length for each vertex would cost more than the sums do.
typedef struct SnVertexSum {
    const int *places;  // SN_VERTEX_ROWS a vertex: four times a row; where there are fewer, one of
                        // zeros
    const int *start;   // a vertex: its first place in `further`, and the end
    const int *further; //
    const float *rows;  // four floats a row
    const float *mass;  // a vertex
    const float *free;  // xyz: 1, or 0 where held
    const float *x;
    const float *minus; // nullable: zero
    float scale;
    float *out; // neither x nor minus
} SnVertexSum;

typedef struct SnVertexKernels {
    void (*sum)(const SnVertexSum *sum, int begin, int end); // vertices [begin, end)
    // Sum of a_i b_i over floats [begin, end), in double, in 16 partial sums that take turns.
    double (*dot)(const float *a, const float *b, int begin, int end);
} SnVertexKernels;

#endif

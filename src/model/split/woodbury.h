// Contact and springs in the preconditioner of `split`. The constant matrix A knows nothing of the
// stiffness K of points that touch, and conjugate gradients would meet each of them as an outlier.
// K is therefore lumped to the vertices of its points, which are few, and
//
//     (A + E K E^T)^-1 r = A^-1 (r - E y),   y = L S^-1 L^T E^T A^-1 r,   S = I + L^T G L
//
// where E picks the touched vertices, K_v = L_v L_v^T and G = E^T A^-1 E. By Woodbury's formula
// that is one solve with A as before, and E^T A^-1 r are dot products with columns of A^-1
// (columns.h). Where all normals agree, S falls apart into one part along the normal and one across
// it.
//
// The coarse space must know K as well, or it undoes everything. With the rows T of its matrix C
// that touched vertices follow, Q = Phi^T K Phi on them and P = C^-1 there,
//
//     (C + Q)^-1 r = q - C^-1[:,T] P^-1 w,   q = C^-1 r,   (P^-1 + Q) w = Q q[T]
//
// Not taken: K of points instead of vertices. It needs no fewer iterations, and surfaces may have
// eight times as many points as there are vertices.
#ifndef SN_MODEL_SPLIT_WOODBURY_H
#define SN_MODEL_SPLIT_WOODBURY_H

#include "model/split/columns.h"
#include "model/split/triangle.h"

enum { SN_WOODBURY_GROUPS = 3 };

// Rows of S that couple with each other alone.
typedef struct SnWoodburyGroup {
    int begin, count; // rows
    int factor;       // which factor solves it
} SnWoodburyGroup;

// What the coarse space knows of contact.
typedef struct SnWoodburyCoarse {
    int cluster_count;       // touched
    int cluster_max;         //
    int *clusters;           // touched ones
    int *known;              // those that `schur` was made for
    int known_count;         // 0: it holds nothing
    int *place;              // per cluster: which of the touched ones, or -1
    float *basis;            // 16 per touched vertex
    int *vertex_clusters;    // 4 per touched vertex: places, or -1
    float *stiffness;        // 9 per touched vertex, in the frame that the clusters turn
    float *schur;            // P^-1, lower triangle
    SnSplitTriangle factor;  // of P^-1 + Q
    float *gathered, *moved; // per row of T
} SnWoodburyCoarse;

typedef struct SnWoodbury {
    SnSplitColumns columns;
    int *place;        // per vertex inside: which of the touched ones, or -1
    int *touched;      // vertices inside
    double *lumped;    // 9 per touched vertex: h^2 K_v, kg
    int touched_count; //
    int vertex_count;  // those that were chosen: the first of the arrays below
    int *vertices;     //
    double *stiffness; // 9 each
    int *last_vertices;
    double *last_stiffness;
    int last_count; // -1: nothing is known of the step so far
    int row_max;
    int row_count;
    int *row_vertex;  // which of the chosen ones
    float *row_pull;  // xyz: column of L_v
    float *row_value; //
    int group_count;
    SnWoodburyGroup groups[SN_WOODBURY_GROUPS];
    SnSplitTriangle factors[2];
    const float **lent; // column per chosen vertex
    float *vectors;     // x, y and z of a residual, each of a column's length
    float *sums;        // xyz per chosen vertex
    double *work[2];    // dense matrices under way
    SnWoodburyCoarse coarse;
} SnWoodbury;

// Memory for steps with contact, made ready when a step is prepared; forgets what the last step
// knew. With a system of levels there is none: columns would not be exact.
SinewStatus sn_woodbury_reserve(SnSplit *body, SnWorkers *workers, SinewError *error);
void sn_woodbury_destroy(SnSplit *body);

// The system has other values.
void sn_woodbury_forget(SnSplit *body);

// From the forces at points last evaluated. The clusters are turned already. Uses the room's hp.
SinewStatus sn_woodbury_linearise(const SnSplitProblem *problem, SinewError *error);

// z = r - E y. A solve with A then makes it the answer with contact.
void sn_woodbury_relieve(const SnSplitProblem *problem, const float *r, float *z);

// Of the coarse space: frames = (C + Q)^-1 right, from C^-1 right.
void sn_woodbury_coarse_correct(SnSplit *body);

// Parts of it, woodbury_coarse.c.
SinewStatus sn_woodbury_coarse_reserve(SnSplit *body, SnWoodbury *woodbury, SinewError *error);
void sn_woodbury_coarse_release(SnWoodbury *woodbury, const SinewAllocator *allocator);
void sn_woodbury_coarse_linearise(SnSplit *body, SnWoodbury *woodbury);

#endif

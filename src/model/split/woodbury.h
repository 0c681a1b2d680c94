// Contact and springs in the preconditioner of `split`. The constant matrix A knows nothing of the
// stiffness K of points that touch, and conjugate gradients would meet each of them as an outlier.
// Points of contact are many and dense, so their stiffness is lumped to vertices; springs are few
// and may be far stiffer than the body, so each keeps its point. Both are nodes of weights W, and
//
//     (A + W K W^T)^-1 r = Pi A^-1 r = A^-1 (r - W y),   y = N W^T A^-1 r
//     N = L (I + L^T G L)^-1 L^T,   K = L L^T,   G = W^T A^-1 W,   Pi = I - A^-1 W N W^T
//
// by Woodbury's formula. That is one solve with A as before, and W^T A^-1 r are dot products with
// columns of A^-1 (columns.h). Where all normals agree, N falls apart into one part along the
// normal and one across it.
//
// The coarse space must know K as well, or it undoes everything. With the rows T of its matrix C
// that nodes follow, Q = Phi^T W K W^T Phi on them and P = C^-1 there,
//
//     (C + Q)^-1 r = q - C^-1[:,T] P^-1 w,   q = C^-1 r,   (P^-1 + Q) w = Q q[T]
//
// What frames still move of nodes, Pi takes away: z = Pi (A^-1 + Phi (C + Q)^-1 Phi^T Pi^T) r. Pi
// needs no solve of its own, since its A^-1 and that of r are one.
//
// Not taken: K of contact's points instead of vertices. It needs no fewer iterations, and surfaces
// may have eight times as many points as there are vertices. Nor springs lumped to vertices: that
// holds a whole tet where a spring holds one point, and stiff springs then take five times the
// iterations.
#ifndef SN_MODEL_SPLIT_WOODBURY_H
#define SN_MODEL_SPLIT_WOODBURY_H

#include "model/split/columns.h"
#include "model/split/triangle.h"

enum {
    SN_WOODBURY_GROUPS = 3,
    SN_WOODBURY_TIES = 32 // springs with nodes of their own; more are lumped to vertices
};

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
    float *basis;            // 16 per entry, times its weight
    int *entry_clusters;     // 4 per entry: places, or -1
    float *turns;            // 9 per entry: the rotation of its vertex
    float *schur;            // P^-1
    SnSplitTriangle factor;  // of P^-1 + Q
    float *gathered, *moved; // per row of T
} SnWoodburyCoarse;

// A spring at a point, or contact lumped to a vertex.
typedef struct SnWoodburyNode {
    int id;              // vertex inside, or -1 - point
    int begin, end;      // entries
    double stiffness[9]; // h^2 K, kg
} SnWoodburyNode;

typedef struct SnWoodbury {
    SnSplitColumns columns;
    // Contact, lumped.
    int *place;        // per vertex inside: which of the touched ones, or -1
    int *touched;      // vertices inside
    double *lumped;    // 9 per touched vertex: h^2 K_v, kg
    int touched_count; //
    double *traces;    // per touched vertex
    // Nodes that were chosen: springs first.
    int node_count, node_max;
    SnWoodburyNode *nodes;
    int tie_count;       // springs among active points
    bool is_known;       // nodes are of this step
    int entry_count;     //
    int *entry_vertex;   // per entry: which of the vertices below
    float *entry_weight; //
    int vertex_count;    //
    int *vertices;       // inside
    int *chosen;         // per vertex inside: which of those, or -1
    // Rows of N.
    int row_count;
    int *row_node;
    float *row_pull;  // xyz: column of L
    float *row_value; //
    int group_count;
    SnWoodburyGroup groups[SN_WOODBURY_GROUPS];
    SnSplitTriangle factors[2];
    const float **lent; // column per vertex
    float *vectors;     // x, y and z of a residual, each of a column's length
    float *sums;        // xyz per vertex
    float *move;        // xyz per vertex inside, as the room's vectors: what frames do
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

// Out of `forces` what nodes would not let happen: forces - W N W^T A^-1 forces = Pi^T forces.
void sn_woodbury_relieve(const SnSplitProblem *problem, float *forces);

// forces -= W N W^T move, so that A^-1 forces + move is Pi (A^-1 forces + move).
void sn_woodbury_oppose(const SnSplitProblem *problem, const float *move, float *forces);

// Of the coarse space: frames = (C + Q)^-1 right, from C^-1 right.
void sn_woodbury_coarse_correct(SnSplit *body);

// Parts of it: nodes, woodbury_nodes.c; the coarse space, woodbury_coarse.c.

// Chooses nodes and lists their entries and vertices. False: those of the step's linearisation
// before are near enough. At most `node_max`, the stiffest.
bool sn_woodbury_find_nodes(const SnSplitProblem *problem, SnWoodbury *woodbury);

// Chooses fewer of them: contact at no more than `most` vertices.
void sn_woodbury_thin_nodes(const SnSplitProblem *problem, SnWoodbury *woodbury, int most);
SinewStatus sn_woodbury_nodes_reserve(SnSplit *body, SnWoodbury *woodbury, SinewError *error);
void sn_woodbury_nodes_release(SnWoodbury *woodbury, const SinewAllocator *allocator);

SinewStatus sn_woodbury_coarse_reserve(SnSplit *body, SnWoodbury *woodbury, SinewError *error);
void sn_woodbury_coarse_release(SnWoodbury *woodbury, const SinewAllocator *allocator);
void sn_woodbury_coarse_linearise(SnSplit *body, SnWoodbury *woodbury);

// Whether the preconditioner knows of contact.
static inline bool sn_woodbury_acts(const SnSplit *body)
{
    return body->woodbury != NULL && body->woodbury->row_count > 0;
}

static inline double sn_woodbury_trace(const double K[9])
{
    return K[0] + K[4] + K[8];
}

#endif

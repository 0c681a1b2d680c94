// Ever coarser cells over the body's own, for solves whose number of iterations does not grow with
// the number of cells: eight cells make one, its corners carry the vertices inside by trilinear
// weights, and its matrix is what the finer ones are for such motions (Galerkin's). All in the
// world's frame, so that rigid motions of the body as it is now are kept to the coarsest level.
//
// Not taken: matrices of coarse cells at rest, turned by a mean rotation. They need be made once
// only, but are far too stiff for a bent body's rigid motions, the more so the coarser they are.
#ifndef SN_MODEL_VOXEL_HIERARCHY_H
#define SN_MODEL_VOXEL_HIERARCHY_H

#include "model/voxel/pattern.h"
#include "solve/cholesky.h"

enum { SN_VOXEL_STAGES = 16 };

// A coarser level and its ties to the finer one before it.
typedef struct SnVoxelStage {
    SnVoxelLevel level;
    int *places;            // i, j, k a cell
    int *corners;           // of `level`, of which this is the owner
    int *vertex_start;      //
    int *vertex_corners;    //
    float *matrices;        // SN_VOXEL_ENTRIES a cell
    int *child_start;       // a cell: its finer cells
    int *children;          // in ascending order
    int *parents;           // a finer cell: its coarser one
    unsigned char *octants; // a finer cell: 4 i + 2 j + k inside the coarser one
    int *nodes;             // 8 a finer vertex: what it follows
    float *shares;          // beside nodes
    int *fine_start;        // a vertex: the finer ones that follow it
    int *fine;              //
    float *fine_shares;     //
    double radius;          // a bound of the eigenvalues of D^-1 A
} SnVoxelStage;

typedef struct SnVoxelHierarchy SnVoxelHierarchy;
struct SnVoxelHierarchy {
    SinewAllocator allocator;
    int count; // of stages
    SnVoxelStage stages[SN_VOXEL_STAGES];
    double radius;  // of the body's own cells
    float *numbers; // what follows, 4 a vertex of the body
    float *x, *r, *p;
    SnVoxelPattern pattern; // of the coarsest stage
    SnCholesky *factor;
    SnCholeskyWork *work;
    double *right; // 3 a vertex of the coarsest stage
};

// Builds stages over a level whose cells are at `places`: one at least.
SinewStatus sn_voxel_hierarchy_create(const SnVoxelLevel *finest, const int *places,
                                      const SinewAllocator *allocator, SnVoxelHierarchy **out,
                                      SinewError *error);
void sn_voxel_hierarchy_destroy(SnVoxelHierarchy *hierarchy); // NULL is fine

// One stage over a level; `places` are those of the level's cells.
SinewStatus sn_voxel_stage_create(const SnVoxelLevel *finer, const int *places,
                                  const SinewAllocator *allocator, SnVoxelStage *out_stage,
                                  SinewError *error);
void sn_voxel_stage_release(SnVoxelStage *stage, const SinewAllocator *allocator);

// The body's own cells, and what else than they its matrix is made of.
typedef struct SnVoxelOperator {
    const SnVoxelLevel *level;
    // Nullable: `out` from p otherwise than by the level's matrices.
    void (*cells)(void *context, const SnVoxelLevel *level, SnWorkers *workers);
    // Nullable: more to be added to what cells say in the level's `out`, for its p; and to coarser
    // matrices, by sn_voxel_hierarchy_add.
    void (*apply)(void *context, const SnVoxelLevel *level);
    void (*add)(void *context, SnVoxelHierarchy *hierarchy);
    // Nullable: makes the level's z = D^-1 r that for a matrix nearer to A than its blocks D are.
    void (*correct)(void *context, const SnVoxelLevel *level);
    void *context;
} SnVoxelOperator;

// q = A p; answers p . q.
double sn_voxel_operator_apply(const SnVoxelOperator *finest, SnWorkers *workers);

// sn_voxel_level_advance with z corrected.
void sn_voxel_operator_advance(const SnVoxelOperator *matrix, SnWorkers *workers, double alpha,
                               double sums[2]);

// All matrices for those of the body's cells, and the factor of the coarsest. Fails with
// SINEW_ERROR_NOT_DEFINITE where that is not positive. Allocates nothing.
SinewStatus sn_voxel_hierarchy_make(SnVoxelHierarchy *hierarchy, const SnVoxelOperator *finest,
                                    SnWorkers *workers, SinewError *error);

// Adds to the first coarse matrix what a cell of the body has besides its own, SN_VOXEL_ENTRIES
// numbers in the world's frame and the kernels' order, which are used up.
void sn_voxel_hierarchy_add(SnVoxelHierarchy *hierarchy, const SnVoxelLevel *finest, int cell,
                            float *matrix);

// x of the body's level = about A^-1 r, from zero; r, z, p and q are used up. Symmetric.
void sn_voxel_hierarchy_cycle(const SnVoxelHierarchy *hierarchy, const SnVoxelOperator *finest,
                              SnWorkers *workers);

#endif

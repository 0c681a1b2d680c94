// Points that follow the frames: material points of the world, pinned vertices, lumps of mass. They
// are placed, and forces at them are taken back to the frames with the stiffness that goes with
// them.
#ifndef SN_MODEL_FRAMES_POINTS_H
#define SN_MODEL_FRAMES_POINTS_H

#include "model/frames/blend.h"
#include "model/frames/samples.h"
#include "model/near_points.h"

enum { SN_POINT_FRAMES_MAX = 64 }; // frames that a point may follow

// Points of a set that contact acts at that may feel a force, and what bounds their moves.
typedef struct SnFrameList {
    SnNearPoints near;
    int group_count; //
    int *groups;     // that have points near, ascending
    double *from;    // m, xyz a point: where all were at the last evaluation, of rigid frames
    double *frames;  // what affine frames were then
    double box[6];   // m, from the grid's centre: bounds of all points
    double spread;   // the largest sum of the absolute weights of a point
} SnFrameList;

// Which points they are, which bodies of one shape share, and a workspace that is a body's own.
typedef struct SnFramePoints {
    int count;
    int frame_count;
    bool is_affine;    // of the frames that they follow
    bool is_lent;      // which points they are is another set's
    double *X;         // m, xyz a point, from the grid's centre
    double *weights;   // frame_count a point
    double *distances; // m, from the body at rest; 0 inside
    double *group_X;   // the same for the kernels, in groups as SnFramesPoints wants them
    double *group_weights;
    // The workspace, of sets that forces act at; else NULL.
    double *places;       // m, xyz a point: where they are
    SnPointForce *forces; // what acts there
    double *group_forces, *group_stiffness;
    SnFrameList *list; // of sets that contact acts at; else NULL
} SnFramePoints;

SinewStatus sn_frame_points_create(int count, int frame_count, bool is_affine,
                                   const SinewAllocator *allocator, SnFramePoints *out_points,
                                   SinewError *error);
void sn_frame_points_release(SnFramePoints *points, const SinewAllocator *allocator);

// Puts a point at a rest position of the grid; `weights` are those of the grid's vertices.
void sn_frame_points_put(SnFramePoints *points, int index, const SnFramesGrid *grid,
                         const double *weights, const double X[3]);

// A point of another set that follows the same frames.
void sn_frame_points_copy(const SnFramePoints *from, int index, SnFramePoints *to, int place);

// The points of another set, which must outlive it, without a workspace.
SnFramePoints sn_frame_points_lend(const SnFramePoints *points);

// Makes the workspace.
SinewStatus sn_frame_points_add_room(SnFramePoints *points, const SinewAllocator *allocator,
                                     SinewError *error);

// Lays them out for the kernels, once all are put.
SinewStatus sn_frame_points_pack(SnFramePoints *points, const SinewAllocator *allocator,
                                 SinewError *error);

// Places the points of the groups [begin, end) by what the frames' blends are made from; where a
// blend vanishes, a place is no finite number. Uses no workspace.
void sn_frame_points_place(const SnFramePoints *points, const SnKernels *kernels,
                           const double *frames, int begin, int end, double *out_x);

// Velocities from those of the same numbers.
void sn_frame_points_speed(const SnFramePoints *points, const double *frames, const double *rates,
                           double *out_v);

// Makes room for lists of points.
SinewStatus sn_frame_points_add_list(SnFramePoints *points, const SinewAllocator *allocator,
                                     SinewError *error);

// Of affine frames: sum of factor w (X, 1) (w (X, 1))^T over the points, 4 frame_count squared. It
// is the Hessian of springs at them along each axis, and never changes.
void sn_frame_points_square(const SnFramePoints *points, const double *factors, double *out);

// Forces at points as a function of their places, as SnPointForces.evaluate.
typedef void SnPointForceFn(void *context, int begin, int end, const double *x, SnPointForce *out);

typedef struct SnFramePointsDef {
    const SnFramePoints *points;
    SnSamplesRoom *room; // of the body's samples: its parts are as large
    SnWorkers *workers;
    const SnKernels *kernels;
    const double *frames;
    SnPointForceFn *evaluate;
    void *context;
    const SnPointForces *listed; // nullable: forces that know which points they act at
    bool hessian;
    bool curvature; // with the part of the Hessian that comes from bending blends
} SnFramePointsDef;

// Energy, J; adds to the gradient and the blocks, or of affine frames the matrix, as
// sn_samples_evaluate. The points' places and forces are filled.
double sn_frame_points_evaluate(const SnFramePointsDef *def, double *gradient, double *matrix,
                                double *blocks);

#endif

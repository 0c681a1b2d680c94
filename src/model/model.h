// The table that every method fills: how a world makes a body, moves it, touches it and asks about
// it, without knowing what it is made of.
//
// The one idea: a material point is where the world touches a body. A model places any rest point X
// in the world and takes a force at that point back to its own degrees of freedom. Surfaces, loads,
// contact, picking and probes are material points; only pins speak of the model's vertices.
#ifndef SN_MODEL_MODEL_H
#define SN_MODEL_MODEL_H

#include "base/share.h"
#include "geometry/solid.h"
#include "geometry/surface_split.h"
#include "geometry/tet_cut.h"
#include "kernel/kernel_table.h"
#include "material/material.h"
#include "sinew/world.h"

// What a body is made from. All borrowed for the call, but for the allocator and the workers, which
// outlive the body.
typedef struct SnModelDef {
    const SinewAllocator *allocator;
    SnWorkers *workers;
    const SnKernels *kernels;
    const char *name; // of the body, for sentences
    const SnSolid *solid;
    const SnMaterials *materials;
    const SinewBodyDef *options;    // the model's own part of it, such as options->newton
    const SinewProgress *progress;  // of long work; nullable: nobody is told
    const SnTetMesh *const *coarse; // meshes of options->tetmg.hierarchy, whose pointers are not
    int coarse_count;               // looked at; nullable: none
    double coarse_scale;            // from their positions to the solid's before it is placed
    SnShare *share; // what bodies of a world share; nullable: nothing. Outlives them
} SnModelDef;

// Vertices that are held, or material points instead: their components `axes` follow a motion.
typedef struct SnPin {
    const SinewRegion *region;
    bool axes[3];
    const double *points; // m, rest positions, xyz each, for models that hold points; nullable: the
    int point_count;      // vertices in the region
} SnPin;

// Dead forces at material points.
typedef struct SnPointLoad {
    const void *points;   // of the model's points_create
    const double *forces; // N, xyz a point
} SnPointLoad;

// What a force at one material point does, seen from the point: force = -d energy / dx, and
// stiffness = -d force / dx, symmetric and semi-definite (3x3).
typedef struct SnPointForce {
    double force[3];     // N
    double stiffness[9]; // N/m
    double energy;       // J
} SnPointForce;

// Forces that depend on where the points are: contact, springs, bones. Implicit models evaluate
// them as often as they like within a step; others once.
typedef struct SnPointForces {
    const void *points; // of the model's points_create
    int count;
    // Forces of the points [begin, end) when they are at x (xyz a point, of all points, so that
    // point p is at x + 3 p); out[p - begin]. Called from many threads.
    void (*evaluate)(void *context, int begin, int end, const double *x, SnPointForce *out);
    // Called by one thread when the model has converged, or between two of its iterations, with all
    // points' places: renews what was held constant (the normal force that limits friction). True:
    // it changed enough that the model should evaluate and solve again. Nullable.
    bool (*renew)(void *context, const double *x);
    // Lower bounds of how far listed points may move from their places before they feel a force,
    // m; zero or less where they may feel one. `x` and `out` are arrays of all points: point p is
    // at x + 3 p and its bound goes to out[p]. Called from many threads. Models that leave out
    // points without a force (model/near_points.h) call this and the two below. Nullable, all
    // three: any point may feel a force at any time.
    void (*clearances)(void *context, const int *points, int count, const double *x, double *out);
    // Tells which points, ascending, may feel a force where they are: until the next call `renew`
    // looks at them alone. Called by one thread.
    void (*select)(void *context, const int *points, int count);
    // Forces of listed points, with the same bits as `evaluate`; x and `out` as for clearances.
    // Called from many threads.
    void (*evaluate_listed)(void *context, const int *points, int count, const double *x,
                            SnPointForce *out);
    double margin;   // m, more than the rounding of places: what clearances must exceed to count
    uint64_t serial; // of the step: what was found with another is void
    void *context;
    int tie_count; // the first points that springs hold at all times; the others may be let go
    // Room of `count` forces, lent until the step's end, for what was last evaluated. Bodies that
    // move one after the other have the same.
    SnPointForce *room;
} SnPointForces;

// Points of another set of the same body.
typedef struct SnPointPart {
    const void *points;
    const int *indices; // which of them; nullable: the first `count`
    int count;
} SnPointPart;

// The fewest solves that a step may be limited to: one for a direction, one for another after the
// active set changed, and one for a guess that is pushed out of colliders.
enum { SN_SOLVES_LEAST = 4 };

// What drives a body through one step or static solve.
typedef struct SnStep {
    double dt;                     // s; 0 in static solves
    double gravity[3];             // m/s^2, ramped in static solves
    const SnAffine *pin_motions;   // a pin: maps rest positions to where they are held at the end
    const SnPointLoad *loads;      //
    int load_count;                //
    const SnPointForces *contacts; // nullable: none
    double tolerance;              // replaces the model's own where positive
    int max_solves;                // SinewWorldDef's; 0: no limit, as in static solves
    SnWorkers *workers;            //
} SnStep;

// What a body is doing.
typedef struct SnMeasure {
    double kinetic, elastic;    // J
    double momentum[3];         // kg m/s
    double angular_momentum[3]; // about the origin
    double mass;                // kg
    double mass_center[3];      // m, now
    double volume;              // m^3, now
    double smallest_det;        // of F over all quadrature points
    int smallest_element;       // where that is
    int inverted_count;         // elements with det F <= 0 at a quadrature point
    double residual;            // relative, at the end of the last step
} SnMeasure;

typedef struct SnModel {
    const char *name;  // as scene files spell it
    bool holds_points; // set_pins takes material points too
    bool is_quiet;     // a prepared step never allocates, so that bodies may move side by side: a
                       // host's allocator is not called from inside a parallel loop
    bool is_anchored;  // bodies keep their place without pins: static solves need none

    // Makes a body at rest, without pins.
    SinewStatus (*create)(const SnModelDef *def, void **out_body, SinewError *error);
    void (*destroy)(void *body); // NULL is fine

    // The accuracy that steps are solved to, relative: what acts on the body need not be better.
    // 0, or nullable: as good as can be.
    double (*accuracy)(const void *body);

    // Rest and current vertices and the elements; lent.
    SinewBodyMesh (*mesh)(const void *body);
    int (*dof_count)(const void *body);
    // A sentence about what the body was made with and will not do well, lent; NULL: none.
    // Nullable: never.
    const char *(*warning)(const void *body);
    // The share of an element that counts as material, 0 to 1. Nullable: all of each.
    double (*fill)(const void *body, int element);
    // The grid at whose planes the body's surface should be split; false: as it is. Nullable:
    // never.
    bool (*split_grid)(const void *body, SnSplitGrid *out_grid);
    // Whether the state is made of finite numbers. Nullable: the world looks at the mesh.
    bool (*is_finite)(const void *body);

    // Puts the body into a start state with a velocity.
    void (*start)(void *body, SinewStart start, const double linear[3], const double angular[3]);

    // Replaces all pins. Fails, changing nothing, when a pin holds no vertex (error->index: the
    // pin) or a component is held twice.
    SinewStatus (*set_pins)(void *body, const SnPin *pins, int count, SinewError *error);

    // Another material for the elements that no region gave one, from the next step on. Fails,
    // changing nothing, where the model cannot do it. Nullable: none can be changed.
    SinewStatus (*set_material)(void *body, const SnMaterial *material, SinewError *error);

    // Material points: found once by their rest positions, then placed as often as wanted. Those
    // outside the body go with the nearest element.
    SinewStatus (*points_create)(const void *body, const double *rest, int count, void **out_points,
                                 SinewError *error);
    // The same from rest positions before the body was placed: scaled, neither turned nor moved.
    // Nullable, with the next: bodies share no points.
    SinewStatus (*points_create_unplaced)(const void *body, const double *unplaced, int count,
                                          void **out_points, SinewError *error);
    // What bodies of equal shape and scale share: where it is the same and not NULL, points by
    // unplaced rest positions are the same in both, and may be placed by either, also at the same
    // time. It lives as long as the bodies do.
    const void *(*shape)(const void *body);
    void (*points_destroy)(const void *body, void *points); // NULL is fine
    // Distance of a point from the body at rest, m; 0 inside.
    double (*points_distance)(const void *points, int index);
    // A set of points that were found before: those of each part after those of the part before it.
    // Locates none. The parts' sets may end before it.
    SinewStatus (*points_join)(const void *body, const SnPointPart *parts, int part_count,
                               void **out_points, SinewError *error);
    // Places and (nullable) velocities now, xyz a point.
    void (*points_place)(const void *body, const void *points, double *out_x, double *out_v);

    // Of models whose bodies can be cut, which are made of tets: what a cut makes of a body, as
    // another body in the same state, held by `pins`. The one that was stays as it is. Fails as
    // set_pins does. Nullable: bodies cannot be cut, and the two below are not there either.
    SinewStatus (*cut)(const void *body, const SnTetCut *cut, const SnPin *pins, int pin_count,
                       void **out_body, SinewError *error);
    // Takes over, from the body that was cut and is about to end, room that steps work in: memory
    // that was never touched makes the next step slow. Nullable.
    void (*inherit)(void *body, void *from);
    // Material points by the tet that each is in and its four weights there, and those of a point.
    SinewStatus (*points_in)(const void *body, const int *elements, const double *weights,
                             int count, void **out_points, SinewError *error);
    void (*points_where)(const void *points, int index, int *out_element, double out_weights[4]);

    // Makes ready what bodies may share, such as factors, for the step to come. Called for one body
    // after the other while none moves; bodies may then move at the same time. Changes nothing that
    // the state holds; adds to the report what it cost. Nullable.
    SinewStatus (*prepare)(void *body, const SnStep *step, SinewStepReport *report,
                           SinewError *error);

    // SINEW_ERROR_DIVERGED: the state may be anything; the world restores it.
    SinewStatus (*step)(void *body, const SnStep *step, SinewStepReport *out_report,
                        SinewError *error);
    SinewStatus (*solve_static)(void *body, const SnStep *step, SinewStepReport *out_report,
                                SinewError *error);

    void (*measure)(const void *body, SnMeasure *out_measure);
    // Force that a pin exerts and its moment about the origin, at the end of the last step.
    void (*reaction)(const void *body, int pin, double out_wrench[6]);

    // All that steps change, as bytes of any alignment. The size changes in set_pins alone.
    size_t (*state_size)(const void *body);
    void (*save)(const void *body, void *bytes);
    void (*restore)(void *body, const void *bytes);
} SnModel;

extern const SnModel sn_newton_model;
extern const SnModel sn_split_model;
extern const SnModel sn_lattice_model;
extern const SnModel sn_voxel_model;
extern const SnModel sn_frames_model;
extern const SnModel sn_tetmg_model;

#endif

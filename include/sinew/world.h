// A world: bodies, what holds, drives and loads them, rigid colliders, and probes that tell what
// happens. A program makes one, adds to it, and steps it.
//
//     SinewWorldDef wd = sinew_world_def_default();
//     sinew_world_create(&wd, &world, &error);
//     SinewBodyDef bd = sinew_body_def_default();
//     bd.surface = bunny;
//     sinew_world_add_body(world, &bd, &body, &error);
//     while (running) sinew_world_step(world, 1.0 / 60, &error);
//
// A call that fails leaves the world as it was, and its outputs untouched. What may go wrong
// everywhere is not repeated below: SINEW_ERROR_ARGUMENT, with a sentence, for NULL where that is
// not allowed, a def that did not come from its default function, an id that names nothing, and any
// number out of the range that its member states; SINEW_ERROR_MEMORY when the allocator has no
// more. A world serves one thread at a time; different worlds may be used by different threads.
#ifndef SINEW_WORLD_H
#define SINEW_WORLD_H

#include "sinew/geometry.h"
#include "sinew/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SinewWorld SinewWorld;

// What lives in a world is named by an id. Zero is "none"; an id whose thing was removed is noticed
// and refused.
typedef struct SinewBodyId {
    uint32_t index1;
    uint32_t generation;
} SinewBodyId;

typedef struct SinewPinId {
    uint32_t index1;
    uint32_t generation;
} SinewPinId;

typedef struct SinewLoadId {
    uint32_t index1;
    uint32_t generation;
} SinewLoadId;

typedef struct SinewAttachmentId {
    uint32_t index1;
    uint32_t generation;
} SinewAttachmentId;

typedef struct SinewColliderId {
    uint32_t index1;
    uint32_t generation;
} SinewColliderId;

typedef struct SinewProbeId {
    uint32_t index1;
    uint32_t generation;
} SinewProbeId;

// Told how far long work is, for a bar of progress: `done` of `total` parts of `what`, such as
// "cells of bunny", are finished; or, with a total of 0, `what` is a sentence to pass on. By the
// thread that called, at the start, the end and in between; never in a step. Do not keep `what`.
typedef struct SinewProgress {
    void (*tell)(void *context, const char *what, int done, int total); // NULL: nobody is told
    void *context;                                                      // Nullable: context
} SinewProgress;

// At which points of a body's surface contact is felt.
typedef enum SinewContactPoints {
    SINEW_CONTACT_THINNED, // vertices about half an element apart, which stand for the area around
                           // them: elements cannot tell nearer ones apart. Boxes and tet meshes,
                           // whose surface has the elements' own vertices, keep all of them
    SINEW_CONTACT_ALL      // every vertex, however fine the surface is
} SinewContactPoints;

// How a world is made. Start from sinew_world_def_default().
typedef struct SinewWorldDef {
    double gravity[3]; // m/s^2, each at most 1e6 in size, default {0, -9.81, 0}

    // Contact with colliders, by penalty: a surface point that is d deep feels the pressure
    // contact_stiffness * d over its share of the rest area.
    double contact_stiffness; // Pa/m; 0 (default): a hundred times the body's Young's modulus over
                              // the longest side of its bounds
    double contact_friction;  // Coulomb's coefficient for colliders that do not say their own,
                              // default 0.3
    SinewContactPoints contact_points; // default SINEW_CONTACT_THINNED

    int max_solves; // the most that a body may work in a step, so that a frame is never late: the
                    // solves of `split` and `tetmg`, iterations of conjugate gradients of
                    // `lattice` and `voxel`, factorisations of `newton`, linearisations of
                    // `frames`. A body that reaches it keeps the best state so far, the report's
                    // `capped` counts it and the step answers SINEW_NOT_CONVERGED. Counted and not
                    // timed, so that runs repeat. Static solves take no notice. 0 (default): no
                    // limit; else at least 4

    int worker_count;             // threads used by a step, the calling one included: 1 (default)
                                  // to 256
    SinewDeterminism determinism; // default SINEW_FAST
    SinewAllocator allocator;     // all zero (default): malloc and free
    SinewTasks tasks;             // all zero (default): own threads
    SinewProgress progress;       // of bodies that are added, where it takes long: `voxel` tells;
                                  // all zero (default): nobody is told
    uint32_t struct_size;         // set by the default function, do not touch
} SinewWorldDef;

// How a body starts. All but the first are for trying how robust a method is.
typedef enum SinewStart {
    SINEW_START_REST = 0,
    SINEW_START_MIRRORED,  // turned inside out: x mirrored about the middle of its bounds
    SINEW_START_FLATTENED, // y of all at the middle of the bounds
    SINEW_START_COLLAPSED, // all at the middle of the bounds
    SINEW_START_SCRAMBLED  // random places within the bounds, the same ones for the same start_seed
} SinewStart;

// How a box is cut into tets.
typedef enum SinewBoxTets {
    SINEW_BOX_FIVE = 0, // five a cell, mirrored in every other cell
    SINEW_BOX_KUHN      // six around the diagonal from the min to the max corner
} SinewBoxTets;

// Another material in a part of a body: elements whose middle is in the region take it. Of several
// regions the last counts.
typedef struct SinewMaterialRegion {
    SinewRegion within; // box, sphere or all
    SinewMaterial material;
} SinewMaterialRegion;

// How a body is made. Start from sinew_body_def_default(), then say its shape by exactly one of
// `shape`, `surface` and `tets`. All that pointers lead to is copied.
typedef struct SinewBodyDef {
    const char *name; // for messages, cut at 60 bytes; NULL (default): "body" and its number

    SinewShape shape;            // kind SINEW_SHAPE_NONE (default): not this. Box to blob
    const SinewSurface *surface; // NULL (default): not this
    const SinewTets *tets;       // NULL (default): not this

    int resolution; // cells along the longest side of a shape or surface: 1 to 1024; 0 (default):
                    // 10 with `lattice`, 16 with the others
    int cells[3];   // of a box along x, y, z instead; all zero (default): from resolution. Vertices
                    // lie exactly on the box; vertex (i, j, k) has the index
                    // (i (cells[1] + 1) + j) (cells[2] + 1) + k
    SinewBoxTets box_tets; // default five

    SinewModelKind model; // default lattice, which is the one for real time; doc/choosing.md
    SinewNewtonDef newton;
    SinewSplitDef split;
    SinewLatticeDef lattice;
    SinewVoxelDef voxel;
    SinewFramesDef frames;
    SinewTetmgDef tetmg;

    SinewMaterial material;
    const SinewMaterialRegion *regions; // default none
    int region_count;

    SinewPose pose;
    double linear_velocity[3];  // m/s, default 0
    double angular_velocity[3]; // rad/s about the middle of mass, default 0
    SinewStart start;           // default rest
    int start_seed;             // of a scrambled start: 0 (default) or more
    uint32_t struct_size;       // set by the default function, do not touch
} SinewBodyDef;

// A pin holds the model's vertices within a region, or those of the body's surface; with `keys`, it
// moves them as a rigid thing. Start from sinew_pin_def_default().
typedef struct SinewPinDef {
    SinewBodyId body;
    SinewRegion within;   // must hold at least one vertex
    int on_surface;       // 1: vertices of the body's surface instead of the model's, which `voxel`
                          // alone can hold, as well as its cells let it where they are too many;
                          // default 0
    int axes[3];          // which components of x, y, z are held; default all. At least one
    const SinewKey *keys; // t ascending; default none: stays at rest. Copied
    int key_count;
    uint32_t struct_size; // set by the default function, do not touch
} SinewPinDef;

// How strong a load is at a moment; linear between moments, constant before and after.
typedef struct SinewRampKey {
    double t; // s; in a static world 0 to 1
    double scale;
} SinewRampKey;

// A dead load: its direction does not turn with the body. Start from sinew_load_def_default(), then
// say exactly one of force and traction.
typedef struct SinewLoadDef {
    SinewBodyId body;
    SinewRegion within; // triangles of the body's surface with all corners in it are loaded; where
                        // there are none, a force goes to the model's vertices in it, in proportion
                        // to their mass
    double force[3];    // N, in all; default 0
    double traction[3]; // Pa of rest area; default 0
    const SinewRampKey *ramp; // t ascending; default none: 1, in a static world t. Copied
    int ramp_count;
    uint32_t struct_size; // set by the default function, do not touch
} SinewLoadDef;

// Springs between material points of a body and a frame: soft constraints, and bones when the frame
// moves. Each point is pulled towards where the frame takes its rest position. Every model has
// them, and they are as implicit as it is, so that stiff ones are safe. Start from
// sinew_attachment_def_default(), then say the points by exactly one of `within` and `points`.
typedef struct SinewAttachmentDef {
    SinewBodyId body;
    SinewRegion within;   // the model's vertices in it, at least one
    const double *points; // m, xyz each: rest positions after the body's pose, inside it or within
                          // a cell of it. Copied
    int point_count;      // default 0
    double stiffness; // N/m, positive, of all points together: points have equal shares, vertices
                      // shares by their mass. Default 1000
    double normal[3]; // pulls along this alone and lets points slide across it; a direction at
                      // rest that turns with the frame. Zero (default): all directions
    double across;    // with a normal: share of the stiffness that acts across it, 0 (default) to 1
    const SinewKey *keys; // how the frame moves, t ascending; default none: stays at rest. Copied
    int key_count;
    uint32_t struct_size; // set by the default function, do not touch
} SinewAttachmentDef;

// A rigid thing that bodies cannot enter. Start from sinew_collider_def_default().
typedef struct SinewColliderDef {
    SinewShape shape;     // plane, sphere, box, capsule, or mesh by its signed distance
    double friction;      // Coulomb's coefficient; negative (default): the world's
    const SinewKey *keys; // t ascending; default none: stays where it is. Copied
    int key_count;
    uint32_t struct_size; // set by the default function, do not touch
} SinewColliderDef;

// What a probe reports, and how many numbers that is.
typedef enum SinewReport {
    SINEW_REPORT_POSITION = 0,      // 3, m; of a point or vertex, as are the next three
    SINEW_REPORT_DISPLACEMENT,      // 3, m, from rest
    SINEW_REPORT_VELOCITY,          // 3, m/s
    SINEW_REPORT_FORCE,             // 3, N, contact force on the vertex of the surface
    SINEW_REPORT_MEAN_DISPLACEMENT, // 3, m, plain mean over the model's vertices
    SINEW_REPORT_REACTION,          // 6, N and N m: force that the pin exerts, its moment about the
                                    // origin
    SINEW_REPORT_ENERGY,     // 3, J: kinetic, elastic with that of attachments, gravitational
    SINEW_REPORT_VOLUME,     // 3: m^3, smallest det F, number of inverted elements
    SINEW_REPORT_MOMENTUM,   // 6: linear kg m/s, angular about the origin kg m^2/s
    SINEW_REPORT_RESIDUAL,   // 1: relative force residual at the end of the step
    SINEW_REPORT_CONTACT,    // 4: N, total force of colliders on the body; points in contact
    SINEW_REPORT_ATTACHMENT, // 6, N and N m: force that the attachment exerts, its moment
                             // about the origin
    SINEW_REPORT_CUTS        // 3: cuts so far, pieces the body is in (1 before the first), kg that
                             // cuts removed
} SinewReport;

#define SINEW_REPORT_VALUES_MAX 6

// Start from sinew_probe_def_default(). Reports of a place take a point or a vertex.
typedef struct SinewProbeDef {
    SinewBodyId body;
    SinewReport report;
    int has_point;   // 1: `point` says the place; default 0
    double point[3]; // m, a rest position in the body after its pose
    int vertex;     // a vertex of the model or, with on_surface, of the surface; -1 (default): none
    int on_surface; // default 0
    SinewPinId pin; // for reactions
    SinewAttachmentId attachment; // for SINEW_REPORT_ATTACHMENT
    uint32_t struct_size;         // set by the default function, do not touch
} SinewProbeDef;

// What a body is cut with, and how. Start from sinew_cut_def_default().
typedef struct SinewCutDef {
    const SinewSurface *surface; // a triangle surface, open or closed; default NULL: a plane
    double point[3];             // m, a point of the plane
    double normal[3];            // of the plane, any length but zero; default y
    double radius;               // m, of a disc around the point; 0 (default): the whole plane
    int at_rest; // 1: the blade is said among rest positions after the pose; 0 (default): where the
                 // body is now
    int removes; // 1: tets that the blade passes through are taken out; 0 (default): faces between
                 // tets are opened
    uint32_t struct_size; // set by the default function, do not touch
} SinewCutDef;

// What a cut came to. All but the pieces is zero where the blade met nothing.
typedef struct SinewCutReport {
    int faces;           // of tets that are outside now: two for each that was opened
    int vertices_added;  // less those that went with their tets
    int tets_removed;    //
    double mass_removed; // kg
    int pieces;          // the body is in now; it stays one body
    double seconds;      // s, that the cut took
} SinewCutReport;

SINEW_API SinewWorldDef sinew_world_def_default(void);
SINEW_API SinewBodyDef sinew_body_def_default(void);
SINEW_API SinewPinDef sinew_pin_def_default(void);
SINEW_API SinewLoadDef sinew_load_def_default(void);
SINEW_API SinewAttachmentDef sinew_attachment_def_default(void);
SINEW_API SinewColliderDef sinew_collider_def_default(void);
SINEW_API SinewProbeDef sinew_probe_def_default(void);
SINEW_API SinewCutDef sinew_cut_def_default(void);

// Makes a world without anything in it. On failure *out_world is NULL. SINEW_ERROR_UNSUPPORTED: the
// environment variable SINEW_ISA names instructions that this machine does not run. Nullable: error
SINEW_API SinewStatus sinew_world_create(const SinewWorldDef *def, SinewWorld **out_world,
                                         SinewError *error);

// Ends a world and all in it. Nullable: world
SINEW_API void sinew_world_destroy(SinewWorld *world);

// Cells and tets are made here, matrices analysed: the slow part. A surface that is thinner than a
// cell, tets that are flat and the like are refused with what would help. Nullable: error
SINEW_API SinewStatus sinew_world_add_body(SinewWorld *world, const SinewBodyDef *def,
                                           SinewBodyId *out_body, SinewError *error);

// Its pins, loads, attachments and probes go with it. Nullable: error
SINEW_API SinewStatus sinew_world_remove_body(SinewWorld *world, SinewBodyId body,
                                              SinewError *error);

// Another material for a body, from the next step on; parts that a region gave one keep it. Place
// and velocity stay. SINEW_ERROR_UNSUPPORTED: the body's model cannot change it; `tetmg` can, and
// `split`, which refactors without a new analysis. A state that was saved with another material no
// longer belongs to the world. Nullable: error
SINEW_API SinewStatus sinew_body_set_material(SinewWorld *world, SinewBodyId body,
                                              const SinewMaterial *material, SinewError *error);

// Cuts a body between two steps, at the resolution of its tets. A tet lies on the side of the blade
// that its middle is on; vertices that tets of both sides use are there once for each afterwards,
// with their place, velocity and share of the mass, so that neither mass nor energy changes. A
// blade that ends inside the body leaves it joined around its edge. Faces that were opened join the
// surface; where that is not made of the tets' own faces, it parts to about an element. Vertices of
// the mesh and of the surface keep their indices and more come after them; only where tets are
// taken out do vertices go, and those after them move up. Pins hold the copies of what they hold;
// loads, attachments and probes stay with their tets, or go to the nearest where those were taken
// out. Material points that are added later and lie exactly on a cut go with the tet of lowest
// index.
//
// SINEW_ERROR_UNSUPPORTED: the body's model cannot be cut; today `tetmg` can. SINEW_ERROR_ARGUMENT
// too for a cut that would leave no tet, nothing for a pin to hold, or take a vertex that a probe
// reads. A blade that meets nothing is no error: the report's `faces` is 0. Pointers lent by
// sinew_body_surface and the like are no longer valid. Nullable: out_report, error
SINEW_API SinewStatus sinew_body_cut(SinewWorld *world, SinewBodyId body, const SinewCutDef *def,
                                     SinewCutReport *out_report, SinewError *error);

// Pins may be added and removed between steps. A region that holds no vertex is refused, and a
// vertex component that two pins hold. Reactions of a removed pin can no longer be read. Nullable:
// error
SINEW_API SinewStatus sinew_world_add_pin(SinewWorld *world, const SinewPinDef *def,
                                          SinewPinId *out_pin, SinewError *error);
SINEW_API SinewStatus sinew_world_remove_pin(SinewWorld *world, SinewPinId pin, SinewError *error);

// A region that holds no triangle is refused for a traction, and one that holds no vertex either
// for a force. Nullable: error
SINEW_API SinewStatus sinew_world_add_load(SinewWorld *world, const SinewLoadDef *def,
                                           SinewLoadId *out_load, SinewError *error);
SINEW_API SinewStatus sinew_world_remove_load(SinewWorld *world, SinewLoadId load,
                                              SinewError *error);

// Attachments may be added and removed between steps. A region that holds no vertex is refused, and
// a point further outside the body than a cell. Nullable: error
SINEW_API SinewStatus sinew_world_add_attachment(SinewWorld *world, const SinewAttachmentDef *def,
                                                 SinewAttachmentId *out_attachment,
                                                 SinewError *error);
SINEW_API SinewStatus sinew_world_remove_attachment(SinewWorld *world, SinewAttachmentId attachment,
                                                    SinewError *error);

// Says where an attachment's frame is from the next step on, whatever its keys say: `map` takes
// rest positions to places at the end of the step, row-major 3x4, the translation in the last
// column. For bones that the program animates itself. Not part of the saved state. Nullable: error
SINEW_API SinewStatus sinew_world_move_attachment(SinewWorld *world, SinewAttachmentId attachment,
                                                  const double map[12], SinewError *error);

// Adding or removing one lets go of all friction that held up to then: points in contact stick anew
// where they are. Nullable: error
SINEW_API SinewStatus sinew_world_add_collider(SinewWorld *world, const SinewColliderDef *def,
                                               SinewColliderId *out_collider, SinewError *error);
SINEW_API SinewStatus sinew_world_remove_collider(SinewWorld *world, SinewColliderId collider,
                                                  SinewError *error);

// A point must be in the body or within a cell of it; one further out is refused with its distance.
// Nullable: error
SINEW_API SinewStatus sinew_world_add_probe(SinewWorld *world, const SinewProbeDef *def,
                                            SinewProbeId *out_probe, SinewError *error);
SINEW_API SinewStatus sinew_world_remove_probe(SinewWorld *world, SinewProbeId probe,
                                               SinewError *error);

// The probe's numbers now: values[0 .. *out_count), at most SINEW_REPORT_VALUES_MAX. Of a reaction
// whose pin was removed, or an attachment that was: SINEW_ERROR_ARGUMENT. Nullable: error
SINEW_API SinewStatus sinew_world_read_probe(const SinewWorld *world, SinewProbeId probe,
                                             double *values, int *out_count, SinewError *error);

// Advances everything by `seconds`, above 0 and at most 1000. A step that diverges answers
// SINEW_ERROR_DIVERGED with the body, element and quantity, and the world is as before it.
// SINEW_NOT_CONVERGED: usable, but a solver stopped before its tolerance; the report says how far.
// Allocates nothing once the world is warm and no body touches far more than ever before. Nullable:
// error
SINEW_API SinewStatus sinew_world_step(SinewWorld *world, double seconds, SinewError *error);

// Brings everything to equilibrium at the pseudo-time `t`, usually in steps up to 1: pins and
// colliders are where their keys say, loads as strong as their ramps say, gravity and loads without
// a ramp scaled by t (at most 1). Velocities become zero. `tolerance` replaces the models' own
// where it is positive. A state that is no equilibrium is never answered: SINEW_ERROR_DIVERGED, and
// the world is as before. That includes a body which loads push along a translation that no pin,
// attachment or collider holds. SINEW_INVERTED: forces balance, but elements ended inside out; the
// error says how many and where, the report's `inverted` counts them. Nullable: error
SINEW_API SinewStatus sinew_world_solve_static(SinewWorld *world, double t, double tolerance,
                                               SinewError *error);

// Seconds since the start, or the pseudo-time of the last static solve; steps and solves done.
SINEW_API double sinew_world_time(const SinewWorld *world);
SINEW_API int64_t sinew_world_step_count(const SinewWorld *world);

// How the last step or static solve went. All zero before the first.
typedef struct SinewStepReport {
    int iterations;         // of Newton's method, over all bodies
    int linear_solves;      // factorisations or preconditioned solves; of `lattice` iterations of
                            // conjugate gradients
    int line_search_cuts;   // times a step was shortened
    int projected;          // iterations in which the matrix had to be made definite
    int substeps;           // load steps that were inserted
    int contacts;           // surface points in contact at the end
    double residual;        // the largest relative force residual of a body
    double seconds_drive;   // s: pins, loads and colliders
    double seconds_model;   // s: the methods
    double seconds_surface; // s: embedded surfaces
    double seconds_total;   // s
    int rescues;            // bodies whose step was replaced by a safer one, or took more
                            // linearisations than were asked for (`voxel`); and lattice's and
                            // split's that started without their shape and have not found it yet
    int analyses;           // matrices of `split` whose pattern was new: other vertices are held
    int factorisations;     // matrices of `split` made anew: another time step, pin or material.
                            // Bodies that share a matrix count once
    double seconds_factor;  // s: what those took, in seconds_model too
    int inverted;           // elements that are inside out at the end of a static solve; 0 in steps
    int capped;             // bodies that stopped at the world's max_solves
} SinewStepReport;

SINEW_API SinewStepReport sinew_world_report(const SinewWorld *world);

// The state that steps change, as bytes: save it, go on, come back. Only for the same world: the
// same defs in the same order, the same version. Pins, loads and the like are not in it; there must
// be as many pins and colliders as when it was saved. Cuts are in it: they make the state larger,
// and a world whose bodies are not yet cut is cut by restoring it. A cut is not undone: a state
// from before it no longer belongs to the world. The size goes with what touches colliders too: ask
// for it before each save.
SINEW_API size_t sinew_world_state_size(const SinewWorld *world);

// `size` must be what sinew_world_state_size says; the bytes need no alignment. Nullable: error
SINEW_API SinewStatus sinew_world_save(const SinewWorld *world, void *bytes, size_t size,
                                       SinewError *error);

// SINEW_ERROR_ARGUMENT when the bytes are damaged or of another world; nothing has then changed.
// Allocates nothing, but where the state holds cuts that the world has not made yet, or more
// contacts than the world ever had.
// Nullable: error
SINEW_API SinewStatus sinew_world_restore(SinewWorld *world, const void *bytes, size_t size,
                                          SinewError *error);

// Points, xyz packed. Valid until the next step.
typedef struct SinewPoints {
    const float *xyz;
    int count;
} SinewPoints;

// Triangles, three vertex indices each. Valid until the body is cut or removed.
typedef struct SinewTriangles {
    const int *vertices;
    int count;
} SinewTriangles;

// What a model works on. Positions and velocities are valid until the next step, the rest as long
// as the body.
typedef struct SinewBodyMesh {
    const double *rest;       // m, xyz a vertex
    const double *positions;  // m
    const double *velocities; // m/s
    int vertex_count;
    const int *elements; // `corners` vertices each: tets positively oriented; hexahedra in the
                         // order (0,0,0), (0,0,1), (0,1,0), (0,1,1), (1,0,0) ... along x, y, z
    int element_count;
    int corners; // 4 or 8
} SinewBodyMesh;

// What a body is, for lists.
typedef struct SinewBodyInfo {
    const char *name;  // valid as long as the body
    const char *model; // "newton"
    int dofs;          // numbers that the solver may change: held components are not counted
    int elements;
    double mass;         // kg
    double volume;       // m^3 at rest; cells count with the share of them that is filled
    const char *warning; // NULL, or a sentence: what the body will not do well and what would help.
                         // Of `frames` whose samples are a poor fit, of tets of which fewer than
                         // four are across the thinnest part, of surfaces and tets whose size
                         // suggests another unit of length. Valid as long as the body
} SinewBodyInfo;

// The body's surface: as given, or the outside of its tets or cells. Normals have length one,
// weighted by area; zero where all triangles around a vertex are flat. A stale id gives zero
// counts.
SINEW_API SinewPoints sinew_body_surface(const SinewWorld *world, SinewBodyId body);
SINEW_API SinewPoints sinew_body_normals(const SinewWorld *world, SinewBodyId body);
SINEW_API SinewTriangles sinew_body_triangles(const SinewWorld *world, SinewBodyId body);
SINEW_API SinewBodyMesh sinew_body_mesh(const SinewWorld *world, SinewBodyId body);
SINEW_API SinewBodyInfo sinew_body_info(const SinewWorld *world, SinewBodyId body);

#ifdef __cplusplus
}
#endif

#endif

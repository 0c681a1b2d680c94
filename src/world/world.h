// What a world is made of: bodies with their surfaces, and the pins, loads, colliders and probes
// that lead to them. All are blocks of the world's allocator that stay where they are; slots and
// lists point to them.
#ifndef SN_WORLD_WORLD_H
#define SN_WORLD_WORLD_H

#include "contact/penalty.h"
#include "contact/tie.h"
#include "model/model.h"
#include "world/contact_points.h"
#include "world/slots.h"

// What the surfaces of equal bodies have in common, which does not change; see body_surface.h.
typedef struct SnSurfaceShape {
    SnShared shared;
    SinewAllocator allocator;
    const SnModel *model;
    // Which bodies it is of. Both are shared by content themselves and outlive their users, so that
    // their addresses tell. NULL: of one body alone.
    const struct SnBodySolid *solid;
    const void *model_shape;
    double scale;
    double spacing; // m, of contact points; 0: all vertices are

    double *areas;     // m^2 at rest per vertex: a third of each triangle around it
    int *vertex_start; // triangles around vertex v: around[vertex_start[v] .. vertex_start[v+1])
    int *vertex_triangles;   //
    SnContactPoints contact; //
    void *points;            // of the model: the vertices
    const void *state;       // of the last to leave, which ends them
} SnSurfaceShape;

// The body's surface: what is shown, touched and loaded. Its vertices are material points.
typedef struct SnBodySurface {
    SnSurface *rest;       // its allocator is the world's
    SnSurfaceShape *shape; //
    double *x;             // m, xyz a vertex, now
    double *contact_x;     // m, xyz per contact point
    float *positions;      // as x, rounded: lent
    float *normals;        // lent; zero where all triangles around are flat
    double *facets;        // a triangle: normal times twice its area, now
} SnBodySurface;

struct SnBodySolid;

// The points of a body at which forces depend on places: attached points, in the order of the
// attachments, and after them those that may touch, where the world has colliders.
typedef struct SnForcePoints {
    void *points;      // of the model; NULL: there are none
    SnTie *ties;       // as they are at the end of the step under way
    int tie_count;     //
    int contact_count; // of points that may touch
} SnForcePoints;

// What the cuts of a body came to.
typedef struct SnCutSum {
    int count;           // of cuts that met it
    int pieces;          // that it is in; 0 before the first cut
    double mass_removed; // kg
} SnCutSum;

typedef struct SnBody {
    char *name;
    char *clauses; // what it will not do well whatever it does; NULL: nothing. See warning.h
    char *warning; // those and the model's own, which may change; NULL: neither can be
    struct SnBodySolid *solid; // shared with bodies of the same shape; NULL: too large to be kept
    const SnModel *model;
    void *state;           // of the model
    uint64_t hash;         // of everything it was made from
    uint64_t base_hash;    // of that without materials
    SnMaterial *materials; // its own, then those of regions
    SinewRegion *regions;  //
    SnMaterials table;     // over them
    double longest;        // m, side of its bounds at rest
    double cell_size;      // m: how far outside a probe may be
    double volume;         // m^3 at rest
    int vertex_count;      // of the model
    double *vertex_mass;   // kg a vertex of the model: shares of its elements
    SnBodySurface surface;

    SnArray pins;        // SnWorldPin *, in the order in which they came: the model's order
    SnArray pin_motions; // SnAffine, beside them
    SnArray loads;       // SnWorldLoad *
    SnArray point_loads; // SnPointLoad, beside them
    SnArray attachments; // SnWorldAttachment *
    SnForcePoints force_points;
    SnForcePoints next_force_points; // made while a collider is added or removed

    SnPenalty *penalty;       // NULL while the world has no colliders
    SnPenalty *next_penalty;  // made while a collider is added or removed
    double contact_stiffness; // Pa/m
    double contact_force[3];  // N, of all colliders at the end of the last step
    int contacts;             // surface points in contact then

    SnArray cuts; // int32_t: lists of what was cut, see cut.h
    SnCutSum sum; // of all cuts

    // Of the step that is under way, so that bodies can move side by side.
    uint64_t moves;           // begun so far: what was found for another is void
    size_t kept_at;           // bytes into the world's snapshot
    bool is_to_move_again;    // with more room for what it touches
    SnPointForce *point_room; // of the worker that runs it
    SinewStatus status;       //
    SinewStepReport report;   //
    SinewError said;          // why it failed
} SnBody;

typedef struct SnWorldPin {
    SnBody *body;
    SinewRegion region; // owns its list
    bool axes[3];
    double *points; // m, rest positions of the surface's vertices that it holds; NULL: the model's
    int point_count;
    SinewKey *keys;
    int key_count;
} SnWorldPin;

typedef struct SnWorldLoad {
    SnBody *body;
    void *points;   // of the model
    int count;      //
    double *full;   // N, xyz a point, at strength 1
    double *forces; // N, at the strength of the step
    SinewRampKey *ramp;
    int ramp_count;
} SnWorldLoad;

typedef struct SnWorldAttachment {
    SnBody *body;
    int count;         // of points
    double *rest;      // m, xyz a point
    double *stiffness; // N/m a point
    double *places;    // m, room for where they are
    void *points;      // of the model
    double normal[3];  // at rest, of length one, or zero
    double across;     // share of the stiffness across it
    SinewKey *keys;
    int key_count;
    bool is_led;  // the host said where its frame is
    SnAffine led; // and this is where
} SnWorldAttachment;

typedef struct SnWorldCollider {
    SnCollider *collider;
    SinewKey *keys;
    int key_count;
} SnWorldCollider;

typedef struct SnWorldProbe {
    SnBody *body;
    SinewReport report;
    int vertex;     // of the model, or of the surface for contact forces; -1: see `points`
    void *points;   // of the model: one point. NULL: not of a place
    double rest[3]; // m, of that point
    SnId pin;
    SnId attachment;
} SnWorldProbe;

// Room for forces at points, which a body needs while it moves.
typedef struct SnPointRoom {
    SnPointForce *forces;
    int count;
} SnPointRoom;

struct SinewWorld {
    SinewAllocator allocator;
    SnWorkers *workers;
    const SnKernels *kernels;
    SinewDeterminism determinism;
    SinewProgress progress;
    double gravity[3]; // m/s^2
    double contact_stiffness;
    double contact_friction;
    SinewContactPoints contact_points;
    int max_solves; // per body and step; 0: no limit

    SnShare share;       // what bodies have in common; outlives them
    SnSlots bodies;      // SnBody
    SnSlots pins;        // SnWorldPin
    SnSlots loads;       // SnWorldLoad
    SnSlots attachments; // SnWorldAttachment
    SnSlots colliders;   // SnWorldCollider
    SnSlots probes;      // SnWorldProbe
    SnArray touching;    // SnCollider *, those of the colliders, as contact wants them
    int bodies_made;     // so far, for names

    double time;          // s
    int64_t step_count;   //
    double gravity_scale; // below 1 while a static solve ramps it up
    SinewStepReport report;

    SnPointRoom *point_rooms; // a worker
    unsigned char *snapshot;  // of all states, taken when a step begins
    size_t snapshot_size;     // bytes there is room for
};

// Adds a body that obeys any model, whatever `def->model` says.
SinewStatus sn_world_add_body_with(SinewWorld *world, const SnModel *model, const SinewBodyDef *def,
                                   SinewBodyId *out_body, SinewError *error);

// Release what a thing holds and the thing itself; NULL is fine. They do not look at any list.
void sn_body_destroy(SinewWorld *world, SnBody *body);
void sn_world_pin_destroy(SinewWorld *world, SnWorldPin *pin);
void sn_world_load_destroy(SinewWorld *world, SnWorldLoad *load);
void sn_world_attachment_destroy(SinewWorld *world, SnWorldAttachment *attachment);
void sn_world_collider_destroy(SinewWorld *world, SnWorldCollider *collider);
void sn_world_probe_destroy(SinewWorld *world, SnWorldProbe *probe);

// Each element's mass in equal shares to the corners of a state of the body's model; returns the
// volume of all, m^3.
double sn_body_share_mass(const SnBody *body, const void *state, double *out_masses);

// What a body's surface feels of so many colliders; NULL for none.
SinewStatus sn_body_make_penalty(SinewWorld *world, const SnBodySurface *surface,
                                 int collider_count, SnPenalty **out_penalty, SinewError *error);

#define SN_BODIES(world, index) ((SnBody *)sn_slots_at(&(world)->bodies, index))

#endif

// What a scene says, in memory: structs that the schema's tables point into. They hold the public
// API's own structs wherever there are some, so that building a world is copying. Lists and texts
// belong to the scene.
#ifndef SN_SCENE_CONTENT_H
#define SN_SCENE_CONTENT_H

#include "sinew/scene.h"

#include <stdbool.h>

// Where something stands in the text, and which fields of its table it has: bit i, field i.
typedef struct SnSceneItem {
    int node;
    uint64_t present;
} SnSceneItem;

typedef struct SnSceneWorld {
    double gravity[3];
    double dt;
    int steps;
    int is_static;
    int load_steps;
    double tolerance;
    int determinism;
    int max_solves;
} SnSceneWorld;

// Kinds of shapes that are files; the others are SinewShapeKind.
enum { SN_SCENE_SURFACE = 100, SN_SCENE_TETS = 101 };

typedef struct SnSceneShape {
    SinewShape shape; // first, so that the same tables serve parts of a blob
    SnSceneItem item;
    int kind;
    const char *file; // surface, tets or a collider's mesh
    int resolution;
    int cells[3];
    int box_tets;
} SnSceneShape;

typedef struct SnScenePin {
    SnSceneItem item;
    SinewRegion within;
    int axes[3];
    int on_surface;
    SinewKey *keys;
    int key_count;
    SinewPinId id;
} SnScenePin;

typedef enum SnSceneLoadKind { SN_SCENE_FORCE = 1, SN_SCENE_TRACTION } SnSceneLoadKind;

typedef struct SnSceneLoad {
    SnSceneItem item;
    SinewRegion within;
    int kind; // SnSceneLoadKind
    double force[3];
    double traction[3];
    SinewRampKey *ramp;
    int ramp_count;
} SnSceneLoad;

typedef enum SnSceneTied { SN_SCENE_TIED_WITHIN = 1, SN_SCENE_TIED_POINTS } SnSceneTied;

typedef struct SnScenePoint {
    double at[3];
} SnScenePoint;

typedef struct SnSceneAttachment {
    SnSceneItem item;
    int kind; // SnSceneTied
    SinewRegion within;
    SnScenePoint *points;
    int point_count;
    double stiffness;
    double normal[3];
    double across;
    SinewKey *keys;
    int key_count;
    SinewAttachmentId id;
} SnSceneAttachment;

typedef struct SnSceneFile {
    SnSceneItem item;
    const char *file;
} SnSceneFile;

// Of an element that is left out, and of a tolerance of 0, the model's own counts.
typedef struct SnSceneModel {
    int kind;                // SinewModelKind
    int element;             // a word of the schema: those of newton, then those of lattice; or -1
    int integrator;          // SinewIntegrator
    int mass;                // SinewMass
    double tolerance;        //
    int max_iterations;      //
    SinewSplitDef split;     // but for the integrator
    SinewLatticeDef lattice; // its switches alone
    SinewVoxelDef voxel;     // the same
    SinewFramesDef frames;   // but for mode, integrator, mass, tolerance and iterations
    SinewTetmgDef tetmg;     // but for what it shares with split
    int mode;                // a word of the schema, or -1: the model's own
    SnSceneFile *hierarchy;  // of tetmg's mode paper
    int hierarchy_count;     //
} SnSceneModel;

enum { SN_SCENE_WILSON = 2 }; // the first word that is an element of lattice

// The word of the element that a model has. Those of other kinds are never read.
static inline int sn_scene_element(const SnSceneModel *model)
{
    if (model->element >= 0) {
        return model->element;
    }
    return model->kind == SINEW_MODEL_LATTICE ? (int)SN_SCENE_WILSON : (int)SINEW_ELEMENT_TET;
}

// Copies in rows along x, y and z.
typedef struct SnSceneGrid {
    int count[3]; // 0: no grid
    double spacing[3];
    SinewPose turn; // from one copy to the next
} SnSceneGrid;

// Words of `mode`.
enum { SN_SCENE_IMPLICIT, SN_SCENE_PAPER, SN_SCENE_CONDENSED };

// Meshes of coarse levels that are used: those of other models and modes count as none.
static inline int sn_scene_hierarchy_count(const SnSceneModel *model)
{
    bool is_used = model->kind == SINEW_MODEL_TETMG && model->mode == SN_SCENE_PAPER;
    return is_used ? model->hierarchy_count : 0;
}

typedef struct SnSceneBody {
    SnSceneItem item;
    const char *name;
    SnSceneShape shape;
    SnSceneModel model;
    SinewMaterial material;
    SinewMaterialRegion *regions;
    int region_count;
    SinewPose pose;
    double linear[3];
    double angular[3];
    int start;
    SinewPose *copies;
    int copy_count;
    SnSceneGrid grid;
    int start_seed;
    SnScenePin *pins;
    int pin_count;
    SnSceneLoad *loads;
    int load_count;
    SnSceneAttachment *attachments;
    int attachment_count;
    SinewBodyId id;
} SnSceneBody;

typedef struct SnSceneCollider {
    SnSceneShape shape; // first: the tables of shapes write here
    double friction;
    SinewKey *keys;
    int key_count;
} SnSceneCollider;

typedef struct SnSceneContact {
    int bodies;
    int self;
    double stiffness;
    double friction;
    int points; // SinewContactPoints
} SnSceneContact;

typedef struct SnSceneProbe {
    SnSceneItem item;
    const char *name;
    const char *body;
    int report;
    double point[3];
    int vertex;
    int on_surface;
    int pin;
    int attachment;
    int body_index; // found by the name
    SinewProbeId id;
} SnSceneProbe;

// What a cut is made with.
typedef enum SnSceneBlade { SN_SCENE_PLANE = 1, SN_SCENE_BLADE_SURFACE } SnSceneBlade;

typedef struct SnSceneCut {
    SnSceneItem item;
    const char *body;
    double at; // s
    int kind;  // SnSceneBlade
    double point[3];
    double normal[3];
    double radius;
    const char *file;
    int at_rest; // a word: now, rest
    int removes;
    int body_index; // found by the name
} SnSceneCut;

typedef struct SnSceneContent {
    SnSceneItem item;
    int version;
    SnSceneWorld world;
    SnSceneBody *bodies;
    int body_count;
    SnSceneCollider *colliders;
    int collider_count;
    SnSceneContact contact;
    SnSceneCut *cuts;
    int cut_count;
    SnSceneProbe *probes;
    int probe_count;
    int output_every;
    int formats;
} SnSceneContent;

#endif

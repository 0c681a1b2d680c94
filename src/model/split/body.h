// A body of `split`: what it is, what it does, and the room that its steps work in.
//
// Two orders of vertices. Outside: as given, for the world, in double, xyz a vertex. Inside: along
// a Morton curve, for the kernels, in float, as moves from where the step began or as places
// relative to the first vertex, so that bodies far from the origin lose nothing.
#ifndef SN_MODEL_SPLIT_BODY_H
#define SN_MODEL_SPLIT_BODY_H

#include "base/share.h"
#include "model/newton/elements.h"
#include "model/newton/pattern.h"
#include "model/pin_set.h"
#include "solve/cholesky.h"
#include "solve/multilevel.h"

enum {
    SN_SPLIT_NAME_SIZE = 64,
    SN_SPLIT_BUNDLE = 128 // vertices: their state fills lines of the cache
};

struct SnSplit;
struct SnSplitProblem;
struct SnSplitScales;

// How the linear systems of a step are solved. Steps, their test and rescue, pins, points and
// measures are the same for all who fill this; `tetmg` does so beside `split`.
typedef struct SnSplitSolver {
    const char *model; // for sentences
    // Counts of a step for accuracies from 1e-3 on: linearisations, those of steps above 25 ms, the
    // fewest iterations of each; `rough` from accuracy 1e-2 on. 0: as many as the accuracy takes.
    int newton, newton_rough, newton_long, pcg, pcg_rough;
    // What conjugate gradients leave, as a share of their last move.
    double linear_left;
    // The later linearisations of a step up to 25 ms with fixed counts keep the matrix of the
    // first.
    bool keeps_matrix;
    // Springs at points that the preconditioner knows as they are.
    int ties_most;
    // Iterations of a step that only has to lower the energy; 0: one by `precondition`, which then
    // needs no tangent.
    int rescue_pcg;
    // The room's masses and what else depends on the time step, pins and materials. Cheap when
    // nothing changed. Adds to the report what it took.
    SinewStatus (*prepare)(struct SnSplit *body, SnWorkers *workers,
                           const struct SnSplitScales *scales, SinewStepReport *report,
                           SinewError *error);
    // Memory for contact in the preconditioner, made ready with a step that has some. Nullable.
    SinewStatus (*reserve)(struct SnSplit *body, SnWorkers *workers, SinewError *error);
    // After a gradient with its tangent, before products.
    SinewStatus (*linearise)(const struct SnSplitProblem *problem, SinewError *error);
    // hp = Hessian p, returned is p . hp; and z = an estimate of Hessian^-1 r; both filtered for
    // held components.
    double (*product)(const struct SnSplitProblem *problem, const float *p, float *hp);
    SinewStatus (*precondition)(const struct SnSplitProblem *problem, const float *r, float *z,
                                SinewError *error);
} SnSplitSolver;

extern const SnSplitSolver sn_split_solver;

// Tets in blocks of 16 for the sweeps, and blocks in patches, kernel/tet_sweep.h. Const once made.
typedef struct SnSplitBlocks {
    int count;          // blocks
    int *tets;          // a lane: the tet outside, -1 beyond the last
    float *rest;        //
    uint16_t *corners;  // four times a row of the patch
    int patch_count;    //
    int *patch_block;   // patch_count + 1
    int *patch_row;     // patch_count + 1; the last is the number of rows
    int *row_vertex;    // a row: three times the vertex inside; rows that fill a group repeat one
    int *group_start;   // four rows: their place in sources
    uint16_t *sources;  // 4 a tet, and some more
    int *vertex_rows;   // SN_VERTEX_ROWS a vertex inside: four times the row
    int *further_start; // a vertex inside: more of them
    int *further_rows;  //
} SnSplitBlocks;

// Tets in chunks of neighbours, and chunks in colours that share no vertex, kernel/tet_volume.h;
// mode paper alone. The last three are the body's own; `places` has the masses of free vertices, so
// set_pins writes them.
typedef struct SnSplitColours {
    int count;        // colours
    int chunk_count;  //
    int *chunk_start; // a colour: its first chunk, and the end
    int *chunk_block; // a chunk: its first block, and the end
    int *vertices;    // inside, times four
    float *rest;
    float *multipliers; // NULL where a step has one iteration
    float *places;      // four floats a vertex inside, and one vertex more a chunk
    int *inverted;      // a chunk
} SnSplitColours;

// The coarse space, kernel/coarse.h; mode implicit alone. Where vertices are and what they follow
// is of the shape, the basis and the inverse of the system, and the rest is room of the body.
typedef struct SnSplitClusters {
    int count;          // 0: none
    int row_count;      // of the dense matrix
    int *clusters;      // 4 a vertex inside
    float *weights;     // 16 a vertex: the basis where nothing is held
    float *basis;       // the same, zero where a vertex is held
    int *start;         // a cluster: its members
    int *members;       // 4 vertex + which of its clusters
    int *lane_clusters; // 4 planes a group
    float *shares;      // 4 planes a group
    float *place;       // 4 a vertex: 1 and where it rests, from the middle of all
    float *center;      // 3 a cluster, from the same
    float *member_shares;
    int *sample_start;  // a cluster: tets whose rotations make its own
    int *samples;       // 64 block + lane of each
    float *sample_size; // m^3, rest volume
    float *rotations;   // 4 a cluster
    float *turns;       // 4 planes a group
    float *turned;      // 16 a vertex
    float *sums;        // 16 a cluster
    float *columns;     // 16 a cluster
    float *right;       // row_count
    float *frames;      //
    float *inverse;     // row_count squared
} SnSplitClusters;

// What is held: made by set_pins, const between its calls. Vertices are those outside.
typedef struct SnSplitPins {
    SnPinSet set;
} SnSplitPins;

// All that steps change, outside.
typedef struct SnSplitState {
    double *positions;   // m
    double *velocities;  // m/s
    double *last_move;   // m, x_n - x_(n-1)
    double *last_change; // m/s, v_n - v_(n-1)
    double *clock;       // SN_SPLIT_CLOCK_COUNT numbers, by the names below
    float *rotations;    // 4 planes a block
    double *balance;     // N, xyz a pinned vertex: inertia less loads at the end of the last step
} SnSplitState;

enum {
    SN_SPLIT_LAST_DT,  // s, of last_move; 0: no history
    SN_SPLIT_ELASTIC,  // J, at the positions
    SN_SPLIT_KNOWN,    // 1 when that is known
    SN_SPLIT_INVERTED, // tets, known with it
    SN_SPLIT_RESIDUAL, // relative, at the end of the last step
    SN_SPLIT_LOST,     // steps of a body without its shape, from 1 on; 0: it has one
    SN_SPLIT_CLOCK_COUNT
};

// Room for a step. Vectors of floats are inside, xyz packed, with a vertex more than there are.
typedef struct SnSplitRoom {
    float *x;          // m, places relative to the origin, at the move last looked at
    float *start;      // m, the same at the start of the step
    float *move;       // m, the unknown
    float *trial;      // m, another one
    float *aim;        // m, the move without elasticity
    float *residual;   // kg m, minus the gradient
    float *z;          //
    float *p;          //
    float *hp;         //
    float *step;       // m, Newton's
    float *mass;       // kg a vertex, with what damping adds
    float *no_mass;    // kg, zeros: static solves
    float *free;       // xyz: 1, or 0 where held
    float *rows;       // 4 a row of the patches, and a row of zeros
    float *tangent;    // planes of the law a block; NULL in mode paper
    float *F;          // 9 planes a block; NULL unless rotations need it
    double *energies;  // a patch
    int *inverted;     // a patch
    double *load;      // N, outside: weight and dead loads
    double *force;     // N, outside
    double *place;     // m, outside
    double *place_try; // m, outside
    double *element;   // J, a tet
} SnSplitRoom;

struct SnSplitDamping;
struct SnSplitShape;
struct SnSplitGrip;
struct SnSplitSystem;

// Phases of a step of mode paper.
enum {
    SN_SPLIT_PREDICT,
    SN_SPLIT_LOCAL,    // rotations and right side
    SN_SPLIT_FORWARD,  //
    SN_SPLIT_BACKWARD, //
    SN_SPLIT_VOLUME,
    SN_SPLIT_VELOCITY,
    SN_SPLIT_PHASE_COUNT
};

typedef struct SnSplit {
    // What it is. All but the names, the placement and the pins is lent by `shape`, which bodies of
    // the same rest shape, materials and options share: it is in coordinates of the body, before
    // the placement.
    struct SnSplitShape *shape;
    SnShare *share; // where shapes and systems are looked for; nullable
    SinewAllocator allocator;
    SnWorkers *workers;
    const SnKernels *kernels;
    const SnSplitSolver *solver;
    char name[SN_SPLIT_NAME_SIZE];
    SinewSplitDef options;
    int start_seed;
    SnTetLaw law;
    SnNewtonElements elements; // outside
    SnNewtonPattern pattern;   // outside
    SnMaterial *materials;
    int material_count;
    double *masses;               // kg a vertex outside
    double *damp;                 // kg/s a vertex outside
    double size;                  // m, the longest side of its bounds at rest
    double trace;                 // N/m, of the stiffness at rest, about; of the shape alone
    double rounding;              // J, of a body at rest whose places are floats
    int *inside;                  // a vertex outside
    int *outside;                 // a vertex inside
    int bundle_count;             // of SN_SPLIT_BUNDLE vertices side by side outside
    int *bundles;                 // by the place of their vertices inside
    SnTetMesh tets;               // of the locator; arrays are the elements'
    struct SnTetLocator *locator; // of the shape alone; NULL until a point is looked for
    SnSplitBlocks blocks;
    SnSplitColours colours;
    SnSplitClusters clusters;
    SnAffine placement; // from the body's coordinates to rest positions: turns and moves
    SnAffine back;      // its inverse
    double *rest;       // m, rest positions, xyz a vertex outside
    SnSplitPins pins;
    struct SnSplitSystem *system; // NULL until a step is prepared
    bool system_is_stale;         // pins or materials are others than the system's
    SnCholeskyWork *work;         // for solves with the system's factor
    SnMultilevelWork *level_work; // or with its levels
    struct SnWoodbury *woodbury;  // contact in the preconditioner; NULL until a step needs it
    bool knows_ties; // the preconditioner has the springs of the step under way as they are
    struct SnSplitDamping *damping; // by stiffness; NULL: none, or no step was prepared yet
    double mass_h, mass_scale;      // that the room's masses were made for; scale 0: none
    // What it does.
    double *phases; // s, SN_SPLIT_PHASE_COUNT that steps of mode paper add to; nullable
    double *state_block;
    SnSplitState state;
    float *room_block;
    double *room_doubles;
    SnSplitRoom room;
} SnSplit;

static inline size_t sn_split_dofs(const SnSplit *body)
{
    return 3 * (size_t)body->elements.vertex_count;
}

static inline bool sn_split_holds(const SnSplit *body, size_t component)
{
    return (body->pins.set.held[component / 3] >> (component % 3) & 1) != 0;
}

// Makes a body in memory that is all zero, for a model whose bodies begin with one of these. What
// was made is released in any case, but for the memory of `body` itself.
SinewStatus sn_split_init(SnSplit *body, const SnModelDef *def, const SinewSplitDef *options,
                          const SnSplitSolver *solver, SinewError *error);
void sn_split_release(SnSplit *body);

// Of a body with its shape: what the shape lends, rest positions, state at rest, room, no pins.
SinewStatus sn_split_furnish(SnSplit *body, const SnAffine *placement, SinewError *error);

// The same as sn_split_init, for what a cut makes of `from`: in the same state, but for the
// vertices and tets that are more or fewer. `from` stays as it is.
SinewStatus sn_split_init_cut(SnSplit *body, const SnSplit *from, const SnTetCut *cut,
                              const SnPin *pins, int pin_count, SinewError *error);

// Room of steps, from the body that was cut; see SnModel.
void sn_split_inherit(SnSplit *body, SnSplit *from);

// The table's functions.
SinewStatus sn_split_create(const SnModelDef *def, void **out_body, SinewError *error);
void sn_split_destroy(void *body);
double sn_split_accuracy(const void *body);
SinewBodyMesh sn_split_mesh(const void *body);
int sn_split_dof_count(const void *body);
void sn_split_start(void *body, SinewStart start, const double linear[3], const double angular[3]);
SinewStatus sn_split_set_pins(void *body, const SnPin *pins, int count, SinewError *error);
SinewStatus sn_split_set_material(void *body, const SnMaterial *material, SinewError *error);
SinewStatus sn_split_points_create(const void *body, const double *rest, int count,
                                   void **out_points, SinewError *error);
SinewStatus sn_split_points_create_unplaced(const void *body, const double *unplaced, int count,
                                            void **out_points, SinewError *error);
const void *sn_split_shape(const void *body);
void sn_split_points_destroy(const void *body, void *points);
SinewStatus sn_split_points_in(const void *body, const int *elements, const double *weights,
                               int count, void **out_points, SinewError *error);
SinewStatus sn_split_points_join(const void *body, const SnPointPart *parts, int part_count,
                                 void **out_points, SinewError *error);
void sn_split_points_place(const void *body, const void *points, double *out_x, double *out_v);
SinewStatus sn_split_prepare(void *body, const SnStep *step, SinewStepReport *report,
                             SinewError *error);
SinewStatus sn_split_step(void *body, const SnStep *step, SinewStepReport *out_report,
                          SinewError *error);
SinewStatus sn_split_solve_static(void *body, const SnStep *step, SinewStepReport *out_report,
                                  SinewError *error);
void sn_split_measure(const void *body, SnMeasure *out_measure);
void sn_split_reaction(const void *body, int pin, double out_wrench[6]);
size_t sn_split_state_size(const void *body);
void sn_split_save(const void *body, void *bytes);
void sn_split_restore(void *body, const void *bytes);

#endif

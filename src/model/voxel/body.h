// A body of the voxel model: what it is, what it does, and the room that its steps work in. Vectors
// have xyz a vertex, for all vertices, held or not.
#ifndef SN_MODEL_VOXEL_BODY_H
#define SN_MODEL_VOXEL_BODY_H

#include "geometry/element_tree.h"
#include "model/near_points.h"
#include "model/pin_set.h"
#include "model/voxel/grid.h"
#include "model/voxel/hierarchy.h"
#include "solve/cholesky.h"
#include "solve/pseudo_inverse.h"

enum { SN_VOXEL_NAME_SIZE = 64 };

// Points inside cells that pins hold: equations on the corners around them, H d = c. See grip.h.
typedef struct SnVoxelGrip {
    SnPinSet set;            // of the same pins, over the points
    int count;               // points
    double *rest;            // m, xyz a point
    void *points;            // SnVoxelPoints
    int row_count;           // components of points that are held
    int *rows;               // 3 point + axis of each
    int *columns;            // components of vertices that are in them, and that no pin holds
    int *column_of;          // a component: its column, or -1
    double *mix;             // inverse.row_count rows of row_count numbers: which of their sums are
                             // met
    double *row;             // room: a row of H, a number a column
    SnPseudoInverse inverse; // of mix H
    bool is_found;           // H never changes, and is there
    bool is_fresh;           // H is of this step
    double *start;           // m, xyz a point: at the start of the step
    double *targets;         // m: where they belong
    double *places;          // m: room
    double *gaps;            // m, row_count; and after them as many sums
    double *shifts;          // m, a column
    double *solves;          // room of direct solves, made when first needed
} SnVoxelGrip;

// A piece of the body that no pin holds, and what its rigid motions meet; see rigid.h. Motions are
// a translation and a turn about the center.
typedef struct SnVoxelPiece {
    int first;         // the lowest of its vertices
    double excess;     // moment of inertia that weights at vertices have too much
    double center[3];  // m
    double matrix[36]; // without points in contact
    double factor[36]; // with them, and factored
    bool is_solid;     // that could be done
    double shift[3];   // m, of its middle, by the forces last balanced
    double motion[6];  // room
    double size;       // of all forces
} SnVoxelPiece;

// What is held: made by set_pins, const between its calls.
typedef struct SnVoxelPins {
    SnPinSet set;
    SnVoxelGrip grip;
    int loose;            // a vertex of a piece of the body that no pin holds, or -1
    int piece_count;      // such pieces
    SnVoxelPiece *pieces; //
    int *piece_of;        // a vertex: its piece, or -1
    double *weights;      // a vertex: its row of the matrix, as rigid motions see it
} SnVoxelPins;

// All that steps change but the pins' part, in one block of doubles so that saving is copying.
typedef struct SnVoxelMotion {
    double *positions;   // m
    double *velocities;  // m/s
    double *last_move;   // m, x_n - x_(n-1), of BDF2
    double *last_change; // m/s, v_n - v_(n-1), of BDF2
    double *rotations;   // 9 a cell: from its own frame to the world
    double *clock;       // SN_VOXEL_CLOCK_COUNT numbers, by the names below
    double *pins;        // SN_PIN_STATE a pin
} SnVoxelMotion;

enum {
    SN_VOXEL_CLOCK_LAST_DT,  // s, of last_move; 0: no history
    SN_VOXEL_CLOCK_RESIDUAL, // relative, at the end of the last step
    SN_VOXEL_CLOCK_LOST,     // steps of a body without its shape, from 1 on; 0: it has one
    SN_VOXEL_CLOCK_COUNT
};

// Where a cell is: its rotation, the mean of its corners, and how its corners are displaced, in its
// own frame and from that mean.
typedef struct SnVoxelPose {
    double rotation[9];
    double center[3];
    double u[SN_VOXEL_DOFS];
    double turn[9]; // from a change of u to a rotation: the inverse of omega [y]x
    bool turns;     // that exists, and forces take the rotation's change into account
} SnVoxelPose;

// Forces of the world on a cell's content: what they do to u and to the rotation.
typedef struct SnVoxelPull {
    double h[SN_VOXEL_DOFS]; // N, in its own frame
    double s[3];             // N m
} SnVoxelPull;

// How forces on a cell's content change as it rotates; see tangent.c.
typedef struct SnVoxelTwist {
    double G[3 * SN_VOXEL_DOFS]; // N
    double Q[9];                 // N m
} SnVoxelTwist;

enum { SN_VOXEL_LAST = 12 + SN_VOXEL_DOFS };

// Room for a step, made with the body.
typedef struct SnVoxelRoom {
    double *move;       // m, d = x - x_n: the unknown
    double *trial;      // m, another d, of the line search
    double *x;          // m, places at the d last looked at
    double *v0;         // v = v_rate d + v0
    double *a0;         // a = a_rate d + a0
    double *internal;   // N, gradient of the elastic energy and the loads
    double *inertia;    // N, M a + C v
    double *residual;   // N, the gradient of the potential
    double *direction;  // m, of Newton
    double *target;     // m, where held components go
    double *start;      // m, positions at the start of the step
    double *balance;    // N, what holds the start of a static solve in place
    double *right;      // N, right-hand side
    double *base;       // rotations at which poses start, 9 a cell
    double *cell_force; // 24 a cell
    double *gradients;  // N, 24 a cell: of its elastic energy and loads, in its frame
    double *energies;   // J, a cell: elastic less loads, and sizes of forces, two numbers
    double *last;       // SN_VOXEL_LAST a cell: center, rotation and u at the last evaluation of
                        // contact
    SnVoxelPose *poses;
    bool *stays; // a cell: its rotation does to the end of a smooth minimisation
    SnVoxelPull *pulls;
    SnVoxelTwist *twists;
    bool has_pulls;
} SnVoxelRoom;

// What the whole derivative of a cell's forces takes besides its matrix: T' E + E' T, rows for
// vectors of the world with four numbers a corner; see tangent.c. All zero where its rotation does
// not follow.
typedef struct SnVoxelTangent {
    float T[3 * SN_VOXEL_OUT]; // 1/m
    float E[3 * SN_VOXEL_OUT]; // N
    bool is_far;               // it has rotated so much in the step that its mass is not as it is
} SnVoxelTangent;

// Room for Newton's method on forces that are no gradient, made when first needed: see warp.h.
typedef struct SnVoxelWarp {
    struct SnVoxelWarpCell *cells;
    double *basis; // vectors of GMRES
} SnVoxelWarp;

// The matrix of a linearised step.
typedef struct SnVoxelSystem {
    double *values;    // SN_VOXEL_MATRIX a kind: K + a_rate M + v_rate C
    double *diagonals; // 9 a vertex: the matrix' blocks, then their inverses
    double rates[2];   // of which they were made
    bool one_turn;     // with the edges of cells for K, lost.h
    bool made;         //
    bool means;        // the level's inverse is that of their means alone, see sn_voxel_system_make
    float *matrices;   // the same for kernels
    float *stiffness;  // K of each kind for kernels
    float *mass;       // M
    SnVoxelLevel level;          // the cells for iterative solves
    SnVoxelHierarchy *hierarchy; // coarser ones, NULL where cells are few
    SnVoxelTangent *tangents;    // a cell
    bool leveled;                // the matrices of the hierarchy are of this step
    bool factored;               // the factor is one of this step, for preconditioning
    double stiffness_share;      // the matrix' trace over that of its masses alone
    float *numbers;              // what follows
    float *rotations;            // 9 a cell
    float *centers;              // 3 a cell, m from the body's middle, of points that are shown
    SnVoxelPattern pattern;      // of the matrix that is factored; made when first needed
    SnCholesky *factor;          // made when first needed
    SnCholeskyWork *work;
    SnVoxelWarp warp;
} SnVoxelSystem;

// Cells side by side in float, for steps that take a given number of iterations and for points that
// are shown.
typedef struct SnVoxelLanes {
    float *numbers;     // what follows
    float *data;        // SN_VOXEL_KIND a kind
    float *planes;      // SN_VOXEL_PLANES * SN_VOXEL_GROUP a group of cells
    float *high, *low;  // 4 a vertex: m, places from the first vertex
    float *pulls;       // SN_VOXEL_OUT a cell
    float *inertia_out; // SN_VOXEL_OUT a cell
    float *damping;     // SN_VOXEL_ENTRIES a kind; NULL where nothing damps
    float *damping_out; // SN_VOXEL_OUT a cell
} SnVoxelLanes;

typedef struct SnVoxelBody {
    // What it is.
    SinewAllocator allocator;
    SnWorkers *workers;
    const SnKernels *kernels;
    char name[SN_VOXEL_NAME_SIZE];
    SinewVoxelDef options;
    int start_seed;
    bool linear; // small displacements: cells do not turn
    SnVoxelGrid grid;
    int *vertex_start;   // cells' corners at a vertex: 8 cell + corner, in ascending order
    int *vertex_corners; //
    double *masses;      // kg a vertex: rows of the cells' matrices at rest
    double *carried;     // kg a vertex: an eighth of what is in each of its cells
    double stiffness_scale;
    double size;       // m, the longest side of its bounds at rest
    double *stretches; // a kind: how far its nodes go at most where its corners go by one
    SnElementTree *tree;
    SnVoxelPins pins;
    // What it does.
    double *state_block;
    SnVoxelMotion state;
    double *room_block;
    SnVoxelRoom room;
    SnVoxelSystem system;
    SnVoxelLanes lanes;
} SnVoxelBody;

static inline size_t sn_voxel_dofs(const SnVoxelBody *body)
{
    return 3 * (size_t)body->grid.vertex_count;
}

static inline bool sn_voxel_holds(const SnVoxelBody *body, size_t component)
{
    return (body->pins.set.held[component / 3] >> (component % 3) & 1) != 0;
}

// Corner c of a cell in its own frame, m from its middle.
static inline double sn_voxel_corner(const SnVoxelGrid *grid, int corner, int axis)
{
    return grid->edge * ((corner >> (2 - axis) & 1) - 0.5);
}

// The first of a cell's numbers in the planes of its group.
static inline const float *sn_voxel_planes(const SnVoxelBody *body, size_t cell)
{
    return body->lanes.planes + cell / SN_VOXEL_GROUP * SN_VOXEL_PLANES * SN_VOXEL_GROUP +
           cell % SN_VOXEL_GROUP;
}

// Doubles in the state block but for the pins' part.
size_t sn_voxel_state_count(const SnVoxelBody *body);

// Cells ------------------------------------------------------------------------------------------

// Poses of all cells with vertices at x; rotations are found from those in `base`, with at most so
// many turns. SN_VOXEL_TURNS find them to rounding; two are near enough from one step to the next.
// With none they are those, and stay whatever corners do. Smooth ones are to rounding as long as
// rotations follow the corners, and stay where they do not. Edges are [E]'s way, which goes by no
// turns; sn_voxel_turns_usual says how a body's cells turn if nothing else is the matter.
enum {
    SN_VOXEL_TURNS = 24,
    SN_VOXEL_TURNS_FEW = 2,
    SN_VOXEL_TURNS_NONE = 0,
    SN_VOXEL_TURNS_EDGES = -1,
    SN_VOXEL_TURNS_SMOOTH = -2
};
static inline int sn_voxel_turns_usual(const SnVoxelBody *body)
{
    return body->options.mode == SINEW_VOXEL_PAPER ? SN_VOXEL_TURNS_EDGES : SN_VOXEL_TURNS;
}
void sn_voxel_pose_cells(const SnVoxelBody *body, SnWorkers *workers, const double *x,
                         const double *base, int turns, SnVoxelPose *out_poses);

// det of the mean gradient of the motion of a cell's corners, as the body is.
double sn_voxel_cell_det(const SnVoxelBody *body, int cell);

// Sums cell_force over the cells at each vertex.
void sn_voxel_gather_forces(const SnVoxelBody *body, SnWorkers *workers, const double *cell_force,
                            double *out_force);

// Pins -------------------------------------------------------------------------------------------

SinewStatus sn_voxel_set_pins(void *body, const SnPin *pins, int count, SinewError *error);
void sn_voxel_pins_release(const SnVoxelBody *body, SnVoxelPins *pins);

// Material points --------------------------------------------------------------------------------

// A node of the contents where a cell has it.
typedef struct SnVoxelSite {
    int cell;
    int number;     // among the nodes of its content
    double rest[3]; // m, in the cell's frame
} SnVoxelSite;

// J of the points that are stiff, for products; and their stiffness summed cell by cell, for
// preconditioners, which is kept while it changes little.
typedef struct SnVoxelTouch {
    double *rows;     // 3 x 24 beside point_cells: J of a point by the corners of a cell
    bool made;        // the blocks are of this step
    int block_count;  //
    int *block_cells; // the cell of a block
    int *slots;       // a cell: its block, or -1
    float *blocks;    // SN_VOXEL_ENTRIES each, in the world's frame and the kernels' order
    double *kept;     // N/m, a point: the trace of the stiffness that blocks were made of
    double kept_sum;  // N/m
} SnVoxelTouch;

// Springs that hold the first of the points, for conjugate gradients; see ties.h.
typedef struct SnVoxelTies {
    int asked;         // points that room was asked for
    int room;          // points that there is room for
    int joined;        // not 0: the vertices of them all, each of which is a tie in place of points
    int count;         // ties of the linearisation at hand, 0 where it goes without
    int tied;          // ties that have rows
    int *vertex_start; // the corners of a tie, ascending: those of its point's cells, or all joined
    int *vertices;     //
    double *numbers;   // what follows
    double *rows;      // 9 beside vertices: B
    double *answers;   // 9 beside vertices: D^-1 B^T
    double *factor;    // of 1 + B D^-1 B^T
    double *pulls;     // room: 3 a tie
    double *shape;     // room where joined: 9 a vertex
    double *sum;       // room where joined: J^T S J, dense
} SnVoxelTies;

// Points of contents: each has its place from eight nodes of one voxel, and a node has the mean of
// what the cells around it say.
typedef struct SnVoxelPoints {
    int count;
    int *cells;        // the cell of a point
    int *cell_start;   // cells that a point's nodes have: point_cells[cell_start[p] .. [p + 1])
    int *point_cells;  //
    int *nodes;        // 8 a point
    double *weights;   // beside nodes
    double *offsets;   // m, 3 a point, in its cell's frame: how far outside it is
    double *distances; // m, the same length
    int node_count;
    int *site_start; // a node's sites: sites[site_start[n] .. site_start[n + 1])
    SnVoxelSite *sites;
    // Room for places and forces.
    double *node_places;  // m, xyz a node
    double *node_forces;  // N
    double *places;       // m, xyz a point
    SnPointForce *forces; //
    int *active;          // points that are stiff
    int active_count;
    SnVoxelTouch touch;
    SnVoxelTies ties;
    SnNearPoints near;        // those that may feel a force
    double *stretch;          // a cell: how far its nodes go at most where its corners go by one
    double offset_most;       // m, of the offsets
    int *due_nodes;           // of the points that are placed
    bool *is_due;             // room: false a node
    struct SnVoxelSkin *skin; // of sets that are large enough to be shown, else NULL
} SnVoxelPoints;

SinewStatus sn_voxel_tree_create(SnVoxelBody *body, SinewError *error);
SinewStatus sn_voxel_points_create(const void *body, const double *rest, int count,
                                   void **out_points, SinewError *error);
SinewStatus sn_voxel_points_join(const void *body, const SnPointPart *parts, int part_count,
                                 void **out_points, SinewError *error);
void sn_voxel_points_destroy(const void *body, void *points);
double sn_voxel_points_distance(const void *points, int index);
void sn_voxel_points_place(const void *body, const void *points, double *out_x, double *out_v);

// Makes the skin of a set that has points, nodes and sites; and places by it, for the body's state.
SinewStatus sn_voxel_skin_create(const SnVoxelBody *body, SnVoxelPoints *points, SinewError *error);
void sn_voxel_skin_destroy(const SnVoxelBody *body, struct SnVoxelSkin *skin);
void sn_voxel_skin_place(const SnVoxelBody *body, const SnVoxelPoints *points, double *out_x);

// Places for given poses of the cells.
void sn_voxel_points_follow(const SnVoxelBody *body, SnWorkers *workers,
                            const SnVoxelPoints *points, const SnVoxelPose *poses, double *out_x);

// Adds `scale` times the forces at points to the cells' pulls and answers scale * sum force . x.
double sn_voxel_points_pull(const SnVoxelBody *body, const SnVoxelPoints *points, double scale,
                            const double *forces, const SnVoxelPose *poses, SnVoxelPull *pulls);

// How far the nodes of each kind of cells go. Then room for finding the points that may feel a
// force; then those at given poses, which are placed.
SinewStatus sn_voxel_stretches_find(SnVoxelBody *body, SinewError *error);
SinewStatus sn_voxel_near_create(const SnVoxelBody *body, SnVoxelPoints *points, SinewError *error);
void sn_voxel_near_release(const SnVoxelBody *body, SnVoxelPoints *points);
void sn_voxel_points_find(const SnVoxelBody *body, SnWorkers *workers,
                          const SnPointForces *contacts, const SnVoxelPose *poses);

// Forces that depend on where points are: adds them to the pulls and returns their energy, J.
double sn_voxel_points_evaluate(const SnVoxelBody *body, SnWorkers *workers,
                                const SnPointForces *contacts, const SnVoxelPose *poses,
                                SnVoxelPull *pulls);

// Pulls of a force of one along an axis at one point: replaces those of the cells that the point's
// nodes have, which are listed, and leaves others alone.
void sn_voxel_points_pull_one(const SnVoxelBody *body, const SnVoxelPoints *points, int point,
                              int axis, const SnVoxelPose *poses, const int *cells, int cell_count,
                              SnVoxelPull *pulls);

// The table's other functions --------------------------------------------------------------------

SinewStatus sn_voxel_step(void *body, const SnStep *step, SinewStepReport *out_report,
                          SinewError *error);
SinewStatus sn_voxel_solve_static(void *body, const SnStep *step, SinewStepReport *out_report,
                                  SinewError *error);

#endif

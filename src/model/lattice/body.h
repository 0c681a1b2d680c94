// A body of the lattice model: what it is, what it does, and the room that its steps work in.
// Vectors have xyz a vertex, for all vertices, held or not; the multigrid has its own layout, and
// `nodes` says where a vertex is in it.
#ifndef SN_MODEL_LATTICE_BODY_H
#define SN_MODEL_LATTICE_BODY_H

#include "geometry/element_tree.h"
#include "model/lattice/multigrid.h"
#include "model/pin_set.h"
#include "model/point_set.h"

enum { SN_LATTICE_NAME_SIZE = 64 };

// What is held: made by set_pins, const between its calls.
typedef struct SnLatticePins {
    SnPinSet set;
    int *pieces; // a vertex: the first vertex of its piece; cells that share vertices are one
    unsigned char *has; // a vertex: not 0 at the first of a piece that is held
} SnLatticePins;

// All that steps change but the pins' part, in one block of doubles so that saving is copying.
typedef struct SnLatticeMotion {
    double *positions;   // m
    double *velocities;  // m/s
    double *last_move;   // m, x_n - x_(n-1), of BDF2
    double *last_change; // m/s, v_n - v_(n-1), of BDF2
    double *last_load;   // N, dead loads and weight of the last step: where load steps begin
    double *linear;      // m, where coarse levels were linearised; see linear.c
    double *springs;     // of the factor of the coarsest: SN_LATTICE_CELL_SPRING numbers a cell
    double *clock;       // SN_LATTICE_CLOCK_COUNT numbers, by the names below
    double *pins;        // SN_PIN_STATE a pin: last motion (12), reaction (6)
} SnLatticeMotion;

enum {
    SN_LATTICE_CLOCK_LAST_DT,  // s, of last_move; 0: no history
    SN_LATTICE_CLOCK_RESIDUAL, // relative, at the end of the last step
    SN_LATTICE_CLOCK_RECOVERS, // 1: on the way back from a state that is no shape
    SN_LATTICE_CLOCK_LOST,     // steps of a body without its shape, from 1 on; 0: it has one
    SN_LATTICE_CLOCK_KEPT,     // 1: coarse levels at `linear` are kept, with these rates of inertia
    SN_LATTICE_CLOCK_A_RATE,   // 1/s^2
    SN_LATTICE_CLOCK_V_RATE,   // 1/s
    SN_LATTICE_CLOCK_SPRINGS,  // 1: the factor of the coarsest level has springs
    SN_LATTICE_CLOCK_COUNT
};

// Room for a step, made with the body.
typedef struct SnLatticeRoom {
    double *move;      // m, d = x - x_n: the unknown
    double *trial;     // m, another d, of the line search
    double *x;         // m, places at the d last looked at
    double *v0;        // v = v_rate d + v0
    double *a0;        // a = a_rate d + a0
    double *external;  // N, weight and dead loads
    double *contact;   // N
    double *residual;  // N, the gradient of the potential
    double *direction; // m, of Newton
    double *target;    // m, where held components go
    double *held_move; // m, how far that is
    double *start;     // m, positions at the start of the step
    double *load_from; // N
    double *load_to;   // N
    double *x64;       // positions in the multigrid's layout
    double *force64;   // N, the same
    double *damping;   // N, C v of stiffness damping
    double *energies;  // J, a cell block
    double *springs;   // joined by cell, as they are: SN_LATTICE_CELL_SPRING numbers a cell
    float *dets;       // det F, a cell of a cell block
    // Of stiffness damping, a cell of the mesh: the tangent at the start of the step, and forces on
    // its corners. NULL where none damps.
    SnCellTangent *damp_tangents;
    double *damp_forces; // N, 24 each
} SnLatticeRoom;

typedef struct SnLatticeShape SnLatticeShape;

typedef struct SnLattice {
    // What it is. The arrays, but for `placed`, are lent by the shape.
    SnLatticeShape *shape;
    SinewAllocator allocator;
    SnWorkers *workers;
    const SnKernels *kernels;
    char name[SN_LATTICE_NAME_SIZE];
    SinewLatticeDef options;
    int start_seed;
    const SnHexMesh *mesh;  // at rest, where the body is placed
    SnHexMesh placed;       // that, with positions of its own
    SnAffine back;          // from there to the shape's own coordinates
    int *places;            // i, j, k of each cell along the grid's own axes
    int last_axis;          // of the body, along which blocks run
    int *nodes;             // a vertex: where it is in the multigrid's vectors
    int *cells;             // a cell: its place in cell blocks
    double *lame;           // Pa, 2 x 16 a cell block
    double *masses;         // kg a vertex
    double *damp_masses;    // kg/s a vertex: mass times alpha; NULL where no material damps
    double *betas;          // s, 16 a cell block: Rayleigh's beta; NULL where all are 0
    double *fills;          // 16 a cell block: shares inside the shape; NULL where all count whole
    double stiffness_scale; // N/m, root of the sum of squares of the rest stiffness' diagonal
    double size;            // m, the longest side of its bounds at rest
    double h;               // m
    double origin[3];       // m, of the grid's node (0, 0, 0), unplaced
    SnElementTree *tree;    // of cells, unplaced
    SnLatticePins pins;
    // What it does.
    double *state_block;
    SnLatticeMotion state;
    double *room_block;
    SnLatticeRoom room;
    SnLatticeMultigrid multigrid;
    double inertia_rates[2]; // of what the multigrid's inertia was made
    bool has_levels;         // the multigrid has the coarse levels that the state keeps
    int renewals;            // times that all levels were made, for tests and benches
} SnLattice;

static inline size_t sn_lattice_dofs(const SnLattice *body)
{
    return 3 * (size_t)body->mesh->vertex_count;
}

static inline bool sn_lattice_holds(const SnLattice *body, size_t component)
{
    return (body->pins.set.held[component / 3] >> (component % 3) & 1) != 0;
}

// Doubles in the state block but for the pins' part.
size_t sn_lattice_state_count(const SnLattice *body);

// Pins -------------------------------------------------------------------------------------------

SinewStatus sn_lattice_set_pins(void *body, const SnPin *pins, int count, SinewError *error);
void sn_lattice_pins_release(SnLatticePins *pins, const SinewAllocator *allocator);

// A vertex of a piece of the body that no pin and no tie of `forces` (nullable) holds, or -1: also
// when there are colliders, which may hold anything.
int sn_lattice_pins_loose(const SnLattice *body, const SnPointForces *forces);

// Where held components are at the fraction s of a step, from the places in the room's `start`: the
// middle of a pin's vertices moves straight, and they turn about it at an even pace. Others are
// left alone.
void sn_lattice_pins_target(const SnLattice *body, const SnAffine *motions, double s,
                            double *out_x);

// Keeps the motions that a step ended with, and the wrench of each pin from the forces on held
// components.
void sn_lattice_pins_record(SnLattice *body, const SnAffine *motions, const double *forces);

// Material points --------------------------------------------------------------------------------

// Owns its arrays. The last three are room for the springs of a step at these points.
typedef struct SnLatticePoints {
    SnPointSet set;                                // first: it is what point_set's functions see
    SnLatticeSpring *sites[SN_LATTICE_LEVELS_MAX]; // a level: one a point
    int *spring_points;
    float *spring_stiffness; // 9 each
    SnLatticeSprings springs;
} SnLatticePoints;

SinewStatus sn_lattice_tree_create(SnLattice *body, SinewError *error);
SinewStatus sn_lattice_points_create(const void *body, const double *rest, int count,
                                     void **out_points, SinewError *error);
SinewStatus sn_lattice_points_create_unplaced(const void *body, const double *unplaced, int count,
                                              void **out_points, SinewError *error);
SinewStatus sn_lattice_points_join(const void *body, const SnPointPart *parts, int part_count,
                                   void **out_points, SinewError *error);
void sn_lattice_points_destroy(const void *body, void *points);
void sn_lattice_points_place(const void *body, const void *points, double *out_x, double *out_v);

// The stiffness of the forces last evaluated, as springs on all levels. NULL where there is none.
const SnLatticeSprings *sn_lattice_points_springs(const SnPointForces *contacts);

// The table's other functions --------------------------------------------------------------------

SinewStatus sn_lattice_step(void *body, const SnStep *step, SinewStepReport *out_report,
                            SinewError *error);
SinewStatus sn_lattice_solve_static(void *body, const SnStep *step, SinewStepReport *out_report,
                                    SinewError *error);
void sn_lattice_measure(const void *body, SnMeasure *out_measure);

#endif

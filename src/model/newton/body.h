// A body of the reference model: what it is, what it does, and the room that its steps work in.
// Vectors have xyz a vertex, for all vertices, held or not.
#ifndef SN_MODEL_NEWTON_BODY_H
#define SN_MODEL_NEWTON_BODY_H

#include "model/newton/pattern.h"
#include "model/pin_set.h"
#include "solve/cholesky.h"

enum { SN_NEWTON_NAME_SIZE = 64 };

// What steps and static solves are solved to where no tolerance is given, relative. Motion that is
// solved further differs by micrometres of a figure's 15 cm.
#define SN_NEWTON_MOTION 1e-6
#define SN_NEWTON_STATIC 1e-9

// What is held: made by set_pins, const between its calls.
typedef struct SnNewtonPins {
    SnPinSet set;
    int row_count;        // vertices with a free component: the rows of the system
    int *rows;            // a vertex: its row, -1 where all of it is held
    int *row_vertices;    // a row: its vertex
    int *row_start;       // the system's own pattern
    int *column;          //
    int *source;          // an entry: where its block is in the body's pattern
    double *value;        // 9 an entry
    SnCholesky *cholesky; // NULL where nothing is free
    SnCholeskyWork *work; //
} SnNewtonPins;

// All that steps change but the pins' part, in one block of doubles so that saving is copying.
typedef struct SnNewtonState {
    double *positions;     // m
    double *velocities;    // m/s
    double *accelerations; // m/s^2, of the Newmark rule
    double *last_move;     // m, x_n - x_(n-1), of BDF2
    double *last_change;   // m/s, v_n - v_(n-1), of BDF2
    double *last_load;     // N, dead loads and weight of the last step: where load steps begin
    double *clock;         // SN_CLOCK_COUNT numbers, by the names below
    double *pins;          // SN_PIN_STATE a pin: last motion (12), reaction (6)
} SnNewtonState;

enum {
    SN_CLOCK_LAST_DT,      // s, of last_move; 0: no history
    SN_CLOCK_ACCELERATION, // 1 when accelerations are known
    SN_CLOCK_RESIDUAL,     // relative, at the end of the last step
    SN_CLOCK_COUNT
};

// Room for a step, made with the body.
typedef struct SnNewtonRoom {
    double *move;           // m, d = x - x_n: the unknown
    double *trial;          // m, another d, of the line search
    double *x;              // m, places at the d last looked at
    double *v;              // m/s
    double *a;              // m/s^2
    double *v0;             // v = v_rate d + v0
    double *a0;             // a = a_rate d + a0
    double *inertia;        // N, M a
    double *damping;        // N, C v
    double *internal;       // N, gradient of the elastic energy
    double *external;       // N, weight and dead loads
    double *contact;        // N
    double *residual;       // N, the gradient of the potential
    double *direction;      // m, of Newton
    double *target;         // m, where held components go
    double *held_move;      // m, how far that is
    double *start;          // m, positions at the start of the step
    double *load_from;      // N
    double *load_to;        // N
    double *solution;       // the system's right-hand side, then its solution
    double *energies;       // J, an element
    double *dets;           // smallest det F, an element
    double *stiffness;      // 9 an entry of the pattern
    double *damping_matrix; // the same; NULL where no material damps
} SnNewtonRoom;

typedef struct SnNewton {
    // What it is.
    SinewAllocator allocator;
    SnWorkers *workers;
    const SnKernels *kernels;
    char name[SN_NEWTON_NAME_SIZE];
    SinewNewtonDef options;
    int start_seed;
    SnNewtonElements elements;
    SnNewtonPattern pattern;
    SnMaterial *materials;
    int material_count;
    double *masses;         // kg a vertex: integrals of density times shape function
    double *mass_value;     // kg an entry of the pattern, consistent; NULL where lumped
    double *damp_mass;      // alpha M as masses or mass_value; NULL where no material damps
    double stiffness_scale; // N/m, root of the sum of squares of the rest stiffness' diagonal
    double size;            // m, the longest side of its bounds at rest
    bool damped;
    struct SnNewtonFinder *finder; // of material points
    SnNewtonPins pins;
    // What it does.
    double *state_block;
    SnNewtonState state;
    double *room_block;
    SnNewtonRoom room;
} SnNewton;

static inline size_t sn_newton_dofs(const SnNewton *body)
{
    return 3 * (size_t)body->elements.vertex_count;
}

// Doubles in the state block but for the pins' part.
size_t sn_newton_state_count(const SnNewton *body);

// The table's functions, one file each.
SinewStatus sn_newton_create(const SnModelDef *def, void **out_body, SinewError *error);
void sn_newton_destroy(void *body);
SinewBodyMesh sn_newton_mesh(const void *body);
int sn_newton_dof_count(const void *body);
void sn_newton_start(void *body, SinewStart start, const double linear[3], const double angular[3]);
SinewStatus sn_newton_set_pins(void *body, const SnPin *pins, int count, SinewError *error);
SinewStatus sn_newton_points_create(const void *body, const double *rest, int count,
                                    void **out_points, SinewError *error);
SinewStatus sn_newton_points_join(const void *body, const SnPointPart *parts, int part_count,
                                  void **out_points, SinewError *error);
void sn_newton_points_destroy(const void *body, void *points);
void sn_newton_points_place(const void *body, const void *points, double *out_x, double *out_v);
SinewStatus sn_newton_step(void *body, const SnStep *step, SinewStepReport *out_report,
                           SinewError *error);
SinewStatus sn_newton_solve_static(void *body, const SnStep *step, SinewStepReport *out_report,
                                   SinewError *error);
void sn_newton_measure(const void *body, SnMeasure *out_measure);
void sn_newton_reaction(const void *body, int pin, double out_wrench[6]);
size_t sn_newton_state_size(const void *body);
void sn_newton_save(const void *body, void *bytes);
void sn_newton_restore(void *body, const void *bytes);

#endif

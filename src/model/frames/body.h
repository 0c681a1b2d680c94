// A body of frames: what it is, what it does, and the room that its steps work in.
//
// Inertia is that of lumps: mass points spread over the body, which keep places and velocities of
// their own. With d the move of a lump in a step, v = v_rate d + v0 and a = a_rate d + a0 by the
// rule of motion, and a step is a minimisation over the frames of
//
//     Phi = sum_lumps m a^2 / (2 a_rate) + elastic + held + contact - loads . x
#ifndef SN_MODEL_FRAMES_BODY_H
#define SN_MODEL_FRAMES_BODY_H

#include "base/random.h"
#include "model/frames/fit.h"
#include "model/frames/points.h"
#include "model/frames/springs.h"
#include "model/pin_set.h"

enum {
    SN_FRAMES_NAME_SIZE = 64,
    SN_FRAMES_WARNING_SIZE = 320,
    SN_FRAMES_MAX = SN_POINT_FRAMES_MAX,
    SN_FRAMES_BLEND_MAX = 12 * SN_FRAMES_MAX, // numbers that blends of all are made from
    SN_FRAMES_HELD_MAX = 256
};

// How many numbers a frame has, by its kind.
typedef struct SnFrameNumbers {
    int pose;  // where it is; the last three are a place, m
    int blend; // what blends of it are made from
    int dofs;  // how it may change
    int turns; // the first of its dofs, which are not lengths
} SnFrameNumbers;

SnFrameNumbers sn_frame_numbers(bool is_affine);

// What is held: made by set_pins, const between its calls. Of a pin with many vertices,
// SN_FRAMES_HELD_MAX spread among them are held, by stiff springs.
typedef struct SnFramesPins {
    SnPinSet set;
    int held_count;
    int *pins;            // a held vertex: its pin
    int *vertices;        //
    SnFramePoints points; //
    int *leaders;         // a pin: the frame that most of it follows
    double *steady;       // N, xyz a held vertex: what a static solve holds with, besides springs
    double spring;        // N/m a held vertex of a pin with one vertex
    double *squares;      // of affine frames: sn_frame_points_square of each axis, 3
} SnFramesPins;

// Damping by stiffness (damping.h): of samples, for the step at hand. Springs have their own.
typedef struct SnFramesDamping {
    bool any;
    double *betas;   // s, a sample
    double *roots;   // as the samples' own, in groups
    double *offsets; // 6 groups a group of samples
} SnFramesDamping;

// All that steps change but the pins' part, in one block of doubles so that saving is copying.
typedef struct SnFramesMotion {
    double *poses;       // of a rigid frame an SnFramePose, of an affine one its numbers
    double *last_poses;  // where frames were a step before
    double *rates;       // by the dofs: how a frame turns, rad/s, and moves, m/s
    double *leads;       // SN_FRAMES_LEAD a frame, by the names below
    double *places;      // m, xyz a lump
    double *velocities;  // m/s
    double *last_move;   // m, of BDF2
    double *last_change; // m/s
    double *clock;       // SN_FRAMES_CLOCK_COUNT numbers, by the names below
    double *pins;        // SN_PIN_STATE a pin: last motion (12), reaction (6)
} SnFramesMotion;

// Of a frame that goes along with another.
enum {
    SN_LEAD_FRAME,                  // the one it goes along with, or -1: it is awake
    SN_LEAD_TURN,                   // 4: its turn seen from there
    SN_LEAD_ARM = SN_LEAD_TURN + 4, // 3, m: where it is seen from there
    SN_LEAD_MAP = SN_LEAD_TURN,     // 12, of affine frames instead: from its place to that one's
    SN_FRAMES_LEAD = SN_LEAD_MAP + 12
};

enum {
    SN_FRAMES_CLOCK_LAST_DT,  // s; 0: no history
    SN_FRAMES_CLOCK_TIME,     // s of motion so far
    SN_FRAMES_CLOCK_RESIDUAL, // relative, at the end of the last step
    SN_FRAMES_CLOCK_COUNT
};

// Room for a step, made with the body.
typedef struct SnFramesRoom {
    double *trial;     // poses
    double *start;     // poses at the start of the step
    double *frames;    // what blends of the poses last looked at are made from
    double *jacobians; // d (q, s) / d dofs, 48 a frame
    double *gradient8; // by the numbers of blends, of a rigid frame (q, s)
    double *known;     // of affine frames: a flag, energy, numbers and gradient of the samples'
                       // last evaluation, which renewed contact and guesses ask for again
    double *blocks;    // by (q, s), as of samples
    double *part;      // a part of the gradient by the dofs
    double *direct;    // that of springs and of lumps that frames carry
    double *gradient;  // by the dofs
    double *hessian;   // dofs squared
    double *factor;    // the same
    double *direction; // dofs
    double *v0;        // m/s, xyz a lump
    double *a0;        // m/s^2
    double *targets;   // m, xyz a vertex: where held ones go
    double *begin;     // m, xyz a vertex: where held ones were at the start
    double *forces;    // N, xyz a vertex: what pins exert
} SnFramesRoom;

typedef struct SnFrames {
    // What it is. All but the name, the options, where it is, springs, damping and pins is lent by
    // `shape`, which equal bodies share.
    struct SnFramesShape *shape;
    SnFramesGridPlace place; // where the grid is
    SnAffine back;           // from where the body is at rest to the grid
    SinewAllocator allocator;
    SnWorkers *workers;
    const SnKernels *kernels;
    char name[SN_FRAMES_NAME_SIZE];
    SinewFramesDef options; // its pointers are not kept
    SnMaterial *materials;
    int material_count;
    SnFramesGrid grid;
    int frame_count;
    double *origins;        // m, xyz a frame, from the grid's centre
    bool is_affine;         //
    bool is_chosen;         // affine as nobody said what frames may do
    bool is_placed;         // frames stand where nobody put them
    bool is_checked;        // static solves were compared with finite elements for these pins
    SnFrameNumbers numbers; //
    double *weights;        // frame_count a vertex
    double *wakes;          // s, 2 a frame: when it wakes and when it sleeps
    int *leaders;           // a frame: the nearest that is always awake, for when it is not
    SnSamples samples;      //
    SnFitReport fit;        //
    char warning[SN_FRAMES_WARNING_SIZE]; // empty: none
    SnSprings springs;                    // instead of samples; or none
    SnFramePoints lumps;                  //
    bool carries;                         // lumps follow one frame alone
    double *lump_masses;                  // kg
    double *lump_damping;                 // kg/s: mass times Rayleigh's alpha
    double *lump_squares;                 // of affine frames: sn_frame_points_square of both, 2
    SnFramesDamping damping;
    double length;    // m, that makes a turn of it comparable with a move
    double stiffness; // N/m, the largest that a frame's shift feels at rest
    SnFramesPins pins;
    // What it does.
    double *state_block;
    SnFramesMotion state;
    double *room_block;
    SnFramesRoom room;
    SnSamplesRoom parts;
    SnFramePoints vertices; // of the grid, for the mesh that is lent
    double *rest;           // m, of the mesh: where the body is at rest
    double *mesh_places;    // m, lent
    double *mesh_speeds;    // m/s
    bool is_stale;          // the lent mesh is not where the state is
} SnFrames;

static inline int sn_frames_dofs(const SnFrames *body)
{
    return body->numbers.dofs * body->frame_count;
}

static inline size_t sn_frames_pose_count(const SnFrames *body)
{
    return (size_t)body->numbers.pose * (size_t)body->frame_count;
}

// Turns count over the body's length.
static inline double sn_frames_unit(const SnFrames *body, int dof)
{
    return dof % body->numbers.dofs < body->numbers.turns ? body->length : 1.0;
}

// Of rigid frames.
static inline SnFramePose sn_frames_pose(const double *poses, int frame)
{
    const double *p = poses + 7 * (size_t)frame;
    return (SnFramePose){{p[0], p[1], p[2], p[3]}, {p[4], p[5], p[6]}};
}

// What blends of all poses are made from, and how that changes by the state's rates.
void sn_frames_blend(const SnFrames *body, const double *poses, double *out_frames);
void sn_frames_blend_rates(const SnFrames *body, double *out_rates);

// Rates of the frames from where they were at the start of a step to where they are.
void sn_frames_find_rates(SnFrames *body, double dt);

// A pose turned by a unit quaternion, but for its place.
void sn_frames_turn(const SnFrames *body, const double turn[4], const double *from, double *out);

// A frame's pose in a start state, and its rates by a turning that is the same for all, but for its
// place.
void sn_frames_start_pose(const SnFrames *body, SinewStart start, int frame, SnRandom *random,
                          double *out_pose);
void sn_frames_start_turn(const SnFrames *body, int frame, const double angular[3]);

// Frames that sleep go to where those that they go along with are.
void sn_frames_obey(const SnFrames *body, double *poses);

// Puts frames to sleep and wakes them, by the time of motion. Nothing moves by that.
void sn_frames_rouse(SnFrames *body);

// Gradient and (nullable) Hessian by all dofs, at these poses, to those by the dofs of awake
// frames; of sleeping ones nothing is left.
void sn_frames_fold(const SnFrames *body, const double *poses, double *gradient, double *hessian);

// poses changed by `scale` times a vector of dofs.
void sn_frames_change(const SnFrames *body, const double *poses, const double *dofs, double scale,
                      double *out_poses);

// What resists deformation: samples or springs. `origins` are rest positions, not yet from the
// grid's centre. Springs of mode paper are made from samples by the second call, which needs the
// Hessian at rest in the body's room.
SinewStatus sn_frames_make_elastic(SnFrames *body, const SnModelDef *def, const double *origins,
                                   SinewError *error);
SinewStatus sn_frames_make_pairs(SnFrames *body, const SnModelDef *def, SinewError *error);

// What is known to be poor of fitted samples.
void sn_frames_warn_of_fit(SnFrames *body);

// Places of the mesh and its velocities, from the state, where they are not up to date. What is
// lent is not the state, so a const body may catch up.
void sn_frames_follow(const SnFrames *body);

size_t sn_frames_state_count(const SnFrames *body);

// The table's functions in files of their own.
SinewStatus sn_frames_create(const SnModelDef *def, void **out_body, SinewError *error);
void sn_frames_destroy(void *body);
void sn_frames_start(void *body, SinewStart start, const double linear[3], const double angular[3]);
SinewStatus sn_frames_set_pins(void *body, const SnPin *pins, int count, SinewError *error);
void sn_frames_pins_release(SnFramesPins *pins, const SinewAllocator *allocator);
SinewStatus sn_frames_step(void *body, const SnStep *step, SinewStepReport *out_report,
                           SinewError *error);
SinewStatus sn_frames_solve_static(void *body, const SnStep *step, SinewStepReport *out_report,
                                   SinewError *error);
void sn_frames_measure(const void *body, SnMeasure *out_measure);

#endif

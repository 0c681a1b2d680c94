// Springs between frames instead of samples: joints, and one quadratic form in the strains of all.
//
// In the default mode the joints are a tree, so that their strains are all that frames can do
// besides moving together, and the form is E = e^T C e / 2 with C = T^T K T: K what frames feel of
// each other by finite elements (flexibility.h), T how all frames move when one joint gives way. At
// rest that is K to the last digits whatever the body's shape, and C is definite since K is. [C]
// has a spring for each pair, with a matrix of its own and no part for two joints together; on
// bodies that branch such matrices are neither symmetric nor definite. Cutting the body in pieces,
// a solve for each joint, makes them so, but loses what pieces feel of each other where they meet:
// a T is then up to four times as soft as it should be. One form of all strains needs one solve.
//
// In mode paper they are [C sec 4.3]: a joint for every pair whose weights overlap, forces by
// (24) and (25), which follow from no energy, and the stiffness of (20) to (23).
#ifndef SN_MODEL_FRAMES_SPRINGS_H
#define SN_MODEL_FRAMES_SPRINGS_H

#include "model/frames/grid.h"
#include "model/frames/joint.h"

typedef struct SnSprings {
    int count; // joints; 0: the body has none
    int frame_count;
    bool paired;        // mode paper
    SnJointRest *rests; //
    double *stiffness;  // J: 6 count squared; of pairs 36 each, force on i by a move of j
    double *betas;      // s a joint: damping by stiffness; of two joints together the mean of roots
    // Room.
    SnJoint *joints; //
    double *strains; // 6 a joint
    double *targets; // 6 a joint: strains from which friction counts
    double *forces;  // 6 a joint: C strains
    double *rows;    // 36 a joint, by the dofs of its second frame
} SnSprings;

// What springs are made from. All borrowed.
typedef struct SnSpringsDef {
    const SnModelDef *model;
    const SnFramesGrid *grid;
    int frame_count;
    const double *origins; // m, xyz a frame
    const double *weights; // frame_count a vertex
    const double *K;       // dofs squared, symmetric: what frames feel of each other at rest
} SnSpringsDef;

// A tree of joints, between frames that share most of the body, and C.
SinewStatus sn_springs_tree(const SnSpringsDef *def, SnSprings *out_springs, SinewError *error);

// A joint for each pair that K couples.
SinewStatus sn_springs_pairs(const SnSpringsDef *def, SnSprings *out_springs, SinewError *error);

// The same springs with a workspace of their own.
SinewStatus sn_springs_copy(const SnSprings *springs, const SinewAllocator *allocator,
                            SnSprings *out_springs, SinewError *error);

void sn_springs_release(SnSprings *springs, const SinewAllocator *allocator);

// Targets for a step: strains at its start and `ahead` times as far as they came in the last one.
void sn_springs_aim(const SnSprings *springs, const double *now, const double *last, double ahead);

// Energy, J, at poses of seven numbers, with damping's where v_rate is not 0 (damping.h); adds to
// the gradient by the dofs and to the lower triangle of the matrix (nullable). INFINITY where two
// frames of a joint face each other at a whole turn. Of pairs the gradient is minus the forces, and
// the energy is told for the record.
double sn_springs_evaluate(const SnSprings *springs, const double *poses, double v_rate,
                           double *gradient, double *matrix);

#endif

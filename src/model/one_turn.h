// The one rotation that a body without its shape takes for all of its elements, model/split/lost.h,
// model/lattice/lost.h and model/voxel/lost.h: the nearest to a weighted sum of their deformations;
// where pins hold the body, as they are turned; where both leave it open, as at rest.
#ifndef SN_MODEL_ONE_TURN_H
#define SN_MODEL_ONE_TURN_H

#include "model/pin_set.h"

// A body that has not found its shape after so many steps is held in another one.
enum { SN_LOST_STEPS = 100 };

// It has found it where no element is inverted and the mean of |F - R|^2 is less than this: strains
// of some percent.
#define SN_LOST_FOUND 1e-3

typedef struct SnOneTurn {
    double sum[9];        // sum of weight F, row-major
    double weight;        // sum of them
    double at_rest[9];    // the rotation of the body where it is placed
    const SnPinSet *pins; // of vertices, or of points
    const double *rest;   // m, xyz a vertex, in the coordinates that F starts from
    const double *places; // m, where held vertices are at the end of the step
    double turn[3];       // rad, of the step: a rotation that stayed would hold the body back
} SnOneTurn;

// The rotation, row-major. The same bits everywhere: it uses no function but sqrt.
void sn_one_turn_find(const SnOneTurn *body, double out_R[9]);

#endif

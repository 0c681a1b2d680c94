// A model that is simple enough to know its answers: the vertices of a tet mesh, each a point mass
// bound to its rest place by a spring, none to another. It fills the whole table, so that worlds
// can be tested without a real method.
//
// It fails on demand, so that tests see what a world does then: a step longer than 1 s diverges and
// leaves rubbish behind, one longer than 0.5 s makes a vertex NaN without saying so, and one longer
// than 0.25 s answers SINEW_NOT_CONVERGED. A static solve with gravity above 1000 m/s^2 does not
// converge.
#ifndef SN_TEST_SUPPORT_SPRING_MODEL_H
#define SN_TEST_SUPPORT_SPRING_MODEL_H

#include "model/model.h"

// The square of each vertex' frequency is the body's Young's modulus over its density, in 1/s^2.
extern const SnModel sn_spring_model;

#endif

// What bodies tell of themselves in the same way: sums over mass points, and the worst of their
// elements.
#ifndef SN_MODEL_MEASURE_H
#define SN_MODEL_MEASURE_H

#include "model/model.h"

// Kinetic energy, momenta, mass and its middle of `count` mass points (kg, m, m/s; xyz each), into
// a measure that has none yet.
void sn_measure_masses(SnMeasure *measure, const double *masses, const double *positions,
                       const double *velocities, int count);

// The smallest det F of an element: counted where it is not positive, kept where it is the smallest
// so far or not a number. The measure begins with a smallest_det of INFINITY.
void sn_measure_det(SnMeasure *measure, int element, double det);

#endif

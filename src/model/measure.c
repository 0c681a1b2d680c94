#include "model/measure.h"

void sn_measure_masses(SnMeasure *measure, const double *masses, const double *positions,
                       const double *velocities, int count)
{
    for (int p = 0; p < count; ++p) {
        const double *x = positions + 3 * (size_t)p, *v = velocities + 3 * (size_t)p;
        double mass = masses[p];
        for (int k = 0; k < 3; ++k) {
            measure->kinetic += 0.5 * mass * v[k] * v[k];
            measure->momentum[k] += mass * v[k];
            measure->mass_center[k] += mass * x[k];
        }
        measure->angular_momentum[0] += mass * (x[1] * v[2] - x[2] * v[1]);
        measure->angular_momentum[1] += mass * (x[2] * v[0] - x[0] * v[2]);
        measure->angular_momentum[2] += mass * (x[0] * v[1] - x[1] * v[0]);
        measure->mass += mass;
    }
    for (int k = 0; k < 3; ++k) {
        measure->mass_center[k] /= measure->mass;
    }
}

void sn_measure_det(SnMeasure *measure, int element, double det)
{
    measure->inverted_count += !(det > 0.0);
    if (det < measure->smallest_det || !(det == det)) {
        measure->smallest_det = det;
        measure->smallest_element = element;
    }
}

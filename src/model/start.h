// Start states of bodies whose degrees of freedom are vertices.
#ifndef SN_MODEL_START_H
#define SN_MODEL_START_H

#include "sinew/world.h"

// Positions and velocities of `count` vertices from their rest positions; mass a vertex gives the
// middle that the angular velocity turns about. All xyz packed. The seed is that of scrambled
// places; without one it is 0.
void sn_start_seeded(SinewStart start, int seed, const double linear[3], const double angular[3],
                     const double *rest, const double *mass, int count, double *out_positions,
                     double *out_velocities);
void sn_start_vertices(SinewStart start, const double linear[3], const double angular[3],
                       const double *rest, const double *mass, int count, double *out_positions,
                       double *out_velocities);

#endif

// The matrices of [B] table 4: rotations by at most 10 degrees, drawn uniformly, of a tetrahedron
// whose vertices are displaced by at most a tenth of its edge. Tests and benches share it.
#ifndef SN_BENCH_WORKLOAD_ROTATION_H
#define SN_BENCH_WORKLOAD_ROTATION_H

#include "base/random.h"

// Uniform in direction, axis of unit length.
void sn_random_direction(SnRandom *random, double out_axis[3]);

// A rotation matrix, row-major, drawn uniformly among those that turn by at most `angle` (radians,
// at most pi).
void sn_random_rotation(SnRandom *random, double angle, double out_R[9]);

// F of one displaced and turned tetrahedron, row-major; the reference R is its closest rotation.
void sn_workload_tet_matrix(SnRandom *random, double out_F[9]);

// Fills planes F (9 components, component k of matrix i at F[k * stride + i]) with `count` of them
// and repeats the last up to the next multiple of 16. The same seed gives the same matrices.
void sn_workload_rotation(uint64_t seed, int count, int stride, float *F);

#endif

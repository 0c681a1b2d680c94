// The smallest cube of the voxel model: the stiffness of one full voxel. Either the trilinear
// hexahedron of [E], or Wilson's, which also has three quadratic modes inside that nobody else
// sees and therefore bends as it should.
#ifndef SN_MODEL_VOXEL_LEAF_H
#define SN_MODEL_VOXEL_LEAF_H

#include <stdbool.h>

// Numbers of a matrix over eight corners, and of corners' components.
enum { SN_VOXEL_DOFS = 24, SN_VOXEL_MATRIX = 576 };

// The stiffness of a cube with an edge of 1 m, row-major; one with an edge of h has h times that.
// Corner c is at (c >> 2 & 1, c >> 1 & 1, c & 1). Both moduli in Pa, mu > 0, lambda + mu > 0.
void sn_voxel_leaf(double mu, double lambda, bool wilson, double out[SN_VOXEL_MATRIX]);

#endif

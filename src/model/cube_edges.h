// The twelve edges of a cube as springs of rest vectors that are all turned by one rotation R:
//
//     k sum over edges |x_a - x_b - R (X_a - X_b)|^2
//
// With k = mu h / 4 that is mu |F - R|^2 V where the cube's gradient F is even, and it sees all
// other motions of the corners too. What bodies of cubes follow that start without their shape,
// model/lattice/lost.h and model/voxel/lost.h. Corners are numbered by their places along the axes:
// bits 4, 2 and 1.
#ifndef SN_MODEL_CUBE_EDGES_H
#define SN_MODEL_CUBE_EDGES_H

enum { SN_CUBE_DOFS = 24 }; // xyz a corner

// Adds k (x_a - x_b) (X_a - X_b)^T over the edges, row-major: R is the rotation nearest to it.
void sn_cube_edges_align(const double x[SN_CUBE_DOFS], const double X[SN_CUBE_DOFS], double k,
                         double sum[9]);

// Adds the energy, and its gradient by x to f.
void sn_cube_edges_look(const double x[SN_CUBE_DOFS], const double X[SN_CUBE_DOFS],
                        const double R[9], double k, double *energy, double f[SN_CUBE_DOFS]);

// f += H u with the second derivative H by x, which no rotation changes; its trace is 144 k.
void sn_cube_edges_apply(double k, const double u[SN_CUBE_DOFS], double f[SN_CUBE_DOFS]);

#endif

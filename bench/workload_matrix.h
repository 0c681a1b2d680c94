// Matrices for the sparse solver's bench: symmetric, positive definite, M + dt^2 K of grids of any
// size, and of the tet meshes in a folder when they are there.
#ifndef SN_BENCH_WORKLOAD_MATRIX_H
#define SN_BENCH_WORKLOAD_MATRIX_H

#include "base/status.h"

#include <stdbool.h>

// Compressed rows, both triangles stored, columns increasing in each row.
typedef struct SnBenchMatrix {
    int count;      // rows
    int *row_start; // count + 1; the last is the number of entries
    int *column;
    double *value;
} SnBenchMatrix;

// Points of a side^3 grid, each tied to its 6 or 26 neighbours by springs that weaken with the
// square of the distance, and to the ground by a hundredth of a spring, so that the matrix is
// definite without being easy. `points` is 7 or 27: the entries of an inner row.
SinewStatus sn_matrix_of_grid(int side, int points, SnBenchMatrix *out_matrix, SinewError *error);

// Vertices xyz in metres, tets of four vertices. Rows of fixed vertices leave the system; `fixed`
// may be NULL: none.
typedef struct SnBenchMesh {
    int vertex_count;
    int tet_count;
    double *xyz;
    int *tets;
    bool *fixed;
} SnBenchMesh;

// The scalar matrix of operator splitting, M + 2 dt^2 D^T K D [B eq 12] with K = diag(mu V), for
// dt 0.01 s, Young 1e6 Pa, Poisson 0.33, density 1000 kg/m^3.
SinewStatus sn_matrix_of_mesh(const SnBenchMesh *mesh, SnBenchMatrix *out_matrix,
                              SinewError *error);

// Reads FOLDER/NAME.node and FOLDER/NAME.ele (TetGen), scales by 0.1 to metres, and fixes the
// vertices within 0.02 m of vertex 811 of FOLDER/armadillo_4k.node: the swing scene. Fails with
// file and line.
SinewStatus sn_mesh_read_armadillo(const char *folder, const char *name, SnBenchMesh *out_mesh,
                                   SinewError *error);

// Whether FOLDER holds what sn_mesh_read_armadillo needs.
bool sn_mesh_has_armadillo(const char *folder, const char *name);

void sn_matrix_release(SnBenchMatrix *matrix);
void sn_mesh_release(SnBenchMesh *mesh);

#endif

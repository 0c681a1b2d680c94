// Averages of the displacement over the faces of a cell, each a row of numbers over the nodes of
// its content: what the corners of a cell hold of what is inside. Faces are weighted by the modulus
// of the voxels behind them, so that they speak of what carries the load.
#ifndef SN_MODEL_VOXEL_FACES_H
#define SN_MODEL_VOXEL_FACES_H

#include "model/voxel/content.h"

// With t1 < t2 the other axes than the face's own axis a, and s, t coordinates along them from the
// weighted middle.
typedef enum SnFaceRow {
    SN_FACE_T,       // 3: mean translation along x, y, z
    SN_FACE_S = 3,   // 2: slope of the displacement along a, by t1 and by t2
    SN_FACE_D = 5,   // 1: rotation about a
    SN_FACE_X = 6,   // 3: strains in the plane, along t1, along t2, and shear
    SN_FACE_B = 9,   // 1: the part of the displacement along a that goes with s t
    SN_FACE_TB = 10, // 2: the same of those along t1 and t2
    SN_FACE_ROWS = 12
} SnFaceRow;

typedef struct SnVoxelFaces {
    int node_count;     // nodes of the content that are in use
    const int *numbers; // a node: its number among those, or -1
    double *rows;       // 6 faces x SN_FACE_ROWS x 3 node_count
    bool present[6];    // face 2 a + side: some voxel touches it
    bool twisted[6];    // its last three rows are there
    double score[6];    // Pa, mean modulus over the whole face
} SnVoxelFaces;

// Fills everything but the first two members, and `rows`, which has room.
void sn_voxel_faces_find(const SnVoxelContent *content, SnVoxelFaces *faces);

static inline double *sn_voxel_face_row(const SnVoxelFaces *faces, int face, int row)
{
    return faces->rows + (size_t)(face * SN_FACE_ROWS + row) * 3 * (size_t)faces->node_count;
}

#endif

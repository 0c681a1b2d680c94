// How far bodies are from their rest shape, however they moved as a whole.
#ifndef SN_TEST_SUPPORT_SHAPE_ERROR_H
#define SN_TEST_SUPPORT_SHAPE_ERROR_H

#include "sinew/world.h"

// RMS over all pairs of vertices of the change of their distance, over the size: zero for rest
// shapes that moved as a whole, and, unlike lengths of edges, not for knotted ones. Mirrored shapes
// it does not tell from others.
double mesh_shape_error(const SinewBodyMesh *mesh, double size);

#endif

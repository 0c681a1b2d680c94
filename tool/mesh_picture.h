// The picture of a mesh with its front half cut away, element by element, so that those inside can
// be seen: what tets and hexahedra share. In go the faces of the elements left, out comes a PNG.
#ifndef SN_TOOL_MESH_PICTURE_H
#define SN_TOOL_MESH_PICTURE_H

#include "tool/picture/render.h"

#include <stdbool.h>

// Whether an element with this centre is left: it is not in front of a plane through the middle of
// the mesh's bounds, slanted towards the camera.
bool sn_mesh_picture_keeps(const float low[3], const float high[3], const double centre[3]);

// How elements look: flat faces, with lines along their edges. Its geometry is the caller's.
SnRenderMesh sn_mesh_picture_body(void);

// Draws it, seen whole, on a ground.
SinewStatus sn_mesh_picture_write(const SnRenderMesh *body, SnWorkers *workers, const char *path,
                                  SinewError *error);

#endif

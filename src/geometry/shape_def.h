// Public shapes as the library's own: checked, with a blob's parts in memory of their own.
#ifndef SN_GEOMETRY_SHAPE_DEF_H
#define SN_GEOMETRY_SHAPE_DEF_H

#include "geometry/shape.h"
#include "sinew/geometry.h"

// Fills out_shape from a box to a blob, and checks it; the sentence begins with `what` ("body
// \"beam\""). Planes and meshes, which only colliders are, are refused. On failure nothing has to
// be released.
SinewStatus sn_shape_from_def(const SinewShape *def, const char *what,
                              const SinewAllocator *allocator, SnShape *out_shape,
                              SinewError *error);

// Frees the parts of a blob that sn_shape_from_def made; fine for all other shapes and for one that
// is all zero. The allocator must be the one it was made with.
void sn_shape_release(SnShape *shape, const SinewAllocator *allocator);

#endif

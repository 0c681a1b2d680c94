// Made cells on disk, by a hash of everything that they were made from: a file a body, in a folder
// that the caller names. A file that is damaged, short or of another version counts as none.
#ifndef SN_MODEL_VOXEL_CACHE_H
#define SN_MODEL_VOXEL_CACHE_H

#include "model/voxel/grid.h"

// Takes the cells from the folder's file, if it has them; *out_found says so. A file that counts as
// none is told to the def's progress. Fails only where memory is short.
SinewStatus sn_voxel_cache_read(const SnVoxelGridDef *def, const SinewAllocator *allocator,
                                SnVoxelGrid *grid, bool *out_found, SinewError *error);

// Writes them. The folder is made where it is missing; fails where it cannot be written.
SinewStatus sn_voxel_cache_write(const SnVoxelGridDef *def, const SinewAllocator *allocator,
                                 const SnVoxelGrid *grid, SinewError *error);

#endif

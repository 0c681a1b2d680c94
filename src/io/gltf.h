// glTF 2.0, text (.gltf) and binary (.glb): meshes, nodes, skins and animations into an
// SnCharacter, whose header says what the positions are. The scene that the file names is read,
// else its first, else all roots; a file without nodes gives each mesh once.
//
// Read: triangles, strips, fans and lines of all kinds; all accessors, with strides, sparse, and
// whole numbers that stand for fractions (KHR_mesh_quantization); data: URIs and files beside the
// model or in folders below it, never absolute paths, "..", or the network. Skipped and counted:
// points, morph targets. Refused by name: extensions that the file requires and that change
// geometry (Draco, meshopt). Sentences name the place as the path in the JSON, such as
// "accessors[3]: count is ...", since that is what a person can find; text that is no JSON gets its
// line.
//
// Instancing multiplies: a small file may ask for any amount of memory. What it expands to
// (vertices, triangles, keys) is held to 16 items a byte of the file and its buffers, plus a
// million.
#ifndef SN_IO_GLTF_H
#define SN_IO_GLTF_H

#include "io/bytes.h"
#include "io/character.h"

// `folder` is where external buffers are looked for; NULL: they are refused.
SinewStatus sn_read_gltf(const SnBytes *bytes, const char *folder, const SinewAllocator *allocator,
                         SnCharacter **out_character, SinewError *error);

// Opens the file; external buffers are looked for beside it.
SinewStatus sn_gltf_read(const char *path, const SinewAllocator *allocator,
                         SnCharacter **out_character, SinewError *error);

// The surface alone, and what its animations hold does not matter.
SinewStatus sn_read_gltf_surface(const SnBytes *bytes, const char *folder,
                                 const SinewAllocator *allocator, SnSurface **out_surface,
                                 SinewError *error);
SinewStatus sn_gltf_read_surface(const char *path, const SinewAllocator *allocator,
                                 SnSurface **out_surface, SinewError *error);

#endif

// Names of the parts of a mesh: the groups of a surface, the regions of a tet mesh.
#ifndef SN_GEOMETRY_NAMES_H
#define SN_GEOMETRY_NAMES_H

#include "base/memory.h"

typedef struct SnNames {
    int count;
    char **text; // never NULL each; empty where a part has no name
} SnNames;

// `count` empty names, in place of what `names` held before.
SinewStatus sn_names_reset(SnNames *names, int count, const SinewAllocator *allocator,
                           SinewError *error);

// Copies `length` bytes, cut at the first zero.
SinewStatus sn_names_set(SnNames *names, int part, const char *text, size_t length,
                         const SinewAllocator *allocator, SinewError *error);

// A copy of `from` in place of what `names` held before. When it fails, `names` may hold some.
SinewStatus sn_names_copy(const SnNames *from, const SinewAllocator *allocator, SnNames *names,
                          SinewError *error);

void sn_names_release(SnNames *names, const SinewAllocator *allocator);

#endif

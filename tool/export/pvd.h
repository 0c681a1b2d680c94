// PVD: the list of a run's VTU files with their times, which ParaView opens as one animation. It is
// short and written anew after each frame, so a run that was killed has a list of whole files.
#ifndef SN_TOOL_PVD_H
#define SN_TOOL_PVD_H

#include "base/memory.h"

typedef struct SnPvdEntry {
    double time;      // s
    int part;         // a body keeps its number over all times
    const char *name; // of the body. Nullable
    const char *file; // path from the list's own folder
} SnPvdEntry;

// Replaces the list whole or not at all.
SinewStatus sn_pvd_write(const SnPvdEntry *entries, int count, const char *path,
                         const SinewAllocator *allocator, SinewError *error);

#endif

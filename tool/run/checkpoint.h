// A run's checkpoint: the state of its world after a step whose frames are all on disk, in one file
// that is replaced as a whole. A file that is damaged, of another version or of another scene is
// noticed.
#ifndef SN_TOOL_CHECKPOINT_H
#define SN_TOOL_CHECKPOINT_H

#include "base/memory.h"

#include <stdint.h>

enum { SN_CHECKPOINT_LIBRARY_SIZE = 16 };

// What a checkpoint belongs to and how far it is. Start from sn_checkpoint_make().
typedef struct SnCheckpoint {
    char library[SN_CHECKPOINT_LIBRARY_SIZE]; // version of the library that wrote it
    uint32_t state_version;                   // of its states
    uint64_t scene;                           // hash of the scene and of all that decides the run
    int64_t step;                             // steps done
    int64_t frame;                            // frames written
    int64_t is_finished;                      // 1: what is made at the end of a run is made
    void *state; // bytes of sinew_world_save; released by sn_checkpoint_release
    size_t size; // of them
} SnCheckpoint;

// With the versions of this library, and nothing else.
SnCheckpoint sn_checkpoint_make(void);

SinewStatus sn_checkpoint_write(const SnCheckpoint *checkpoint, const char *path,
                                SinewError *error);

// Fails when the file is not there, is damaged, was written by another version, or has another
// `scene` than the one given.
SinewStatus sn_checkpoint_read(const char *path, uint64_t scene, SnCheckpoint *out_checkpoint,
                               SinewError *error);

void sn_checkpoint_release(SnCheckpoint *checkpoint);

#endif

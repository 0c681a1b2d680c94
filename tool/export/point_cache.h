// Point caches: the positions of a surface's vertices over all frames of a run, in one file, for
// Blender, Maya and Houdini; and our own store, from which a run's GLB and contact sheet are made
// at its end. PC2 is a header of 32 bytes and one block of floats a frame, little-endian:
//
//     "POINTCACHE2\0"  version 1  vertices  start frame  frames a sample  samples  then xyz xyz ...
//
// A frame is added in place: its block first, then the count in the header, four bytes in one call.
// A run that is killed in between leaves a valid file of the frames before, with bytes behind them
// that no reader looks at. A run that goes on opens the file with the number of frames that its
// checkpoint counts: the count in the header goes back first, then the rest is cut off, and what
// follows ends with the same bytes as a run that was never stopped.
//
// Not taken: a file each frame, joined at the end. It doubles the data and a killed run has no
// cache.
#ifndef SN_TOOL_POINT_CACHE_H
#define SN_TOOL_POINT_CACHE_H

#include "io/bytes.h"
#include "tool/export/append_file.h"

typedef struct SnPointCacheDef {
    int vertex_count;
    float start_frame; // on the time line of the program that reads it
    float frame_step;  // frames of that time line a sample, usually 1
} SnPointCacheDef;

typedef struct SnPointCacheWriter {
    SnAppendFile file;
    const SinewAllocator *allocator;
    int vertex_count;
    int sample_count;
    unsigned char *block; // one frame as bytes
} SnPointCacheWriter;

// Starts a new cache (`keep` 0), or goes on after the first `keep` samples of one that is there.
// The latter must have that many samples and agree with `def`: SINEW_ERROR_FILE otherwise.
SinewStatus sn_point_cache_begin(SnPointCacheWriter *writer, const char *path,
                                 const SnPointCacheDef *def, int keep,
                                 const SinewAllocator *allocator, SinewError *error);

// Adds a frame of vertex_count positions. After a failure the cache is as it was before.
SinewStatus sn_point_cache_append(SnPointCacheWriter *writer, const float *xyz, SinewError *error);

// All zero is fine, and so is a second time.
SinewStatus sn_point_cache_end(SnPointCacheWriter *writer, SinewError *error);

// A cache that is there, mapped.
typedef struct SnPointCache {
    SnBytes bytes;
    SnPointCacheDef def;
    int sample_count;
} SnPointCache;

// SINEW_ERROR_FILE for a file that cannot be read, is no PC2, or ends before its samples do.
SinewStatus sn_point_cache_open(const char *path, const SinewAllocator *allocator,
                                SnPointCache *out_cache, SinewError *error);

// All zero is fine.
void sn_point_cache_close(SnPointCache *cache);

// The three coordinates of a vertex in a sample.
void sn_point_cache_vertex(const SnPointCache *cache, int sample, int vertex, float out[3]);

#endif

// A run as one GLB file (glTF 2.0, binary) that browsers, Blender and engines play: a mesh each
// body, whose positions are those of the first frame, a morph target for each further frame that
// holds the way from there, and one animation that goes from target to target. Between two frames
// the points move on straight lines. It is made at the end of a run from its tracks, whose frames
// are read twice and never all held.
//
// Not taken: sparse targets. Flesh moves everywhere, so they would save nothing.
#ifndef SN_TOOL_WRITE_GLB_H
#define SN_TOOL_WRITE_GLB_H

#include "tool/export/track.h"

typedef struct SnGlbDef {
    const SnTrack *tracks;
    int track_count;
    const double *times; // s, of the frames, growing also as floats, none negative
    int frame_count;     // at least 1; a single one gives no animation
    bool has_normals;    // smooth shading, at twice the size; else viewers show flat triangles
} SnGlbDef;

// Tracks without triangles are left out; if none is left that is SINEW_ERROR_ARGUMENT. A file
// beyond the 4 GB that the format can name is refused with SINEW_ERROR_UNSUPPORTED before anything
// is written.
SinewStatus sn_glb_write(const SnGlbDef *def, const char *path, const SinewAllocator *allocator,
                         SinewError *error);

#endif

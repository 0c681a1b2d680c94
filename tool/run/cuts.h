// Cuts of a scene while it runs: when they are due, what is told of them, and what they do to the
// point caches. A body whose surface changes goes on in another cache; each has its triangles
// beside it, so that what the end of a run is made from is on disk:
//
//     BODY.pc2  BODY.topology.obj  BODY.cut1.pc2  BODY.cut1.topology.obj  ...
#ifndef SN_TOOL_RUN_CUTS_H
#define SN_TOOL_RUN_CUTS_H

#include "tool/run/output.h"

// Finds the steps before which bodies are cut. Those of a body that a run comes to are parts of its
// caches, whether the cut meets it or not: so a run that goes on knows where it is.
SinewStatus sn_run_cuts_open(SnRunOutput *output, const SinewScene *scene, SinewError *error);
void sn_run_cuts_close(SnRunOutput *output);

// The part of the caches that a body is in after so many steps, before a cut that is due then; and
// the first frame of a part.
int sn_run_cuts_part(const SnRunBody *body, int64_t step);
int sn_run_cuts_first_frame(const SnRunOutput *output, const SnRunBody *body, int part);

// The name of a part's file, with its suffix.
void sn_run_cuts_path(const SnRunOutput *output, const SnRunBody *body, int part,
                      const char *suffix, char out[SN_RUN_PATH_MAX]);

// Opens the cache of a part, which keeps `keep` frames. A new part of a body that is cut at some
// time has its triangles written too; an old one has them already.
SinewStatus sn_run_cuts_begin_part(SnRunOutput *output, SnRunBody *body, int part, int keep,
                                   bool is_new, SinewError *error);

// Makes the cuts that are due after so many steps, and tells of them.
SinewStatus sn_run_cuts_make(SnRunOutput *output, const SinewScene *scene, SinewWorld *world,
                             int64_t step, bool quiet, SinewError *error);

// The tracks of all parts of a body, linked; `out_parts` has room for one a part and owns surfaces
// that sn_run_cuts_release_parts lets go. The first is what stands for the body.
typedef struct SnRunPart {
    SnTrack track;
    SnSurface *surface; // NULL: the triangles are the world's
    char cache_path[SN_RUN_PATH_MAX];
} SnRunPart;

SinewStatus sn_run_cuts_parts(const SnRunOutput *output, const SnRunBody *body,
                              SnRunPart **out_parts, SinewError *error);
void sn_run_cuts_release_parts(const SnRunBody *body, SnRunPart *parts);

#endif

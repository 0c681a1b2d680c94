// Progress of long work on standard error: one line that changes on a terminal, plain lines
// elsewhere, nothing when quiet.
#ifndef SN_TOOL_PROGRESS_H
#define SN_TOOL_PROGRESS_H

#include <stdbool.h>

// `done` of `total` items are finished and `what` is next.
void sn_progress_show(bool quiet, int done, int total, const char *what);

// Clears the line, so that what follows starts on an empty one.
void sn_progress_end(bool quiet);

#endif

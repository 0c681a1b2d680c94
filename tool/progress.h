// Progress of long work on standard error: one line that changes on a terminal, plain lines
// elsewhere, nothing when quiet.
#ifndef SN_TOOL_PROGRESS_H
#define SN_TOOL_PROGRESS_H

#include <stdbool.h>

// `done` of `total` items are finished and `what` is next.
void sn_progress_show(bool quiet, int done, int total, const char *what);

// Work whose parts take about equally long: a bar, the share done and the time left, at most ten
// times a second on a terminal and every ten seconds elsewhere.
typedef struct SnBar {
    bool quiet;
    const char *what;
    double start; // s
    double shown; // s, when it was last drawn
} SnBar;

SnBar sn_bar_begin(bool quiet, const char *what);
void sn_bar_show(SnBar *bar, double done, double total);

// Clears the line, so that what follows starts on an empty one.
void sn_progress_end(bool quiet);

#endif

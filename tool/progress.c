#include "tool/progress.h"

#include <stdio.h>
#include <unistd.h>

void sn_progress_show(bool quiet, int done, int total, const char *what)
{
    if (quiet) {
        return;
    }
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K[%d/%d] %.60s", done + 1, total, what);
        fflush(stderr);
    } else {
        fprintf(stderr, "[%d/%d] %s\n", done + 1, total, what);
    }
}

void sn_progress_end(bool quiet)
{
    if (!quiet && isatty(STDERR_FILENO)) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
}

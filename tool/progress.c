#include "tool/progress.h"

#include "base/clock.h"

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

SnBar sn_bar_begin(bool quiet, const char *what)
{
    double now = sn_clock_seconds();
    // Plain lines start after their first pause, so that short work stays silent.
    double shown = isatty(STDERR_FILENO) ? -1e9 : now;
    return (SnBar){.quiet = quiet, .what = what, .start = now, .shown = shown};
}

// "1 h 05 min", "2 min 10 s", "7 s".
static void print_duration(char *text, size_t size, double seconds)
{
    long whole = seconds < 1e9 ? (long)(seconds + 0.5) : 1000000000;
    if (whole >= 3600) {
        snprintf(text, size, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
    } else if (whole >= 60) {
        snprintf(text, size, "%ld min %02ld s", whole / 60, whole % 60);
    } else {
        snprintf(text, size, "%ld s", whole);
    }
}

void sn_bar_show(SnBar *bar, double done, double total)
{
    enum { WIDTH = 30 };
    bool is_terminal = isatty(STDERR_FILENO) != 0;
    double now = sn_clock_seconds();
    if (bar->quiet || total <= 0.0 || now - bar->shown < (is_terminal ? 0.1 : 10.0)) {
        return;
    }
    bar->shown = now;
    double share = done / total;
    char left[40] = "";
    if (done > 0.0) {
        char duration[32];
        print_duration(duration, sizeof duration, (now - bar->start) * (1.0 - share) / share);
        snprintf(left, sizeof left, ", %s left", duration);
    }
    if (is_terminal) {
        int full = (int)(share * WIDTH);
        fprintf(stderr, "\r\033[K%s [%.*s%*s] %3.0f %%%s", bar->what, full,
                "##############################", WIDTH - full, "", 100.0 * share, left);
        fflush(stderr);
    } else {
        fprintf(stderr, "%s: %.0f %%%s\n", bar->what, 100.0 * share, left);
    }
}

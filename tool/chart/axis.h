// An axis of a chart: which numbers it spans, where each falls on the page, and the round numbers
// that are written beside it.
#ifndef SN_TOOL_AXIS_H
#define SN_TOOL_AXIS_H

#include <stdbool.h>

enum { SN_AXIS_TICKS_MAX = 40 };

typedef struct SnAxis {
    double low, high;  // numbers at its two ends, high above low
    double start, end; // where those are on the page, pixels
    bool is_log;       // both positive
    bool has_powers;   // its numbers are written as powers of ten
    double ticks[SN_AXIS_TICKS_MAX];
    int tick_count;
    double step; // between ticks; 0 when logarithmic
} SnAxis;

// An axis that spans [low, high], widened to round numbers, with about `wanted` ticks. low may
// equal high. Numbers on a logarithmic axis are positive.
SnAxis sn_axis(double low, double high, bool is_log, int wanted);

// Where a number falls on the page.
double sn_axis_place(const SnAxis *axis, double value);

// Writes a number for people: no more digits than the step between ticks asks for, thousands apart,
// powers of ten for the very large and small. `step` 0: three digits.
void sn_axis_format(double value, double step, char *out_text, int size);

// The number beside a tick.
void sn_axis_tick_text(const SnAxis *axis, int tick, char *out_text, int size);

#endif

// Charts as SVG files: lines, bars and histograms, plain enough for a README and exact enough for a
// report. Text is UTF-8 and may hold anything; a number that is not finite (or not positive, on a
// logarithmic axis) is left out, and a chart with nothing left to draw is refused with a sentence.
#ifndef SN_TOOL_CHART_H
#define SN_TOOL_CHART_H

#include "base/memory.h"

// Members that are text may be NULL.
typedef struct SnChartSeries {
    const char *name;
    const double *x;
    const double *y;
    int count;
    int has_marks; // a dot at each point
    int is_dashed;
} SnChartSeries;

typedef struct SnLineChart {
    const char *title;
    const char *subtitle;
    const char *x_label; // with its unit, such as "time, s"
    const char *y_label;
    int is_log_x;
    int is_log_y;
    const SnChartSeries *series;
    int series_count;
    int width, height; // pixels; 0: 760 x 440
} SnLineChart;

typedef struct SnChartBar {
    const char *label;
    double value;     // from 0
    double reference; // a limit or another's figure, drawn as a mark; NAN: none
    int is_muted;     // grey, for what is only there to compare with
} SnChartBar;

typedef struct SnBarChart {
    const char *title;
    const char *subtitle;
    const char *unit;            // behind each value
    const char *reference_label; // what the marks mean
    const SnChartBar *bars;      // from the top
    int bar_count;
    int width; // pixels; 0: 760. The height follows from the number of bars
} SnBarChart;

typedef struct SnHistogram {
    const char *title;
    const char *subtitle;
    const char *x_label;
    const char *y_label; // NULL: "count"
    const double *values;
    int count;
    int bins;          // about how many; 0: chosen from the count
    int width, height; // pixels; 0: 760 x 400
} SnHistogram;

SinewStatus sn_line_chart_write(const SnLineChart *chart, const char *path,
                                const SinewAllocator *allocator, SinewError *error);
SinewStatus sn_bar_chart_write(const SnBarChart *chart, const char *path,
                               const SinewAllocator *allocator, SinewError *error);
SinewStatus sn_histogram_write(const SnHistogram *chart, const char *path,
                               const SinewAllocator *allocator, SinewError *error);

#endif

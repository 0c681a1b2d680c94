// A probe's values over time as a line chart, one line a component.
#ifndef SN_TOOL_PROBE_CHART_H
#define SN_TOOL_PROBE_CHART_H

#include "base/memory.h"

typedef struct SnProbeSeries {
    const char *name;          // of the probe, the chart's title
    const char *what;          // what it reports and of which body, under the title. Nullable
    const char *unit;          // such as "m", behind `what` on the axis. Nullable
    const char *quantity;      // such as "displacement", on the axis. Nullable
    const char *const *labels; // one a component. Nullable: 0, 1, ...
    int component_count;       // at least 1
    const double *times;       // s
    const double *values;      // component_count a row
    int64_t stride;            // numbers from one row to the next; 0: component_count
    int row_count;             // at least 1
} SnProbeSeries;

// Writes an SVG file that appears whole or not at all. More rows than a chart can show are thinned
// out: of each bundle of rows the least and the greatest value of each line are kept. A series
// without a finite number is refused with SINEW_ERROR_ARGUMENT: there is nothing to draw.
SinewStatus sn_probe_chart_write(const SnProbeSeries *probe, const char *path,
                                 const SinewAllocator *allocator, SinewError *error);

#endif

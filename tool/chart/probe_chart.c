#include "tool/chart/probe_chart.h"

#include "tool/chart/chart.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

// A chart is under 800 pixels wide; two points for each of these show all that can be seen.
enum { BUNDLES = 1000, MARKS_MAX = 40, NAME_SIZE = 24, LABEL_SIZE = 120 };

// The points of all lines, one after the other, and the lines themselves.
typedef struct Lines {
    SnChartSeries *series;
    char (*names)[NAME_SIZE]; // where the probe has no labels
    double *x, *y;
} Lines;

static double value_at(const SnProbeSeries *probe, int row, int component)
{
    int64_t stride = probe->stride > 0 ? probe->stride : probe->component_count;
    return probe->values[stride * row + component];
}

// The rows of the least and the greatest finite value in [begin, end); -1: there is none.
static void find_extremes(const SnProbeSeries *probe, int component, int begin, int end,
                          int out_rows[2])
{
    out_rows[0] = out_rows[1] = -1;
    for (int row = begin; row < end; ++row) {
        double value = value_at(probe, row, component);
        if (!isfinite(value)) {
            continue;
        }
        if (out_rows[0] < 0 || value < value_at(probe, out_rows[0], component)) {
            out_rows[0] = row;
        }
        if (out_rows[1] < 0 || value > value_at(probe, out_rows[1], component)) {
            out_rows[1] = row;
        }
    }
}

// Fills x and y with the points of one line and returns their number, at most 2 * BUNDLES.
static int thin_out(const SnProbeSeries *probe, int component, double *x, double *y)
{
    int count = 0;
    bool is_short = probe->row_count <= 2 * BUNDLES;
    int bundles = is_short ? probe->row_count : BUNDLES;
    for (int b = 0; b < bundles; ++b) {
        int begin = (int)((int64_t)probe->row_count * b / bundles);
        int end = (int)((int64_t)probe->row_count * (b + 1) / bundles);
        int rows[2];
        find_extremes(probe, component, begin, end, rows);
        int first = rows[0] < rows[1] ? rows[0] : rows[1];
        int last = rows[0] < rows[1] ? rows[1] : rows[0];
        for (int row = first; first >= 0; row = last) {
            x[count] = probe->times[row];
            y[count++] = value_at(probe, row, component);
            if (row == last) {
                break;
            }
        }
    }
    return count;
}

static SinewStatus make_lines(const SnProbeSeries *probe, const SinewAllocator *allocator,
                              Lines *lines, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t components = (size_t)probe->component_count;
    size_t room = 2 * BUNDLES;
    SN_ALLOC_ZERO(lines->series, allocator, components, error);
    SN_ALLOC(lines->names, allocator, components, error);
    SN_ALLOC(lines->x, allocator, room * components, error);
    SN_ALLOC(lines->y, allocator, room * components, error);
    for (size_t c = 0; c < components; ++c) {
        double *x = lines->x + room * c;
        double *y = lines->y + room * c;
        snprintf(lines->names[c], NAME_SIZE, "%zu", c);
        const char *name = probe->labels != NULL ? probe->labels[c] : lines->names[c];
        lines->series[c] = (SnChartSeries){.name = components > 1 ? name : NULL,
                                           .x = x,
                                           .y = y,
                                           .count = thin_out(probe, (int)c, x, y),
                                           .has_marks = probe->row_count <= MARKS_MAX};
    }
done:
    return status;
}

SinewStatus sn_probe_chart_write(const SnProbeSeries *probe, const char *path,
                                 const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Lines lines = {0};
    char label[LABEL_SIZE] = "";
    if (probe->component_count < 1 || probe->row_count < 1) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%.100s: the probe \"%.60s\" has %d components and %d rows, expected one or "
                       "more of each",
                       path, probe->name, probe->component_count, probe->row_count));
    }
    if (probe->quantity != NULL) {
        snprintf(label, sizeof label, "%s%s%s", probe->quantity, probe->unit != NULL ? ", " : "",
                 probe->unit != NULL ? probe->unit : "");
    }
    SN_TRY(make_lines(probe, allocator, &lines, error));
    SnLineChart chart = {.title = probe->name,
                         .subtitle = probe->what,
                         .x_label = "time, s",
                         .y_label = label,
                         .series = lines.series,
                         .series_count = probe->component_count};
    SN_TRY(sn_line_chart_write(&chart, path, allocator, error));
done:
    sn_free(allocator, lines.series);
    sn_free(allocator, lines.names);
    sn_free(allocator, lines.x);
    sn_free(allocator, lines.y);
    return status;
}

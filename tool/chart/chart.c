#include "tool/chart/chart.h"

#include "tool/chart/axis.h"
#include "tool/chart/svg.h"

#include <math.h>
#include <string.h>

// Pixels.
#define MARGIN 26.0
#define LINE_HEIGHT 22.0

// --- What all charts share

// A number that has a place on the axis. The bounds keep spans and ratios of two of them finite.
static bool is_usable(double value, bool is_log)
{
    return is_log ? value >= 1e-290 && value <= 1e290 : fabs(value) <= 1e290;
}

// The title and what stands under it; returns where free space begins.
static double draw_title(SnSvg *svg, const char *title, const char *subtitle)
{
    double y = MARGIN;
    if (title != NULL && *title != '\0') {
        y += 16.0;
        sn_svg_text(svg, MARGIN, y, SN_SVG_TITLE, SN_SVG_START, 0.0, title);
        y += 8.0;
    }
    if (subtitle != NULL && *subtitle != '\0') {
        y += 15.0;
        sn_svg_text(svg, MARGIN, y, SN_SVG_SUBTITLE, SN_SVG_START, 0.0, subtitle);
        y += 5.0;
    }
    return y + 8.0;
}

static void draw_rule(SnSvg *svg, const char *kind, double x0, double y0, double x1, double y1)
{
    sn_svg_print(svg, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                 kind, x0, y0, x1, y1);
}

// Grid lines and numbers of the vertical axis, and its name above it.
static void draw_y_axis(SnSvg *svg, const SnAxis *y, const SnAxis *x, const char *label)
{
    char text[64];
    sn_svg_text(svg, MARGIN, y->end - 14.0, SN_SVG_LABEL, SN_SVG_START, 0.0, label);
    for (int i = 0; i < y->tick_count; ++i) {
        double place = sn_axis_place(y, y->ticks[i]);
        draw_rule(svg, "grid", x->start, place, x->end, place);
        sn_axis_tick_text(y, i, text, sizeof text);
        sn_svg_text(svg, x->start - 9.0, place + 4.0, SN_SVG_TICK, SN_SVG_END, 0.0, text);
    }
}

static void draw_x_axis(SnSvg *svg, const SnAxis *x, const SnAxis *y, const char *label)
{
    char text[64];
    draw_rule(svg, "axis", x->start, y->start, x->end, y->start);
    for (int i = 0; i < x->tick_count; ++i) {
        double place = sn_axis_place(x, x->ticks[i]);
        draw_rule(svg, "axis", place, y->start, place, y->start + 5.0);
        sn_axis_tick_text(x, i, text, sizeof text);
        sn_svg_text(svg, place, y->start + 20.0, SN_SVG_TICK, SN_SVG_MIDDLE, 0.0, text);
    }
    sn_svg_text(svg, 0.5 * (x->start + x->end), y->start + 42.0, SN_SVG_LABEL, SN_SVG_MIDDLE, 0.0,
                label);
}

// Room left of the vertical axis for the widest of its numbers.
static double tick_room(const SnAxis *axis)
{
    double widest = 0.0;
    for (int i = 0; i < axis->tick_count; ++i) {
        char text[64];
        sn_axis_tick_text(axis, i, text, sizeof text);
        widest = fmax(widest, sn_svg_text_width(SN_SVG_TICK, text));
    }
    return MARGIN + widest + 10.0;
}

// Places both axes on a page whose free space begins at `top`.
static void place_axes(SnAxis *x, SnAxis *y, double top, double width, double height,
                       bool has_x_label, bool has_y_label)
{
    x->start = tick_room(y);
    x->end = width - MARGIN - 14.0;
    y->start = height - (has_x_label ? 58.0 : 36.0);
    y->end = top + (has_y_label ? 28.0 : 8.0);
}

// --- Lines

static bool is_drawn(const SnLineChart *chart, const SnChartSeries *series, int i)
{
    return is_usable(series->x[i], chart->is_log_x != 0) &&
           is_usable(series->y[i], chart->is_log_y != 0);
}

static int count_drawn(const SnLineChart *chart, const SnChartSeries *series)
{
    int count = 0;
    for (int i = 0; i < series->count; ++i) {
        count += is_drawn(chart, series, i);
    }
    return count;
}

// The smallest and largest numbers that are drawn; false when there are none.
static bool find_range(const SnLineChart *chart, double low[2], double high[2])
{
    low[0] = low[1] = INFINITY;
    high[0] = high[1] = -INFINITY;
    for (int s = 0; s < chart->series_count; ++s) {
        const SnChartSeries *series = &chart->series[s];
        for (int i = 0; i < series->count; ++i) {
            if (is_drawn(chart, series, i)) {
                low[0] = fmin(low[0], series->x[i]);
                low[1] = fmin(low[1], series->y[i]);
                high[0] = fmax(high[0], series->x[i]);
                high[1] = fmax(high[1], series->y[i]);
            }
        }
    }
    return low[0] <= high[0];
}

// A dash and a name for each series, in as many rows as it takes; returns where they end.
static double draw_legend(SnSvg *svg, const SnLineChart *chart, double y, double width)
{
    double x = MARGIN;
    bool is_any = false;
    for (int s = 0; s < chart->series_count; ++s) {
        const SnChartSeries *series = &chart->series[s];
        if (series->name == NULL) {
            continue;
        }
        bool is_empty = count_drawn(chart, series) == 0;
        char name[160];
        snprintf(name, sizeof name, "%s%s", series->name, is_empty ? " (no data)" : "");
        double wide = 30.0 + sn_svg_text_width(SN_SVG_LABEL, name) + 20.0;
        if (is_any && x + wide > width - MARGIN) {
            x = MARGIN;
            y += LINE_HEIGHT;
        }
        sn_svg_print(svg, "<path class=\"line\" stroke=\"%s\"%s d=\"M%.1f %.1fh20\"/>\n",
                     sn_svg_colour(s), series->is_dashed ? " stroke-dasharray=\"6 5\"" : "",
                     x + 2.0, y + 10.0);
        if (series->has_marks) {
            sn_svg_print(svg,
                         "<circle class=\"mark\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n",
                         x + 12.0, y + 10.0, sn_svg_colour(s));
        }
        sn_svg_text(svg, x + 30.0, y + 14.5, SN_SVG_LABEL, SN_SVG_START, 0.0, name);
        x += wide;
        is_any = true;
    }
    return is_any ? y + LINE_HEIGHT + 6.0 : y;
}

// The line breaks where points are left out. Points that fall on the one before are passed over, so
// that a long recording stays a small file.
static void draw_series(SnSvg *svg, const SnLineChart *chart, int index, const SnAxis *x,
                        const SnAxis *y)
{
    const SnChartSeries *series = &chart->series[index];
    double last[2] = {-1e9, -1e9};
    bool is_open = false;
    sn_svg_print(svg, "<path class=\"line\" stroke=\"%s\"%s d=\"M%.1f %.1f", sn_svg_colour(index),
                 series->is_dashed ? " stroke-dasharray=\"6 5\"" : "", x->start, y->start);
    for (int i = 0; i < series->count; ++i) {
        if (!is_drawn(chart, series, i)) {
            is_open = false;
            continue;
        }
        double place[2] = {sn_axis_place(x, series->x[i]), sn_axis_place(y, series->y[i])};
        if (!is_open || fabs(place[0] - last[0]) + fabs(place[1] - last[1]) > 0.2) {
            sn_svg_print(svg, "%s%.2f %.2f", is_open ? "L" : "M", place[0], place[1]);
            memcpy(last, place, sizeof last);
        }
        is_open = true;
    }
    sn_svg_print(svg, "\"/>\n");
    // A point by itself makes no line, so it is marked.
    bool has_marks = series->has_marks || count_drawn(chart, series) == 1;
    for (int i = 0; i < series->count && has_marks; ++i) {
        if (is_drawn(chart, series, i)) {
            sn_svg_print(svg,
                         "<circle class=\"mark\" cx=\"%.2f\" cy=\"%.2f\" r=\"4\" fill=\"%s\"/>\n",
                         sn_axis_place(x, series->x[i]), sn_axis_place(y, series->y[i]),
                         sn_svg_colour(index));
        }
    }
}

static SinewStatus fail_empty(SinewError *error, const char *path, const char *title)
{
    return sn_fail(error, SINEW_ERROR_ARGUMENT,
                   "%.100s: the chart \"%.60s\" has no number that can be drawn", path,
                   title == NULL ? "" : title);
}

SinewStatus sn_line_chart_write(const SnLineChart *chart, const char *path,
                                const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSvg svg = {0};
    double low[2];
    double high[2];
    double width = chart->width > 0 ? chart->width : 760;
    double height = chart->height > 0 ? chart->height : 440;

    if (!find_range(chart, low, high)) {
        SN_TRY(fail_empty(error, path, chart->title));
    }
    SN_TRY(sn_svg_begin(&svg, path, width, height, allocator, error));
    double top = draw_title(&svg, chart->title, chart->subtitle);
    top = draw_legend(&svg, chart, top, width);
    SnAxis x = sn_axis(low[0], high[0], chart->is_log_x != 0, 8);
    SnAxis y = sn_axis(low[1], high[1], chart->is_log_y != 0, 6);
    place_axes(&x, &y, top, width, height, chart->x_label != NULL, chart->y_label != NULL);
    draw_y_axis(&svg, &y, &x, chart->y_label);
    draw_x_axis(&svg, &x, &y, chart->x_label);
    for (int s = 0; s < chart->series_count; ++s) {
        draw_series(&svg, chart, s, &x, &y);
    }
    SN_TRY(sn_svg_commit(&svg, error));

done:
    sn_svg_abandon(&svg);
    return status;
}

// --- Bars

static void format_value(double value, const char *unit, char *out_text, int size)
{
    sn_axis_format(value, 0.0, out_text, size);
    size_t length = strlen(out_text);
    if (isfinite(value) && unit != NULL && *unit != '\0') {
        snprintf(out_text + length, (size_t)size - length, " %s", unit);
    }
}

// Room for the widest of the bars' names, at most two fifths of the page.
static double label_room(const SnBarChart *chart, double width)
{
    double widest = 0.0;
    for (int i = 0; i < chart->bar_count; ++i) {
        widest = fmax(widest, sn_svg_text_width(SN_SVG_LABEL, chart->bars[i].label));
    }
    return MARGIN + fmin(widest, 0.4 * width) + 12.0;
}

static void draw_bar(SnSvg *svg, const SnChartBar *bar, const char *unit, const SnAxis *x, double y)
{
    enum { THICK = 20 };
    double zero = sn_axis_place(x, 0.0);
    char text[96];
    sn_svg_text(svg, x->start - 12.0, y + 15.0, SN_SVG_LABEL, SN_SVG_END, 0.0, bar->label);
    format_value(bar->value, unit, text, sizeof text);
    double tip = zero;
    if (is_usable(bar->value, false)) {
        tip = sn_axis_place(x, bar->value);
        sn_svg_print(svg,
                     "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"2.5\" "
                     "fill=\"%s\"/>\n",
                     fmin(zero, tip), y, fmax(fabs(tip - zero), 1.0), THICK,
                     bar->is_muted ? "#a9b3bd" : sn_svg_colour(0));
    }
    // The value stands behind the bar, and behind the mark where the two would meet.
    double after = fmax(tip, zero) + 8.0;
    if (is_usable(bar->reference, false)) {
        double mark = sn_axis_place(x, bar->reference);
        double wide = sn_svg_text_width(SN_SVG_VALUE, text);
        sn_svg_print(svg,
                     "<rect x=\"%.1f\" y=\"%.1f\" width=\"3\" height=\"%d\" rx=\"1.5\" "
                     "fill=\"%s\" stroke=\"#fcfcfb\" stroke-width=\"1\"/>\n",
                     mark - 1.5, y - 4.0, THICK + 8, sn_svg_colour(1));
        after = mark > after - 8.0 && mark < after + wide + 4.0 ? mark + 8.0 : after;
    }
    sn_svg_text(svg, after, y + 14.5, SN_SVG_VALUE, SN_SVG_START, 0.0, text);
}

static bool find_bar_range(const SnBarChart *chart, double *low, double *high)
{
    bool is_any = false;
    *low = 0.0;
    *high = 0.0;
    for (int i = 0; i < chart->bar_count; ++i) {
        const double numbers[2] = {chart->bars[i].value, chart->bars[i].reference};
        for (int n = 0; n < 2; ++n) {
            if (is_usable(numbers[n], false)) {
                *low = fmin(*low, numbers[n]);
                *high = fmax(*high, numbers[n]);
                is_any = true;
            }
        }
    }
    return is_any;
}

static double draw_reference_legend(SnSvg *svg, const char *label, double y)
{
    if (label == NULL || *label == '\0') {
        return y;
    }
    sn_svg_print(svg,
                 "<rect x=\"%.1f\" y=\"%.1f\" width=\"3\" height=\"16\" rx=\"1.5\" fill=\"%s\"/>\n",
                 MARGIN + 1.0, y + 2.0, sn_svg_colour(1));
    sn_svg_text(svg, MARGIN + 12.0, y + 14.5, SN_SVG_LABEL, SN_SVG_START, 0.0, label);
    return y + LINE_HEIGHT + 4.0;
}

SinewStatus sn_bar_chart_write(const SnBarChart *chart, const char *path,
                               const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSvg svg = {0};
    const double pitch = 34.0;
    double width = chart->width > 0 ? chart->width : 760;
    bool has_title = chart->title != NULL && *chart->title != '\0';
    bool has_subtitle = chart->subtitle != NULL && *chart->subtitle != '\0';
    bool has_reference = chart->reference_label != NULL && *chart->reference_label != '\0';
    double height = MARGIN + 8.0 + (has_title ? 24.0 : 0.0) + (has_subtitle ? 20.0 : 0.0) +
                    (has_reference ? LINE_HEIGHT + 4.0 : 0.0) + 12.0 + pitch * chart->bar_count +
                    12.0;

    SnAxis x = {.end = 1.0};
    if (!find_bar_range(chart, &x.low, &x.high)) {
        SN_TRY(fail_empty(error, path, chart->title));
    }
    x.high = x.high > x.low ? x.high : x.low + 1.0;
    SN_TRY(sn_svg_begin(&svg, path, width, height, allocator, error));
    double y = draw_title(&svg, chart->title, chart->subtitle);
    y = draw_reference_legend(&svg, chart->reference_label, y) + 12.0;
    x.start = label_room(chart, width);
    x.end = width - MARGIN - 88.0; // behind the longest bar its value
    double zero = sn_axis_place(&x, 0.0);
    for (int i = 0; i < chart->bar_count; ++i) {
        draw_bar(&svg, &chart->bars[i], chart->unit, &x, y + pitch * i);
    }
    draw_rule(&svg, "axis", zero, y - 7.0, zero, y + pitch * chart->bar_count - 7.0);
    SN_TRY(sn_svg_commit(&svg, error));

done:
    sn_svg_abandon(&svg);
    return status;
}

// --- Histogram

enum { BINS_MAX = 200 };

typedef struct Bins {
    SnAxis x;
    double width;
    int count;
    int members[BINS_MAX];
    int most;
} Bins;

static int bin_of(const Bins *bins, double value)
{
    int b = (int)floor((value - bins->x.low) / bins->width);
    return b < 0 ? 0 : b >= bins->count ? bins->count - 1 : b;
}

// Bins of round width that cover all usable values; false when there are none.
static bool fill_bins(const SnHistogram *chart, Bins *bins)
{
    double low = INFINITY;
    double high = -INFINITY;
    int usable = 0;
    for (int i = 0; i < chart->count; ++i) {
        if (is_usable(chart->values[i], false)) {
            low = fmin(low, chart->values[i]);
            high = fmax(high, chart->values[i]);
            usable++;
        }
    }
    if (usable == 0) {
        return false;
    }
    int wanted = chart->bins > 0 ? chart->bins : (int)fmin(fmax(sqrt(usable), 8.0), 50.0);
    wanted = wanted < BINS_MAX / 4 ? wanted : BINS_MAX / 4;
    SnAxis fine = sn_axis(low, high, false, wanted);
    bins->width = fine.step;
    bins->count = (int)fmin(round((fine.high - fine.low) / fine.step), BINS_MAX);
    bins->x = sn_axis(fine.low, fine.high, false, 8);
    bins->x.low = fine.low;
    bins->x.high = fine.high;
    for (int i = 0; i < chart->count; ++i) {
        if (is_usable(chart->values[i], false)) {
            int *members = &bins->members[bin_of(bins, chart->values[i])];
            ++*members;
            bins->most = *members > bins->most ? *members : bins->most;
        }
    }
    return true;
}

// Drops the ticks that a narrower axis no longer reaches.
static void trim_ticks(SnAxis *axis)
{
    int kept = 0;
    double slack = 1e-9 * (axis->high - axis->low);
    for (int i = 0; i < axis->tick_count; ++i) {
        if (axis->ticks[i] >= axis->low - slack && axis->ticks[i] <= axis->high + slack) {
            axis->ticks[kept++] = axis->ticks[i];
        }
    }
    axis->tick_count = kept;
}

SinewStatus sn_histogram_write(const SnHistogram *chart, const char *path,
                               const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSvg svg = {0};
    Bins bins = {.count = 0};
    double width = chart->width > 0 ? chart->width : 760;
    double height = chart->height > 0 ? chart->height : 400;

    if (!fill_bins(chart, &bins)) {
        SN_TRY(fail_empty(error, path, chart->title));
    }
    SN_TRY(sn_svg_begin(&svg, path, width, height, allocator, error));
    double top = draw_title(&svg, chart->title, chart->subtitle);
    SnAxis *x = &bins.x;
    SnAxis y = sn_axis(0.0, bins.most, false, 5);
    trim_ticks(x);
    place_axes(x, &y, top, width, height, chart->x_label != NULL, true);
    draw_y_axis(&svg, &y, x, chart->y_label != NULL ? chart->y_label : "count");
    for (int b = 0; b < bins.count; ++b) {
        double left = sn_axis_place(x, x->low + bins.width * b);
        double right = sn_axis_place(x, x->low + bins.width * (b + 1));
        double tip = sn_axis_place(&y, bins.members[b]);
        if (bins.members[b] > 0) {
            sn_svg_print(
                &svg, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n",
                left + 0.6, tip, fmax(right - left - 1.2, 0.5), y.start - tip, sn_svg_colour(0));
        }
    }
    draw_x_axis(&svg, x, &y, chart->x_label);
    SN_TRY(sn_svg_commit(&svg, error));

done:
    sn_svg_abandon(&svg);
    return status;
}

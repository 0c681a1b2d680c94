#include "support/fail_allocator.h"
#include "support/test.h"

#include "tool/chart/axis.h"
#include "tool/chart/chart.h"

#include <errno.h>
#include <math.h>
#include <unistd.h>

enum { FILE_MAX = 200000 };

static char path[] = "sinew_test_chart.svg";
static char text[FILE_MAX];

static void read_chart(void)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(text, 1, FILE_MAX - 1, file);
    text[size] = '\0';
    fclose(file);
    assert_int_equal(unlink(path), 0);
}

// A small judge of well-formed XML without comments or declarations: tags nest, attributes are
// quoted, and every & begins a known entity.
static void check_xml(const char *s)
{
    char stack[16][32];
    int depth = 0;
    int roots = 0;
    while (*s != '\0') {
        if (*s == '&') {
            assert_true(strncmp(s, "&amp;", 5) == 0 || strncmp(s, "&lt;", 4) == 0 ||
                        strncmp(s, "&gt;", 4) == 0 || strncmp(s, "&quot;", 6) == 0 ||
                        strncmp(s, "&apos;", 6) == 0);
            ++s;
        } else if (*s != '<') {
            assert_true((unsigned char)*s >= 0x20 || *s == '\n' || *s == '\t' || *s == '\r');
            assert_true(depth > 0 || *s == '\n');
            ++s;
        } else {
            bool is_end = s[1] == '/';
            s += is_end ? 2 : 1;
            size_t length = strcspn(s, " />\n");
            assert_in_range(length, 1, 31);
            char name[32] = {0};
            memcpy(name, s, length);
            bool in_quotes = false;
            const char *last = s;
            for (; *s != '>' || in_quotes; ++s) {
                assert_true(*s != '\0' && *s != '<');
                in_quotes ^= *s == '"';
                last = s;
            }
            ++s;
            if (is_end) {
                assert_true(depth > 0);
                assert_string_equal(stack[--depth], name);
            } else if (*last != '/') {
                roots += depth == 0;
                assert_in_range(depth, 0, 15);
                memcpy(stack[depth++], name, sizeof name);
            }
        }
    }
    assert_int_equal(depth, 0);
    assert_int_equal(roots, 1);
}

static int count_text(const char *word)
{
    int count = 0;
    for (const char *s = strstr(text, word); s != NULL; s = strstr(s + 1, word)) {
        count++;
    }
    return count;
}

static const double xs[5] = {1, 10, 100, 1000, 10000};
static const double ys[5] = {0.5, NAN, 20, -3, 1e4};

static SinewStatus write_line(int is_log, const char *name, SinewError *error)
{
    SnChartSeries series[2] = {{.name = name, .x = xs, .y = ys, .count = 5, .has_marks = 1},
                               {.name = "nothing", .count = 0}};
    SnLineChart chart = {.title = name,
                         .x_label = name,
                         .y_label = name,
                         .is_log_x = is_log,
                         .is_log_y = is_log,
                         .series = series,
                         .series_count = 2};
    return sn_line_chart_write(&chart, path, NULL, error);
}

static void lines_leave_out_what_has_no_place(void **state)
{
    (void)state;
    for (int is_log = 0; is_log < 2; ++is_log) {
        assert_int_equal(write_line(is_log, "speed", NULL), SINEW_OK);
        read_chart();
        check_xml(text);
        // NaN has no place, and on a logarithmic axis -3 has none; one more mark is the legend's.
        assert_int_equal(count_text("<circle"), (is_log ? 3 : 4) + 1);
        assert_int_equal(count_text("nothing (no data)"), 1);
        assert_int_equal(count_text("nan"), 0);
        assert_int_equal(count_text("inf"), 0);
    }
}

static void any_text_gives_well_formed_xml(void **state)
{
    (void)state;
    const char *names[] = {"a < b && \"c\" > 'd'",
                           "</text><script>",
                           "\x01\x02 tab\t",
                           "broken \xff\xc0\xaf utf-8 \xe2\x82",
                           "größe, µm³",
                           "",
                           "surrogate \xed\xa0\x80 and \xf4\x90\x80\x80",
                           "%s %n %d"};
    for (int i = 0; i < SN_COUNT(names); ++i) {
        assert_int_equal(write_line(0, names[i], NULL), SINEW_OK);
        read_chart();
        check_xml(text);
    }
    assert_int_equal(write_line(0, "a<b", NULL), SINEW_OK);
    read_chart();
    assert_int_equal(count_text("a&lt;b"), 4);
    assert_int_equal(count_text("a<b"), 0);
}

static void bars_show_values_and_references(void **state)
{
    (void)state;
    const SnChartBar bars[4] = {{.label = "one", .value = 1.25, .reference = 2.0},
                                {.label = "two", .value = 40.0, .reference = NAN},
                                {.label = "none", .value = NAN, .reference = NAN},
                                {.label = "below", .value = -7.5, .reference = INFINITY}};
    SnBarChart chart = {.title = "Bars",
                        .subtitle = "of all kinds",
                        .unit = "ms",
                        .reference_label = "limit",
                        .bars = bars,
                        .bar_count = 4};
    assert_int_equal(sn_bar_chart_write(&chart, path, NULL, NULL), SINEW_OK);
    read_chart();
    check_xml(text);
    assert_int_equal(count_text("1.25 ms"), 1);
    assert_int_equal(count_text("40 ms"), 1);
    assert_int_equal(count_text("−7.5 ms"), 1);
    assert_int_equal(count_text("no value"), 1);
    // The page, three bars, one mark and the legend's.
    assert_int_equal(count_text("<rect"), 6);
}

static void a_histogram_counts_every_value_once(void **state)
{
    (void)state;
    double values[1000];
    for (int i = 0; i < 1000; ++i) {
        values[i] = i < 990 ? sin(i) : NAN;
    }
    SnHistogram chart = {.title = "Sines", .x_label = "value", .values = values, .count = 1000};
    assert_int_equal(sn_histogram_write(&chart, path, NULL, NULL), SINEW_OK);
    read_chart();
    check_xml(text);
    assert_int_equal(count_text("nan"), 0);
    assert_in_range(count_text("<rect"), 15, 60);
}

static void one_value_is_enough(void **state)
{
    (void)state;
    const double numbers[] = {0.0, 3.0, -1e-12, 1e200, 5e-324};
    for (int i = 0; i < SN_COUNT(numbers); ++i) {
        SnHistogram histogram = {.values = &numbers[i], .count = 1};
        assert_int_equal(sn_histogram_write(&histogram, path, NULL, NULL), SINEW_OK);
        read_chart();
        check_xml(text);
        SnChartSeries series = {.x = &numbers[i], .y = &numbers[i], .count = 1};
        SnLineChart line = {.series = &series, .series_count = 1};
        assert_int_equal(sn_line_chart_write(&line, path, NULL, NULL), SINEW_OK);
        read_chart();
        check_xml(text);
        assert_int_equal(count_text("nan"), 0);
    }
}

static void a_chart_without_numbers_is_refused(void **state)
{
    (void)state;
    const double nothing[2] = {NAN, -INFINITY};
    SnHistogram histogram = {.title = "Empty", .values = nothing, .count = 2};
    SnChartSeries series = {.x = nothing, .y = nothing, .count = 2};
    SnLineChart line = {.title = "Empty", .series = &series, .series_count = 1};
    SnChartBar bar = {.value = NAN, .reference = NAN};
    SnBarChart bars = {.title = "Empty", .bars = &bar, .bar_count = 1};
    for (int kind = 0; kind < 3; ++kind) {
        SinewError error;
        SinewStatus status = kind == 0   ? sn_histogram_write(&histogram, path, NULL, &error)
                             : kind == 1 ? sn_line_chart_write(&line, path, NULL, &error)
                                         : sn_bar_chart_write(&bars, path, NULL, &error);
        assert_int_equal(status, SINEW_ERROR_ARGUMENT);
        assert_non_null(strstr(error.text, "\"Empty\" has no number"));
        assert_int_not_equal(access(path, F_OK), 0);
    }
}

static void a_full_disk_is_told(void **state)
{
    (void)state;
    SnChartBar bar = {.value = 1.0, .reference = NAN};
    SnBarChart bars = {.bars = &bar, .bar_count = 1};
    SinewError error;
    assert_int_equal(sn_bar_chart_write(&bars, "/dev/full", NULL, &error), SINEW_ERROR_WRITE);
    assert_non_null(strstr(error.text, strerror(ENOSPC)));
    assert_int_equal(sn_bar_chart_write(&bars, "no/such/folder/a.svg", NULL, &error),
                     SINEW_ERROR_WRITE);
    assert_non_null(strstr(error.text, "no/such/folder/a.svg"));
}

static void axes_end_at_round_numbers(void **state)
{
    (void)state;
    SnAxis axis = sn_axis(0.13, 9.4, false, 6);
    assert_true(axis.low == 0.0 && axis.high == 10.0 && axis.tick_count == 6);
    axis = sn_axis(6088.0, 173196.0, true, 8);
    assert_true(fabs(axis.low - 5000.0) < 1e-9 && fabs(axis.high - 200000.0) < 1e-6);
    assert_int_equal(axis.tick_count, 6);
    axis = sn_axis(2e-9, 0.7, true, 6);
    assert_true(axis.low <= 2e-9 && axis.high >= 0.7);
    assert_int_equal(axis.tick_count, 9);
    axis = sn_axis(10.0, 10.0, true, 6);
    assert_true(axis.low <= 10.0 && axis.high > axis.low);
    axis = sn_axis(1e-290, 1e290, true, 6);
    assert_in_range(axis.tick_count, 2, SN_AXIS_TICKS_MAX);
}

static void numbers_are_written_for_people(void **state)
{
    (void)state;
    const struct {
        double value, step;
        const char *text;
    } cases[] = {{0.0, 0.2, "0.0"},
                 {-0.30000000000000004, 0.1, "−0.3"},
                 {12000.0, 2000.0, "12\u2009000"},
                 {1e6, 0.0, "10⁶"},
                 {2.5e-7, 0.0, "2.5·10⁻⁷"},
                 {1.5, 0.0, "1.5"},
                 {0.0421, 0.0, "0.0421"},
                 {-1e-17, 0.5, "0.0"},
                 {1234.0, 0.0, "1234"},
                 {NAN, 0.0, "no value"}};
    for (int i = 0; i < SN_COUNT(cases); ++i) {
        char out[64];
        sn_axis_format(cases[i].value, cases[i].step, out, sizeof out);
        assert_string_equal(out, cases[i].text);
    }
}

static SinewStatus write_allocating(const SinewAllocator *allocator, void *context,
                                    SinewError *error)
{
    (void)context;
    SnChartBar bar = {.value = 1.0, .reference = NAN};
    SnBarChart bars = {.bars = &bar, .bar_count = 1};
    SinewStatus status = sn_bar_chart_write(&bars, path, allocator, error);
    assert_true((unlink(path) == 0) == (status == SINEW_OK));
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    assert_int_equal(sn_fail_each_allocation(write_allocating, NULL), 1);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(lines_leave_out_what_has_no_place),
    cmocka_unit_test(any_text_gives_well_formed_xml),
    cmocka_unit_test(bars_show_values_and_references),
    cmocka_unit_test(a_histogram_counts_every_value_once),
    cmocka_unit_test(one_value_is_enough),
    cmocka_unit_test(a_chart_without_numbers_is_refused),
    cmocka_unit_test(a_full_disk_is_told),
    cmocka_unit_test(axes_end_at_round_numbers),
    cmocka_unit_test(numbers_are_written_for_people),
    cmocka_unit_test(each_allocation_may_fail),
};
SN_TEST_GROUP(chart, tests);

#include "support/fail_allocator.h"
#include "support/file_checks.h"
#include "support/test.h"

#include "tool/chart/probe_chart.h"

#include <math.h>
#include <unistd.h>

enum { ROWS_MAX = 10000 };

static double times[ROWS_MAX];
static double values[3 * ROWS_MAX];

static SnProbeSeries make_probe(int rows)
{
    for (int i = 0; i < rows; ++i) {
        times[i] = 0.01 * i;
        values[3 * i] = i;
        values[3 * i + 1] = i % 7;
        values[3 * i + 2] = NAN;
    }
    return (SnProbeSeries){.name = "tip <of> the bar",
                           .what = "displacement of bar",
                           .quantity = "displacement",
                           .unit = "m",
                           .component_count = 3,
                           .times = times,
                           .values = values,
                           .row_count = rows};
}

static int count_words(const char *text, const char *word)
{
    int count = 0;
    for (const char *s = strstr(text, word); s != NULL; s = strstr(s + 1, word)) {
        count++;
    }
    return count;
}

static void a_chart_has_a_line_for_each_component(void **state)
{
    (void)state;
    static const char *const labels[3] = {"x", "y", "z"};
    SnProbeSeries probe = make_probe(20);
    probe.labels = labels;
    const char *path = sn_test_path("tip.svg");
    assert_int_equal(sn_probe_chart_write(&probe, path, NULL, NULL), SINEW_OK);
    size_t size;
    char *text = sn_test_load(path, &size);
    assert_non_null(strstr(text, "tip &lt;of&gt; the bar"));
    assert_non_null(strstr(text, ">displacement, m<"));
    assert_non_null(strstr(text, ">time, s<"));
    assert_non_null(strstr(text, ">z (no data)<"));
    // Two lines of 20 points with marks, and the legend's.
    assert_true(count_words(text, "<circle") >= 40);
    free(text);
    probe.labels = NULL;
    probe.stride = 3;
    probe.component_count = 1;
    probe.values = values + 1;
    assert_int_equal(sn_probe_chart_write(&probe, path, NULL, NULL), SINEW_OK);
}

// A run of many steps gives a chart of bounded size that still has its one high point.
static void many_rows_are_thinned_but_peaks_stay(void **state)
{
    (void)state;
    const char *path = sn_test_path("tip.svg");
    size_t size[2];
    for (int i = 0; i < 2; ++i) {
        SnProbeSeries probe = make_probe(ROWS_MAX);
        probe.component_count = 1;
        probe.stride = 3;
        for (int row = 0; row < ROWS_MAX; ++row) {
            values[3 * row] = 0.0;
        }
        values[3 * 4321] = i == 0 ? 0.5 : 123456.0;
        assert_int_equal(sn_probe_chart_write(&probe, path, NULL, NULL), SINEW_OK);
        char *text = sn_test_load(path, &size[i]);
        assert_int_equal(strstr(text, "000<") != NULL, i == 1);
        assert_true(size[i] < 100000);
        free(text);
    }
}

static void the_same_probe_gives_the_same_bytes(void **state)
{
    (void)state;
    SnProbeSeries probe = make_probe(100);
    assert_int_equal(sn_probe_chart_write(&probe, sn_test_path("a.svg"), NULL, NULL), SINEW_OK);
    assert_int_equal(sn_probe_chart_write(&probe, sn_test_path("b.svg"), NULL, NULL), SINEW_OK);
    sn_test_expect_same_file(sn_test_path("a.svg"), sn_test_path("b.svg"));
    SinewError error;
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(sn_probe_chart_write(&probe, "/dev/full", NULL, &error),
                         SINEW_ERROR_WRITE);
    }
}

static void what_has_no_numbers_is_refused(void **state)
{
    (void)state;
    SinewError error;
    SnProbeSeries probe = make_probe(4);
    probe.row_count = 0;
    assert_int_equal(sn_probe_chart_write(&probe, sn_test_path("a.svg"), NULL, &error),
                     SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "3 components and 0 rows"));
    probe = make_probe(4);
    probe.component_count = 1;
    probe.stride = 3;
    probe.values = values + 2;
    assert_int_equal(sn_probe_chart_write(&probe, sn_test_path("a.svg"), NULL, &error),
                     SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "no number that can be drawn"));
}

static SinewStatus write_allocating(const SinewAllocator *allocator, void *context,
                                    SinewError *error)
{
    return sn_probe_chart_write(context, sn_test_path("a.svg"), allocator, error);
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    SnProbeSeries probe = make_probe(10);
    assert_true(sn_fail_each_allocation(write_allocating, &probe) >= 5);
}

#define IN_FOLDER(test)                                                                            \
    cmocka_unit_test_setup_teardown(test, sn_test_folder_make, sn_test_folder_remove)

static const struct CMUnitTest tests[] = {
    IN_FOLDER(a_chart_has_a_line_for_each_component),
    IN_FOLDER(many_rows_are_thinned_but_peaks_stay),
    IN_FOLDER(the_same_probe_gives_the_same_bytes),
    IN_FOLDER(what_has_no_numbers_is_refused),
    IN_FOLDER(each_allocation_may_fail),
};
SN_TEST_GROUP(chart_probe_chart, tests);

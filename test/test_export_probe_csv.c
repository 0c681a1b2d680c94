#include "support/fail_allocator.h"
#include "support/file_checks.h"
#include "support/test.h"

#include "tool/export/probe_csv.h"

#include <float.h>
#include <math.h>
#include <unistd.h>

enum { ROWS = 6, VALUES = 4 };

static const SnProbeColumns probes[] = {{"tip", 3}, {"a \"b\", c\nd", 1}};

static void make_row(int row, double values[VALUES])
{
    static const double odd[VALUES] = {-DBL_MAX, 0.1, 1.0 / 3.0, -5e-324};
    for (int i = 0; i < VALUES; ++i) {
        values[i] = odd[i] / (1 << row);
    }
}

static SinewStatus append_rows(SnProbeCsv *csv, int begin, int end, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int row = begin; row < end && status == SINEW_OK; ++row) {
        double values[VALUES];
        make_row(row, values);
        status = sn_probe_csv_append(csv, 0.1 * row, values, error);
    }
    return status;
}

static void write_table(const char *path, int keep, int end)
{
    SnProbeCsv csv;
    SinewError error;
    if (sn_probe_csv_open(&csv, path, probes, 2, keep, NULL, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(append_rows(&csv, keep, end, NULL), SINEW_OK);
    assert_int_equal(csv.row_count, end);
    assert_int_equal(sn_probe_csv_close(&csv, NULL), SINEW_OK);
}

static void every_double_comes_back(void **state)
{
    (void)state;
    const char *path = sn_test_path("probes.csv");
    write_table(path, 0, ROWS);
    size_t size;
    char *text = sn_test_load(path, &size);
    static const char header[] = "t,tip.0,tip.1,tip.2,\"a \"\"b\"\", c d.0\"\n";
    assert_memory_equal(text, header, sizeof header - 1);
    char *at = text + sizeof header - 1;
    for (int row = 0; row < ROWS; ++row) {
        double values[VALUES];
        make_row(row, values);
        assert_true(strtod(at, &at) == 0.1 * row);
        for (int i = 0; i < VALUES; ++i) {
            assert_int_equal(*at++, ',');
            assert_true(strtod(at, &at) == values[i]);
        }
        assert_int_equal(*at++, '\n');
    }
    assert_int_equal(*at, '\0');
    free(text);
}

static void what_is_not_finite_has_one_spelling(void **state)
{
    (void)state;
    const char *path = sn_test_path("probes.csv");
    const double values[VALUES] = {NAN, -NAN, INFINITY, -INFINITY};
    SnProbeCsv csv;
    assert_int_equal(sn_probe_csv_open(&csv, path, probes, 2, 0, NULL, NULL), SINEW_OK);
    assert_int_equal(sn_probe_csv_append(&csv, 1.0, values, NULL), SINEW_OK);
    assert_int_equal(sn_probe_csv_close(&csv, NULL), SINEW_OK);
    size_t size;
    char *text = sn_test_load(path, &size);
    assert_non_null(strstr(text, "\n1,nan,nan,inf,-inf\n"));
    free(text);
}

// The table cut at any byte behind the rows that a checkpoint counts, as a kill may leave it.
static void a_table_goes_on_after_a_kill_at_any_byte(void **state)
{
    (void)state;
    const char *whole = sn_test_path("whole.csv");
    const char *path = sn_test_path("killed.csv");
    write_table(whole, 0, ROWS);
    size_t size;
    char *text = sn_test_load(whole, &size);
    int rows = -1; // the first line is none
    for (size_t length = 1; length <= size; ++length) {
        rows += text[length - 1] == '\n';
        // A checkpoint of one, half and all rows; file systems are slow at replacing files.
        const int keeps[3] = {1, rows / 2, rows};
        for (int k = 0; k < 3 && rows > 0 && keeps[k] > 0; ++k) {
            unlink(path);
            FILE *file = fopen(path, "wb");
            assert_non_null(file);
            assert_int_equal(fwrite(text, 1, length, file), length);
            fclose(file);
            write_table(path, keeps[k], ROWS);
            sn_test_expect_same_file(path, whole);
        }
    }
    free(text);
    write_table(path, 0, ROWS);
    sn_test_expect_same_file(path, whole);
}

static void a_full_disk_keeps_all_finished_rows(void **state)
{
    (void)state;
    const char *path = sn_test_path("probes.csv");
    const char *whole = sn_test_path("whole.csv");
    SnProbeCsv csv;
    SinewError error;
    write_table(whole, 0, 2);
    assert_int_equal(sn_probe_csv_open(&csv, path, probes, 2, 0, NULL, NULL), SINEW_OK);
    sn_test_disk_full(240);
    SinewStatus status = append_rows(&csv, 0, ROWS, &error);
    sn_test_disk_free();
    assert_int_equal(status, SINEW_ERROR_WRITE);
    assert_non_null(strstr(error.text, "probes.csv: cannot be written"));
    assert_int_equal(csv.row_count, 2);
    sn_test_expect_same_file(path, whole);
    assert_int_equal(sn_probe_csv_close(&csv, NULL), SINEW_OK);
    assert_int_equal(sn_probe_csv_close(&csv, NULL), SINEW_OK);
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(sn_probe_csv_open(&csv, "/dev/full", probes, 2, 0, NULL, &error),
                         SINEW_ERROR_WRITE);
    }
    // Written directly, since it is no plain file, but it cannot grow either.
    assert_int_equal(sn_probe_csv_open(&csv, "/dev/null", probes, 2, 0, NULL, &error),
                     SINEW_ERROR_WRITE);
    assert_non_null(strstr(error.text, "/dev/null: is no plain file"));
}

static void expect_refused(const char *path, const SnProbeColumns *columns, int count, int keep,
                           SinewStatus expected, const char *sentence)
{
    SnProbeCsv csv;
    SinewError error;
    assert_int_equal(sn_probe_csv_open(&csv, path, columns, count, keep, NULL, &error), expected);
    if (strstr(error.text, sentence) == NULL) {
        fail_msg("\"%s\" holds no \"%s\"", error.text, sentence);
    }
}

static void what_cannot_go_on_is_refused(void **state)
{
    (void)state;
    const char *path = sn_test_path("probes.csv");
    const char *before = sn_test_path("before.csv");
    write_table(path, 0, 3);
    write_table(before, 0, 3);
    expect_refused(path, probes, 2, 4, SINEW_ERROR_FILE, "has 3 whole rows, expected at least 4");
    expect_refused(path, probes, 1, 1, SINEW_ERROR_FILE, "probes.csv:1: has other probes");
    expect_refused(sn_test_path("none.csv"), probes, 1, 1, SINEW_ERROR_FILE, "none.csv");
    expect_refused(path, probes, 2, -1, SINEW_ERROR_ARGUMENT, "keeps -1 rows");
    const SnProbeColumns bad = {"bad", -1};
    expect_refused(path, &bad, 1, 0, SINEW_ERROR_ARGUMENT, "-1 numbers a row");
    sn_test_expect_same_file(path, before);
}

static void a_run_without_probes_has_a_table_of_times(void **state)
{
    (void)state;
    const char *path = sn_test_path("probes.csv");
    SnProbeCsv csv;
    assert_int_equal(sn_probe_csv_open(&csv, path, NULL, 0, 0, NULL, NULL), SINEW_OK);
    assert_int_equal(sn_probe_csv_append(&csv, 0.5, NULL, NULL), SINEW_OK);
    assert_int_equal(sn_probe_csv_close(&csv, NULL), SINEW_OK);
    size_t size;
    char *text = sn_test_load(path, &size);
    assert_string_equal(text, "t\n0.5\n");
    free(text);
}

static SinewStatus write_allocating(const SinewAllocator *allocator, void *context,
                                    SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnProbeCsv csv = {0};
    for (int keep = 0; keep < 2; ++keep) {
        SN_TRY(sn_probe_csv_open(&csv, context, probes, 2, keep, allocator, error));
        SN_TRY(append_rows(&csv, keep, 2, error));
        SN_TRY(sn_probe_csv_close(&csv, error));
    }
done:
    sn_probe_csv_close(&csv, NULL);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    char path[160];
    snprintf(path, sizeof path, "%s", sn_test_path("probes.csv"));
    assert_true(sn_fail_each_allocation(write_allocating, path) >= 5);
}

#define IN_FOLDER(test)                                                                            \
    cmocka_unit_test_setup_teardown(test, sn_test_folder_make, sn_test_folder_remove)

static const struct CMUnitTest tests[] = {
    IN_FOLDER(every_double_comes_back),
    IN_FOLDER(what_is_not_finite_has_one_spelling),
    IN_FOLDER(a_table_goes_on_after_a_kill_at_any_byte),
    IN_FOLDER(a_full_disk_keeps_all_finished_rows),
    IN_FOLDER(what_cannot_go_on_is_refused),
    IN_FOLDER(a_run_without_probes_has_a_table_of_times),
    IN_FOLDER(each_allocation_may_fail),
};
SN_TEST_GROUP(export_probe_csv, tests);

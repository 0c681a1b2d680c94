#include "support/file_checks.h"
#include "support/test.h"

#include "base/random.h"
#include "io/scan.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static SnScan scan_text(const char *text, char comment)
{
    SnBytes bytes = sn_bytes_of(text, strlen(text), "some.txt");
    return sn_scan_of(&bytes, comment);
}

static void words_and_lines_are_counted(void **state)
{
    (void)state;
    SnScan scan = scan_text("v 1 2\r\n\n  # a remark\nf 3#4\nlast", '#');
    assert_true(sn_word_is(sn_scan_word_in_line(&scan), "v"));
    assert_true(sn_word_is(sn_scan_word_in_line(&scan), "1"));
    assert_true(sn_word_is(sn_scan_word_in_line(&scan), "2"));
    assert_int_equal(sn_scan_word_in_line(&scan).length, 0);
    assert_int_equal(scan.line, 1);
    assert_true(sn_word_is(sn_scan_word(&scan), "f"));
    assert_int_equal(scan.line, 4);
    assert_true(sn_word_is(sn_scan_word(&scan), "3"));
    assert_true(sn_word_is(sn_scan_word(&scan), "last"));
    assert_int_equal(scan.line, 5);
    assert_int_equal(sn_scan_word(&scan).length, 0);
    assert_false(sn_scan_next_line(&scan));
}

static void doubles_are_those_of_strtod(void **state)
{
    (void)state;
    SnRandom random = {4};
    for (int i = 0; i < 200000; ++i) {
        char text[64];
        double value = sn_random_between(&random, -1.0, 1.0) *
                       pow(10.0, (int)sn_random_between(&random, -30.0, 30.0));
        static const char *const formats[] = {"%.3g", "%.9g", "%.17g", "%f", "%.12e", "%.0f"};
        snprintf(text, sizeof text, formats[i % 6], value);
        SnScan scan = scan_text(text, 0);
        double got = 0.0;
        assert_int_equal(sn_scan_double(&scan, sn_scan_word(&scan), "a number", &got, NULL),
                         SINEW_OK);
        assert_true(got == strtod(text, NULL));
    }
    static const char *const odd[] = {"5", "-7", ".5", "5.", "+1e3", "1E-5", "-0", "00012", "1e22"};
    for (int i = 0; i < SN_COUNT(odd); ++i) {
        SnScan scan = scan_text(odd[i], 0);
        double got = 0.0;
        assert_int_equal(sn_scan_double(&scan, sn_scan_word(&scan), "a number", &got, NULL),
                         SINEW_OK);
        assert_true(got == strtod(odd[i], NULL));
    }
}

static void what_is_no_number_gets_a_sentence(void **state)
{
    (void)state;
    static const char *const wrong[] = {"x",   "1.2.3", "nan", "inf",   "1e",   "-",  ".",  "1e400",
                                        "0x1", "--1",   "1-",  "1e+-3", "+.e1", "e5", "1,5"};
    for (int i = 0; i < SN_COUNT(wrong); ++i) {
        SnScan scan = scan_text(wrong[i], 0);
        double got = 0.0;
        SinewError error = {.text = ""};
        if (sn_scan_double(&scan, sn_scan_word(&scan), "a coordinate", &got, &error) !=
            SINEW_ERROR_FILE) {
            fail_msg("\"%s\" was read as %g", wrong[i], got);
        }
        assert_non_null(strstr(error.text, "some.txt:1: "));
        assert_non_null(strstr(error.text, "a coordinate"));
    }
    static const char *const wrong_ints[] = {"1.0", "99999999999999999999", "-2", "8", "", "a",
                                             "-"};
    for (int i = 0; i < SN_COUNT(wrong_ints); ++i) {
        SnScan scan = scan_text(wrong_ints[i], 0);
        int64_t got = 0;
        SinewError error;
        assert_int_equal(sn_scan_int(&scan, sn_scan_word(&scan), "an index", -1, 7, &got, &error),
                         SINEW_ERROR_FILE);
    }
    SnScan scan = scan_text("+7", 0);
    int64_t got = 0;
    assert_int_equal(sn_scan_int(&scan, sn_scan_word(&scan), "an index", -1, 7, &got, NULL),
                     SINEW_OK);
    assert_int_equal(got, 7);
}

static void files_are_opened_or_refused(void **state)
{
    (void)state;
    SnBytes bytes;
    SinewError error;
    assert_int_equal(sn_bytes_open("/no/such/file", NULL, &bytes, &error), SINEW_ERROR_FILE);
    assert_non_null(strstr(error.text, "/no/such/file: "));
    sn_bytes_close(&bytes);
    assert_int_equal(sn_bytes_open("/", NULL, &bytes, &error), SINEW_ERROR_FILE);
    assert_non_null(strstr(error.text, "folder"));
    sn_bytes_close(&bytes);
    // What has no end is not read to it.
    assert_int_equal(sn_bytes_open("/dev/zero", NULL, &bytes, &error), SINEW_ERROR_FILE);
    assert_non_null(strstr(error.text, "/dev/zero: is a device, expected a file"));
    sn_bytes_close(&bytes);
    assert_int_equal(sn_bytes_open("/proc/self/status", NULL, &bytes, &error), SINEW_OK);
    assert_true(bytes.size > 100 && memcmp(bytes.data, "Name:", 5) == 0);
    sn_bytes_close(&bytes);
}

// A pipe that nobody writes to, and a file larger than any memory, all of it a hole.
static void what_has_no_end_is_refused(void **state)
{
    (void)state;
    SnBytes bytes;
    SinewError error;
    const char *path = sn_test_path("pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(sn_bytes_open(path, NULL, &bytes, &error), SINEW_ERROR_FILE);
    assert_non_null(strstr(error.text, "pipe: is a pipe, expected a file"));
    sn_bytes_close(&bytes);
    path = sn_test_path("hole.obj");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    bool made = ftruncate(fileno(file), (off_t)1 << 43) == 0; // 8.8 TB; not every disk can
    fclose(file);
    if (made && sn_machine_memory() < 8e12) {
        assert_int_equal(sn_bytes_open(path, NULL, &bytes, &error), SINEW_ERROR_FILE);
        assert_non_null(strstr(error.text, "hole.obj: has 8.8e+03 GB, expected at most"));
        sn_bytes_close(&bytes);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(words_and_lines_are_counted),
    cmocka_unit_test(doubles_are_those_of_strtod),
    cmocka_unit_test(what_is_no_number_gets_a_sentence),
    cmocka_unit_test(files_are_opened_or_refused),
    cmocka_unit_test_setup_teardown(what_has_no_end_is_refused, sn_test_folder_make,
                                    sn_test_folder_remove),
};
SN_TEST_GROUP(io_scan, tests);

#include "support/test.h"

#include "base/status.h"

static void every_status_has_a_text_of_its_own(void **state)
{
    (void)state;
    const SinewStatus all[] = {
        SINEW_OK,         SINEW_NOT_CONVERGED,      SINEW_ERROR_ARGUMENT,    SINEW_ERROR_MEMORY,
        SINEW_ERROR_FILE, SINEW_ERROR_NOT_DEFINITE, SINEW_ERROR_UNSUPPORTED, SINEW_ERROR_WRITE,
    };
    for (int i = 0; i < SN_COUNT(all); ++i) {
        assert_true(strlen(sinew_status_text(all[i])) > 0);
        assert_string_not_equal(sinew_status_text(all[i]), "unknown status");
        for (int j = 0; j < i; ++j) {
            assert_string_not_equal(sinew_status_text(all[i]), sinew_status_text(all[j]));
        }
    }
    assert_string_equal(sinew_status_text((SinewStatus)-99), "unknown status");
}

static void the_version_is_that_of_the_header(void **state)
{
    (void)state;
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", SINEW_VERSION_MAJOR, SINEW_VERSION_MINOR,
             SINEW_VERSION_PATCH);
    assert_string_equal(sinew_version(), expected);
}

static void a_failure_fills_the_error(void **state)
{
    (void)state;
    SinewError error = {.status = SINEW_OK, .index = 7, .text = "old"};
    SinewStatus status = sn_fail(&error, SINEW_ERROR_ARGUMENT, "time_step is %g s", -0.5);
    assert_int_equal(status, SINEW_ERROR_ARGUMENT);
    assert_int_equal(error.status, SINEW_ERROR_ARGUMENT);
    assert_int_equal(error.index, -1);
    assert_string_equal(error.text, "time_step is -0.5 s");

    status = sn_fail_at(&error, SINEW_ERROR_NOT_DEFINITE, INT64_MAX, "row %d", 3);
    assert_int_equal(status, SINEW_ERROR_NOT_DEFINITE);
    assert_true(error.index == INT64_MAX);
    assert_string_equal(error.text, "row 3");
}

static void nobody_has_to_listen(void **state)
{
    (void)state;
    assert_int_equal(sn_fail(NULL, SINEW_ERROR_FILE, "%s", "a file"), SINEW_ERROR_FILE);
    assert_int_equal(sn_fail_at(NULL, SINEW_ERROR_FILE, 4, "%s", "a line"), SINEW_ERROR_FILE);
}

static void a_long_sentence_is_cut_and_terminated(void **state)
{
    (void)state;
    char longer[2 * sizeof((SinewError *)NULL)->text];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    SinewError error;
    memset(&error, 0xff, sizeof error);
    sn_fail(&error, SINEW_ERROR_FILE, "%s", longer);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
}

static void a_name_cannot_break_the_line(void **state)
{
    (void)state;
    SinewError error;
    sn_fail(&error, SINEW_ERROR_FILE, "no key \"%s\"", "a\nb\r\t\x1b[2J\x7f\xc3\xa4");
    assert_string_equal(error.text, "no key \"a?b???[2J?\xc3\xa4\"");
}

static void a_sentence_may_be_put_into_the_next(void **state)
{
    (void)state;
    SinewError error;
    sn_fail(&error, SINEW_ERROR_FILE, "line %d ends early", 12);
    sn_fail(&error, SINEW_ERROR_FILE, "hero.obj: %s", error.text);
    assert_string_equal(error.text, "hero.obj: line 12 ends early");
}

static SinewStatus stop_at(SinewStatus answer, int *steps)
{
    SinewStatus status = SINEW_OK;
    ++*steps;
    SN_TRY(answer);
    ++*steps;
done:
    return status;
}

static void trying_stops_at_negative_answers_alone(void **state)
{
    (void)state;
    int steps = 0;
    assert_int_equal(stop_at(SINEW_ERROR_MEMORY, &steps), SINEW_ERROR_MEMORY);
    assert_int_equal(steps, 1);
    assert_int_equal(stop_at(SINEW_NOT_CONVERGED, &steps), SINEW_NOT_CONVERGED);
    assert_int_equal(steps, 3);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_status_has_a_text_of_its_own),
    cmocka_unit_test(the_version_is_that_of_the_header),
    cmocka_unit_test(a_failure_fills_the_error),
    cmocka_unit_test(nobody_has_to_listen),
    cmocka_unit_test(a_long_sentence_is_cut_and_terminated),
    cmocka_unit_test(a_name_cannot_break_the_line),
    cmocka_unit_test(a_sentence_may_be_put_into_the_next),
    cmocka_unit_test(trying_stops_at_negative_answers_alone),
};
SN_TEST_GROUP(base_status, tests);

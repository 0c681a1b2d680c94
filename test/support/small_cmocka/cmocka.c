#include <cmocka.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PASSED, FAILED, SKIPPED };

static jmp_buf after_test;

void print_message(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

void sn_small_fail(const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    longjmp(after_test, FAILED);
}

void sn_small_skip(void)
{
    longjmp(after_test, SKIPPED);
}

void sn_small_equal(intmax_t left, intmax_t right, int wanted, const char *text, const char *file,
                    int line)
{
    if ((left == right) != wanted) {
        sn_small_fail(file, line, "%s: %jd and %jd", text, left, right);
    }
}

void sn_small_string_equal(const char *left, const char *right, const char *file, int line)
{
    if (strcmp(left, right) != 0) {
        sn_small_fail(file, line, "\"%s\" is not \"%s\"", left, right);
    }
}

void sn_small_memory_equal(const void *left, const void *right, size_t size, const char *file,
                           int line)
{
    if (memcmp(left, right, size) != 0) {
        sn_small_fail(file, line, "%zu bytes differ", size);
    }
}

static int run_test(const struct CMUnitTest *test)
{
    void *state = test->initial_state;
    if (test->setup_func != NULL && test->setup_func(&state) != 0) {
        return FAILED;
    }
    int outcome = setjmp(after_test);
    if (outcome == PASSED) {
        test->test_func(&state);
    }
    if (test->teardown_func != NULL && test->teardown_func(&state) != 0) {
        return FAILED;
    }
    return outcome;
}

int _cmocka_run_group_tests(const char *group_name, const struct CMUnitTest *tests, size_t count,
                            CMFixtureFunction group_setup, CMFixtureFunction group_teardown)
{
    static const char *const words[] = {"      OK", " FAILED ", " SKIPPED"};
    int counts[3] = {0};
    void *state = NULL;
    printf("[==========] %s: Running %zu test(s).\n", group_name, count);
    if (group_setup != NULL && group_setup(&state) != 0) {
        return (int)count;
    }
    for (size_t i = 0; i < count; ++i) {
        int outcome = run_test(&tests[i]);
        counts[outcome]++;
        printf("[ %s ] %s\n", words[outcome], tests[i].name);
    }
    if (group_teardown != NULL && group_teardown(&state) != 0) {
        counts[FAILED]++;
    }
    printf("[  PASSED  ] %d test(s).\n", counts[PASSED]);
    if (counts[FAILED] > 0) {
        printf("[  FAILED  ] %d test(s)\n", counts[FAILED]);
    }
    return counts[FAILED];
}

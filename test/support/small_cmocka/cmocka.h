// A small stand-in for cmocka, for processors for which Debian has none: the part of it that our
// tests use, so that they run under an emulator too. cmocka itself is used everywhere else.
#ifndef SN_TEST_SUPPORT_SMALL_CMOCKA_H
#define SN_TEST_SUPPORT_SMALL_CMOCKA_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef void (*CMUnitTestFunction)(void **state);
typedef int (*CMFixtureFunction)(void **state);

struct CMUnitTest {
    const char *name;
    CMUnitTestFunction test_func;
    CMFixtureFunction setup_func;
    CMFixtureFunction teardown_func;
    void *initial_state;
};

#define cmocka_unit_test(f)                                                                        \
    {                                                                                              \
#f, f, NULL, NULL, NULL                                                                    \
    }
#define cmocka_unit_test_setup_teardown(f, setup, teardown)                                        \
    {                                                                                              \
#f, f, setup, teardown, NULL                                                               \
    }
#define cmocka_unit_test_prestate(f, state)                                                        \
    {                                                                                              \
#f, f, NULL, NULL, state                                                                   \
    }

// Returns the number of tests that failed.
int _cmocka_run_group_tests(const char *group_name, const struct CMUnitTest *tests, size_t count,
                            CMFixtureFunction group_setup, CMFixtureFunction group_teardown);

// Ends the running test as failed, or as left out.
_Noreturn void sn_small_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void sn_small_skip(void);
void print_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

void sn_small_equal(intmax_t left, intmax_t right, int wanted, const char *text, const char *file,
                    int line);
void sn_small_string_equal(const char *left, const char *right, const char *file, int line);
void sn_small_memory_equal(const void *left, const void *right, size_t size, const char *file,
                           int line);

#define fail_msg(...) sn_small_fail(__FILE__, __LINE__, __VA_ARGS__)
#define fail() sn_small_fail(__FILE__, __LINE__, "failed")
#define skip() sn_small_skip()
#define assert_true(condition)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            sn_small_fail(__FILE__, __LINE__, "%s is false", #condition);                          \
        }                                                                                          \
    } while (0)
#define assert_false(condition) assert_true(!(condition))
#define assert_null(pointer) assert_true((pointer) == NULL)
#define assert_non_null(pointer) assert_true((pointer) != NULL)
#define assert_ptr_equal(a, b) assert_true((const void *)(a) == (const void *)(b))
#define assert_ptr_not_equal(a, b) assert_true((const void *)(a) != (const void *)(b))
#define assert_int_equal(a, b)                                                                     \
    sn_small_equal((intmax_t)(a), (intmax_t)(b), 1, #a " == " #b, __FILE__, __LINE__)
#define assert_int_not_equal(a, b)                                                                 \
    sn_small_equal((intmax_t)(a), (intmax_t)(b), 0, #a " != " #b, __FILE__, __LINE__)
#define assert_in_range(value, low, high)                                                          \
    assert_true((uintmax_t)(value) >= (uintmax_t)(low) && (uintmax_t)(value) <= (uintmax_t)(high))
#define assert_float_equal(a, b, epsilon)                                                          \
    assert_true((a) - (b) <= (epsilon) && (b) - (a) <= (epsilon))
#define assert_double_equal(a, b, epsilon) assert_float_equal(a, b, epsilon)
#define assert_string_equal(a, b) sn_small_string_equal((a), (b), __FILE__, __LINE__)
#define assert_string_not_equal(a, b) assert_true(strcmp((a), (b)) != 0)
#define assert_memory_equal(a, b, size) sn_small_memory_equal((a), (b), (size), __FILE__, __LINE__)

#endif

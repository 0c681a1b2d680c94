// What every test file includes: cmocka, and a line that registers the file's tests as a group.
#ifndef SN_TEST_SUPPORT_TEST_H
#define SN_TEST_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct SnTestGroup {
    const char *name;
    const struct CMUnitTest *tests;
    size_t count;
    struct SnTestGroup *next;
} SnTestGroup;

void sn_test_register(SnTestGroup *group);

// SN_TEST_GROUP(base_memory, tests): `tests` is an array of cmocka_unit_test(...).
#define SN_TEST_GROUP(group_name, array)                                                           \
    __attribute__((constructor)) static void register_##group_name(void)                           \
    {                                                                                              \
        static SnTestGroup group = {#group_name, array, sizeof array / sizeof *array, NULL};       \
        sn_test_register(&group);                                                                  \
    }                                                                                              \
    typedef int group_##group_name##_is_registered

// How many of `count` random cases to run: all of them, or one in SINEW_TEST_SHARE where that is
// set in the environment, as scripts/check does for builds that are slow; at least one.
int sn_test_share(int count);

// Whether the build is so slow that tests leave out cases which others resemble: it runs one in ten
// of the random ones, or fewer.
bool sn_test_is_slow(void);

#define SN_COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

// Fails, and says what the value was and what bound it broke.
#define assert_at_most(value, bound)                                                               \
    do {                                                                                           \
        double value_ = (double)(value);                                                           \
        double bound_ = (double)(bound);                                                           \
        if (!(value_ <= bound_)) {                                                                 \
            fail_msg("%s is %.9g, expected at most %.9g", #value, value_, bound_);                 \
        }                                                                                          \
    } while (0)

#endif

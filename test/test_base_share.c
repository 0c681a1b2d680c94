#include "base/share.h"

#include "support/test.h"

typedef struct Number {
    SnShared shared;
    int value;
    int *ended; // counts
} Number;

static bool is_number(const SnShared *thing, const void *key)
{
    return ((const Number *)thing)->value == *(const int *)key;
}

static void end_number(SnShared *thing)
{
    *((Number *)thing)->ended += 1;
}

static const SnSharedKind number_kind = {is_number, end_number};
static const SnSharedKind other_kind = {is_number, end_number};

// All have one hash, so that content alone tells them apart.
enum { HASH = 7 };

static void things_are_found_by_content(void **state)
{
    (void)state;
    int ended = 0;
    SnShare store = {0};
    Number numbers[3] = {{.value = 10, .ended = &ended},
                         {.value = 11, .ended = &ended},
                         {.value = 12, .ended = &ended}};
    for (int i = 0; i < 3; ++i) {
        sn_share_add(&store, &number_kind, HASH, &numbers[i].shared);
    }
    for (int i = 0; i < 3; ++i) {
        int key = 10 + i;
        assert_ptr_equal(sn_share_find(&store, &number_kind, HASH, &key), &numbers[i].shared);
        assert_int_equal(numbers[i].shared.users, 2);
        assert_null(sn_share_find(&store, &number_kind, HASH + 1, &key));
        assert_null(sn_share_find(&store, &other_kind, HASH, &key));
        assert_null(sn_share_find(NULL, &number_kind, HASH, &key));
    }
    int none = 13;
    assert_null(sn_share_find(&store, &number_kind, HASH, &none));
}

// In every order of leaving: the last user ends a thing, and those that stay are still found.
static void the_last_to_leave_ends_it(void **state)
{
    (void)state;
    static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int o = 0; o < SN_COUNT(orders); ++o) {
        int ended = 0;
        SnShare store = {0};
        Number numbers[3] = {{.value = 0, .ended = &ended},
                             {.value = 1, .ended = &ended},
                             {.value = 2, .ended = &ended}};
        for (int i = 0; i < 3; ++i) {
            sn_share_add(&store, &number_kind, HASH, &numbers[i].shared);
            sn_share_join(&numbers[i].shared);
        }
        for (int i = 0; i < 3; ++i) {
            int leaving = orders[o][i];
            sn_share_leave(&numbers[leaving].shared);
            assert_int_equal(ended, i);
            sn_share_leave(&numbers[leaving].shared);
            assert_int_equal(ended, i + 1);
            assert_int_equal(store.count, 2 - i);
            assert_null(sn_share_find(&store, &number_kind, HASH, &leaving));
            for (int k = i + 1; k < 3; ++k) {
                SnShared *found = sn_share_find(&store, &number_kind, HASH, &orders[o][k]);
                assert_ptr_equal(found, &numbers[orders[o][k]].shared);
                sn_share_leave(found);
            }
        }
        assert_null(store.first);
    }
}

static void without_a_store_things_are_alone(void **state)
{
    (void)state;
    int ended = 0;
    Number number = {.ended = &ended};
    sn_share_add(NULL, &number_kind, HASH, &number.shared);
    sn_share_leave(NULL);
    sn_share_leave(&number.shared);
    assert_int_equal(ended, 1);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(things_are_found_by_content),
    cmocka_unit_test(the_last_to_leave_ends_it),
    cmocka_unit_test(without_a_store_things_are_alone),
};

SN_TEST_GROUP(base_share, tests);

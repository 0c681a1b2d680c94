#include "support/fail_allocator.h"
#include "support/test.h"

#include "base/array.h"

static SinewStatus grow(const SinewAllocator *allocator, void *context, SinewError *error)
{
    (void)context;
    SinewStatus status = SINEW_OK;
    SnArray numbers = sn_array_of(allocator, sizeof(int));
    for (int i = 0; i < 1000; ++i) {
        SN_TRY(sn_array_push(&numbers, &i, error));
    }
    for (int i = 0; i < 1000; ++i) {
        assert_int_equal(SN_ITEMS(numbers, int)[i], i);
    }
    int *taken = sn_array_take(&numbers);
    SN_TRY(sn_expect_memory(taken, 1000, sizeof *taken, error));
    assert_int_equal(numbers.count, 0);
    assert_int_equal(taken[999], 999);
    sn_free(allocator, taken);
done:
    sn_array_release(&numbers);
    return status;
}

static void it_grows_and_each_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(sn_fail_each_allocation(grow, NULL) > 5);
}

static void sizes_are_checked_and_nothing_can_be_taken(void **state)
{
    (void)state;
    SnArray array = sn_array_of(NULL, 16);
    assert_null(sn_array_add(&array, SIZE_MAX));
    assert_null(sn_array_add(&array, SIZE_MAX / 8));
    assert_int_equal(array.count, 0);
    void *nothing = sn_array_take(&array);
    assert_non_null(nothing);
    sn_free(NULL, nothing);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(it_grows_and_each_allocation_may_fail),
    cmocka_unit_test(sizes_are_checked_and_nothing_can_be_taken),
};
SN_TEST_GROUP(base_array, tests);

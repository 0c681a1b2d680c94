#include "support/test.h"

#include "base/random.h"
#include "io/tag_map.h"
#include "support/fail_allocator.h"

static void runs_and_strays_are_found(void **state)
{
    (void)state;
    SnTagMap map = sn_tag_map_of(NULL);
    assert_int_equal(sn_tag_map_find(&map, 0), -1);
    for (int i = 0; i < 100; ++i) {
        assert_int_equal(sn_tag_map_add(&map, 5 + i, NULL), SINEW_OK);
    }
    assert_int_equal(map.slot_count, 0); // a run needs no table
    static const int64_t strays[] = {INT64_MIN, INT64_MAX, -1, 0, 4, 107, 1 << 20};
    for (int i = 0; i < SN_COUNT(strays); ++i) {
        assert_int_equal(sn_tag_map_find(&map, strays[i]), -1);
        assert_int_equal(sn_tag_map_add(&map, strays[i], NULL), SINEW_OK);
    }
    for (int i = 0; i < 100; ++i) {
        assert_int_equal(sn_tag_map_find(&map, 5 + i), i);
    }
    for (int i = 0; i < SN_COUNT(strays); ++i) {
        assert_int_equal(sn_tag_map_find(&map, strays[i]), 100 + i);
    }
    assert_int_equal(sn_tag_map_find(&map, 105), -1);
    sn_tag_map_release(&map);
}

// Tags far apart, against the order in which they were added.
static SinewStatus add_many(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = *(const int *)context;
    SnTagMap map = sn_tag_map_of(allocator);
    for (int i = 0; i < count; ++i) {
        SnRandom random = {(uint64_t)i};
        SN_TRY(sn_tag_map_add(&map, (int64_t)sn_random_bits(&random), error));
    }
    for (int i = 0; i < count; ++i) {
        SnRandom random = {(uint64_t)i};
        assert_int_equal(sn_tag_map_find(&map, (int64_t)sn_random_bits(&random)), i);
    }
done:
    sn_tag_map_release(&map);
    return status;
}

static void many_tags_are_found(void **state)
{
    (void)state;
    int count = 20000;
    assert_int_equal(add_many(NULL, &count, NULL), SINEW_OK);
    count = 500;
    assert_true(sn_fail_each_allocation(add_many, &count) > 5);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(runs_and_strays_are_found),
    cmocka_unit_test(many_tags_are_found),
};
SN_TEST_GROUP(io_tag_map, tests);

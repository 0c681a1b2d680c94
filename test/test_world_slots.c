#include "support/fail_allocator.h"
#include "support/test.h"

#include "world/slots.h"

static SnId add(SnSlots *slots, int *item)
{
    SinewError error;
    assert_int_equal(sn_slots_reserve(slots, &error), SINEW_OK);
    return sn_slots_add(slots, item);
}

static void ids_lead_to_things_until_they_are_removed(void **state)
{
    (void)state;
    SnSlots slots = sn_slots_of("thing", NULL);
    int items[5];
    SnId ids[5];
    for (int i = 0; i < 5; ++i) {
        ids[i] = add(&slots, &items[i]);
        assert_int_equal(ids[i].index1, i + 1);
    }
    sn_slots_remove(&slots, ids[1]);
    sn_slots_remove(&slots, ids[3]);
    for (int i = 0; i < 5; ++i) {
        assert_ptr_equal(sn_slots_find(&slots, ids[i], NULL), i % 2 == 1 ? NULL : &items[i]);
    }
    assert_int_equal(slots.live, 3);
    // The first free slot is used again, and the old id does not lead to what moved in.
    int other;
    SnId again = add(&slots, &other);
    assert_int_equal(again.index1, 2);
    assert_ptr_equal(sn_slots_find(&slots, again, NULL), &other);
    assert_null(sn_slots_find(&slots, ids[1], NULL));
    assert_int_equal(sn_slots_count(&slots), 5);
    assert_null(sn_slots_at(&slots, 3));
    sn_slots_release(&slots);
}

static void wrong_ids_get_sentences(void **state)
{
    (void)state;
    SinewError error;
    SnSlots slots = sn_slots_of("thing", NULL);
    int item;
    SnId id = add(&slots, &item);
    assert_null(sn_slots_find(&slots, (SnId){0, 0}, &error));
    assert_non_null(strstr(error.text, "thing id is zero"));
    assert_null(sn_slots_find(&slots, (SnId){2, 1}, &error));
    assert_non_null(strstr(error.text, "thing id is 2"));
    assert_null(sn_slots_find(&slots, (SnId){UINT32_MAX, 1}, &error));
    assert_null(sn_slots_find(&slots, (SnId){id.index1, id.generation + 1}, &error));
    assert_non_null(strstr(error.text, "stale"));
    assert_int_equal(error.status, SINEW_ERROR_ARGUMENT);
    sn_slots_release(&slots);
}

static SinewStatus fill(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSlots slots = sn_slots_of("thing", allocator);
    for (int i = 0; i < 100; ++i) {
        SN_TRY(sn_slots_reserve(&slots, error));
        sn_slots_add(&slots, context);
    }
done:
    sn_slots_release(&slots);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    int item;
    sn_fail_each_allocation(fill, &item);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(ids_lead_to_things_until_they_are_removed),
    cmocka_unit_test(wrong_ids_get_sentences),
    cmocka_unit_test(each_allocation_may_fail),
};

SN_TEST_GROUP(world_slots, tests);

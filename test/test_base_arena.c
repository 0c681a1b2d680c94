#include "support/fail_allocator.h"
#include "support/test.h"

#include "base/arena.h"
#include "base/random.h"

// Takes `count` pieces of up to `most` bytes, each filled with its own byte, and checks at the end
// that none was written over. Returns false when a take failed.
static bool take_pieces(SnArena *arena, uint64_t seed, int count, size_t most)
{
    enum { MOST_PIECES = 64 };
    unsigned char *piece[MOST_PIECES];
    size_t size[MOST_PIECES];
    SnRandom random = {seed};
    bool ok = true;
    int taken = 0;
    assert_true(count <= MOST_PIECES);
    for (; taken < count; ++taken) {
        size[taken] = (size_t)(sn_random_unit(&random) * (double)most);
        piece[taken] = sn_arena_take(arena, size[taken], 1);
        if (piece[taken] == NULL) {
            ok = false;
            break;
        }
        assert_int_equal((uintptr_t)piece[taken] % SN_ALIGNMENT, 0);
        memset(piece[taken], taken + 1, size[taken]);
    }
    for (int i = 0; i < taken; ++i) {
        for (size_t k = 0; k < size[i]; ++k) {
            assert_int_equal(piece[i][k], i + 1);
        }
    }
    return ok;
}

static void pieces_are_aligned_and_apart(void **state)
{
    (void)state;
    SnArena arena;
    sn_arena_init(&arena, NULL);
    const size_t most[] = {1, 100, 10000, 300000};
    for (int i = 0; i < SN_COUNT(most); ++i) {
        assert_true(take_pieces(&arena, 5, 40, most[i]));
        sn_arena_reset(&arena);
        assert_true(take_pieces(&arena, 6, 40, most[i]));
    }
    sn_arena_release(&arena);
}

static void after_warm_up_nothing_is_allocated(void **state)
{
    (void)state;
    SnFailAllocator fail;
    sn_fail_allocator_init(&fail, -1);
    SnArena arena;
    sn_arena_init(&arena, &fail.allocator);
    assert_int_equal(fail.calls, 0);
    assert_true(take_pieces(&arena, 9, 60, 50000));
    assert_true(fail.blocks > 2); // it took several blocks: a block is a header and its bytes
    sn_arena_reset(&arena);
    assert_int_equal(fail.blocks, 2);
    int64_t warm = fail.calls;
    for (int step = 0; step < 20; ++step) {
        assert_true(take_pieces(&arena, 9, 60, 50000));
        assert_int_equal(fail.blocks, 2);
        sn_arena_reset(&arena);
    }
    assert_int_equal(fail.calls, warm);
    sn_arena_release(&arena);
    assert_int_equal(fail.blocks, 0);
}

// The second block holds more than the step took in all, so a reset needs no third.
static void a_newest_block_that_holds_all_is_kept(void **state)
{
    (void)state;
    SnFailAllocator fail;
    sn_fail_allocator_init(&fail, -1);
    SnArena arena;
    sn_arena_init(&arena, &fail.allocator);
    assert_non_null(sn_arena_take(&arena, 60000, 1));
    assert_non_null(sn_arena_take(&arena, 10000, 1));
    assert_int_equal(fail.calls, 4);
    sn_arena_reset(&arena);
    assert_int_equal(fail.calls, 4);
    assert_int_equal(fail.blocks, 2);
    assert_non_null(sn_arena_take(&arena, 70000, 1));
    assert_int_equal(fail.calls, 4);
    sn_arena_release(&arena);
    assert_int_equal(fail.blocks, 0);
}

static void sizes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    SnArena arena;
    sn_arena_init(&arena, NULL);
    assert_non_null(sn_arena_take(&arena, 1, 1));
    size_t used = arena.used;
    assert_null(sn_arena_take(&arena, SIZE_MAX, 1));
    assert_null(sn_arena_take(&arena, 1, SIZE_MAX - 1));
    assert_null(sn_arena_take(&arena, SIZE_MAX / 2 + 1, 2));
    assert_null(sn_arena_take(&arena, SIZE_MAX - SN_ALIGNMENT, 1)); // fits until the block's header
    assert_int_equal(arena.used, used);
    assert_non_null(sn_arena_take(&arena, 1, 1));
    sn_arena_release(&arena);
}

static void nothing_can_be_taken(void **state)
{
    (void)state;
    SnArena arena;
    sn_arena_init(&arena, NULL);
    assert_non_null(sn_arena_take(&arena, 0, 8));
    assert_non_null(sn_arena_take(&arena, 8, 0));
    assert_int_equal(arena.used, 0);
    sn_arena_release(&arena);
}

static void an_empty_arena_can_be_reset_and_released(void **state)
{
    (void)state;
    SnArena arena;
    sn_arena_init(&arena, NULL);
    sn_arena_reset(&arena);
    sn_arena_release(&arena);
    sn_arena_release(&arena);
    assert_non_null(sn_arena_take(&arena, 10, 10));
    sn_arena_release(&arena);
}

// About 400 kB a step: blocks of 64, 128 and 256, none of which holds all.
static SinewStatus two_steps(const SinewAllocator *allocator, void *context, SinewError *error)
{
    (void)context;
    SinewStatus status = SINEW_OK;
    SnArena arena;
    sn_arena_init(&arena, allocator);
    for (int step = 0; step < 2; ++step) {
        if (!take_pieces(&arena, 3, 50, 16000)) {
            status = sn_fail(error, SINEW_ERROR_MEMORY, "out of memory: the arena is full");
            goto done;
        }
        sn_arena_reset(&arena);
    }
done:
    sn_arena_release(&arena);
    return status;
}

// Also the allocation inside a reset, which may fail unnoticed: then the next step allocates again
// and the run ends well. So this loop is not sn_fail_each_allocation.
static void each_allocation_may_fail(void **state)
{
    (void)state;
    int recovered = 0;
    for (int64_t n = 0;; ++n) {
        SnFailAllocator fail;
        sn_fail_allocator_init(&fail, n);
        SinewError error;
        SinewStatus status = two_steps(&fail.allocator, NULL, &error);
        assert_int_equal(fail.blocks, 0);
        assert_int_equal(fail.bytes, 0);
        if (fail.calls <= n) {
            assert_int_equal(status, SINEW_OK);
            assert_true(n > 4);
            break;
        }
        assert_true(status == SINEW_OK || status == SINEW_ERROR_MEMORY);
        recovered += status == SINEW_OK;
    }
    // A block is two allocations, and a reset makes one block.
    assert_int_equal(recovered, 2);
}

static void after_a_failed_take_the_arena_goes_on(void **state)
{
    (void)state;
    SnFailAllocator fail;
    sn_fail_allocator_init(&fail, 2);
    SnArena arena;
    sn_arena_init(&arena, &fail.allocator);
    unsigned char *first = sn_arena_take(&arena, 1000, 1);
    assert_non_null(first);
    memset(first, 1, 1000);
    assert_null(sn_arena_take(&arena, 1000000, 1));
    assert_int_equal(first[999], 1);
    assert_non_null(sn_arena_take(&arena, 1000, 1));
    assert_non_null(sn_arena_take(&arena, 1000000, 1)); // only one call fails
    assert_int_equal(first[999], 1);
    sn_arena_release(&arena);
    assert_int_equal(fail.blocks, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(pieces_are_aligned_and_apart),
    cmocka_unit_test(after_warm_up_nothing_is_allocated),
    cmocka_unit_test(a_newest_block_that_holds_all_is_kept),
    cmocka_unit_test(sizes_that_do_not_fit_are_refused),
    cmocka_unit_test(nothing_can_be_taken),
    cmocka_unit_test(an_empty_arena_can_be_reset_and_released),
    cmocka_unit_test(each_allocation_may_fail),
    cmocka_unit_test(after_a_failed_take_the_arena_goes_on),
};
SN_TEST_GROUP(base_arena, tests);

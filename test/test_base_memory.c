#include "support/fail_allocator.h"
#include "support/test.h"

#include "base/memory.h"

static bool is_aligned(const void *memory)
{
    return (uintptr_t)memory % SN_ALIGNMENT == 0;
}

static void blocks_are_aligned_and_writable(void **state)
{
    (void)state;
    const size_t counts[] = {1, 3, 63, 64, 65, 4096, 1000003};
    for (int i = 0; i < SN_COUNT(counts); ++i) {
        unsigned char *memory = sn_alloc(NULL, counts[i], 1);
        assert_non_null(memory);
        assert_true(is_aligned(memory));
        memset(memory, 0xee, counts[i]);
        sn_free(NULL, memory);
        memory = sn_alloc_filled(NULL, counts[i], 1);
        assert_non_null(memory);
        assert_true(is_aligned(memory));
        memset(memory, 0xee, counts[i]);
        sn_free(NULL, memory);
    }
}

static void nothing_is_a_valid_block(void **state)
{
    (void)state;
    void *none = sn_alloc(NULL, 0, 8);
    void *sizeless = sn_alloc_zero(NULL, 5, 0);
    assert_non_null(none);
    assert_non_null(sizeless);
    assert_ptr_not_equal(none, sizeless);
    assert_true(is_aligned(none) && is_aligned(sizeless));
    sn_free(NULL, none);
    sn_free(NULL, sizeless);
    sn_free(NULL, NULL);
}

static void zero_means_zero(void **state)
{
    (void)state;
    SnFailAllocator fail; // fills what it gives out with other bytes
    sn_fail_allocator_init(&fail, -1);
    unsigned char *memory = sn_alloc_zero(&fail.allocator, 333, 3);
    for (int i = 0; i < 999; ++i) {
        assert_int_equal(memory[i], 0);
    }
    sn_free(&fail.allocator, memory);
}

// Products that wrap round, and those that only the line in front or the rounding push over.
static void sizes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    const struct {
        size_t count;
        size_t size;
    } wrong[] = {
        {SIZE_MAX, 1},
        {1, SIZE_MAX},
        {SIZE_MAX, SIZE_MAX},
        {SIZE_MAX / 2 + 1, 2},
        {(size_t)1 << (4 * sizeof(size_t)), (size_t)1 << (4 * sizeof(size_t))},
        {SIZE_MAX - SN_ALIGNMENT, 1},
        {SIZE_MAX - 2 * SN_ALIGNMENT + 1, 1},
        {(SIZE_MAX - 2 * SN_ALIGNMENT) / 24 + 1, 24},
    };
    SnFailAllocator fail;
    sn_fail_allocator_init(&fail, -1);
    for (int i = 0; i < SN_COUNT(wrong); ++i) {
        assert_null(sn_alloc(&fail.allocator, wrong[i].count, wrong[i].size));
        assert_null(sn_alloc_zero(&fail.allocator, wrong[i].count, wrong[i].size));
    }
    assert_int_equal(fail.calls, 0); // the host is not even asked
}

// A host that remembers what it gave out, and refuses everything past the limit.
typedef struct Host {
    size_t size[4];
    void *memory[4];
    int given;
    int taken_back;
} Host;

static void *host_allocate(void *context, size_t size, size_t alignment)
{
    Host *host = context;
    assert_int_equal(alignment, SN_ALIGNMENT);
    assert_int_equal(size % alignment, 0);
    if (size > 1 << 20) {
        return NULL;
    }
    void *memory = aligned_alloc(alignment, size);
    host->size[host->given] = size;
    host->memory[host->given++] = memory;
    return memory;
}

static void host_release(void *context, void *memory, size_t size)
{
    Host *host = context;
    for (int i = 0; i < host->given; ++i) {
        if (host->memory[i] == memory) {
            assert_int_equal(size, host->size[i]);
            host->memory[i] = NULL;
            host->taken_back++;
            free(memory);
            return;
        }
    }
    fail_msg("the host got back what it never gave");
}

static void the_host_gets_back_what_it_gave(void **state)
{
    (void)state;
    Host host = {.given = 0};
    SinewAllocator allocator = {host_allocate, host_release, &host};
    void *blocks[4];
    for (int i = 0; i < 4; ++i) {
        blocks[i] = sn_alloc(&allocator, (size_t)(1000 * i), 7);
        assert_non_null(blocks[i]);
        assert_true(host.size[i] >= (size_t)(7000 * i));
        memset(blocks[i], 0x11 * i, (size_t)(7000 * i));
    }
    assert_null(sn_alloc(&allocator, 1 << 20, 2));
    assert_null(sn_alloc_zero(&allocator, 1 << 20, 2));
    for (int i = 3; i >= 0; --i) {
        sn_free(&allocator, blocks[i]);
    }
    sn_free(&allocator, NULL);
    assert_int_equal(host.taken_back, 4);
}

static void an_empty_allocator_is_malloc(void **state)
{
    (void)state;
    SinewAllocator none = {0};
    void *memory = sn_alloc(&none, 10, 10);
    assert_non_null(memory);
    sn_free(&none, memory);
}

static SinewStatus allocate_two(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    double *a = NULL;
    int *b = NULL;
    SN_ALLOC(a, allocator, *(int *)context, error);
    SN_ALLOC_ZERO(b, allocator, *(int *)context, error);
    assert_int_equal(b[0], 0);
done:
    sn_free(allocator, b);
    sn_free(allocator, a);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    int count = 100;
    assert_int_equal(sn_fail_each_allocation(allocate_two, &count), 2);
}

static void the_sentence_names_count_and_size(void **state)
{
    (void)state;
    SnFailAllocator fail;
    SinewError error;
    int count = 12;
    sn_fail_allocator_init(&fail, 0);
    assert_int_equal(allocate_two(&fail.allocator, &count, &error), SINEW_ERROR_MEMORY);
    assert_string_equal(error.text, "out of memory: 12 items of 8 bytes could not be allocated");
    count = -1; // as a size, more than there is
    sn_fail_allocator_init(&fail, -1);
    assert_int_equal(allocate_two(&fail.allocator, &count, &error), SINEW_ERROR_MEMORY);
    assert_int_equal(fail.calls, 0);
}

static void rounding_up(void **state)
{
    (void)state;
    assert_int_equal(sn_round_up(0, 64), 0);
    assert_int_equal(sn_round_up(1, 64), 64);
    assert_int_equal(sn_round_up(64, 64), 64);
    assert_int_equal(sn_round_up(65, 16), 80);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(blocks_are_aligned_and_writable),
    cmocka_unit_test(nothing_is_a_valid_block),
    cmocka_unit_test(zero_means_zero),
    cmocka_unit_test(sizes_that_do_not_fit_are_refused),
    cmocka_unit_test(the_host_gets_back_what_it_gave),
    cmocka_unit_test(an_empty_allocator_is_malloc),
    cmocka_unit_test(each_allocation_may_fail),
    cmocka_unit_test(the_sentence_names_count_and_size),
    cmocka_unit_test(rounding_up),
};
SN_TEST_GROUP(base_memory, tests);

#include "support/fail_allocator.h"

#include "support/test.h"

static void *allocate(void *context, size_t size, size_t alignment)
{
    SnFailAllocator *self = context;
    if (self->calls++ == self->fail_at) {
        return NULL;
    }
    void *memory = aligned_alloc(alignment, size);
    assert_non_null(memory);
    memset(memory, 0xa5, size); // nobody may rely on zeros
    self->blocks += 1;
    self->bytes += (int64_t)size;
    return memory;
}

static void release(void *context, void *memory, size_t size)
{
    SnFailAllocator *self = context;
    memset(memory, 0x5a, size); // nobody may read what was given back
    self->blocks -= 1;
    self->bytes -= (int64_t)size;
    free(memory);
}

void sn_fail_allocator_init(SnFailAllocator *self, int64_t fail_at)
{
    *self = (SnFailAllocator){
        .allocator = {.allocate = allocate, .release = release, .context = self},
        .fail_at = fail_at,
    };
}

int64_t sn_fail_each_allocation(SnAllocatingFn *body, void *context)
{
    for (int64_t n = 0;; ++n) {
        SnFailAllocator fail;
        sn_fail_allocator_init(&fail, n);
        SinewError error = {.status = SINEW_OK};
        SinewStatus status = body(&fail.allocator, context, &error);
        assert_int_equal(fail.blocks, 0);
        assert_int_equal(fail.bytes, 0);
        if (fail.calls <= n) {
            assert_int_equal(status, SINEW_OK);
            return fail.calls;
        }
        assert_int_equal(status, SINEW_ERROR_MEMORY);
        assert_int_equal(error.status, SINEW_ERROR_MEMORY);
        assert_non_null(strstr(error.text, "out of memory"));
    }
}

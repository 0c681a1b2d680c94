#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// In front of each block stands one line that remembers its whole size, since hosts want it back.
typedef struct Header {
    size_t size;
    unsigned char fill[SN_ALIGNMENT - sizeof(size_t)];
} Header;

static_assert(sizeof(Header) == SN_ALIGNMENT, "a header keeps what follows aligned");

static bool is_host(const SinewAllocator *allocator)
{
    return allocator != NULL && allocator->allocate != NULL;
}

void *sn_alloc(const SinewAllocator *allocator, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX - 2 * sizeof(Header)) / size) {
        return NULL;
    }
    size_t total = sn_round_up(sizeof(Header) + count * size, SN_ALIGNMENT);
    Header *header = is_host(allocator)
                         ? allocator->allocate(allocator->context, total, SN_ALIGNMENT)
                         : aligned_alloc(SN_ALIGNMENT, total);
    if (header == NULL) {
        return NULL;
    }
    header->size = total;
    return header + 1;
}

void *sn_alloc_zero(const SinewAllocator *allocator, size_t count, size_t size)
{
    void *memory = sn_alloc(allocator, count, size);
    if (memory != NULL) {
        memset(memory, 0, count * size);
    }
    return memory;
}

void sn_free(const SinewAllocator *allocator, void *memory)
{
    if (memory == NULL) {
        return;
    }
    Header *header = (Header *)memory - 1;
    if (is_host(allocator)) {
        allocator->release(allocator->context, header, header->size);
    } else {
        free(header);
    }
}

SinewStatus sn_expect_memory(const void *memory, size_t count, size_t size, SinewError *error)
{
    if (memory == NULL) {
        return sn_fail(error, SINEW_ERROR_MEMORY,
                       "out of memory: %zu items of %zu bytes could not be allocated", count, size);
    }
    return SINEW_OK;
}

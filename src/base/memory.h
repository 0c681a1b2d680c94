// Memory: all of the library's comes through here, 64-byte aligned, from the host's allocator or
// from malloc. Sizes are count times size and the product is checked.
#ifndef SN_BASE_MEMORY_H
#define SN_BASE_MEMORY_H

#include "base/status.h"

// Every block starts on a cache line, which is also the widest vector register.
#define SN_ALIGNMENT 64

// `count` items of `size` bytes, uninitialised; NULL when memory is short or the product overflows.
// A count of zero gives a valid pointer. `allocator` may be NULL or all zero: malloc.
void *sn_alloc(const SinewAllocator *allocator, size_t count, size_t size);

// The same, for a block that will be written from end to end right away, which is then faster. Not
// for blocks that may stay empty in part: they would take memory.
void *sn_alloc_filled(const SinewAllocator *allocator, size_t count, size_t size);

// The same, all bytes zero.
void *sn_alloc_zero(const SinewAllocator *allocator, size_t count, size_t size);

// Gives back what sn_alloc returned; NULL is fine. The allocator must be the same.
void sn_free(const SinewAllocator *allocator, void *memory);

// Turns a NULL from sn_alloc into a status and a sentence.
SinewStatus sn_expect_memory(const void *memory, size_t count, size_t size, SinewError *error);

// Bytes of memory that the machine has; infinite where the system does not tell.
double sn_machine_memory(void);

// Rounds up to a multiple of `step`.
static inline size_t sn_round_up(size_t value, size_t step)
{
    return (value + step - 1) / step * step;
}

// pointer = count items, or leaves through `done:`.
#define SN_ALLOC(pointer, allocator, count, error)                                                 \
    SN_TRY(sn_expect_memory((pointer) = sn_alloc((allocator), (size_t)(count), sizeof *(pointer)), \
                            (size_t)(count), sizeof *(pointer), (error)))

#define SN_ALLOC_FILLED(pointer, allocator, count, error)                                          \
    SN_TRY(sn_expect_memory((pointer) =                                                            \
                                sn_alloc_filled((allocator), (size_t)(count), sizeof *(pointer)),  \
                            (size_t)(count), sizeof *(pointer), (error)))

#define SN_ALLOC_ZERO(pointer, allocator, count, error)                                            \
    SN_TRY(sn_expect_memory((pointer) =                                                            \
                                sn_alloc_zero((allocator), (size_t)(count), sizeof *(pointer)),    \
                            (size_t)(count), sizeof *(pointer), (error)))

#endif

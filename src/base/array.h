// Arrays that grow, for readers that do not know how much is coming. Growth is by half again, sizes
// are checked, and nothing is lost when memory is short.
//
//     SnArray columns = sn_array_of(allocator, sizeof(int));
//     SN_TRY(sn_array_push(&columns, &column, error));
//     ... SN_ITEMS(columns, int)[0] ...
#ifndef SN_BASE_ARRAY_H
#define SN_BASE_ARRAY_H

#include "base/memory.h"

typedef struct SnArray {
    const SinewAllocator *allocator; // nullable: malloc
    size_t item_size;                // bytes
    size_t count;
    size_t capacity;
    void *items; // NULL while nothing was added
} SnArray;

static inline SnArray sn_array_of(const SinewAllocator *allocator, size_t item_size)
{
    return (SnArray){.allocator = allocator, .item_size = item_size};
}

// Typed view of the items.
#define SN_ITEMS(array, Type) ((Type *)(array).items)

// Makes room for `more` items after the last and counts them in; they are uninitialised. NULL when
// memory is short, and then the array is as it was.
void *sn_array_add(SnArray *array, size_t more);

// Adds one item by copying it. The sentence says what ran out.
SinewStatus sn_array_push(SnArray *array, const void *item, SinewError *error);

// Hands the items over to the caller, who frees them with sn_free and the same allocator, and
// leaves the array empty. Never NULL: an empty array gives a block of no items. NULL only when
// memory is short.
void *sn_array_take(SnArray *array);

void sn_array_release(SnArray *array);

#endif

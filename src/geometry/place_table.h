// A table from places of an integer lattice to indices: open addressing, keys of 21 bits an axis.
// What it answers depends on what was put in alone, never on the order of memory.
#ifndef SN_GEOMETRY_PLACE_TABLE_H
#define SN_GEOMETRY_PLACE_TABLE_H

#include "base/memory.h"

// Coordinates are at least 0 and below this.
#define SN_PLACE_END (1 << 21)

typedef struct SnPlaceTable {
    const SinewAllocator *allocator; // nullable: malloc
    uint64_t *keys;                  // key + 1; 0: free
    int *values;
    size_t capacity; // a power of two, 0 before the first place
    size_t count;
} SnPlaceTable;

static inline SnPlaceTable sn_place_table_of(const SinewAllocator *allocator)
{
    return (SnPlaceTable){.allocator = allocator};
}

// The value at a place, -1 where there is none (also for places outside the range).
int sn_place_table_find(const SnPlaceTable *table, const int at[3]);

// Puts a value at a place, in place of what was there.
SinewStatus sn_place_table_set(SnPlaceTable *table, const int at[3], int value, SinewError *error);

void sn_place_table_release(SnPlaceTable *table);

// The bits of the three coordinates in turn: sorting by it keeps near places near.
uint64_t sn_place_order(const int at[3]);

// An index and what it is sorted by.
typedef struct SnOrdered {
    uint64_t order;
    int index;
} SnOrdered;

// Sorts by `order`, equal ones as they were; `scratch` has room for `count`.
void sn_ordered_sort(SnOrdered *items, SnOrdered *scratch, size_t count);

#endif

// From the tags that a file gives its vertices or groups to indices 0, 1, 2, ... in the order in
// which they were added. Tags that follow each other, as most files have them, cost a subtraction;
// others go into a hash table.
#ifndef SN_IO_TAG_MAP_H
#define SN_IO_TAG_MAP_H

#include "base/memory.h"

#include <stdbool.h>

typedef struct SnTagMap {
    const SinewAllocator *allocator;
    int64_t first;     // tags first .. first + run - 1 have the indices 0 .. run - 1
    int64_t run;       // while this equals `count`, there is no table
    int count;         // tags added
    size_t slot_count; // a power of two, or 0
    int64_t *slot_tags;
    int *slot_indices; // -1: empty
} SnTagMap;

static inline SnTagMap sn_tag_map_of(const SinewAllocator *allocator)
{
    return (SnTagMap){.allocator = allocator};
}

int sn_tag_map_find_slot(const SnTagMap *map, int64_t tag);

// The index of a tag, or -1.
static inline int sn_tag_map_find(const SnTagMap *map, int64_t tag)
{
    uint64_t place = (uint64_t)tag - (uint64_t)map->first;
    if (place < (uint64_t)map->run) {
        return (int)place;
    }
    return map->slot_count > 0 ? sn_tag_map_find_slot(map, tag) : -1;
}

// Adds a tag that is not there yet; its index is the count before. There may be INT_MAX at most.
SinewStatus sn_tag_map_add(SnTagMap *map, int64_t tag, SinewError *error);

// All zero is fine.
void sn_tag_map_release(SnTagMap *map);

#endif

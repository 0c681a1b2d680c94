// Slots: what an id of the public API leads to. Each slot holds one thing and counts how often it
// was emptied; an id remembers that count, so that one whose thing was removed leads nowhere, even
// when another thing moved in.
#ifndef SN_WORLD_SLOTS_H
#define SN_WORLD_SLOTS_H

#include "base/array.h"

#include <stdint.h>

// What ids have in common: index1 is 1 + the slot, 0 is "none".
typedef struct SnId {
    uint32_t index1;
    uint32_t generation;
} SnId;

#define SN_ID(id) ((SnId){(id).index1, (id).generation})

typedef struct SnSlots {
    const char *noun; // "pin", for sentences
    SnArray slots;
    int live; // slots that hold something
} SnSlots;

SnSlots sn_slots_of(const char *noun, const SinewAllocator *allocator);
void sn_slots_release(SnSlots *slots);

// Makes sure that the next sn_slots_add cannot fail.
SinewStatus sn_slots_reserve(SnSlots *slots, SinewError *error);

// Puts a thing into the first free slot. Only after sn_slots_reserve.
SnId sn_slots_add(SnSlots *slots, void *item);

// Takes it out; the id is stale from now on. Only for ids that lead to something.
void sn_slots_remove(SnSlots *slots, SnId id);

// The thing, or NULL and a sentence that says what is wrong with the id.
void *sn_slots_find(const SnSlots *slots, SnId id, SinewError *error);

// Walks all slots: those in [0, sn_slots_count), NULL where one is free.
int sn_slots_count(const SnSlots *slots);
void *sn_slots_at(const SnSlots *slots, int index);
SnId sn_slots_id(const SnSlots *slots, int index);

#endif

#include "world/slots.h"

typedef struct Slot {
    void *item;          // NULL: free
    uint32_t generation; // counts from 1, so that an id of zeros never matches
} Slot;

static Slot *slot_at(const SnSlots *slots, int index)
{
    return SN_ITEMS(slots->slots, Slot) + index;
}

SnSlots sn_slots_of(const char *noun, const SinewAllocator *allocator)
{
    return (SnSlots){.noun = noun, .slots = sn_array_of(allocator, sizeof(Slot))};
}

void sn_slots_release(SnSlots *slots)
{
    sn_array_release(&slots->slots);
    slots->live = 0;
}

int sn_slots_count(const SnSlots *slots)
{
    return (int)slots->slots.count;
}

void *sn_slots_at(const SnSlots *slots, int index)
{
    return slot_at(slots, index)->item;
}

SnId sn_slots_id(const SnSlots *slots, int index)
{
    return (SnId){(uint32_t)index + 1, slot_at(slots, index)->generation};
}

SinewStatus sn_slots_reserve(SnSlots *slots, SinewError *error)
{
    if (slots->live < sn_slots_count(slots)) {
        return SINEW_OK;
    }
    return sn_array_push(&slots->slots, &(Slot){NULL, 1}, error);
}

SnId sn_slots_add(SnSlots *slots, void *item)
{
    int index = 0;
    while (index < sn_slots_count(slots) && slot_at(slots, index)->item != NULL) {
        ++index;
    }
    SN_ASSERT(index < sn_slots_count(slots));
    slot_at(slots, index)->item = item;
    slots->live += 1;
    return sn_slots_id(slots, index);
}

void sn_slots_remove(SnSlots *slots, SnId id)
{
    Slot *slot = slot_at(slots, (int)id.index1 - 1);
    SN_ASSERT(slot->item != NULL && slot->generation == id.generation);
    slot->item = NULL;
    slot->generation += 1;
    if (slot->generation == 0) {
        slot->generation = 1;
    }
    slots->live -= 1;
}

void *sn_slots_find(const SnSlots *slots, SnId id, SinewError *error)
{
    if (id.index1 == 0) {
        sn_fail(error, SINEW_ERROR_ARGUMENT,
                "the %s id is zero, which names none, expected one "
                "that sinew_world_add_%s gave",
                slots->noun, slots->noun);
        return NULL;
    }
    if (id.index1 > slots->slots.count) {
        sn_fail(error, SINEW_ERROR_ARGUMENT,
                "the %s id is %u, and this world never had so many, expected one of its own",
                slots->noun, (unsigned)id.index1);
        return NULL;
    }
    const Slot *slot = slot_at(slots, (int)id.index1 - 1);
    if (slot->item == NULL || slot->generation != id.generation) {
        sn_fail(error, SINEW_ERROR_ARGUMENT,
                "the %s id %u, generation %u, is stale: what it named was removed", slots->noun,
                (unsigned)id.index1, (unsigned)id.generation);
        return NULL;
    }
    return slot->item;
}

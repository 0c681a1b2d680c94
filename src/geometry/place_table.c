#include "geometry/place_table.h"

#include "geometry/morton.h"

#include <string.h>

static uint64_t key_of(const int at[3])
{
    return ((uint64_t)at[0] | (uint64_t)at[1] << 21 | (uint64_t)at[2] << 42) + 1;
}

// Where a key is, or the free slot where it would go. The table is never full.
static size_t slot_of(const SnPlaceTable *table, uint64_t key)
{
    uint64_t hash = key * 0x9e3779b97f4a7c15u;
    size_t slot = (size_t)(hash ^ hash >> 32) & (table->capacity - 1);
    while (table->keys[slot] != 0 && table->keys[slot] != key) {
        slot = (slot + 1) & (table->capacity - 1);
    }
    return slot;
}

int sn_place_table_find(const SnPlaceTable *table, const int at[3])
{
    for (int c = 0; c < 3; ++c) {
        if (at[c] < 0 || at[c] >= SN_PLACE_END) {
            return -1;
        }
    }
    if (table->capacity == 0) {
        return -1;
    }
    uint64_t key = key_of(at);
    size_t slot = slot_of(table, key);
    return table->keys[slot] == key ? table->values[slot] : -1;
}

static SinewStatus grow(SnPlaceTable *table, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnPlaceTable wider = {.allocator = table->allocator,
                          .capacity = table->capacity == 0 ? 256 : 2 * table->capacity,
                          .count = table->count};

    SN_ALLOC_ZERO(wider.keys, table->allocator, wider.capacity, error);
    SN_ALLOC(wider.values, table->allocator, wider.capacity, error);
    for (size_t i = 0; i < table->capacity; ++i) {
        if (table->keys[i] != 0) {
            size_t slot = slot_of(&wider, table->keys[i]);
            wider.keys[slot] = table->keys[i];
            wider.values[slot] = table->values[i];
        }
    }
    SnPlaceTable narrow = *table;
    *table = wider;
    wider = narrow;

done:
    sn_place_table_release(&wider);
    return status;
}

SinewStatus sn_place_table_set(SnPlaceTable *table, const int at[3], int value, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int c = 0; c < 3; ++c) {
        SN_ASSERT(at[c] >= 0 && at[c] < SN_PLACE_END);
    }

    // At most two thirds full, so that searches stay short.
    if (3 * (table->count + 1) > 2 * table->capacity) {
        SN_TRY(grow(table, error));
    }
    uint64_t key = key_of(at);
    size_t slot = slot_of(table, key);
    table->count += table->keys[slot] == 0;
    table->keys[slot] = key;
    table->values[slot] = value;

done:
    return status;
}

void sn_place_table_release(SnPlaceTable *table)
{
    sn_free(table->allocator, table->keys);
    sn_free(table->allocator, table->values);
    *table = (SnPlaceTable){.allocator = table->allocator};
}

uint64_t sn_place_order(const int at[3])
{
    return sn_morton_encode(at[0], at[1], at[2]);
}

// One pass of a radix sort by the byte at `shift`; false when all items have the same byte there.
static int sort_pass(const SnOrdered *from, SnOrdered *to, size_t count, int shift)
{
    size_t start[257] = {0};
    for (size_t i = 0; i < count; ++i) {
        start[(from[i].order >> shift & 255) + 1]++;
    }
    if (start[(from[0].order >> shift & 255) + 1] == count) {
        return 0;
    }
    for (int b = 0; b < 256; ++b) {
        start[b + 1] += start[b];
    }
    for (size_t i = 0; i < count; ++i) {
        to[start[from[i].order >> shift & 255]++] = from[i];
    }
    return 1;
}

void sn_ordered_sort(SnOrdered *items, SnOrdered *scratch, size_t count)
{
    SnOrdered *from = items;
    SnOrdered *to = scratch;
    for (int shift = 0; shift < 64 && count > 1; shift += 8) {
        if (sort_pass(from, to, count, shift)) {
            SnOrdered *other = from;
            from = to;
            to = other;
        }
    }
    if (from != items) {
        memcpy(items, from, count * sizeof *items);
    }
}

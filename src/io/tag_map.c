#include "io/tag_map.h"

// Spreads tags over the table, so that regular steps between them do no harm.
static size_t slot_of(const SnTagMap *map, int64_t tag)
{
    uint64_t z = (uint64_t)tag * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93u;
    return (size_t)(z ^ (z >> 32)) & (map->slot_count - 1);
}

int sn_tag_map_find_slot(const SnTagMap *map, int64_t tag)
{
    size_t slot = slot_of(map, tag);
    while (map->slot_indices[slot] >= 0 && map->slot_tags[slot] != tag) {
        slot = (slot + 1) & (map->slot_count - 1);
    }
    return map->slot_indices[slot];
}

static void put(SnTagMap *map, int64_t tag, int index)
{
    size_t slot = slot_of(map, tag);
    while (map->slot_indices[slot] >= 0) {
        slot = (slot + 1) & (map->slot_count - 1);
    }
    map->slot_tags[slot] = tag;
    map->slot_indices[slot] = index;
}

// Doubles the table before it is half full.
static SinewStatus grow(SnTagMap *map, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTagMap wider = *map;
    wider.slot_count = map->slot_count > 0 ? 2 * map->slot_count : 64;
    wider.slot_tags = NULL;
    wider.slot_indices = NULL;
    SN_ALLOC(wider.slot_tags, map->allocator, wider.slot_count, error);
    SN_ALLOC(wider.slot_indices, map->allocator, wider.slot_count, error);
    for (size_t slot = 0; slot < wider.slot_count; ++slot) {
        wider.slot_indices[slot] = -1;
    }
    for (size_t slot = 0; slot < map->slot_count; ++slot) {
        if (map->slot_indices[slot] >= 0) {
            put(&wider, map->slot_tags[slot], map->slot_indices[slot]);
        }
    }
    sn_free(map->allocator, map->slot_tags);
    sn_free(map->allocator, map->slot_indices);
    *map = wider;
    return status;
done:
    sn_free(map->allocator, wider.slot_tags);
    sn_free(map->allocator, wider.slot_indices);
    return status;
}

SinewStatus sn_tag_map_add(SnTagMap *map, int64_t tag, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (map->count == 0) {
        map->first = tag;
    }
    if (map->run == map->count && (uint64_t)tag == (uint64_t)map->first + (uint64_t)map->run) {
        map->run++;
    } else {
        size_t in_table = (size_t)(map->count - map->run);
        if (2 * (in_table + 1) > map->slot_count) {
            SN_TRY(grow(map, error));
        }
        put(map, tag, map->count);
    }
    map->count++;
done:
    return status;
}

void sn_tag_map_release(SnTagMap *map)
{
    sn_free(map->allocator, map->slot_tags);
    sn_free(map->allocator, map->slot_indices);
    *map = (SnTagMap){0};
}

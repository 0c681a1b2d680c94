#include "contact/touch_list.h"

#include <string.h>

SinewStatus sn_touch_list_create(int collider_count, size_t room, const SinewAllocator *allocator,
                                 SnTouchList *out_list, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *out_list = (SnTouchList){.collider_count = collider_count, .room = room};
    SN_ALLOC_ZERO(out_list->end, allocator, collider_count, error);
    SN_ALLOC(out_list->touches, allocator, room, error);
done:
    return status;
}

void sn_touch_list_release(SnTouchList *list, const SinewAllocator *allocator)
{
    sn_free(allocator, list->end);
    sn_free(allocator, list->touches);
    *list = (SnTouchList){0};
}

void sn_touch_list_clear(SnTouchList *list)
{
    list->count = 0;
    for (int c = 0; c < list->collider_count; ++c) {
        list->end[c] = 0;
    }
}

void sn_touch_list_add(SnTouchList *list, const SnTouch *touch)
{
    if (list->count < list->room) {
        list->touches[list->count] = *touch;
    }
    list->count += 1;
}

void sn_touch_list_close(SnTouchList *list, int collider)
{
    list->end[collider] = list->count < list->room ? list->count : list->room;
}

void sn_touch_list_copy(const SnTouchList *from, SnTouchList *to)
{
    SN_ASSERT(from->collider_count == to->collider_count && from->count <= to->room);
    to->count = from->count;
    if (from->collider_count > 0) {
        memcpy(to->end, from->end, (size_t)from->collider_count * sizeof *from->end);
    }
    if (from->count > 0) {
        memcpy(to->touches, from->touches, from->count * sizeof *from->touches);
    }
}

const SnTouch *sn_touch_list_from(const SnTouchList *list, int collider, int point)
{
    size_t low = collider > 0 ? (size_t)list->end[collider - 1] : 0;
    size_t high = (size_t)list->end[collider];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->touches[middle].point < point) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return list->touches + low;
}

const SnTouch *sn_touch_list_end(const SnTouchList *list, int collider)
{
    return list->touches + list->end[collider];
}

const SnTouch *sn_touch_list_find(const SnTouchList *list, int collider, int point)
{
    const SnTouch *touch = sn_touch_list_from(list, collider, point);
    bool is_there = touch < sn_touch_list_end(list, collider) && touch->point == point;
    return is_there ? touch : NULL;
}

int sn_touch_list_count_points(const SnTouchList *list)
{
    int count = 0;
    for (int c = 0; c < list->collider_count; ++c) {
        const SnTouch *end = sn_touch_list_end(list, c);
        for (const SnTouch *touch = sn_touch_list_from(list, c, 0); touch < end; ++touch) {
            bool is_new = true;
            for (int before = 0; before < c && is_new; ++before) {
                is_new = sn_touch_list_find(list, before, (int)touch->point) == NULL;
            }
            count += is_new;
        }
    }
    return count;
}

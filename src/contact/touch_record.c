#include "contact/touch_record.h"

#include <string.h>

// Touches beyond one a point. Only what rests in several colliders with most of its points needs
// more, and what is not written takes no memory on most systems.
enum { ROOM_MORE = 256 };

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

// Every point in every collider.
static size_t pairs_of(int point_count, int collider_count)
{
    return (size_t)point_count * (size_t)collider_count;
}

SinewStatus sn_touch_record_create(int point_count, int collider_count, size_t room,
                                   const SinewAllocator *allocator, SnTouchRecord *out_record,
                                   SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t most = pairs_of(point_count, collider_count);
    room = larger(room, (size_t)point_count + ROOM_MORE);
    room = room < most ? room : most;
    *out_record = (SnTouchRecord){.point_count = point_count, .room = room};
    SN_TRY(sn_touch_list_create(collider_count, room, allocator, &out_record->touches, error));
    SN_ALLOC(out_record->pushes, allocator, room, error);
done:
    return status;
}

void sn_touch_record_release(SnTouchRecord *record, const SinewAllocator *allocator)
{
    sn_touch_list_release(&record->touches, allocator);
    sn_free(allocator, record->pushes);
    *record = (SnTouchRecord){0};
}

void sn_touch_record_copy(const SnTouchRecord *from, SnTouchRecord *to)
{
    sn_touch_list_copy(&from->touches, &to->touches);
    to->push_count = from->push_count;
    if (from->push_count > 0) {
        memcpy(to->pushes, from->pushes, from->push_count * sizeof *from->pushes);
    }
}

void sn_touch_record_push(SnTouchRecord *record, int point, const double force[3])
{
    if (record->push_count < record->room) {
        record->pushes[record->push_count++] = (SnPush){{force[0], force[1], force[2]}, point};
    } else {
        record->needed = larger(record->needed, record->room + 1);
    }
}

const SnPush *sn_touch_record_find(const SnTouchRecord *record, int point)
{
    size_t low = 0;
    size_t high = record->push_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (record->pushes[middle].point < point) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool is_there = low < record->push_count && record->pushes[low].point == point;
    return is_there ? &record->pushes[low] : NULL;
}

// Another body ------------------------------------------------------------------------------------

size_t sn_touch_record_carried(const SnTouchRecord *from, const int *source,
                               const SnTouchRecord *to)
{
    size_t touches = 0;
    size_t pushes = 0;
    for (int p = 0; p < to->point_count; ++p) {
        if (source[p] >= 0) {
            pushes += sn_touch_record_find(from, source[p]) != NULL;
            for (int c = 0; c < to->touches.collider_count; ++c) {
                touches += sn_touch_list_find(&from->touches, c, source[p]) != NULL;
            }
        }
    }
    return larger(touches, pushes);
}

static void carry_push(const SnPush *from, double share, int point, SnTouchRecord *to)
{
    const double force[3] = {share * from->force[0], share * from->force[1],
                             share * from->force[2]};
    sn_touch_record_push(to, point, force);
}

static void carry_touch(const SnTouch *from, double share, int point, SnTouchList *to)
{
    SnTouch touch = *from;
    touch.point = point;
    for (int k = 0; k < 3; ++k) {
        touch.press[k] *= share;
    }
    sn_touch_list_add(to, &touch);
}

void sn_touch_record_carry(const SnTouchRecord *from, const double *from_areas, const int *source,
                           const double *to_areas, SnTouchRecord *to)
{
    SN_ASSERT(from->touches.collider_count == to->touches.collider_count);
    to->push_count = 0;
    sn_touch_list_clear(&to->touches);
    for (int c = -1; c < to->touches.collider_count; ++c) { // -1: pushes
        for (int p = 0; p < to->point_count; ++p) {
            if (source[p] < 0 || !(from_areas[source[p]] > 0.0) || !(to_areas[p] > 0.0)) {
                continue; // what has no area feels nothing
            }
            double share = to_areas[p] / from_areas[source[p]];
            const SnPush *push = c < 0 ? sn_touch_record_find(from, source[p]) : NULL;
            const SnTouch *touch = c >= 0 ? sn_touch_list_find(&from->touches, c, source[p]) : NULL;
            if (push != NULL) {
                carry_push(push, share, p, to);
            }
            if (touch != NULL) {
                carry_touch(touch, share, p, &to->touches);
            }
        }
        if (c >= 0) {
            sn_touch_list_close(&to->touches, c);
        }
    }
}

// Bytes -------------------------------------------------------------------------------------------

// What they begin with; then the ends of the colliders' touches, the touches, the pushes.
typedef struct Head {
    uint64_t points, colliders, touches, pushes;
} Head;

static size_t size_of(int collider_count, size_t touches, size_t pushes)
{
    return sizeof(Head) + (size_t)collider_count * sizeof(uint64_t) + touches * sizeof(SnTouch) +
           pushes * sizeof(SnPush);
}

size_t sn_touch_record_size(const SnTouchRecord *record)
{
    return size_of(record->touches.collider_count, record->touches.count, record->push_count);
}

size_t sn_touch_record_size_max(const SnTouchRecord *record)
{
    return size_of(record->touches.collider_count, record->room, record->room);
}

// Copies that go on behind what they copied; arrays of no length may be NULL.
static void put(unsigned char **to, const void *from, size_t size)
{
    if (size > 0) {
        memcpy(*to, from, size);
        *to += size;
    }
}

static void get(const unsigned char **from, void *to, size_t size)
{
    if (size > 0) {
        memcpy(to, *from, size);
        *from += size;
    }
}

void sn_touch_record_save(const SnTouchRecord *record, void *bytes)
{
    unsigned char *to = bytes;
    const SnTouchList *list = &record->touches;
    Head head = {(uint64_t)record->point_count, (uint64_t)list->collider_count, list->count,
                 record->push_count};
    put(&to, &head, sizeof head);
    put(&to, list->end, (size_t)list->collider_count * sizeof *list->end);
    put(&to, list->touches, list->count * sizeof *list->touches);
    put(&to, record->pushes, record->push_count * sizeof *record->pushes);
}

// Whether the points of items [begin, end), of `stride` bytes each with the point as their last
// member, ascend and are points of the body.
static bool are_ascending(const unsigned char *items, size_t stride, size_t begin, size_t end,
                          int point_count)
{
    int64_t last = -1;
    for (size_t i = begin; i < end; ++i) {
        int64_t point = -1;
        memcpy(&point, items + (i + 1) * stride - sizeof point, sizeof point);
        if (point <= last || point >= point_count) {
            return false;
        }
        last = point;
    }
    return true;
}

// The lists behind the head, at `at`, are all there.
static bool lists_fit(const Head *head, const unsigned char *at, int collider_count,
                      int point_count)
{
    const unsigned char *touches = at + (size_t)collider_count * sizeof(uint64_t);
    const unsigned char *pushes = touches + (size_t)head->touches * sizeof(SnTouch);
    uint64_t begin = 0;
    for (int c = 0; c < collider_count; ++c) {
        uint64_t end = 0;
        get(&at, &end, sizeof end);
        if (end < begin || end > head->touches ||
            !are_ascending(touches, sizeof(SnTouch), (size_t)begin, (size_t)end, point_count)) {
            return false;
        }
        begin = end;
    }
    return begin == head->touches &&
           are_ascending(pushes, sizeof(SnPush), 0, (size_t)head->pushes, point_count);
}

bool sn_touch_record_fits(const SnTouchRecord *record, const void *bytes, size_t size,
                          size_t *out_size, size_t *out_room)
{
    const unsigned char *at = bytes;
    int colliders = record->touches.collider_count;
    Head head = {0};
    if (size < sizeof head) {
        return false;
    }
    get(&at, &head, sizeof head);
    // Counts that the bytes have room for, so that no product below overflows.
    if (head.points != (uint64_t)record->point_count || head.colliders != (uint64_t)colliders ||
        head.touches > pairs_of(record->point_count, colliders) || head.pushes > head.points ||
        head.touches > size / sizeof(SnTouch) || head.pushes > size / sizeof(SnPush)) {
        return false;
    }
    *out_room = larger((size_t)head.touches, (size_t)head.pushes);
    *out_size = size_of(colliders, (size_t)head.touches, (size_t)head.pushes);
    return *out_size <= size && lists_fit(&head, at, colliders, record->point_count);
}

void sn_touch_record_restore(SnTouchRecord *record, const void *bytes)
{
    const unsigned char *from = bytes;
    SnTouchList *list = &record->touches;
    Head head;
    get(&from, &head, sizeof head);
    SN_ASSERT(head.colliders == (uint64_t)list->collider_count && head.touches <= record->room &&
              head.pushes <= record->room);
    list->count = (size_t)head.touches;
    record->push_count = (size_t)head.pushes;
    get(&from, list->end, (size_t)list->collider_count * sizeof *list->end);
    get(&from, list->touches, list->count * sizeof *list->touches);
    get(&from, record->pushes, record->push_count * sizeof *record->pushes);
}

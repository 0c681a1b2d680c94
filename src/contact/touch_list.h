// The pairs of a collider and a point that touch, and nothing of those that do not: a body touches
// few of a world's colliders with few of its points. Ordered by collider, then by point. Built in
// that order: for each collider its touches, then a close.
//
// A list has room for so many touches and never allocates while it is built. One that is too small
// counts on, so that its owner knows how much room it takes, and leaves the rest out.
#ifndef SN_CONTACT_TOUCH_LIST_H
#define SN_CONTACT_TOUCH_LIST_H

#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>

// One point in one collider. Eight-byte members without gaps, so that all bytes are defined.
typedef struct SnTouch {
    double anchor[3]; // m, where the friction spring ends
    double press[3];  // N, normal force times normal; not zero
    int64_t point;
} SnTouch;

typedef struct SnTouchList {
    int collider_count;
    size_t room;      // touches
    size_t count;     // touches added; those beyond the room are not there
    uint64_t *end;    // a collider: where its touches end; they begin where the last one's end
    SnTouch *touches; //
} SnTouchList;

// An empty list. What was made is released by sn_touch_list_release in any case.
SinewStatus sn_touch_list_create(int collider_count, size_t room, const SinewAllocator *allocator,
                                 SnTouchList *out_list, SinewError *error);
void sn_touch_list_release(SnTouchList *list, const SinewAllocator *allocator);

// Begins anew.
void sn_touch_list_clear(SnTouchList *list);

// The next touch of the collider that is open, and the end of its touches.
void sn_touch_list_add(SnTouchList *list, const SnTouch *touch);
void sn_touch_list_close(SnTouchList *list, int collider);

// `to` has room for all of `from`, and as many colliders.
void sn_touch_list_copy(const SnTouchList *from, SnTouchList *to);

// The touches of a collider: the first of a point that is not before `point`, and their end.
const SnTouch *sn_touch_list_from(const SnTouchList *list, int collider, int point);
const SnTouch *sn_touch_list_end(const SnTouchList *list, int collider);

// The touch of a point; NULL: there is none.
const SnTouch *sn_touch_list_find(const SnTouchList *list, int collider, int point);

// How many points touch one or more colliders.
int sn_touch_list_count_points(const SnTouchList *list);

#endif

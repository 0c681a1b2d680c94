// What a step leaves behind of a body's contact: what touches, and the forces on the points that
// feel one. Goes with what touches, in memory and as bytes, not with points times colliders.
//
// Room is made outside of steps. A step that fills more than there is counts on and is to begin
// again with more room. Not taken: room for the worst case, every point in every collider, which
// was most of the memory of a crowd; and friction with one collider a point, since a point in a
// corner sticks to both walls.
#ifndef SN_CONTACT_TOUCH_RECORD_H
#define SN_CONTACT_TOUCH_RECORD_H

#include "contact/touch_list.h"

// The force on a point that feels one. Without gaps, as SnTouch.
typedef struct SnPush {
    double force[3]; // N
    int64_t point;
} SnPush;

typedef struct SnTouchRecord {
    int point_count;
    size_t room;         // of either list
    size_t needed;       // what the step under way would have filled of it
    SnTouchList touches; //
    SnPush *pushes;      // ascending by point
    size_t push_count;
} SnTouchRecord;

// An empty record for so many touches, or more: a first guess where none is known, never more than
// there can be. What was made is released by sn_touch_record_release in any case.
SinewStatus sn_touch_record_create(int point_count, int collider_count, size_t room,
                                   const SinewAllocator *allocator, SnTouchRecord *out_record,
                                   SinewError *error);
void sn_touch_record_release(SnTouchRecord *record, const SinewAllocator *allocator);

// `to` has room for all of `from`.
void sn_touch_record_copy(const SnTouchRecord *from, SnTouchRecord *to);

// The force on the next point, or none but that more room is needed.
void sn_touch_record_push(SnTouchRecord *record, int point, const double force[3]);

// The force on a point; NULL: it feels none.
const SnPush *sn_touch_record_find(const SnTouchRecord *record, int point);

// For a body whose point p was the point source[p], or none (-1): the room it takes, and the record
// there. Where a point became several, each has its share by area.
size_t sn_touch_record_carried(const SnTouchRecord *from, const int *source,
                               const SnTouchRecord *to);
void sn_touch_record_carry(const SnTouchRecord *from, const double *from_areas, const int *source,
                           const double *to_areas, SnTouchRecord *to);

// As bytes: of what is there, and of a record that is full.
size_t sn_touch_record_size(const SnTouchRecord *record);
size_t sn_touch_record_size_max(const SnTouchRecord *record);
void sn_touch_record_save(const SnTouchRecord *record, void *bytes);

// Whether the first of `size` bytes are those of a record with as many points and colliders: how
// many they are, and the room that they take.
bool sn_touch_record_fits(const SnTouchRecord *record, const void *bytes, size_t size,
                          size_t *out_size, size_t *out_room);

// From bytes that fit and that there is room for.
void sn_touch_record_restore(SnTouchRecord *record, const void *bytes);

#endif

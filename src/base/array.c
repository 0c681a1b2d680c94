#include "base/array.h"

#include <string.h>

void *sn_array_add(SnArray *array, size_t more)
{
    if (more > SIZE_MAX / 4 - array->count) {
        return NULL;
    }
    size_t wanted = array->count + more;
    if (wanted > array->capacity || array->items == NULL) {
        size_t capacity = array->capacity + array->capacity / 2 + 16;
        capacity = capacity < wanted ? wanted : capacity;
        void *items = sn_alloc(array->allocator, capacity, array->item_size);
        if (items == NULL) {
            return NULL;
        }
        if (array->count > 0) {
            memcpy(items, array->items, array->count * array->item_size);
        }
        sn_free(array->allocator, array->items);
        array->items = items;
        array->capacity = capacity;
    }
    void *added = (unsigned char *)array->items + array->count * array->item_size;
    array->count = wanted;
    return added;
}

SinewStatus sn_array_push(SnArray *array, const void *item, SinewError *error)
{
    void *place = sn_array_add(array, 1);
    if (place == NULL) {
        return sn_expect_memory(NULL, array->count + 1, array->item_size, error);
    }
    memcpy(place, item, array->item_size);
    return SINEW_OK;
}

void *sn_array_take(SnArray *array)
{
    if (array->items == NULL && sn_array_add(array, 0) == NULL) {
        return NULL;
    }
    void *items = array->items;
    *array = sn_array_of(array->allocator, array->item_size);
    return items;
}

void sn_array_release(SnArray *array)
{
    sn_free(array->allocator, array->items);
    *array = sn_array_of(array->allocator, array->item_size);
}

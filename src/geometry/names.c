#include "geometry/names.h"

#include <string.h>

SinewStatus sn_names_set(SnNames *names, int part, const char *text, size_t length,
                         const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    char *copy = NULL;
    const char *end = memchr(text, '\0', length);
    length = end != NULL ? (size_t)(end - text) : length;
    SN_ALLOC(copy, allocator, length + 1, error);
    memcpy(copy, text, length);
    copy[length] = '\0';
    sn_free(allocator, names->text[part]);
    names->text[part] = copy;
done:
    return status;
}

SinewStatus sn_names_reset(SnNames *names, int count, const SinewAllocator *allocator,
                           SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnNames fresh = {0};
    SN_ALLOC_ZERO(fresh.text, allocator, count, error);
    fresh.count = count;
    for (int part = 0; part < count; ++part) {
        SN_TRY(sn_names_set(&fresh, part, "", 0, allocator, error));
    }
    sn_names_release(names, allocator);
    *names = fresh;
    fresh = (SnNames){0};
done:
    sn_names_release(&fresh, allocator);
    return status;
}

SinewStatus sn_names_copy(const SnNames *from, const SinewAllocator *allocator, SnNames *names,
                          SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_names_reset(names, from->count, allocator, error));
    for (int i = 0; i < from->count; ++i) {
        SN_TRY(sn_names_set(names, i, from->text[i], strlen(from->text[i]), allocator, error));
    }
done:
    return status;
}

void sn_names_release(SnNames *names, const SinewAllocator *allocator)
{
    for (int part = 0; part < names->count; ++part) {
        sn_free(allocator, names->text[part]);
    }
    sn_free(allocator, names->text);
    *names = (SnNames){0};
}

#include "scene/read.h"

#include <string.h>

SnKeep sn_keep_of(const SinewAllocator *allocator)
{
    return (SnKeep){.allocator = allocator, .blocks = sn_array_of(allocator, sizeof(void *))};
}

void *sn_keep_alloc(SnKeep *keep, size_t count, size_t size, SinewError *error)
{
    void *block = sn_alloc_zero(keep->allocator, count, size);
    if (sn_expect_memory(block, count, size, error) < 0) {
        return NULL;
    }
    if (sn_array_push(&keep->blocks, &block, error) < 0) {
        sn_free(keep->allocator, block);
        return NULL;
    }
    return block;
}

const char *sn_keep_text(SnKeep *keep, const char *folder, const char *text, SinewError *error)
{
    size_t length = strlen(text);
    size_t front = folder != NULL && text[0] != '/' ? strlen(folder) : 0;
    char *copy = sn_keep_alloc(keep, front + length + 2, 1, error);
    if (copy == NULL) {
        return NULL;
    }
    if (front > 0) {
        memcpy(copy, folder, front);
        if (folder[front - 1] != '/') {
            copy[front++] = '/';
        }
    }
    memcpy(copy + front, text, length + 1);
    return copy;
}

void sn_keep_release(SnKeep *keep)
{
    for (size_t i = 0; i < keep->blocks.count; ++i) {
        sn_free(keep->allocator, SN_ITEMS(keep->blocks, void *)[i]);
    }
    sn_array_release(&keep->blocks);
}

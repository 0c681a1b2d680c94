#include "base/arena.h"

enum { FIRST_BLOCK = 64 * 1024 };

struct SnArenaBlock {
    SnArenaBlock *older;
    size_t size; // bytes of `memory`
    size_t used;
    unsigned char *memory;
};

static SnArenaBlock *block_create(const SinewAllocator *allocator, size_t size)
{
    SnArenaBlock *block = sn_alloc(allocator, 1, sizeof *block);
    if (block == NULL) {
        return NULL;
    }
    *block = (SnArenaBlock){.size = size, .memory = sn_alloc(allocator, size, 1)};
    if (block->memory == NULL) {
        sn_free(allocator, block);
        return NULL;
    }
    return block;
}

static void blocks_release(const SinewAllocator *allocator, SnArenaBlock *block)
{
    while (block != NULL) {
        SnArenaBlock *older = block->older;
        sn_free(allocator, block->memory);
        sn_free(allocator, block);
        block = older;
    }
}

void sn_arena_init(SnArena *arena, const SinewAllocator *allocator)
{
    *arena = (SnArena){.allocator = allocator};
}

void *sn_arena_take(SnArena *arena, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX - SN_ALIGNMENT) / size) {
        return NULL;
    }
    size_t wanted = sn_round_up(count * size, SN_ALIGNMENT);
    SnArenaBlock *block = arena->block;
    if (block == NULL || wanted > block->size - block->used) {
        size_t grown = block == NULL ? FIRST_BLOCK : 2 * block->size;
        SnArenaBlock *fresh = block_create(arena->allocator, wanted > grown ? wanted : grown);
        if (fresh == NULL) {
            return NULL;
        }
        fresh->older = block;
        arena->block = block = fresh;
    }
    void *memory = block->memory + block->used;
    block->used += wanted;
    arena->used += wanted;
    return memory;
}

void sn_arena_reset(SnArena *arena)
{
    SnArenaBlock *block = arena->block;
    if (block != NULL && block->older != NULL) {
        // The newest block is the largest. Often it holds all; if memory is too short for one that
        // does, it is the best there is.
        SnArenaBlock *whole =
            block->size < arena->used ? block_create(arena->allocator, arena->used) : NULL;
        if (whole != NULL) {
            arena->block = whole;
            blocks_release(arena->allocator, block);
        } else {
            blocks_release(arena->allocator, block->older);
            block->older = NULL;
        }
    }
    if (arena->block != NULL) {
        arena->block->used = 0;
    }
    arena->used = 0;
}

void sn_arena_release(SnArena *arena)
{
    blocks_release(arena->allocator, arena->block);
    *arena = (SnArena){.allocator = arena->allocator};
}

// A step's arena: scratch that is taken piece by piece during a step and given back all at once.
// It grows when a step asks for more than any before, so that after warm-up it allocates nothing.
#ifndef SN_BASE_ARENA_H
#define SN_BASE_ARENA_H

#include "base/memory.h"

typedef struct SnArenaBlock SnArenaBlock;

typedef struct SnArena {
    const SinewAllocator *allocator;
    SnArenaBlock *block; // newest; older ones hang behind it until the next reset
    size_t used;         // bytes taken since the last reset, over all blocks
} SnArena;

// An empty arena, which allocates at the first take. The allocator (nullable) must outlive it.
void sn_arena_init(SnArena *arena, const SinewAllocator *allocator);

// `count` items of `size` bytes, 64-byte aligned, uninitialised, valid until the next reset.
// NULL when memory is short or the product overflows.
void *sn_arena_take(SnArena *arena, size_t count, size_t size);

// Gives back all that was taken. Where several blocks were needed, one that holds all takes their
// place; if memory is too short for that, the largest stays and the arena still works.
void sn_arena_reset(SnArena *arena);

// Gives the memory back to the allocator. The arena is then as after sn_arena_init.
void sn_arena_release(SnArena *arena);

#endif

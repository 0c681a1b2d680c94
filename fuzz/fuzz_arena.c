// Fuzzes memory and the arena: the input is a program of takes, resets, blocks and failing
// allocations, run beside a model that knows what must hold. Pieces are aligned and never
// overlap, sizes that do not fit are refused, a step no larger than one before allocates nothing,
// and at the end the host has everything back.
#include "base/arena.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            __builtin_trap();                                                                      \
        }                                                                                          \
    } while (0)

enum { PIECES_MAX = 256, BLOCKS_MAX = 16, HOST_LIMIT = 1 << 20 };

typedef struct Host {
    SinewAllocator allocator;
    size_t bytes; // given out and not back
    int blocks;
    int calls;
    int fail_in; // calls until one fails; -1: none will
    bool failed; // one failed since this was last cleared
} Host;

typedef struct Piece {
    unsigned char *memory;
    size_t size;
    unsigned char fill;
} Piece;

typedef struct Model {
    Host host;
    SnArena arena;
    Piece pieces[PIECES_MAX];
    int piece_count;
    size_t used;     // bytes taken since the last reset, each piece rounded up
    size_t promised; // what a step may take without any allocation
    Piece blocks[BLOCKS_MAX];
} Model;

static void *host_allocate(void *context, size_t size, size_t alignment)
{
    Host *host = context;
    EXPECT(alignment == SN_ALIGNMENT && size % alignment == 0);
    host->calls++;
    if (host->fail_in-- == 0 || size > HOST_LIMIT) {
        host->failed = true;
        return NULL;
    }
    host->blocks++;
    host->bytes += size;
    return aligned_alloc(alignment, size);
}

static void host_release(void *context, void *memory, size_t size)
{
    Host *host = context;
    host->blocks--;
    host->bytes -= size;
    free(memory);
}

// One piece of the input, zeros past its end.
typedef struct Input {
    const uint8_t *data;
    size_t size;
} Input;

static size_t next(Input *input, int bytes)
{
    size_t value = 0;
    for (int i = 0; i < bytes && input->size > 0; ++i) {
        value = value << 8 | *input->data++;
        input->size--;
    }
    return value;
}

static void fill_piece(Piece *piece, void *memory, size_t size, unsigned char fill)
{
    EXPECT((uintptr_t)memory % SN_ALIGNMENT == 0);
    *piece = (Piece){memory, size, fill};
    memset(memory, fill, size);
}

static void expect_filled(const Piece *piece)
{
    for (size_t i = 0; i < piece->size; ++i) {
        EXPECT(piece->memory[i] == piece->fill);
    }
}

// Takes a piece whose count and size are that many bytes of the input.
static void take(Model *model, Input *input, int count_bytes, int size_bytes)
{
    size_t count = next(input, count_bytes);
    size_t size = size_bytes == 0 ? 1 : next(input, size_bytes);
    if (model->piece_count == PIECES_MAX) {
        return;
    }
    int calls = model->host.calls;
    void *memory = sn_arena_take(&model->arena, count, size);
    size_t product;
    bool fits = !__builtin_mul_overflow(count, size, &product) && product <= HOST_LIMIT;
    size_t wanted = fits ? sn_round_up(product, SN_ALIGNMENT) : 0;
    if (memory == NULL) {
        EXPECT(!fits || model->host.failed);
    } else {
        EXPECT(fits);
        fill_piece(&model->pieces[model->piece_count], memory, product,
                   (unsigned char)(model->piece_count + 1));
        model->piece_count++;
        model->used += wanted;
    }
    // The first take, even of nothing, makes the first block.
    if (fits && model->promised > 0 && model->used <= model->promised && memory != NULL) {
        EXPECT(model->host.calls == calls);
    }
    EXPECT(model->arena.used == model->used);
    model->host.failed = false;
}

static void expect_pieces_filled(const Model *model)
{
    for (int i = 0; i < model->piece_count; ++i) {
        expect_filled(&model->pieces[i]);
    }
}

static void reset(Model *model)
{
    expect_pieces_filled(model);
    sn_arena_reset(&model->arena);
    if (!model->host.failed && model->used > model->promised) {
        model->promised = model->used;
    }
    model->host.failed = false;
    model->used = 0;
    model->piece_count = 0;
}

static void release(Model *model)
{
    expect_pieces_filled(model);
    sn_arena_release(&model->arena);
    model->used = 0;
    model->promised = 0;
    model->piece_count = 0;
}

// A plain block comes in place of another.
static void replace_block(Model *model, Input *input, int count_bytes, int size_bytes)
{
    size_t index = next(input, 1);
    size_t count = next(input, count_bytes);
    size_t size = next(input, size_bytes);
    Piece *block = &model->blocks[index % BLOCKS_MAX];
    expect_filled(block);
    sn_free(&model->host.allocator, block->memory);
    *block = (Piece){0};
    void *memory = sn_alloc(&model->host.allocator, count, size);
    size_t product;
    if (__builtin_mul_overflow(count, size, &product)) {
        EXPECT(memory == NULL);
    } else if (memory != NULL) {
        fill_piece(block, memory, product, (unsigned char)(index + 1));
    } else {
        EXPECT(model->host.failed || product > HOST_LIMIT);
    }
    model->host.failed = false;
}

static void run(Model *model, Input *input)
{
    while (input->size > 0) {
        switch (next(input, 1) % 8) {
        case 0:
            take(model, input, 1, 0);
            break;
        case 1:
            take(model, input, 2, 0);
            break;
        case 2:
            take(model, input, 8, 8);
            break;
        case 3:
            reset(model);
            break;
        case 4:
            release(model);
            break;
        case 5:
            model->host.fail_in = (int)next(input, 1) % 8;
            break;
        case 6:
            replace_block(model, input, 1, 1);
            break;
        default:
            replace_block(model, input, 8, 8);
            break;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Model model;
    model = (Model){.host = {.fail_in = -1}};
    model.host.allocator = (SinewAllocator){host_allocate, host_release, &model.host};
    sn_arena_init(&model.arena, &model.host.allocator);
    Input input = {data, size};
    run(&model, &input);
    release(&model);
    for (int i = 0; i < BLOCKS_MAX; ++i) {
        expect_filled(&model.blocks[i]);
        sn_free(&model.host.allocator, model.blocks[i].memory);
    }
    EXPECT(model.host.blocks == 0 && model.host.bytes == 0);
    return 0;
}

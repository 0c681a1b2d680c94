// Tets in blocks, chunks and colours for the volume pass, kernel/tet_volume.h.
//
// Two patches of the sweeps form a chunk: neighbours along the curve, whose vertices stay in the
// first cache while its blocks correct them one after the other. Chunks of one colour share no
// vertex, so that workers take them in any order. Not taken: colours of tets. Every one of some
// thirty colours walks over the whole body, and two workers hand each cache line to and fro.
#include "model/split/blocks.h"

#include <string.h>

enum {
    CHUNK_PATCHES = 2,
    CHUNK_TETS = CHUNK_PATCHES * SN_TET_PATCH_BLOCKS * SN_TET_BLOCK,
    TRACKED = 128, // blocks of a chunk that take more than one tet: twice as many as they fill
    WORDS = TRACKED / 64,
    KEYS = 512,          // sums of tets at the corners of one
    COLOURS_TRACKED = 64 // colours that take more than one chunk
};

// Compliance of tets that feel no volume: so large that nothing moves, and still finite.
#define COMPLIANCE_MAX 1e25

// What is known before the sizes are; sets of blocks and of colours have a bit each.
typedef struct Draft {
    SnSplit *body;
    int *tets;       // by chunks, as the patches have them
    int *first;      // a chunk: its first place there, and the end
    int *block_of;   // a place there: the block in its chunk
    int *lane_of;    //
    int *blocks;     // a chunk: how many
    int *valence;    // a vertex inside: tets of the open chunk that touch it
    int *colour_of;  // a chunk
    uint64_t *taken; // WORDS a vertex inside: blocks of the open chunk that touch it
    uint64_t *seen;  // a vertex inside: colours of chunks that touch it
    int chunks;
    int colours;
} Draft;

static int vertex_of(const SnSplit *body, int tet, int corner)
{
    return body->inside[body->elements.vertices[4 * (size_t)tet + (size_t)corner]];
}

static void list_tets(Draft *draft)
{
    const SnSplitBlocks *blocks = &draft->body->blocks;
    int count = 0;
    for (int patch = 0; patch < blocks->patch_count; ++patch) {
        if (patch % CHUNK_PATCHES == 0) {
            draft->first[draft->chunks++] = count;
        }
        int end = blocks->patch_block[patch + 1] * SN_TET_BLOCK;
        for (int lane = blocks->patch_block[patch] * SN_TET_BLOCK; lane < end; ++lane) {
            if (blocks->tets[lane] >= 0) {
                draft->tets[count++] = blocks->tets[lane];
            }
        }
    }
    draft->first[draft->chunks] = count;
}

// Of the blocks that have room for a tet and touch none of its vertices the emptiest; `blocks` if
// there is none.
static int find_block(const Draft *draft, const int *filled, int tet, int blocks)
{
    int best = blocks;
    for (int word = 0; word < WORDS; ++word) {
        uint64_t taken = 0;
        for (int a = 0; a < 4; ++a) {
            taken |= draft->taken[WORDS * (size_t)vertex_of(draft->body, tet, a) + (size_t)word];
        }
        for (uint64_t open = ~taken; open != 0; open &= open - 1) {
            int block = 64 * word + __builtin_ctzll(open);
            if (block >= blocks) {
                return best;
            }
            if (filled[block] < SN_VOLUME_BLOCK &&
                (best == blocks || filled[block] < filled[best])) {
                best = block;
            }
        }
    }
    return best;
}

// The tets of a chunk whose vertices have most tets first: they are the hardest to find room for.
static void sort_chunk(Draft *draft, int chunk)
{
    const SnSplit *body = draft->body;
    int first = draft->first[chunk], count = draft->first[chunk + 1] - first;
    int sorted[CHUNK_TETS] = {0}, keys[CHUNK_TETS], start[KEYS + 1] = {0};
    for (int i = 0; i < 4 * count; ++i) {
        draft->valence[vertex_of(body, draft->tets[first + i / 4], i % 4)] = 0;
    }
    for (int i = 0; i < 4 * count; ++i) {
        draft->valence[vertex_of(body, draft->tets[first + i / 4], i % 4)] += 1;
    }
    for (int i = 0; i < count; ++i) {
        int sum = 0;
        for (int a = 0; a < 4; ++a) {
            sum += draft->valence[vertex_of(body, draft->tets[first + i], a)];
        }
        keys[i] = sum < KEYS ? KEYS - 1 - sum : 0;
        start[keys[i] + 1] += 1;
    }
    for (int k = 0; k < KEYS; ++k) {
        start[k + 1] += start[k];
    }
    for (int i = 0; i < count; ++i) {
        sorted[start[keys[i]]++] = draft->tets[first + i];
    }
    memcpy(draft->tets + first, sorted, (size_t)count * sizeof *sorted);
}

// The tets of a chunk into its blocks, as evenly as they go: that fills 99 of 100 lanes, where the
// first block with room fills 80. Those that find no room in the first TRACKED, which happens where
// hundreds meet at a vertex, have a block each.
static void pack_chunk(Draft *draft, int chunk)
{
    const SnSplit *body = draft->body;
    int first = draft->first[chunk], end = draft->first[chunk + 1];
    int filled[CHUNK_TETS] = {0};
    int blocks = (end - first + SN_VOLUME_BLOCK - 1) / SN_VOLUME_BLOCK;
    for (int i = 4 * first; i < 4 * end; ++i) {
        size_t v = (size_t)vertex_of(body, draft->tets[i / 4], i % 4);
        memset(draft->taken + WORDS * v, 0, WORDS * sizeof *draft->taken);
    }
    for (int i = first; i < end; ++i) {
        int block = find_block(draft, filled, draft->tets[i], blocks);
        blocks += block == blocks ? 1 : 0;
        draft->block_of[i] = block;
        draft->lane_of[i] = filled[block]++;
        for (int a = 0; a < 4 && block < TRACKED; ++a) {
            size_t v = (size_t)vertex_of(body, draft->tets[i], a);
            draft->taken[WORDS * v + (size_t)(block / 64)] |= (uint64_t)1 << (block % 64);
        }
    }
    draft->blocks[chunk] = blocks;
}

// Of the colours that no neighbour has, the one of the fewest chunks, so that all are about as
// long. Chunks that find none of the first COLOURS_TRACKED have one of their own.
static void colour_chunk(Draft *draft, int chunk, int *sizes)
{
    const SnSplit *body = draft->body;
    uint64_t seen = 0;
    int best = draft->colours;
    for (int i = 4 * draft->first[chunk]; i < 4 * draft->first[chunk + 1]; ++i) {
        seen |= draft->seen[vertex_of(body, draft->tets[i / 4], i % 4)];
    }
    for (int c = 0; c < draft->colours && c < COLOURS_TRACKED; ++c) {
        if ((seen >> c & 1) == 0 && (best == draft->colours || sizes[c] < sizes[best])) {
            best = c;
        }
    }
    draft->colours += best == draft->colours ? 1 : 0;
    draft->colour_of[chunk] = best;
    sizes[best] += 1;
    for (int i = 4 * draft->first[chunk]; i < 4 * draft->first[chunk + 1]; ++i) {
        if (best < COLOURS_TRACKED) {
            draft->seen[vertex_of(body, draft->tets[i / 4], i % 4)] |= (uint64_t)1 << best;
        }
    }
}

static void fill_lane(SnSplit *body, size_t block, size_t at, int tet)
{
    SnSplitColours *colours = &body->colours;
    const SnLaw *law = &body->materials[body->elements.materials[tet]].law;
    double volume = body->elements.weights[tet];
    double stiffness = law->lambda * volume;
    float *rest = colours->rest + block * SN_VOLUME_REST * SN_VOLUME_BLOCK + at;
    rest[0] = (float)(1.0 / (6.0 * volume));
    rest[SN_VOLUME_BLOCK] =
        (float)(stiffness > 1.0 / COMPLIANCE_MAX ? 1.0 / stiffness : COMPLIANCE_MAX);
    for (int a = 0; a < 4; ++a) {
        colours->vertices[(4 * block + (size_t)a) * SN_VOLUME_BLOCK + at] =
            4 * vertex_of(body, tet, a);
    }
}

// Lanes without a tet. Each chunk has a vertex of nobody's for them, after the last, since workers
// write back what they read there.
static void empty_lanes(SnSplit *body)
{
    SnSplitColours *colours = &body->colours;
    for (int chunk = 0; chunk < colours->chunk_count; ++chunk) {
        size_t first = (size_t)colours->chunk_block[chunk] * SN_VOLUME_BLOCK;
        size_t end = (size_t)colours->chunk_block[chunk + 1] * SN_VOLUME_BLOCK;
        for (size_t i = 4 * first; i < 4 * end; ++i) {
            colours->vertices[i] = 4 * (body->elements.vertex_count + chunk);
        }
        for (size_t i = SN_VOLUME_REST * first; i < SN_VOLUME_REST * end; ++i) {
            colours->rest[i] = i / SN_VOLUME_BLOCK % SN_VOLUME_REST == 0 ? 0.0f : 1.0f;
        }
    }
}

// Chunks by colour, in the order inside where they have the same. *out_place: a chunk's new one.
static void place_chunks(Draft *draft, int *out_place)
{
    SnSplitColours *colours = &draft->body->colours;
    int placed = 0;
    colours->chunk_start[0] = colours->chunk_block[0] = 0;
    for (int c = 0; c < draft->colours; ++c) {
        for (int chunk = 0; chunk < draft->chunks; ++chunk) {
            if (draft->colour_of[chunk] == c) {
                out_place[chunk] = placed;
                colours->chunk_block[placed + 1] =
                    colours->chunk_block[placed] + draft->blocks[chunk];
                placed += 1;
            }
        }
        colours->chunk_start[c + 1] = placed;
    }
    colours->count = draft->colours;
    colours->chunk_count = placed;
}

static void fill_chunks(const Draft *draft, const int *place)
{
    for (int chunk = 0; chunk < draft->chunks; ++chunk) {
        int begin = draft->body->colours.chunk_block[place[chunk]];
        for (int i = draft->first[chunk]; i < draft->first[chunk + 1]; ++i) {
            fill_lane(draft->body, (size_t)(begin + draft->block_of[i]), (size_t)draft->lane_of[i],
                      draft->tets[i]);
        }
    }
}

static SinewStatus draft_chunks(Draft *draft, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &draft->body->allocator;
    size_t tets = (size_t)draft->body->elements.count;
    size_t vertices = (size_t)draft->body->elements.vertex_count;
    int chunks = draft->body->blocks.patch_count / CHUNK_PATCHES + 1;
    int *sizes = NULL;

    SN_ALLOC(draft->tets, allocator, tets, error);
    SN_ALLOC(draft->block_of, allocator, tets, error);
    SN_ALLOC(draft->lane_of, allocator, tets, error);
    SN_ALLOC(draft->first, allocator, chunks + 1, error);
    SN_ALLOC(draft->blocks, allocator, chunks, error);
    SN_ALLOC(draft->colour_of, allocator, chunks, error);
    SN_ALLOC(draft->valence, allocator, vertices, error);
    SN_ALLOC(draft->taken, allocator, WORDS * vertices, error);
    SN_ALLOC_ZERO(draft->seen, allocator, vertices, error);
    SN_ALLOC_ZERO(sizes, allocator, chunks, error);
    list_tets(draft);
    for (int chunk = 0; chunk < draft->chunks; ++chunk) {
        sort_chunk(draft, chunk);
        pack_chunk(draft, chunk);
        colour_chunk(draft, chunk, sizes);
    }

done:
    sn_free(allocator, sizes);
    return status;
}

SinewStatus sn_split_colours_create(SnSplit *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitColours *colours = &body->colours;
    const SinewAllocator *allocator = &body->allocator;
    Draft draft = {.body = body};
    int *place = NULL;

    SN_TRY(draft_chunks(&draft, error));
    SN_ALLOC(place, allocator, draft.chunks, error);
    SN_ALLOC(colours->chunk_start, allocator, draft.colours + 1, error);
    SN_ALLOC(colours->chunk_block, allocator, draft.chunks + 1, error);
    place_chunks(&draft, place);
    size_t blocks = (size_t)colours->chunk_block[colours->chunk_count];
    SN_ALLOC(colours->vertices, allocator, 4 * SN_VOLUME_BLOCK * blocks, error);
    SN_ALLOC(colours->rest, allocator, SN_VOLUME_REST * SN_VOLUME_BLOCK * blocks, error);
    empty_lanes(body);
    fill_chunks(&draft, place);

done:
    sn_free(allocator, place);
    void *const arrays[] = {draft.tets,  draft.block_of, draft.lane_of,
                            draft.first, draft.blocks,   draft.colour_of,
                            draft.taken, draft.seen,     draft.valence};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sn_free(allocator, arrays[i]);
    }
    return status;
}

void sn_split_colours_set_masses(SnSplit *body)
{
    float *places = body->colours.places;
    for (int i = 0; i < body->elements.vertex_count && places != NULL; ++i) {
        int v = body->outside[i];
        places[4 * (size_t)i + 3] =
            body->pins.set.held[v] != 0 ? 0.0f : (float)(1.0 / body->masses[v]);
    }
}

void sn_split_colours_release(SnSplit *body)
{
    const SinewAllocator *allocator = &body->allocator;
    sn_free(allocator, body->colours.chunk_start);
    sn_free(allocator, body->colours.chunk_block);
    sn_free(allocator, body->colours.vertices);
    sn_free(allocator, body->colours.rest);
}

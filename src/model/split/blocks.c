#include "model/split/blocks.h"

#include "geometry/point_order.h"

#include <string.h>

// Compliance of tets that feel no volume: so large that nothing moves, and still finite.
#define COMPLIANCE_MAX 1e25

void sn_split_rest_inverse(const SnSplit *body, int tet, double out[9])
{
    memcpy(out, body->elements.gradients + 12 * (size_t)tet + 3, 9 * sizeof *out);
}

static SinewStatus order_vertices(SnSplit *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = body->elements.vertex_count;
    SN_TRY(sn_point_order_create(body->elements.rest, count, body->workers, &body->allocator,
                                 &body->outside, error));
    SN_ALLOC(body->inside, &body->allocator, count, error);
    for (int i = 0; i < count; ++i) {
        body->inside[body->outside[i]] = i;
    }
done:
    return status;
}

// Tets in Morton order of their middles.
static SinewStatus order_tets(SnSplit *body, int **out_order, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnNewtonElements *elements = &body->elements;
    double *middles = NULL;
    SN_ALLOC(middles, &body->allocator, 3 * (size_t)elements->count, error);
    for (int e = 0; e < elements->count; ++e) {
        double X[12];
        sn_newton_elements_gather(elements, e, elements->rest, X);
        for (size_t k = 0; k < 3; ++k) {
            middles[3 * (size_t)e + k] = 0.25 * (X[k] + X[3 + k] + X[6 + k] + X[9 + k]);
        }
    }
    SN_TRY(sn_point_order_create(middles, elements->count, body->workers, &body->allocator,
                                 out_order, error));
done:
    sn_free(&body->allocator, middles);
    return status;
}

static void fill_lane(SnSplit *body, int lane, int tet, bool real)
{
    SnSplitBlocks *blocks = &body->blocks;
    size_t block = (size_t)(lane / SN_TET_BLOCK);
    size_t at = (size_t)(lane % SN_TET_BLOCK);
    const SnLaw *law = &body->materials[body->elements.materials[tet]].law;
    double volume = real ? body->elements.weights[tet] : 0.0;
    double B[9];
    float *rest = blocks->rest + block * SN_TET_REST * SN_TET_BLOCK + at;
    blocks->tets[lane] = real ? tet : -1;
    for (size_t a = 0; a < 4; ++a) {
        int vertex = body->inside[body->elements.vertices[4 * (size_t)tet + a]];
        blocks->vertices[(4 * block + a) * SN_TET_BLOCK + at] = 3 * vertex;
    }
    sn_split_rest_inverse(body, tet, B);
    for (size_t k = 0; k < 9; ++k) {
        rest[k * SN_TET_BLOCK] = (float)B[k];
    }
    rest[9 * SN_TET_BLOCK] = (float)(2.0 * law->mu * volume);
    rest[10 * SN_TET_BLOCK] = (float)(law->lambda * volume);
}

// A slot for each corner: those of a vertex side by side, in the order of tets inside.
static void find_slots(SnSplit *body)
{
    SnSplitBlocks *blocks = &body->blocks;
    int vertex_count = body->elements.vertex_count;
    int *start = blocks->slot_start;
    memset(start, 0, ((size_t)vertex_count + 1) * sizeof *start);
    for (int pass = 0; pass < 2; ++pass) {
        for (int lane = 0; lane < blocks->count * SN_TET_BLOCK; ++lane) {
            for (int a = 0; a < 4; ++a) {
                size_t at = (size_t)(4 * (lane / SN_TET_BLOCK) + a) * SN_TET_BLOCK +
                            (size_t)(lane % SN_TET_BLOCK);
                int v = blocks->vertices[at] / 3;
                bool real = blocks->tets[lane] >= 0;
                if (pass == 0) {
                    start[v + 1] += real ? 1 : 0;
                } else {
                    blocks->slots[at] = 4 * (real ? start[v]++ : blocks->slot_count - 1);
                }
            }
        }
        for (int v = 0; v < vertex_count && pass == 0; ++v) {
            start[v + 1] += start[v];
        }
    }
    // Filling moved each start to its end.
    memmove(start + 1, start, (size_t)vertex_count * sizeof *start);
    start[0] = 0;
}

SinewStatus sn_split_blocks_create(SnSplit *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitBlocks *blocks = &body->blocks;
    const SinewAllocator *allocator = &body->allocator;
    int count = body->elements.count;
    int *order = NULL;

    SN_TRY(order_vertices(body, error));
    SN_TRY(order_tets(body, &order, error));
    blocks->count = (count + SN_TET_BLOCK - 1) / SN_TET_BLOCK;
    blocks->slot_count = 4 * count + 1;
    size_t lanes = (size_t)blocks->count * SN_TET_BLOCK;
    SN_ALLOC(blocks->tets, allocator, lanes, error);
    SN_ALLOC(blocks->vertices, allocator, 4 * lanes, error);
    SN_ALLOC(blocks->slots, allocator, 4 * lanes, error);
    SN_ALLOC(blocks->rest, allocator, SN_TET_REST * lanes, error);
    SN_ALLOC(blocks->slot_start, allocator, (size_t)body->elements.vertex_count + 1, error);
    for (int lane = 0; lane < (int)lanes; ++lane) {
        bool real = lane < count;
        fill_lane(body, lane, order[real ? lane : count - 1], real);
    }
    find_slots(body);

done:
    sn_free(allocator, order);
    return status;
}

void sn_split_blocks_release(SnSplit *body)
{
    const SinewAllocator *allocator = &body->allocator;
    sn_free(allocator, body->inside);
    sn_free(allocator, body->outside);
    sn_free(allocator, body->blocks.tets);
    sn_free(allocator, body->blocks.vertices);
    sn_free(allocator, body->blocks.slots);
    sn_free(allocator, body->blocks.rest);
    sn_free(allocator, body->blocks.slot_start);
}

// Colours ----------------------------------------------------------------------------------------

static void fill_colour_lane(SnSplit *body, int lane, int tet)
{
    SnSplitColours *colours = &body->colours;
    size_t block = (size_t)(lane / SN_VOLUME_BLOCK);
    size_t at = (size_t)(lane % SN_VOLUME_BLOCK);
    float *rest = colours->rest + block * SN_VOLUME_REST * SN_VOLUME_BLOCK + at;
    double B[9] = {0.0};
    double compliance = COMPLIANCE_MAX;
    colours->tets[lane] = tet;
    if (tet >= 0) {
        const SnLaw *law = &body->materials[body->elements.materials[tet]].law;
        double stiffness = law->lambda * body->elements.weights[tet];
        compliance = stiffness > 1.0 / COMPLIANCE_MAX ? 1.0 / stiffness : COMPLIANCE_MAX;
        sn_split_rest_inverse(body, tet, B);
    }
    for (size_t a = 0; a < 4; ++a) {
        // The vertex after the last is nobody's.
        int vertex = tet >= 0 ? body->inside[body->elements.vertices[4 * (size_t)tet + a]]
                              : body->elements.vertex_count;
        colours->vertices[(4 * block + a) * SN_VOLUME_BLOCK + at] = 3 * vertex;
    }
    for (size_t k = 0; k < 9; ++k) {
        rest[k * SN_VOLUME_BLOCK] = (float)B[k];
    }
    rest[9 * SN_VOLUME_BLOCK] = (float)compliance;
}

// The pattern has coloured the tets already; here each colour gets whole blocks.
SinewStatus sn_split_colours_create(SnSplit *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitColours *colours = &body->colours;
    const SnNewtonPattern *pattern = &body->pattern;
    const SinewAllocator *allocator = &body->allocator;

    colours->count = pattern->colour_count;
    SN_ALLOC(colours->block_start, allocator, colours->count + 1, error);
    colours->block_start[0] = 0;
    for (int c = 0; c < colours->count; ++c) {
        int tets = pattern->colour_start[c + 1] - pattern->colour_start[c];
        colours->block_start[c + 1] =
            colours->block_start[c] + (tets + SN_VOLUME_BLOCK - 1) / SN_VOLUME_BLOCK;
    }
    size_t lanes = (size_t)colours->block_start[colours->count] * SN_VOLUME_BLOCK;
    SN_ALLOC(colours->tets, allocator, lanes, error);
    SN_ALLOC(colours->vertices, allocator, 4 * lanes, error);
    SN_ALLOC_ZERO(colours->rest, allocator, SN_VOLUME_REST * lanes, error);
    SN_ALLOC_ZERO(colours->multipliers, allocator, lanes, error);
    for (int c = 0; c < colours->count; ++c) {
        int first = colours->block_start[c] * SN_VOLUME_BLOCK;
        int last = colours->block_start[c + 1] * SN_VOLUME_BLOCK;
        int tets = pattern->colour_start[c + 1] - pattern->colour_start[c];
        for (int lane = first; lane < last; ++lane) {
            int place = lane - first;
            fill_colour_lane(body, lane,
                             place < tets ? pattern->order[pattern->colour_start[c] + place] : -1);
        }
    }

done:
    return status;
}

void sn_split_colours_set_masses(SnSplit *body)
{
    SnSplitColours *colours = &body->colours;
    int lanes = colours->count > 0 ? colours->block_start[colours->count] * SN_VOLUME_BLOCK : 0;
    for (int lane = 0; lane < lanes; ++lane) {
        size_t block = (size_t)(lane / SN_VOLUME_BLOCK);
        float *rest = colours->rest + block * SN_VOLUME_REST * SN_VOLUME_BLOCK +
                      (size_t)(lane % SN_VOLUME_BLOCK);
        for (size_t a = 0; a < 4 && colours->tets[lane] >= 0; ++a) {
            int v = body->elements.vertices[4 * (size_t)colours->tets[lane] + a];
            rest[(10 + a) * SN_VOLUME_BLOCK] =
                body->pins.set.held[v] != 0 ? 0.0f : (float)(1.0 / body->masses[v]);
        }
    }
}

void sn_split_colours_release(SnSplit *body)
{
    const SinewAllocator *allocator = &body->allocator;
    sn_free(allocator, body->colours.block_start);
    sn_free(allocator, body->colours.tets);
    sn_free(allocator, body->colours.vertices);
    sn_free(allocator, body->colours.rest);
    sn_free(allocator, body->colours.multipliers);
}

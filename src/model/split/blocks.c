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

// Lanes beyond the last tet have no volume.
static void fill_lane(SnSplit *body, int lane)
{
    SnSplitBlocks *blocks = &body->blocks;
    size_t block = (size_t)(lane / SN_TET_BLOCK);
    bool real = blocks->tets[lane] >= 0;
    // The first lane of a block is always a tet.
    int tet = blocks->tets[real ? lane : lane - lane % SN_TET_BLOCK];
    const SnLaw *law = &body->materials[body->elements.materials[tet]].law;
    double volume = real ? body->elements.weights[tet] : 0.0;
    double B[9];
    float *rest = blocks->rest + block * SN_TET_REST * SN_TET_BLOCK + (size_t)(lane % SN_TET_BLOCK);
    sn_split_rest_inverse(body, tet, B);
    for (size_t k = 0; k < 9; ++k) {
        rest[k * SN_TET_BLOCK] = (float)B[k];
    }
    rest[9 * SN_TET_BLOCK] = (float)(2.0 * law->mu * volume);
    rest[10 * SN_TET_BLOCK] = (float)(law->lambda * volume);
}

SinewStatus sn_split_blocks_create(SnSplit *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitBlocks *blocks = &body->blocks;
    const SinewAllocator *allocator = &body->allocator;
    int *order = NULL;

    SN_TRY(order_vertices(body, error));
    SN_TRY(order_tets(body, &order, error));
    SN_TRY(sn_split_patches_create(body, order, error));
    int lanes = blocks->count * SN_TET_BLOCK;
    SN_ALLOC(blocks->rest, allocator, SN_TET_REST * (size_t)lanes, error);
    for (int lane = 0; lane < lanes; ++lane) {
        fill_lane(body, lane);
    }

done:
    sn_free(allocator, order);
    return status;
}

void sn_split_blocks_release(SnSplit *body)
{
    const SinewAllocator *allocator = &body->allocator;
    sn_free(allocator, body->inside);
    sn_free(allocator, body->outside);
    sn_free(allocator, body->blocks.rest);
    sn_split_patches_release(body);
}

// Colours ----------------------------------------------------------------------------------------

// A lane without a tet has tet -1.
static void fill_colour_lane(SnSplit *body, int lane, int tet)
{
    SnSplitColours *colours = &body->colours;
    size_t block = (size_t)(lane / SN_VOLUME_BLOCK);
    size_t at = (size_t)(lane % SN_VOLUME_BLOCK);
    float *rest = colours->rest + block * SN_VOLUME_REST * SN_VOLUME_BLOCK + at;
    double B[9] = {0.0};
    double compliance = 0.0;
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
        colours->vertices[(4 * block + a) * SN_VOLUME_BLOCK + at] = 4 * vertex;
    }
    for (size_t k = 0; k < 9; ++k) {
        rest[k * SN_VOLUME_BLOCK] = (float)B[k];
    }
    rest[9 * SN_VOLUME_BLOCK] = (float)compliance;
}

// Each colour gets whole blocks, its tets in the order inside, where neighbours are near.
static void fill_colours(SnSplit *body, const int *colour_of, int *filled)
{
    SnSplitColours *colours = &body->colours;
    for (int c = 0; c < colours->count; ++c) {
        filled[c] = colours->block_start[c] * SN_VOLUME_BLOCK;
    }
    for (int lane = 0; lane < body->blocks.count * SN_TET_BLOCK; ++lane) {
        int tet = body->blocks.tets[lane];
        if (tet >= 0) {
            fill_colour_lane(body, filled[colour_of[tet]]++, tet);
        }
    }
    for (int c = 0; c < colours->count; ++c) {
        while (filled[c] < colours->block_start[c + 1] * SN_VOLUME_BLOCK) {
            fill_colour_lane(body, filled[c]++, -1);
        }
    }
}

// The pattern has coloured the tets already.
SinewStatus sn_split_colours_create(SnSplit *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitColours *colours = &body->colours;
    const SnNewtonPattern *pattern = &body->pattern;
    const SinewAllocator *allocator = &body->allocator;
    int *colour_of = NULL, *filled = NULL;

    colours->count = pattern->colour_count;
    SN_ALLOC(colour_of, allocator, body->elements.count, error);
    SN_ALLOC(filled, allocator, colours->count, error);
    SN_ALLOC(colours->block_start, allocator, colours->count + 1, error);
    colours->block_start[0] = 0;
    for (int c = 0; c < colours->count; ++c) {
        int tets = pattern->colour_start[c + 1] - pattern->colour_start[c];
        colours->block_start[c + 1] =
            colours->block_start[c] + (tets + SN_VOLUME_BLOCK - 1) / SN_VOLUME_BLOCK;
        for (int i = pattern->colour_start[c]; i < pattern->colour_start[c + 1]; ++i) {
            colour_of[pattern->order[i]] = c;
        }
    }
    size_t lanes = (size_t)colours->block_start[colours->count] * SN_VOLUME_BLOCK;
    SN_ALLOC(colours->vertices, allocator, 4 * lanes, error);
    SN_ALLOC(colours->rest, allocator, SN_VOLUME_REST * lanes, error);
    fill_colours(body, colour_of, filled);

done:
    sn_free(allocator, colour_of);
    sn_free(allocator, filled);
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
    sn_free(allocator, body->colours.block_start);
    sn_free(allocator, body->colours.vertices);
    sn_free(allocator, body->colours.rest);
}

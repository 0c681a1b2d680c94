#include "model/split/blocks.h"

#include "geometry/point_order.h"

#include <string.h>

void sn_split_rest_inverse(const SnSplit *body, int tet, double out[9])
{
    double gradients[12];
    sn_newton_elements_tet_gradients(&body->elements, tet, gradients);
    memcpy(out, gradients + 3, 9 * sizeof *out);
}

// Bundles in the order in which their middle vertices are met inside.
SinewStatus sn_split_bundles_create(SnSplit *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = body->elements.vertex_count;
    SN_ALLOC(body->bundles, &body->allocator, count / SN_SPLIT_BUNDLE + 1, error);
    for (int i = 0; i < count; ++i) {
        int v = body->outside[i];
        int middle = v - v % SN_SPLIT_BUNDLE + SN_SPLIT_BUNDLE / 2;
        if (v == middle || (v == count - 1 && v < middle)) {
            body->bundles[body->bundle_count++] = v / SN_SPLIT_BUNDLE;
        }
    }
done:
    return status;
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
    SN_TRY(sn_split_bundles_create(body, error));
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

SinewStatus sn_split_blocks_fill(SnSplit *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int lanes = body->blocks.count * SN_TET_BLOCK;
    SN_ALLOC_FILLED(body->blocks.rest, &body->allocator, SN_TET_REST * (size_t)lanes, error);
    for (int lane = 0; lane < lanes; ++lane) {
        fill_lane(body, lane);
    }
done:
    return status;
}

// After a cut ------------------------------------------------------------------------------------

SinewStatus sn_split_lanes_before(const SnSplit *body, const SnSplit *from, const SnTetCut *cut,
                                  int **out_lanes, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSplitBlocks *now = &body->blocks, *old = &from->blocks;
    int *lane_of = NULL; // an old tet
    *out_lanes = NULL;
    if (cut->tet_count == cut->old_tet_count && now->count == old->count &&
        memcmp(now->tets, old->tets, (size_t)now->count * SN_TET_BLOCK * sizeof *now->tets) == 0) {
        return SINEW_OK;
    }
    SN_ALLOC(lane_of, &body->allocator, cut->old_tet_count, error);
    SN_ALLOC(*out_lanes, &body->allocator, (size_t)now->count * SN_TET_BLOCK, error);
    for (int lane = 0; lane < old->count * SN_TET_BLOCK; ++lane) {
        if (old->tets[lane] >= 0) {
            lane_of[old->tets[lane]] = lane;
        }
    }
    for (int lane = 0; lane < now->count * SN_TET_BLOCK; ++lane) {
        int tet = now->tets[lane];
        (*out_lanes)[lane] = tet >= 0 ? lane_of[cut->tet_source[tet]] : -1;
    }
done:
    sn_free(&body->allocator, lane_of);
    return status;
}

int sn_split_block_before(const int *before)
{
    bool same = before[0] % SN_TET_BLOCK == 0;
    for (int i = 1; i < SN_TET_BLOCK && same; ++i) {
        same = before[i] == before[0] + i;
    }
    return same ? before[0] / SN_TET_BLOCK : -1;
}

void sn_split_lanes_copy(const SnSplit *body, const int *before, int planes, const float *from,
                         float *to)
{
    size_t size = (size_t)planes * SN_TET_BLOCK; // floats a block
    if (before == NULL) {
        memcpy(to, from, (size_t)body->blocks.count * size * sizeof *to);
        return;
    }
    for (size_t b = 0; b < (size_t)body->blocks.count; ++b) {
        const int *lanes = before + b * SN_TET_BLOCK;
        int block = sn_split_block_before(lanes);
        if (block >= 0) {
            memcpy(to + b * size, from + (size_t)block * size, size * sizeof *to);
            continue;
        }
        for (size_t i = 0; i < SN_TET_BLOCK; ++i) {
            for (size_t k = 0; k < size && lanes[i] >= 0; k += SN_TET_BLOCK) {
                size_t at = (size_t)(lanes[i] / SN_TET_BLOCK) * size;
                to[b * size + k + i] = from[at + k + (size_t)(lanes[i] % SN_TET_BLOCK)];
            }
        }
    }
}

SinewStatus sn_split_blocks_copy(SnSplit *body, const SnSplit *from, const SnTetCut *cut,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int lanes = body->blocks.count * SN_TET_BLOCK;
    int *before = NULL;
    SN_ALLOC_FILLED(body->blocks.rest, &body->allocator, SN_TET_REST * (size_t)lanes, error);
    SN_TRY(sn_split_lanes_before(body, from, cut, &before, error));
    sn_split_lanes_copy(body, before, SN_TET_REST, from->blocks.rest, body->blocks.rest);
    for (int lane = 0; lane < lanes && before != NULL; ++lane) {
        if (before[lane] < 0) {
            fill_lane(body, lane);
        }
    }
done:
    sn_free(&body->allocator, before);
    return status;
}

// Making -----------------------------------------------------------------------------------------

SinewStatus sn_split_blocks_create(SnSplit *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *order = NULL;

    SN_TRY(order_vertices(body, error));
    SN_TRY(order_tets(body, &order, error));
    SN_TRY(sn_split_patches_create(body, order, error));
    SN_TRY(sn_split_blocks_fill(body, error));

done:
    sn_free(&body->allocator, order);
    return status;
}

void sn_split_blocks_release(SnSplit *body)
{
    const SinewAllocator *allocator = &body->allocator;
    sn_free(allocator, body->inside);
    sn_free(allocator, body->outside);
    sn_free(allocator, body->bundles);
    sn_free(allocator, body->blocks.rest);
    sn_split_patches_release(body);
}

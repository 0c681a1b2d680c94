// The shape of a body that a cut made, from the shape before it: elements, masses, orders and
// blocks far from the cut are copied. Vertices keep their order inside, and copies come after all
// others; tets keep their order and their patches. So what refers to vertices and tets far from the
// cut stays as it is, or, where some were taken out, takes their new numbers.
//
// Not taken: tets that went left in their lanes, with no stiffness. Nothing would move, but all who
// go over tets would have to ask each one whether it is there.
#include "model/split/shape.h"

#include "model/split/blocks.h"

#include <math.h>
#include <string.h>

static SinewStatus copy_elements(SnSplit *body, const SnSplit *from, const SnTetCut *cut,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnNewtonElements *elements = &body->elements;
    const SnNewtonElements *old = &from->elements;
    const SinewAllocator *allocator = &body->allocator;
    *elements = (SnNewtonElements){
        .count = cut->tet_count, .corners = 4, .point_count = 1, .vertex_count = cut->vertex_count};
    SN_ALLOC_FILLED(elements->vertices, allocator, 4 * (size_t)cut->tet_count, error);
    SN_ALLOC_FILLED(elements->rest, allocator, 3 * (size_t)cut->vertex_count, error);
    SN_ALLOC_FILLED(elements->weights, allocator, cut->tet_count, error);
    SN_ALLOC_FILLED(elements->materials, allocator, cut->tet_count, error);
    memcpy(elements->vertices, cut->tets, 4 * (size_t)cut->tet_count * sizeof *cut->tets);
    for (int v = 0; v < cut->vertex_count; ++v) {
        memcpy(elements->rest + 3 * (size_t)v, old->rest + 3 * (size_t)cut->vertex_source[v],
               3 * sizeof *old->rest);
    }
    for (int t = 0; t < cut->tet_count; ++t) {
        elements->weights[t] = old->weights[cut->tet_source[t]];
        elements->materials[t] = old->materials[cut->tet_source[t]];
    }
    body->tets = (SnTetMesh){.vertex_count = cut->vertex_count,
                             .tet_count = cut->tet_count,
                             .positions = elements->rest,
                             .tets = elements->vertices};
done:
    return status;
}

// Vertices inside: those that stay as they were, then copies in the order of what they are copies
// of.
static SinewStatus order_vertices(SnSplit *body, const SnSplit *from, const SnTetCut *cut,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *first = NULL; // an old vertex: the last of its copies, and from there on
    int *next = NULL;  // a vertex: the copy before it, or -1
    int filled = 0;
    SN_ALLOC(first, &body->allocator, cut->old_vertex_count, error);
    SN_ALLOC(next, &body->allocator, cut->vertex_count, error);
    SN_ALLOC(body->inside, &body->allocator, cut->vertex_count, error);
    SN_ALLOC(body->outside, &body->allocator, cut->vertex_count, error);
    memset(first, 0xff, (size_t)cut->old_vertex_count * sizeof *first);
    for (int v = 0; v < cut->vertex_count; ++v) {
        int source = cut->vertex_source[v];
        next[v] = -1;
        if (cut->vertex_place[source] != v) {
            next[v] = first[source];
            first[source] = v;
        }
    }
    for (int i = 0; i < cut->old_vertex_count; ++i) {
        if (cut->vertex_place[from->outside[i]] >= 0) {
            body->outside[filled++] = cut->vertex_place[from->outside[i]];
        }
    }
    for (int i = 0; i < cut->old_vertex_count; ++i) {
        for (int v = first[from->outside[i]]; v >= 0; v = next[v]) {
            body->outside[filled++] = v;
        }
    }
    for (int i = 0; i < cut->vertex_count; ++i) {
        body->inside[body->outside[i]] = i;
    }
    SN_TRY(sn_split_bundles_create(body, error));
done:
    sn_free(&body->allocator, first);
    sn_free(&body->allocator, next);
    return status;
}

static SinewStatus copy_materials(SnSplit *body, const SnSplit *from, const SnMaterial *materials,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t count = (size_t)from->material_count;
    body->material_count = from->material_count;
    SN_ALLOC(body->materials, &body->allocator, count, error);
    memcpy(body->materials, materials, count * sizeof *materials);
    body->law = materials[0].law.kind == SN_LAW_COROTATED ? SN_TET_COROTATED : SN_TET_FIXED;
done:
    return status;
}

// Tets in the order of the old blocks.
static void list_order(const SnSplitBlocks *old, const SnTetCut *cut, int *order)
{
    int filled = 0;
    for (int p = 0; p < old->patch_count; ++p) {
        int begin = old->patch_block[p], count = old->patch_block[p + 1] - begin;
        for (int i = 0; i < count * SN_TET_BLOCK; ++i) {
            int tet = old->tets[(begin + i % count) * SN_TET_BLOCK + i / count];
            if (tet >= 0 && cut->tet_place[tet] >= 0) {
                order[filled++] = cut->tet_place[tet];
            }
        }
    }
}

static SinewStatus make_blocks(SnSplit *body, const SnSplit *from, const SnTetCut *cut,
                               bool same_materials, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    bool is_done = false;
    int *order = NULL;
    SN_ALLOC(order, &body->allocator, cut->tet_count, error);
    list_order(&from->blocks, cut, order);
    SN_TRY(sn_split_patches_cut(body, from, cut, order, &is_done, error));
    if (!is_done) {
        SN_TRY(sn_split_patches_create(body, order, error));
    }
    SN_TRY(same_materials ? sn_split_blocks_copy(body, from, cut, error)
                          : sn_split_blocks_fill(body, error));
done:
    sn_free(&body->allocator, order);
    return status;
}

// The trace of the tets that stay: what went is taken off, since it is less to sum. The share that
// rounding leaves is no more than 1e-16 of the body before by that after the cut.
static void make_rounding(SnSplit *body, const SnSplit *from, const SnTetCut *cut,
                          bool same_materials)
{
    body->trace = same_materials ? from->trace : 0.0;
    for (int t = 0; t < cut->old_tet_count && same_materials; ++t) {
        body->trace -= cut->tet_place[t] < 0 ? sn_split_shape_tet_trace(from, t) : 0.0;
    }
    for (int t = 0; t < cut->tet_count && !same_materials; ++t) {
        body->trace += sn_split_shape_tet_trace(body, t);
    }
    body->trace = fmax(body->trace, 0.0);
    sn_split_shape_set_rounding(body);
}

SinewStatus sn_split_shape_build_cut(SnSplit *body, const SnSplit *from, const SnTetCut *cut,
                                     const SnMaterial *materials, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_ASSERT(from->clusters.count == 0 && from->colours.count == 0); // `tetmg` has none
    SN_TRY(copy_materials(body, from, materials, error));
    SN_TRY(copy_elements(body, from, cut, error));
    SN_TRY(sn_newton_pattern_cut(&from->pattern, &body->elements, cut, &body->allocator,
                                 &body->pattern, error));
    SN_TRY(sn_split_shape_make_masses(body, error));
    make_rounding(body, from, cut, materials == from->materials);
    SN_TRY(order_vertices(body, from, cut, error));
    SN_TRY(make_blocks(body, from, cut, materials == from->materials, error));
done:
    return status;
}

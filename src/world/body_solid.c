#include "world/body_solid.h"

#include "base/hash.h"
#include "geometry/shape_def.h"

#include <stddef.h>
#include <string.h>

// Shapes -----------------------------------------------------------------------------------------

// Doubles that tell a shape of each kind, in the order of SnShapeKind; of a blob its parts do.
static const int number_counts[SN_SHAPE_KIND_COUNT] = {6, 4, 6, 7, 7, 8, 8, 0};

// All kinds but blobs are doubles without gaps.
static const void *numbers_of(const SnShape *shape)
{
    return (const unsigned char *)shape + offsetof(SnShape, box);
}

static bool same_shape(const SnShape *a, const SnShape *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    if (a->kind != SN_SHAPE_BLOB) {
        return memcmp(numbers_of(a), numbers_of(b),
                      (size_t)number_counts[a->kind] * sizeof(double)) == 0;
    }
    bool same = a->blob.part_count == b->blob.part_count && a->blob.smooth == b->blob.smooth;
    for (int p = 0; same && p < a->blob.part_count; ++p) {
        const SnShape *x = &a->blob.parts[p], *y = &b->blob.parts[p];
        same = x->kind == y->kind && memcmp(numbers_of(x), numbers_of(y),
                                            (size_t)number_counts[x->kind] * sizeof(double)) == 0;
    }
    return same;
}

static uint64_t hash_part(uint64_t hash, const SnShape *part)
{
    int kind = (int)part->kind;
    hash = sn_hash(hash, &kind, sizeof kind);
    return sn_hash(hash, numbers_of(part), (size_t)number_counts[part->kind] * sizeof(double));
}

static uint64_t hash_shape(uint64_t hash, const SnShape *shape)
{
    if (shape->kind != SN_SHAPE_BLOB) {
        return hash_part(hash, shape);
    }
    hash = sn_hash(hash, &shape->blob.smooth, sizeof shape->blob.smooth);
    for (int p = 0; p < shape->blob.part_count; ++p) {
        hash = hash_part(hash, &shape->blob.parts[p]);
    }
    return hash;
}

// Content ----------------------------------------------------------------------------------------

static bool same_surface(const SnSurface *a, const SnSurface *b)
{
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           memcmp(a->positions, b->positions, 3 * (size_t)a->vertex_count * sizeof(double)) == 0 &&
           a->line_count == b->line_count &&
           memcmp(a->triangles, b->triangles, 3 * (size_t)a->triangle_count * sizeof(int)) == 0 &&
           memcmp(a->lines, b->lines, 2 * (size_t)a->line_count * sizeof(int)) == 0;
}

static bool same_tets(const SnTetMesh *a, const SnTetMesh *b)
{
    return a->vertex_count == b->vertex_count && a->tet_count == b->tet_count &&
           memcmp(a->positions, b->positions, 3 * (size_t)a->vertex_count * sizeof(double)) == 0 &&
           memcmp(a->tets, b->tets, 4 * (size_t)a->tet_count * sizeof(int)) == 0;
}

static bool is_solid(const SnShared *thing, const void *key)
{
    const SnSolidDef *a = &((const SnBodySolid *)thing)->def;
    const SnSolidDef *b = key;
    if (a->resolution != b->resolution || memcmp(a->cells, b->cells, sizeof a->cells) != 0 ||
        a->cut != b->cut || (a->shape == NULL) != (b->shape == NULL) ||
        (a->surface == NULL) != (b->surface == NULL)) {
        return false;
    }
    if (a->shape != NULL) {
        return same_shape(a->shape, b->shape);
    }
    return a->surface != NULL ? same_surface(a->surface, b->surface) : same_tets(a->tets, b->tets);
}

static uint64_t hash_solid(const SnSolidDef *def)
{
    uint64_t hash = sn_hash(SN_HASH_START, &def->resolution, sizeof def->resolution);
    hash = sn_hash(hash, def->cells, sizeof def->cells);
    if (def->shape != NULL) {
        return hash_shape(hash, def->shape);
    }
    if (def->surface != NULL) {
        return sn_hash(hash, def->surface->positions,
                       3 * (size_t)def->surface->vertex_count * sizeof(double));
    }
    return sn_hash(hash, def->tets->positions,
                   3 * (size_t)def->tets->vertex_count * sizeof(double));
}

static void destroy(SnShared *thing)
{
    SnBodySolid *solid = (SnBodySolid *)thing;
    SinewAllocator allocator = solid->allocator;
    sn_solid_destroy(solid->base);
    sn_surface_destroy(solid->surface, &allocator);
    sn_tet_mesh_destroy(solid->tets, &allocator);
    sn_shape_release(&solid->shape, &allocator);
    sn_free(&allocator, solid);
}

static const SnSharedKind solid_kind = {is_solid, destroy};

// Making -----------------------------------------------------------------------------------------

static SinewStatus copy_shape(const SnShape *from, SnBodySolid *solid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnShape *parts = NULL;
    if (from->kind == SN_SHAPE_BLOB) {
        SN_ALLOC(parts, &solid->allocator, from->blob.part_count, error);
        memcpy(parts, from->blob.parts, (size_t)from->blob.part_count * sizeof *parts);
    }
    solid->shape = *from;
    if (from->kind == SN_SHAPE_BLOB) {
        solid->shape.blob.parts = parts;
    }
    solid->def.shape = &solid->shape;
done:
    return status;
}

static SinewStatus copy_tets(const SnTetMesh *from, SnBodySolid *solid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_tet_mesh_create(from->vertex_count, from->tet_count, &solid->allocator, &solid->tets,
                              error));
    memcpy(solid->tets->positions, from->positions,
           3 * (size_t)from->vertex_count * sizeof(double));
    memcpy(solid->tets->tets, from->tets, 4 * (size_t)from->tet_count * sizeof(int));
    memset(solid->tets->regions, 0, (size_t)from->tet_count * sizeof(int));
    solid->def.tets = solid->tets;
done:
    return status;
}

static SinewStatus copy_def(const SnSolidDef *def, SnBodySolid *solid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    solid->def = *def;
    solid->def.pose = sn_affine_identity();
    solid->def.scale = 1.0;
    if (def->shape != NULL) {
        SN_TRY(copy_shape(def->shape, solid, error));
    } else if (def->surface != NULL) {
        SN_TRY(sn_surface_copy(def->surface, &solid->allocator, &solid->surface, error));
        solid->def.surface = solid->surface;
    } else {
        SN_TRY(copy_tets(def->tets, solid, error));
    }
done:
    return status;
}

SinewStatus sn_body_solid_take(SinewWorld *world, const SnSolidDef *def, SnBodySolid **out_solid,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBodySolid *solid = NULL;
    uint64_t hash = hash_solid(def);
    *out_solid = (SnBodySolid *)sn_share_find(&world->share, &solid_kind, hash, def);
    if (*out_solid != NULL) {
        return SINEW_OK;
    }
    SN_ALLOC_ZERO(solid, &world->allocator, 1, error);
    solid->allocator = world->allocator;
    SN_TRY(copy_def(def, solid, error));
    SN_TRY(sn_solid_create(&solid->def, world->workers, &solid->allocator, &solid->base, error));
    sn_share_add(&world->share, &solid_kind, hash, &solid->shared);
    *out_solid = solid;
    solid = NULL;
done:
    if (solid != NULL) {
        destroy(&solid->shared);
    }
    return status;
}

void sn_body_solid_leave(SnBodySolid *solid)
{
    sn_share_leave(solid != NULL ? &solid->shared : NULL);
}

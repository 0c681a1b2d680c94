#include "model/split/shape.h"

#include "base/hash.h"
#include "model/split/blocks.h"
#include "model/split/clusters.h"
#include "model/split/points.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Content ----------------------------------------------------------------------------------------

static bool same_material(const SnMaterial *a, const SnMaterial *b)
{
    return a->law.kind == b->law.kind && a->law.mu == b->law.mu && a->law.lambda == b->law.lambda &&
           a->density == b->density && a->damping_mass == b->damping_mass &&
           a->damping_stiffness == b->damping_stiffness;
}

static uint64_t hash_def(const SnSplitShapeDef *def)
{
    const SnTetMesh *mesh = def->mesh;
    const int choices[] = {(int)def->options.mode, def->options.clusters, mesh->vertex_count,
                           mesh->tet_count, def->material_count};
    uint64_t hash = sn_hash(SN_HASH_START, choices, sizeof choices);
    for (int m = 0; m < def->material_count; ++m) {
        const SnMaterial *material = &def->materials[m];
        const double numbers[] = {material->law.mu, material->law.lambda, material->density,
                                  material->damping_mass, material->damping_stiffness};
        hash = sn_hash(hash, numbers, sizeof numbers);
    }
    hash = sn_hash(hash, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof(double));
    hash = sn_hash(hash, mesh->tets, 4 * (size_t)mesh->tet_count * sizeof(int));
    return sn_hash(hash, def->indices, (size_t)mesh->tet_count * sizeof(int));
}

static bool is_shape(const SnShared *thing, const void *key)
{
    const SnSplitShapeDef *def = key;
    const SnSplit *body = &((const SnSplitShape *)thing)->body;
    const SnNewtonElements *elements = &body->elements;
    const SnTetMesh *mesh = def->mesh;
    if (body->options.mode != def->options.mode ||
        body->options.clusters != def->options.clusters ||
        body->material_count != def->material_count ||
        elements->vertex_count != mesh->vertex_count || elements->count != mesh->tet_count) {
        return false;
    }
    for (int m = 0; m < def->material_count; ++m) {
        if (!same_material(&body->materials[m], &def->materials[m])) {
            return false;
        }
    }
    size_t tets = (size_t)mesh->tet_count;
    return memcmp(elements->rest, mesh->positions,
                  3 * (size_t)mesh->vertex_count * sizeof(double)) == 0 &&
           memcmp(elements->vertices, mesh->tets, 4 * tets * sizeof(int)) == 0 &&
           memcmp(elements->materials, def->indices, tets * sizeof(int)) == 0;
}

static void destroy_shape(SnShared *thing)
{
    SnSplitShape *shape = (SnSplitShape *)thing;
    SnSplit *body = &shape->body;
    SinewAllocator allocator = body->allocator;
    sn_split_finder_destroy(body);
    sn_split_clusters_release(body);
    sn_split_colours_release(body);
    sn_split_blocks_release(body);
    sn_newton_elements_release(&body->elements, &allocator);
    sn_newton_pattern_release(&body->pattern, &allocator);
    sn_free(&allocator, body->materials);
    sn_free(&allocator, body->masses);
    sn_free(&allocator, body->damp);
    sn_free(&allocator, shape);
}

static const SnSharedKind shape_kind = {is_shape, destroy_shape};

// Making -----------------------------------------------------------------------------------------

SinewStatus sn_split_refuse_damping(const char *name, const char *model, const SnMaterial *material,
                                    SinewError *error)
{
    return sn_fail(
        error, SINEW_ERROR_ARGUMENT,
        "body \"%s\": its damping by stiffness is %g s, expected 0 for mode paper of %s; "
        "mode implicit has it",
        name, material->damping_stiffness, model);
}

static SinewStatus check_material(const SnSplitShapeDef *def, const SnMaterial *material,
                                  SinewError *error)
{
    SnLawKind kind = material->law.kind;
    if (kind != SN_LAW_COROTATED && kind != SN_LAW_FIXED_COROTATED) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "body \"%s\": its law is %s, expected corotated or fixed_corotated for "
                       "model %s; newton and frames take every law",
                       def->name, sn_law_name(kind), def->model);
    }
    if (kind != def->materials[0].law.kind) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "body \"%s\": a region's law is %s and the body's is %s, expected one law "
                       "for a body of model %s",
                       def->name, sn_law_name(kind), sn_law_name(def->materials[0].law.kind),
                       def->model);
    }
    if (material->damping_stiffness > 0.0 && def->options.mode == SINEW_SPLIT_PAPER) {
        return sn_split_refuse_damping(def->name, def->model, material, error);
    }
    return SINEW_OK;
}

static SinewStatus make_elements(SnSplit *body, const SnSplitShapeDef *def, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->allocator;
    body->material_count = def->material_count;
    SN_ALLOC(body->materials, allocator, def->material_count, error);
    memcpy(body->materials, def->materials, (size_t)def->material_count * sizeof *body->materials);
    body->law = body->materials[0].law.kind == SN_LAW_COROTATED ? SN_TET_COROTATED : SN_TET_FIXED;
    SnMaterials one = {body->materials, NULL, 0};
    SN_TRY(sn_newton_elements_from_tets(def->mesh, &one, def->name, allocator, &body->elements,
                                        error));
    // Steps have their own in float; the rest of the time they are made anew.
    sn_newton_elements_forget_gradients(&body->elements, allocator);
    memcpy(body->elements.materials, def->indices,
           (size_t)def->mesh->tet_count * sizeof *def->indices);
    body->tets = (SnTetMesh){.vertex_count = body->elements.vertex_count,
                             .tet_count = body->elements.count,
                             .positions = body->elements.rest,
                             .tets = body->elements.vertices};
done:
    return status;
}

// A quarter of each tet's mass to its corners.
SinewStatus sn_split_shape_make_masses(SnSplit *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnNewtonElements *elements = &body->elements;
    SN_ALLOC_ZERO(body->masses, &body->allocator, elements->vertex_count, error);
    SN_ALLOC_ZERO(body->damp, &body->allocator, elements->vertex_count, error);
    for (int i = 0; i < 4 * elements->count; ++i) {
        const SnMaterial *material = &body->materials[elements->materials[i / 4]];
        double share = 0.25 * material->density * elements->weights[i / 4];
        body->masses[elements->vertices[i]] += share;
        body->damp[elements->vertices[i]] += share * material->damping_mass;
    }
    for (int k = 0; k < 3; ++k) {
        double low = INFINITY, high = -INFINITY;
        for (int v = 0; v < elements->vertex_count; ++v) {
            low = fmin(low, elements->rest[3 * v + k]);
            high = fmax(high, elements->rest[3 * v + k]);
        }
        body->size = fmax(body->size, high - low);
    }
done:
    return status;
}

double sn_split_shape_tet_trace(const SnSplit *body, int tet)
{
    const SnNewtonElements *elements = &body->elements;
    const SnLaw *law = &body->materials[elements->materials[tet]].law;
    double g[12], square = 0.0;
    sn_newton_elements_tet_gradients(elements, tet, g);
    for (int i = 0; i < 12; ++i) {
        square += g[i] * g[i];
    }
    return elements->weights[tet] * (law->mu + 0.5 * law->lambda) * square;
}

// Places in float are off by some 2^-24 of the size at random. What a tet's energy makes of that by
// itself, summed over all: about the trace of the stiffness times the square of it.
void sn_split_shape_set_rounding(SnSplit *body)
{
    double off = ldexp(body->size, -24);
    body->rounding = body->trace * off * off;
}

static SinewStatus build(SnSplit *body, const SnSplitShapeDef *def, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(make_elements(body, def, error));
    SN_TRY(sn_newton_pattern_create(&body->elements, &body->allocator, &body->pattern, error));
    SN_TRY(sn_split_shape_make_masses(body, error));
    for (int t = 0; t < body->elements.count; ++t) {
        body->trace += sn_split_shape_tet_trace(body, t);
    }
    sn_split_shape_set_rounding(body);
    SN_TRY(sn_split_blocks_create(body, error));
    if (body->options.mode == SINEW_SPLIT_IMPLICIT) {
        SN_TRY(sn_split_clusters_create(body, error));
    } else {
        SN_TRY(sn_split_colours_create(body, error));
    }
done:
    return status;
}

SinewStatus sn_split_shape_cut(const SnSplitShapeDef *def, const SnSplitShape *from,
                               const SnTetCut *cut, SnSplitShape **out_shape, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitShape *shape = NULL;
    *out_shape = NULL;
    for (int m = 0; m < def->material_count; ++m) {
        SN_TRY(check_material(def, &def->materials[m], error));
    }
    SN_ALLOC_ZERO(shape, &from->body.allocator, 1, error);
    shape->is_cut = true;
    shape->body.allocator = from->body.allocator;
    shape->body.workers = from->body.workers;
    shape->body.kernels = from->body.kernels;
    shape->body.options = from->body.options;
    status = sn_split_shape_build_cut(&shape->body, &from->body, cut, def->materials, error);
    if (status < 0) {
        destroy_shape(&shape->shared);
        goto done;
    }
    sn_share_add(NULL, &shape_kind, 0, &shape->shared);
    *out_shape = shape;
done:
    return status;
}

SinewStatus sn_split_shape_take(const SnSplitShapeDef *def, SnShare *share,
                                const SinewAllocator *allocator, SnWorkers *workers,
                                const SnKernels *kernels, SnSplitShape **out_shape,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitShape *shape = NULL;
    *out_shape = NULL;
    for (int m = 0; m < def->material_count; ++m) {
        SN_TRY(check_material(def, &def->materials[m], error));
    }
    uint64_t hash = hash_def(def);
    *out_shape = (SnSplitShape *)sn_share_find(share, &shape_kind, hash, def);
    if (*out_shape != NULL) {
        return SINEW_OK;
    }
    SN_ALLOC_ZERO(shape, allocator, 1, error);
    shape->body.allocator = *allocator;
    shape->body.workers = workers;
    shape->body.kernels = kernels;
    shape->body.options = def->options;
    status = build(&shape->body, def, error);
    if (status < 0) {
        destroy_shape(&shape->shared);
        goto done;
    }
    sn_share_add(share, &shape_kind, hash, &shape->shared);
    *out_shape = shape;
done:
    return status;
}

#include "world/world.h"

#include "base/hash.h"
#include "geometry/point.h"
#include "world/asset.h"
#include "world/body_plan.h"
#include "world/body_solid.h"
#include "world/body_surface.h"
#include "world/check.h"
#include "world/force_points.h"
#include "world/warning.h"

#include <stdio.h>
#include <string.h>

// In the order of SinewModelKind.
static const SnModel *const models[] = {&sn_newton_model, &sn_split_model,  &sn_lattice_model,
                                        &sn_voxel_model,  &sn_frames_model, &sn_tetmg_model};

enum {
    MODEL_COUNT = sizeof models / sizeof *models,
    NAME_LENGTH_MAX = 60,
    // Elements of a body whose solid is kept for copies: larger ones are seldom copied, and what
    // they were made from takes megabytes.
    KEPT_ELEMENTS_MAX = 50000
};

// What it is -------------------------------------------------------------------------------------

// At rest, m^3. Hexahedra are cells of a lattice, posed: their edges at one corner tell it all.
static double element_volume(const SinewBodyMesh *mesh, int element)
{
    const int *corners = mesh->elements + (size_t)mesh->corners * (size_t)element;
    const int *edges = mesh->corners == 4 ? (const int[]){1, 2, 3} : (const int[]){4, 2, 1};
    double edge[3][3], normal[3];
    for (int i = 0; i < 3; ++i) {
        sn_point_minus(mesh->rest + 3 * (size_t)corners[edges[i]],
                       mesh->rest + 3 * (size_t)corners[0], edge[i]);
    }
    sn_point_cross(edge[0], edge[1], normal);
    return sn_point_dot(normal, edge[2]) / (mesh->corners == 4 ? 6.0 : 1.0);
}

static double element_density(const SinewBodyMesh *mesh, int element, const SnMaterials *materials)
{
    const int *corners = mesh->elements + (size_t)mesh->corners * (size_t)element;
    double middle[3] = {0.0, 0.0, 0.0};
    for (int c = 0; c < mesh->corners; ++c) {
        sn_point_along(middle, 1.0 / mesh->corners, mesh->rest + 3 * (size_t)corners[c], middle);
    }
    return materials->materials[sn_materials_find(materials, middle)].density;
}

double sn_body_share_mass(const SnBody *body, const void *state, double *out_masses)
{
    SinewBodyMesh mesh = body->model->mesh(state);
    double sum = 0.0;
    memset(out_masses, 0, (size_t)mesh.vertex_count * sizeof *out_masses);
    for (int e = 0; e < mesh.element_count; ++e) {
        double fill = body->model->fill != NULL ? body->model->fill(state, e) : 1.0;
        double volume = fill * element_volume(&mesh, e);
        double share = volume * element_density(&mesh, e, &body->table) / mesh.corners;
        for (int c = 0; c < mesh.corners; ++c) {
            out_masses[mesh.elements[(size_t)mesh.corners * (size_t)e + (size_t)c]] += share;
        }
        sum += volume;
    }
    return sum;
}

static void share_mass(SnBody *body)
{
    body->volume = sn_body_share_mass(body, body->state, body->vertex_mass);
}

// What share_mass fills, and the materials, which outlive the plan.
static SinewStatus keep_materials(SinewWorld *world, SnBody *body, const SnMaterials *table,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &world->allocator;
    int regions = table->region_count;
    body->vertex_count = body->model->mesh(body->state).vertex_count;
    SN_ALLOC(body->vertex_mass, allocator, body->vertex_count, error);
    SN_ALLOC(body->materials, allocator, regions + 1, error);
    SN_ALLOC(body->regions, allocator, regions, error);
    memcpy(body->materials, table->materials, ((size_t)regions + 1) * sizeof *body->materials);
    if (regions > 0) { // boxes, spheres and all: nothing in them is borrowed
        memcpy(body->regions, table->regions, (size_t)regions * sizeof *body->regions);
    }
    body->table = (SnMaterials){body->materials, body->regions, regions};
done:
    return status;
}

#define HASH_VALUE(hash, value) sn_hash(hash, &(value), sizeof(value))

static uint64_t hash_material(uint64_t hash, const SnMaterial *material)
{
    int law = (int)material->law.kind;
    hash = HASH_VALUE(hash, law);
    hash = HASH_VALUE(hash, material->law.mu);
    hash = HASH_VALUE(hash, material->law.lambda);
    hash = HASH_VALUE(hash, material->density);
    hash = HASH_VALUE(hash, material->damping_mass);
    return HASH_VALUE(hash, material->damping_stiffness);
}

static uint64_t hash_voxel(uint64_t hash, const SinewVoxelDef *voxel)
{
    const int choices[] = {(int)voxel->mode,   (int)voxel->stiffness, (int)voxel->integrator,
                           voxel->fine_levels, voxel->hollow != 0,    voxel->newton,
                           voxel->pcg,         voxel->max_iterations, voxel->split_triangles != 0,
                           (int)voxel->solver};
    hash = sn_hash(hash, choices, sizeof choices);
    if (voxel->image != NULL) {
        const SinewRawImage *raw = &voxel->image_raw;
        const int layout[] = {raw->size[0], raw->size[1], raw->size[2], (int)raw->type,
                              raw->big_endian != 0};
        hash = sn_hash(hash, voxel->image, strlen(voxel->image));
        hash = sn_hash(hash, layout, sizeof layout);
        hash = HASH_VALUE(hash, raw->spacing);
        hash = HASH_VALUE(hash, raw->origin);
        hash = HASH_VALUE(hash, raw->scale);
    }
    return HASH_VALUE(hash, voxel->tolerance);
}

static uint64_t hash_path(uint64_t hash, const char *path)
{
    int length = path != NULL ? (int)strlen(path) : 0;
    return sn_hash(HASH_VALUE(hash, length), path != NULL ? path : "", (size_t)length);
}

// A row of numbers a vertex, one for each frame that the body has.
static uint64_t hash_painted(uint64_t hash, const SnBody *body, const SinewFramesDef *frames)
{
    int dofs = body->model->dof_count(body->state);
    int frame_count = dofs / (frames->kind == SINEW_FRAME_AFFINE ? 12 : 6);
    size_t count = (size_t)frames->painted_count * (size_t)frame_count;
    return sn_hash(hash, frames->painted, count * sizeof *frames->painted);
}

static uint64_t hash_frames(uint64_t hash, const SnBody *body, const SinewFramesDef *frames)
{
    const int choices[] = {(int)frames->mode,       (int)frames->kind,   (int)frames->weights,
                           frames->count,           frames->frame_count, frames->painted_count,
                           (int)frames->integrator, (int)frames->mass,   frames->max_iterations,
                           frames->geometric,       frames->springs != 0};
    hash = sn_hash(hash, choices, sizeof choices);
    hash = HASH_VALUE(hash, frames->tolerance);
    hash = hash_path(hash, frames->image);
    hash = hash_path(hash, frames->density_image);
    hash = hash_path(hash, frames->skeleton);
    if (frames->weights == SINEW_FRAME_WEIGHTS_PAINTED) {
        hash = hash_painted(hash, body, frames);
    }
    for (int i = 0; i < frames->frame_count; ++i) {
        const SinewRegion *rigid = &frames->frames[i].rigid;
        int kind = (int)rigid->kind;
        hash = HASH_VALUE(hash, frames->frames[i].at);
        hash = HASH_VALUE(hash, frames->frames[i].parent1);
        hash = HASH_VALUE(hash, frames->frames[i].wakes);
        hash = HASH_VALUE(hash, frames->frames[i].sleeps);
        hash = HASH_VALUE(hash, kind);
        hash = HASH_VALUE(hash, rigid->min);
        hash = HASH_VALUE(hash, rigid->max);
        hash = HASH_VALUE(hash, rigid->center);
        hash = HASH_VALUE(hash, rigid->radius);
    }
    return hash;
}

// Of everything that the body was made from, as content: a state belongs to bodies with this hash.
static uint64_t hash_def(const SnBody *body, const SinewBodyDef *def)
{
    uint64_t hash = sn_hash(SN_HASH_START, body->model->name, strlen(body->model->name));
    const int choices[] = {(int)def->newton.element,
                           (int)def->newton.integrator,
                           (int)def->newton.mass,
                           def->newton.max_iterations,
                           (int)def->start,
                           def->start_seed,
                           (int)def->lattice.element,
                           (int)def->lattice.integrator,
                           def->lattice.max_iterations,
                           (int)def->lattice.differential,
                           (int)def->lattice.cycle,
                           (int)def->lattice.smoother,
                           (int)def->lattice.fill};
    hash = sn_hash(hash, choices, sizeof choices);
    const SinewSplitDef *split = &def->split;
    const int split_choices[] = {
        (int)split->mode,     (int)split->integrator, split->newton,
        split->pcg,           split->passes,          split->volume_iterations,
        (int)split->rotation, split->clusters,        (int)split->solver};
    hash = HASH_VALUE(hash, def->newton.tolerance);
    hash = sn_hash(hash, split_choices, sizeof split_choices);
    hash = HASH_VALUE(hash, split->accuracy);
    hash = HASH_VALUE(hash, split->solve_tolerance);
    hash = HASH_VALUE(hash, def->lattice.tolerance);
    hash = hash_voxel(hash, &def->voxel);
    if (def->model == SINEW_MODEL_FRAMES) {
        hash = hash_frames(hash, body, &def->frames);
    }
    const SinewTetmgDef *tetmg = &def->tetmg;
    const int tetmg_choices[] = {(int)tetmg->integrator, tetmg->newton,      tetmg->pcg,
                                 (int)tetmg->tangent,    (int)tetmg->mode,   (int)tetmg->product,
                                 (int)tetmg->rotation,   tetmg->plain_cycles};
    hash = sn_hash(hash, tetmg_choices, sizeof tetmg_choices);
    hash = HASH_VALUE(hash, tetmg->accuracy);
    hash = HASH_VALUE(hash, tetmg->spacing);
    for (int m = 0; m < tetmg->hierarchy_count; ++m) {
        const SnTetMesh *coarse = tetmg->hierarchy[m]->mesh;
        hash = sn_hash(hash, coarse->positions, 3 * (size_t)coarse->vertex_count * sizeof(double));
        hash = sn_hash(hash, coarse->tets, 4 * (size_t)coarse->tet_count * sizeof(int));
    }
    hash = sn_hash(hash, def->linear_velocity, sizeof def->linear_velocity);
    hash = sn_hash(hash, def->angular_velocity, sizeof def->angular_velocity);
    SinewBodyMesh mesh = body->model->mesh(body->state);
    const SnSurface *surface = body->surface.rest;
    hash = sn_hash(hash, mesh.rest, 3 * (size_t)mesh.vertex_count * sizeof(double));
    hash = sn_hash(hash, mesh.elements,
                   (size_t)mesh.corners * (size_t)mesh.element_count * sizeof(int));
    hash = sn_hash(hash, surface->positions, 3 * (size_t)surface->vertex_count * sizeof(double));
    return sn_hash(hash, surface->triangles, 3 * (size_t)surface->triangle_count * sizeof(int));
}

static uint64_t hash_body(const SnBody *body)
{
    uint64_t hash = body->base_hash;
    for (int m = 0; m <= body->table.region_count; ++m) {
        hash = hash_material(hash, &body->materials[m]);
    }
    return sn_hash(hash, body->vertex_mass, (size_t)body->vertex_count * sizeof(double));
}

// Making and ending ------------------------------------------------------------------------------

// The pressure at a depth of a hundredth of the body is then its Young's modulus.
static double choose_stiffness(const SinewWorld *world, const SnBody *body, double young)
{
    return world->contact_stiffness > 0.0 ? world->contact_stiffness
                                          : 100.0 * young / body->longest;
}

static double longest_side(const SnSolid *solid)
{
    SnBox bounds = sn_solid_bounds(solid);
    double longest = 0.0;
    for (int k = 0; k < 3; ++k) {
        double side = bounds.max[k] - bounds.min[k];
        longest = side > longest ? side : longest;
    }
    return longest;
}

SinewStatus sn_body_make_penalty(SinewWorld *world, const SnBodySurface *surface,
                                 int collider_count, SnPenalty **out_penalty, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnPenalty *penalty = NULL;
    *out_penalty = NULL;
    if (collider_count > 0) {
        const SnContactPoints *contact = &surface->shape->contact;
        SN_TRY(
            sn_penalty_create(contact->areas, contact->count, &world->allocator, &penalty, error));
        SN_TRY(sn_penalty_reserve(penalty, collider_count, error));
        *out_penalty = penalty;
        penalty = NULL;
    }
done:
    sn_penalty_destroy(penalty);
    return status;
}

static SinewStatus copy_name(SinewWorld *world, const char *name, SnBody *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t size = strlen(name) + 1;
    SN_ALLOC(body->name, &world->allocator, size, error);
    memcpy(body->name, name, size);
done:
    return status;
}

// Geometry does not know whose it is: its sentence gets the body's name.
static SinewStatus name_body(SinewStatus status, const SnBody *body, SinewError *error)
{
    if (status < 0 && error != NULL) {
        sn_fail_at(error, status, error->index, "body \"%s\": %s", body->name, error->text);
    }
    return status;
}

// The solid with its pose, which the caller destroys before the body lets go of what is shared.
static SinewStatus take_solid(SinewWorld *world, const SnSolidDef *def, SnBody *body,
                              SnSolid **out_solid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *out_solid = NULL;
    if (def->tets != NULL && def->tets->tet_count > KEPT_ELEMENTS_MAX) {
        return sn_solid_create(def, world->workers, &world->allocator, out_solid, error);
    }
    SN_TRY(sn_body_solid_take(world, def, &body->solid, error));
    SN_TRY(sn_solid_create_posed(body->solid->base, &def->pose, def->scale, out_solid, error));
done:
    return status;
}

static SinewStatus build(SinewWorld *world, const SinewBodyDef *def, const SnBodyPlan *plan,
                         SnBody *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSolid *solid = NULL;
    SN_TRY(name_body(take_solid(world, &plan->solid, body, &solid, error), body, error));
    const SnTetMesh *coarse[SINEW_TETMG_HIERARCHY_MAX] = {NULL};
    int coarse_count = body->model == &sn_tetmg_model && def->tetmg.mode == SINEW_TETMG_PAPER
                           ? def->tetmg.hierarchy_count
                           : 0;
    for (int m = 0; m < coarse_count; ++m) {
        coarse[m] = def->tetmg.hierarchy[m]->mesh;
    }
    SnModelDef model_def = {.allocator = &world->allocator,
                            .workers = world->workers,
                            .kernels = world->kernels,
                            .name = body->name,
                            .solid = solid,
                            .materials = &plan->table,
                            .options = def,
                            .share = &world->share,
                            .progress = &world->progress,
                            .coarse = coarse,
                            .coarse_count = coarse_count,
                            .coarse_scale = plan->solid.scale};
    SN_TRY(body->model->create(&model_def, &body->state, error));
    SN_TRY(keep_materials(world, body, &plan->table, error));
    share_mass(body);
    body->model->start(body->state, def->start, def->linear_velocity, def->angular_velocity);
    bool is_kept = body->model->mesh(body->state).element_count <= KEPT_ELEMENTS_MAX;
    status = sn_body_surface_create(world, body, solid, is_kept, error);
    SN_TRY(name_body(status, body, error));
    SN_TRY(
        sn_body_make_penalty(world, &body->surface, world->colliders.live, &body->penalty, error));
    SN_TRY(sn_force_points_make(world, body, body->penalty != NULL, NULL, NULL, &body->force_points,
                                error));
    body->longest = longest_side(solid);
    body->contact_stiffness = choose_stiffness(world, body, def->material.young);
    body->cell_size = sn_solid_cell_size(solid);
    SN_TRY(sn_body_make_warning(world, def, solid, body, error));
    body->base_hash = hash_def(body, def);
    body->hash = hash_body(body);
    if (!is_kept) {
        sn_solid_destroy(solid);
        sn_body_solid_leave(body->solid);
        body->solid = NULL;
        solid = NULL;
    }
done:
    sn_solid_destroy(solid);
    return status;
}

SinewStatus sn_world_add_body_with(SinewWorld *world, const SnModel *model, const SinewBodyDef *def,
                                   SinewBodyId *out_body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBody *body = NULL;
    SnBodyPlan plan = {0};
    char name[NAME_LENGTH_MAX + 1], what[NAME_LENGTH_MAX + 10];
    if (def->name != NULL) {
        snprintf(name, sizeof name, "%s", def->name);
    } else {
        snprintf(name, sizeof name, "body %d", world->bodies_made);
    }
    snprintf(what, sizeof what, "body \"%s\"", name);
    SN_TRY(sn_body_plan_make(def, what, &world->allocator, &plan, error));
    SN_TRY(sn_slots_reserve(&world->bodies, error));
    SN_ALLOC_ZERO(body, &world->allocator, 1, error);
    body->model = model;
    body->pins = sn_array_of(&world->allocator, sizeof(SnWorldPin *));
    body->pin_motions = sn_array_of(&world->allocator, sizeof(SnAffine));
    body->loads = sn_array_of(&world->allocator, sizeof(SnWorldLoad *));
    body->point_loads = sn_array_of(&world->allocator, sizeof(SnPointLoad));
    body->attachments = sn_array_of(&world->allocator, sizeof(SnWorldAttachment *));
    body->cuts = sn_array_of(&world->allocator, sizeof(int32_t));
    SN_TRY(copy_name(world, name, body, error));
    SN_TRY(build(world, def, &plan, body, error));
    SnId id = sn_slots_add(&world->bodies, body);
    *out_body = (SinewBodyId){id.index1, id.generation};
    world->bodies_made += 1;
    body = NULL;
done:
    sn_body_destroy(world, body);
    sn_body_plan_release(&plan, &world->allocator);
    return status;
}

SinewStatus sinew_world_add_body(SinewWorld *world, const SinewBodyDef *def, SinewBodyId *out_body,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_check_pointer(world, "the world", error));
    SN_TRY(sn_check_pointer(out_body, "out_body", error));
    SN_TRY(sn_check_def(def, "body", error));
    SN_TRY(sn_check_choice((int)def->model, MODEL_COUNT, "body", "model", error));
    SN_TRY(sn_world_add_body_with(world, models[def->model], def, out_body, error));
done:
    return status;
}

void sn_body_destroy(SinewWorld *world, SnBody *body)
{
    if (body == NULL) {
        return;
    }
    const SinewAllocator *allocator = &world->allocator;
    sn_penalty_destroy(body->penalty);
    sn_penalty_destroy(body->next_penalty);
    sn_force_points_release(world, body->model, body->state, &body->force_points);
    sn_force_points_release(world, body->model, body->state, &body->next_force_points);
    sn_body_surface_release(world, body->state, &body->surface);
    body->model->destroy(body->state);
    sn_array_release(&body->cuts);
    sn_array_release(&body->pins);
    sn_array_release(&body->pin_motions);
    sn_array_release(&body->loads);
    sn_array_release(&body->point_loads);
    sn_body_solid_leave(body->solid);
    sn_array_release(&body->attachments);
    sn_free(allocator, body->vertex_mass);
    sn_free(allocator, body->materials);
    sn_free(allocator, body->regions);
    sn_free(allocator, body->clauses);
    sn_free(allocator, body->warning);
    sn_free(allocator, body->name);
    sn_free(allocator, body);
}

// Its pins need not be taken from the model one by one: the model goes too.
static void drop_things_of(SinewWorld *world, const SnBody *body)
{
    for (int i = 0; i < sn_slots_count(&world->probes); ++i) {
        SnWorldProbe *probe = sn_slots_at(&world->probes, i);
        if (probe != NULL && probe->body == body) {
            sn_slots_remove(&world->probes, sn_slots_id(&world->probes, i));
            sn_world_probe_destroy(world, probe);
        }
    }
    for (int i = 0; i < sn_slots_count(&world->loads); ++i) {
        SnWorldLoad *load = sn_slots_at(&world->loads, i);
        if (load != NULL && load->body == body) {
            sn_slots_remove(&world->loads, sn_slots_id(&world->loads, i));
            sn_world_load_destroy(world, load);
        }
    }
    for (int i = 0; i < sn_slots_count(&world->attachments); ++i) {
        SnWorldAttachment *attachment = sn_slots_at(&world->attachments, i);
        if (attachment != NULL && attachment->body == body) {
            sn_slots_remove(&world->attachments, sn_slots_id(&world->attachments, i));
            sn_world_attachment_destroy(world, attachment);
        }
    }
    for (int i = 0; i < sn_slots_count(&world->pins); ++i) {
        SnWorldPin *pin = sn_slots_at(&world->pins, i);
        if (pin != NULL && pin->body == body) {
            sn_slots_remove(&world->pins, sn_slots_id(&world->pins, i));
            sn_world_pin_destroy(world, pin);
        }
    }
}

SinewStatus sinew_world_remove_body(SinewWorld *world, SinewBodyId id, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_check_pointer(world, "the world", error));
    SnBody *body = sn_slots_find(&world->bodies, SN_ID(id), error);
    if (body == NULL) {
        return SINEW_ERROR_ARGUMENT;
    }
    drop_things_of(world, body);
    sn_slots_remove(&world->bodies, SN_ID(id));
    sn_body_destroy(world, body);
done:
    return status;
}

// Names the models that can.
static SinewStatus fail_material(const SnBody *body, const char *what, SinewError *error)
{
    char names[64] = "";
    size_t length = 0;
    for (size_t m = 0; m < sizeof models / sizeof *models; ++m) {
        if (models[m]->set_material != NULL && length < sizeof names) {
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
                                       length > 0 ? " or " : "", models[m]->name);
        }
    }
    return sn_fail(error, SINEW_ERROR_UNSUPPORTED,
                   "%s: its model is %s, expected %s to change the material", what,
                   body->model->name, names);
}

SinewStatus sinew_body_set_material(SinewWorld *world, SinewBodyId id,
                                    const SinewMaterial *material, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnMaterial made;
    char what[NAME_LENGTH_MAX + 10];
    SN_TRY(sn_check_pointer(world, "the world", error));
    SN_TRY(sn_check_pointer(material, "the material", error));
    SnBody *body = sn_slots_find(&world->bodies, SN_ID(id), error);
    if (body == NULL) {
        return SINEW_ERROR_ARGUMENT;
    }
    snprintf(what, sizeof what, "body \"%s\"", body->name);
    SN_TRY(sn_material_make(material, what, &made, error));
    if (body->model->set_material == NULL) {
        SN_TRY(fail_material(body, what, error));
    }
    SN_TRY(body->model->set_material(body->state, &made, error));
    body->materials[0] = made;
    share_mass(body);
    body->contact_stiffness = choose_stiffness(world, body, material->young);
    body->hash = hash_body(body);
done:
    return status;
}

// What is lent -----------------------------------------------------------------------------------

static const SnBody *find_body(const SinewWorld *world, SinewBodyId id)
{
    return world != NULL ? sn_slots_find(&world->bodies, SN_ID(id), NULL) : NULL;
}

SinewPoints sinew_body_surface(const SinewWorld *world, SinewBodyId id)
{
    const SnBody *body = find_body(world, id);
    return body == NULL ? (SinewPoints){0}
                        : (SinewPoints){body->surface.positions, body->surface.rest->vertex_count};
}

SinewPoints sinew_body_normals(const SinewWorld *world, SinewBodyId id)
{
    const SnBody *body = find_body(world, id);
    return body == NULL ? (SinewPoints){0}
                        : (SinewPoints){body->surface.normals, body->surface.rest->vertex_count};
}

SinewTriangles sinew_body_triangles(const SinewWorld *world, SinewBodyId id)
{
    const SnBody *body = find_body(world, id);
    return body == NULL ? (SinewTriangles){0}
                        : (SinewTriangles){body->surface.rest->triangles,
                                           body->surface.rest->triangle_count};
}

SinewBodyMesh sinew_body_mesh(const SinewWorld *world, SinewBodyId id)
{
    const SnBody *body = find_body(world, id);
    return body == NULL ? (SinewBodyMesh){0} : body->model->mesh(body->state);
}

SinewBodyInfo sinew_body_info(const SinewWorld *world, SinewBodyId id)
{
    const SnBody *body = find_body(world, id);
    if (body == NULL) {
        return (SinewBodyInfo){0};
    }
    SnMeasure measure;
    body->model->measure(body->state, &measure);
    return (SinewBodyInfo){.name = body->name,
                           .model = body->model->name,
                           .dofs = body->model->dof_count(body->state),
                           .elements = body->model->mesh(body->state).element_count,
                           .mass = measure.mass,
                           .volume = body->volume,
                           .warning = sn_body_warning(body)};
}

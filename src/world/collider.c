// Colliders of a world, and what bodies feel of them: each body has its own record of contact,
// which has room for all colliders.
#include "world/asset.h"
#include "world/check.h"
#include "world/force_points.h"
#include "world/motion.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

// Whether what is prepared has the first collider, or no longer any.
static bool begins_or_ends(const SnBody *body)
{
    return (body->penalty != NULL) != (body->next_penalty != NULL);
}

// The contact of every body is made for the new number of colliders before any is exchanged, so
// that a lack of memory changes nothing.
static SinewStatus prepare_penalties(SinewWorld *world, int collider_count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int i = 0; i < sn_slots_count(&world->bodies); ++i) {
        SnBody *body = SN_BODIES(world, i);
        if (body != NULL) {
            SN_TRY(sn_body_make_penalty(world, &body->surface, collider_count, &body->next_penalty,
                                        error));
            if (begins_or_ends(body)) {
                SN_TRY(sn_force_points_make(world, body, collider_count > 0, NULL, NULL,
                                            &body->next_force_points, error));
            }
        }
    }
done:
    return status;
}

static void exchange_penalties(SinewWorld *world)
{
    for (int i = 0; i < sn_slots_count(&world->bodies); ++i) {
        SnBody *body = SN_BODIES(world, i);
        if (body != NULL) {
            if (begins_or_ends(body)) {
                sn_force_points_release(world, body->model, body->state, &body->force_points);
                body->force_points = body->next_force_points;
                body->next_force_points = (SnForcePoints){0};
            }
            sn_penalty_destroy(body->penalty);
            body->penalty = body->next_penalty;
            body->next_penalty = NULL;
            memset(body->contact_force, 0, sizeof body->contact_force);
            body->contacts = 0;
        }
    }
}

static void discard_prepared(SinewWorld *world)
{
    for (int i = 0; i < sn_slots_count(&world->bodies); ++i) {
        SnBody *body = SN_BODIES(world, i);
        if (body != NULL) {
            sn_penalty_destroy(body->next_penalty);
            body->next_penalty = NULL;
            sn_force_points_release(world, body->model, body->state, &body->next_force_points);
        }
    }
}

// The list that contact walks, in the order of the slots.
static void list_colliders(SinewWorld *world)
{
    SnCollider **list = SN_ITEMS(world->touching, SnCollider *);
    size_t count = 0;
    for (int i = 0; i < sn_slots_count(&world->colliders); ++i) {
        SnWorldCollider *collider = sn_slots_at(&world->colliders, i);
        if (collider != NULL) {
            list[count++] = collider->collider;
        }
    }
    world->touching.count = count;
}

static SinewStatus check_collider(const SinewColliderDef *def, const char *what, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewShapeKind kind = def->shape.kind;
    if (kind != SINEW_SHAPE_PLANE && kind != SINEW_SHAPE_SPHERE && kind != SINEW_SHAPE_BOX &&
        kind != SINEW_SHAPE_CAPSULE && kind != SINEW_SHAPE_MESH) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: its shape has the kind %d, expected a plane, sphere, box, capsule or "
                       "mesh",
                       what, (int)kind));
    }
    if (kind == SINEW_SHAPE_MESH && def->shape.surface == NULL) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT, "%s: surface of the mesh is NULL", what));
    }
    if (!(def->friction <= SN_REACH)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: friction is %g, expected a number; below zero: the world's", what,
                       def->friction));
    }
    SN_TRY(sn_check_list(def->keys, def->key_count, what, "keys", error));
    SN_TRY(sn_motion_check(def->keys, def->key_count, what, error));
done:
    return status;
}

static SinewStatus make_collider(SinewWorld *world, const SinewColliderDef *def, const char *what,
                                 SnWorldCollider **out_collider, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWorldCollider *collider = NULL;
    const SnSurface *surface =
        def->shape.kind == SINEW_SHAPE_MESH ? def->shape.surface->surface : NULL;
    double friction = def->friction < 0.0 ? world->contact_friction : def->friction;
    SN_ALLOC_ZERO(collider, &world->allocator, 1, error);
    SN_TRY(sn_collider_create(&def->shape, surface, friction, world->workers, &world->allocator,
                              what, &collider->collider, error));
    SN_ALLOC(collider->keys, &world->allocator, def->key_count, error);
    if (def->key_count > 0) {
        memcpy(collider->keys, def->keys, (size_t)def->key_count * sizeof *collider->keys);
    }
    collider->key_count = def->key_count;
    *out_collider = collider;
    collider = NULL;
done:
    sn_world_collider_destroy(world, collider);
    return status;
}

void sn_world_collider_destroy(SinewWorld *world, SnWorldCollider *collider)
{
    if (collider != NULL) {
        sn_collider_destroy(collider->collider);
        sn_free(&world->allocator, collider->keys);
        sn_free(&world->allocator, collider);
    }
}

SinewStatus sinew_world_add_collider(SinewWorld *world, const SinewColliderDef *def,
                                     SinewColliderId *out_collider, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWorldCollider *collider = NULL;
    SN_TRY(sn_check_pointer(world, "the world", error));
    SN_TRY(sn_check_pointer(out_collider, "out_collider", error));
    SN_TRY(sn_check_def(def, "collider", error));
    char what[40];
    snprintf(what, sizeof what, "collider %d", world->colliders.live);
    SN_TRY(check_collider(def, what, error));
    SN_TRY(make_collider(world, def, what, &collider, error));
    SN_TRY(sn_slots_reserve(&world->colliders, error));
    SN_TRY(sn_array_push(&world->touching, &collider->collider, error));
    status = prepare_penalties(world, world->colliders.live + 1, error);
    if (status < 0) {
        world->touching.count -= 1;
        goto done;
    }
    SnId id = sn_slots_add(&world->colliders, collider);
    *out_collider = (SinewColliderId){id.index1, id.generation};
    collider = NULL;
    list_colliders(world);
    exchange_penalties(world);
done:
    if (status < 0 && world != NULL) {
        discard_prepared(world);
        sn_world_collider_destroy(world, collider);
    }
    return status;
}

SinewStatus sinew_world_remove_collider(SinewWorld *world, SinewColliderId id, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_check_pointer(world, "the world", error));
    SnWorldCollider *collider = sn_slots_find(&world->colliders, SN_ID(id), error);
    if (collider == NULL) {
        return SINEW_ERROR_ARGUMENT;
    }
    SN_TRY(prepare_penalties(world, world->colliders.live - 1, error));
    sn_slots_remove(&world->colliders, SN_ID(id));
    list_colliders(world);
    exchange_penalties(world);
    sn_world_collider_destroy(world, collider);
done:
    if (status < 0 && world != NULL) {
        discard_prepared(world);
    }
    return status;
}

// Pins: vertices of a model that are held or moved.
#include "world/check.h"
#include "world/motion.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

// Rest positions of the surface's vertices in the pin's region.
static SinewStatus take_points(SinewWorld *world, const SnBody *body, SnWorldPin *pin,
                               const char *what, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSurface *rest = body->surface.rest;
    SN_ALLOC(pin->points, &world->allocator, 3 * (size_t)rest->vertex_count, error);
    for (int v = 0; v < rest->vertex_count; ++v) {
        const double *X = rest->positions + 3 * (size_t)v;
        if (sn_region_holds(&pin->region, v, X)) {
            memcpy(pin->points + 3 * (size_t)pin->point_count++, X, 3 * sizeof *X);
        }
    }
    if (pin->point_count == 0) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: within holds none of the surface's %d vertices, expected at least one",
                       what, rest->vertex_count));
    }
done:
    return status;
}

static SinewStatus check_grip(const SnBody *body, const SinewRegion *region, const char *what,
                              SinewError *error)
{
    SinewBodyMesh mesh = body->model->mesh(body->state);
    for (int v = 0; v < mesh.vertex_count; ++v) {
        if (sn_region_holds(region, v, mesh.rest + 3 * (size_t)v)) {
            return SINEW_OK;
        }
    }
    return sn_fail(error, SINEW_ERROR_ARGUMENT,
                   "%s: within holds none of the %d vertices, expected at least one", what,
                   mesh.vertex_count);
}

static SinewStatus check_pin(const SnBody *body, const SinewPinDef *def, const char *what,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int vertex_count = def->on_surface ? body->surface.rest->vertex_count
                                       : body->model->mesh(body->state).vertex_count;
    if (def->on_surface && !body->model->holds_points) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: on_surface is 1, expected 0 with the model %s, which holds its own "
                       "vertices; attach points of the surface, or use voxel",
                       what, body->model->name));
    }
    SN_TRY(sn_region_check(&def->within, vertex_count, what, error));
    SN_TRY(sn_check_list(def->keys, def->key_count, what, "keys", error));
    SN_TRY(sn_motion_check(def->keys, def->key_count, what, error));
    if (def->axes[0] == 0 && def->axes[1] == 0 && def->axes[2] == 0) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: axes is [0, 0, 0], expected at least one that is held", what));
    }
done:
    return status;
}

// Tells the model which pins it has: those of the body but for `without`, and `more` (nullable
// both).
static SinewStatus tell_model(SinewWorld *world, SnBody *body, const SnWorldPin *without,
                              const SnWorldPin *more, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnPin *pins = NULL;
    int count = 0;
    SN_ALLOC(pins, &world->allocator, body->pins.count + 1, error);
    for (size_t i = 0; i <= body->pins.count; ++i) {
        const SnWorldPin *pin = i < body->pins.count ? SN_ITEMS(body->pins, SnWorldPin *)[i] : more;
        if (pin != NULL && pin != without) {
            pins[count++] = (SnPin){&pin->region,
                                    {pin->axes[0], pin->axes[1], pin->axes[2]},
                                    pin->points,
                                    pin->point_count};
        }
    }
    SN_TRY(body->model->set_pins(body->state, pins, count, error));
done:
    sn_free(&world->allocator, pins);
    return status;
}

static SinewStatus make_pin(SinewWorld *world, SnBody *body, const SinewPinDef *def,
                            SnWorldPin **out_pin, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWorldPin *pin = NULL;
    SN_ALLOC_ZERO(pin, &world->allocator, 1, error);
    pin->body = body;
    SN_TRY(sn_region_copy(&def->within, &world->allocator, &pin->region, error));
    SN_ALLOC(pin->keys, &world->allocator, def->key_count, error);
    if (def->key_count > 0) {
        memcpy(pin->keys, def->keys, (size_t)def->key_count * sizeof *pin->keys);
    }
    pin->key_count = def->key_count;
    for (int k = 0; k < 3; ++k) {
        pin->axes[k] = def->axes[k] != 0;
    }
    *out_pin = pin;
    pin = NULL;
done:
    sn_world_pin_destroy(world, pin);
    return status;
}

void sn_world_pin_destroy(SinewWorld *world, SnWorldPin *pin)
{
    if (pin != NULL) {
        sn_region_release(&pin->region, &world->allocator);
        sn_free(&world->allocator, pin->keys);
        sn_free(&world->allocator, pin->points);
        sn_free(&world->allocator, pin);
    }
}

// Room for one more, without counting it in.
static SinewStatus reserve_pin(SnBody *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_array_push(&body->pins, &(SnWorldPin *){NULL}, error));
    body->pins.count -= 1;
    SnAffine still = sn_affine_identity();
    SN_TRY(sn_array_push(&body->pin_motions, &still, error));
    body->pin_motions.count -= 1;
done:
    return status;
}

SinewStatus sinew_world_add_pin(SinewWorld *world, const SinewPinDef *def, SinewPinId *out_pin,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWorldPin *pin = NULL;
    SN_TRY(sn_check_pointer(world, "the world", error));
    SN_TRY(sn_check_pointer(out_pin, "out_pin", error));
    SN_TRY(sn_check_def(def, "pin", error));
    SnBody *body = sn_slots_find(&world->bodies, SN_ID(def->body), error);
    if (body == NULL) {
        return SINEW_ERROR_ARGUMENT;
    }
    char what[100];
    snprintf(what, sizeof what, "pin %zu of body \"%s\"", body->pins.count, body->name);
    SN_TRY(check_pin(body, def, what, error));
    SN_TRY(make_pin(world, body, def, &pin, error));
    SN_TRY(def->on_surface ? take_points(world, body, pin, what, error)
                           : check_grip(body, &pin->region, what, error));
    SN_TRY(sn_slots_reserve(&world->pins, error));
    SN_TRY(reserve_pin(body, error));
    SN_TRY(tell_model(world, body, NULL, pin, error));
    // Nothing fails from here on.
    *(SnWorldPin **)sn_array_add(&body->pins, 1) = pin;
    *(SnAffine *)sn_array_add(&body->pin_motions, 1) = sn_affine_identity();
    SnId id = sn_slots_add(&world->pins, pin);
    *out_pin = (SinewPinId){id.index1, id.generation};
    pin = NULL;
done:
    sn_world_pin_destroy(world, pin);
    return status;
}

SinewStatus sinew_world_remove_pin(SinewWorld *world, SinewPinId id, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_check_pointer(world, "the world", error));
    SnWorldPin *pin = sn_slots_find(&world->pins, SN_ID(id), error);
    if (pin == NULL) {
        return SINEW_ERROR_ARGUMENT;
    }
    SnBody *body = pin->body;
    SN_TRY(tell_model(world, body, pin, NULL, error));
    SnWorldPin **pins = SN_ITEMS(body->pins, SnWorldPin *);
    size_t kept = 0;
    for (size_t i = 0; i < body->pins.count; ++i) {
        if (pins[i] != pin) {
            pins[kept++] = pins[i];
        }
    }
    body->pins.count = kept;
    body->pin_motions.count = kept;
    sn_slots_remove(&world->pins, SN_ID(id));
    sn_world_pin_destroy(world, pin);
done:
    return status;
}

#include "world/world.h"

#include "world/check.h"

#include <math.h>

static SinewStatus check_world_def(const SinewWorldDef *def, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const char *what = "world";
    SN_TRY(sn_check_def(def, "world", error));
    SN_TRY(sn_check_vector(def->gravity, what, "gravity", error));
    for (int k = 0; k < 3; ++k) {
        if (!(fabs(def->gravity[k]) <= SN_GRAVITY_MAX)) {
            SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                           "world: gravity is [%g, %g, %g] m/s^2, expected at most %g along each "
                           "axis",
                           def->gravity[0], def->gravity[1], def->gravity[2], SN_GRAVITY_MAX));
        }
    }
    SN_TRY(sn_check_nonnegative(def->contact_stiffness, what, "contact_stiffness", error));
    SN_TRY(sn_check_nonnegative(def->contact_friction, what, "contact_friction", error));
    if (def->max_solves < 0 || (def->max_solves > 0 && def->max_solves < SN_SOLVES_LEAST)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "world: max_solves is %d, expected 0 (no limit) or at least %d",
                       def->max_solves, SN_SOLVES_LEAST));
    }
    SN_TRY(sn_check_choice((int)def->contact_points, 2, what, "contact_points", error));
    SN_TRY(sn_check_choice((int)def->determinism, 2, what, "determinism", error));
    SN_TRY(sn_check_allocator(&def->allocator, error));
    if (def->worker_count < 1 || def->worker_count > SN_WORKERS_MAX) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT, "world: worker_count is %d, expected 1 to %d",
                       def->worker_count, SN_WORKERS_MAX));
    }
done:
    return status;
}

static void init_slots(SinewWorld *world)
{
    const SinewAllocator *allocator = &world->allocator;
    world->bodies = sn_slots_of("body", allocator);
    world->pins = sn_slots_of("pin", allocator);
    world->loads = sn_slots_of("load", allocator);
    world->attachments = sn_slots_of("attachment", allocator);
    world->colliders = sn_slots_of("collider", allocator);
    world->probes = sn_slots_of("probe", allocator);
    world->touching = sn_array_of(allocator, sizeof(SnCollider *));
}

SinewStatus sinew_world_create(const SinewWorldDef *def, SinewWorld **out_world, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewWorld *world = NULL;
    SN_TRY(sn_check_pointer(out_world, "out_world", error));
    *out_world = NULL;
    SN_TRY(check_world_def(def, error));
    SN_ALLOC_ZERO(world, &def->allocator, 1, error);
    world->allocator = def->allocator;
    init_slots(world);
    world->determinism = def->determinism;
    world->progress = def->progress;
    for (int k = 0; k < 3; ++k) {
        world->gravity[k] = def->gravity[k];
    }
    world->contact_stiffness = def->contact_stiffness;
    world->contact_friction = def->contact_friction;
    world->contact_points = def->contact_points;
    world->max_solves = def->max_solves;
    world->gravity_scale = 1.0;
    SN_TRY(sn_kernels_pick(def->determinism == SINEW_PORTABLE ? SN_PORTABLE_BITS : SN_FAST_BITS,
                           &world->kernels, error));
    SN_TRY(sn_workers_create(&world->allocator, &def->tasks, def->worker_count, &world->workers,
                             error));
    SN_ALLOC_ZERO(world->point_rooms, &world->allocator, sn_workers_count(world->workers), error);
    *out_world = world;
    world = NULL;
done:
    sinew_world_destroy(world);
    return status;
}

// Probes, loads and attachments hold points of the bodies, so these go first.
static void destroy_things(SinewWorld *world)
{
    for (int i = 0; i < sn_slots_count(&world->probes); ++i) {
        sn_world_probe_destroy(world, sn_slots_at(&world->probes, i));
    }
    for (int i = 0; i < sn_slots_count(&world->loads); ++i) {
        sn_world_load_destroy(world, sn_slots_at(&world->loads, i));
    }
    for (int i = 0; i < sn_slots_count(&world->attachments); ++i) {
        sn_world_attachment_destroy(world, sn_slots_at(&world->attachments, i));
    }
    for (int i = 0; i < sn_slots_count(&world->pins); ++i) {
        sn_world_pin_destroy(world, sn_slots_at(&world->pins, i));
    }
    for (int i = 0; i < sn_slots_count(&world->bodies); ++i) {
        sn_body_destroy(world, sn_slots_at(&world->bodies, i));
    }
    for (int i = 0; i < sn_slots_count(&world->colliders); ++i) {
        sn_world_collider_destroy(world, sn_slots_at(&world->colliders, i));
    }
}

void sinew_world_destroy(SinewWorld *world)
{
    if (world == NULL) {
        return;
    }
    destroy_things(world);
    sn_slots_release(&world->probes);
    sn_slots_release(&world->loads);
    sn_slots_release(&world->attachments);
    sn_slots_release(&world->pins);
    sn_slots_release(&world->bodies);
    sn_slots_release(&world->colliders);
    sn_array_release(&world->touching);
    for (int w = 0; world->point_rooms != NULL && w < sn_workers_count(world->workers); ++w) {
        sn_free(&world->allocator, world->point_rooms[w].forces);
    }
    sn_free(&world->allocator, world->point_rooms);
    sn_workers_destroy(world->workers);
    sn_free(&world->allocator, world->snapshot);
    SinewAllocator allocator = world->allocator;
    sn_free(&allocator, world);
}

double sinew_world_time(const SinewWorld *world)
{
    return world != NULL ? world->time : 0.0;
}

int64_t sinew_world_step_count(const SinewWorld *world)
{
    return world != NULL ? world->step_count : 0;
}

SinewStepReport sinew_world_report(const SinewWorld *world)
{
    return world != NULL ? world->report : (SinewStepReport){0};
}

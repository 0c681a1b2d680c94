#include "world/state.h"

#include "base/hash.h"
#include "world/body_surface.h"
#include "world/check.h"
#include "world/cut.h"

#include <string.h>

enum { SECTION_ALIGNMENT = 8 };

static const char magic[8] = {'S', 'I', 'N', 'E', 'W', 's', 't', '\n'};

// Eight-byte members without gaps, so that all bytes are defined.
typedef struct Header {
    char magic[8];
    uint32_t version;
    uint32_t body_count;
    uint64_t size;     // bytes, the header included
    uint64_t content;  // hash of what the bodies were made from
    uint64_t checksum; // of all bytes, with this member 0
    double time;
    int64_t step_count;
    double gravity_scale;
} Header;

// What the world itself knows of a body that moves.
typedef struct Touch {
    double force[3];
    int64_t contacts;
} Touch;

// Bodies ------------------------------------------------------------------------------------------

static size_t model_size(const SnBody *body)
{
    return sn_round_up(body->model->state_size(body->state), SECTION_ALIGNMENT);
}

// Of what moves without contact.
static size_t moving_size(const SnBody *body)
{
    return sizeof(Touch) + model_size(body);
}

// What touches differs from step to step, and with it the size; a multiple of the alignment.
static size_t body_size(const SnBody *body)
{
    return moving_size(body) + (body->penalty != NULL ? sn_penalty_state_size(body->penalty) : 0);
}

static size_t body_size_max(const SnBody *body)
{
    return moving_size(body) +
           (body->penalty != NULL ? sn_penalty_state_size_max(body->penalty) : 0);
}

static size_t bodies_size(const SinewWorld *world)
{
    size_t size = 0;
    for (int i = 0; i < sn_slots_count(&world->bodies); ++i) {
        size += SN_BODIES(world, i) != NULL ? body_size(SN_BODIES(world, i)) : 0;
    }
    return size;
}

// Sections are filled up with zeros: equal states are equal bytes.
static void write_body(const SnBody *body, unsigned char *bytes)
{
    const double *f = body->contact_force;
    Touch touch = {{f[0], f[1], f[2]}, body->contacts};
    size_t model = body->model->state_size(body->state);
    memcpy(bytes, &touch, sizeof touch);
    bytes += sizeof touch;
    body->model->save(body->state, bytes);
    memset(bytes + model, 0, model_size(body) - model);
    bytes += model_size(body);
    if (body->penalty != NULL) {
        sn_penalty_save(body->penalty, bytes);
    }
}

static void write_bodies(const SinewWorld *world, unsigned char *bytes)
{
    for (int i = 0; i < sn_slots_count(&world->bodies); ++i) {
        const SnBody *body = SN_BODIES(world, i);
        if (body != NULL) {
            write_body(body, bytes);
            bytes += body_size(body);
        }
    }
}

static void read_body(SnBody *body, const unsigned char *bytes)
{
    Touch touch;
    memcpy(&touch, bytes, sizeof touch);
    memcpy(body->contact_force, touch.force, sizeof touch.force);
    body->contacts = (int)touch.contacts;
    body->model->restore(body->state, bytes + sizeof touch);
    if (body->penalty != NULL) {
        sn_penalty_restore(body->penalty, bytes + moving_size(body));
    }
    sn_body_surface_place(body);
}

static void read_bodies(SinewWorld *world, const unsigned char *bytes)
{
    for (int i = 0; i < sn_slots_count(&world->bodies); ++i) {
        SnBody *body = SN_BODIES(world, i);
        if (body != NULL) {
            read_body(body, bytes);
            bytes += body_size(body); // as it now is
        }
    }
}

// Cuts --------------------------------------------------------------------------------------------

// The log of a body's cuts: how many numbers, and those.
static size_t log_size(const SnBody *body)
{
    return sizeof(uint64_t) + sn_round_up(body->cuts.count * sizeof(int32_t), SECTION_ALIGNMENT);
}

static size_t logs_size(const SinewWorld *world)
{
    size_t size = 0;
    for (int i = 0; i < sn_slots_count(&world->bodies); ++i) {
        size += SN_BODIES(world, i) != NULL ? log_size(SN_BODIES(world, i)) : 0;
    }
    return size;
}

static void write_logs(const SinewWorld *world, unsigned char *bytes)
{
    for (int i = 0; i < sn_slots_count(&world->bodies); ++i) {
        const SnBody *body = SN_BODIES(world, i);
        if (body != NULL) {
            uint64_t count = body->cuts.count;
            memset(bytes, 0, log_size(body));
            memcpy(bytes, &count, sizeof count);
            if (count > 0) {
                memcpy(bytes + sizeof count, body->cuts.items, body->cuts.count * sizeof(int32_t));
            }
            bytes += log_size(body);
        }
    }
}

// What restoring a state must do to a body first.
typedef struct Pending {
    int32_t *log;
    size_t count;
    SnBodyParts parts;
} Pending;

static void release_pending(SinewWorld *world, Pending *pending)
{
    for (int i = 0; i < sn_slots_count(&world->bodies) && pending != NULL; ++i) {
        if (SN_BODIES(world, i) != NULL) {
            sn_body_parts_release(world, SN_BODIES(world, i), &pending[i].parts);
            sn_free(&world->allocator, pending[i].log);
        }
    }
    sn_free(&world->allocator, pending);
}

// A body's log: *at goes to what follows it, `numbers` are its own, of any alignment.
static SinewStatus find_log(const SnBody *body, const unsigned char *bytes, size_t size, size_t *at,
                            const unsigned char **out_numbers, size_t *out_count, SinewError *error)
{
    uint64_t count = 0;
    size_t left = size - *at;
    if (left >= sizeof count) {
        memcpy(&count, bytes + *at, sizeof count);
    }
    if (left < sizeof count || count > (left - sizeof count) / sizeof(int32_t)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the state is damaged: it ends in the cuts of body \"%s\"", body->name);
    }
    *out_numbers = bytes + *at + sizeof count;
    *out_count = (size_t)count;
    *at += sizeof count + sn_round_up(*out_count * sizeof(int32_t), SECTION_ALIGNMENT);
    *at = *at < size ? *at : size;
    return SINEW_OK;
}

// Whether all bodies are cut as their logs say; out_used are the bytes that those take.
static SinewStatus compare_logs(const SinewWorld *world, const unsigned char *bytes, size_t size,
                                bool *out_same, size_t *out_used, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t at = 0, count = 0;
    *out_same = true;
    for (int i = 0; i < sn_slots_count(&world->bodies); ++i) {
        const SnBody *body = SN_BODIES(world, i);
        const unsigned char *numbers = NULL;
        if (body == NULL) {
            continue;
        }
        SN_TRY(find_log(body, bytes, size, &at, &numbers, &count, error));
        *out_same &=
            count == body->cuts.count &&
            (count == 0 || memcmp(numbers, body->cuts.items, count * sizeof(int32_t)) == 0);
    }
    *out_used = at;
done:
    return status;
}

// Makes what the bodies are to become by their logs.
static SinewStatus follow_logs(SinewWorld *world, const unsigned char *bytes, size_t size,
                               Pending *pending, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t at = 0;
    for (int i = 0; i < sn_slots_count(&world->bodies); ++i) {
        SnBody *body = SN_BODIES(world, i);
        const unsigned char *numbers = NULL;
        if (body == NULL) {
            continue;
        }
        SN_TRY(find_log(body, bytes, size, &at, &numbers, &pending[i].count, error));
        SN_ALLOC(pending[i].log, &world->allocator, pending[i].count, error);
        memcpy(pending[i].log, numbers, pending[i].count * sizeof(int32_t));
        SN_TRY(sn_body_follow_cuts(world, body, pending[i].log, pending[i].count, &pending[i].parts,
                                   error));
    }
done:
    return status;
}

// Swaps what the bodies are for what they are to become, or back.
static void swap_pending(SinewWorld *world, Pending *pending)
{
    for (int i = 0; i < sn_slots_count(&world->bodies); ++i) {
        if (SN_BODIES(world, i) != NULL && pending[i].parts.state != NULL) {
            sn_body_parts_adopt(world, SN_BODIES(world, i), &pending[i].parts);
        }
    }
}

// Within a step -----------------------------------------------------------------------------------

SinewStatus sn_state_reserve(SinewWorld *world, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t size = 0;
    for (int i = 0; i < sn_slots_count(&world->bodies); ++i) {
        SnBody *body = SN_BODIES(world, i);
        if (body != NULL) {
            body->kept_at = size;
            size += body_size_max(body);
        }
    }
    if (size > world->snapshot_size) {
        unsigned char *larger = NULL;
        SN_ALLOC(larger, &world->allocator, size, error);
        sn_free(&world->allocator, world->snapshot);
        world->snapshot = larger;
        world->snapshot_size = size;
    }
done:
    return status;
}

void sn_state_keep_body(SinewWorld *world, const SnBody *body)
{
    write_body(body, world->snapshot + body->kept_at);
}

void sn_state_put_back_body(SinewWorld *world, SnBody *body)
{
    read_body(body, world->snapshot + body->kept_at);
}

void sn_state_put_back(SinewWorld *world)
{
    for (int i = 0; i < sn_slots_count(&world->bodies); ++i) {
        if (SN_BODIES(world, i) != NULL) {
            sn_state_put_back_body(world, SN_BODIES(world, i));
        }
    }
}

// For callers -------------------------------------------------------------------------------------

// Of what the world and its bodies were made from, in order.
static uint64_t content_of(const SinewWorld *world)
{
    uint64_t hash = sn_hash(SN_HASH_START, sinew_version(), strlen(sinew_version()));
    hash = sn_hash(hash, world->gravity, sizeof world->gravity);
    hash = sn_hash(hash, &world->contact_stiffness, sizeof world->contact_stiffness);
    hash = sn_hash(hash, &world->contact_friction, sizeof world->contact_friction);
    int points = (int)world->contact_points;
    hash = sn_hash(hash, &points, sizeof points);
    hash = sn_hash(hash, &world->max_solves, sizeof world->max_solves);
    for (int i = 0; i < sn_slots_count(&world->bodies); ++i) {
        const SnBody *body = SN_BODIES(world, i);
        if (body != NULL) {
            hash = sn_hash(hash, &body->hash, sizeof body->hash);
        }
    }
    return hash;
}

// `header` is that of `bytes`; what follows it is hashed where it is.
static uint64_t checksum_of(Header header, const unsigned char *bytes, size_t size)
{
    header.checksum = 0;
    uint64_t hash = sn_hash(SN_HASH_START, &header, sizeof header);
    return sn_hash(hash, bytes + sizeof header, size - sizeof header);
}

size_t sinew_world_state_size(const SinewWorld *world)
{
    return world != NULL ? sizeof(Header) + logs_size(world) + bodies_size(world) : 0;
}

SinewStatus sinew_world_save(const SinewWorld *world, void *bytes, size_t size, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_check_pointer(world, "the world", error));
    SN_TRY(sn_check_pointer(bytes, "bytes", error));
    size_t needed = sinew_world_state_size(world);
    if (size != needed) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "there is room for a state of %zu bytes, expected %zu as "
                       "sinew_world_state_size() says",
                       size, needed));
    }
    Header header = {.version = SN_STATE_VERSION,
                     .body_count = (uint32_t)world->bodies.live,
                     .size = needed,
                     .content = content_of(world),
                     .time = world->time,
                     .step_count = world->step_count,
                     .gravity_scale = world->gravity_scale};
    memcpy(header.magic, magic, sizeof magic);
    write_logs(world, (unsigned char *)bytes + sizeof header);
    write_bodies(world, (unsigned char *)bytes + sizeof header + logs_size(world));
    header.checksum = checksum_of(header, bytes, size);
    memcpy(bytes, &header, sizeof header);
done:
    return status;
}

// What the bytes say of themselves.
static SinewStatus check_whole(const Header *header, const unsigned char *bytes, size_t size,
                               SinewError *error)
{
    if (memcmp(header->magic, magic, sizeof magic) != 0) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the bytes are no state of a world: they do not begin as one");
    }
    if (header->version != SN_STATE_VERSION) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the state has the version %u, expected %d as this library writes it",
                       (unsigned)header->version, SN_STATE_VERSION);
    }
    if (header->size != size) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the state says that it has %llu bytes and comes with %zu: it is damaged",
                       (unsigned long long)header->size, size);
    }
    if (checksum_of(*header, bytes, size) != header->checksum) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the state is damaged: its checksum does not fit its bytes");
    }
    return SINEW_OK;
}

static SinewStatus check_mine(const SinewWorld *world, const Header *header, SinewError *error)
{
    if (header->content != content_of(world)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the state is of another world with %u bodies, expected one made from the "
                       "same defs in the same order by the same version",
                       (unsigned)header->body_count);
    }
    return SINEW_OK;
}

// Whether one body's state is the first of `size` bytes; how many they are, and room for its
// contact.
static SinewStatus check_body(SnBody *body, const unsigned char *bytes, size_t size,
                              size_t *out_size, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t touching = 0, room = 0;
    size_t moving = moving_size(body);
    bool fits = size >= moving;
    if (fits && body->penalty != NULL) {
        fits = sn_penalty_fits(body->penalty, bytes + moving, size - moving, &touching, &room);
    }
    if (!fits) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the state does not fit body \"%s\" with %zu pins, expected one without "
                       "pins or colliders added or removed since it was saved",
                       body->name, body->pins.count));
    }
    if (body->penalty != NULL) {
        SN_TRY(sn_penalty_grow(body->penalty, room, error));
    }
    *out_size = moving + touching;
done:
    return status;
}

// `size` bytes are there for the states of bodies: they are whole, and there is room for them.
static SinewStatus check_bodies(const SinewWorld *world, const unsigned char *bytes, size_t size,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t at = 0, one = 0;
    for (int i = 0; i < sn_slots_count(&world->bodies); ++i) {
        if (SN_BODIES(world, i) != NULL) {
            SN_TRY(check_body(SN_BODIES(world, i), bytes + at, size - at, &one, error));
            at += one;
        }
    }
    if (at != size) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the state has %zu bytes too many for its bodies, expected one without pins "
                       "or colliders added or removed since it was saved",
                       size - at));
    }
done:
    return status;
}

// Bodies become what their logs make of them. Only here restoring allocates.
static SinewStatus cut_bodies(SinewWorld *world, const unsigned char *bytes, size_t size,
                              size_t used, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Pending *pending = NULL;
    SN_ALLOC_ZERO(pending, &world->allocator, sn_slots_count(&world->bodies), error);
    SN_TRY(follow_logs(world, bytes, size, pending, error));
    swap_pending(world, pending);
    status = check_bodies(world, bytes + used, size - used, error);
    if (status < 0) {
        swap_pending(world, pending);
        goto done;
    }
    for (int i = 0; i < sn_slots_count(&world->bodies); ++i) {
        if (SN_BODIES(world, i) != NULL) {
            sn_body_log_cuts(SN_BODIES(world, i), pending[i].log, pending[i].count);
        }
    }
done:
    release_pending(world, pending);
    return status;
}

// What follows the header, `size` bytes: logs, then states.
static SinewStatus take_bodies(SinewWorld *world, const unsigned char *bytes, size_t size,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    bool is_same = true;
    size_t used = 0;
    SN_TRY(compare_logs(world, bytes, size, &is_same, &used, error));
    if (is_same) {
        SN_TRY(check_bodies(world, bytes + used, size - used, error));
    } else {
        SN_TRY(cut_bodies(world, bytes, size, used, error));
    }
    read_bodies(world, bytes + used);
done:
    return status;
}

SinewStatus sinew_world_restore(SinewWorld *world, const void *bytes, size_t size,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Header header;
    SN_TRY(sn_check_pointer(world, "the world", error));
    SN_TRY(sn_check_pointer(bytes, "bytes", error));
    if (size < sizeof header) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "a state of %zu bytes is damaged, expected %zu or more", size,
                       sizeof header));
    }
    memcpy(&header, bytes, sizeof header);
    SN_TRY(check_whole(&header, bytes, size, error));
    SN_TRY(check_mine(world, &header, error));
    SN_TRY(take_bodies(world, (const unsigned char *)bytes + sizeof header, size - sizeof header,
                       error));
    world->time = header.time;
    world->step_count = header.step_count;
    world->gravity_scale = header.gravity_scale;
    for (int i = 0; i < sn_slots_count(&world->bodies); ++i) {
        if (SN_BODIES(world, i) != NULL) {
            sn_body_surface_follow(SN_BODIES(world, i), world->workers);
        }
    }
done:
    return status;
}

// Pins of a body of frames: springs at vertices, stiff against all that the frames resist.
#include "model/frames/body.h"

#include <math.h>
#include <string.h>

// How much stiffer a pin is than the stiffest frame: held places are off by about this share of how
// far loads move the body.
#define STIFFER 1e4

void sn_frames_pins_release(SnFramesPins *pins, const SinewAllocator *allocator)
{
    sn_pin_set_release(&pins->set, allocator);
    sn_frame_points_release(&pins->points, allocator);
    sn_free(allocator, pins->pins);
    sn_free(allocator, pins->vertices);
    sn_free(allocator, pins->leaders);
    sn_free(allocator, pins->steady);
    sn_free(allocator, pins->squares);
    *pins = (SnFramesPins){0};
}

// How many of a pin's vertices are held; the i-th of them.
static int held_of(const SnPinSet *set, int pin)
{
    int count = set->start[pin + 1] - set->start[pin];
    return count < SN_FRAMES_HELD_MAX ? count : SN_FRAMES_HELD_MAX;
}

static int held_vertex(const SnPinSet *set, int pin, int i)
{
    int count = set->start[pin + 1] - set->start[pin];
    return set->vertices[set->start[pin] + (int)((int64_t)i * count / held_of(set, pin))];
}

// The frame that most of a pin follows, or -1 where none has half of it.
static int leader_of(const SnFrames *body, const SnFramesPins *pins, int pin)
{
    double sums[SN_FRAMES_MAX] = {0.0};
    int count = 0, found = 0;
    for (int h = 0; h < pins->held_count; ++h) {
        if (pins->pins[h] == pin) {
            count += 1;
            for (int i = 0; i < body->frame_count; ++i) {
                sums[i] += pins->points.weights[(size_t)body->frame_count * (size_t)h + (size_t)i];
            }
        }
    }
    for (int i = 1; i < body->frame_count; ++i) {
        found = sums[i] > sums[found] ? i : found;
    }
    return sums[found] > 0.5 * count ? found : -1;
}

// What springs at held vertices are to affine frames, an axis after the other.
static SinewStatus find_squares(const SnFrames *body, SnFramesPins *pins, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t size = 16 * (size_t)body->frame_count * (size_t)body->frame_count;
    double *factors = NULL;

    SN_ALLOC(pins->squares, &body->allocator, 3 * size, error);
    SN_ALLOC(factors, &body->allocator, pins->held_count, error);
    for (size_t k = 0; k < 3; ++k) {
        for (int h = 0; h < pins->held_count; ++h) {
            factors[h] = pins->set.axes[pins->pins[h]] >> k & 1;
        }
        sn_frame_points_square(&pins->points, factors, pins->squares + k * size);
    }

done:
    sn_free(&body->allocator, factors);
    return status;
}

static SinewStatus find_held(const SnFrames *body, SnFramesPins *pins, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->allocator;
    int h = 0;

    for (int p = 0; p < pins->set.count; ++p) {
        pins->held_count += held_of(&pins->set, p);
    }
    SN_ALLOC(pins->pins, allocator, pins->held_count, error);
    SN_ALLOC(pins->vertices, allocator, pins->held_count, error);
    SN_ALLOC_ZERO(pins->steady, allocator, 3 * (size_t)pins->held_count, error);
    SN_ALLOC(pins->leaders, allocator, pins->set.count, error);
    SN_TRY(sn_frame_points_create(pins->held_count, body->frame_count, body->is_affine, allocator,
                                  &pins->points, error));
    for (int p = 0; p < pins->set.count; ++p) {
        int count = held_of(&pins->set, p);
        for (int i = 0; i < count; ++i, ++h) {
            pins->pins[h] = p;
            pins->vertices[h] = held_vertex(&pins->set, p, i);
            sn_frame_points_put(&pins->points, h, &body->grid, body->weights,
                                body->grid.cubes.mesh->positions + 3 * (size_t)pins->vertices[h]);
        }
    }
    SN_TRY(sn_frame_points_pack(&pins->points, allocator, error));
    SN_TRY(sn_frame_points_add_room(&pins->points, allocator, error));
    for (int p = 0; p < pins->set.count; ++p) {
        pins->leaders[p] = leader_of(body, pins, p);
    }
    pins->spring = STIFFER * body->stiffness / fmax(1.0, pins->held_count);
    if (body->is_affine && pins->held_count > 0) {
        SN_TRY(find_squares(body, pins, error));
    }

done:
    return status;
}

SinewStatus sn_frames_set_pins(void *body_, const SnPin *pins, int count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnFrames *body = body_;
    const SnHexMesh *mesh = body->grid.cubes.mesh;
    SnFramesPins made = {0};
    double *state = NULL;
    SnPinBody held = {body->name, body->rest, mesh->vertex_count};

    SN_TRY(sn_pin_set_find(&held, pins, count, &body->allocator, &made.set, error));
    SN_TRY(find_held(body, &made, error));
    SN_TRY(sn_pin_set_states(count, &body->allocator, &state, error));
    // From here on nothing fails: what was goes, what was made stays.
    sn_frames_pins_release(&body->pins, &body->allocator);
    sn_free(&body->allocator, body->state.pins);
    body->pins = made;
    body->is_checked = false;
    body->state.pins = state;
    made = (SnFramesPins){0};
    state = NULL;

done:
    sn_free(&body->allocator, state);
    sn_frames_pins_release(&made, &body->allocator);
    return status;
}

// Animations of a glTF file: channels with their keys. A channel whose target we do not have is
// counted and left out.
#include "io/gltf_internal.h"

#include <stdlib.h>
#include <string.h>

static bool path_of(const char *text, SnChannelPath *out)
{
    static const char *const names[] = {"translation", "rotation", "scale", "weights"};
    for (int i = 0; i < 4 && text != NULL; ++i) {
        if (strcmp(text, names[i]) == 0) {
            *out = (SnChannelPath)i;
            return true;
        }
    }
    return false;
}

static SinewStatus read_interpolation(const SnGltf *gltf, const SnGltfAt *sampler,
                                      SnInterpolation *out, SinewError *error)
{
    static const char *const names[] = {"LINEAR", "STEP", "CUBICSPLINE"};
    const char *text = sn_gltf_text(sampler, "interpolation");
    *out = SN_INTERPOLATE_LINEAR;
    for (int i = 0; i < 3 && text != NULL; ++i) {
        if (strcmp(text, names[i]) == 0) {
            *out = (SnInterpolation)i;
            text = NULL;
        }
    }
    if (text != NULL) {
        return sn_gltf_fail(gltf, sampler, error,
                            "interpolation is \"%.20s\", expected LINEAR, STEP or CUBICSPLINE",
                            text);
    }
    return SINEW_OK;
}

// How many numbers a value has, from what the accessors hold.
static SinewStatus check_values(const SnGltf *gltf, const SnGltfAt *at, const SnGltfAccessor *times,
                                const SnGltfAccessor *values, SnChannel *channel, SinewError *error)
{
    static const int widths[] = {3, 4, 3, 1};
    int64_t keys = (int64_t)times->count * (channel->interpolation == SN_INTERPOLATE_CUBIC ? 3 : 1);
    bool is_weights = channel->path == SN_CHANNEL_WEIGHTS;
    if (times->width != 1 || times->type != SN_GLTF_F32) {
        return sn_gltf_fail(gltf, at, error, "input is accessor %d, expected SCALAR of floats",
                            times->index);
    }
    if (values->width != widths[channel->path]) {
        return sn_gltf_fail(gltf, at, error,
                            "output is accessor %d with %d numbers an element, expected %d",
                            values->index, values->width, widths[channel->path]);
    }
    if (is_weights ? values->count % keys != 0 : values->count != keys) {
        return sn_gltf_fail(gltf, at, error, "has %d output values, expected %s%lld", values->count,
                            is_weights ? "a multiple of " : "", (long long)keys);
    }
    channel->key_count = times->count;
    channel->width = is_weights ? (int)(values->count / keys) : values->width;
    return SINEW_OK;
}

static SinewStatus check_keys(const SnGltf *gltf, const SnGltfAt *at, SnChannel *channel,
                              SinewError *error)
{
    bool is_cubic = channel->interpolation == SN_INTERPOLATE_CUBIC;
    for (int k = 1; k < channel->key_count; ++k) {
        if (channel->times[k] < channel->times[k - 1]) {
            return sn_gltf_fail(gltf, at, error, "time %d is %g after %g, expected no step back", k,
                                channel->times[k], channel->times[k - 1]);
        }
    }
    for (int k = 0; channel->path == SN_CHANNEL_ROTATION && k < channel->key_count; ++k) {
        // Values of cubic channels are used as they are: the curve goes through them.
        double *q = channel->values + 4 * (is_cubic ? 3 * (size_t)k + 1 : (size_t)k);
        double unit[4];
        if (!sn_quaternion_normalise(q, unit)) {
            return sn_gltf_fail(gltf, at, error, "rotation %d has length 0, expected a unit one",
                                k);
        }
        memcpy(q, is_cubic ? q : unit, sizeof unit);
    }
    return SINEW_OK;
}

// Keys of the sampler that a channel names.
static SinewStatus read_keys(SnGltf *gltf, const SnGltfAt *animation, const json_t *samplers,
                             int sampler_index, SnChannel *channel, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnGltfAt at;
    SnGltfAccessor times, values;
    SN_TRY(sn_gltf_array_object(gltf, animation, "samplers", samplers, sampler_index, &at, error));
    SN_TRY(read_interpolation(gltf, &at, &channel->interpolation, error));
    SN_TRY(sn_gltf_accessor(gltf, &at, "input", 0, &times, error));
    SN_TRY(sn_gltf_accessor(gltf, &at, "output", 0, &values, error));
    if (times.index < 0 || values.index < 0) {
        SN_TRY(sn_gltf_fail(gltf, &at, error, "input or output is missing, expected accessors"));
    }
    SN_TRY(check_values(gltf, &at, &times, &values, channel, error));
    SN_TRY(sn_gltf_expand(gltf, &at, (int64_t)times.count + (int64_t)values.count * values.width,
                          error));
    SN_TRY(sn_gltf_accessor_read(gltf, &times, &channel->times, error));
    SN_TRY(sn_gltf_accessor_read(gltf, &values, &channel->values, error));
    SN_TRY(check_keys(gltf, &at, channel, error));
done:
    return status;
}

// What a channel moves; node is -1 where that is nothing of ours.
static SinewStatus read_target(const SnGltf *gltf, const SnGltfAt *at, SnChannel *channel,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnGltfAt target;
    channel->node = -1;
    SN_TRY(sn_gltf_child(gltf, at, "target", &target, error));
    if (target.object != NULL) {
        SN_TRY(sn_gltf_index(gltf, &target, "node", SN_GLTF_NODES, &channel->node, error));
        if (!path_of(sn_gltf_text(&target, "path"), &channel->path)) {
            channel->node = -1;
        }
    }
done:
    return status;
}

static int compare_channels(const void *left, const void *right)
{
    const SnChannel *a = left;
    const SnChannel *b = right;
    return a->node != b->node ? (a->node > b->node) - (a->node < b->node)
                              : (a->source > b->source) - (a->source < b->source);
}

static SinewStatus read_animation(SnGltf *gltf, int index, SnCharacter *character,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnAnimation *animation = &character->animations[index];
    SnGltfAt at = sn_gltf_item(gltf, SN_GLTF_ANIMATIONS, index);
    const char *name = sn_gltf_text(&at, "name");
    json_t *channels = NULL, *samplers = NULL;
    int count = 0, sampler_count = 0;
    name = name != NULL ? name : "";
    SN_ALLOC(animation->name, gltf->allocator, strlen(name) + 1, error);
    memcpy(animation->name, name, strlen(name) + 1);
    SN_TRY(sn_gltf_array(gltf, &at, "channels", &channels, &count, error));
    SN_TRY(sn_gltf_array(gltf, &at, "samplers", &samplers, &sampler_count, error));
    SN_ALLOC_ZERO(animation->channels, gltf->allocator, count, error);
    for (int i = 0; i < count; ++i) {
        SnChannel *channel = &animation->channels[animation->channel_count];
        SnGltfAt channel_at;
        int64_t sampler = 0;
        SN_TRY(sn_gltf_array_object(gltf, &at, "channels", channels, i, &channel_at, error));
        SN_TRY(read_target(gltf, &channel_at, channel, error));
        if (channel->node < 0) {
            character->skipped_channels++;
            continue;
        }
        SN_TRY(sn_gltf_int(gltf, &channel_at, "sampler", 0, sampler_count - 1, SN_GLTF_REQUIRED,
                           &sampler, error));
        channel->source = i;
        animation->channel_count++; // counted first, so that half of one is released too
        SN_TRY(read_keys(gltf, &at, samplers, (int)sampler, channel, error));
        double last = channel->times[channel->key_count - 1];
        animation->duration = last > animation->duration ? last : animation->duration;
    }
    qsort(animation->channels, (size_t)animation->channel_count, sizeof *animation->channels,
          compare_channels);
done:
    return status;
}

SinewStatus sn_gltf_read_animations(SnGltf *gltf, SnCharacter *character, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = gltf->counts[SN_GLTF_ANIMATIONS];
    SN_ALLOC_ZERO(character->animations, gltf->allocator, count, error);
    character->animation_count = count;
    for (int i = 0; i < count; ++i) {
        SN_TRY(read_animation(gltf, i, character, error));
    }
done:
    return status;
}

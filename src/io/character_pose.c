// Sampling animations: keys to the transforms of nodes, and those to the places of vertices. Names
// follow glTF 2.0, appendix C. Only arithmetic and sqrt, so poses have the same bits everywhere.
#include "io/character.h"

#include <string.h>

// The last key at or before `time`; channels are clamped, so there always is one.
static int key_before(const SnChannel *channel, double time)
{
    int low = 0;
    int high = channel->key_count - 1;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (channel->times[middle] <= time) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

// Appendix C.4: v_k the value, b_k the out-tangent of this key, a_k+1 the in-tangent of the next.
static void sample_cubic(const SnChannel *channel, int key, double t, double span, double *out)
{
    int width = channel->width;
    const double *here = channel->values + 3 * (size_t)width * (size_t)key;
    const double *next = here + 3 * width;
    double t2 = t * t, t3 = t2 * t;
    for (int c = 0; c < width; ++c) {
        out[c] = (2.0 * t3 - 3.0 * t2 + 1.0) * here[width + c] +
                 span * (t3 - 2.0 * t2 + t) * here[2 * width + c] +
                 (-2.0 * t3 + 3.0 * t2) * next[width + c] + span * (t3 - t2) * next[c];
    }
}

// The channel's value, width numbers; three or four here.
static void sample(const SnChannel *channel, double time, double *out)
{
    int width = channel->width;
    int key = key_before(channel, time);
    bool is_cubic = channel->interpolation == SN_INTERPOLATE_CUBIC;
    const double *here = channel->values + (size_t)width * (size_t)(is_cubic ? 3 * key + 1 : key);
    bool is_held = key == channel->key_count - 1 || time < channel->times[0] ||
                   channel->interpolation == SN_INTERPOLATE_STEP;
    double span = is_held ? 0.0 : channel->times[key + 1] - channel->times[key];
    if (!(span > 0.0)) {
        memcpy(out, here, (size_t)width * sizeof *out);
        return;
    }
    double t = (time - channel->times[key]) / span;
    if (is_cubic) {
        sample_cubic(channel, key, t, span, out);
    } else if (channel->path == SN_CHANNEL_ROTATION) {
        sn_quaternion_slerp(here, here + width, t, out);
    } else {
        for (int c = 0; c < width; ++c) {
            out[c] = (1.0 - t) * here[c] + t * here[width + c];
        }
    }
}

static void apply_channel(const SnChannel *channel, double time, SnPlacement *placement)
{
    switch (channel->path) {
    case SN_CHANNEL_TRANSLATION:
        sample(channel, time, placement->translation);
        break;
    case SN_CHANNEL_SCALE:
        sample(channel, time, placement->scale);
        break;
    case SN_CHANNEL_ROTATION:
        sample(channel, time, placement->rotation);
        sn_quaternion_normalise(placement->rotation, placement->rotation);
        break;
    case SN_CHANNEL_WEIGHTS:
        break;
    }
}

// Channels of one node stand together, so each moved node is composed once.
static void animate(const SnCharacter *character, const SnAnimation *animation, double time,
                    SnAffine *local)
{
    for (int i = 0; i < animation->channel_count;) {
        int node = animation->channels[i].node;
        SnPlacement placement = character->nodes[node].rest;
        bool is_moved = false;
        for (; i < animation->channel_count && animation->channels[i].node == node; ++i) {
            apply_channel(&animation->channels[i], time, &placement);
            is_moved = is_moved || animation->channels[i].path != SN_CHANNEL_WEIGHTS;
        }
        if (is_moved) {
            local[node] = sn_affine_of_placement(&placement);
        }
    }
}

SinewStatus sn_character_pose(const SnCharacter *character, int animation, double time,
                              SnAffine *out_local, SnAffine *out_world, SinewError *error)
{
    if (animation < -1 || animation >= character->animation_count) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "animation is %d, expected -1 to %d", animation,
                       character->animation_count - 1);
    }
    if (!isfinite(time)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "time is %g s, expected a finite number", time);
    }
    for (int i = 0; i < character->node_count; ++i) {
        out_world[i] = character->nodes[i].local;
    }
    if (animation >= 0) {
        animate(character, &character->animations[animation], time, out_world);
    }
    if (out_local != NULL && character->node_count > 0) {
        memcpy(out_local, out_world, (size_t)character->node_count * sizeof *out_local);
    }
    // In place: parents are in the world before their children ask.
    for (int i = 0; i < character->node_count; ++i) {
        int node = character->order[i];
        int parent = character->nodes[node].parent;
        if (parent >= 0) {
            out_world[node] = sn_affine_multiply(&out_world[parent], &out_world[node]);
        }
    }
    return SINEW_OK;
}

// sum_k w_k world(joint_k) inverse_bind(joint_k) p
static void blend(const SnCharacter *character, const SnAffine *world, size_t vertex,
                  const double *from, double *out)
{
    const int *joints = character->vertex_joints + SN_VERTEX_JOINTS * vertex;
    const double *weights = character->vertex_weights + SN_VERTEX_JOINTS * vertex;
    double sum[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < SN_VERTEX_JOINTS; ++k) {
        const SnCharacterJoint *joint = &character->joints[joints[k]];
        double at[3];
        sn_affine_apply(&joint->inverse_bind, from, at);
        sn_affine_apply(&world[joint->node], at, at);
        for (int c = 0; c < 3; ++c) {
            sum[c] += weights[k] * at[c];
        }
    }
    memcpy(out, sum, sizeof sum);
}

void sn_character_place(const SnCharacter *character, const SnAffine *world, double *out_positions)
{
    const SnSurface *surface = character->surface;
    if (surface->vertex_count > 0) {
        memcpy(out_positions, surface->positions,
               3 * (size_t)surface->vertex_count * sizeof *out_positions);
    }
    for (int i = 0; i < character->part_count; ++i) {
        const SnCharacterPart *part = &character->parts[i];
        SnAffine moved = sn_affine_identity();
        if (part->is_carried) {
            moved = sn_affine_multiply(&world[part->node], &part->to_node);
        }
        // From the rest positions each time: parts that share vertices write the same.
        for (int v = 0; v < part->vertex_count; ++v) {
            size_t vertex = (size_t)(part->first_vertex + v);
            const double *from = surface->positions + 3 * vertex;
            if (part->skin >= 0) {
                blend(character, world, vertex, from, out_positions + 3 * vertex);
            } else {
                sn_affine_apply(&moved, from, out_positions + 3 * vertex);
            }
        }
    }
}

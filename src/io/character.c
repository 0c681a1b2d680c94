#include "io/character.h"

#include <stdio.h>

static void release_animation(SnAnimation *animation, const SinewAllocator *allocator)
{
    for (int i = 0; i < animation->channel_count; ++i) {
        sn_free(allocator, animation->channels[i].times);
        sn_free(allocator, animation->channels[i].values);
    }
    sn_free(allocator, animation->channels);
    sn_free(allocator, animation->name);
}

void sn_character_destroy(SnCharacter *character, const SinewAllocator *allocator)
{
    if (character == NULL) {
        return;
    }
    for (int i = 0; i < character->animation_count; ++i) {
        release_animation(&character->animations[i], allocator);
    }
    sn_free(allocator, character->animations);
    sn_free(allocator, character->skins);
    sn_free(allocator, character->joints);
    sn_free(allocator, character->order);
    sn_names_release(&character->node_names, allocator);
    sn_free(allocator, character->nodes);
    sn_free(allocator, character->parts);
    sn_free(allocator, character->vertex_weights);
    sn_free(allocator, character->vertex_joints);
    sn_surface_destroy(character->surface, allocator);
    sn_free(allocator, character);
}

void sn_character_remark(const SnCharacter *character, char *out_text, size_t size)
{
    const struct {
        int64_t count;
        const char *what;
    } skips[] = {
        {character->skipped_morph_targets, "morph targets"},
        {character->skipped_primitives, "primitives of points or without positions"},
        {character->skipped_channels, "animation channels that move no node"},
    };
    size_t used = 0;
    snprintf(out_text, size, "%s", "");
    for (int i = 0; i < 3; ++i) {
        if (skips[i].count > 0 && used < size) {
            int length =
                snprintf(out_text + used, size - used, "%s%lld %s", used > 0 ? ", " : "skipped ",
                         (long long)skips[i].count, skips[i].what);
            used += length > 0 ? (size_t)length : 0;
        }
    }
}

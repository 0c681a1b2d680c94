// Fuzzes the glTF reader: whatever the bytes, the answer is a sentence or a character whose indices
// stay inside, whose weights sum to one and which can be posed and placed. Buffers are inside the
// input; files are not looked for.
#include "io/gltf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            __builtin_trap();                                                                      \
        }                                                                                          \
    } while (0)

static void check_surface(const SnSurface *surface)
{
    for (int i = 0; i < 3 * surface->vertex_count; ++i) {
        EXPECT(isfinite(surface->positions[i]));
    }
    for (int i = 0; i < 3 * surface->triangle_count; ++i) {
        EXPECT(surface->triangles[i] >= 0 && surface->triangles[i] < surface->vertex_count);
    }
    for (int i = 0; i < surface->triangle_count; ++i) {
        EXPECT(surface->groups[i] >= 0 && surface->groups[i] < surface->names.count);
    }
    for (int i = 0; i < 2 * surface->line_count; ++i) {
        EXPECT(surface->lines[i] >= 0 && surface->lines[i] < surface->vertex_count);
    }
    EXPECT(surface->names.count >= 1);
}

static void check_weights(const SnCharacter *character, const SnCharacterPart *part)
{
    for (int v = part->first_vertex; v < part->first_vertex + part->vertex_count; ++v) {
        double sum = 0.0;
        for (int k = 0; k < SN_VERTEX_JOINTS; ++k) {
            int joint = character->vertex_joints[SN_VERTEX_JOINTS * v + k];
            EXPECT(joint >= 0 && joint < character->joint_count);
            sum += character->vertex_weights[SN_VERTEX_JOINTS * v + k];
        }
        EXPECT(fabs(sum - 1.0) < 1e-12);
    }
}

static void check_nodes(const SnCharacter *character)
{
    for (int i = 0; i < character->joint_count; ++i) {
        EXPECT(character->joints[i].node >= 0 && character->joints[i].node < character->node_count);
        EXPECT(character->joints[i].parent < character->joint_count);
    }
    for (int i = 0; i < character->part_count; ++i) {
        const SnCharacterPart *part = &character->parts[i];
        EXPECT(part->first_vertex >= 0 && part->vertex_count >= 0);
        EXPECT(part->first_vertex + part->vertex_count <= character->surface->vertex_count);
        if (part->skin >= 0) {
            check_weights(character, part);
        }
    }
}

static void pose(const SnCharacter *character)
{
    SnAffine *world = calloc((size_t)character->node_count + 1, sizeof *world);
    double *places = calloc(3 * (size_t)character->surface->vertex_count + 1, sizeof *places);
    EXPECT(world != NULL && places != NULL);
    for (int a = -1; a < character->animation_count; ++a) {
        double last = a < 0 ? 0.0 : character->animations[a].duration;
        for (int i = -1; i <= 3; ++i) {
            EXPECT(sn_character_pose(character, a, 0.5 * i * last, NULL, world, NULL) == SINEW_OK ||
                   !isfinite(0.5 * i * last));
        }
    }
    sn_character_place(character, world, places);
    free(places);
    free(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SinewError error = {.text = ""};
    SnCharacter *character = NULL;
    SnBytes bytes = sn_bytes_of(data, size, "input");
    SinewStatus status = sn_read_gltf(&bytes, NULL, NULL, &character, &error);
    if (status < 0) {
        EXPECT(character == NULL && error.status == status && strlen(error.text) > 0);
        return 0;
    }
    check_surface(character->surface);
    check_nodes(character);
    pose(character);
    sn_character_destroy(character, NULL);
    return 0;
}

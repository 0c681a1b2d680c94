#include "model/frames/skeleton.h"

#include "io/gltf.h"
#include "model/frames/body.h"

#include <string.h>

typedef struct Reading {
    const SnModelDef *def;
    const SnFramesGrid *grid;
    const char *path;
    SnCharacter *character;
    SnAffine *world; // of each node at rest
    int *frames;     // a joint: its frame, or -1
} Reading;

// Files without inverse bind matrices have the identity for all: then joints are where their nodes
// are at rest.
static bool has_binds(const SnCharacter *character)
{
    SnAffine identity = sn_affine_identity();
    for (int j = 0; j < character->joint_count; ++j) {
        if (memcmp(&character->joints[j].inverse_bind, &identity, sizeof identity) != 0) {
            return true;
        }
    }
    return false;
}

// Where the joint is in the space of the skin, then after the body's pose.
static SinewStatus find_place(const Reading *reading, int j, double out[3], SinewError *error)
{
    const SnCharacter *character = reading->character;
    const SnCharacterJoint *joint = &character->joints[j];
    SnAffine bind = reading->world[joint->node], pose = sn_solid_pose(reading->def->solid);
    const double origin[3] = {0.0, 0.0, 0.0};
    if (has_binds(character) && !sn_affine_invert(&joint->inverse_bind, &bind)) {
        return sn_fail_at(
            error, SINEW_ERROR_ARGUMENT, j,
            "%.140s: the inverse bind matrix of joint %d, \"%.60s\", is flat, expected "
            "one that can be inverted",
            reading->path, j, character->node_names.text[joint->node]);
    }
    sn_affine_apply(&bind, origin, out);
    sn_affine_apply(&pose, out, out);
    return SINEW_OK;
}

// Another skin may have a joint of the same node.
static bool is_double(const Reading *reading, int j)
{
    const SnCharacterJoint *joints = reading->character->joints;
    for (int i = 0; i < j; ++i) {
        if (joints[i].node == joints[j].node && reading->frames[i] >= 0) {
            return true;
        }
    }
    return false;
}

static SinewStatus find_frames(const Reading *reading, SnFramePlaces *places, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnFramesGrid *grid = reading->grid;
    for (int j = 0; j < reading->character->joint_count; ++j) {
        double X[3], weights[8], distance;
        SN_TRY(find_place(reading, j, X, error));
        sn_frames_grid_locate(grid, X, weights, &distance);
        reading->frames[j] = -1;
        if (!(distance <= grid->cubes.edge) || is_double(reading, j)) {
            continue;
        }
        if (places->count == SN_FRAMES_MAX) {
            SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                           "%.140s: more than %d of its %d joints are in body \"%s\", expected at "
                           "most as many",
                           reading->path, SN_FRAMES_MAX, reading->character->joint_count,
                           reading->def->name));
        }
        memcpy(places->origins + 3 * places->count, X, sizeof X);
        reading->frames[j] = places->count++;
    }
    if (places->count == 0) {
        SN_TRY(
            sn_fail(error, SINEW_ERROR_ARGUMENT,
                    "%.140s: none of its %d joints is in body \"%s\", expected some: is its pose "
                    "that of the skin?",
                    reading->path, reading->character->joint_count, reading->def->name));
    }

done:
    return status;
}

static void find_parents(const Reading *reading, SnFramePlaces *places)
{
    const SnCharacterJoint *joints = reading->character->joints;
    for (int j = 0; j < reading->character->joint_count; ++j) {
        int above = joints[j].parent;
        while (above >= 0 && reading->frames[above] < 0) {
            above = joints[above].parent;
        }
        if (reading->frames[j] >= 0) {
            places->parents[reading->frames[j]] = above >= 0 ? reading->frames[above] : -1;
        }
    }
}

SinewStatus sn_skeleton_place(const SnModelDef *def, const SnFramesGrid *grid,
                              SnFramePlaces *out_places, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Reading reading = {.def = def, .grid = grid, .path = def->options->frames.skeleton};
    SnCharacter *character = NULL;

    SN_TRY(sn_gltf_read(reading.path, def->allocator, &reading.character, error));
    character = reading.character;
    if (character->joint_count == 0) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT, "%.140s: has no joints, expected a skin",
                       reading.path));
    }
    SN_ALLOC(reading.world, def->allocator, character->node_count, error);
    SN_ALLOC(reading.frames, def->allocator, character->joint_count, error);
    SN_ALLOC(out_places->origins, def->allocator, 3 * SN_FRAMES_MAX, error);
    SN_ALLOC(out_places->parents, def->allocator, SN_FRAMES_MAX, error);
    SN_TRY(sn_character_pose(character, -1, 0.0, NULL, reading.world, error));
    SN_TRY(find_frames(&reading, out_places, error));
    find_parents(&reading, out_places);

done:
    sn_character_destroy(reading.character, def->allocator);
    sn_free(def->allocator, reading.world);
    sn_free(def->allocator, reading.frames);
    return status;
}

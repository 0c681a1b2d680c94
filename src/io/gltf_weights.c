// Joints and weights of skinned vertices: up to eight in the file, the four largest kept.
#include "io/gltf_internal.h"

enum { SETS = 2, SET_WIDTH = 4 };

typedef struct Influences {
    int set_count;
    double *joints[SETS];
    double *weights[SETS];
} Influences;

static SinewStatus read_sets(const SnGltf *gltf, const SnGltfAt *attributes, int vertex_count,
                             Influences *out, SinewError *error)
{
    static const char *const joint_keys[SETS] = {"JOINTS_0", "JOINTS_1"};
    static const char *const weight_keys[SETS] = {"WEIGHTS_0", "WEIGHTS_1"};
    SinewStatus status = SINEW_OK;
    for (int set = 0; set < SETS; ++set) {
        SnGltfAccessor joints, weights;
        SN_TRY(sn_gltf_accessor(gltf, attributes, joint_keys[set], SET_WIDTH, &joints, error));
        SN_TRY(sn_gltf_accessor(gltf, attributes, weight_keys[set], SET_WIDTH, &weights, error));
        if (joints.index < 0 || weights.index < 0) {
            break;
        }
        if (joints.count != vertex_count || weights.count != vertex_count) {
            SN_TRY(sn_gltf_fail(gltf, attributes, error, "%s and %s have %d and %d, expected %d",
                                joint_keys[set], weight_keys[set], joints.count, weights.count,
                                vertex_count));
        }
        if (joints.is_normalised || (joints.type != SN_GLTF_U8 && joints.type != SN_GLTF_U16)) {
            SN_TRY(sn_gltf_fail(gltf, attributes, error,
                                "%s has componentType %d, expected whole numbers (5121 or 5123)",
                                joint_keys[set], joints.type));
        }
        SN_TRY(sn_gltf_accessor_read(gltf, &joints, &out->joints[set], error));
        SN_TRY(sn_gltf_accessor_read(gltf, &weights, &out->weights[set], error));
        out->set_count = set + 1;
    }
done:
    return status;
}

// Puts an influence into the sorted four, and lets the smallest fall out. An equal one stays behind
// those before it.
static void keep_largest(int joint, double weight, int *joints, double *weights)
{
    int at = SN_VERTEX_JOINTS;
    while (at > 0 && weight > weights[at - 1]) {
        at--;
    }
    for (int i = SN_VERTEX_JOINTS - 1; i > at; --i) {
        weights[i] = weights[i - 1];
        joints[i] = joints[i - 1];
    }
    if (at < SN_VERTEX_JOINTS) {
        weights[at] = weight;
        joints[at] = joint;
    }
}

// The four of one vertex, summing to one. A vertex that nothing moves follows its first joint, as
// in the engines that these files are made for.
static SinewStatus read_vertex(const SnGltf *gltf, const SnGltfAt *at, const Influences *from,
                               int vertex, const SnCharacterSkin *skin, int *joints,
                               double *weights, SinewError *error)
{
    size_t first = SET_WIDTH * (size_t)vertex;
    int first_joint = skin->first_joint;
    for (int i = 0; i < SN_VERTEX_JOINTS; ++i) {
        joints[i] = skin->first_joint;
        weights[i] = 0.0;
    }
    for (int i = 0; i < SET_WIDTH * from->set_count; ++i) {
        double joint = from->joints[i / SET_WIDTH][first + (size_t)(i % SET_WIDTH)];
        double weight = from->weights[i / SET_WIDTH][first + (size_t)(i % SET_WIDTH)];
        if (weight < 0.0 || (weight > 0.0 && joint >= skin->joint_count)) {
            return sn_gltf_fail(gltf, at, error,
                                "vertex %d has joint %.0f with weight %g, expected one of %d "
                                "joints and no negative weight",
                                vertex, joint, weight, skin->joint_count);
        }
        if (i == 0 && joint < skin->joint_count) {
            first_joint = skin->first_joint + (int)joint;
        }
        if (weight > 0.0) {
            keep_largest(skin->first_joint + (int)joint, weight, joints, weights);
        }
    }
    double sum = 0.0;
    for (int i = 0; i < SN_VERTEX_JOINTS; ++i) {
        sum += weights[i];
    }
    for (int i = 0; i < SN_VERTEX_JOINTS && sum > 0.0; ++i) {
        weights[i] /= sum;
    }
    if (!(sum > 0.0)) {
        joints[0] = first_joint;
        weights[0] = 1.0;
    }
    return SINEW_OK;
}

SinewStatus sn_gltf_read_weights(SnGltf *gltf, const SnGltfAt *attributes,
                                 const SnCharacterPart *part, SnCharacter *character,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Influences from = {0};
    const SnCharacterSkin *skin = &character->skins[part->skin];
    SN_TRY(read_sets(gltf, attributes, part->vertex_count, &from, error));
    for (int v = 0; v < part->vertex_count; ++v) {
        size_t at = SN_VERTEX_JOINTS * (size_t)(part->first_vertex + v);
        SN_TRY(read_vertex(gltf, attributes, &from, v, skin, character->vertex_joints + at,
                           character->vertex_weights + at, error));
    }
done:
    for (int set = 0; set < SETS; ++set) {
        sn_free(gltf->allocator, from.joints[set]);
        sn_free(gltf->allocator, from.weights[set]);
    }
    return status;
}

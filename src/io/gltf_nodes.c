// Nodes of a glTF file: the tree, its transforms at rest, what the scene shows, and skins.
#include "io/gltf_internal.h"

#include <string.h>

// Real skeletons stay below a hundred.
enum { DEPTH_MAX = 1024 };

// The format writes matrices column by column and wants 0 0 0 1 as the last row; exporters round.
static SinewStatus affine_of(const SnGltf *gltf, const SnGltfAt *at, const double columns[16],
                             SnAffine *out, SinewError *error)
{
    for (int c = 0; c < 4; ++c) {
        for (int r = 0; r < 3; ++r) {
            out->m[4 * r + c] = columns[4 * c + r];
        }
        if (fabs(columns[4 * c + 3] - (c == 3 ? 1.0 : 0.0)) > 1e-3) {
            return sn_gltf_fail(gltf, at, error,
                                "the last row of a matrix has %g in column %d, expected 0 0 0 1",
                                columns[4 * c + 3], c);
        }
    }
    return SINEW_OK;
}

static SinewStatus read_transform(const SnGltf *gltf, const SnGltfAt *at, SnCharacterNode *node,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    node->rest = sn_placement_identity();
    if (json_object_get(at->object, "matrix") != NULL) {
        double columns[16] = {0.0};
        SN_TRY(sn_gltf_numbers(gltf, at, "matrix", 16, columns, error));
        SN_TRY(affine_of(gltf, at, columns, &node->local, error));
        node->rest = sn_affine_place(&node->local);
        goto done;
    }
    SN_TRY(sn_gltf_numbers(gltf, at, "translation", 3, node->rest.translation, error));
    SN_TRY(sn_gltf_numbers(gltf, at, "rotation", 4, node->rest.rotation, error));
    SN_TRY(sn_gltf_numbers(gltf, at, "scale", 3, node->rest.scale, error));
    if (!sn_quaternion_normalise(node->rest.rotation, node->rest.rotation)) {
        SN_TRY(sn_gltf_fail(gltf, at, error, "rotation has length 0, expected a unit quaternion"));
    }
    node->local = sn_affine_of_placement(&node->rest);
done:
    return status;
}

static SinewStatus read_children(const SnGltf *gltf, int index, SnCharacterNode *nodes,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnGltfAt at = sn_gltf_item(gltf, SN_GLTF_NODES, index);
    json_t *children = NULL;
    int count = 0;
    SN_TRY(sn_gltf_array(gltf, &at, "children", &children, &count, error));
    for (int i = 0; i < count; ++i) {
        int child = -1;
        SN_TRY(
            sn_gltf_array_index(gltf, &at, "children", children, i, SN_GLTF_NODES, &child, error));
        if (nodes[child].parent >= 0) {
            SN_TRY(sn_gltf_fail(gltf, &at, error,
                                "its child nodes[%d] has the parent nodes[%d] too, expected one",
                                child, nodes[child].parent));
        }
        nodes[child].parent = index;
    }
done:
    return status;
}

// Parents first, level by level. Every node has one parent at most, so what the roots do not reach
// goes round in a circle.
static SinewStatus order_nodes(const SnGltf *gltf, SnCharacter *character, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnCharacterNode *nodes = character->nodes;
    int count = character->node_count;
    int placed = 0;
    int *depths = NULL;
    SN_ALLOC(depths, gltf->allocator, count, error);
    for (int i = 0; i < count; ++i) {
        if (nodes[i].parent < 0) {
            depths[i] = 0;
            character->order[placed++] = i;
        } else {
            depths[i] = -1;
        }
    }
    for (int done_count = 0; done_count < placed; ++done_count) {
        int parent = character->order[done_count];
        SnGltfAt at = sn_gltf_item(gltf, SN_GLTF_NODES, parent);
        const json_t *children = json_object_get(at.object, "children");
        if (depths[parent] > DEPTH_MAX) {
            SN_TRY(sn_gltf_fail(gltf, &at, error, "is nested more than %d deep", DEPTH_MAX));
        }
        for (size_t i = 0; i < json_array_size(children); ++i) {
            int child = -1;
            SN_TRY(sn_gltf_array_index(gltf, &at, "children", children, (int)i, SN_GLTF_NODES,
                                       &child, error));
            depths[child] = depths[parent] + 1;
            character->order[placed++] = child;
        }
    }
    for (int i = 0; i < count && placed < count; ++i) {
        if (depths[i] < 0) {
            SnGltfAt at = sn_gltf_item(gltf, SN_GLTF_NODES, i);
            SN_TRY(sn_gltf_fail(gltf, &at, error, "is its own ancestor, expected a tree"));
        }
    }
done:
    sn_free(gltf->allocator, depths);
    return status;
}

SinewStatus sn_gltf_read_nodes(SnGltf *gltf, SnCharacter *character, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = gltf->counts[SN_GLTF_NODES];
    SN_ALLOC_ZERO(character->nodes, gltf->allocator, count, error);
    SN_ALLOC(character->order, gltf->allocator, count, error);
    SN_TRY(sn_names_reset(&character->node_names, count, gltf->allocator, error));
    character->node_count = count;
    for (int i = 0; i < count; ++i) {
        character->nodes[i].parent = -1;
    }
    for (int i = 0; i < count; ++i) {
        SnGltfAt at = sn_gltf_item(gltf, SN_GLTF_NODES, i);
        const char *name = sn_gltf_text(&at, "name");
        SN_TRY(read_transform(gltf, &at, &character->nodes[i], error));
        SN_TRY(read_children(gltf, i, character->nodes, error));
        if (name != NULL) {
            SN_TRY(sn_names_set(&character->node_names, i, name, strlen(name), gltf->allocator,
                                error));
        }
    }
    SN_TRY(order_nodes(gltf, character, error));
done:
    return status;
}

SinewStatus sn_gltf_scene(const SnGltf *gltf, const SnCharacter *character, bool *out_shown,
                          SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnGltfAt root = {.object = gltf->root};
    int scene = -1;
    memset(out_shown, 0, (size_t)character->node_count * sizeof *out_shown);
    SN_TRY(sn_gltf_index(gltf, &root, "scene", SN_GLTF_SCENES, &scene, error));
    scene = scene < 0 && gltf->counts[SN_GLTF_SCENES] > 0 ? 0 : scene;
    if (scene >= 0) {
        SnGltfAt at = sn_gltf_item(gltf, SN_GLTF_SCENES, scene);
        json_t *nodes = NULL;
        int count = 0;
        SN_TRY(sn_gltf_array(gltf, &at, "nodes", &nodes, &count, error));
        for (int i = 0; i < count; ++i) {
            int node = -1;
            SN_TRY(sn_gltf_array_index(gltf, &at, "nodes", nodes, i, SN_GLTF_NODES, &node, error));
            out_shown[node] = true;
        }
    }
    for (int i = 0; i < character->node_count; ++i) {
        int node = character->order[i];
        int parent = character->nodes[node].parent;
        bool is_root = scene < 0 && parent < 0;
        out_shown[node] = out_shown[node] || is_root || (parent >= 0 && out_shown[parent]);
    }
done:
    return status;
}

// `joint_of` tells the joint of each node in this skin, -1 for none.
static SinewStatus read_joints(SnGltf *gltf, const SnGltfAt *at, const json_t *list,
                               const SnCharacterSkin *skin, int *joint_of, SnCharacter *character,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnCharacterJoint *joints = character->joints + skin->first_joint;
    for (int i = 0; i < skin->joint_count; ++i) {
        int node = -1;
        SN_TRY(sn_gltf_array_index(gltf, at, "joints", list, i, SN_GLTF_NODES, &node, error));
        if (joint_of[node] >= 0) {
            SN_TRY(sn_gltf_fail(gltf, at, error,
                                "joints[%d] is nodes[%d] again, expected each once", i, node));
        }
        joint_of[node] = skin->first_joint + i;
        joints[i].node = node;
        joints[i].inverse_bind = sn_affine_identity();
    }
    for (int i = 0; i < skin->joint_count; ++i) {
        int above = character->nodes[joints[i].node].parent;
        int64_t steps = 1;
        for (; above >= 0 && joint_of[above] < 0; ++steps) {
            above = character->nodes[above].parent;
        }
        SN_TRY(sn_gltf_expand(gltf, at, steps, error)); // many skins deep in a tree take long
        joints[i].parent = above >= 0 ? joint_of[above] : -1;
    }
    for (int i = 0; i < skin->joint_count; ++i) {
        joint_of[joints[i].node] = -1; // ready for the next skin
    }
done:
    return status;
}

static SinewStatus read_inverse_binds(const SnGltf *gltf, const SnGltfAt *at,
                                      const SnCharacterSkin *skin, SnCharacterJoint *joints,
                                      SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnGltfAccessor accessor;
    double *columns = NULL;
    SN_TRY(sn_gltf_accessor(gltf, at, "inverseBindMatrices", 16, &accessor, error));
    if (accessor.index < 0) {
        goto done;
    }
    if (accessor.count < skin->joint_count) {
        SN_TRY(sn_gltf_fail(gltf, at, error, "has %d inverse bind matrices for %d joints",
                            accessor.count, skin->joint_count));
    }
    accessor.count = skin->joint_count; // more are allowed, and nobody's
    if (accessor.sparse_count == 0) {
        SN_TRY(sn_gltf_accessor_read(gltf, &accessor, &columns, error));
    } else {
        SN_TRY(sn_gltf_fail(gltf, at, error, "inverseBindMatrices is sparse, expected it plain"));
    }
    for (int i = 0; i < skin->joint_count; ++i) {
        SN_TRY(affine_of(gltf, at, columns + 16 * (size_t)i,
                         &joints[skin->first_joint + i].inverse_bind, error));
    }
done:
    sn_free(gltf->allocator, columns);
    return status;
}

// Counts the joints of all skins, so that they can lie one after the other.
static SinewStatus count_joints(const SnGltf *gltf, SnCharacter *character, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int i = 0; i < character->skin_count; ++i) {
        SnGltfAt at = sn_gltf_item(gltf, SN_GLTF_SKINS, i);
        SnCharacterSkin *skin = &character->skins[i];
        json_t *list = NULL;
        skin->first_joint = character->joint_count;
        SN_TRY(sn_gltf_array(gltf, &at, "joints", &list, &skin->joint_count, error));
        if (skin->joint_count == 0) {
            SN_TRY(sn_gltf_fail(gltf, &at, error, "joints is missing or empty, expected some"));
        }
        if (skin->joint_count > character->node_count) {
            SN_TRY(sn_gltf_fail(gltf, &at, error, "has %d joints, but there are %d nodes",
                                skin->joint_count, character->node_count));
        }
        character->joint_count += skin->joint_count; // each took two bytes of the text
    }
done:
    return status;
}

SinewStatus sn_gltf_read_skins(SnGltf *gltf, SnCharacter *character, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *joint_of = NULL;
    int count = gltf->counts[SN_GLTF_SKINS];
    SN_ALLOC_ZERO(character->skins, gltf->allocator, count, error);
    character->skin_count = count;
    SN_TRY(count_joints(gltf, character, error));
    SN_ALLOC_ZERO(character->joints, gltf->allocator, character->joint_count, error);
    SN_ALLOC(joint_of, gltf->allocator, character->node_count, error);
    for (int i = 0; i < character->node_count; ++i) {
        joint_of[i] = -1;
    }
    for (int i = 0; i < count; ++i) {
        SnGltfAt at = sn_gltf_item(gltf, SN_GLTF_SKINS, i);
        const SnCharacterSkin *skin = &character->skins[i];
        const json_t *list = json_object_get(at.object, "joints");
        SN_TRY(read_joints(gltf, &at, list, skin, joint_of, character, error));
        SN_TRY(read_inverse_binds(gltf, &at, skin, character->joints, error));
    }
done:
    sn_free(gltf->allocator, joint_of);
    return status;
}

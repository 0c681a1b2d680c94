// A character as a file gives it: triangles in rest position, the tree of nodes that carries them,
// joints that bend them and animations that move the nodes. Readers fill it; skinning and drivers
// take it from here. sn_character_pose samples an animation, sn_character_place moves the vertices.
//
// What the positions of the surface are depends on the part they belong to:
//   * a part without a skin is in world space, moved there by its node's rest transforms; triangles
//     of nodes that mirror are turned round, so that outside stays outside;
//   * a part with a skin is in bind space, the numbers of the file: the node of a skinned mesh does
//     not move it (glTF 2.0, 3.7.3.3), its joints do. At any pose the vertex is at
//     sum_k w_k world(joint_k) inverse_bind(joint_k) p, which need not be p at rest.
//
// Nodes were kept in file order rather than sorted by depth: indices then are those which the
// file's author sees, and `order` serves who needs parents first.
#ifndef SN_IO_CHARACTER_H
#define SN_IO_CHARACTER_H

#include "geometry/surface.h"
#include "math/affine.h"

// Joints that move one vertex. Files may give eight; the four largest are kept, ties by the order
// in the file, since that is what linear blending in engines shows and what its cost is built on.
enum { SN_VERTEX_JOINTS = 4 };

typedef struct SnCharacterNode {
    int parent;       // -1: a root
    SnAffine local;   // at rest, to the parent's space
    SnPlacement rest; // the same as translation, rotation, scale; without shear where that has any
} SnCharacterNode;

// One joint of one skin. Skins lie one after the other; two that share a node have a joint each,
// since their inverse bind matrices may differ.
typedef struct SnCharacterJoint {
    int node;
    int parent;            // joint of the nearest node above that is in the same skin; -1: none
    SnAffine inverse_bind; // from bind space to the joint's space
} SnCharacterJoint;

typedef struct SnCharacterSkin {
    int first_joint;
    int joint_count;
} SnCharacterSkin;

// What one group of the surface is. Parts that stand next to each other in one mesh may share their
// vertices.
typedef struct SnCharacterPart {
    int node; // that shows it; -1: a mesh that no node shows
    int skin; // -1: moves with its node
    int first_vertex;
    int vertex_count;
    SnAffine to_node; // from world space at rest to the node's; only where is_carried
    bool is_carried;  // false with a skin, without a node and where the node is flat
} SnCharacterPart;

typedef enum SnChannelPath {
    SN_CHANNEL_TRANSLATION,
    SN_CHANNEL_ROTATION,
    SN_CHANNEL_SCALE,
    SN_CHANNEL_WEIGHTS // of morph targets: kept, moves no node
} SnChannelPath;

typedef enum SnInterpolation {
    SN_INTERPOLATE_LINEAR, // rotations: slerp
    SN_INTERPOLATE_STEP,
    SN_INTERPOLATE_CUBIC // Hermite; a key is its in-tangent, value and out-tangent
} SnInterpolation;

typedef struct SnChannel {
    int node;
    int source; // which channel of the file's animation it is
    SnChannelPath path;
    SnInterpolation interpolation;
    int key_count;  // at least one
    int width;      // numbers in a value: 3, 4 or the number of morph targets
    double *times;  // s, never falling
    double *values; // width each, three times that for cubic ones
} SnChannel;

typedef struct SnAnimation {
    char *name;      // never NULL
    double duration; // s, the last key of all channels
    int channel_count;
    SnChannel *channels; // sorted by node, then as in the file
} SnAnimation;

typedef struct SnCharacter {
    SnSurface *surface;     // a group each part; one without triangles when there is no part
    int *vertex_joints;     // four each, into `joints`; NULL when no part has a skin
    double *vertex_weights; // four each, largest first; sum 1 with a skin, all zero without
    int part_count;
    SnCharacterPart *parts;
    int node_count;
    SnCharacterNode *nodes;
    SnNames node_names;
    int *order; // of all nodes, parents first
    int joint_count;
    SnCharacterJoint *joints;
    int skin_count;
    SnCharacterSkin *skins;
    int animation_count;
    SnAnimation *animations;
    int64_t skipped_morph_targets;
    int64_t skipped_primitives; // points, and what has no positions
    int64_t skipped_channels;   // that move no node, or something we do not have
} SnCharacter;

// NULL is fine. The allocator must be the one it was made with.
void sn_character_destroy(SnCharacter *character, const SinewAllocator *allocator);

// What the reader left out, as a sentence; empty when nothing.
void sn_character_remark(const SnCharacter *character, char *out_text, size_t size);

// Where every node is at `time` (s) of an animation; before its first key and after its last the
// pose stays. -1 is the rest pose. Both outputs have node_count maps: to the parent's space
// (nullable) and to the world's. The world map of joint j is out_world[joints[j].node].
// SINEW_ERROR_ARGUMENT for an animation that is not there or a time that is not finite.
SinewStatus sn_character_pose(const SnCharacter *character, int animation, double time,
                              SnAffine *out_local, SnAffine *out_world, SinewError *error);

// Where every vertex is when the nodes are at `world`, by linear blending; xyz packed.
void sn_character_place(const SnCharacter *character, const SnAffine *world, double *out_positions);

#endif

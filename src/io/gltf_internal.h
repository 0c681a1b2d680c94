// What the parts of the glTF reader share: the open file, places in its JSON, accessors. A part
// checks what it reads before it allocates, and says in each sentence where in the JSON it was.
#ifndef SN_IO_GLTF_INTERNAL_H
#define SN_IO_GLTF_INTERNAL_H

#include "io/bytes.h"
#include "io/character.h"

#include <jansson.h>

typedef enum SnGltfList {
    SN_GLTF_ACCESSORS,
    SN_GLTF_ANIMATIONS,
    SN_GLTF_BUFFERS,
    SN_GLTF_VIEWS,
    SN_GLTF_MATERIALS,
    SN_GLTF_MESHES,
    SN_GLTF_NODES,
    SN_GLTF_SCENES,
    SN_GLTF_SKINS,
    SN_GLTF_LISTS
} SnGltfList;

typedef struct SnGltf {
    const SinewAllocator *allocator;
    const char *path;
    const char *folder; // nullable
    SnBytes text;       // the JSON, lent
    SnBytes chunk;      // the binary chunk of a .glb, lent; data is NULL without one
    json_t *root;
    json_t *lists[SN_GLTF_LISTS]; // borrowed from root; NULL where there is none
    int counts[SN_GLTF_LISTS];
    SnBytes *buffers;   // as many as the list has
    int64_t items_most; // vertices, triangles and keys that a file of this size may expand to
    int64_t allowance;  // what is left of them
} SnGltf;

// An object in the JSON and its name for sentences.
typedef struct SnGltfAt {
    json_t *object; // borrowed
    char where[72];
} SnGltfAt;

// A member that must be there.
#define SN_GLTF_REQUIRED INT64_MIN

// gltf_container.c: text and chunk of either kind of file.
SinewStatus sn_gltf_container_open(SnGltf *gltf, const SnBytes *bytes, SinewError *error);

// gltf_json.c
// Parses the text, checks version and extensions, and that all lists are lists of objects.
SinewStatus sn_gltf_json_open(SnGltf *gltf, SinewError *error);
SinewStatus sn_gltf_fail(const SnGltf *gltf, const SnGltfAt *at, SinewError *error,
                         const char *format, ...) SN_PRINTF(4, 5);
SnGltfAt sn_gltf_item(const SnGltf *gltf, SnGltfList list, int index);
// A whole number in [least, most], or `fallback` where it is absent.
SinewStatus sn_gltf_int(const SnGltf *gltf, const SnGltfAt *at, const char *key, int64_t least,
                        int64_t most, int64_t fallback, int64_t *out, SinewError *error);
// An index into a list; -1 where it is absent.
SinewStatus sn_gltf_index(const SnGltf *gltf, const SnGltfAt *at, const char *key, SnGltfList list,
                          int *out, SinewError *error);
// `count` finite numbers; `out` stays as it is where they are absent.
SinewStatus sn_gltf_numbers(const SnGltf *gltf, const SnGltfAt *at, const char *key, int count,
                            double *out, SinewError *error);
// NULL where there is none.
const char *sn_gltf_text(const SnGltfAt *at, const char *key);
// An object below; its `object` is NULL where it is absent.
SinewStatus sn_gltf_child(const SnGltf *gltf, const SnGltfAt *at, const char *key, SnGltfAt *out,
                          SinewError *error);
// A list below; NULL and zero where it is absent.
SinewStatus sn_gltf_array(const SnGltf *gltf, const SnGltfAt *at, const char *key, json_t **out,
                          int *out_count, SinewError *error);
// Its i-th item, which must be an object.
SinewStatus sn_gltf_array_object(const SnGltf *gltf, const SnGltfAt *at, const char *key,
                                 const json_t *array, int i, SnGltfAt *out, SinewError *error);
// Its i-th item, which must be an index into a list.
SinewStatus sn_gltf_array_index(const SnGltf *gltf, const SnGltfAt *at, const char *key,
                                const json_t *array, int i, SnGltfList list, int *out,
                                SinewError *error);
// Takes `count` items of the allowance, or refuses.
SinewStatus sn_gltf_expand(SnGltf *gltf, const SnGltfAt *at, int64_t count, SinewError *error);

// gltf_buffers.c: fills gltf->buffers and the allowance.
SinewStatus sn_gltf_buffers_open(SnGltf *gltf, SinewError *error);
void sn_gltf_buffers_close(SnGltf *gltf);

// Component types, by the numbers of the format.
enum {
    SN_GLTF_I8 = 5120,
    SN_GLTF_U8 = 5121,
    SN_GLTF_I16 = 5122,
    SN_GLTF_U16 = 5123,
    SN_GLTF_U32 = 5125,
    SN_GLTF_F32 = 5126
};

// A typed view of a buffer that lies inside it as a whole.
typedef struct SnGltfAccessor {
    int index; // -1: there is none
    int count; // elements
    int width; // components of an element
    int type;
    bool is_normalised;        // whole numbers stand for fractions of their range
    const unsigned char *data; // NULL: zeros
    size_t stride;             // bytes from element to element
    int sparse_count;          // elements that are replaced
    int sparse_type;
    const unsigned char *sparse_indices;
    const unsigned char *sparse_values; // packed
} SnGltfAccessor;

// gltf_accessor.c
// The accessor that a member names, checked against its buffer. `width` is how many components it
// must have; 0 takes any. index is -1 where the member is absent.
SinewStatus sn_gltf_accessor(const SnGltf *gltf, const SnGltfAt *at, const char *key, int width,
                             SnGltfAccessor *out, SinewError *error);
// All its numbers, packed, for the caller to free. None is NaN or infinite.
SinewStatus sn_gltf_accessor_read(const SnGltf *gltf, const SnGltfAccessor *accessor,
                                  double **out_values, SinewError *error);

// The rest fills the character, in this order: nodes, skins, meshes, animations.
SinewStatus sn_gltf_read_nodes(SnGltf *gltf, SnCharacter *character, SinewError *error);
SinewStatus sn_gltf_read_skins(SnGltf *gltf, SnCharacter *character, SinewError *error);
SinewStatus sn_gltf_read_meshes(SnGltf *gltf, SnCharacter *character, SinewError *error);
SinewStatus sn_gltf_read_animations(SnGltf *gltf, SnCharacter *character, SinewError *error);

// gltf_nodes.c: which nodes the scene shows. `out_shown` has node_count flags.
SinewStatus sn_gltf_scene(const SnGltf *gltf, const SnCharacter *character, bool *out_shown,
                          SinewError *error);

// gltf_weights.c: joints and weights of the vertices of a part that has a skin, from the members
// of its attributes.
SinewStatus sn_gltf_read_weights(SnGltf *gltf, const SnGltfAt *attributes,
                                 const SnCharacterPart *part, SnCharacter *character,
                                 SinewError *error);

#endif

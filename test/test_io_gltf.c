#include "support/fail_allocator.h"
#include "support/test.h"

#include "io/gltf.h"

#include <math.h>

#ifndef SN_GLTF

static void a_build_without_it_says_so(void **state)
{
    (void)state;
    SinewError error = {.text = ""};
    SnBytes bytes = sn_bytes_of("{}", 2, "some.gltf");
    SnCharacter *character = NULL;
    assert_int_equal(sn_read_gltf(&bytes, NULL, NULL, &character, &error), SINEW_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "some.gltf: cannot be read"));
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(a_build_without_it_says_so)};

#else

#include <dirent.h>
#include <unistd.h>

// A .glb in memory, from JSON with single quotes and the bytes of its chunk.
typedef struct Glb {
    unsigned char data[16384];
    size_t size;
} Glb;

static void put_word(Glb *glb, uint32_t word)
{
    for (int i = 0; i < 4; ++i) {
        glb->data[glb->size++] = (unsigned char)(word >> 8 * i);
    }
}

static void put_chunk(Glb *glb, uint32_t kind, const void *data, size_t size, char padding)
{
    size_t padded = sn_round_up(size, 4);
    assert_true(glb->size + padded + 8 <= sizeof glb->data);
    put_word(glb, (uint32_t)padded);
    put_word(glb, kind);
    memcpy(glb->data + glb->size, data, size);
    memset(glb->data + glb->size + size, padding, padded - size);
    glb->size += padded;
}

static Glb make_glb(const char *json, const void *data, size_t size)
{
    Glb glb = {.size = 0};
    char text[8192];
    size_t length = strlen(json);
    assert_true(length < sizeof text);
    for (size_t i = 0; i < length; ++i) {
        text[i] = json[i] == '\'' ? '"' : json[i];
    }
    put_word(&glb, 0x46546c67);
    put_word(&glb, 2);
    put_word(&glb, 0);
    put_chunk(&glb, 0x4e4f534a, text, length, ' ');
    if (size > 0) {
        put_chunk(&glb, 0x004e4942, data, size, '\0');
    }
    Glb header = {.size = 8};
    put_word(&header, (uint32_t)glb.size);
    memcpy(glb.data + 8, header.data + 8, 4);
    return glb;
}

static SinewStatus try_read(const char *json, const void *data, size_t size, SnCharacter **out,
                            SinewError *error)
{
    Glb glb = make_glb(json, data, size);
    SnBytes bytes = sn_bytes_of(glb.data, glb.size, "some.glb");
    return sn_read_gltf(&bytes, NULL, NULL, out, error);
}

static SnCharacter *read_well(const char *json, const void *data, size_t size)
{
    SinewError error = {.text = ""};
    SnCharacter *character = NULL;
    if (try_read(json, data, size, &character, &error) != SINEW_OK) {
        fail_msg("refused: %s", error.text);
    }
    return character;
}

static void refuse(const char *json, const void *data, size_t size, const char *sentence)
{
    SinewError error = {.text = ""};
    SnCharacter *character = NULL;
    SinewStatus status = try_read(json, data, size, &character, &error);
    sn_character_destroy(character, NULL);
    if (status != SINEW_ERROR_FILE || strstr(error.text, sentence) == NULL ||
        strncmp(error.text, "some.glb:", 9) != 0) {
        fail_msg("status %d, \"%s\"; expected \"%s\"", status, error.text, sentence);
    }
    assert_null(character);
}

static void expect_vertex(const SnCharacter *character, int vertex, double x, double y, double z)
{
    const double *p = character->surface->positions + 3 * vertex;
    // Floats of the file are exact in double; transforms here have a few roundings.
    double off = fabs(p[0] - x) + fabs(p[1] - y) + fabs(p[2] - z);
    if (!(off < 1e-12)) {
        fail_msg("vertex %d is at %.17g %.17g %.17g, expected %g %g %g", vertex, p[0], p[1], p[2],
                 x, y, z);
    }
}

static void expect_ints(const int *got, const int *wanted, int count)
{
    for (int i = 0; i < count; ++i) {
        assert_int_equal(got[i], wanted[i]);
    }
}

#define ASSET "{'asset':{'version':'2.0'}"
// Accessor 0: three floats each of `count` vertices from the start of the chunk of `size` bytes.
#define POINTS_OF(count, size)                                                                     \
    ",'buffers':[{'byteLength':" size "}],'bufferViews':[{'buffer':0,'byteLength':" size           \
    "}],'accessors':[{'bufferView':0,'componentType':5126,'count':" count ",'type':'VEC3'}]"
#define ONE_MESH ",'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]"

static const float corner[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

static void a_triangle_is_read(void **state)
{
    (void)state;
    // No nodes: each mesh once.
    SnCharacter *c = read_well(ASSET POINTS_OF("3", "36") ONE_MESH "}", corner, sizeof corner);
    assert_int_equal(c->surface->vertex_count, 3);
    assert_int_equal(c->surface->triangle_count, 1);
    assert_int_equal(c->surface->line_count, 0);
    assert_int_equal(c->surface->names.count, 1);
    expect_ints(c->surface->triangles, (int[]){0, 1, 2}, 3);
    expect_vertex(c, 1, 1, 0, 0);
    assert_null(c->vertex_joints);
    assert_int_equal(c->parts[0].node, -1);
    sn_character_destroy(c, NULL);
    // No meshes at all is a character without a body.
    c = read_well(ASSET "}", NULL, 0);
    assert_int_equal(c->surface->triangle_count, 0);
    assert_int_equal(c->surface->names.count, 1);
    sn_character_destroy(c, NULL);
}

static void nodes_move_meshes(void **state)
{
    (void)state;
    // Root: a quarter turn about z after doubling, moved by (10, 0, 0); its child: a matrix that
    // moves by (0, 0, 5). The third mirrors x. The fourth is in no scene.
    SnCharacter *c = read_well(
        ASSET POINTS_OF(
            "3",
            "36") ",'materials':[{'name':'skin'}],'meshes':[{'name':'tri',"
                  "'primitives':[{'attributes':{'POSITION':0},'material':0}]}],'scene':1,"
                  "'scenes':[{'nodes':[3]},{'nodes':[1,2]}],'nodes':[{'mesh':0,'name':'child','"
                  "matrix':"
                  "[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,5,1]},{'children':[0],'translation':[10,0,0],"
                  "'rotation':[0,0,0.7071067811865476,0.7071067811865476],'scale':[2,2,2]},"
                  "{'mesh':0,'scale':[-1,1,1]},{'mesh':0}]}",
        corner, sizeof corner);
    assert_int_equal(c->part_count, 2);
    assert_int_equal(c->surface->vertex_count, 6);
    expect_vertex(c, 0, 10, 0, 10);
    expect_vertex(c, 1, 10, 2, 10);
    expect_vertex(c, 2, 8, 0, 10);
    expect_vertex(c, 4, -1, 0, 0);
    // The mirrored one is turned round, so that its normal still is +z.
    expect_ints(c->surface->triangles, (int[]){0, 1, 2, 3, 5, 4}, 6);
    expect_ints(c->surface->groups, (int[]){0, 1}, 2);
    assert_string_equal(c->surface->names.text[0], "tri:skin");
    assert_string_equal(c->node_names.text[0], "child");
    assert_int_equal(c->nodes[0].parent, 1);
    // The matrix as translation, rotation, scale.
    assert_true(c->nodes[0].rest.translation[2] == 5.0 && c->nodes[0].rest.rotation[3] == 1.0);
    // Posed at rest, every vertex stays; the root moved takes its child along.
    SnAffine world[4];
    double placed[18];
    assert_int_equal(sn_character_pose(c, -1, 0.0, NULL, world, NULL), SINEW_OK);
    sn_character_place(c, world, placed);
    for (int i = 0; i < 18; ++i) {
        assert_at_most(fabs(placed[i] - c->surface->positions[i]), 1e-12); // an inverse and back
    }
    world[0].m[3] += 3.0;
    sn_character_place(c, world, placed);
    assert_at_most(fabs(placed[0] - 13.0), 1e-12);
    sn_character_destroy(c, NULL);
}

static void a_cube_under_nodes_keeps_its_outside(void **state)
{
    (void)state;
    float points[24];
    unsigned char data[96 + 36];
    static const unsigned char faces[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                            2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    for (int i = 0; i < 8; ++i) {
        points[3 * i] = (float)(i & 1);
        points[3 * i + 1] = (float)(i >> 1 & 1);
        points[3 * i + 2] = (float)(i >> 2);
    }
    memcpy(data, points, 96);
    memcpy(data + 96, faces, 36);
    SnCharacter *c = read_well(
        ASSET ",'buffers':[{'byteLength':132}],'bufferViews':[{'buffer':0,'byteLength':96},"
              "{'buffer':0,'byteOffset':96,'byteLength':36}],'accessors':[{'bufferView':0,"
              "'componentType':5126,'count':8,'type':'VEC3'},{'bufferView':1,"
              "'componentType':5121,'count':36,'type':'SCALAR'}],'meshes':[{'primitives':["
              "{'attributes':{'POSITION':0},'indices':1}]}],'nodes':[{'children':[1],"
              "'rotation':[0.5,0.5,0.5,0.5],'translation':[1,2,3]},{'children':[2],"
              "'matrix':[0,0,2,0, 0,3,0,0, 4,0,0,0, 7,8,9,1]},{'mesh':0,'scale':[1,-1,0.5]}]}",
        data, sizeof data);
    // Scales 2, 3, 4 (in a mirroring order) and 1, -1, 0.5: the volume is 12, and positive.
    double volume = 0.0;
    for (int t = 0; t < 12; ++t) {
        const double *p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = c->surface->positions + 3 * c->surface->triangles[3 * t + k];
        }
        volume += (p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) -
                   p[0][1] * (p[1][0] * p[2][2] - p[1][2] * p[2][0]) +
                   p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0])) /
                  6.0;
    }
    assert_at_most(fabs(volume - 12.0), 1e-11); // sums of products near a thousand
    // Vertex (1, 1, 1) by hand: scale (1, -1, 0.5); matrix: x' = 4 z + 7, y' = 3 y + 8,
    // z' = 2 x + 9, so (9, 5, 11); the turn about (1, 1, 1) takes x to y: (11, 9, 5).
    expect_vertex(c, 7, 12, 11, 8);
    sn_character_destroy(c, NULL);
}

static void strides_and_sparse_are_followed(void **state)
{
    (void)state;
    // Positions every 20 bytes from byte 4 on; sparse: vertex 2 becomes (7, 8, 9).
    unsigned char data[96] = {0};
    for (int i = 0; i < 3; ++i) {
        memcpy(data + 4 + 20 * i, corner + 3 * i, 12);
    }
    data[64] = 2;
    memcpy(data + 68, (float[]){7, 8, 9}, 12);
    SnCharacter *c = read_well(
        ASSET ",'buffers':[{'byteLength':96}],'bufferViews':[{'buffer':0,'byteLength':60,"
              "'byteStride':20},{'buffer':0,'byteOffset':64,'byteLength':2},{'buffer':0,"
              "'byteOffset':68,'byteLength':12}],'accessors':[{'bufferView':0,'byteOffset':4,"
              "'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':1,'indices':"
              "{'bufferView':1,'componentType':5123},'values':{'bufferView':2}}},"
              "{'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':1,'indices':"
              "{'bufferView':1,'componentType':5121},'values':{'bufferView':2}}}],"
              "'meshes':[{'primitives':[{'attributes':{'POSITION':0}},"
              "{'attributes':{'POSITION':1}}]}]}",
        data, sizeof data);
    expect_vertex(c, 1, 1, 0, 0);
    expect_vertex(c, 2, 7, 8, 9);
    expect_vertex(c, 3, 0, 0, 0); // without a bufferView: zeros but for the sparse one
    expect_vertex(c, 5, 7, 8, 9);
    sn_character_destroy(c, NULL);
}

// The corners of one primitive of five points, with the given mode and indices.
static SnCharacter *read_mode(int mode, const char *index_type, const void *indices, size_t size)
{
    unsigned char data[128] = {0};
    char json[1024];
    float points[15];
    for (int i = 0; i < 15; ++i) {
        points[i] = (float)i;
    }
    memcpy(data, points, 60);
    if (size > 0) {
        memcpy(data + 60, indices, size);
    }
    snprintf(json, sizeof json,
             ASSET ",'buffers':[{'byteLength':%zu}],'bufferViews':[{'buffer':0,'byteLength':60},"
                   "{'buffer':0,'byteOffset':60,'byteLength':%zu}],'accessors':[{'bufferView':0,"
                   "'componentType':5126,'count':5,'type':'VEC3'},{'bufferView':1,"
                   "'componentType':%s,'count':5,'type':'SCALAR'}],'meshes':[{'primitives':[{"
                   "'attributes':{'POSITION':0},'mode':%d%s}]}]}",
             60 + size + 1, size + 1, index_type, mode, size > 0 ? ",'indices':1" : "");
    return read_well(json, data, 60 + size + 1);
}

static void all_modes_and_index_types_are_read(void **state)
{
    (void)state;
    static const int strip[] = {0, 1, 2, 1, 3, 2, 2, 3, 4};
    SnCharacter *c = read_mode(5, "5121", NULL, 0);
    assert_int_equal(c->surface->triangle_count, 3);
    expect_ints(c->surface->triangles, strip, 9);
    sn_character_destroy(c, NULL);

    c = read_mode(6, "5121", (uint8_t[]){4, 3, 2, 1, 0}, 5);
    assert_int_equal(c->surface->triangle_count, 3);
    expect_ints(c->surface->triangles, (int[]){3, 2, 4, 2, 1, 4, 1, 0, 4}, 9);
    sn_character_destroy(c, NULL);

    c = read_mode(5, "5123", (uint16_t[]){0, 1, 2, 3, 4}, 10);
    expect_ints(c->surface->triangles, strip, 9);
    sn_character_destroy(c, NULL);

    c = read_mode(5, "5125", (uint32_t[]){0, 1, 2, 3, 4}, 20);
    expect_ints(c->surface->triangles, strip, 9);
    sn_character_destroy(c, NULL);

    c = read_mode(3, "5121", NULL, 0);
    assert_int_equal(c->surface->line_count, 4);
    expect_ints(c->surface->lines, (int[]){0, 1, 1, 2, 2, 3, 3, 4}, 8);
    sn_character_destroy(c, NULL);

    c = read_mode(2, "5121", (uint8_t[]){4, 3, 2, 1, 0}, 5);
    assert_int_equal(c->surface->line_count, 5);
    assert_int_equal(c->surface->triangle_count, 0);
    expect_ints(c->surface->lines, (int[]){4, 3, 3, 2, 2, 1, 1, 0, 0, 4}, 10);
    sn_character_destroy(c, NULL);

    char remark[100];
    c = read_mode(0, "5121", NULL, 0);
    assert_int_equal(c->surface->vertex_count, 0);
    sn_character_remark(c, remark, sizeof remark);
    assert_string_equal(remark, "skipped 1 primitives of points or without positions");
    sn_character_destroy(c, NULL);
}

static void quantised_positions_are_fractions(void **state)
{
    (void)state;
    int16_t shorts[12] = {32767, -32768, 0, 0, 16384, -32767, 1, 0, 2, -2, 5, 0};
    int8_t bytes[12] = {127, -128, 0, 0, 64, -127, 1, 0, 2, -2, 5, 0};
    unsigned char data[36];
    memcpy(data, shorts, 24);
    memcpy(data + 24, bytes, 12);
    SnCharacter *c = read_well(
        ASSET ",'extensionsRequired':['KHR_mesh_quantization'],'buffers':[{'byteLength':36}],"
              "'bufferViews':[{'buffer':0,'byteLength':24,'byteStride':8},{'buffer':0,"
              "'byteOffset':24,'byteLength':12,'byteStride':4}],'accessors':["
              "{'bufferView':0,'componentType':5122,'normalized':true,'count':3,'type':'VEC3'},"
              "{'bufferView':1,'componentType':5120,'normalized':true,'count':3,'type':'VEC3'},"
              "{'bufferView':1,'componentType':5121,'count':3,'type':'VEC3'}],'meshes':["
              "{'primitives':[{'attributes':{'POSITION':0}},{'attributes':{'POSITION':1}},"
              "{'attributes':{'POSITION':2}}]}]}",
        data, sizeof data);
    expect_vertex(c, 0, 1.0, -1.0, 0.0);
    expect_vertex(c, 1, 16384.0 / 32767.0, -1.0, 1.0 / 32767.0);
    expect_vertex(c, 3, 1.0, -1.0, 0.0);
    expect_vertex(c, 4, 64.0 / 127.0, -1.0, 1.0 / 127.0);
    expect_vertex(c, 6, 127.0, 128.0, 0.0); // not normalised: the numbers themselves
    sn_character_destroy(c, NULL);
}

static void neighbours_share_vertices(void **state)
{
    (void)state;
    SnCharacter *c =
        read_well(ASSET POINTS_OF("3", "36") ",'meshes':[{'primitives':[{'attributes':"
                                             "{'POSITION':0}},{'attributes':{'POSITION':0},"
                                             "'mode':3,'targets':[{},{}]}]}]}",
                  corner, sizeof corner);
    assert_int_equal(c->surface->vertex_count, 3);
    assert_int_equal(c->surface->triangle_count, 1);
    assert_int_equal(c->surface->line_count, 2);
    assert_int_equal(c->part_count, 2);
    assert_int_equal(c->parts[1].first_vertex, 0);
    assert_int_equal(c->skipped_morph_targets, 2);
    sn_character_destroy(c, NULL);
}

// A bar of three vertices at x = 0, 1, 2 with joints at 0 and 1. Joint 1 turns about z by 90
// degrees in two seconds, and moves, with an interpolation of choice.
typedef struct Bar {
    float positions[9];       // 0
    uint8_t joints[12];       // 36
    float weights[12];        // 48
    float inverse_binds[32];  // 96
    float times[2];           // 224
    float turns[8];           // 232
    float moves[6];           // 264
    float cubic_turns[24];    // 288
    float cubic_moves[18];    // 384
    uint8_t more_joints[12];  // 456
    uint8_t more_weights[12]; // 468
} Bar;                        // 480

static Bar make_bar(void)
{
    Bar bar = {
        .positions = {0, 0, 0, 1, 0, 0, 2, 0, 0},
        .joints = {0, 1, 0, 0, 0, 1, 0, 0, 1, 9, 0, 0},
        .weights = {2, 0, 0, 0, 0.25f, 0.75f, 0, 0, 1, 0, 0, 0},
        .inverse_binds = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0,  0, 0, 1,
                          1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -1, 0, 0, 1},
        .times = {1, 3},
        .turns = {0, 0, 0, 1, 0, 0, (float)sqrt(0.5), (float)sqrt(0.5)},
        .moves = {1, 0, 0, 1, 4, 0},
        .more_joints = {1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0},
        .more_weights = {0, 0, 0, 0, 0, 0, 0, 0, 255, 51, 0, 0},
    };
    // In-tangent, value, out-tangent: flat ends for the turn, a rising start for the move.
    memcpy(bar.cubic_turns + 4, bar.turns, 16);
    memcpy(bar.cubic_turns + 16, bar.turns + 4, 16);
    memcpy(bar.cubic_moves + 3, bar.moves, 12);
    bar.cubic_moves[7] = 3;
    memcpy(bar.cubic_moves + 12, bar.moves + 3, 12);
    bar.cubic_moves[10] = -1;
    return bar;
}

#define FOUR_WEIGHTS ",'JOINTS_0':1,'WEIGHTS_0':2"

static SnCharacter *read_bar(const char *interpolation, const char *influences)
{
    bool is_cubic = strcmp(interpolation, "CUBICSPLINE") == 0;
    Bar bar = make_bar();
    char json[4096];
    assert_int_equal(sizeof bar, 480);
    snprintf(json, sizeof json,
             ASSET
             ",'buffers':[{'byteLength':480}],'bufferViews':[{'buffer':0,'byteLength':480}],"
             "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"
             "{'bufferView':0,'byteOffset':36,'componentType':5121,'count':3,'type':'VEC4'},"
             "{'bufferView':0,'byteOffset':48,'componentType':5126,'count':3,'type':'VEC4'},"
             "{'bufferView':0,'byteOffset':96,'componentType':5126,'count':2,'type':'MAT4'},"
             "{'bufferView':0,'byteOffset':224,'componentType':5126,'count':2,'type':'SCALAR'},"
             "{'bufferView':0,'byteOffset':%d,'componentType':5126,'count':%d,'type':'VEC4'},"
             "{'bufferView':0,'byteOffset':%d,'componentType':5126,'count':%d,'type':'VEC3'},"
             "{'bufferView':0,'byteOffset':456,'componentType':5121,'count':3,'type':'VEC4'},"
             "{'bufferView':0,'byteOffset':468,'componentType':5121,'normalized':true,'count':3,"
             "'type':'VEC4'}],"
             "'meshes':[{'primitives':[{'attributes':{'POSITION':0%s}}"
             "]}],'skins':[{'joints':[1,3],'inverseBindMatrices':3}],"
             "'nodes':[{'mesh':0,'skin':0,'translation':[100,100,100]},"
             "{'name':'hip','children':[2]},{'children':[3]},{'name':'knee',"
             "'translation':[1,0,0]}],"
             "'animations':[{'name':'bend','channels':[{'sampler':1,'target':{'node':3,"
             "'path':'translation'}},{'sampler':0,'target':{'path':'rotation'}},"
             "{'sampler':0,'target':{'node':3,'path':'rotation'}}],'samplers':[{'input':4,"
             "'output':5,'interpolation':'%s'},{'input':4,'output':6,'interpolation':'%s'}]}]}",
             is_cubic ? 288 : 232, is_cubic ? 6 : 2, is_cubic ? 384 : 264, is_cubic ? 6 : 2,
             influences, interpolation, interpolation);
    return read_well(json, &bar, sizeof bar);
}

static void skins_are_read(void **state)
{
    (void)state;
    SnCharacter *c = read_bar("LINEAR", FOUR_WEIGHTS);
    assert_int_equal(c->skin_count, 1);
    assert_int_equal(c->joint_count, 2);
    assert_int_equal(c->joints[1].node, 3);
    assert_int_equal(c->joints[1].parent, 0); // over a node that is no joint
    assert_int_equal(c->joints[0].parent, -1);
    assert_true(c->joints[1].inverse_bind.m[3] == -1.0);
    assert_string_equal(c->node_names.text[3], "knee");
    assert_int_equal(c->skipped_channels, 1);
    // Positions are those of the file: the node of a skinned mesh does not move it.
    expect_vertex(c, 2, 2, 0, 0);
    // Sorted, normalised, a joint out of range without weight left out.
    expect_ints(c->vertex_joints, (int[]){0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, 12);
    static const double weights[12] = {1, 0, 0, 0, 0.75, 0.25, 0, 0, 1, 0, 0, 0};
    for (int i = 0; i < 12; ++i) {
        assert_true(c->vertex_weights[i] == weights[i]);
    }
    sn_character_destroy(c, NULL);
}

static void eight_weights_become_four(void **state)
{
    (void)state;
    SnCharacter *c = read_bar("LINEAR", FOUR_WEIGHTS ",'JOINTS_1':7,'WEIGHTS_1':8");
    // Vertex 2: joint 1 with 1, joint 0 with 1 behind it, joint 1 with 51/255 = 0.2.
    expect_ints(c->vertex_joints + 8, (int[]){1, 0, 1, 0}, 4);
    static const double weights[4] = {1 / 2.2, 1 / 2.2, 0.2 / 2.2, 0.0};
    for (int i = 0; i < 4; ++i) {
        assert_at_most(fabs(c->vertex_weights[8 + i] - weights[i]), 1e-15); // a division or two
    }
    sn_character_destroy(c, NULL);
}

static void a_vertex_without_weights_follows_its_first_joint(void **state)
{
    (void)state;
    SnCharacter *c = read_bar("LINEAR", ",'JOINTS_0':7,'WEIGHTS_0':8");
    expect_ints(c->vertex_joints, (int[]){1, 0, 0, 0}, 4);
    assert_true(c->vertex_weights[0] == 1.0 && c->vertex_weights[1] == 0.0);
    sn_character_destroy(c, NULL);
    // Without weights at all the mesh is not skinned, and its node moves it.
    c = read_bar("LINEAR", "");
    assert_int_equal(c->parts[0].skin, -1);
    assert_null(c->vertex_weights);
    expect_vertex(c, 2, 102, 100, 100);
    sn_character_destroy(c, NULL);
}

// The knee's map at a time: a turn by `angle` about z, and its place.
static void expect_knee(const SnCharacter *c, double time, double angle, double x, double y)
{
    SnAffine world[4], local[4];
    assert_int_equal(sn_character_pose(c, 0, time, local, world, NULL), SINEW_OK);
    double wanted[12] = {cos(angle), -sin(angle), 0, x, sin(angle), cos(angle), 0, y, 0, 0, 1, 0};
    for (int i = 0; i < 12; ++i) {
        // Quaternions in the file are floats: half an ulp of 0.7, twice in a product.
        if (!(fabs(world[3].m[i] - wanted[i]) < 1.2e-7)) {
            fail_msg("at %g s number %d is %.9g, expected %.9g", time, i, world[3].m[i], wanted[i]);
        }
        assert_true(local[3].m[i] == world[3].m[i]); // its parents are at the origin
    }
}

static const double right_angle = 1.5707963267948966;

static void linear_keys_turn_evenly(void **state)
{
    (void)state;
    SnCharacter *c = read_bar("LINEAR", FOUR_WEIGHTS);
    assert_true(c->animations[0].duration == 3.0);
    assert_string_equal(c->animations[0].name, "bend");
    expect_knee(c, 0.0, 0.0, 1, 0); // before the first key
    expect_knee(c, 1.0, 0.0, 1, 0);
    expect_knee(c, 1.5, right_angle / 4, 1, 1);
    expect_knee(c, 2.0, right_angle / 2, 1, 2);
    expect_knee(c, 2.9, right_angle * 0.95, 1, 3.8);
    expect_knee(c, 3.0, right_angle, 1, 4);
    expect_knee(c, 99.0, right_angle, 1, 4);
    // At the end: vertex 0 stays, vertex 2 is one above the knee at (1, 4), vertex 1 between.
    SnAffine world[4];
    double placed[9];
    static const double wanted[9] = {0, 0, 0, 1, 3, 0, 1, 5, 0};
    assert_int_equal(sn_character_pose(c, 0, 3.0, NULL, world, NULL), SINEW_OK);
    sn_character_place(c, world, placed);
    for (int i = 0; i < 9; ++i) {
        assert_at_most(fabs(placed[i] - wanted[i]), 2e-7); // floats in the file
    }
    SinewError error = {.text = ""};
    assert_int_equal(sn_character_pose(c, 1, 0.0, NULL, world, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "animation is 1, expected -1 to 0"));
    assert_int_equal(sn_character_pose(c, 0, NAN, NULL, world, &error), SINEW_ERROR_ARGUMENT);
    sn_character_destroy(c, NULL);
}

static void step_keys_hold(void **state)
{
    (void)state;
    SnCharacter *c = read_bar("STEP", FOUR_WEIGHTS);
    expect_knee(c, 0.0, 0.0, 1, 0);
    expect_knee(c, 2.999, 0.0, 1, 0);
    expect_knee(c, 3.0, right_angle, 1, 4);
    expect_knee(c, 4.0, right_angle, 1, 4);
    sn_character_destroy(c, NULL);
}

static void cubic_keys_follow_their_tangents(void **state)
{
    (void)state;
    SnCharacter *c = read_bar("CUBICSPLINE", FOUR_WEIGHTS);
    expect_knee(c, 1.0, 0.0, 1, 0);
    expect_knee(c, 3.0, right_angle, 1, 4);
    // t = 1/2 of a span of 2 s: half of each value, span / 8 of out-tangent 3, minus span / 8 of
    // in-tangent -1: y = 2 + 0.25 * 3 + 0.25 = 3. Equal quaternion weights: half the angle.
    expect_knee(c, 2.0, right_angle / 2, 1, 3);
    // t = 1/4: h00 = 27/32, h10 = 9/64, h01 = 5/32, h11 = -3/64, y = 4 h01 + 2 (3 h10 - h11).
    double a = 27.0 / 32.0, b = 5.0 / 32.0, half = sqrt(0.5);
    expect_knee(c, 1.5, 2.0 * atan2(b * half, a + b * half), 1,
                4.0 * b + 2.0 * (3.0 * 9.0 / 64.0 + 3.0 / 64.0));
    sn_character_destroy(c, NULL);
}

#define BASE64_CORNER "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"

static SinewStatus read_text(const char *text, const char *folder, SnSurface **out,
                             SinewError *error)
{
    char json[2048];
    size_t length = strlen(text);
    for (size_t i = 0; i < length; ++i) {
        json[i] = text[i] == '\'' ? '"' : text[i];
    }
    SnBytes bytes = sn_bytes_of(json, length, "some.gltf");
    return sn_read_gltf_surface(&bytes, folder, NULL, out, error);
}

static SinewStatus read_uri(const char *uri, const char *folder, SnSurface **out, SinewError *error)
{
    char json[1024];
    snprintf(json, sizeof json,
             ASSET ",'buffers':[{'byteLength':36,'uri':'%s'}],'bufferViews':[{'buffer':0,"
                   "'byteLength':36}],'accessors':[{'bufferView':0,'componentType':5126,'count':3,"
                   "'type':'VEC3'}]" ONE_MESH "}",
             uri);
    return read_text(json, folder, out, error);
}

static void data_inside_the_text_is_decoded(void **state)
{
    (void)state;
    static const char *const good[] = {
        "data:application/octet-stream;base64," BASE64_CORNER,
        "data:;base64," BASE64_CORNER "AA==",
    };
    static const struct {
        const char *uri;
        const char *sentence;
    } bad[] = {
        {"data:;base64,AAAA!AAA", "buffers[0]: character 4 of the data is no base64"},
        {"data:;base64,AAAA", "buffers[0]: byteLength is 36, but there are 3 bytes"},
        {"data:text/plain,AAAA", "expected base64 after a comma"},
        {"data:nothing", "expected base64 after a comma"},
        {"a.bin", "uri is the file \"a.bin\", expected data inside"},
    };
    for (int i = 0; i < SN_COUNT(good); ++i) {
        SnSurface *surface = NULL;
        assert_int_equal(read_uri(good[i], NULL, &surface, NULL), SINEW_OK);
        assert_true(surface->positions[3] == 1.0 && surface->positions[7] == 1.0);
        sn_surface_destroy(surface, NULL);
    }
    for (int i = 0; i < SN_COUNT(bad); ++i) {
        SnSurface *surface = NULL;
        SinewError error = {.text = ""};
        assert_int_equal(read_uri(bad[i].uri, NULL, &surface, &error), SINEW_ERROR_FILE);
        if (strstr(error.text, bad[i].sentence) == NULL) {
            fail_msg("\"%s\", expected \"%s\"", error.text, bad[i].sentence);
        }
    }
}

static void files_beside_it_are_read_and_no_others(void **state)
{
    (void)state;
    char folder[] = "/tmp/sinew_gltf_XXXXXX";
    char path[80];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a b.bin", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(corner, 1, sizeof corner, file);
    fclose(file);
    SnSurface *surface = NULL;
    assert_int_equal(read_uri("a%20b.bin", folder, &surface, NULL), SINEW_OK);
    assert_int_equal(surface->triangle_count, 1);
    sn_surface_destroy(surface, NULL);
    assert_int_equal(read_uri("./a b.bin", folder, &surface, NULL), SINEW_OK);
    sn_surface_destroy(surface, NULL);
    static const char *const bad[] = {"../a b.bin",
                                      "/etc/passwd",
                                      "x/%2e%2e/a b.bin",
                                      "file:///etc/passwd",
                                      "http://a/b",
                                      "a%00b",
                                      "a%2",
                                      "%2Fetc/passwd",
                                      "a..\\\\..\\\\b",
                                      "",
                                      "no.bin",
                                      "."};
    for (int i = 0; i < SN_COUNT(bad); ++i) {
        SinewError error = {.text = ""};
        if (read_uri(bad[i], folder, &surface, &error) != SINEW_ERROR_FILE ||
            strstr(error.text, "buffers[0]: uri is \"") == NULL) {
            fail_msg("\"%s\" gave \"%s\"", bad[i], error.text);
        }
    }
    // Pipes and devices: a folder such as /dev must not keep us for ever.
    SinewError error = {.text = ""};
    assert_int_equal(read_uri("zero", "/dev", &surface, &error), SINEW_ERROR_FILE);
    unlink(path);
    rmdir(folder);
}

static void a_path_is_opened(void **state)
{
    (void)state;
    SnCharacter *character = NULL;
    SnSurface *surface = NULL;
    SinewError error = {.text = ""};
    assert_int_equal(sn_gltf_read(SINEW_CORPUS_DIR "/gltf"
                                                   "/triangle.gltf",
                                  NULL, &character, &error),
                     SINEW_OK);
    assert_int_equal(character->surface->triangle_count, 1);
    sn_character_destroy(character, NULL);
    assert_int_equal(sn_gltf_read_surface(SINEW_CORPUS_DIR "/gltf"
                                                           "/triangle.gltf",
                                          NULL, &surface, &error),
                     SINEW_OK);
    sn_surface_destroy(surface, NULL);
    assert_int_equal(sn_gltf_read("no.glb", NULL, &character, &error), SINEW_ERROR_FILE);
    assert_null(character);
    assert_int_equal(sn_gltf_read_surface("no.glb", NULL, &surface, &error), SINEW_ERROR_FILE);
    assert_null(surface);
}

// What a .glb with one damaged word answers.
static void refuse_word(size_t at, uint32_t word, size_t size, const char *sentence)
{
    Glb glb = make_glb(ASSET POINTS_OF("3", "36") ONE_MESH "}", corner, sizeof corner);
    SinewError error = {.text = ""};
    SnCharacter *character = NULL;
    size_t whole = glb.size;
    glb.size = at;
    put_word(&glb, word);
    SnBytes bytes = sn_bytes_of(glb.data, size > 0 ? size : whole, "some.glb");
    assert_int_equal(sn_read_gltf(&bytes, NULL, NULL, &character, &error), SINEW_ERROR_FILE);
    if (strstr(error.text, sentence) == NULL) {
        fail_msg("\"%s\", expected \"%s\"", error.text, sentence);
    }
}

static void damaged_containers_are_refused(void **state)
{
    (void)state;
    refuse_word(4, 1, 0, "some.glb: byte 4: this is version 1 of binary glTF, expected 2");
    refuse_word(8, 100000, 0, "byte 8: the header claims 100000 bytes, but the file has");
    refuse_word(8, 16, 0, "byte 12: the file ends, expected the header of a chunk");
    refuse_word(12, 0xffffffff, 0, "byte 12: a chunk claims 4294967295 bytes, but");
    refuse_word(16, 7, 0, "byte 16: the first chunk is of kind 0x00000007, expected JSON");
    refuse_word(4, 2, 9, "byte 9: the file ends, expected 12 bytes of header");
    refuse_word(20, 0x21212121, 0, "some.glb:1: ");
    // Every shorter file is refused or read, never more.
    Glb glb = make_glb(ASSET POINTS_OF("3", "36") ONE_MESH "}", corner, sizeof corner);
    for (size_t size = 0; size < glb.size; ++size) {
        unsigned char *copy = malloc(size + 1);
        assert_non_null(copy);
        memcpy(copy, glb.data, size);
        SnBytes bytes = sn_bytes_of(copy, size, "some.glb");
        SnCharacter *character = NULL;
        assert_int_equal(sn_read_gltf(&bytes, NULL, NULL, &character, NULL), SINEW_ERROR_FILE);
        free(copy);
    }
}

static void texts_that_are_wrong_are_refused(void **state)
{
    (void)state;
    refuse("{", NULL, 0, "some.glb:1: ");
    refuse("{'a':1,\n'a':2}", NULL, 0, "some.glb:2: duplicate object key");
    refuse("[]", NULL, 0, "expected a JSON object");
    refuse("{}", NULL, 0, "asset.version is missing");
    refuse("{'asset':{'version':'1.0'}}", NULL, 0, "asset: version is \"1.0\", expected \"2.0\"");
    refuse("{'asset':{'version':'2.1','minVersion':'2.1'}}", NULL, 0, "minVersion is \"2.1\"");
    refuse(ASSET ",'extensionsRequired':['KHR_draco_mesh_compression']}", NULL, 0,
           "requires the extension KHR_draco_mesh_compression, which Sinew does not read");
    refuse(ASSET ",'extensionsRequired':['EXT_meshopt_compression']}", NULL, 0,
           "EXT_meshopt_compression");
    refuse(ASSET ",'extensionsRequired':[1]}", NULL, 0, "extensionsRequired[0] is no text");
    refuse(ASSET ",'nodes':7}", NULL, 0, "nodes is something else, expected a list");
    refuse(ASSET ",'nodes':[7]}", NULL, 0, "nodes[0] is something else, expected an object");
    refuse(ASSET ",'buffers':[{'byteLength':4}]}", NULL, 0, "uri is missing, and there is no");
    refuse(ASSET ",'buffers':[{'byteLength':40}]}", corner, 36,
           "byteLength is 40, but there are 36");
    refuse(ASSET ",'buffers':[{}]}", corner, 36, "buffers[0]: byteLength is missing");
}

static void graphs_that_are_no_trees_are_refused(void **state)
{
    (void)state;
    refuse(ASSET ",'nodes':[{'children':[1]},{'children':[0]}]}", NULL, 0,
           "nodes[0]: is its own ancestor, expected a tree");
    refuse(ASSET ",'nodes':[{'children':[0]}]}", NULL, 0, "nodes[0]: is its own ancestor");
    refuse(ASSET ",'nodes':[{'children':[2]},{'children':[2]},{}]}", NULL, 0,
           "nodes[1]: its child nodes[2] has the parent nodes[0] too, expected one");
    refuse(ASSET ",'nodes':[{'children':[1]}]}", NULL, 0,
           "nodes[0]: children[0] is 1, expected 0 to 0");
    refuse(ASSET ",'nodes':[{'children':[-1]}]}", NULL, 0, "children[0] is -1");
    refuse(ASSET ",'nodes':[{'children':['a']}]}", NULL, 0, "children[0] is no whole number");
    refuse(ASSET ",'nodes':[{'mesh':0}]}", NULL, 0, "mesh is 0, but there is none of that kind");
    refuse(ASSET ",'nodes':[{'rotation':[0,0,0,0]}]}", NULL, 0, "rotation has length 0");
    refuse(ASSET ",'nodes':[{'rotation':[0,0,0]}]}", NULL, 0, "expected 4 numbers");
    refuse(ASSET ",'nodes':[{'scale':[0,0,'x']}]}", NULL, 0, "scale[2] is no number");
    refuse(ASSET ",'nodes':[{'matrix':[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,2]}]}", NULL, 0,
           "last row of a matrix has 2 in column 3, expected 0 0 0 1");
    refuse(ASSET ",'scene':1,'scenes':[{}]}", NULL, 0, "scene is 1, expected 0 to 0");

    // A chain of 3000.
    static char text[100000];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", ASSET ",'nodes':[");
    for (int i = 1; i < 3000; ++i) {
        used += (size_t)snprintf(text + used, sizeof text - used, "{'children':[%d]},", i);
    }
    snprintf(text + used, sizeof text - used, "{}]}");
    for (char *c = text; *c != '\0'; ++c) {
        *c = *c == '\'' ? '"' : *c;
    }
    SnBytes bytes = sn_bytes_of(text, strlen(text), "some.gltf");
    SnCharacter *character = NULL;
    SinewError error = {.text = ""};
    assert_int_equal(sn_read_gltf(&bytes, NULL, NULL, &character, &error), SINEW_ERROR_FILE);
    assert_non_null(strstr(error.text, "is nested more than 1024 deep"));
}

#define VIEW ",'buffers':[{'byteLength':36}],'bufferViews':[{'buffer':0,'byteLength':36}]"

static void accessors_outside_their_buffers_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *accessor;
        const char *sentence;
    } cases[] = {
        {"'bufferView':0,'componentType':5126,'count':4,'type':'VEC3'",
         "4 elements of 12 bytes, 12 apart, from byte 0 of bufferViews[0], which has 36"},
        {"'bufferView':0,'componentType':5126,'count':1000000000,'type':'VEC3'",
         "accessors[0]: 1000000000 elements of 12 bytes"},
        {"'bufferView':0,'byteOffset':4,'componentType':5126,'count':3,'type':'VEC3'",
         "from byte 4"},
        {"'bufferView':0,'byteOffset':9223372036854775807,'componentType':5126,'count':1,"
         "'type':'VEC3'",
         "from byte 9223372036854775807"},
        {"'bufferView':0,'byteOffset':-4,'componentType':5126,'count':1,'type':'VEC3'",
         "byteOffset is -4"},
        {"'bufferView':1,'componentType':5126,'count':1,'type':'VEC3'",
         "bufferView is 1, expected 0 to 0"},
        {"'bufferView':0,'componentType':5126,'count':0,'type':'VEC3'", "count is 0, expected 1"},
        {"'bufferView':0,'componentType':5126,'count':2.5,'type':'VEC3'", "no whole number"},
        {"'bufferView':0,'componentType':5124,'count':1,'type':'VEC3'", "componentType 5124"},
        {"'bufferView':0,'componentType':5126,'count':1,'type':'VEC9'", "are unknown"},
        {"'bufferView':0,'componentType':5126,'count':1,'type':'VEC2'",
         "POSITION is accessor 0 with 2 numbers an element, expected 3"},
        {"'componentType':5126,'count':1000000000,'type':'VEC3'",
         "1000000000 elements without a bufferView are too many"},
        {"'bufferView':0,'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':4}",
         "accessors[0].sparse: count is 4, expected 1 to 3"},
        {"'bufferView':0,'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':1,"
         "'indices':{'bufferView':0,'componentType':5126},'values':{'bufferView':0}}",
         "componentType is 5126, expected 5121, 5123 or 5125"},
        {"'bufferView':0,'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':1,"
         "'indices':{'bufferView':0,'byteOffset':15,'componentType':5121},'values':"
         "{'bufferView':0}}",
         "sparse index 0 is 63, expected 0 to 2"},
        {"'bufferView':0,'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':1,"
         "'indices':{'componentType':5121},'values':{'bufferView':0}}",
         "expected a bufferView for indices and values"},
        {"'bufferView':0,'componentType':5126,'count':2,'type':'VEC3'",
         "has 2 corners, expected a multiple of 3"},
    };
    for (int i = 0; i < SN_COUNT(cases); ++i) {
        char json[1024];
        snprintf(json, sizeof json, ASSET VIEW ",'accessors':[{%s}]" ONE_MESH "}",
                 cases[i].accessor);
        refuse(json, corner, sizeof corner, cases[i].sentence);
    }
    refuse(ASSET
           ",'buffers':[{'byteLength':36}],'bufferViews':[{'buffer':0,'byteLength':37}],"
           "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'}]" ONE_MESH
           "}",
           corner, 36, "bufferViews[0]: bytes 0 and 37 more are asked of a buffer of 36");
    refuse(ASSET ",'buffers':[{'byteLength':36}],'bufferViews':[{'buffer':0,'byteLength':36,"
                 "'byteStride':8}],'accessors':[{'bufferView':0,'componentType':5126,'count':3,"
                 "'type':'VEC3'}]" ONE_MESH "}",
           corner, 36, "its byteStride is 8, expected at least 12");
    refuse(ASSET VIEW ",'accessors':[{'bufferView':0,'componentType':5126,'count':3,"
                      "'type':'VEC3'}]" ONE_MESH "}",
           (float[]){0, NAN, 0, 0, 0, 0, 0, 0, 0}, 36, "number 1 is ");
    refuse(ASSET VIEW ",'accessors':[{'bufferView':0,'componentType':5126,'count':3,"
                      "'type':'VEC3'},{'bufferView':0,'byteOffset':14,'componentType':5121,"
                      "'count':3,'type':'SCALAR'}],'meshes':[{'primitives':[{'attributes':"
                      "{'POSITION':0},'indices':1}]}]}",
           corner, 36, "accessors[1]: index 0 is vertex 128, expected 0 to 2");
    refuse(ASSET VIEW ",'accessors':[{'bufferView':0,'componentType':5126,'count':3,"
                      "'type':'VEC3'},{'bufferView':0,'componentType':5126,"
                      "'count':3,'type':'SCALAR'}],'meshes':[{'primitives':[{'attributes':"
                      "{'POSITION':0},'indices':1}]}]}",
           corner, 36, "indices have componentType 5126, expected 5121, 5123 or 5125");
    refuse(ASSET VIEW ",'accessors':[{'componentType':5126,'count':3,'type':'VEC3'}],"
                      "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'extensions':"
                      "{'KHR_draco_mesh_compression':{}}}]}]}",
           corner, 36, "meshes[0].primitives[0]: is compressed by KHR_draco_mesh_compression");
    refuse(ASSET VIEW ",'accessors':[{'bufferView':0,'componentType':5126,'count':3,"
                      "'type':'VEC3'}]" ONE_MESH ",'nodes':[{'mesh':0,'scale':[1e308,1,1],"
                      "'children':[1]},{'mesh':0,'scale':[1e308,1,1]}]}",
           corner, 36, "is moved out of all bounds by nodes[1]");
}

static void copies_without_end_are_refused(void **state)
{
    (void)state;
    // 2000 nodes show a mesh of 100 primitives: 200000 parts from some 70 kB would be fine, but
    // not with 100 triangles each.
    static char text[200000];
    size_t used = (size_t)snprintf(
        text, sizeof text,
        "{\"asset\":{\"version\":\"2.0\"},\"accessors\":[{\"componentType\":5126,\"count\":300,"
        "\"type\":\"VEC3\"}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}");
    for (int i = 1; i < 100; ++i) {
        used +=
            (size_t)snprintf(text + used, sizeof text - used, ",{\"attributes\":{\"POSITION\":0}}");
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "]}],\"nodes\":[{\"mesh\":0}");
    for (int i = 1; i < 2000; ++i) {
        used += (size_t)snprintf(text + used, sizeof text - used, ",{\"mesh\":0}");
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "]}");
    SnBytes bytes = sn_bytes_of(text, used, "some.gltf");
    SnCharacter *character = NULL;
    SinewError error = {.text = ""};
    assert_int_equal(sn_read_gltf(&bytes, NULL, NULL, &character, &error), SINEW_ERROR_FILE);
    assert_non_null(strstr(error.text, "expands to more than 16 items a byte of the file"));
}

// A skin and an animation of the bar with one text replaced.
static void refuse_bar(const char *part, const char *replacement, const char *sentence)
{
    static const char *const whole =
        ASSET ",'buffers':[{'byteLength':480}],'bufferViews':[{'buffer':0,'byteLength':480}],"
              "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"
              "{'bufferView':0,'byteOffset':36,'componentType':5121,'count':3,'type':'VEC4'},"
              "{'bufferView':0,'byteOffset':48,'componentType':5126,'count':3,'type':'VEC4'},"
              "{'bufferView':0,'byteOffset':96,'componentType':5126,'count':2,'type':'MAT4'},"
              "{'bufferView':0,'byteOffset':224,'componentType':5126,'count':2,'type':'SCALAR'},"
              "{'bufferView':0,'byteOffset':232,'componentType':5126,'count':2,'type':'VEC4'}],"
              "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':1,'WEIGHTS_0':2}"
              "}]}],'skins':[{'joints':[1,2],'inverseBindMatrices':3}],"
              "'nodes':[{'mesh':0,'skin':0},{'children':[2]},{}],"
              "'animations':[{'channels':[{'sampler':0,'target':{'node':2,'path':'rotation'}}],"
              "'samplers':[{'input':4,'output':5,'interpolation':'LINEAR'}]}]}";
    char json[4096];
    Bar bar = make_bar();
    const char *at = strstr(whole, part);
    assert_non_null(at);
    snprintf(json, sizeof json, "%.*s%s%s", (int)(at - whole), whole, replacement,
             at + strlen(part));
    refuse(json, &bar, sizeof bar, sentence);
}

static void wrong_skins_and_animations_are_refused(void **state)
{
    (void)state;
    refuse_bar("'joints':[1,2]", "'joints':[1,1]", "joints[1] is nodes[1] again");
    refuse_bar("'joints':[1,2]", "'joints':[]", "skins[0]: joints is missing or empty");
    refuse_bar("'joints':[1,2]", "'joints':[1,3]", "joints[1] is 3, expected 0 to 2");
    refuse_bar("'joints':[1,2]", "'joints':[0,1,2]", "has 2 inverse bind matrices for 3 joints");
    refuse_bar("'joints':[1,2]", "'joints':[0,1,2,1]", "has 4 joints, but there are 3 nodes");
    refuse_bar("'joints':[1,2]", "'joints':[1]", "vertex 1 has joint 1 with weight 0.75");
    refuse_bar("'inverseBindMatrices':3", "'inverseBindMatrices':2",
               "inverseBindMatrices is accessor 2 with 4 numbers an element, expected 16");
    refuse_bar("'JOINTS_0':1", "'JOINTS_0':2", "JOINTS_0 has componentType 5126, expected whole");
    refuse_bar("'JOINTS_0':1", "'JOINTS_0':5", "have 2 and 3, expected 3");
    refuse_bar("'sampler':0", "'sampler':1", "animations[0].channels[0]: sampler is 1, expected");
    refuse_bar("'sampler':0,", "", "sampler is missing");
    refuse_bar("'LINEAR'", "'SMOOTH'", "interpolation is \"SMOOTH\", expected LINEAR, STEP or");
    refuse_bar("'LINEAR'", "'CUBICSPLINE'", "has 2 output values, expected 6");
    refuse_bar("'input':4,", "", "input or output is missing");
    refuse_bar("'input':4", "'input':0", "input is accessor 0, expected SCALAR of floats");
    refuse_bar("'output':5", "'output':0", "with 3 numbers an element, expected 4");
    refuse_bar("'byteOffset':224", "'byteOffset':264", "time 1 is ");
    refuse_bar("'byteOffset':232", "'byteOffset':288", "rotation 0 has length 0");
    refuse_bar("'node':2", "'node':9", "target: node is 9, expected 0 to 2");
}

static SinewStatus read_bar_again(const SinewAllocator *allocator, void *context, SinewError *error)
{
    const Glb *glb = context;
    SnCharacter *character = NULL;
    SnBytes bytes = sn_bytes_of(glb->data, glb->size, "some.glb");
    SinewStatus status = sn_read_gltf(&bytes, NULL, allocator, &character, error);
    sn_character_destroy(character, allocator);
    return status;
}

static SinewStatus read_surface_again(const SinewAllocator *allocator, void *context,
                                      SinewError *error)
{
    SnSurface *surface = NULL;
    SinewStatus status = sn_gltf_read_surface(context, allocator, &surface, error);
    sn_surface_destroy(surface, allocator);
    return status;
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    static char skinned[] = SINEW_CORPUS_DIR "/gltf"
                                             "/skinned.glb";
    Glb glb = {.size = 0};
    FILE *file = fopen(skinned, "rb");
    assert_non_null(file);
    glb.size = fread(glb.data, 1, sizeof glb.data, file);
    fclose(file);
    assert_true(sn_fail_each_allocation(read_bar_again, &glb) > 20);
    assert_true(sn_fail_each_allocation(read_surface_again, skinned) > 15);
    static char text[] = SINEW_CORPUS_DIR "/gltf"
                                          "/triangle.gltf";
    assert_true(sn_fail_each_allocation(read_surface_again, text) > 10);
}

// The seeds of the fuzzer: read or refused, and what is read can be posed.
static void the_corpus_is_replayed(void **state)
{
    (void)state;
    DIR *folder = opendir(SINEW_CORPUS_DIR "/gltf");
    assert_non_null(folder);
    int read_count = 0;
    int count = 0;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char path[1024];
        SnCharacter *character = NULL;
        if (entry->d_name[0] == '.') {
            continue;
        }
        snprintf(path, sizeof path, "%s/%s", SINEW_CORPUS_DIR "/gltf", entry->d_name);
        count++;
        if (sn_gltf_read(path, NULL, &character, NULL) == SINEW_OK) {
            SnAffine *world = calloc((size_t)character->node_count + 1, sizeof *world);
            assert_non_null(world);
            for (int a = -1; a < character->animation_count; ++a) {
                assert_int_equal(sn_character_pose(character, a, 0.5, NULL, world, NULL), SINEW_OK);
            }
            free(world);
            read_count++;
        }
        sn_character_destroy(character, NULL);
    }
    closedir(folder);
    assert_true(count >= 8);
    assert_true(read_count >= 6);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_triangle_is_read),
    cmocka_unit_test(nodes_move_meshes),
    cmocka_unit_test(a_cube_under_nodes_keeps_its_outside),
    cmocka_unit_test(strides_and_sparse_are_followed),
    cmocka_unit_test(all_modes_and_index_types_are_read),
    cmocka_unit_test(quantised_positions_are_fractions),
    cmocka_unit_test(neighbours_share_vertices),
    cmocka_unit_test(skins_are_read),
    cmocka_unit_test(eight_weights_become_four),
    cmocka_unit_test(a_vertex_without_weights_follows_its_first_joint),
    cmocka_unit_test(linear_keys_turn_evenly),
    cmocka_unit_test(step_keys_hold),
    cmocka_unit_test(cubic_keys_follow_their_tangents),
    cmocka_unit_test(data_inside_the_text_is_decoded),
    cmocka_unit_test(files_beside_it_are_read_and_no_others),
    cmocka_unit_test(a_path_is_opened),
    cmocka_unit_test(damaged_containers_are_refused),
    cmocka_unit_test(texts_that_are_wrong_are_refused),
    cmocka_unit_test(graphs_that_are_no_trees_are_refused),
    cmocka_unit_test(accessors_outside_their_buffers_are_refused),
    cmocka_unit_test(copies_without_end_are_refused),
    cmocka_unit_test(wrong_skins_and_animations_are_refused),
    cmocka_unit_test(every_allocation_fails_once),
    cmocka_unit_test(the_corpus_is_replayed),
};

#endif

SN_TEST_GROUP(io_gltf, tests);

#include "support/surfaces.h"
#include "support/test.h"

#include "io/little_endian.h"

#include <math.h>

static void text_with_other_things_around_is_read(void **state)
{
    (void)state;
    SnSurface *surface = surface_of_text(sn_read_ply, "ply\r\n"
                                                      "format ascii 1.0\r\n"
                                                      "comment made by hand\r\n"
                                                      "obj_info element vertex 7\r\n"
                                                      "element camera 1\r\n"
                                                      "property list uchar float matrix\r\n"
                                                      "property float fov\r\n"
                                                      "element face 3\r\n"
                                                      "property uchar red\r\n"
                                                      "property list uchar int vertex_index\r\n"
                                                      "property list uchar float texcoord\r\n"
                                                      "element vertex 4\r\n"
                                                      "property float nx\r\n"
                                                      "property float z\r\n"
                                                      "property list int int extra\r\n"
                                                      "property double y\r\n"
                                                      "property short x\r\n"
                                                      "element edge 1\r\n"
                                                      "property int vertex1\r\n"
                                                      "property int vertex2\r\n"
                                                      "end_header\r\n"
                                                      "3 1 2 3 45\r\n"
                                                      "255 3 0 1 2 6 0 0 1 0 1 1\r\n"
                                                      "255 4 0 1 2 3 0\r\n"
                                                      "255 2 0 1 0\r\n"
                                                      "nan 0 0 0 0\r\n"
                                                      "0 0 2 7 7 0 1\r\n"
                                                      "0 0 0 1 1\r\n"
                                                      "0 0.25 0 1 0\r\n"
                                                      "2 3");
    assert_int_equal(surface->vertex_count, 4);
    assert_int_equal(surface->triangle_count, 3);
    assert_int_equal(surface->line_count, 2); // the face of two corners and the edge
    expect_triangle(surface, 0, 0, 1, 2);
    expect_triangle(surface, 1, 0, 1, 2);
    expect_triangle(surface, 2, 0, 2, 3);
    static const double positions[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0.25};
    assert_memory_equal(surface->positions, positions, sizeof positions);
    assert_int_equal(surface->lines[2], 2);
    sn_surface_destroy(surface, NULL);
}

static void strips_turn_every_other_triangle(void **state)
{
    (void)state;
    SnSurface *surface =
        surface_of_text(sn_read_ply, "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\n"
                                     "property float y\nproperty float z\nelement tristrips 1\n"
                                     "property list int int vertex_indices\nend_header\n"
                                     "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n"
                                     "11 0 1 2 3 -1 0 1 2 2 4 3\n");
    assert_int_equal(surface->triangle_count, 4);
    expect_triangle(surface, 0, 0, 1, 2);
    expect_triangle(surface, 1, 2, 1, 3);
    expect_triangle(surface, 2, 0, 1, 2);
    expect_triangle(surface, 3, 4, 2, 3);
    sn_surface_destroy(surface, NULL);
}

typedef struct File {
    unsigned char data[4096];
    size_t size;
} File;

static void add_text(File *file, const char *text)
{
    memcpy(file->data + file->size, text, strlen(text));
    file->size += strlen(text);
}

// One value in the file's order.
static void add_value(File *file, bool big, const char *type, double value)
{
    unsigned char raw[8] = {0};
    size_t size = 4;
    if (strcmp(type, "double") == 0) {
        sn_store_double_little(raw, value);
        size = 8;
    } else if (strcmp(type, "float") == 0) {
        sn_store_float_little(raw, (float)value);
    } else {
        sn_store_u32_little(raw, (uint32_t)(int64_t)value);
        size = strstr(type, "char") != NULL ? 1 : strstr(type, "short") != NULL ? 2 : 4;
    }
    for (size_t i = 0; i < size; ++i) {
        file->data[file->size++] = raw[big ? size - 1 - i : i];
    }
}

static void begin(File *file, bool big, const char *rest)
{
    file->size = 0;
    add_text(file, "ply\nformat ");
    add_text(file, big ? "binary_big_endian" : "binary_little_endian");
    add_text(file, " 1.0\n");
    add_text(file, rest);
    add_text(file, "end_header\n");
}

static const char *const type_names[] = {"char", "uchar", "short", "ushort",
                                         "int",  "uint",  "float", "double"};

// Every type for coordinates, list lengths and indices, in both orders.
static void values_of_every_type_and_order_are_read(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2 * 8 * 6; ++kind) {
        bool big = kind % 2 == 1;
        const char *type = type_names[kind / 2 % 8];
        const char *index = type_names[kind / 16];
        char header[300];
        snprintf(header, sizeof header,
                 "element vertex 3\nproperty %s y\nproperty uchar a\nproperty %s x\n"
                 "property %s z\nelement face 2\nproperty list %s %s vertex_indices\n",
                 type, type, type, index, index);
        File file;
        begin(&file, big, header);
        static const double positions[3][3] = {{1, 2, 3}, {100, 5, 6}, {7, 8, 0}};
        for (int v = 0; v < 3; ++v) {
            add_value(&file, big, type, positions[v][1]);
            add_value(&file, big, "uchar", 9);
            add_value(&file, big, type, positions[v][0]);
            add_value(&file, big, type, positions[v][2]);
        }
        static const int rows[] = {3, 0, 1, 2, 4, 0, 1, 2, 1};
        for (int i = 0; i < 9; ++i) {
            add_value(&file, big, index, rows[i]);
        }
        SnSurface *surface = surface_of_bytes(sn_read_ply, file.data, file.size);
        assert_int_equal(surface->vertex_count, 3);
        assert_int_equal(surface->triangle_count, 3);
        assert_memory_equal(surface->positions, positions, sizeof positions);
        expect_triangle(surface, 0, 0, 1, 2);
        sn_surface_destroy(surface, NULL);
    }
}

static const char *const common = "element vertex 4\nproperty float x\nproperty float y\n"
                                  "property float z\nelement face 9\n"
                                  "property list uchar int vertex_indices\n";

// Triangles and quads in turn: the quick loop and the slow one take over from each other.
static void make_mixed(File *file)
{
    begin(file, false, common);
    for (int i = 0; i < 12; ++i) {
        add_value(file, false, "float", (double)(i % 4 == 0));
    }
    for (int face = 0; face < 9; ++face) {
        int size = face % 3 == 2 ? 4 : 3;
        add_value(file, false, "uchar", size);
        for (int i = 0; i < size; ++i) {
            add_value(file, false, "int", (face + i) % 4);
        }
    }
}

static void triangles_and_quads_mix(void **state)
{
    (void)state;
    File file;
    make_mixed(&file);
    SnSurface *surface = surface_of_bytes(sn_read_ply, file.data, file.size);
    assert_int_equal(surface->triangle_count, 12);
    expect_triangle(surface, 0, 0, 1, 2);
    expect_triangle(surface, 1, 1, 2, 3);
    expect_triangle(surface, 4, 3, 0, 1);
    expect_triangle(surface, 9, 3, 0, 1);
    sn_surface_destroy(surface, NULL);
    // Any shorter file is refused, whatever it is cut in.
    for (size_t size = 0; size < file.size; ++size) {
        expect_bytes_refused(sn_read_ply, file.data, size, "");
    }
}

static void damaged_binary_gets_a_sentence(void **state)
{
    (void)state;
    File file;
    make_mixed(&file);
    size_t vertices = file.size - (6 * 13 + 3 * 17) - 48;
    size_t faces = vertices + 48;
    char part[80];

    sn_store_float_little(file.data + vertices + 12, NAN);
    snprintf(part, sizeof part, "byte %zu: vertex 1 is nan 1 0", vertices + 12);
    expect_bytes_refused(sn_read_ply, file.data, file.size, part);

    make_mixed(&file);
    sn_store_u32_little(file.data + faces + 13 + 5, 4);
    expect_bytes_refused(sn_read_ply, file.data, file.size, "vertex index 4, but the file has 4");
    sn_store_u32_little(file.data + faces + 13 + 5, (uint32_t)-1);
    expect_bytes_refused(sn_read_ply, file.data, file.size, "vertex index -1, but");

    begin(&file, false,
          "element vertex 600000000\nproperty float x\nproperty float y\n"
          "property float z\n");
    expect_bytes_refused(sn_read_ply, file.data, file.size,
                         "600000000 rows \"vertex\" of at least 12 bytes are announced, but 0");
    begin(&file, false,
          "element vertex 0\nproperty float x\nproperty float y\n"
          "property float z\nelement face 1\nproperty list uint int vertex_index\n");
    add_value(&file, false, "uint", 4000000000.0);
    expect_bytes_refused(sn_read_ply, file.data, file.size, "4000000000 corners are announced");
}

#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define ASCII "ply\nformat ascii 1.0\n"

static void damaged_text_gets_a_sentence(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", ":1: \"\", expected \"ply\""},
        {"ply\n", "the file ends in the header"},
        {"ply\nformat utf8 1.0\nend_header\n", ":2: format \"utf8\""},
        {"ply\nelement vertex 0\n" XYZ "end_header\n", "no format"},
        {ASCII "end_header\n", "0 elements \"vertex\""},
        {ASCII "property float x\n", ":3: a property before any element"},
        {ASCII "element vertex many\n", "\"many\" is not a number of elements"},
        {ASCII "element vertex -5\n", "\"-5\""},
        {ASCII "element vertex 1000000000\n" XYZ "end_header\n", "at most 700000000"},
        {ASCII "element vertex 100000\n" XYZ "end_header\n0 0 0\n", "100000 rows \"vertex\""},
        {ASCII "element vertex 1\nproperty vec3 x\n", "\"vec3\" is no type"},
        {ASCII "element vertex 1\nproperty float\n", "expected the name of a property"},
        {ASCII "element vertex 1\nproperty list float int x\n", "a list whose length is a float"},
        {ASCII "element vertex 1\nproperty float x\nend_header\n0\n", "has no value \"y\""},
        {ASCII "element vertex 1\nend_header\n", "has no value \"x\""},
        {ASCII "element vertex 1\nproperty list int int x\nend_header\n1 1\n", "no value \"x\""},
        {ASCII "nonsense\n", ":3: \"nonsense\""},
        {ASCII "element vertex 1\n" XYZ "end_header\n0 0 nan\n", ":8: \"nan\""},
        {ASCII "element vertex 2\n" XYZ "end_header\n0 0 0\n0 0  \n", "expected a value"},
        {ASCII "element vertex 1\n" XYZ "element face 1\nproperty int a\nend_header\n0 0 0\n1\n",
         "no list of whole numbers"},
        {ASCII "element vertex 1\n" XYZ "element face 1\nproperty list int float vertex_index\n"
               "end_header\n0 0 0\n1 0\n",
         "no list of whole numbers"},
        {ASCII "element vertex 1\n" XYZ "element face 1\nproperty list int int vertex_index\n"
               "end_header\n0 0 0\n3 0 0 1\n",
         ":11: vertex index 1, but the file has 1 vertices"},
        {ASCII "element vertex 1\n" XYZ "element face 1\nproperty list int int vertex_index\n"
               "end_header\n0 0 0\n3 0 0 0.5\n",
         "vertex index 0.5"},
        {ASCII "element vertex 1\n" XYZ "element face 1\nproperty list int int vertex_index\n"
               "end_header\n0 0 0\n-3 0 0 0\n",
         "a list of -3 items"},
        {ASCII "element vertex 1\n" XYZ "element face 1\nproperty list int int vertex_index\n"
               "end_header\n0 0 0\n300 0 0 0\n",
         "300 corners are announced"},
        {ASCII "element vertex 1\n" XYZ "element edge 1\nproperty int vertex1\n"
               "property int vertex2\nend_header\n0 0 0\n0 1\n",
         "vertex index 1"},
    };
    for (int i = 0; i < SN_COUNT(cases); ++i) {
        expect_text_refused(sn_read_ply, cases[i][0], cases[i][1]);
    }
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    File file;
    make_mixed(&file);
    expect_reader_survives(sn_read_ply, file.data, file.size);
    const char *text = ASCII "element vertex 1\n" XYZ "element face 1\n"
                             "property list int int vertex_index\nend_header\n0 0 0\n3 0 0 0\n";
    expect_reader_survives(sn_read_ply, text, strlen(text));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(text_with_other_things_around_is_read),
    cmocka_unit_test(strips_turn_every_other_triangle),
    cmocka_unit_test(values_of_every_type_and_order_are_read),
    cmocka_unit_test(triangles_and_quads_mix),
    cmocka_unit_test(damaged_binary_gets_a_sentence),
    cmocka_unit_test(damaged_text_gets_a_sentence),
    cmocka_unit_test(each_allocation_may_fail),
};

SN_TEST_GROUP(io_read_ply, tests);

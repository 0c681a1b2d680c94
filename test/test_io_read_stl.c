#include "support/surfaces.h"
#include "support/test.h"

#include "io/little_endian.h"

#include <math.h>

static const char *const two_solids = "solid first part\n"
                                      " facet normal 0 0 1\n"
                                      "  outer loop\n"
                                      "   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 1e0 0\n"
                                      "  endloop\n"
                                      " endfacet\n"
                                      "endsolid first part\n"
                                      "SOLID\r\n"
                                      " FACET NORMAL nan nan nan OUTER LOOP\r\n"
                                      "  VERTEX 0 0 0 VERTEX 1 0 0 VERTEX 1 1 0 VERTEX 0 1 0\r\n"
                                      " ENDLOOP ENDFACET\r\n"
                                      "ENDSOLID";

static void solids_of_text_become_groups(void **state)
{
    (void)state;
    static const int groups[] = {0, 1, 1};
    SnSurface *surface = surface_of_text(sn_read_stl, two_solids);
    assert_int_equal(surface->vertex_count, 7);
    assert_int_equal(surface->triangle_count, 3);
    assert_memory_equal(surface->groups, groups, sizeof groups);
    assert_int_equal(surface->names.count, 2);
    assert_string_equal(surface->names.text[0], "first part");
    assert_string_equal(surface->names.text[1], "");
    expect_triangle(surface, 0, 0, 1, 2);
    sn_surface_destroy(surface, NULL);
}

// A binary file of two triangles; the attribute bytes are not zero.
enum { SIZE = 84 + 2 * 50 };

static void make_binary(unsigned char out[SIZE], const char *header)
{
    memset(out, 0, SIZE);
    memcpy(out, header, strlen(header));
    sn_store_u32_little(out + 80, 2);
    for (int t = 0; t < 2; ++t) {
        for (int k = 0; k < 12; ++k) {
            float value = k < 3 ? NAN : (float)(k - 3 + 100 * t) * 0.5f;
            sn_store_float_little(out + 84 + 50 * t + 4 * k, value);
        }
        out[84 + 50 * t + 48] = 0xff;
    }
}

static void binary_is_known_by_its_size(void **state)
{
    (void)state;
    static const char *const headers[] = {"", "solid by some program that likes the word"};
    for (int i = 0; i < 2; ++i) {
        unsigned char data[SIZE];
        make_binary(data, headers[i]);
        SnSurface *surface = surface_of_bytes(sn_read_stl, data, SIZE);
        assert_int_equal(surface->vertex_count, 6);
        assert_int_equal(surface->triangle_count, 2);
        for (int k = 0; k < 9; ++k) {
            assert_true(surface->positions[k] == 0.5 * k);
            assert_true(surface->positions[9 + k] == 50.0 + 0.5 * k);
        }
        expect_triangle(surface, 1, 3, 4, 5);
        sn_surface_destroy(surface, NULL);
    }
}

static void damaged_binary_gets_a_sentence(void **state)
{
    (void)state;
    unsigned char data[SIZE + 1];
    make_binary(data, "solid");
    expect_bytes_refused(sn_read_stl, data, 83, "byte 83: the file ends");
    for (size_t size = 84; size < SIZE; ++size) {
        expect_bytes_refused(sn_read_stl, data, size, "byte 80: 2 triangles of 50 bytes are");
    }
    sn_store_u32_little(data + 80, 1000000000);
    expect_bytes_refused(sn_read_stl, data, SIZE, "1000000000 triangles");
    make_binary(data, "");
    sn_store_float_little(data + 84 + 50 + 12 + 8, INFINITY);
    expect_bytes_refused(sn_read_stl, data, SIZE, "byte 154: a coordinate of triangle 1 is inf");
    // What a writer left behind the triangles does no harm.
    make_binary(data, "");
    data[SIZE] = 1;
    sn_surface_destroy(surface_of_bytes(sn_read_stl, data, SIZE + 1), NULL);
}

static void damaged_text_gets_a_sentence(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "byte 0: the file ends"},
        {"hello", "byte 5: the file ends"},
        {"solid\n", "expected \"facet\" or \"endsolid\""},
        {"solid\nfacet 0 0 1\n", ":2: \"0\", expected \"normal\""},
        {"solid\nfacet normal 0 0 1\nouter hoop\n", ":3: \"hoop\", expected \"loop\""},
        {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n", "expected a coordinate"},
        {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n", ":4: \"nan\""},
        {"solid\nfacet normal 0 0 1\nouter loop\nvortex\n", "expected \"vertex\" or \"endloop\""},
        {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nendloop\n", "a loop with 1 vert"},
        {"solid\nendsolid\nfacet\n", ":3: \"facet\", expected \"solid\""},
    };
    for (int i = 0; i < SN_COUNT(cases); ++i) {
        expect_text_refused(sn_read_stl, cases[i][0], cases[i][1]);
    }
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    unsigned char data[SIZE];
    make_binary(data, "");
    expect_reader_survives(sn_read_stl, data, SIZE);
    expect_reader_survives(sn_read_stl, two_solids, strlen(two_solids));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(solids_of_text_become_groups),
    cmocka_unit_test(binary_is_known_by_its_size),
    cmocka_unit_test(damaged_binary_gets_a_sentence),
    cmocka_unit_test(damaged_text_gets_a_sentence),
    cmocka_unit_test(each_allocation_may_fail),
};

SN_TEST_GROUP(io_read_stl, tests);

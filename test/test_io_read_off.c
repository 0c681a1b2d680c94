#include "support/surfaces.h"
#include "support/test.h"

static void headers_of_every_kind_are_read(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n",
        "# a remark\r\nOFF # another\r\n4 2 0\r\n0 0 0\r\n1 0 0\r\n\r\n1 1 0\r\n0 1 0\r\n"
        "3 0 1 2\r\n3 0 2 3 1 0 0",
        "COFF\n4 2 0\n0 0 0 255 0 0 255\n1 0 0 1 1 1 1\n1 1 0 0 0 0 0\n0 1 0 0 0 0 0\n"
        "3 0 1 2 0.5 0.5 0.5\n3 0 2 3\n",
        "STCNOFF 4 2 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n1 1 0 0 0 1\n0 1 0 0 0 1\n3 0 1 2\n3 0 2 3\n",
        "OFF4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n",
        "4 2\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n",
    };
    for (int i = 0; i < SN_COUNT(texts); ++i) {
        SnSurface *surface = surface_of_text(sn_read_off, texts[i]);
        assert_int_equal(surface->vertex_count, 4);
        assert_int_equal(surface->triangle_count, 2);
        assert_true(surface->positions[3] == 1.0 && surface->positions[10] == 1.0);
        expect_triangle(surface, 0, 0, 1, 2);
        expect_triangle(surface, 1, 0, 2, 3);
        sn_surface_destroy(surface, NULL);
    }
}

static void polygons_are_cut(void **state)
{
    (void)state;
    SnSurface *surface = surface_of_text(sn_read_off, "OFF\n5 3 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n"
                                                      "0 0 1\n5 0 1 2 3 4\n4 0 1 2 3\n2 0 4\n");
    assert_int_equal(surface->triangle_count, 5);
    assert_int_equal(surface->line_count, 1);
    sn_surface_destroy(surface, NULL);
}

static void what_is_wrong_gets_a_sentence(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "expected a number of vertices"},
        {"OFF\n", "expected a number of vertices"},
        {"OFF\n1000000000 1 1\n", "is not a number of vertices"},
        {"OFF\n600000000 1 1\n0 0 0\n", ":2: 600000000 vertices and 1 faces are announced"},
        {"OFF\n1 600000000 1\n0 0 0\n", "only"},
        {"OFF\n-1 1 1\n", "\"-1\""},
        {"OFF\n1 1 0\n0 0 nan\n3 0 0 0\n", ":3: \"nan\""},
        {"OFF\n1 1 0\n0 0 0\n3 0 0 1\n", ":4: \"1\" is not a vertex index"},
        {"OFF\n1 1 0\n0 0 0\n3 0 0 0.5\n", "\"0.5\""},
        {"OFF\n1 1 0\n0 0 0\n3 0 0\n", "expected a vertex index, but the line ends"},
        {"OFF\n1 1 0\n0 0 0\n99 0 0\n", "\"99\" is not a number of corners"},
        {"OFF\n2 0 0\n0 0 0\n0 0     ", "expected a coordinate"},
        {"4OFF\n1 0 0\n0 0 0 0\n", "three dimensions"},
        {"nOFF\n3\n1 0 0\n", "three dimensions"},
        {"OFF BINARY\n", "binary OFF is not read"},
        {"hello", "\"hello\" is not a number of vertices"},
    };
    for (int i = 0; i < SN_COUNT(cases); ++i) {
        expect_text_refused(sn_read_off, cases[i][0], cases[i][1]);
    }
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    const char *text = "OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n";
    expect_reader_survives(sn_read_off, text, strlen(text));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(headers_of_every_kind_are_read),
    cmocka_unit_test(polygons_are_cut),
    cmocka_unit_test(what_is_wrong_gets_a_sentence),
    cmocka_unit_test(each_allocation_may_fail),
};

SN_TEST_GROUP(io_read_off, tests);

#include "support/surfaces.h"
#include "support/test.h"

static void statements_of_every_kind_are_read(void **state)
{
    (void)state;
    SnSurface *surface = surface_of_text(sn_read_obj, "# a remark\r\n"
                                                      "mtllib some.mtl\r\n"
                                                      "v 0 0 0\r\n"
                                                      "v 1 0 0 1.0 # with a weight\r\n"
                                                      "v 1 1 0 0.5 0.25 1\r\n"
                                                      "v 0 1. 1e-1\r\n"
                                                      "vn 0 0 1\r\nvt 0 0\r\ns off\r\n"
                                                      "f 1/1 2/1 3/1\r\n"
                                                      "f -4//1 -2//1 -1//1\r\n"
                                                      "f 1/1/1 2/1/1 \\\r\n  3/1/1\r\n"
                                                      "l 1 2 3 4\r\n"
                                                      "f 1 2 4");
    assert_int_equal(surface->vertex_count, 4);
    assert_int_equal(surface->triangle_count, 4);
    assert_int_equal(surface->line_count, 3);
    expect_triangle(surface, 0, 0, 1, 2);
    expect_triangle(surface, 1, 0, 2, 3);
    expect_triangle(surface, 2, 0, 1, 2);
    expect_triangle(surface, 3, 0, 1, 3);
    assert_true(surface->positions[11] == 0.1);
    assert_int_equal(surface->lines[4], 2);
    assert_int_equal(surface->lines[5], 3);
    assert_int_equal(surface->names.count, 1);
    assert_string_equal(surface->names.text[0], "");
    sn_surface_destroy(surface, NULL);
}

static void groups_have_the_names_of_parts_and_materials(void **state)
{
    (void)state;
    SnSurface *surface = surface_of_text(sn_read_obj, "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
                                                      "f 1 2 3\n"
                                                      "g left arm # of the bear\nf 1 2 3\n"
                                                      "g never used\n"
                                                      "o body\nusemtl skin#2\nf 1 2 3\nf 1 2 3\n"
                                                      "usemtl\nf 1 2 3\n"
                                                      "g left arm\nf 1 2 3\n");
    static const char *const names[] = {"", "left arm", "body/skin#2", "body"};
    static const int groups[] = {0, 1, 2, 2, 3, 1};
    assert_int_equal(surface->names.count, SN_COUNT(names));
    for (int g = 0; g < SN_COUNT(names); ++g) {
        assert_string_equal(surface->names.text[g], names[g]);
    }
    assert_memory_equal(surface->groups, groups, sizeof groups);
    sn_surface_destroy(surface, NULL);
}

static void thousands_of_groups_are_told_apart(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    char *text = malloc(40 * 2 * COUNT + 100);
    assert_non_null(text);
    int at = sprintf(text, "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    for (int i = 0; i < 2 * COUNT; ++i) {
        at += sprintf(text + at, "g part%d\nf 1 2 3\n", i % COUNT);
    }
    SnSurface *surface = surface_of_text(sn_read_obj, text);
    assert_int_equal(surface->names.count, COUNT);
    for (int i = 0; i < 2 * COUNT; ++i) {
        assert_int_equal(surface->groups[i], i % COUNT);
    }
    sn_surface_destroy(surface, NULL);
    free(text);
}

static void faces_may_come_before_vertices_and_polygons_are_cut(void **state)
{
    (void)state;
    SnSurface *surface = surface_of_text(sn_read_obj, "f 1 2 3 4 5\nf 1 2\nf 3\n"
                                                      "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 0.5 0\n"
                                                      "v 0 2 0\n");
    assert_int_equal(surface->triangle_count, 3);
    assert_int_equal(surface->line_count, 1); // of two corners
    double area = 0.0;
    for (int t = 0; t < 3; ++t) {
        const double *a = surface->positions + 3 * surface->triangles[3 * t];
        const double *b = surface->positions + 3 * surface->triangles[3 * t + 1];
        const double *c = surface->positions + 3 * surface->triangles[3 * t + 2];
        double twice = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        assert_true(twice > 0.0); // none lies over the dent
        area += 0.5 * twice;
    }
    assert_true(area == 2.5); // small whole numbers and halves: exact
    sn_surface_destroy(surface, NULL);
}

static void what_is_wrong_gets_a_sentence(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", ":1: the file ends without any vertex"},
        {"v 0 0 0\nv 1 0\n", ":2: expected a coordinate, but the line ends"},
        {"v 0 0 nan\n", ":1: \"nan\" is not a coordinate"},
        {"v 0 inf 0\n", ":1: \"inf\""},
        {"v 0 1e999 0\n", ":1: \"1e999\""},
        {"v 0 0 0 red\n", "a weight or colour"},
        {"v 0 0 0\nf 1 1 2\n", ":2: vertex index 2, but the file has 1 vertices"},
        {"v 0 0 0\nf 1 1 0\n", ":2: vertex index 0"},
        {"v 0 0 0\nf 1 1 -2\n", ":2: \"-2\" is not a vertex index"},
        {"v 0 0 0\nf 1 1 99999999999\n", "\"99999999999\""},
        {"v 0 0 0\nf 1 1 1/x\n", "\"1/x\" is not a corner"},
        {"v 0 0 0\nf 1 1 1/1/1/1\n", "is not a corner"},
        {"v 0 0 0\nf\n", "a face with 0 corners"},
        {"v 0 0 0\nl 1\n", "a line with 1 corners, expected at least 2"},
        {"v 0 0 0\n12 34\n", ":2: \"12\" starts no statement"},
        {"\x01\x02\x03", "starts no statement"},
    };
    for (int i = 0; i < SN_COUNT(cases); ++i) {
        expect_text_refused(sn_read_obj, cases[i][0], cases[i][1]);
    }
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    const char *text = "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 .5 0\nv 0 2 0\no a\nusemtl b\nf 1 2 3 4 5\n"
                       "g c\nf 1 2 3\nl 1 2\n";
    expect_reader_survives(sn_read_obj, text, strlen(text));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(statements_of_every_kind_are_read),
    cmocka_unit_test(groups_have_the_names_of_parts_and_materials),
    cmocka_unit_test(thousands_of_groups_are_told_apart),
    cmocka_unit_test(faces_may_come_before_vertices_and_polygons_are_cut),
    cmocka_unit_test(what_is_wrong_gets_a_sentence),
    cmocka_unit_test(each_allocation_may_fail),
};

SN_TEST_GROUP(io_read_obj, tests);

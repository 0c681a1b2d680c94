#include "support/surfaces.h"
#include "support/test.h"

#include "tool/info_surface.h"

#include <jansson.h>

static SnInfoSurface info_of(const SnSurface *surface)
{
    SnInfoSurface info = {.path = "some.file", .format = "OBJ", .surface = surface};
    assert_int_equal(sn_surface_report(surface, NULL, &info.report, NULL), SINEW_OK);
    return info;
}

static json_t *print_json(const SnInfoSurface *info)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    assert_true(sn_info_surface_print_json(info, file));
    fclose(file);
    json_t *root = json_loads(text, 0, NULL);
    assert_non_null(root);
    free(text);
    return root;
}

static void the_document_has_all_keys(void **state)
{
    (void)state;
    SnSurface *surface = surface_cube_soup(0.0, 1.0);
    sn_names_set(&surface->names, 0, "caf\xe9", 4, NULL, NULL); // Latin-1 is no UTF-8
    SnInfoSurface info = info_of(surface);
    json_t *root = print_json(&info);
    static const char *const keys[] = {
        "file",           "format",
        "vertices",       "triangles",
        "lines",          "groups",
        "bounds",         "components",
        "boundary_edges", "nonmanifold_edges",
        "area",           "degenerate_triangles",
        "volume",         "duplicate_triangles",
        "watertight",     "inconsistent_edges",
        "remarks",        "distinct_vertices",
    };
    for (int i = 0; i < SN_COUNT(keys); ++i) {
        if (json_object_get(root, keys[i]) == NULL) {
            fail_msg("no key \"%s\"", keys[i]);
        }
    }
    assert_int_equal(json_object_size(root), SN_COUNT(keys));
    assert_int_equal(json_integer_value(json_object_get(root, "vertices")), 36);
    assert_int_equal(json_integer_value(json_object_get(root, "distinct_vertices")), 8);
    assert_true(json_is_true(json_object_get(root, "watertight")));
    json_t *groups = json_object_get(root, "groups");
    assert_string_equal(json_string_value(json_array_get(groups, 0)), "caf?");
    json_t *high = json_object_get(json_object_get(root, "bounds"), "max");
    assert_true(json_real_value(json_array_get(high, 2)) == 1.0);
    json_t *remarks = json_object_get(root, "remarks");
    assert_int_equal(json_array_size(remarks), 1);
    assert_non_null(strstr(json_string_value(json_array_get(remarks, 0)), "28 vertices are at"));
    json_decref(root);
    sn_surface_destroy(surface, NULL);
}

static void sums_that_overflow_are_null(void **state)
{
    (void)state;
    SnSurface *surface = surface_cube_soup(-1e200, 2e200);
    SnInfoSurface info = info_of(surface);
    json_t *root = print_json(&info);
    assert_true(json_is_null(json_object_get(root, "volume")));
    json_decref(root);
    sn_surface_destroy(surface, NULL);
}

static void remarks_say_what_will_be_done(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"v 0 0 0\n", "1 vertex and no triangles: a point cloud has no inside"},
        {"v 0 0 0\nv 1 0 0\nl 1 2\n", "1 line and no triangles"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "3 boundary edges: the surface has holes"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 1 3\n", "1 degenerate triangle: "},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n",
         "volume is negative: the surface is inside out"},
    };
    for (int i = 0; i < SN_COUNT(cases); ++i) {
        SnSurface *surface = surface_of_text(sn_read_obj, cases[i][0]);
        SnInfoSurface info = info_of(surface);
        char remark[200];
        assert_true(sn_info_surface_remark(&info.report, 0, remark, sizeof remark));
        if (strstr(remark, cases[i][1]) == NULL) {
            fail_msg("\"%s\" does not hold \"%s\"", remark, cases[i][1]);
        }
        sn_surface_destroy(surface, NULL);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_document_has_all_keys),
    cmocka_unit_test(sums_that_overflow_are_null),
    cmocka_unit_test(remarks_say_what_will_be_done),
};

SN_TEST_GROUP(tool_info_surface, tests);

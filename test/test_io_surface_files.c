#include "support/fail_allocator.h"
#include "support/surfaces.h"
#include "support/test.h"

#include <unistd.h>

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static SnSurface *read_back(const char *path)
{
    SnSurface *surface = NULL;
    SinewError error = {0};
    if (sn_surface_read(path, NULL, &surface, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    unlink(path);
    return surface;
}

// Two groups, a line, and coordinates that need all the digits of a double.
static SnSurface *make_surface(bool floats)
{
    SnSurface *surface = NULL;
    assert_int_equal(sn_surface_create(4, 2, 1, 2, NULL, &surface, NULL), SINEW_OK);
    for (int i = 0; i < 12; ++i) {
        double value = (i % 2 == 0 ? 1.0 : -1e-7) * (i + 1) / 7.0;
        surface->positions[i] = floats ? (double)(float)value : value;
    }
    memcpy(surface->triangles, (int[6]){0, 1, 2, 2, 1, 3}, 24);
    memcpy(surface->lines, (int[2]){3, 0}, 8);
    surface->groups[1] = 1;
    sn_names_set(&surface->names, 0, "soft part", 9, NULL, NULL);
    sn_names_set(&surface->names, 1, "bone", 4, NULL, NULL);
    return surface;
}

static void obj_and_ply_give_back_the_same(void **state)
{
    (void)state;
    for (int floats = 0; floats < 2; ++floats) {
        SnSurface *surface = make_surface(floats == 1);
        assert_int_equal(sn_surface_write(surface, "surface.obj", NULL, NULL), SINEW_OK);
        SnSurface *back = read_back("surface.obj");
        expect_same_surface(surface, back);
        assert_memory_equal(surface->groups, back->groups, 8);
        assert_string_equal(back->names.text[0], "soft part");
        assert_string_equal(back->names.text[1], "bone");
        sn_surface_destroy(back, NULL);
        for (int ascii = 0; ascii < 2; ++ascii) {
            assert_int_equal(sn_write_ply(surface, "surface.ply", ascii == 1, NULL, NULL),
                             SINEW_OK);
            back = read_back("surface.ply");
            expect_same_surface(surface, back);
            sn_surface_destroy(back, NULL);
        }
        sn_surface_destroy(surface, NULL);
    }
}

static void stl_gives_back_each_corner(void **state)
{
    (void)state;
    SnSurface *surface = make_surface(true);
    assert_int_equal(sn_surface_write(surface, "surface.STL", NULL, NULL), SINEW_OK);
    SnSurface *back = read_back("surface.STL");
    assert_int_equal(back->triangle_count, 2);
    for (int i = 0; i < 6; ++i) {
        assert_memory_equal(back->positions + 3 * back->triangles[i],
                            surface->positions + 3 * surface->triangles[i], 24);
    }
    sn_surface_destroy(back, NULL);
    SinewError error = {0};
    surface->positions[7] = 1e39;
    assert_int_equal(sn_surface_write(surface, "surface.stl", NULL, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "vertex 2 is 1e+39"));
    assert_int_equal(error.index, 2);
    assert_int_not_equal(access("surface.stl", F_OK), 0);
    sn_surface_destroy(surface, NULL);
}

static void names_that_obj_cannot_hold_are_mended(void **state)
{
    (void)state;
    SnSurface *surface = make_surface(true);
    sn_names_set(&surface->names, 0, "a #b\nc", 6, NULL, NULL);
    assert_int_equal(sn_surface_write(surface, "surface.obj", NULL, NULL), SINEW_OK);
    SnSurface *back = read_back("surface.obj");
    assert_string_equal(back->names.text[0], "a _b_c");
    sn_surface_destroy(back, NULL);
    sn_surface_destroy(surface, NULL);
}

// What the bytes say counts, then what the path says.
static void formats_are_told_by_content_then_extension(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"ply\nformat ascii 1.0\n", "thing.obj", "PLY"},
        {"OFF\n0 0 0\n", "thing", "OFF"},
        {"COFF 0 0 0\n", "thing.dat", "OFF"},
        {"solid a\nendsolid", "thing", "STL"},
        {"v 0 0 0\n", "thing.obj", "OBJ"},
        {"v 0 0 0\n", "thing.OBJ", "OBJ"},
        {"garbage", "thing.stl", "STL"},
        {"0 0 0", "thing.off", "OFF"},
        {"v 0 0 0\n", "thing.xyz", NULL},
        {"", ".obj", NULL},
    };
    for (int i = 0; i < SN_COUNT(cases); ++i) {
        SnBytes bytes = sn_bytes_of(cases[i][0], strlen(cases[i][0]), cases[i][1]);
        const SnSurfaceFormat *format = sn_surface_format_of(&bytes);
        if (cases[i][2] == NULL) {
            assert_null(format);
        } else {
            assert_non_null(format);
            assert_string_equal(format->name, cases[i][2]);
        }
    }
}

static void files_that_are_no_surface_get_a_sentence(void **state)
{
    (void)state;
    SnSurface *surface = NULL;
    SinewError error = {0};
    assert_int_equal(sn_surface_read("not_there.obj", NULL, &surface, &error), SINEW_ERROR_FILE);
    assert_non_null(strstr(error.text, "not_there.obj"));
    write_text("surface.xyz", "1 2 3");
    assert_int_equal(sn_surface_read("surface.xyz", NULL, &surface, &error), SINEW_ERROR_FILE);
    assert_non_null(strstr(error.text, "expected OBJ, PLY, STL"));
    unlink("surface.xyz");
    SnSurface *made = make_surface(true);
    assert_int_equal(sn_surface_write(made, "surface.xyz", NULL, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "expected .obj, .ply or .stl"));
    static const char *const paths[] = {"no/such/folder.obj", "no/such/folder.ply",
                                        "no/such/folder.stl"};
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(sn_surface_write(made, paths[i], NULL, &error), SINEW_ERROR_WRITE);
    }
    sn_surface_destroy(made, NULL);
}

static SinewStatus write_and_read(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSurface *surface = NULL;
    static const char *const paths[] = {"failing.obj", "failing.ply", "failing.stl"};
    for (int i = 0; i < 3; ++i) {
        SN_TRY(sn_surface_write(context, paths[i], allocator, error));
        SN_TRY(sn_surface_read(paths[i], allocator, &surface, error));
        sn_surface_destroy(surface, allocator);
        surface = NULL;
    }
done:
    sn_surface_destroy(surface, allocator);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    SnSurface *surface = make_surface(true);
    sn_fail_each_allocation(write_and_read, surface);
    sn_surface_destroy(surface, NULL);
    unlink("failing.obj");
    unlink("failing.ply");
    unlink("failing.stl");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(obj_and_ply_give_back_the_same),
    cmocka_unit_test(stl_gives_back_each_corner),
    cmocka_unit_test(names_that_obj_cannot_hold_are_mended),
    cmocka_unit_test(formats_are_told_by_content_then_extension),
    cmocka_unit_test(files_that_are_no_surface_get_a_sentence),
    cmocka_unit_test(each_allocation_may_fail),
};

SN_TEST_GROUP(io_surface_files, tests);

// What bodies say of themselves.
#include "support/test.h"
#include "support/worlds.h"
#include "world/warning.h"

#include <math.h>
#include <stdio.h>

// A bar ten times as long as thick, with so many cells across.
static SinewBodyId add_bar(SinewWorld *world, SinewModelKind model, int across)
{
    SinewBodyDef def = sinew_body_def_default();
    SinewBodyId body;
    SinewError error;
    const double max[3] = {1.0, 0.1, 0.1};
    const int cells[3] = {10 * across, across, across};
    def.name = "bar";
    def.shape.kind = SINEW_SHAPE_BOX;
    memset(def.shape.min, 0, sizeof def.shape.min);
    memcpy(def.shape.max, max, sizeof max);
    memcpy(def.cells, cells, sizeof cells);
    def.model = model;
    def.frames.count = 3;
    def.material.law = SINEW_LAW_COROTATED;
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    return body;
}

static const char *bar_warning(SinewWorld *world, SinewModelKind model, int across)
{
    return sinew_body_info(world, add_bar(world, model, across)).warning;
}

static void few_tets_across_are_told(void **state)
{
    (void)state;
    static const SinewModelKind TETS[] = {SINEW_MODEL_NEWTON, SINEW_MODEL_SPLIT, SINEW_MODEL_TETMG};
    SinewWorld *world = world_make(1);
    for (int m = 0; m < SN_COUNT(TETS); ++m) {
        const char *warning = bar_warning(world, TETS[m], 2);
        assert_non_null(warning);
        double across = 0.0;
        assert_int_equal(sscanf(warning, "body \"bar\": about %lf tets", &across), 1);
        assert_at_most(fabs(across - 2.0), 0.25); // see test_geometry_tet_thickness.c
        assert_non_null(strstr(warning, "lattice"));
        assert_null(bar_warning(world, TETS[m], 4));
    }
    assert_null(bar_warning(world, SINEW_MODEL_LATTICE, 2));
    sinew_world_destroy(world);
}

// The figures of the sentence hold the measured loss of a cantilever of tets: 20 x 2 x 2 cells.
static void what_is_told_is_what_is_lost(void **state)
{
    (void)state;
    double tips[2];
    int low = 0, high = 0;
    for (int i = 0; i < 2; ++i) {
        SinewWorld *world = world_make(1);
        SinewError error;
        SinewBodyId body = add_bar(world, i == 0 ? SINEW_MODEL_NEWTON : SINEW_MODEL_LATTICE, 2);
        const char *warning = sinew_body_info(world, body).warning;
        if (i == 0) {
            assert_int_equal(sscanf(strstr(warning, "bend "), "bend %d to %d", &low, &high), 2);
        }
        world_hold(world, body, region_box(-1, -1, -1, 1e-6, 1, 1));
        expect_done(sinew_world_solve_static(world, 0.01, 0.0, &error), &error);
        SinewBodyMesh mesh = sinew_body_mesh(world, body);
        tips[i] = 0.0;
        for (int v = 0; v < mesh.vertex_count; ++v) {
            tips[i] = fmin(tips[i], mesh.positions[3 * v + 1] - mesh.rest[3 * v + 1]);
        }
        sinew_world_destroy(world);
    }
    double lost = 100.0 * (1.0 - tips[0] / tips[1]);
    assert_true(lost > low && lost < high);
}

static void sizes_that_suggest_another_unit_are_told(void **state)
{
    (void)state;
    char text[200];
    assert_true(sn_unusual_size(15.0, 656000.0, text, sizeof text));
    assert_string_equal(text, "is 15 m long and weighs 6.56e+05 kg; if its file is in centimetres, "
                              "scale 0.01 makes it 0.15 m and 0.656 kg");
    assert_true(sn_unusual_size(1700.0, 1e9, text, sizeof text));
    assert_non_null(strstr(text, "millimetres, scale 0.001 makes it 1.7 m"));
    assert_true(sn_unusual_size(2e-4, 1e-9, text, sizeof text));
    assert_non_null(strstr(text, "scale 1000 makes it 0.2 m"));
    assert_false(sn_unusual_size(1.7, 75.0, text, sizeof text));
    assert_false(sn_unusual_size(0.0, 0.0, text, sizeof text));
}

// A cube of a surface, 15 units a side; a box of that size was said in metres.
static void bodies_of_surfaces_tell_their_size(void **state)
{
    (void)state;
    static const double corners[] = {0, 0, 0,  15, 0, 0,  0, 15, 0,  15, 15, 0,
                                     0, 0, 15, 15, 0, 15, 0, 15, 15, 15, 15, 15};
    static const int triangles[] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                    2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    SinewError error;
    SinewSurface *surface = NULL;
    SinewBodyId body;
    SinewWorld *world = world_make(1);
    SinewBodyDef def = sinew_body_def_default();
    SinewSurfaceDef made = sinew_surface_def_default();
    made.positions = corners;
    made.vertex_count = 8;
    made.triangles = triangles;
    made.triangle_count = 12;
    expect_done(sinew_surface_create(&made, &surface, &error), &error);
    def.name = "cube";
    def.surface = surface;
    def.resolution = 6;
    def.model = SINEW_MODEL_LATTICE;
    def.material.law = SINEW_LAW_COROTATED;
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    const char *warning = sinew_body_info(world, body).warning;
    assert_non_null(warning);
    assert_non_null(strstr(warning, "body \"cube\": it is 15 m long and weighs"));
    assert_non_null(strstr(warning, "in centimetres, scale 0.01 makes it 0.15 m"));
    def.pose.scale = 0.01;
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    assert_null(sinew_body_info(world, body).warning);
    sinew_surface_destroy(surface);
    sinew_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(few_tets_across_are_told),
    cmocka_unit_test(what_is_told_is_what_is_lost),
    cmocka_unit_test(sizes_that_suggest_another_unit_are_told),
    cmocka_unit_test(bodies_of_surfaces_tell_their_size),
};

SN_TEST_GROUP(world_warning, tests);

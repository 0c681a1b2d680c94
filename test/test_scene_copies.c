// Bodies that stand for many: names, places, and parts that go along.
#include "support/fail_allocator.h"
#include "support/test.h"
#include "support/worlds.h"

#include "scene/scene.h"
#include "world/world.h"

#include <math.h>

#define HEAD                                                                                       \
    "sinew: 1\n"                                                                                   \
    "bodies:\n"                                                                                    \
    "  - name: first\n"                                                                            \
    "    shape: {sphere: {radius: 0.1, resolution: 3}}\n"                                          \
    "  - name: box\n"                                                                              \
    "    shape: {box: {min: [0,0,0], max: [0.2,0.2,0.2], cells: [2,2,2]}}\n"                       \
    "    model: {kind: split, mode: paper}\n"                                                      \
    "    pose: {translate: [0, 1, 0], rotate: {axis: [0,1,0], degrees: 10}}\n"

static const char grid_text[] = HEAD
    "    grid: {count: [2,1,3], spacing: [0.5, 0.25, 2], turn: {axis: [0,1,0], degrees: 20}}\n"
    "    pins: [{within: {sphere: {center: [0,1,0], radius: 0.01}}, move: [{t: 0}, {t: 1, "
    "rotate: {axis: [1,0,0], degrees: 9, about: [0,1,0]}}]}]\n"
    "    regions: [{within: {sphere: {center: [0,1,0], radius: 0.12}}, material: {density: "
    "2000}}]\n"
    "    loads: [{within: {sphere: {center: [0,1,0], radius: 0.25}}, force: [0,1,0]}]\n"
    "    attachments: [{points: [{at: [0.05, 1.1, -0.01]}], stiffness: 100, normal: [1,0,0]}]\n"
    "probes: [{name: p, body: box.5, pin: 0, report: reaction}]\n";

static SinewScene *read_scene(const char *text)
{
    SinewScene *scene = NULL;
    SinewError error = {.text = ""};
    if (sinew_scene_parse(text, strlen(text), "s.yaml", NULL, NULL, 0, NULL, &scene, &error) < 0) {
        fail_msg("%s", error.text);
    }
    return scene;
}

static SinewWorld *build_scene(SinewScene *scene)
{
    SinewWorld *world = NULL;
    SinewError error = {.text = ""};
    expect_done(sinew_scene_build(scene, NULL, &world, &error), &error);
    return world;
}

static void grids_make_bodies_in_rows(void **state)
{
    (void)state;
    SinewScene *scene = read_scene(grid_text);
    static const char *const names[] = {"first", "box.0", "box.1", "box.2",
                                        "box.3", "box.4", "box.5"};
    assert_int_equal(sinew_scene_settings(scene).body_count, 7);
    for (int b = 0; b < 7; ++b) {
        assert_string_equal(sinew_scene_body_name(scene, b), names[b]);
    }
    for (int c = 0; c < 6; ++c) {
        const SnSceneBody *body = &scene->content.bodies[1 + c];
        const double place[3] = {0.5 * (c % 2), 1.0, 2.0 * (c / 2)};
        assert_true(body->pose.degrees == 10.0 + 20.0 * c);
        for (int k = 0; k < 3; ++k) {
            assert_true(body->pose.translate[k] == place[k]);
            // The corner that is held, where it turns, stands where the pose puts the origin.
            assert_at_most(fabs(body->pins[0].within.center[k] - place[k]), 1e-12);
            assert_at_most(fabs(body->pins[0].keys[1].about[k] - place[k]), 1e-12);
            assert_at_most(fabs(body->regions[0].within.center[k] - place[k]), 1e-12);
        }
        // Turned about y by 20 degrees a copy.
        double angle = 20.0 * c * 3.14159265358979 / 180.0;
        assert_at_most(fabs(body->attachments[0].normal[0] - cos(angle)), 1e-12);
        assert_at_most(fabs(body->attachments[0].normal[2] + sin(angle)), 1e-12);
        assert_at_most(fabs(body->attachments[0].points[0].at[0] - place[0] - 0.05 * cos(angle) +
                            0.01 * sin(angle)),
                       1e-12);
    }
    sinew_scene_destroy(scene);
}

// Every copy holds the same vertex and has the same masses, so that all share shape and matrix.
static void copies_share_in_the_world(void **state)
{
    (void)state;
    SinewScene *scene = read_scene(grid_text);
    SinewWorld *world = build_scene(scene);
    world_steps(world, 2, 0.01);
    assert_int_equal(sinew_world_report(world).factorisations, 0);
    // Solid, shape and surface of the sphere and of the boxes, and the boxes' system.
    assert_int_equal(world->share.count, 7);
    double mass = sinew_body_info(world, sinew_scene_body_id(scene, 1)).mass;
    assert_true(mass > 1.01 * 1000.0 * 0.008); // a part of it is denser
    for (int b = 2; b < 7; ++b) {
        assert_true(sinew_body_info(world, sinew_scene_body_id(scene, b)).mass == mass);
    }
    sinew_world_destroy(world);
    sinew_scene_destroy(scene);
}

// A list says the same as a grid; a list of one empty copy is the body.
static void lists_and_grids_agree(void **state)
{
    (void)state;
    static const char list_text[] =
        HEAD "    copies: [{}, {translate: [0.5,0,0], rotate: {axis: [0,1,0], degrees: 20}}]\n";
    static const char rows_text[] =
        HEAD "    grid: {count: [2,1,1], spacing: [0.5,0,0], turn: {axis: [0,1,0], degrees: 20}}\n";
    SinewScene *scenes[] = {read_scene(list_text), read_scene(rows_text), read_scene(HEAD)};
    SinewWorld *worlds[3];
    for (int i = 0; i < 3; ++i) {
        worlds[i] = build_scene(scenes[i]);
        world_steps(worlds[i], 3, 0.01);
    }
    for (int b = 0; b < 3; ++b) {
        assert_true(world_hash(worlds[0], sinew_scene_body_id(scenes[0], b)) ==
                    world_hash(worlds[1], sinew_scene_body_id(scenes[1], b)));
    }
    assert_true(world_hash(worlds[0], sinew_scene_body_id(scenes[0], 1)) ==
                world_hash(worlds[2], sinew_scene_body_id(scenes[2], 1)));
    for (int i = 0; i < 3; ++i) {
        sinew_world_destroy(worlds[i]);
        sinew_scene_destroy(scenes[i]);
    }
}

// Boxes of regions go along with copies that are only moved.
static void boxes_move_along(void **state)
{
    (void)state;
    SinewScene *scene =
        read_scene("sinew: 1\n"
                   "bodies:\n"
                   "  - name: b\n"
                   "    shape: {box: {min: [0,0,0], max: [1,1,1], cells: [1,1,1]}}\n"
                   "    model: {kind: split}\n"
                   "    copies: [{}, {translate: [3,0,-2]}]\n"
                   "    pins: [{within: {box: {min: [0,0,0], max: [0,1,1]}}}]\n");
    SinewWorld *world = build_scene(scene);
    for (int b = 0; b < 2; ++b) {
        assert_int_equal(sinew_body_info(world, sinew_scene_body_id(scene, b)).dofs, 12);
    }
    sinew_world_destroy(world);
    sinew_scene_destroy(scene);
}

static SinewStatus read_with(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SinewScene *scene = NULL;
    (void)context;
    SinewStatus status = sinew_scene_parse(grid_text, strlen(grid_text), "s.yaml", NULL, NULL, 0,
                                           allocator, &scene, error);
    sinew_scene_destroy(scene);
    return status;
}

static void survives_every_allocation_that_fails(void **state)
{
    (void)state;
    assert_true(sn_fail_each_allocation(read_with, NULL) > 20);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(grids_make_bodies_in_rows),
    cmocka_unit_test(copies_share_in_the_world),
    cmocka_unit_test(lists_and_grids_agree),
    cmocka_unit_test(boxes_move_along),
    cmocka_unit_test(survives_every_allocation_that_fails),
};

SN_TEST_GROUP(scene_copies, tests);

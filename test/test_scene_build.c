// From scenes to worlds: the world is the one that the API would make by hand, defaults are the
// API's own, and what only the bodies can tell is refused with the line that asked for it.
#include "support/test.h"

#include "scene/scene.h"
#include "support/fail_allocator.h"

#include <math.h>
#include <stdlib.h>

#define BEAM                                                                                       \
    "sinew: 1\n"                                                                                   \
    "world: {gravity: [0, -9.81, 0], dt: 0.02, steps: 3}\n"                                        \
    "bodies:\n"                                                                                    \
    "  - name: beam\n"                                                                             \
    "    shape: {box: {min: [0,0,0], max: [1,0.2,0.2], cells: [5,1,1]}}\n"                         \
    "    model: {kind: newton, element: hex, integrator: bdf2}\n"                                  \
    "    material: {young: 2.0e5}\n"

static const char whole[] = BEAM
    "    regions: [{within: {box: {min: [0,0,0], max: [0.5,1,1]}}, material: {young: 1.0e6}}]\n"
    "    pins: [{within: {box: {min: [-1,-1,-1], max: [0.001,1,1]}}}]\n"
    "    loads: [{within: {box: {min: [0.999,-1,-1], max: [2,1,1]}}, force: [0,0,5]}]\n"
    "colliders: [{plane: {offset: -5}, friction: 0.5}]\n"
    "probes:\n"
    "  - {name: tip, body: beam, point: [1,0.1,0.1], report: displacement}\n"
    "  - {name: root, body: beam, pin: 0, report: reaction}\n";

static SinewScene *read_text(const char *text)
{
    SinewScene *scene = NULL;
    SinewError error = {.text = ""};
    if (sinew_scene_parse(text, strlen(text), "s.yaml", NULL, NULL, 0, NULL, &scene, &error) < 0) {
        fail_msg("%s", error.text);
    }
    return scene;
}

static void expect_ok(SinewStatus status, const SinewError *error)
{
    if (status != SINEW_OK) {
        fail_msg("%s", error->text);
    }
}

// The same as `whole`, by hand.
static void build_by_hand(SinewWorld **out_world, SinewProbeId *out_tip)
{
    SinewError error = {.text = ""};
    SinewBodyId body;
    SinewPinId pin;
    SinewLoadId load;
    SinewColliderId collider;
    SinewWorldDef wd = sinew_world_def_default();
    expect_ok(sinew_world_create(&wd, out_world, &error), &error);
    SinewBodyDef bd = sinew_body_def_default();
    bd.shape.kind = SINEW_SHAPE_BOX;
    memcpy(bd.shape.max, (double[]){1, 0.2, 0.2}, sizeof bd.shape.max);
    memcpy(bd.cells, (int[]){5, 1, 1}, sizeof bd.cells);
    bd.model = SINEW_MODEL_NEWTON;
    bd.newton.element = SINEW_ELEMENT_HEX;
    bd.newton.integrator = SINEW_INTEGRATOR_BDF2;
    bd.material.young = 2e5;
    SinewMaterialRegion region = {.within = {.kind = SINEW_REGION_BOX, .max = {0.5, 1, 1}},
                                  .material = sinew_material_default()};
    bd.regions = &region;
    bd.region_count = 1;
    expect_ok(sinew_world_add_body(*out_world, &bd, &body, &error), &error);
    SinewPinDef pd = sinew_pin_def_default();
    pd.body = body;
    pd.within = (SinewRegion){.kind = SINEW_REGION_BOX, .min = {-1, -1, -1}, .max = {0.001, 1, 1}};
    expect_ok(sinew_world_add_pin(*out_world, &pd, &pin, &error), &error);
    SinewLoadDef ld = sinew_load_def_default();
    ld.body = body;
    ld.within = (SinewRegion){.kind = SINEW_REGION_BOX, .min = {0.999, -1, -1}, .max = {2, 1, 1}};
    ld.force[2] = 5;
    expect_ok(sinew_world_add_load(*out_world, &ld, &load, &error), &error);
    SinewColliderDef cd = sinew_collider_def_default();
    cd.shape.kind = SINEW_SHAPE_PLANE;
    cd.shape.offset = -5;
    cd.friction = 0.5;
    expect_ok(sinew_world_add_collider(*out_world, &cd, &collider, &error), &error);
    SinewProbeDef probe = sinew_probe_def_default();
    probe.body = body;
    probe.report = SINEW_REPORT_DISPLACEMENT;
    probe.has_point = 1;
    memcpy(probe.point, (double[]){1, 0.1, 0.1}, sizeof probe.point);
    expect_ok(sinew_world_add_probe(*out_world, &probe, out_tip, &error), &error);
}

// Whether the state of one world belongs to the other: it does where all their options are equal.
static SinewStatus move_state(const SinewWorld *from, SinewWorld *to)
{
    size_t size = sinew_world_state_size(from);
    void *bytes = malloc(size);
    SinewError error = {.text = ""};
    assert_non_null(bytes);
    expect_ok(sinew_world_save(from, bytes, size, &error), &error);
    SinewStatus status = sinew_world_restore(to, bytes, size, &error);
    free(bytes);
    return status;
}

// With `off`, one option of each model is not the default.
static SinewWorld *build_plain(SinewModelKind kind, bool off)
{
    SinewError error = {.text = ""};
    SinewWorld *world = NULL;
    SinewBodyId body;
    SinewWorldDef wd = sinew_world_def_default();
    SinewBodyDef bd = sinew_body_def_default();
    bd.model = kind;
    bd.shape.kind = SINEW_SHAPE_BOX;
    memcpy(bd.shape.max, (double[]){1, 0.4, 0.4}, sizeof bd.shape.max);
    memcpy(bd.cells, (int[]){15, 6, 6}, sizeof bd.cells);
    if (off) {
        bd.newton.tolerance = bd.lattice.tolerance = bd.voxel.tolerance = 2e-5;
        bd.split.accuracy = bd.tetmg.accuracy = 2e-2;
        bd.frames.tolerance = 2e-5;
    }
    expect_ok(sinew_world_create(&wd, &world, &error), &error);
    expect_ok(sinew_world_add_body(world, &bd, &body, &error), &error);
    return world;
}

static void models_have_the_options_of_the_api(void **state)
{
    (void)state;
    static const char *const kinds[] = {"newton", "split", "lattice", "voxel", "frames", "tetmg"};
    for (int kind = 0; kind < 6; ++kind) {
        SinewError error = {.text = ""};
        SinewWorld *world = NULL;
        char text[300];
        snprintf(text, sizeof text,
                 "sinew: 1\nworld: {dt: 0.02, steps: 1}\nbodies:\n"
                 "  - shape: {box: {min: [0,0,0], max: [1,0.4,0.4], cells: [15,6,6]}}\n"
                 "    model: {kind: %s}\n",
                 kinds[kind]);
        SinewScene *scene = read_text(text);
        expect_ok(sinew_scene_build(scene, NULL, &world, &error), &error);
        for (int off = 0; off < 2; ++off) {
            SinewWorld *plain = build_plain((SinewModelKind)kind, off == 1);
            SinewStatus status = move_state(world, plain);
            if ((status == SINEW_OK) == (off == 1)) {
                fail_msg("%s: the state %s", kinds[kind],
                         off ? "is taken by other options" : "is refused by the defaults");
            }
            sinew_world_destroy(plain);
        }
        sinew_scene_destroy(scene);
        sinew_world_destroy(world);
    }
}

static void a_scene_is_the_world_made_by_hand(void **state)
{
    (void)state;
    SinewError error = {.text = ""};
    SinewWorld *worlds[2] = {NULL, NULL};
    SinewProbeId tips[2];
    double values[2][SINEW_REPORT_VALUES_MAX];
    SinewScene *scene = read_text(whole);
    expect_ok(sinew_scene_build(scene, NULL, &worlds[0], &error), &error);
    tips[0] = sinew_scene_probe_id(scene, 0);
    assert_true(sinew_scene_body_id(scene, 0).index1 != 0);
    assert_string_equal(sinew_body_info(worlds[0], sinew_scene_body_id(scene, 0)).name, "beam");
    sinew_scene_destroy(scene); // the world outlives it
    build_by_hand(&worlds[1], &tips[1]);
    for (int w = 0; w < 2; ++w) {
        int count = 0;
        for (int i = 0; i < 3; ++i) {
            expect_ok(sinew_world_step(worlds[w], 0.02, &error), &error);
        }
        expect_ok(sinew_world_read_probe(worlds[w], tips[w], values[w], &count, &error), &error);
        assert_int_equal(count, 3);
        sinew_world_destroy(worlds[w]);
    }
    // Bit for bit: nothing was lost on the way.
    assert_memory_equal(values[0], values[1], 3 * sizeof(double));
    assert_true(values[0][1] < -0.001 && values[0][2] > 0);
}

// A cube on a spring of 1 kN/m for all of it sinks by its weight of 1 kN over that; a second one,
// along x alone, has nothing to do until its frame moves.
static void attachments_are_built(void **state)
{
    (void)state;
    SinewError error = {.text = ""};
    SinewWorld *world = NULL;
    double values[SINEW_REPORT_VALUES_MAX];
    int count = 0;
    SinewScene *scene =
        read_text("sinew: 1\n"
                  "world: {gravity: [0, -1, 0], mode: static, load_steps: 1}\n"
                  "bodies:\n"
                  "  - shape: {box: {min: [0,0,0], max: [1,1,1], cells: [2,2,2]}}\n"
                  "    model: {kind: lattice}\n"
                  "    attachments:\n"
                  "      - {within: all, stiffness: 1000}\n"
                  "      - {points: [{at: [0.5,0.5,0.5]}], stiffness: 500, normal: [1,0,0],\n"
                  "         move: [{t: 0}, {t: 1, translate: [0.3,0,0]}]}\n"
                  "probes: [{name: a, report: attachment, attachment: 1}]\n");
    expect_ok(sinew_scene_build(scene, NULL, &world, &error), &error);
    expect_ok(sinew_world_solve_static(world, 1.0, 1e-7, &error), &error);
    expect_ok(sinew_world_read_probe(world, sinew_scene_probe_id(scene, 0), values, &count, &error),
              &error);
    assert_int_equal(count, 6);
    // Two springs of 1000 and 500 N/m in a row over 0.3 m, but for what the cube itself gives: 100
    // N.
    assert_true(fabs(values[0] - 100.0) < 1.0 && fabs(values[1]) < 1e-6);
    sinew_world_destroy(world);
    sinew_scene_destroy(scene);
}

// Host settings are taken over, and a scene can be built twice.
static void hosts_are_heard(void **state)
{
    (void)state;
    SinewError error = {.text = ""};
    SnFailAllocator allocator;
    sn_fail_allocator_init(&allocator, -1);
    SinewWorldDef host = sinew_world_def_default();
    host.allocator = allocator.allocator;
    host.worker_count = 2;
    SinewScene *scene = read_text(whole);
    for (int i = 0; i < 2; ++i) {
        SinewWorld *world = NULL;
        expect_ok(sinew_scene_build(scene, &host, &world, &error), &error);
        expect_ok(sinew_world_step(world, 0.02, &error), &error);
        sinew_world_destroy(world);
        assert_int_equal(allocator.blocks, 0);
    }
    assert_true(allocator.calls > 0);
    sinew_scene_destroy(scene);
}

static void defaults_are_those_of_the_api(void **state)
{
    (void)state;
    SinewScene *scene = read_text("sinew: 1\nbodies: [{shape: {torus: {radius: 2, tube: 1}},\n"
                                  "  pins: [{within: all, move: [{t: 0}]}]}]\n"
                                  "colliders: [{plane: {}}]\n");
    const SnSceneBody *body = &scene->content.bodies[0];
    SinewBodyDef def = sinew_body_def_default();
    SinewWorldDef world = sinew_world_def_default();
    SinewShape shape = sinew_shape_default();
    SinewKey key = sinew_key_default();
    assert_int_equal(body->shape.resolution, def.resolution);
    assert_int_equal(body->shape.box_tets, def.box_tets);
    assert_int_equal(body->model.kind, def.model);
    assert_int_equal(body->model.element, -1); // the model's own
    assert_int_equal(body->model.integrator, def.newton.integrator);
    assert_int_equal(body->model.mass, def.newton.mass);
    assert_true(body->model.tolerance == 0.0); // the model's own
    assert_int_equal(body->model.max_iterations, def.newton.max_iterations);
    assert_int_equal(body->material.law, def.material.law);
    assert_memory_equal(&body->material.young, &def.material.young, 5 * sizeof(double));
    assert_memory_equal(&body->pose, &def.pose, sizeof def.pose);
    assert_memory_equal(&body->pins[0].keys[0], &key, sizeof key);
    assert_memory_equal(body->shape.shape.axis, shape.axis, sizeof shape.axis);
    assert_memory_equal(scene->content.colliders[0].shape.shape.normal, shape.normal,
                        sizeof shape.normal);
    assert_int_equal(body->start, def.start);
    assert_memory_equal(scene->content.world.gravity, world.gravity, sizeof world.gravity);
    assert_true(scene->content.contact.friction == world.contact_friction);
    assert_true(scene->content.contact.stiffness == world.contact_stiffness);
    assert_int_equal(scene->content.world.determinism, world.determinism);
    sinew_scene_destroy(scene);
}

// A body on the third line, and its material.
#define OTHER(kind, material)                                                                      \
    "sinew: 1\nbodies:\n  - name: b\n"                                                             \
    "    shape: {box: {min: [0,0,0], max: [1,1,1], cells: [2,2,2]}}\n"                             \
    "    model: {kind: " kind "}\n    material: {" material "}\n"

// What parsing cannot know: BEAM has seven lines.
static const struct {
    const char *text;
    int line;
    const char *words[2];
} refusals[] = {
    {BEAM "    pins: [{within: {box: {min: [5,5,5], max: [6,6,6]}}}]\n", 8, {"pin"}},
    {BEAM "    pins:\n      - within: {vertices: [999999]}\n", 9, {"999999"}},
    {BEAM "    pins: [{within: all},\n      {within: all}]\n", 9, {"pin"}},
    {BEAM "    loads: [{within: {box: {min: [5,5,5], max: [6,6,6]}}, force: [1,0,0]}]\n",
     8,
     {"load"}},
    {BEAM "probes: [{name: p, point: [9,9,9], report: position}]\n", 8, {"9"}},
    {BEAM "probes: [{name: p, vertex: 5000, report: position}]\n", 8, {"5000"}},
    {"sinew: 1\nbodies:\n  - shape: {surface: not_there.ply}\n", 3, {"not_there.ply"}},
    {"sinew: 1\nbodies:\n  - shape: {tets: not_there.msh}\n", 3, {"not_there.msh"}},
    {BEAM "colliders: [{mesh: not_there.obj}]\n", 8, {"not_there.obj"}},
    {"sinew: 1\nbodies:\n  - shape: {sphere: {radius: 1, resolution: 4}}\n"
     "    model: {kind: tetmg, mode: paper, hierarchy: [\n"
     "      {tets: not_there.msh}]}\n",
     5,
     {"not_there.msh"}},
    {BEAM "colliders: [{mesh: not_a_mesh.txt}]\n", 8, {"not_a_mesh.txt"}},
    // What a model cannot do is the scene's fault, not the machine's.
    {BEAM "    pins: [{within: all, on_surface: true}]\n",
     8,
     {"on_surface is 1", "the model newton"}},
    {OTHER("split", "law: svk"), 3, {"its law is svk", "expected corotated or fixed_corotated"}},
    {OTHER("split, mode: paper", "damping: {stiffness: 0.1}"),
     3,
     {"damping by stiffness is 0.1 s", "mode implicit has it"}},
    {OTHER("tetmg, mode: paper", "law: corotated, damping: {stiffness: 0.1}"),
     3,
     {"damping by stiffness is 0.1 s", "mode paper of tetmg"}},
    {OTHER("split", "") "    regions: [{within: all, material: {law: fixed_corotated}}]\n",
     3,
     {"a region's law is fixed_corotated", "expected one law"}},
    {OTHER("tetmg", "law: linear"), 3, {"its law is linear", "for model tetmg"}},
    {OTHER("tetmg, mode: paper", "law: fixed_corotated"), 3, {"expected corotated for mode paper"}},
    {OTHER("lattice", "law: svk"), 3, {"is svk", "expected corotated for lattice"}},
    {OTHER("voxel", "law: neo_hookean"), 3, {"is neo_hookean", "for voxel"}},
};

static void what_bodies_refuse_has_a_line(void **state)
{
    (void)state;
    for (int i = 0; i < SN_COUNT(refusals); ++i) {
        SinewScene *scene = read_text(refusals[i].text);
        SinewWorld *world = NULL;
        SinewError error = {.text = ""};
        char place[32];
        snprintf(place, sizeof place, "s.yaml:%d: ", refusals[i].line);
        assert_int_equal(sinew_scene_build(scene, NULL, &world, &error), SINEW_ERROR_FILE);
        assert_null(world);
        if (strncmp(error.text, place, strlen(place)) != 0) {
            fail_msg("\"%s\" does not begin with %s", error.text, place);
        }
        for (int w = 0; w < 2 && refusals[i].words[w] != NULL; ++w) {
            if (strstr(error.text + strlen(place), refusals[i].words[w]) == NULL) {
                fail_msg("\"%s\" does not say %s", error.text, refusals[i].words[w]);
            }
        }
        assert_int_equal(sinew_scene_build(scene, NULL, &world, NULL), SINEW_ERROR_FILE);
        sinew_scene_destroy(scene);
    }
}

// Only the building allocates from the failing allocator here; reading has its own test.
static SinewStatus build_whole(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SinewWorldDef host = sinew_world_def_default();
    SinewWorld *world = NULL;
    host.allocator = *allocator;
    SinewStatus status = sinew_scene_build(context, &host, &world, error);
    assert_true((status >= 0) == (world != NULL));
    sinew_world_destroy(world);
    return status;
}

static void each_allocation_fails_once(void **state)
{
    (void)state;
    SinewScene *scene = read_text(whole);
    assert_true(sn_fail_each_allocation(build_whole, scene) > 10);
    sinew_scene_destroy(scene);
}

// One step of each scene that comes with Sinew.
static void example_scenes_step(void **state)
{
    (void)state;
    static const char *const names[] = {"cantilever",   "donut_drop",     "gummy",
                                        "hanging_beam", "sliding_blocks", "squeezed_ball",
                                        "twisted_bar",  "two_materials"};
    for (int i = 0; i < SN_COUNT(names); ++i) {
        char path[600];
        SinewScene *scene = NULL;
        SinewWorld *world = NULL;
        SinewError error = {.text = ""};
        snprintf(path, sizeof path, SINEW_SCENES_DIR "/%s.yaml", names[i]);
        expect_ok(sinew_scene_load(path, NULL, 0, NULL, &scene, &error), &error);
        expect_ok(sinew_scene_build(scene, NULL, &world, &error), &error);
        SinewSceneSettings settings = sinew_scene_settings(scene);
        SinewStatus status = settings.is_static
                                 ? sinew_world_solve_static(world, 1.0 / settings.load_steps,
                                                            settings.tolerance, &error)
                                 : sinew_world_step(world, settings.dt, &error);
        expect_ok(status, &error);
        for (int p = 0; p < settings.probe_count; ++p) {
            double values[SINEW_REPORT_VALUES_MAX];
            int count = 0;
            expect_ok(sinew_world_read_probe(world, sinew_scene_probe_id(scene, p), values, &count,
                                             &error),
                      &error);
            assert_true(count > 0);
        }
        sinew_world_destroy(world);
        sinew_scene_destroy(scene);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(models_have_the_options_of_the_api),
    cmocka_unit_test(a_scene_is_the_world_made_by_hand),
    cmocka_unit_test(attachments_are_built),
    cmocka_unit_test(hosts_are_heard),
    cmocka_unit_test(defaults_are_those_of_the_api),
    cmocka_unit_test(what_bodies_refuse_has_a_line),
    cmocka_unit_test(each_allocation_fails_once),
    cmocka_unit_test(example_scenes_step),
};
SN_TEST_GROUP(scene_build, tests);

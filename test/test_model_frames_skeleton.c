// Frames at the joints of a skeleton: against frames that are given, with poses and bind matrices,
// bones that weights go along, joints outside, refusals, memory.
#include "support/test.h"

#include "model/frames/weights.h"
#include "support/dropped.h"
#include "support/file_checks.h"
#include "support/frames_bar.h"

#include <math.h>
#include <stdio.h>

static void write_text(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, size, 1, file), 1);
    assert_int_equal(fclose(file), 0);
}

#ifdef SN_GLTF

// Five joints along x, a metre apart, the first at (0, y, z); nodes come last first.
static const char *write_chain(const char *name, double y, double z)
{
    const char *path = sn_test_path(name);
    char text[1024];
    int size =
        snprintf(text, sizeof text,
                 "{\"asset\": {\"version\": \"2.0\"}, \"skins\": [{\"joints\": [4, 3, 2, 1, 0]}], "
                 "\"nodes\": ["
                 "{\"translation\": [1, 0, 0]}, {\"translation\": [1, 0, 0], \"children\": [0]},"
                 "{\"translation\": [1, 0, 0], \"children\": [1]}, {\"translation\": [1, 0, 0], "
                 "\"children\": [2]}, {\"name\": \"root\", \"translation\": [0, %g, %g], "
                 "\"children\": [3]}]}",
                 y, z);
    write_text(path, text, (size_t)size);
    return path;
}

static SinewBodyDef skeleton_bar(const char *path)
{
    SinewBodyDef def = frames_bar_def(SINEW_MODEL_FRAMES, 2, 0.3);
    def.frames.frames = NULL;
    def.frames.frame_count = 0;
    def.frames.skeleton = path;
    return def;
}

static void joints_are_frames(void **state)
{
    (void)state;
    SinewBodyDef given = frames_bar_def(SINEW_MODEL_FRAMES, 2, 0.3);
    SinewBodyDef read = skeleton_bar(write_chain("chain.gltf", 0.5, 0.5));
    double a[6], b[6];
    frames_bar_bend(&given, 450.0, a);
    frames_bar_bend(&read, 450.0, b);
    assert_true(memcmp(a, b, 3 * sizeof *a) == 0);
}

// The pose moves joints as it moves the shape: a box around the origin, and joints there.
static void the_pose_is_that_of_the_body(void **state)
{
    (void)state;
    SinewBodyDef given = frames_bar_def(SINEW_MODEL_FRAMES, 2, 0.3);
    SinewBodyDef read = skeleton_bar(write_chain("low.gltf", -0.5, -0.5));
    double a[6], b[6];
    for (int k = 1; k < 3; ++k) {
        read.shape.min[k] = -1.0;
        read.shape.max[k] = 0.0;
        read.pose.translate[k] = 1.0;
    }
    frames_bar_bend(&given, 450.0, a);
    frames_bar_bend(&read, 450.0, b);
    assert_at_most(frames_bar_error(a, b), 1e-9);
}

// Joints were bound where the inverse bind matrices say, wherever their nodes are now.
static void bind_matrices_count(void **state)
{
    (void)state;
    const char *path = sn_test_path("bound.gltf");
    const char text[] =
        "{\"asset\": {\"version\": \"2.0\"}, \"nodes\": [{\"children\": [1]}, {\"children\": [2]}, "
        "{\"children\": [3]}, {\"children\": [4]}, {}],"
        "\"buffers\": [{\"byteLength\": 320, \"uri\": \"bound.bin\"}],"
        "\"bufferViews\": [{\"buffer\": 0, \"byteLength\": 320}], \"accessors\": [{\"bufferView\": "
        "0,"
        "\"componentType\": 5126, \"count\": 5, \"type\": \"MAT4\"}], \"skins\": [{\"joints\": "
        "[0, 1, 2, 3, 4], \"inverseBindMatrices\": 0}]}";
    float columns[5][16] = {{0}};
    SinewBodyDef given = frames_bar_def(SINEW_MODEL_FRAMES, 2, 0.3), read = skeleton_bar(path);
    double a[6], b[6];
    for (int j = 0; j < 5; ++j) {
        for (int k = 0; k < 16; k += 5) {
            columns[j][k] = 1.0f;
        }
        columns[j][12] = (float)-j;
        columns[j][13] = columns[j][14] = -0.5f;
    }
    write_text(path, text, sizeof text - 1);
    write_text(sn_test_path("bound.bin"), (const char *)columns, sizeof columns);
    frames_bar_bend(&given, 450.0, a);
    frames_bar_bend(&read, 450.0, b);
    assert_at_most(frames_bar_error(a, b), 1e-9);
}

// A root below the body is left out, and the chain that hangs on it stays one.
static void joints_outside_are_left_out(void **state)
{
    (void)state;
    const char *path = sn_test_path("root.gltf");
    const char text[] =
        "{\"asset\": {\"version\": \"2.0\"}, \"skins\": [{\"joints\": [0, 1, 2, 3, 4, 5]}], "
        "\"nodes\": [{\"translation\": [0, -9, 0], \"children\": [1]}, {\"translation\": "
        "[0, 9.5, 0.5], \"children\": [2]}, {\"translation\": [1, 0, 0], \"children\": [3]}, "
        "{\"translation\": [1, 0, 0], \"children\": [4]}, {\"translation\": [1, 0, 0], "
        "\"children\": [5]}, {\"translation\": [1, 0, 0]}]}";
    SinewBodyDef given = frames_bar_def(SINEW_MODEL_FRAMES, 2, 0.3), read = skeleton_bar(path);
    double a[6], b[6];
    write_text(path, text, sizeof text - 1);
    frames_bar_bend(&given, 450.0, a);
    frames_bar_bend(&read, 450.0, b);
    assert_at_most(frames_bar_error(a, b), 1e-9);
}

static void refusals_are_sentences(void **state)
{
    (void)state;
    const char bare[] = "{\"asset\": {\"version\": \"2.0\"}, \"nodes\": [{}]}";
    const char *path = sn_test_path("bare.gltf");
    char many[4096] = "{\"asset\": {\"version\": \"2.0\"}, \"skins\": [{\"joints\": [0";
    SinewBodyDef def = skeleton_bar(path);
    write_text(path, bare, sizeof bare - 1);
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT, "bare.gltf: has no joints, expected a skin");
    def = skeleton_bar(write_chain("away.gltf", 5.0, 5.0));
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT, "none of its 5 joints is in body");
    for (int part = 0; part < 2; ++part) {
        for (int i = 1; i < 65; ++i) {
            size_t size = strlen(many);
            if (part == 0) {
                snprintf(many + size, sizeof many - size, ", %d", i);
            } else {
                snprintf(many + size, sizeof many - size, ", {}");
            }
        }
        strcat(many, part == 0 ? "]}], \"nodes\": [{}" : "]}");
    }
    path = sn_test_path("many.gltf");
    write_text(path, many, strlen(many));
    def = skeleton_bar(path);
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT, "more than 64 of its 65 joints are in body");
    def = skeleton_bar(sn_test_path("nowhere.glb"));
    expect_body_refused(&def, SINEW_ERROR_FILE, "nowhere.glb");
    def = frames_bar_def(SINEW_MODEL_FRAMES, 2, 0.3);
    def.frames.skeleton = path;
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT, "5 frames are given and the skeleton");
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    SinewBodyDef def = skeleton_bar(write_chain("chain.gltf", 0.5, 0.5));
    def.cells[0] = 4;
    def.cells[1] = def.cells[2] = 1;
    assert_true(world_allocations_fail(flying_world, &def) > 50);
}

#else

static void builds_without_gltf_say_so(void **state)
{
    (void)state;
    SinewBodyDef def = frames_bar_def(SINEW_MODEL_FRAMES, 2, 0.3);
    SinewWorld *world = world_make(1);
    SinewBodyId body;
    SinewError error = {0};
    def.frames.frame_count = 0;
    def.frames.skeleton = sn_test_path("bare.gltf");
    write_text(def.frames.skeleton, "{}", 2);
    assert_int_equal(sinew_world_add_body(world, &def, &body, &error), SINEW_ERROR_UNSUPPORTED);
    sinew_world_destroy(world);
}

#endif

// A T of bones: weights of a vertex on a bone are linear between its two ends, whichever frame
// comes first in the list, and of no others.
static void weights_go_along_bones(void **state)
{
    (void)state;
    SnShape shape = {.kind = SN_SHAPE_BOX, .box = {.max = {4.0, 2.0, 1.0}}};
    SnSolidDef solid_def = {
        .shape = &shape, .resolution = 1, .cells = {8, 4, 2}, .pose = sn_affine_identity()};
    SinewMaterial given = sinew_material_default();
    SinewBodyDef options = sinew_body_def_default();
    SnMaterial material;
    SnMaterials materials = {&material, NULL, 0};
    SnSolid *solid = NULL;
    SnModelDef def = {.name = "t", .materials = &materials, .options = &options};
    SnFramesGrid grid = {0};
    SinewError error;
    const double origins[12] = {4, 2, 0.5, 2, 2, 0.5, 0, 2, 0.5, 2, 0, 0.5};
    const int parents[4] = {1, -1, 1, 1};
    double *weights = NULL;
    const double at[3] = {2.0, 0.5, 0.5};
    options.frames.weights = SINEW_FRAME_WEIGHTS_LINEAR;
    expect_done(sn_material_make(&given, "t", &material, &error), &error);
    expect_done(sn_solid_create(&solid_def, NULL, NULL, &solid, &error), &error);
    def.solid = solid;
    SnFramesGridPlace place;
    SnSolidCubes cubes;
    expect_done(sn_frames_grid_begin(&def, &place, &cubes, &error), &error);
    expect_done(sn_frames_grid_create(&def, &place, &cubes, &grid, &error), &error);
    SnWeightsDef weights_def = {&def, &grid, &options.frames, 4, origins, parents, false};
    assert_false(sn_weights_is_chain(&weights_def));
    expect_done(sn_weights_make(&weights_def, &weights, &error), &error);
    const double *row = weights + 4 * sn_frames_grid_nearest(&grid, at);
    assert_at_most(fabs(row[3] - 0.75) + fabs(row[1] - 0.25) + fabs(row[0]) + fabs(row[2]), 1e-12);
    sn_free(NULL, weights);
    sn_frames_grid_release(&grid, NULL);
    sn_solid_destroy(solid);
}

static void parents_are_checked(void **state)
{
    (void)state;
    SinewBodyDef def = frames_bar_def(SINEW_MODEL_FRAMES, 1, 0.3);
    SinewFrame frames[FRAMES_BAR_COUNT];
    SinewWorld *world = world_make(1);
    SinewBodyId body;
    SinewError error = {0};
    memcpy(frames, def.frames.frames, sizeof frames);
    frames[2].parent1 = 3;
    def.frames.frames = frames;
    assert_int_equal(sinew_world_add_body(world, &def, &body, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "parent1 is 3, expected another of the 5 frames"));
    sinew_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
#ifdef SN_GLTF
    cmocka_unit_test_setup_teardown(joints_are_frames, sn_test_folder_make, sn_test_folder_remove),
    cmocka_unit_test_setup_teardown(the_pose_is_that_of_the_body, sn_test_folder_make,
                                    sn_test_folder_remove),
    cmocka_unit_test_setup_teardown(bind_matrices_count, sn_test_folder_make,
                                    sn_test_folder_remove),
    cmocka_unit_test_setup_teardown(joints_outside_are_left_out, sn_test_folder_make,
                                    sn_test_folder_remove),
    cmocka_unit_test_setup_teardown(refusals_are_sentences, sn_test_folder_make,
                                    sn_test_folder_remove),
    cmocka_unit_test_setup_teardown(every_allocation_fails_once, sn_test_folder_make,
                                    sn_test_folder_remove),
#else
    cmocka_unit_test_setup_teardown(builds_without_gltf_say_so, sn_test_folder_make,
                                    sn_test_folder_remove),
#endif
    cmocka_unit_test(weights_go_along_bones),
    cmocka_unit_test(parents_are_checked),
};
SN_TEST_GROUP(model_frames_skeleton, tests);

// Property maps of `frames`: images against regions and smaller boxes, masses, refusals, memory.
#include "support/test.h"

#include "support/dropped.h"
#include "support/file_checks.h"
#include "support/frames_bar.h"

#include <math.h>
#include <stdio.h>

// A NIfTI-1 file of 8 x 2 x 2 floats that cover the bar from (0, 0, 0) to (4, 1, 1), in metres; a
// number for each of the eight halves of a metre along x. Header members are where the format has
// them, in the byte order of this machine.
static const char *write_image(const char *name, const float along[8])
{
    const char *path = sn_test_path(name);
    unsigned char bytes[352 + 32 * 4] = {0};
    const int32_t header = 348;
    const int16_t counts[4] = {3, 8, 2, 2}, floats = 16;
    const float half = 0.5f, quarter = 0.25f, start = 352.0f, one = 1.0f;
    memcpy(bytes, &header, sizeof header);
    memcpy(bytes + 40, counts, sizeof counts);
    memcpy(bytes + 70, &floats, sizeof floats);
    memcpy(bytes + 108, &start, sizeof start);
    memcpy(bytes + 112, &one, sizeof one);
    bytes[123] = 1; // metres
    memcpy(bytes + 344, "n+1", 4);
    for (int k = 0; k < 3; ++k) {
        memcpy(bytes + 80 + 4 * k, &half, sizeof half);
        memcpy(bytes + 268 + 4 * k, &quarter, sizeof quarter);
    }
    for (int i = 0; i < 32; ++i) {
        memcpy(bytes + 352 + 4 * i, &along[i % 8], sizeof *along);
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, sizeof bytes, 1, file), 1);
    assert_int_equal(fclose(file), 0);
    return path;
}

// One half twenty times as stiff, by an image and by a region. Roundings of moduli differ, and
// Newton's method ends at 1e-8.
static void an_image_is_a_region(void **state)
{
    (void)state;
    const float along[8] = {20, 20, 20, 20, 1, 1, 1, 1};
    for (int kind = 0; kind < 2; ++kind) {
        SinewBodyDef mapped = frames_bar_def(SINEW_MODEL_FRAMES, 2, 0.3), cut = mapped;
        SinewMaterialRegion region = {.within = region_box(-1, -1, -1, 2, 2, 2),
                                      .material = mapped.material};
        double a[6], b[6];
        mapped.frames.kind = cut.frames.kind = (SinewFrameKind)kind;
        region.material.young *= 20.0;
        cut.regions = &region;
        cut.region_count = 1;
        mapped.frames.image = write_image("stiff.nii", along);
        frames_bar_bend(&mapped, 450.0, a);
        frames_bar_bend(&cut, 450.0, b);
        assert_true(a[1] < -0.1);
        assert_at_most(frames_bar_error(a, b), 1e-6);
    }
}

static void empty_voxels_are_not_there(void **state)
{
    (void)state;
    const float along[8] = {1, 1, 1, 1, 1, 1, 0, 0};
    SinewBodyDef mapped = frames_bar_def(SINEW_MODEL_FRAMES, 2, 0.3), small = mapped;
    SinewBodyId a, b;
    mapped.frames.frame_count = small.frames.frame_count = 4;
    mapped.frames.image = write_image("part.nii", along);
    small.shape.max[0] = 3.0;
    small.cells[0] = 6;
    SinewWorld *world = frames_bar_world(&mapped, &a);
    SinewWorld *other = frames_bar_world(&small, &b);
    SinewBodyMesh mesh = sinew_body_mesh(world, a), same = sinew_body_mesh(other, b);
    assert_int_equal(mesh.element_count, 24);
    assert_int_equal(mesh.vertex_count, same.vertex_count);
    for (int i = 0; i < 3 * mesh.vertex_count; ++i) {
        assert_at_most(fabs(mesh.rest[i] - same.rest[i]), 1e-12);
    }
    for (int i = 0; i < 8 * mesh.element_count; ++i) {
        assert_int_equal(mesh.elements[i], same.elements[i]);
    }
    assert_at_most(fabs(sinew_body_info(world, a).mass - 3000.0), 1e-9 * 3000.0);
    sinew_world_destroy(world);
    sinew_world_destroy(other);
}

// 1 and 3 times the density: 2 x 1000 + 2 x 3000 kg with the middle at 2.5 m. The velocity of a
// free fall does not know it; the momentum about the origin does.
static void density_is_mapped(void **state)
{
    (void)state;
    const float along[8] = {1, 1, 1, 1, 3, 3, 3, 3};
    for (int springs = 0; springs < 2; ++springs) {
        SinewBodyDef def = frames_bar_def(SINEW_MODEL_FRAMES, 2, 0.3);
        SinewBodyId body;
        double momentum[6];
        def.frames.density_image = write_image("dense.nii", along);
        def.linear_velocity[1] = 1.0;
        def.frames.springs = springs;
        SinewWorld *world = frames_bar_world(&def, &body);
        assert_at_most(fabs(sinew_body_info(world, body).mass - 8000.0), 1e-9 * 8000.0);
        world_read(world, world_probe(world, body, SINEW_REPORT_MOMENTUM), momentum);
        assert_at_most(fabs(momentum[1] - 8000.0), 1e-6);
        assert_at_most(fabs(momentum[5] - 8000.0 * 2.5), 1e-6);
        sinew_world_destroy(world);
    }
}

static void refusals_are_sentences(void **state)
{
    (void)state;
    const float none[8] = {0}, part[8] = {1, 1, 1, 1, 1, 1, 1, 0};
    SinewBodyDef good = frames_bar_def(SINEW_MODEL_FRAMES, 2, 0.3), def = good;
    def.frames.image = write_image("none.nii", none);
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT,
                        "is 0 in all 32 cells, expected some of the body");
    def = good;
    def.frames.density_image = write_image("part.nii", part);
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT,
                        "is 0 around (3.75, 0.25, 0.25), expected more");
    def = good;
    def.frames.image = sn_test_path("nowhere.nii");
    expect_body_refused(&def, SINEW_ERROR_FILE, "nowhere.nii");
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    const float part[8] = {1, 2, 1, 1, 1, 1, 1, 0};
    SinewBodyDef def = frames_bar_def(SINEW_MODEL_FRAMES, 2, 0.3);
    def.frames.frame_count = 2;
    def.frames.image = def.frames.density_image = write_image("part.nii", part);
    assert_true(world_allocations_fail(flying_world, &def) > 50);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(an_image_is_a_region, sn_test_folder_make,
                                    sn_test_folder_remove),
    cmocka_unit_test_setup_teardown(empty_voxels_are_not_there, sn_test_folder_make,
                                    sn_test_folder_remove),
    cmocka_unit_test_setup_teardown(density_is_mapped, sn_test_folder_make, sn_test_folder_remove),
    cmocka_unit_test_setup_teardown(refusals_are_sentences, sn_test_folder_make,
                                    sn_test_folder_remove),
    cmocka_unit_test_setup_teardown(every_allocation_fails_once, sn_test_folder_make,
                                    sn_test_folder_remove),
};
SN_TEST_GROUP(model_frames_maps, tests);

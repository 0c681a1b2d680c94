// Public shapes become the library's own, or are refused by name.
#include "support/fail_allocator.h"
#include "support/test.h"

#include "geometry/shape_def.h"

#include <math.h>

static const SinewShape shapes[7] = {
    {.kind = SINEW_SHAPE_BOX, .min = {-1.0, -1.0, -1.0}, .max = {1.0, 1.0, 1.0}},
    {.kind = SINEW_SHAPE_SPHERE, .radius = 1.0},
    {.kind = SINEW_SHAPE_ELLIPSOID, .radii = {1.0, 2.0, 3.0}},
    {.kind = SINEW_SHAPE_CAPSULE, .to = {0.0, 1.0, 0.0}, .radius = 0.5},
    {.kind = SINEW_SHAPE_CYLINDER, .to = {0.0, 1.0, 0.0}, .radius = 0.5},
    {.kind = SINEW_SHAPE_CONE, .to = {0.0, 1.0, 0.0}, .radius = 0.5, .top = 0.25},
    {.kind = SINEW_SHAPE_TORUS, .axis = {0.0, 1.0, 0.0}, .radius = 1.0, .tube = 0.25},
};

// Distances from (0, 4, 0), by hand.
static void shapes_keep_their_numbers(void **state)
{
    (void)state;
    const double expected[7] = {3.0, 3.0, 2.0, 2.5, 3.0, 3.0, sqrt(17.0) - 0.25};
    const double p[3] = {0.0, 4.0, 0.0};
    for (int i = 0; i < 7; ++i) {
        SnShape shape;
        assert_int_equal(sn_shape_from_def(&shapes[i], "body \"a\"", NULL, &shape, NULL), SINEW_OK);
        assert_int_equal((int)shape.kind, i);
        assert_at_most(fabs(sn_shape_signed(&shape, p) - expected[i]), 1e-15);
        sn_shape_release(&shape, NULL);
    }
    SinewShape blob = {.kind = SINEW_SHAPE_BLOB, .parts = shapes, .part_count = 7, .smooth = 0.0};
    SnShape shape;
    assert_int_equal(sn_shape_from_def(&blob, "body \"a\"", NULL, &shape, NULL), SINEW_OK);
    assert_int_equal(shape.blob.part_count, 7);
    assert_at_most(fabs(sn_shape_signed(&shape, p) - 2.0), 1e-15);
    sn_shape_release(&shape, NULL);
    sn_shape_release(&shape, NULL); // empty by now
}

static void expect_refused(const SinewShape *def, const char *text)
{
    SnShape shape;
    SinewError error;
    assert_int_equal(sn_shape_from_def(def, "body \"a\"", NULL, &shape, &error),
                     SINEW_ERROR_ARGUMENT);
    if (strstr(error.text, text) != error.text) {
        fail_msg("\"%s\" does not begin with \"%s\"", error.text, text);
    }
}

static void bad_shapes_are_refused(void **state)
{
    (void)state;
    expect_refused(&(SinewShape){.kind = SINEW_SHAPE_NONE}, "body \"a\": its shape is not said");
    expect_refused(&(SinewShape){.kind = SINEW_SHAPE_PLANE}, "body \"a\": its shape is a plane");
    expect_refused(&(SinewShape){.kind = SINEW_SHAPE_MESH}, "body \"a\": its shape is a mesh");
    expect_refused(&(SinewShape){.kind = (SinewShapeKind)99},
                   "body \"a\": its shape is of kind 99, expected 1 (box) to 8 (blob)");
    expect_refused(&(SinewShape){.kind = SINEW_SHAPE_SPHERE, .radius = -2.0},
                   "body \"a\": radius of a sphere is -2 m, expected a positive number");
    expect_refused(&(SinewShape){.kind = SINEW_SHAPE_BLOB},
                   "body \"a\": a blob of 0 parts at NULL");
    SinewShape parts[2] = {shapes[1], {.kind = SINEW_SHAPE_BLOB}};
    SinewShape blob = {.kind = SINEW_SHAPE_BLOB, .parts = parts, .part_count = 2};
    expect_refused(&blob, "body \"a\": part 1 is a blob");
    parts[1].kind = SINEW_SHAPE_PLANE;
    expect_refused(&blob, "body \"a\": part 1: its shape is a plane");
    parts[1] = shapes[1];
    parts[1].radius = (double)NAN;
    expect_refused(&blob, "body \"a\": part 1: radius of a sphere is nan m");
    parts[1] = shapes[1];
    blob.smooth = -1.0;
    expect_refused(&blob, "body \"a\": smooth of a blob is -1 m");
}

static SinewStatus make_blob(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SnShape shape;
    SinewStatus status = sn_shape_from_def(context, "body \"a\"", allocator, &shape, error);
    sn_shape_release(&shape, allocator);
    return status;
}

static void blobs_survive_short_memory(void **state)
{
    (void)state;
    SinewShape blob = {.kind = SINEW_SHAPE_BLOB, .parts = shapes, .part_count = 7};
    assert_int_equal(sn_fail_each_allocation(make_blob, &blob), 1);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(shapes_keep_their_numbers),
    cmocka_unit_test(bad_shapes_are_refused),
    cmocka_unit_test(blobs_survive_short_memory),
};
SN_TEST_GROUP(geometry_shape_def, tests);

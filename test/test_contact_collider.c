// Colliders: distances and normals in closed form, against brute force, and in motion.
#include "support/brute.h"
#include "support/fail_allocator.h"
#include "support/shapes.h"
#include "support/test.h"

#include "base/random.h"
#include "contact/collider.h"
#include "geometry/point.h"
#include "geometry/shape_def.h"
#include "world/motion.h"

#include <math.h>

static const SinewShape parts[2] = {
    {.kind = SINEW_SHAPE_SPHERE, .radius = 0.5},
    {.kind = SINEW_SHAPE_BOX, .min = {0.2, 0.2, 0.2}, .max = {0.9, 0.7, 0.8}},
};

static const SinewShape shapes[] = {
    {.kind = SINEW_SHAPE_PLANE, .normal = {1.0, 2.0, -2.0}, .offset = 0.25},
    {.kind = SINEW_SHAPE_BOX, .min = {-1.0, 0.5, 2.0}, .max = {1.0, 1.25, 2.5}},
    {.kind = SINEW_SHAPE_SPHERE, .center = {0.5, -1.0, 2.0}, .radius = 0.75},
    {.kind = SINEW_SHAPE_ELLIPSOID, .center = {0.1, 0.2, 0.3}, .radii = {1.0, 0.6, 0.4}},
    {.kind = SINEW_SHAPE_CAPSULE, .to = {0.6, 0.8, 0.5}, .radius = 0.3},
    {.kind = SINEW_SHAPE_CYLINDER, .from = {0.0, 1.0, 0.0}, .to = {1.0, 0.2, 0.3}, .radius = 0.5},
    {.kind = SINEW_SHAPE_CONE, .to = {0.2, 1.2, -0.4}, .radius = 0.6},
    {.kind = SINEW_SHAPE_TORUS, .axis = {1.0, 1.0, 0.0}, .radius = 0.7, .tube = 0.2},
    {.kind = SINEW_SHAPE_BLOB, .parts = parts, .part_count = 2, .smooth = 0.1},
};

static SnCollider *make(const SinewShape *shape, const SnSurface *surface)
{
    SnCollider *collider = NULL;
    SinewError error;
    if (sn_collider_create(shape, surface, 0.5, NULL, NULL, "collider 0", &collider, &error) !=
        SINEW_OK) {
        fail_msg("%s", error.text);
    }
    assert_true(sn_collider_friction(collider) == 0.5);
    return collider;
}

static void expect(const SnCollider *collider, double x, double y, double z, double distance,
                   double nx, double ny, double nz)
{
    const double expected[3] = {nx, ny, nz};
    double normal[3];
    double found = sn_collider_query(collider, (double[3]){x, y, z}, normal);
    assert_at_most(fabs(found - distance), 1e-15);
    for (int k = 0; k < 3; ++k) {
        assert_at_most(fabs(normal[k] - expected[k]), 1e-15);
    }
}

static void simple_ones_by_hand(void **state)
{
    (void)state;
    SnCollider *plane = make(
        &(SinewShape){.kind = SINEW_SHAPE_PLANE, .normal = {0.0, 5.0, 0.0}, .offset = 0.5}, NULL);
    expect(plane, 7.0, 2.0, -3.0, 1.5, 0.0, 1.0, 0.0);
    expect(plane, 7.0, 0.25, -3.0, -0.25, 0.0, 1.0, 0.0);
    sn_collider_destroy(plane);

    SnCollider *ball = make(
        &(SinewShape){.kind = SINEW_SHAPE_SPHERE, .center = {1.0, 0.0, 0.0}, .radius = 2.0}, NULL);
    expect(ball, 1.0, 3.0, 4.0, 3.0, 0.0, 0.6, 0.8);
    expect(ball, 0.5, 0.0, 0.0, -1.5, -1.0, 0.0, 0.0);
    expect(ball, 1.0, 0.0, 0.0, -2.0, 0.0, 1.0, 0.0); // the middle: some direction
    sn_collider_destroy(ball);

    SnCollider *box = make(&(SinewShape){.kind = SINEW_SHAPE_BOX, .max = {4.0, 2.0, 2.0}}, NULL);
    expect(box, 5.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0);
    expect(box, -3.0, 6.0, 1.0, 5.0, -0.6, 0.8, 0.0);
    expect(box, 0.25, 1.0, 1.0, -0.25, -1.0, 0.0, 0.0);
    expect(box, 2.0, 1.0, 1.75, -0.25, 0.0, 0.0, 1.0);
    expect(box, 4.0, 2.0, 2.0, 0.0, 1.0, 0.0, 0.0);  // a corner: the first face
    expect(box, 2.0, 1.0, 1.0, -1.0, 0.0, 1.0, 0.0); // four faces as near: the first
    sn_collider_destroy(box);

    SnCollider *capsule = make(
        &(SinewShape){.kind = SINEW_SHAPE_CAPSULE, .to = {2.0, 0.0, 0.0}, .radius = 0.5}, NULL);
    expect(capsule, 1.0, 3.0, 4.0, 4.5, 0.0, 0.6, 0.8);
    expect(capsule, 5.0, 4.0, 0.0, 4.5, 0.6, 0.8, 0.0);
    expect(capsule, 1.0, 0.25, 0.0, -0.25, 0.0, 1.0, 0.0);
    double normal[3];
    assert_true(sn_collider_query(capsule, (double[3]){1.0, 0.0, 0.0}, normal) == -0.5);
    assert_true(normal[0] == 0.0);
    assert_at_most(fabs(sn_point_length(normal) - 1.0), 1e-15);
    sn_collider_destroy(capsule);
}

// Following the normal back by the distance leads onto the surface.
static void normals_lead_to_the_surface(void **state)
{
    (void)state;
    SnRandom random = {11};
    for (int s = 0; s < SN_COUNT(shapes); ++s) {
        SnCollider *collider = make(&shapes[s], NULL);
        int arrived = 0;
        for (int n = 0; n < 2000; ++n) {
            double x[3], y[3], normal[3], other[3];
            for (int k = 0; k < 3; ++k) {
                x[k] = sn_random_between(&random, -1.5, k == 2 ? 3.0 : 1.5);
            }
            double distance = sn_collider_query(collider, x, normal);
            assert_at_most(fabs(sn_point_length(normal) - 1.0), 1e-14);
            sn_point_along(x, -distance, normal, y);
            // Central differences are right to 1e-9, but for points on creases.
            arrived += fabs(sn_collider_query(collider, y, other)) <= 1e-8;
            double depth = sn_collider_depth(collider, x, other);
            assert_true(depth == (distance < 0.0 ? -distance : 0.0));
            assert_true(depth == 0.0 || memcmp(other, normal, sizeof normal) == 0);
        }
        // Creases are rare. A blob's distance is only a bound.
        bool is_smooth =
            shapes[s].kind == SINEW_SHAPE_PLANE || shapes[s].kind == SINEW_SHAPE_SPHERE;
        assert_true(shapes[s].kind == SINEW_SHAPE_BLOB || arrived >= (is_smooth ? 2000 : 1990));
        sn_collider_destroy(collider);
    }
}

// Distances are those of the shapes.
static void distances_are_those_of_shapes(void **state)
{
    (void)state;
    SnRandom random = {12};
    for (int s = 1; s < SN_COUNT(shapes); ++s) {
        SnCollider *collider = make(&shapes[s], NULL);
        SnShape shape;
        assert_int_equal(sn_shape_from_def(&shapes[s], "s", NULL, &shape, NULL), SINEW_OK);
        for (int n = 0; n < 1000; ++n) {
            double x[3], normal[3];
            for (int k = 0; k < 3; ++k) {
                x[k] = sn_random_between(&random, -2.0, 3.0);
            }
            double distance = sn_collider_query(collider, x, normal);
            assert_at_most(fabs(distance - sn_shape_signed(&shape, x)), 1e-15);
        }
        sn_shape_release(&shape, NULL);
        sn_collider_destroy(collider);
    }
}

static double brute_force(const SnSurface *surface, const double x[3])
{
    double least = INFINITY;
    for (int t = 0; t < surface->triangle_count; ++t) {
        double corners[9];
        for (int c = 0; c < 9; ++c) {
            corners[c] = surface->positions[3 * surface->triangles[3 * t + c / 3] + c % 3];
        }
        least = fmin(least, sn_test_triangle_distance(corners, x));
    }
    return least;
}

static void meshes_agree_with_brute_force(void **state)
{
    (void)state;
    SnSurface *surface = sn_test_torus(24);
    SnCollider *collider = make(&(SinewShape){.kind = SINEW_SHAPE_MESH}, surface);
    SnRandom random = {13};
    int inside = 0;
    for (int n = 0; n < 3000; ++n) {
        double x[3], normal[3], y[3];
        for (int k = 0; k < 3; ++k) {
            x[k] = sn_random_between(&random, -1.5, 1.5) * (k == 2 ? 0.4 : 1.0);
        }
        double distance = sn_collider_query(collider, x, normal);
        assert_at_most(fabs(fabs(distance) - brute_force(surface, x)), 1e-15);
        // The chords of 24 rings lie inside the torus by less than 0.02.
        double truth = sn_test_torus_distance(NULL, x);
        if (fabs(truth) > 0.02) {
            assert_true((truth < 0.0) == (distance < 0.0));
        }
        inside += distance < 0.0;
        double other[3] = {0.0, 0.0, 0.0};
        double depth = sn_collider_depth(collider, x, other);
        assert_true(depth == (distance < 0.0 ? -distance : 0.0));
        assert_true(depth == 0.0 || memcmp(other, normal, sizeof normal) == 0);
        sn_point_along(x, -distance, normal, y);
        assert_at_most(brute_force(surface, y), 1e-14);
    }
    assert_true(inside > 300);
    // On a triangle itself: its own normal, outward.
    const int *v = surface->triangles + 3 * 100;
    double middle[3], normal[3], out[3];
    for (int k = 0; k < 3; ++k) {
        middle[k] = (surface->positions[3 * v[0] + k] + surface->positions[3 * v[1] + k] +
                     surface->positions[3 * v[2] + k]) /
                    3.0;
    }
    assert_at_most(fabs(sn_collider_query(collider, middle, normal)), 1e-15);
    sn_point_along(middle, 0.01, normal, out);
    assert_at_most(fabs(sn_collider_query(collider, out, normal) - 0.01), 1e-14);
    assert_true(sn_collider_depth(collider, (double[3]){(double)NAN, 0.0, 0.0}, normal) == 0.0);
    sn_collider_destroy(collider);
    sn_surface_destroy(surface, NULL);
}

static void moving_ones_answer_at_the_end_of_the_step(void **state)
{
    (void)state;
    SinewKey keys[2] = {{.t = 0.0, .axis = {1.0, 2.0, 3.0}, .degrees = 20.0},
                        {.t = 1.0,
                         .axis = {1.0, 2.0, 3.0},
                         .degrees = 75.0,
                         .translate = {0.3, 0.2, -0.7},
                         .about = {0.1, 0.0, 0.5}}};
    SnAffine from = sn_motion_at(keys, 2, 0.0);
    SnAffine to = sn_motion_at(keys, 2, 1.0);
    SnRandom random = {14};
    SnSurface *surface = sn_test_sphere(12);
    for (int s = 0; s <= SN_COUNT(shapes); ++s) {
        SinewShape mesh = {.kind = SINEW_SHAPE_MESH};
        const SinewShape *shape = s < SN_COUNT(shapes) ? &shapes[s] : &mesh;
        SnCollider *still = make(shape, surface);
        SnCollider *moved = make(shape, surface);
        sn_collider_move(moved, &from, &to);
        for (int n = 0; n < 100; ++n) {
            double x[3], y[3], at_start[3], carried[3], a[3], b[3];
            for (int k = 0; k < 3; ++k) {
                x[k] = sn_random_between(&random, -1.5, 1.5);
            }
            sn_affine_apply(&to, x, y);
            double expected = sn_collider_query(still, x, a);
            double found = sn_collider_query(moved, y, b);
            // A few roundings of the map and back; normals of differences lose ten digits.
            assert_at_most(fabs(found - expected), 1e-14);
            for (int r = 0; r < 3 && fabs(expected) > 1e-3; ++r) {
                double turned =
                    to.m[4 * r] * a[0] + to.m[4 * r + 1] * a[1] + to.m[4 * r + 2] * a[2];
                assert_at_most(fabs(b[r] - turned), 1e-8);
            }
            sn_affine_apply(&from, x, at_start);
            sn_collider_carry(moved, at_start, carried);
            assert_at_most(sn_point_distance_squared(carried, y), 1e-29);
            double ahead[3], turned[3];
            sn_point_along(at_start, 1.0, a, ahead);
            sn_collider_carry(moved, ahead, ahead);
            sn_collider_turn(moved, a, turned);
            sn_point_along(carried, 1.0, turned, turned);
            assert_at_most(sn_point_distance_squared(ahead, turned), 1e-29);
            sn_collider_turn(still, a, turned);
            assert_memory_equal(turned, a, sizeof a);
            sn_collider_carry(still, x, carried);
            assert_memory_equal(carried, x, sizeof x);
        }
        // Turned but standing still: nothing creeps, not by a bit.
        double x[3] = {0.1, 0.2, 0.3}, carried[3];
        sn_collider_move(moved, &to, &to);
        sn_collider_carry(moved, x, carried);
        assert_memory_equal(carried, x, sizeof x);
        sn_collider_destroy(moved);
        sn_collider_destroy(still);
    }
    sn_surface_destroy(surface, NULL);
}

static void expect_refused(const SinewShape *shape, const SnSurface *surface, double friction,
                           const char *text)
{
    SnCollider *collider = NULL;
    SinewError error;
    assert_int_equal(
        sn_collider_create(shape, surface, friction, NULL, NULL, "collider 3", &collider, &error),
        SINEW_ERROR_ARGUMENT);
    assert_null(collider);
    if (strstr(error.text, text) != error.text) {
        fail_msg("\"%s\" does not begin with \"%s\"", error.text, text);
    }
}

static void bad_colliders_are_refused(void **state)
{
    (void)state;
    const double nan = (double)NAN;
    SnSurface *surface = sn_test_sphere(4);
    SinewShape mesh = {.kind = SINEW_SHAPE_MESH};
    expect_refused(&shapes[0], NULL, -0.5,
                   "collider 3: friction is -0.5, expected zero or a positive number");
    expect_refused(&shapes[0], NULL, nan, "collider 3: friction is nan");
    expect_refused(&(SinewShape){.kind = SINEW_SHAPE_NONE}, NULL, 0.0,
                   "collider 3: its shape is not said");
    expect_refused(&(SinewShape){.kind = (SinewShapeKind)50}, NULL, 0.0,
                   "collider 3: its shape is of kind 50");
    expect_refused(&(SinewShape){.kind = SINEW_SHAPE_PLANE}, NULL, 0.0,
                   "collider 3: the normal of its plane is [0, 0, 0]");
    expect_refused(&(SinewShape){.kind = SINEW_SHAPE_PLANE, .normal = {0.0, nan, 0.0}}, NULL, 0.0,
                   "collider 3: the normal of its plane is [0, nan, 0]");
    expect_refused(
        &(SinewShape){.kind = SINEW_SHAPE_PLANE, .normal = {0.0, 1.0, 0.0}, .offset = nan}, NULL,
        0.0, "collider 3: the offset of its plane is nan m");
    expect_refused(&(SinewShape){.kind = SINEW_SHAPE_SPHERE}, NULL, 0.0,
                   "collider 3: radius of a sphere is 0 m");
    expect_refused(&mesh, NULL, 0.0, "collider 3: its mesh has no surface");
    surface->triangles[5] = 1000;
    expect_refused(&mesh, surface, 0.0, "collider 3: triangle 1 has vertex 1000");
    surface->triangle_count = 0;
    expect_refused(&mesh, surface, 0.0, "collider 3: the surface has 0 triangles");
    sn_surface_destroy(surface, NULL);
}

typedef struct Making {
    SinewShape shape;
    SnSurface *surface;
} Making;

static SinewStatus make_one(const SinewAllocator *allocator, void *context, SinewError *error)
{
    const Making *making = context;
    SnCollider *collider = NULL;
    SinewStatus status = sn_collider_create(&making->shape, making->surface, 0.5, NULL, allocator,
                                            "collider 0", &collider, error);
    sn_collider_destroy(collider);
    return status;
}

static void colliders_survive_short_memory(void **state)
{
    (void)state;
    Making making = {.shape = {.kind = SINEW_SHAPE_MESH}, .surface = sn_test_sphere(5)};
    assert_true(sn_fail_each_allocation(make_one, &making) > 10);
    making.shape = shapes[8];
    assert_int_equal(sn_fail_each_allocation(make_one, &making), 2);
    sn_surface_destroy(making.surface, NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(simple_ones_by_hand),
    cmocka_unit_test(normals_lead_to_the_surface),
    cmocka_unit_test(distances_are_those_of_shapes),
    cmocka_unit_test(meshes_agree_with_brute_force),
    cmocka_unit_test(moving_ones_answer_at_the_end_of_the_step),
    cmocka_unit_test(bad_colliders_are_refused),
    cmocka_unit_test(colliders_survive_short_memory),
};
SN_TEST_GROUP(contact_collider, tests);

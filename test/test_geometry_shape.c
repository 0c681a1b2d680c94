#include "support/closed.h"
#include "support/fail_allocator.h"
#include "support/test.h"

#include "base/random.h"
#include "geometry/distance.h"
#include "geometry/point.h"
#include "geometry/shape.h"
#include "math/angle.h"

#include <math.h>

static const SnShape simple[] = {
    {.kind = SN_SHAPE_BOX, .box = {{-1.0, 0.5, 2.0}, {1.0, 1.25, 2.5}}},
    {.kind = SN_SHAPE_SPHERE, .sphere = {{0.5, -1.0, 2.0}, 0.75}},
    {.kind = SN_SHAPE_ELLIPSOID, .ellipsoid = {{0.1, 0.2, 0.3}, {1.0, 0.6, 0.4}}},
    {.kind = SN_SHAPE_CAPSULE, .capsule = {{0.0, 0.0, 0.0}, {0.6, 0.8, 0.5}, 0.3}},
    {.kind = SN_SHAPE_CYLINDER, .cylinder = {{0.0, 1.0, 0.0}, {1.0, 0.2, 0.3}, 0.5}},
    {.kind = SN_SHAPE_CONE, .cone = {{0.0, 0.0, 0.0}, {0.2, 1.2, -0.4}, 0.6, 0.0}},
    {.kind = SN_SHAPE_CONE, .cone = {{0.0, 0.0, 0.0}, {0.9, 0.1, 0.0}, 0.3, 0.5}},
    {.kind = SN_SHAPE_TORUS, .torus = {{0.0, 0.5, 0.0}, {1.0, 1.0, 0.0}, 0.7, 0.2}},
};

static SnSurface *make_surface(const SnShape *shape, int resolution, SnWorkers *workers)
{
    SnSurface *surface = NULL;
    SinewError error;
    if (sn_shape_surface(shape, resolution, workers, NULL, &surface, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    return surface;
}

static void random_around(SnRandom *random, const SnBox *box, double margin, double out[3])
{
    for (int k = 0; k < 3; ++k) {
        out[k] = sn_random_between(random, box->min[k] - margin, box->max[k] + margin);
    }
}

static double longest_side(const SnBox *box)
{
    return fmax(box->max[0] - box->min[0],
                fmax(box->max[1] - box->min[1], box->max[2] - box->min[2]));
}

// Area and volume in closed form; the ellipsoid's area is left out.
static void exact_sizes(const SnShape *s, double *out_area, double *out_volume)
{
    double r, h, t;
    const double *e = s->ellipsoid.radii;
    switch (s->kind) {
    case SN_SHAPE_BOX:
        *out_area = 2.0 * (2.0 * 0.75 + 0.75 * 0.5 + 0.5 * 2.0);
        *out_volume = 2.0 * 0.75 * 0.5;
        break;
    case SN_SHAPE_SPHERE:
        r = s->sphere.radius;
        *out_area = 4.0 * SN_PI * r * r;
        *out_volume = 4.0 / 3.0 * SN_PI * r * r * r;
        break;
    case SN_SHAPE_ELLIPSOID:
        *out_area = NAN;
        *out_volume = 4.0 / 3.0 * SN_PI * e[0] * e[1] * e[2];
        break;
    case SN_SHAPE_CAPSULE:
        r = s->capsule.radius;
        h = sqrt(sn_point_distance_squared(s->capsule.from, s->capsule.to));
        *out_area = 2.0 * SN_PI * r * (2.0 * r + h);
        *out_volume = SN_PI * r * r * (4.0 / 3.0 * r + h);
        break;
    case SN_SHAPE_CYLINDER:
        r = s->cylinder.radius;
        h = sqrt(sn_point_distance_squared(s->cylinder.from, s->cylinder.to));
        *out_area = 2.0 * SN_PI * r * (r + h);
        *out_volume = SN_PI * r * r * h;
        break;
    case SN_SHAPE_CONE:
        r = s->cone.radius;
        t = s->cone.top;
        h = sqrt(sn_point_distance_squared(s->cone.from, s->cone.to));
        *out_area = SN_PI * (r * r + t * t + (r + t) * sqrt(h * h + (r - t) * (r - t)));
        *out_volume = SN_PI / 3.0 * h * (r * r + r * t + t * t);
        break;
    default:
        r = s->torus.radius;
        t = s->torus.tube;
        *out_area = 4.0 * SN_PI * SN_PI * r * t;
        *out_volume = 2.0 * SN_PI * SN_PI * r * t * t;
    }
}

static void surfaces_are_closed_with_the_right_size(void **state)
{
    (void)state;
    for (int s = 0; s < SN_COUNT(simple); ++s) {
        double area, volume;
        exact_sizes(&simple[s], &area, &volume);
        SnBox box = sn_shape_bounds(&simple[s]);
        for (int resolution = 1; resolution <= 64; resolution *= 4) {
            SnSurface *surface = make_surface(&simple[s], resolution, NULL);
            SnTestClosed closed = sn_test_closed(surface);
            assert_int_equal(closed.bad_edges, 0);
            assert_int_equal(closed.euler, simple[s].kind == SN_SHAPE_TORUS ? 0 : 2);
            assert_string_equal(surface->names.text[0], sn_shape_name(simple[s].kind));
            assert_true(closed.volume > 0.0);
            for (int v = 0; v < surface->vertex_count; ++v) {
                const double *x = surface->positions + 3 * v;
                // Coordinates of size 3 and a few roundings; the ellipsoid's 1e-12.
                assert_at_most(fabs(sn_shape_signed(&simple[s], x)), 4e-12);
                assert_at_most(sqrt(sn_box_distance_squared(&box, x)), 4e-15);
            }
            if (resolution == 64) {
                printf("%s: %d triangles, area %.5f, volume %.5f, least angle %.1f\n",
                       sn_shape_name(simple[s].kind), surface->triangle_count, closed.area / area,
                       closed.volume / volume, closed.least_angle);
                // Chords of a circle of radius r miss h^2 / 6 r^2 of its area; the torus' tube, of
                // five edges radius, is the finest.
                assert_at_most(fabs(closed.volume / volume - 1.0), 0.02);
                assert_true(isnan(area) || fabs(closed.area / area - 1.0) < 0.02);
                assert_true(closed.least_angle > 15.0);
                double edge = longest_side(&box) / 64;
                assert_true(closed.mean_edge > 0.7 * edge && closed.mean_edge < 1.4 * edge);
            }
            sn_surface_destroy(surface, NULL);
        }
    }
}

static void boxes_have_vertices_exactly_on_their_corners(void **state)
{
    (void)state;
    SnSurface *surface = make_surface(&simple[0], 8, NULL);
    int corners = 0;
    for (int v = 0; v < surface->vertex_count; ++v) {
        const double *x = surface->positions + 3 * v;
        const SnBox *box = &simple[0].box;
        int on = 0;
        for (int k = 0; k < 3; ++k) {
            on += x[k] == box->min[k] || x[k] == box->max[k];
        }
        assert_true(on >= 1);
        corners += on == 3;
    }
    assert_int_equal(corners, 8);
    // 8 x 3 x 2 squares.
    assert_int_equal(surface->triangle_count, 4 * (8 * 3 + 3 * 2 + 2 * 8));
    SnTestClosed closed = sn_test_closed(surface);
    assert_at_most(fabs(closed.volume - 0.75), 1e-14);
    assert_at_most(fabs(closed.area - 5.75), 1e-14);
    sn_surface_destroy(surface, NULL);
}

// Every signed distance against the distance to a fine surface of the same shape.
static void distances_agree_with_fine_surfaces(void **state)
{
    (void)state;
    SnRandom random = {14};
    for (int s = 0; s < SN_COUNT(simple); ++s) {
        SnSurface *surface = make_surface(&simple[s], 100, NULL);
        SnSoup soup = sn_soup_of(surface);
        SnDistance *distance = NULL;
        assert_int_equal(sn_distance_create(&soup, NULL, &distance, NULL), SINEW_OK);
        SnBox box = sn_shape_bounds(&simple[s]);
        double edge = longest_side(&box) / 100;
        for (int i = 0; i < sn_test_share(2000); ++i) {
            double p[3];
            random_around(&random, &box, 0.5, p);
            double exact = sn_shape_signed(&simple[s], p);
            // A chord of length c sags by c^2 / 8 r. Diagonals are the longest, c^2 = 2 edge^2, and
            // the pressed sphere's strongest curvature, 1 / 0.16, the smallest r; twice that for
            // edges that come out longer, as rings are cut into whole pieces.
            double bound = 4.0 * edge * edge / (8.0 * 0.16);
            // The ring next to a cone's tip is a hexagon with a radius of about half an edge.
            bound += simple[s].kind == SN_SHAPE_CONE ? 0.5 * edge * (1.0 - cos(SN_PI / 6)) : 0.0;
            assert_at_most(fabs(sn_distance_signed(distance, p) - exact), bound);
        }
        sn_distance_destroy(distance);
        sn_surface_destroy(surface, NULL);
    }
}

// The ellipsoid where Newton's start is on a pole: on its axes, in its planes, at its middle.
static void ellipsoids_are_right_on_their_axes(void **state)
{
    (void)state;
    const SnShape e = {.kind = SN_SHAPE_ELLIPSOID, .ellipsoid = {{0, 0, 0}, {2.0, 1.0, 0.5}}};
    const double cases[][4] = {{0, 0, 0, -0.5},   {3, 0, 0, 1},       {0, 3, 0, 2},
                               {0, 0, -3, 2.5},   {2, 0, 0, 0},       {0, 0.9, 0, 0},
                               {0, 0, 0.1, -0.4}, {1.99, 0, 0, -0.01}};
    for (int c = 0; c < SN_COUNT(cases); ++c) {
        double got = sn_shape_signed(&e, cases[c]);
        if (c == 5) {
            // Inside the plane x = 0, beyond the centre of curvature at 0.75: the tip is nearest.
            assert_at_most(fabs(got + 0.1), 1e-11);
        } else {
            assert_at_most(fabs(got - cases[c][3]), 1e-11);
        }
    }
    // Between the middle and the centre of curvature, 2 - 0.25 / 2, the nearest points are off the
    // axis: x = 4 y / (4 - 0.25), and the ellipse gives z.
    const double p[3] = {1.5, 0.0, 0.0};
    double x = 4.0 * 1.5 / 3.75;
    double z = 0.5 * sqrt(1.0 - x * x / 4.0);
    assert_at_most(fabs(sn_shape_signed(&e, p) + sqrt((x - 1.5) * (x - 1.5) + z * z)), 1e-11);
}

static const SnShape person_parts[] = {
    {.kind = SN_SHAPE_ELLIPSOID, .ellipsoid = {{0.0, 1.0, 0.0}, {0.28, 0.4, 0.2}}},
    {.kind = SN_SHAPE_SPHERE, .sphere = {{0.0, 1.62, 0.0}, 0.2}},
    {.kind = SN_SHAPE_CAPSULE, .capsule = {{0.2, 1.2, 0.0}, {0.7, 0.9, 0.1}, 0.08}},
    {.kind = SN_SHAPE_CAPSULE, .capsule = {{-0.2, 1.2, 0.0}, {-0.7, 0.9, 0.1}, 0.08}},
    {.kind = SN_SHAPE_CAPSULE, .capsule = {{0.13, 0.8, 0.0}, {0.2, 0.1, 0.0}, 0.1}},
    {.kind = SN_SHAPE_CAPSULE, .capsule = {{-0.13, 0.8, 0.0}, {-0.2, 0.1, 0.0}, 0.1}},
};

static const SnShape person = {
    .kind = SN_SHAPE_BLOB,
    .blob = {.parts = person_parts, .part_count = SN_COUNT(person_parts), .smooth = 0.12}};

static void distances_never_change_faster_than_space(void **state)
{
    (void)state;
    SnRandom random = {15};
    for (int s = 0; s <= SN_COUNT(simple); ++s) {
        const SnShape *shape = s < SN_COUNT(simple) ? &simple[s] : &person;
        SnBox box = sn_shape_bounds(shape);
        for (int i = 0; i < sn_test_share(3000); ++i) {
            double a[3], b[3];
            random_around(&random, &box, 0.3, a);
            random_around(&random, &box, 0.3, b);
            sn_point_minus(b, a, b);
            sn_point_along(a, i % 2 == 0 ? 0.01 : 1.0, b, b);
            double change = sn_shape_signed(shape, a) - sn_shape_signed(shape, b);
            assert_at_most(fabs(change), sqrt(sn_point_distance_squared(a, b)) + 4e-12);
        }
    }
}

static void blobs_are_closed_even_and_smooth(void **state)
{
    (void)state;
    const int resolutions[] = {8, 24, 40, 60};
    for (int r = 0; r < SN_COUNT(resolutions); ++r) {
        SnSurface *surface = make_surface(&person, resolutions[r], NULL);
        SnTestClosed closed = sn_test_closed(surface);
        assert_int_equal(closed.bad_edges, 0);
        assert_true(closed.volume > 0.0);
        SnBox box = sn_shape_bounds(&person);
        double edge = longest_side(&box) / resolutions[r];
        double worst = 0.0;
        for (int v = 0; v < surface->vertex_count; ++v) {
            worst = fmax(worst, fabs(sn_shape_signed(&person, surface->positions + 3 * v)));
        }
        printf("blob at %d: %d triangles, euler %d, least angle %.1f, %.4f below 25, "
               "edge %.2f, off by %.1e edges\n",
               resolutions[r], surface->triangle_count, closed.euler, closed.least_angle,
               closed.share_below_25, closed.mean_edge / edge, worst / edge);
        if (r > 0) { // cells of 0.22 m cannot tell an arm of 0.16 m
            assert_int_equal(closed.euler, 2);
            // As shape.h states; Newton's steps leave nothing where the blob is smooth.
            assert_at_most(worst, 1e-9 * edge);
            assert_true(closed.mean_edge > 0.38 * edge && closed.mean_edge < 0.46 * edge);
            // What is measured, and some room for another compiler's last bits.
            assert_true(closed.least_angle > 25.0);
        }
        sn_surface_destroy(surface, NULL);
    }
}

static void blobs_of_one_part_are_that_part(void **state)
{
    (void)state;
    SnShape blob = {.kind = SN_SHAPE_BLOB, .blob = {.part_count = 1, .smooth = 0.3}};
    for (int s = 0; s < SN_COUNT(simple); ++s) {
        blob.blob.parts = &simple[s];
        double area, volume;
        exact_sizes(&simple[s], &area, &volume);
        SnSurface *surface = make_surface(&blob, 40, NULL);
        SnTestClosed closed = sn_test_closed(surface);
        assert_int_equal(closed.bad_edges, 0);
        assert_int_equal(closed.euler, simple[s].kind == SN_SHAPE_TORUS ? 0 : 2);
        // Edges of the shape are cut off over an edge of the mesh, a fortieth.
        printf("blob of a %s: volume %.4f\n", sn_shape_name(simple[s].kind),
               closed.volume / volume);
        assert_at_most(fabs(closed.volume / volume - 1.0), 0.03);
        sn_surface_destroy(surface, NULL);
    }
}

static void blobs_melt_and_stay_apart(void **state)
{
    (void)state;
    SnShape parts[2] = {{.kind = SN_SHAPE_SPHERE, .sphere = {{-1.0, 0.0, 0.0}, 0.9}},
                        {.kind = SN_SHAPE_SPHERE, .sphere = {{1.0, 0.0, 0.0}, 0.9}}};
    SnShape blob = {.kind = SN_SHAPE_BLOB, .blob = {.parts = parts, .part_count = 2}};
    const double middle[3] = {0.0, 0.0, 0.0};
    SnSurface *apart = make_surface(&blob, 30, NULL);
    assert_int_equal(sn_test_closed(apart).euler, 4); // two spheres
    assert_at_most(fabs(sn_shape_signed(&blob, middle) - 0.1), 1e-15);
    sn_surface_destroy(apart, NULL);
    blob.blob.smooth = 1.0;
    SnSurface *joined = make_surface(&blob, 30, NULL);
    assert_int_equal(sn_test_closed(joined).euler, 2);
    // 0.1 - smooth / 4.
    assert_at_most(fabs(sn_shape_signed(&blob, middle) + 0.15), 1e-15);
    sn_surface_destroy(joined, NULL);
}

static void the_same_bits_for_any_number_of_workers(void **state)
{
    (void)state;
    SnSurface *alone = make_surface(&person, 24, NULL);
    const int counts[] = {1, 2, 3, 8};
    for (int c = 0; c < SN_COUNT(counts); ++c) {
        SnWorkers *workers = NULL;
        assert_int_equal(sn_workers_create(NULL, NULL, counts[c], &workers, NULL), SINEW_OK);
        SnSurface *surface = make_surface(&person, 24, workers);
        assert_int_equal(surface->vertex_count, alone->vertex_count);
        assert_memory_equal(surface->positions, alone->positions,
                            3 * (size_t)alone->vertex_count * sizeof(double));
        assert_memory_equal(surface->triangles, alone->triangles,
                            3 * (size_t)alone->triangle_count * sizeof(int));
        sn_surface_destroy(surface, NULL);
        sn_workers_destroy(workers);
    }
    sn_surface_destroy(alone, NULL);
}

static void wrong_shapes_are_refused(void **state)
{
    (void)state;
    const SnShape inner = {.kind = SN_SHAPE_BLOB, .blob = {simple, 1, 0.0}};
    const SnShape bad_part = {.kind = SN_SHAPE_SPHERE, .sphere = {{0}, -2.0}};
    const struct {
        SnShape shape;
        const char *text;
    } cases[] = {
        {{.kind = SN_SHAPE_BOX, .box = {{0, 0, 0}, {1, 0, 1}}}, "from 0 to 0 along y"},
        {{.kind = SN_SHAPE_BOX, .box = {{0, NAN, 0}, {1, 1, 1}}}, "min of a box"},
        {{.kind = SN_SHAPE_SPHERE, .sphere = {{0}, 0.0}}, "radius of a sphere is 0 m"},
        {{.kind = SN_SHAPE_SPHERE, .sphere = {{0}, NAN}}, "radius of a sphere"},
        {{.kind = SN_SHAPE_SPHERE, .sphere = {{INFINITY}, 1.0}}, "center of a sphere"},
        {{.kind = SN_SHAPE_ELLIPSOID, .ellipsoid = {{0}, {1, -1, 1}}}, "radius of a ellipsoid"},
        {{.kind = SN_SHAPE_CAPSULE, .capsule = {{0}, {0}, -1.0}}, "radius of a capsule is -1"},
        {{.kind = SN_SHAPE_CYLINDER, .cylinder = {{1}, {1}, 1.0}}, "the same point"},
        {{.kind = SN_SHAPE_CONE, .cone = {{0}, {1}, 1.0, -1.0}}, "top of a cone is -1"},
        {{.kind = SN_SHAPE_TORUS, .torus = {{0}, {0}, 1.0, 1.0}}, "less than its radius of 1 m"},
        {{.kind = SN_SHAPE_BLOB}, "0 parts"},
        {{.kind = SN_SHAPE_BLOB, .blob = {simple, 1, NAN}}, "smooth of a blob"},
        {{.kind = SN_SHAPE_BLOB, .blob = {&inner, 1, 0.0}}, "part 0 of a blob is a blob"},
        {{.kind = SN_SHAPE_BLOB, .blob = {&bad_part, 1, 0.0}}, "radius of a sphere is -2"},
        {{.kind = (SnShapeKind)99}, "kind 99"},
    };
    for (int c = 0; c < SN_COUNT(cases); ++c) {
        SnSurface *surface = NULL;
        SinewError error;
        assert_int_equal(sn_shape_surface(&cases[c].shape, 8, NULL, NULL, &surface, &error),
                         SINEW_ERROR_ARGUMENT);
        assert_null(surface);
        if (strstr(error.text, cases[c].text) == NULL) {
            fail_msg("\"%s\" does not say \"%s\"", error.text, cases[c].text);
        }
    }
    const int resolutions[] = {0, -3, 1025};
    for (int r = 0; r < SN_COUNT(resolutions); ++r) {
        SnSurface *surface = NULL;
        SinewError error;
        assert_int_equal(sn_shape_surface(&simple[1], resolutions[r], NULL, NULL, &surface, &error),
                         SINEW_ERROR_ARGUMENT);
        assert_non_null(strstr(error.text, "resolution of a sphere"));
    }
}

// Capsules without length, thin needles and flat discs stay closed and finite.
static void extreme_shapes_stay_closed(void **state)
{
    (void)state;
    const SnShape cases[] = {
        {.kind = SN_SHAPE_CAPSULE, .capsule = {{1, 1, 1}, {1, 1, 1}, 0.5}},
        {.kind = SN_SHAPE_CYLINDER, .cylinder = {{0, 0, 0}, {0, 100, 0}, 0.01}},
        {.kind = SN_SHAPE_CYLINDER, .cylinder = {{0, 0, 0}, {0, 0.001, 0}, 1.0}},
        {.kind = SN_SHAPE_ELLIPSOID, .ellipsoid = {{0, 0, 0}, {1, 1e-4, 1e-2}}},
        {.kind = SN_SHAPE_TORUS, .torus = {{0, 0, 0}, {0, 0, 0}, 1.0, 1e-3}},
        {.kind = SN_SHAPE_TORUS, .torus = {{0, 0, 0}, {0, 0, 1}, 1.0, 0.999}},
        {.kind = SN_SHAPE_BOX, .box = {{0, 0, 0}, {1, 1e-3, 1e-3}}},
    };
    for (int c = 0; c < SN_COUNT(cases); ++c) {
        SnSurface *surface = make_surface(&cases[c], 20, NULL);
        SnTestClosed closed = sn_test_closed(surface);
        assert_int_equal(closed.bad_edges, 0);
        assert_int_equal(closed.euler, cases[c].kind == SN_SHAPE_TORUS ? 0 : 2);
        assert_true(closed.volume > 0.0);
        for (int v = 0; v < surface->vertex_count; ++v) {
            // The needle is 100 m long.
            assert_at_most(fabs(sn_shape_signed(&cases[c], surface->positions + 3 * v)), 2e-12);
        }
        sn_surface_destroy(surface, NULL);
    }
}

static SinewStatus create_and_destroy(const SinewAllocator *allocator, void *context,
                                      SinewError *error)
{
    SnSurface *surface = NULL;
    SinewStatus status = sn_shape_surface(context, 4, NULL, allocator, &surface, error);
    assert_true((status == SINEW_OK) == (surface != NULL));
    sn_surface_destroy(surface, allocator);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    for (int s = 0; s < SN_COUNT(simple); ++s) {
        SnShape shape = simple[s];
        assert_true(sn_fail_each_allocation(create_and_destroy, &shape) >= 8);
    }
    SnShape blob = person;
    assert_true(sn_fail_each_allocation(create_and_destroy, &blob) >= 12);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(surfaces_are_closed_with_the_right_size),
    cmocka_unit_test(boxes_have_vertices_exactly_on_their_corners),
    cmocka_unit_test(distances_agree_with_fine_surfaces),
    cmocka_unit_test(ellipsoids_are_right_on_their_axes),
    cmocka_unit_test(distances_never_change_faster_than_space),
    cmocka_unit_test(blobs_are_closed_even_and_smooth),
    cmocka_unit_test(blobs_of_one_part_are_that_part),
    cmocka_unit_test(blobs_melt_and_stay_apart),
    cmocka_unit_test(the_same_bits_for_any_number_of_workers),
    cmocka_unit_test(wrong_shapes_are_refused),
    cmocka_unit_test(extreme_shapes_stay_closed),
    cmocka_unit_test(each_allocation_may_fail),
};
SN_TEST_GROUP(geometry_shape, tests);

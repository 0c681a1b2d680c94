// Contact points of surfaces that are finer than elements: what they stand for, that contact is the
// same with fewer, and that equal bodies share them.
#include "support/test.h"

#include "geometry/point.h"
#include "support/worlds.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

static SinewWorld *make_world(SinewContactPoints points)
{
    SinewError error;
    SinewWorldDef def = sinew_world_def_default();
    SinewWorld *world = NULL;
    def.contact_points = points;
    expect_done(sinew_world_create(&def, &world, &error), &error);
    return world;
}

// A ball of 5 cm, 6 cells.
static SinewBodyId add_ball(SinewWorld *world, SinewModelKind kind, double x, double y,
                            double degrees)
{
    SinewError error;
    SinewBodyDef def = sinew_body_def_default();
    SinewBodyId id;
    def.shape.kind = SINEW_SHAPE_SPHERE;
    def.shape.radius = 0.05;
    def.resolution = 6;
    def.model = kind;
    def.frames.count = 4;
    def.material.young = 5e4;
    def.pose.translate[0] = x;
    def.pose.translate[1] = y;
    def.pose.axis[2] = 1.0;
    def.pose.degrees = degrees;
    expect_done(sinew_world_add_body(world, &def, &id, &error), &error);
    return id;
}

// Thinning ---------------------------------------------------------------------------------------

// Points are apart, near every vertex, and have all of the area where it was.
static void points_stand_for_the_surface(void **state)
{
    (void)state;
    SinewWorld *world = make_world(SINEW_CONTACT_THINNED);
    add_ball(world, SINEW_MODEL_SPLIT, 0.0, 0.0, 0.0);
    const SnBodySurface *surface = &SN_BODIES(world, 0)->surface;
    const SnSurfaceShape *shape = surface->shape;
    const SnContactPoints *contact = &shape->contact;
    const double *X = surface->rest->positions;
    double spacing = 0.5 * 0.1 / 6.0, area = 0.0, whole = 0.0, moment[3] = {0.0, 0.0, 0.0};
    assert_at_most(fabs(shape->spacing - spacing), 1e-15);
    assert_true(contact->count < surface->rest->vertex_count / 4);
    for (int p = 0; p < contact->count; ++p) {
        const double *x = X + 3 * (size_t)contact->vertices[p];
        area += contact->areas[p];
        sn_point_along(moment, contact->areas[p], x, moment);
        assert_true(p == 0 || contact->vertices[p] > contact->vertices[p - 1]);
        assert_int_equal(contact->carriers[contact->vertices[p]], p);
        for (int q = 0; q < p; ++q) {
            const double *y = X + 3 * (size_t)contact->vertices[q];
            assert_true(sqrt(sn_point_distance_squared(x, y)) >= spacing * (1.0 - 1e-12));
        }
    }
    for (int v = 0; v < surface->rest->vertex_count; ++v) {
        const double *x = X + 3 * (size_t)contact->vertices[contact->carriers[v]];
        whole += shape->areas[v];
        assert_true(sqrt(sn_point_distance_squared(x, X + 3 * (size_t)v)) < spacing);
    }
    assert_at_most(fabs(area / whole - 1.0), 1e-12);
    // Of a ball about its middle: nothing, and less than a twentieth of the spacing is left of it.
    assert_at_most(sn_point_length(moment), 0.05 * spacing * whole);
    sinew_world_destroy(world);
}

// Both sides of a sheet that is thinner than the spacing, and its rim, have points of their own.
static void sides_of_a_sheet_stay_apart(void **state)
{
    (void)state;
    SinewError error;
    enum { N = 20 };
    double x[2 * 3 * (N + 1) * (N + 1)];
    int triangles[2 * 3 * 2 * N * N];
    int corner = 0;
    for (int side = 0; side < 2; ++side) {
        for (int i = 0; i <= N; ++i) {
            for (int j = 0; j <= N; ++j) {
                double *at = x + 3 * ((side * (N + 1) + i) * (N + 1) + j);
                at[0] = 0.01 * i;
                at[1] = 0.001 * side;
                at[2] = 0.01 * j;
            }
        }
        for (int c = 0; c < N * N; ++c) {
            int a = (side * (N + 1) + c / N) * (N + 1) + c % N, b = a + 1, d = a + N + 1;
            int faces[6] = {a, side ? b : d, side ? d : b, b, side ? d + 1 : d, side ? d : d + 1};
            memcpy(triangles + corner, faces, sizeof faces);
            corner += 6;
        }
    }
    SnSurface surface = {.vertex_count = 2 * (N + 1) * (N + 1),
                         .triangle_count = corner / 3,
                         .positions = x,
                         .triangles = triangles};
    int count = surface.vertex_count, start[2 * (N + 1) * (N + 1) + 1] = {0};
    int around[2 * 3 * 2 * N * N], at = 0;
    double areas[2 * (N + 1) * (N + 1)];
    for (int v = 0; v < count; ++v) {
        start[v] = at;
        areas[v] = 1.0;
        for (int c = 0; c < corner; ++c) {
            if (triangles[c] == v) {
                around[at++] = c / 3;
            }
        }
    }
    start[count] = at;
    SnContactPointsDef def = {&surface, areas, start, around, 0.03};
    SnContactPoints points;
    expect_done(sn_contact_points_find(&def, NULL, &points, &error), &error);
    assert_true(points.count < count / 4);
    for (int v = 0; v < count; ++v) {
        int carrier = points.vertices[points.carriers[v]];
        assert_int_equal(carrier / (count / 2), v / (count / 2)); // of its own side
    }
    sn_contact_points_release(&points, NULL);
    def.spacing = 0.0;
    expect_done(sn_contact_points_find(&def, NULL, &points, &error), &error);
    assert_int_equal(points.count, count);
    sn_contact_points_release(&points, NULL);
}

// A box and what is coarse keep all of their vertices.
static void coarse_surfaces_keep_all(void **state)
{
    (void)state;
    SinewWorld *world = world_make(1);
    world_add_box(world, 1.0, 3);
    const SnBodySurface *surface = &SN_BODIES(world, 0)->surface;
    assert_int_equal(surface->shape->contact.count, surface->rest->vertex_count);
    sinew_world_destroy(world);
}

// A ball at rest: with few points as with all, the floor carries its weight, and as deep.
static void fewer_points_carry_the_same_weight(void **state)
{
    (void)state;
    double height[2];
    for (int all = 0; all < 2; ++all) {
        SinewWorld *world = make_world(all ? SINEW_CONTACT_ALL : SINEW_CONTACT_THINNED);
        SinewBodyId id = add_ball(world, SINEW_MODEL_SPLIT, 0.0, 0.05, 0.0);
        world_add_floor(world, 0.0);
        world_steps(world, 120, 1.0 / 60.0);
        SinewBodyInfo info = sinew_body_info(world, id);
        double contact[6], sum = 0.0;
        world_read(world, world_probe(world, id, SINEW_REPORT_CONTACT), contact);
        assert_at_most(fabs(contact[1] / (9.81 * info.mass) - 1.0), 0.02); // it still rocks
        // Vertices share what the points feel: a probe at each of them, and nothing is lost.
        int vertices = SN_BODIES(world, 0)->surface.rest->vertex_count;
        for (int v = 0; v < vertices; ++v) {
            SinewError error;
            SinewProbeDef def = sinew_probe_def_default();
            SinewProbeId probe;
            double force[6];
            def.body = id;
            def.report = SINEW_REPORT_FORCE;
            def.vertex = v;
            def.on_surface = true;
            expect_done(sinew_world_add_probe(world, &def, &probe, &error), &error);
            world_read(world, probe, force);
            sum += force[1];
            expect_done(sinew_world_remove_probe(world, probe, &error), &error);
        }
        assert_at_most(fabs(sum / contact[1] - 1.0), 1e-9);
        SnMeasure measure;
        SN_BODIES(world, 0)->model->measure(SN_BODIES(world, 0)->state, &measure);
        height[all] = measure.mass_center[1];
        sinew_world_destroy(world);
    }
    // Half a cell is 8 mm: between points the ball sinks by its square over eight radii, 0.17 mm,
    // and by the coarser sum of pressures about as much.
    assert_at_most(fabs(height[0] - height[1]), 0.5e-3);
}

// Sharing ----------------------------------------------------------------------------------------

// A copy is the same bits whether it shares its surface or came first.
static void copies_share_without_a_trace(void **state)
{
    (void)state;
    static const SinewModelKind kinds[] = {SINEW_MODEL_SPLIT, SINEW_MODEL_TETMG,
                                           SINEW_MODEL_FRAMES};
    for (int m = 0; m < SN_COUNT(kinds); ++m) {
        SinewError error;
        SinewWorld *alone = world_make(1), *many = world_make(2);
        SinewBodyId first = add_ball(alone, kinds[m], 0.3, 0.051, 20.0);
        SinewBodyId other = add_ball(many, kinds[m], 0.0, 0.06, 0.0);
        SinewBodyId copy = add_ball(many, kinds[m], 0.3, 0.051, 20.0);
        assert_ptr_equal(SN_BODIES(many, 0)->surface.shape, SN_BODIES(many, 1)->surface.shape);
        world_add_floor(alone, 0.0);
        world_add_floor(many, 0.0);
        for (int s = 0; s < 12; ++s) {
            world_steps(alone, 1, 1.0 / 60.0);
            world_steps(many, 1, 1.0 / 60.0);
            assert_int_equal(world_hash(alone, first), world_hash(many, copy));
            if (s == 5) { // the one that was first goes
                expect_done(sinew_world_remove_body(many, other, &error), &error);
            }
        }
        sinew_world_destroy(alone);
        sinew_world_destroy(many);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(points_stand_for_the_surface),
    cmocka_unit_test(sides_of_a_sheet_stay_apart),
    cmocka_unit_test(coarse_surfaces_keep_all),
    cmocka_unit_test(fewer_points_carry_the_same_weight),
    cmocka_unit_test(copies_share_without_a_trace),
};

SN_TEST_GROUP(world_contact_points, tests);

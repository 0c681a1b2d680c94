// Bodies of the voxel model on colliders: heavy columns at rest against the closed form and another
// model, impacts that converge, and steps that may work no more than so much.
#include "support/test.h"

#include "support/worlds.h"

#include <math.h>

// Columns ----------------------------------------------------------------------------------------

typedef struct Column {
    SinewModelKind model;
    int across; // cells, four times as many along
    double young;
    double friction;
    double sunk; // m, into the plane at the start
} Column;

enum { RESTING_SINKS = 2 };

#define LENGTH 0.4
#define DENSITY 1000.0
#define TOLERANCE 1e-8

// A column of 0.1 x 0.4 x 0.1 m at rest on a plane: how far its top went, m.
static double rest_column(const Column *column)
{
    SinewWorldDef def = sinew_world_def_default();
    SinewBodyDef box = sinew_body_def_default();
    SinewColliderDef plane = sinew_collider_def_default();
    SinewWorld *world = NULL;
    SinewBodyId body;
    SinewColliderId id;
    SinewError error;
    box.shape.kind = SINEW_SHAPE_BOX;
    memcpy(box.shape.max, (double[3]){0.1, LENGTH, 0.1}, sizeof box.shape.max);
    memcpy(box.cells, (int[3]){column->across, 4 * column->across, column->across},
           sizeof box.cells);
    box.model = column->model;
    box.material.young = column->young;
    box.material.poisson = 0.3;
    box.material.density = DENSITY;
    plane.shape.kind = SINEW_SHAPE_PLANE;
    plane.shape.offset = column->sunk;
    plane.friction = column->friction;
    expect_done(sinew_world_create(&def, &world, &error), &error);
    expect_done(sinew_world_add_body(world, &box, &body, &error), &error);
    expect_done(sinew_world_add_collider(world, &plane, &id, &error), &error);
    SinewStatus status = sinew_world_solve_static(world, 1.0, TOLERANCE, &error);
    expect_done(status, &error);
    assert_int_equal(status, SINEW_OK);
    assert_at_most(sinew_world_report(world).residual, TOLERANCE);
    SinewBodyMesh mesh = sinew_body_mesh(world, body);
    double sum = 0.0;
    int count = 0;
    for (int v = 0; v < mesh.vertex_count; ++v) {
        bool top = fabs(mesh.rest[3 * v + 1] - LENGTH) < 1e-9;
        sum += top ? mesh.positions[3 * v + 1] - mesh.rest[3 * v + 1] : 0.0;
        count += top;
    }
    sinew_world_destroy(world);
    return sum / count;
}

// Nothing holds a column sideways, and without a collider at its foot nothing at all: matrices are
// singular. Its top goes down by rho g L^2 / 2E and what the plane gives way: pressure over the
// stiffness of contact, 100 E / L. One cell across rests on its four corners: 2.4 % more.
static void columns_rest_on_a_plane(void **state)
{
    (void)state;
    static const double sinks[RESTING_SINKS] = {0.0, 1e-3};
    for (int n = 0; n < 3 * 2 * RESTING_SINKS; ++n) {
        Column column = {.model = SINEW_MODEL_VOXEL,
                         .across = n % 3 == 2 ? 4 : n % 3 + 1,
                         .young = n / 3 % 2 == 0 ? 2e5 : 1e6,
                         .sunk = sinks[n / 6]};
        double pressure = DENSITY * 9.81 * LENGTH;
        double wanted = -pressure * LENGTH * (0.5 + 0.01) / column.young + column.sunk;
        double went = rest_column(&column);
        assert_at_most(fabs(went - wanted), 0.03 * pressure * LENGTH / 2.0 / column.young);
    }
}

// With and without friction, as the cells of lattice do: what sticks spreads less at its foot.
static void columns_rest_as_in_lattice(void **state)
{
    (void)state;
    for (int n = 0; n < 2; ++n) {
        Column column = {
            .model = SINEW_MODEL_VOXEL, .across = 2, .young = 1e6, .friction = 0.3 * n};
        double voxel = rest_column(&column);
        column.model = SINEW_MODEL_LATTICE;
        double other = rest_column(&column);
        assert_at_most(fabs(voxel - other), 0.03 * fabs(other));
    }
}

// Falls ------------------------------------------------------------------------------------------

enum { STEPS = 60, BUDGET = 24, IMPACT = 8 };

typedef struct Fall {
    SinewWorld *world;
    SinewBodyId body;
    int loose, capped; // steps
    int most;          // iterations of a step
    int cuts;          // of all steps
} Fall;

// A ball of 10 cm, or a blob with a foot, of few cells falls by 10 cm onto a plane with friction.
static void make_fall(Fall *fall, bool is_ball, int max_solves)
{
    static SinewShape parts[2];
    SinewWorldDef world = sinew_world_def_default();
    SinewBodyDef body = sinew_body_def_default();
    SinewColliderDef plane = sinew_collider_def_default();
    SinewError error;
    SinewColliderId id;
    *fall = (Fall){.capped = 0};
    world.max_solves = max_solves;
    body.shape.kind = SINEW_SHAPE_SPHERE;
    body.shape.radius = 0.05;
    body.resolution = is_ball ? 4 : 5;
    if (!is_ball) {
        parts[0] = parts[1] = sinew_shape_default();
        parts[0].kind = parts[1].kind = SINEW_SHAPE_SPHERE;
        parts[0].radius = 0.04;
        parts[0].center[1] = 0.03;
        parts[1].radius = 0.015;
        parts[1].center[1] = -0.02;
        parts[1].center[0] = 0.02;
        body.shape.kind = SINEW_SHAPE_BLOB;
        body.shape.parts = parts;
        body.shape.part_count = 2;
        body.shape.smooth = 0.01;
    }
    body.model = SINEW_MODEL_VOXEL;
    body.material.young = 5e4;
    body.pose.translate[1] = 0.15;
    body.linear_velocity[0] = 0.5;
    plane.shape.kind = SINEW_SHAPE_PLANE;
    expect_done(sinew_world_create(&world, &fall->world, &error), &error);
    expect_done(sinew_world_add_body(fall->world, &body, &fall->body, &error), &error);
    expect_done(sinew_world_add_collider(fall->world, &plane, &id, &error), &error);
}

static void step(Fall *fall)
{
    SinewStatus status = sinew_world_step(fall->world, 1.0 / 60.0, NULL);
    SinewStepReport report = sinew_world_report(fall->world);
    assert_true(status >= 0);
    fall->loose += status != SINEW_OK;
    fall->capped += report.capped;
    fall->cuts += report.line_search_cuts;
    fall->most = report.linear_solves > fall->most ? report.linear_solves : fall->most;
}

// Impacts crush cells, whose rotations then stop to follow their corners. All steps converge, and
// searches do not end at the kink where cells cease to follow: of the blob's steps three did, with
// 1,612 cuts in all, where there are 101 now.
static void impacts_converge(void **state)
{
    (void)state;
    for (int n = 0; n < 2; ++n) {
        Fall fall;
        make_fall(&fall, n == 0, 0);
        for (int i = 0; i < STEPS; ++i) {
            step(&fall);
        }
        assert_int_equal(fall.loose, 0);
        assert_true(fall.cuts < 500);
        sinew_world_destroy(fall.world);
    }
}

// The largest distance of a vertex from where it is in the other world, m.
static double compare(const Fall *a, const Fall *b)
{
    SinewPoints one = sinew_body_surface(a->world, a->body),
                two = sinew_body_surface(b->world, b->body);
    double most = 0.0;
    for (int i = 0; i < 3 * one.count; ++i) {
        most = fmax(most, fabs((double)(one.xyz[i] - two.xyz[i])));
    }
    return most;
}

static void a_budget_holds(void **state)
{
    (void)state;
    Fall whole, short_one;
    make_fall(&whole, true, 0);
    make_fall(&short_one, true, BUDGET);
    double most = 0.0;
    for (int n = 0; n < STEPS; ++n) {
        step(&whole);
        step(&short_one);
        if (n == IMPACT) {
            most = compare(&whole, &short_one);
        }
    }
    assert_int_equal(whole.capped, 0);
    assert_true(whole.most > BUDGET); // or the test shows nothing
    assert_true(short_one.capped > 0);
    assert_int_equal(short_one.capped, short_one.loose);
    assert_true(short_one.most <= BUDGET);
    // The step of the impact goes 23 mm: a body that hung in the air for it would be off by as
    // much.
    assert_true(most < 12e-3);
    float lowest = 1.0f;
    SinewPoints surface = sinew_body_surface(short_one.world, short_one.body);
    for (int p = 0; p < surface.count; ++p) {
        lowest = fminf(lowest, surface.xyz[3 * p + 1]);
    }
    assert_true(fabs((double)lowest) < 0.002); // it lies on the plane
    sinew_world_destroy(whole.world);
    sinew_world_destroy(short_one.world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(columns_rest_on_a_plane),
    cmocka_unit_test(columns_rest_as_in_lattice),
    cmocka_unit_test(impacts_converge),
    cmocka_unit_test(a_budget_holds),
};

SN_TEST_GROUP(model_voxel_contact, tests);

// A step that may work no more than so much: it stops there, says so, and takes a state that is
// near the one it would have found.
#include "support/test.h"

#include "sinew/world.h"

#include <math.h>

// In step IMPACT, counted from 0, the ball meets the plane.
enum { STEPS = 60, BUDGET = 24, IMPACT = 8 };

typedef struct Fall {
    SinewWorld *world;
    SinewBodyId body;
    int capped;  // steps
    int most;    // iterations of a step
    int solves;  // of all steps that touch
    int touches; // those
} Fall;

// A ball of 10 cm that falls by 10 cm onto a plane with friction.
static void make_fall(Fall *fall, int max_solves)
{
    SinewWorldDef world = sinew_world_def_default();
    SinewBodyDef ball = sinew_body_def_default();
    SinewColliderDef plane = sinew_collider_def_default();
    *fall = (Fall){.capped = 0};
    world.max_solves = max_solves;
    ball.shape.kind = SINEW_SHAPE_SPHERE;
    ball.shape.radius = 0.05;
    ball.resolution = 8;
    ball.model = SINEW_MODEL_LATTICE;
    ball.material.young = 5e4;
    ball.pose.translate[1] = 0.15;
    ball.linear_velocity[0] = 0.5;
    plane.shape.kind = SINEW_SHAPE_PLANE;
    assert_int_equal(sinew_world_create(&world, &fall->world, NULL), SINEW_OK);
    assert_int_equal(sinew_world_add_body(fall->world, &ball, &fall->body, NULL), SINEW_OK);
    SinewColliderId id;
    assert_int_equal(sinew_world_add_collider(fall->world, &plane, &id, NULL), SINEW_OK);
}

static void step(Fall *fall)
{
    SinewStatus status = sinew_world_step(fall->world, 1.0 / 60.0, NULL);
    SinewStepReport report = sinew_world_report(fall->world);
    assert_int_equal(status, report.capped > 0 ? SINEW_NOT_CONVERGED : SINEW_OK);
    fall->capped += report.capped;
    fall->touches += report.contacts > 0 ? 1 : 0;
    fall->solves += report.contacts > 0 ? report.linear_solves : 0;
    fall->most = report.linear_solves > fall->most ? report.linear_solves : fall->most;
}

// The largest distance of a vertex from where it is in the other world, m.
static double compare(const Fall *a, const Fall *b)
{
    SinewBodyMesh one = sinew_body_mesh(a->world, a->body),
                  two = sinew_body_mesh(b->world, b->body);
    double most = 0.0;
    for (int i = 0; i < 3 * one.vertex_count; ++i) {
        most = fmax(most, fabs(one.positions[i] - two.positions[i]));
    }
    return most;
}

// The first directions of a step that meets something are rough. With all of them as good as the
// last, the ball needs 39 iterations of conjugate gradients per step that touches, so it needs 21.
static void contact_takes_few_iterations(void **state)
{
    (void)state;
    Fall fall;
    make_fall(&fall, 0);
    for (int n = 0; n < STEPS; ++n) {
        step(&fall);
    }
    assert_true(fall.touches > STEPS / 2);
    assert_at_most((double)fall.solves / fall.touches, 29.0);
    sinew_world_destroy(fall.world);
}

static void a_budget_holds(void **state)
{
    (void)state;
    Fall whole, short_one;
    make_fall(&whole, 0);
    make_fall(&short_one, BUDGET);
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
    assert_true(short_one.most <= BUDGET);
    // The step of the impact goes 23 mm, and a body that hung in the air for it would be off by as
    // much; this one is off by 7.
    assert_true(most < 12e-3);
    // It lies on the plane.
    float lowest = 1.0f;
    SinewPoints surface = sinew_body_surface(short_one.world, short_one.body);
    for (int p = 0; p < surface.count; ++p) {
        lowest = surface.xyz[3 * p + 1] < lowest ? surface.xyz[3 * p + 1] : lowest;
    }
    assert_true(fabs((double)lowest) < 0.002);
    sinew_world_destroy(whole.world);
    sinew_world_destroy(short_one.world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(contact_takes_few_iterations),
    cmocka_unit_test(a_budget_holds),
};

SN_TEST_GROUP(model_lattice_budget, tests);

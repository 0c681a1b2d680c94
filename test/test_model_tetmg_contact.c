// Contact and springs in the preconditioner of `tetmg`: how stiff they are hardly shows in the
// number of solves.
#include "support/test.h"

#include "support/dropped.h"

#include <math.h>

enum { STEPS = 30 };

static SinewBodyId add_ball(SinewWorld *world)
{
    SinewError error = {0};
    SinewBodyDef def = sinew_body_def_default();
    SinewBodyId body;
    def.shape.kind = SINEW_SHAPE_SPHERE;
    def.shape.radius = 0.05;
    def.shape.center[1] = 0.052;
    def.resolution = 10;
    def.model = SINEW_MODEL_TETMG;
    def.material.young = 5e4;
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    return body;
}

// Solves of steps in which a spring leads the top of a ball round.
static int count_pulled(double stiffness)
{
    SinewError error = {0};
    SinewWorld *world = world_make(1);
    SinewAttachmentDef pull = sinew_attachment_def_default();
    SinewAttachmentId id;
    const double top[3] = {0.001, 0.1, 0.002};
    int solves = 0;
    pull.body = add_ball(world);
    pull.points = top;
    pull.point_count = 1;
    pull.stiffness = stiffness;
    world_hold(world, pull.body, region_box(-1, -1, -1, 1, 0.022, 1));
    expect_done(sinew_world_add_attachment(world, &pull, &id, &error), &error);
    for (int step = 1; step <= STEPS; ++step) {
        double angle = 0.1 * step;
        const double map[12] = {1.0, 0.0, 0.0, 0.02 * sin(angle),        0.0, 1.0, 0.0, 0.0,
                                0.0, 0.0, 1.0, 0.02 * (1.0 - cos(angle))};
        expect_done(sinew_world_move_attachment(world, id, map, &error), &error);
        expect_done(sinew_world_step(world, 1.0 / 60, &error), &error);
        solves += sinew_world_report(world).linear_solves;
    }
    sinew_world_destroy(world);
    return solves;
}

// Solves are 174 and 365 where the coarse space does not know of springs, and 100 and 290 with it.
// Other processors differ by some percent, since the last bits decide when a solve ends.
static void stiff_pulls_take_few_solves(void **state)
{
    (void)state;
    int stiff = count_pulled(2e3), stiffer = count_pulled(2e5);
    print_message("%d solves in %d steps at 2e3 N/m, %d at 2e5\n", stiff, STEPS, stiffer);
    assert_true(stiff <= 4 * STEPS);
    assert_true(stiffer <= 11 * STEPS);
}

// Solves of steps in which a ball lies on a plane or has just come down.
static int count_lying(void)
{
    SinewError error = {0};
    SinewWorldDef def = sinew_world_def_default();
    SinewColliderDef floor = sinew_collider_def_default();
    SinewColliderId id;
    SinewWorld *world = NULL;
    int solves = 0;
    expect_done(sinew_world_create(&def, &world, &error), &error);
    add_ball(world);
    floor.shape.kind = SINEW_SHAPE_PLANE;
    expect_done(sinew_world_add_collider(world, &floor, &id, &error), &error);
    for (int step = 0; step < 2 * STEPS; ++step) {
        expect_done(sinew_world_step(world, 1.0 / 60, &error), &error);
        solves += sinew_world_report(world).linear_solves;
    }
    sinew_world_destroy(world);
    return solves;
}

// 518 without contact in the coarse space, 267 with it.
static void contact_takes_few_solves(void **state)
{
    (void)state;
    int solves = count_lying();
    print_message("%d solves in %d steps\n", solves, 2 * STEPS);
    assert_true(solves <= 12 * STEPS);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(stiff_pulls_take_few_solves),
    cmocka_unit_test(contact_takes_few_solves),
};
SN_TEST_GROUP(model_tetmg_contact, tests);

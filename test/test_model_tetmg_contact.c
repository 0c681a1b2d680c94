// Contact and springs in the preconditioner of `tetmg`: how stiff they are hardly shows in the
// number of solves.
#include "support/test.h"

#include "support/dropped.h"

#include <math.h>
#include <string.h>

enum { STEPS = 30 };

static SinewBodyId add_ball(SinewWorld *world, SinewModelKind model)
{
    SinewError error = {0};
    SinewBodyDef def = sinew_body_def_default();
    SinewBodyId body;
    def.shape.kind = SINEW_SHAPE_SPHERE;
    def.shape.radius = 0.05;
    def.shape.center[1] = 0.052;
    def.resolution = 10;
    def.model = model;
    def.newton.tolerance = 1e-9;
    def.material.law = SINEW_LAW_COROTATED;
    def.material.young = 5e4;
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    return body;
}

// A spring leads the top of a ball round: solves in all steps, and where the ball is after each.
typedef struct Pulled {
    int solves;
    double moves[STEPS][3]; // m, mean of its vertices
} Pulled;

static Pulled pull_ball(SinewModelKind model, double stiffness)
{
    SinewError error = {0};
    SinewWorld *world = world_make(1);
    SinewAttachmentDef pull = sinew_attachment_def_default();
    SinewAttachmentId id;
    Pulled pulled = {0};
    const double top[3] = {0.001, 0.1, 0.002};
    pull.body = add_ball(world, model);
    pull.points = top;
    pull.point_count = 1;
    pull.stiffness = stiffness;
    world_hold(world, pull.body, region_box(-1, -1, -1, 1, 0.022, 1));
    SinewProbeId probe = world_probe(world, pull.body, SINEW_REPORT_MEAN_DISPLACEMENT);
    expect_done(sinew_world_add_attachment(world, &pull, &id, &error), &error);
    for (int step = 1; step <= STEPS; ++step) {
        double angle = 0.1 * step, values[6];
        const double map[12] = {1.0, 0.0, 0.0, 0.02 * sin(angle),        0.0, 1.0, 0.0, 0.0,
                                0.0, 0.0, 1.0, 0.02 * (1.0 - cos(angle))};
        expect_done(sinew_world_move_attachment(world, id, map, &error), &error);
        expect_done(sinew_world_step(world, 1.0 / 60, &error), &error);
        pulled.solves += sinew_world_report(world).linear_solves;
        world_read(world, probe, values);
        memcpy(pulled.moves[step - 1], values, sizeof pulled.moves[0]);
    }
    sinew_world_destroy(world);
    return pulled;
}

// A step without springs takes four solves. Up to five times the stiffness of a vertex springs are
// lumped and cost none; above, columns are three more, at any stiffness. Lumped they would take
// ten, and be 1 to 3 % off where a step ends by counts. Errors are 7e-4 at 20 N/m and 1e-4 above.
static void pulls_take_few_solves_and_are_right_at_any_stiffness(void **state)
{
    (void)state;
    double factor = sn_test_is_slow() ? 1e4 : 100.0;
    for (double stiffness = 20.0; stiffness < 1e8; stiffness *= factor) {
        Pulled tetmg = pull_ball(SINEW_MODEL_TETMG, stiffness);
        Pulled newton = pull_ball(SINEW_MODEL_NEWTON, stiffness);
        double off = 0.0, size = 0.0;
        for (int i = 0; i < 3 * STEPS; ++i) {
            off = fmax(off, fabs(tetmg.moves[i / 3][i % 3] - newton.moves[i / 3][i % 3]));
            size = fmax(size, fabs(newton.moves[i / 3][i % 3]));
        }
        assert_at_most(off, 2e-3 * size);
        // Other processors may need one more now and then.
        assert_true(tetmg.solves <= (stiffness < 1e4 ? 5 : 8) * STEPS);
    }
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
    add_ball(world, SINEW_MODEL_TETMG);
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
    cmocka_unit_test(pulls_take_few_solves_and_are_right_at_any_stiffness),
    cmocka_unit_test(contact_takes_few_solves),
};
SN_TEST_GROUP(model_tetmg_contact, tests);

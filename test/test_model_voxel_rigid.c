// Rigid motions of loose bodies of the voxel model: however stiff they are, steps with a given
// number of iterations let them fall and turn as exact steps do.
#include "support/test.h"

#include "support/dropped.h"

#include <math.h>

enum { STEPS = 20 };

// A case: a box that falls, or spins about an axis of its own.
typedef struct Case {
    SinewVoxelMode mode;
    SinewIntegrator integrator;
    double young;   // Pa
    double scale;   // m, its longest side
    double gravity; // m/s^2
    double spin;    // rad/s
    int newton;
} Case;

static SinewStatus loose_world(const SinewAllocator *allocator, int workers, const void *context,
                               SinewWorld **out_world, SinewBodyId *out_body, SinewError *error)
{
    const Case *c = context;
    SinewStatus status = SINEW_OK;
    SinewWorldDef world_def = sinew_world_def_default();
    SinewBodyDef def = sinew_body_def_default();
    if (allocator != NULL) {
        world_def.allocator = *allocator;
    }
    world_def.worker_count = workers;
    world_def.gravity[1] = -c->gravity;
    def.shape.kind = SINEW_SHAPE_BOX;
    for (int k = 0; k < 3; ++k) {
        def.shape.max[k] = c->scale * (k == 0 ? 1.0 : 0.5);
        def.cells[k] = k == 0 ? 8 : 4;
    }
    def.model = SINEW_MODEL_VOXEL;
    def.voxel.mode = c->mode;
    def.voxel.integrator = c->integrator;
    def.voxel.newton = c->newton;
    def.voxel.fine_levels = 1;
    def.material.young = c->young;
    def.material.density = 1000.0;
    def.angular_velocity[2] = c->spin;
    SN_TRY(sinew_world_create(&world_def, out_world, error));
    SN_TRY(sinew_world_add_body(*out_world, &def, out_body, error));

done:
    return status;
}

static void read_after(const Case *c, SinewReport report, double values[6])
{
    SinewBodyId body;
    SinewWorld *world = world_made(loose_world, c, &body);
    SinewProbeId probe = world_probe(world, body, report);
    world_steps(world, STEPS, 0.01);
    world_read(world, probe, values);
    sinew_world_destroy(world);
}

static void stiff_bodies_fall(void **state)
{
    (void)state;
    for (int i = 0; i < 16; ++i) {
        Case c = {.mode = i % 2 == 0 ? SINEW_VOXEL_PAPER : SINEW_VOXEL_CONDENSED,
                  .young = i / 4 == 0   ? 1e5
                           : i / 4 == 1 ? 1e7
                           : i / 4 == 2 ? 1e9
                                        : 1e11,
                  .scale = i / 2 % 2 == 0 || i >= 8 ? 1.0 : 1e-3,
                  .gravity = 9.81,
                  .newton = 1};
        double values[6];
        read_after(&c, SINEW_REPORT_MEAN_DISPLACEMENT, values);
        // Euler's steps fall by g h^2 n (n + 1) / 2. Elastic forces in float are those of places
        // rounded to 1e-7 of a cell, and do not quite sum to nothing: at 1e7 Pa and 1 mm, or 1e11
        // and 1 m, they are far more than the weight.
        double fall = 9.81 * 1e-4 * STEPS * (STEPS + 1) / 2;
        assert_at_most(fabs(values[1] + fall), 1e-4 * fall);
        assert_at_most(fabs(values[0]) + fabs(values[2]), 1e-4 * fall);
    }
}

// As fast as steps to a tight tolerance. Both rules lose some of a spin: Euler's steps turn by
// atan(h w).
static void stiff_bodies_turn(void **state)
{
    (void)state;
    for (int i = 0; i < 8; ++i) {
        Case c = {.mode = i % 2 == 0 ? SINEW_VOXEL_PAPER : SINEW_VOXEL_CONDENSED,
                  .integrator = i / 2 % 2 == 0 ? SINEW_INTEGRATOR_EULER : SINEW_INTEGRATOR_BDF2,
                  .young = i / 4 == 0 ? 1e7 : 1e9,
                  .scale = 1.0,
                  .spin = 10.0,
                  .newton = 1};
        Case exact = c;
        double values[6], wanted[6];
        exact.mode = SINEW_VOXEL_CONDENSED;
        exact.newton = 0;
        exact.young = 1e7; // where the stretch by the spin is 1e-5
        read_after(&c, SINEW_REPORT_MOMENTUM, values);
        read_after(&exact, SINEW_REPORT_MOMENTUM, wanted);
        assert_true(wanted[5] > 1.0);
        // Mode paper has masses at corners, and with them larger moments of inertia: 3.7 %.
        double size = wanted[5] * (c.mode == SINEW_VOXEL_PAPER ? 1.037 : 1.0);
        assert_at_most(fabs(values[5] - size), 5e-3 * size);
    }
}

// A beam of 1 m held at one end, which hangs down almost straight where it is soft.
static SinewStatus beam_world(const SinewAllocator *allocator, int workers, const void *context,
                              SinewWorld **out_world, SinewBodyId *out_body, SinewError *error)
{
    const Case *c = context;
    SinewStatus status = SINEW_OK;
    SinewWorldDef world_def = sinew_world_def_default();
    SinewBodyDef def = sinew_body_def_default();
    SinewPinDef pin = sinew_pin_def_default();
    SinewPinId pin_id;
    *out_world = NULL;
    if (allocator != NULL) {
        world_def.allocator = *allocator;
    }
    world_def.worker_count = workers;
    def.shape.kind = SINEW_SHAPE_BOX;
    for (int k = 0; k < 3; ++k) {
        def.shape.max[k] = k == 0 ? 1.0 : 0.2;
        def.cells[k] = k == 0 ? 5 : 1;
    }
    def.model = SINEW_MODEL_VOXEL;
    def.voxel.mode = c->mode;
    def.material.young = c->young;
    def.material.density = 1000.0;
    SN_TRY(sinew_world_create(&world_def, out_world, error));
    SN_TRY(sinew_world_add_body(*out_world, &def, out_body, error));
    pin.body = *out_body;
    pin.within = region_box(-1.0, -1.0, -1.0, 0.001, 1.0, 1.0);
    SN_TRY(sinew_world_add_pin(*out_world, &pin, &pin_id, error));

done:
    return status;
}

// Forces of mode paper are no gradient: static solves reach their tolerance all the same, in few
// linearisations, and find the same rest in one step of loads as in ten.
static void beams_of_mode_paper_find_their_rest(void **state)
{
    (void)state;
    const double young[] = {3e6, 1e6, 3e5, 2e5, 1e5, 5e4};
    for (int i = 0; i < 6; ++i) {
        Case c = {.mode = SINEW_VOXEL_PAPER, .young = young[i]};
        double values[6], means[2][6];
        for (int at_once = 0; at_once < 2; ++at_once) {
            SinewError error;
            SinewBodyId body;
            SinewWorld *world = world_made(beam_world, &c, &body);
            int linearisations = 0;
            for (int n = at_once ? 10 : 1; n <= 10; ++n) {
                expect_done(sinew_world_solve_static(world, 0.1 * n, 0.0, &error), &error);
                linearisations += sinew_world_report(world).iterations;
            }
            // Newton's method: two to six a tenth of the loads, and 15 at most where all come at
            // once.
            assert_true(linearisations <= (at_once ? 20 : 60));
            world_read(world, world_probe(world, body, SINEW_REPORT_RESIDUAL), values);
            assert_at_most(values[0], sinew_voxel_def_default().tolerance);
            world_read(world, world_probe(world, body, SINEW_REPORT_MEAN_DISPLACEMENT),
                       means[at_once]);
            sinew_world_destroy(world);
        }
        for (int k = 0; k < 3; ++k) {
            assert_at_most(fabs(means[0][k] - means[1][k]), 1e-5); // by the tolerance
        }
    }
}

static SinewStatus rested_world(const SinewAllocator *allocator, int workers, const void *context,
                                SinewWorld **out_world, SinewBodyId *out_body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(beam_world(allocator, workers, context, out_world, out_body, error));
    SN_TRY(sinew_world_solve_static(*out_world, 1.0, 0.0, error));

done:
    return status;
}

// Room for these solves is made by the first; every part of it may be missing.
static void statics_of_mode_paper_fail_and_repeat(void **state)
{
    (void)state;
    Case c = {.mode = SINEW_VOXEL_PAPER, .young = 2e5};
    assert_true(world_allocations_fail(rested_world, &c) > world_allocations_fail(beam_world, &c));
    world_bits_agree(rested_world, &c, 2, 8);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(beams_of_mode_paper_find_their_rest),
    cmocka_unit_test(statics_of_mode_paper_fail_and_repeat),
    cmocka_unit_test(stiff_bodies_fall),
    cmocka_unit_test(stiff_bodies_turn),
};

SN_TEST_GROUP(model_voxel_rigid, tests);

// Voxel bodies that start without their shape come back to it: mirrored, flattened, collapsed and
// scrambled ones, in the air, held and on a floor. The wide set, six bodies by twenty seeds, is in
// check_split.py.
#include "model/one_turn.h"
#include "model/voxel/lost.h"
#include "support/dropped.h"
#include "support/shape_error.h"
#include "support/test.h"
#include "support/voxel_rig.h"

#include <math.h>

typedef enum Kind { BAR, BALL, RING, SHEET, KINDS } Kind;

typedef enum Way { CONDENSED, SECOND, COUNTED, PAPER, LINEAR, WAYS } Way;

// An open sheet of 0.8 m by 0.6 m.
static SinewSurface *make_sheet(void)
{
    static const double x[12] = {0.0, 0.05, 0.0, 0.8, 0.05, 0.0, 0.0, 0.05, 0.6, 0.8, 0.05, 0.6};
    static const int triangles[6] = {0, 2, 1, 1, 2, 3};
    SinewSurfaceDef def = sinew_surface_def_default();
    SinewSurface *surface = NULL;
    SinewError error;
    def.positions = x;
    def.vertex_count = 4;
    def.triangles = triangles;
    def.triangle_count = 2;
    expect_done(sinew_surface_create(&def, &surface, &error), &error);
    return surface;
}

static void set_shape(Kind kind, SinewBodyDef *def)
{
    def->resolution = 6;
    def->shape.radius = 0.25;
    def->shape.tube = 0.1;
    if (kind == BAR) {
        def->shape.kind = SINEW_SHAPE_BOX;
        for (int k = 0; k < 3; ++k) {
            def->shape.max[k] = k == 0 ? 0.8 : 0.2;
            def->cells[k] = k == 0 ? 8 : 2;
        }
    } else if (kind == SHEET) {
        def->surface = make_sheet(); // released by the caller
        def->voxel.hollow = 1;
    } else {
        def->shape.kind = kind == BALL ? SINEW_SHAPE_SPHERE : SINEW_SHAPE_TORUS;
    }
}

static SinewBodyDef lost_def(Kind kind, Way way, SinewStart start, int seed)
{
    SinewBodyDef def = sinew_body_def_default();
    set_shape(kind, &def);
    def.model = SINEW_MODEL_VOXEL;
    def.voxel.fine_levels = 1;
    def.voxel.mode = way == PAPER ? SINEW_VOXEL_PAPER : SINEW_VOXEL_CONDENSED;
    def.voxel.newton = way == COUNTED ? 1 : 0;
    def.voxel.integrator = way == SECOND ? SINEW_INTEGRATOR_BDF2 : SINEW_INTEGRATOR_EULER;
    def.material.law = way == LINEAR ? SINEW_LAW_LINEAR : SINEW_LAW_COROTATED;
    def.material.poisson = 0.3;
    def.start = start;
    def.start_seed = seed;
    return def;
}

static void expect_recovery(Kind kind, Way way, SinewStart start, int seed, double young)
{
    SinewBodyDef def = lost_def(kind, way, start, seed);
    // A viscosity of 1e5 Pa s: the way back must not be as slow.
    def.material.damping_stiffness = seed == 1 ? 1e5 / young : 0.0;
    SinewBodyId body;
    const double sizes[KINDS] = {0.8, 0.5, 0.7, 0.8};
    double volume[6];
    def.material.young = young;
    SinewWorld *world = world_made(flying_world, &def, &body);
    world_steps(world, 100, 0.01);
    SinewBodyMesh mesh = sinew_body_mesh(world, body);
    double off = mesh_shape_error(&mesh, sizes[kind]);
    world_read(world, world_probe(world, body, SINEW_REPORT_VOLUME), volume);
    if (!(off <= 0.01) || volume[2] > 0.0) {
        fail_msg("body %d, way %d, start %d, seed %d, %g Pa: %g of the size off, %g inverted",
                 (int)kind, (int)way, (int)start, seed, young, off, volume[2]);
    }
    sinew_world_destroy(world);
    sinew_surface_destroy((SinewSurface *)(uintptr_t)def.surface);
}

static void starts_recover(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; ++way) {
        for (int kind = 0; kind < KINDS; ++kind) {
            if (sn_test_is_slow() && kind != way % KINDS) {
                continue;
            }
            for (int start = SINEW_START_MIRRORED; start < SINEW_START_SCRAMBLED; ++start) {
                expect_recovery((Kind)kind, (Way)way, (SinewStart)start, 0, 1e6);
            }
            for (int seed = 0; seed < sn_test_share(2); ++seed) {
                expect_recovery((Kind)kind, (Way)way, SINEW_START_SCRAMBLED, seed, 1e6);
            }
        }
    }
}

// Most soft bars stayed tangled with the law alone.
static void bars_of_any_stiffness_recover(void **state)
{
    (void)state;
    const double youngs[] = {8e4, 2e5, 5e5, 1e9};
    for (int i = 0; i < SN_COUNT(youngs); ++i) {
        for (int seed = 0; seed < sn_test_share(3); ++seed) {
            expect_recovery(BAR, CONDENSED, SINEW_START_SCRAMBLED, seed, youngs[i]);
            expect_recovery(BAR, PAPER, SINEW_START_SCRAMBLED, seed, youngs[i]);
        }
    }
}

// Lost bodies drift, fall and turn as they did, however stiff they are.
static void momentum_stays(void **state)
{
    (void)state;
    const double youngs[] = {1e6, 1e10};
    for (int n = 0; n < 8; ++n) {
        SinewStart start = (SinewStart)(SINEW_START_MIRRORED + n % 4);
        SinewVoxelDef options = voxel_rig_options(SINEW_VOXEL_CONDENSED);
        SnStep step = {.dt = 0.01, .gravity = {0.0, -9.81, 0.0}};
        SinewStepReport report;
        SnMeasure before, after;
        VoxelRig rig;
        int steps = 0;
        voxel_rig_bar(4, youngs[n / 4], &options, &rig);
        sn_voxel_model.start(rig.body, start, (double[3]){1.0, 2.0, 3.0},
                             (double[3]){3.0, 1.0, 2.0});
        sn_voxel_model.measure(rig.body, &before);
        SnRigidMotion motion =
            sn_rigid_motion_of(rig.body->carried, rig.body->state.positions,
                               rig.body->state.velocities, rig.body->grid.vertex_count);
        for (; sn_voxel_lost(rig.body); ++steps) {
            assert_true(sn_voxel_model.step(rig.body, &step, &report, NULL) >= 0);
            assert_int_equal(report.rescues, 1);
        }
        sn_voxel_model.measure(rig.body, &after);
        SnRigidMotion then =
            sn_rigid_motion_of(rig.body->carried, rig.body->state.positions,
                               rig.body->state.velocities, rig.body->grid.vertex_count);
        print_message("start %d, %g Pa: %d steps\n", (int)start, youngs[n / 4], steps);
        assert_true(steps < SN_LOST_STEPS);
        for (int k = 0; k < 3; ++k) {
            double fall = step.gravity[k] * step.dt * steps * before.mass;
            // Cells turn a little beside the whole, and their mass matrices with them.
            assert_at_most(fabs(after.momentum[k] - before.mass * (k + 1) - fall),
                           5e-3 * before.mass);
            assert_at_most(fabs(then.spin[k] - motion.spin[k]),
                           1e-9 * before.mass * rig.body->size * rig.body->size);
        }
        voxel_rig_release(&rig);
    }
}

static double farthest_from_rest(const SinewBodyMesh *mesh)
{
    double worst = 0.0;
    for (int i = 0; i < 3 * mesh->vertex_count; ++i) {
        worst = fmax(worst, fabs(mesh->positions[i] - mesh->rest[i]));
    }
    return worst;
}

// Held at one end, by its corners or by points of its surface, a lost bar comes back in its place.
static void held_bodies_recover(void **state)
{
    (void)state;
    for (int n = 0; n < 2 * WAYS * 4; ++n) {
        SinewBodyDef def =
            lost_def(BAR, (Way)(n / 8), (SinewStart)(SINEW_START_MIRRORED + n % 4), 1);
        SinewPinDef pin = sinew_pin_def_default();
        SinewPinId pin_id;
        SinewBodyId body;
        SinewError error;
        SinewWorld *world = world_made(flying_world, &def, &body);
        pin.body = body;
        pin.within = region_box(-0.01, -1, -1, 0.01, 1, 1);
        pin.on_surface = n / 4 % 2;
        expect_done(sinew_world_add_pin(world, &pin, &pin_id, &error), &error);
        world_steps(world, 100, 0.01);
        SinewBodyMesh mesh = sinew_body_mesh(world, body);
        if (!(farthest_from_rest(&mesh) <= 0.008)) {
            fail_msg("run %d: %g m off", n, farthest_from_rest(&mesh));
        }
        sinew_world_destroy(world);
    }
}

// On the floor as in the air: what has lost its shape still touches.
static void floors_hold_lost_bodies(void **state)
{
    (void)state;
    for (int way = 0; way < LINEAR; ++way) {
        SinewBodyDef def = lost_def(BAR, (Way)way, SINEW_START_SCRAMBLED, 2);
        SinewBodyId body;
        SinewWorld *world = world_made(dropped_world, &def, &body);
        world_steps(world, 100, 0.01);
        SinewBodyMesh mesh = sinew_body_mesh(world, body);
        for (int v = 0; v < mesh.vertex_count; ++v) {
            assert_at_most(-0.01, mesh.positions[3 * v + 1]);
        }
        assert_at_most(mesh_shape_error(&mesh, 0.8), 0.02); // its weight is part of it
        sinew_world_destroy(world);
    }
}

static void bits_agree_and_steps_restore(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; ++way) {
        SinewBodyDef def = lost_def(BALL, (Way)way, SINEW_START_SCRAMBLED, 3);
        def.resolution = 8; // so that there are ranges to share
        world_bits_agree(flying_world, &def, 8, 3);
        world_steps_allocate_nothing(flying_world, &def, 2);
    }
}

// The edges' part of the potential: its gradient, and the matrix that belongs to it.
static void forces_and_matrix_are_the_edges(void **state)
{
    (void)state;
    SinewVoxelDef options = voxel_rig_options(SINEW_VOXEL_CONDENSED);
    VoxelRig rig;
    voxel_rig_bar(2, 1e6, &options, &rig);
    SnVoxelBody *body = rig.body;
    SinewStepReport report = {0};
    SnStep step = {.dt = 0.1};
    SnVoxelProblem problem = {.body = body,
                              .step = &step,
                              .report = &report,
                              .dynamic = true,
                              .exact = true,
                              .one_turn = true,
                              .share = 1.0,
                              .a_rate = 100.0,
                              .v_rate = 10.0};
    SnVoxelLost lost;
    size_t count = sn_voxel_dofs(body);
    double *d = body->room.move, *by = body->room.target, gradient = 0.0, curve = 0.0;
    sn_voxel_model.start(body, SINEW_START_SCRAMBLED, (double[3]){0}, (double[3]){0});
    sn_voxel_lost_begin(&problem, &lost);
    for (size_t i = 0; i < count; ++i) {
        by[i] = 0.1 * ((double)(i * 7 % 11) - 5.0);
    }
    double phi[3];
    for (int n = 0; n < 3; ++n) {
        for (size_t i = 0; i < count; ++i) {
            d[i] = (n - 1) * by[i];
        }
        phi[n] = sn_voxel_potential(&problem, d).phi;
    }
    memset(d, 0, count * sizeof *d);
    sn_voxel_potential(&problem, d);
    sn_voxel_system_make(&problem);
    sn_voxel_system_apply(&problem, by, body->room.direction);
    for (size_t i = 0; i < count; ++i) {
        gradient += body->room.residual[i] * by[i];
        curve += body->room.direction[i] * by[i];
    }
    // It is quadratic, so that differences are exact; products go through floats.
    assert_at_most(fabs(0.5 * (phi[2] - phi[0]) - gradient), 1e-9 * fabs(phi[1]));
    assert_at_most(fabs(phi[2] - 2.0 * phi[1] + phi[0] - curve), 1e-5 * curve);
    voxel_rig_release(&rig);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(starts_recover),
    cmocka_unit_test(bars_of_any_stiffness_recover),
    cmocka_unit_test(momentum_stays),
    cmocka_unit_test(held_bodies_recover),
    cmocka_unit_test(floors_hold_lost_bodies),
    cmocka_unit_test(bits_agree_and_steps_restore),
    cmocka_unit_test(forces_and_matrix_are_the_edges),
};

SN_TEST_GROUP(model_voxel_starts, tests);

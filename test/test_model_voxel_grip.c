// Pins that hold points of the surface of a voxel body: they stay to rounding, in steps and static
// solves of both modes; where they are too many, the corners are as least squares has them.
#include "support/test.h"

#include "base/random.h"
#include "model/voxel/grip.h"
#include "support/fail_allocator.h"
#include "support/voxel_rig.h"
#include "support/worlds.h"

#include <math.h>

enum { POINTS = 12, HELD = 5 };

// A bar of four by one by one cells, half empty, and points all over it, the first of them held.
typedef struct Rig {
    VoxelRig made;
    SnVoxelBody *body;
    double rest[3 * POINTS];
    void *points;
    SnAffine motion;
    SnStep step;
    SinewStepReport report;
} Rig;

static void make_rig(SinewVoxelMode mode, Rig *rig)
{
    SinewVoxelDef options = voxel_rig_options(mode);
    SnRandom random = {5};

    *rig = (Rig){.motion = sn_affine_identity()};
    options.tolerance = 1e-9;
    voxel_rig_bar(4, 1e6, &options, &rig->made);
    rig->body = rig->made.body;
    for (int p = 0; p < POINTS; ++p) {
        rig->rest[3 * p] = sn_random_between(&random, 0.0, p < HELD ? 0.9 : 3.9);
        rig->rest[3 * p + 1] = sn_random_between(&random, 0.0, 1.0);
        rig->rest[3 * p + 2] = p % 2 == 0 ? 0.0 : 0.6;
    }
    assert_int_equal(sn_voxel_points_create(rig->body, rig->rest, POINTS, &rig->points, NULL),
                     SINEW_OK);
    rig->step = (SnStep){.gravity = {0.0, 0.0, -9.81}, .pin_motions = &rig->motion};
}

static SinewStatus hold(Rig *rig, int count, SinewError *error)
{
    SnPin pin = {.axes = {true, true, true}, .points = rig->rest, .point_count = count};
    return sn_voxel_model.set_pins(rig->body, &pin, 1, error);
}

static void release_rig(Rig *rig)
{
    sn_voxel_points_destroy(rig->body, rig->points);
    voxel_rig_release(&rig->made);
}

// How far the first points are from where the motion puts them, and how far the others went.
static double find_gap(const Rig *rig, int held, double *out_rest)
{
    double x[3 * POINTS], worst = 0.0;
    *out_rest = 0.0;
    sn_voxel_points_place(rig->body, rig->points, x, NULL);
    for (int p = 0; p < POINTS; ++p) {
        double to[3];
        sn_affine_apply(&rig->motion, rig->rest + 3 * p, to);
        for (int k = 0; k < 3; ++k) {
            double gap = fabs(x[3 * p + k] - to[k]);
            worst = p < held ? fmax(worst, gap) : worst;
            *out_rest = p < held ? *out_rest : fmax(*out_rest, gap);
        }
    }
    return worst;
}

static void turn_and_move(Rig *rig, double angle)
{
    double c = cos(angle), s = sin(angle);
    rig->motion = (SnAffine){{c, -s, 0.0, 0.3, s, c, 0.0, 0.0, 0.0, 0.0, 1.0, 0.1 * angle}};
}

static void held_points_stay_in_steps(void **state)
{
    (void)state;
    for (int mode = 0; mode < 2; ++mode) {
        Rig rig;
        double others, force = 0.0;
        make_rig((SinewVoxelMode)mode, &rig);
        assert_int_equal(hold(&rig, HELD, NULL), SINEW_OK);
        rig.step.dt = 0.01;
        for (int n = 0; n < 60; ++n) {
            turn_and_move(&rig, 0.01 * n);
            assert_in_range(sn_voxel_model.step(rig.body, &rig.step, &rig.report, NULL), SINEW_OK,
                            SINEW_NOT_CONVERGED);
            // Rounding of coordinates of a few metres, and of cells that are put together.
            assert_at_most(find_gap(&rig, HELD, &others), 1e-12);
            force += rig.body->state.pins[14] / 60.0;
        }
        assert_true(others > 1e-4); // they hang down
        // On the whole the pin bears the weight of 2400 kg.
        assert_at_most(fabs(force / (2400.0 * 9.81) - 1.0), 0.3);
        release_rig(&rig);
    }
}

static void held_points_stay_in_static_solves(void **state)
{
    (void)state;
    for (int mode = 0; mode < 2; ++mode) {
        Rig rig;
        SnMeasure measure;
        SinewError error;
        double others, wrench[6];
        make_rig((SinewVoxelMode)mode, &rig);
        assert_int_equal(hold(&rig, HELD, NULL), SINEW_OK);
        turn_and_move(&rig, 0.4);
        expect_done(sn_voxel_model.solve_static(rig.body, &rig.step, &rig.report, &error), &error);
        assert_at_most(find_gap(&rig, HELD, &others), 1e-12); // rounding
        assert_true(others > 1e-3);
        sn_voxel_model.measure(rig.body, &measure);
        sn_voxel_model.reaction(rig.body, 0, wrench);
        // Forces balance to the solve's tolerance, and so do moments, but for mode paper, whose
        // forces make moments of their own.
        assert_at_most(fabs(wrench[2] - 9.81 * measure.mass), 1e-6 * 9.81 * measure.mass);
        assert_at_most(fabs(wrench[0]) + fabs(wrench[1]), 1e-6 * 9.81 * measure.mass);
        if (mode == SINEW_VOXEL_CONDENSED) {
            assert_at_most(fabs(wrench[4] + 9.81 * measure.mass * measure.mass_center[0]),
                           1e-6 * 9.81 * measure.mass * 4.0);
        }
        release_rig(&rig);
    }
}

// Least squares ----------------------------------------------------------------------------------

enum { CORNERS = 8 };

// x for which |A x - b| is smallest by Householder's reflections; A has POINTS rows and full rank.
// Both are overwritten.
static void solve_by_reflections(double A[POINTS][CORNERS], double b[POINTS], double x[CORNERS])
{
    for (int k = 0; k < CORNERS; ++k) {
        double v[POINTS] = {0.0}, square = 0.0, norm = 0.0;
        for (int r = k; r < POINTS; ++r) {
            norm += A[r][k] * A[r][k];
            v[r] = A[r][k];
        }
        v[k] += v[k] > 0.0 ? sqrt(norm) : -sqrt(norm);
        for (int r = k; r < POINTS; ++r) {
            square += v[r] * v[r];
        }
        for (int c = k; c <= CORNERS; ++c) {
            double along = 0.0;
            for (int r = k; r < POINTS; ++r) {
                along += v[r] * (c < CORNERS ? A[r][c] : b[r]);
            }
            for (int r = k; r < POINTS; ++r) {
                *(c < CORNERS ? &A[r][c] : &b[r]) -= 2.0 * along / square * v[r];
            }
        }
    }
    for (int k = CORNERS - 1; k >= 0; --k) {
        x[k] = b[k];
        for (int c = k + 1; c < CORNERS; ++c) {
            x[k] -= A[k][c] * x[c];
        }
        x[k] /= A[k][k];
    }
}

// Twelve points in one trilinear cell, and places for them that no motion of its corners has.
static void too_many_points_are_met_as_well_as_can_be(void **state)
{
    (void)state;
    Rig rig;
    SnRandom random = {8};
    make_rig(SINEW_VOXEL_PAPER, &rig);
    SnVoxelBody *body = rig.body;
    for (int i = 0; i < 3 * POINTS; ++i) {
        rig.rest[i] = sn_random_between(&random, 0.0, i % 3 == 2 ? 0.6 : 1.0);
    }
    assert_int_equal(hold(&rig, POINTS, NULL), SINEW_OK);
    SnVoxelProblem problem = {
        .body = body, .step = &rig.step, .report = &rig.report, .largest = 4.0};
    double *d = calloc(sn_voxel_dofs(body), sizeof *d), moves[3 * POINTS];
    memcpy(body->room.base, body->state.rotations,
           9 * (size_t)body->grid.cell_count * sizeof(double));
    for (int i = 0; i < 3 * POINTS; ++i) {
        moves[i] = sn_random_between(&random, -0.1, 0.1);
        body->pins.grip.targets[i] = rig.rest[i] + moves[i];
    }
    assert_true(sn_voxel_grip_settle(&problem, false, d, d));
    assert_int_equal(body->pins.grip.inverse.rank, 3 * CORNERS);
    for (int axis = 0; axis < 3; ++axis) {
        double A[POINTS][CORNERS], b[POINTS], x[CORNERS];
        for (int p = 0; p < POINTS; ++p) {
            double u[3];
            for (int k = 0; k < 3; ++k) {
                u[k] = (rig.rest[3 * p + k] - body->grid.origin[k]) / body->grid.edge;
            }
            sn_voxel_weights(u, A[p]);
            b[p] = moves[3 * p + axis];
        }
        solve_by_reflections(A, b, x);
        for (int c = 0; c < CORNERS; ++c) {
            // Rounding, as often as the weights' condition, some hundreds, has it.
            assert_at_most(fabs(d[3 * body->grid.corners[c] + axis] - x[c]), 1e-11);
        }
    }
    free(d);
    release_rig(&rig);
}

// Worlds -----------------------------------------------------------------------------------------

// A ball held by its upper surface, which turns.
static SinewWorld *hang_ball(const SinewAllocator *allocator, int workers, SinewVoxelMode mode,
                             int resolution, SinewBodyId *out_body, SinewError *error)
{
    SinewWorldDef world_def = sinew_world_def_default();
    SinewBodyDef def = sinew_body_def_default();
    SinewPinDef pin = sinew_pin_def_default();
    SinewPinId pin_id;
    SinewWorld *world = NULL;
    world_def.worker_count = workers;
    world_def.allocator = allocator != NULL ? *allocator : (SinewAllocator){0};
    def.shape.kind = SINEW_SHAPE_SPHERE;
    def.shape.radius = 0.3;
    def.resolution = resolution;
    def.model = SINEW_MODEL_VOXEL;
    def.voxel.mode = mode;
    def.voxel.fine_levels = 1;
    def.material.young = 1e5;
    pin.within = region_box(-0.15, 0.2, -0.15, 0.15, 1.0, 0.15);
    pin.on_surface = 1;
    if (sinew_world_create(&world_def, &world, error) < 0) {
        return NULL;
    }
    if (sinew_world_add_body(world, &def, out_body, error) < 0) {
        sinew_world_destroy(world);
        return NULL;
    }
    pin.body = *out_body;
    if (sinew_world_add_pin(world, &pin, &pin_id, error) < 0) {
        sinew_world_destroy(world);
        return NULL;
    }
    return world;
}

static void bits_are_the_same_for_any_workers(void **state)
{
    (void)state;
    for (int mode = 0; mode < 2; ++mode) {
        uint64_t first = 0;
        for (int workers = 1; workers <= 3; ++workers) {
            SinewBodyId body;
            SinewError error;
            SinewWorld *world = hang_ball(NULL, workers, (SinewVoxelMode)mode, 3, &body, &error);
            assert_non_null(world);
            world_steps(world, 4, 0.02);
            first = workers == 1 ? world_hash(world, body) : first;
            assert_true(world_hash(world, body) == first);
            sinew_world_destroy(world);
        }
    }
}

static SinewStatus build(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SinewBodyId body;
    SinewWorld *world = hang_ball(allocator, 1, SINEW_VOXEL_PAPER, 1, &body, error);
    (void)context;
    if (world == NULL) {
        return error->status;
    }
    SinewStatus status = sinew_world_solve_static(world, 1.0, 0.0, error);
    sinew_world_destroy(world);
    return status;
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    assert_true(sn_fail_each_allocation(build, NULL) > 50);
}

static void expect_refusal(SinewModelKind model, double from, SinewStatus expected,
                           const char *words)
{
    SinewWorld *world = world_make(1);
    SinewBodyDef def = sinew_body_def_default();
    SinewPinDef pin = sinew_pin_def_default();
    SinewPinId pin_id;
    SinewError error = {0};
    def.shape.kind = SINEW_SHAPE_SPHERE;
    def.shape.radius = 1.0;
    def.resolution = 3;
    def.model = model;
    expect_done(sinew_world_add_body(world, &def, &pin.body, &error), &error);
    pin.within = region_box(from, -2.0, -2.0, 2.0, 2.0, 2.0);
    pin.on_surface = 1;
    assert_int_equal(sinew_world_add_pin(world, &pin, &pin_id, &error), expected);
    if (strstr(error.text, words) == NULL) {
        fail_msg("\"%s\" has no \"%s\"", error.text, words);
    }
    sinew_world_destroy(world);
}

static void refusals_are_sentences(void **state)
{
    (void)state;
    expect_refusal(SINEW_MODEL_NEWTON, 0.0, SINEW_ERROR_UNSUPPORTED,
                   "expected 0 with the model newton");
    expect_refusal(SINEW_MODEL_VOXEL, 1.5, SINEW_ERROR_ARGUMENT, "none of the surface's");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(held_points_stay_in_steps),
    cmocka_unit_test(held_points_stay_in_static_solves),
    cmocka_unit_test(too_many_points_are_met_as_well_as_can_be),
    cmocka_unit_test(bits_are_the_same_for_any_workers),
    cmocka_unit_test(every_allocation_fails_once),
    cmocka_unit_test(refusals_are_sentences),
};

SN_TEST_GROUP(model_voxel_grip, tests);

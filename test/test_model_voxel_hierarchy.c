// Coarser cells over a body's own: motions they carry, what their matrices are for them, a cycle
// that is symmetric, and solves that need no more iterations where there are more cells.
#include "support/test.h"

#include "model/voxel/system.h"
#include "support/dropped.h"
#include "support/fail_allocator.h"
#include "support/voxel_rig.h"

#include <math.h>

// A ball, held at its lowest cells.
typedef struct Ball {
    VoxelRig made;
    SnVoxelBody *body;
    SnAffine still;
    SnStep step;
    SinewStepReport report;
} Ball;

static void make_ball(int resolution, SinewVoxelSolver solver, SnWorkers *workers, Ball *ball)
{
    static const SnShape shape = {.kind = SN_SHAPE_SPHERE, .sphere = {{0.0, 0.0, 0.0}, 0.5}};
    static const SinewRegion low = {
        .kind = SINEW_REGION_BOX, .min = {-1.0, -1.0, -1.0}, .max = {1.0, -0.4, 1.0}};
    const SnPin pin = {.region = &low, .axes = {true, true, true}};
    SinewVoxelDef options = voxel_rig_options(SINEW_VOXEL_CONDENSED);
    VoxelRigDef def = {.shape = &shape,
                       .resolution = resolution,
                       .young = 1e5,
                       .options = &options,
                       .workers = workers};
    *ball = (Ball){.still = sn_affine_identity()};
    options.fine_levels = 0;
    options.solver = solver;
    voxel_rig_make(&def, &ball->made);
    ball->body = ball->made.body;
    assert_int_equal(sn_voxel_model.set_pins(ball->body, &pin, 1, NULL), SINEW_OK);
    ball->step =
        (SnStep){.gravity = {1.0, -4.0, 0.0}, .pin_motions = &ball->still, .workers = workers};
}

static void release_ball(Ball *ball)
{
    voxel_rig_release(&ball->made);
}

// The matrix of a static solve with all cells turned, and what is held as `held` says.
static SnVoxelOperator make_matrix(Ball *ball, bool held)
{
    SnVoxelBody *body = ball->body;
    SnVoxelProblem problem = {
        .body = body, .step = &ball->step, .report = &ball->report, .exact = true, .share = 1.0};
    const double R[9] = {0.6, -0.8, 0.0, 0.8, 0.6, 0.0, 0.0, 0.0, 1.0};
    for (int e = 0; e < body->grid.cell_count; ++e) {
        memcpy(body->room.poses[e].rotation, R, sizeof R);
    }
    sn_voxel_system_make(&problem);
    for (int i = 0; i < 4 * body->grid.vertex_count; ++i) {
        bool is_held = held && i % 4 < 3 && sn_voxel_holds(body, (size_t)(i / 4 * 3 + i % 4));
        body->system.level.free[i] = i % 4 < 3 && !is_held ? 1.0f : 0.0f;
    }
    return (SnVoxelOperator){.level = &body->system.level};
}

// Energies of motions of coarser vertices are those of the finer ones that follow, and a rigid
// motion of the turned body has none on any level.
static void coarser_cells_are_the_finer_ones(void **state)
{
    (void)state;
    Ball ball;
    make_ball(7, SINEW_VOXEL_MULTILEVEL, NULL, &ball);
    SnVoxelHierarchy *h = ball.body->system.hierarchy;
    assert_non_null(h);
    SnVoxelOperator finest = make_matrix(&ball, false);
    assert_int_equal(sn_voxel_hierarchy_make(h, &finest, NULL, NULL), SINEW_OK);
    const SnVoxelStage *stage = &h->stages[0];
    const SnVoxelLevel *fine = finest.level, *coarse = &stage->level;
    assert_true(coarse->cell_count < fine->cell_count / 3);
    for (int v = 0; v < coarse->vertex_count; ++v) {
        for (int k = 0; k < 3; ++k) {
            coarse->p[4 * v + k] = (float)((7 * v + 3 * k) % 11) - 5.0f;
        }
    }
    memset(fine->p, 0, 4 * (size_t)fine->vertex_count * sizeof(float));
    for (int i = 0; i < 8 * fine->vertex_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            fine->p[i / 8 * 4 + k] += stage->shares[i] * coarse->p[4 * stage->nodes[i] + k];
        }
    }
    SnVoxelOperator own = {.level = coarse};
    double from_fine = sn_voxel_operator_apply(&finest, NULL);
    double from_coarse = sn_voxel_operator_apply(&own, NULL);
    assert_true(from_fine > 0.0);
    assert_at_most(fabs(from_coarse / from_fine - 1.0), 1e-5); // of floats
    release_ball(&ball);
}

// A turn about the z axis of the turned body, by the places of its cells.
static void rigid_motions_cost_nothing(void **state)
{
    (void)state;
    Ball ball;
    make_ball(7, SINEW_VOXEL_MULTILEVEL, NULL, &ball);
    SnVoxelHierarchy *h = ball.body->system.hierarchy;
    SnVoxelOperator finest = make_matrix(&ball, false);
    assert_int_equal(sn_voxel_hierarchy_make(h, &finest, NULL, NULL), SINEW_OK);
    const SnVoxelLevel *coarse = &h->stages[0].level;
    double plain = 0.0, turned = 0.0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < 8 * coarse->cell_count; ++i) {
            const int *place = h->stages[0].places + 3 * (size_t)(i / 8);
            double x = place[0] + (i >> 2 & 1), y = place[1] + (i >> 1 & 1);
            double wx = 0.6 * x - 0.8 * y, wy = 0.8 * x + 0.6 * y;
            float *p = coarse->p + 4 * (size_t)coarse->corners[i];
            p[0] = (float)(pass == 0 ? -wy : wy); // a turn, or a shear of the same size
            p[1] = (float)wx;
            p[2] = 0.0f;
        }
        SnVoxelOperator own = {.level = coarse};
        double energy = sn_voxel_operator_apply(&own, NULL);
        turned = pass == 0 ? energy : turned;
        plain = pass == 1 ? energy : plain;
    }
    assert_true(plain > 0.0);
    assert_at_most(fabs(turned), 1e-5 * plain); // of floats
    release_ball(&ball);
}

// The product with the whole derivative is the slope of the forces.
static void tangents_are_slopes_of_forces(void **state)
{
    (void)state;
    Ball ball;
    make_ball(4, SINEW_VOXEL_MULTILEVEL, NULL, &ball);
    SnVoxelBody *body = ball.body;
    const SnVoxelLevel *level = &body->system.level;
    size_t count = sn_voxel_dofs(body);
    double *d = malloc(3 * count * sizeof *d), *above = d + count, *at = above + count;
    double step = 1e-6, largest = 0.0, off = 0.0;
    ball.step.gravity[0] = ball.step.gravity[1] = 0.0;
    SnVoxelProblem problem = {
        .body = body, .step = &ball.step, .report = &ball.report, .exact = true, .share = 1.0};
    memcpy(body->room.base, body->state.rotations,
           9 * (size_t)body->grid.cell_count * sizeof(double));
    for (size_t i = 0; i < count; ++i) {
        double X = body->grid.rest[i / 3 * 3], Y = body->grid.rest[i / 3 * 3 + 1];
        double bend = i % 3 == 0 ? -0.4 * Y * Y : i % 3 == 1 ? 0.5 * X * Y : 0.2 * X;
        at[i] = bend + 0.01 * (double)(i % 7);
    }
    for (int side = 0; side < 2; ++side) {
        for (size_t i = 0; i < count; ++i) {
            d[i] = at[i] + (side == 0 ? step : -step) * (double)(i * 5 % 9);
        }
        sn_voxel_potential(&problem, d);
        for (size_t i = 0; i < count; ++i) {
            above[i] = (side == 0 ? 0.0 : above[i]) +
                       (side == 0 ? 0.5 : -0.5) / step * body->room.residual[i];
        }
    }
    sn_voxel_potential(&problem, at);
    sn_voxel_system_make(&problem);
    sn_voxel_tangent_prepare(&problem);
    SnVoxelOperator whole = {.level = level, .cells = sn_voxel_tangent_apply, .context = &problem};
    for (size_t i = 0; i < count; ++i) {
        level->p[i / 3 * 4 + i % 3] = (float)(i * 5 % 9);
        level->free[i / 3 * 4 + i % 3] = 1.0f;
    }
    sn_voxel_operator_apply(&whole, NULL);
    for (size_t i = 0; i < count; ++i) {
        largest = fmax(largest, fabs(above[i]));
        off = fmax(off, fabs(above[i] - (double)level->q[i / 3 * 4 + i % 3]));
    }
    assert_at_most(off, 1e-5 * largest); // of floats
    free(d);
    release_ball(&ball);
}

static double run_cycle(const SnVoxelHierarchy *h, const SnVoxelOperator *finest, int kind,
                        float *out)
{
    const SnVoxelLevel *level = finest->level;
    double sum = 0.0;
    for (int i = 0; i < 4 * level->vertex_count; ++i) {
        level->r[i] = (float)((kind + 5) * i % 17 - 8) * level->free[i];
        out[i] = level->r[i];
    }
    sn_voxel_hierarchy_cycle(h, finest, NULL);
    for (int i = 0; i < 4 * level->vertex_count; ++i) {
        sum += (double)out[i] * (double)level->x[i];
    }
    return sum;
}

static void cycles_are_symmetric_and_positive(void **state)
{
    (void)state;
    Ball ball;
    make_ball(12, SINEW_VOXEL_MULTILEVEL, NULL, &ball);
    SnVoxelHierarchy *h = ball.body->system.hierarchy;
    SnVoxelOperator finest = make_matrix(&ball, true);
    size_t count = 4 * (size_t)finest.level->vertex_count;
    float *a = malloc(count * sizeof *a), *b = malloc(count * sizeof *b);
    double ab = 0.0, ba = 0.0;
    assert_int_equal(sn_voxel_hierarchy_make(h, &finest, NULL, NULL), SINEW_OK);
    assert_true(h->count > 1);
    assert_true(run_cycle(h, &finest, 0, a) > 0.0);
    assert_true(run_cycle(h, &finest, 2, b) > 0.0);
    for (size_t i = 0; i < count; ++i) {
        ab += (double)a[i] * (double)finest.level->x[i];
    }
    run_cycle(h, &finest, 0, a);
    for (size_t i = 0; i < count; ++i) {
        ba += (double)b[i] * (double)finest.level->x[i];
        if (finest.level->free[i] == 0.0f) {
            assert_true(finest.level->x[i] == 0.0f); // held, or no component
        }
    }
    assert_at_most(fabs(ab - ba), 1e-4 * fabs(ab)); // sums of floats of both signs
    free(a);
    free(b);
    release_ball(&ball);
}

// Static solves end where those by a factor do, with as many iterations a linearisation for some
// hundred cells as for some thousand.
static void solves_agree_and_stay_flat(void **state)
{
    (void)state;
    const int resolutions[2] = {8, 18};
    double counts[2];
    for (int i = 0; i < 2; ++i) {
        Ball ball, direct;
        double far = 0.0, off = 0.0;
        make_ball(resolutions[i], SINEW_VOXEL_MULTILEVEL, NULL, &ball);
        SinewStatus status = sn_voxel_model.solve_static(ball.body, &ball.step, &ball.report, NULL);
        assert_int_equal(status, SINEW_OK);
        counts[i] = (double)ball.report.linear_solves / ball.report.iterations;
        if (i == 0) {
            make_ball(resolutions[i], SINEW_VOXEL_DIRECT, NULL, &direct);
            assert_null(direct.body->system.hierarchy);
            status = sn_voxel_model.solve_static(direct.body, &direct.step, &direct.report, NULL);
            assert_int_equal(status, SINEW_OK);
            for (size_t k = 0; k < sn_voxel_dofs(ball.body); ++k) {
                double x = ball.body->state.positions[k];
                far = fmax(far, fabs(x - ball.body->grid.rest[k]));
                off = fmax(off, fabs(x - direct.body->state.positions[k]));
            }
            assert_true(far > 0.01);
            assert_at_most(off, 1e-4 * far); // residuals of 1e-6 of the forces
            release_ball(&direct);
        }
        release_ball(&ball);
    }
    assert_at_most(counts[0], 8.0); // four to five are usual
    assert_at_most(counts[1], counts[0] + 2.0);
}

// Worlds -----------------------------------------------------------------------------------------

// On the floor, so that points in contact are part of all matrices.
static SinewBodyDef dropped_def(SinewVoxelSolver solver)
{
    SinewBodyDef def = dropped_ball_def(SINEW_MODEL_VOXEL, 6);
    def.shape.center[1] = 0.302;
    def.voxel.fine_levels = 0;
    def.voxel.solver = solver;
    def.material.young = 1e5;
    return def;
}

static void bits_are_the_same_for_any_workers(void **state)
{
    (void)state;
    SinewBodyDef def = dropped_def(SINEW_VOXEL_MULTILEVEL);
    world_bits_agree(dropped_world, &def, 4, 3);
}

static void steps_agree_for_any_solver(void **state)
{
    (void)state;
    const SinewVoxelSolver solvers[2] = {SINEW_VOXEL_MULTILEVEL, SINEW_VOXEL_DIRECT};
    double energies[2][6];
    for (int n = 0; n < 2; ++n) {
        SinewBodyDef def = dropped_def(solvers[n]);
        SinewBodyId body;
        SinewWorld *world = world_made(dropped_world, &def, &body);
        SinewProbeId probe = world_probe(world, body, SINEW_REPORT_ENERGY);
        world_steps(world, 4, 0.02);
        world_read(world, probe, energies[n]);
        sinew_world_destroy(world);
    }
    assert_true(energies[1][1] > 0.0);
    for (int i = 0; i < 2; ++i) {
        // Steps of 1e-6 of the forces.
        assert_at_most(fabs(energies[0][i] - energies[1][i]), 1e-4 * fabs(energies[1][i]));
    }
}

static void steps_allocate_nothing_and_restore(void **state)
{
    (void)state;
    SinewBodyDef def = dropped_def(SINEW_VOXEL_MULTILEVEL);
    world_steps_allocate_nothing(dropped_world, &def, 2);
}

typedef struct Levels {
    const SnVoxelLevel *level;
    const int *places;
} Levels;

static SinewStatus build(const SinewAllocator *allocator, void *context, SinewError *error)
{
    const Levels *levels = context;
    SnVoxelHierarchy *hierarchy = NULL;
    SinewStatus status =
        sn_voxel_hierarchy_create(levels->level, levels->places, allocator, &hierarchy, error);
    assert_true((hierarchy != NULL) == (status == SINEW_OK));
    sn_voxel_hierarchy_destroy(hierarchy);
    return status;
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    Ball ball;
    make_ball(8, SINEW_VOXEL_DIRECT, NULL, &ball);
    Levels levels = {&ball.body->system.level, ball.body->grid.places};
    assert_true(sn_fail_each_allocation(build, &levels) > 20);
    release_ball(&ball);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(coarser_cells_are_the_finer_ones),
    cmocka_unit_test(rigid_motions_cost_nothing),
    cmocka_unit_test(tangents_are_slopes_of_forces),
    cmocka_unit_test(cycles_are_symmetric_and_positive),
    cmocka_unit_test(solves_agree_and_stay_flat),
    cmocka_unit_test(bits_are_the_same_for_any_workers),
    cmocka_unit_test(steps_agree_for_any_solver),
    cmocka_unit_test(steps_allocate_nothing_and_restore),
    cmocka_unit_test(every_allocation_fails_once),
};

SN_TEST_GROUP(model_voxel_hierarchy, tests);

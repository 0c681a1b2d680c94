// Many points at once, in float: they are where the few are that go in double, whatever their order
// and wherever the body is; the same bits for any workers; every allocation failing once.
#include "support/test.h"

#include "base/random.h"
#include "model/voxel/potential.h"
#include "support/fail_allocator.h"
#include "support/voxel_rig.h"

#include <float.h>
#include <math.h>

enum { POINTS = 700, CELLS = 3 };

// Points in and around a bar, in no order.
static void scatter(double rest[3 * POINTS])
{
    SnRandom random = {3};
    for (int p = 0; p < POINTS; ++p) {
        rest[3 * p] = sn_random_between(&random, -0.1, CELLS + 0.1);
        rest[3 * p + 1] = sn_random_between(&random, -0.1, 1.1);
        rest[3 * p + 2] = sn_random_between(&random, 0.0, 0.8);
    }
}

// Turned, bent and shaken, and `far` away; cells have turned about as much the step before.
static void pose(SnVoxelBody *body, double far)
{
    const double turned[9] = {0.6, -0.8, 0.0, 0.8, 0.6, 0.0, 0.0, 0.0, 1.0};
    SnRandom random = {11};
    for (size_t e = 0; e < (size_t)body->grid.cell_count; ++e) {
        memcpy(body->state.rotations + 9 * e, turned, sizeof turned);
    }
    for (int v = 0; v < body->grid.vertex_count; ++v) {
        const double *X = body->grid.rest + 3 * (size_t)v;
        double *x = body->state.positions + 3 * (size_t)v;
        x[0] = far + 0.6 * X[0] - 0.8 * X[1] + sn_random_between(&random, -0.05, 0.05);
        x[1] = -far + 0.8 * X[0] + 0.6 * X[1] + sn_random_between(&random, -0.05, 0.05);
        x[2] = X[2] + 0.1 * X[0] * X[0];
    }
}

static void many_points_are_where_few_are(void **state)
{
    (void)state;
    static double rest[3 * POINTS], many[3 * POINTS];
    scatter(rest);
    for (int pass = 0; pass < 4; ++pass) {
        VoxelRig rig;
        SinewVoxelDef options = voxel_rig_options((SinewVoxelMode)(pass % 2));
        void *points = NULL;
        int outside = 0;
        voxel_rig_bar(CELLS, 1e4, &options, &rig);
        pose(rig.body, pass < 2 ? 0.0 : 1e5);
        assert_int_equal(sn_voxel_points_create(rig.body, rest, POINTS, &points, NULL), SINEW_OK);
        sn_voxel_points_place(rig.body, points, many, NULL);
        for (int p = 0; p < POINTS; ++p) {
            double one[3];
            void *single = NULL;
            assert_int_equal(sn_voxel_points_create(rig.body, rest + 3 * p, 1, &single, NULL),
                             SINEW_OK);
            sn_voxel_points_place(rig.body, single, one, NULL);
            outside += sn_voxel_points_distance(single, 0) > 0.0;
            for (int k = 0; k < 3; ++k) {
                // Sums of 24 products of about 1 m, which is also how far from the middle they are.
                assert_at_most(fabs(one[k] - many[3 * p + k]), 16.0 * (double)FLT_EPSILON);
            }
            sn_voxel_points_destroy(rig.body, single);
        }
        assert_true(outside > POINTS / 20 && outside < POINTS / 2);
        sn_voxel_points_destroy(rig.body, points);
        voxel_rig_release(&rig);
    }
}

static void place_with(int worker_count, const double *rest, double *out_x)
{
    static const SnShape shape = {.kind = SN_SHAPE_SPHERE, .sphere = {{1.5, 0.5, 0.4}, 1.0}};
    VoxelRig rig;
    VoxelRigDef def = {.shape = &shape, .resolution = 8};
    void *points = NULL;
    assert_int_equal(sn_workers_create(NULL, NULL, worker_count, &def.workers, NULL), SINEW_OK);
    voxel_rig_make(&def, &rig);
    pose(rig.body, 1.0);
    assert_int_equal(sn_voxel_points_create(rig.body, rest, POINTS, &points, NULL), SINEW_OK);
    sn_voxel_points_place(rig.body, points, out_x, NULL);
    sn_voxel_points_destroy(rig.body, points);
    voxel_rig_release(&rig);
    sn_workers_destroy(def.workers);
}

static void bits_are_the_same_for_any_workers(void **state)
{
    (void)state;
    static const int counts[] = {2, 3, 8};
    static double rest[3 * POINTS], alone[3 * POINTS], shared[3 * POINTS];
    scatter(rest);
    place_with(1, rest, alone);
    for (int c = 0; c < SN_COUNT(counts); ++c) {
        place_with(counts[c], rest, shared);
        assert_memory_equal(alone, shared, sizeof alone);
    }
}

typedef struct Making {
    SnVoxelBody *body;
    const double *rest;
} Making;

static SinewStatus make_points(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const Making *making = context;
    SinewAllocator kept = making->body->allocator;
    void *points = NULL;
    making->body->allocator = *allocator;
    SN_TRY(sn_voxel_points_create(making->body, making->rest, POINTS, &points, error));
    sn_voxel_points_destroy(making->body, points);

done:
    making->body->allocator = kept;
    return status;
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    static double rest[3 * POINTS];
    VoxelRig rig;
    scatter(rest);
    voxel_rig_bar(CELLS, 1e4, NULL, &rig);
    Making making = {rig.body, rest};
    assert_true(sn_fail_each_allocation(make_points, &making) > 30);
    voxel_rig_release(&rig);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(many_points_are_where_few_are),
    cmocka_unit_test(bits_are_the_same_for_any_workers),
    cmocka_unit_test(every_allocation_fails_once),
};

SN_TEST_GROUP(model_voxel_skin, tests);

// The points at which forces depend on places, of all models: how they are made, and that those
// which cannot touch are left out without a trace.
#include "support/test.h"

#include "support/worlds.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

static const SnModel *const models[] = {&sn_newton_model,  &sn_split_model, &sn_tetmg_model,
                                        &sn_lattice_model, &sn_voxel_model, &sn_frames_model};
static const SinewModelKind kinds[] = {SINEW_MODEL_NEWTON,  SINEW_MODEL_SPLIT, SINEW_MODEL_TETMG,
                                       SINEW_MODEL_LATTICE, SINEW_MODEL_VOXEL, SINEW_MODEL_FRAMES};

// A ball of 5 cm, resolution 6, whose lowest point is at y = 0.
static SinewBodyDef ball_def(int model)
{
    SinewBodyDef def = sinew_body_def_default();
    def.shape.kind = SINEW_SHAPE_SPHERE;
    def.shape.radius = 0.05;
    def.shape.center[1] = 0.05;
    def.resolution = 6;
    def.model = kinds[model];
    def.frames.count = 4;
    return def;
}

static SinewBodyId add_ball(SinewWorld *world, int model, const SnModel *table)
{
    SinewError error;
    SinewBodyDef def = ball_def(model);
    SinewBodyId id;
    expect_done(sn_world_add_body_with(world, table, &def, &id, &error), &error);
    return id;
}

// One point, at the top.
static SinewAttachmentId attach_top(SinewWorld *world, SinewBodyId body, double stiffness)
{
    SinewError error;
    SinewAttachmentDef def = sinew_attachment_def_default();
    const double top[3] = {0.0, 0.099, 0.0};
    SinewAttachmentId id;
    def.body = body;
    def.points = top;
    def.point_count = 1;
    def.stiffness = stiffness;
    expect_done(sinew_world_add_attachment(world, &def, &id, &error), &error);
    return id;
}

// Making -----------------------------------------------------------------------------------------

static const SnModel *counted_model;
static int located;

static SinewStatus count_points(const void *body, const double *rest, int count, void **out_points,
                                SinewError *error)
{
    located += count;
    return counted_model->points_create(body, rest, count, out_points, error);
}

static void adding_locates_its_own_points_alone(void **state)
{
    (void)state;
    for (int m = 0; m < SN_COUNT(models); ++m) {
        SinewError error;
        SinewWorld *world = world_make(1);
        SnModel table = *models[m];
        counted_model = models[m];
        table.points_create = count_points;
        SinewBodyId body = add_ball(world, m, &table);
        located = 0;
        SinewAttachmentId id = attach_top(world, body, 100.0);
        assert_int_equal(located, 1);
        world_add_floor(world, 0.0);
        assert_int_equal(located, 1);
        attach_top(world, body, 100.0);
        assert_int_equal(located, 2);
        expect_done(sinew_world_remove_attachment(world, id, &error), &error);
        assert_int_equal(located, 2);
        world_steps(world, 1, 0.01);
        sinew_world_destroy(world);
    }
}

// Without a collider only attached points are looked at.
static void nothing_but_ties_acts_without_colliders(void **state)
{
    (void)state;
    for (int m = 0; m < SN_COUNT(models); ++m) {
        SinewError error;
        SinewWorld *world = world_make(1);
        SinewBodyId id = add_ball(world, m, models[m]);
        const SnForcePoints *points = &SN_BODIES(world, 0)->force_points;
        assert_null(points->points);
        attach_top(world, id, 100.0);
        assert_int_equal(points->tie_count, 1);
        assert_int_equal(points->contact_count, 0);
        SinewColliderId floor = world_add_floor(world, 0.0);
        assert_int_equal(points->tie_count, 1);
        assert_true(points->contact_count > 100);
        expect_done(sinew_world_remove_collider(world, floor, &error), &error);
        assert_int_equal(points->tie_count, 1);
        assert_int_equal(points->contact_count, 0);
        sinew_world_destroy(world);
    }
}

// Points of a joined set are where those of its parts are. Large sets of voxel are placed in float
// where they are shown, to some 1e-7 of the body.
static void joined_points_are_where_they_were(void **state)
{
    (void)state;
    for (int m = 0; m < SN_COUNT(models); ++m) {
        SinewError error;
        SinewWorld *world = world_make(1);
        SinewBodyId id = add_ball(world, m, models[m]);
        attach_top(world, id, 2000.0);
        world_add_floor(world, 0.01);
        world_steps(world, 3, 0.005);
        const SnBody *body = SN_BODIES(world, 0);
        const SnModel *model = body->model;
        const SnWorldAttachment *tie = SN_ITEMS(body->attachments, SnWorldAttachment *)[0];
        enum { COUNT = 8 };
        const int picked[COUNT] = {0, 100, 7, 7, 50, 3, 200, 1};
        SnPointPart parts[2] = {{tie->points, NULL, 1}, {body->surface.points, picked, COUNT}};
        void *joined = NULL;
        double x[3 * (COUNT + 1)], one[3];
        expect_done(model->points_join(body->state, parts, 2, &joined, &error), &error);
        model->points_place(body->state, joined, x, NULL);
        model->points_place(body->state, tie->points, one, NULL);
        assert_memory_equal(x, one, sizeof one);
        for (int p = 0; p < COUNT; ++p) {
            for (int k = 0; k < 3; ++k) {
                double there = body->surface.x[3 * (size_t)picked[p] + (size_t)k];
                double tolerance = models[m] == &sn_voxel_model ? 1e-7 : 0.0;
                assert_at_most(fabs(x[3 * (p + 1) + k] - there), tolerance);
            }
        }
        assert_true(model->points_distance(joined, 3) ==
                    model->points_distance(body->surface.points, 7));
        model->points_destroy(body->state, joined);
        sinew_world_destroy(world);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(adding_locates_its_own_points_alone),
    cmocka_unit_test(nothing_but_ties_acts_without_colliders),
    cmocka_unit_test(joined_points_are_where_they_were),
};

SN_TEST_GROUP(world_force_points, tests);

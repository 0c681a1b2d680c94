// Equal bodies of the voxel model share their cells, wherever they are; others do not.
#include "support/test.h"

#include "model/voxel/body.h"
#include "support/worlds.h"
#include "world/world.h"

static SinewBodyDef ball_at(double x, double young)
{
    SinewBodyDef def = sinew_body_def_default();
    def.model = SINEW_MODEL_VOXEL;
    def.shape.kind = SINEW_SHAPE_SPHERE;
    def.shape.radius = 0.05;
    def.resolution = 3;
    def.material.young = young;
    def.pose.translate[0] = x;
    def.pose.translate[1] = 0.06;
    return def;
}

static SinewBodyId add(SinewWorld *world, double x, double young)
{
    SinewBodyDef def = ball_at(x, young);
    SinewBodyId id;
    SinewError error;
    expect_done(sinew_world_add_body(world, &def, &id, &error), &error);
    return id;
}

static const SnVoxelGrid *grid_of(const SinewWorld *world, int index)
{
    return &((const SnVoxelBody *)SN_BODIES(world, index)->state)->grid;
}

static void copies_share_their_cells(void **state)
{
    (void)state;
    SinewWorld *world = world_make(1);
    SinewBodyId first = add(world, 0.0, 5e4);
    add(world, 0.3, 5e4);
    add(world, 0.7, 6e4);
    assert_ptr_equal(grid_of(world, 0)->cells, grid_of(world, 1)->cells);
    assert_ptr_equal(grid_of(world, 0)->content, grid_of(world, 1)->content);
    assert_ptr_not_equal(grid_of(world, 0)->cells, grid_of(world, 2)->cells);
    assert_int_equal(grid_of(world, 0)->shared->users, 2);
    // The copy goes on when the one that made the cells is gone.
    expect_done(sinew_world_remove_body(world, first, NULL), NULL);
    assert_int_equal(grid_of(world, 1)->shared->users, 1);
    world_add_floor(world, 0.0);
    world_steps(world, 5, 1.0 / 60.0);
    sinew_world_destroy(world);
}

// With cells of its own and with those of another, a body moves to the same bits.
static void shared_cells_are_the_same(void **state)
{
    (void)state;
    uint64_t hashes[2];
    for (int n = 0; n < 2; ++n) {
        SinewWorld *world = world_make(1);
        if (n == 1) {
            add(world, 0.0, 5e4);
        }
        SinewBodyId body = add(world, 0.3, 5e4);
        world_add_floor(world, 0.0);
        world_steps(world, 10, 1.0 / 60.0);
        hashes[n] = world_hash(world, body);
        sinew_world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(copies_share_their_cells),
    cmocka_unit_test(shared_cells_are_the_same),
};

SN_TEST_GROUP(model_voxel_share, tests);

// Coarse levels of mode paper that the user gives: that they serve as well as lattices, that they
// go with the body, and what is refused.
#include "support/fail_allocator.h"
#include "support/split_checks.h"
#include "support/test.h"
#include "support/worlds.h"

#include "model/tetmg/body.h"

#include <math.h>

enum { CELLS_MAX = 12 * 3 * 3, VERTICES_MAX = 13 * 4 * 4 };

// A box of cells cut into Kuhn's tets, with what it is made of.
typedef struct Box {
    double positions[3 * VERTICES_MAX];
    int tets[4 * 6 * CELLS_MAX];
    SnTetMesh mesh;
} Box;

// From `low` to `high` along all axes, relative to the bar of the rigs, 1 x 0.2 x 0.2 m.
static void make_box(Box *box, const int cells[3], double low, double high)
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const double size[3] = {1.0, 0.2, 0.2};
    const int steps[3] = {1, cells[0] + 1, (cells[0] + 1) * (cells[1] + 1)};
    int vertices = steps[2] * (cells[2] + 1), tets = 0;
    for (int v = 0; v < vertices; ++v) {
        const int at[3] = {v % steps[1], v / steps[1] % (cells[1] + 1), v / steps[2]};
        for (int k = 0; k < 3; ++k) {
            box->positions[3 * v + k] = size[k] * (low + (high - low) * at[k] / cells[k]);
        }
    }
    for (int c = 0; c < cells[0] * cells[1] * cells[2]; ++c) {
        int first =
            c % cells[0] + c / cells[0] % cells[1] * steps[1] + c / cells[0] / cells[1] * steps[2];
        for (int o = 0; o < 6; ++o) {
            int *tet = box->tets + 4 * tets++, corner = first;
            for (int k = 0; k < 4; ++k) {
                tet[k] = corner;
                corner += k < 3 ? steps[orders[o][k]] : 0;
            }
            if (o == 1 || o == 2 || o == 5) { // the odd ones are mirrored
                tet[2] ^= tet[3], tet[3] ^= tet[2], tet[2] ^= tet[3];
            }
        }
    }
    box->mesh = (SnTetMesh){.vertex_count = vertices,
                            .tet_count = tets,
                            .positions = box->positions,
                            .tets = box->tets};
}

static const int coarse_cells[2][3] = {{10, 2, 2}, {4, 1, 1}};

static SnSplitRigDef rig_default(void)
{
    SnSplitRigDef def = sn_split_rig_default();
    def.model = &sn_tetmg_model;
    def.tetmg.mode = SINEW_TETMG_PAPER;
    def.tetmg.accuracy = 1e-5;
    def.cells[0] = 30, def.cells[1] = def.cells[2] = 6;
    return def;
}

// Solves of five steps of a bar that is held at one end; its places go to *out_rig.
static int solves_of(const SnSplitRigDef *def, SnSplitRig *out_rig)
{
    int solves = 0;
    *out_rig = sn_split_rig_make(def);
    sn_split_rig_pin(out_rig, 1e-6, "xyz");
    out_rig->step.gravity[1] = -9.81;
    for (int i = 0; i < 5; ++i) {
        sn_split_rig_step(out_rig, 0.01, 1);
        solves += out_rig->report.linear_solves;
    }
    return solves;
}

// Meshes that fit the bar, are smaller, so that most of its surface is outside, or stand over.
static void meshes_serve_as_lattices_do(void **state)
{
    (void)state;
    static const double ends[3][2] = {{0.0, 1.0}, {0.06, 0.94}, {-0.2, 1.2}};
    static Box boxes[2];
    SnSplitRigDef def = rig_default();
    SnSplitRig lattices, meshes;
    int expected = solves_of(&def, &lattices);
    for (int i = 0; i < 3; ++i) {
        const SnTetMesh *coarse[2] = {&boxes[0].mesh, &boxes[1].mesh};
        make_box(&boxes[0], coarse_cells[0], ends[i][0], ends[i][1]);
        make_box(&boxes[1], coarse_cells[1], ends[i][0], ends[i][1]);
        def.coarse = coarse;
        def.coarse_count = 2;
        int solves = solves_of(&def, &meshes);
        const SnTetmgPaper *paper = &((const SnTetmg *)(const void *)meshes.body)->paper;
        printf("solves with lattices %d, with meshes from %g to %g: %d\n", expected, ends[i][0],
               ends[i][1], solves);
        assert_int_equal(paper->level_count, 3);
        assert_true(paper->levels[1].count <= boxes[0].mesh.vertex_count);
        // Lattices are a little coarser and their cells have the body's shape; a level that does
        // not work at all would take three times as many.
        assert_true(solves <= expected + expected / 2);
        // Both solve to 1e-5 of a step's right side, and the tip moves by 5 mm.
        assert_at_most(sn_split_rig_distance(&meshes, meshes.body->state.positions,
                                             lattices.body->state.positions),
                       2e-6);
        sn_split_rig_destroy(&meshes);
    }
    sn_split_rig_destroy(&lattices);
}

// Weights go on beyond a mesh: they reproduce places exactly, and some are below zero.
static void weights_are_not_clamped(void **state)
{
    (void)state;
    static Box box;
    SnSplitRigDef def = rig_default();
    const SnTetMesh *coarse[1] = {&box.mesh};
    make_box(&box, coarse_cells[0], 0.06, 0.94);
    def.coarse = coarse;
    def.coarse_count = 1;
    SnSplitRig rig = sn_split_rig_make(&def);
    const SnTetmgLevel *levels = ((const SnTetmg *)(const void *)rig.body)->paper.levels;
    int below = 0;
    for (int r = 0; r < levels[0].count; ++r) {
        double place[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < 12; ++k) {
            place[k % 3] += (double)levels[0].full[4 * r + k / 3] *
                            levels[1].rest[3 * levels[0].parents[4 * r + k / 3] + k % 3];
            below += k % 3 == 0 && levels[0].full[4 * r + k / 3] < -0.01f ? 1 : 0;
        }
        for (int k = 0; k < 3; ++k) { // weights are floats
            assert_at_most(fabs(place[k] - levels[0].rest[3 * r + k]), 1e-6);
        }
    }
    assert_true(below > levels[0].count / 10);
    sn_split_rig_destroy(&rig);
}

static SinewStatus make_and_step(const SinewAllocator *allocator, void *context, SinewError *error)
{
    static Box boxes[2];
    const SnTetMesh *coarse[2] = {&boxes[0].mesh, &boxes[1].mesh};
    SnSplitRigDef def = rig_default();
    (void)context;
    make_box(&boxes[0], (const int[3]){3, 1, 1}, 0.0, 1.0);
    make_box(&boxes[1], (const int[3]){1, 1, 1}, 0.0, 1.0);
    def.coarse = coarse;
    def.coarse_count = 2;
    return sn_split_try_small(def, allocator, error);
}

static void survives_every_allocation_that_fails(void **state)
{
    (void)state;
    assert_true(sn_fail_each_allocation(make_and_step, NULL) > 40);
}

// Worlds -----------------------------------------------------------------------------------------

static SinewTets *tets_of(const Box *box)
{
    SinewTetsDef def = sinew_tets_def_default();
    SinewTets *tets = NULL;
    SinewError error = {.text = ""};
    def.positions = box->positions;
    def.vertex_count = box->mesh.vertex_count;
    def.tets = box->tets;
    def.tet_count = box->mesh.tet_count;
    expect_done(sinew_tets_create(&def, &tets, &error), &error);
    return tets;
}

static SinewBodyDef bar_def(void)
{
    SinewBodyDef def = sinew_body_def_default();
    def.model = SINEW_MODEL_TETMG;
    def.tetmg.mode = SINEW_TETMG_PAPER;
    def.material.law = SINEW_LAW_COROTATED;
    def.material.young = 5e6;
    def.shape.kind = SINEW_SHAPE_BOX;
    memcpy(def.shape.max, (double[]){1.0, 0.2, 0.2}, sizeof def.shape.max);
    memcpy(def.cells, (int[]){15, 3, 3}, sizeof def.cells);
    return def;
}

static SinewStatus try_bar(const SinewBodyDef *def, SinewError *error)
{
    SinewWorld *world = world_make(1);
    SinewBodyId body;
    SinewStatus status = sinew_world_add_body(world, def, &body, error);
    sinew_world_destroy(world);
    return status;
}

// A body that is turned, moved and twice as large, and then cut.
static void meshes_go_with_the_body(void **state)
{
    (void)state;
    static Box box;
    make_box(&box, coarse_cells[0], 0.0, 1.0);
    SinewTets *coarse = tets_of(&box);
    const SinewTets *list[1] = {coarse};
    SinewBodyDef def = bar_def();
    SinewError error = {.text = ""};
    SinewWorld *world = world_make(1);
    SinewBodyId body;
    SinewCutReport report;
    SinewCutDef cut = sinew_cut_def_default();
    def.tetmg.hierarchy = list;
    def.tetmg.hierarchy_count = 1;
    def.pose = (SinewPose){
        .translate = {10.0, 2.0, -3.0}, .axis = {0.0, 0.0, 1.0}, .degrees = 90.0, .scale = 2.0};
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    sinew_tets_destroy(coarse); // it has its own
    world_hold(world, body, region_box(-100.0, -100.0, -100.0, 100.0, 2.0 + 1e-6, 100.0));
    world_steps(world, 5, 0.01);
    // Turned by a quarter, its far end is 2 m above the other.
    memcpy(cut.normal, (double[]){0.0, 1.0, 0.0}, sizeof cut.normal);
    cut.point[1] = 3.0;
    expect_done(sinew_body_cut(world, body, &cut, &report, &error), &error);
    assert_int_equal(report.pieces, 2);
    world_steps(world, 5, 0.01);
    sinew_world_destroy(world);
}

typedef struct Refusal {
    int cells[3];
    double low, high;
    const char *says[2];
} Refusal;

static void meshes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    static const Refusal refusals[] = {
        {{12, 3, 3}, 0.0, 1.0, {"mesh 1 of its hierarchy has 208 vertices", "fewer than the 99"}},
        {{4, 1, 1}, 2.0, 3.0, {"from mesh 1 of its hierarchy", "its mean edge"}},
        {{4, 1, 1}, 0.0, 0.3, {"from mesh 1 of its hierarchy", "its mean edge"}},
    };
    static Box first, second;
    make_box(&first, coarse_cells[0], 0.0, 1.0);
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; ++i) {
        make_box(&second, refusals[i].cells, refusals[i].low, refusals[i].high);
        SinewTets *tets[2] = {tets_of(&first), tets_of(&second)};
        SinewBodyDef def = bar_def();
        SinewError error = {.text = ""};
        def.tetmg.hierarchy = (const SinewTets *const *)tets;
        def.tetmg.hierarchy_count = 2;
        assert_int_equal(try_bar(&def, &error), SINEW_ERROR_ARGUMENT);
        for (int k = 0; k < 2; ++k) {
            if (strstr(error.text, refusals[i].says[k]) == NULL) {
                fail_msg("\"%s\" is not in \"%s\"", refusals[i].says[k], error.text);
            }
        }
        sinew_tets_destroy(tets[0]);
        sinew_tets_destroy(tets[1]);
    }
}

// One tet of 3 m that is 0.3 mm high: places 0.1 m below have a weight of hundreds.
static void a_flat_mesh_is_refused(void **state)
{
    (void)state;
    static Box box = {
        .positions = {-1.0, 0.1, -1.0, 0.0, 0.1, 2.0, 2.0, 0.1, -1.0, 0.0, 0.1003, 0.0},
        .tets = {0, 1, 2, 3},
        .mesh = {.vertex_count = 4, .tet_count = 1}};
    SinewTets *tets = tets_of(&box);
    const SinewTets *list[1] = {tets};
    SinewBodyDef def = bar_def();
    SinewError error = {.text = ""};
    def.tetmg.hierarchy = list;
    def.tetmg.hierarchy_count = 1;
    assert_int_equal(try_bar(&def, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "tet 0 of mesh 0 of its hierarchy, which is nearly flat"));
    sinew_tets_destroy(tets);
}

static void misuse_is_refused(void **state)
{
    (void)state;
    const SinewTets *list[8] = {NULL};
    SinewBodyDef def = bar_def();
    SinewError error = {.text = ""};
    def.tetmg.hierarchy_count = 1;
    assert_int_equal(try_bar(&def, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "hierarchy of tetmg is NULL, expected 1"));
    def.tetmg.hierarchy = list;
    assert_int_equal(try_bar(&def, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "mesh 0 of hierarchy of tetmg is NULL"));
    def.tetmg.hierarchy_count = 8;
    assert_int_equal(try_bar(&def, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "hierarchy_count of tetmg is 8"));
    def.tetmg.hierarchy_count = -1;
    assert_int_equal(try_bar(&def, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "-1"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(meshes_serve_as_lattices_do),
    cmocka_unit_test(weights_are_not_clamped),
    cmocka_unit_test(survives_every_allocation_that_fails),
    cmocka_unit_test(meshes_go_with_the_body),
    cmocka_unit_test(meshes_that_do_not_fit_are_refused),
    cmocka_unit_test(a_flat_mesh_is_refused),
    cmocka_unit_test(misuse_is_refused),
};

SN_TEST_GROUP(model_tetmg_levels, tests);

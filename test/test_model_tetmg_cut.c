// Bodies of `tetmg` that were cut: what is carried over from the body before is what would be found
// anew, and the body steps as one that was made from the cut mesh.
#include "support/split_rig.h"
#include "support/test.h"

#include "base/random.h"
#include "geometry/blade.h"
#include "model/tetmg/body.h"

#include <math.h>
#include <stdlib.h>

static SnSplitRigDef rig_def(void)
{
    SnSplitRigDef def = sn_split_rig_default();
    def.model = &sn_tetmg_model;
    def.max[1] = def.max[2] = 0.4;
    def.cells[0] = 18; // enough for sweeps that are shared
    def.cells[1] = def.cells[2] = 8;
    return def;
}

static SnSplitRig held_rig(const SnSplitRigDef *def)
{
    SnSplitRig rig = sn_split_rig_make(def);
    sn_split_rig_pin(&rig, 1e-6, "xyz");
    rig.step.gravity[1] = -9.81;
    return rig;
}

static SnTetmg *tetmg_of(const SnSplitRig *rig)
{
    return (SnTetmg *)(void *)rig->body; // its first member
}

static SnTetCut *find_cut(const SinewBodyMesh *mesh, const SnBlade *blade, bool removes)
{
    SnBladeMesh target = {mesh->elements, mesh->element_count, mesh->vertex_count, mesh->rest,
                          NULL};
    SnTetCutList list = {0};
    SnTetCut *cut = NULL;
    int *neighbours = NULL;
    assert_int_equal(sn_tet_neighbours_create(mesh->elements, mesh->element_count,
                                              mesh->vertex_count, NULL, NULL, &neighbours, NULL),
                     SINEW_OK);
    target.neighbours = neighbours;
    assert_int_equal(sn_blade_find(blade, &target, removes, NULL, &list, NULL), SINEW_OK);
    assert_int_equal(sn_tet_cut_create(mesh->elements, mesh->element_count, mesh->vertex_count,
                                       neighbours, &list, NULL, &cut, NULL),
                     SINEW_OK);
    sn_tet_cut_list_release(&list, NULL);
    sn_free(NULL, neighbours);
    return cut;
}

// Replaces the rig's body by what the cut makes of it; returns the faces laid bare.
static int cut_rig(SnSplitRig *rig, const SnBlade *blade, bool removes)
{
    SinewBodyMesh mesh = rig->model->mesh(rig->body);
    SnTetCut *cut = find_cut(&mesh, blade, removes);
    SinewRegion wall = {
        .kind = SINEW_REGION_BOX, .min = {-1e3, -1e3, -1e3}, .max = {1e-6, 1e3, 1e3}};
    SnPin pin = {.region = &wall, .axes = {true, true, true}};
    void *made = NULL;
    SinewError error;
    int faces = cut->face_count;
    if (rig->model->cut(rig->body, cut, &pin, 1, &made, &error) < 0) {
        fail_msg("%s", error.text);
    }
    rig->model->inherit(made, rig->body);
    rig->model->destroy(rig->body);
    rig->body = made;
    sn_tet_cut_destroy(cut, NULL);
    return faces;
}

static SnBlade across(double x)
{
    return (SnBlade){.point = {x, 0.2, 0.2}, .normal = {1.0, 0.1, 0.2}};
}

// What is carried ---------------------------------------------------------------------------------

static void expect_pattern(const SnSplit *body)
{
    const SnNewtonPattern *now = &body->pattern;
    SnNewtonPattern anew;
    size_t entries = (size_t)now->entry_count, rows = (size_t)now->count;
    assert_int_equal(sn_newton_pattern_create(&body->elements, NULL, &anew, NULL), SINEW_OK);
    assert_int_equal(now->entry_count, anew.entry_count);
    assert_memory_equal(now->row_start, anew.row_start, (rows + 1) * sizeof(int));
    assert_memory_equal(now->column, anew.column, entries * sizeof(int));
    assert_memory_equal(now->diagonal, anew.diagonal, rows * sizeof(int));
    assert_memory_equal(now->slots, anew.slots, 16 * (size_t)body->elements.count * sizeof(int));
    sn_newton_pattern_release(&anew, NULL);
    // Tets of a colour share no vertex, and each tet has one.
    int *colour_at = calloc(rows, sizeof *colour_at);
    assert_int_equal(now->colour_start[now->colour_count], body->elements.count);
    for (int c = 0; c < now->colour_count; ++c) {
        for (int i = now->colour_start[c]; i < now->colour_start[c + 1]; ++i) {
            for (int k = 0; k < 4; ++k) {
                int v = body->elements.vertices[4 * now->order[i] + k];
                assert_int_not_equal(colour_at[v], c + 1);
                colour_at[v] = c + 1;
            }
        }
    }
    free(colour_at);
}

// Each entry of the matrix has one edge, and an edge the slots of its tets.
static void expect_edges(const SnTetmg *body)
{
    const SnTetmgMatrix *matrix = &body->matrix;
    int *uses = calloc((size_t)matrix->entry_count, sizeof *uses);
    int slots = SN_TET_EDGES * body->tets.elements.count;
    int *taken = calloc((size_t)slots + (size_t)body->tets.blocks.count, sizeof *taken);
    assert_int_equal(matrix->edge_start[matrix->edge_count], slots);
    for (int e = 0; e < matrix->edge_count; ++e) {
        assert_true(matrix->edge_start[e + 1] > matrix->edge_start[e]);
        uses[matrix->edge_first[e] / 9] += 1;
        uses[matrix->edge_second[e] / 9] += 1;
    }
    for (int e = 0; e < matrix->entry_count; ++e) {
        assert_int_equal(uses[e], 1);
    }
    for (int i = 0; i < SN_TET_EDGES * body->tets.blocks.count * SN_TET_BLOCK; ++i) {
        taken[matrix->slots[i] / SN_TET_EDGE_SLOT] += 1;
    }
    for (int s = 0; s < slots; ++s) {
        assert_int_equal(taken[s], 1);
    }
    free(uses);
    free(taken);
}

// Each row has the entries of its vertex in the order of sweeps: of a stage, tasks share no entry,
// so that they can be swept at the same time.
static void expect_rows(const SnTetmg *body)
{
    const SnTetmgMatrix *matrix = &body->matrix;
    const SnSplit *tets = &body->tets;
    int rows = tets->elements.vertex_count;
    const SnSweepOrder *order = &matrix->order;
    int *stages = malloc((size_t)order->stage_start[order->stage_count] * sizeof *stages);
    assert_int_equal(order->count, rows);
    for (int s = 0; s < order->stage_count; ++s) {
        for (int t = order->stage_start[s]; t < order->stage_start[s + 1]; ++t) {
            stages[t] = s;
        }
    }
    for (int r = 0; r < rows; ++r) {
        const int *start = tets->pattern.row_start + tets->outside[r];
        assert_int_equal(matrix->start[r + 1] - matrix->start[r], start[1] - start[0] - 1);
        for (int e = matrix->start[r]; e < matrix->start[r + 1]; ++e) {
            int other = matrix->columns[e] / 3, a = order->task[other], b = order->task[r];
            bool earlier = a == b ? other < r : a < b, found = false;
            assert_true(a == b || stages[a] != stages[b]);
            assert_true(earlier == (e < matrix->later[r]));
            for (int i = start[0]; i < start[1]; ++i) {
                found = found || tets->inside[tets->pattern.column[i]] == other;
            }
            assert_true(found);
        }
    }
    free(stages);
}

// Lanes and rows of patches are of the tets' corners.
static void expect_blocks(const SnSplit *body)
{
    const SnSplitBlocks *blocks = &body->blocks;
    int tets = 0;
    for (int p = 0; p < blocks->patch_count; ++p) {
        int first = blocks->patch_row[p];
        for (int lane = blocks->patch_block[p] * SN_TET_BLOCK;
             lane < blocks->patch_block[p + 1] * SN_TET_BLOCK; ++lane) {
            int tet = blocks->tets[lane], block = lane / SN_TET_BLOCK, at = lane % SN_TET_BLOCK;
            for (int a = 0; a < 4 && tet >= 0; ++a) {
                int row = blocks->corners[(4 * block + a) * SN_TET_BLOCK + at] / 4;
                int vertex = body->elements.vertices[4 * tet + a];
                assert_int_equal(blocks->row_vertex[first + row], 3 * body->inside[vertex]);
            }
            tets += tet >= 0 ? 1 : 0;
        }
    }
    assert_int_equal(tets, body->elements.count);
}

static void expect_whole(const SnSplitRig *rig)
{
    expect_pattern(rig->body);
    expect_blocks(rig->body);
    expect_rows(tetmg_of(rig));
    expect_edges(tetmg_of(rig));
}

// Twins -------------------------------------------------------------------------------------------

// Rotations by tet: lanes of the two bodies are others.
static void copy_rotations(const SnSplit *from, SnSplit *to)
{
    int *lane_of = malloc((size_t)from->elements.count * sizeof *lane_of);
    for (int lane = 0; lane < from->blocks.count * SN_TET_BLOCK; ++lane) {
        if (from->blocks.tets[lane] >= 0) {
            lane_of[from->blocks.tets[lane]] = lane;
        }
    }
    for (int lane = 0; lane < to->blocks.count * SN_TET_BLOCK; ++lane) {
        int old = to->blocks.tets[lane] >= 0 ? lane_of[to->blocks.tets[lane]] : -1;
        for (int k = 0; k < 4 && old >= 0; ++k) {
            to->state.rotations[(lane / 16 * 4 + k) * 16 + lane % 16] =
                from->state.rotations[(old / 16 * 4 + k) * 16 + old % 16];
        }
    }
    free(lane_of);
}

// A body made from the mesh of another one, in its state.
static SnSplitRig twin_of(const SnSplitRig *rig, const SnSplitRigDef *like)
{
    SnSplitRigDef def = *like;
    const SnTetMesh *tets = &rig->body->tets;
    SnTetMesh *mesh = NULL;
    assert_int_equal(sn_tet_mesh_create(tets->vertex_count, tets->tet_count, NULL, &mesh, NULL),
                     SINEW_OK);
    memcpy(mesh->positions, tets->positions, 3 * (size_t)tets->vertex_count * sizeof(double));
    memcpy(mesh->tets, tets->tets, 4 * (size_t)tets->tet_count * sizeof(int));
    def.tets = mesh;
    SnSplitRig twin = held_rig(&def);
    sn_tet_mesh_destroy(mesh, NULL);
    const SnSplitState *from = &rig->body->state;
    SnSplitState *to = &twin.body->state;
    size_t size = sn_split_dofs(rig->body) * sizeof(double);
    memcpy(to->positions, from->positions, size);
    memcpy(to->velocities, from->velocities, size);
    memcpy(to->last_move, from->last_move, size);
    memcpy(to->last_change, from->last_change, size);
    memcpy(to->clock, from->clock, SN_SPLIT_CLOCK_COUNT * sizeof(double));
    copy_rotations(rig->body, twin.body);
    return twin;
}

// Steps both; the distance between them relative to how far they move.
static double step_both(SnSplitRig *rig, SnSplitRig *twin)
{
    size_t count = sn_split_dofs(rig->body);
    double *start = malloc(count * sizeof *start);
    memcpy(start, rig->body->state.positions, count * sizeof *start);
    sn_split_rig_step(rig, 0.01, 1);
    sn_split_rig_step(twin, 0.01, 1);
    double moved = sn_split_rig_distance(rig, rig->body->state.positions, start);
    double apart =
        sn_split_rig_distance(rig, rig->body->state.positions, twin->body->state.positions);
    free(start);
    return apart / moved;
}

// Twenty planes at random, every fifth with removal and some that pass beside the body; each is
// followed by a step of the body and of one made from its mesh.
static void many_cuts_step_as_bodies_made_anew(void **state)
{
    (void)state;
    SnSplitRigDef def = rig_def();
    SnSplitRig rig = held_rig(&def);
    SnRandom random = {7};
    int work = 0, work_anew = 0, met = 0;
    sn_split_rig_step(&rig, 0.01, 5);
    for (int i = 0; i < 20; ++i) {
        SnBlade blade = {.radius = i % 3 == 0 ? 0.2 : 0.0};
        for (int k = 0; k < 3; ++k) {
            blade.point[k] = sn_random_between(&random, 0.0, k == 0 ? 1.0 : 0.4);
            blade.normal[k] = sn_random_between(&random, -1.0, 1.0);
        }
        blade.point[0] = i == 4 ? 0.01 : blade.point[0]; // through what is pinned
        blade.point[1] = i == 7 ? 5.0 : blade.point[1];  // beside the body
        blade.normal[0] = i == 7 ? 0.0 : blade.normal[0];
        met += cut_rig(&rig, &blade, i % 5 == 3) > 0 ? 1 : 0;
        expect_whole(&rig);
        SnSplitRig twin = twin_of(&rig, &def);
        // Both solve to 1e-3 of the move, by sweeps in other orders.
        assert_at_most(step_both(&rig, &twin), 2e-3);
        work += rig.report.linear_solves;
        work_anew += twin.report.linear_solves;
        sn_split_rig_destroy(&twin);
        sn_split_rig_step(&rig, 0.01, 1);
    }
    assert_true(met >= 15);
    // The lattice stays that of the whole body and copies come last; iterations hardly feel it.
    assert_in_range(work, 1, work_anew * 13 / 10);
    sn_split_rig_destroy(&rig);
}

// Steps the rig and a body made from its mesh, both by Newton's method to 1e-6 of the move; in
// floats, they are 4e-6 to 8e-6 apart.
static void expect_same_step(SnSplitRig *rig, const SnSplitRigDef *def)
{
    SnSplitRig twin = twin_of(rig, def);
    assert_at_most(step_both(rig, &twin), 5e-5);
    sn_split_rig_destroy(&twin);
}

// Twenty discs and planes at random, of which every other takes tets out, some along with vertices;
// in between, faces are opened.
static void many_removals_step_as_bodies_made_anew(void **state)
{
    (void)state;
    SnSplitRigDef def = rig_def();
    def.tetmg.accuracy = 1e-6;
    SnSplitRig rig = held_rig(&def);
    SnRandom random = {11};
    int tets = rig.body->elements.count, vertices_lost = 0;
    sn_split_rig_step(&rig, 0.01, 3);
    for (int i = 0; i < 20; ++i) {
        SnBlade blade = {.radius = i % 4 == 3 ? 0.0 : 0.12};
        int before = rig.body->elements.vertex_count;
        for (int k = 0; k < 3; ++k) {
            blade.point[k] = sn_random_between(&random, k == 0 ? 0.2 : 0.0, k == 0 ? 1.0 : 0.4);
            blade.normal[k] = sn_random_between(&random, -1.0, 1.0);
        }
        cut_rig(&rig, &blade, i % 2 == 0);
        vertices_lost += rig.body->elements.vertex_count < before ? 1 : 0;
        expect_whole(&rig);
        if (i % 4 == 2) {
            expect_same_step(&rig, &def);
        }
        sn_split_rig_step(&rig, 0.01, 1);
    }
    assert_in_range(rig.body->elements.count, tets / 4, tets - tets / 10);
    assert_true(vertices_lost > 0);
    sn_split_rig_destroy(&rig);
}

// Of the lanes of a body that a cut made, how many have a tet that was there at the same place of
// its block.
static int count_lanes_kept(const SnSplit *body, const int *old_tets, int old_lanes,
                            const SnTetCut *cut)
{
    int *at = malloc((size_t)cut->old_tet_count * sizeof *at), kept = 0;
    for (int lane = 0; lane < old_lanes; ++lane) {
        if (old_tets[lane] >= 0) {
            at[old_tets[lane]] = lane % SN_TET_BLOCK;
        }
    }
    for (int lane = 0; lane < body->blocks.count * SN_TET_BLOCK; ++lane) {
        int tet = body->blocks.tets[lane];
        kept += tet >= 0 && at[cut->tet_source[tet]] == lane % SN_TET_BLOCK ? 1 : 0;
    }
    free(at);
    return kept;
}

// A small hole: what is far from it keeps its lanes and the order of its sweeps.
static void a_removal_leaves_what_is_far(void **state)
{
    (void)state;
    SnSplitRigDef def = rig_def();
    SnSplitRig rig = held_rig(&def);
    SnBlade blade = {.point = {0.5, 0.4, 0.2}, .normal = {0.0, 1.0, 0.1}, .radius = 0.08};
    SinewBodyMesh mesh = rig.model->mesh(rig.body);
    SnTetCut *cut = find_cut(&mesh, &blade, true);
    int lanes = rig.body->blocks.count * SN_TET_BLOCK;
    int *tets = malloc((size_t)lanes * sizeof *tets);
    memcpy(tets, rig.body->blocks.tets, (size_t)lanes * sizeof *tets);
    int stage_count = tetmg_of(&rig)->matrix.order.stage_count;
    assert_true(cut->tet_count < cut->old_tet_count && cut->copy_start < cut->old_vertex_count);
    cut_rig(&rig, &blade, true);
    // Patches of 256 tets, of which the hole is in a few.
    assert_true(count_lanes_kept(rig.body, tets, lanes, cut) > cut->tet_count / 2);
    assert_true(stage_count > 1);
    assert_int_equal(tetmg_of(&rig)->matrix.order.stage_count, stage_count);
    expect_whole(&rig);
    free(tets);
    sn_tet_cut_destroy(cut, NULL);
    sn_split_rig_destroy(&rig);
}

// Slice after slice goes until little is left: patches are packed anew as they get empty, and the
// body steps as before.
static void what_is_left_is_packed(void **state)
{
    (void)state;
    SnSplitRigDef def = rig_def();
    def.tetmg.accuracy = 1e-6;
    SnSplitRig rig = held_rig(&def);
    int tets = rig.body->elements.count;
    sn_split_rig_step(&rig, 0.01, 2);
    for (int i = 0; i < 18; ++i) {
        SnBlade blade = {.point = {0.96 - 0.11 * (i / 2), 0.2, 0.2}, .normal = {1.0, 0.0, 0.0}};
        if (i % 2 == 1) { // and what hangs loose between the slices, from side to side
            blade =
                (SnBlade){.point = {0.0, 0.02 + 0.04 * (i / 2), 0.2}, .normal = {0.0, 1.0, 0.3}};
        }
        cut_rig(&rig, &blade, true);
        expect_whole(&rig);
        assert_in_range(rig.body->blocks.count, 1, (rig.body->elements.count / 16 + 1) * 4 / 3);
        if (i % 6 == 5) {
            expect_same_step(&rig, &def);
        }
    }
    assert_in_range(rig.body->elements.count, 1, tets / 3);
    sn_split_rig_destroy(&rig);
}

// Both solve to 1e-6 of the move, in floats, and are 4e-6 to 8e-6 apart: bounds are 5e-5.
static void a_cut_body_solves_the_same_step(void **state)
{
    (void)state;
    SnSplitRigDef def = rig_def();
    def.tetmg.accuracy = 1e-6;
    for (int removes = 0; removes < 2; ++removes) {
        SnSplitRig rig = held_rig(&def);
        SnBlade first = across(0.5), second = {.point = {0.3, 0.2, 0.2}, .normal = {0.0, 1.0, 0.3}};
        sn_split_rig_step(&rig, 0.01, 5);
        assert_true(cut_rig(&rig, &first, false) > 0);
        sn_split_rig_step(&rig, 0.01, 2);
        assert_true(cut_rig(&rig, &second, removes == 1) > 0);
        SnSplitRig twin = twin_of(&rig, &def);
        assert_at_most(step_both(&rig, &twin), 5e-5);
        sn_split_rig_destroy(&twin);
        sn_split_rig_destroy(&rig);
    }
}

// Rows of C that a cut leaves are those that would be summed anew, to the last bit: a run that is
// resumed sums them, one that goes on does not.
static void rows_that_stay_have_the_same_bits(void **state)
{
    (void)state;
    SnSplitRigDef def = rig_def();
    SnSplitRig rig = held_rig(&def), other = held_rig(&def);
    SnRandom random = {3};
    int stayed = 0;
    sn_split_rig_step(&rig, 0.01, 2);
    sn_split_rig_step(&other, 0.01, 2);
    for (int i = 0; i < 8; ++i) {
        SnBlade blade = across(sn_random_between(&random, 0.1, 0.9));
        blade.radius = i % 2 == 1 ? 0.15 : 0.0;
        cut_rig(&rig, &blade, i == 5);
        cut_rig(&other, &blade, i == 5);
        const SnTetmgCoarse *one = &tetmg_of(&rig)->coarse, *two = &tetmg_of(&other)->coarse;
        for (int n = 0; n < one->count; ++n) {
            stayed += one->carried[n];
        }
        tetmg_of(&other)->coarse.is_carried = false;
        sn_split_rig_step(&rig, 0.01, 2);
        sn_split_rig_step(&other, 0.01, 2);
        assert_int_equal(one->count, two->count);
        assert_memory_equal(one->plain, two->plain,
                            9 * (size_t)one->row_start[one->count] * sizeof(double));
        assert_memory_equal(rig.body->state.positions, other.body->state.positions,
                            sn_split_dofs(rig.body) * sizeof(double));
    }
    assert_true(stayed > 0);
    sn_split_rig_destroy(&other);
    sn_split_rig_destroy(&rig);
}

// Another material takes the orders of the body that was cut.
static void the_material_of_a_cut_body_may_change(void **state)
{
    (void)state;
    for (int removes = 0; removes < 2; ++removes) {
        SnSplitRigDef def = rig_def();
        def.tetmg.accuracy = 1e-6;
        SnSplitRig rig = held_rig(&def);
        SnBlade blade = across(0.4);
        SnMaterial material;
        def.material.young *= 4.0;
        assert_int_equal(sn_material_make(&def.material, "", &material, NULL), SINEW_OK);
        sn_split_rig_step(&rig, 0.01, 3);
        assert_true(cut_rig(&rig, &blade, removes == 1) > 0);
        assert_int_equal(rig.model->set_material(rig.body, &material, NULL), SINEW_OK);
        expect_same_step(&rig, &def);
        sn_split_rig_destroy(&rig);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(many_cuts_step_as_bodies_made_anew),
    cmocka_unit_test(many_removals_step_as_bodies_made_anew),
    cmocka_unit_test(a_removal_leaves_what_is_far),
    cmocka_unit_test(what_is_left_is_packed),
    cmocka_unit_test(a_cut_body_solves_the_same_step),
    cmocka_unit_test(rows_that_stay_have_the_same_bits),
    cmocka_unit_test(the_material_of_a_cut_body_may_change),
};

SN_TEST_GROUP(model_tetmg_cut, tests);

// Coarse levels that outlive a step: they are kept while cells turn little, made anew when they
// turn far, and made again from a restored state, which then goes on with the same bits.
#include "support/lattice_rig.h"
#include "support/test.h"
#include "support/worlds.h"

#include <string.h>

enum { STEPS = 12, SAVED = 5 };

static void make_bar(LatticeRig *rig)
{
    SinewLatticeDef options = sinew_body_def_default().lattice;
    lattice_rig_make(rig, (int[]){16, 4, 4}, 0.4, &options);
    assert_true(rig->body->multigrid.level_count > 1);
}

// One step of a bar of 1 m cells that hangs between its ends and sags by some metres.
static void fall(LatticeRig *rig)
{
    SnStep step = {
        .gravity = {0.0, -40.0, 0.0}, .dt = 0.05, .tolerance = 1e-7, .pin_motions = rig->motions};
    assert_int_equal(sn_lattice_model.step(rig->body, &step, &rig->report, NULL), SINEW_OK);
}

static void levels_are_kept_and_made_anew(void **state)
{
    (void)state;
    LatticeRig rig;
    make_bar(&rig);
    size_t size = sn_lattice_dofs(rig.body) * sizeof(double);
    double *before = malloc(size);
    int kept = 0, made = 0;
    for (int n = 0; n < STEPS; ++n) {
        memcpy(before, rig.body->state.linear, size);
        fall(&rig);
        bool same = memcmp(before, rig.body->state.linear, size) == 0;
        assert_true(rig.body->state.clock[SN_LATTICE_CLOCK_KEPT] == 1.0);
        kept += same ? 1 : 0;
        made += same ? 0 : 1;
    }
    assert_true(kept >= 2);
    assert_true(made >= 2); // the first, and some after a turn
    free(before);
    lattice_rig_release(&rig);
}

// Cells that are not there have corners that are not there, which must not count as turns: a ball
// that sits on its held lowest part is at rest after its first steps, and levels stay.
static void a_ball_at_rest_keeps_its_levels(void **state)
{
    (void)state;
    LatticeRig rig;
    SinewLatticeDef options = sinew_body_def_default().lattice;
    SnShape ball = {.kind = SN_SHAPE_SPHERE, .sphere = {.center = {3.0, 0.0, 0.0}, .radius = 1.0}};
    SinewRegion low = region_box(-10, -10, -10, 10, -0.8, 10);
    SnPin pin = {.region = &low, .axes = {true, true, true}};
    lattice_rig_make_shape(&rig, &ball, 12, &options);
    assert_true(rig.body->multigrid.level_count > 1);
    assert_int_equal(sn_lattice_model.set_pins(rig.body, &pin, 1, NULL), SINEW_OK);
    size_t size = sn_lattice_dofs(rig.body) * sizeof(double);
    double *before = malloc(size);
    for (int n = 0; n < STEPS; ++n) {
        SnStep step = {
            .gravity = {0.0, -2.0, 0.0}, .dt = 0.05, .tolerance = 1e-6, .pin_motions = rig.motions};
        memcpy(before, rig.body->state.linear, size);
        assert_int_equal(sn_lattice_model.step(rig.body, &step, &rig.report, NULL), SINEW_OK);
        if (n > 0) {
            assert_memory_equal(before, rig.body->state.linear, size);
        }
    }
    free(before);
    lattice_rig_release(&rig);
}

static void restored_states_lead_to_the_same_bits(void **state)
{
    (void)state;
    LatticeRig rig, twin;
    make_bar(&rig);
    make_bar(&twin);
    size_t size = sn_lattice_model.state_size(rig.body);
    void *saved = malloc(size), *end = malloc(size), *again = malloc(size);
    for (int n = 0; n < STEPS; ++n) {
        if (n == SAVED) {
            sn_lattice_model.save(rig.body, saved);
        }
        fall(&rig);
    }
    sn_lattice_model.save(rig.body, end);
    sn_lattice_model.restore(rig.body, saved);
    sn_lattice_model.restore(twin.body, saved);
    for (int n = SAVED; n < STEPS; ++n) {
        fall(&rig);
        fall(&twin);
    }
    sn_lattice_model.save(rig.body, again);
    assert_memory_equal(again, end, size);
    sn_lattice_model.save(twin.body, again);
    assert_memory_equal(again, end, size);
    free(saved);
    free(end);
    free(again);
    lattice_rig_release(&rig);
    lattice_rig_release(&twin);
}

// A static solve leaves levels without inertia behind, and a change of the step's length others.
static void levels_of_another_kind_are_not_kept(void **state)
{
    (void)state;
    LatticeRig rig;
    make_bar(&rig);
    fall(&rig);
    assert_true(rig.body->state.clock[SN_LATTICE_CLOCK_KEPT] == 1.0);
    assert_int_equal(lattice_rig_stretch(&rig, 1.01, 1e-6, NULL), SINEW_OK);
    assert_true(rig.body->state.clock[SN_LATTICE_CLOCK_KEPT] == 0.0);
    fall(&rig);
    double rate = rig.body->state.clock[SN_LATTICE_CLOCK_A_RATE];
    SnStep step = {.dt = 0.025, .tolerance = 1e-7, .pin_motions = rig.motions};
    assert_int_equal(sn_lattice_model.step(rig.body, &step, &rig.report, NULL), SINEW_OK);
    assert_true(rig.body->state.clock[SN_LATTICE_CLOCK_A_RATE] > 2.0 * rate);
    lattice_rig_release(&rig);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(levels_are_kept_and_made_anew),
    cmocka_unit_test(a_ball_at_rest_keeps_its_levels),
    cmocka_unit_test(restored_states_lead_to_the_same_bits),
    cmocka_unit_test(levels_of_another_kind_are_not_kept),
};

SN_TEST_GROUP(model_lattice_kept, tests);

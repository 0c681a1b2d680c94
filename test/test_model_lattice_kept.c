// Coarse levels that outlive a step: they are kept while cells turn little, made anew when they
// turn far, and made again from a restored state, which then goes on with the same bits.
#include "support/lattice_rig.h"
#include "support/test.h"
#include "support/worlds.h"

#include "model/lattice/potential.h"

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

// Contact ----------------------------------------------------------------------------------------

// A ball of radius 1 that falls onto the plane y = -1.02, whose points of contact are its vertices.
enum { FALL_STEPS = 60, FALL_REST = 10, FALL_SAVED = 25 };

typedef struct Fall {
    LatticeRig rig;
    void *points;
    SnPointForce *forces;
    double k;     // N/m, of a touching point
    int touching; // in the last evaluation
    int steps;    // with a touching point
    int renewals; // in those
} Fall;

static void press(void *context, int begin, int end, const double *x, SnPointForce *out)
{
    Fall *fall = context;
    fall->touching = begin == 0 ? 0 : fall->touching;
    for (int p = begin; p < end; ++p) {
        double depth = -1.02 - x[3 * p + 1], k = fall->k;
        out[p - begin] = (SnPointForce){0};
        if (depth > 0.0) {
            fall->touching += 1;
            out[p - begin] = (SnPointForce){.force = {0.0, k * depth, 0.0},
                                            .stiffness = {0.0, 0.0, 0.0, 0.0, k},
                                            .energy = 0.5 * k * depth * depth};
        }
    }
}

static void make_fall(Fall *fall, int resolution)
{
    SinewLatticeDef options = sinew_body_def_default().lattice;
    SnShape ball = {.kind = SN_SHAPE_SPHERE, .sphere = {.radius = 1.0}};
    *fall = (Fall){.k = 2e5};
    lattice_rig_make_shape(&fall->rig, &ball, resolution, &options);
    const SnHexMesh *mesh = fall->rig.body->mesh;
    assert_int_equal(sn_lattice_model.points_create(fall->rig.body, mesh->positions,
                                                    mesh->vertex_count, &fall->points, NULL),
                     SINEW_OK);
    fall->forces = malloc((size_t)mesh->vertex_count * sizeof *fall->forces);
}

static void release_fall(Fall *fall)
{
    sn_lattice_model.points_destroy(fall->rig.body, fall->points);
    free(fall->forces);
    lattice_rig_release(&fall->rig);
}

static void drop(Fall *fall)
{
    SnPointForces contacts = {.points = fall->points,
                              .count = fall->rig.body->mesh->vertex_count,
                              .evaluate = press,
                              .context = fall,
                              .room = fall->forces};
    SnStep step = {
        .gravity = {0.0, -9.81, 0.0}, .dt = 0.05, .tolerance = 1e-6, .contacts = &contacts};
    int before = fall->rig.body->renewals;
    assert_int_equal(sn_lattice_model.step(fall->rig.body, &step, &fall->rig.report, NULL),
                     SINEW_OK);
    fall->steps += fall->touching > 0 ? 1 : 0;
    fall->renewals += fall->touching > 0 ? fall->rig.body->renewals - before : 0;
}

// Of one level and of several: at most a factorisation for each step in contact, and none at rest.
static void contact_keeps_the_levels(void **state)
{
    (void)state;
    const int resolutions[2] = {4, 12};
    for (int r = 0; r < 2; ++r) {
        Fall fall;
        make_fall(&fall, resolutions[r]);
        assert_true((fall.rig.body->multigrid.level_count > 1) == (r == 1));
        for (int n = 0; n < FALL_STEPS - FALL_REST; ++n) {
            drop(&fall);
        }
        assert_true(fall.steps > 30);
        assert_true(fall.renewals <= fall.steps);
        int before = fall.rig.body->renewals;
        for (int n = 0; n < FALL_REST; ++n) {
            drop(&fall);
        }
        assert_int_equal(fall.rig.body->renewals, before);
        release_fall(&fall);
    }
}

static void states_in_contact_lead_to_the_same_bits(void **state)
{
    (void)state;
    const int resolutions[2] = {4, 12};
    for (int r = 0; r < 2; ++r) {
        Fall fall, twin;
        make_fall(&fall, resolutions[r]);
        make_fall(&twin, resolutions[r]);
        size_t size = sn_lattice_model.state_size(fall.rig.body);
        void *end = malloc(size), *again = malloc(size);
        for (int n = 0; n < FALL_SAVED; ++n) {
            drop(&fall);
        }
        assert_true(fall.rig.body->state.clock[SN_LATTICE_CLOCK_SPRINGS] == 1.0);
        sn_lattice_model.save(fall.rig.body, again);
        sn_lattice_model.restore(twin.rig.body, again);
        for (int n = FALL_SAVED; n < FALL_STEPS; ++n) {
            drop(&fall);
            drop(&twin);
            sn_lattice_model.save(fall.rig.body, end);
            sn_lattice_model.save(twin.rig.body, again);
            assert_memory_equal(again, end, size);
        }
        free(end);
        free(again);
        release_fall(&fall);
        release_fall(&twin);
    }
}

// After friction was renewed the forces of cells are known: the rest alone gives the same bits.
static void renewed_contact_leaves_the_cells(void **state)
{
    (void)state;
    Fall fall;
    make_fall(&fall, 4);
    SnLattice *body = fall.rig.body;
    size_t count = sn_lattice_dofs(body);
    double *move = calloc(count, sizeof *move), *residual = malloc(count * sizeof *residual);
    SnPointForces contacts = {.points = fall.points,
                              .count = body->mesh->vertex_count,
                              .evaluate = press,
                              .context = &fall,
                              .room = fall.forces};
    SnStep step = {.contacts = &contacts};
    SnLatticeProblem problem = {.body = body, .step = &step, .largest = 2.0};
    for (size_t i = 0; i < count; ++i) { // squeezed, and into the plane
        move[i] = -0.1 * body->mesh->positions[i] - (i % 3 == 1 ? 0.3 : 0.0);
    }
    SnLatticeValue before = sn_lattice_potential(&problem, move);
    fall.k = 3e5;
    SnLatticeValue again = sn_lattice_potential_again(&problem, move, &before);
    memcpy(residual, body->room.residual, count * sizeof *residual);
    SnLatticeValue whole = sn_lattice_potential(&problem, move);
    assert_true(fall.touching > 0);
    assert_true(again.phi > before.phi);
    assert_true(again.phi == whole.phi && again.residual == whole.residual &&
                again.scale == whole.scale && again.noise == whole.noise &&
                again.inverted == whole.inverted && again.allowed);
    assert_memory_equal(residual, body->room.residual, count * sizeof *residual);
    free(move);
    free(residual);
    release_fall(&fall);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(levels_are_kept_and_made_anew),
    cmocka_unit_test(a_ball_at_rest_keeps_its_levels),
    cmocka_unit_test(restored_states_lead_to_the_same_bits),
    cmocka_unit_test(levels_of_another_kind_are_not_kept),
    cmocka_unit_test(contact_keeps_the_levels),
    cmocka_unit_test(states_in_contact_lead_to_the_same_bits),
    cmocka_unit_test(renewed_contact_leaves_the_cells),
};

SN_TEST_GROUP(model_lattice_kept, tests);

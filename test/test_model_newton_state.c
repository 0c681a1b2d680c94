// State of the reference model: the same bits for any number of workers and after a restore,
// allocations that fail, and steps that allocate nothing.
#include "support/fail_allocator.h"
#include "support/newton_rig.h"
#include "support/test.h"

#include <math.h>

static SnNewtonRigDef swinging_def(int pass)
{
    SnNewtonRigDef def = sn_newton_rig_default();
    memcpy(def.max, (double[3]){1.0, 0.4, 0.4}, sizeof def.max);
    memcpy(def.cells, (int[3]){10, 4, 4}, sizeof def.cells);
    def.newton.element = pass % 2 == 0 ? SINEW_ELEMENT_TET : SINEW_ELEMENT_HEX;
    def.newton.integrator = (SinewIntegrator)(pass % 3);
    def.newton.mass = pass == 1 ? SINEW_MASS_CONSISTENT : SINEW_MASS_LUMPED;
    def.material.damping_stiffness = pass == 2 ? 0.01 : 0.0;
    def.material.young = 2e5;
    return def;
}

static SnNewtonRig make_swinging(const SnNewtonRigDef *def)
{
    SnNewtonRig rig = sn_newton_rig_make(def);
    SnNewtonRigPin pin = {{-1, -1, -1}, {1e-6, 2, 2}, "xyz"};
    assert_int_equal(sn_newton_rig_pins(&rig, &pin, 1, NULL), SINEW_OK);
    rig.step.gravity[1] = -9.81;
    return rig;
}

static void *saved(const SnNewtonRig *rig)
{
    void *bytes = malloc(sn_newton_model.state_size(rig->body));
    sn_newton_model.save(rig->body, bytes);
    return bytes;
}

static void test_same_bits_for_any_workers(void **state)
{
    (void)state;
    static const int WORKERS[] = {1, 2, 3, 8};
    for (int pass = 0; pass < 3; ++pass) {
        void *first = NULL;
        for (int w = 0; w < SN_COUNT(WORKERS); ++w) {
            SnNewtonRigDef def = swinging_def(pass);
            def.worker_count = WORKERS[w];
            SnNewtonRig rig = make_swinging(&def);
            sn_newton_rig_step(&rig, 0.02, 3);
            void *bytes = saved(&rig);
            if (first == NULL) {
                first = bytes;
            } else {
                assert_memory_equal(bytes, first, sn_newton_model.state_size(rig.body));
                free(bytes);
            }
            sn_newton_rig_destroy(&rig);
        }
        free(first);
    }
}

static void test_restore(void **state)
{
    (void)state;
    for (int pass = 0; pass < 3; ++pass) {
        SnNewtonRigDef def = swinging_def(pass);
        SnNewtonRig rig = make_swinging(&def);
        double wrench[6], again[6];
        sn_newton_rig_step(&rig, 0.02, 2);
        void *middle = saved(&rig);
        sn_newton_rig_step(&rig, 0.02, 2);
        void *end = saved(&rig);
        sn_newton_model.reaction(rig.body, 0, wrench);
        sn_newton_model.restore(rig.body, middle);
        sn_newton_rig_step(&rig, 0.02, 2);
        void *other = saved(&rig);
        sn_newton_model.reaction(rig.body, 0, again);
        assert_memory_equal(other, end, sn_newton_model.state_size(rig.body));
        assert_memory_equal(wrench, again, sizeof wrench);
        // Another body of the same kind goes on from there just the same.
        SnNewtonRig twin = make_swinging(&def);
        sn_newton_model.restore(twin.body, middle);
        sn_newton_rig_step(&twin, 0.02, 2);
        sn_newton_model.save(twin.body, other);
        assert_memory_equal(other, end, sn_newton_model.state_size(rig.body));
        free(middle);
        free(end);
        free(other);
        sn_newton_rig_destroy(&twin);
        sn_newton_rig_destroy(&rig);
    }
}

static SinewStatus make_and_use(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnNewtonRigDef def = swinging_def(*(const int *)context);
    SnNewtonRig rig = {0};
    SnNewtonRigPin pin = {{-1, -1, -1}, {1e-6, 2, 2}, "xyz"};
    void *points = NULL;
    memcpy(def.cells, (int[3]){1, 1, 1}, sizeof def.cells);
    def.allocator = allocator;
    SN_TRY(sn_newton_rig_try(&def, &rig, error));
    SN_TRY(sn_newton_rig_pins(&rig, &pin, 1, error));
    SN_TRY(sn_newton_model.points_create(rig.body, rig.body->elements.rest, 3, &points, error));

done:
    if (rig.body != NULL) {
        sn_newton_model.points_destroy(rig.body, points);
    }
    sn_newton_rig_destroy(&rig);
    return status;
}

static void test_every_allocation_fails_once(void **state)
{
    (void)state;
    for (int pass = 0; pass < 3; ++pass) {
        assert_true(sn_fail_each_allocation(make_and_use, &pass) > 30);
    }
}

static void test_steps_allocate_nothing(void **state)
{
    (void)state;
    for (int pass = 0; pass < 3; ++pass) {
        SnFailAllocator counting;
        sn_fail_allocator_init(&counting, -1);
        SnNewtonRigDef def = swinging_def(pass);
        def.allocator = &counting.allocator;
        SnNewtonRig rig = make_swinging(&def);
        int64_t before = counting.calls;
        SnMeasure measure;
        sn_newton_rig_step(&rig, 0.02, 3);
        sn_newton_rig_solve(&rig, SINEW_OK);
        sn_newton_model.measure(rig.body, &measure);
        assert_int_equal(counting.calls, before);
        sn_newton_rig_destroy(&rig);
        assert_int_equal(counting.blocks, 0);
    }
}

// Two materials in a row: each part stretches by its own modulus.
static void test_regions(void **state)
{
    (void)state;
    SnNewtonRigDef def = sn_newton_rig_default();
    SinewRegion region = {.kind = SINEW_REGION_BOX, .min = {0.5, -1, -1}, .max = {2, 2, 2}};
    def.material.poisson = 0.0;
    SinewMaterial soft = def.material;
    soft.young = 2.5e5;
    memcpy(def.cells, (int[3]){4, 1, 1}, sizeof def.cells);
    def.regions = &region;
    def.region_materials = &soft;
    def.region_count = 1;
    SnNewtonRig rig = sn_newton_rig_make(&def);
    SnNewtonRigPin pins[] = {{{-1, -1, -1}, {1e-6, 2, 2}, "xyz"},
                             {{1 - 1e-6, -1, -1}, {2, 2, 2}, "xyz"}};
    assert_int_equal(sn_newton_rig_pins(&rig, pins, 2, NULL), SINEW_OK);
    rig.motions[1].m[3] = 0.1;
    sn_newton_rig_solve(&rig, SINEW_OK);
    // A quarter of the modulus stretches four times as much: 0.02 m of 0.1 m in the stiff half.
    int middle = sn_newton_rig_vertex(&rig, 0.5, 0.0, 0.0);
    assert_at_most(fabs(sn_newton_rig_moved(&rig, middle, 0) - 0.02), 1e-9);
    sn_newton_rig_destroy(&rig);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_same_bits_for_any_workers),
    cmocka_unit_test(test_restore),
    cmocka_unit_test(test_every_allocation_fails_once),
    cmocka_unit_test(test_steps_allocate_nothing),
    cmocka_unit_test(test_regions),
};

SN_TEST_GROUP(model_newton_state, tests);

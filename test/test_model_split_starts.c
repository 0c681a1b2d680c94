// Bodies of `split` that were torn far from rest come back: mirrored, flattened, collapsed and
// scrambled ones, stretched to ten times their length, and twisted by ten turns. The wide set, six
// bodies by twenty seeds, is in check_split.py.
#include "support/split_rig.h"
#include "support/test.h"

#include <math.h>

static SnSplitRigDef bar(int way)
{
    SnSplitRigDef def = sn_split_rig_default();
    def.max[0] = 0.4, def.cells[0] = 8;
    def.material.poisson = 0.3;
    def.material.law = way == 1 ? SINEW_LAW_FIXED_COROTATED : SINEW_LAW_COROTATED;
    def.split.mode = way == 2 ? SINEW_SPLIT_PAPER : SINEW_SPLIT_IMPLICIT;
    return def;
}

// RMS over all pairs of vertices of the change of their distance, over the size: zero for rest
// shapes that moved as a whole, and, unlike lengths of edges, not for knotted ones.
static double shape_error(const SnSplitRig *rig)
{
    SinewBodyMesh mesh = sn_split_model.mesh(rig->body);
    double sum = 0.0;
    for (int a = 0; a < mesh.vertex_count; ++a) {
        for (int b = 0; b < a; ++b) {
            double now = 0.0, rest = 0.0;
            for (int k = 0; k < 3; ++k) {
                double d = mesh.positions[3 * a + k] - mesh.positions[3 * b + k];
                double D = mesh.rest[3 * a + k] - mesh.rest[3 * b + k];
                now += d * d;
                rest += D * D;
            }
            sum += (sqrt(now) - sqrt(rest)) * (sqrt(now) - sqrt(rest));
        }
    }
    double pairs = 0.5 * mesh.vertex_count * (mesh.vertex_count - 1);
    return sqrt(sum / pairs) / rig->body->size;
}

static void assert_at_rest(const SnSplitRig *rig)
{
    SnMeasure measure;
    sn_split_model.measure(rig->body, &measure);
    assert_int_equal(measure.inverted_count, 0);
    assert_at_most(shape_error(rig), 0.01);
}

static void starts_recover(void **state)
{
    (void)state;
    const double none[3] = {0.0, 0.0, 0.0};
    for (int way = 0; way < 3; ++way) {
        SnSplitRigDef def = bar(way);
        SnSplitRig rig = sn_split_rig_make(&def);
        for (int start = SINEW_START_MIRRORED; start < SINEW_START_SCRAMBLED; ++start) {
            sn_split_model.start(rig.body, (SinewStart)start, none, none);
            sn_split_rig_step(&rig, 0.01, 200);
            assert_at_rest(&rig);
        }
        for (int seed = 0; seed < sn_test_share(5); ++seed) {
            rig.body->start_seed = seed;
            sn_split_model.start(rig.body, SINEW_START_SCRAMBLED, none, none);
            sn_split_rig_step(&rig, 0.01, 200);
            assert_at_rest(&rig);
        }
        sn_split_rig_destroy(&rig);
    }
}

// Holds both ends of the bar.
static void hold_ends(SnSplitRig *rig)
{
    SinewRegion ends[2] = {
        {.kind = SINEW_REGION_BOX, .min = {-1.0, -1.0, -1.0}, .max = {1e-6, 1.0, 1.0}},
        {.kind = SINEW_REGION_BOX, .min = {0.4 - 1e-6, -1.0, -1.0}, .max = {1.0, 1.0, 1.0}}};
    const SnPin pins[2] = {{.region = &ends[0], .axes = {true, true, true}},
                           {.region = &ends[1], .axes = {true, true, true}}};
    assert_int_equal(sn_split_model.set_pins(rig->body, pins, 2, NULL), SINEW_OK);
}

static void stretched_bodies_recover(void **state)
{
    (void)state;
    for (int way = 0; way < 3; ++way) {
        SnSplitRigDef def = bar(way);
        SnSplitRig rig = sn_split_rig_make(&def);
        hold_ends(&rig);
        for (int t = 1; t <= 50; ++t) {
            rig.motions[1].m[3] = 9.0 * 0.4 * t / 50.0;
            sn_split_rig_step(&rig, 0.01, 1);
        }
        assert_int_equal(sn_split_model.set_pins(rig.body, NULL, 0, NULL), SINEW_OK);
        sn_split_rig_step(&rig, 0.01, 200);
        assert_at_rest(&rig);
        sn_split_rig_destroy(&rig);
    }
}

// Turned about the bar's axis through y = z = 0.1 m.
static SnAffine turn_of(double angle)
{
    double c = cos(angle), s = sin(angle);
    return (SnAffine){{1.0, 0.0, 0.0, 0.0, 0.0, c, -s, 0.1 - 0.1 * c + 0.1 * s, 0.0, s, c,
                       0.1 - 0.1 * s - 0.1 * c}};
}

static void twisted_bodies_recover(void **state)
{
    (void)state;
    for (int way = 0; way < 3; ++way) {
        SnSplitRigDef def = bar(way);
        SnSplitRig rig = sn_split_rig_make(&def);
        hold_ends(&rig);
        for (int t = 1; t <= 200; ++t) {
            rig.motions[1] = turn_of(10.0 * 2.0 * 3.14159265358979323846 * t / 200.0);
            sn_split_rig_step(&rig, 0.01, 1);
        }
        assert_int_equal(sn_split_model.set_pins(rig.body, NULL, 0, NULL), SINEW_OK);
        sn_split_rig_step(&rig, 0.01, 200);
        assert_at_rest(&rig);
        sn_split_rig_destroy(&rig);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(starts_recover),
    cmocka_unit_test(stretched_bodies_recover),
    cmocka_unit_test(twisted_bodies_recover),
};

SN_TEST_GROUP(model_split_starts, tests);

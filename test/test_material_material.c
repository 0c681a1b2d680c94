// Materials: what numbers they take, which one an element gets, and energy with stress in one call.
#include "support/test.h"

#include "base/random.h"
#include "material/material.h"

#include <math.h>

static SinewMaterial plain(void)
{
    return (SinewMaterial){
        .law = SINEW_LAW_COROTATED, .young = 1e6, .poisson = 0.3, .density = 1000.0};
}

static void expect_refusal(SinewMaterial def, const char *part)
{
    SnMaterial material;
    SinewError error = {.text = ""};
    assert_int_equal(sn_material_make(&def, "body \"b\"", &material, &error), SINEW_ERROR_ARGUMENT);
    if (strstr(error.text, part) == NULL || strncmp(error.text, "body \"b\": ", 10) != 0) {
        fail_msg("\"%s\", expected it to begin with the body and hold \"%s\"", error.text, part);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    SinewMaterial def = plain();
    def.law = (SinewLaw)9;
    expect_refusal(def, "law is 9, expected 0 to 6");
    def = plain();
    def.young = 0.0;
    expect_refusal(def, "0");
    def = plain();
    def.poisson = 0.5;
    expect_refusal(def, "0.5");
    def = plain();
    def.density = -1.0;
    expect_refusal(def, "-1");
    def = plain();
    def.damping_mass = -0.5;
    expect_refusal(def, "damping_mass is -0.5 1/s, expected 0 or more");
    def = plain();
    def.damping_stiffness = NAN;
    expect_refusal(def, "damping_stiffness is nan s, expected 0 or more");
}

static void test_made_as_said(void **state)
{
    (void)state;
    SinewMaterial def = plain();
    SnMaterial material;
    def.law = SINEW_LAW_MOONEY_RIVLIN;
    def.damping_mass = 2.0;
    def.damping_stiffness = 0.25;
    assert_int_equal(sn_material_make(&def, "it", &material, NULL), SINEW_OK);
    assert_int_equal(material.law.kind, SN_LAW_MOONEY_RIVLIN);
    assert_true(material.density == 1000.0 && material.damping_mass == 2.0 &&
                material.damping_stiffness == 0.25);
}

// Of several regions the last counts; outside of all it is the body's own.
static void test_regions(void **state)
{
    (void)state;
    SinewRegion regions[] = {
        {.kind = SINEW_REGION_BOX, .min = {0, 0, 0}, .max = {1, 1, 1}},
        {.kind = SINEW_REGION_SPHERE, .center = {1, 1, 1}, .radius = 0.5},
    };
    SnMaterials materials = {.regions = regions, .region_count = 2};
    assert_int_equal(sn_materials_find(&materials, (double[3]){2, 2, 2}), 0);
    assert_int_equal(sn_materials_find(&materials, (double[3]){0.2, 0.2, 0.2}), 1);
    assert_int_equal(sn_materials_find(&materials, (double[3]){0.9, 0.9, 0.9}), 2);
}

static void test_energy_with_stress(void **state)
{
    (void)state;
    SnRandom random = {77};
    for (int kind = 0; kind < SN_LAW_KIND_COUNT; ++kind) {
        SnLaw law = sn_law_make((SnLawKind)kind, 1000.0, 0.3);
        for (int trial = 0; trial < 300; ++trial) {
            double F[9], P[9], both[9];
            for (int k = 0; k < 9; ++k) {
                // The last third is often inverted.
                double size = trial < 200 ? 0.3 : 2.0;
                F[k] = (k % 4 == 0 ? 1.0 : 0.0) + sn_random_between(&random, -size, size);
            }
            double energy = sn_law_energy(&law, F);
            sn_law_stress(&law, F, P);
            assert_true(sn_law_energy_stress(&law, F, both) == energy);
            assert_memory_equal(both, P, sizeof P);
        }
        double wrong[9] = {NAN, 0, 0, 0, 1, 0, 0, 0, 1}, P[9];
        assert_true(isinf(sn_law_energy_stress(&law, wrong, P)));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_refusals),
    cmocka_unit_test(test_made_as_said),
    cmocka_unit_test(test_regions),
    cmocka_unit_test(test_energy_with_stress),
};

SN_TEST_GROUP(material_material, tests);

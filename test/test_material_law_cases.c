// Laws against the values kept for validation, case P01: energy, stress and its derivative to sixty
// digits at given F.
#include "support/test.h"

#include "material/law.h"

#include <jansson.h>
#include <math.h>

static double largest(const double a[9])
{
    double most = 0.0;
    for (int k = 0; k < 9; ++k) {
        most = fmax(most, fabs(a[k]));
    }
    return most;
}

static void read_matrix(const json_t *row, const char *key, double out[9])
{
    const json_t *rows = json_object_get(row, key);
    assert_int_equal(json_array_size(rows), 3);
    for (int k = 0; k < 9; ++k) {
        const json_t *entry =
            json_array_get(json_array_get(rows, (size_t)(k / 3)), (size_t)(k % 3));
        assert_true(json_is_number(entry));
        out[k] = json_number_value(entry);
    }
}

// The laws as the file spells them.
static SnLawKind kind_of(const char *model)
{
    static const struct {
        const char *model;
        SnLawKind kind;
    } kinds[] = {
        {"linear", SN_LAW_LINEAR},          {"corot", SN_LAW_COROTATED},
        {"fcorot", SN_LAW_FIXED_COROTATED}, {"svk", SN_LAW_SVK},
        {"nh", SN_LAW_NEO_HOOKEAN},         {"snh", SN_LAW_STABLE_NEO_HOOKEAN},
        {"mr", SN_LAW_MOONEY_RIVLIN},       {"snh0", SN_LAW_STABLE_NEO_HOOKEAN_0},
    };
    for (int i = 0; i < SN_COUNT(kinds); ++i) {
        if (strcmp(kinds[i].model, model) == 0) {
            return kinds[i].kind;
        }
    }
    fail_msg("the model %s is not known here", model);
    return SN_LAW_KIND_COUNT;
}

static void check_matrix(const double a[9], const double b[9], double tolerance)
{
    for (int k = 0; k < 9; ++k) {
        assert_at_most(fabs(a[k] - b[k]), tolerance);
    }
}

static void check_row(const json_t *row, double young, double poisson, double relative)
{
    SnLaw law =
        sn_law_make(kind_of(json_string_value(json_object_get(row, "model"))), young, poisson);
    double F[9];
    double dF[9];
    double P[9];
    double dP[9];
    double computed[9];
    read_matrix(row, "F", F);
    read_matrix(row, "dF", dF);
    read_matrix(row, "P", P);
    read_matrix(row, "dP", dP);
    double energy = json_number_value(json_object_get(row, "psi"));
    // The file's own tolerance, and below it what rounding F by 1e-16 does: one row is a rotation
    // to twelve digits, whose stress and energy are the rest of those digits.
    assert_at_most(fabs(sn_law_energy(&law, F) - energy), relative * energy + 2e-15 * largest(P));
    sn_law_stress(&law, F, computed);
    check_matrix(computed, P, relative * largest(P) + 4e-15 * young);
    sn_law_differential(&law, F, dF, computed);
    check_matrix(computed, dP, relative * largest(dP));
}

static void laws_meet_the_validation_rows(void **state)
{
    (void)state;
    const char *path = SINEW_VALIDATION_DIR "/cases.json";
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (root == NULL) {
        fail_msg("%s: %s", path, error.text);
    }
    size_t index;
    const json_t *entry;
    const json_t *found = NULL;
    json_array_foreach(json_object_get(root, "cases"), index, entry)
    {
        if (strcmp(json_string_value(json_object_get(entry, "id")), "P01_material_point") == 0) {
            found = entry;
        }
    }
    const json_t *rows = json_object_get(found, "rows");
    const json_t *material = json_object_get(found, "material");
    assert_true(json_array_size(rows) > 0);
    json_array_foreach(rows, index, entry)
    {
        check_row(entry, json_number_value(json_object_get(material, "E")),
                  json_number_value(json_object_get(material, "nu")),
                  json_number_value(json_object_get(found, "tol_rel")));
    }
    json_decref(root);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(laws_meet_the_validation_rows),
};

SN_TEST_GROUP(material_law_cases, tests);

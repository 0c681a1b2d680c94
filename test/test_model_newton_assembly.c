// Elements and assembly of the reference model: forces are the gradient of the energy and stiffness
// that of the forces, for both elements, distorted, and every law; rigid motion costs nothing.
#include "support/test.h"

#include "base/random.h"
#include "model/newton/assembly.h"
#include "model/newton/mass.h"
#include "model/newton/system.h"

#include <math.h>

// Elements, pattern and room without a solid.
static SnNewton make_body(bool hexes, SnLawKind kind)
{
    SnNewton body = {.material_count = 1};
    SnMaterials list = {0};
    SnRandom random = {11};
    SinewStatus status = SINEW_OK;
    body.materials = calloc(1, sizeof *body.materials);
    body.materials[0] = (SnMaterial){.law = sn_law_make(kind, 1e3, 0.3), .density = 2.0};
    list.materials = body.materials;
    if (hexes) {
        // Two cells side by side along x.
        SnHexMesh *mesh = NULL;
        assert_int_equal(sn_hex_mesh_create(12, 2, NULL, &mesh, NULL), SINEW_OK);
        for (int v = 0; v < 12; ++v) {
            int place[3] = {v / 4, v / 2 % 2, v % 2};
            for (int k = 0; k < 3; ++k) {
                mesh->positions[3 * v + k] = place[k] + sn_random_between(&random, -0.2, 0.2);
            }
        }
        for (int c = 0; c < 16; ++c) {
            mesh->hexes[c] = c / 8 * 4 + c % 8;
        }
        status =
            sn_newton_elements_from_hexes(mesh, NULL, &list, "test", NULL, &body.elements, NULL);
        sn_hex_mesh_destroy(mesh, NULL);
    } else {
        SnTetMesh *mesh = NULL;
        SnBoxTetsDef def = {.max = {2.0, 1.0, 1.0}, .cells = {2, 1, 1}, .cut = SN_BOX_FIVE};
        assert_int_equal(sn_box_tets_create(&def, NULL, &mesh, NULL), SINEW_OK);
        for (int i = 0; i < 3 * mesh->vertex_count; ++i) {
            mesh->positions[i] += sn_random_between(&random, -0.1, 0.1);
        }
        status = sn_newton_elements_from_tets(mesh, &list, "test", NULL, &body.elements, NULL);
        sn_tet_mesh_destroy(mesh, NULL);
    }
    assert_int_equal(status, SINEW_OK);
    assert_int_equal(sn_newton_pattern_create(&body.elements, NULL, &body.pattern, NULL), SINEW_OK);
    body.room.energies = calloc((size_t)body.elements.count, sizeof(double));
    body.room.dets = calloc((size_t)body.elements.count, sizeof(double));
    return body;
}

static void free_body(SnNewton *body)
{
    sn_newton_elements_release(&body->elements, NULL);
    sn_newton_pattern_release(&body->pattern, NULL);
    sn_free(NULL, body->masses);
    sn_free(NULL, body->mass_value);
    free(body->materials);
    free(body->room.energies);
    free(body->room.dets);
}

static double *vector_of(const SnNewton *body)
{
    return calloc(sn_newton_dofs(body), sizeof(double));
}

// Places near rest, stretched and turned, so that nothing is symmetric; no law forbids them.
static double *some_places(const SnNewton *body)
{
    SnRandom random = {5};
    double *x = vector_of(body);
    for (int v = 0; v < body->elements.vertex_count; ++v) {
        const double *X = body->elements.rest + 3 * v;
        x[3 * v] = 0.8 * X[0] - 0.5 * X[1] + sn_random_between(&random, -0.05, 0.05);
        x[3 * v + 1] = 0.6 * X[0] + 1.1 * X[1] + sn_random_between(&random, -0.05, 0.05);
        x[3 * v + 2] = 1.2 * X[2] + sn_random_between(&random, -0.05, 0.05);
    }
    return x;
}

static void check_derivatives(bool hexes, SnLawKind kind)
{
    SnNewton body = make_body(hexes, kind);
    size_t count = sn_newton_dofs(&body);
    double *x = some_places(&body);
    double *f = vector_of(&body), *low = vector_of(&body), *high = vector_of(&body);
    double *unit = vector_of(&body), *column = vector_of(&body);
    double *K = calloc(9 * (size_t)body.pattern.entry_count, sizeof *K);
    double step = 1e-5, worst_force = 0.0, worst_stiffness = 0.0;
    assert_true(isfinite(sn_newton_elastic(&body, NULL, x, f)));
    sn_newton_stiffness(&body, NULL, x, false, false, K);
    for (size_t i = 0; i < count; ++i) {
        double place = x[i];
        x[i] = place + step;
        double above = sn_newton_elastic(&body, NULL, x, high);
        x[i] = place - step;
        double below = sn_newton_elastic(&body, NULL, x, low);
        x[i] = place;
        worst_force = fmax(worst_force, fabs((above - below) / (2.0 * step) - f[i]));
        memset(unit, 0, count * sizeof *unit);
        unit[i] = 1.0;
        sn_newton_system_multiply(&body, NULL, K, unit, column);
        for (size_t j = 0; j < count; ++j) {
            double difference = (high[j] - low[j]) / (2.0 * step);
            worst_stiffness = fmax(worst_stiffness, fabs(difference - column[j]));
        }
    }
    // Forces are of the order 1e2 and stiffness 1e3; central differences err by 1e-10 of third
    // derivatives and 1e-11 of the values over the step.
    assert_at_most(worst_force, 1e-5);
    assert_at_most(worst_stiffness, 1e-4);
    free(x);
    free(f);
    free(low);
    free(high);
    free(unit);
    free(column);
    free(K);
    free_body(&body);
}

static void test_derivatives(void **state)
{
    (void)state;
    for (int kind = 0; kind < SN_LAW_KIND_COUNT; ++kind) {
        check_derivatives(false, (SnLawKind)kind);
        check_derivatives(true, (SnLawKind)kind);
    }
}

// x'K x with the projected stiffness is never negative, also where the exact one is.
static void test_definite_stiffness(void **state)
{
    (void)state;
    for (int pass = 0; pass < 2 * SN_LAW_KIND_COUNT; ++pass) {
        SnNewton body = make_body(pass % 2 == 1, (SnLawKind)(pass / 2));
        size_t count = sn_newton_dofs(&body);
        double *x = vector_of(&body), *u = vector_of(&body), *product = vector_of(&body);
        double *K = calloc(9 * (size_t)body.pattern.entry_count, sizeof *K);
        SnRandom random = {3};
        for (size_t i = 0; i < count; ++i) {
            x[i] = 0.6 * body.elements.rest[i]; // pressed hard
        }
        sn_newton_stiffness(&body, NULL, x, true, false, K);
        for (int trial = 0; trial < 20; ++trial) {
            double energy = 0.0;
            for (size_t i = 0; i < count; ++i) {
                u[i] = sn_random_between(&random, -1.0, 1.0);
            }
            sn_newton_system_multiply(&body, NULL, K, u, product);
            for (size_t i = 0; i < count; ++i) {
                energy += u[i] * product[i];
            }
            assert_at_most(-energy, 1e-9);
        }
        free(x);
        free(u);
        free(product);
        free(K);
        free_body(&body);
    }
}

static void test_rigid_motion(void **state)
{
    (void)state;
    const double R[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6};
    for (int pass = 2; pass < 2 * SN_LAW_KIND_COUNT; ++pass) { // small strain minds rotations
        SnNewton body = make_body(pass % 2 == 1, (SnLawKind)(pass / 2));
        double *x = vector_of(&body), *f = vector_of(&body);
        for (int v = 0; v < body.elements.vertex_count; ++v) {
            const double *X = body.elements.rest + 3 * v;
            for (int i = 0; i < 3; ++i) {
                x[3 * v + i] =
                    R[3 * i] * X[0] + R[3 * i + 1] * X[1] + R[3 * i + 2] * X[2] + 3.0 - i;
            }
        }
        // Strains of rounding, 1e-15, times 1e3 Pa; squared in the energy.
        assert_at_most(fabs(sn_newton_elastic(&body, NULL, x, f)), 1e-24);
        for (size_t i = 0; i < sn_newton_dofs(&body); ++i) {
            assert_at_most(fabs(f[i]), 1e-10);
        }
        free(x);
        free(f);
        free_body(&body);
    }
}

// Volumes and masses of distorted cells; consistent rows sum to the lumped mass.
static void test_mass(void **state)
{
    (void)state;
    for (int pass = 0; pass < 2; ++pass) {
        SnNewton body = make_body(pass == 1, SN_LAW_COROTATED);
        double volume = 0.0, mass = 0.0;
        body.options.mass = SINEW_MASS_CONSISTENT;
        assert_int_equal(sn_newton_mass_create(&body, NULL), SINEW_OK);
        for (int i = 0; i < body.elements.count * body.elements.point_count; ++i) {
            volume += body.elements.weights[i];
        }
        for (int v = 0; v < body.elements.vertex_count; ++v) {
            double row = 0.0;
            for (int i = body.pattern.row_start[v]; i < body.pattern.row_start[v + 1]; ++i) {
                row += body.mass_value[i];
            }
            assert_at_most(fabs(row - body.masses[v]), 1e-14);
            mass += body.masses[v];
        }
        assert_at_most(fabs(mass - 2.0 * volume), 1e-13);
        free_body(&body);
    }
}

// Elements of one colour share no vertex, and every element has one colour.
static void test_colours(void **state)
{
    (void)state;
    SnNewton body = make_body(false, SN_LAW_COROTATED);
    const SnNewtonPattern *pattern = &body.pattern;
    int seen[64] = {0};
    for (int c = 0; c < pattern->colour_count; ++c) {
        int taken[64] = {0};
        for (int i = pattern->colour_start[c]; i < pattern->colour_start[c + 1]; ++i) {
            int e = pattern->order[i];
            seen[e] += 1;
            for (int a = 0; a < 4; ++a) {
                assert_int_equal(taken[body.elements.vertices[4 * e + a]]++, 0);
            }
        }
    }
    for (int e = 0; e < body.elements.count; ++e) {
        assert_int_equal(seen[e], 1);
    }
    free_body(&body);
}

static void test_flat_element_is_refused(void **state)
{
    (void)state;
    SnTetMesh *mesh = NULL;
    SnNewtonElements elements = {0};
    SinewError error;
    SnBoxTetsDef def = {.max = {1.0, 1.0, 1.0}, .cells = {1, 1, 1}, .cut = SN_BOX_KUHN};
    SnMaterials list = {0};
    assert_int_equal(sn_box_tets_create(&def, NULL, &mesh, NULL), SINEW_OK);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        mesh->positions[3 * v + 1] = 0.0;
    }
    assert_int_equal(sn_newton_elements_from_tets(mesh, &list, "leaf", NULL, &elements, &error),
                     SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "body \"leaf\": tet 0 has a volume of 0 m^3"));
    assert_int_equal(error.index, 0);
    sn_newton_elements_release(&elements, NULL);
    sn_tet_mesh_destroy(mesh, NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_derivatives),  cmocka_unit_test(test_definite_stiffness),
    cmocka_unit_test(test_rigid_motion), cmocka_unit_test(test_mass),
    cmocka_unit_test(test_colours),      cmocka_unit_test(test_flat_element_is_refused),
};

SN_TEST_GROUP(model_newton_assembly, tests);

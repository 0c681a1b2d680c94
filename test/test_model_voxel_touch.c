// The stiffness of points in contact with the voxel model's cells: products are the derivative of
// what forces at the points do to the corners, and blocks of single cells are never less.
#include "support/test.h"

#include "base/random.h"
#include "model/voxel/ties.h"

#include <math.h>

enum { POINTS = 12 };

// A bar of three by two by one cells, half empty, and springs at points of it.
typedef struct Rig {
    SnSolid *solid;
    SnMaterial material;
    SnVoxelBody *body;
    void *points;
    double anchors[3 * POINTS];
    const double *stiffness; // N/m, 9 numbers
    SnPointForces springs;
    SnStep step;
    SinewStepReport report;
} Rig;

// Stiffer along (1, 2, 2) / 3 than across it, as contact with friction is.
static const double stiff[9] = {2e4, 2e4, 2e4, 2e4, 5e4, 4e4, 2e4, 4e4, 5e4};

// Along it alone.
static const double sliding[9] = {1e4, 2e4, 2e4, 2e4, 4e4, 4e4, 2e4, 4e4, 4e4};

static void pull_back(void *context, int begin, int end, const double *x, SnPointForce *out)
{
    const Rig *rig = context;
    for (int p = begin; p < end; ++p) {
        SnPointForce *force = &out[p - begin];
        double offset[3];
        *force = (SnPointForce){.energy = 0.0};
        memcpy(force->stiffness, rig->stiffness, sizeof force->stiffness);
        for (int k = 0; k < 3; ++k) {
            offset[k] = x[3 * p + k] - rig->anchors[3 * p + k];
        }
        for (int i = 0; i < 9; ++i) {
            force->force[i / 3] -= rig->stiffness[i] * offset[i % 3];
        }
        for (int k = 0; k < 3; ++k) {
            force->energy -= 0.5 * force->force[k] * offset[k];
        }
    }
}

static void make_rig(SinewVoxelMode mode, Rig *rig)
{
    static const SnShape part = {.kind = SN_SHAPE_BOX,
                                 .box = {.min = {0.0, 0.0, 0.0}, .max = {3.0, 1.9, 0.6}}};
    static const SnShape shape = {.kind = SN_SHAPE_BLOB, .blob = {&part, 1, 0.0}};
    SnSolidDef solid_def = {.shape = &shape, .resolution = 3, .pose = sn_affine_identity()};
    SinewMaterial given = sinew_material_default();
    SinewBodyDef options = sinew_body_def_default();
    SnMaterials list = {&rig->material, NULL, 0};
    SnModelDef def = {.name = "bar", .materials = &list, .options = &options};
    SnRandom random = {5};
    double rest[3 * POINTS];
    *rig = (Rig){.springs = {.count = POINTS, .evaluate = pull_back}, .stiffness = stiff};
    // Everywhere, where cells meet, and outside.
    for (int i = 0; i < 3 * POINTS; ++i) {
        rest[i] = sn_random_between(&random, 0.0, i % 3 == 0 ? 3.0 : i % 3 == 1 ? 1.9 : 0.6);
    }
    rest[0] = 1.0;
    rest[3] = 2.01;
    rest[7] = 0.99;
    rest[11] = 0.9;
    given.young = 1e3;
    options.voxel.mode = mode;
    assert_int_equal(sn_material_make(&given, "the bar", &rig->material, NULL), SINEW_OK);
    assert_int_equal(sn_kernels_pick(SN_FAST_BITS, &def.kernels, NULL), SINEW_OK);
    assert_int_equal(sn_solid_create(&solid_def, NULL, NULL, &rig->solid, NULL), SINEW_OK);
    def.solid = rig->solid;
    assert_int_equal(sn_voxel_model.create(&def, (void **)&rig->body, NULL), SINEW_OK);
    assert_int_equal(sn_voxel_points_create(rig->body, rest, POINTS, &rig->points, NULL), SINEW_OK);
    rig->springs.points = rig->points;
    const SnStep step = {.contacts = &rig->springs};
    assert_int_equal(sn_voxel_touch_create(rig->body, &step, NULL), SINEW_OK);
    rig->springs.context = rig;
}

static void release_rig(Rig *rig)
{
    sn_voxel_points_destroy(rig->body, rig->points);
    sn_voxel_model.destroy(rig->body);
    sn_solid_destroy(rig->solid);
}

static SnVoxelProblem problem_of(Rig *rig, bool exact)
{
    SnVoxelBody *body = rig->body;
    memcpy(body->room.base, body->state.rotations,
           9 * (size_t)body->grid.cell_count * sizeof(double));
    return (SnVoxelProblem){.body = body,
                            .step = &rig->step,
                            .report = &rig->report,
                            .exact = exact,
                            .share = 1.0,
                            .dynamic = true,
                            .a_rate = 100.0,
                            .v_rate = 10.0};
}

// What the springs add to the gradient at d.
static void spring_forces(Rig *rig, const SnVoxelProblem *problem, const double *d, double *out)
{
    size_t count = sn_voxel_dofs(rig->body);
    rig->step.contacts = NULL;
    sn_voxel_potential(problem, d);
    memcpy(out, rig->body->room.internal, count * sizeof *out);
    rig->step.contacts = &rig->springs;
    sn_voxel_potential(problem, d);
    for (size_t i = 0; i < count; ++i) {
        out[i] = rig->body->room.internal[i] - out[i];
    }
}

// What they add to a product with v at d.
static void spring_product(Rig *rig, const SnVoxelProblem *problem, const double *d,
                           const double *v, double *out)
{
    size_t count = sn_voxel_dofs(rig->body);
    double *without = malloc(count * sizeof *without);
    rig->step.contacts = NULL;
    sn_voxel_potential(problem, d);
    sn_voxel_system_make(problem);
    sn_voxel_system_apply(problem, v, without);
    rig->step.contacts = &rig->springs;
    sn_voxel_potential(problem, d);
    sn_voxel_system_make(problem);
    sn_voxel_system_apply(problem, v, out);
    for (size_t i = 0; i < count; ++i) {
        out[i] -= without[i];
    }
    free(without);
}

// Turned and strained, and some direction.
static void some_state(const Rig *rig, double strain, double *d, double *v)
{
    SnRandom random = {11};
    const SnVoxelBody *body = rig->body;
    for (int n = 0; n < body->grid.vertex_count; ++n) {
        const double *X = body->grid.rest + 3 * (size_t)n;
        double x[3] = {0.6 * X[0] - 0.8 * X[1], 0.8 * X[0] + 0.6 * X[1],
                       (1.0 + 0.5 * strain) * X[2]};
        for (int k = 0; k < 3; ++k) {
            d[3 * n + k] = x[k] - X[k] + sn_random_between(&random, -strain, strain);
            v[3 * n + k] = sn_random_between(&random, -1.0, 1.0);
        }
    }
}

// In mode paper forces do not know that cells turn, which has no part in it where these are not
// strained.
static void products_are_the_gradient_of_the_forces(void **state)
{
    (void)state;
    for (int mode = 0; mode < 2; ++mode) {
        Rig rig;
        make_rig((SinewVoxelMode)mode, &rig);
        SnVoxelProblem problem = problem_of(&rig, mode == SINEW_VOXEL_CONDENSED);
        size_t count = sn_voxel_dofs(rig.body);
        double *d = malloc(5 * count * sizeof *d), *v = d + count, *product = v + count;
        double *high = product + count, *low = high + count, step = 1e-5, largest = 0.0;
        some_state(&rig, mode == SINEW_VOXEL_CONDENSED ? 0.08 : 0.0, d, v);
        rig.step.contacts = &rig.springs;
        sn_voxel_potential(&problem, d);
        memcpy(rig.anchors, ((const SnVoxelPoints *)rig.points)->places, sizeof rig.anchors);
        spring_product(&rig, &problem, d, v, product);
        for (size_t i = 0; i < count; ++i) {
            d[i] += step * v[i];
            largest = fmax(largest, fabs(product[i]));
        }
        spring_forces(&rig, &problem, d, high);
        for (size_t i = 0; i < count; ++i) {
            d[i] -= 2.0 * step * v[i];
        }
        spring_forces(&rig, &problem, d, low);
        assert_true(largest > 1e4);
        for (size_t i = 0; i < count; ++i) {
            double slope = (high[i] - low[i]) / (2.0 * step);
            assert_at_most(fabs(slope - product[i]), 1e-5 * largest); // products are in float
        }
        free(d);
        release_rig(&rig);
    }
}

// With springs that pull hard, weight and loads, at points inside and outside of cells: the whole
// derivative of all forces, with how cells rotate.
static void tangents_know_forces_on_the_content(void **state)
{
    (void)state;
    Rig rig;
    make_rig(SINEW_VOXEL_CONDENSED, &rig);
    SnVoxelProblem problem = problem_of(&rig, true);
    const SnVoxelLevel *level = &rig.body->system.level;
    SnRandom random = {23};
    void *loaded;
    const double rest[6] = {2.2, 0.3, 0.2, 1.01, 1.4, 0.7};
    const double forces[6] = {20.0, -30.0, 10.0, -15.0, 5.0, 25.0};
    size_t count = sn_voxel_dofs(rig.body);
    double *d = malloc(4 * count * sizeof *d), *v = d + count, *high = v + count;
    double *product = high + count, step = 1e-5, largest = 0.0;
    assert_int_equal(sn_voxel_points_create(rig.body, rest, 2, &loaded, NULL), SINEW_OK);
    SnPointLoad load = {.points = loaded, .forces = forces};
    problem.dynamic = false;
    rig.step = (SnStep){.gravity = {1.0, -2.0, 9.0}, .loads = &load, .load_count = 1};
    rig.step.contacts = &rig.springs;
    some_state(&rig, 0.08, d, v);
    sn_voxel_potential(&problem, d);
    for (int i = 0; i < 3 * POINTS; ++i) {
        rig.anchors[i] = ((const SnVoxelPoints *)rig.points)->places[i] +
                         sn_random_between(&random, -0.02, 0.02);
    }
    sn_voxel_potential(&problem, d);
    sn_voxel_system_make(&problem);
    sn_voxel_tangent_prepare(&problem);
    for (size_t i = 0; i < count; ++i) {
        level->p[i / 3 * 4 + i % 3] = (float)v[i];
        level->free[i / 3 * 4 + i % 3] = 1.0f;
    }
    SnVoxelOperator whole = {.level = level,
                             .cells = sn_voxel_tangent_apply,
                             .apply = sn_voxel_touch_apply,
                             .context = &problem};
    sn_voxel_operator_apply(&whole, NULL);
    for (size_t i = 0; i < count; ++i) {
        product[i] = (double)level->q[i / 3 * 4 + i % 3];
        largest = fmax(largest, fabs(product[i]));
        d[i] += step * v[i];
    }
    sn_voxel_potential(&problem, d);
    memcpy(high, rig.body->room.residual, count * sizeof *high);
    for (size_t i = 0; i < count; ++i) {
        d[i] -= 2.0 * step * v[i];
    }
    sn_voxel_potential(&problem, d);
    for (size_t i = 0; i < count; ++i) {
        double slope = (high[i] - rig.body->room.residual[i]) / (2.0 * step);
        assert_at_most(fabs(slope - product[i]), 1e-5 * largest); // products are in float
    }
    sn_voxel_points_destroy(rig.body, loaded);
    free(d);
    release_rig(&rig);
}

typedef struct Form {
    const SnVoxelBody *body;
    const double *v;
    double sum;
} Form;

static void add_form(void *context, const SnVoxelPointBlock *block)
{
    Form *form = context;
    const double *R = form->body->room.poses[block->cell].rotation;
    const int *corners = form->body->grid.corners + 8 * (size_t)block->cell;
    double H[SN_VOXEL_MATRIX], u[SN_VOXEL_DOFS];
    sn_voxel_point_matrix(block, H);
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        const double *v = form->v + 3 * (size_t)corners[i / 3];
        u[i] = R[i % 3] * v[0] + R[3 + i % 3] * v[1] + R[6 + i % 3] * v[2];
    }
    for (int i = 0; i < SN_VOXEL_MATRIX; ++i) {
        form->sum += H[i] * u[i / SN_VOXEL_DOFS] * u[i % SN_VOXEL_DOFS];
    }
}

static double dot(size_t count, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

// At rest, where turns have no part in it: never less, and the same for translations.
static void blocks_of_cells_are_never_less(void **state)
{
    (void)state;
    Rig rig;
    SnRandom random = {3};
    make_rig(SINEW_VOXEL_CONDENSED, &rig);
    SnVoxelProblem problem = problem_of(&rig, false);
    size_t count = sn_voxel_dofs(rig.body);
    double *d = calloc(3 * count, sizeof *d), *v = d + count, *product = v + count;
    for (int pass = 0; pass < 20; ++pass) {
        for (size_t i = 0; i < count; ++i) {
            v[i] = pass == 0 ? (i % 3 == 1) : sn_random_between(&random, -1.0, 1.0);
        }
        Form form = {rig.body, v, 0.0};
        spring_product(&rig, &problem, d, v, product);
        for (int p = 0; p < POINTS; ++p) {
            sn_voxel_touch_visit(rig.body, rig.points, p, add_form, &form);
        }
        double exact = dot(count, v, product);
        assert_true(exact > 0.0);
        assert_true(form.sum >= (1.0 - 1e-5) * exact); // products are in float
        assert_true(pass > 0 || form.sum <= (1.0 + 1e-5) * exact);
    }
    free(d);
    release_rig(&rig);
}

// z + D^-1 J^T S J z is what z was before it was corrected, D the blocks without springs.
static void expect_solved(Rig *rig, bool exact)
{
    SnVoxelBody *body = rig->body;
    SnVoxelProblem problem = problem_of(rig, exact);
    const SnVoxelPoints *points = rig->points;
    SnRandom random = {19};
    size_t count = sn_voxel_dofs(body), vertices = count / 3;
    double *d = calloc(5 * count, sizeof *d), *v = d + count, *product = v + count;
    double *first = product + count, *solved = first + count;
    float *z = calloc(4 * vertices, sizeof *z);
    some_state(rig, exact ? 0.08 : 0.0, d, v);
    rig->springs.tie_count = POINTS;
    rig->step.contacts = &rig->springs;
    assert_int_equal(sn_voxel_ties_prepare(body, &rig->step, NULL), SINEW_OK);
    spring_product(rig, &problem, d, v, product);
    assert_int_equal(points->ties.count, POINTS);
    for (size_t i = 0; i < count; ++i) {
        first[i] = sn_random_between(&random, -1.0, 1.0);
        z[i / 3 * 4 + i % 3] = (float)first[i];
    }
    sn_voxel_ties_correct(&points->ties, z);
    for (size_t i = 0; i < count; ++i) {
        solved[i] = (double)z[i / 3 * 4 + i % 3];
    }
    spring_product(rig, &problem, d, solved, product);
    for (size_t i = 0; i < count; ++i) {
        const double *inverse = body->system.diagonals + 3 * i;
        const double *f = product + i / 3 * 3;
        double more = inverse[0] * f[0] + inverse[1] * f[1] + inverse[2] * f[2];
        // Floats, of springs that are some thousand times as stiff as cells.
        assert_at_most(fabs(solved[i] + more - first[i]), 2e-3);
    }
    free(z);
    free(d);
}

static void ties_are_solved_for(void **state)
{
    (void)state;
    for (int run = 0; run < 4; ++run) {
        Rig rig;
        make_rig((SinewVoxelMode)(run % 2), &rig);
        rig.stiffness = run < 2 ? stiff : sliding;
        expect_solved(&rig, run % 2 == SINEW_VOXEL_CONDENSED);
        release_rig(&rig);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(products_are_the_gradient_of_the_forces),
    cmocka_unit_test(tangents_know_forces_on_the_content),
    cmocka_unit_test(blocks_of_cells_are_never_less),
    cmocka_unit_test(ties_are_solved_for),
};

SN_TEST_GROUP(model_voxel_touch, tests);

// What the fit makes of bodies whose frames no scalar weight serves: compliance for loads at frames
// beside that of finite elements; and the potential's derivatives.
#include "support/test.h"

#include "base/random.h"
#include "model/frames/dense.h"
#include "model/frames/flexibility.h"
#include "model/frames/potential.h"

#include <math.h>

typedef struct Body {
    const char *name;
    SinewShapeKind kind;
    double boxes[2][6]; // min and max of one or two
    int cells[3];       // of a box
    double origins[6][3];
    int frames;
    double stiff[2][6]; // boxes that are a hundred times as stiff
    int stiff_count;
} Body;

static const Body bodies[] = {
    {"bar",
     SINEW_SHAPE_BOX,
     {{0, 0, 0, 4, 1, 1}},
     {16, 4, 4},
     {{0, .5, .5}, {1, .5, .5}, {2, .5, .5}, {3, .5, .5}, {4, .5, .5}},
     5,
     {{0}},
     0},
    {"T",
     SINEW_SHAPE_BLOB,
     {{-2, -.5, -.5, 2, .5, .5}, {-.5, -3, -.5, .5, -.4, .5}},
     {0},
     {{-1.75, 0, 0}, {1.75, 0, 0}, {0, 0, 0}, {0, -2.75, 0}},
     4,
     {{0}},
     0},
    {"star",
     SINEW_SHAPE_BLOB,
     {{-2, -.5, -.5, 2, .5, .5}, {-.5, -2, -.5, .5, 2, .5}},
     {0},
     {{-1.75, 0, 0}, {1.75, 0, 0}, {0, 0, 0}, {0, -1.75, 0}, {0, 1.75, 0}},
     5,
     {{0}},
     0},
    {"half stiff",
     SINEW_SHAPE_BOX,
     {{0, 0, 0, 4, 1, 1}},
     {16, 4, 4},
     {{.25, .5, .5}, {2, .5, .5}, {3.75, .5, .5}},
     3,
     {{-1, -1, -1, 2, 2, 2}},
     1},
    {"bones in flesh",
     SINEW_SHAPE_BOX,
     {{0, 0, 0, 4, 1, 1}},
     {16, 4, 4},
     {{0, .5, .5}, {1, .5, .5}, {2, .5, .5}, {3, .5, .5}, {4, .5, .5}},
     5,
     {{.4, .2, .2, 1.8, .8, .8}, {2.2, .2, .2, 3.6, .8, .8}},
     2},
};

// A body of the model, with what it was made from.
typedef struct Rig {
    SnSolid *solid;
    SnMaterial materials[3];
    SinewRegion regions[2];
    SnMaterials table;
    SinewBodyDef options;
    SinewFrame frames[6];
    SnModelDef def;
    SnFrames *body;
} Rig;

static SnShape shape_of(const Body *what, SnShape parts[2])
{
    for (int b = 0; b < 2; ++b) {
        parts[b] = (SnShape){.kind = SN_SHAPE_BOX};
        memcpy(parts[b].box.min, what->boxes[b], 3 * sizeof(double));
        memcpy(parts[b].box.max, what->boxes[b] + 3, 3 * sizeof(double));
    }
    if (what->kind == SINEW_SHAPE_BOX) {
        return parts[0];
    }
    return (SnShape){.kind = SN_SHAPE_BLOB, .blob = {.parts = parts, .part_count = 2}};
}

static void make_rig(const Body *what, Rig *rig)
{
    const SnKernels *kernels = NULL;
    SinewMaterial given = sinew_material_default();
    SinewError error = {0};
    SnShape parts[2], shape = shape_of(what, parts);
    SnSolidDef solid = {.shape = &shape,
                        .resolution = 20,
                        .cells = {what->cells[0], what->cells[1], what->cells[2]},
                        .pose = sn_affine_identity()};
    memset(rig, 0, sizeof *rig);
    given.young = 1e5;
    assert_int_equal(sn_material_make(&given, "soft", &rig->materials[0], NULL), SINEW_OK);
    given.young = 1e7;
    for (int s = 0; s < what->stiff_count; ++s) {
        assert_int_equal(sn_material_make(&given, "stiff", &rig->materials[1 + s], NULL), SINEW_OK);
        rig->regions[s].kind = SINEW_REGION_BOX;
        memcpy(rig->regions[s].min, what->stiff[s], 3 * sizeof(double));
        memcpy(rig->regions[s].max, what->stiff[s] + 3, 3 * sizeof(double));
    }
    rig->table = (SnMaterials){rig->materials, rig->regions, what->stiff_count};
    rig->options = sinew_body_def_default();
    for (int i = 0; i < what->frames; ++i) {
        memcpy(rig->frames[i].at, what->origins[i], 3 * sizeof(double));
    }
    rig->options.frames.frames = rig->frames;
    rig->options.frames.frame_count = what->frames;
    assert_int_equal(sn_kernels_pick(SN_FAST_BITS, &kernels, NULL), SINEW_OK);
    assert_int_equal(sn_solid_create(&solid, NULL, NULL, &rig->solid, &error), SINEW_OK);
    rig->def = (SnModelDef){.kernels = kernels,
                            .name = what->name,
                            .solid = rig->solid,
                            .materials = &rig->table,
                            .options = &rig->options};
    if (sn_frames_model.create(&rig->def, (void **)&rig->body, &error) < 0) {
        fail_msg("%s", error.text);
    }
}

static void release_rig(Rig *rig)
{
    sn_frames_model.destroy(rig->body);
    sn_solid_destroy(rig->solid);
}

// Compliance for a unit wrench at each dof of all frames but the first, which is held.
static void find_compliance(const double *K, int dofs, double *out)
{
    int rest = dofs - 6;
    double *A = malloc((size_t)rest * (size_t)rest * sizeof *A),
           *x = malloc((size_t)rest * sizeof *x);
    for (int n = 0; n < rest * rest; ++n) {
        A[n] = K[(n / rest + 6) * dofs + n % rest + 6];
    }
    assert_true(sn_dense_factor(A, rest));
    for (int d = 0; d < rest; ++d) {
        memset(x, 0, (size_t)rest * sizeof *x);
        x[d] = 1.0;
        sn_dense_forward(A, rest, x);
        out[d] = 0.0;
        for (int i = 0; i < rest; ++i) {
            out[d] += x[i] * x[i];
        }
    }
    free(A);
    free(x);
}

// The ratio of compliances, of the body over finite elements, that the model is asked to keep.
static void compliance_is_that_of_finite_elements(void **state)
{
    (void)state;
    for (int b = 0; b < SN_COUNT(bodies); ++b) {
        Rig rig;
        double *K = NULL, *Z = NULL, ours[36], theirs[36], least = INFINITY, most = 0.0;
        double absolute[18];
        SnStep step = {0};
        SinewStepReport report;
        make_rig(&bodies[b], &rig);
        SnFrames *body = rig.body;
        int dofs = sn_frames_dofs(body);
        for (int i = 0; i < 3 * body->frame_count; ++i) {
            absolute[i] = body->origins[i] + body->grid.center[i % 3];
        }
        SnFlexibilityDef def = {&rig.def, &body->grid,   body->frame_count,
                                absolute, body->weights, NULL};
        assert_int_equal(sn_flexibility_find(&def, &K, &Z, NULL), SINEW_OK);
        SnFramesProblem problem = {
            .body = body, .step = &step, .report = &report, .geometric = true};
        sn_frames_potential(&problem, body->state.poses, true);
        find_compliance(K, dofs, theirs);
        find_compliance(body->room.hessian, dofs, ours);
        for (int d = 0; d < dofs - 6; ++d) {
            least = fmin(least, ours[d] / theirs[d]);
            most = fmax(most, ours[d] / theirs[d]);
        }
        print_message("%s: ratio %.3f to %.3f, %d samples\n", bodies[b].name, least, most,
                      body->samples.count);
        assert_true(least >= 0.9);
        assert_at_most(most, 1.25);
        sn_free(NULL, K);
        sn_free(NULL, Z);
        release_rig(&rig);
    }
}

// Gradient and Hessian of the whole potential at a bent pose, by central differences.
static void derivatives_are_those_of_differences(void **state)
{
    (void)state;
    Rig rig;
    make_rig(&bodies[1], &rig);
    SnFrames *body = rig.body;
    int dofs = sn_frames_dofs(body);
    SnRandom random = {3};
    double bent[7 * 6], trial[7 * 6], change[36], gradient[36], H[36 * 36];
    SnStep step = {.dt = 0.01, .gravity = {1.0, -9.81, 2.0}};
    SinewStepReport report;
    SnFramesProblem problem = {.body = body,
                               .step = &step,
                               .report = &report,
                               .dynamic = true,
                               .geometric = true,
                               .a_rate = 1.0,
                               .v_rate = 1.0};
    for (int d = 0; d < dofs; ++d) {
        change[d] = sn_random_between(&random, -0.3, 0.3);
    }
    sn_frames_change(body, body->state.poses, change, 1.0, bent);
    sn_frames_potential(&problem, bent, true);
    memcpy(gradient, body->room.gradient, (size_t)dofs * sizeof *gradient);
    memcpy(H, body->room.hessian, (size_t)(dofs * dofs) * sizeof *H);
    double largest = 0.0, steepest = 0.0;
    for (int n = 0; n < dofs * dofs; ++n) {
        largest = fmax(largest, fabs(H[n]));
        steepest = fmax(steepest, fabs(gradient[n % dofs]));
    }
    const double h = 1e-5;
    for (int a = 0; a < dofs; ++a) {
        double unit[36] = {0}, phi[2], sides[2][36];
        unit[a] = 1.0;
        for (int side = 0; side < 2; ++side) {
            sn_frames_change(body, bent, unit, side == 0 ? h : -h, trial);
            phi[side] = sn_frames_potential(&problem, trial, false).phi;
            memcpy(sides[side], body->room.gradient, (size_t)dofs * sizeof *gradient);
        }
        assert_at_most(fabs((phi[0] - phi[1]) / (2.0 * h) - gradient[a]), 1e-8 * steepest);
        for (int b = 0; b < dofs; ++b) {
            // Dofs are those of the trial's own pose: turns there differ from ours by half of their
            // commutator, whose gradient part goes with b of the same frame.
            double slope = (sides[0][b] - sides[1][b]) / (2.0 * h);
            if (a / 6 != b / 6) {
                assert_at_most(fabs(slope - H[a * dofs + b]), 1e-7 * largest);
            }
        }
    }
    release_rig(&rig);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(compliance_is_that_of_finite_elements),
    cmocka_unit_test(derivatives_are_those_of_differences),
};
SN_TEST_GROUP(model_frames_fit, tests);

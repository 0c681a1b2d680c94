// The potential of a step of `split`, springs at points in it: its residual is minus its gradient,
// its product the gradient's change; and the energy of a step of Euler never rises.
#include "support/split_rig.h"
#include "support/test.h"

#include "base/random.h"
#include "model/split/step.h"
#include "model/split/system.h"

#include <math.h>

enum { POINTS = 9 };

// A wall of springs at y = 0.04 m that pushes up, N/m a point, and drags a tenth of that sideways.
#define WALL 0.04
#define SPRING 400.0

static void push_up(void *context, int begin, int end, const double *x, SnPointForce *out)
{
    (void)context;
    for (int p = begin; p < end; ++p) {
        double depth = WALL - x[3 * p + 1];
        SnPointForce *o = &out[p - begin];
        *o = (SnPointForce){.force = {0.0, 0.0, 0.0}};
        if (depth > 0.0) {
            o->force[0] = -0.1 * SPRING * x[3 * p];
            o->force[1] = SPRING * depth;
            o->stiffness[0] = 0.1 * SPRING;
            o->stiffness[4] = SPRING;
            o->energy = 0.5 * SPRING * (depth * depth + 0.1 * x[3 * p] * x[3 * p]);
        }
    }
}

// A beam with points along its lower side, all but the last three in the wall.
typedef struct Scene {
    SnSplitRig rig;
    SnPointForces contacts;
    SnPointForce *room;
    void *points;
} Scene;

static Scene make_scene(const SnSplitRigDef *def)
{
    Scene scene = {.rig = sn_split_rig_make(def)};
    double X[3 * POINTS];
    for (int p = 0; p < POINTS; ++p) {
        X[3 * p] = 0.1 * p + 0.05;
        X[3 * p + 1] = p < POINTS - 3 ? 0.01 : 0.15;
        X[3 * p + 2] = 0.07 + 0.01 * p;
    }
    assert_int_equal(sn_split_model.points_create(scene.rig.body, X, POINTS, &scene.points, NULL),
                     SINEW_OK);
    scene.room = calloc(POINTS, sizeof *scene.room);
    scene.contacts = (SnPointForces){
        .points = scene.points, .count = POINTS, .evaluate = push_up, .room = scene.room};
    return scene;
}

static void destroy_scene(Scene *scene)
{
    sn_split_model.points_destroy(scene->rig.body, scene->points);
    free(scene->room);
    sn_split_rig_destroy(&scene->rig);
}

// Smooth waves: differences of float energies drown in rounding for rough ones.
static void fill_move(const SnSplit *body, SnRandom *random, double size, float *out)
{
    double wave[9];
    for (int k = 0; k < 9; ++k) {
        wave[k] = sn_random_between(random, -4.0, 4.0);
    }
    for (int i = 0; i < body->elements.vertex_count; ++i) {
        const double *X = body->elements.rest + 3 * (size_t)body->outside[i];
        for (int k = 0; k < 3; ++k) {
            double at = wave[k] + wave[3 + k] * X[0] + wave[6 + k] * X[1];
            out[3 * i + k] = (float)(size * sin(at) * (double)body->room.free[3 * i + k]);
        }
    }
}

// A problem in the middle of a step of 10 ms, with the pins' and the rule's parts in place.
static SnSplitProblem begin_problem(Scene *scene)
{
    SnSplit *body = scene->rig.body;
    SnSplitRig *rig = &scene->rig;
    rig->step.dt = 0.01;
    rig->step.gravity[1] = -9.81;
    rig->step.pin_motions = rig->motions;
    rig->step.contacts = &scene->contacts;
    SnSplitRule rule = sn_split_rule(body, rig->step.dt);
    SnSplitProblem problem = sn_split_problem_make(body, &rig->step, &rig->report);
    problem.h = rule.h;
    problem.h2 = rule.h * rule.h;
    assert_int_equal(sn_split_prepare(body, &rig->step, &rig->report, NULL), SINEW_OK);
    sn_split_load(body, &rig->step);
    sn_split_begin(&problem, &rule, false);
    return problem;
}

// Rotations follow by one iteration a sweep, from where they were: some sweeps settle them.
static double settled_value(const SnSplitProblem *problem, const float *move)
{
    for (int sweep = 0; sweep < 6; ++sweep) {
        sn_split_value(problem, move);
    }
    return sn_split_value(problem, move).phi;
}

static void force_is_minus_the_gradient(void **state)
{
    (void)state;
    for (int law = 0; law < 2; ++law) {
        SnSplitRigDef def = sn_split_rig_default();
        def.material.law = law == 0 ? SINEW_LAW_COROTATED : SINEW_LAW_FIXED_COROTATED;
        Scene scene = make_scene(&def);
        SnSplitRoom *room = &scene.rig.body->room;
        SnRandom random = {5};
        sn_split_rig_pin(&scene.rig, 1e-6, "xyz");
        SnSplitProblem problem = begin_problem(&scene);
        size_t size = sn_split_dofs(scene.rig.body) * sizeof *room->move;
        fill_move(scene.rig.body, &random, 0.01, room->move);
        for (int trial = 0; trial < 4; ++trial) {
            double sides[2];
            fill_move(scene.rig.body, &random, 1.0, room->p);
            const float step = 2e-4f;
            for (int side = 0; side < 2; ++side) {
                memcpy(room->trial, room->move, size);
                sn_split_add(&problem, side == 0 ? step : -step, room->p, room->trial);
                sides[side] = settled_value(&problem, room->trial);
            }
            settled_value(&problem, room->move);
            sn_split_gradient(&problem, room->move, false);
            double slope = -sn_split_dot(&problem, room->residual, room->p);
            double expected = (sides[0] - sides[1]) / (2.0 * (double)step);
            // Energies in float to some 1e-7 each, their sum to 1e-8 of 1e-2 J s^2; over 4e-4 m.
            assert_at_most(fabs(slope - expected), 2e-3 * fabs(expected) + 1e-6);
        }
        destroy_scene(&scene);
    }
}

static void product_is_the_change_of_force(void **state)
{
    (void)state;
    SnSplitRigDef def = sn_split_rig_default();
    Scene scene = make_scene(&def);
    SnSplitRoom *room = &scene.rig.body->room;
    size_t count = sn_split_dofs(scene.rig.body);
    float *sides[2] = {malloc(count * sizeof(float)), malloc(count * sizeof(float))};
    SnRandom random = {9};
    sn_split_rig_pin(&scene.rig, 1e-6, "xyz");
    SnSplitProblem problem = begin_problem(&scene);
    // A body that is pulled a little along all axes: there the tangent is definite by itself, and
    // nothing was shifted.
    for (size_t i = 0; i < count; ++i) {
        double X =
            scene.rig.body->elements.rest[3 * (size_t)scene.rig.body->outside[i / 3] + i % 3];
        room->move[i] = (float)(0.02 * X) * room->free[i];
    }
    fill_move(scene.rig.body, &random, 1.0, room->p);
    for (int side = 0; side < 2; ++side) {
        memcpy(room->trial, room->move, count * sizeof *room->trial);
        sn_split_add(&problem, side == 0 ? 1e-3f : -1e-3f, room->p, room->trial);
        settled_value(&problem, room->trial);
        sn_split_gradient(&problem, room->trial, false);
        memcpy(sides[side], room->residual, count * sizeof *sides[side]);
    }
    settled_value(&problem, room->move);
    sn_split_gradient(&problem, room->move, true);
    sn_split_product(&problem, room->p, room->hp);
    double wrong = 0.0, size = 0.0;
    for (size_t i = 0; i < count; ++i) {
        double change = ((double)sides[1][i] - (double)sides[0][i]) / 2e-3;
        wrong += (change - (double)room->hp[i]) * (change - (double)room->hp[i]);
        size += change * change;
    }
    // Second order in 1e-3 m over cells of 5 cm, and float residuals.
    assert_at_most(sqrt(wrong / size), 5e-3);
    free(sides[0]);
    free(sides[1]);
    destroy_scene(&scene);
}

typedef struct Energies {
    double motion;  // J, kinetic
    double elastic; // J
    double change;  // J, kinetic energy of the last change of velocity
} Energies;

static Energies measure(const SnSplitRig *rig)
{
    SnMeasure found;
    Energies out = {0};
    sn_split_model.measure(rig->body, &found);
    out.motion = found.kinetic;
    out.elastic = found.elastic;
    for (size_t i = 0; i < sn_split_dofs(rig->body); ++i) {
        double change = rig->body->state.last_change[i];
        out.change += 0.5 * rig->body->masses[i / 3] * change * change;
    }
    return out;
}

// Without outer forces, over a step of Euler, from any state, however wild, and with any counts:
// neither the potential that the step minimises rises, |v1 - v0|^2 / 2 + elastic, nor the sum of
// the energies of motion and shape. Steps of bodies that are lost do not look at the law's energy.
static void energy_never_rises(void **state)
{
    (void)state;
    SnRandom random = {31};
    int rescues = 0, runs = sn_test_share(40);
    for (int run = 0; run < runs; ++run) {
        SnSplitRigDef def = sn_split_rig_default();
        const double none[3] = {0.0, 0.0, 0.0};
        def.cells[0] = 10, def.cells[1] = def.cells[2] = 2;
        def.material.law = run % 2 == 0 ? SINEW_LAW_COROTATED : SINEW_LAW_FIXED_COROTATED;
        def.material.young = 1e4 * (1 << sn_random_bits(&random) % 8);
        def.material.poisson = sn_random_between(&random, 0.0, 0.47);
        def.split.newton = 1 + (int)(sn_random_bits(&random) % 3);
        def.split.pcg = 1 + (int)(sn_random_bits(&random) % 3);
        SnSplitRig rig = sn_split_rig_make(&def);
        sn_split_model.start(rig.body, (SinewStart)(run % 5), none,
                             (double[3]){0.0, sn_random_between(&random, 0.0, 20.0), 3.0});
        if (run % 3 > 0) {
            rig.body->state.clock[SN_SPLIT_LOST] = 0.0; // the law from the first step on
        }
        double dt = sn_random_between(&random, 0.002, 0.04);
        for (int t = 0; t < 12; ++t) {
            Energies before = measure(&rig);
            bool lost = rig.body->state.clock[SN_SPLIT_LOST] > 0.0;
            sn_split_rig_step(&rig, dt, 1);
            rescues += rig.report.rescues;
            Energies after = measure(&rig);
            // Energies of a step are sums of floats, compared to 1e-6.
            double limit = (before.motion + before.elastic) * (1.0 + 1e-5) + 1e-9;
            if (!lost) {
                assert_at_most(after.change + after.elastic, limit);
                assert_at_most(after.motion + after.elastic, limit);
            }
        }
        sn_split_rig_destroy(&rig);
    }
    // Else the runs are too tame to show anything.
    assert_true(rescues > 0 || runs < 40);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(force_is_minus_the_gradient),
    cmocka_unit_test(product_is_the_change_of_force),
    cmocka_unit_test(energy_never_rises),
};

SN_TEST_GROUP(model_split_potential, tests);

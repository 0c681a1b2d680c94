// Steps of the voxel model with a given number of linearisations: nets and sheets on colliders that
// move stay where they belong, whatever the numbers.
#include "support/test.h"

#include "base/random.h"
#include "model/voxel/potential.h"
#include "support/dropped.h"
#include "world/world.h"

#include <math.h>

// Bodies -----------------------------------------------------------------------------------------

typedef enum Kind { NET, SHEET, KINDS } Kind;

enum { ACROSS = 9, ALONG = 5 }; // vertices of both

// Lines, or triangles, over 0.8 by 0.4 m at y = 0: nothing has an inside.
static SinewSurface *make_surface(Kind kind)
{
    double x[3 * ACROSS * ALONG];
    int lines[4 * ACROSS * ALONG], triangles[6 * ACROSS * ALONG], line_count = 0, count = 0;
    SinewSurfaceDef def = sinew_surface_def_default();
    SinewSurface *surface = NULL;
    SinewError error;
    for (int v = 0; v < ACROSS * ALONG; ++v) {
        int i = v % ACROSS, j = v / ACROSS;
        bool inside = i + 1 < ACROSS && j + 1 < ALONG;
        x[3 * v] = 0.1 * i;
        x[3 * v + 1] = 0.0;
        x[3 * v + 2] = 0.1 * j;
        if (i + 1 < ACROSS && (j % 2 == 0)) {
            lines[2 * line_count] = v;
            lines[2 * line_count++ + 1] = v + 1;
        }
        if (j + 1 < ALONG && (i % 2 == 0)) {
            lines[2 * line_count] = v;
            lines[2 * line_count++ + 1] = v + ACROSS;
        }
        const int two[6] = {v, v + ACROSS, v + 1, v + 1, v + ACROSS, v + ACROSS + 1};
        if (inside) {
            memcpy(triangles + 3 * count, two, sizeof two);
            count += 2;
        }
    }
    def.positions = x;
    def.vertex_count = ACROSS * ALONG;
    def.lines = lines;
    def.line_count = kind == NET ? line_count : 0;
    def.triangles = triangles;
    def.triangle_count = kind == SHEET ? count : 0;
    expect_done(sinew_surface_create(&def, &surface, &error), &error);
    return surface;
}

// What a world is made from: a body held at its ends, and a ball that comes down on it and up
// again.
typedef struct Case {
    Kind kind;
    const SnModel *model;
    SinewVoxelDef voxel;
    double speed;     // m/s, of the ball
    double center[3]; // m, where it begins
    double friction;
} Case;

static Case some_case(SnRandom *random, int run)
{
    Case out = {
        .kind = (Kind)(run % KINDS),
        .model = &sn_voxel_model,
        .voxel = sinew_voxel_def_default(),
        .speed = sn_random_between(random, 0.5, 2.0),
        .center = {sn_random_between(random, 0.2, 0.6), 0.17, sn_random_between(random, 0.1, 0.3)},
        .friction = run % 3 == 0 ? 0.0 : 0.5};
    out.voxel.fine_levels = 1;
    out.voxel.hollow = 1;
    out.voxel.newton = 1 + run / 2 % 3;
    return out;
}

static SinewStatus touched_world(const SinewAllocator *allocator, int workers, const void *context,
                                 SinewWorld **out_world, SinewBodyId *out_body, SinewError *error)
{
    const Case *c = context;
    SinewStatus status = SINEW_OK;
    SinewWorldDef world_def = sinew_world_def_default();
    SinewBodyDef def = sinew_body_def_default();
    SinewColliderDef ball = sinew_collider_def_default();
    SinewPinDef pin = sinew_pin_def_default();
    SinewPinId pin_id;
    SinewColliderId ball_id;
    SinewKey keys[3] = {sinew_key_default(), sinew_key_default(), sinew_key_default()};
    SinewSurface *surface = make_surface(c->kind);
    if (allocator != NULL) {
        world_def.allocator = *allocator;
    }
    world_def.worker_count = workers;
    def.surface = surface;
    def.resolution = 8;
    def.model = SINEW_MODEL_VOXEL;
    def.voxel = c->voxel;
    def.material.young = 1e5;
    def.material.density = 300.0;
    keys[1].t = 0.3 / c->speed;
    keys[1].translate[1] = -0.3;
    keys[2].t = 0.6 / c->speed;
    ball.shape.kind = SINEW_SHAPE_SPHERE;
    memcpy(ball.shape.center, c->center, sizeof c->center);
    ball.shape.radius = 0.12;
    ball.friction = c->friction;
    ball.keys = keys;
    ball.key_count = 3;
    SN_TRY(sinew_world_create(&world_def, out_world, error));
    SN_TRY(sn_world_add_body_with(*out_world, c->model, &def, out_body, error));
    SN_TRY(sinew_world_add_collider(*out_world, &ball, &ball_id, error));
    pin.body = *out_body;
    for (int side = 0; side < 2; ++side) {
        double x = side == 0 ? -0.06 : 0.76;
        pin.within = region_box(x, -1.0, -1.0, x + 0.1, 1.0, 1.0);
        SN_TRY(sinew_world_add_pin(*out_world, &pin, &pin_id, error));
    }

done:
    sinew_surface_destroy(surface);
    return status;
}

// Potentials -------------------------------------------------------------------------------------

// The potential of Euler's step at d, in double or in float, for the body's state.
static SnVoxelValue look(SnVoxelBody *body, const SnStep *step, bool in_float, const double *d)
{
    SinewStepReport report = {0};
    SnVoxelProblem problem = {.body = body,
                              .step = step,
                              .workers = body->workers,
                              .report = &report,
                              .dynamic = true,
                              .exact = true,
                              .counted = in_float,
                              .share = 1.0,
                              .a_rate = 1.0 / (step->dt * step->dt),
                              .v_rate = 1.0 / step->dt};
    memcpy(body->room.base, body->state.rotations,
           9 * (size_t)body->grid.cell_count * sizeof(double));
    for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
        body->room.v0[i] = 0.0;
        body->room.a0[i] = -body->state.velocities[i] / step->dt;
    }
    return sn_voxel_potential(&problem, d);
}

static int compared;

static SinewStatus compared_step(void *body_, const SnStep *step, SinewStepReport *out_report,
                                 SinewError *error)
{
    SnVoxelBody *body = body_;
    SnRandom random = {(uint64_t)compared + 1};
    size_t count = sn_voxel_dofs(body);
    double *here = calloc(2 * count, sizeof *here), *there = here + count;
    for (size_t i = 0; i < count; ++i) {
        here[i] = step->dt * body->state.velocities[i];
        there[i] = here[i] + sn_random_between(&random, -2e-3, 2e-3); // m, of cells of 0.1 m
    }
    SnVoxelValue a = look(body, step, false, here), b = look(body, step, false, there);
    SnVoxelValue a_float = look(body, step, true, here), b_float = look(body, step, true, there);
    double change = b.phi - a.phi;
    // Rounding as it is told, and rotations, of which two turns leave 1e-4 of so large a change.
    assert_at_most(fabs(b_float.phi - a_float.phi - change), b_float.noise + 1e-4 * fabs(change));
    assert_true(b_float.noise < 1e-3 * fabs(change)); // or it would tell nothing
    compared += 1;
    free(here);
    return sn_voxel_model.step(body, step, out_report, error);
}

typedef struct Watched {
    int steps, touched, rescues;
} Watched;

static Watched watched;

// The model's step, whose potential does not end above that of its start. Friction is renewed
// afterwards, as it would change the potential.
static SinewStatus watched_step(void *body_, const SnStep *step, SinewStepReport *out_report,
                                SinewError *error)
{
    SnVoxelBody *body = body_;
    size_t count = sn_voxel_dofs(body), size = sn_voxel_model.state_size(body);
    double *d = calloc(2 * count, sizeof *d), *start = d + count;
    char *before = malloc(size), *after = malloc(size);
    SnPointForces contacts = *step->contacts;
    SnStep held = *step;
    contacts.renew = NULL;
    held.contacts = &contacts;
    memcpy(d, body->state.positions, count * sizeof *d);
    sn_voxel_model.save(body, before);
    SinewStatus status = sn_voxel_model.step(body, &held, out_report, error);
    sn_voxel_model.save(body, after);
    for (size_t i = 0; i < count; ++i) {
        d[i] = body->state.positions[i] - d[i];
        start[i] = sn_voxel_holds(body, i) ? d[i] : 0.0;
    }
    sn_voxel_model.restore(body, before);
    double from = look(body, &held, false, start).phi, to = look(body, &held, false, d).phi;
    sn_voxel_model.restore(body, after);
    // Of floats, compared to 1e-6 of their parts, which are some 10 J and more where it is hot.
    assert_at_most(to, from + 1e-5 * (10.0 + fabs(from)));
    step->contacts->renew(step->contacts->context,
                          ((const SnVoxelPoints *)contacts.points)->places);
    watched.steps += 1;
    watched.touched += ((const SnVoxelPoints *)contacts.points)->active_count > 0;
    watched.rescues += out_report->rescues;
    free(before);
    free(after);
    free(d);
    return status;
}

static void potentials_never_rise(void **state)
{
    (void)state;
    SnRandom random = {17};
    SnModel model = sn_voxel_model;
    int runs = sn_test_share(12);
    model.step = watched_step;
    watched = (Watched){0};
    for (int run = 0; run < runs; ++run) {
        Case c = some_case(&random, run);
        SinewBodyId body;
        double dt = sn_random_between(&random, 0.004, 0.02);
        c.model = &model;
        SinewWorld *world = world_made(touched_world, &c, &body);
        world_steps(world, (int)(0.5 / dt), dt);
        sinew_world_destroy(world);
    }
    // Else the runs are too tame to show anything.
    assert_true(watched.touched > watched.steps / 4);
    assert_true(watched.rescues > 0 || runs < 12);
}

// Both modes, both rules of motion, one to three linearisations, short and long steps: the body
// stays between its pins, where the ball presses it by 0.25 m.
static void nets_and_sheets_stay_in_place(void **state)
{
    (void)state;
    SnRandom random = {23};
    int runs = sn_test_share(24);
    for (int run = 0; run < runs; ++run) {
        Case c = some_case(&random, run);
        SinewBodyId body;
        double dt = run % 3 == 0 ? 0.002 : run % 3 == 1 ? 0.01 : 0.03;
        c.voxel.mode = run % 5 == 4 ? SINEW_VOXEL_PAPER : SINEW_VOXEL_CONDENSED;
        c.voxel.integrator = run / 6 % 2 == 0 ? SINEW_INTEGRATOR_EULER : SINEW_INTEGRATOR_BDF2;
        SinewWorld *world = world_made(touched_world, &c, &body);
        for (int t = 0; t < (int)(0.3 / dt); ++t) {
            world_steps(world, 1, dt);
            SinewPoints points = sinew_body_surface(world, body);
            for (int p = 0; p < points.count; ++p) {
                const float *x = points.xyz + 3 * (size_t)p;
                // Thin, and a cell around it; and as far down as the ball goes, or swung up by it.
                bool near = fabsf(x[0] - 0.4f) < 0.6f && fabsf(x[2] - 0.2f) < 0.4f;
                if (!near || !(fabsf(x[1]) < 0.5f)) {
                    fail_msg("run %d, step %d: point %d is at %g %g %g m", run, t, p, (double)x[0],
                             (double)x[1], (double)x[2]);
                }
            }
        }
        sinew_world_destroy(world);
    }
}

// A case that touches early and is rescued.
static Case rough_case(void)
{
    SnRandom random = {7};
    Case c = some_case(&random, 0);
    c.speed = 2.0;
    c.center[1] = 0.13;
    c.friction = 0.5;
    return c;
}

static void rescues_are_told(void **state)
{
    (void)state;
    Case c = rough_case();
    SinewBodyId body;
    SinewWorld *world = world_made(touched_world, &c, &body);
    int rescues = 0, linearisations = 0;
    for (int t = 0; t < 12; ++t) {
        world_steps(world, 1, 0.02);
        SinewStepReport report = sinew_world_report(world);
        rescues += report.rescues;
        linearisations += report.iterations;
        assert_true(report.rescues <= 1); // a body
        assert_true(report.iterations == 1 || report.rescues == 1);
        assert_true(report.iterations <= 1 + 8 + 1); // eight more, and one from the start
    }
    assert_true(rescues > 0 && linearisations > 12);
    sinew_world_destroy(world);
}

static void bits_are_the_same_for_any_workers(void **state)
{
    (void)state;
    Case c = rough_case();
    world_bits_agree(touched_world, &c, 12, 8);
}

static void steps_allocate_nothing_and_restore(void **state)
{
    (void)state;
    Case c = rough_case();
    world_steps_allocate_nothing(touched_world, &c, 6);
}

// Potentials in float differ by what those in double do, at moves that turn and strain cells.
static void potentials_in_float_are_those_in_double(void **state)
{
    (void)state;
    SnRandom random = {3};
    Case c = some_case(&random, 0);
    SnModel model = sn_voxel_model;
    SinewBodyId body;
    c.model = &model;
    model.step = compared_step;
    compared = 0;
    SinewWorld *world = world_made(touched_world, &c, &body);
    world_steps(world, 20, 0.01);
    assert_int_equal(compared, 20);
    sinew_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(potentials_in_float_are_those_in_double),
    cmocka_unit_test(potentials_never_rise),
    cmocka_unit_test(nets_and_sheets_stay_in_place),
    cmocka_unit_test(rescues_are_told),
    cmocka_unit_test(bits_are_the_same_for_any_workers),
    cmocka_unit_test(steps_allocate_nothing_and_restore),
};

SN_TEST_GROUP(model_voxel_counted, tests);

#include "support/fail_allocator.h"
#include "support/spring_model.h"
#include "support/test.h"
#include "support/worlds.h"

#include <math.h>
#include <pthread.h>

// The model of springs ----------------------------------------------------------------------------

static void a_step_is_the_models(void **state)
{
    (void)state;
    SinewWorld *world = world_make(1);
    SinewBodyId body = world_add_box_with(world, &sn_spring_model, 1.0, 2);
    const double h = 0.01, g = -9.81, rate = 1e6 / 1000.0;
    world_steps(world, 1, h);
    // Backward Euler of a mass on a spring: (1 + h^2 rate) y = h^2 g.
    double y = h * h * g / (1.0 + h * h * rate);
    SinewBodyMesh mesh = sinew_body_mesh(world, body);
    SinewPoints surface = sinew_body_surface(world, body);
    for (int v = 0; v < mesh.vertex_count; ++v) {
        assert_at_most(fabs(mesh.positions[3 * v + 1] - mesh.rest[3 * v + 1] - y), 1e-15);
        assert_at_most(fabs(mesh.velocities[3 * v + 1] - y / h), 1e-12); // y / h carries 1e-15 / h
    }
    assert_int_equal(surface.count, 26);
    float lowest = 1.0f;
    for (int v = 0; v < surface.count; ++v) {
        lowest = fminf(lowest, surface.xyz[3 * v + 1]);
    }
    assert_at_most(fabs((double)lowest - y), 1e-9); // rounded to float
    assert_true(sinew_world_time(world) == h);
    assert_int_equal(sinew_world_step_count(world), 1);
    sinew_world_destroy(world);
}

typedef struct Kept {
    SinewWorld *world;
    SinewBodyId first, second;
    uint64_t hash_first, hash_second;
    unsigned char *bytes;
    size_t size;
} Kept;

static Kept keep(void)
{
    Kept k = {.world = world_make(2)};
    k.first = world_add_box(k.world, 1.0, 2); // moves before the second fails
    k.second = world_add_box_with(k.world, &sn_spring_model, 1.0, 2);
    world_add_floor(k.world, -0.001);
    world_steps(k.world, 5, 0.01);
    k.hash_first = world_hash(k.world, k.first);
    k.hash_second = world_hash(k.world, k.second);
    k.size = sinew_world_state_size(k.world);
    k.bytes = malloc(k.size);
    SinewError error;
    expect_done(sinew_world_save(k.world, k.bytes, k.size, &error), &error);
    return k;
}

static void expect_kept(const Kept *k)
{
    SinewError error;
    assert_true(world_hash(k->world, k->first) == k->hash_first);
    assert_true(world_hash(k->world, k->second) == k->hash_second);
    unsigned char *now = malloc(k->size);
    expect_done(sinew_world_save(k->world, now, k->size, &error), &error);
    assert_memory_equal(now, k->bytes, k->size);
    free(now);
}

static void a_failing_step_is_taken_back(void **state)
{
    (void)state;
    SinewError error;
    Kept k = keep();
    assert_int_equal(sinew_world_step(k.world, 2.0, &error), SINEW_ERROR_DIVERGED);
    assert_non_null(strstr(error.text, "springs diverged"));
    expect_kept(&k);
    // A model that does not notice is noticed.
    assert_int_equal(sinew_world_step(k.world, 0.6, &error), SINEW_ERROR_DIVERGED);
    assert_non_null(strstr(error.text, "body \"body 1\" diverged"));
    assert_int_equal(error.index, 1);
    expect_kept(&k);
    // And goes on as if nothing had been tried.
    world_steps(k.world, 3, 0.01);
    uint64_t went_on = world_hash(k.world, k.first);
    expect_done(sinew_world_restore(k.world, k.bytes, k.size, &error), &error);
    world_steps(k.world, 3, 0.01);
    assert_true(world_hash(k.world, k.first) == went_on);
    free(k.bytes);
    sinew_world_destroy(k.world);
}

static void a_step_that_did_not_converge_counts_and_says_so(void **state)
{
    (void)state;
    SinewError error = {.status = SINEW_OK};
    SinewWorld *world = world_make(1);
    world_add_box_with(world, &sn_spring_model, 1.0, 1);
    assert_int_equal(sinew_world_step(world, 0.3, &error), SINEW_NOT_CONVERGED);
    assert_int_equal(error.status, SINEW_OK);
    assert_true(sinew_world_time(world) == 0.3);
    sinew_world_destroy(world);
}

static void static_solves_ramp_gravity(void **state)
{
    (void)state;
    SinewError error;
    SinewWorld *world = world_make(1);
    SinewBodyId body = world_add_box_with(world, &sn_spring_model, 1.0, 1);
    const double times[] = {0.25, 1.0, 2.0};
    for (int i = 0; i < SN_COUNT(times); ++i) {
        expect_done(sinew_world_solve_static(world, times[i], 0.0, &error), &error);
        double sag = -9.81 * fmin(times[i], 1.0) / 1000.0; // g / rate
        SinewBodyMesh mesh = sinew_body_mesh(world, body);
        assert_at_most(fabs(mesh.positions[1] - mesh.rest[1] - sag), 1e-15);
        assert_true(mesh.velocities[1] == 0.0);
        assert_true(sinew_world_time(world) == times[i]);
    }
    sinew_world_destroy(world);
}

static void no_equilibrium_is_never_answered(void **state)
{
    (void)state;
    SinewError error;
    SinewWorldDef def = sinew_world_def_default();
    def.gravity[1] = -2000.0;
    SinewWorld *world = NULL;
    expect_done(sinew_world_create(&def, &world, &error), &error);
    SinewBodyId body = world_add_box_with(world, &sn_spring_model, 1.0, 1);
    uint64_t before = world_hash(world, body);
    assert_int_equal(sinew_world_solve_static(world, 1.0, 0.0, &error), SINEW_ERROR_DIVERGED);
    assert_non_null(strstr(error.text, "found no equilibrium at t = 1"));
    assert_true(world_hash(world, body) == before);
    assert_int_equal(sinew_world_step_count(world), 0);
    sinew_world_destroy(world);
}

// Newton
// -------------------------------------------------------------------------------------------

static void a_free_body_falls_with_its_momentum(void **state)
{
    (void)state;
    SinewError error;
    SinewWorld *world = world_make(1);
    SinewBodyDef def = world_box_def(1.0, 2);
    def.linear_velocity[0] = 2.0;
    def.angular_velocity[2] = 0.5;
    SinewBodyId body;
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    SinewProbeId probe = world_probe(world, body, SINEW_REPORT_MOMENTUM);
    double before[6], after[6];
    world_read(world, probe, before);
    assert_at_most(fabs(before[0] - 2000.0), 1e-9); // 1000 kg, rounding of a sum of 27
    const int steps = 50;
    world_steps(world, steps, 0.01);
    world_read(world, probe, after);
    // Gravity's impulse is the only one; the solver's tolerance of 1e-9 of the forces at play (the
    // weight of 1e4 N) times 0.01 s times 50 steps bounds the rest.
    assert_at_most(fabs(after[0] - before[0]), 5e-6);
    assert_at_most(fabs(after[1] - before[1] + 1000.0 * 9.81 * 0.01 * steps), 5e-6);
    assert_at_most(fabs(after[2] - before[2]), 5e-6);
    sinew_world_destroy(world);
}

// A box held at one end, loaded at the other, over a floor, with a second body beside it.
static SinewWorld *busy_world(const SinewWorldDef *def, SinewBodyId out_bodies[2])
{
    SinewError error;
    SinewWorld *world = NULL;
    expect_done(sinew_world_create(def, &world, &error), &error);
    out_bodies[0] = world_add_box(world, 1.0, 3);
    SinewBodyDef ball = sinew_body_def_default();
    ball.model = SINEW_MODEL_NEWTON;
    ball.shape.kind = SINEW_SHAPE_SPHERE;
    ball.shape.radius = 0.3;
    ball.resolution = 3;
    ball.pose.translate[1] = 0.3;
    ball.pose.translate[0] = 3.0;
    ball.linear_velocity[0] = 1.0;
    expect_done(sinew_world_add_body(world, &ball, &out_bodies[1], &error), &error);
    world_hold(world, out_bodies[0], region_box(0, 0, 0, 0, 1, 1));
    SinewLoadDef load = sinew_load_def_default();
    load.body = out_bodies[0];
    load.within = region_box(1, 0, 0, 1, 1, 1);
    load.traction[1] = -2e4;
    SinewLoadId load_id;
    expect_done(sinew_world_add_load(world, &load, &load_id, &error), &error);
    world_add_floor(world, -0.01);
    return world;
}

static uint64_t run_busy(const SinewWorldDef *def, int steps)
{
    SinewBodyId bodies[2];
    SinewWorld *world = busy_world(def, bodies);
    world_steps(world, steps, 0.01);
    uint64_t hash = world_hash(world, bodies[0]) * 31 + world_hash(world, bodies[1]);
    sinew_world_destroy(world);
    return hash;
}

static void backwards(void *context, int count, void (*task)(void *argument, int index),
                      void *argument)
{
    *(int *)context += 1;
    for (int i = count - 1; i >= 0; --i) {
        task(argument, i);
    }
}

static void results_do_not_depend_on_who_works(void **state)
{
    (void)state;
    SinewWorldDef def = sinew_world_def_default();
    uint64_t one = run_busy(&def, 6);
    const int counts[] = {2, 3, 8};
    for (int i = 0; i < SN_COUNT(counts); ++i) {
        def.worker_count = counts[i];
        assert_true(run_busy(&def, 6) == one);
    }
    int calls = 0;
    def.tasks = (SinewTasks){.run = backwards, .context = &calls};
    assert_true(run_busy(&def, 6) == one);
    assert_true(calls > 0);
}

static void *run_in_thread(void *context)
{
    SinewWorldDef def = sinew_world_def_default();
    def.worker_count = 2;
    *(uint64_t *)context = run_busy(&def, 4);
    return NULL;
}

static void worlds_of_different_threads_do_not_meet(void **state)
{
    (void)state;
    SinewWorldDef def = sinew_world_def_default();
    uint64_t alone = run_busy(&def, 4);
    enum { THREADS = 3 };
    pthread_t threads[THREADS];
    uint64_t hashes[THREADS];
    for (int i = 0; i < THREADS; ++i) {
        assert_int_equal(pthread_create(&threads[i], NULL, run_in_thread, &hashes[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i) {
        pthread_join(threads[i], NULL);
        assert_true(hashes[i] == alone);
    }
}

static void portable_worlds_step_too(void **state)
{
    (void)state;
    SinewWorldDef def = sinew_world_def_default();
    def.determinism = SINEW_PORTABLE;
    uint64_t one = run_busy(&def, 3);
    def.worker_count = 3;
    assert_true(run_busy(&def, 3) == one);
}

static void a_warm_step_allocates_nothing(void **state)
{
    (void)state;
    SnFailAllocator counting;
    sn_fail_allocator_init(&counting, -1);
    SinewWorldDef def = sinew_world_def_default();
    def.allocator = counting.allocator;
    SinewBodyId bodies[2];
    SinewWorld *world = busy_world(&def, bodies);
    SinewProbeId probe = world_probe(world, bodies[0], SINEW_REPORT_ENERGY);
    world_steps(world, 2, 0.01);
    int64_t calls = counting.calls;
    for (int i = 0; i < 100; ++i) {
        double values[6];
        world_steps(world, 1, 0.01);
        world_read(world, probe, values);
    }
    assert_int_equal(counting.calls, calls);
    sinew_world_destroy(world);
    assert_int_equal(counting.blocks, 0);
}

static void a_report_says_how_it_went(void **state)
{
    (void)state;
    SinewBodyId bodies[2];
    SinewWorldDef def = sinew_world_def_default();
    SinewWorld *world = busy_world(&def, bodies);
    assert_true(sinew_world_report(world).seconds_total == 0.0);
    world_steps(world, 5, 0.01);
    SinewStepReport r = sinew_world_report(world);
    assert_true(r.iterations >= 2 && r.linear_solves >= 2); // two bodies
    assert_at_most(r.residual, 1e-6);                       // newton's in motion
    assert_true(r.contacts > 0);
    assert_true(r.seconds_model > 0.0);
    assert_at_most(r.seconds_drive + r.seconds_model + r.seconds_surface,
                   r.seconds_total * (1.0 + 1e-9)); // the same clock readings, other order
    sinew_world_destroy(world);
}

static void pins_move_vertices(void **state)
{
    (void)state;
    SinewError error;
    SinewWorld *world = world_make(1);
    SinewBodyId body = world_add_box(world, 1.0, 2);
    SinewKey keys[2] = {sinew_key_default(), sinew_key_default()};
    keys[1].t = 0.1;
    keys[1].translate[0] = 0.2;
    keys[1].degrees = 10.0;
    SinewPinDef def = sinew_pin_def_default();
    def.body = body;
    def.within = region_box(0, 0, 0, 1, 0, 1);
    def.keys = keys;
    def.key_count = 2;
    SinewPinId pin;
    expect_done(sinew_world_add_pin(world, &def, &pin, &error), &error);
    assert_int_equal(sinew_body_info(world, body).dofs, 3 * 18);
    world_steps(world, 10, 0.01);
    SinewBodyMesh mesh = sinew_body_mesh(world, body);
    double c = cos(acos(-1.0) / 18.0), s = sin(acos(-1.0) / 18.0);
    for (int v = 0; v < mesh.vertex_count; ++v) {
        const double *X = mesh.rest + 3 * v, *x = mesh.positions + 3 * v;
        if (X[1] == 0.0) { // ten degrees about y, then 0.2 m along x
            assert_at_most(fabs(x[0] - (c * X[0] + s * X[2] + 0.2)), 1e-12); // rounding
            assert_at_most(fabs(x[1]), 1e-12);
            assert_at_most(fabs(x[2] - (-s * X[0] + c * X[2])), 1e-12);
        }
    }
    expect_done(sinew_world_remove_pin(world, pin, &error), &error);
    assert_int_equal(sinew_body_info(world, body).dofs, 3 * 27);
    world_steps(world, 1, 0.01);
    sinew_world_destroy(world);
}

static void surfaces_follow_with_normals(void **state)
{
    (void)state;
    SinewBodyId bodies[2];
    SinewWorldDef def = sinew_world_def_default();
    SinewWorld *world = busy_world(&def, bodies);
    world_steps(world, 3, 0.01);
    SinewPoints points = sinew_body_surface(world, bodies[1]);
    SinewPoints normals = sinew_body_normals(world, bodies[1]);
    assert_int_equal(points.count, normals.count);
    double middle[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3 * points.count; ++i) {
        middle[i % 3] += (double)points.xyz[i] / points.count;
    }
    for (int v = 0; v < points.count; ++v) {
        double length = 0.0, out = 0.0, radius = 0.0;
        for (int k = 0; k < 3; ++k) {
            double n = (double)normals.xyz[3 * v + k];
            double r = (double)points.xyz[3 * v + k] - middle[k];
            length += n * n;
            radius += r * r;
            out += n * r;
        }
        assert_at_most(fabs(length - 1.0), 1e-6); // floats
        assert_true(out > 0.8 * sqrt(radius));    // a ball that is hardly bent
    }
    sinew_world_destroy(world);
}

static void removing_a_body_leaves_the_others(void **state)
{
    (void)state;
    SinewError error;
    SinewBodyId bodies[2];
    SinewWorldDef def = sinew_world_def_default();
    SinewWorld *world = busy_world(&def, bodies);
    world_steps(world, 2, 0.01);
    expect_done(sinew_world_remove_body(world, bodies[0], &error), &error);
    world_steps(world, 2, 0.01);
    assert_true(sinew_body_surface(world, bodies[1]).count > 0);
    SinewBodyId again = world_add_box(world, 1.0, 1);
    assert_int_equal(again.index1, bodies[0].index1);
    assert_true(again.generation != bodies[0].generation);
    assert_string_equal(sinew_body_info(world, again).name, "body 2");
    world_steps(world, 1, 0.01);
    sinew_world_destroy(world);
}

static void an_empty_world_steps(void **state)
{
    (void)state;
    SinewWorld *world = world_make(1);
    world_steps(world, 3, 0.5);
    assert_true(sinew_world_time(world) == 1.5);
    sinew_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_step_is_the_models),
    cmocka_unit_test(a_failing_step_is_taken_back),
    cmocka_unit_test(a_step_that_did_not_converge_counts_and_says_so),
    cmocka_unit_test(static_solves_ramp_gravity),
    cmocka_unit_test(no_equilibrium_is_never_answered),
    cmocka_unit_test(a_free_body_falls_with_its_momentum),
    cmocka_unit_test(results_do_not_depend_on_who_works),
    cmocka_unit_test(worlds_of_different_threads_do_not_meet),
    cmocka_unit_test(portable_worlds_step_too),
    cmocka_unit_test(a_warm_step_allocates_nothing),
    cmocka_unit_test(a_report_says_how_it_went),
    cmocka_unit_test(pins_move_vertices),
    cmocka_unit_test(surfaces_follow_with_normals),
    cmocka_unit_test(removing_a_body_leaves_the_others),
    cmocka_unit_test(an_empty_world_steps),
};

SN_TEST_GROUP(world_step, tests);

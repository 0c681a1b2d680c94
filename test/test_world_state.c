// States: the same bits go on from them, nothing is allocated for them, and what is damaged or of
// another world is refused.
#include "support/test.h"

#include "support/dropped.h"

#include "world/world.h"

typedef struct Saved {
    SinewWorld *world;
    SinewBodyId body;
    unsigned char *bytes;
    size_t size;
} Saved;

static SinewWorld *falling_box(SinewIntegrator integrator, double density, SinewBodyId *out_body)
{
    SinewError error;
    SinewWorld *world = world_make(2);
    SinewBodyDef def = world_box_def(1.0, 2);
    def.newton.integrator = integrator;
    def.material.density = density;
    def.linear_velocity[0] = 1.0; // so that friction has something to do
    expect_done(sinew_world_add_body(world, &def, out_body, &error), &error);
    world_add_floor(world, -0.05);
    return world;
}

static Saved save_after(SinewIntegrator integrator, int steps)
{
    SinewError error;
    Saved s;
    s.world = falling_box(integrator, 1000.0, &s.body);
    world_steps(s.world, steps, 0.01);
    s.size = sinew_world_state_size(s.world);
    s.bytes = malloc(s.size);
    expect_done(sinew_world_save(s.world, s.bytes, s.size, &error), &error);
    return s;
}

static void end(Saved *s)
{
    free(s->bytes);
    sinew_world_destroy(s->world);
}

// In the same world, and in another one made by the same calls.
static void a_restored_world_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    SinewError error;
    const SinewIntegrator integrators[] = {SINEW_INTEGRATOR_EULER, SINEW_INTEGRATOR_BDF2,
                                           SINEW_INTEGRATOR_NEWMARK};
    for (int i = 0; i < SN_COUNT(integrators); ++i) {
        Saved s = save_after(integrators[i], 13); // it has touched the floor
        uint64_t at_save = world_hash(s.world, s.body);
        SinewProbeId contact = world_probe(s.world, s.body, SINEW_REPORT_CONTACT);
        double touching[6], again[6];
        world_read(s.world, contact, touching);
        assert_true(touching[3] > 0.0);
        world_steps(s.world, 7, 0.01);
        uint64_t at_end = world_hash(s.world, s.body);

        expect_done(sinew_world_restore(s.world, s.bytes, s.size, &error), &error);
        assert_true(world_hash(s.world, s.body) == at_save);
        world_read(s.world, contact, again);
        assert_memory_equal(again, touching, 4 * sizeof *again);
        assert_int_equal(sinew_world_step_count(s.world), 13);
        world_steps(s.world, 7, 0.01);
        assert_true(world_hash(s.world, s.body) == at_end);

        SinewBodyId twin_body;
        SinewWorld *twin = falling_box(integrators[i], 1000.0, &twin_body);
        expect_done(sinew_world_restore(twin, s.bytes, s.size, &error), &error);
        world_steps(twin, 7, 0.01);
        assert_true(world_hash(twin, twin_body) == at_end);
        assert_true(sinew_world_time(twin) == sinew_world_time(s.world));
        sinew_world_destroy(twin);
        end(&s);
    }
}

static void no_model_allocates(void **state)
{
    (void)state;
    for (int model = SINEW_MODEL_NEWTON; model <= SINEW_MODEL_TETMG; ++model) {
        SinewBodyDef def = dropped_ball_def((SinewModelKind)model, 5);
        def.frames.count = 2;
        def.angular_velocity[1] = 3.0;
        world_steps_allocate_nothing(flying_world, &def, 3);
    }
}

static void expect_refused(Saved *s, const void *bytes, size_t size, const char *words)
{
    SinewError error;
    uint64_t before = world_hash(s->world, s->body);
    assert_int_equal(sinew_world_restore(s->world, bytes, size, &error), SINEW_ERROR_ARGUMENT);
    if (words != NULL && strstr(error.text, words) == NULL) {
        fail_msg("says \"%s\", expected words \"%s\"", error.text, words);
    }
    assert_true(world_hash(s->world, s->body) == before);
}

static void damaged_bytes_are_refused(void **state)
{
    (void)state;
    Saved s = save_after(SINEW_INTEGRATOR_EULER, 3);
    world_steps(s.world, 1, 0.01);
    for (size_t at = 0; at < s.size; at += at < 64 ? 1 : 37) { // the header byte by byte
        s.bytes[at] ^= (unsigned char)(1u << at % 8);
        expect_refused(&s, s.bytes, s.size, NULL);
        s.bytes[at] ^= (unsigned char)(1u << at % 8);
    }
    expect_refused(&s, s.bytes, s.size - 1, "damaged");
    expect_refused(&s, s.bytes, 0, "damaged");
    expect_refused(&s, s.bytes, 63, "damaged");
    expect_refused(&s, NULL, s.size, "bytes is NULL");
    s.bytes[8] = 2;
    expect_refused(&s, s.bytes, s.size, "the state has the version 2, expected 4");
    s.bytes[0] = 'x';
    expect_refused(&s, s.bytes, s.size, "no state of a world");
    end(&s);
}

static void foreign_states_are_refused(void **state)
{
    (void)state;
    SinewError error;
    Saved s = save_after(SINEW_INTEGRATOR_EULER, 3);
    Saved other = s;
    other.world = falling_box(SINEW_INTEGRATOR_EULER, 1001.0, &other.body);
    expect_refused(&other, s.bytes, s.size, "another world with 1 bodies");
    sinew_world_destroy(other.world);
    other.world = falling_box(SINEW_INTEGRATOR_BDF2, 1000.0, &other.body);
    expect_refused(&other, s.bytes, s.size, "another world");
    sinew_world_destroy(other.world);
    other.world = world_make(1);
    assert_int_equal(sinew_world_restore(other.world, s.bytes, s.size, &error),
                     SINEW_ERROR_ARGUMENT);
    sinew_world_destroy(other.world);
    world_add_floor(s.world, -2.0);
    expect_refused(&s, s.bytes, s.size, "pins or colliders");
    end(&s);
}

static void saving_wants_the_right_room(void **state)
{
    (void)state;
    SinewError error;
    Saved s = save_after(SINEW_INTEGRATOR_EULER, 1);
    assert_int_equal(sinew_world_save(s.world, s.bytes, s.size - 1, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "sinew_world_state_size()"));
    assert_int_equal(sinew_world_save(s.world, NULL, s.size, &error), SINEW_ERROR_ARGUMENT);
    assert_int_equal(sinew_world_save(NULL, s.bytes, s.size, &error), SINEW_ERROR_ARGUMENT);
    assert_int_equal(sinew_world_restore(NULL, s.bytes, s.size, &error), SINEW_ERROR_ARGUMENT);
    // Bytes need no alignment.
    unsigned char *shifted = malloc(s.size + 1);
    expect_done(sinew_world_save(s.world, shifted + 1, s.size, &error), &error);
    assert_memory_equal(shifted + 1, s.bytes, s.size);
    expect_done(sinew_world_restore(s.world, shifted + 1, s.size, &error), &error);
    free(shifted);
    end(&s);
}

// A plate that lands flat touches with half of its points at once, which is more than a first guess
// has room for: in the step, and in a fresh world that the state comes to.
static SinewWorld *falling_plate(int workers, SinewBodyId *out_body)
{
    SinewError error;
    SinewWorld *world = world_make(workers);
    SinewBodyDef def = world_box_def(1.0, 24);
    def.cells[1] = 1;
    def.shape.max[1] = def.shape.min[1] + 0.05;
    def.newton.max_iterations = 4;
    def.linear_velocity[1] = -1.0;
    expect_done(sinew_world_add_body(world, &def, out_body, &error), &error);
    for (int i = 0; i < 6; ++i) {
        world_add_floor(world, -0.011 - (i > 0) * 10.0);
    }
    return world;
}

static void what_comes_to_touch_at_once_is_all_there(void **state)
{
    (void)state;
    SinewError error;
    SinewBodyId body, other, twin_body;
    SinewWorld *world = falling_plate(2, &body);
    SinewWorld *wide = falling_plate(1, &other);
    expect_done(sn_penalty_grow(SN_BODIES(wide, 0)->penalty, 10000, &error), &error);
    size_t before = sinew_world_state_size(world);
    world_steps(world, 2, 0.01);
    world_steps(wide, 2, 0.01);
    assert_true(sinew_world_report(world).contacts > SN_BODIES(world, 0)->vertex_count / 4);
    assert_int_equal(sinew_world_report(world).contacts, sinew_world_report(wide).contacts);
    assert_true(world_hash(world, body) == world_hash(wide, other));

    size_t size = sinew_world_state_size(world);
    assert_true(size > before);
    unsigned char *bytes = malloc(size);
    expect_done(sinew_world_save(world, bytes, size, &error), &error);
    SinewWorld *twin = falling_plate(1, &twin_body);
    expect_done(sinew_world_restore(twin, bytes, size, &error), &error);
    assert_int_equal(sinew_world_state_size(twin), size);
    world_steps(world, 1, 0.01);
    world_steps(twin, 1, 0.01);
    assert_true(world_hash(twin, twin_body) == world_hash(world, body));
    free(bytes);
    sinew_world_destroy(twin);
    sinew_world_destroy(wide);
    sinew_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_comes_to_touch_at_once_is_all_there),
    cmocka_unit_test(a_restored_world_goes_on_with_the_same_bits),
    cmocka_unit_test(no_model_allocates),
    cmocka_unit_test(damaged_bytes_are_refused),
    cmocka_unit_test(foreign_states_are_refused),
    cmocka_unit_test(saving_wants_the_right_room),
};

SN_TEST_GROUP(world_state, tests);

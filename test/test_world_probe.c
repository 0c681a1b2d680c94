#include "support/spring_model.h"
#include "support/test.h"
#include "support/worlds.h"

#include <math.h>

typedef struct Probed {
    SinewWorld *world;
    SinewBodyId body;
} Probed;

// Masses on springs that have sunk to rest: y = -g / rate, known to rounding.
static const double SAG = -9.81 / 1000.0;

static Probed make_probed(void)
{
    SinewError error;
    Probed p = {.world = world_make(1)};
    p.body = world_add_box_with(p.world, &sn_spring_model, 1.0, 2);
    expect_done(sinew_world_solve_static(p.world, 1.0, 0.0, &error), &error);
    return p;
}

static int read_def(const Probed *p, SinewProbeDef def, double values[6])
{
    SinewError error;
    SinewProbeId probe;
    int count = 0;
    def.body = p->body;
    expect_done(sinew_world_add_probe(p->world, &def, &probe, &error), &error);
    expect_done(sinew_world_read_probe(p->world, probe, values, &count, &error), &error);
    expect_done(sinew_world_remove_probe(p->world, probe, &error), &error);
    assert_int_equal(sinew_world_read_probe(p->world, probe, values, &count, &error),
                     SINEW_ERROR_ARGUMENT);
    return count;
}

static void expect_values(const double *values, int count, const double *expected, int wanted)
{
    assert_int_equal(count, wanted);
    for (int i = 0; i < count; ++i) {
        assert_at_most(fabs(values[i] - expected[i]), 1e-9 * (1.0 + fabs(expected[i]))); // rounding
    }
}

static void places_are_followed(void **state)
{
    (void)state;
    Probed p = make_probed();
    double values[6];
    SinewProbeDef def = sinew_probe_def_default();
    def.has_point = 1;
    def.point[0] = 0.3;
    def.point[1] = 0.6;
    def.point[2] = 0.1;
    int count = read_def(&p, def, values);
    expect_values(values, count, (double[]){0.3, 0.6 + SAG, 0.1}, 3);
    def.report = SINEW_REPORT_DISPLACEMENT;
    count = read_def(&p, def, values);
    expect_values(values, count, (double[]){0.0, SAG, 0.0}, 3);
    def.point[0] = 1.2; // outside, within a cell of 0.5 m
    count = read_def(&p, def, values);
    expect_values(values, count, (double[]){0.0, SAG, 0.0}, 3);
    def = sinew_probe_def_default();
    def.vertex = 26; // the last corner
    count = read_def(&p, def, values);
    expect_values(values, count, (double[]){1.0, 1.0 + SAG, 1.0}, 3);
    def.on_surface = 1;
    def.vertex = 25; // the same, since one vertex is inside
    count = read_def(&p, def, values);
    expect_values(values, count, (double[]){1.0, 1.0 + SAG, 1.0}, 3);
    world_steps(p.world, 1, 0.01);
    def.report = SINEW_REPORT_VELOCITY;
    count = read_def(&p, def, values);
    expect_values(values, count, (double[]){0.0, 0.0, 0.0}, 3); // stays in equilibrium
    sinew_world_destroy(p.world);
}

static void bodies_are_measured(void **state)
{
    (void)state;
    Probed p = make_probed();
    double values[6];
    SinewProbeDef def = sinew_probe_def_default();
    def.report = SINEW_REPORT_MEAN_DISPLACEMENT;
    int count = read_def(&p, def, values);
    expect_values(values, count, (double[]){0.0, SAG, 0.0}, 3);
    def.report = SINEW_REPORT_ENERGY; // 1000 kg
    count = read_def(&p, def, values);
    expect_values(values, count,
                  (double[]){0.0, 0.5 * 1000.0 * 1000.0 * SAG * SAG, 9810.0 * (0.5 + SAG)}, 3);
    def.report = SINEW_REPORT_VOLUME;
    assert_int_equal(read_def(&p, def, values), 3);
    def.report = SINEW_REPORT_MOMENTUM;
    count = read_def(&p, def, values);
    expect_values(values, count, (double[6]){0.0}, 6);
    def.report = SINEW_REPORT_RESIDUAL;
    assert_int_equal(read_def(&p, def, values), 1);
    def.report = SINEW_REPORT_CONTACT; // without colliders
    count = read_def(&p, def, values);
    expect_values(values, count, (double[4]){0.0}, 4);
    def.report = SINEW_REPORT_FORCE;
    def.vertex = 3;
    def.on_surface = 1;
    count = read_def(&p, def, values);
    expect_values(values, count, (double[3]){0.0}, 3);
    SinewBodyInfo info = sinew_body_info(p.world, p.body);
    assert_at_most(fabs(info.volume - 1.0), 1e-12); // a sum of 40 tets
    assert_at_most(fabs(info.mass - 1000.0), 1e-9);
    assert_string_equal(info.model, "springs");
    assert_int_equal(info.elements, 40);
    sinew_world_destroy(p.world);
}

// A box rests on a plane: the floor carries its weight, and the forces of its points add up.
static void contact_carries_the_weight(void **state)
{
    (void)state;
    SinewError error;
    SinewWorld *world = world_make(1);
    SinewBodyId body = world_add_box(world, 1.0, 2);
    world_add_floor(world, 0.0);
    SinewProbeId contact = world_probe(world, body, SINEW_REPORT_CONTACT);
    // Held sideways, so that the equilibrium is one.
    SinewPinDef def = sinew_pin_def_default();
    def.body = body;
    def.within = region_box(0, 0, 0, 0, 1, 0);
    def.axes[1] = 0;
    SinewPinId pin;
    expect_done(sinew_world_add_pin(world, &def, &pin, &error), &error);
    world_steps(world, 60, 0.05); // backward Euler's damping brings it to rest
    double values[6], sum = 0.0;
    world_read(world, contact, values);
    assert_at_most(fabs(values[1] - 9810.0), 1.0); // what still swings
    assert_true(values[3] == 9.0);
    assert_int_equal(sinew_world_report(world).contacts, 9);
    for (int v = 0; v < 26; ++v) {
        SinewProbeDef force = sinew_probe_def_default();
        force.body = body;
        force.report = SINEW_REPORT_FORCE;
        force.vertex = v;
        force.on_surface = 1;
        SinewProbeId probe;
        double f[6];
        expect_done(sinew_world_add_probe(world, &force, &probe, &error), &error);
        world_read(world, probe, f);
        sum += f[1];
    }
    assert_at_most(fabs(sum - values[1]), 1e-9 * 9810.0); // rounding of the sum
    sinew_world_destroy(world);
}

static void a_probe_of_a_removed_pin_says_so(void **state)
{
    (void)state;
    SinewError error;
    Probed p = make_probed();
    SinewPinId pin = world_hold(p.world, p.body, region_box(0, 0, 0, 0, 1, 1));
    SinewProbeDef def = sinew_probe_def_default();
    def.body = p.body;
    def.report = SINEW_REPORT_REACTION;
    def.pin = pin;
    SinewProbeId probe;
    expect_done(sinew_world_add_probe(p.world, &def, &probe, &error), &error);
    double values[6];
    world_read(p.world, probe, values);
    expect_done(sinew_world_remove_pin(p.world, pin, &error), &error);
    int count;
    assert_int_equal(sinew_world_read_probe(p.world, probe, values, &count, &error),
                     SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "pin id 1"));
    sinew_world_destroy(p.world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(places_are_followed),
    cmocka_unit_test(bodies_are_measured),
    cmocka_unit_test(contact_carries_the_weight),
    cmocka_unit_test(a_probe_of_a_removed_pin_says_so),
};

SN_TEST_GROUP(world_probe, tests);

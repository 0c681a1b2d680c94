#include "support/test.h"
#include "support/worlds.h"

#include <math.h>

static void add_load(SinewWorld *world, const SinewLoadDef *def)
{
    SinewError error;
    SinewLoadId id;
    expect_done(sinew_world_add_load(world, def, &id, &error), &error);
}

static void roll(SinewWorld *world, SinewBodyId body, int axis)
{
    SinewError error;
    SinewPinDef def = sinew_pin_def_default();
    def.body = body;
    def.within = region_box(0, 0, 0, 1, 1, 1);
    def.within.max[axis] = 0.0;
    for (int k = 0; k < 3; ++k) {
        def.axes[k] = k == axis;
    }
    SinewPinId pin;
    expect_done(sinew_world_add_pin(world, &def, &pin, &error), &error);
}

static SinewWorld *weightless(SinewBodyDef *def, SinewBodyId *out_body)
{
    SinewError error;
    SinewWorldDef world_def = sinew_world_def_default();
    world_def.gravity[1] = 0.0;
    SinewWorld *world = NULL;
    expect_done(sinew_world_create(&world_def, &world, &error), &error);
    expect_done(sinew_world_add_body(world, def, out_body, &error), &error);
    return world;
}

// Pulled evenly, with linear elasticity, every vertex moves by traction / E along x and by -nu
// times that across: tets and hexahedra both hold such a field exactly, if the nodal forces are
// consistent with the traction.
static void expect_patch(SinewElement element, SinewBoxTets cut, bool as_force)
{
    SinewError error;
    SinewBodyDef def = world_box_def(1.0, 3);
    def.newton.element = element;
    def.box_tets = cut;
    def.material.law = SINEW_LAW_LINEAR;
    SinewBodyId body;
    SinewWorld *world = weightless(&def, &body);
    for (int axis = 0; axis < 3; ++axis) {
        roll(world, body, axis);
    }
    SinewLoadDef load = sinew_load_def_default();
    load.body = body;
    load.within = region_box(1, 0, 0, 1, 1, 1);
    (as_force ? load.force : load.traction)[0] = 1e4; // the face is 1 m^2
    add_load(world, &load);
    for (int step = 1; step <= 2; ++step) { // a load without a ramp grows with t
        expect_done(sinew_world_solve_static(world, 0.5 * step, 0.0, &error), &error);
        SinewBodyMesh mesh = sinew_body_mesh(world, body);
        double strain = 0.5 * step * 1e4 / 1e6;
        for (int v = 0; v < mesh.vertex_count; ++v) {
            for (int k = 0; k < 3; ++k) {
                double X = mesh.rest[3 * v + k];
                double u = mesh.positions[3 * v + k] - X;
                // The residual of 1e-9 leaves about as much of the largest displacement of 0.01 m.
                assert_at_most(fabs(u - (k == 0 ? 1.0 : -0.3) * strain * X), 1e-10);
            }
        }
    }
    sinew_world_destroy(world);
}

static void tractions_pass_the_patch_test(void **state)
{
    (void)state;
    expect_patch(SINEW_ELEMENT_TET, SINEW_BOX_FIVE, false);
    expect_patch(SINEW_ELEMENT_TET, SINEW_BOX_KUHN, false);
    expect_patch(SINEW_ELEMENT_HEX, SINEW_BOX_FIVE, false);
}

static void forces_are_tractions_over_their_area(void **state)
{
    (void)state;
    expect_patch(SINEW_ELEMENT_TET, SINEW_BOX_FIVE, true);
    expect_patch(SINEW_ELEMENT_HEX, SINEW_BOX_FIVE, true);
}

// The pin's force in equilibrium is what the load and the weight leave to it.
static void expect_reaction(const SinewLoadDef *load_of, double x, double y, double z)
{
    SinewError error;
    SinewBodyId body;
    SinewBodyDef def = world_box_def(1.0, 2);
    def.material.young = 1e8;
    SinewWorld *world = weightless(&def, &body);
    SinewPinId pin = world_hold(world, body, region_box(0, 0, 0, 0, 1, 1));
    SinewLoadDef load = *load_of;
    load.body = body;
    add_load(world, &load);
    SinewProbeDef probe_def = sinew_probe_def_default();
    probe_def.body = body;
    probe_def.report = SINEW_REPORT_REACTION;
    probe_def.pin = pin;
    SinewProbeId probe;
    expect_done(sinew_world_add_probe(world, &probe_def, &probe, &error), &error);
    expect_done(sinew_world_solve_static(world, 1.0, 0.0, &error), &error);
    double wrench[6];
    world_read(world, probe, wrench);
    const double expected[3] = {x, y, z};
    for (int k = 0; k < 3; ++k) {
        assert_at_most(fabs(wrench[k] + expected[k]), 1e-5); // 1e-9 of forces of 1e3 N and more
    }
    sinew_world_destroy(world);
}

static void a_region_inside_loads_vertices(void **state)
{
    (void)state;
    SinewLoadDef load = sinew_load_def_default();
    load.within = region_box(0.4, 0.4, 0.4, 0.6, 0.6, 0.6); // the middle vertex alone
    load.force[1] = 300.0;
    expect_reaction(&load, 0.0, 300.0, 0.0);
}

static void lists_of_vertices_load_faces_and_vertices(void **state)
{
    (void)state;
    // Vertex (i, j, k) of the 3 x 3 x 3 has the index 9 i + 3 j + k: the face x = 1, unsorted.
    static const int face[] = {26, 18, 19, 20, 21, 22, 23, 24, 25};
    static const int alone[] = {13}; // inside: no triangle
    SinewLoadDef load = sinew_load_def_default();
    load.within = (SinewRegion){.kind = SINEW_REGION_VERTICES, .vertices = face, .vertex_count = 9};
    load.traction[2] = 200.0; // over 1 m^2
    expect_reaction(&load, 0.0, 0.0, 200.0);
    load = sinew_load_def_default();
    load.within =
        (SinewRegion){.kind = SINEW_REGION_VERTICES, .vertices = alone, .vertex_count = 1};
    load.force[0] = 50.0;
    expect_reaction(&load, 50.0, 0.0, 0.0);
}

static void ramps_scale_loads(void **state)
{
    (void)state;
    static const SinewRampKey ramp[] = {{0.0, 0.0}, {2.0, 4.0}};
    SinewLoadDef load = sinew_load_def_default();
    load.within = region_box(1, 0, 0, 1, 1, 1);
    load.force[0] = 100.0;
    load.ramp = ramp;
    load.ramp_count = 2;
    expect_reaction(&load, 200.0, 0.0, 0.0); // twice at t = 1
}

static void removed_loads_are_gone(void **state)
{
    (void)state;
    SinewError error;
    SinewBodyId body;
    SinewBodyDef def = world_box_def(1.0, 1);
    SinewWorld *world = weightless(&def, &body);
    SinewLoadDef load = sinew_load_def_default();
    load.body = body;
    load.within = (SinewRegion){.kind = SINEW_REGION_ALL};
    load.force[0] = 1000.0; // 1000 kg: 1 m/s^2
    SinewLoadId first, second;
    expect_done(sinew_world_add_load(world, &load, &first, &error), &error);
    load.force[0] = 0.0;
    load.force[1] = 1000.0;
    expect_done(sinew_world_add_load(world, &load, &second, &error), &error);
    expect_done(sinew_world_remove_load(world, first, &error), &error);
    world_steps(world, 10, 0.01);
    SinewProbeId probe = world_probe(world, body, SINEW_REPORT_MOMENTUM);
    double momentum[6];
    world_read(world, probe, momentum);
    assert_at_most(fabs(momentum[0]), 1e-6); // tolerance of 1e-9 of 1000 N over 0.1 s, and to spare
    assert_at_most(fabs(momentum[1] - 100.0), 1e-6);
    sinew_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(tractions_pass_the_patch_test),
    cmocka_unit_test(forces_are_tractions_over_their_area),
    cmocka_unit_test(a_region_inside_loads_vertices),
    cmocka_unit_test(lists_of_vertices_load_faces_and_vertices),
    cmocka_unit_test(ramps_scale_loads),
    cmocka_unit_test(removed_loads_are_gone),
};

SN_TEST_GROUP(world_load, tests);

// Attachments of all models: equilibria in closed form, frames that move, energy, stiff springs,
// probes and refusals.
#include "support/test.h"

#include "support/worlds.h"

#include <math.h>

static const SinewModelKind kinds[] = {SINEW_MODEL_NEWTON, SINEW_MODEL_SPLIT, SINEW_MODEL_LATTICE};

// Split works in float: its static solves end near this share of a body's size.
static double accuracy_of(SinewModelKind kind)
{
    return kind == SINEW_MODEL_SPLIT ? 1e-6 : 1e-8;
}

static SinewWorld *make_world(double gx, double gy, double gz)
{
    SinewError error;
    SinewWorldDef def = sinew_world_def_default();
    SinewWorld *world = NULL;
    def.gravity[0] = gx;
    def.gravity[1] = gy;
    def.gravity[2] = gz;
    expect_done(sinew_world_create(&def, &world, &error), &error);
    return world;
}

// A cube of 1 m and 1000 kg.
static SinewBodyId add_cube_with(SinewWorld *world, SinewModelKind kind, SinewIntegrator rule)
{
    SinewError error;
    SinewBodyDef def = world_box_def(1.0, 2);
    SinewBodyId body;
    def.model = kind;
    def.newton.integrator = rule;
    def.split.accuracy = 1e-5;
    def.lattice.tolerance = 1e-8;
    def.frames.count = 2; // two cells a side have no room for more
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    return body;
}

static SinewBodyId add_cube(SinewWorld *world, SinewModelKind kind)
{
    return add_cube_with(world, kind, SINEW_INTEGRATOR_EULER);
}

static SinewAttachmentDef all_of(SinewBodyId body, double stiffness)
{
    SinewAttachmentDef def = sinew_attachment_def_default();
    def.body = body;
    def.within.kind = SINEW_REGION_ALL;
    def.stiffness = stiffness;
    return def;
}

static SinewAttachmentId attach(SinewWorld *world, const SinewAttachmentDef *def)
{
    SinewError error;
    SinewAttachmentId id;
    expect_done(sinew_world_add_attachment(world, def, &id, &error), &error);
    return id;
}

static SinewProbeId probe_attachment(SinewWorld *world, SinewBodyId body, SinewAttachmentId id)
{
    SinewError error;
    SinewProbeDef def = sinew_probe_def_default();
    SinewProbeId probe;
    def.body = body;
    def.report = SINEW_REPORT_ATTACHMENT;
    def.attachment = id;
    expect_done(sinew_world_add_probe(world, &def, &probe, &error), &error);
    return probe;
}

static double farthest(const SinewWorld *world, SinewBodyId body, const double map[12])
{
    SinewBodyMesh mesh = sinew_body_mesh(world, body);
    double most = 0.0;
    for (int v = 0; v < mesh.vertex_count; ++v) {
        const double *X = mesh.rest + 3 * (size_t)v;
        for (int k = 0; k < 3; ++k) {
            const double *row = map + 4 * k;
            double to = row[0] * X[0] + row[1] * X[1] + row[2] * X[2] + row[3];
            most = fmax(most, fabs(mesh.positions[3 * (size_t)v + (size_t)k] - to));
        }
    }
    return most;
}

// Springs that share by mass carry gravity vertex by vertex: the cube sinks by M g / k and does not
// deform. One attachment an axis shows that normals act alone.
static void weight_hangs_in_closed_form(void **state)
{
    (void)state;
    const double g[3] = {1.0, -2.0, 0.5}, k[3] = {2e4, 1e4, 4e4};
    for (int m = 0; m < 3; ++m) {
        SinewError error;
        SinewWorld *world = make_world(g[0], g[1], g[2]);
        SinewBodyId body = add_cube(world, kinds[m]);
        SinewAttachmentId ids[3];
        double map[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
        for (int a = 0; a < 3; ++a) {
            SinewAttachmentDef def = all_of(body, k[a]);
            def.normal[a] = 3.0; // any length
            ids[a] = attach(world, &def);
            map[4 * a + 3] = 1000.0 * g[a] / k[a];
        }
        expect_done(sinew_world_solve_static(world, 1.0, 0.0, &error), &error);
        assert_at_most(farthest(world, body, map), accuracy_of(kinds[m]));
        double wrench[6];
        for (int a = 0; a < 3; ++a) {
            world_read(world, probe_attachment(world, body, ids[a]), wrench);
            for (int i = 0; i < 3; ++i) { // up to 2000 N
                assert_at_most(fabs(wrench[i] + (i == a ? 1000.0 * g[a] : 0.0)),
                               4e4 * accuracy_of(kinds[m]));
            }
        }
        sinew_world_destroy(world);
    }
}

// Without a collider there is no contact that the points of the surface could ask for.
static void other_models_hang_where_nothing_touches(void **state)
{
    (void)state;
    static const SinewModelKind others[] = {SINEW_MODEL_VOXEL, SINEW_MODEL_FRAMES,
                                            SINEW_MODEL_TETMG};
    for (int m = 0; m < SN_COUNT(others); ++m) {
        SinewError error;
        SinewWorld *world = make_world(0.0, -10.0, 0.0);
        SinewBodyId body = add_cube(world, others[m]);
        SinewAttachmentDef def = all_of(body, 1e6);
        SinewProbeId probe = probe_attachment(world, body, attach(world, &def));
        double wrench[6];
        expect_done(sinew_world_step(world, 1e-3, &error), &error);
        expect_done(sinew_world_solve_static(world, 1.0, 0.0, &error), &error);
        world_read(world, probe, wrench);
        assert_at_most(fabs(wrench[1] / 1e4 - 1.0), 1e-4); // of the weight; tetmg works in float
        sinew_world_destroy(world);
    }
}

// A frame that turns by 90 degrees about z and moves takes the body along without strain.
static void bodies_follow_frames(void **state)
{
    (void)state;
    const double map[12] = {0, -1, 0, 0.3, 1, 0, 0, -0.2, 0, 0, 1, 0.1};
    for (int m = 0; m < 3; ++m) {
        SinewError error;
        SinewWorld *world = make_world(0.0, 0.0, 0.0);
        SinewBodyId body = add_cube(world, kinds[m]);
        SinewKey keys[2] = {sinew_key_default(), sinew_key_default()};
        SinewAttachmentDef def = all_of(body, 1e6);
        keys[1] = (SinewKey){.t = 1.0, .translate = {0.3, -0.2, 0.1}, .axis = {0, 0, 1}};
        keys[1].degrees = 90.0;
        def.keys = keys;
        def.key_count = 2;
        SinewAttachmentId id = attach(world, &def);
        for (int s = 1; s <= 4; ++s) {
            expect_done(sinew_world_solve_static(world, 0.25 * s, 0.0, &error), &error);
        }
        assert_at_most(farthest(world, body, map), 10.0 * accuracy_of(kinds[m]));
        // The host's word counts more than the keys.
        const double back[12] = {0, -1, 0, -0.7, 1, 0, 0, 0.5, 0, 0, 1, 0};
        expect_done(sinew_world_move_attachment(world, id, back, &error), &error);
        SinewStatus status = sinew_world_solve_static(world, 1.0, 0.0, &error);
        expect_done(status, &error);
        assert_at_most(farthest(world, body, back), 10.0 * accuracy_of(kinds[m]));
        sinew_world_destroy(world);
    }
}

// Average acceleration keeps the energy of a linear oscillator; the spring's part must be in it.
static void energy_is_counted(void **state)
{
    (void)state;
    SinewWorld *world = make_world(0.0, -9.81, 0.0);
    SinewBodyId body = add_cube_with(world, SINEW_MODEL_NEWTON, SINEW_INTEGRATOR_NEWMARK);
    SinewAttachmentDef def = all_of(body, 5e4);
    attach(world, &def);
    SinewProbeId energy = world_probe(world, body, SINEW_REPORT_ENERGY);
    double first[6], values[6], largest = 0.0;
    world_read(world, energy, first);
    for (int s = 0; s < 40; ++s) {
        world_steps(world, 1, 0.02);
        world_read(world, energy, values);
        double change = values[0] + values[1] + values[2] - first[0] - first[1] - first[2];
        largest = fmax(largest, values[1]);
        // Some kJ go to and fro; each step is solved to 1e-9 of its forces.
        assert_at_most(fabs(change), 1e-4);
    }
    assert_true(largest > 3000.0); // at the lowest point 2 (M g)^2 / k
    sinew_world_destroy(world);
}

// Ten million times as stiff as the body, and pulled over by half a turn in one step.
static void stiff_springs_do_not_explode(void **state)
{
    (void)state;
    const double map[12] = {-1, 0, 0, 1, 0, 1, 0, 0.2, 0, 0, -1, 1};
    for (int m = 0; m < 3; ++m) {
        SinewError error;
        SinewWorld *world = make_world(0.0, -9.81, 0.0);
        SinewBodyId body = add_cube(world, kinds[m]);
        SinewAttachmentDef def = all_of(body, 1e13);
        SinewAttachmentId id = attach(world, &def);
        world_steps(world, 2, 0.01);
        expect_done(sinew_world_move_attachment(world, id, map, &error), &error);
        for (int s = 0; s < 20; ++s) {
            expect_done(sinew_world_step(world, 0.01, &error), &error);
        }
        assert_at_most(farthest(world, body, map), 1e-3);
        sinew_world_destroy(world);
    }
}

// A point on top, a floor below: both act, and letting go of either leaves the other.
static void attachments_and_contact_act_together(void **state)
{
    (void)state;
    const double point[3] = {0.5, 1.0, 0.5};
    for (int m = 0; m < 3; ++m) {
        SinewError error;
        SinewWorld *world = make_world(0.0, -10.0, 0.0);
        SinewBodyId body = add_cube(world, kinds[m]);
        SinewAttachmentDef def = sinew_attachment_def_default();
        def.body = body;
        def.points = point;
        def.point_count = 1;
        def.stiffness = 1e5;
        SinewAttachmentId id = attach(world, &def);
        world_add_floor(world, -0.01);
        SinewProbeId pull = probe_attachment(world, body, id);
        SinewProbeId push = world_probe(world, body, SINEW_REPORT_CONTACT);
        double a[6], c[6];
        for (int s = 0; s < 400; ++s) {
            expect_done(sinew_world_step(world, 0.02, &error), &error);
        }
        world_read(world, pull, a);
        world_read(world, push, c);
        assert_true(a[1] > 100.0 && c[1] > 100.0);
        // 10 kN of weight, and what little still moves.
        assert_at_most(fabs(a[1] + c[1] - 1e4), 30.0);
        expect_done(sinew_world_remove_attachment(world, id, &error), &error);
        assert_true(sinew_world_read_probe(world, pull, a, &(int){0}, &error) < 0);
        expect_done(sinew_world_step(world, 0.02, &error), &error);
        sinew_world_destroy(world);
    }
}

static void expect_refused_with(SinewWorld *world, const SinewAttachmentDef *def, const char *words)
{
    SinewError error;
    SinewAttachmentId id = {77, 77};
    assert_int_equal(sinew_world_add_attachment(world, def, &id, &error), SINEW_ERROR_ARGUMENT);
    if (strstr(error.text, words) == NULL) {
        fail_msg("says \"%s\", expected words \"%s\"", error.text, words);
    }
    assert_int_equal(id.index1, 77);
}

static void wrong_defs_are_refused(void **state)
{
    (void)state;
    SinewWorld *world = make_world(0.0, 0.0, 0.0);
    SinewBodyId body = add_cube(world, SINEW_MODEL_NEWTON);
    SinewAttachmentDef good = all_of(body, 1.0), def = good;
    const double far[3] = {9.0, 0.0, 0.0};
    def.struct_size = 0;
    expect_refused_with(world, &def, "sinew_attachment_def_default()");
    def = good;
    def.within.kind = SINEW_REGION_NONE;
    expect_refused_with(world, &def, "is not said");
    def = good;
    def.within = region_box(5, 5, 5, 6, 6, 6);
    expect_refused_with(world, &def, "holds none of the 27 vertices");
    def = good;
    def.points = far;
    def.point_count = 1;
    expect_refused_with(world, &def, "both points and within");
    def.within.kind = SINEW_REGION_NONE;
    expect_refused_with(world, &def, "is 8 m outside the body");
    def.point_count = -1;
    expect_refused_with(world, &def, "count of points is -1");
    def = good;
    def.stiffness = 0.0;
    expect_refused_with(world, &def, "stiffness is 0");
    def.stiffness = NAN;
    expect_refused_with(world, &def, "stiffness is");
    def = good;
    def.normal[1] = INFINITY;
    expect_refused_with(world, &def, "normal");
    def = good;
    def.across = 1.5;
    expect_refused_with(world, &def, "across is 1.5");
    def = good;
    def.key_count = 2;
    expect_refused_with(world, &def, "keys is NULL");
    def = good;
    def.body = (SinewBodyId){0};
    expect_refused_with(world, &def, "body");
    sinew_world_destroy(world);
}

static void stale_ids_and_maps_are_refused(void **state)
{
    (void)state;
    SinewError error;
    SinewWorld *world = make_world(0.0, 0.0, 0.0);
    SinewBodyId body = add_cube(world, SINEW_MODEL_NEWTON), other = add_cube(world, kinds[0]);
    SinewAttachmentDef def = all_of(body, 1.0);
    SinewAttachmentId id = attach(world, &def);
    double map[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, NAN};
    assert_int_equal(sinew_world_move_attachment(world, id, map, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "number 11 of the map"));
    SinewProbeDef probe = sinew_probe_def_default();
    SinewProbeId probe_id;
    probe.body = other;
    probe.report = SINEW_REPORT_ATTACHMENT;
    probe.attachment = id;
    assert_int_equal(sinew_world_add_probe(world, &probe, &probe_id, &error), SINEW_ERROR_ARGUMENT);
    expect_done(sinew_world_remove_attachment(world, id, &error), &error);
    assert_int_equal(sinew_world_remove_attachment(world, id, &error), SINEW_ERROR_ARGUMENT);
    map[11] = 0.0;
    assert_int_equal(sinew_world_move_attachment(world, id, map, &error), SINEW_ERROR_ARGUMENT);
    id = attach(world, &def);
    expect_done(sinew_world_remove_body(world, body, &error), &error);
    assert_int_equal(sinew_world_remove_attachment(world, id, &error), SINEW_ERROR_ARGUMENT);
    sinew_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(weight_hangs_in_closed_form),
    cmocka_unit_test(other_models_hang_where_nothing_touches),
    cmocka_unit_test(bodies_follow_frames),
    cmocka_unit_test(energy_is_counted),
    cmocka_unit_test(stiff_springs_do_not_explode),
    cmocka_unit_test(attachments_and_contact_act_together),
    cmocka_unit_test(wrong_defs_are_refused),
    cmocka_unit_test(stale_ids_and_maps_are_refused),
};

SN_TEST_GROUP(world_attachment, tests);

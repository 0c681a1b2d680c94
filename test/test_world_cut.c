// Cuts of bodies: mass, energy and momentum stay, both parts go on, everything that touches the
// body follows, states come back, and what fails changes nothing.
#include "support/fail_allocator.h"
#include "support/test.h"
#include "support/worlds.h"

#include "base/random.h"

#include <math.h>

// A beam along x, 1 m long, 0.2 m wide, held at x = 0.
static SinewBodyDef beam_def(void)
{
    SinewBodyDef def = sinew_body_def_default();
    def.model = SINEW_MODEL_TETMG;
    def.shape.kind = SINEW_SHAPE_BOX;
    def.shape.max[0] = 1.0;
    def.shape.max[1] = def.shape.max[2] = 0.2;
    def.cells[0] = 15;
    def.cells[1] = def.cells[2] = 3;
    def.material.law = SINEW_LAW_COROTATED;
    def.material.young = 1e6;
    def.material.density = 1000.0;
    return def;
}

static SinewBodyId add_beam(SinewWorld *world, const SinewBodyDef *def)
{
    SinewError error;
    SinewBodyId body;
    expect_done(sinew_world_add_body(world, def, &body, &error), &error);
    return body;
}

static SinewBodyId held_beam(SinewWorld *world)
{
    SinewBodyDef def = beam_def();
    SinewBodyId body = add_beam(world, &def);
    world_hold(world, body, region_box(-1.0, -1.0, -1.0, 1e-6, 1.0, 1.0));
    return body;
}

// A plane across the beam, among rest positions.
static SinewCutDef across(double x)
{
    SinewCutDef def = sinew_cut_def_default();
    def.point[0] = x;
    def.normal[0] = 1.0;
    def.normal[1] = 0.0;
    def.at_rest = 1;
    return def;
}

static SinewCutReport cut(SinewWorld *world, SinewBodyId body, const SinewCutDef *def)
{
    SinewError error;
    SinewCutReport report;
    expect_done(sinew_body_cut(world, body, def, &report, &error), &error);
    return report;
}

// Each edge of a closed surface is there once in either direction.
static void expect_closed(const SinewWorld *world, SinewBodyId body)
{
    SinewTriangles triangles = sinew_body_triangles(world, body);
    size_t n = (size_t)sinew_body_surface(world, body).count;
    unsigned char *uses = calloc(n * n, 1);
    for (int i = 0; i < 3 * triangles.count; ++i) {
        int next = i % 3 == 2 ? i - 2 : i + 1;
        uses[(size_t)triangles.vertices[i] * n + (size_t)triangles.vertices[next]]++;
    }
    for (size_t a = 0; a < n; ++a) {
        for (size_t b = 0; b < n; ++b) {
            assert_int_equal(uses[a * n + b], uses[b * n + a]);
            assert_in_range(uses[a * n + b], 0, 1);
        }
    }
    free(uses);
}

// The surface of a box is made of its tets' corners: each vertex is where some vertex of the mesh
// is, and triangles do not reach across a cut that has opened.
static double longest_edge(const SinewWorld *world, SinewBodyId body)
{
    SinewTriangles triangles = sinew_body_triangles(world, body);
    const float *x = sinew_body_surface(world, body).xyz;
    double longest = 0.0;
    for (int i = 0; i < 3 * triangles.count; ++i) {
        int next = i % 3 == 2 ? i - 2 : i + 1;
        const float *a = x + 3 * triangles.vertices[i], *b = x + 3 * triangles.vertices[next];
        longest = fmax(longest, (double)hypotf(hypotf(a[0] - b[0], a[1] - b[1]), a[2] - b[2]));
    }
    return longest;
}

// Middle of the mesh's vertices that rest at x > limit.
static double height_beyond(const SinewWorld *world, SinewBodyId body, double limit)
{
    SinewBodyMesh mesh = sinew_body_mesh(world, body);
    double sum = 0.0;
    int count = 0;
    for (int v = 0; v < mesh.vertex_count; ++v) {
        if (mesh.rest[3 * v] > limit) {
            sum += mesh.positions[3 * v + 1] - mesh.rest[3 * v + 1];
            ++count;
        }
    }
    return sum / count;
}

static void cut_in_two_while_it_swings(void **state)
{
    (void)state;
    SinewWorld *world = world_make(2);
    SinewBodyId body = held_beam(world);
    SinewProbeId energy = world_probe(world, body, SINEW_REPORT_ENERGY);
    SinewProbeId momentum = world_probe(world, body, SINEW_REPORT_MOMENTUM);
    SinewProbeId cuts = world_probe(world, body, SINEW_REPORT_CUTS);
    SinewCutDef def = across(0.5);
    double before[6], after[6], swing[6], kept[6], counted[6];
    world_steps(world, 15, 0.01);
    world_read(world, energy, before);
    world_read(world, momentum, swing);
    world_read(world, cuts, counted);
    assert_true(counted[0] == 0.0 && counted[1] == 1.0);
    SinewBodyInfo old = sinew_body_info(world, body);
    SinewCutReport report = cut(world, body, &def);
    SinewBodyInfo info = sinew_body_info(world, body);
    world_read(world, energy, after);
    world_read(world, momentum, kept);
    world_read(world, cuts, counted);
    assert_true(counted[0] == 1.0 && counted[1] == 2.0 && counted[2] == 0.0);
    assert_int_equal(report.pieces, 2);
    assert_true(report.faces > 0 && report.vertices_added >= 16 && report.tets_removed == 0);
    assert_int_equal(info.elements, old.elements);
    // Sums over vertices in another order: rounding.
    assert_at_most(fabs(info.mass - old.mass), 1e-13 * old.mass);
    for (int k = 0; k < 3; ++k) {
        assert_at_most(fabs(after[k] - before[k]),
                       1e-12 * (fabs(before[0]) + fabs(before[1]) + 100));
        assert_at_most(fabs(kept[k] - swing[k]), 1e-11);
    }
    expect_closed(world, body);
    // The free part falls: its middle has the speed it had and g more.
    double y0 = height_beyond(world, body, 0.55);
    world_steps(world, 1, 0.01);
    double y1 = height_beyond(world, body, 0.55);
    world_steps(world, 1, 0.01);
    double y2 = height_beyond(world, body, 0.55);
    // Vertices count alike whatever their mass, and the part swings on in itself: a tenth of g.
    assert_at_most(fabs((y2 - 2.0 * y1 + y0) / 1e-4 + 9.81), 1.0);
    world_steps(world, 40, 0.01);
    assert_true(height_beyond(world, body, 0.55) < -0.5);
    SinewBodyMesh mesh = sinew_body_mesh(world, body);
    for (int v = 0; v < mesh.vertex_count; ++v) {
        if (mesh.rest[3 * v] < 0.45) {
            assert_true(mesh.positions[3 * v + 1] > -0.4); // the held part hangs on
        }
    }
    // Cells are 0.067 m: a triangle across the gap of half a metre would be longer.
    assert_at_most(longest_edge(world, body), 0.2);
    sinew_world_destroy(world);
}

static void a_blade_that_ends_inside_leaves_it_joined(void **state)
{
    (void)state;
    SinewWorld *world = world_make(1);
    SinewBodyId body = held_beam(world);
    SinewCutDef def = across(0.5);
    def.point[1] = def.point[2] = 0.0;
    def.radius = 0.12;
    SinewCutReport report = cut(world, body, &def);
    assert_int_equal(report.pieces, 1);
    assert_true(report.vertices_added > 0 && report.faces > 0);
    expect_closed(world, body);
    world_steps(world, 30, 0.01);
    assert_at_most(longest_edge(world, body), 0.2);
    // A second cut, of what is left, parts it.
    def.radius = 0.0;
    report = cut(world, body, &def);
    assert_int_equal(report.pieces, 2);
    expect_closed(world, body);
    sinew_world_destroy(world);
}

// The same plane as two triangles.
static SinewSurface *make_sheet(double x)
{
    const double corners[] = {x, -1.0, -1.0, x, 2.0, -1.0, x, 2.0, 2.0, x, -1.0, 2.0};
    const int triangles[] = {0, 1, 2, 0, 2, 3};
    SinewSurfaceDef def = sinew_surface_def_default();
    SinewSurface *surface = NULL;
    SinewError error;
    def.positions = corners;
    def.vertex_count = 4;
    def.triangles = triangles;
    def.triangle_count = 2;
    expect_done(sinew_surface_create(&def, &surface, &error), &error);
    return surface;
}

static void a_surface_cuts_as_its_plane_does(void **state)
{
    (void)state;
    uint64_t hashes[2];
    for (int i = 0; i < 2; ++i) {
        SinewWorld *world = world_make(1);
        SinewBodyId body = held_beam(world);
        SinewCutDef def = across(0.51);
        SinewSurface *sheet = make_sheet(0.51);
        def.surface = i == 1 ? sheet : NULL;
        world_steps(world, 3, 0.01);
        assert_int_equal(cut(world, body, &def).pieces, 2);
        world_steps(world, 3, 0.01);
        hashes[i] = world_hash(world, body);
        sinew_surface_destroy(sheet);
        sinew_world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
}

static void tets_are_taken_out_with_their_mass(void **state)
{
    (void)state;
    SinewWorld *world = world_make(1);
    SinewBodyId body = held_beam(world);
    SinewProbeId cuts = world_probe(world, body, SINEW_REPORT_CUTS);
    SinewProbeId energy = world_probe(world, body, SINEW_REPORT_ENERGY);
    SinewCutDef def = across(0.5);
    double counted[6], before[6], after[6];
    def.removes = 1;
    SinewBodyInfo old = sinew_body_info(world, body);
    world_steps(world, 5, 0.01);
    world_read(world, energy, before);
    SinewCutReport report = cut(world, body, &def);
    SinewBodyInfo info = sinew_body_info(world, body);
    world_read(world, cuts, counted);
    world_read(world, energy, after);
    for (int k = 0; k < 2; ++k) { // of motion and of strain: what the tets had goes with them
        assert_true(after[k] < before[k] && after[k] > 0.5 * before[k]);
    }
    assert_int_equal(report.pieces, 2);
    // The plane lies in the middle of a layer of cells, a fifteenth of the beam; all its tets but
    // those that only touch a face of the layer are crossed.
    assert_true(report.tets_removed > 0 && report.mass_removed > 0.5 / 15.0 * old.mass);
    assert_int_equal(info.elements, old.elements - report.tets_removed);
    assert_at_most(fabs(old.mass - report.mass_removed - info.mass), 1e-12 * old.mass);
    assert_true(counted[2] == report.mass_removed);
    expect_closed(world, body);
    world_steps(world, 30, 0.01);
    assert_at_most(longest_edge(world, body), 0.2);
    sinew_world_destroy(world);
}

static uint64_t cut_run(int workers)
{
    SinewWorld *world = world_make(workers);
    SinewBodyId body = held_beam(world);
    SinewCutDef def = across(0.4);
    world_add_floor(world, -0.3);
    world_steps(world, 5, 0.01);
    cut(world, body, &def);
    world_steps(world, 20, 0.01);
    def = across(0.7);
    def.removes = 1;
    cut(world, body, &def);
    world_steps(world, 20, 0.01);
    uint64_t hash = world_hash(world, body);
    sinew_world_destroy(world);
    return hash;
}

static void same_bits_for_any_number_of_workers(void **state)
{
    (void)state;
    uint64_t one = cut_run(1);
    assert_true(cut_run(2) == one);
    assert_true(cut_run(3) == one);
}

// Two cuts, the second with removal, and a floor.
static void make_two_cuts(SinewWorld *world, SinewBodyId body)
{
    SinewCutDef def = across(0.7);
    cut(world, body, &def);
    world_steps(world, 5, 0.01);
    def = across(0.3);
    def.removes = 1;
    cut(world, body, &def);
}

static void a_saved_state_comes_back_into_an_uncut_world(void **state)
{
    (void)state;
    SinewError error;
    SinewWorld *world = world_make(1), *other = world_make(2);
    SinewBodyId body = held_beam(world), twin = held_beam(other);
    world_add_floor(world, -0.2);
    world_add_floor(other, -0.2);
    world_steps(world, 5, 0.01);
    size_t size = sinew_world_state_size(world);
    void *early = malloc(size);
    expect_done(sinew_world_save(world, early, size, &error), &error);
    make_two_cuts(world, body);
    world_steps(world, 10, 0.01);
    size_t later_size = sinew_world_state_size(world);
    void *later = malloc(later_size);
    expect_done(sinew_world_save(world, later, later_size, &error), &error);
    expect_done(sinew_world_restore(other, later, later_size, &error), &error);
    assert_true(world_hash(other, twin) == world_hash(world, body));
    world_steps(world, 10, 0.01);
    world_steps(other, 10, 0.01);
    assert_true(world_hash(other, twin) == world_hash(world, body));
    // Back within the same cuts, but not before them.
    expect_done(sinew_world_restore(world, later, later_size, &error), &error);
    world_steps(world, 10, 0.01);
    assert_true(world_hash(other, twin) == world_hash(world, body));
    uint64_t hash = world_hash(world, body);
    assert_int_equal(sinew_world_restore(world, early, size, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "was cut since it was saved"));
    assert_true(world_hash(world, body) == hash);
    free(early);
    free(later);
    sinew_world_destroy(other);
    sinew_world_destroy(world);
}

// A list of vertices in the cut, a load on the end, an attachment at the end, probes.
static void what_touches_the_body_follows(void **state)
{
    (void)state;
    SinewError error;
    SinewWorld *world = world_make(1);
    SinewBodyDef beam = beam_def();
    SinewBodyId body = add_beam(world, &beam);
    SinewBodyMesh mesh = sinew_body_mesh(world, body);
    int held = -1;
    for (int v = 0; v < mesh.vertex_count; ++v) {
        held = fabs(mesh.rest[3 * v] - 8.0 / 15.0) < 1e-6 && mesh.rest[3 * v + 1] > 0.19 ? v : held;
    }
    SinewRegion list = {.kind = SINEW_REGION_VERTICES, .vertices = &held, .vertex_count = 1};
    SinewPinId pin = world_hold(world, body, list);
    SinewLoadDef load = sinew_load_def_default();
    SinewLoadId load_id;
    load.body = body;
    load.within = region_box(0.99, -1.0, -1.0, 2.0, 1.0, 1.0);
    load.force[0] = 50.0;
    expect_done(sinew_world_add_load(world, &load, &load_id, &error), &error);
    SinewAttachmentDef tie = sinew_attachment_def_default();
    SinewAttachmentId tie_id;
    tie.body = body;
    tie.within = region_box(-1.0, -1.0, -1.0, 0.01, 1.0, 1.0);
    tie.stiffness = 1e5;
    expect_done(sinew_world_add_attachment(world, &tie, &tie_id, &error), &error);
    SinewProbeDef at = sinew_probe_def_default();
    SinewProbeId tip, root, corner;
    at.body = body;
    at.report = SINEW_REPORT_POSITION;
    at.has_point = 1;
    at.point[0] = 0.98;
    at.point[1] = at.point[2] = 0.1;
    expect_done(sinew_world_add_probe(world, &at, &tip, &error), &error);
    at.point[0] = 0.02;
    expect_done(sinew_world_add_probe(world, &at, &root, &error), &error);
    at.has_point = 0;
    at.vertex = held;
    expect_done(sinew_world_add_probe(world, &at, &corner, &error), &error);
    SinewProbeDef reaction = sinew_probe_def_default();
    SinewProbeId force;
    reaction.body = body;
    reaction.report = SINEW_REPORT_REACTION;
    reaction.pin = pin;
    expect_done(sinew_world_add_probe(world, &reaction, &force, &error), &error);
    world_steps(world, 10, 0.01);
    double before[4][6], after[4][6];
    const SinewProbeId probes[] = {tip, root, corner, force};
    for (int p = 0; p < 4; ++p) {
        world_read(world, probes[p], before[p]);
    }
    // Two tets wide of the plane of the held vertex, so that it splits.
    SinewCutDef def = across(8.0 / 15.0);
    SinewCutReport report = cut(world, body, &def);
    assert_int_equal(report.pieces, 2);
    for (int p = 0; p < 4; ++p) {
        world_read(world, probes[p], after[p]);
        for (int k = 0; k < 3; ++k) {
            assert_at_most(fabs(after[p][k] - before[p][k]), 1e-9 * (1.0 + fabs(before[p][k])));
        }
    }
    // Both copies of the held vertex stay, the loaded end goes on along x, the tied end hangs.
    world_steps(world, 20, 0.01);
    mesh = sinew_body_mesh(world, body);
    int copies = 0;
    for (int v = 0; v < mesh.vertex_count; ++v) {
        if (memcmp(mesh.rest + 3 * v, mesh.rest + 3 * held, 3 * sizeof(double)) == 0) {
            ++copies;
            for (int k = 0; k < 3; ++k) {
                assert_at_most(fabs(mesh.positions[3 * v + k] - mesh.rest[3 * v + k]), 1e-12);
            }
        }
    }
    assert_int_equal(copies, 2);
    world_read(world, root, after[1]);
    assert_at_most(fabs(after[1][0] - 0.02) + fabs(after[1][1] - 0.1), 0.05);
    // Pins, attachments and loads of a cut body come and go as before.
    expect_done(sinew_world_remove_pin(world, pin, &error), &error);
    expect_done(sinew_world_remove_attachment(world, tie_id, &error), &error);
    expect_done(sinew_world_add_attachment(world, &tie, &tie_id, &error), &error);
    expect_done(sinew_world_remove_load(world, load_id, &error), &error);
    world_steps(world, 2, 0.01);
    sinew_world_destroy(world);
}

static SinewBodyId held_paper_beam(SinewWorld *world)
{
    SinewBodyDef def = beam_def();
    def.tetmg.mode = SINEW_TETMG_PAPER;
    SinewBodyId body = add_beam(world, &def);
    world_hold(world, body, region_box(-1.0, -1.0, -1.0, 1e-6, 1.0, 1.0));
    return body;
}

static void mode_paper_is_cut_too(void **state)
{
    (void)state;
    SinewWorld *world = world_make(1);
    SinewBodyId body = held_paper_beam(world);
    SinewProbeId energy = world_probe(world, body, SINEW_REPORT_ENERGY);
    SinewCutDef plane = across(0.5);
    double before[6], after[6];
    world_steps(world, 5, 0.01);
    world_read(world, energy, before);
    assert_int_equal(cut(world, body, &plane).pieces, 2);
    world_read(world, energy, after);
    // Rounding of sums in another order.
    assert_at_most(fabs(after[0] - before[0]) + fabs(after[1] - before[1]), 1e-10 * before[0]);
    world_steps(world, 40, 0.01);
    assert_true(height_beyond(world, body, 0.55) < -0.4);
    sinew_world_destroy(world);
}

// The room for tangents, which mode paper fills once, is of the tets that are there now: a body
// that took over another's would differ from one that takes the state.
static void mode_paper_goes_on_without_tets(void **state)
{
    (void)state;
    SinewError error;
    SinewWorld *world = world_make(1), *other = world_make(1);
    SinewBodyId body = held_paper_beam(world), twin = held_paper_beam(other);
    SinewCutDef plane = across(0.5);
    plane.removes = 1;
    world_steps(world, 5, 0.01);
    assert_int_equal(cut(world, body, &plane).pieces, 2);
    size_t size = sinew_world_state_size(world);
    void *bytes = malloc(size);
    expect_done(sinew_world_save(world, bytes, size, &error), &error);
    expect_done(sinew_world_restore(other, bytes, size, &error), &error);
    world_steps(world, 10, 0.01);
    world_steps(other, 10, 0.01);
    assert_true(world_hash(other, twin) == world_hash(world, body));
    free(bytes);
    sinew_world_destroy(other);
    sinew_world_destroy(world);
}

// Two bodies share one rest shape until one of them is cut.
static void a_twin_is_not_cut(void **state)
{
    (void)state;
    uint64_t hashes[2];
    for (int i = 0; i < 2; ++i) {
        SinewWorld *world = world_make(1);
        SinewBodyId first = held_beam(world), second = held_beam(world);
        SinewCutDef def = across(0.5);
        world_steps(world, 3, 0.01);
        if (i == 1) {
            cut(world, first, &def);
        }
        world_steps(world, 3, 0.01);
        hashes[i] = world_hash(world, second);
        sinew_world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
}

static void a_static_solve_names_the_loose_piece(void **state)
{
    (void)state;
    SinewError error = {0};
    SinewWorld *world = world_make(1);
    SinewBodyDef beam = beam_def();
    beam.cells[0] = 6; // a solve that fails takes long
    beam.cells[1] = beam.cells[2] = 2;
    SinewBodyId body = add_beam(world, &beam);
    world_hold(world, body, region_box(-1.0, -1.0, -1.0, 1e-6, 1.0, 1.0));
    SinewCutDef def = across(0.5);
    def.radius = 0.12; // a notch
    def.point[1] = 0.2;
    def.point[2] = 0.1;
    cut(world, body, &def);
    expect_done(sinew_world_solve_static(world, 1.0, 0.0, &error), &error);
    def.radius = 0.0;
    assert_int_equal(cut(world, body, &def).pieces, 2);
    assert_int_equal(sinew_world_solve_static(world, 1.0, 0.0, &error), SINEW_ERROR_DIVERGED);
    assert_non_null(strstr(error.text, "2 pieces, and no pin holds the one with vertex"));
    SinewBodyMesh mesh = sinew_body_mesh(world, body);
    assert_true(mesh.rest[3 * error.index] > 0.4);
    sinew_world_destroy(world);
}

// A ball that hangs, with a surface finer than its tets.
static SinewBodyId hang_ball(SinewWorld *world)
{
    SinewBodyDef ball = sinew_body_def_default();
    ball.model = SINEW_MODEL_TETMG;
    ball.shape.kind = SINEW_SHAPE_SPHERE;
    ball.shape.radius = 0.5;
    ball.resolution = 8;
    ball.material.law = SINEW_LAW_COROTATED;
    ball.material.young = 1e6;
    SinewBodyId body = add_beam(world, &ball);
    world_hold(world, body, region_box(-1.0, 0.3, -1.0, 1.0, 1.0, 1.0));
    return body;
}

// The surface of a ball is finer than its tets and none of theirs: it parts all the same.
static void a_finer_surface_parts(void **state)
{
    (void)state;
    SinewWorld *world = world_make(1);
    SinewBodyId body = hang_ball(world);
    SinewCutDef def = sinew_cut_def_default();
    int triangles = sinew_body_triangles(world, body).count;
    double edge = longest_edge(world, body);
    SinewCutReport report = cut(world, body, &def);
    assert_int_equal(report.pieces, 2);
    assert_int_equal(sinew_body_triangles(world, body).count, triangles + report.faces);
    world_steps(world, 60, 0.01);
    // The lower half is a metre and more away. Faces of tets have edges of up to two cells.
    assert_at_most(longest_edge(world, body), fmax(2.0 * edge, 0.4));
    sinew_world_destroy(world);
}

// The ball above a floor.
static SinewBodyId add_ball(SinewWorld *world)
{
    SinewBodyId body = hang_ball(world);
    world_add_floor(world, -0.7);
    return body;
}

// Cuts [begin, end) of a row of planes and discs at random, each with some steps after it. Discs
// take tets out, and so does the plane of the fifth, below what is held.
static void make_random_cuts(SinewWorld *world, SinewBodyId body, int begin, int end)
{
    for (int i = begin; i < end; ++i) {
        SnRandom random = {(uint64_t)i};
        SinewCutDef def = sinew_cut_def_default();
        for (int k = 0; k < 3; ++k) {
            def.point[k] = sn_random_between(&random, -0.4, 0.4);
            def.normal[k] = sn_random_between(&random, -1.0, 1.0);
        }
        def.radius = i % 3 == 1 ? 0.3 : 0.0;
        def.removes = i % 3 == 1 ? 1 : 0;
        def.at_rest = 1;
        if (i == 4) {
            def = sinew_cut_def_default();
            def.point[1] = -0.2;
            def.at_rest = 1;
            def.removes = 1;
        }
        cut(world, body, &def);
        world_steps(world, 3, 0.01);
    }
}

// A world that is cut eight times goes on as one that took its state half-way, to the last bit:
// the one carries what cuts leave, the other makes it.
static void many_cuts_resume_with_the_same_bits(void **state)
{
    (void)state;
    SinewError error;
    SinewWorld *world = world_make(1), *other = world_make(2);
    SinewBodyId body = add_ball(world), twin = add_ball(other);
    SinewProbeId energy = world_probe(world, body, SINEW_REPORT_ENERGY);
    world_probe(other, twin, SINEW_REPORT_ENERGY);
    double values[6];
    world_steps(world, 3, 0.01);
    make_random_cuts(world, body, 0, 5);
    size_t size = sinew_world_state_size(world);
    void *half = malloc(size);
    expect_done(sinew_world_save(world, half, size, &error), &error);
    expect_done(sinew_world_restore(other, half, size, &error), &error);
    make_random_cuts(world, body, 5, 8);
    make_random_cuts(other, twin, 5, 8);
    assert_true(world_hash(other, twin) == world_hash(world, body));
    world_read(world, energy, values);
    assert_true(isfinite(values[0]));
    free(half);
    sinew_world_destroy(other);
    sinew_world_destroy(world);
}

static void expect_refused(SinewWorld *world, SinewBodyId body, const SinewCutDef *def,
                           SinewStatus status, const char *words)
{
    SinewError error = {0};
    SinewCutReport report = {.faces = 7};
    uint64_t hash = world_hash(world, body);
    assert_int_equal(sinew_body_cut(world, body, def, &report, &error), status);
    if (strstr(error.text, words) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", error.text, words);
    }
    assert_int_equal(report.faces, 7);
    assert_true(world_hash(world, body) == hash);
}

static void refusals(void **state)
{
    (void)state;
    SinewError error;
    SinewWorld *world = world_make(1);
    SinewBodyId body = held_beam(world);
    SinewCutDef def = across(0.5), good = def, zero = {0};
    SinewBodyDef other = beam_def();
    expect_refused(world, body, NULL, SINEW_ERROR_ARGUMENT, "NULL");
    expect_refused(world, body, &zero, SINEW_ERROR_ARGUMENT, "sinew_cut_def_default");
    def.normal[0] = 0.0;
    expect_refused(world, body, &def, SINEW_ERROR_ARGUMENT, "normal is [0, 0, 0]");
    def = good;
    def.point[2] = NAN;
    expect_refused(world, body, &def, SINEW_ERROR_ARGUMENT, "point");
    def = good;
    def.radius = -1.0;
    expect_refused(world, body, &def, SINEW_ERROR_ARGUMENT, "radius is -1");
    // All tets: a body one cell long.
    other.cells[0] = other.cells[1] = other.cells[2] = 1;
    SinewBodyId small = add_beam(world, &other);
    def = good;
    def.removes = 1;
    expect_refused(world, small, &def, SINEW_ERROR_ARGUMENT,
                   "\": the cut would take all of the 5 tets");
    // What a pin holds, and a vertex that a probe reads: each tet of a layer of cells goes from its
    // one side to the other.
    def.point[0] = 1.0 / 30.0;
    expect_refused(world, body, &def, SINEW_ERROR_ARGUMENT, "all vertices that pin 0 holds");
    SinewProbeDef probe = sinew_probe_def_default();
    SinewProbeId id;
    SinewBodyMesh mesh = sinew_body_mesh(world, body);
    probe.body = body;
    probe.report = SINEW_REPORT_VELOCITY;
    for (int v = 0; v < mesh.vertex_count; ++v) {
        probe.vertex = mesh.rest[3 * v] > 0.99 ? v : probe.vertex;
    }
    expect_done(sinew_world_add_probe(world, &probe, &id, &error), &error);
    def.point[0] = 0.97;
    expect_refused(world, body, &def, SINEW_ERROR_ARGUMENT, "which a probe reads");
    SinewBodyDef split = beam_def();
    split.model = SINEW_MODEL_SPLIT;
    SinewBodyId third = add_beam(world, &split);
    expect_refused(world, third, &good, SINEW_ERROR_UNSUPPORTED, "its model is split");
    assert_int_equal(sinew_body_cut(world, (SinewBodyId){0}, &good, NULL, &error),
                     SINEW_ERROR_ARGUMENT);
    assert_int_equal(sinew_body_cut(NULL, body, &good, NULL, &error), SINEW_ERROR_ARGUMENT);
    sinew_world_destroy(world);
}

static void a_blade_beside_the_body_meets_nothing(void **state)
{
    (void)state;
    SinewWorld *world = world_make(1);
    SinewBodyId body = held_beam(world);
    SinewCutDef def = across(1.5);
    uint64_t hash = world_hash(world, body);
    SinewCutReport report = cut(world, body, &def);
    assert_true(report.faces == 0 && report.pieces == 1 && report.vertices_added == 0);
    assert_true(world_hash(world, body) == hash);
    sinew_world_destroy(world);
}

// A small beam with all that may touch it, after two steps.
static SinewWorld *busy_world(const SinewAllocator *allocator, SinewBodyId *out_body)
{
    SinewError error;
    SinewWorldDef def = sinew_world_def_default();
    SinewWorld *world = NULL;
    SinewBodyDef beam = beam_def();
    SinewLoadDef load = sinew_load_def_default();
    SinewLoadId load_id;
    SinewAttachmentDef tie = sinew_attachment_def_default();
    SinewAttachmentId tie_id;
    SinewProbeDef probe = sinew_probe_def_default();
    SinewProbeId probe_id;
    def.allocator = *allocator;
    beam.cells[0] = 4;
    beam.cells[1] = beam.cells[2] = 2;
    expect_done(sinew_world_create(&def, &world, &error), &error);
    world_add_floor(world, -0.3);
    SinewBodyId body = add_beam(world, &beam);
    world_hold(world, body, region_box(-1.0, -1.0, -1.0, 1e-6, 1.0, 1.0));
    load.body = tie.body = probe.body = body;
    load.within = tie.within = region_box(0.9, -1.0, -1.0, 2.0, 1.0, 1.0);
    load.force[1] = -1.0;
    tie.stiffness = 10.0;
    probe.has_point = 1;
    probe.point[0] = 0.9;
    expect_done(sinew_world_add_load(world, &load, &load_id, &error), &error);
    expect_done(sinew_world_add_attachment(world, &tie, &tie_id, &error), &error);
    expect_done(sinew_world_add_probe(world, &probe, &probe_id, &error), &error);
    world_steps(world, 2, 0.01);
    *out_body = body;
    return world;
}

// What is tried with an allocator that fails at its n-th call: a cut, or a state with cuts that is
// restored.
typedef struct Trial {
    SinewCutDef cut;
    const void *state; // NULL: a cut
    size_t size;
} Trial;

static SinewStatus try_it(const Trial *trial, SinewWorld *world, SinewBodyId body)
{
    SinewError error;
    return trial->state == NULL ? sinew_body_cut(world, body, &trial->cut, NULL, &error)
                                : sinew_world_restore(world, trial->state, trial->size, &error);
}

// Each allocation fails once, in one world, which then steps on to the bits of one that was left
// alone.
static void expect_untouched(const Trial *trial)
{
    SnFailAllocator counted;
    SinewBodyId body;
    sn_fail_allocator_init(&counted, -1);
    SinewWorld *world = busy_world(&counted.allocator, &body);
    int64_t calls = counted.calls;
    assert_int_equal(try_it(trial, world, body), SINEW_OK);
    calls = counted.calls - calls;
    sinew_world_destroy(world);
    assert_int_equal(counted.blocks, 0);
    assert_true(calls > 50);

    world = busy_world(&counted.allocator, &body);
    uint64_t before = world_hash(world, body);
    int64_t failed = 0;
    for (;; ++failed) {
        counted.fail_at = counted.calls + failed;
        SinewStatus status = failed < calls - 4 ? try_it(trial, world, body) : SINEW_OK;
        if (status == SINEW_OK) {
            break;
        }
        assert_int_equal(status, SINEW_ERROR_MEMORY);
        assert_true(world_hash(world, body) == before);
    }
    // Room that the first of them made for the list of cuts stays, and is not asked for again.
    assert_true(failed >= calls - 4);
    counted.fail_at = -1;
    world_steps(world, 1, 0.01);
    uint64_t after = world_hash(world, body);
    sinew_world_destroy(world);
    assert_int_equal(counted.blocks, 0);
    world = busy_world(&counted.allocator, &body);
    world_steps(world, 1, 0.01);
    assert_true(world_hash(world, body) == after);
    sinew_world_destroy(world);
}

static void a_cut_without_memory_changes_nothing(void **state)
{
    (void)state;
    Trial trial = {.cut = across(0.6)};
    expect_untouched(&trial);
    // All that the load, the attachment and the probe are in.
    trial.cut = across(0.9);
    trial.cut.removes = 1;
    expect_untouched(&trial);
}

static void a_state_without_memory_changes_nothing(void **state)
{
    (void)state;
    SinewError error;
    SinewAllocator allocator = {0};
    SinewBodyId body;
    SinewWorld *world = busy_world(&allocator, &body);
    SinewCutDef plane = across(0.6);
    cut(world, body, &plane);
    world_steps(world, 2, 0.01);
    plane = across(0.9);
    plane.removes = 1;
    cut(world, body, &plane);
    world_steps(world, 1, 0.01);
    size_t size = sinew_world_state_size(world);
    void *bytes = malloc(size);
    expect_done(sinew_world_save(world, bytes, size, &error), &error);
    sinew_world_destroy(world);
    Trial trial = {.state = bytes, .size = size};
    expect_untouched(&trial);
    free(bytes);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(cut_in_two_while_it_swings),
    cmocka_unit_test(a_blade_that_ends_inside_leaves_it_joined),
    cmocka_unit_test(a_surface_cuts_as_its_plane_does),
    cmocka_unit_test(tets_are_taken_out_with_their_mass),
    cmocka_unit_test(same_bits_for_any_number_of_workers),
    cmocka_unit_test(a_saved_state_comes_back_into_an_uncut_world),
    cmocka_unit_test(what_touches_the_body_follows),
    cmocka_unit_test(mode_paper_is_cut_too),
    cmocka_unit_test(mode_paper_goes_on_without_tets),
    cmocka_unit_test(a_twin_is_not_cut),
    cmocka_unit_test(a_static_solve_names_the_loose_piece),
    cmocka_unit_test(a_finer_surface_parts),
    cmocka_unit_test(many_cuts_resume_with_the_same_bits),
    cmocka_unit_test(refusals),
    cmocka_unit_test(a_blade_beside_the_body_meets_nothing),
    cmocka_unit_test(a_cut_without_memory_changes_nothing),
    cmocka_unit_test(a_state_without_memory_changes_nothing),
};

SN_TEST_GROUP(world_cut, tests);

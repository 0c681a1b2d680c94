// The voxel model: forces are the gradient of the potential, the same bits for any workers, states
// that come back, and starts that recover.
#include "support/test.h"

#include "base/random.h"
#include "model/voxel/potential.h"
#include "support/dropped.h"
#include "support/voxel_rig.h"

#include <dirent.h>
#include <math.h>
#include <unistd.h>

// A bar of two by one by one cells, half empty, and what a step takes.
typedef struct Rig {
    VoxelRig made;
    SnVoxelBody *body;
    void *points;
    double forces[6];
    SnPointLoad load;
    SnStep step;
    SinewStepReport report;
} Rig;

static void make_rig(SinewVoxelMode mode, Rig *rig)
{
    SinewVoxelDef options = voxel_rig_options(mode);
    const double rest[6] = {1.9, 0.4, 0.3, 0.4, 0.9, 0.7}; // the second is outside

    *rig = (Rig){.forces = {3.0, -20.0, 8.0, -4.0, 1.0, 9.0}};
    voxel_rig_bar(2, 1e3, &options, &rig->made);
    rig->body = rig->made.body;
    assert_int_equal(sn_voxel_points_create(rig->body, rest, 2, &rig->points, NULL), SINEW_OK);
    rig->load = (SnPointLoad){rig->points, rig->forces};
    rig->step = (SnStep){.gravity = {0.1, -0.2, -0.3}, .loads = &rig->load, .load_count = 1};
}

static void release_rig(Rig *rig)
{
    sn_voxel_points_destroy(rig->body, rig->points);
    voxel_rig_release(&rig->made);
}

// Stretched, turned and shaken.
static void some_move(const SnVoxelBody *body, double noise, double *out)
{
    SnRandom random = {11};
    for (int v = 0; v < body->grid.vertex_count; ++v) {
        const double *X = body->grid.rest + 3 * (size_t)v;
        double x[3] = {0.6 * X[0] - 0.8 * X[1], 0.8 * X[0] + 0.6 * X[1], 1.05 * X[2]};
        for (int k = 0; k < 3; ++k) {
            out[3 * v + k] = x[k] - X[k] + sn_random_between(&random, -noise, noise);
        }
    }
}

static SnVoxelProblem problem_of(Rig *rig, bool dynamic)
{
    SnVoxelBody *body = rig->body;
    memcpy(body->room.base, body->state.rotations,
           9 * (size_t)body->grid.cell_count * sizeof(double));
    return (SnVoxelProblem){.body = body,
                            .step = &rig->step,
                            .report = &rig->report,
                            .dynamic = dynamic,
                            .exact = true,
                            .share = 1.0,
                            .a_rate = 100.0,
                            .v_rate = 10.0};
}

static void forces_are_the_gradient_of_the_potential(void **state)
{
    (void)state;
    for (int pass = 0; pass < 2; ++pass) {
        Rig rig;
        make_rig(SINEW_VOXEL_CONDENSED, &rig);
        SnVoxelProblem problem = problem_of(&rig, pass == 1);
        size_t count = sn_voxel_dofs(rig.body);
        double *d = malloc(count * sizeof *d), *g = malloc(count * sizeof *g), step = 1e-5;
        some_move(rig.body, 0.08, d);
        sn_voxel_potential(&problem, d);
        memcpy(g, rig.body->room.residual, count * sizeof *g);
        for (size_t i = 0; i < count; ++i) {
            double place = d[i];
            d[i] = place + step;
            double above = sn_voxel_potential(&problem, d).phi;
            d[i] = place - step;
            double below = sn_voxel_potential(&problem, d).phi;
            d[i] = place;
            // Forces are of the order 1e2, potentials of 1e3: rounding over the step, and shapes of
            // points in float.
            assert_at_most(fabs((above - below) / (2.0 * step) - g[i]), 2e-5);
        }
        free(d);
        free(g);
        release_rig(&rig);
    }
}

static void no_force_or_torque_comes_from_nothing(void **state)
{
    (void)state;
    Rig rig;
    make_rig(SINEW_VOXEL_CONDENSED, &rig);
    rig.step = (SnStep){0};
    SnVoxelProblem problem = problem_of(&rig, false);
    double *d = malloc(sn_voxel_dofs(rig.body) * sizeof *d), total[6] = {0.0};
    some_move(rig.body, 0.1, d);
    sn_voxel_potential(&problem, d);
    for (int v = 0; v < rig.body->grid.vertex_count; ++v) {
        const double *f = rig.body->room.residual + 3 * (size_t)v, *x = rig.body->room.x + 3 * v;
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            total[i] += f[i];
            total[3 + i] += x[j] * f[k] - x[k] * f[j];
        }
    }
    for (int i = 0; i < 6; ++i) {
        assert_at_most(fabs(total[i]), 1e-9); // rounding of forces of 1e2
    }
    free(d);
    release_rig(&rig);
}

static void tangents_are_the_gradient_of_the_forces(void **state)
{
    (void)state;
    Rig rig;
    make_rig(SINEW_VOXEL_CONDENSED, &rig);
    rig.step = (SnStep){0};
    SnVoxelBody *body = rig.body;
    SnVoxelProblem problem = problem_of(&rig, false);
    size_t count = sn_voxel_dofs(body);
    double *d = malloc(count * sizeof *d), *high = malloc(count * sizeof *high), step = 1e-6;
    some_move(body, 0.08, d);
    sn_voxel_potential(&problem, d);
    // Not definite without pins: the matrix is there all the same.
    sn_voxel_system_direct(&problem, true, NULL);
    for (size_t c = 0; c < count; ++c) {
        double place = d[c];
        d[c] = place + step;
        sn_voxel_potential(&problem, d);
        memcpy(high, body->room.residual, count * sizeof *high);
        d[c] = place - step;
        sn_voxel_potential(&problem, d);
        d[c] = place;
        for (size_t r = 0; r < count; ++r) {
            double slope = (high[r] - body->room.residual[r]) / (2.0 * step), value = 0.0;
            for (int e = body->system.pattern.row_start[r / 3];
                 e < body->system.pattern.row_start[r / 3 + 1]; ++e) {
                if ((size_t)body->system.pattern.columns[e] == c / 3) {
                    value = body->system.pattern.blocks[9 * (size_t)e + 3 * (r % 3) + c % 3];
                }
            }
            assert_at_most(fabs(slope - value), 1e-4); // of entries of 1e3
        }
    }
    free(d);
    free(high);
    release_rig(&rig);
}

// Points follow rigid motions, and forces at them lose nothing.
static void points_ride_along(void **state)
{
    (void)state;
    for (int mode = 0; mode < 2; ++mode) {
        Rig rig;
        make_rig((SinewVoxelMode)mode, &rig);
        SnVoxelBody *body = rig.body;
        double x[6], v[6];
        const double rest[6] = {1.9, 0.4, 0.3, 0.4, 0.9, 0.7};
        for (int n = 0; n < body->grid.vertex_count; ++n) {
            const double *X = body->grid.rest + 3 * (size_t)n;
            double *p = body->state.positions + 3 * (size_t)n;
            p[0] = 0.6 * X[0] - 0.8 * X[1] + 5.0;
            p[1] = 0.8 * X[0] + 0.6 * X[1];
            p[2] = X[2] - 3.0;
            for (int k = 0; k < 3; ++k) {
                body->state.velocities[3 * n + k] = 2.0 + k;
            }
        }
        sn_voxel_points_place(body, rig.points, x, v);
        for (int p = 0; p < 2; ++p) {
            const double *X = rest + 3 * p;
            assert_at_most(fabs(x[3 * p] - (0.6 * X[0] - 0.8 * X[1] + 5.0)), 1e-9);
            assert_at_most(fabs(x[3 * p + 1] - (0.8 * X[0] + 0.6 * X[1])), 1e-9);
            assert_at_most(fabs(x[3 * p + 2] - (X[2] - 3.0)), 1e-9);
            for (int k = 0; k < 3; ++k) {
                assert_at_most(fabs(v[3 * p + k] - (2.0 + k)), 1e-5); // shapes are in float
            }
        }
        assert_at_most(sn_voxel_points_distance(rig.points, 0), 0.0);
        // Voxels end up to one of them beyond the body.
        assert_true(sn_voxel_points_distance(rig.points, 1) > 0.0 || mode == SINEW_VOXEL_PAPER);
        assert_at_most(sn_voxel_points_distance(rig.points, 1), 0.1);
        release_rig(&rig);
    }
}

// Worlds -----------------------------------------------------------------------------------------

static SinewBodyDef ball_def(SinewVoxelMode mode)
{
    SinewBodyDef def = dropped_ball_def(SINEW_MODEL_VOXEL, 3);
    def.voxel.mode = mode;
    def.voxel.integrator = SINEW_INTEGRATOR_BDF2;
    def.voxel.fine_levels = 1;
    return def;
}

static void bits_are_the_same_for_any_workers(void **state)
{
    (void)state;
    for (int mode = 0; mode < 2; ++mode) {
        SinewBodyDef def = ball_def((SinewVoxelMode)mode);
        world_bits_agree(dropped_world, &def, 6, 8);
    }
}

static void steps_allocate_nothing_and_restore(void **state)
{
    (void)state;
    SinewBodyDef def = ball_def(SINEW_VOXEL_CONDENSED);
    world_steps_allocate_nothing(dropped_world, &def, 3);
}

static SinewBodyDef bar_def(SinewVoxelMode mode)
{
    SinewBodyDef def = sinew_body_def_default();
    def.shape.kind = SINEW_SHAPE_BOX;
    for (int k = 0; k < 3; ++k) {
        def.shape.max[k] = k == 0 ? 1.0 : 0.25;
        def.cells[k] = k == 0 ? 8 : 2;
    }
    def.model = SINEW_MODEL_VOXEL;
    def.voxel.mode = mode;
    def.voxel.fine_levels = 1;
    def.material.young = 1e5;
    return def;
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    SinewBodyDef def = ball_def(SINEW_VOXEL_CONDENSED);
    assert_true(world_allocations_fail(dropped_world, &def) > 50);
}

// Splitting --------------------------------------------------------------------------------------

// A bar of twelve large triangles, held at one end and bent by its weight.
static SinewWorld *bend_bar(SinewVoxelMode mode, int split, SinewBodyId *out_body)
{
    static const double corners[24] = {0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1,
                                       6, 0, 0, 6, 0, 1, 6, 1, 0, 6, 1, 1};
    static const int faces[36] = {0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1,
                                  2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3};
    SinewWorld *world = world_make(1);
    SinewBodyDef def = sinew_body_def_default();
    SinewSurface *surface = NULL;
    SinewError error;
    SinewSurfaceDef surface_def = sinew_surface_def_default();
    surface_def.positions = corners;
    surface_def.vertex_count = 8;
    surface_def.triangles = faces;
    surface_def.triangle_count = 12;
    expect_done(sinew_surface_create(&surface_def, &surface, &error), &error);
    def.surface = surface;
    def.resolution = 6;
    def.model = SINEW_MODEL_VOXEL;
    def.voxel.mode = mode;
    def.voxel.fine_levels = 1;
    def.voxel.split_triangles = split;
    def.material.young = 2e7;
    expect_done(sinew_world_add_body(world, &def, out_body, &error), &error);
    sinew_surface_destroy(surface);
    world_hold(world, *out_body, region_box(-1.0, -1.0, -1.0, 0.01, 2.0, 2.0));
    expect_done(sinew_world_solve_static(world, 1.0, 0.0, &error), &error);
    return world;
}

// The volume inside the body's surface as it is shown.
static double shown_volume(const SinewWorld *world, SinewBodyId body)
{
    SinewTriangles triangles = sinew_body_triangles(world, body);
    const float *x = sinew_body_surface(world, body).xyz;
    double sum = 0.0;
    for (int t = 0; t < triangles.count; ++t) {
        const float *a = x + 3 * (size_t)triangles.vertices[3 * t];
        const float *b = x + 3 * (size_t)triangles.vertices[3 * t + 1];
        const float *c = x + 3 * (size_t)triangles.vertices[3 * t + 2];
        sum += (double)(a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                        a[2] * (b[0] * c[1] - b[1] * c[0])) /
               6.0;
    }
    return sum;
}

// The middle of the upper side sags below the chord from end to end, where there are vertices.
static void large_triangles_bend_where_they_are_split(void **state)
{
    (void)state;
    for (int mode = 0; mode < 2; ++mode) {
        SinewBodyId whole_id, split_id;
        SinewWorld *whole = bend_bar((SinewVoxelMode)mode, 0, &whole_id);
        SinewWorld *split = bend_bar((SinewVoxelMode)mode, 1, &split_id);
        SinewTriangles triangles = sinew_body_triangles(split, split_id);
        assert_int_equal(sinew_body_triangles(whole, whole_id).count, 12);
        assert_true(triangles.count > 60);
        SinewPoints before = sinew_body_surface(whole, whole_id);
        SinewPoints after = sinew_body_surface(split, split_id);
        assert_memory_equal(before.xyz, after.xyz, 3 * 8 * sizeof(float)); // the first eight
        // Bent cells keep about their volume; twelve flat triangles cut across the bow.
        double kept = fabs(shown_volume(split, split_id) - 6.0);
        double lost = fabs(shown_volume(whole, whole_id) - 6.0);
        if (!(kept < 0.5 * lost)) {
            fail_msg("%.4f m^3 away split, %.4f m^3 whole", kept, lost);
        }
        sinew_world_destroy(whole);
        sinew_world_destroy(split);
    }
}

// Lines ------------------------------------------------------------------------------------------

static SinewStatus add_lines(SinewWorld *world, SinewModelKind model, SinewVoxelMode mode,
                             SinewBodyId *out_body, SinewError *error)
{
    // A T: along x, and from its middle down.
    static const double x[12] = {0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, -1.0, 0.0};
    static const int lines[6] = {0, 2, 2, 1, 2, 3};
    SinewSurfaceDef surface_def = sinew_surface_def_default();
    SinewBodyDef def = sinew_body_def_default();
    SinewSurface *surface = NULL;
    surface_def.positions = x;
    surface_def.vertex_count = 4;
    surface_def.lines = lines;
    surface_def.line_count = 3;
    expect_done(sinew_surface_create(&surface_def, &surface, error), error);
    def.surface = surface;
    def.resolution = 4;
    def.model = model;
    def.voxel.mode = mode;
    def.material.young = 1e8;
    SinewStatus status = sinew_world_add_body(world, &def, out_body, error);
    sinew_surface_destroy(surface);
    return status;
}

// Lines fill the voxels they touch by half, hang, and are shown as tubes.
static void lines_alone_are_a_body(void **state)
{
    (void)state;
    for (int mode = 0; mode < 2; ++mode) {
        SinewWorld *world = world_make(1);
        SinewBodyId body;
        SinewError error;
        expect_done(add_lines(world, SINEW_MODEL_VOXEL, (SinewVoxelMode)mode, &body, &error),
                    &error);
        // Voxels of 1/8 m, half full: 16 along the bar, and two columns of seven below it, since
        // the line is where they meet.
        assert_at_most(fabs(sinew_body_info(world, body).mass - 30.0 * 0.5 * 1000.0 / 512.0), 1e-9);
        assert_true(sinew_body_triangles(world, body).count > 100);
        world_hold(world, body, region_box(-1.0, -2.0, -1.0, 0.01, 2.0, 1.0));
        expect_done(sinew_world_solve_static(world, 1.0, 0.0, &error), &error);
        const float *xyz = sinew_body_surface(world, body).xyz;
        float low = 0.0f;
        for (int v = 0; v < sinew_body_surface(world, body).count; ++v) {
            low = xyz[3 * v + 1] < low ? xyz[3 * v + 1] : low;
        }
        assert_true(low < -1.01f && low > -1.5f); // the foot of the T, which was at -1.05 at most
        sinew_world_destroy(world);
    }
    SinewWorld *world = world_make(1);
    SinewBodyId body;
    SinewError error;
    assert_int_equal(add_lines(world, SINEW_MODEL_NEWTON, SINEW_VOXEL_PAPER, &body, &error),
                     SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "no triangles and 3 lines"));
    sinew_world_destroy(world);
}

// Progress ---------------------------------------------------------------------------------------

typedef struct Told {
    int calls, last, total;
    bool backwards;
    char what[80];
} Told;

static void listen(void *context, const char *what, int done, int total)
{
    Told *told = context;
    told->backwards = told->backwards || done < told->last;
    told->calls += 1;
    told->last = done;
    told->total = total;
    snprintf(told->what, sizeof told->what, "%s", what);
}

// A ball has more kinds of cells than are made between two words.
static void progress_is_told(void **state)
{
    (void)state;
    SinewWorldDef world_def = sinew_world_def_default();
    SinewBodyDef def = sinew_body_def_default();
    SinewWorld *world = NULL;
    SinewBodyId body;
    SinewError error;
    Told told = {0};
    world_def.progress = (SinewProgress){listen, &told};
    def.name = "ball";
    def.shape.kind = SINEW_SHAPE_SPHERE;
    def.shape.radius = 0.3;
    def.resolution = 7;
    def.model = SINEW_MODEL_VOXEL;
    def.voxel.fine_levels = 1;
    expect_done(sinew_world_create(&world_def, &world, &error), &error);
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    sinew_world_destroy(world);
    assert_true(told.calls >= 3 && !told.backwards);
    assert_int_equal(told.last, told.total);
    assert_string_equal(told.what, "cells of ball");
}

// Keeping cells ----------------------------------------------------------------------------------

// Sentences that are passed on, and the last of them.
typedef struct Remarks {
    int count;
    char text[320];
} Remarks;

static void hear(void *context, const char *what, int done, int total)
{
    Remarks *remarks = context;
    (void)done;
    if (total == 0) {
        remarks->count += 1;
        snprintf(remarks->text, sizeof remarks->text, "%s", what);
    }
}

// The hash of a bar after two steps, with its cells kept in a folder.
static uint64_t step_with_cache(const char *folder, Remarks *remarks)
{
    SinewWorldDef world_def = sinew_world_def_default();
    SinewWorld *world = NULL;
    SinewBodyDef def = bar_def(SINEW_VOXEL_CONDENSED);
    SinewBodyId body;
    SinewError error;
    *remarks = (Remarks){0};
    world_def.progress = (SinewProgress){hear, remarks};
    expect_done(sinew_world_create(&world_def, &world, &error), &error);
    def.material.damping_mass = 1.0;
    def.voxel.cache = folder;
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    world_steps(world, 2, 0.02);
    uint64_t hash = world_hash(world, body);
    sinew_world_destroy(world);
    return hash;
}

// The path of the only file in a folder.
static void only_file(const char *folder, char *path, size_t size)
{
    DIR *open_folder = opendir(folder);
    int count = 0;
    assert_non_null(open_folder);
    for (struct dirent *entry; (entry = readdir(open_folder)) != NULL;) {
        if (entry->d_name[0] != '.') {
            snprintf(path, size, "%s/%s", folder, entry->d_name);
            count += 1;
        }
    }
    closedir(open_folder);
    assert_int_equal(count, 1);
}

static size_t read_whole(const char *path, unsigned char *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, room, file);
    fclose(file);
    return size;
}

static void write_whole(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

// Damaged at any of some places, cut short or empty, a file is made anew and the host is told.
static void cells_are_kept_and_damage_is_noticed(void **state)
{
    (void)state;
    enum { ROOM = 1 << 20 };
    char folder[] = "/tmp/sinew_voxel_XXXXXX", path[400];
    unsigned char *good = malloc(ROOM), *bad = malloc(ROOM);
    assert_non_null(mkdtemp(folder));
    Remarks remarks;
    uint64_t plain = step_with_cache(NULL, &remarks);
    assert_true(step_with_cache(folder, &remarks) == plain); // made and kept
    assert_int_equal(remarks.count, 0);
    only_file(folder, path, sizeof path);
    size_t size = read_whole(path, good, ROOM);
    assert_true(size > 1000 && size < ROOM);
    assert_true(step_with_cache(folder, &remarks) == plain); // taken
    assert_int_equal(remarks.count, 0);
    for (int damage = 0; damage < 24; ++damage) {
        size_t left = damage % 4 == 3 ? size * (size_t)damage / 24 : size;
        memcpy(bad, good, size);
        bad[size * (size_t)damage / 24] ^= 0x10;
        write_whole(path, bad, left);
        assert_true(step_with_cache(folder, &remarks) == plain);
        assert_int_equal(remarks.count, 1);
        assert_non_null(strstr(remarks.text, path));
        assert_non_null(strstr(remarks.text, "is damaged or of another version"));
        assert_int_equal(read_whole(path, bad, ROOM), size);
        assert_memory_equal(good, bad, size); // as it was
    }
    unlink(path);
    rmdir(folder);
    free(good);
    free(bad);
}

// Nothing is left of a body in an image of zeros, nor in one that is elsewhere.
static void images_that_leave_nothing_are_named(void **state)
{
    (void)state;
    static const unsigned char zeros[8], ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    char path[] = "/tmp/sinew_image_XXXXXX";
    SinewBodyDef def = bar_def(SINEW_VOXEL_CONDENSED);
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    def.name = "bar";
    def.voxel.image = path;
    for (int k = 0; k < 3; ++k) {
        def.voxel.image_raw.size[k] = 2;
    }
    write_whole(path, zeros, sizeof zeros);
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT, "body \"bar\": the image \"/tmp/sinew_image_");
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT, "expected a value above 0 in some");
    write_whole(path, ones, sizeof ones);
    def.voxel.image_raw.origin[0] = 1e3;
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT, "is 0 or less in all");
    unlink(path);
}

static void refusals_are_sentences(void **state)
{
    (void)state;
    SinewBodyDef good = bar_def(SINEW_VOXEL_CONDENSED), def = good;
    def.material.law = SINEW_LAW_NEO_HOOKEAN;
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT, "expected corotated, or linear");
    def = good;
    def.voxel.tolerance = 2.0;
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT, "tolerance of voxel is 2");
    def = good;
    def.voxel.fine_levels = 4;
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT, "fine_levels of voxel is 4, expected 0 to 3");
    def = good;
    def.voxel.integrator = SINEW_INTEGRATOR_NEWMARK;
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT, "integrator of voxel");
    def = good;
    def.voxel.image_raw.size[2] = 3;
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT,
                        "image_size is [0, 0, 3] but there is no image");
    def.voxel.image = "image.raw";
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT,
                        "image_size is [0, 0, 3], expected 1 to 32767 each");
    def = good;
    def.voxel.hollow = 1;
    def.name = "bar";
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT, "body \"bar\": hollow is for surfaces, lines");
    expect_rest_refused(&good, SINEW_ERROR_DIVERGED, "nothing holds it along y");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(forces_are_the_gradient_of_the_potential),
    cmocka_unit_test(no_force_or_torque_comes_from_nothing),
    cmocka_unit_test(tangents_are_the_gradient_of_the_forces),
    cmocka_unit_test(points_ride_along),
    cmocka_unit_test(bits_are_the_same_for_any_workers),
    cmocka_unit_test(steps_allocate_nothing_and_restore),
    cmocka_unit_test(every_allocation_fails_once),
    cmocka_unit_test(large_triangles_bend_where_they_are_split),
    cmocka_unit_test(lines_alone_are_a_body),
    cmocka_unit_test(progress_is_told),
    cmocka_unit_test(cells_are_kept_and_damage_is_noticed),
    cmocka_unit_test(images_that_leave_nothing_are_named),
    cmocka_unit_test(refusals_are_sentences),
};

SN_TEST_GROUP(model_voxel, tests);

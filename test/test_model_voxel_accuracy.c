// Coarse cells against the same voxels without coarse cells: how far bodies go under their weight
// when clamped at their lowest x, round ones by a layer of cells. The voxels themselves are the
// model with no fine levels.
#include "support/test.h"

#include "support/worlds.h"

#include <math.h>
#include <unistd.h>

enum { PARTS_MAX = 6 };

typedef struct Body {
    const char *name;
    SinewShape parts[PARTS_MAX];
    int part_count;
    int resolution;
    double point[3];
    double held;  // m, from the lowest x
    double bound; // of the ratio of the tip's motion, from 1
    double paper; // that of mode paper, at most
} Body;

// Other materials in the body, where a test has some.
static const SinewMaterialRegion *layers;
static int layer_count;

#define BOX(x0, y0, z0, x1, y1, z1)                                                                \
    {                                                                                              \
        .kind = SINEW_SHAPE_BOX, .min = {x0, y0, z0}, .max = { x1, y1, z1 }                        \
    }

// Along -z.
static const double down[3] = {0.0, 0.0, -1.0};

static const Body bodies[] = {
    {"a full beam one cell high", {BOX(0, 0, 0, 8, 1, 1)}, 1, 8, {8, 0.5, 0.5}, 0, 0.03, 0.7},
    {"a half-empty beam", {BOX(0, 0, 0, 4, 1, 0.5)}, 1, 4, {4, 0.5, 0}, 0, 0.03, 0.45},
    {"a sheet of a quarter cell", {BOX(0, 0, 0, 6, 2, 0.25)}, 1, 6, {6, 1, 0}, 0, 0.03, 0.25},
    {"a rod of a quarter cell", {BOX(0, 0, 0, 6, 0.25, 0.25)}, 1, 6, {6, 0.1, 0}, 0, 0.03, 0.25},
    {"a ball five cells across",
     {{.kind = SINEW_SHAPE_SPHERE, .center = {0, 0, 0}, .radius = 1.0}},
     1,
     5,
     {1, 0, 0},
     0.4,
     0.1,
     0.9},
    {"a blob six cells across",
     {{.kind = SINEW_SHAPE_SPHERE, .center = {0.35, 0, 0}, .radius = 0.36},
      {.kind = SINEW_SHAPE_CAPSULE, .from = {0.5, 0, 0}, .to = {1.6, 0.2, 0.3}, .radius = 0.2},
      {.kind = SINEW_SHAPE_SPHERE, .center = {1.7, 0.2, 0.35}, .radius = 0.3}},
     3,
     6,
     {1.9, 0.2, 0.35},
     0,
     0.1,
     0.6},
};

// How far the point goes along the gravity.
static double tip_of(const Body *body, const double along[3], int resolution, int fine_levels,
                     SinewVoxelMode mode, const char *image)
{
    SinewWorldDef world_def = sinew_world_def_default();
    SinewBodyDef def = sinew_body_def_default();
    SinewWorld *world = NULL;
    SinewBodyId id;
    SinewProbeDef probe_def = sinew_probe_def_default();
    SinewProbeId probe;
    SinewError error;
    double values[6], low = INFINITY;
    for (int k = 0; k < 3; ++k) {
        world_def.gravity[k] = 9.81e-3 * along[k];
    }
    def.shape.kind = SINEW_SHAPE_BLOB;
    def.shape.parts = body->parts;
    def.shape.part_count = body->part_count;
    def.resolution = resolution;
    def.model = SINEW_MODEL_VOXEL;
    def.voxel.fine_levels = fine_levels;
    def.voxel.mode = mode;
    def.voxel.image = image;
    def.regions = layers;
    def.region_count = layer_count;
    expect_done(sinew_world_create(&world_def, &world, &error), &error);
    expect_done(sinew_world_add_body(world, &def, &id, &error), &error);
    SinewBodyMesh mesh = sinew_body_mesh(world, id);
    for (int v = 0; v < mesh.vertex_count; ++v) {
        low = fmin(low, mesh.rest[3 * v]);
    }
    world_hold(world, id, region_box(low - 1e-6, -9, -9, low + body->held + 1e-6, 9, 9));
    probe_def.report = SINEW_REPORT_DISPLACEMENT;
    probe_def.body = id;
    probe_def.has_point = 1;
    memcpy(probe_def.point, body->point, sizeof probe_def.point);
    expect_done(sinew_world_add_probe(world, &probe_def, &probe, &error), &error);
    expect_done(sinew_world_solve_static(world, 1.0, 1e-6, &error), &error);
    world_read(world, probe, values);
    sinew_world_destroy(world);
    return values[0] * along[0] + values[1] * along[1] + values[2] * along[2];
}

static void tips_go_as_far_as_their_voxels(void **state)
{
    (void)state;
    for (int b = 0; b < SN_COUNT(bodies); ++b) {
        const Body *body = &bodies[b];
        double fine = tip_of(body, down, 4 * body->resolution, 0, SINEW_VOXEL_CONDENSED, NULL);
        double coarse = tip_of(body, down, body->resolution, 2, SINEW_VOXEL_CONDENSED, NULL);
        double paper = tip_of(body, down, body->resolution, 2, SINEW_VOXEL_PAPER, NULL);
        if (fabs(coarse / fine - 1.0) > body->bound || paper / fine > body->paper) {
            fail_msg("%s: %.4g m, %.4f of it condensed, expected within %g of 1, %.4f in mode "
                     "paper, expected at most %g",
                     body->name, fine, coarse / fine, body->bound, paper / fine, body->paper);
        }
    }
}

// Not solved: a thin rod that runs through cells aslant bends in their plane by a share alone, as
// 24 numbers a cell are too few. Still more than the paper's.
static void slanting_rods_stay_too_stiff(void **state)
{
    (void)state;
    static const Body rod = {"a slanting rod",
                             {{.kind = SINEW_SHAPE_CAPSULE,
                               .from = {0.2, 0.2, 0.5},
                               .to = {3.8, 3.8, 0.5},
                               .radius = 0.2}},
                             1,
                             4,
                             {3.8, 3.8, 0.5},
                             0,
                             0,
                             0};
    static const double aslant[3] = {0.70710678, -0.70710678, 0.0};
    double fine = tip_of(&rod, aslant, 16, 0, SINEW_VOXEL_CONDENSED, NULL);
    double coarse = tip_of(&rod, aslant, 4, 2, SINEW_VOXEL_CONDENSED, NULL) / fine;
    double paper = tip_of(&rod, aslant, 4, 2, SINEW_VOXEL_PAPER, NULL) / fine;

    assert_at_most(coarse, 0.8);
    assert_at_most(1.1 * paper, coarse);
}

// Not solved: layers along a beam, half a cell each and a thousand times as stiff every other one.
// The soft ones shear inside a cell, which 24 numbers do not tell.
static void sandwiches_stay_too_stiff(void **state)
{
    (void)state;
    SinewMaterialRegion soft[2];
    for (int r = 0; r < 2; ++r) {
        soft[r] = (SinewMaterialRegion){region_box(-1, -1, 0.5 + r, 9, 9, 1.0 + r),
                                        sinew_material_default()};
        soft[r].material.young *= 1e-3;
    }
    Body beam = {.name = "a sandwich",
                 .parts = {BOX(0, 0, 0, 6, 2, 2)},
                 .part_count = 1,
                 .resolution = 6,
                 .point = {6, 1, 1}};
    layers = soft;
    layer_count = 2;
    double fine = tip_of(&beam, down, 24, 0, SINEW_VOXEL_CONDENSED, NULL);
    double coarse = tip_of(&beam, down, 6, 2, SINEW_VOXEL_CONDENSED, NULL) / fine;
    double paper = tip_of(&beam, down, 6, 2, SINEW_VOXEL_PAPER, NULL) / fine;
    layer_count = 0;
    assert_at_most(coarse, 0.5);
    assert_at_most(1.1 * paper, coarse);
}

// 16 x 4 x 4 voxels of a quarter metre, the upper half 0 and the lower `stiffness`.
static void write_image(const char *path, float stiffness)
{
    unsigned char bytes[352 + 256 * sizeof(float)] = {0};
    const int header = 348;
    const short dim[4] = {3, 16, 4, 4}, type = 16;
    const float step = 0.25f, from = 0.125f, offset = 352.0f;
    memcpy(bytes, &header, sizeof header);
    memcpy(bytes + 40, dim, sizeof dim);
    memcpy(bytes + 70, &type, sizeof type);
    for (int k = 0; k < 3; ++k) {
        memcpy(bytes + 80 + 4 * k, &step, sizeof step);
        memcpy(bytes + 268 + 4 * k, &from, sizeof from);
    }
    memcpy(bytes + 108, &offset, sizeof offset);
    bytes[123] = 1; // metres
    memcpy(bytes + 344, "n+1", 4);
    for (int i = 0; i < 128; ++i) { // z slowest
        memcpy(bytes + 352 + 4 * i, &stiffness, sizeof stiffness);
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, sizeof bytes, file), sizeof bytes);
    fclose(file);
}

// A full beam with an image that is empty above is the half-empty beam, and a modulus of twice as
// much halves its motion.
static void images_carve_and_stiffen(void **state)
{
    (void)state;
    static const Body full = {"a beam", {BOX(0, 0, 0, 4, 1, 1)}, 1, 4, {4, 0.5, 0}, 0, 0, 0};
    char path[] = "/tmp/sinew_image_XXXXXX";
    int made = mkstemp(path);
    assert_true(made >= 0);
    close(made);
    double half = tip_of(&bodies[1], down, 4, 2, SINEW_VOXEL_CONDENSED, NULL);
    write_image(path, 1.0f);
    double carved = tip_of(&full, down, 4, 2, SINEW_VOXEL_CONDENSED, path);
    write_image(path, 2.0f);
    double stiff = tip_of(&full, down, 4, 2, SINEW_VOXEL_CONDENSED, path);
    unlink(path);
    assert_at_most(fabs(carved / half - 1.0), 1e-6); // the static solves' tolerance
    assert_at_most(fabs(stiff / half - 0.5), 1e-3);  // and a little geometry
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(tips_go_as_far_as_their_voxels),
    cmocka_unit_test(slanting_rods_stay_too_stiff),
    cmocka_unit_test(sandwiches_stay_too_stiff),
    cmocka_unit_test(images_carve_and_stiffen),
};

SN_TEST_GROUP(model_voxel_accuracy, tests);

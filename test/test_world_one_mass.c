// Changing the word that names the model changes neither what a body weighs nor whether it can be
// made.
#include "support/test.h"

#include "sinew/world.h"

#include <math.h>
#include <string.h>

typedef struct Kind {
    SinewModelKind model;
    SinewElement element; // of newton
    const char *name;
} Kind;

static const Kind kinds[] = {
    {SINEW_MODEL_NEWTON, SINEW_ELEMENT_TET, "newton, tets"},
    {SINEW_MODEL_NEWTON, SINEW_ELEMENT_HEX, "newton, hexahedra"},
    {SINEW_MODEL_SPLIT, SINEW_ELEMENT_TET, "split"},
    {SINEW_MODEL_LATTICE, SINEW_ELEMENT_TET, "lattice"},
    {SINEW_MODEL_VOXEL, SINEW_ELEMENT_TET, "voxel"},
    {SINEW_MODEL_TETMG, SINEW_ELEMENT_TET, "tetmg"},
    {SINEW_MODEL_FRAMES, SINEW_ELEMENT_TET, "frames"},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

// What a body is once it is made; the sentence of a refusal goes to `said`.
static SinewStatus make(const SinewBodyDef *def, SinewBodyInfo *info, char said[256])
{
    SinewWorldDef world_def = sinew_world_def_default();
    SinewWorld *world = NULL;
    SinewBodyId body;
    SinewError error = {.text = ""};
    assert_int_equal(sinew_world_create(&world_def, &world, NULL), SINEW_OK);
    SinewStatus status = sinew_world_add_body(world, def, &body, &error);
    snprintf(said, 256, "%s", error.text);
    if (status == SINEW_OK) {
        *info = sinew_body_info(world, body);
        snprintf(said, 256, "%s", info->warning != NULL ? info->warning : "");
    }
    sinew_world_destroy(world);
    return status;
}

static SinewBodyDef def_of(const Kind *kind, int resolution)
{
    SinewBodyDef def = sinew_body_def_default();
    def.model = kind->model;
    def.newton.element = kind->element;
    def.resolution = resolution;
    return def;
}

// A rod of 3 x 3 cells: the middles of all of them are inside, and yet the outer ones are filled in
// part. 64 points of a cell tell its fill to 2 % here; whole cells would weigh 27 % more.
static void thin_rods_weigh_what_is_inside(void **state)
{
    (void)state;
    const double length = 0.2, radius = 0.015;
    for (int k = 0; k < KINDS; ++k) {
        SinewBodyDef def = def_of(&kinds[k], 20);
        SinewBodyInfo info = {0};
        char said[256];
        def.shape.kind = SINEW_SHAPE_CYLINDER;
        memcpy(def.shape.from, (double[3]){0.0, 0.0, 0.0}, sizeof def.shape.from);
        memcpy(def.shape.to, (double[3]){length, 0.0, 0.0}, sizeof def.shape.to);
        def.shape.radius = radius;
        assert_int_equal(make(&def, &info, said), SINEW_OK);
        double mass = def.material.density * 3.14159265358979 * radius * radius * length;
        assert_at_most(fabs(info.mass / mass - 1.0), 0.03);
    }
}

// A figure of round parts, of which all cells on the outside are filled in part, and whose tets
// would miss 5.3 % at resolution 8 if their vertices were on the surface.
static void models_weigh_the_same(void **state)
{
    (void)state;
    SinewShape parts[3] = {sinew_shape_default(), sinew_shape_default(), sinew_shape_default()};
    for (int p = 0; p < 3; ++p) {
        parts[p].kind = SINEW_SHAPE_SPHERE;
        parts[p].center[1] = 0.1 * p;
        parts[p].radius = 0.1 - 0.025 * p;
    }
    for (int resolution = 8; resolution <= 16; resolution += 4) {
        double mass[KINDS], low = 1e30, high = 0.0;
        for (int k = 0; k < KINDS; ++k) {
            SinewBodyDef def = def_of(&kinds[k], resolution);
            SinewBodyInfo info;
            char said[256];
            def.shape.kind = SINEW_SHAPE_BLOB;
            def.shape.parts = parts;
            def.shape.part_count = 3;
            def.shape.smooth = 0.03;
            assert_int_equal(make(&def, &info, said), SINEW_OK);
            mass[k] = info.mass;
            low = fmin(low, mass[k]);
            high = fmax(high, mass[k]);
            // Volume and mass are of the same material, 1000 kg/m^3.
            assert_at_most(fabs(info.mass - 1000.0 * info.volume), 1e-6 * info.mass);
        }
        if (!(high < 1.02 * low)) {
            for (int k = 0; k < KINDS; ++k) {
                print_message("%s: %g kg at resolution %d\n", kinds[k].name, mass[k], resolution);
            }
        }
        assert_true(high < 1.02 * low);
    }
}

// Boxes whose default cells are not cubes: exactly covered where an edge divides all sides, else
// by cubes that stick out, with a word in either case.
static void every_model_takes_every_box(void **state)
{
    (void)state;
    const double sides[4][3] = {
        {1.0, 0.2, 0.3}, {1.0, 1.0, 0.05}, {0.5, 0.31, 0.17}, {1.0, 0.25, 0.25}};
    for (int b = 0; b < 4; ++b) {
        double volume = sides[b][0] * sides[b][1] * sides[b][2];
        for (int k = 0; k < KINDS; ++k) {
            SinewBodyDef def = def_of(&kinds[k], 16);
            SinewBodyInfo info;
            char said[256];
            def.shape.kind = SINEW_SHAPE_BOX;
            memcpy(def.shape.max, sides[b], sizeof sides[b]);
            SinewStatus status = make(&def, &info, said);
            if (status != SINEW_OK) {
                print_message("%s: %s\n", kinds[k].name, said);
            }
            assert_int_equal(status, SINEW_OK);
            // Shares of cubes that stick out are exact but for floats.
            assert_true(fabs(info.mass - 1000.0 * volume) < 1e-5 * info.mass);
            bool cubes = kinds[k].model == SINEW_MODEL_LATTICE ||
                         kinds[k].model == SINEW_MODEL_VOXEL ||
                         kinds[k].model == SINEW_MODEL_FRAMES;
            assert_true((strstr(said, "are not cubes") != NULL) == (cubes && b < 3));
            assert_true((strstr(said, "stick out") != NULL) == (cubes && b == 2));
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(models_weigh_the_same),
    cmocka_unit_test(thin_rods_weigh_what_is_inside),
    cmocka_unit_test(every_model_takes_every_box),
};

SN_TEST_GROUP(world_one_mass, tests);

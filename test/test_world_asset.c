#include "support/fail_allocator.h"
#include "support/test.h"
#include "support/worlds.h"

#include "world/asset.h"

#include <math.h>
#include <unistd.h>

static const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const int faces[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
static const int tet[] = {0, 1, 2, 3};
static const int turned[] = {0, 2, 1, 3};

static SinewSurfaceDef surface_def(void)
{
    SinewSurfaceDef def = sinew_surface_def_default();
    def.positions = corners;
    def.vertex_count = 4;
    def.triangles = faces;
    def.triangle_count = 4;
    return def;
}

static SinewTetsDef tets_def(void)
{
    SinewTetsDef def = sinew_tets_def_default();
    def.positions = corners;
    def.vertex_count = 4;
    def.tets = tet;
    def.tet_count = 1;
    return def;
}

static void expect_words(SinewStatus status, const SinewError *error, const char *words)
{
    assert_true(status < 0);
    if (strstr(error->text, words) == NULL) {
        fail_msg("says \"%s\", expected words \"%s\"", error->text, words);
    }
}

// clang-format off
#define SPOIL(number, statement, words) case number: statement; return words
// clang-format on

static const char *spoil_surface(int which, SinewSurfaceDef *d)
{
    static const int far_face[] = {0, 1, 4};
    static const double wild[] = {0, 0, 0, 1, NAN, 0, 0, 1, 0};
    switch (which) {
        SPOIL(0, d->struct_size = 0, "sinew_surface_def_default()");
        SPOIL(1, d->vertex_count = 2, "a surface of 2 vertices");
        SPOIL(2, d->triangle_count = 0, "0 triangles");
        SPOIL(3, d->positions = NULL, "positions of a surface is NULL");
        SPOIL(4, d->triangles = NULL, "triangles of a surface is NULL");
        SPOIL(5, d->triangles = far_face; d->triangle_count = 1, "triangle 0 has the vertex 4");
        SPOIL(6, d->positions = wild; d->vertex_count = 3;
              d->triangle_count = 1, "vertex 1 is at [1, nan, 0]");
    default:
        return NULL;
    }
}

static const char *spoil_tets(int which, SinewTetsDef *d)
{
    static const int far_tet[] = {0, 1, 2, -1};
    static const int flat_tet[] = {0, 1, 2, 2};
    static const double more[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 5, 5};
    switch (which) {
        SPOIL(0, d->struct_size = 0, "sinew_tets_def_default()");
        SPOIL(1, d->vertex_count = 3, "a tet mesh of 3 vertices");
        SPOIL(2, d->tet_count = -1, "-1 tets");
        SPOIL(3, d->tets = NULL, "tets of a tet mesh is NULL");
        SPOIL(4, d->tets = far_tet, "tet 0 has the vertex -1");
        SPOIL(5, d->tets = flat_tet, "it is flat");
        SPOIL(6, d->positions = more; d->vertex_count = 5, "vertex 4 is in no tet");
    default:
        return NULL;
    }
}

static void wrong_arrays_are_refused(void **state)
{
    (void)state;
    SinewError error;
    SinewSurface *surface = (SinewSurface *)&error;
    SinewTets *tets = (SinewTets *)&error;
    for (int which = 0;; ++which) {
        SinewSurfaceDef def = surface_def();
        const char *words = spoil_surface(which, &def);
        if (words == NULL) {
            break;
        }
        expect_words(sinew_surface_create(&def, &surface, &error), &error, words);
        assert_null(surface);
    }
    for (int which = 0;; ++which) {
        SinewTetsDef def = tets_def();
        const char *words = spoil_tets(which, &def);
        if (words == NULL) {
            break;
        }
        expect_words(sinew_tets_create(&def, &tets, &error), &error, words);
        assert_null(tets);
    }
    expect_words(sinew_surface_create(NULL, &surface, &error), &error, "surface def is NULL");
    expect_words(sinew_tets_create(NULL, &tets, &error), &error, "tets def is NULL");
    SinewTetsDef def = tets_def();
    expect_words(sinew_tets_create(&def, NULL, &error), &error, "out_tets is NULL");
}

static void tets_are_turned_round(void **state)
{
    (void)state;
    SinewError error;
    SinewTetsDef def = tets_def();
    def.tets = turned;
    SinewTets *tets = NULL;
    expect_done(sinew_tets_create(&def, &tets, &error), &error);
    assert_true(sn_tet_mesh_volume(tets->mesh, 0) > 0.16);
    sinew_tets_destroy(tets);
    sinew_tets_destroy(NULL);
    sinew_surface_destroy(NULL);
}

static void write_text(char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void files_are_loaded_by_their_names(void **state)
{
    (void)state;
    SinewError error;
    char folder[] = "sinew_asset_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/face.obj", folder);
    write_text(path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    SinewSurface *surface = NULL;
    expect_done(sinew_surface_load(path, NULL, &surface, &error), &error);
    assert_int_equal(surface->surface->triangle_count, 1);
    sinew_surface_destroy(surface);
    write_text(path, "v 0 0 0\nf 1 2 x\n");
    assert_int_equal(sinew_surface_load(path, NULL, &surface, &error), SINEW_ERROR_FILE);
    assert_null(surface);
    unlink(path);
    SinewTets *tets = NULL;
    snprintf(path, sizeof path, "%s/none.msh", folder);
    assert_int_equal(sinew_tets_load(path, NULL, &tets, &error), SINEW_ERROR_FILE);
    assert_non_null(strstr(error.text, "none.msh"));
    rmdir(folder);
    expect_words(sinew_surface_load(NULL, NULL, &surface, &error), &error, "path");
    expect_words(sinew_tets_load(NULL, NULL, &tets, &error), &error, "path");
    expect_words(sinew_tets_load("x.msh", NULL, NULL, &error), &error, "out_tets is NULL");
}

// Bodies made from assets outlive them.
static void assets_become_bodies(void **state)
{
    (void)state;
    SinewError error;
    SinewWorld *world = world_make(1);
    SinewTetsDef tets_of = tets_def();
    SinewTets *tets = NULL;
    expect_done(sinew_tets_create(&tets_of, &tets, &error), &error);
    SinewBodyDef def = sinew_body_def_default();
    def.model = SINEW_MODEL_NEWTON;
    def.tets = tets;
    SinewBodyId body;
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    sinew_tets_destroy(tets);
    SinewSurfaceDef surface_of = surface_def();
    SinewSurface *surface = NULL;
    expect_done(sinew_surface_create(&surface_of, &surface, &error), &error);
    def = sinew_body_def_default();
    def.model = SINEW_MODEL_NEWTON;
    def.surface = surface;
    def.resolution = 6;
    SinewBodyId stuffed;
    expect_done(sinew_world_add_body(world, &def, &stuffed, &error), &error);
    sinew_surface_destroy(surface);
    world_steps(world, 2, 0.01);
    assert_int_equal(sinew_body_mesh(world, body).element_count, 1);
    assert_int_equal(sinew_body_surface(world, stuffed).count, 4);
    assert_int_equal(sinew_body_triangles(world, stuffed).count, 4);
    assert_at_most(fabs(sinew_body_info(world, body).volume - 1.0 / 6.0), 1e-15);
    sinew_world_destroy(world);
}

static SinewStatus make_both(const SinewAllocator *allocator, void *context, SinewError *error)
{
    (void)context;
    SinewStatus status = SINEW_OK;
    SinewSurface *surface = NULL;
    SinewTets *tets = NULL;
    SinewSurfaceDef surface_of = surface_def();
    SinewTetsDef tets_of = tets_def();
    surface_of.allocator = tets_of.allocator = *allocator;
    SN_TRY(sinew_surface_create(&surface_of, &surface, error));
    SN_TRY(sinew_tets_create(&tets_of, &tets, error));
done:
    sinew_surface_destroy(surface);
    sinew_tets_destroy(tets);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(sn_fail_each_allocation(make_both, NULL) > 5);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(wrong_arrays_are_refused),        cmocka_unit_test(tets_are_turned_round),
    cmocka_unit_test(files_are_loaded_by_their_names), cmocka_unit_test(assets_become_bodies),
    cmocka_unit_test(each_allocation_may_fail),
};

SN_TEST_GROUP(world_asset, tests);

// voxel.N.*: blobs with ears that fall and sway, one linearisation and ten iterations a step, with
// about as many cells and triangles as the four bodies of [E] table 1 have; and a ball of some 4000
// cells. `step` and `surface` are timed a call, `setup` is from the shape to the body.
#include "bench/bench.h"

#include "model/voxel/potential.h"

#include <stdio.h>
#include <string.h>

typedef enum Part { STEP, SURFACE, SETUP, PART_COUNT } Part;

static const char *const parts[] = {"step", "surface", "setup"};

typedef struct Size {
    const char *name;
    int resolution;  // cells along the longest side
    int fine_levels; //
    int triangles;   // edges along the longest side of the surface
    bool ball;       // a ball, else a blob with ears
    double step_ms;  // of [E], on a laptop of 2006; or of SOFA
    double surface_ms;
    double goals[PART_COUNT]; // ms; 0: none
} Size;

static const Size sizes[] = {
    {"voxel.8", 2, 3, 7, false, 1.0, 1.0, {0.0}},
    {"voxel.33", 4, 3, 15, false, 2.0, 2.0, {0.0}},
    {"voxel.30", 4, 3, 29, false, 3.0, 7.0, {0.0}},
    {"voxel.125", 7, 2, 46, false, 7.0, 9.0, {0.15, 0.1, 0.0}},
    {"voxel.4000", 18, 2, 32, true, 46.0, 0.0, {2.0, 0.0, 2000.0}},
};

enum { SIZE_COUNT = sizeof sizes / sizeof *sizes };

typedef struct State {
    const SnBench *bench;
    const Size *size; // of the body that is there
    SnShape pieces[4];
    SnShape shape;
    SnMaterial material;
    SinewBodyDef options;
    SnSolid *solid;
    SnSurface *surface;
    void *body;
    void *points;
    double *x;
    unsigned char *bytes; // the state at the start of a step
    SnStep step;
    SinewStepReport report;
} State;

static SinewStatus list(SnBench *bench, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    char name[SN_BENCH_NAME];
    for (int i = 0; i < SIZE_COUNT * PART_COUNT; ++i) {
        snprintf(name, sizeof name, "%s.%s", sizes[i / PART_COUNT].name, parts[i % PART_COUNT]);
        SN_TRY(
            sn_bench_add(bench, &sn_bench_voxel, name, bench->kernels, SN_ALL_THREADS, i, error));
    }
done:
    return status;
}

static void describe(State *s)
{
    SnShape capsule = {.kind = SN_SHAPE_CAPSULE};
    s->pieces[0] =
        (SnShape){.kind = SN_SHAPE_ELLIPSOID, .ellipsoid = {{0.0, 0.0, 0.0}, {0.5, 0.34, 0.34}}};
    s->pieces[1] = (SnShape){.kind = SN_SHAPE_SPHERE, .sphere = {{0.5, 0.3, 0.0}, 0.24}};
    for (int ear = 0; ear < 2; ++ear) {
        double side = ear == 0 ? -1.0 : 1.0;
        capsule.capsule.from[0] = 0.5;
        capsule.capsule.from[1] = 0.45;
        capsule.capsule.from[2] = 0.1 * side;
        capsule.capsule.to[0] = 0.35;
        capsule.capsule.to[1] = 0.85;
        capsule.capsule.to[2] = 0.22 * side;
        capsule.capsule.radius = 0.07;
        s->pieces[2 + ear] = capsule;
    }
    if (s->size->ball) {
        s->shape = (SnShape){.kind = SN_SHAPE_SPHERE, .sphere = {{0.0, 0.0, 0.0}, 0.5}};
    } else {
        s->shape = (SnShape){.kind = SN_SHAPE_BLOB, .blob = {s->pieces, 4, 0.05}};
    }
}

static void drop(State *s)
{
    if (s->body != NULL) {
        sn_voxel_model.points_destroy(s->body, s->points);
    }
    sn_voxel_model.destroy(s->body);
    s->body = s->points = NULL;
}

static SinewStatus make_body(State *s, SinewError *error)
{
    SnMaterials list_of_one = {&s->material, NULL, 0};
    SnModelDef def = {.workers = s->bench->workers,
                      .kernels = s->bench->kernels,
                      .name = "blob",
                      .solid = s->solid,
                      .materials = &list_of_one,
                      .options = &s->options};
    drop(s);
    return sn_voxel_model.create(&def, &s->body, error);
}

static void release(State *s)
{
    drop(s);
    sn_solid_destroy(s->solid);
    sn_surface_destroy(s->surface, NULL);
    sn_free(NULL, s->x);
    sn_free(NULL, s->bytes);
    s->solid = NULL;
    s->surface = NULL;
    s->x = NULL;
    s->bytes = NULL;
}

// The body of a size, its surface, and some steps that get it moving.
static SinewStatus make_size(State *s, const Size *size, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewMaterial given = sinew_material_default();
    release(s);
    s->size = size;
    describe(s);
    given.young = 2e4;
    s->options = sinew_body_def_default();
    s->options.voxel.fine_levels = size->fine_levels;
    s->options.voxel.newton = 1;
    s->options.voxel.pcg = 10;
    SnSolidDef solid = {
        .shape = &s->shape, .resolution = size->resolution, .pose = sn_affine_identity()};
    SN_TRY(sn_material_make(&given, "the blob", &s->material, error));
    SN_TRY(sn_solid_create(&solid, s->bench->workers, NULL, &s->solid, error));
    SN_TRY(
        sn_shape_surface(&s->shape, size->triangles, s->bench->workers, NULL, &s->surface, error));
    SN_TRY(make_body(s, error));
    SN_TRY(sn_voxel_model.points_create(s->body, s->surface->positions, s->surface->vertex_count,
                                        &s->points, error));
    SN_ALLOC(s->x, NULL, 3 * (size_t)s->surface->vertex_count, error);
    SN_ALLOC(s->bytes, NULL, sn_voxel_model.state_size(s->body), error);
    s->step = (SnStep){.dt = 0.01, .gravity = {0.0, -9.81, 0.0}, .workers = s->bench->workers};
    const double linear[3] = {0.0, 0.0, 0.0}, angular[3] = {2.0, 1.0, 3.0};
    sn_voxel_model.start(s->body, SINEW_START_REST, linear, angular);
    for (int i = 0; i < 5; ++i) {
        SN_TRY(sn_voxel_model.step(s->body, &s->step, &s->report, error));
    }
    sn_voxel_model.save(s->body, s->bytes);
done:
    return status;
}

static SinewStatus open_voxel(SnBench *bench, void **out_state, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    State *s = NULL;
    SN_ALLOC_ZERO(s, NULL, 1, error);
    s->bench = bench;
    *out_state = s;
done:
    return status;
}

static void close_voxel(void *state)
{
    if (state != NULL) {
        release(state);
        sn_free(NULL, state);
    }
}

typedef struct Run {
    State *state;
    Part part;
} Run;

static void prepare(void *context)
{
    const Run *run = context;
    if (run->part == STEP) {
        sn_voxel_model.restore(run->state->body, run->state->bytes);
    }
}

static void run_once(void *context, SnWorkers *workers)
{
    const Run *run = context;
    State *s = run->state;
    (void)workers; // the body has them
    if (run->part == STEP) {
        sn_voxel_model.step(s->body, &s->step, &s->report, NULL);
    } else if (run->part == SURFACE) {
        sn_voxel_model.points_place(s->body, s->points, s->x, NULL);
    } else {
        make_body(s, NULL);
    }
}

static SinewStatus run_entry(SnBench *bench, void *state, const SnBenchEntry *entry,
                             SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    State *s = state;
    Run run = {s, (Part)(entry->index % PART_COUNT)};
    SnBenchTask task = {.prepare = prepare, .run = run_once, .context = &run};
    SN_TRY(make_size(s, &sizes[entry->index / PART_COUNT], error));
    const SnVoxelGrid *grid = &((const SnVoxelBody *)s->body)->grid;
    double cells = grid->cell_count, kinds = grid->kind_count;
    SnBenchWork work = {.items = 1.0};
    if (run.part == STEP) { // ten products and as many forces; each reads the matrices of all kinds
        work.bytes_read = 12.0 * kinds * SN_VOXEL_MATRIX * 8.0;
        work.flops = 12.0 * cells * 2.0 * SN_VOXEL_MATRIX;
    } else { // shapes of the nodes in their cells; and a polynomial of three numbers a point
        const SnVoxelPoints *points = s->points;
        double sites = points->site_start[points->node_count], count = points->count;
        work.bytes_read = 4.0 * SN_VOXEL_BLOCK / SN_VOXEL_SITES * sites + 20.0 * count;
        work.bytes_written = 24.0 * count;
        work.flops = 2.0 * 84.0 * sites + 2.0 * 21.0 * count;
    }
    work.working_set = work.bytes_read + work.bytes_written;
    SnBenchTime time = sn_bench_time(bench, entry, &task);
    sn_bench_fill(bench, entry, time, &work, "ms", out_result);
    sn_bench_figure(out_result, "cells", cells);
    sn_bench_figure(out_result, "kinds", kinds);
    sn_bench_figure(out_result, "triangles", s->surface->triangle_count);
    if (s->size->goals[run.part] > 0.0) {
        sn_bench_figure(out_result, "goal_ms", s->size->goals[run.part]);
    }
    if (run.part != SETUP) {
        sn_bench_figure(out_result, "published_ms",
                        run.part == STEP ? s->size->step_ms : s->size->surface_ms);
    }
done:
    return status;
}

const SnBenchGroup sn_bench_voxel = {
    .name = "voxel", .list = list, .open = open_voxel, .close = close_voxel, .run = run_entry};

// voxel.N.* for many cells: balls of about N cells, one voxel along half an edge, held by their
// lowest tenth.
//
// voxel.N.static      a static solve under their weight to 1e-6, ms, with the figures iterations
// and
//                     linearisations: the first must not grow with N
// voxel.N.accurate    a step of 10 ms to 1e-6
// voxel.N.step        one linearisation and ten plain iterations, as voxel.4000.step
#include "bench/bench.h"

#include "model/voxel/potential.h"

#include <stdio.h>

typedef struct Size {
    const char *name;
    int resolution; // cells along the diameter
} Size;

static const Size sizes[] = {{"voxel.1000", 12}, {"voxel.20000", 33}, {"voxel.100000", 57}};

typedef enum Part { STATIC, ACCURATE, STEP, PART_COUNT } Part;

static const char *const parts[PART_COUNT] = {"static", "accurate", "step"};

enum { SIZE_COUNT = sizeof sizes / sizeof *sizes };

typedef struct Rig {
    Part part;
    SnSolid *solid;
    void *body;
    void *rest; // its state
    SnAffine still;
    SnStep step;
    SinewStepReport report;
    SinewStatus status;
} Rig;

static SinewStatus list(SnBench *bench, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    char name[SN_BENCH_NAME];
    for (int i = 0; i < SIZE_COUNT * PART_COUNT; ++i) {
        snprintf(name, sizeof name, "%s.%s", sizes[i / PART_COUNT].name, parts[i % PART_COUNT]);
        SN_TRY(sn_bench_add(bench, &sn_bench_voxel_many, name, bench->kernels, SN_ALL_THREADS, i,
                            error));
    }
done:
    return status;
}

static SinewStatus make(SnBench *bench, const Size *size, Rig *rig, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnShape shape = {.kind = SN_SHAPE_SPHERE, .sphere = {{0.0, 0.0, 0.0}, 0.5}};
    SnSolidDef solid = {
        .shape = &shape, .resolution = size->resolution, .pose = sn_affine_identity()};
    SinewRegion low = {.kind = SINEW_REGION_BOX, .min = {-1, -1, -1}, .max = {1, -0.4, 1}};
    SnPin pin = {&low, {true, true, true}};
    SinewBodyDef options = sinew_body_def_default();
    SinewMaterial def = sinew_material_default();
    SnMaterial material;
    SnMaterials materials = {&material, NULL, 0};
    SnModelDef model = {.workers = bench->workers,
                        .kernels = bench->kernels,
                        .name = "ball",
                        .materials = &materials,
                        .options = &options};
    def.young = 1e6;
    options.voxel.fine_levels = 1;
    options.voxel.newton = rig->part == STEP ? 1 : 0;
    SN_TRY(sn_material_make(&def, "bench", &material, error));
    SN_TRY(sn_solid_create(&solid, bench->workers, NULL, &rig->solid, error));
    model.solid = rig->solid;
    SN_TRY(sn_voxel_model.create(&model, &rig->body, error));
    SN_TRY(sn_voxel_model.set_pins(rig->body, &pin, 1, error));
    size_t bytes = sn_voxel_model.state_size(rig->body);
    SN_TRY(sn_expect_memory(rig->rest = sn_alloc(NULL, bytes, 1), bytes, 1, error));
    rig->still = sn_affine_identity();
    rig->step = (SnStep){.dt = rig->part == STATIC ? 0.0 : 0.01,
                         .gravity = {2.0, -9.81, 0.0},
                         .pin_motions = &rig->still,
                         .workers = bench->workers};
    for (int i = 0; i < 2 && rig->part != STATIC; ++i) {
        SN_TRY(sn_voxel_model.step(rig->body, &rig->step, &rig->report, error));
    }
    sn_voxel_model.save(rig->body, rig->rest);
done:
    return status;
}

static void start(void *context)
{
    Rig *rig = context;
    sn_voxel_model.restore(rig->body, rig->rest);
}

static void solve(void *context, SnWorkers *workers)
{
    Rig *rig = context;
    (void)workers; // the body has them
    SinewStatus status =
        rig->part == STATIC ? sn_voxel_model.solve_static(rig->body, &rig->step, &rig->report, NULL)
                            : sn_voxel_model.step(rig->body, &rig->step, &rig->report, NULL);
    rig->status = status < 0 ? status : rig->status;
}

static SinewStatus run(SnBench *bench, void *state, const SnBenchEntry *entry,
                       SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Rig rig = {.part = (Part)(entry->index % PART_COUNT)};
    (void)state;
    SN_TRY(make(bench, &sizes[entry->index / PART_COUNT], &rig, error));
    SnBenchTask task = {start, solve, &rig};
    SnBenchTime time = sn_bench_clock(&task, NULL, 2, bench->quick ? 0.02 : 1.0);
    double cells = ((const SnVoxelBody *)rig.body)->grid.cell_count;
    // A cycle has some six products with all cells, coarser ones included; each reads places,
    // rotations and corners and writes forces.
    double products = rig.report.linear_solves * (rig.part == STEP ? 1.0 : 7.0);
    SnBenchWork work = {.items = 1.0,
                        .bytes_read = 200.0 * cells * products,
                        .bytes_written = 128.0 * cells * products,
                        .flops = 2.0 * SN_VOXEL_MATRIX * cells * products,
                        .working_set = 328.0 * cells};
    sn_bench_fill(bench, entry, time, &work, "ms", out_result);
    sn_bench_figure(out_result, "cells", cells);
    sn_bench_figure(out_result, "linearisations", rig.report.iterations);
    sn_bench_figure(out_result, "iterations", rig.report.linear_solves);
    status = rig.status;
done:
    sn_voxel_model.destroy(rig.body);
    sn_free(NULL, rig.rest);
    sn_solid_destroy(rig.solid);
    return status;
}

const SnBenchGroup sn_bench_voxel_many = {.name = "voxel", .list = list, .run = run};

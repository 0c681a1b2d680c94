// voxel.N.* for many cells: balls of about N cells, one voxel along half an edge, held by their
// lowest tenth.
//
// voxel.N.static      a static solve under their weight to 1e-6, ms, with the figures iterations
//                     and linearisations: the first must not grow with N
// voxel.N.accurate    a step of 10 ms to 1e-6
// voxel.N.step        one linearisation and ten plain iterations, as voxel.4000.step
#include "bench/one_body.h"

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

static SinewStatus make(SnBench *bench, const Size *size, Part part, SnOneBody *one,
                        SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnShape shape = {.kind = SN_SHAPE_SPHERE, .sphere = {{0.0, 0.0, 0.0}, 0.5}};
    SnSolidDef solid = {
        .shape = &shape, .resolution = size->resolution, .pose = sn_affine_identity()};
    SinewRegion low = {.kind = SINEW_REGION_BOX, .min = {-1, -1, -1}, .max = {1, -0.4, 1}};
    SnPin pin = {.region = &low, .axes = {true, true, true}};
    SinewBodyDef options = sinew_body_def_default();
    SinewMaterial material = sinew_material_default();
    SnOneBodyDef def = {.model = &sn_voxel_model,
                        .solid = &solid,
                        .material = &material,
                        .options = &options,
                        .pins = &pin,
                        .pin_count = 1,
                        .kernels = bench->kernels,
                        .workers = bench->workers};
    material.young = 1e6;
    options.voxel.fine_levels = 1;
    options.voxel.newton = part == STEP ? 1 : 0;
    SN_TRY(sn_one_body_make(&def, one, error));
    one->step.dt = part == STATIC ? 0.0 : 0.01;
    one->step.gravity[0] = 2.0;
    one->step.gravity[1] = -9.81;
    for (int i = 0; i < 2 && part != STATIC; ++i) {
        SN_TRY(sn_voxel_model.step(one->body, &one->step, &one->report, error));
    }
    SN_TRY(sn_one_body_keep(one, error));
done:
    return status;
}

static SinewStatus run(SnBench *bench, void *state, const SnBenchEntry *entry,
                       SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Part part = (Part)(entry->index % PART_COUNT);
    SnOneBody one = {0};
    (void)state;
    SN_TRY(make(bench, &sizes[entry->index / PART_COUNT], part, &one, error));
    SnBenchTask task = sn_one_body_task(&one);
    SnBenchTime time = sn_bench_clock(&task, NULL, 2, bench->quick ? 0.02 : 1.0);
    double cells = ((const SnVoxelBody *)one.body)->grid.cell_count;
    // A cycle has some six products with all cells, coarser ones included; each reads places,
    // rotations and corners and writes forces.
    double products = one.report.linear_solves * (part == STEP ? 1.0 : 7.0);
    SnBenchWork work = {.items = 1.0,
                        .bytes_read = 200.0 * cells * products,
                        .bytes_written = 128.0 * cells * products,
                        .flops = 2.0 * SN_VOXEL_MATRIX * cells * products,
                        .working_set = 328.0 * cells};
    sn_bench_fill(bench, entry, time, &work, "ms", out_result);
    sn_bench_figure(out_result, "cells", cells);
    sn_bench_figure(out_result, "linearisations", one.report.iterations);
    sn_bench_figure(out_result, "iterations", one.report.linear_solves);
    status = one.status;
done:
    sn_one_body_release(&one);
    return status;
}

const SnBenchGroup sn_bench_voxel_many = {.name = "voxel", .list = list, .run = run};

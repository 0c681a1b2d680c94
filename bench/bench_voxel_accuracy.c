// voxel.accuracy.BODY.MODE_N: error against cost of both modes, and of `lattice` on the same body.
// A static solve to 1e-6 (ms, one core) with N cells of thickness, and the figure `error`: how far
// from the continuum the end of the body has sunk, in per cent. Mode paper goes to 1e-4, since its
// forces are no gradient.
//
// cantilever    2 m x 0.25 m x 0.25 m, E 5e7 Pa, Poisson's ratio 0.3, 1000 kg/m^3, bent by half the
//               weight of the earth
// rod           round, 1 m long, 0.2 m across, E 5e6 Pa, otherwise the same: cells that are partly
//               full, which `lattice` weighs by their fill
//
// The first continuum is what `lattice` with 4, 8 and 16 cells of thickness goes to, good to 0.1 %;
// the second Timoshenko's beam, less 0.2 % for the size of its bend, good to 1 %.
#include "bench/one_body.h"

#include <math.h>
#include <stdio.h>

typedef struct Case {
    const char *name;
    bool rod;
    const SnModel *model;
    SinewVoxelMode mode;
    int thickness; // cells
} Case;

#define CASES(body, is_rod)                                                                        \
    {body ".condensed_1", is_rod, &sn_voxel_model, SINEW_VOXEL_CONDENSED, 1},                      \
        {body ".condensed_2", is_rod, &sn_voxel_model, SINEW_VOXEL_CONDENSED, 2},                  \
        {body ".condensed_4", is_rod, &sn_voxel_model, SINEW_VOXEL_CONDENSED, 4},                  \
        {body ".paper_1", is_rod, &sn_voxel_model, SINEW_VOXEL_PAPER, 1},                          \
        {body ".paper_2", is_rod, &sn_voxel_model, SINEW_VOXEL_PAPER, 2},                          \
        {body ".paper_4", is_rod, &sn_voxel_model, SINEW_VOXEL_PAPER, 4},                          \
        {body ".lattice_4", is_rod, &sn_lattice_model, SINEW_VOXEL_CONDENSED, 4},                  \
        {body ".lattice_8", is_rod, &sn_lattice_model, SINEW_VOXEL_CONDENSED, 8},                  \
    {                                                                                              \
        body ".lattice_16", is_rod, &sn_lattice_model, SINEW_VOXEL_CONDENSED, 16                   \
    }

static const Case cases[] = {CASES("cantilever", false), CASES("rod", true)};

enum { CASE_COUNT = sizeof cases / sizeof *cases };

static const double truth[2] = {-0.037857, -0.0504}; // m: cantilever, rod

static SinewStatus list(SnBench *bench, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int i = 0; i < CASE_COUNT; ++i) {
        char name[SN_BENCH_NAME];
        snprintf(name, sizeof name, "voxel.accuracy.%s", cases[i].name);
        SN_TRY(sn_bench_add(bench, &sn_bench_voxel_accuracy, name, bench->kernels, SN_ONE_THREAD, i,
                            error));
    }
done:
    return status;
}

static SinewStatus make(const SnBenchEntry *entry, const Case *what, SnOneBody *one,
                        SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int n = what->thickness, along = what->rod ? 5 : 8;
    SnShape box = {.kind = SN_SHAPE_BOX, .box = {{0.0, -0.125, -0.125}, {2.0, 0.125, 0.125}}};
    SnShape rod = {.kind = SN_SHAPE_CYLINDER, .cylinder = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.1}};
    SnSolidDef solid = {
        .shape = what->rod ? &rod : &box, .resolution = along * n, .pose = sn_affine_identity()};
    SinewBodyDef options = sinew_body_def_default();
    SinewMaterial material = sinew_material_default();
    SinewRegion near = {.kind = SINEW_REGION_BOX, .min = {-1, -1, -1}, .max = {1e-6, 1, 1}};
    SnPin pin = {.region = &near, .axes = {true, true, true}};
    SnOneBodyDef def = {.model = what->model,
                        .solid = &solid,
                        .material = &material,
                        .options = &options,
                        .pins = &pin,
                        .pin_count = 1,
                        .kernels = entry->kernels};
    material.young = what->rod ? 5e6 : 5e7;
    material.poisson = 0.3;
    options.voxel.mode = what->mode;
    options.lattice.fill = SINEW_LATTICE_WEIGHTED;
    for (int k = 0; k < 3 && !what->rod; ++k) {
        solid.cells[k] = k == 0 ? along * n : n;
    }
    SN_TRY(sn_one_body_make(&def, one, error));
    one->step.gravity[2] = -4.905;
    one->step.tolerance = what->mode == SINEW_VOXEL_PAPER ? 1e-4 : 1e-6;
done:
    return status;
}

static SinewStatus run(SnBench *bench, void *state, const SnBenchEntry *entry,
                       SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const Case *what = &cases[entry->index];
    const double rest[3] = {what->rod ? 1.0 : 2.0, 0.0, 0.0};
    SnOneBody one = {0};
    void *point = NULL;
    double end[3];
    (void)state;
    SN_TRY(make(entry, what, &one, error));
    SN_TRY(what->model->points_create(one.body, rest, 1, &point, error));
    SnBenchTask task = sn_one_body_task(&one);
    SnBenchTime time = sn_bench_clock(&task, NULL, 2, bench->quick ? 0.02 : 0.2);
    double cells = what->model->mesh(one.body).element_count;
    // The product with the cells' matrices, once an iteration.
    double bytes = 2304.0 * cells * one.report.linear_solves;
    SnBenchWork work = {
        .items = 1.0, .bytes_read = bytes, .flops = 0.5 * bytes, .working_set = 2304.0 * cells};
    sn_bench_fill(bench, entry, time, &work, "ms", out_result);
    what->model->points_place(one.body, point, end, NULL);
    sn_bench_figure(out_result, "cells", cells);
    sn_bench_figure(out_result, "sinks", -end[2]);
    sn_bench_figure(out_result, "error", 100.0 * fabs(end[2] / truth[what->rod] - 1.0));
    status = one.status;
done:
    if (one.body != NULL) {
        what->model->points_destroy(one.body, point);
    }
    sn_one_body_release(&one);
    return status;
}

const SnBenchGroup sn_bench_voxel_accuracy = {.name = "voxel", .list = list, .run = run};

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
#include "bench/bench.h"

#include "model/model.h"

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

typedef struct Rig {
    const Case *what;
    SnSolid *solid;
    void *body;
    void *rest; // its state
    void *point;
    SnAffine still;
    SnStep step;
    SinewStepReport report;
    SinewStatus status;
} Rig;

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

static SinewStatus make(const SnBenchEntry *entry, Rig *rig, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const Case *what = rig->what;
    int n = what->thickness, along = what->rod ? 5 : 8;
    double length = what->rod ? 1.0 : 2.0;
    SnShape box = {.kind = SN_SHAPE_BOX, .box = {{0.0, -0.125, -0.125}, {2.0, 0.125, 0.125}}};
    SnShape rod = {.kind = SN_SHAPE_CYLINDER, .cylinder = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.1}};
    SnSolidDef solid = {
        .shape = what->rod ? &rod : &box, .resolution = along * n, .pose = sn_affine_identity()};
    SinewBodyDef options = sinew_body_def_default();
    SinewMaterial def = sinew_material_default();
    SnMaterial material;
    SnMaterials materials = {&material, NULL, 0};
    SinewRegion near = {.kind = SINEW_REGION_BOX, .min = {-1, -1, -1}, .max = {1e-6, 1, 1}};
    SnPin pin = {&near, {true, true, true}};
    SnModelDef model = {
        .kernels = entry->kernels, .name = "bench", .materials = &materials, .options = &options};
    const double end[3] = {length, 0.0, 0.0};
    def.young = what->rod ? 5e6 : 5e7;
    def.poisson = 0.3;
    options.voxel.mode = what->mode;
    options.lattice.fill = SINEW_LATTICE_WEIGHTED;
    for (int k = 0; k < 3 && !what->rod; ++k) {
        solid.cells[k] = k == 0 ? along * n : n;
    }
    SN_TRY(sn_material_make(&def, "bench", &material, error));
    SN_TRY(sn_solid_create(&solid, NULL, NULL, &rig->solid, error));
    model.solid = rig->solid;
    SN_TRY(what->model->create(&model, &rig->body, error));
    SN_TRY(what->model->set_pins(rig->body, &pin, 1, error));
    SN_TRY(what->model->points_create(rig->body, end, 1, &rig->point, error));
    size_t size = what->model->state_size(rig->body);
    SN_TRY(sn_expect_memory(rig->rest = sn_alloc(NULL, size, 1), size, 1, error));
    what->model->save(rig->body, rig->rest);
    rig->still = sn_affine_identity();
    rig->step = (SnStep){.pin_motions = &rig->still,
                         .gravity = {0.0, 0.0, -4.905},
                         .tolerance = what->mode == SINEW_VOXEL_PAPER ? 1e-4 : 1e-6};
done:
    return status;
}

static void start(void *context)
{
    Rig *rig = context;
    rig->what->model->restore(rig->body, rig->rest);
}

static void solve(void *context, SnWorkers *workers)
{
    Rig *rig = context;
    (void)workers;
    SinewStatus status = rig->what->model->solve_static(rig->body, &rig->step, &rig->report, NULL);
    rig->status = status < 0 ? status : rig->status;
}

static SinewStatus run(SnBench *bench, void *state, const SnBenchEntry *entry,
                       SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Rig rig = {.what = &cases[entry->index]};
    double end[3];
    (void)state;
    SN_TRY(make(entry, &rig, error));
    SnBenchTask task = {start, solve, &rig};
    SnBenchTime time = sn_bench_clock(&task, NULL, 2, bench->quick ? 0.02 : 0.2);
    double cells = rig.what->model->mesh(rig.body).element_count;
    // The product with the cells' matrices, once an iteration.
    double bytes = 2304.0 * cells * rig.report.linear_solves;
    SnBenchWork work = {
        .items = 1.0, .bytes_read = bytes, .flops = 0.5 * bytes, .working_set = 2304.0 * cells};
    sn_bench_fill(bench, entry, time, &work, "ms", out_result);
    rig.what->model->points_place(rig.body, rig.point, end, NULL);
    sn_bench_figure(out_result, "cells", cells);
    sn_bench_figure(out_result, "sinks", -end[2]);
    sn_bench_figure(out_result, "error", 100.0 * fabs(end[2] / truth[rig.what->rod] - 1.0));
    status = rig.status;
done:
    if (rig.body != NULL) {
        rig.what->model->points_destroy(rig.body, rig.point);
        rig.what->model->destroy(rig.body);
    }
    sn_free(NULL, rig.rest);
    sn_solid_destroy(rig.solid);
    return status;
}

const SnBenchGroup sn_bench_voxel_accuracy = {.name = "voxel", .list = list, .run = run};

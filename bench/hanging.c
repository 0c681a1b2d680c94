#include "bench/hanging.h"

#include "base/clock.h"
#include "io/surface_files.h"
#include "io/tet_files.h"

#include <stdlib.h>
#include <string.h>

#define HAND_RADIUS 0.02
#define MODELS "/usr/share/glmark2/models/"

static void *count_allocate(void *context, size_t size, size_t alignment)
{
    SnHangingTally *tally = context;
    tally->now += size;
    tally->most = tally->now > tally->most ? tally->now : tally->most;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void count_release(void *context, void *memory, size_t size)
{
    ((SnHangingTally *)context)->now -= size;
    free(memory);
}

SnHangingPlan sn_hanging_plan(const char *mesh)
{
    SnHangingPlan plan = {.mesh = mesh,
                          .model = &sn_split_model,
                          .split = sinew_body_def_default().split,
                          .tetmg = sinew_body_def_default().tetmg,
                          .young = 1e6,
                          .dt = 0.01};
    plan.split.mode = SINEW_SPLIT_PAPER;
    return plan;
}

// Cells of the mesher along the longest side, for about so many tets; 0: a mesh from a file.
static int resolution_of(const char *mesh)
{
    static const struct {
        const char *name;
        int resolution;
    } sizes[] = {{"blob_6k", 22},   {"blob_11k", 27},  {"blob_16k", 31},  {"blob_33k", 40},
                 {"blob_34k", 40},  {"blob_55k", 48},  {"blob_67k", 51},  {"blob_173k", 71},
                 {"blob_331k", 88}, {"bunny_11k", 16}, {"bunny_34k", 24}, {"bunny_67k", 31},
                 {"horse_34k", 46}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        if (strcmp(mesh, sizes[i].name) == 0) {
            return sizes[i].resolution;
        }
    }
    return 0;
}

// A trunk with four limbs, 0.3 m tall.
static SinewStatus make_blob(SnHanging *rig, int resolution, SinewError *error)
{
    static const SnShape parts[] = {
        {.kind = SN_SHAPE_ELLIPSOID, .ellipsoid = {{0.0, 0.0, 0.0}, {0.05, 0.08, 0.045}}},
        {.kind = SN_SHAPE_CAPSULE, .capsule = {{-0.03, 0.05, 0.0}, {-0.13, 0.1, 0.0}, 0.02}},
        {.kind = SN_SHAPE_CAPSULE, .capsule = {{0.03, 0.05, 0.0}, {0.13, 0.1, 0.0}, 0.02}},
        {.kind = SN_SHAPE_CAPSULE, .capsule = {{-0.03, -0.05, 0.0}, {-0.06, -0.16, 0.0}, 0.025}},
        {.kind = SN_SHAPE_CAPSULE, .capsule = {{0.03, -0.05, 0.0}, {0.06, -0.16, 0.0}, 0.025}}};
    static const SnShape shape = {.kind = SN_SHAPE_BLOB,
                                  .blob = {.parts = parts, .part_count = 5, .smooth = 0.02}};
    SnSolidDef def = {.shape = &shape, .resolution = resolution, .pose = sn_affine_identity()};
    rig->hand = (SinewRegion){
        .kind = SINEW_REGION_SPHERE, .center = {-0.13, 0.1, 0.0}, .radius = HAND_RADIUS};
    return sn_solid_create(&def, NULL, &rig->allocator, &rig->solid, error);
}

// A model, 0.3 m tall, hung by its highest place. Without the file there is no solid.
static SinewStatus make_model(SnHanging *rig, const char *path, int resolution, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    double low = 1e30, scale;
    size_t top = 0;
    if (sn_surface_read(path, NULL, &rig->surface, NULL) < 0) {
        return SINEW_OK;
    }
    const double *at = rig->surface->positions;
    for (size_t v = 0; v < (size_t)rig->surface->vertex_count; ++v) {
        low = at[3 * v + 1] < low ? at[3 * v + 1] : low;
        top = at[3 * v + 1] > at[3 * top + 1] ? v : top;
    }
    scale = 0.3 / (at[3 * top + 1] - low);
    SnSolidDef def = {.surface = rig->surface,
                      .resolution = resolution,
                      .pose = sn_affine_identity(),
                      .scale = scale};
    rig->hand = (SinewRegion){.kind = SINEW_REGION_SPHERE, .radius = HAND_RADIUS};
    for (size_t k = 0; k < 3; ++k) {
        def.pose.m[5 * k] = scale;
        rig->hand.center[k] = scale * at[3 * top + k];
    }
    SN_TRY(sn_solid_create(&def, NULL, &rig->allocator, &rig->solid, error));
done:
    return status;
}

// The armadillo as the validation set has it: half a turn about y, a tenth of its size. Without the
// file there is no solid.
static SinewStatus make_armadillo(const SnBench *bench, const char *name, SnHanging *rig,
                                  SinewError *error)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.node", bench->data_folder != NULL ? bench->data_folder : "",
             name);
    if (bench->data_folder == NULL || sn_tet_mesh_read(path, NULL, &rig->mesh, NULL) < 0) {
        return SINEW_OK;
    }
    for (int i = 0; i < 3 * rig->mesh->vertex_count; ++i) {
        rig->mesh->positions[i] *= i % 3 == 1 ? 0.1 : -0.1;
    }
    SnSolidDef def = {.tets = rig->mesh, .resolution = 16, .pose = sn_affine_identity()};
    rig->hand = (SinewRegion){.kind = SINEW_REGION_SPHERE,
                              .center = {-0.1112805, 0.171487, 0.06512415},
                              .radius = HAND_RADIUS};
    return sn_solid_create(&def, NULL, &rig->allocator, &rig->solid, error);
}

// Everything to the end of the first step.
static SinewStatus set_up(SnHanging *rig, const SnHangingPlan *plan, const SnKernels *kernels,
                          SnWorkers *workers, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewBodyDef options = sinew_body_def_default();
    SinewMaterial def = sinew_material_default();
    SnMaterial material;
    SnMaterials materials = {&material, NULL, 0};
    SnPin pin = {.region = &rig->hand, .axes = {true, true, true}};
    SinewStepReport report;
    def.young = plan->young;
    def.poisson = 0.33;
    options.split = plan->split;
    options.tetmg = plan->tetmg;
    SN_TRY(sn_material_make(&def, "bench", &material, error));
    SnModelDef model = {.allocator = &rig->allocator,
                        .workers = workers,
                        .kernels = kernels,
                        .name = "bench",
                        .solid = rig->solid,
                        .materials = &materials,
                        .options = &options};
    SN_TRY(rig->model->create(&model, &rig->body, error));
    SN_TRY(rig->model->set_pins(rig->body, &pin, 1, error));
    rig->motion = sn_affine_identity();
    rig->step = (SnStep){.workers = workers, .pin_motions = &rig->motion, .dt = plan->dt};
    rig->step.gravity[1] = -9.81;
    SN_TRY(rig->model->step(rig->body, &rig->step, &report, error));
done:
    return status;
}

SinewStatus sn_hanging_create(const SnBench *bench, const SnHangingPlan *plan,
                              const SnKernels *kernels, SnWorkers *workers,
                              SnBenchResult *out_result, SnHanging **out_rig, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int resolution = resolution_of(plan->mesh);
    SnHanging *rig = NULL;

    *out_rig = NULL;
    SN_ALLOC_ZERO(rig, NULL, 1, error);
    rig->model = plan->model;
    rig->allocator = (SinewAllocator){count_allocate, count_release, &rig->tally};
    if (strncmp(plan->mesh, "bunny", 5) == 0) {
        SN_TRY(make_model(rig, MODELS "bunny.obj", resolution, error));
    } else if (strncmp(plan->mesh, "horse", 5) == 0) {
        SN_TRY(make_model(rig, MODELS "horse.3ds", resolution, error));
    } else if (resolution > 0) {
        SN_TRY(make_blob(rig, resolution, error));
    } else {
        SN_TRY(make_armadillo(bench, plan->mesh, rig, error));
    }
    if (rig->solid == NULL) {
        sn_bench_skip(out_result, "%s: its file is not there", plan->mesh);
        goto done;
    }
    double begin = sn_clock_seconds();
    SN_TRY(set_up(rig, plan, kernels, workers, error));
    rig->setup = sn_clock_seconds() - begin;
    *out_rig = rig;
    rig = NULL;
done:
    sn_hanging_destroy(rig);
    return status;
}

void sn_hanging_destroy(SnHanging *rig)
{
    if (rig == NULL) {
        return;
    }
    rig->model->destroy(rig->body);
    sn_solid_destroy(rig->solid);
    sn_tet_mesh_destroy(rig->mesh, NULL);
    sn_surface_destroy(rig->surface, NULL);
    sn_free(NULL, rig);
}

void sn_hanging_step(void *context, SnWorkers *workers)
{
    SnHanging *rig = context;
    SinewStepReport report;
    (void)workers;
    SinewStatus status = rig->model->step(rig->body, &rig->step, &report, NULL);
    rig->status = status < 0 ? status : rig->status;
    rig->solves = report.linear_solves;
}

void sn_hanging_mean(const SnHanging *rig, double out_mean[3])
{
    SinewBodyMesh mesh = rig->model->mesh(rig->body);
    memset(out_mean, 0, 3 * sizeof *out_mean);
    for (int i = 0; i < 3 * mesh.vertex_count; ++i) {
        out_mean[i % 3] += (mesh.positions[i] - mesh.rest[i]) / mesh.vertex_count;
    }
}

#include "bench/hanging.h"

#include "base/clock.h"
#include "io/tet_files.h"

#include <stdlib.h>
#include <string.h>

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
                          .young = 1e6,
                          .dt = 0.01};
    plan.split.mode = SINEW_SPLIT_PAPER;
    return plan;
}

// Cells of the blob's mesher along its height, for about so many tets.
static int blob_resolution(const char *mesh)
{
    static const struct {
        const char *name;
        int resolution;
    } sizes[] = {{"blob_6k", 22},  {"blob_16k", 31},  {"blob_33k", 40},
                 {"blob_55k", 48}, {"blob_173k", 71}, {"blob_331k", 88}};
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
    return sn_solid_create(&def, NULL, &rig->allocator, &rig->solid, error);
}

// The armadillo as the validation set has it: half a turn about y, a tenth of its size.
static SinewStatus make_armadillo(SnHanging *rig, SinewError *error)
{
    for (int i = 0; i < 3 * rig->mesh->vertex_count; ++i) {
        rig->mesh->positions[i] *= i % 3 == 1 ? 0.1 : -0.1;
    }
    SnSolidDef def = {.tets = rig->mesh, .resolution = 16, .pose = sn_affine_identity()};
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
    SinewRegion hand = {
        .kind = SINEW_REGION_SPHERE, .center = {-0.1112805, 0.171487, 0.06512415}, .radius = 0.02};
    SnPin pin = {.region = &hand, .axes = {true, true, true}};
    SinewStepReport report;
    if (rig->mesh == NULL) {
        hand.center[0] = -0.13, hand.center[1] = 0.1, hand.center[2] = 0.0;
    }
    def.young = plan->young;
    def.poisson = 0.33;
    options.split = plan->split;
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
    int resolution = blob_resolution(plan->mesh);
    char path[1024];
    SnHanging *rig = NULL;

    *out_rig = NULL;
    SN_ALLOC_ZERO(rig, NULL, 1, error);
    rig->model = plan->model;
    rig->allocator = (SinewAllocator){count_allocate, count_release, &rig->tally};
    if (resolution > 0) {
        SN_TRY(make_blob(rig, resolution, error));
    } else {
        snprintf(path, sizeof path, "%s/%s.node",
                 bench->data_folder != NULL ? bench->data_folder : "", plan->mesh);
        if (bench->data_folder == NULL || sn_tet_mesh_read(path, NULL, &rig->mesh, NULL) < 0) {
            sn_bench_skip(out_result, "%s is not in the folder of meshes", plan->mesh);
            goto done;
        }
        SN_TRY(make_armadillo(rig, error));
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
    sn_free(NULL, rig);
}

void sn_hanging_step(void *context, SnWorkers *workers)
{
    SnHanging *rig = context;
    SinewStepReport report;
    (void)workers;
    SinewStatus status = rig->model->step(rig->body, &rig->step, &report, NULL);
    rig->status = status < 0 ? status : rig->status;
}

void sn_hanging_mean(const SnHanging *rig, double out_mean[3])
{
    SinewBodyMesh mesh = rig->model->mesh(rig->body);
    memset(out_mean, 0, 3 * sizeof *out_mean);
    for (int i = 0; i < 3 * mesh.vertex_count; ++i) {
        out_mean[i % 3] += (mesh.positions[i] - mesh.rest[i]) / mesh.vertex_count;
    }
}

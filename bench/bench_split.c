// split.MESH.step, setup, memory and accurate: bodies of `split` hung by a hand, on the armadillo
// meshes where those are there and on a blob of about 16k tets always. `step` is mode paper with
// one pass and one volume iteration, `accurate` the implicit step of two by three iterations, which
// follows converged backward Euler to 1 % (test model_split_swing); both ms a step at E 1e6 Pa, nu
// 0.33, 10 ms. `setup` is everything before the first step of mode paper, s, and `memory` what its
// body takes at most, MB.
#include "bench/bench.h"

#include "base/clock.h"
#include "io/tet_files.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const meshes[] = {"blob_16k",       "armadillo_6k",  "armadillo_16k",
                                     "armadillo_33k",  "armadillo_55k", "armadillo_55k_shuf",
                                     "armadillo_173k", "armadillo_331k"};
static const char *const kinds[] = {"step", "setup", "memory", "accurate"};

enum {
    MESHES = sizeof meshes / sizeof *meshes,
    KINDS = sizeof kinds / sizeof *kinds,
    STEP = 0,
    SETUP,
    MEMORY,
    ACCURATE
};

// What a body has allocated.
typedef struct Tally {
    size_t now, most; // bytes
} Tally;

static void *count_allocate(void *context, size_t size, size_t alignment)
{
    Tally *tally = context;
    tally->now += size;
    tally->most = tally->now > tally->most ? tally->now : tally->most;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void count_release(void *context, void *memory, size_t size)
{
    ((Tally *)context)->now -= size;
    free(memory);
}

typedef struct Rig {
    Tally tally;
    SinewAllocator allocator;
    SnSolid *solid;
    SnTetMesh *mesh;
    void *body;
    SnStep step;
    SnAffine motion;
    SinewStatus status;
} Rig;

static SinewStatus list(SnBench *bench, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int i = 0; i < MESHES * KINDS; ++i) {
        char name[SN_BENCH_NAME];
        snprintf(name, sizeof name, "split.%s.%s", meshes[i / KINDS], kinds[i % KINDS]);
        SN_TRY(sn_bench_add(bench, &sn_bench_split, name, bench->kernels, SN_ONE_THREAD, i, error));
        if (i % KINDS == STEP || i % KINDS == ACCURATE) {
            strncat(name, ".parallel", sizeof name - strlen(name) - 1);
            SN_TRY(sn_bench_add(bench, &sn_bench_split, name, bench->kernels, SN_ALL_THREADS, i,
                                error));
        }
    }
done:
    return status;
}

// A trunk with four limbs, 0.3 m tall.
static SinewStatus make_blob(Rig *rig, SinewError *error)
{
    static const SnShape parts[] = {
        {.kind = SN_SHAPE_ELLIPSOID, .ellipsoid = {{0.0, 0.0, 0.0}, {0.05, 0.08, 0.045}}},
        {.kind = SN_SHAPE_CAPSULE, .capsule = {{-0.03, 0.05, 0.0}, {-0.13, 0.1, 0.0}, 0.02}},
        {.kind = SN_SHAPE_CAPSULE, .capsule = {{0.03, 0.05, 0.0}, {0.13, 0.1, 0.0}, 0.02}},
        {.kind = SN_SHAPE_CAPSULE, .capsule = {{-0.03, -0.05, 0.0}, {-0.06, -0.16, 0.0}, 0.025}},
        {.kind = SN_SHAPE_CAPSULE, .capsule = {{0.03, -0.05, 0.0}, {0.06, -0.16, 0.0}, 0.025}}};
    static const SnShape shape = {.kind = SN_SHAPE_BLOB,
                                  .blob = {.parts = parts, .part_count = 5, .smooth = 0.02}};
    SnSolidDef def = {.shape = &shape, .resolution = 31, .pose = sn_affine_identity()};
    return sn_solid_create(&def, NULL, &rig->allocator, &rig->solid, error);
}

// False: the file is not there.
static bool find_mesh(const SnBench *bench, const char *name, Rig *rig, SinewError *error)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.node", bench->data_folder, name);
    return bench->data_folder != NULL && sn_tet_mesh_read(path, NULL, &rig->mesh, error) >= 0;
}

// Everything before the first step is over.
static SinewStatus set_up(const SnBench *bench, const SnBenchEntry *entry, Rig *rig,
                          SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewBodyDef options = sinew_body_def_default();
    SinewMaterial def = sinew_material_default();
    SnMaterial material;
    SnMaterials materials = {&material, NULL, 0};
    SinewRegion hand = {
        .kind = SINEW_REGION_SPHERE, .center = {-0.1112805, 0.171487, 0.06512415}, .radius = 0.02};
    SnPin pin = {&hand, {true, true, true}};
    SinewStepReport report;
    if (entry->index / KINDS == 0) {
        hand.center[0] = -0.13, hand.center[1] = 0.1, hand.center[2] = 0.0;
    }
    def.poisson = 0.33;
    options.split.mode =
        entry->index % KINDS == ACCURATE ? SINEW_SPLIT_IMPLICIT : SINEW_SPLIT_PAPER;
    SN_TRY(sn_material_make(&def, "bench", &material, error));
    rig->step.workers = entry->threading == SN_ALL_THREADS ? bench->workers : NULL;
    SnModelDef model = {.allocator = &rig->allocator,
                        .workers = rig->step.workers,
                        .kernels = entry->kernels,
                        .name = "bench",
                        .solid = rig->solid,
                        .materials = &materials,
                        .options = &options};
    SN_TRY(sn_split_model.create(&model, &rig->body, error));
    SN_TRY(sn_split_model.set_pins(rig->body, &pin, 1, error));
    rig->motion = sn_affine_identity();
    rig->step.pin_motions = &rig->motion;
    rig->step.gravity[1] = -9.81;
    rig->step.dt = 0.01;
    SN_TRY(sn_split_model.step(rig->body, &rig->step, &report, error));
done:
    return status;
}

static void step(void *context, SnWorkers *workers)
{
    Rig *rig = context;
    SinewStepReport report;
    (void)workers;
    SinewStatus status = sn_split_model.step(rig->body, &rig->step, &report, NULL);
    rig->status = status < 0 ? status : rig->status;
}

static SinewStatus make_solid(const SnBench *bench, const SnBenchEntry *entry, Rig *rig,
                              SnBenchResult *out_result, SinewError *error)
{
    const char *name = meshes[entry->index / KINDS];
    if (entry->index / KINDS == 0) {
        return make_blob(rig, error);
    }
    if (!find_mesh(bench, name, rig, error)) {
        sn_bench_skip(out_result, "%s is not in the folder of meshes", name);
        return SINEW_OK;
    }
    for (int i = 0; i < 3 * rig->mesh->vertex_count; ++i) {
        rig->mesh->positions[i] *= i % 3 == 1 ? 0.1 : -0.1;
    }
    SnSolidDef def = {.tets = rig->mesh, .resolution = 16, .pose = sn_affine_identity()};
    return sn_solid_create(&def, NULL, &rig->allocator, &rig->solid, error);
}

static SinewStatus run(SnBench *bench, void *state, const SnBenchEntry *entry,
                       SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Rig rig = {.allocator = {count_allocate, count_release, NULL}};
    (void)state;
    rig.allocator.context = &rig.tally;
    SN_TRY(make_solid(bench, entry, &rig, out_result, error));
    if (rig.solid == NULL) {
        goto done;
    }
    double begin = sn_clock_seconds();
    SN_TRY(set_up(bench, entry, &rig, error));
    double setup = sn_clock_seconds() - begin;
    SinewBodyMesh mesh = sn_split_model.mesh(rig.body);
    if (entry->index % KINDS == SETUP || entry->index % KINDS == MEMORY) {
        bool is_setup = entry->index % KINDS == SETUP;
        out_result->unit = is_setup ? "s" : "MB";
        out_result->value = is_setup ? setup : (double)rig.tally.most * 1e-6;
        out_result->median = out_result->value;
    } else {
        SnBenchTask task = {NULL, step, &rig};
        SnBenchTime time = sn_bench_time(bench, entry, &task);
        // A pass reads a tet's 19 numbers and 4 of its rotation and writes 16 of its corners.
        SnBenchWork work = {.items = 1.0,
                            .bytes_read = 4.0 * 39.0 * mesh.element_count,
                            .bytes_written = 4.0 * 20.0 * mesh.element_count,
                            .flops = 600.0 * mesh.element_count,
                            .working_set = 4.0 * 43.0 * mesh.element_count};
        sn_bench_fill(bench, entry, time, &work, "ms", out_result);
    }
    sn_bench_figure(out_result, "tets", mesh.element_count);
    status = rig.status;

done:
    sn_split_model.destroy(rig.body);
    sn_solid_destroy(rig.solid);
    sn_tet_mesh_destroy(rig.mesh, NULL);
    return status;
}

const SnBenchGroup sn_bench_split = {.name = "split", .list = list, .run = run};

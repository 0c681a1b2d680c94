// tetmg.MESH.accurate, stiff, setup, paper and its products: bodies of `tetmg` hung by a hand, on
// the armadillo meshes where those are there and on blobs always. `accurate` is the default step of
// two by two iterations, which follows converged backward Euler to 1 % (test model_tetmg_swing), ms
// a step at E 1e6 Pa, nu 0.33, 10 ms; `stiff` the same at E 1e7 Pa. `setup` is everything before
// the second step, s. `paper` is a step of mode paper, ms; `stream`, `gather`, `two_stage` and
// `plain` are the update of its coarse matrices by each product, ms.
#include "bench/bench.h"

#include "base/clock.h"
#include "io/tet_files.h"
#include "model/tetmg/hierarchy.h"

#include <stdio.h>
#include <string.h>

// The file of a mesh, or the resolution of a blob.
typedef struct Mesh {
    const char *name;
    const char *file;
    int resolution;
} Mesh;

static const Mesh meshes[] = {{"11k", NULL, 27},
                              {"34k", NULL, 40},
                              {"67k", NULL, 51},
                              {"10k", "armadillo_10k", 0},
                              {"16k", "armadillo_16k", 0},
                              {"33k", "armadillo_33k", 0},
                              {"55k", "armadillo_55k", 0},
                              {"173k", "armadillo_173k", 0},
                              {"331k", "armadillo_331k", 0}};
static const char *const kinds[] = {"accurate", "stiff",  "setup",     "paper",
                                    "stream",   "gather", "two_stage", "plain"};

enum {
    MESHES = sizeof meshes / sizeof *meshes,
    KINDS = sizeof kinds / sizeof *kinds,
    ACCURATE = 0,
    STIFF,
    SETUP,
    PAPER,
    STREAM // and the other products, in their order
};

typedef struct Rig {
    SnSolid *solid;
    SnTetMesh *mesh;
    void *body;
    SnStep step;
    SnAffine motion;
    SinewStatus status;
    int solves; // of the last step
} Rig;

static SinewStatus list(SnBench *bench, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int i = 0; i < MESHES * KINDS; ++i) {
        char name[SN_BENCH_NAME];
        snprintf(name, sizeof name, "tetmg.%s.%s", meshes[i / KINDS].name, kinds[i % KINDS]);
        SN_TRY(sn_bench_add(bench, &sn_bench_tetmg, name, bench->kernels, SN_ONE_THREAD, i, error));
        if (i % KINDS != STIFF && i % KINDS != SETUP && i % KINDS != STREAM &&
            i % KINDS < KINDS - 1) {
            strncat(name, ".parallel", sizeof name - strlen(name) - 1);
            SN_TRY(sn_bench_add(bench, &sn_bench_tetmg, name, bench->kernels, SN_ALL_THREADS, i,
                                error));
        }
    }
done:
    return status;
}

// A trunk with four limbs, 0.3 m tall.
static SinewStatus make_blob(Rig *rig, int resolution, SinewError *error)
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
    return sn_solid_create(&def, NULL, NULL, &rig->solid, error);
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
    SnPin pin = {.region = &hand, .axes = {true, true, true}};
    SinewStepReport report;
    int kind = entry->index % KINDS;
    if (meshes[entry->index / KINDS].file == NULL) {
        hand.center[0] = -0.13, hand.center[1] = 0.1, hand.center[2] = 0.0;
    }
    def.poisson = 0.33;
    def.young = kind == STIFF ? 1e7 : 1e6;
    options.tetmg.mode = kind >= PAPER ? SINEW_TETMG_PAPER : SINEW_TETMG_IMPLICIT;
    options.tetmg.product =
        kind >= STREAM ? (SinewTetmgProduct)(kind - STREAM) : SINEW_PRODUCT_STREAM;
    SN_TRY(sn_material_make(&def, "bench", &material, error));
    rig->step.workers = entry->threading == SN_ALL_THREADS ? bench->workers : NULL;
    SnModelDef model = {.workers = rig->step.workers,
                        .kernels = entry->kernels,
                        .name = "bench",
                        .solid = rig->solid,
                        .materials = &materials,
                        .options = &options};
    SN_TRY(sn_tetmg_model.create(&model, &rig->body, error));
    SN_TRY(sn_tetmg_model.set_pins(rig->body, &pin, 1, error));
    rig->motion = sn_affine_identity();
    rig->step.pin_motions = &rig->motion;
    rig->step.gravity[1] = -9.81;
    rig->step.dt = 0.01;
    SN_TRY(sn_tetmg_model.step(rig->body, &rig->step, &report, error));
done:
    return status;
}

static void step(void *context, SnWorkers *workers)
{
    Rig *rig = context;
    SinewStepReport report;
    (void)workers;
    SinewStatus status = sn_tetmg_model.step(rig->body, &rig->step, &report, NULL);
    rig->status = status < 0 ? status : rig->status;
    rig->solves = report.linear_solves;
}

static void update(void *context, SnWorkers *workers)
{
    Rig *rig = context;
    SinewStatus status = sn_tetmg_hierarchy_update(rig->body, workers, NULL);
    rig->status = status < 0 ? status : rig->status;
}

static SinewStatus make_solid(const SnBench *bench, const SnBenchEntry *entry, Rig *rig,
                              SnBenchResult *out_result, SinewError *error)
{
    const char *name = meshes[entry->index / KINDS].file;
    if (name == NULL) {
        return make_blob(rig, meshes[entry->index / KINDS].resolution, error);
    }
    if (!find_mesh(bench, name, rig, error)) {
        sn_bench_skip(out_result, "%s is not in the folder of meshes", name);
        return SINEW_OK;
    }
    for (int i = 0; i < 3 * rig->mesh->vertex_count; ++i) {
        rig->mesh->positions[i] *= i % 3 == 1 ? 0.1 : -0.1;
    }
    SnSolidDef def = {.tets = rig->mesh, .resolution = 16, .pose = sn_affine_identity()};
    return sn_solid_create(&def, NULL, NULL, &rig->solid, error);
}

static SinewStatus run(SnBench *bench, void *state, const SnBenchEntry *entry,
                       SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Rig rig = {0};
    (void)state;
    SN_TRY(make_solid(bench, entry, &rig, out_result, error));
    if (rig.solid == NULL) {
        goto done;
    }
    double begin = sn_clock_seconds();
    SN_TRY(set_up(bench, entry, &rig, error));
    double setup = sn_clock_seconds() - begin;
    SinewBodyMesh mesh = sn_tetmg_model.mesh(rig.body);
    if (entry->index % KINDS == SETUP) {
        out_result->unit = "s";
        out_result->value = out_result->median = setup;
    } else {
        SnBenchTask task = {NULL, entry->index % KINDS >= STREAM ? update : step, &rig};
        SnBenchTime time = sn_bench_time(bench, entry, &task);
        // Two gradients and an energy read a tet's 27 numbers and write 16; its six blocks are
        // written and read once; four iterations read 12 blocks a vertex four times each, and
        // there are about six tets a vertex.
        SnBenchWork work = {.items = 1.0,
                            .bytes_read = 4.0 * (3.0 * 27.0 + 54.0 + 12.0 * 9.0 * 16.0 / 6.0) *
                                          mesh.element_count,
                            .bytes_written = 4.0 * (2.0 * 16.0 + 54.0) * mesh.element_count,
                            .flops = 2500.0 * mesh.element_count,
                            .working_set = 4.0 * (27.0 + 54.0 + 18.0) * mesh.element_count};
        sn_bench_fill(bench, entry, time, &work, "ms", out_result);
    }
    sn_bench_figure(out_result, "tets", mesh.element_count);
    sn_bench_figure(out_result, "solves", rig.solves);
    status = rig.status;

done:
    sn_tetmg_model.destroy(rig.body);
    sn_solid_destroy(rig.solid);
    sn_tet_mesh_destroy(rig.mesh, NULL);
    return status;
}

const SnBenchGroup sn_bench_tetmg = {.name = "tetmg", .list = list, .run = run};

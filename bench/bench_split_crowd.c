// split.crowd_105: 105 copies of a blob of some 3.4k tets, 356k in all, turned differently, each
// hung by a hand, in mode paper with one pass and one volume iteration (the crowd of [B], table 4,
// without collisions). `step` is a whole step of the world, surfaces included, with all threads,
// `step_serial` the same with one; `setup` is everything up to the end of the first step, s, and
// `memory` what the world holds then, MB. The copies share what they are; `setup_alone` and
// `memory_alone` are of bodies that differ in the last digits of their density, so that they do
// not.
#include "bench/bench.h"

#include "base/clock.h"
#include "geometry/solid.h"
#include "sinew/world.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { COPIES = 105, ROW = 15, RESOLUTION = 18 };

enum { STEP = 0, STEP_SERIAL, SETUP, MEMORY, SETUP_ALONE, MEMORY_ALONE };

static const char *const kinds[] = {"step",   "step_serial", "setup",
                                    "memory", "setup_alone", "memory_alone"};

enum { KINDS = sizeof kinds / sizeof *kinds };

static void *count_allocate(void *context, size_t size, size_t alignment)
{
    atomic_fetch_add((atomic_size_t *)context, size);
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void count_release(void *context, void *memory, size_t size)
{
    atomic_fetch_sub((atomic_size_t *)context, size);
    free(memory);
}

static SinewStatus list(SnBench *bench, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int i = 0; i < KINDS; ++i) {
        char name[SN_BENCH_NAME];
        snprintf(name, sizeof name, "split.crowd_105.%s", kinds[i]);
        SN_TRY(sn_bench_add(bench, &sn_bench_split_crowd, name, bench->kernels,
                            i == STEP_SERIAL ? SN_ONE_THREAD : SN_ALL_THREADS, i, error));
    }
done:
    return status;
}

typedef struct Rig {
    SinewTets *tets;
    SinewWorld *world;
    int tet_count; // of all bodies
    SinewStatus status;
} Rig;

// A trunk with four limbs, 0.3 m tall, as tets: their outside is the surface.
static SinewStatus make_blob(SinewTets **out_tets, SinewError *error)
{
    static const SnShape parts[] = {
        {.kind = SN_SHAPE_ELLIPSOID, .ellipsoid = {{0.0, 0.0, 0.0}, {0.052, 0.082, 0.047}}},
        {.kind = SN_SHAPE_CAPSULE, .capsule = {{-0.03, 0.05, 0.0}, {-0.13, 0.1, 0.0}, 0.02}},
        {.kind = SN_SHAPE_CAPSULE, .capsule = {{0.03, 0.05, 0.0}, {0.13, 0.1, 0.0}, 0.02}},
        {.kind = SN_SHAPE_CAPSULE, .capsule = {{-0.03, -0.05, 0.0}, {-0.06, -0.16, 0.0}, 0.025}},
        {.kind = SN_SHAPE_CAPSULE, .capsule = {{0.03, -0.05, 0.0}, {0.06, -0.16, 0.0}, 0.025}}};
    static const SnShape shape = {.kind = SN_SHAPE_BLOB,
                                  .blob = {.parts = parts, .part_count = 5, .smooth = 0.02}};
    SnSolidDef def = {.shape = &shape, .resolution = RESOLUTION, .pose = sn_affine_identity()};
    SinewStatus status = SINEW_OK;
    SnSolid *solid = NULL;
    SnTetMesh *mesh = NULL;
    SN_TRY(sn_solid_create(&def, NULL, NULL, &solid, error));
    SN_TRY(sn_solid_tets(solid, &mesh, error));
    SinewTetsDef tets = sinew_tets_def_default();
    tets.positions = mesh->positions;
    tets.vertex_count = mesh->vertex_count;
    tets.tets = mesh->tets;
    tets.tet_count = mesh->tet_count;
    SN_TRY(sinew_tets_create(&tets, out_tets, error));
done:
    sn_tet_mesh_destroy(mesh, NULL);
    sn_solid_destroy(solid);
    return status;
}

// One of the copies, held by its hand.
static SinewStatus add_copy(Rig *rig, int copy, bool alone, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewBodyDef def = sinew_body_def_default();
    SinewPinDef pin = sinew_pin_def_default();
    SinewPinId pin_id;
    def.tets = rig->tets;
    def.model = SINEW_MODEL_SPLIT;
    def.split.mode = SINEW_SPLIT_PAPER;
    def.material.poisson = 0.33;
    def.material.density = 1000.0 + (alone ? 1e-9 * copy : 0.0);
    def.pose.translate[0] = 0.4 * (copy % ROW);
    def.pose.translate[2] = 0.4 * (copy / ROW);
    def.pose.degrees = 24.0 * copy;
    SN_TRY(sinew_world_add_body(rig->world, &def, &pin.body, error));
    rig->tet_count += sinew_body_mesh(rig->world, pin.body).element_count;
    // About the y axis, as the pose turns.
    double angle = def.pose.degrees * 3.14159265358979323846 / 180.0;
    pin.within = (SinewRegion){.kind = SINEW_REGION_SPHERE, .radius = 0.03};
    pin.within.center[0] = def.pose.translate[0] - 0.13 * cos(angle);
    pin.within.center[1] = 0.1;
    pin.within.center[2] = def.pose.translate[2] + 0.13 * sin(angle);
    SN_TRY(sinew_world_add_pin(rig->world, &pin, &pin_id, error));
done:
    return status;
}

static SinewStatus make_crowd(Rig *rig, bool alone, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int i = 0; i < COPIES; ++i) {
        SN_TRY(add_copy(rig, i, alone, error));
    }
    SN_TRY(sinew_world_step(rig->world, 0.01, error));
done:
    return status;
}

static void step(void *context, SnWorkers *workers)
{
    Rig *rig = context;
    (void)workers; // the world has its own
    SinewStatus status = sinew_world_step(rig->world, 0.01, NULL);
    rig->status = status < 0 ? status : rig->status;
}

static void measure_step(const SnBench *bench, const SnBenchEntry *entry, Rig *rig,
                         SnBenchResult *out_result)
{
    SnBenchTask task = {NULL, step, rig};
    SnBenchTime time = sn_bench_time(bench, entry, &task);
    // As split.*.step: a pass reads a tet's 19 numbers and 4 of its rotation, and writes 16.
    SnBenchWork work = {.items = 1.0,
                        .bytes_read = 4.0 * 39.0 * rig->tet_count,
                        .bytes_written = 4.0 * 20.0 * rig->tet_count,
                        .flops = 600.0 * rig->tet_count,
                        .working_set = 4.0 * 43.0 * rig->tet_count};
    sn_bench_fill(bench, entry, time, &work, "ms", out_result);
    SinewStepReport report = sinew_world_report(rig->world);
    sn_bench_figure(out_result, "drive_ms", 1e3 * report.seconds_drive);
    sn_bench_figure(out_result, "model_ms", 1e3 * report.seconds_model);
    sn_bench_figure(out_result, "surface_ms", 1e3 * report.seconds_surface);
}

static SinewStatus run(SnBench *bench, void *state, const SnBenchEntry *entry,
                       SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    atomic_size_t bytes = 0;
    SinewWorldDef def = sinew_world_def_default();
    Rig rig = {0};
    (void)state;
    def.worker_count = entry->threading == SN_ALL_THREADS ? bench->threads : 1;
    def.allocator = (SinewAllocator){count_allocate, count_release, &bytes};
    SN_TRY(make_blob(&rig.tets, error));
    SN_TRY(sinew_world_create(&def, &rig.world, error));
    double begin = sn_clock_seconds();
    SN_TRY(make_crowd(&rig, entry->index >= SETUP_ALONE, error));
    double seconds = sn_clock_seconds() - begin;
    if (entry->index == STEP || entry->index == STEP_SERIAL) {
        measure_step(bench, entry, &rig, out_result);
    } else {
        bool is_setup = entry->index == SETUP || entry->index == SETUP_ALONE;
        out_result->unit = is_setup ? "s" : "MB";
        out_result->value = is_setup ? seconds : (double)atomic_load(&bytes) * 1e-6;
        out_result->median = out_result->value;
    }
    sn_bench_figure(out_result, "tets", rig.tet_count);
    status = rig.status;
done:
    sinew_world_destroy(rig.world);
    sinew_tets_destroy(rig.tets);
    return status;
}

const SnBenchGroup sn_bench_split_crowd = {.name = "split", .list = list, .run = run};

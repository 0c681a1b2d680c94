// newton.MESH.step: the reference model, a step of a body that hangs by a corner and swings, after
// ten steps (ms), with the figures `iterations`, `ms_iteration`, `dofs` and `setup` (s).
//
// newton.beam_1600    a box of 20 x 4 x 4 cells, five tets each
// newton.blob_16k     two joined balls
// newton.armadillo_16k
//                     the mesh of the bench's data folder, where it is there
//
// The limit: the tangent of each element (12 x 12 doubles) is written and read once an iteration.
// The factorisation, which has no such simple limit, takes about half of the time; see cholesky.
#include "bench/bench.h"

#include "base/clock.h"
#include "sinew/sinew.h"

#include <string.h>
#include <unistd.h>

enum { WARM_STEPS = 10, TANGENT_BYTES = 12 * 12 * (int)sizeof(double) };

static const double time_step = 0.01; // s

typedef struct Case {
    const char *name;
    const char *file; // in the data folder; NULL: a shape
    double corner[3]; // m, where the body hangs
    double reach;     // m, around that
} Case;

static const Case cases[] = {
    {"newton.beam_1600.step", NULL, {0.0, 0.2, 0.2}, 0.06},
    {"newton.blob_16k.step", NULL, {0.0, 0.2, 0.0}, 0.04},
    {"newton.armadillo_16k.step", "armadillo_16k.ele", {1.112805, 1.71487, -0.6512415}, 0.2},
};

enum { CASE_COUNT = sizeof cases / sizeof *cases, BLOB_CASE = 1 };

static SinewStatus list(SnBench *bench, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int c = 0; c < CASE_COUNT; ++c) {
        char name[SN_BENCH_NAME];
        SN_TRY(sn_bench_add(bench, &sn_bench_newton, cases[c].name, bench->kernels, SN_ONE_THREAD,
                            c, error));
        snprintf(name, sizeof name, "%s.parallel", cases[c].name);
        if (bench->threads > 1) {
            SN_TRY(sn_bench_add(bench, &sn_bench_newton, name, bench->kernels, SN_ALL_THREADS, c,
                                error));
        }
    }
done:
    return status;
}

// The body of a case, hanging.
static SinewStatus hang(SinewWorld *world, int index, const SinewTets *tets, SinewBodyId *out_body,
                        SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewPinId pin;
    SinewBodyDef body = sinew_body_def_default();
    SinewPinDef hold = sinew_pin_def_default();
    SinewShape balls[2] = {sinew_shape_default(), sinew_shape_default()};
    for (int i = 0; i < 2; ++i) {
        balls[i].kind = SINEW_SHAPE_SPHERE;
        balls[i].radius = 0.1;
        balls[i].center[1] = 0.15 * i;
    }
    body.model = SINEW_MODEL_NEWTON;
    body.tets = tets;
    if (tets == NULL && index == BLOB_CASE) {
        body.shape.kind = SINEW_SHAPE_BLOB;
        body.shape.parts = balls;
        body.shape.part_count = 2;
        body.shape.smooth = 0.05;
        body.resolution = 22;
    } else if (tets == NULL) {
        body.shape.kind = SINEW_SHAPE_BOX;
        memcpy(body.shape.max, (double[]){1.0, 0.2, 0.2}, sizeof body.shape.max);
        memcpy(body.cells, (int[]){20, 4, 4}, sizeof body.cells);
    }
    body.material.poisson = 0.33;
    SN_TRY(sinew_world_add_body(world, &body, out_body, error));
    hold.body = *out_body;
    hold.within.kind = SINEW_REGION_SPHERE;
    memcpy(hold.within.center, cases[index].corner, sizeof hold.within.center);
    hold.within.radius = cases[index].reach;
    SN_TRY(sinew_world_add_pin(world, &hold, &pin, error));
done:
    return status;
}

typedef struct Run {
    SinewWorld *world;
    SinewStatus status;
    SinewError error;
    int64_t iterations;
    int64_t steps;
} Run;

static void step(void *context, SnWorkers *workers)
{
    (void)workers; // the world has its own
    Run *run = context;
    run->status = sinew_world_step(run->world, time_step, &run->error);
    run->iterations += sinew_world_report(run->world).iterations;
    run->steps++;
}

static SinewStatus measure(const SnBench *bench, const SnBenchEntry *entry, Run *run,
                           SinewBodyId body, double setup, SnBenchResult *out_result,
                           SinewError *error)
{
    for (int i = 0; i < WARM_STEPS && run->status >= 0; ++i) {
        step(run, NULL);
    }
    run->iterations = 0;
    run->steps = 0;
    SnBenchTime time = sn_bench_clock(&(SnBenchTask){.run = step, .context = run}, NULL, 3,
                                      bench->quick ? 0.2 : 2.0);
    if (run->status < 0) {
        *error = run->error;
        return run->status;
    }
    SinewBodyInfo info = sinew_body_info(run->world, body);
    double iterations = (double)run->iterations / (double)run->steps;
    double bytes = (double)info.elements * TANGENT_BYTES * iterations;
    SnBenchWork work = {
        .items = 1, .bytes_read = bytes, .bytes_written = bytes, .working_set = bytes / iterations};
    sn_bench_fill(bench, entry, time, &work, "ms", out_result);
    sn_bench_figure(out_result, "iterations", iterations);
    sn_bench_figure(out_result, "ms_iteration", out_result->median / iterations);
    sn_bench_figure(out_result, "dofs", info.dofs);
    sn_bench_figure(out_result, "setup", setup);
    return SINEW_OK;
}

static SinewStatus run_entry(SnBench *bench, void *state, const SnBenchEntry *entry,
                             SnBenchResult *out_result, SinewError *error)
{
    (void)state;
    SinewStatus status = SINEW_OK;
    Run run = {0};
    SinewTets *tets = NULL;
    SinewBodyId body;
    const Case *c = &cases[entry->index];
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", bench->data_folder, c->file != NULL ? c->file : "");
    if (c->file != NULL && access(path, R_OK) != 0) {
        sn_bench_skip(out_result, "%s is not in the data folder", c->file);
        return SINEW_OK;
    }
    double start = sn_clock_seconds();
    SinewWorldDef def = sinew_world_def_default();
    def.worker_count = entry->threading == SN_ALL_THREADS ? bench->threads : 1;
    SN_TRY(sinew_world_create(&def, &run.world, error));
    if (c->file != NULL) {
        SN_TRY(sinew_tets_load(path, NULL, &tets, error));
    }
    SN_TRY(hang(run.world, entry->index, tets, &body, error));
    SN_TRY(measure(bench, entry, &run, body, sn_clock_seconds() - start, out_result, error));
done:
    sinew_tets_destroy(tets);
    sinew_world_destroy(run.world);
    return status;
}

const SnBenchGroup sn_bench_newton = {.name = "newton", .list = list, .run = run_entry};

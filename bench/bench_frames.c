// frames.*: the workloads of [C] table I, as boxes of cubic cells with as many samples: a step of
// one linear solve, with forces, stiffness and solve, in mode paper (a sample a cell), by fitted
// samples and by springs; the bar of its figure 6; and points of a surface that follow the frames.
// Times are scaled to the paper's counts, which no box has exactly.
#include "bench/bench.h"

#include "model/frames/potential.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Case {
    const char *name;
    int samples;  // the paper's; of points, how many
    int cells[3]; //
    int frames;   //
    SinewFramesMode mode;
    double goal; // ms; 0: none
} Case;

static const Case cases[] = {
    {"frames.15452x7.paper", 15452, {44, 27, 13}, 7, SINEW_FRAMES_PAPER, 14.0},
    {"frames.15452x7.default", 15452, {44, 27, 13}, 7, SINEW_FRAMES_FITTED, 0.5},
    {"frames.2313x7.paper", 2313, {21, 11, 10}, 7, SINEW_FRAMES_PAPER, 2.1},
    {"frames.2313x7.default", 2313, {21, 11, 10}, 7, SINEW_FRAMES_FITTED, 0.5},
    {"frames.15526x2.paper", 15526, {44, 27, 13}, 2, SINEW_FRAMES_PAPER, 14.0},
    {"frames.15526x2.default", 15526, {44, 27, 13}, 2, SINEW_FRAMES_FITTED, 0.5},
    {"frames.2323x2.paper", 2323, {21, 11, 10}, 2, SINEW_FRAMES_PAPER, 2.1},
    {"frames.2323x2.default", 2323, {21, 11, 10}, 2, SINEW_FRAMES_FITTED, 0.5},
    {"frames.bar.springs", 0, {32, 8, 8}, 5, SINEW_FRAMES_FITTED, 0.02},
    {"frames.bar.pairs", 0, {32, 8, 8}, 5, SINEW_FRAMES_PAPER, 0.02},
    {"frames.bar.default", 0, {32, 8, 8}, 5, SINEW_FRAMES_FITTED, 0.0},
    {"frames.turtle.springs", 0, {21, 11, 10}, 7, SINEW_FRAMES_FITTED, 0.0},
    {"frames.bunny.springs", 0, {21, 11, 10}, 2, SINEW_FRAMES_FITTED, 0.0},
    {"frames.34000.points", 34000, {21, 11, 10}, 7, SINEW_FRAMES_FITTED, 0.3},
    {"frames.6642.points", 6642, {21, 11, 10}, 7, SINEW_FRAMES_FITTED, 0.06},
};

enum { CASE_COUNT = sizeof cases / sizeof *cases };

typedef struct Run {
    const Case *what;
    SnFrames *body;
    void *points;
    double *x;
    char *state;
    SnStep step;
    SinewStepReport report;
} Run;

// Names say what is measured.
static bool is_of(const Case *what, const char *word)
{
    return strstr(what->name, word) != NULL;
}

static bool has_springs(const Case *what)
{
    return is_of(what, "springs") || is_of(what, "pairs");
}

static SinewStatus list(SnBench *bench, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int c = 0; c < CASE_COUNT; ++c) {
        SN_TRY(sn_bench_add(bench, &sn_bench_frames, cases[c].name, bench->kernels, SN_ONE_THREAD,
                            c, error));
    }
done:
    return status;
}

// The bar's frames stand in a row from end to end.
static void place_in_row(const Case *what, SinewFrame *frames, SinewFramesDef *options)
{
    for (int i = 0; i < what->frames; ++i) {
        frames[i] = (SinewFrame){.at = {0.1 * what->cells[0] * i / (what->frames - 1),
                                        0.05 * what->cells[1], 0.05 * what->cells[2]}};
    }
    options->frames = frames;
    options->frame_count = what->frames;
}

static SinewStatus make_body(SnBench *bench, const Case *what, Run *run, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnShape shape = {.kind = SN_SHAPE_BOX};
    SnSolidDef solid_def = {.shape = &shape, .resolution = 1, .pose = sn_affine_identity()};
    SnSolid *solid = NULL;
    SnMaterial material;
    SinewMaterial given = sinew_material_default();
    SnMaterials materials = {&material, NULL, 0};
    SinewBodyDef options = sinew_body_def_default();
    SinewFrame frames[SN_FRAMES_MAX];
    SnModelDef def = {
        .kernels = bench->kernels, .name = "bench", .materials = &materials, .options = &options};

    for (int k = 0; k < 3; ++k) {
        shape.box.max[k] = 0.1 * what->cells[k];
        solid_def.cells[k] = what->cells[k];
    }
    given.law = what->mode == SINEW_FRAMES_PAPER ? SINEW_LAW_SVK : SINEW_LAW_COROTATED;
    options.frames.mode = what->mode;
    options.frames.count = what->frames;
    options.frames.springs = has_springs(what);
    if (is_of(what, "bar")) {
        place_in_row(what, frames, &options.frames);
    }
    options.frames.max_iterations = 1;
    options.frames.tolerance = 1e-12;
    SN_TRY(sn_material_make(&given, "bench", &material, error));
    SN_TRY(sn_solid_create(&solid_def, NULL, NULL, &solid, error));
    def.solid = solid;
    SN_TRY(sn_frames_model.create(&def, (void **)&run->body, error));

done:
    sn_solid_destroy(solid);
    return status;
}

// Frames a little out of rest, so that nothing is zero.
static void disturb(SnFrames *body)
{
    for (int i = 0; i < body->frame_count; ++i) {
        double *pose = body->state.poses + 7 * (size_t)i;
        SnFramePose from = sn_frames_pose(body->state.poses, i);
        double change[6];
        for (int d = 0; d < 6; ++d) {
            change[d] = 0.05 * ((7 * i + 3 * d) % 5 - 2);
        }
        SnFramePose to = sn_frame_change(&from, change);
        memcpy(pose, to.q, sizeof to.q);
        memcpy(pose + 4, to.t, sizeof to.t);
    }
}

static SinewStatus make_points(Run *run, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = run->what->samples;
    double *rest = NULL;
    SN_ALLOC(rest, NULL, 3 * (size_t)count, error);
    SN_ALLOC(run->x, NULL, 3 * (size_t)count, error);
    for (int p = 0; p < count; ++p) {
        double unit[3] = {p % 37 / 37.0, p % 41 / 41.0, p % 43 / 43.0};
        for (int k = 0; k < 3; ++k) {
            rest[3 * p + k] = 0.1 * run->what->cells[k] * unit[k];
        }
    }
    SN_TRY(sn_frames_model.points_create(run->body, rest, count, &run->points, error));

done:
    sn_free(NULL, rest);
    return status;
}

static void prepare(void *context)
{
    Run *run = context;
    sn_frames_model.restore(run->body, run->state);
}

static void step_once(void *context, SnWorkers *workers)
{
    Run *run = context;
    run->step.workers = workers;
    sn_frames_model.step(run->body, &run->step, &run->report, NULL);
}

static void place_once(void *context, SnWorkers *workers)
{
    Run *run = context;
    (void)workers;
    sn_frames_model.points_place(run->body, run->points, run->x, NULL);
}

static void release(Run *run)
{
    if (run->body != NULL) {
        sn_frames_model.points_destroy(run->body, run->points);
    }
    sn_frames_model.destroy(run->body);
    sn_free(NULL, run->x);
    sn_free(NULL, run->state);
}

static SinewStatus run_entry(SnBench *bench, void *state, const SnBenchEntry *entry,
                             SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const Case *what = &cases[entry->index];
    bool is_points = is_of(what, "points");
    Run run = {.what = what, .step = {.dt = 0.01, .gravity = {0.0, -9.81, 0.0}}};
    SnBenchTask task = {.prepare = is_points ? NULL : prepare,
                        .run = is_points ? place_once : step_once,
                        .context = &run};
    (void)state;
    SN_TRY(make_body(bench, what, &run, error));
    disturb(run.body);
    SN_ALLOC(run.state, NULL, sn_frames_model.state_size(run.body), error);
    sn_frames_model.save(run.body, run.state);
    if (is_points) {
        SN_TRY(make_points(&run, error));
    }
    SnBenchTime time = sn_bench_time(bench, entry, &task);
    double cells = (double)what->cells[0] * what->cells[1] * what->cells[2];
    bool by_samples = !is_points && !has_springs(what) && what->mode == SINEW_FRAMES_PAPER;
    double share = by_samples ? what->samples / cells : 1.0;
    out_result->unit = "ms";
    out_result->value = 1e3 * share * time.least;
    out_result->median = 1e3 * share * time.median;
    out_result->runs = time.runs;
    if (what->goal > 0.0) {
        sn_bench_figure(out_result, "goal_ms", what->goal);
    }
    sn_bench_figure(out_result, "samples", run.body->samples.count);
    sn_bench_figure(out_result, "springs", run.body->springs.count);
    sn_bench_figure(out_result, "fit_error", run.body->fit.error);

done:
    release(&run);
    return status;
}

const SnBenchGroup sn_bench_frames = {.name = "frames", .list = list, .run = run_entry};

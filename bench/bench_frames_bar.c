// frames.bar.*: the bar of [C] figures 6 and 10, 4 m x 1 m x 1 m, held at one end and pulled aside
// at the other until that has gone half its length: error against cost of frames by fitted samples,
// in mode paper, with affine frames and by springs, each with 3, 5 and 9 of them, beside `lattice`
// and `newton` with 1, 2 and 4 cells of thickness. A static solve in four steps of the load to 1e-6
// (ms, one core), and the figure `error`: how far the tip is from the continuum's, in per cent of
// the length.
#include "bench/bench.h"

#include "model/model.h"

#include <math.h>
#include <stdio.h>

enum { SIZES = 3, KINDS = 6, FRAME_KINDS = 4, LOADED = 64, LOAD_STEPS = 4, CELLS = 4 };

static const int frames_of[SIZES] = {3, 5, 9}, cells_of[SIZES] = {1, 2, 4};
static const char *const kinds[KINDS] = {"fitted",  "paper",   "affine",
                                         "springs", "lattice", "newton"};

// Displacement of the tip, m: `lattice` with 4, 8 and 16 cells of thickness, carried on to cells of
// no size. `newton` carried on so is 0.02 % of the length away.
static const double truth[3] = {-0.7134, -2.1297, 0.0};

typedef struct Rig {
    const SnModel *model;
    int kind; // of `kinds`
    int size; // frames, or cells of thickness
    SnSolid *solid;
    void *body;
    void *points; // where the load is, and last the tip
    double forces[3 * LOADED + 3];
    char *rest; // its state
    SinewStepReport report;
    SinewStatus status;
} Rig;

static SinewStatus list(SnBench *bench, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int i = 0; i < KINDS * SIZES; ++i) {
        char name[SN_BENCH_NAME];
        int kind = i / SIZES;
        snprintf(name, sizeof name, "frames.bar.%s_%d", kinds[kind],
                 kind < FRAME_KINDS ? frames_of[i % SIZES] : cells_of[i % SIZES]);
        SN_TRY(sn_bench_add(bench, &sn_bench_frames_bar, name, bench->kernels, SN_ONE_THREAD, i,
                            error));
    }
done:
    return status;
}

static void choose(Rig *rig, SinewFrame *frames, SinewBodyDef *options, SinewMaterial *material)
{
    static const SnModel *const models[KINDS] = {&sn_frames_model,  &sn_frames_model,
                                                 &sn_frames_model,  &sn_frames_model,
                                                 &sn_lattice_model, &sn_newton_model};
    rig->model = models[rig->kind];
    material->young = 1e5;
    material->poisson = 0.3;
    // In mode paper the law that its samples are written for.
    material->law = rig->kind == 1 ? SINEW_LAW_SVK : SINEW_LAW_COROTATED;
    for (int i = 0; rig->kind < FRAME_KINDS && i < rig->size; ++i) {
        frames[i] = (SinewFrame){.at = {4.0 * i / (rig->size - 1), 0.5, 0.5}};
    }
    options->frames.frames = frames;
    options->frames.frame_count = rig->kind < FRAME_KINDS ? rig->size : 0;
    options->frames.mode = rig->kind == 1 ? SINEW_FRAMES_PAPER : SINEW_FRAMES_FITTED;
    options->frames.geometric = 1;
    options->frames.kind = rig->kind == 2 ? SINEW_FRAME_AFFINE : SINEW_FRAME_RIGID;
    options->frames.springs = rig->kind == 3;
    options->newton.element = SINEW_ELEMENT_HEX;
}

// Even over the end, and the tip, where there is none.
static SinewStatus make_load(Rig *rig, SinewError *error)
{
    double rest[3 * LOADED + 3];
    for (int p = 0; p < LOADED; ++p) {
        rest[3 * p] = 4.0;
        rest[3 * p + 1] = (p % 8 + 0.5) / 8.0;
        rest[3 * p + 2] = (p / 8 + 0.5) / 8.0;
    }
    rest[3 * LOADED] = 4.0;
    rest[3 * LOADED + 1] = rest[3 * LOADED + 2] = 0.5;
    return rig->model->points_create(rig->body, rest, LOADED + 1, &rig->points, error);
}

static SinewStatus make(const SnBenchEntry *entry, Rig *rig, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int n = rig->kind < FRAME_KINDS ? CELLS : rig->size;
    SnShape shape = {.kind = SN_SHAPE_BOX, .box = {.max = {4.0, 1.0, 1.0}}};
    SnSolidDef solid = {
        .shape = &shape, .resolution = 1, .cells = {4 * n, n, n}, .pose = sn_affine_identity()};
    SinewFrame frames[9];
    SinewBodyDef options = sinew_body_def_default();
    SinewMaterial given = sinew_material_default();
    SnMaterial material;
    SnMaterials materials = {&material, NULL, 0};
    SinewRegion near = {.kind = SINEW_REGION_BOX, .min = {-1, -1, -1}, .max = {1e-6, 2, 2}};
    SnPin pin = {&near, {true, true, true}};
    SnModelDef def = {
        .kernels = entry->kernels, .name = "bench", .materials = &materials, .options = &options};

    choose(rig, frames, &options, &given);
    SN_TRY(sn_material_make(&given, "bench", &material, error));
    SN_TRY(sn_solid_create(&solid, NULL, NULL, &rig->solid, error));
    def.solid = rig->solid;
    SN_TRY(rig->model->create(&def, &rig->body, error));
    SN_TRY(rig->model->set_pins(rig->body, &pin, 1, error));
    SN_TRY(make_load(rig, error));
    SN_ALLOC(rig->rest, NULL, rig->model->state_size(rig->body), error);
    rig->model->save(rig->body, rig->rest);

done:
    return status;
}

static void start(void *context)
{
    Rig *rig = context;
    rig->model->restore(rig->body, rig->rest);
}

static void solve(void *context, SnWorkers *workers)
{
    Rig *rig = context;
    SnAffine still = sn_affine_identity();
    SnPointLoad load = {rig->points, rig->forces};
    SnStep step = {.pin_motions = &still,
                   .loads = &load,
                   .load_count = 1,
                   .tolerance = 1e-6,
                   .workers = workers};
    for (int i = 1; i <= LOAD_STEPS; ++i) {
        for (int p = 0; p < LOADED; ++p) {
            rig->forces[3 * p + 1] = -1100.0 / LOADED * i / LOAD_STEPS;
        }
        SinewStatus status = rig->model->solve_static(rig->body, &step, &rig->report, NULL);
        rig->status = status < 0 ? status : rig->status;
    }
}

static double find_error(const Rig *rig)
{
    double x[3 * LOADED + 3], square = 0.0;
    rig->model->points_place(rig->body, rig->points, x, NULL);
    const double *tip = x + 3 * LOADED;
    const double rest[3] = {4.0, 0.5, 0.5};
    for (int k = 0; k < 3; ++k) {
        double off = tip[k] - rest[k] - truth[k];
        square += off * off;
    }
    return 100.0 * sqrt(square) / 4.0;
}

static SinewStatus run(SnBench *bench, void *state, const SnBenchEntry *entry,
                       SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int kind = entry->index / SIZES, at = entry->index % SIZES;
    Rig rig = {.kind = kind, .size = kind < FRAME_KINDS ? frames_of[at] : cells_of[at]};
    (void)state;
    SN_TRY(make(entry, &rig, error));
    SnBenchTask task = {start, solve, &rig};
    SnBenchTime time = sn_bench_clock(&task, NULL, 2, bench->quick ? 0.02 : 0.2);
    out_result->unit = "ms";
    out_result->value = 1e3 * time.least;
    out_result->median = 1e3 * time.median;
    out_result->runs = time.runs;
    sn_bench_figure(out_result, "error", find_error(&rig));
    sn_bench_figure(out_result, "dofs", rig.model->dof_count(rig.body));
    if (kind == 0 && at == 1) {
        sn_bench_figure(out_result, "goal_error", 2.0);
    }
    status = rig.status;
    if (status < 0) {
        sn_fail(error, status, "%s: a static solve failed", entry->name);
    }

done:
    if (rig.body != NULL) {
        rig.model->points_destroy(rig.body, rig.points);
        rig.model->destroy(rig.body);
    }
    sn_solid_destroy(rig.solid);
    sn_free(NULL, rig.rest);
    return status;
}

const SnBenchGroup sn_bench_frames_bar = {.name = "frames", .list = list, .run = run};

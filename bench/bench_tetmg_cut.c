// tetmg.cut.MESH: what it costs to cut a body of `tetmg` in two while it swings: the cut and the
// step after it, which factors the coarse matrix anew, as a multiple of a step before the cut. Best
// of a few worlds, by the public calls; the armadillo of 33k tets where it is there, a blob of 34k
// always. tetmg.cut.MESH.remove: the same where the tets that the blade meets are taken out.
#include "bench/bench.h"

#include "base/clock.h"
#include "sinew/world.h"

#include <math.h>
#include <stdio.h>

enum { WORLDS = 5, STEPS = 12 };

// Every other one is the armadillo, the later two take tets out.
static const char *const names[] = {"tetmg.cut.blob_34k", "tetmg.cut.armadillo_33k",
                                    "tetmg.cut.blob_34k.remove", "tetmg.cut.armadillo_33k.remove"};

enum { NAMES = (int)(sizeof names / sizeof *names) };

// Best times of all worlds, s.
typedef struct Times {
    double step;  // before the cut
    double cut;   //
    double next;  // the step after it
    double after; // a later one
} Times;

static SinewStatus list(SnBench *bench, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int i = 0; i < NAMES; ++i) {
        SN_TRY(sn_bench_add(bench, &sn_bench_tetmg_cut, names[i], bench->kernels, SN_ONE_THREAD, i,
                            error));
    }
done:
    return status;
}

// A trunk with two arms and two legs, 3 m tall.
static SinewBodyDef blob_def(void)
{
    static SinewShape parts[5];
    static const double ends[5][6] = {{0.0, -0.4, 0.0, 0.0, 0.4, 0.0},
                                      {-0.3, 0.5, 0.0, -1.3, 1.0, 0.0},
                                      {0.3, 0.5, 0.0, 1.3, 1.0, 0.0},
                                      {-0.3, -0.5, 0.0, -0.6, -1.6, 0.0},
                                      {0.3, -0.5, 0.0, 0.6, -1.6, 0.0}};
    SinewBodyDef def = sinew_body_def_default();
    for (int p = 0; p < 5; ++p) {
        parts[p] = sinew_shape_default();
        parts[p].kind = SINEW_SHAPE_CAPSULE;
        for (int k = 0; k < 3; ++k) {
            parts[p].from[k] = ends[p][k];
            parts[p].to[k] = ends[p][3 + k];
        }
        parts[p].radius = p == 0 ? 0.45 : 0.22;
    }
    def.shape.kind = SINEW_SHAPE_BLOB;
    def.shape.parts = parts;
    def.shape.part_count = 5;
    def.shape.smooth = 0.2;
    def.resolution = 40;
    return def;
}

static SinewStatus take_steps(SinewWorld *world, int count, double *best, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int i = 0; i < count; ++i) {
        double begin = sn_clock_seconds();
        SN_TRY(sinew_world_step(world, 0.01, error));
        *best = fmin(*best, sn_clock_seconds() - begin);
    }
done:
    return status;
}

static SinewStatus hang(SinewWorld *world, SinewBodyId body, SinewError *error)
{
    SinewPinDef pin = sinew_pin_def_default();
    SinewPinId id;
    double top = -INFINITY;
    SinewBodyMesh mesh = sinew_body_mesh(world, body);
    for (int v = 0; v < mesh.vertex_count; ++v) {
        top = fmax(top, mesh.rest[3 * (size_t)v + 1]);
    }
    pin.body = body;
    pin.within = (SinewRegion){
        .kind = SINEW_REGION_BOX, .min = {-10.0, top - 0.3, -10.0}, .max = {10.0, top + 1.0, 10.0}};
    return sinew_world_add_pin(world, &pin, &id, error);
}

static SinewStatus cut_one(const SinewBodyDef *def, bool removes, Times *best,
                           SinewCutReport *out_report, int *out_tets, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewWorldDef world_def = sinew_world_def_default();
    SinewWorld *world = NULL;
    SinewBodyId body;
    SinewCutDef cut = sinew_cut_def_default(); // across the middle of the body
    cut.removes = removes ? 1 : 0;
    SN_TRY(sinew_world_create(&world_def, &world, error));
    SN_TRY(sinew_world_add_body(world, def, &body, error));
    SN_TRY(hang(world, body, error));
    SN_TRY(sinew_world_step(world, 0.01, error));
    SN_TRY(take_steps(world, STEPS, &best->step, error));
    *out_tets = sinew_body_mesh(world, body).element_count;
    double begin = sn_clock_seconds();
    SN_TRY(sinew_body_cut(world, body, &cut, out_report, error));
    best->cut = fmin(best->cut, sn_clock_seconds() - begin);
    SN_TRY(take_steps(world, 1, &best->next, error));
    SN_TRY(take_steps(world, STEPS, &best->after, error));
done:
    sinew_world_destroy(world);
    return status;
}

static SinewStatus run(SnBench *bench, void *state, const SnBenchEntry *entry,
                       SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewTets *tets = NULL;
    SinewBodyDef def = blob_def();
    Times best = {INFINITY, INFINITY, INFINITY, INFINITY};
    SinewCutReport report = {0};
    int tet_count = 0;
    (void)state;
    if (entry->index % 2 == 1) {
        char path[1024];
        snprintf(path, sizeof path, "%s/armadillo_33k.node",
                 bench->data_folder != NULL ? bench->data_folder : ".");
        if (sinew_tets_load(path, NULL, &tets, error) < 0) {
            sn_bench_skip(out_result, "armadillo_33k is not in the folder of meshes");
            return SINEW_OK;
        }
        def.shape = sinew_shape_default();
        def.tets = tets;
    }
    def.model = SINEW_MODEL_TETMG;
    def.material.young = 1e6;
    def.material.poisson = 0.33;
    for (int w = 0; w < WORLDS; ++w) {
        SN_TRY(cut_one(&def, entry->index >= 2, &best, &report, &tet_count, error));
    }
    out_result->unit = "steps";
    out_result->value = out_result->median = (best.cut + best.next) / best.step;
    sn_bench_figure(out_result, "goal", 10.0);
    sn_bench_figure(out_result, "tets", tet_count);
    sn_bench_figure(out_result, "step_ms", 1e3 * best.step);
    sn_bench_figure(out_result, "cut_ms", 1e3 * best.cut);
    sn_bench_figure(out_result, "next_ms", 1e3 * best.next);
    sn_bench_figure(out_result, "after_ms", 1e3 * best.after);
    sn_bench_figure(out_result, "next_steps", best.next / best.step);
    sn_bench_figure(out_result, "faces", report.faces);
    sn_bench_figure(out_result, "removed", report.tets_removed);
    sn_bench_figure(out_result, "pieces", report.pieces);
done:
    sinew_tets_destroy(tets);
    return status;
}

const SnBenchGroup sn_bench_tetmg_cut = {.name = "tetmg", .list = list, .run = run};

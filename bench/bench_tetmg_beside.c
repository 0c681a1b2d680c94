// `tetmg` beside `split` and `newton`: the armadillo that hangs by a hand, one thread, nu 0.33,
// steps of 10 ms, errors against converged steps as split.MESH.curve has them.
//
// tetmg.MESH.beside_E  ms a step of tetmg and split with accuracy 1e-2 in the first 0.2 s at that
//                      stiffness, and of newton, which is converged to its own tolerance, in the
//                      first 0.04 s; their errors, and split's time over tetmg's
// tetmg.MESH.first_E   ms a step that each takes to follow converged steps to 1 % (of tetmg the
//                      entry's own figure) and to 0.1 %, by the cheapest of a few accuracies; 0:
//                      none of them does. newton's errors are of the first 0.04 s alone
//
// newton is left out at 173k tets, where a step would take it ten seconds or so.
#include "bench/hanging.h"
#include "bench/swing.h"

#include "base/clock.h"

#include <math.h>
#include <stdio.h>

typedef struct Case {
    const char *mesh; // of hanging.h
    const char *name;
    double young; // Pa
    bool is_first;
    bool has_newton;
} Case;

static const Case cases[] = {
    {"armadillo_6k", "6k.beside_1e6", 1e6, false, true},
    {"armadillo_6k", "6k.beside_1e7", 1e7, false, true},
    {"armadillo_16k", "16k.beside_1e6", 1e6, false, true},
    {"armadillo_16k", "16k.beside_1e7", 1e7, false, true},
    {"armadillo_55k", "55k.beside_1e6", 1e6, false, true},
    {"armadillo_55k", "55k.beside_1e7", 1e7, false, true},
    {"armadillo_173k", "173k.beside_1e6", 1e6, false, false},
    {"armadillo_173k", "173k.beside_1e7", 1e7, false, false},
    {"armadillo_6k", "6k.first_1e5", 1e5, true, true},
    {"armadillo_6k", "6k.first_1e6", 1e6, true, true},
    {"armadillo_6k", "6k.first_1e7", 1e7, true, true},
    {"armadillo_16k", "16k.first_1e5", 1e5, true, true},
    {"armadillo_16k", "16k.first_1e6", 1e6, true, true},
    {"armadillo_16k", "16k.first_1e7", 1e7, true, true},
    {"armadillo_55k", "55k.first_1e5", 1e5, true, true},
    {"armadillo_55k", "55k.first_1e6", 1e6, true, true},
    {"armadillo_55k", "55k.first_1e7", 1e7, true, true},
};

enum {
    CASES = sizeof cases / sizeof *cases,
    STEPS = 2,        // to an output time of a swing of 0.2 s
    NEWTON_TIMES = 2, // output times that newton, which is slow, is followed to
    RUNS = 3
};

static SinewStatus list(SnBench *bench, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int i = 0; i < CASES; ++i) {
        char name[SN_BENCH_NAME];
        snprintf(name, sizeof name, "tetmg.%s", cases[i].name);
        SN_TRY(sn_bench_add(bench, &sn_bench_tetmg_beside, name, bench->kernels, SN_ONE_THREAD, i,
                            error));
    }
done:
    return status;
}

// What one model came to.
typedef struct Swing {
    double means[SN_SWING_TIMES][3];
    double time;  // s a step
    double error; // %
} Swing;

static double run_newton(SnHanging *rig, double (*means)[3])
{
    static const double none[3] = {0.0, 0.0, 0.0};
    rig->model->start(rig->body, SINEW_START_REST, none, none);
    double begin = sn_clock_seconds();
    for (int i = 0; i < STEPS * NEWTON_TIMES; ++i) {
        sn_hanging_step(rig, NULL);
        if ((i + 1) % STEPS == 0) {
            sn_hanging_mean(rig, means[i / STEPS]);
        }
    }
    return (sn_clock_seconds() - begin) / (STEPS * NEWTON_TIMES);
}

// `accuracy` 0: newton's own tolerance.
static SinewStatus swing(const SnBench *bench, const SnBenchEntry *entry, const SnModel *model,
                         double accuracy, const Swing *truth, Swing *out, SnBenchResult *out_result,
                         SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnHanging *rig = NULL;
    SnHangingPlan plan = sn_hanging_plan(cases[entry->index].mesh);
    bool is_newton = model == &sn_newton_model;
    plan.model = model;
    plan.young = cases[entry->index].young;
    plan.split.mode = SINEW_SPLIT_IMPLICIT;
    plan.split.accuracy = plan.tetmg.accuracy = is_newton ? 1e-3 : accuracy;
    SN_TRY(sn_hanging_create(bench, &plan, entry->kernels, NULL, out_result, &rig, error));
    if (rig != NULL) {
        rig->step.tolerance = is_newton ? accuracy : 0.0;
        out->time = is_newton ? run_newton(rig, out->means)
                              : sn_swing_run(rig, STEPS, truth == NULL ? 1 : RUNS, out->means);
        status = rig->status;
        for (int t = NEWTON_TIMES; t < SN_SWING_TIMES && is_newton; ++t) {
            for (int k = 0; k < 3; ++k) {
                out->means[t][k] = truth->means[t][k]; // not looked at
            }
        }
        out->error =
            truth != NULL ? sn_swing_error(out->means, (const double(*)[3])truth->means) : 0.0;
    }
done:
    sn_hanging_destroy(rig);
    return status;
}

static SinewStatus run_beside(const SnBench *bench, const SnBenchEntry *entry, const Swing *truth,
                              SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    static Swing tetmg, split, newton;
    SN_TRY(swing(bench, entry, &sn_tetmg_model, 1e-2, truth, &tetmg, out_result, error));
    SN_TRY(swing(bench, entry, &sn_split_model, 1e-2, truth, &split, out_result, error));
    out_result->value = out_result->median = tetmg.time * 1e3;
    sn_bench_figure(out_result, "split_ms", split.time * 1e3);
    sn_bench_figure(out_result, "split_over", split.time / tetmg.time);
    sn_swing_errors(tetmg.means, (const double(*)[3])truth->means, out_result);
    sn_bench_figure(out_result, "split_%", split.error);
    if (cases[entry->index].has_newton) {
        SN_TRY(swing(bench, entry, &sn_newton_model, 0.0, truth, &newton, out_result, error));
        sn_bench_figure(out_result, "newton_ms", newton.time * 1e3);
        sn_bench_figure(out_result, "newton_%", newton.error);
    }
done:
    return status;
}

// Least ms a step within 1 % and within 0.1 %, over accuracies that end with a negative one.
static SinewStatus find_first(const SnBench *bench, const SnBenchEntry *entry, const SnModel *model,
                              const double *accuracies, const Swing *truth, double out_ms[2],
                              SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    static Swing one;
    out_ms[0] = out_ms[1] = 0.0;
    for (int i = 0; accuracies[i] >= 0.0 && out_ms[1] == 0.0; ++i) {
        SN_TRY(swing(bench, entry, model, accuracies[i], truth, &one, out_result, error));
        for (int k = 0; k < 2; ++k) {
            bool fits = one.error <= (k == 0 ? 1.0 : 0.1);
            double ms = one.time * 1e3;
            out_ms[k] = fits && (out_ms[k] == 0.0 || ms < out_ms[k]) ? ms : out_ms[k];
        }
    }
done:
    return status;
}

static SinewStatus run_first(const SnBench *bench, const SnBenchEntry *entry, const Swing *truth,
                             SnBenchResult *out_result, SinewError *error)
{
    static const double usual[] = {1e-2, 3e-3, 1e-3, 3e-4, 1e-4, -1.0}, newtons[] = {1e-2, 0, -1.0};
    SinewStatus status = SINEW_OK;
    double tetmg[2], split[2], newton[2];
    SN_TRY(find_first(bench, entry, &sn_tetmg_model, usual, truth, tetmg, out_result, error));
    SN_TRY(find_first(bench, entry, &sn_split_model, usual, truth, split, out_result, error));
    SN_TRY(find_first(bench, entry, &sn_newton_model, newtons, truth, newton, out_result, error));
    out_result->value = out_result->median = tetmg[0];
    sn_bench_figure(out_result, "split_1%", split[0]);
    sn_bench_figure(out_result, "newton_1%", newton[0]);
    sn_bench_figure(out_result, "tetmg_.1%", tetmg[1]);
    sn_bench_figure(out_result, "split_.1%", split[1]);
    sn_bench_figure(out_result, "newton_.1%", newton[1]);
done:
    return status;
}

static SinewStatus run(SnBench *bench, void *state, const SnBenchEntry *entry,
                       SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    static Swing truth;
    (void)state;
    out_result->unit = "ms";
    SN_TRY(swing(bench, entry, &sn_tetmg_model, 1e-6, NULL, &truth, out_result, error));
    if (out_result->skipped[0] == '\0') {
        SN_TRY(cases[entry->index].is_first ? run_first(bench, entry, &truth, out_result, error)
                                            : run_beside(bench, entry, &truth, out_result, error));
    }
done:
    return status;
}

const SnBenchGroup sn_bench_tetmg_beside = {.name = "tetmg", .list = list, .run = run};

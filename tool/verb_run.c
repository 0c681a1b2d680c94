// sinew run: a scene in, probes, frames and pictures out. A run may be killed at any moment; what
// has its name is whole, and --resume goes on from the last checkpoint.
#include "base/clock.h"
#include "base/hash.h"
#include "tool/options.h"
#include "tool/progress.h"
#include "tool/run/checkpoint.h"
#include "tool/run/cuts.h"
#include "tool/run/summary.h"
#include "tool/tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Wall-clock time between checkpoints, s, and as a multiple of the time that the last one took: the
// state of a crowd is hundreds of megabytes.
#define CHECKPOINT_SECONDS 1.0
#define CHECKPOINT_SHARE 20.0

typedef struct Settings {
    const char *output;
    int threads;
    int steps;
    SnOptionList set;
    bool resume;
    bool json;
    bool quiet;
} Settings;

static const SnOption options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = SN_OPTION_TEXT,
     .offset = offsetof(Settings, output),
     .value_name = "DIR",
     .help = "folder for the results; default: out/ and the scene's name"},
    SN_OPTION_THREADS(Settings),
    {.name = "steps",
     .kind = SN_OPTION_INT,
     .offset = offsetof(Settings, steps),
     .least = 1,
     .most = 1000000000,
     .value_name = "N",
     .help = "steps, or load steps, instead of the scene's"},
    {.name = "set",
     .kind = SN_OPTION_LIST,
     .offset = offsetof(Settings, set),
     .value_name = "PATH=VALUE",
     .help = "another value, such as bodies.0.material.young=1e5; may be repeated"},
    {.name = "resume",
     .kind = SN_OPTION_FLAG,
     .offset = offsetof(Settings, resume),
     .help = "go on from the last checkpoint in DIR"},
    SN_OPTION_JSON(Settings),
    {.name = "quiet",
     .kind = SN_OPTION_FLAG,
     .offset = offsetof(Settings, quiet),
     .help = "no progress, no summary"},
};

enum { OPTION_COUNT = sizeof options / sizeof *options };

static void help(FILE *file)
{
    fprintf(file,
            "usage: sinew run SCENE.yaml [options]\n\n"
            "Simulates a scene. DIR then holds probes.csv and plots/ with every probe, frames/ in\n"
            "the formats that the scene asks for, and contact_sheet.png. What a scene may say:\n"
            "sinew help scene.\n\n");
    sn_options_help(options, OPTION_COUNT, file);
}

// All that one run holds.
enum { WARNED_MAX = 64 }; // bodies whose warnings are told again when they change

typedef struct Run {
    Settings settings;
    SinewScene *scene;
    SinewWorld *world;
    SnRunOutput output;
    SnRunTimes times;
    char checkpoint_path[SN_RUN_PATH_MAX];
    uint64_t hash;
    void *state; // room for the world's state
    size_t state_size;
    size_t state_room;               // bytes there
    int64_t step;                    // done
    uint64_t warned[WARNED_MAX + 1]; // per body: a hash of what it said
    bool is_finished;
} Run;

enum { SET_PATH_SIZE = 256 };

// A --set that says no path and value is wrong usage, not a wrong scene.
static SinewStatus check_set(const SnOptionList *set, SinewError *error)
{
    for (int i = 0; i < set->count; ++i) {
        const char *item = set->items[i];
        const char *equals = strchr(item, '=');
        if (equals == NULL || equals == item || equals - item >= SET_PATH_SIZE) {
            return sn_fail(error, SINEW_ERROR_ARGUMENT,
                           "--set is \"%.60s\", expected PATH=VALUE such as world.dt=0.005", item);
        }
    }
    return SINEW_OK;
}

static SinewStatus load_scene(Run *run, const char *path, SinewError *error)
{
    SinewOverride overrides[SN_OPTION_LIST_MAX];
    char paths[SN_OPTION_LIST_MAX][SET_PATH_SIZE];
    for (int i = 0; i < run->settings.set.count; ++i) {
        const char *item = run->settings.set.items[i];
        const char *equals = strchr(item, '=');
        snprintf(paths[i], sizeof paths[i], "%.*s", (int)(equals - item), item);
        overrides[i] = (SinewOverride){.path = paths[i], .value = equals + 1};
    }
    return sinew_scene_load(path, overrides, run->settings.set.count, NULL, &run->scene, error);
}

// A bar for each thing that takes long while the world is made.
typedef struct MakingBar {
    SnBar bar;
    char what[80];
} MakingBar;

static void show_making(void *context, const char *what, int done, int total)
{
    MakingBar *making = context;
    if (total == 0) {
        sn_progress_end(making->bar.quiet);
        sn_complain("run", "%s", what);
        return;
    }
    if (strcmp(making->what, what) != 0) {
        snprintf(making->what, sizeof making->what, "%s", what);
        making->bar = sn_bar_begin(making->bar.quiet, making->what);
    }
    sn_bar_show(&making->bar, done, total);
}

static SinewStatus build_world(Run *run, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewWorldDef host = sinew_world_def_default();
    MakingBar making = {.bar = {.quiet = run->settings.quiet}};
    host.progress = (SinewProgress){show_making, &making};
    SN_TRY(sn_choose_threads(run->settings.threads, &host.worker_count, error));
    SN_TRY(sinew_scene_build(run->scene, &host, &run->world, error));
done:
    sn_progress_end(run->settings.quiet);
    return status;
}

// What follows the name of a body in its warning.
static const char *after_name(const char *warning)
{
    const char *colon = strstr(warning, "\": ");
    return colon != NULL ? colon : warning;
}

// What bodies say of themselves: before anyone waits for them, and again where a solve changed it.
// Equal bodies say it once.
static void warn(Run *run)
{
    int count = sinew_scene_settings(run->scene).body_count;
    const char *last = "";
    for (int b = 0; b < count && !run->settings.quiet; ++b) {
        SinewBodyId body = sinew_scene_body_id(run->scene, b);
        const char *warning = sinew_body_info(run->world, body).warning;
        uint64_t hash = warning != NULL ? sn_hash(SN_HASH_START, warning, strlen(warning)) : 0;
        uint64_t *said = &run->warned[b < WARNED_MAX ? b : WARNED_MAX];
        if (warning != NULL && hash != *said && (run->step == 0 || b < WARNED_MAX) &&
            strcmp(after_name(warning), last) != 0) {
            sn_complain("run", "warning: %s", warning);
            last = after_name(warning);
        }
        *said = hash;
    }
}

// out/NAME for .../NAME.yaml.
static void default_folder(const char *scene, char out[SN_RUN_PATH_MAX])
{
    const char *slash = strrchr(scene, '/');
    const char *name = slash != NULL ? slash + 1 : scene;
    const char *dot = strrchr(name, '.');
    int length = dot != NULL && dot > name ? (int)(dot - name) : (int)strlen(name);
    snprintf(out, SN_RUN_PATH_MAX, "out/%.*s", length, name);
}

// Takes the state of the checkpoint, if there is one and it is asked for. Its step and frame say
// where the output goes on.
static SinewStatus restore(Run *run, SnCheckpoint *checkpoint, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    FILE *probe = run->settings.resume ? fopen(run->checkpoint_path, "rb") : NULL;
    if (probe == NULL) {
        return SINEW_OK;
    }
    fclose(probe);
    SN_TRY(sn_checkpoint_read(run->checkpoint_path, run->hash, checkpoint, error));
    SN_TRY(sinew_world_restore(run->world, checkpoint->state, checkpoint->size, error));
    run->step = checkpoint->step;
    run->is_finished = checkpoint->is_finished != 0;
done:
    return status;
}

static SinewStatus open_output(Run *run, const char *scene_path, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    char folder[SN_RUN_PATH_MAX];
    SnCheckpoint checkpoint = {0};
    SinewSceneSettings scene = sinew_scene_settings(run->scene);
    int64_t step_count = scene.is_static ? scene.load_steps : scene.steps;
    step_count = run->settings.steps > 0 ? run->settings.steps : step_count;

    default_folder(scene_path, folder);
    const char *path = run->settings.output != NULL ? run->settings.output : folder;
    SN_TRY(sinew_scene_hash(run->scene, &run->hash, error));
    run->hash = sn_hash(run->hash, &step_count, sizeof step_count);
    SN_TRY(sn_run_folder_open(&run->output.folder, path, !run->settings.resume, error));
    sn_run_folder_name(&run->output.folder, "checkpoint", "", run->checkpoint_path);
    SN_TRY(restore(run, &checkpoint, error));
    SN_TRY(sn_run_output_open(&run->output, run->scene, run->world, step_count, checkpoint.step,
                              run->is_finished ? -1 : checkpoint.frame, error));
    SN_ALLOC(run->times.steps, NULL, step_count, error);
done:
    sn_checkpoint_release(&checkpoint);
    return status;
}

// Room for the world's state, which cuts make larger.
static SinewStatus make_room(Run *run, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t size = sinew_world_state_size(run->world);
    if (size > run->state_room) {
        sn_free(NULL, run->state);
        run->state_room = 0;
        run->state = sn_alloc(NULL, size, 1);
        SN_TRY(sn_expect_memory(run->state, size, 1, error));
        run->state_room = size;
    }
    run->state_size = size;
done:
    return status;
}

// All frames up to here are on disk; now the state that goes with them.
static SinewStatus write_checkpoint(Run *run, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(make_room(run, error));
    SN_TRY(sinew_world_save(run->world, run->state, run->state_size, error));
    SnCheckpoint checkpoint = sn_checkpoint_make();
    checkpoint.scene = run->hash;
    checkpoint.step = run->step;
    checkpoint.frame = run->output.frame_count;
    checkpoint.is_finished = run->is_finished;
    checkpoint.state = run->state;
    checkpoint.size = run->state_size;
    SN_TRY(sn_checkpoint_write(&checkpoint, run->checkpoint_path, error));
done:
    return status;
}

// One step or load step, its row, and its frame where one is due.
static SinewStatus advance(Run *run, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewSceneSettings *scene = &run->output.settings;
    SN_TRY(sn_run_cuts_make(&run->output, run->scene, run->world, run->step, run->settings.quiet,
                            error));
    double start = sn_clock_seconds();
    run->times.inverted = (SinewError){0};
    if (scene->is_static) {
        double t = sn_run_output_time(&run->output, run->step + 1);
        SN_TRY(sinew_world_solve_static(run->world, t, scene->tolerance, error));
        if (status == SINEW_INVERTED) {
            run->times.inverted_count += 1;
            run->times.inverted = *error;
        }
    } else {
        SN_TRY(sinew_world_step(run->world, scene->dt, error));
    }
    run->times.steps[run->times.step_count++] = sn_clock_seconds() - start;
    if (status == SINEW_NOT_CONVERGED) {
        double residual = sinew_world_report(run->world).residual;
        run->times.loose_count += 1;
        run->times.loose_residual = fmax(run->times.loose_residual, residual);
    }
    SinewStepReport report = sinew_world_report(run->world);
    run->times.capped_count += report.capped > 0 ? 1 : 0;
    run->times.rescue_count += report.rescues;
    run->times.iteration_count += report.iterations;
    run->times.solve_count += report.linear_solves;
    ++run->step;
    if (scene->is_static) {
        warn(run);
    }
    SN_TRY(sn_run_output_row(&run->output, run->step, error));
    if (sn_run_output_is_due(&run->output, run->step)) {
        SN_TRY(sn_run_output_frame(&run->output, run->step, error));
    }
done:
    return status;
}

static SinewStatus simulate(Run *run, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBar bar = sn_bar_begin(run->settings.quiet, "simulating");
    double saved = sn_clock_seconds(), pause = CHECKPOINT_SECONDS;
    int64_t first = run->step;
    if (run->step == 0 && run->output.frame_count == 0) {
        SN_TRY(sn_run_output_frame(&run->output, 0, error));
    }
    while (run->step < run->output.step_count) {
        sn_bar_show(&bar, (double)(run->step - first), (double)(run->output.step_count - first));
        SN_TRY(advance(run, error));
        double now = sn_clock_seconds();
        if (now - saved > pause) {
            SN_TRY(sn_run_output_list(&run->output, error));
            SN_TRY(write_checkpoint(run, error));
            saved = sn_clock_seconds();
            pause = fmax(CHECKPOINT_SECONDS, CHECKPOINT_SHARE * (saved - now));
        }
    }
    SN_TRY(write_checkpoint(run, error));
done:
    sn_progress_end(run->settings.quiet);
    return status;
}

// Pictures and plots; then the checkpoint says that nothing is left to do.
static SinewStatus finish(Run *run, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWorkers *workers = NULL;
    int threads = 1;
    SN_TRY(sn_choose_threads(run->settings.threads, &threads, error));
    SN_TRY(sn_workers_create(NULL, NULL, threads, &workers, error));
    SN_TRY(sn_run_output_finish(&run->output, workers, run->settings.quiet, error));
    run->is_finished = true;
    SN_TRY(write_checkpoint(run, error));
done:
    sn_workers_destroy(workers);
    return status;
}

static SinewStatus tell(Run *run, SinewError *error)
{
    if (run->settings.json) {
        return sn_run_summary_json(&run->output, &run->times, stdout, error);
    }
    if (!run->settings.quiet) {
        sn_run_summary_print(&run->output, &run->times, stdout);
    }
    return SINEW_OK;
}

static SinewStatus run_scene(Run *run, const char *path, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    double start = sn_clock_seconds();
    SN_TRY(load_scene(run, path, error));
    SN_TRY(build_world(run, error));
    warn(run);
    SN_TRY(open_output(run, path, error));
    run->times.setup = sn_clock_seconds() - start;
    if (!run->is_finished) {
        SN_TRY(simulate(run, error));
        SN_TRY(finish(run, error));
    }
    sn_run_output_tidy(&run->output);
    run->times.total = sn_clock_seconds() - start;
    SN_TRY(tell(run, error));
done:
    return status;
}

static void release(Run *run)
{
    sn_run_output_close(&run->output);
    sinew_world_destroy(run->world);
    sinew_scene_destroy(run->scene);
    sn_free(NULL, run->state);
    sn_free(NULL, run->times.steps);
}

static SnExit run_verb(int argument_count, char **arguments)
{
    SinewStatus status = SINEW_OK;
    SinewError error = {0};
    SnExit code = SN_EXIT_USAGE; // until the command line is understood
    Run run = {0};
    int word_count = 0;

    SN_TRY(sn_options_read(options, OPTION_COUNT, argument_count, arguments, &run.settings,
                           &word_count, &error));
    if (word_count != 1) {
        SN_TRY(sn_fail(&error, SINEW_ERROR_ARGUMENT,
                       "got %d scenes, expected one: sinew run "
                       "SCENE.yaml",
                       word_count));
    }
    SN_TRY(check_set(&run.settings.set, &error));
    status = run_scene(&run, arguments[0], &error);
    // A scene that a world refuses is a bad input, not a wrong option.
    code = status == SINEW_ERROR_ARGUMENT ? SN_EXIT_INPUT : sn_exit_of(status);
    if (status >= 0 && run.times.inverted.status == SINEW_INVERTED) {
        code = sn_exit_of(SINEW_INVERTED);
        sn_complain("run", "%s", run.times.inverted.text);
        sn_complain("run", "what was written is in %s; do not rely on it", run.output.folder.path);
    }
done:
    if (status < 0) {
        sn_complain("run", "%s", error.text);
        if (status == SINEW_ERROR_DIVERGED) {
            sn_complain("run", "stopped after step %lld of %lld; what was written is in %s",
                        (long long)run.step, (long long)run.output.step_count,
                        run.output.folder.path);
        }
    }
    release(&run);
    return code;
}

const SnVerb sn_verb_run = {
    .name = "run",
    .summary = "simulate a scene: probes, frames and pictures",
    .run = run_verb,
    .help = help,
};

// sinew bench: what the machine can do, and how near the kernels and solvers come to it.
#include "base/nearest.h"
#include "bench/bench.h"
#include "bench/charts.h"
#include "tool/options.h"
#include "tool/tool.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Settings {
    bool json;
    bool quick;
    bool quiet;
    bool list;
    int threads; // 0: not said
    const char *isa;
    const char *data;
    const char *svg;
} Settings;

static const SnOption options[] = {
    SN_OPTION_JSON(Settings),
    {.name = "threads",
     .kind = SN_OPTION_INT,
     .offset = offsetof(Settings, threads),
     .least = 1,
     .most = SN_WORKERS_MAX,
     .value_name = "N",
     .help = "threads of the .parallel entries; default: SINEW_THREADS, or all cores"},
    {.name = "isa",
     .kind = SN_OPTION_TEXT,
     .offset = offsetof(Settings, isa),
     .value_name = "NAME",
     .help = "instruction set of the plain entries; default: SINEW_ISA, or the widest"},
    {.name = "quick",
     .kind = SN_OPTION_FLAG,
     .offset = offsetof(Settings, quick),
     .help = "fewer sizes and runs, for a first look"},
    {.name = "data",
     .kind = SN_OPTION_TEXT,
     .offset = offsetof(Settings, data),
     .value_name = "DIR",
     .help = "folder of meshes for the entries that need them"},
    {.name = "svg",
     .kind = SN_OPTION_TEXT,
     .offset = offsetof(Settings, svg),
     .value_name = "DIR",
     .help = "also write charts into this folder"},
    {.name = "list",
     .kind = SN_OPTION_FLAG,
     .offset = offsetof(Settings, list),
     .help = "print the names of the entries and measure nothing"},
    {.name = "quiet",
     .kind = SN_OPTION_FLAG,
     .offset = offsetof(Settings, quiet),
     .help = "no progress on standard error"},
};

enum { OPTION_COUNT = sizeof options / sizeof *options };

static void help(FILE *file)
{
    fprintf(file, "usage: sinew bench [NAME...] [options]\n\n"
                  "Measures the machine (bandwidth by working set, multiply-add peak), then each\n"
                  "entry that a NAME stands for, or all: the best of several runs, the limit that\n"
                  "its bytes and operations imply on this machine, and the part of it reached.\n"
                  "\"rotation\" is a group, \"rotation.apd1\" an entry with all its variants.\n\n");
    sn_options_help(options, OPTION_COUNT, file);
}

// The row of kernels: the option, or what the table picks.
static SinewStatus choose_kernels(const Settings *settings, const SnKernels **out_kernels,
                                  SinewError *error)
{
    if (settings->isa == NULL) {
        return sn_kernels_pick(SN_FAST_BITS, out_kernels, error);
    }
    const char *known[SN_ISA_COUNT];
    for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
        known[isa] = sn_isa_name((SnIsa)isa);
        if (strcmp(settings->isa, known[isa]) != 0) {
            continue;
        }
        if (!sn_isa_runs((SnIsa)isa)) {
            return sn_fail(error, SINEW_ERROR_UNSUPPORTED,
                           "--isa is \"%s\", which this machine or this build cannot run",
                           known[isa]);
        }
        *out_kernels = sn_kernels_of((SnIsa)isa, SN_FAST_BITS);
        return SINEW_OK;
    }
    int nearest = sn_resembling_word(settings->isa, known, SN_ISA_COUNT);
    if (nearest < 0) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "--isa is \"%.32s\", expected a name such as ref, sse2, avx2 or neon",
                       settings->isa);
    }
    return sn_fail(error, SINEW_ERROR_ARGUMENT, "--isa is \"%.32s\"; the nearest known is \"%s\"",
                   settings->isa, known[nearest]);
}

static void print_names(const SnBench *bench)
{
    for (int e = 0; e < bench->entry_count; ++e) {
        if (bench->entries[e].selected) {
            puts(bench->entries[e].name);
        }
    }
}

static SnExit run(int argument_count, char **arguments)
{
    SinewStatus status = SINEW_OK;
    SinewError error = {0};
    SnExit code = SN_EXIT_USAGE; // until the command line is understood
    Settings settings = {.data = SINEW_DATA_FOLDER};
    SnBench bench = {0};
    int word_count = 0;

    SN_TRY(sn_options_read(options, OPTION_COUNT, argument_count, arguments, &settings, &word_count,
                           &error));
    SN_TRY(sn_choose_threads(settings.threads, &bench.threads, &error));
    SN_TRY(choose_kernels(&settings, &bench.kernels, &error));
    bench.quick = settings.quick;
    bench.quiet = settings.quiet;
    bench.data_folder = settings.data;

    code = SN_EXIT_MACHINE;
    SN_TRY(sn_bench_open(&bench, &error));
    code = SN_EXIT_USAGE;
    SN_TRY(sn_bench_select(&bench, arguments, word_count, &error));
    code = SN_EXIT_DONE;
    if (settings.list) {
        print_names(&bench);
        goto done;
    }
    status = sn_bench_run(&bench, &error);
    code = sn_exit_of(status);
    if (status < 0) {
        goto done;
    }
    if (!settings.json) {
        sn_bench_print(&bench, stdout);
    } else if (!sn_bench_print_json(&bench, stdout)) {
        status = sn_fail(&error, SINEW_ERROR_MEMORY, "the JSON document could not be written");
        code = SN_EXIT_MACHINE;
        goto done;
    }
    if (settings.svg != NULL) {
        status = sn_bench_charts(&bench, settings.svg, settings.json ? stderr : stdout, &error);
        code = sn_exit_of(status);
    }
done:
    if (status < 0) {
        sn_complain("bench", "%s", error.text);
    }
    sn_bench_close(&bench);
    return code;
}

const SnVerb sn_verb_bench = {
    .name = "bench",
    .summary = "how fast this machine is, and how near to its limits Sinew runs on it",
    .run = run,
    .help = help,
};

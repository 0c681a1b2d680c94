// sinew VERB [options]: picks the verb and reports, at the very end, output that could not be
// written.
#include "base/nearest.h"
#include "scene/schema.h"
#include "tool/tool.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

static SnExit run_help(int argument_count, char **arguments);
static void help_help(FILE *file);

static const SnVerb verb_help = {
    .name = "help",
    .summary = "what a verb does and which options it takes",
    .run = run_help,
    .help = help_help,
};

// What works today, in the order in which it is listed.
static const SnVerb *const verbs[] = {&sn_verb_info, &sn_verb_mesh, &sn_verb_run, &sn_verb_bench,
                                      &verb_help};

enum { VERB_COUNT = sizeof verbs / sizeof *verbs };

void sn_complain(const char *verb, const char *format, ...)
{
    fprintf(stderr, verb != NULL ? "sinew %s: " : "sinew: ", verb);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

SnExit sn_exit_of(SinewStatus status)
{
    switch (status) {
    case SINEW_OK:
    case SINEW_NOT_CONVERGED:
        return SN_EXIT_DONE;
    case SINEW_ERROR_ARGUMENT:
        return SN_EXIT_USAGE;
    case SINEW_ERROR_FILE:
        return SN_EXIT_INPUT;
    case SINEW_INVERTED: // what was written is there to be looked at, and no answer to build on
    case SINEW_ERROR_NOT_DEFINITE:
    case SINEW_ERROR_DIVERGED:
        return SN_EXIT_SIMULATION;
    case SINEW_ERROR_MEMORY:
    case SINEW_ERROR_UNSUPPORTED:
    case SINEW_ERROR_WRITE:
        return SN_EXIT_MACHINE;
    }
    return SN_EXIT_MACHINE;
}

// The verb of that name; NULL, after a sentence that names the nearest, when there is none.
static const SnVerb *find_verb(const char *name)
{
    const char *known[VERB_COUNT];
    for (int v = 0; v < VERB_COUNT; ++v) {
        known[v] = verbs[v]->name;
        if (strcmp(name, known[v]) == 0) {
            return verbs[v];
        }
    }
    int nearest = sn_resembling_word(name, known, VERB_COUNT);
    if (nearest >= 0) {
        sn_complain(NULL,
                    "no verb \"%.40s\"; the nearest is \"%s\", and \"sinew help\" lists them all",
                    name, known[nearest]);
    } else {
        sn_complain(NULL, "no verb \"%.40s\", expected info, mesh, run, bench or help", name);
    }
    return NULL;
}

static void list_verbs(FILE *file)
{
    fprintf(file,
            "sinew %s: deformable solids that obey real elasticity\n\n"
            "usage: sinew VERB [options]\n\n",
            sinew_version());
    for (int v = 0; v < VERB_COUNT; ++v) {
        fprintf(file, "  %-10s %s\n", verbs[v]->name, verbs[v]->summary);
    }
    fprintf(file, "\n  --version  the version, and nothing else\n\n"
                  "exit: 0 done, 2 wrong usage, 3 bad input, 4 the simulation failed, "
                  "5 the machine failed\n");
}

static void help_help(FILE *file)
{
    fprintf(file, "usage: sinew help [VERB | scene]\n\n"
                  "Lists the verbs, tells what one does and which options it takes, or prints the\n"
                  "reference page of scene files.\n");
}

static SnExit run_help(int argument_count, char **arguments)
{
    if (argument_count == 1 && strcmp(arguments[0], "scene") == 0) {
        sn_scene_print_reference(stdout);
        return SN_EXIT_DONE;
    }
    if (argument_count == 0) {
        list_verbs(stdout);
        return SN_EXIT_DONE;
    }
    if (argument_count > 1) {
        sn_complain("help", "got %d words, expected one verb", argument_count);
        return SN_EXIT_USAGE;
    }
    const SnVerb *verb = find_verb(arguments[0]);
    if (verb == NULL) {
        return SN_EXIT_USAGE;
    }
    verb->help(stdout);
    return SN_EXIT_DONE;
}

static bool asks_for_help(int argument_count, char **arguments)
{
    for (int i = 0; i < argument_count && strcmp(arguments[i], "--") != 0; ++i) {
        if (strcmp(arguments[i], "--help") == 0 || strcmp(arguments[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

static SnExit run(int argument_count, char **arguments)
{
    if (argument_count < 2) {
        list_verbs(stderr);
        return SN_EXIT_USAGE;
    }
    const char *word = arguments[1];
    if (strcmp(word, "--version") == 0 || strcmp(word, "version") == 0) {
        printf("sinew %s\n", sinew_version());
        return SN_EXIT_DONE;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        list_verbs(stdout);
        return SN_EXIT_DONE;
    }
    const SnVerb *verb = find_verb(word);
    if (verb == NULL) {
        return SN_EXIT_USAGE;
    }
    if (asks_for_help(argument_count - 2, arguments + 2)) {
        verb->help(stdout);
        return SN_EXIT_DONE;
    }
    return verb->run(argument_count - 2, arguments + 2);
}

int main(int argument_count, char **arguments)
{
    SnExit code = run(argument_count, arguments);
    // A full disk or a closed pipe shows here at the latest; whoever reads must not take a part for
    // the whole.
    errno = 0;
    bool failed = ferror(stdout) != 0;
    if ((fflush(stdout) != 0 || failed) && code == SN_EXIT_DONE) {
        sn_complain(NULL, "standard output could not be written: %s",
                    errno != 0 ? strerror(errno) : "an earlier write failed");
        code = SN_EXIT_MACHINE;
    }
    return (int)code;
}

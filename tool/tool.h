// The sinew command: what its verbs share. A verb reads its own options, does its work, writes
// results to standard output and messages to standard error, and returns an exit code.
#ifndef SN_TOOL_TOOL_H
#define SN_TOOL_TOOL_H

#include "base/status.h"

#include <stdio.h>

typedef enum SnExit {
    SN_EXIT_DONE = 0,
    SN_EXIT_USAGE = 2,      // the command line or an environment variable is wrong
    SN_EXIT_INPUT = 3,      // a file is wrong
    SN_EXIT_SIMULATION = 4, // the simulation failed
    SN_EXIT_MACHINE = 5     // out of memory, disk full, output closed
} SnExit;

// `arguments` are those after the verb.
typedef SnExit SnVerbFn(int argument_count, char **arguments);

typedef struct SnVerb {
    const char *name;
    const char *summary;      // one line, for `sinew help`
    SnVerbFn *run;            //
    void (*help)(FILE *file); // `sinew help VERB` and `sinew VERB --help`
} SnVerb;

extern const SnVerb sn_verb_mesh;
extern const SnVerb sn_verb_run;
extern const SnVerb sn_verb_bench;
extern const SnVerb sn_verb_info;

// "sinew VERB: sentence" to standard error.
void sn_complain(const char *verb, const char *format, ...) SN_PRINTF(2, 3);

// The exit code that a failed call of the library stands for.
SnExit sn_exit_of(SinewStatus status);

#endif

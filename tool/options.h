// Options of a verb: a table says what it takes, one function reads the command line into the
// verb's own struct, another prints the table as help. `--name value` and `--name=value` mean the
// same, `--` ends the options, and what is no option is a word.
#ifndef SN_TOOL_OPTIONS_H
#define SN_TOOL_OPTIONS_H

#include "base/workers.h"

#include <stddef.h>
#include <stdio.h>

typedef enum SnOptionKind {
    SN_OPTION_FLAG, // bool, set to true
    SN_OPTION_INT,  // int within [least, most]
    SN_OPTION_TEXT, // const char *, points into the command line
    SN_OPTION_LIST  // SnOptionList: may be given several times
} SnOptionKind;

#define SN_OPTION_LIST_MAX 64

// Values of an option that may be given several times, in order; they point into the command line.
typedef struct SnOptionList {
    const char *items[SN_OPTION_LIST_MAX];
    int count;
} SnOptionList;

typedef struct SnOption {
    const char *name;       // "threads", written --threads
    char letter;            // 'o' for -o as well; 0: none
    SnOptionKind kind;      //
    size_t offset;          // offsetof the member of the verb's struct that it fills
    int least;              // SN_OPTION_INT alone
    int most;               //
    const char *value_name; // what help calls the value, such as "N"; NULL for flags
    const char *help;       // one line
} SnOption;

// Options that several verbs take; `Settings` has members of those names.
#define SN_OPTION_THREADS(Settings)                                                                \
    {                                                                                              \
        .name = "threads", .kind = SN_OPTION_INT, .offset = offsetof(Settings, threads),           \
        .least = 1, .most = SN_WORKERS_MAX, .value_name = "N",                                     \
        .help = "threads; default: SINEW_THREADS, or all of the machine"                           \
    }
#define SN_OPTION_JSON(Settings)                                                                   \
    {                                                                                              \
        .name = "json", .kind = SN_OPTION_FLAG, .offset = offsetof(Settings, json),                \
        .help = "one JSON document on standard output"                                             \
    }

// Reads arguments[0..argument_count) into `out`, whose members keep their values where nothing is
// said. Words are moved, in order, to the front of `arguments`. Fails with a sentence that names
// the option and what was expected, or the nearest known option.
SinewStatus sn_options_read(const SnOption *options, int option_count, int argument_count,
                            char **arguments, void *out, int *out_word_count, SinewError *error);

// One line an option.
void sn_options_help(const SnOption *options, int option_count, FILE *file);

// A whole number within [least, most] and nothing after it. `name` is for the sentence.
SinewStatus sn_read_int(const char *name, const char *text, int least, int most, int *out_value,
                        SinewError *error);

// How many threads to use: those of --threads where `wanted` is positive, else those of
// SINEW_THREADS, else all of the machine.
SinewStatus sn_choose_threads(int wanted, int *out_threads, SinewError *error);

#endif

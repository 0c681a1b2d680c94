#include "tool/options.h"

#include "base/workers.h"

#include "base/nearest.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPTIONS_MAX = 64 };

SinewStatus sn_read_int(const char *name, const char *text, int least, int most, int *out_value,
                        SinewError *error)
{
    char *end = NULL;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || value < least || value > most) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s is \"%.40s\", expected a whole number from %d to %d", name, text, least,
                       most);
    }
    *out_value = (int)value;
    return SINEW_OK;
}

// The option that `argument` (which starts with a dash) names, or NULL. A value after "=" is
// handed out, NULL when there is none.
static const SnOption *find(const SnOption *options, int option_count, const char *argument,
                            const char **out_value)
{
    *out_value = NULL;
    if (argument[1] != '-') {
        for (int o = 0; o < option_count; ++o) {
            if (options[o].letter != 0 && argument[1] == options[o].letter && argument[2] == '\0') {
                return &options[o];
            }
        }
        return NULL;
    }
    const char *name = argument + 2;
    const char *equals = strchr(name, '=');
    size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
    for (int o = 0; o < option_count; ++o) {
        if (strlen(options[o].name) == length && strncmp(options[o].name, name, length) == 0) {
            *out_value = equals != NULL ? equals + 1 : NULL;
            return &options[o];
        }
    }
    return NULL;
}

static SinewStatus refuse_unknown(const SnOption *options, int option_count, const char *argument,
                                  SinewError *error)
{
    char name[64];
    snprintf(name, sizeof name, "%s", argument + strspn(argument, "-"));
    name[strcspn(name, "=")] = '\0';
    const char *known[OPTIONS_MAX];
    for (int o = 0; o < option_count; ++o) {
        known[o] = options[o].name;
    }
    int nearest = sn_resembling_word(name, known, option_count);
    if (option_count == 0) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "no option \"%.40s\", and none is expected",
                       argument);
    }
    if (nearest < 0) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "no option \"%.40s\"; --help lists those there are", argument);
    }
    return sn_fail(error, SINEW_ERROR_ARGUMENT, "no option \"%.40s\"; the nearest is \"--%s\"",
                   argument, known[nearest]);
}

static SinewStatus add_to_list(const SnOption *option, const char *value, SnOptionList *list,
                               SinewError *error)
{
    if (list->count == SN_OPTION_LIST_MAX) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "--%s is given more than %d times",
                       option->name, SN_OPTION_LIST_MAX);
    }
    list->items[list->count++] = value;
    return SINEW_OK;
}

static SinewStatus set(const SnOption *option, const char *value, void *out, SinewError *error)
{
    char *member = (char *)out + option->offset;
    switch (option->kind) {
    case SN_OPTION_FLAG:
        *(bool *)member = true;
        return SINEW_OK;
    case SN_OPTION_INT: {
        char name[48];
        snprintf(name, sizeof name, "--%s", option->name);
        return sn_read_int(name, value, option->least, option->most, (int *)member, error);
    }
    case SN_OPTION_TEXT:
        if (value[0] == '\0') {
            return sn_fail(error, SINEW_ERROR_ARGUMENT, "--%s is empty, expected %s", option->name,
                           option->value_name);
        }
        *(const char **)member = value;
        return SINEW_OK;
    case SN_OPTION_LIST:
        return add_to_list(option, value, (SnOptionList *)member, error);
    }
    return SINEW_OK;
}

SinewStatus sn_options_read(const SnOption *options, int option_count, int argument_count,
                            char **arguments, void *out, int *out_word_count, SinewError *error)
{
    SN_ASSERT(option_count <= OPTIONS_MAX);
    SinewStatus status = SINEW_OK;
    int words = 0;
    bool ended = false;
    for (int i = 0; i < argument_count; ++i) {
        char *argument = arguments[i];
        bool is_word = ended || argument[0] != '-' || argument[1] == '\0';
        if (is_word) {
            arguments[words++] = argument;
            continue;
        }
        if (strcmp(argument, "--") == 0) {
            ended = true;
            continue;
        }
        const char *value = NULL;
        const SnOption *option = find(options, option_count, argument, &value);
        if (option == NULL) {
            status = refuse_unknown(options, option_count, argument, error);
            goto done;
        }
        if (option->kind == SN_OPTION_FLAG && value != NULL) {
            status = sn_fail(error, SINEW_ERROR_ARGUMENT, "--%s takes no value, got \"%.40s\"",
                             option->name, value);
            goto done;
        }
        if (option->kind != SN_OPTION_FLAG && value == NULL) {
            if (i + 1 == argument_count) {
                status = sn_fail(error, SINEW_ERROR_ARGUMENT, "%s needs a value, expected %s",
                                 argument, option->value_name);
                goto done;
            }
            value = arguments[++i];
        }
        SN_TRY(set(option, value, out, error));
    }
    *out_word_count = words;
done:
    return status;
}

void sn_options_help(const SnOption *options, int option_count, FILE *file)
{
    for (int o = 0; o < option_count; ++o) {
        char left[48];
        char letter[8] = "";
        if (options[o].letter != 0) {
            snprintf(letter, sizeof letter, "-%c, ", options[o].letter);
        }
        snprintf(left, sizeof left, "%s--%s%s%s", letter, options[o].name,
                 options[o].value_name != NULL ? " " : "",
                 options[o].value_name != NULL ? options[o].value_name : "");
        fprintf(file, "  %-20s %s\n", left, options[o].help);
    }
}

SinewStatus sn_choose_threads(int wanted, int *out_threads, SinewError *error)
{
    const char *variable = getenv("SINEW_THREADS");
    if (wanted > 0) {
        *out_threads = wanted;
        return SINEW_OK;
    }
    if (variable != NULL && variable[0] != '\0') {
        return sn_read_int("SINEW_THREADS", variable, 1, SN_WORKERS_MAX, out_threads, error);
    }
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    *out_threads = cores < 1 ? 1 : cores > SN_WORKERS_MAX ? SN_WORKERS_MAX : (int)cores;
    return SINEW_OK;
}

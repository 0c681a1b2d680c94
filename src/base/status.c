#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define STRINGIFY(x) #x
#define TEXT(x) STRINGIFY(x)

const char *sinew_version(void)
{
    return TEXT(SINEW_VERSION_MAJOR) "." TEXT(SINEW_VERSION_MINOR) "." TEXT(SINEW_VERSION_PATCH);
}

const char *sinew_status_text(SinewStatus status)
{
    switch (status) {
    case SINEW_OK:
        return "ok";
    case SINEW_NOT_CONVERGED:
        return "not converged";
    case SINEW_INVERTED:
        return "inverted elements";
    case SINEW_ERROR_ARGUMENT:
        return "bad argument";
    case SINEW_ERROR_MEMORY:
        return "out of memory";
    case SINEW_ERROR_FILE:
        return "bad file";
    case SINEW_ERROR_NOT_DEFINITE:
        return "not positive definite";
    case SINEW_ERROR_UNSUPPORTED:
        return "not supported here";
    case SINEW_ERROR_DIVERGED:
        return "diverged";
    case SINEW_ERROR_WRITE:
        return "cannot be written";
    }
    return "unknown status";
}

// The text is made beside the error, since a caller may put the sentence it got into its own.
static void fill(SinewError *error, SinewStatus status, int64_t index, const char *format,
                 va_list arguments)
{
    if (error == NULL) {
        return;
    }
    char text[sizeof error->text];
    vsnprintf(text, sizeof text, format, arguments);
    // Names come from files and users: none may break the line or drive the terminal.
    for (char *c = text; *c != '\0'; ++c) {
        if ((unsigned char)*c < ' ' || *c == 0x7f) {
            *c = '?';
        }
    }
    error->status = status;
    error->index = index;
    memcpy(error->text, text, sizeof text);
}

SinewStatus sn_fail(SinewError *error, SinewStatus status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(error, status, -1, format, arguments);
    va_end(arguments);
    return status;
}

SinewStatus sn_fail_at(SinewError *error, SinewStatus status, int64_t index, const char *format,
                       ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(error, status, index, format, arguments);
    va_end(arguments);
    return status;
}

SinewStatus sn_fail_body(SinewError *error, SinewStatus status, const char *name)
{
    if (status != SINEW_ERROR_ARGUMENT || error == NULL) {
        return status;
    }
    SinewError said = *error;
    return sn_fail_at(error, status, said.index, "body \"%s\": %.170s", name, said.text);
}

// Status and messages: how a function inside the library says what went wrong. A failing function
// fills the caller's SinewError with one sentence that names the thing, its value and what was
// expected, and returns a negative status; SN_TRY carries it to the one `done:` of each caller.
#ifndef SN_BASE_STATUS_H
#define SN_BASE_STATUS_H

#include "sinew/base.h"

#include <assert.h>

// For our own mistakes only. User input is never trusted and never reaches an assertion.
#define SN_ASSERT(condition) assert(condition)

// Leaves the function through its `done:` when `call` failed. Needs a local `SinewStatus status`.
#define SN_TRY(call)                                                                               \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status < 0) {                                                                          \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

#if defined(__GNUC__)
#define SN_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define SN_PRINTF(text, first)
#endif

// Fills `error` (nullable) and returns `status`.
SinewStatus sn_fail(SinewError *error, SinewStatus status, const char *format, ...) SN_PRINTF(3, 4);

// The same, with the row, vertex or line that the sentence speaks of as data.
SinewStatus sn_fail_at(SinewError *error, SinewStatus status, int64_t index, const char *format,
                       ...) SN_PRINTF(4, 5);

// Puts the body in front of the sentence of a call that failed for an argument and did not know
// whom it worked for. Returns `status`, whatever it is. Nullable: error
SinewStatus sn_fail_body(SinewError *error, SinewStatus status, const char *name);

#endif

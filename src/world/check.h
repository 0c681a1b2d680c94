// Checks of what callers give, shared by the calls of the public API: each names the thing, its
// value and what was expected.
#ifndef SN_WORLD_CHECK_H
#define SN_WORLD_CHECK_H

#include "base/status.h"
#include "sinew/geometry.h"

#include <stdbool.h>

// Numbers beyond this are refused: their powers would overflow.
#define SN_REACH 1e30

// More than this, along an axis, is a slip of the hand: a hundred thousand times that of the Earth.
#define SN_GRAVITY_MAX 1e6 // m/s^2

// The longest step: beyond it a body is at rest or gone.
#define SN_STEP_MAX 1000.0 // s

static inline SinewStatus sn_check_pointer(const void *pointer, const char *name, SinewError *error)
{
    if (pointer == NULL) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "%s is NULL", name);
    }
    return SINEW_OK;
}

// A def must have come from its default function, or its members mean nothing. `size` is its
// struct_size.
SinewStatus sn_check_def_size(uint32_t size, size_t expected, const char *noun, SinewError *error);

// For defs of any type: not NULL, and made by its default function.
#define sn_check_def(def, noun, error)                                                             \
    ((def) == NULL ? sn_fail(error, SINEW_ERROR_ARGUMENT, "the %s def is NULL", noun)              \
                   : sn_check_def_size((def)->struct_size, sizeof *(def), noun, error))

// `what` begins the sentence ("body \"beam\""), `member` goes on.
SinewStatus sn_check_vector(const double v[3], const char *what, const char *member,
                            SinewError *error);
SinewStatus sn_check_nonnegative(double value, const char *what, const char *member,
                                 SinewError *error);
SinewStatus sn_check_positive(double value, const char *what, const char *member,
                              SinewError *error);
// A value of an enumeration of `count` values.
SinewStatus sn_check_choice(int value, int count, const char *what, const char *member,
                            SinewError *error);

// A list that is not there must be empty, and none has less than no entries.
SinewStatus sn_check_list(const void *items, int count, const char *what, const char *member,
                          SinewError *error);

SinewStatus sn_check_allocator(const SinewAllocator *allocator, SinewError *error);

#endif

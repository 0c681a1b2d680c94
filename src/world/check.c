#include "world/check.h"

#include <math.h>

SinewStatus sn_check_def_size(uint32_t size, size_t expected, const char *noun, SinewError *error)
{
    if (size != expected) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the %s def has a struct_size of %u, expected %u: start from "
                       "sinew_%s_def_default()",
                       noun, (unsigned)size, (unsigned)expected, noun);
    }
    return SINEW_OK;
}

SinewStatus sn_check_vector(const double v[3], const char *what, const char *member,
                            SinewError *error)
{
    for (int k = 0; k < 3; ++k) {
        if (!(fabs(v[k]) <= SN_REACH)) {
            return sn_fail(error, SINEW_ERROR_ARGUMENT,
                           "%s: %s is [%g, %g, %g], expected finite numbers", what, member, v[0],
                           v[1], v[2]);
        }
    }
    return SINEW_OK;
}

SinewStatus sn_check_nonnegative(double value, const char *what, const char *member,
                                 SinewError *error)
{
    if (!(value >= 0.0) || !(value <= SN_REACH)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: %s is %g, expected zero or a positive number", what, member, value);
    }
    return SINEW_OK;
}

SinewStatus sn_check_positive(double value, const char *what, const char *member, SinewError *error)
{
    if (!(value > 0.0) || !(value <= SN_REACH)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "%s: %s is %g, expected a positive number",
                       what, member, value);
    }
    return SINEW_OK;
}

SinewStatus sn_check_choice(int value, int count, const char *what, const char *member,
                            SinewError *error)
{
    if (value < 0 || value >= count) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "%s: %s is %d, expected 0 to %d", what, member,
                       value, count - 1);
    }
    return SINEW_OK;
}

SinewStatus sn_check_list(const void *items, int count, const char *what, const char *member,
                          SinewError *error)
{
    if (count < 0) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "%s: the count of %s is %d, expected 0 or more",
                       what, member, count);
    }
    if (count > 0 && items == NULL) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "%s: %s is NULL, expected %d of them", what,
                       member, count);
    }
    return SINEW_OK;
}

SinewStatus sn_check_allocator(const SinewAllocator *allocator, SinewError *error)
{
    if ((allocator->allocate == NULL) != (allocator->release == NULL)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the allocator has no %s, expected both functions or neither",
                       allocator->allocate == NULL ? "allocate" : "release");
    }
    return SINEW_OK;
}

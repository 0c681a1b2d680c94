// Results disturbed in their last bits, for the builds with SINEW_DISTURB alone: a test that such a
// build fails stands at its tolerance, and the next processor or compiler would fail it. Elsewhere
// the macros are their first argument.
//
// Whether a value is disturbed is decided by its own bits and a seed from the environment variable
// SINEW_DISTURB, never by its place: so lanes, threads and runs agree, and seeds do not. Without
// the variable nothing is disturbed. Results without a rounding error stay as they are, since no
// processor would change those.
#ifndef SN_KERNEL_DISTURB_H
#define SN_KERNEL_DISTURB_H

#ifdef SN_DISTURB

#include <stdint.h>

// Odd, or zero where nothing is to be disturbed.
extern int32_t sn_disturb_seed;

// `fused` or `plain`, lane by lane, both vectors of the same type: a b + c rounded once or twice.
// A comparison of vectors has lanes of all bits or none, in integers as wide as the lanes. Products
// wrap: these builds are compiled with -fwrapv.
#define SN_DISTURBED(fused, plain)                                                                 \
    __extension__({                                                                                \
        __typeof__(fused) fused_ = (fused);                                                        \
        __typeof__(fused) plain_ = (plain);                                                        \
        __typeof__(fused_ < fused_) bits_ = (__typeof__(bits_))fused_;                             \
        __typeof__(bits_) other_ = (bits_ * sn_disturb_seed) < 0;                                  \
        (__typeof__(fused))((other_ & (__typeof__(bits_))plain_) | (~other_ & bits_));             \
    })

// v, or a unit in the last place more where the rounding `error` of the lane is not zero.
#define SN_DISTURBED_ROUNDING(v, error, unit)                                                      \
    __extension__({                                                                                \
        __typeof__(v) value_ = (v);                                                                \
        __typeof__(value_ < value_) inexact_ = (error) != 0;                                       \
        __typeof__(v) step_ = value_ * (unit);                                                     \
        __typeof__(v) moved_ = value_ + (__typeof__(v))((__typeof__(inexact_))step_ & inexact_);   \
        SN_DISTURBED(value_, moved_);                                                              \
    })

// One double, or a unit in the last place more; zero stays zero.
static inline double sn_disturb(double value)
{
    int64_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits * sn_disturb_seed < 0 ? value * (1.0 + 0x1p-52) : value;
}

#else

#define SN_DISTURBED(fused, plain) (fused)
#define SN_DISTURBED_ROUNDING(v, error, unit) (v)

static inline double sn_disturb(double value)
{
    return value;
}

#endif

#endif

// A Real that is one number, of the type REAL_NUMBER: for references that share their formulas with
// the wide source. Included once, before the formulas.
#ifndef SN_KERNEL_REAL_ONE_H
#define SN_KERNEL_REAL_ONE_H

typedef REAL_NUMBER Real;
#define REAL_LANES 1

static inline Real real_load(const REAL_NUMBER *p)
{
    return *p;
}

static inline void real_store(REAL_NUMBER *p, Real v)
{
    *p = v;
}

static inline Real real_set(REAL_NUMBER value)
{
    return value;
}

static inline Real real_madd(Real a, Real b, Real c)
{
    return a * b + c;
}

#endif

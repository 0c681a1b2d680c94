#include "material/law.h"

#include "base/status.h"

#include <math.h>

const char *sn_law_name(SnLawKind kind)
{
    static const char *const names[SN_LAW_KIND_COUNT] = {
        [SN_LAW_LINEAR] = "linear",
        [SN_LAW_COROTATED] = "corotated",
        [SN_LAW_FIXED_COROTATED] = "fixed_corotated",
        [SN_LAW_SVK] = "svk",
        [SN_LAW_NEO_HOOKEAN] = "neo_hookean",
        [SN_LAW_STABLE_NEO_HOOKEAN] = "stable_neo_hookean",
        [SN_LAW_MOONEY_RIVLIN] = "mooney_rivlin",
        [SN_LAW_STABLE_NEO_HOOKEAN_0] = "stable_neo_hookean_0",
    };
    return (unsigned)kind < SN_LAW_KIND_COUNT ? names[kind] : "unknown law";
}

bool sn_law_is_barrier(SnLawKind kind)
{
    return kind == SN_LAW_NEO_HOOKEAN || kind == SN_LAW_MOONEY_RIVLIN;
}

SnLaw sn_law_make(SnLawKind kind, double young, double poisson)
{
    SnLaw law = {.kind = kind,
                 .mu = young / (2.0 * (1.0 + poisson)),
                 .lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))};
    if (kind == SN_LAW_MOONEY_RIVLIN) {
        law.c10 = 0.375 * law.mu;
        law.c01 = 0.125 * law.mu;
        law.bulk = young / (3.0 * (1.0 - 2.0 * poisson));
    }
    return law;
}

double sn_law_young(const SnLaw *law)
{
    return law->mu * (3.0 * law->lambda + 2.0 * law->mu) / (law->lambda + law->mu);
}

SinewStatus sn_law_check(double young, double poisson, double density, SinewError *error)
{
    if (!(young > 0.0) || !isfinite(young)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "young is %g Pa, expected a positive finite number", young);
    }
    if (!(poisson > -1.0 && poisson < 0.5)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "poisson is %.9g, expected a number above -1 and below 0.5", poisson);
    }
    if (!(density > 0.0) || !isfinite(density)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "density is %g kg/m^3, expected a positive finite number", density);
    }
    // Each is within its range, and yet their quotients may be too large or vanish.
    SnLaw law = sn_law_make(SN_LAW_MOONEY_RIVLIN, young, poisson);
    if (!(law.c01 > 0.0) || !isfinite(law.mu) || !isfinite(law.lambda) || !isfinite(law.bulk)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "young %g Pa with poisson %.17g makes mu %g Pa and lambda %g Pa, expected "
                       "positive finite stiffnesses",
                       young, poisson, law.mu, law.lambda);
    }
    return SINEW_OK;
}

#include "material/law_invariants.h"

#include "base/status.h"
#include "math/mat3.h"
#include "math/rotation_reference.h"

#include <math.h>

// mu |F - R|^2 + lambda/2 tr(R^T F - I)^2 = mu (i1 - 2 stretch + 3) + lambda/2 (stretch - 3)^2.
static SnSlopes corotated(const SnLaw *law, const SnInvariants *at)
{
    return (SnSlopes){.i1 = law->mu,
                      .stretch = law->lambda * (at->stretch - 3.0) - 2.0 * law->mu,
                      .stretch_stretch = law->lambda};
}

// mu (i1 - 2 stretch + 3) + lambda/2 (j - 1)^2.
static SnSlopes fixed_corotated(const SnLaw *law, const SnInvariants *at)
{
    return (SnSlopes){.i1 = law->mu,
                      .stretch = -2.0 * law->mu,
                      .j = law->lambda * (at->j - 1.0),
                      .j_j = law->lambda};
}

// mu tr(E^2) + lambda/2 tr(E)^2 with tr(E) = (i1 - 3) / 2 and |C|^2 = i1^2 - 2 i2:
// mu/4 (i1^2 - 2 i2 - 2 i1 + 3) + lambda/8 (i1 - 3)^2.
static SnSlopes svk(const SnLaw *law, const SnInvariants *at)
{
    return (SnSlopes){.i1 = 0.5 * law->mu * (at->i1 - 1.0) + 0.25 * law->lambda * (at->i1 - 3.0),
                      .i2 = -0.5 * law->mu,
                      .i1_i1 = 0.5 * law->mu + 0.25 * law->lambda};
}

// mu/2 (i1 - 3) - mu ln j + lambda/2 (ln j)^2.
static SnSlopes neo_hookean(const SnLaw *law, const SnInvariants *at)
{
    double logarithm = log(at->j);
    return (SnSlopes){.i1 = 0.5 * law->mu,
                      .j = (law->lambda * logarithm - law->mu) / at->j,
                      .j_j = (law->lambda * (1.0 - logarithm) + law->mu) / (at->j * at->j)};
}

// [S eq 14]: m/2 (i1 - 3) + l/2 (j - rest)^2 - m/2 ln(i1 + 1).
static SnSlopes stable_neo_hookean(const SnLaw *law, const SnInvariants *at)
{
    SnStableParameters stable = sn_law_stable_parameters(law);
    double fade = 1.0 / (at->i1 + 1.0);
    return (SnSlopes){.i1 = 0.5 * stable.m * (1.0 - fade),
                      .i1_i1 = 0.5 * stable.m * fade * fade,
                      .j = stable.l * (at->j - stable.rest),
                      .j_j = stable.l};
}

// mu/2 (i1 - 3) - mu (j - 1) + (lambda + mu)/2 (j - 1)^2.
static SnSlopes stable_neo_hookean_0(const SnLaw *law, const SnInvariants *at)
{
    double l = law->lambda + law->mu;
    return (SnSlopes){.i1 = 0.5 * law->mu, .j = l * (at->j - 1.0) - law->mu, .j_j = l};
}

// c10 (j^(-2/3) i1 - 3) + c01 (j^(-4/3) i2 - 3) + bulk/2 (j - 1)^2.
static SnSlopes mooney_rivlin(const SnLaw *law, const SnInvariants *at)
{
    double shrink = pow(at->j, -2.0 / 3.0);
    double first = law->c10 * shrink;
    double second = law->c01 * shrink * shrink;
    double per_j = 1.0 / at->j;
    return (SnSlopes){.i1 = first,
                      .i2 = second,
                      .j = law->bulk * (at->j - 1.0) -
                           (2.0 / 3.0 * first * at->i1 + 4.0 / 3.0 * second * at->i2) * per_j,
                      .i1_j = -2.0 / 3.0 * first * per_j,
                      .i2_j = -4.0 / 3.0 * second * per_j,
                      .j_j =
                          law->bulk + (10.0 / 9.0 * first * at->i1 + 28.0 / 9.0 * second * at->i2) *
                                          per_j * per_j};
}

SnSlopes sn_law_slopes(const SnLaw *law, const SnInvariants *at)
{
    switch (law->kind) {
    case SN_LAW_COROTATED:
        return corotated(law, at);
    case SN_LAW_FIXED_COROTATED:
        return fixed_corotated(law, at);
    case SN_LAW_SVK:
        return svk(law, at);
    case SN_LAW_NEO_HOOKEAN:
        return neo_hookean(law, at);
    case SN_LAW_STABLE_NEO_HOOKEAN:
        return stable_neo_hookean(law, at);
    case SN_LAW_STABLE_NEO_HOOKEAN_0:
        return stable_neo_hookean_0(law, at);
    case SN_LAW_MOONEY_RIVLIN:
        return mooney_rivlin(law, at);
    case SN_LAW_LINEAR:
    case SN_LAW_KIND_COUNT:
        break;
    }
    SN_ASSERT(false); // the caller has dealt with the linear law
    return (SnSlopes){0};
}

bool sn_law_deform(const SnLaw *law, const double F[9], SnDeformation *out)
{
    double j = sn_mat3_determinant(F);
    if (!isfinite(j) || sn_law_forbids(law->kind, j)) {
        return false;
    }
    out->F = F;
    sn_law_cofactor(F, out->cofactor);
    sn_mat3_transpose_multiply(F, F, out->cauchy);
    sn_mat3_multiply(F, out->cauchy, out->by_cauchy);
    out->at = (SnInvariants){.i1 = sn_mat3_trace(out->cauchy), .j = j};
    for (int k = 0; k < 9; ++k) {
        out->at.i2 += out->cofactor[k] * out->cofactor[k];
        out->rotation[k] = 0.0;
    }
    if (sn_law_is_corotated(law->kind)) {
        sn_svd_reference(F, out->U, out->sigma, out->V);
        sn_mat3_multiply_transpose(out->U, out->V, out->rotation);
        out->at.stretch = out->sigma[0] + out->sigma[1] + out->sigma[2];
    }
    out->slopes = sn_law_slopes(law, &out->at);
    return true;
}

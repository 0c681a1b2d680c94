// What the isotropic laws have in common: each energy is a function of four invariants of F, so its
// derivatives with respect to those are all that tells one law from another. Stress, differential,
// Hessian and projection are written once, in terms of these slopes.
//
//     i1 = |F|^2           gradient 2 F
//     i2 = |cof F|^2       gradient 2 (i1 F - F F^T F)
//     j  = det F           gradient cof F
//     stretch = tr(R^T F)  gradient R, where F = R S; the sum of the signed singular values
//
// [T] does the same with the stretch, i1 and j, which cannot say Mooney-Rivlin's i2 simply. With i2
// every divided difference of the projection is a polynomial but that of the stretch, so nothing
// cancels where singular values come together. Derivatives by the singular values themselves would
// have served any law, at the price of those limits.
#ifndef SN_MATERIAL_LAW_INVARIANTS_H
#define SN_MATERIAL_LAW_INVARIANTS_H

#include "material/law.h"

typedef struct SnInvariants {
    double i1, i2, j, stretch;
} SnInvariants;

// First and second derivatives of the energy, Pa; second ones that no law has are left out.
typedef struct SnSlopes {
    double i1, i2, j, stretch;
    double i1_i1, i1_j, i2_j, j_j, stretch_stretch;
} SnSlopes;

// Where the determinant is below this a barrier law forbids the state: so flat an element cannot be
// told from an inverted one, and the powers of 1 / j stay finite above it.
#define SN_LAW_LEAST_VOLUME 1e-30

// Below this sum of two singular values the turn between their axes is lost: the kink of the
// corotated laws.
#define SN_LAW_LEAST_STRETCH 1e-8

// Whether the law's energy is infinite at this determinant; NaN is refused too.
static inline bool sn_law_forbids(SnLawKind kind, double j)
{
    return sn_law_is_barrier(kind) && !(j > SN_LAW_LEAST_VOLUME);
}

// Whether the law's energy depends on the rotation R, which costs a decomposition.
static inline bool sn_law_is_corotated(SnLawKind kind)
{
    return kind == SN_LAW_COROTATED || kind == SN_LAW_FIXED_COROTATED;
}

// Parameters of [S eq 14] that make the law agree with Hooke's: m = 4/3 mu, l = lambda + 5/6 mu;
// l (rest - 1) = 3/4 m leaves no stress at rest.
typedef struct SnStableParameters {
    double m, l, rest;
} SnStableParameters;

static inline SnStableParameters sn_law_stable_parameters(const SnLaw *law)
{
    double m = 4.0 / 3.0 * law->mu;
    double l = law->lambda + 5.0 / 6.0 * law->mu;
    return (SnStableParameters){m, l, 1.0 + 0.75 * m / l};
}

// cof F = det(F) F^-T, the gradient of the determinant, also where F has no inverse.
static inline void sn_law_cofactor(const double F[9], double out[9])
{
    for (int r = 0; r < 3; ++r) {
        const double *a = F + 3 * ((r + 1) % 3);
        const double *b = F + 3 * ((r + 2) % 3);
        out[3 * r] = a[1] * b[2] - a[2] * b[1];
        out[3 * r + 1] = a[2] * b[0] - a[0] * b[2];
        out[3 * r + 2] = a[0] * b[1] - a[1] * b[0];
    }
}

// Slopes of an isotropic law (not SN_LAW_LINEAR) at invariants that it does not forbid.
// `at->stretch` is read for corotated laws alone.
SnSlopes sn_law_slopes(const SnLaw *law, const SnInvariants *at);

// F, what the formulas make of it, and the slopes there.
typedef struct SnDeformation {
    const double *F;
    double cofactor[9];
    double cauchy[9];            // C = F^T F, right Cauchy-Green
    double by_cauchy[9];         // F C
    double U[9], sigma[3], V[9]; // F = U diag(sigma) V^T, for corotated laws alone
    double rotation[9];          // R = U V^T, likewise, else zero
    SnInvariants at;
    SnSlopes slopes;
} SnDeformation;

// False, and nothing but the determinant done, where the law forbids F or F is not finite.
bool sn_law_deform(const SnLaw *law, const double F[9], SnDeformation *out);

// The energy at F with the determinant j, which the law does not forbid; sigma are F's singular
// values, for corotated laws alone. Not finite where the numbers leave the range of double.
double sn_law_energy_at(const SnLaw *law, const double F[9], double j, const double sigma[3]);

// How fast R turns about the axis `k`, when F is sheared across it: 1 / (sigma_i + sigma_j) of the
// other two, cut off at the kink.
static inline double sn_law_turn(const double sigma[3], int k)
{
    double sum = sigma[(k + 1) % 3] + sigma[(k + 2) % 3];
    return 1.0 / (sum > SN_LAW_LEAST_STRETCH ? sum : SN_LAW_LEAST_STRETCH);
}

// The Hessian of SN_LAW_LINEAR, the same everywhere and never negative.
void sn_law_linear_hessian(const SnLaw *law, double H[81]);

// The Hessian where F is deformed so.
void sn_law_hessian_at(const SnDeformation *d, double H[81]);

#endif

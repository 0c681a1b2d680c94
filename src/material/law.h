// Laws: what energy a solid stores when it is deformed, the stress that follows, and how the stress
// changes. F goes in (F_ij = d x_i / d X_j); energy per rest volume, first Piola stress P and its
// derivatives come out, all in double precision. doc/materials.md has the formulas and their use.
//
// Matrices are nine doubles, row-major; vec(F) is those nine in their order, and a Hessian is
// H[9 * r + c] = d vec(P)_r / d vec(F)_c. Every law has the same Hooke Hessian at F = I.
//
// neo_hookean, stable_neo_hookean and mooney_rivlin need log, exp or pow, whose last bits differ
// between C libraries: results of these three repeat bit for bit with one libm only. The others
// use sqrt and arithmetic alone and repeat everywhere.
#ifndef SN_MATERIAL_LAW_H
#define SN_MATERIAL_LAW_H

#include "sinew/base.h"

#include <stdbool.h>

typedef enum SnLawKind {
    SN_LAW_LINEAR, // small-strain Hooke: the only one that takes a rotation for a strain
    SN_LAW_COROTATED,
    SN_LAW_FIXED_COROTATED,
    SN_LAW_SVK,
    SN_LAW_NEO_HOOKEAN,
    SN_LAW_STABLE_NEO_HOOKEAN,
    SN_LAW_MOONEY_RIVLIN,
    SN_LAW_STABLE_NEO_HOOKEAN_0, // without the logarithm; the validation set has rows of it
    SN_LAW_KIND_COUNT
} SnLawKind;

typedef struct SnLaw {
    SnLawKind kind;
    double mu, lambda;     // Pa, Lame's
    double c10, c01, bulk; // Pa, Mooney-Rivlin alone, else zero
} SnLaw;

// As scene files spell it, such as "fixed_corotated". Never NULL, also for unknown kinds.
const char *sn_law_name(SnLawKind kind);

// Parameters from Young's modulus (Pa) and Poisson's ratio that sn_law_check has passed.
// Mooney-Rivlin gets c10 = 3/8 mu, c01 = 1/8 mu and the bulk modulus E / (3 (1 - 2 nu)).
SnLaw sn_law_make(SnLawKind kind, double young, double poisson);

// Young's modulus at rest, Pa, from Lame's parameters.
double sn_law_young(const SnLaw *law);

// young > 0 Pa, -1 < poisson < 0.5 and density > 0 kg/m^3, all finite, and so are the stiffnesses
// that follow from them.
SinewStatus sn_law_check(double young, double poisson, double density, SinewError *error);

// Whether the law forbids states with det F <= 0 by an energy that grows without bound before them.
bool sn_law_is_barrier(SnLawKind kind);

// Pa, zero at rest. INFINITY where the law forbids the state, and where F is not finite or so large
// that the energy is not: never NaN, so a line search refuses such states by comparing. Rounding
// errors are those of the strain, not of F: near rest they are about 1e-16 |strain| times a
// stiffness.
double sn_law_energy(const SnLaw *law, const double F[9]);

// The calls below give zeros where the law forbids the state.

// First Piola stress P = d psi / d F, Pa.
void sn_law_stress(const SnLaw *law, const double F[9], double P[9]);

// Both of the above, with the same bits, for one decomposition of F.
double sn_law_energy_stress(const SnLaw *law, const double F[9], double P[9]);

// The same with sn_law_hessian.
double sn_law_energy_stress_hessian(const SnLaw *law, const double F[9], double P[9], double H[81]);

// Exact derivative of the stress along dF. Where corotated laws have a kink (two singular values of
// F that cancel each other, after an inversion) it is that of a point 1e-8 beside it.
void sn_law_differential(const SnLaw *law, const double F[9], const double dF[9], double dP[9]);

// Exact and symmetric to the last bit; indefinite in general.
void sn_law_hessian(const SnLaw *law, const double F[9], double H[81]);

// The semi-definite matrix nearest to the Hessian: its eigenvalues below zero are replaced by zero.
void sn_law_hessian_definite(const SnLaw *law, const double F[9], double H[81]);

#endif

// Laws of elasticity, in double: energy, stress, its exact differential, and the Hessian with and
// without projection. F and P are row-major.
#ifndef SN_MATERIAL_LAW_H
#define SN_MATERIAL_LAW_H

#include "base/status.h"

#include <stdbool.h>

typedef enum SnLawKind {
    SN_LAW_LINEAR,
    SN_LAW_COROTATED,
    SN_LAW_FIXED_COROTATED,
    SN_LAW_SVK,
    SN_LAW_NEO_HOOKEAN,
    SN_LAW_STABLE_NEO_HOOKEAN,
    SN_LAW_MOONEY_RIVLIN,
    SN_LAW_KIND_COUNT
} SnLawKind;

typedef struct SnLaw {
    SnLawKind kind;
    double mu, lambda;     // Pa
    double c10, c01, bulk; // Pa, Mooney-Rivlin alone
} SnLaw;

const char *sn_law_name(SnLawKind kind);
SnLaw sn_law_make(SnLawKind kind, double young, double poisson);
SinewStatus sn_law_check(double young, double poisson, double density, SinewError *error);
bool sn_law_is_barrier(SnLawKind kind);
double sn_law_energy(const SnLaw *law, const double F[9]);
void sn_law_stress(const SnLaw *law, const double F[9], double P[9]);
void sn_law_differential(const SnLaw *law, const double F[9], const double dF[9], double dP[9]);
void sn_law_hessian(const SnLaw *law, const double F[9], double H[81]);
void sn_law_hessian_definite(const SnLaw *law, const double F[9], double H[81]);

#endif

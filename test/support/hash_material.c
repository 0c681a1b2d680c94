// Laws that use arithmetic and sqrt alone: energy, stress, differential and both Hessians at 101
// random F, some of them inverted. The laws with a logarithm repeat with one C library only.
#include "support/hash_lines.h"

#include "base/hash.h"
#include "base/random.h"
#include "material/law.h"

enum { STATES = 101 };

typedef struct Answers {
    double energy;
    double P[9];
    double dP[9];
    double H[81];
    double definite[81];
} Answers;

static uint64_t hash_law(const SnLaw *law)
{
    SnRandom random = {41};
    uint64_t hash = SN_HASH_START;
    for (int i = 0; i < STATES; ++i) {
        double F[9];
        double dF[9];
        for (int k = 0; k < 9; ++k) {
            F[k] = (k % 4 == 0 ? 1.0 : 0.0) + sn_random_between(&random, -0.7, 0.7);
            dF[k] = sn_random_between(&random, -1.0, 1.0);
        }
        Answers answers;
        answers.energy = sn_law_energy(law, F);
        sn_law_stress(law, F, answers.P);
        sn_law_differential(law, F, dF, answers.dP);
        sn_law_hessian(law, F, answers.H);
        sn_law_hessian_definite(law, F, answers.definite);
        hash = sn_hash(hash, &answers, sizeof answers);
    }
    return hash;
}

int hash_material(const SnKernels *kernels, SnWorkers *workers, FILE *out)
{
    (void)workers;
    const SnLawKind kinds[] = {SN_LAW_LINEAR, SN_LAW_COROTATED, SN_LAW_FIXED_COROTATED, SN_LAW_SVK,
                               SN_LAW_STABLE_NEO_HOOKEAN_0};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        SnLaw law = sn_law_make(kinds[i], 1000.0, 0.3);
        char name[64];
        snprintf(name, sizeof name, "law_%s", sn_law_name(kinds[i]));
        hash_line(out, name, kernels, hash_law(&law));
    }
    return 0;
}

#include "material/material.h"

#include <math.h>

// The public names of laws and those inside are in the same order.
static const SnLawKind KINDS[] = {
    [SINEW_LAW_LINEAR] = SN_LAW_LINEAR,
    [SINEW_LAW_COROTATED] = SN_LAW_COROTATED,
    [SINEW_LAW_FIXED_COROTATED] = SN_LAW_FIXED_COROTATED,
    [SINEW_LAW_SVK] = SN_LAW_SVK,
    [SINEW_LAW_NEO_HOOKEAN] = SN_LAW_NEO_HOOKEAN,
    [SINEW_LAW_STABLE_NEO_HOOKEAN] = SN_LAW_STABLE_NEO_HOOKEAN,
    [SINEW_LAW_MOONEY_RIVLIN] = SN_LAW_MOONEY_RIVLIN,
};

static SinewStatus check_damping(double value, const char *what, const char *member,
                                 const char *unit, SinewError *error)
{
    if (!(value >= 0.0) || !isfinite(value)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "%s: %s is %g %s, expected 0 or more", what,
                       member, value, unit);
    }
    return SINEW_OK;
}

SinewStatus sn_material_make(const SinewMaterial *def, const char *what, SnMaterial *out_material,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewError inner = {.index = -1};

    if ((int)def->law < 0 || (size_t)def->law >= sizeof KINDS / sizeof *KINDS) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "%s: law is %d, expected 0 to %d", what,
                       (int)def->law, (int)(sizeof KINDS / sizeof *KINDS) - 1);
    }
    status = sn_law_check(def->young, def->poisson, def->density, &inner);
    if (status < 0) {
        return sn_fail(error, status, "%s: %s", what, inner.text);
    }
    SN_TRY(check_damping(def->damping_mass, what, "damping_mass", "1/s", error));
    SN_TRY(check_damping(def->damping_stiffness, what, "damping_stiffness", "s", error));
    *out_material = (SnMaterial){.law = sn_law_make(KINDS[def->law], def->young, def->poisson),
                                 .density = def->density,
                                 .damping_mass = def->damping_mass,
                                 .damping_stiffness = def->damping_stiffness};

done:
    return status;
}

int sn_materials_find(const SnMaterials *materials, const double X[3])
{
    for (int r = materials->region_count - 1; r >= 0; --r) {
        // An element has no vertex index; regions of materials are box, sphere or all.
        if (sn_region_holds(&materials->regions[r], -1, X)) {
            return 1 + r;
        }
    }
    return 0;
}

// What an element is made of: a law, a density and damping; and the parts of a body that differ
// from the rest of it.
#ifndef SN_MATERIAL_MATERIAL_H
#define SN_MATERIAL_MATERIAL_H

#include "geometry/region.h"
#include "material/law.h"
#include "sinew/model.h"

typedef struct SnMaterial {
    SnLaw law;
    double density;           // kg/m^3
    double damping_mass;      // 1/s
    double damping_stiffness; // s
} SnMaterial;

// A body's materials. Material 0 is its own; material 1 + r is that of regions[r]. Borrowed arrays.
typedef struct SnMaterials {
    const SnMaterial *materials; // 1 + region_count of them
    const SinewRegion *regions;
    int region_count;
} SnMaterials;

// Refuses numbers out of range, with a sentence that begins with `what` and names the member.
SinewStatus sn_material_make(const SinewMaterial *def, const char *what, SnMaterial *out_material,
                             SinewError *error);

// Index of the material of an element whose middle is at the rest position X: that of the last
// region that holds it.
int sn_materials_find(const SnMaterials *materials, const double X[3]);

#endif

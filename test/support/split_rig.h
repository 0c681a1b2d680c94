// Bodies of `split`, or of `tetmg`, which shares what it is made of, for tests: a box or a tet
// mesh, a material, one pin; made and driven in a few lines.
#ifndef SN_TEST_SUPPORT_SPLIT_RIG_H
#define SN_TEST_SUPPORT_SPLIT_RIG_H

#include "model/split/body.h"

// Start from sn_split_rig_default().
typedef struct SnSplitRigDef {
    double max[3];         // m, the far corner of a box from the origin
    int cells[3];          //
    const SnTetMesh *tets; // NULL: the box
    SinewMaterial material;
    const SinewRegion *regions; // other materials
    const SinewMaterial *region_materials;
    int region_count;
    const SnModel *model; // default split
    SinewSplitDef split;
    SinewTetmgDef tetmg;
    const SnTetMesh *const *coarse; // levels of tetmg's mode paper; NULL: lattices
    int coarse_count;
    int worker_count;                // 1
    const SinewAllocator *allocator; // NULL: malloc
    SnDeterminism determinism;       // fast
    const SnKernels *kernels;        // NULL: the best, of that determinism
} SnSplitRigDef;

typedef struct SnSplitRig {
    SnWorkers *workers;
    const SnModel *model;
    SnSplit *body;
    SnStep step;         // what the next step or solve takes
    SnAffine motions[8]; // of the pins, the identity
    SinewStepReport report;
} SnSplitRig;

SnSplitRigDef sn_split_rig_default(void);

// Answers what the model's create does; the rig is then to be destroyed in either case.
SinewStatus sn_split_rig_try(const SnSplitRigDef *def, SnSplitRig *out_rig, SinewError *error);

// The same; fails the test when that does not work.
SnSplitRig sn_split_rig_make(const SnSplitRigDef *def);
void sn_split_rig_destroy(SnSplitRig *rig);

// Holds the vertices with rest x at most `x`, as the only pin; `axes` such as "xyz".
void sn_split_rig_pin(SnSplitRig *rig, double x, const char *axes);

// Steps by dt; fails the test where a step fails.
void sn_split_rig_step(SnSplitRig *rig, double dt, int steps);

// Root mean square over vertices of the distance between two fields, m.
double sn_split_rig_distance(const SnSplitRig *rig, const double *a, const double *b);

#endif

// Bodies of the reference model for tests: a box or a tet mesh, a material, pins; made and driven
// in a few lines.
#ifndef SN_TEST_SUPPORT_NEWTON_RIG_H
#define SN_TEST_SUPPORT_NEWTON_RIG_H

#include "model/newton/body.h"

// Start from sn_newton_rig_default().
typedef struct SnNewtonRigDef {
    double min[3], max[3]; // m, the unit cube
    int cells[3];          // 1 x 1 x 1
    SnBoxCut cut;          // Kuhn's
    const SnTetMesh *tets; // NULL: the box
    SinewMaterial material;
    const SinewRegion *regions; // other materials
    const SinewMaterial *region_materials;
    int region_count;
    SinewNewtonDef newton;
    int worker_count;                // 1
    const SinewAllocator *allocator; // NULL: malloc
} SnNewtonRigDef;

typedef struct SnNewtonRig {
    SnWorkers *workers;
    SnNewton *body;
    SnStep step;         // what the next step or solve takes
    SnAffine motions[8]; // of the pins, the identity
    SinewStepReport report;
} SnNewtonRig;

SnNewtonRigDef sn_newton_rig_default(void);

// Answers what the model's create does; the rig is then to be destroyed in either case.
SinewStatus sn_newton_rig_try(const SnNewtonRigDef *def, SnNewtonRig *out_rig, SinewError *error);

// The same; fails the test when that does not work.
SnNewtonRig sn_newton_rig_make(const SnNewtonRigDef *def);
void sn_newton_rig_destroy(SnNewtonRig *rig);

// Holds the vertices in a box; `axes` such as "xyz".
typedef struct SnNewtonRigPin {
    double min[3], max[3];
    const char *axes;
} SnNewtonRigPin;
// Replaces all pins, by at most eight.
SinewStatus sn_newton_rig_pins(SnNewtonRig *rig, const SnNewtonRigPin *pins, int count,
                               SinewError *error);

// Steps by dt, or solves statically; fails the test unless the answer is SINEW_OK or `expected`.
void sn_newton_rig_step(SnNewtonRig *rig, double dt, int steps);
void sn_newton_rig_solve(SnNewtonRig *rig, SinewStatus expected);

// The vertex nearest to a rest position.
int sn_newton_rig_vertex(const SnNewtonRig *rig, double x, double y, double z);

// Displacement of a vertex along an axis, m.
double sn_newton_rig_moved(const SnNewtonRig *rig, int vertex, int axis);

#endif

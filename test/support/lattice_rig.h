// A bar of lattice cells between two held ends, without a world, so that tests reach its levels.
#ifndef SN_TEST_SUPPORT_LATTICE_RIG_H
#define SN_TEST_SUPPORT_LATTICE_RIG_H

#include "model/lattice/body.h"

typedef struct LatticeRig {
    SnLattice *body;
    SnSolid *solid;
    SnMaterial material;
    SnAffine motions[2]; // of the ends at x = 0 and at the far end
    SinewStepReport report;
} LatticeRig;

// Cells of 1 m along x, y and z; Young's modulus 1e6, `options` of lattice. Both ends are held.
void lattice_rig_make(LatticeRig *rig, const int cells[3], double poisson,
                      const SinewLatticeDef *options);

// A body of any shape instead, in cells of longest side / resolution; nothing is held.
void lattice_rig_make_shape(LatticeRig *rig, const SnShape *shape, int resolution,
                            const SinewLatticeDef *options);
void lattice_rig_release(LatticeRig *rig);

// Moves the far end so that the bar is `factor` times as long, in one static solve.
SinewStatus lattice_rig_stretch(LatticeRig *rig, double factor, double tolerance,
                                SinewError *error);

// The far end is turned about the middle of the bar's axis by a right angle, besides.
SinewStatus lattice_rig_twist(LatticeRig *rig, double factor, double tolerance, SinewError *error);

#endif

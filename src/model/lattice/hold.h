// What pins make of the levels: which numbers are held on each, and which coarse cells need the
// Galerkin matrix of the cells below: those that are not full, those in which stiffness differs,
// and those in which the finer level is held where this one cannot be.
#ifndef SN_MODEL_LATTICE_HOLD_H
#define SN_MODEL_LATTICE_HOLD_H

#include "model/lattice/level.h"

// From the finer level's (its grid and `below`) to that of a coarser level.
SinewStatus sn_lattice_hold_coarsen(const SnLatticeGrid *fine, const SnLatticeHold *below,
                                    const SnLatticeLevel *level, const SinewAllocator *allocator,
                                    SnLatticeHold *out_hold, SinewError *error);

// Marks the cells of a coarse level under which stiffness differs by more than a factor of
// SN_LATTICE_MIXED, from the finer level's lame and marks.
#define SN_LATTICE_MIXED 1.5f
void sn_lattice_hold_mix(const SnLatticeLevel *fine, SnLatticeLevel *coarse);

// Lame constants of a coarse level: an eighth of the sum over the cells below, 0 in cut cells.
void sn_lattice_hold_lame(const SnLatticeLevel *fine, SnLatticeLevel *coarse);

#endif

// Matrices of coarse cells that are not re-discretised: P^T K P of the cells below, P trilinear. Of
// cells that no pin touches they are kept over modes, which doc/methods/lattice.md tells.
#ifndef SN_MODEL_LATTICE_GALERKIN_H
#define SN_MODEL_LATTICE_GALERKIN_H

#include "model/lattice/level.h"

// Matrices of a coarse level's cut cells from the finer level as it is linearised.
void sn_lattice_galerkin_make(const SnLatticeLevel *fine, SnLatticeLevel *coarse,
                              SnWorkers *workers);

// The matrices over modes of the block last asked for, since neighbours are asked for next. Starts
// with `has` false, and serves one level as it is linearised.
typedef struct SnLatticeMade {
    bool has;
    int block;
    _Alignas(64) float modal[SN_LATTICE_MODAL * SN_LATTICE_BLOCK];
} SnLatticeMade;

// The matrix of any cell of a level, cut or not.
void sn_lattice_galerkin_matrix(const SnLatticeLevel *level, int cell, SnLatticeMade *made,
                                double K[576]);

#endif

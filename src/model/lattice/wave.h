// Smoothing: sweeps over a level, several of them in one pass over memory. A sweep goes through the
// planes of nodes in order; the next one follows two planes behind, so that both can run at the
// same time on what the caches still hold, and no sweep sees half of another. The bits are those of
// one sweep after the other.
//
// Not taken: boxes of cells with halos. They need no order, but compute their rims twice.
#ifndef SN_MODEL_LATTICE_WAVE_H
#define SN_MODEL_LATTICE_WAVE_H

#include "model/lattice/level.h"

typedef enum SnLatticeStageKind {
    SN_LATTICE_FROM_ZERO, // x = p = take D^-1 b; first if at all
    SN_LATTICE_SWEEP,     // p = keep p + take D^-1 (b - K x), x += p
    SN_LATTICE_RESIDUAL   // y = b - K x where the level is free; last if at all
} SnLatticeStageKind;

typedef struct SnLatticeStage {
    SnLatticeStageKind kind;
    float keep, take;
} SnLatticeStage;

// Stages one after the other on the level's x, with its definite K.
void sn_lattice_level_sweep(const SnLatticeLevel *level, SnWorkers *workers,
                            const SnLatticeStage *stages, int count);

#endif

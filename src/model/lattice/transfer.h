// Between levels: trilinear interpolation to the finer level, and its transpose to the coarser.
#ifndef SN_MODEL_LATTICE_TRANSFER_H
#define SN_MODEL_LATTICE_TRANSFER_H

#include "model/lattice/level.h"

// Numbers of the scratch line that one worker needs between these levels.
size_t sn_lattice_line_size(const SnLatticeGrid *fine, const SnLatticeGrid *coarse);

// coarse = P^T fine. `lines` has `line_size` zeros a worker at first, and is left as it likes.
void sn_lattice_restrict(const SnLatticeLevel *fine, const SnLatticeLevel *coarse,
                         SnWorkers *workers, float *lines, size_t line_size, const float *from,
                         float *to);

// fine += P coarse, where the fine level is free.
void sn_lattice_prolong(const SnLatticeLevel *fine, const SnLatticeLevel *coarse,
                        SnWorkers *workers, float *lines, size_t line_size, const float *from,
                        float *to);

// The same as sn_lattice_restrict for one number a node, 16 a node block.
void sn_lattice_restrict_scalar(const SnLatticeLevel *fine, const SnLatticeLevel *coarse,
                                const float *from, float *to);

#endif

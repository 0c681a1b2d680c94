// The constant scalar matrix A = mass + 2 h^2 sum (mu + c lambda) V g g^T and the coarse matrix
// beside it: made again when the time step or what is held changes, kept as long as neither does.
#ifndef SN_MODEL_SPLIT_SYSTEM_H
#define SN_MODEL_SPLIT_SYSTEM_H

#include "model/split/body.h"

// The room's masses: `mass_scale` times the true ones, with what damping adds over `h`.
void sn_split_set_masses(SnSplit *body, double h, double mass_scale);

// Sets the room's masses (`mass_scale` times the true ones, with what damping adds over `h`) and
// factors if need be. h2 is h^2, or 1 in static solves.
SinewStatus sn_split_system_prepare(SnSplit *body, SnWorkers *workers, double h2, double h,
                                    double mass_scale, SinewError *error);

#endif

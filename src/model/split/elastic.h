// Elastic energy and forces in double, outside: for static solves and measures, where float ends.
#ifndef SN_MODEL_SPLIT_ELASTIC_H
#define SN_MODEL_SPLIT_ELASTIC_H

#include "model/split/body.h"

// J; adds d energy / d x to out_force (nullable), N.
double sn_split_elastic(const SnSplit *body, SnWorkers *workers, const double *x,
                        double *out_force);

#endif

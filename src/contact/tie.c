#include "contact/tie.h"

#include "geometry/point.h"

#include <string.h>

void sn_tie_evaluate(const SnTie *tie, const double x[3], SnPointForce *out)
{
    const double *n = tie->direction;
    double k = tie->stiffness;
    double offset[3];
    memset(out, 0, sizeof *out);
    sn_point_minus(tie->target, x, offset);
    if (n[0] != 0.0 || n[1] != 0.0 || n[2] != 0.0) {
        double along = sn_point_dot(offset, n);
        for (int i = 0; i < 3; ++i) {
            offset[i] = along * n[i];
            for (int j = 0; j < 3; ++j) {
                out->stiffness[3 * i + j] = k * (n[i] * n[j]);
            }
        }
    } else {
        out->stiffness[0] = out->stiffness[4] = out->stiffness[8] = k;
    }
    for (int i = 0; i < 3; ++i) {
        out->force[i] = k * offset[i];
    }
    out->energy = 0.5 * k * sn_point_dot(offset, offset);
}

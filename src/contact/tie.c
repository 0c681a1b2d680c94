#include "contact/tie.h"

#include "geometry/point.h"

#include <string.h>

void sn_tie_evaluate(const SnTie *tie, const double x[3], SnPointForce *out)
{
    const double *n = tie->direction;
    bool directed = n[0] != 0.0 || n[1] != 0.0 || n[2] != 0.0;
    double along = directed ? tie->stiffness * (1.0 - tie->across) : 0.0;
    double all = directed ? tie->stiffness * tie->across : tie->stiffness;
    double offset[3];
    memset(out, 0, sizeof *out);
    sn_point_minus(tie->target, x, offset);
    double reach = sn_point_dot(offset, n);
    for (int i = 0; i < 3; ++i) {
        out->force[i] = along * reach * n[i] + all * offset[i];
        for (int j = 0; j < 3; ++j) {
            out->stiffness[3 * i + j] = along * (n[i] * n[j]) + (i == j ? all : 0.0);
        }
    }
    out->energy = 0.5 * sn_point_dot(out->force, offset);
}

#include "model/lattice/springs.h"

#include <math.h>
#include <string.h>

static double trace_of(const double *spring)
{
    return spring[0] + spring[1] + spring[2];
}

// The place of a point in its cell along the grid's axes, in cells, from its trilinear weights.
static void find_place(const SnLatticeSpring *site, double out[3])
{
    for (int k = 0; k < 3; ++k) {
        out[k] = 0.0;
        for (int c = 0; c < 8; ++c) {
            out[k] += c >> (2 - k) & 1 ? (double)site->weights[c] : 0.0;
        }
    }
}

void sn_lattice_springs_join(const SnLattice *body, const SnLatticePoints *points, double *out)
{
    static const int entries[6] = {0, 4, 8, 1, 2, 5};
    size_t cells = (size_t)body->mesh->hex_count;
    memset(out, 0, SN_LATTICE_CELL_SPRING * cells * sizeof *out);
    for (int n = 0; points != NULL && n < points->springs.count; ++n) {
        int p = points->spring_points[n];
        const float *k = points->spring_stiffness + 9 * (size_t)n;
        double *to = out + SN_LATTICE_CELL_SPRING * (size_t)points->set.elements[p];
        double place[3], trace = (double)k[0] + (double)k[4] + (double)k[8];
        find_place(&points->sites[0][p], place);
        for (int i = 0; i < 6; ++i) {
            to[i] += (double)k[entries[i]];
        }
        for (int i = 0; i < 3; ++i) {
            to[6 + i] += trace * place[i];
        }
    }
    for (size_t e = 0; e < cells; ++e) {
        double *spring = out + SN_LATTICE_CELL_SPRING * e;
        double trace = trace_of(spring);
        for (int i = 6; trace > 0.0 && i < 9; ++i) {
            spring[i] /= trace;
        }
    }
}

bool sn_lattice_springs_fit(const SnLattice *body, const double *kept, const double *now,
                            double most)
{
    double change = 0.0, sum = 0.0;
    size_t count = SN_LATTICE_CELL_SPRING * (size_t)body->mesh->hex_count;
    for (size_t i = 0; i < count; i += SN_LATTICE_CELL_SPRING) {
        double trace = trace_of(now + i);
        sum += trace;
        change += fabs(trace - trace_of(kept + i));
    }
    return change <= most * sum;
}

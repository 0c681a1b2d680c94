#include "model/lattice/recover.h"

#include <math.h>

// The share of cells that are inverted from which on a body recovers.
#define INVERTED_SHARE 0.25

// A cell whose opposite faces are at the angle a has modes of h/2 sin(a/2).
#define BENT 0.2

static void use_element(SnLattice *body, SinewLatticeElement element)
{
    for (int l = 0; l < body->multigrid.level_count; ++l) {
        body->multigrid.levels[l].element = element;
    }
}

bool sn_lattice_recover_begin(const SnLatticeProblem *problem, const SnLatticeValue *value)
{
    SnLattice *body = problem->body;
    double *recovers = &body->state.clock[SN_LATTICE_CLOCK_RECOVERS];
    if (body->options.element != SINEW_LATTICE_WILSON) {
        return false;
    }
    if (value->inverted >= INVERTED_SHARE * body->mesh->hex_count) {
        *recovers = 1.0;
    }
    if (*recovers != 0.0) {
        use_element(body, SINEW_LATTICE_MCADAMS);
    }
    return *recovers != 0.0;
}

// The largest hourglass mode of a cell, squared, m^2.
static double largest_mode(const SnLattice *body, int cell)
{
    const int *corners = body->mesh->hexes + 8 * (size_t)cell;
    double largest = 0.0;
    for (int a = 0; a < 4; ++a) {
        double q[3] = {0.0, 0.0, 0.0};
        for (int c = 0; c < 8; ++c) {
            int s[3] = {c >> 2 & 1, c >> 1 & 1, c & 1};
            int odd = a == 3 ? s[0] + s[1] + s[2] + 1 : s[(a + 1) % 3] + s[(a + 2) % 3];
            for (int k = 0; k < 3; ++k) {
                double x = body->state.positions[3 * (size_t)corners[c] + (size_t)k];
                q[k] += (odd % 2 == 0 ? 0.125 : -0.125) * x;
            }
        }
        largest = fmax(largest, q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    }
    return largest;
}

static bool is_shape(const SnLattice *body)
{
    double most = BENT * body->h * (BENT * body->h);
    for (int e = 0; e < body->mesh->hex_count; ++e) {
        if (!(body->room.dets[body->cells[e]] > 0.0f) || largest_mode(body, e) > most) {
            return false;
        }
    }
    return true;
}

void sn_lattice_recover_end(SnLattice *body)
{
    double *recovers = &body->state.clock[SN_LATTICE_CLOCK_RECOVERS];
    if (*recovers != 0.0) {
        use_element(body, body->options.element);
        *recovers = is_shape(body) ? 0.0 : 1.0;
    }
}

#include "tool/mesh_estimate.h"

#include "geometry/stuffing.h"

#include <math.h>

// Measured on spheres: 64 and 128 uniform cells a side, and 256 graded, took 1.9 to 2.2 kB per cell
// of 12 tets. A graded mesh has 4.2 cells' worth of tets per cell that the surface crosses.
#define BYTES_PER_CELL 2000.0
#define GRADED_CELLS 4.2

SnMeshEstimate sn_mesh_estimate(const SnSurfaceReport *shape, double cell_size, bool is_graded)
{
    double crossed = shape->area / (cell_size * cell_size);
    double inside = fabs(shape->volume) / (cell_size * cell_size * cell_size);
    double uniform = shape->watertight ? fmax(inside, crossed) : crossed;
    SnMeshEstimate estimate = {.cells = is_graded ? GRADED_CELLS * crossed : uniform};
    estimate.bytes = BYTES_PER_CELL * estimate.cells;
    return estimate;
}

static bool fits(const SnSurfaceReport *shape, double cell_size, bool is_graded, double memory)
{
    SnMeshEstimate estimate = sn_mesh_estimate(shape, cell_size, is_graded);
    return estimate.cells <= SN_STUFFING_CELLS_MAX && estimate.bytes <= memory;
}

// The most cells along the longest side that fit; at least one.
static int most_cells(const SnSurfaceReport *shape, double longest, bool is_graded, double memory)
{
    int low = 1, high = 1 << 20;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (fits(shape, longest / middle, is_graded, memory)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

SinewStatus sn_mesh_estimate_check(const SnSurfaceReport *shape, double cell_size, bool is_graded,
                                   double memory, SinewError *error)
{
    double longest = 0.0;
    for (int k = 0; k < 3; ++k) {
        longest = fmax(longest, shape->high[k] - shape->low[k]);
    }
    if (!(longest > 0.0) || !(cell_size > 0.0) || fits(shape, cell_size, is_graded, memory)) {
        return SINEW_OK;
    }
    SnMeshEstimate estimate = sn_mesh_estimate(shape, cell_size, is_graded);
    return sn_fail(error, SINEW_ERROR_ARGUMENT,
                   "cells of %.3g m would be about %.2g and take %.3g GB of memory, expected at "
                   "most %.2g cells and the machine's %.3g GB: --cells %d or fewer fit%s",
                   cell_size, estimate.cells, 1e-9 * estimate.bytes, (double)SN_STUFFING_CELLS_MAX,
                   1e-9 * memory, most_cells(shape, longest, is_graded, memory),
                   is_graded ? "" : ", and more with --graded");
}

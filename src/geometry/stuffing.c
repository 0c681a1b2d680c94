#include "geometry/stuffing.h"

#include "geometry/stuffing_grid.h"

#include <math.h>

// Cells around the bounds, so that every cell that touches the body has neighbours.
enum { PADDING = 2 };

SnStuffingDef sn_stuffing_def_default(void)
{
    return (SnStuffingDef){.cells = 32, .slope = 1.0};
}

static double longest_side(const SnStuffingDef *def)
{
    return fmax(def->max[0] - def->min[0],
                fmax(def->max[1] - def->min[1], def->max[2] - def->min[2]));
}

double sn_stuffing_cell_size(const SnStuffingDef *def)
{
    return def->cells > 0 ? longest_side(def) / def->cells : def->cell_size;
}

static SinewStatus check(const SnStuffingDef *def, SinewError *error)
{
    for (int c = 0; c < 3; ++c) {
        if (!isfinite(def->min[c]) || !isfinite(def->max[c]) || !(def->max[c] >= def->min[c])) {
            return sn_fail(error, SINEW_ERROR_ARGUMENT,
                           "the bounds go from %g to %g m along %c, expected max not below min",
                           def->min[c], def->max[c], "xyz"[c]);
        }
    }
    double side = longest_side(def);
    if (!(side > 0.0) || !isfinite(side)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the bounds have a longest side of %g m, expected a positive number", side);
    }
    if (def->cells < 0 || (def->cells == 0 && !(def->cell_size > 0.0))) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%d cells along the longest side and a cell size of %g m, expected one of "
                       "them to be positive",
                       def->cells, def->cell_size);
    }
    double most = SN_PLACE_END / 4 - 2 * PADDING; // a cut's place is in quarters of a cell
    double size = sn_stuffing_cell_size(def);
    if (!(side / size <= most)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "cells of %g m for a side of %g m are more than %.0f along it; use larger "
                       "cells",
                       size, side, most);
    }
    if (!isfinite(def->slope) || def->slope < 0.0) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the slope is %g, expected a positive number, or 0 for unknown", def->slope);
    }
    return SINEW_OK;
}

static SnStuffGrid make_grid(const SnStuffingDef *def, SnWorkers *workers,
                             const SinewAllocator *allocator)
{
    SnStuffGrid grid = {
        .def = def,
        .allocator = allocator,
        .workers = workers,
        .cell_size = sn_stuffing_cell_size(def),
        .leaves = sn_array_of(allocator, sizeof(SnLeaf)),
        .leaf_table = sn_place_table_of(allocator),
        .points = sn_array_of(allocator, sizeof(SnStuffPoint)),
        .point_table = sn_place_table_of(allocator),
    };
    double cells = longest_side(def) / grid.cell_size + 2 * PADDING;
    while ((double)(1 << grid.depth) < cells) {
        grid.depth++;
    }
    for (int c = 0; c < 3; ++c) {
        grid.origin[c] = def->min[c] - PADDING * grid.cell_size;
    }
    return grid;
}

SinewStatus sn_stuffing_create(const SnStuffingDef *def, SnWorkers *workers,
                               const SinewAllocator *allocator, SnTetMesh **out_mesh,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnStuffGrid grid = {.depth = 0};
    SnStuffSearch search = {.grid = &grid};
    SnStuffCuts cuts = {.allocator = allocator};
    *out_mesh = NULL;

    SN_TRY(check(def, error));
    grid = make_grid(def, workers, allocator);
    search.cells = sn_array_of(allocator, sizeof(SnLeaf));
    search.cell_table = sn_place_table_of(allocator);
    search.blocks = sn_array_of(allocator, sizeof(SnLeaf));
    search.block_table = sn_place_table_of(allocator);

    SN_TRY(sn_search_run(&search, error));                   // where the surface is
    SN_TRY(sn_grid_fill(&grid, &search, error));             // step 1: the lattice
    sn_grid_tell(&grid, SN_STUFF_LAID);                      //
    SN_TRY(sn_cuts_create(&grid, &cuts, error));             // steps 2 and 3: cut and move
    SN_TRY(sn_stencils_fill(&grid, &cuts, out_mesh, error)); // step 4: tets
    sn_grid_tell(&grid, 1.0);

done:
    sn_cuts_release(&cuts);
    sn_search_release(&search);
    sn_grid_release(&grid);
    return status;
}

#include "geometry/cell_grid.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { GRAIN = 512, SAMPLED_GRAIN = 16, SAMPLES_MAX = 16 };

// Cells of the grid, exterior ones included; a few bytes of memory each while a lattice is made.
#define GRID_MAX (1 << 28)

// Distances of this much of a cell count as touching.
#define TOUCH 1e-9

SnCellLatticeDef sn_cell_lattice_def_default(void)
{
    return (SnCellLatticeDef){.longest_cells = 32, .samples = 4};
}

static SinewStatus measure_body(const SnCellBody *body, SnBox *out_box, SinewError *error)
{
    bool has_surface = body->surface != NULL;
    if (has_surface && sn_facet_count(body->surface) == 0) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the surface has no triangles and no lines, expected at least one");
    }
    SnBox given;
    memcpy(given.min, body->min, sizeof given.min);
    memcpy(given.max, body->max, sizeof given.max);
    *out_box = has_surface ? sn_facets_box(body->surface) : given;
    for (int c = 0; c < 3; ++c) {
        double min = out_box->min[c];
        double max = out_box->max[c];
        if (!(fabs(min) <= 1e30) || !(fabs(max) <= 1e30) || !(max >= min)) {
            return sn_fail(error, SINEW_ERROR_ARGUMENT,
                           "the body reaches from %g to %g m along %c, expected numbers within "
                           "1e30, the second not smaller",
                           min, max, "xyz"[c]);
        }
    }
    return SINEW_OK;
}

static SinewStatus check_def(const SnCellLatticeDef *def, SinewError *error)
{
    if (!(def->cell_size >= 0.0) || isinf(def->cell_size)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "cell_size is %g m, expected a positive number, or 0 to take longest_cells",
                       def->cell_size);
    }
    if (def->cell_size == 0.0 && def->longest_cells < 1) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "longest_cells is %d, expected 1 or more",
                       def->longest_cells);
    }
    if (def->padding < 0 || def->padding > 1 << 20) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "padding is %d cells, expected 0 to %d",
                       def->padding, 1 << 20);
    }
    if (def->samples < 1 || def->samples > SAMPLES_MAX) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "samples is %d, expected 1 to %d", def->samples,
                       SAMPLES_MAX);
    }
    return SINEW_OK;
}

// Cells in the middle of the body's box; along its longest side they fit it exactly.
static SinewStatus lay_out(SnCellGrid *grid, const SnBox *box, SinewError *error)
{
    const SnCellLatticeDef *def = grid->def;
    double longest = sn_box_longest_side(box);
    double most = sn_box_reach(box);
    grid->cell_size = def->cell_size > 0.0 ? def->cell_size : longest / def->longest_cells;
    // Coordinates must tell cells apart, and samples in them.
    if (!(grid->cell_size > 1e-12 * most) || !(grid->cell_size > 1e-30)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "cells would be %g m for a body of %g m at coordinates up to %g m, expected "
                       "more than 1e-12 of those",
                       grid->cell_size, longest, most);
    }
    double total = 1.0;
    double sizes[3];
    for (int c = 0; c < 3; ++c) {
        double cells = ceil((box->max[c] - box->min[c]) / grid->cell_size - TOUCH);
        sizes[c] = (cells > 1.0 ? cells : 1.0) + 2.0 * def->padding;
        total *= sizes[c];
    }
    if (!(total <= GRID_MAX)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "a grid of %g x %g x %g cells of %g m is too large, expected at most %d in "
                       "all",
                       sizes[0], sizes[1], sizes[2], grid->cell_size, GRID_MAX);
    }
    for (int c = 0; c < 3; ++c) {
        grid->size[c] = (int)sizes[c];
        grid->origin[c] = 0.5 * (box->min[c] + box->max[c]) - 0.5 * sizes[c] * grid->cell_size;
    }
    grid->count = (size_t)total;
    grid->slack = TOUCH * grid->cell_size + 1e-15 * most;
    return SINEW_OK;
}

static void sign_centres(void *context, int begin, int end, int worker)
{
    (void)worker;
    SnCellGrid *grid = context;
    for (int n = begin; n < end; ++n) {
        if ((grid->state[n] & SN_GRID_SKIN) == 0) {
            int ijk[3];
            double p[3];
            sn_cell_grid_place(grid, n, ijk);
            for (int c = 0; c < 3; ++c) {
                p[c] = grid->origin[c] + (ijk[c] + 0.5) * grid->cell_size;
            }
            if (grid->body->fn(grid->body->context, p) < 0.0) {
                grid->state[n] |= SN_GRID_INSIDE;
            }
        }
    }
}

// The cells around one, by a face, edge or corner, that are in the grid, and itself; returns how
// many.
static int find_neighbours(const SnCellGrid *grid, const int ijk[3], size_t out_cells[27])
{
    int count = 0;
    for (int n = 0; n < 27; ++n) {
        int i = ijk[0] + n / 9 - 1;
        int j = ijk[1] + n / 3 % 3 - 1;
        int k = ijk[2] + n % 3 - 1;
        if (i >= 0 && j >= 0 && k >= 0 && i < grid->size[0] && j < grid->size[1] &&
            k < grid->size[2]) {
            out_cells[count++] = sn_cell_grid_index(grid, i, j, k);
        }
    }
    return count;
}

// Whether a cell that no facet touches has such a neighbour, by a face, edge or corner, on the
// other side of the surface. What is beyond the grid is outside.
static bool is_at_a_gap(const SnCellGrid *grid, const int ijk[3], unsigned state)
{
    size_t cells[27];
    int count = find_neighbours(grid, ijk, cells);
    if (count < 27 && (state & (SN_GRID_SKIN | SN_GRID_INSIDE)) == SN_GRID_INSIDE) {
        return true;
    }
    for (int n = 0; n < count; ++n) {
        unsigned there = grid->state[cells[n]];
        if ((there & SN_GRID_SKIN) == 0 && (there & SN_GRID_INSIDE) != (state & SN_GRID_INSIDE)) {
            return true;
        }
    }
    return false;
}

// Lists the cells to sample: those touched, and those at gaps.
static SinewStatus list_sampled(SnCellGrid *grid, const SinewAllocator *allocator,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (size_t n = 0; n < grid->count; ++n) {
        int ijk[3];
        sn_cell_grid_place(grid, (int)n, ijk);
        if ((grid->state[n] & SN_GRID_SKIN) != 0 || is_at_a_gap(grid, ijk, grid->state[n])) {
            grid->state[n] |= SN_GRID_SAMPLED;
            grid->sampled_count++;
        }
    }
    SN_ALLOC(grid->sampled, allocator, grid->sampled_count, error);
    SN_ALLOC_ZERO(grid->inside, allocator, grid->sampled_count, error);
    if (grid->def->keep_apart) {
        SN_ALLOC_ZERO(grid->cubes, allocator,
                      (size_t)grid->sampled_count * (size_t)grid->cube_count, error);
    }
    int filled = 0;
    for (size_t n = 0; n < grid->count; ++n) {
        if ((grid->state[n] & SN_GRID_SAMPLED) != 0) {
            grid->sampled[filled++] = (int)n;
        }
    }
done:
    return status;
}

static void sample_cells(void *context, int begin, int end, int worker)
{
    (void)worker;
    SnCellGrid *grid = context;
    int samples = grid->def->samples;
    for (int s = begin; s < end; ++s) {
        int ijk[3];
        sn_cell_grid_place(grid, grid->sampled[s], ijk);
        for (int cube = 0; cube < grid->cube_count; ++cube) {
            const int place[3] = {cube / samples / samples, cube / samples % samples,
                                  cube % samples};
            double p[3];
            for (int c = 0; c < 3; ++c) {
                double along = ijk[c] + (place[c] + 0.5) / samples;
                p[c] = grid->origin[c] + along * grid->cell_size;
            }
            if (grid->body->fn(grid->body->context, p) < 0.0) {
                grid->inside[s]++;
                if (grid->cubes != NULL) {
                    // Two marks: inside counts towards the fill, touched does not.
                    grid->cubes[(size_t)s * (size_t)grid->cube_count + (size_t)cube] = 2;
                }
            }
        }
    }
}

// A cell that the surface only grazes from outside, such as the neighbours of a box whose faces lie
// in the grid's planes, is none of the body's, as long as the cell on the other side is.
static bool only_grazes(const SnCellGrid *grid, const int ijk[3])
{
    size_t cells[27];
    int count = find_neighbours(grid, ijk, cells);
    for (int n = 0; n < count; ++n) {
        if ((grid->state[cells[n]] & (SN_GRID_STRICT | SN_GRID_INSIDE)) != 0) {
            return true;
        }
    }
    return false;
}

static void label_cells(SnCellGrid *grid)
{
    for (size_t n = 0; n < grid->count; ++n) {
        bool is_inside = (grid->state[n] & SN_GRID_INSIDE) != 0;
        grid->labels[n] = is_inside ? SN_CELL_INTERIOR : SN_CELL_EXTERIOR;
    }
    // First all signs, since grazing asks the neighbours: a cell with any sample inside is inside.
    for (int s = 0; s < grid->sampled_count; ++s) {
        if (grid->inside[s] > 0) {
            grid->state[grid->sampled[s]] |= SN_GRID_INSIDE;
        }
    }
    for (int s = 0; s < grid->sampled_count; ++s) {
        int n = grid->sampled[s];
        int ijk[3];
        sn_cell_grid_place(grid, n, ijk);
        bool is_touched = (grid->state[n] & SN_GRID_SKIN) != 0;
        bool is_full = grid->inside[s] == grid->cube_count;
        if (grid->inside[s] == 0 && (grid->state[n] & SN_GRID_STRICT) == 0 &&
            (!is_touched || only_grazes(grid, ijk))) {
            grid->labels[n] = SN_CELL_EXTERIOR;
        } else {
            grid->labels[n] = is_full && !is_touched ? SN_CELL_INTERIOR : SN_CELL_BOUNDARY;
        }
    }
}

// Fills the grid: touched cells, signs, samples, labels.
static SinewStatus fill_grid(SnCellGrid *grid, SnWorkers *workers, const SinewAllocator *allocator,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_ALLOC_ZERO(grid->state, allocator, grid->count, error);
    SN_ALLOC(grid->labels, allocator, grid->count, error);
    sn_cell_grid_touch(grid, workers);
    if (grid->body->fn != NULL) {
        sn_parallel_for(workers, (int)grid->count, GRAIN, sign_centres, grid);
    }
    SN_TRY(list_sampled(grid, allocator, error));
    if (grid->body->fn != NULL) {
        sn_parallel_for(workers, grid->sampled_count, SAMPLED_GRAIN, sample_cells, grid);
    }
    label_cells(grid);
done:
    return status;
}

static SinewStatus fill_lattice(SnCellGrid *grid, SnWorkers *workers,
                                const SinewAllocator *allocator, SnCellLattice *lattice,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *index_of = NULL;
    memcpy(lattice->origin, grid->origin, sizeof lattice->origin);
    memcpy(lattice->size, grid->size, sizeof lattice->size);
    lattice->cell_size = grid->cell_size;
    lattice->samples = grid->def->samples;
    size_t rows = (size_t)grid->size[0] * (size_t)grid->size[1];
    SN_ALLOC_ZERO(lattice->row_start, allocator, rows + 1, error);
    if (!grid->def->keep_apart) {
        SN_TRY(sn_cell_number_joined(grid, allocator, lattice, error));
        goto done;
    }
    SN_ALLOC(index_of, allocator, grid->count, error);
    memset(index_of, -1, grid->count * sizeof *index_of);
    for (int s = 0; s < grid->sampled_count; ++s) {
        index_of[grid->sampled[s]] = s;
    }
    sn_cell_grid_touch_cubes(grid, index_of, workers);
    SN_TRY(sn_cell_number_apart(grid, index_of, allocator, lattice, error));
done:
    sn_free(allocator, index_of);
    return status;
}

SinewStatus sn_cell_lattice_create(const SnCellBody *body, const SnCellLatticeDef *def,
                                   SnWorkers *workers, const SinewAllocator *allocator,
                                   SnCellLattice **out_lattice, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnCellGrid grid = {.body = body, .def = def};
    SnCellLattice *lattice = NULL;
    SnBox box;
    *out_lattice = NULL;
    SN_TRY(check_def(def, error));
    SN_TRY(sn_facets_check(body->surface, INT_MAX, error));
    SN_TRY(measure_body(body, &box, error));
    grid.cube_count = def->samples * def->samples * def->samples;
    SN_TRY(lay_out(&grid, &box, error));
    SN_TRY(fill_grid(&grid, workers, allocator, error));
    SN_ALLOC_ZERO(lattice, allocator, 1, error);
    SN_TRY(fill_lattice(&grid, workers, allocator, lattice, error));
    *out_lattice = lattice;
    lattice = NULL;
done:
    sn_cell_lattice_destroy(lattice, allocator);
    sn_free(allocator, grid.cubes);
    sn_free(allocator, grid.inside);
    sn_free(allocator, grid.sampled);
    sn_free(allocator, grid.labels);
    sn_free(allocator, grid.state);
    return status;
}

void sn_cell_lattice_destroy(SnCellLattice *lattice, const SinewAllocator *allocator)
{
    if (lattice == NULL) {
        return;
    }
    void *const blocks[] = {lattice->cells,     lattice->labels,     lattice->fills,
                            lattice->nodes,     lattice->node_cells, lattice->positions,
                            lattice->row_start, lattice->cubes_of,   lattice->cubes};
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; ++b) {
        sn_free(allocator, blocks[b]);
    }
    sn_free(allocator, lattice);
}

int sn_cell_lattice_find(const SnCellLattice *lattice, int i, int j, int k, int *out_count)
{
    int found = -1;
    int count = 0;
    if (i >= 0 && j >= 0 && k >= 0 && i < lattice->size[0] && j < lattice->size[1] &&
        k < lattice->size[2]) {
        size_t row = (size_t)i * (size_t)lattice->size[1] + (size_t)j;
        int low = lattice->row_start[row];
        int end = lattice->row_start[row + 1];
        int high = end;
        while (low < high) {
            int middle = low + (high - low) / 2;
            if (lattice->cells[3 * (size_t)middle + 2] < k) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        while (low + count < end && lattice->cells[3 * (size_t)(low + count) + 2] == k) {
            count++;
        }
        found = count > 0 ? low : -1;
    }
    if (out_count != NULL) {
        *out_count = count;
    }
    return found;
}

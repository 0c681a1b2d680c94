#include "geometry/distance_grid.h"

#include "geometry/point.h"

// Nodes along the side of a block.
enum { BLOCK = 4, CELLS_MAX = 4096 };

// A block's sign is shared where its winding number is this far from 1/2 and the surface at least
// twice as far from its middle as its corners are. Across a round hole the number runs as
// (1 + z / sqrt(z^2 + radius^2)) / 2; there it changes by less than 0.25 over such a block.
static const double CLEAR = 0.3;

SnDistanceGridDef sn_distance_grid_def_default(void)
{
    return (SnDistanceGridDef){.cells = 64, .padding = 2, .band = 3.0};
}

// Size and place
// -----------------------------------------------------------------------------------

static SinewStatus check_def(const SnDistanceGridDef *def, SinewError *error)
{
    if (!(def->cell_size > 0.0) && (def->cells < 1 || def->cells > CELLS_MAX)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "a grid of %d cells along the longest side, expected 1 to %d", def->cells,
                       CELLS_MAX);
    }
    if (!(def->cell_size >= 0.0) || !(def->cell_size <= SN_DISTANCE_REACH)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the grid's cell size is %g m, expected a positive number, or 0 for a "
                       "number of cells",
                       def->cell_size);
    }
    if (def->padding < 0 || def->padding > CELLS_MAX) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "a padding of %d cells, expected 0 to %d",
                       def->padding, CELLS_MAX);
    }
    if (!(def->band >= 0.0)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "a band of %g cells, expected zero or a positive number", def->band);
    }
    return SINEW_OK;
}

// The surface's box in whole cells about its middle, and the padding around them.
static SinewStatus place_grid(const SnBox *box, const SnDistanceGridDef *def, SnDistanceGrid *grid,
                              SinewError *error)
{
    double longest = sn_box_longest_side(box);
    grid->spacing = def->cell_size > 0.0 ? def->cell_size : longest / def->cells;
    if (!(grid->spacing > 1e-30)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the surface is %g m long, too small for cells along it", longest);
    }
    double count = 1.0;
    double cells[3];
    for (int k = 0; k < 3; ++k) {
        // A side that is whole cells but for its rounding gets no cell more.
        double exact = (box->max[k] - box->min[k]) / grid->spacing;
        cells[k] = floor(exact + 1.0 - 1e-9) + 2.0 * def->padding;
        cells[k] = cells[k] < 1.0 ? 1.0 : cells[k];
        count *= cells[k] + 1.0;
        grid->origin[k] = 0.5 * (box->min[k] + box->max[k]) - 0.5 * cells[k] * grid->spacing;
    }
    if (!(count <= INT32_MAX)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "cells of %g m would make a grid of %.3g nodes, expected at most %d",
                       grid->spacing, count, INT32_MAX);
    }
    for (int k = 0; k < 3; ++k) {
        grid->size[k] = (int)cells[k] + 1;
    }
    return SINEW_OK;
}

// Filling
// ------------------------------------------------------------------------------------------

typedef struct Fill {
    const SnDistance *distance;
    SnDistanceGrid *grid;
    double band; // m
    int blocks[3];
} Fill;

// A cube of nodes while it is filled, and what is known of all of them.
typedef struct Block {
    int begin[3]; // nodes [begin, end)
    int end[3];
    bool is_far;   // all of it lies beyond the band
    bool is_clear; // one sign for all
    double sign;
    int triangle; // a near one
} Block;

// The cube of `side` nodes that begins at `begin`, cut where the grid ends.
static void cut_block(const SnDistanceGrid *grid, const int begin[3], int side, Block *block)
{
    for (int k = 0; k < 3; ++k) {
        int end = begin[k] + side;
        block->begin[k] = begin[k];
        block->end[k] = end < grid->size[k] ? end : grid->size[k];
    }
}

// Distance below the bound that the nearest known triangle gives, which the search then seldom
// betters. Beyond `limit` any near triangle will do.
static double bounded_distance(const Fill *fill, Block *block, const double p[3], double limit)
{
    double bound = INFINITY;
    if (block->triangle >= 0) {
        bound = sn_distance_to_triangle(fill->distance, block->triangle, p);
    }
    SnClosest closest;
    sn_distance_closest_within(fill->distance, p, bound < limit ? bound : limit, &closest);
    if (closest.triangle < 0) {
        return bound;
    }
    block->triangle = closest.triangle;
    return closest.distance;
}

// What the middle of a block tells of all its nodes.
static void survey_block(const Fill *fill, Block *block)
{
    double middle[3];
    double square = 0.0;
    for (int k = 0; k < 3; ++k) {
        double half = 0.5 * fill->grid->spacing * (block->end[k] - 1 - block->begin[k]);
        middle[k] = fill->grid->origin[k] + fill->grid->spacing * block->begin[k] + half;
        square += half * half;
    }
    double radius = sqrt(square); // of the ball that holds the nodes
    double distance = bounded_distance(fill, block, middle, 1e150);
    block->is_far = distance > radius + fill->band;
    if (!block->is_clear && distance >= 2.0 * radius) {
        double winding = fabs(sn_distance_winding(fill->distance, middle));
        block->is_clear = fabs(winding - 0.5) > CLEAR;
        block->sign = winding > 0.5 ? -1.0 : 1.0;
    }
}

static void fill_node(const Fill *fill, Block *block, const int node[3])
{
    const SnDistanceGrid *grid = fill->grid;
    double p[3];
    for (int k = 0; k < 3; ++k) {
        p[k] = grid->origin[k] + grid->spacing * node[k];
    }
    double distance = block->is_far ? sn_distance_to_triangle(fill->distance, block->triangle, p)
                                    : bounded_distance(fill, block, p, fill->band);
    double sign = block->sign;
    if (!block->is_clear) {
        sign = fabs(sn_distance_winding(fill->distance, p)) > 0.5 ? -1.0 : 1.0;
    }
    size_t row = (size_t)node[0] * (size_t)grid->size[1] + (size_t)node[1];
    grid->values[row * (size_t)grid->size[2] + (size_t)node[2]] = (float)(sign * distance);
}

static void fill_nodes(const Fill *fill, Block *block)
{
    int n[3];
    for (n[0] = block->begin[0]; n[0] < block->end[0]; ++n[0]) {
        for (n[1] = block->begin[1]; n[1] < block->end[1]; ++n[1]) {
            for (n[2] = block->begin[2]; n[2] < block->end[2]; ++n[2]) {
                fill_node(fill, block, n);
            }
        }
    }
}

// A block near the surface is looked at again in eighths, more of which have a clear sign. Takes a
// triangle near the block before, -1 for none, and returns one near this.
static int fill_block(const Fill *fill, int index, int triangle)
{
    Block block = {.triangle = triangle};
    int begin[3];
    int rest = index;
    for (int k = 2; k >= 0; --k) {
        begin[k] = rest % fill->blocks[k] * BLOCK;
        rest /= fill->blocks[k];
    }
    cut_block(fill->grid, begin, BLOCK, &block);
    survey_block(fill, &block);
    if (block.is_far && block.is_clear) {
        fill_nodes(fill, &block);
        return block.triangle;
    }
    for (int eighth = 0; eighth < 8; ++eighth) {
        Block part = block;
        const int half[3] = {begin[0] + (eighth >> 2) * BLOCK / 2,
                             begin[1] + (eighth >> 1 & 1) * BLOCK / 2,
                             begin[2] + (eighth & 1) * BLOCK / 2};
        cut_block(fill->grid, half, BLOCK / 2, &part);
        if (part.begin[0] < part.end[0] && part.begin[1] < part.end[1] &&
            part.begin[2] < part.end[2]) {
            survey_block(fill, &part);
            fill_nodes(fill, &part);
        }
    }
    return block.triangle;
}

static void fill_blocks(void *context, int begin, int end, int worker)
{
    (void)worker;
    int triangle = -1;
    for (int b = begin; b < end; ++b) {
        triangle = fill_block(context, b, triangle);
    }
}

SinewStatus sn_distance_grid_create(const SnDistance *distance, const SnDistanceGridDef *def,
                                    SnWorkers *workers, const SinewAllocator *allocator,
                                    SnDistanceGrid **out_grid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnDistanceGrid *grid = NULL;
    *out_grid = NULL;
    SnBox box = sn_distance_bounds(distance);
    SN_TRY(check_def(def, error));
    SN_ALLOC_ZERO(grid, allocator, 1, error);
    SN_TRY(place_grid(&box, def, grid, error));
    const int *size = grid->size;
    SN_ALLOC(grid->values, allocator, (size_t)size[0] * (size_t)size[1] * (size_t)size[2], error);
    Fill fill = {.distance = distance, .grid = grid, .band = def->band * grid->spacing};
    for (int k = 0; k < 3; ++k) {
        fill.blocks[k] = (size[k] + BLOCK - 1) / BLOCK;
    }
    sn_parallel_for(workers, fill.blocks[0] * fill.blocks[1] * fill.blocks[2], 16, fill_blocks,
                    &fill);
    *out_grid = grid;
    grid = NULL;
done:
    sn_distance_grid_destroy(grid, allocator);
    return status;
}

void sn_distance_grid_destroy(SnDistanceGrid *grid, const SinewAllocator *allocator)
{
    if (grid == NULL) {
        return;
    }
    sn_free(allocator, grid->values);
    sn_free(allocator, grid);
}

// Sampling
// -----------------------------------------------------------------------------------------

// The eight values around a cell's corner (i, j, k).
static void load_cell(const SnDistanceGrid *grid, const int cell[3], double out[8])
{
    size_t row = (size_t)grid->size[2];
    size_t plane = (size_t)grid->size[1] * row;
    const float *v =
        grid->values + (size_t)cell[0] * plane + (size_t)cell[1] * row + (size_t)cell[2];
    for (int c = 0; c < 8; ++c) {
        out[c] = (double)v[(size_t)(c >> 2) * plane + (size_t)(c >> 1 & 1) * row + (size_t)(c & 1)];
    }
}

// Value and gradient, in cells, at t in [0, 1]^3.
static double trilinear(const double v[8], const double t[3], double out_gradient[3])
{
    double x[4];  // along z
    double dz[4]; //
    for (int c = 0; c < 4; ++c) {
        dz[c] = v[2 * c + 1] - v[2 * c];
        x[c] = v[2 * c] + t[2] * dz[c];
    }
    double low = x[0] + t[1] * (x[1] - x[0]);
    double high = x[2] + t[1] * (x[3] - x[2]);
    double dy_low = x[1] - x[0];
    double dy_high = x[3] - x[2];
    double dz_low = dz[0] + t[1] * (dz[1] - dz[0]);
    double dz_high = dz[2] + t[1] * (dz[3] - dz[2]);
    out_gradient[0] = high - low;
    out_gradient[1] = dy_low + t[0] * (dy_high - dy_low);
    out_gradient[2] = dz_low + t[0] * (dz_high - dz_low);
    return low + t[0] * (high - low);
}

double sn_distance_grid_sample(const SnDistanceGrid *grid, const double p[3],
                               double out_gradient[3])
{
    int cell[3];
    double t[3];
    double outside[3]; // from the nearest point of the grid
    for (int k = 0; k < 3; ++k) {
        double x = (p[k] - grid->origin[k]) / grid->spacing;
        double last = grid->size[k] - 1;
        double inside = !(x > 0.0) ? 0.0 : x > last ? last : x;
        cell[k] = (int)inside;
        cell[k] = cell[k] > grid->size[k] - 2 ? grid->size[k] - 2 : cell[k];
        t[k] = inside - cell[k];
        outside[k] = (x - inside) * grid->spacing;
    }
    double values[8];
    double gradient[3];
    load_cell(grid, cell, values);
    double value = trilinear(values, t, gradient);
    double beyond = sn_point_length(outside);
    for (int k = 0; k < 3 && out_gradient != NULL; ++k) {
        // Along an axis on which p is outside, the nearest point stays where it is.
        bool is_out = fabs(outside[k]) > 0.0;
        out_gradient[k] = is_out ? outside[k] / beyond : gradient[k] / grid->spacing;
    }
    return value + beyond;
}

double sn_distance_grid_fn(void *context, const double p[3])
{
    return sn_distance_grid_sample(context, p, NULL);
}

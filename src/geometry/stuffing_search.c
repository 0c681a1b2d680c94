// The first look at space: an octree is walked down from its root, and a cube whose centre is
// farther from the surface than its corners is not looked into. What is left are cells near the
// surface. Then the answer is made consistent, since some functions (a distance whose sign comes
// from elsewhere jumps at holes) change sign far from zero: every cell around a point that is
// inside must be known, and no block that is taken as inside may touch a point that is outside.
#include "geometry/stuffing_grid.h"

#include <math.h>

typedef enum Finding { FOUND_OUTSIDE, FOUND_INSIDE, FOUND_SURFACE } Finding;

typedef struct Look {
    const SnStuffGrid *grid;
    const SnLeaf *cubes;
    unsigned char *findings;
    double *values; // of the function at the centres; NaN where it was not asked for
} Look;

static Finding look_at(const SnStuffGrid *grid, const SnLeaf *cube, double *out_value)
{
    const SnStuffingDef *def = grid->def;
    double x[3];
    *out_value = (double)NAN;
    sn_grid_position(grid, cube->centre, x);
    // From the centre to a corner, and a little more for rounding.
    double radius = 0.8661 * grid->cell_size * sn_leaf_half(cube);
    double beyond = -INFINITY;
    for (int c = 0; c < 3; ++c) {
        beyond = fmax(beyond, fmax(def->min[c] - x[c], x[c] - def->max[c]));
    }
    if (beyond > radius) {
        return FOUND_OUTSIDE;
    }
    if (!(def->slope > 0.0)) {
        return FOUND_SURFACE;
    }
    double value = def->function(def->context, x);
    *out_value = value < beyond ? beyond : value;
    if (value > radius * def->slope) {
        return FOUND_OUTSIDE;
    }
    return value < -radius * def->slope && beyond < -radius ? FOUND_INSIDE : FOUND_SURFACE;
}

static void look_at_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    Look *look = context;
    for (int i = begin; i < end; ++i) {
        look->findings[i] = (unsigned char)look_at(look->grid, &look->cubes[i], &look->values[i]);
    }
}

static SinewStatus refuse_size(const SnStuffGrid *grid, SinewError *error)
{
    return sn_fail(error, SINEW_ERROR_ARGUMENT,
                   "cells of %g m are too small for this body: more than %d would be needed; use "
                   "larger cells",
                   grid->cell_size, SN_STUFFING_CELLS_MAX);
}

static SinewStatus add_cell(SnStuffSearch *search, const SnLeaf *cell, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (search->cells.count >= SN_STUFFING_CELLS_MAX) {
        return refuse_size(search->grid, error);
    }
    SN_TRY(sn_place_table_set(&search->cell_table, cell->centre, (int)search->cells.count, error));
    SN_TRY(sn_array_push(&search->cells, cell, error));
done:
    return status;
}

static SinewStatus add_children(SnArray *cubes, const SnLeaf *cube, SinewError *error)
{
    int quarter = sn_leaf_half(cube) / 2;
    SnLeaf *children = sn_array_add(cubes, 8);
    if (children == NULL) {
        return sn_expect_memory(NULL, 8, sizeof *children, error);
    }
    for (int i = 0; i < 8; ++i) {
        children[i] = (SnLeaf){.level = cube->level - 1};
        children[i].centre[0] = cube->centre[0] + (i & 4 ? quarter : -quarter);
        children[i].centre[1] = cube->centre[1] + (i & 2 ? quarter : -quarter);
        children[i].centre[2] = cube->centre[2] + (i & 1 ? quarter : -quarter);
    }
    return SINEW_OK;
}

// The centre of a cell is one of its points: its value need not be asked for again.
static SinewStatus keep_value(SnStuffGrid *grid, const int centre[3], double value,
                              SinewError *error)
{
    int index = -1;
    if (isnan(value)) {
        return SINEW_OK;
    }
    SinewStatus status = sn_grid_point(grid, centre, &index, error);
    if (status >= 0) {
        sn_grid_label(SN_ITEMS(grid->points, SnStuffPoint) + index, value);
    }
    return status;
}

static SinewStatus sort_out(SnStuffSearch *search, const SnLeaf *cube, Finding finding,
                            double value, SnArray *next, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (finding == FOUND_INSIDE) {
        SN_TRY(sn_place_table_set(&search->block_table, cube->centre, (int)search->blocks.count,
                                  error));
        SN_TRY(sn_array_push(&search->blocks, cube, error));
    } else if (finding == FOUND_SURFACE && cube->level == 0) {
        SN_TRY(add_cell(search, cube, error));
        SN_TRY(keep_value(search->grid, cube->centre, value, error));
    } else if (finding == FOUND_SURFACE) {
        SN_TRY(add_children(next, cube, error));
    }
done:
    return status;
}

// One level of the walk: the cubes of `from`, what they hold into `next`.
static SinewStatus walk_level(SnStuffSearch *search, const SnArray *from, SnArray *next,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Look look = {.grid = search->grid, .cubes = from->items};

    if (from->count > 2 * (size_t)SN_STUFFING_CELLS_MAX) {
        SN_TRY(refuse_size(search->grid, error));
    }
    SN_ALLOC(look.findings, search->grid->allocator, from->count, error);
    SN_ALLOC(look.values, search->grid->allocator, from->count, error);
    // The last level has about three quarters of all cubes.
    bool is_last = from->count > 0 && SN_ITEMS(*from, SnLeaf)[0].level == 0;
    sn_grid_parallel_for(search->grid, (int)from->count, 64, look_at_range, &look,
                         is_last ? 0.25 * SN_STUFF_WALKED : 0.0,
                         is_last ? SN_STUFF_WALKED : 0.25 * SN_STUFF_WALKED);
    for (size_t i = 0; i < from->count; ++i) {
        SN_TRY(sort_out(search, &look.cubes[i], (Finding)look.findings[i], look.values[i], next,
                        error));
    }
done:
    sn_free(search->grid->allocator, look.findings);
    sn_free(search->grid->allocator, look.values);
    return status;
}

static SinewStatus walk_down(SnStuffSearch *search, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnStuffGrid *grid = search->grid;
    SnArray level = sn_array_of(grid->allocator, sizeof(SnLeaf));
    SnArray next = sn_array_of(grid->allocator, sizeof(SnLeaf));
    int half = 1 << grid->depth;
    SnLeaf root = {.centre = {half, half, half}, .level = grid->depth};

    SN_TRY(sn_array_push(&level, &root, error));
    while (level.count > 0) {
        SN_TRY(walk_level(search, &level, &next, error));
        sn_array_release(&level);
        level = next;
        next = sn_array_of(grid->allocator, sizeof(SnLeaf));
    }
done:
    sn_array_release(&level);
    sn_array_release(&next);
    return status;
}

int sn_search_block(const SnStuffSearch *search, const int centre[3])
{
    for (int level = 0; level <= search->grid->depth; ++level) {
        SnLeaf around = sn_leaf_around(centre, level);
        int block = sn_place_table_find(&search->block_table, around.centre);
        if (block >= 0 && SN_ITEMS(search->blocks, SnLeaf)[block].level == level) {
            return block;
        }
    }
    return -1;
}

static bool is_covered(const SnStuffSearch *search, const int centre[3])
{
    return sn_place_table_find(&search->cell_table, centre) >= 0 ||
           sn_search_block(search, centre) >= 0;
}

// Gives up a block: all its cells are to be evaluated.
static SinewStatus break_block(SnStuffSearch *search, int index, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLeaf block = SN_ITEMS(search->blocks, SnLeaf)[index];
    int side = 1 << block.level;
    if (3 * block.level > 28) {
        return refuse_size(search->grid, error);
    }
    SN_ITEMS(search->blocks, SnLeaf)[index].level = -1;
    for (int n = 0; n < side * side * side; ++n) {
        const int cell[3] = {n / (side * side), n / side % side, n % side};
        SnLeaf leaf = {.level = 0};
        for (int c = 0; c < 3; ++c) {
            leaf.centre[c] = block.centre[c] - side + 2 * cell[c] + 1;
        }
        SN_TRY(add_cell(search, &leaf, error));
    }
done:
    return status;
}

// True when every cell beyond the face of a block is known to be something.
static bool face_is_covered(const SnStuffSearch *search, const SnLeaf *block, int face)
{
    int half = sn_leaf_half(block);
    int axis = face / 2;
    SnLeaf beside = *block;
    beside.centre[axis] += face % 2 ? -2 * half : 2 * half;
    int same = sn_place_table_find(&search->block_table, beside.centre);
    if (same >= 0 && SN_ITEMS(search->blocks, SnLeaf)[same].level == block->level) {
        return true;
    }
    for (int n = 0; n < half * half; ++n) {
        int at[3];
        at[axis] = block->centre[axis] + (face % 2 ? -half - 1 : half + 1);
        at[(axis + 1) % 3] = block->centre[(axis + 1) % 3] - half + 1 + 2 * (n / half);
        at[(axis + 2) % 3] = block->centre[(axis + 2) % 3] - half + 1 + 2 * (n % half);
        if (!is_covered(search, at)) {
            return false;
        }
    }
    return true;
}

static SinewStatus break_bare_blocks(SnStuffSearch *search, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (size_t b = 0; b < search->blocks.count; ++b) {
        for (int face = 0; face < 6; ++face) {
            SnLeaf block = SN_ITEMS(search->blocks, SnLeaf)[b];
            if (block.level >= 0 && !face_is_covered(search, &block, face)) {
                SN_TRY(break_block(search, (int)b, error));
            }
        }
    }
done:
    return status;
}

static SinewStatus add_cell_points(SnStuffSearch *search, size_t first, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (size_t i = first; i < search->cells.count; ++i) {
        SnLeaf cell = SN_ITEMS(search->cells, SnLeaf)[i];
        int index = -1;
        for (int corner = 0; corner < 8; ++corner) {
            int at[3];
            sn_leaf_corner(&cell, corner, at);
            SN_TRY(sn_grid_point(search->grid, at, &index, error));
        }
        SN_TRY(sn_grid_point(search->grid, cell.centre, &index, error));
    }
done:
    return status;
}

// The eight cells around a corner that is inside must be known; blocks around one that is outside
// were taken for inside too soon.
static SinewStatus agree_around(SnStuffSearch *search, const SnStuffPoint *point, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int i = 0; i < 8; ++i) {
        SnLeaf cell = {.level = 0};
        cell.centre[0] = point->at[0] + (i & 4 ? 1 : -1);
        cell.centre[1] = point->at[1] + (i & 2 ? 1 : -1);
        cell.centre[2] = point->at[2] + (i & 1 ? 1 : -1);
        if (sn_place_table_find(&search->cell_table, cell.centre) >= 0) {
            continue;
        }
        int block = sn_search_block(search, cell.centre);
        if (point->label == SN_POINT_INSIDE && block < 0) {
            SN_TRY(add_cell(search, &cell, error));
        } else if (point->label == SN_POINT_OUTSIDE && block >= 0) {
            SN_TRY(break_block(search, block, error));
        }
    }
done:
    return status;
}

// Evaluates the points of all cells, and of those that turn out to be needed on the way.
static SinewStatus agree(SnStuffSearch *search, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnStuffGrid *grid = search->grid;
    size_t first_cell = 0;
    size_t first_point = 0;

    while (first_cell < search->cells.count) {
        SN_TRY(add_cell_points(search, first_cell, error));
        first_cell = search->cells.count;
        sn_grid_evaluate(grid, (int)first_point);
        for (; first_point < grid->points.count; ++first_point) {
            SnStuffPoint point = SN_ITEMS(grid->points, SnStuffPoint)[first_point];
            if (point.at[0] % 2 == 0) { // a corner, not a centre
                SN_TRY(agree_around(search, &point, error));
            }
        }
    }
done:
    return status;
}

// Before anything is sized by it: the cells that a uniform mesh would have.
static SinewStatus check_volume(const SnStuffSearch *search, SinewError *error)
{
    double cells = (double)search->cells.count;
    for (size_t b = 0; b < search->blocks.count && !search->grid->def->is_graded; ++b) {
        double side = ldexp(1.0, SN_ITEMS(search->blocks, SnLeaf)[b].level);
        cells += side * side * side;
    }
    return cells > SN_STUFFING_CELLS_MAX ? refuse_size(search->grid, error) : SINEW_OK;
}

SinewStatus sn_search_run(SnStuffSearch *search, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(walk_down(search, error));
    SN_TRY(check_volume(search, error));
    SN_TRY(break_bare_blocks(search, error));
    SN_TRY(agree(search, error));
done:
    return status;
}

int sn_search_inside_count(const SnStuffSearch *search, const SnLeaf *cell)
{
    const SnStuffGrid *grid = search->grid;
    int count = 0;
    for (int i = 0; i < 9; ++i) {
        int at[3] = {cell->centre[0], cell->centre[1], cell->centre[2]};
        if (i < 8) {
            sn_leaf_corner(cell, i, at);
        }
        int point = sn_place_table_find(&grid->point_table, at);
        count += point >= 0 && SN_ITEMS(grid->points, SnStuffPoint)[point].label == SN_POINT_INSIDE;
    }
    return count;
}

void sn_search_release(SnStuffSearch *search)
{
    sn_array_release(&search->cells);
    sn_array_release(&search->blocks);
    sn_place_table_release(&search->cell_table);
    sn_place_table_release(&search->block_table);
}

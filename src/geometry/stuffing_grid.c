#include "geometry/stuffing_grid.h"

#include <math.h>

void sn_grid_position(const SnStuffGrid *grid, const int at[3], double out_x[3])
{
    for (int c = 0; c < 3; ++c) {
        out_x[c] = grid->origin[c] + 0.5 * grid->cell_size * at[c];
    }
}

double sn_grid_value(const SnStuffGrid *grid, const double x[3])
{
    double value = grid->def->function(grid->def->context, x);
    for (int c = 0; c < 3; ++c) {
        double beyond = fmax(grid->def->min[c] - x[c], x[c] - grid->def->max[c]);
        value = value < beyond ? beyond : value; // keeps a NaN
    }
    return value;
}

SinewStatus sn_grid_point(SnStuffGrid *grid, const int at[3], int *out_index, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *out_index = sn_place_table_find(&grid->point_table, at);
    if (*out_index >= 0) {
        return SINEW_OK;
    }
    SnStuffPoint point = {
        .at = {at[0], at[1], at[2]}, .label = SN_POINT_INSIDE, .slot = -1, .value = 0.0};
    sn_grid_position(grid, at, point.x);
    *out_index = (int)grid->points.count;
    SN_TRY(sn_place_table_set(&grid->point_table, at, *out_index, error));
    SN_TRY(sn_array_push(&grid->points, &point, error));
done:
    return status;
}

// A part of a loop.
typedef struct Part {
    SnRangeFn *fn;
    void *context;
    int first;
} Part;

static void run_part(void *context, int begin, int end, int worker)
{
    const Part *part = context;
    part->fn(part->context, part->first + begin, part->first + end, worker);
}

void sn_grid_parallel_for(const SnStuffGrid *grid, int count, int grain, SnRangeFn *fn,
                          void *context, double from, double to)
{
    enum { PART = 1 << 16 };
    for (int first = 0; first < count; first += PART) {
        int size = count - first < PART ? count - first : PART;
        Part part = {fn, context, first};
        sn_parallel_for(grid->workers, size, grain, run_part, &part);
        sn_grid_tell(grid, from + (to - from) * (double)(first + size) / (double)count);
    }
}

typedef struct Evaluation {
    SnStuffGrid *grid;
    int first;
} Evaluation;

static void evaluate_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    Evaluation *evaluation = context;
    SnStuffGrid *grid = evaluation->grid;
    for (int i = begin; i < end; ++i) {
        SnStuffPoint *point = SN_ITEMS(grid->points, SnStuffPoint) + evaluation->first + i;
        if (!point->is_known) {
            double value = sn_grid_value(grid, point->x);
            sn_grid_label(point, isnan(value) ? grid->cell_size : value);
        }
    }
}

void sn_grid_evaluate(SnStuffGrid *grid, int first)
{
    Evaluation evaluation = {grid, first};
    sn_grid_parallel_for(grid, (int)grid->points.count - first, 64, evaluate_range, &evaluation,
                         SN_STUFF_WALKED, SN_STUFF_SEARCHED);
}

// Leaves in Morton order, found by their centres.
static SinewStatus sort_leaves(SnStuffGrid *grid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t count = grid->leaves.count;
    SnOrdered *order = NULL;
    SnOrdered *scratch = NULL;
    SnLeaf *sorted = NULL;

    SN_ALLOC(order, grid->allocator, count, error);
    SN_ALLOC(scratch, grid->allocator, count, error);
    SN_ALLOC(sorted, grid->allocator, count, error);
    SnLeaf *leaves = SN_ITEMS(grid->leaves, SnLeaf);
    for (size_t i = 0; i < count; ++i) {
        order[i] = (SnOrdered){sn_place_order(leaves[i].centre), (int)i};
    }
    sn_ordered_sort(order, scratch, count);
    for (size_t i = 0; i < count; ++i) {
        sorted[i] = leaves[order[i].index];
    }
    for (size_t i = 0; i < count; ++i) {
        leaves[i] = sorted[i];
        SN_TRY(sn_place_table_set(&grid->leaf_table, leaves[i].centre, (int)i, error));
    }

done:
    sn_free(grid->allocator, order);
    sn_free(grid->allocator, scratch);
    sn_free(grid->allocator, sorted);
    return status;
}

static SinewStatus use_point(SnStuffGrid *grid, const int at[3], SinewError *error)
{
    int index = -1;
    SinewStatus status = sn_grid_point(grid, at, &index, error);
    if (status >= 0) {
        SN_ITEMS(grid->points, SnStuffPoint)[index].is_used = true;
    }
    return status;
}

// Corners and centres of the leaves. Those that the search did not look at are inside.
static SinewStatus add_leaf_points(SnStuffGrid *grid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnLeaf *leaves = SN_ITEMS(grid->leaves, SnLeaf);
    for (size_t i = 0; i < grid->leaves.count; ++i) {
        for (int corner = 0; corner < 8; ++corner) {
            int at[3];
            sn_leaf_corner(&leaves[i], corner, at);
            SN_TRY(use_point(grid, at, error));
        }
        SN_TRY(use_point(grid, leaves[i].centre, error));
    }
done:
    return status;
}

// Cells beside the outermost leaves are outside, but their centres belong to tets of the leaves.
static SinewStatus add_centres_beside(SnStuffGrid *grid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnLeaf *leaves = SN_ITEMS(grid->leaves, SnLeaf);
    int first = (int)grid->points.count;
    for (size_t i = 0; i < grid->leaves.count; ++i) {
        for (int face = 0; face < SN_BCC_LONG_EDGES && leaves[i].level == 0; ++face) {
            int at[3];
            for (int c = 0; c < 3; ++c) {
                at[c] = leaves[i].centre[c] + sn_bcc_edge[face][c];
            }
            if (sn_place_table_find(&grid->leaf_table, at) < 0) {
                // In a graded grid this may be the inside of a larger leaf.
                SnLeaf around = sn_leaf_around(at, 1);
                if (sn_place_table_find(&grid->leaf_table, around.centre) < 0) {
                    SN_TRY(use_point(grid, at, error));
                }
            }
        }
    }
    sn_grid_evaluate(grid, first);
    for (int i = first; i < (int)grid->points.count; ++i) {
        SN_ITEMS(grid->points, SnStuffPoint)[i].label = SN_POINT_OUTSIDE;
    }
done:
    return status;
}

SinewStatus sn_grid_add_even_leaves(SnStuffGrid *grid, const SnStuffSearch *search,
                                    SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnLeaf *cells = SN_ITEMS(search->cells, SnLeaf);
    for (size_t i = 0; i < search->cells.count; ++i) {
        if (sn_search_inside_count(search, &cells[i]) > 0) {
            SN_TRY(sn_array_push(&grid->leaves, &cells[i], error));
        }
    }
    for (size_t b = 0; b < search->blocks.count; ++b) {
        SnLeaf block = SN_ITEMS(search->blocks, SnLeaf)[b];
        int side = block.level < 0 ? 0 : 1 << block.level;
        for (int n = 0; n < side * side * side; ++n) {
            const int cell[3] = {n / (side * side), n / side % side, n % side};
            SnLeaf leaf = {.level = 0};
            for (int c = 0; c < 3; ++c) {
                leaf.centre[c] = block.centre[c] - side + 2 * cell[c] + 1;
            }
            SN_TRY(sn_array_push(&grid->leaves, &leaf, error));
        }
    }
done:
    return status;
}

SinewStatus sn_grid_refuse_empty(const SnStuffGrid *grid, SinewError *error)
{
    return sn_fail(error, SINEW_ERROR_ARGUMENT,
                   "no point of the lattice is inside; the body is thinner than the cells "
                   "(size %g m) or has no inside; use smaller cells",
                   grid->cell_size);
}

SinewStatus sn_grid_fill(SnStuffGrid *grid, const SnStuffSearch *search, SinewError *error)
{
    SinewStatus status = SINEW_OK;

    if (grid->def->is_graded) {
        SN_TRY(sn_grid_add_graded_leaves(grid, search, error));
    } else {
        SN_TRY(sn_grid_add_even_leaves(grid, search, error));
    }
    if (grid->leaves.count == 0) {
        SN_TRY(sn_grid_refuse_empty(grid, error));
    }
    SN_TRY(sort_leaves(grid, error));
    SN_TRY(add_leaf_points(grid, error));
    SN_TRY(add_centres_beside(grid, error));
done:
    return status;
}

void sn_grid_release(SnStuffGrid *grid)
{
    sn_array_release(&grid->leaves);
    sn_array_release(&grid->points);
    sn_place_table_release(&grid->leaf_table);
    sn_place_table_release(&grid->point_table);
}

// Which cells and which of their cubes the surface touches. Work is cut into slabs of the grid, and
// each slab looks at all facets: one writer a cell, and no order between facets matters.
#include "geometry/cell_grid.h"
#include "geometry/triangle_box.h"

#include <math.h>

enum { SLABS = 32 };

// Places [first, last] along an axis that a facet's box touches, within [0, count).
static void touch_range(const double corners[9], int axis, double origin, double size, double slack,
                        int count, int *out_first, int *out_last)
{
    double min = INFINITY;
    double max = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        double x = corners[3 * k + axis];
        min = x < min ? x : min;
        max = x > max ? x : max;
    }
    double first = floor((min - slack - origin) / size);
    double last = floor((max + slack - origin) / size);
    // The facet lies within the grid but for rounding, so these are small whole numbers.
    *out_first = first > 0.0 ? (int)first : 0;
    *out_last = last < count - 1 ? (int)last : count - 1;
}

static unsigned char touch_cell(const SnCellGrid *grid, const double corners[9], const int ijk[3])
{
    const double h = grid->cell_size;
    double centre[3];
    for (int c = 0; c < 3; ++c) {
        centre[c] = grid->origin[c] + (ijk[c] + 0.5) * h;
    }
    double wide = 0.5 * h + grid->slack;
    double narrow = 0.5 * h - grid->slack;
    if (!sn_triangle_box_touch(corners, centre, (double[3]){wide, wide, wide})) {
        return 0;
    }
    bool is_strict = sn_triangle_box_touch(corners, centre, (double[3]){narrow, narrow, narrow});
    return (unsigned char)(is_strict ? SN_GRID_SKIN | SN_GRID_STRICT : SN_GRID_SKIN);
}

// Calls a function for each facet and each cell of a slab whose box the facet's box touches.
typedef void FacetFn(void *context, const double corners[9], const int ijk[3]);

static void visit_slab(const SnCellGrid *grid, int begin, int end, FacetFn *fn, void *context)
{
    int facets = sn_facet_count(grid->body->surface);
    for (int f = 0; f < facets; ++f) {
        double corners[9];
        int first[3];
        int last[3];
        sn_facet_corners(grid->body->surface, f, corners);
        for (int c = 0; c < 3; ++c) {
            touch_range(corners, c, grid->origin[c], grid->cell_size, grid->slack, grid->size[c],
                        &first[c], &last[c]);
        }
        first[0] = first[0] > begin ? first[0] : begin;
        last[0] = last[0] < end - 1 ? last[0] : end - 1;
        for (int i = first[0]; i <= last[0]; ++i) {
            for (int j = first[1]; j <= last[1]; ++j) {
                for (int k = first[2]; k <= last[2]; ++k) {
                    fn(context, corners, (int[3]){i, j, k});
                }
            }
        }
    }
}

static void mark_cell(void *context, const double corners[9], const int ijk[3])
{
    SnCellGrid *grid = context;
    unsigned char *state = grid->state + sn_cell_grid_index(grid, ijk[0], ijk[1], ijk[2]);
    if ((*state & SN_GRID_STRICT) == 0) {
        *state |= touch_cell(grid, corners, ijk);
    }
}

static void touch_slab(void *context, int begin, int end, int worker)
{
    (void)worker;
    visit_slab(context, begin, end, mark_cell, context);
}

void sn_cell_grid_touch(SnCellGrid *grid, SnWorkers *workers)
{
    sn_parallel_for(workers, grid->size[0], 1 + grid->size[0] / SLABS, touch_slab, grid);
}

typedef struct Cubes {
    SnCellGrid *grid;
    const int *index_of;
} Cubes;

// Cubes are taken without their lower faces and with their upper ones, so that a facet in the plane
// between two of them occupies one, not both.
static void touch_cubes_of_cell(const SnCellGrid *grid, const double corners[9], const int ijk[3],
                                unsigned char *cubes)
{
    int samples = grid->def->samples;
    double size = grid->cell_size / samples;
    double low[3];
    int first[3];
    int last[3];
    for (int c = 0; c < 3; ++c) {
        low[c] = grid->origin[c] + ijk[c] * grid->cell_size + grid->slack;
        touch_range(corners, c, low[c], size, 0.0, samples, &first[c], &last[c]);
    }
    const double half[3] = {0.5 * size, 0.5 * size, 0.5 * size};
    for (int a = first[0]; a <= last[0]; ++a) {
        for (int b = first[1]; b <= last[1]; ++b) {
            for (int c = first[2]; c <= last[2]; ++c) {
                unsigned char *cube = cubes + (a * samples + b) * samples + c;
                const double centre[3] = {low[0] + (a + 0.5) * size, low[1] + (b + 0.5) * size,
                                          low[2] + (c + 0.5) * size};
                if (*cube == 0 && sn_triangle_box_touch(corners, centre, half)) {
                    *cube = 1;
                }
            }
        }
    }
}

static void mark_cubes(void *context, const double corners[9], const int ijk[3])
{
    const Cubes *job = context;
    const SnCellGrid *grid = job->grid;
    int n = job->index_of[sn_cell_grid_index(grid, ijk[0], ijk[1], ijk[2])];
    if (n >= 0) {
        touch_cubes_of_cell(grid, corners, ijk, grid->cubes + (size_t)n * (size_t)grid->cube_count);
    }
}

static void touch_cubes_slab(void *context, int begin, int end, int worker)
{
    (void)worker;
    const Cubes *job = context;
    visit_slab(job->grid, begin, end, mark_cubes, context);
}

void sn_cell_grid_touch_cubes(SnCellGrid *grid, const int *index_of, SnWorkers *workers)
{
    Cubes job = {.grid = grid, .index_of = index_of};
    sn_parallel_for(workers, grid->size[0], 1 + grid->size[0] / SLABS, touch_cubes_slab, &job);
}

#include "geometry/box_cover.h"

#include <math.h>
#include <string.h>

// Cells whose sides differ by less than this share are cubes.
#define SAME 1e-6

// A cube that sticks out makes a body too stiff in bending, a coarser or finer grid costs accuracy
// or time: an overhang of a tenth weighs as much as cubes of four times the volume.
#define OVERHANG_WEIGHT 10.0

// The finest grid that is tried has so many times the cells along the longest side.
enum { FINER_MAX = 4, CELLS_MAX = 4096 };

static double side_of(const SnBoxTetsDef *grid, int axis)
{
    return grid->max[axis] - grid->min[axis];
}

// Cubes of that edge that cover a side.
static int count_along(double side, double edge)
{
    double count = ceil(side / edge * (1.0 - SAME));
    return count > 1.0 ? (int)count : 1;
}

static double overhang_of(const SnBoxTetsDef *grid, double edge)
{
    double most = 0.0;
    for (int k = 0; k < 3; ++k) {
        double side = side_of(grid, k);
        most = fmax(most, count_along(side, edge) * edge / side - 1.0);
    }
    return most > 2.0 * SAME ? most : 0.0;
}

// An edge that divides the longest side: of cubes that are about as large as the cells that were
// asked for, of that volume and so many along the longest side, with the least overhang.
static double choose_edge(const SnBoxTetsDef *grid, double volume, int cells)
{
    double longest = fmax(side_of(grid, 0), fmax(side_of(grid, 1), side_of(grid, 2)));
    int most = cells < CELLS_MAX / FINER_MAX ? cells * FINER_MAX : CELLS_MAX;
    double best = INFINITY, edge = longest;
    for (int m = 1; m <= most; ++m) {
        double here = longest / m;
        double ratio = here * here * here / volume;
        double far = (fmax(ratio, 1.0 / ratio) - 1.0) / 3.0;
        double score = far + OVERHANG_WEIGHT * overhang_of(grid, here);
        if (score < best) {
            best = score;
            edge = here;
        }
    }
    return edge;
}

SnBoxCover sn_box_cover_find(const SnBoxTetsDef *grid)
{
    SnBoxCover cover = {.is_as_said = true};
    double edges[3];
    for (int k = 0; k < 3; ++k) {
        edges[k] = side_of(grid, k) / grid->cells[k];
        cover.is_as_said = cover.is_as_said && fabs(edges[k] - edges[0]) <= SAME * edges[0];
    }
    if (cover.is_as_said) {
        memcpy(cover.cells, grid->cells, sizeof cover.cells);
        memcpy(cover.min, grid->min, sizeof cover.min);
        cover.edge = edges[0];
        return cover;
    }
    int most = grid->cells[0] > grid->cells[1] ? grid->cells[0] : grid->cells[1];
    most = grid->cells[2] > most ? grid->cells[2] : most;
    cover.edge = choose_edge(grid, edges[0] * edges[1] * edges[2], most);
    cover.overhang = overhang_of(grid, cover.edge);
    for (int k = 0; k < 3; ++k) {
        double side = side_of(grid, k);
        cover.cells[k] = count_along(side, cover.edge);
        double out = cover.overhang > 0.0 ? cover.cells[k] * cover.edge - side : 0.0;
        cover.min[k] = grid->min[k] - 0.5 * out;
    }
    return cover;
}

double sn_box_cover_fill(const SnBoxCover *cover, const SnBoxTetsDef *grid, const int place[3],
                         int division)
{
    double fill = 1.0, edge = cover->edge / division;
    for (int k = 0; k < 3 && cover->overhang > 0.0; ++k) {
        double low = fmax(cover->min[k] + place[k] * edge, grid->min[k]);
        double high = fmin(cover->min[k] + (place[k] + 1) * edge, grid->max[k]);
        fill *= fmin(fmax(high - low, 0.0) / edge, 1.0);
    }
    return fill;
}

// Cut points and moved lattice points. An edge from a point outside to one inside is cut where the
// function is zero. A cut too near to one of its ends violates it; the end is moved onto the cut,
// and then has no cut edges any more.
#include "geometry/stuffing_grid.h"

#include <math.h>

// How near, as part of an edge, a cut may come to a lattice point. [L] gives 0.24999 and 0.41189 as
// its best pair; with cuts at their worst places our stencils then reach 9.3 and 161.7 degrees.
// Searched the same way, this pair holds 10.5 and 163.8.
static const double alpha_long = 0.28;
static const double alpha_short = 0.40;

static double alpha_of(int direction)
{
    return direction < SN_BCC_LONG_EDGES ? alpha_long : alpha_short;
}

// Cuts are found to this part of a cell: a distance there, a length of edge where the function
// jumps.
static const double tolerance = 1e-4;

static double value_between(const SnStuffGrid *grid, const double a[3], const double b[3], double t)
{
    double x[3];
    for (int c = 0; c < 3; ++c) {
        x[c] = a[c] + t * (b[c] - a[c]);
    }
    double value = sn_grid_value(grid, x);
    return isnan(value) ? grid->cell_size : value;
}

// Where the function is zero between a point outside (0) and one inside (1). Regula falsi with the
// kept end halved (Illinois), and bisection every third step, so that no function takes long.
static double find_cut(const SnStuffGrid *grid, const SnStuffPoint *outside,
                       const SnStuffPoint *inside)
{
    double low = 0.0;
    double high = 1.0;
    double f_low = fabs(outside->value);
    double f_high =
        -fabs(inside->is_known ? inside->value : value_between(grid, outside->x, inside->x, 1.0));
    int kept = 0; // which end the last step kept
    for (int i = 0; i < 40 && high - low > tolerance; ++i) {
        double t = low + (high - low) * f_low / (f_low - f_high);
        if (i % 3 == 2 || !(t >= low && t <= high)) {
            t = 0.5 * (low + high);
        }
        double f = value_between(grid, outside->x, inside->x, t);
        if (fabs(f) <= tolerance * grid->cell_size) {
            return t;
        }
        if (f >= 0.0) {
            low = t;
            f_low = f;
            f_high *= kept == 1 ? 0.5 : 1.0;
            kept = 1;
        } else {
            high = t;
            f_high = f;
            f_low *= kept == -1 ? 0.5 : 1.0;
            kept = -1;
        }
    }
    return 0.5 * (low + high);
}

static SnStuffPoint *point_at(const SnStuffGrid *grid, int index)
{
    return SN_ITEMS(grid->points, SnStuffPoint) + index;
}

static int find_neighbour(const SnStuffGrid *grid, const SnStuffPoint *point, int direction)
{
    int at[3];
    for (int c = 0; c < 3; ++c) {
        at[c] = point->at[c] + sn_bcc_edge[direction][c];
    }
    int index = sn_place_table_find(&grid->point_table, at);
    return index >= 0 && point_at(grid, index)->is_used ? index : -1;
}

// Slots for the points with a cut edge: all outside points beside inside ones, and those. Returns
// their number.
static int assign_slots(SnStuffGrid *grid)
{
    int count = 0;
    for (int i = 0; i < (int)grid->points.count; ++i) {
        SnStuffPoint *point = point_at(grid, i);
        for (int d = 0; d < SN_BCC_EDGES && point->is_used && point->label == SN_POINT_OUTSIDE;
             ++d) {
            int other = find_neighbour(grid, point, d);
            if (other >= 0 && point_at(grid, other)->label == SN_POINT_INSIDE) {
                point->slot = 0;
                point_at(grid, other)->slot = 0;
            }
        }
    }
    for (int i = 0; i < (int)grid->points.count; ++i) {
        SnStuffPoint *point = point_at(grid, i);
        point->slot = point->slot == 0 ? count++ : -1;
    }
    return count;
}

typedef struct Cutting {
    SnStuffGrid *grid;
    SnStuffCuts *cuts;
} Cutting;

static void cut_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    const Cutting *cutting = context;
    for (int slot = begin; slot < end; ++slot) {
        const SnStuffPoint *point = point_at(cutting->grid, cutting->cuts->points[slot]);
        for (int d = 0; d < SN_BCC_EDGES; ++d) {
            size_t edge = (size_t)slot * SN_BCC_EDGES + (size_t)d;
            int other = find_neighbour(cutting->grid, point, d);
            bool is_cut = other >= 0 && point->label == SN_POINT_OUTSIDE &&
                          point_at(cutting->grid, other)->label == SN_POINT_INSIDE;
            cutting->cuts->neighbours[edge] = other;
            cutting->cuts->cuts[edge] =
                is_cut ? find_cut(cutting->grid, point, point_at(cutting->grid, other)) : -1.0;
        }
    }
}

// The cut of the edge in a direction from a point with a slot; NULL when there is none (any more).
// It counts from the end that is outside.
static double *cut_of(const SnStuffGrid *grid, const SnStuffCuts *cuts, const SnStuffPoint *point,
                      int direction)
{
    size_t edge = (size_t)point->slot * SN_BCC_EDGES + (size_t)direction;
    int index = cuts->neighbours[edge];
    if (index < 0 || point->label == SN_POINT_ON) {
        return NULL;
    }
    const SnStuffPoint *other = point_at(grid, index);
    if (other->label == SN_POINT_ON || other->label == point->label) {
        return NULL;
    }
    if (point->label == SN_POINT_INSIDE) {
        edge = (size_t)other->slot * SN_BCC_EDGES + (size_t)(direction ^ 1);
    }
    return &cuts->cuts[edge];
}

static bool is_manifold_at(const SnStuffGrid *grid, const SnStuffCuts *cuts,
                           const SnStuffPoint *point)
{
    SnPointLabel labels[SN_BCC_EDGES];
    for (int d = 0; d < SN_BCC_EDGES; ++d) {
        int other = cuts->neighbours[(size_t)point->slot * SN_BCC_EDGES + (size_t)d];
        labels[d] = other < 0 ? SN_POINT_OUTSIDE : point_at(grid, other)->label;
    }
    return sn_bcc_is_manifold(labels);
}

// Puts a point on the surface unless the body would then touch itself there or at a neighbour.
static bool try_to_put_on(const SnStuffGrid *grid, const SnStuffCuts *cuts, SnStuffPoint *point)
{
    SnPointLabel before = point->label;
    point->label = SN_POINT_ON;
    bool is_good = is_manifold_at(grid, cuts, point);
    for (int d = 0; d < SN_BCC_EDGES && is_good; ++d) {
        int other = cuts->neighbours[(size_t)point->slot * SN_BCC_EDGES + (size_t)d];
        if (other >= 0 && point_at(grid, other)->label == SN_POINT_ON) {
            is_good = is_manifold_at(grid, cuts, point_at(grid, other));
        }
    }
    if (!is_good) {
        point->label = before;
    }
    return is_good;
}

static void move_along(const SnStuffGrid *grid, SnStuffPoint *point, int direction, double t)
{
    const int to[3] = {point->at[0] + sn_bcc_edge[direction][0],
                       point->at[1] + sn_bcc_edge[direction][1],
                       point->at[2] + sn_bcc_edge[direction][2]};
    double end[3];
    sn_grid_position(grid, to, end);
    for (int c = 0; c < 3; ++c) {
        point->x[c] += t * (end[c] - point->x[c]);
    }
}

// Moves a point onto the nearest cut that violates it. Where it must not move, the cuts do.
static void settle_point(const SnStuffGrid *grid, const SnStuffCuts *cuts, SnStuffPoint *point)
{
    bool is_outside = point->label == SN_POINT_OUTSIDE;
    int nearest = -1;
    double nearest_part = 0.0;
    double nearest_length = INFINITY;
    for (int d = 0; d < SN_BCC_EDGES; ++d) {
        const double *cut = cut_of(grid, cuts, point, d);
        if (cut == NULL) {
            continue;
        }
        double part = is_outside ? *cut : 1.0 - *cut;
        double length = part * (d < SN_BCC_LONG_EDGES ? 2.0 : sqrt(3.0));
        if (part < alpha_of(d) && length < nearest_length) {
            nearest = d;
            nearest_part = part;
            nearest_length = length;
        }
    }
    if (nearest < 0) {
        return;
    }
    if (try_to_put_on(grid, cuts, point)) {
        move_along(grid, point, nearest, nearest_part);
        return;
    }
    for (int d = 0; d < SN_BCC_EDGES; ++d) {
        double *cut = cut_of(grid, cuts, point, d);
        if (cut != NULL) {
            double alpha = alpha_of(d);
            *cut = is_outside ? fmax(*cut, alpha) : fmin(*cut, 1.0 - alpha);
        }
    }
}

SinewStatus sn_cuts_create(SnStuffGrid *grid, SnStuffCuts *out_cuts, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnStuffCuts *cuts = out_cuts;

    cuts->slot_count = assign_slots(grid);
    size_t edge_count = (size_t)cuts->slot_count * SN_BCC_EDGES;
    SN_ALLOC(cuts->points, grid->allocator, cuts->slot_count, error);
    SN_ALLOC(cuts->neighbours, grid->allocator, edge_count, error);
    SN_ALLOC(cuts->cuts, grid->allocator, edge_count, error);
    for (int i = 0; i < (int)grid->points.count; ++i) {
        if (point_at(grid, i)->slot >= 0) {
            cuts->points[point_at(grid, i)->slot] = i;
        }
    }
    Cutting cutting = {grid, cuts};
    sn_grid_parallel_for(grid, cuts->slot_count, 32, cut_range, &cutting, SN_STUFF_LAID,
                         SN_STUFF_CUT);
    // One after the other, as each move takes away cuts that its neighbours would move to.
    for (int slot = 0; slot < cuts->slot_count; ++slot) {
        settle_point(grid, cuts, point_at(grid, cuts->points[slot]));
    }
done:
    return status;
}

void sn_cuts_release(SnStuffCuts *cuts)
{
    sn_free(cuts->allocator, cuts->points);
    sn_free(cuts->allocator, cuts->neighbours);
    sn_free(cuts->allocator, cuts->cuts);
    *cuts = (SnStuffCuts){.allocator = cuts->allocator};
}

#include "model/frames/arrange.h"

#include "geometry/point.h"
#include "math/mat3.h"
#include "model/frames/geodesic.h"

#include <math.h>
#include <string.h>

// Placed frames go to the middle of what is within this share of the way to the nearest other.
#define CENTER_SHARE 0.35

// A slender body: nowhere farther from its axis than this share of its length. A square section
// then goes about three times into the length.
#define SLENDER 0.25

// Of a slice of a slender body: how far its middle is off the axis, as a share of the thickness,
// and the polar moment of its section over the square of the area. A square has 1/6, a plate four
// times as wide as thick 0.35, and two prongs more than 0.5.
#define OFF_AXIS 0.3
#define SPREAD 0.4

// Bodies that fill this share of the bounding box of their cells are cut into blocks: a ball fills
// 0.52 of it.
#define BLOCKY 0.45

enum {
    SLICES = 8,
    ROW_LEAST = 3, // frames that a row takes at least
    SETTLE = 8     // rounds in which blocks and their middles follow each other
};

// Volume of a cube that is the body's.
static double volume_of(const SnFramesGrid *grid, int cell)
{
    double edge = grid->cubes.edge;
    return edge * edge * edge * sn_frames_grid_density(grid, cell);
}

// Rows
// ---------------------------------------------------------------------------------------------

typedef struct Axis {
    double middle[3], along[3]; // m, and a unit vector
    double low, high;           // m along it, from the middle
    double thickness;           // m, the farthest from it
    double area;                // m^2, mean of the sections
} Axis;

static double place_along(const Axis *axis, const double X[3], double *out_off)
{
    double r[3], along = 0.0, square = 0.0;
    for (int k = 0; k < 3; ++k) {
        r[k] = X[k] - axis->middle[k];
        along += r[k] * axis->along[k];
        square += r[k] * r[k];
    }
    *out_off = sqrt(fmax(square - along * along, 0.0));
    return along;
}

// The direction of largest inertia by power iteration from the longest side of the moments.
static void find_direction(const double moments[9], double out[3])
{
    int most = moments[4] > moments[0] ? 1 : 0;
    most = moments[8] > moments[4 * most] ? 2 : most;
    memcpy(out, moments + 3 * most, 3 * sizeof *out);
    for (int turn = 0; turn < 100; ++turn) {
        double next[3];
        sn_mat3_apply(moments, out, next);
        double length = sn_point_length(next);
        for (int k = 0; k < 3 && length > 0.0; ++k) {
            out[k] = next[k] / length;
        }
    }
}

static Axis find_axis(const SnFramesGrid *grid)
{
    const SnHexMesh *mesh = grid->cubes.mesh;
    Axis axis = {.low = INFINITY, .high = -INFINITY};
    double volume = 0.0, moments[9] = {0.0}, X[3];
    for (int e = 0; e < mesh->hex_count; ++e) {
        double v = volume_of(grid, e);
        sn_frames_grid_middle(grid, e, X);
        volume += v;
        for (int k = 0; k < 3; ++k) {
            axis.middle[k] += v * X[k];
        }
    }
    for (int k = 0; k < 3; ++k) {
        axis.middle[k] /= volume;
    }
    for (int e = 0; e < mesh->hex_count; ++e) {
        sn_frames_grid_middle(grid, e, X);
        for (int n = 0; n < 9; ++n) {
            moments[n] += volume_of(grid, e) * (X[n / 3] - axis.middle[n / 3]) *
                          (X[n % 3] - axis.middle[n % 3]);
        }
    }
    find_direction(moments, axis.along);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        double off, at = place_along(&axis, mesh->positions + 3 * (size_t)v, &off);
        axis.low = fmin(axis.low, at);
        axis.high = fmax(axis.high, at);
        axis.thickness = fmax(axis.thickness, off);
    }
    axis.area = volume / (axis.high - axis.low);
    return axis;
}

// Whether each slice is in one piece around the axis.
static bool is_straight(const SnFramesGrid *grid, const Axis *axis)
{
    double sums[SLICES][5] = {{0.0}}, length = axis->high - axis->low; // volume, first, second
    for (int e = 0; e < grid->cubes.mesh->hex_count; ++e) {
        double X[3], off, v = volume_of(grid, e);
        sn_frames_grid_middle(grid, e, X);
        double at = place_along(axis, X, &off);
        double *sum = sums[(int)fmin(SLICES * (at - axis->low) / length, SLICES - 1)];
        sum[0] += v;
        sum[4] += v * off * off;
        for (int k = 0; k < 3; ++k) {
            sum[1 + k] += v * (X[k] - axis->middle[k] - at * axis->along[k]);
        }
    }
    for (int s = 0; s < SLICES; ++s) {
        double square = 0.0;
        for (int k = 0; k < 3; ++k) {
            square += sums[s][1 + k] * sums[s][1 + k] / (sums[s][0] * sums[s][0]);
        }
        double polar = sums[s][4] / sums[s][0] - square, area = sums[s][0] * SLICES / length;
        if (!(sqrt(square) <= OFF_AXIS * axis->thickness) || !(polar <= SPREAD * area)) {
            return false;
        }
    }
    return true;
}

// As many as segments are at least as long as sections are wide.
static bool place_row(const SnFramesGrid *grid, int count, SnFramePlaces *places)
{
    Axis axis = find_axis(grid);
    double length = axis.high - axis.low;
    if (count < ROW_LEAST || !(axis.thickness <= SLENDER * length) || !is_straight(grid, &axis)) {
        return false;
    }
    int wanted = 1 + (int)floor(length / sqrt(axis.area) + 0.5);
    count = wanted < count ? wanted : count;
    count = count < ROW_LEAST ? ROW_LEAST : count;
    for (int i = 0; i < count; ++i) {
        double at = axis.low + length * i / (count - 1);
        for (int k = 0; k < 3; ++k) {
            places->origins[3 * i + k] = axis.middle[k] + at * axis.along[k];
        }
    }
    places->count = count;
    places->arrangement = SN_ARRANGED_ROW;
    return true;
}

// Blocks
// -------------------------------------------------------------------------------------------

// In how many blocks each side is cut: so that the longest side of a block is as short as it can
// be, then the next.
static void find_cuts(const int size[3], int count, int out[3])
{
    double best = INFINITY;
    for (int n = 0; n < count * count * count; ++n) {
        const int cuts[3] = {1 + n % count, 1 + n / count % count, 1 + n / count / count};
        double longest = 0.0, squares = 0.0;
        for (int k = 0; k < 3; ++k) {
            double side = (double)size[k] / cuts[k];
            longest = fmax(longest, side);
            squares += side * side;
        }
        bool fits = cuts[0] * cuts[1] * cuts[2] <= count && 2 * cuts[0] <= size[0] + 1 &&
                    2 * cuts[1] <= size[1] + 1 && 2 * cuts[2] <= size[2] + 1;
        double score = 1e3 * longest * longest + squares;
        if (fits && score < best) {
            best = score;
            memcpy(out, cuts, sizeof cuts);
        }
    }
}

// One round: cubes go to the nearest middle, and middles to the middle of their cubes.
static void settle(const SnFramesGrid *grid, int *count, double *middles, double *sums)
{
    int kept = 0;
    memset(sums, 0, 4 * (size_t)*count * sizeof *sums);
    for (int e = 0; e < grid->cubes.mesh->hex_count; ++e) {
        double X[3], best = INFINITY, v = volume_of(grid, e);
        int to = 0;
        sn_frames_grid_middle(grid, e, X);
        for (int i = 0; i < *count; ++i) {
            double square = sn_point_distance_squared(X, middles + 3 * (size_t)i);
            if (square < best) {
                best = square;
                to = i;
            }
        }
        sums[4 * to] += v;
        for (int k = 0; k < 3; ++k) {
            sums[4 * to + 1 + k] += v * X[k];
        }
    }
    for (int i = 0; i < *count; ++i) {
        for (int k = 0; k < 3 && sums[4 * i] > 0.0; ++k) {
            middles[3 * kept + k] = sums[4 * i + 1 + k] / sums[4 * i];
        }
        kept += sums[4 * i] > 0.0;
    }
    *count = kept;
}

static SinewStatus place_blocks(const SnModelDef *def, const SnFramesGrid *grid, int count,
                                SnFramePlaces *places, bool *out_done, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int low[3] = {grid->cubes.size[0], grid->cubes.size[1], grid->cubes.size[2]};
    int size[3] = {0, 0, 0}, cuts[3] = {1, 1, 1};
    double full = 0.0, *sums = NULL;

    for (int i = 0; i < 3 * grid->cubes.mesh->hex_count; ++i) {
        int at = grid->cubes.places[i], k = i % 3;
        low[k] = at < low[k] ? at : low[k];
        size[k] = at + 1 > size[k] ? at + 1 : size[k];
        full += k == 0 ? sn_frames_grid_density(grid, i / 3) : 0.0;
    }
    for (int k = 0; k < 3; ++k) {
        size[k] -= low[k];
    }
    *out_done = full >= BLOCKY * size[0] * size[1] * size[2];
    if (!*out_done) {
        return SINEW_OK;
    }
    SN_ALLOC(sums, def->allocator, 4 * (size_t)count, error);
    find_cuts(size, count, cuts);
    places->count = cuts[0] * cuts[1] * cuts[2];
    for (int i = 0; i < places->count; ++i) {
        const int at[3] = {i % cuts[0], i / cuts[0] % cuts[1], i / cuts[0] / cuts[1]};
        for (int k = 0; k < 3; ++k) {
            double sum = grid->origin[k];
            for (int a = 0; a < 3; ++a) {
                double along = low[a] + size[a] * (at[a] + 0.5) / cuts[a];
                sum += along * grid->cubes.edge * grid->axes[3 * a + k];
            }
            places->origins[3 * i + k] = sum;
        }
    }
    for (int round = 0; round < SETTLE; ++round) {
        settle(grid, &places->count, places->origins, sums);
    }
    places->arrangement = SN_ARRANGED_BLOCKS;

done:
    sn_free(def->allocator, sums);
    return status;
}

// Far
// ----------------------------------------------------------------------------------------------

// From a tip to the middle of what is around it.
static SinewStatus center_frame(const SnFramesGrid *grid, int vertex, double reach,
                                const SinewAllocator *allocator, double out[3], SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int vertices = grid->cubes.mesh->vertex_count;
    double *distances = NULL, mass = 0.0, sum[3] = {0.0, 0.0, 0.0};

    SN_ALLOC(distances, allocator, vertices, error);
    for (int v = 0; v < vertices; ++v) {
        distances[v] = v == vertex ? 0.0 : INFINITY;
    }
    SN_TRY(sn_geodesic_spread(grid, allocator, distances, error));
    for (int v = 0; v < vertices; ++v) {
        if (distances[v] <= reach) {
            mass += grid->masses[v];
            for (int k = 0; k < 3; ++k) {
                sum[k] += grid->masses[v] * grid->cubes.mesh->positions[3 * v + k];
            }
        }
    }
    for (int k = 0; k < 3; ++k) {
        out[k] = sum[k] / mass;
    }

done:
    sn_free(allocator, distances);
    return status;
}

static SinewStatus place_far(const SnModelDef *def, const SnFramesGrid *grid, int count,
                             SnFramePlaces *places, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *vertices = NULL;
    double *tips = NULL;

    places->count = count;
    places->arrangement = SN_ARRANGED_FAR;
    SN_ALLOC(vertices, def->allocator, count, error);
    SN_ALLOC(tips, def->allocator, 3 * (size_t)count, error);
    SN_TRY(sn_geodesic_farthest(grid, count, def->allocator, vertices, error));
    for (int i = 0; i < count; ++i) {
        memcpy(tips + 3 * i, grid->cubes.mesh->positions + 3 * (size_t)vertices[i],
               3 * sizeof *tips);
    }
    for (int i = 0; i < count; ++i) {
        double reach =
            count > 1 ? CENTER_SHARE * sn_frames_spacing(grid, tips, count, i) : 2.0 * grid->size;
        SN_TRY(
            center_frame(grid, vertices[i], reach, def->allocator, places->origins + 3 * i, error));
    }

done:
    sn_free(def->allocator, vertices);
    sn_free(def->allocator, tips);
    return status;
}

SinewStatus sn_frames_arrange(const SnModelDef *def, const SnFramesGrid *grid, int count,
                              SnFramePlaces *places, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int most = grid->cubes.mesh->hex_count / SN_FRAMES_CELLS_PER_FRAME;
    bool done = false;

    most = most < 1 ? 1 : most;
    count = count < most ? count : most;
    SN_ALLOC(places->origins, def->allocator, 3 * (size_t)count, error);
    if (!place_row(grid, count, places)) {
        SN_TRY(place_blocks(def, grid, count, places, &done, error));
        if (!done) {
            SN_TRY(place_far(def, grid, count, places, error));
        }
    }

done:
    return status;
}

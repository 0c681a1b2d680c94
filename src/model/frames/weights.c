#include "model/frames/weights.h"

#include "geometry/point.h"
#include "geometry/region.h"
#include "model/frames/body.h"
#include "model/frames/geodesic.h"
#include "model/frames/harmonic.h"
#include "model/frames/place.h"

#include <math.h>
#include <string.h>

// The rigid part of a frame that does not say it: a ball with this share of the way to the nearest
// other frame.
#define BALL_SHARE 0.25

static double distance_between(const double *a, const double *b)
{
    return sqrt(sn_point_distance_squared(a, b));
}

// Rigid parts ------------------------------------------------------------------------------------

static bool owns(const SnWeightsDef *def, int frame, int vertex, double ball)
{
    const double *X = def->grid->cubes.mesh->positions + 3 * (size_t)vertex;
    const SinewFramesDef *options = def->options;
    if (options->frame_count > 0 && options->frames[frame].rigid.kind != SINEW_REGION_NONE) {
        return sn_region_holds(&options->frames[frame].rigid, vertex, X);
    }
    return distance_between(X, def->origins + 3 * (size_t)frame) <= ball;
}

// The frame that each vertex follows alone, or -1. The nearest vertex is always the frame's; of two
// that want one, the nearer origin has it.
static void find_owners(const SnWeightsDef *def, int *owners)
{
    const SnHexMesh *mesh = def->grid->cubes.mesh;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        owners[v] = -1;
    }
    for (int i = 0; i < def->frame_count; ++i) {
        const double *origin = def->origins + 3 * (size_t)i;
        double ball = BALL_SHARE * sn_frames_spacing(def->grid, def->origins, def->frame_count, i);
        for (int v = 0; v < mesh->vertex_count; ++v) {
            const double *X = mesh->positions + 3 * (size_t)v;
            if (owns(def, i, v, ball) &&
                (owners[v] < 0 || distance_between(X, origin) <
                                      distance_between(X, def->origins + 3 * (size_t)owners[v]))) {
                owners[v] = i;
            }
        }
    }
    for (int i = 0; i < def->frame_count; ++i) {
        owners[sn_frames_grid_nearest(def->grid, def->origins + 3 * (size_t)i)] = i;
    }
}

static SinewStatus check_pieces(const SnWeightsDef *def, const int *owners, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = def->model->allocator;
    int vertices = def->grid->cubes.mesh->vertex_count;
    double *distances = NULL;

    SN_ALLOC(distances, allocator, vertices, error);
    for (int v = 0; v < vertices; ++v) {
        distances[v] = owners[v] >= 0 ? 0.0 : INFINITY;
    }
    SN_TRY(sn_geodesic_spread(def->grid, allocator, distances, error));
    for (int v = 0; v < vertices; ++v) {
        if (!isfinite(distances[v])) {
            const double *X = def->grid->cubes.mesh->positions + 3 * (size_t)v;
            SN_TRY(sn_fail_at(error, SINEW_ERROR_ARGUMENT, v,
                              "body \"%s\": no frame is in the piece around (%g, %g, %g), expected "
                              "one in each piece",
                              def->model->name, X[0], X[1], X[2]));
        }
    }

done:
    sn_free(allocator, distances);
    return status;
}

// Linear -----------------------------------------------------------------------------------------

// The nearest place of the segment between two frames: the fraction of it, and the distance.
static double project(const double *a, const double *b, const double *X, double *out_distance)
{
    double along = 0.0, square = 0.0, at[3];
    for (int k = 0; k < 3; ++k) {
        along += (b[k] - a[k]) * (X[k] - a[k]);
        square += (b[k] - a[k]) * (b[k] - a[k]);
    }
    double s = square > 0.0 ? along / square : 0.0;
    s = s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
    for (int k = 0; k < 3; ++k) {
        at[k] = a[k] + s * (b[k] - a[k]);
    }
    *out_distance = distance_between(at, X);
    return s;
}

// The frame that the bone of a frame comes from; itself where it has none.
static int bone_of(const SnWeightsDef *def, int frame)
{
    int from = def->parents != NULL ? def->parents[frame] : frame - 1;
    return from >= 0 ? from : frame;
}

// Along the nearest bone, or of a chain the nearest of the ways from frame to frame.
static void make_linear(const SnWeightsDef *def, double *weights)
{
    const SnHexMesh *mesh = def->grid->cubes.mesh;
    size_t count = (size_t)def->frame_count;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        double best = INFINITY, fraction = 0.0;
        int to = 0;
        for (int i = 0; i < def->frame_count; ++i) {
            double distance;
            double s = project(def->origins + 3 * bone_of(def, i), def->origins + 3 * i,
                               mesh->positions + 3 * (size_t)v, &distance);
            if (distance < best) {
                best = distance;
                to = i;
                fraction = s;
            }
        }
        double *row = weights + count * (size_t)v;
        memset(row, 0, count * sizeof *row);
        row[bone_of(def, to)] = 1.0 - fraction;
        row[to] += fraction;
    }
}

// Frames from one end of a path of bones to the other; false where bones branch.
static bool order_path(const SnWeightsDef *def, int *order)
{
    int next = -1, count = 0;
    for (int i = 0; i < def->frame_count; ++i) {
        if (def->parents == NULL) {
            order[i] = i;
        } else if (def->parents[i] < 0) {
            next = i;
        }
    }
    while (def->parents != NULL && next >= 0 && count < def->frame_count) {
        int child = -1;
        order[count++] = next;
        for (int i = 0; i < def->frame_count; ++i) {
            if (def->parents[i] == next && child >= 0) {
                return false;
            }
            child = def->parents[i] == next ? i : child;
        }
        next = child;
    }
    return def->parents == NULL || count == def->frame_count;
}

// Whether frames stand along a line, one after the other.
static bool is_straight(const SnWeightsDef *def, const int *order, const double *first,
                        const double *last, double length)
{
    double before = -1.0;
    for (int i = 0; i < def->frame_count; ++i) {
        const double *at = def->origins + 3 * order[i];
        double along = 0.0, off;
        for (int k = 0; k < 3; ++k) {
            along += (at[k] - first[k]) * (last[k] - first[k]) / length;
        }
        project(first, last, at, &off);
        if (!(along > before) || off > 0.02 * length) {
            return false;
        }
        before = along;
    }
    return true;
}

bool sn_weights_is_chain(const SnWeightsDef *def)
{
    int count = def->frame_count, order[SN_FRAMES_MAX];
    const SnHexMesh *mesh = def->grid->cubes.mesh;
    if (count < 2 || !order_path(def, order)) {
        return false;
    }
    const double *first = def->origins + 3 * order[0], *last = def->origins + 3 * order[count - 1];
    double length = distance_between(first, last), low = INFINITY, high = -INFINITY, thick = 0.0;
    if (!(length > 0.0) || !is_straight(def, order, first, last, length)) {
        return false;
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        const double *X = mesh->positions + 3 * (size_t)v;
        double along = 0.0, square = 0.0;
        for (int k = 0; k < 3; ++k) {
            along += (X[k] - first[k]) * (last[k] - first[k]) / length;
            square += (X[k] - first[k]) * (X[k] - first[k]);
        }
        low = fmin(low, along);
        high = fmax(high, along);
        thick = fmax(thick, square - along * along);
    }
    return high - low <= 1.25 * length && sqrt(fmax(thick, 0.0)) <= 0.4 * length;
}

// Geodesic ---------------------------------------------------------------------------------------

// (1 - d / cut)^2 with the cut where the nearest other frame begins, then made to sum to one. Where
// none reaches, the nearest frame has it all.
static SinewStatus make_geodesic(const SnWeightsDef *def, const int *owners, double *weights,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = def->model->allocator;
    int vertices = def->grid->cubes.mesh->vertex_count, count = def->frame_count;
    double *distances = NULL, *nearest = NULL;

    SN_ALLOC(distances, allocator, vertices, error);
    SN_ALLOC(nearest, allocator, 2 * (size_t)vertices, error);
    for (int v = 0; v < vertices; ++v) {
        nearest[2 * v] = INFINITY;
    }
    for (int i = 0; i < count; ++i) {
        double cut = INFINITY;
        for (int v = 0; v < vertices; ++v) {
            distances[v] = owners[v] == i ? 0.0 : INFINITY;
        }
        SN_TRY(sn_geodesic_spread(def->grid, allocator, distances, error));
        for (int v = 0; v < vertices; ++v) {
            cut = owners[v] >= 0 && owners[v] != i ? fmin(cut, distances[v]) : cut;
        }
        for (int v = 0; v < vertices; ++v) {
            double s = isfinite(cut) ? fmax(0.0, 1.0 - distances[v] / cut) : 1.0;
            weights[(size_t)count * (size_t)v + (size_t)i] = s * s;
            if (distances[v] < nearest[2 * v]) {
                nearest[2 * v] = distances[v];
                nearest[2 * v + 1] = i;
            }
        }
    }
    for (int v = 0; v < vertices; ++v) {
        double *row = weights + (size_t)count * (size_t)v, sum = 0.0;
        for (int i = 0; i < count; ++i) {
            sum += row[i];
        }
        for (int i = 0; i < count; ++i) {
            row[i] = sum > 1e-3 ? row[i] / sum : (i == (int)nearest[2 * v + 1] ? 1.0 : 0.0);
        }
    }

done:
    sn_free(allocator, distances);
    sn_free(allocator, nearest);
    return status;
}

// Painted ----------------------------------------------------------------------------------------

static SinewStatus take_painted(const SnWeightsDef *def, double *weights, SinewError *error)
{
    size_t count = (size_t)def->frame_count;
    int vertices = def->grid->cubes.mesh->vertex_count;
    if (def->options->painted == NULL || def->options->painted_count != vertices) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "body \"%s\": painted weights are for %d vertices, expected those of the "
                       "%d vertices of its grid",
                       def->model->name,
                       def->options->painted != NULL ? def->options->painted_count : 0, vertices);
    }
    for (int v = 0; v < vertices; ++v) {
        const double *given = def->options->painted + count * (size_t)v;
        double sum = 0.0;
        for (size_t i = 0; i < count; ++i) {
            sum += given[i] >= 0.0 ? given[i] : NAN;
        }
        if (!(sum > 0.0) || !isfinite(sum)) {
            return sn_fail_at(
                error, SINEW_ERROR_ARGUMENT, v,
                "body \"%s\": painted weights of vertex %d sum to %g, expected numbers "
                "of at least 0 with a sum above 0",
                def->model->name, v, sum);
        }
        for (size_t i = 0; i < count; ++i) {
            weights[count * (size_t)v + i] = given[i] / sum;
        }
    }
    return SINEW_OK;
}

static SinewFrameWeights kind_of(const SnWeightsDef *def)
{
    if (def->options->weights != SINEW_FRAME_WEIGHTS_AUTO) {
        return def->options->weights;
    }
    if (sn_weights_is_chain(def)) {
        return SINEW_FRAME_WEIGHTS_LINEAR;
    }
    return def->is_smooth ? SINEW_FRAME_WEIGHTS_BIHARMONIC : SINEW_FRAME_WEIGHTS_HARMONIC;
}

SinewStatus sn_weights_make(const SnWeightsDef *def, double **out_weights, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = def->model->allocator;
    int vertices = def->grid->cubes.mesh->vertex_count;
    SinewFrameWeights kind = kind_of(def);
    double *weights = NULL;
    int *owners = NULL;

    SN_ALLOC(weights, allocator, (size_t)def->frame_count * (size_t)vertices, error);
    SN_ALLOC(owners, allocator, vertices, error);
    find_owners(def, owners);
    if (kind != SINEW_FRAME_WEIGHTS_LINEAR && kind != SINEW_FRAME_WEIGHTS_PAINTED) {
        SN_TRY(check_pieces(def, owners, error));
    }
    switch (kind) {
    case SINEW_FRAME_WEIGHTS_LINEAR:
        make_linear(def, weights);
        break;
    case SINEW_FRAME_WEIGHTS_GEODESIC:
        SN_TRY(make_geodesic(def, owners, weights, error));
        break;
    case SINEW_FRAME_WEIGHTS_PAINTED:
        SN_TRY(take_painted(def, weights, error));
        break;
    case SINEW_FRAME_WEIGHTS_AUTO:
    case SINEW_FRAME_WEIGHTS_HARMONIC:
    case SINEW_FRAME_WEIGHTS_BIHARMONIC:
        SN_TRY(sn_weights_harmonic(def, owners, kind == SINEW_FRAME_WEIGHTS_BIHARMONIC, weights,
                                   error));
        if (kind == SINEW_FRAME_WEIGHTS_HARMONIC) {
            sn_weights_cut_tails(def, weights);
        }
        break;
    }
    *out_weights = weights;
    weights = NULL;

done:
    sn_free(allocator, weights);
    sn_free(allocator, owners);
    return status;
}

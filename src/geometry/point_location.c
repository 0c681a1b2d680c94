#include "geometry/point_location.h"

#include "geometry/point.h"
#include "geometry/triangle_point.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// Weights are good to this much in tets of any shape that has a volume.
#define INSIDE_TOLERANCE 1e-10
#define SAME_DISTANCE 1e-12
#define LEAST_VOLUME 1e-10

enum { GRAIN = 1024, MAP_SIZE = 12 };

static SinewStatus check_mesh(const SnTetMesh *mesh, SinewError *error)
{
    for (int v = 0; v < mesh->vertex_count; ++v) {
        for (int c = 0; c < 3; ++c) {
            double x = mesh->positions[3 * (size_t)v + (size_t)c];
            if (!(fabs(x) <= SN_ELEMENT_REACH)) {
                return sn_fail_at(error, SINEW_ERROR_ARGUMENT, v,
                                  "vertex %d of the mesh is at %g along %c, expected -1e30 to 1e30",
                                  v, x, "xyz"[c]);
            }
        }
    }
    for (size_t i = 0; i < 4 * (size_t)mesh->tet_count; ++i) {
        if (mesh->tets[i] < 0 || mesh->tets[i] >= mesh->vertex_count) {
            return sn_fail_at(error, SINEW_ERROR_ARGUMENT, (int64_t)(i / 4),
                              "tet %d names vertex %d, expected 0 to %d", (int)(i / 4),
                              mesh->tets[i], mesh->vertex_count - 1);
        }
    }
    return SINEW_OK;
}

static const double *corner(const SnTetMesh *mesh, int tet, int k)
{
    return mesh->positions + 3 * (size_t)mesh->tets[4 * (size_t)tet + (size_t)k];
}

// x0 and the inverse edge matrix of a tet; false where it has no volume.
static bool make_map(const SnTetMesh *mesh, int tet, double out_map[MAP_SIZE])
{
    double edge[3][3];
    double longest2 = 0.0;
    const double *x0 = corner(mesh, tet, 0);
    for (int k = 0; k < 3; ++k) {
        sn_point_minus(corner(mesh, tet, k + 1), x0, edge[k]);
        double length2 = sn_point_dot(edge[k], edge[k]);
        longest2 = length2 > longest2 ? length2 : longest2;
    }
    for (int k = 0; k < 3; ++k) {
        double side[3];
        sn_point_minus(edge[k], edge[(k + 1) % 3], side);
        longest2 = sn_point_dot(side, side) > longest2 ? sn_point_dot(side, side) : longest2;
    }
    memcpy(out_map, x0, 3 * sizeof *x0);
    for (int k = 0; k < 3; ++k) {
        sn_point_cross(edge[(k + 1) % 3], edge[(k + 2) % 3], out_map + 3 + 3 * k);
    }
    double determinant = sn_point_dot(edge[0], out_map + 3);
    if (!(fabs(determinant) > 6.0 * LEAST_VOLUME * longest2 * sqrt(longest2))) {
        return false;
    }
    for (int k = 3; k < MAP_SIZE; ++k) {
        out_map[k] /= determinant;
    }
    return true;
}

typedef struct Build {
    const SnTetMesh *mesh;
    SnTetLocator *locator;
    bool *has_volume; // of each tet
    int *solid;       // tets that have a volume
    SnBox *boxes;     // of those
} Build;

static void mark_solid(void *context, int begin, int end, int worker)
{
    (void)worker;
    const Build *build = context;
    for (int t = begin; t < end; ++t) {
        double map[MAP_SIZE];
        build->has_volume[t] = make_map(build->mesh, t, map);
    }
}

static void make_boxes(void *context, int begin, int end, int worker)
{
    (void)worker;
    const Build *build = context;
    for (int i = begin; i < end; ++i) {
        build->boxes[i] = sn_box_empty();
        for (int k = 0; k < 4; ++k) {
            sn_box_add_point(&build->boxes[i], corner(build->mesh, build->solid[i], k));
        }
    }
}

static void place_maps(void *context, int begin, int end, int worker)
{
    (void)worker;
    const Build *build = context;
    SnTetLocator *locator = build->locator;
    for (int place = begin; place < end; ++place) {
        int tet = build->solid[locator->tree->items[place]];
        locator->tets[place] = tet;
        make_map(build->mesh, tet, locator->maps + MAP_SIZE * (size_t)place);
    }
}

static SinewStatus gather_solid(Build *build, SnWorkers *workers, int *out_count, SinewError *error)
{
    const SnTetMesh *mesh = build->mesh;
    sn_parallel_for(workers, mesh->tet_count, GRAIN, mark_solid, build);
    int count = 0;
    for (int t = 0; t < mesh->tet_count; ++t) {
        if (build->has_volume[t]) {
            build->solid[count++] = t;
        }
    }
    *out_count = count;
    if (count == 0) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "none of the %d tets has a volume, expected at least one to hold points",
                       mesh->tet_count);
    }
    return SINEW_OK;
}

SinewStatus sn_tet_locator_create(const SnTetMesh *mesh, SnWorkers *workers,
                                  const SinewAllocator *allocator, SnTetLocator **out_locator,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Build build = {.mesh = mesh};
    int count = 0;
    *out_locator = NULL;
    SN_TRY(check_mesh(mesh, error));
    SN_ALLOC(build.has_volume, allocator, mesh->tet_count, error);
    SN_ALLOC(build.solid, allocator, mesh->tet_count, error);
    SN_TRY(gather_solid(&build, workers, &count, error));
    SN_ALLOC(build.boxes, allocator, count, error);
    sn_parallel_for(workers, count, GRAIN, make_boxes, &build);

    SN_ALLOC_ZERO(build.locator, allocator, 1, error);
    build.locator->mesh = mesh;
    SN_TRY(sn_element_tree_create(build.boxes, count, workers, allocator, &build.locator->tree,
                                  error));
    SN_ALLOC(build.locator->tets, allocator, count, error);
    SN_ALLOC(build.locator->maps, allocator, MAP_SIZE * (size_t)count, error);
    sn_parallel_for(workers, count, GRAIN, place_maps, &build);
    *out_locator = build.locator;
    build.locator = NULL;
done:
    sn_tet_locator_destroy(build.locator, allocator);
    sn_free(allocator, build.boxes);
    sn_free(allocator, build.solid);
    sn_free(allocator, build.has_volume);
    return status;
}

void sn_tet_locator_destroy(SnTetLocator *locator, const SinewAllocator *allocator)
{
    if (locator == NULL) {
        return;
    }
    sn_free(allocator, locator->maps);
    sn_free(allocator, locator->tets);
    sn_element_tree_destroy(locator->tree, allocator);
    sn_free(allocator, locator);
}

// Barycentric weights; returns the smallest.
static inline double weigh(const SnTetLocator *locator, int place, const double p[3],
                           double out_weights[4])
{
    const double *map = locator->maps + MAP_SIZE * (size_t)place;
    double d[3] = {p[0] - map[0], p[1] - map[1], p[2] - map[2]};
    double w1 = map[3] * d[0] + map[4] * d[1] + map[5] * d[2];
    double w2 = map[6] * d[0] + map[7] * d[1] + map[8] * d[2];
    double w3 = map[9] * d[0] + map[10] * d[1] + map[11] * d[2];
    double w0 = 1.0 - (w1 + w2 + w3);
    out_weights[0] = w0;
    out_weights[1] = w1;
    out_weights[2] = w2;
    out_weights[3] = w3;
    double a = w0 < w1 ? w0 : w1;
    double b = w2 < w3 ? w2 : w3;
    return a < b ? a : b;
}

// The best answer so far.
typedef struct Best {
    int place;
    double least_weight;
    double distance2;
    double weights[4];
} Best;

static void take(Best *best, int place, double least, double distance2, const double weights[4])
{
    best->place = place;
    best->least_weight = least;
    best->distance2 = distance2;
    memcpy(best->weights, weights, sizeof best->weights);
}

// Between two answers that are as near: whether the new one is the better.
static bool is_deeper(const SnTetLocator *locator, const Best *best, int place, double least)
{
    if (least != best->least_weight) {
        return least > best->least_weight;
    }
    return locator->tets[place] < locator->tets[best->place];
}

// Of the faces, only those that p lies beyond can be nearest: their corners' opposite has a
// negative weight.
static double tet_distance2(const SnTetLocator *locator, int place, const double p[3],
                            const double weights[4])
{
    double least = INFINITY;
    int tet = locator->tets[place];
    for (int k = 0; k < 4; ++k) {
        if (weights[k] < 0.0) {
            double corners[9];
            double at[3];
            for (int v = 0; v < 3; ++v) {
                memcpy(corners + 3 * v, corner(locator->mesh, tet, (k + 1 + v) % 4), sizeof at);
            }
            double d2 = sn_triangle_closest(corners, p, at);
            least = d2 < least ? d2 : least;
        }
    }
    return isinf(least) ? 0.0 : least;
}

// Whether the guessed place, or one near it in the tree, has p well inside; then no other tet can
// have it. Points in a good order rarely need more.
static bool guess_is_right(const SnTetLocator *locator, const double p[3], int guess, Best *best)
{
    double weights[4];
    if (guess < 0) {
        return false;
    }
    double least = weigh(locator, guess, p, weights);
    SnElementWalk walk = {.depth = -1}; // begins when the guess itself was wrong
    int place = guess;
    while (place >= 0 && !(least > INSIDE_TOLERANCE)) {
        if (walk.depth < 0) {
            walk = sn_element_walk_near(locator->tree, p, guess);
        }
        place = sn_element_walk_next(&walk);
        least = place >= 0 ? weigh(locator, place, p, weights) : least;
    }
    if (place >= 0) {
        take(best, place, least, 0.0, weights);
    }
    return place >= 0;
}

static bool find_inside(const SnTetLocator *locator, const double p[3], Best *best)
{
    SnElementWalk walk = sn_element_walk(locator->tree, p);
    int place;
    *best = (Best){.place = -1, .least_weight = -INFINITY};
    while ((place = sn_element_walk_next(&walk)) >= 0) {
        double weights[4];
        double least = weigh(locator, place, p, weights);
        if (least >= -INSIDE_TOLERANCE &&
            (best->place < 0 || is_deeper(locator, best, place, least))) {
            take(best, place, least, 0.0, weights);
            if (least > INSIDE_TOLERANCE) {
                return true; // no other tet can have it
            }
        }
    }
    return best->place >= 0;
}

static void find_nearest(const SnTetLocator *locator, const double p[3], Best *best)
{
    SnElementApproach approach;
    sn_element_approach(locator->tree, p, &approach);
    *best = (Best){.place = -1, .distance2 = INFINITY};
    double bound2 = INFINITY;
    int place;
    while ((place = sn_element_approach_next(&approach, bound2)) >= 0) {
        double weights[4];
        double least = weigh(locator, place, p, weights);
        double d2 = tet_distance2(locator, place, p, weights);
        bool is_nearer = best->place < 0 || d2 < best->distance2 * (1.0 - SAME_DISTANCE);
        bool is_equal = d2 <= best->distance2 * (1.0 + SAME_DISTANCE);
        if (is_nearer || (is_equal && is_deeper(locator, best, place, least))) {
            take(best, place, least, d2, weights);
            bound2 = d2 * (1.0 + SAME_DISTANCE);
        }
    }
}

SnTetLocation sn_tet_locate(const SnTetLocator *locator, const double p[3], int *guess)
{
    Best best;
    if (!guess_is_right(locator, p, *guess, &best) && !find_inside(locator, p, &best)) {
        find_nearest(locator, p, &best);
    }
    *guess = best.place;
    SnTetLocation location = {.tet = locator->tets[best.place], .distance = sqrt(best.distance2)};
    memcpy(location.weights, best.weights, sizeof location.weights);
    return location;
}

#include "geometry/distance.h"

#include "geometry/far_field.h"
#include "geometry/triangle_point.h"

#include <math.h>
#include <string.h>

// Triangles a leaf: more make the closest point slower, fewer the far field larger.
enum { LEAF = 4 };

struct SnDistance {
    SinewAllocator allocator;
    SnBoxTree *tree;
    int *rank;       // where in the tree's order each triangle stands
    double *corners; // nine doubles a triangle, in the tree's order
    double *planes;  // of each, four doubles: unit normal and its product with points of the plane
    SnFarField *far; // of each node
};

// Creation ---------------------------------------------------------------------------------------

static SinewStatus check_soup(const SnSoup *soup, SinewError *error)
{
    if (soup->triangle_count < 1) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the surface has %d triangles, expected at least one to measure from",
                       soup->triangle_count);
    }
    for (int v = 0; v < 3 * soup->triangle_count; ++v) {
        int vertex = soup->triangles[v];
        if (vertex < 0 || vertex >= soup->vertex_count) {
            return sn_fail_at(error, SINEW_ERROR_ARGUMENT, v / 3,
                              "triangle %d has vertex %d, expected 0 to %d", v / 3, vertex,
                              soup->vertex_count - 1);
        }
        const double *x = soup->positions + 3 * (size_t)vertex;
        for (int k = 0; k < 3; ++k) {
            if (!(fabs(x[k]) <= SN_DISTANCE_REACH)) {
                return sn_fail_at(error, SINEW_ERROR_ARGUMENT, vertex,
                                  "vertex %d has the coordinate %g, expected at most %g in size",
                                  vertex, x[k], SN_DISTANCE_REACH);
            }
        }
    }
    return SINEW_OK;
}

static void copy_corners(const SnSoup *soup, int triangle, double *out)
{
    for (int c = 0; c < 3; ++c) {
        const double *x = soup->positions + 3 * (size_t)soup->triangles[3 * triangle + c];
        out[3 * c] = x[0];
        out[3 * c + 1] = x[1];
        out[3 * c + 2] = x[2];
    }
}

// A triangle without area gets no normal, and with that a plane that is near everything.
static void find_plane(const double corners[9], double out[4])
{
    double ab[3], ac[3];
    sn_point_minus(corners + 3, corners, ab);
    sn_point_minus(corners + 6, corners, ac);
    sn_point_cross(ab, ac, out);
    double length = sn_point_length(out);
    double edges = sn_point_length(ab) * sn_point_length(ac);
    for (int k = 0; k < 3; ++k) {
        out[k] = length > 1e-5 * edges ? out[k] / length : 0.0;
    }
    out[3] = sn_point_dot(out, corners);
}

static SinewStatus create_tree(const SnSoup *soup, SnDistance *distance, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBox *boxes = NULL;
    const SinewAllocator *allocator = &distance->allocator;
    SN_ALLOC(boxes, allocator, soup->triangle_count, error);
    for (int t = 0; t < soup->triangle_count; ++t) {
        double corners[9];
        copy_corners(soup, t, corners);
        boxes[t] = sn_box_empty();
        for (int c = 0; c < 3; ++c) {
            sn_box_add_point(&boxes[t], corners + 3 * c);
        }
    }
    SN_TRY(
        sn_box_tree_create(boxes, soup->triangle_count, LEAF, allocator, &distance->tree, error));
    SN_ALLOC(distance->corners, allocator, 9 * (size_t)soup->triangle_count, error);
    SN_ALLOC(distance->planes, allocator, 4 * (size_t)soup->triangle_count, error);
    SN_ALLOC(distance->rank, allocator, soup->triangle_count, error);
    for (int i = 0; i < soup->triangle_count; ++i) {
        int triangle = distance->tree->order[i];
        distance->rank[triangle] = i;
        copy_corners(soup, triangle, distance->corners + 9 * (size_t)i);
        find_plane(distance->corners + 9 * (size_t)i, distance->planes + 4 * (size_t)i);
    }
done:
    sn_free(allocator, boxes);
    return status;
}

// From the leaves up: children come after their parents.
static SinewStatus create_far_fields(SnDistance *distance, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnMoments *moments = NULL;
    const SnBoxTree *tree = distance->tree;
    SN_ALLOC(distance->far, &distance->allocator, tree->node_count, error);
    SN_ALLOC(moments, &distance->allocator, tree->node_count, error);
    for (int i = tree->node_count - 1; i >= 0; --i) {
        const SnBoxNode *node = &tree->nodes[i];
        if (node->second > 0) {
            sn_moments_join(&moments[i + 1], &moments[node->second], &moments[i]);
        } else {
            sn_moments_of_triangles(distance->corners + 9 * (size_t)node->begin,
                                    node->end - node->begin, &moments[i]);
        }
        // The ball that joining gives grows too large; the far corner of the box bounds it too.
        double far_corner[3];
        for (int k = 0; k < 3; ++k) {
            double c = moments[i].centre[k];
            bool is_low = c - node->box.min[k] > node->box.max[k] - c;
            far_corner[k] = is_low ? node->box.min[k] : node->box.max[k];
        }
        double reach = sqrt(sn_point_distance_squared(moments[i].centre, far_corner));
        moments[i].radius = reach < moments[i].radius ? reach : moments[i].radius;
        sn_far_field_of(&moments[i], &distance->far[i]);
    }
done:
    sn_free(&distance->allocator, moments);
    return status;
}

SinewStatus sn_distance_create(const SnSoup *soup, const SinewAllocator *allocator,
                               SnDistance **out_distance, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnDistance *distance = NULL;
    *out_distance = NULL;
    SN_TRY(check_soup(soup, error));
    SN_ALLOC_ZERO(distance, allocator, 1, error);
    if (allocator != NULL) {
        distance->allocator = *allocator;
    }
    SN_TRY(create_tree(soup, distance, error));
    SN_TRY(create_far_fields(distance, error));
    *out_distance = distance;
    distance = NULL;
done:
    sn_distance_destroy(distance);
    return status;
}

void sn_distance_destroy(SnDistance *distance)
{
    if (distance == NULL) {
        return;
    }
    SinewAllocator allocator = distance->allocator;
    sn_free(&allocator, distance->far);
    sn_free(&allocator, distance->rank);
    sn_free(&allocator, distance->planes);
    sn_free(&allocator, distance->corners);
    sn_box_tree_destroy(distance->tree, &allocator);
    sn_free(&allocator, distance);
}

SnBox sn_distance_bounds(const SnDistance *distance)
{
    return distance->tree->nodes[0].box;
}

// Closest point ----------------------------------------------------------------------------------

// A node that waits, and the square of its box's distance.
typedef struct Waiting {
    int node;
    double square;
} Waiting;

// A search under way.
typedef struct Search {
    const SnDistance *distance;
    const double *p;
    double least; // square
    int best;     // place in the tree's order, or -1
    double weights[3];
} Search;

static void search_leaf(Search *search, const SnBoxNode *node)
{
    for (int i = node->begin; i < node->end; ++i) {
        // Most triangles that a search reaches lie in planes too far away already.
        const double *plane = search->distance->planes + 4 * (size_t)i;
        double height = sn_point_dot(plane, search->p) - plane[3];
        if (height * height > search->least) {
            continue;
        }
        double weights[3];
        double square =
            sn_triangle_closest(search->distance->corners + 9 * (size_t)i, search->p, weights);
        if (square < search->least) {
            search->least = square;
            search->best = i;
            memcpy(search->weights, weights, sizeof weights);
        }
    }
}

// The nearer child first; the other waits, and is dropped when something nearer turned up.
static void search_tree(Search *search)
{
    const SnBoxNode *nodes = search->distance->tree->nodes;
    Waiting stack[SN_BOX_TREE_DEPTH];
    int top = 0;
    stack[top++] = (Waiting){0, sn_box_distance_squared(&nodes[0].box, search->p)};
    while (top > 0) {
        Waiting now = stack[--top];
        if (!(now.square < search->least)) {
            continue;
        }
        const SnBoxNode *node = &nodes[now.node];
        if (node->second == 0) {
            search_leaf(search, node);
            continue;
        }
        Waiting a = {now.node + 1, sn_box_distance_squared(&nodes[now.node + 1].box, search->p)};
        Waiting b = {node->second, sn_box_distance_squared(&nodes[node->second].box, search->p)};
        bool is_swapped = b.square < a.square;
        stack[top++] = is_swapped ? a : b;
        stack[top++] = is_swapped ? b : a;
    }
}

void sn_distance_closest_within(const SnDistance *distance, const double p[3], double radius,
                                SnClosest *out)
{
    *out = (SnClosest){.triangle = -1, .distance = radius};
    Search search = {.distance = distance, .p = p, .least = radius * radius, .best = -1};
    search_tree(&search);
    if (search.best >= 0) {
        out->triangle = distance->tree->order[search.best];
        out->distance = sqrt(search.least);
        memcpy(out->weights, search.weights, sizeof out->weights);
        sn_triangle_point(distance->corners + 9 * (size_t)search.best, out->weights, out->point);
    }
}

void sn_distance_closest(const SnDistance *distance, const double p[3], SnClosest *out)
{
    sn_distance_closest_within(distance, p, 1e150, out);
}

double sn_distance_to_triangle(const SnDistance *distance, int triangle, const double p[3])
{
    double weights[3];
    return sqrt(
        sn_triangle_closest(distance->corners + 9 * (size_t)distance->rank[triangle], p, weights));
}

// Winding number ---------------------------------------------------------------------------------

double sn_distance_winding_far(const SnDistance *distance, const double p[3], double far)
{
    const SnBoxNode *nodes = distance->tree->nodes;
    int stack[SN_BOX_TREE_DEPTH];
    int top = 0;
    double sum = 0.0;
    SnTurn turn = sn_turn_zero();
    stack[top++] = 0;
    while (top > 0) {
        int index = stack[--top];
        const SnFarField *field = &distance->far[index];
        double d[3];
        sn_point_minus(field->centre, p, d);
        double square = sn_point_dot(d, d);
        // The second condition keeps the powers of a distance finite.
        if (square > far * far * field->radius_squared && square > 1e-80) {
            sum += sn_far_field_at(field, d, square);
        } else if (nodes[index].second > 0) {
            stack[top++] = nodes[index].second;
            stack[top++] = index + 1;
        } else {
            for (int i = nodes[index].begin; i < nodes[index].end; ++i) {
                sn_turn_add_triangle(&turn, distance->corners + 9 * (size_t)i, p);
            }
        }
    }
    return sum + sn_turn_value(&turn);
}

double sn_distance_winding(const SnDistance *distance, const double p[3])
{
    return sn_distance_winding_far(distance, p, SN_WINDING_FAR);
}

double sn_distance_signed(const SnDistance *distance, const double p[3])
{
    SnClosest closest;
    sn_distance_closest(distance, p, &closest);
    return fabs(sn_distance_winding(distance, p)) > 0.5 ? -closest.distance : closest.distance;
}

double sn_distance_fn(void *context, const double p[3])
{
    return sn_distance_signed(context, p);
}

double sn_distance_sign_fn(void *context, const double p[3])
{
    // So near to 1/2 that the point may lie on the surface, the distance decides.
    double winding = fabs(sn_distance_winding(context, p));
    return fabs(winding - 0.5) > 0.05 ? 0.5 - winding : sn_distance_signed(context, p);
}

// Beside the middle of a triangle, on both sides, at some small distances: the nearest of them is
// inside of whatever is thicker than that.
static bool has_inside_beside(const SnDistance *distance, const SnSoup *soup, int triangle)
{
    static const double steps[] = {1e-2, 1e-4, 1e-6}; // of the triangle's size
    const int *v = soup->triangles + 3 * (size_t)triangle;
    double x[3][3];
    for (int k = 0; k < 3; ++k) {
        memcpy(x[k], soup->positions + 3 * (size_t)v[k], sizeof x[k]);
    }
    double middle[3];
    double u[3];
    double w[3];
    for (int c = 0; c < 3; ++c) {
        middle[c] = x[0][c] / 3.0 + x[1][c] / 3.0 + x[2][c] / 3.0;
        u[c] = x[1][c] - x[0][c];
        w[c] = x[2][c] - x[0][c];
    }
    const double n[3] = {u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2],
                         u[0] * w[1] - u[1] * w[0]};
    double size = sqrt(sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])); // of twice its area
    for (int i = 0; i < 6 && size > 0.0; ++i) {
        double step = (i % 2 == 0 ? 1.0 : -1.0) * steps[i / 2] / size;
        const double p[3] = {middle[0] + step * n[0], middle[1] + step * n[1],
                             middle[2] + step * n[2]};
        // Every triangle counts by itself: near a sheet expansions are not good enough.
        if (fabs(sn_distance_winding_far(distance, p, 1e9)) > 0.75) {
            return true;
        }
    }
    return false;
}

bool sn_distance_has_inside(const SnDistance *distance, const SnSoup *soup)
{
    // All triangles are summed for each that is asked: about 10^9 operations at most.
    double most = 1e7 / (soup->triangle_count + 1.0);
    double stride = fmax(1.0, soup->triangle_count / fmax(most, 64.0));
    for (double t = 0.0; t < soup->triangle_count; t += stride) {
        if (has_inside_beside(distance, soup, (int)t)) {
            return true;
        }
    }
    return false;
}

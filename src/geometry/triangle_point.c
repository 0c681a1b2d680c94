#include "geometry/triangle_point.h"

#include "geometry/point.h"
#include "math/angle.h"

#include <stdbool.h>
#include <string.h>

// A triangle and a point: the ways from the corners to p, and two edges.
typedef struct View {
    double to_p[3][3];
    double ab[3];
    double ac[3];
} View;

// Square of the way to p from the point of given weights. As the weights add up to one, it is the
// mean of the ways from the corners.
static double weighted_square(const View *view, const double weights[3])
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        double d = weights[0] * view->to_p[0][k] + weights[1] * view->to_p[1][k] +
                   weights[2] * view->to_p[2][k];
        sum += d * d;
    }
    return sum;
}

// Where on the edge from corner e to the next the closest point lies, 0 to 1.
static double edge_closest(const double corners[9], const View *view, int e)
{
    double edge[3];
    sn_point_minus(corners + 3 * ((e + 1) % 3), corners + 3 * e, edge);
    double along = sn_point_dot(edge, view->to_p[e]);
    double length = sn_point_dot(edge, edge);
    return !(along > 0.0) ? 0.0 : along >= length ? 1.0 : along / length;
}

// The nearest of the three edges' closest points.
static double outline_closest(const double corners[9], const View *view, double out_weights[3])
{
    double least = INFINITY;
    for (int e = 0; e < 3; ++e) {
        double weights[3] = {0.0, 0.0, 0.0};
        double t = edge_closest(corners, view, e);
        weights[e] = 1.0 - t;
        weights[(e + 1) % 3] = t;
        double square = weighted_square(view, weights);
        if (e == 0 || square < least) {
            least = square;
            memcpy(out_weights, weights, sizeof weights);
        }
    }
    return least;
}

// Weights by the region of the plane that p projects to: a corner's, an edge's, or the inside.
// Follows Ericson, Real-Time Collision Detection, 5.1.5. False where the triangle has next to no
// area and the regions mean nothing.
static bool region_closest(const View *view, double out_weights[3])
{
    const double *ab = view->ab, *ac = view->ac;
    double d1 = sn_point_dot(ab, view->to_p[0]), d2 = sn_point_dot(ac, view->to_p[0]);
    double d3 = sn_point_dot(ab, view->to_p[1]), d4 = sn_point_dot(ac, view->to_p[1]);
    double d5 = sn_point_dot(ab, view->to_p[2]), d6 = sn_point_dot(ac, view->to_p[2]);
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    double v = 0.0;
    double w = 0.0;
    if (d1 <= 0.0 && d2 <= 0.0) {
        v = w = 0.0;
    } else if (d3 >= 0.0 && d4 <= d3) {
        v = 1.0;
    } else if (d6 >= 0.0 && d5 <= d6) {
        w = 1.0;
    } else if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 && d1 - d3 > 0.0) {
        v = d1 / (d1 - d3);
    } else if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 && d2 - d6 > 0.0) {
        w = d2 / (d2 - d6);
    } else if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 && d4 - d3 + d5 - d6 > 0.0) {
        w = (d4 - d3) / (d4 - d3 + (d5 - d6));
        v = 1.0 - w;
    } else if (va > 0.0 && vb > 0.0 && vc > 0.0) {
        v = vb / (va + vb + vc);
        w = vc / (va + vb + vc);
    } else {
        return false;
    }
    out_weights[0] = 1.0 - v - w;
    out_weights[1] = v;
    out_weights[2] = w;
    return true;
}

// A triangle with an angle whose sine is below 1e-5. The region test then works with differences of
// rounded products, and its answer, though a point of the triangle, may not be the nearest one.
static bool is_needle(const View *view)
{
    double normal[3];
    sn_point_cross(view->ab, view->ac, normal);
    double limit = 1e-10 * sn_point_dot(view->ab, view->ab) * sn_point_dot(view->ac, view->ac);
    return !(sn_point_dot(normal, normal) > limit);
}

double sn_triangle_closest(const double corners[9], const double p[3], double out_weights[3])
{
    View view;
    for (int k = 0; k < 3; ++k) {
        for (int v = 0; v < 3; ++v) {
            view.to_p[v][k] = p[k] - corners[3 * v + k];
        }
        view.ab[k] = corners[3 + k] - corners[k];
        view.ac[k] = corners[6 + k] - corners[k];
    }
    bool is_inside = region_closest(&view, out_weights);
    double square = is_inside ? weighted_square(&view, out_weights) : INFINITY;
    if (is_inside && !is_needle(&view)) {
        return square;
    }
    double weights[3];
    double outline = outline_closest(corners, &view, weights);
    if (!(square < outline)) {
        memcpy(out_weights, weights, sizeof weights);
        square = outline;
    }
    return square;
}

// Van Oosterom and Strackee 1983: tan(angle / 2) = det(a, b, c) / (|a| |b| |c| + (a b) |c| +
// (b c) |a| + (c a) |b|), with the corners seen from p.
void sn_turn_add_triangle(SnTurn *turn, const double corners[9], const double p[3])
{
    double a[3], b[3], c[3], bc[3];
    sn_point_minus(corners, p, a);
    sn_point_minus(corners + 3, p, b);
    sn_point_minus(corners + 6, p, c);
    sn_point_cross(b, c, bc);
    double la = sn_point_length(a), lb = sn_point_length(b), lc = sn_point_length(c);
    double im = sn_point_dot(a, bc);
    double re =
        la * lb * lc + sn_point_dot(a, b) * lc + sn_point_dot(b, c) * la + sn_point_dot(c, a) * lb;
    // Scaled to about one, so that the product of many neither overflows nor vanishes.
    double size = fabs(re) > fabs(im) ? fabs(re) : fabs(im);
    if (!(size > 1e-290)) {
        return; // p is a corner, or the triangle is a point
    }
    re /= size;
    im /= size;
    double product_re = turn->re * re - turn->im * im;
    double product_im = turn->re * im + turn->im * re;
    // Two angles of one sign whose sum changes sign went over the negative real axis. Rounding
    // there moves the sum by a rounding, since the turn and the angle jump together.
    if (turn->im >= 0.0 && im >= 0.0 && product_im < 0.0) {
        turn->turns++;
    } else if (turn->im < 0.0 && im < 0.0 && product_im >= 0.0) {
        turn->turns--;
    }
    double length = fabs(product_re) + fabs(product_im);
    turn->re = product_re / length;
    turn->im = product_im / length;
}

double sn_turn_value(const SnTurn *turn)
{
    return turn->turns + sn_angle_of(turn->re, turn->im) / (2.0 * SN_PI);
}

// Distance to any triangle soup: the exact closest point by a box hierarchy, and inside or outside
// by the generalised winding number of Jacobson et al. 2013, evaluated as in Barill et al. 2018:
// clusters of triangles that are far away count by their expansion, near ones triangle by triangle.
//
// A point is inside where |winding| > 1/2. That keeps a sensible inside where the soup
//   has holes: the winding number fades across them, and the half-way surface spans them;
//   is doubled or overlaps itself: 2 is as inside as 1;
//   has whole parts turned inside out: -1 is inside too.
// Triangles that occur twice with opposite turns cancel, and so do overlapping bodies of which one
// is inside out; turn such parts first.
//
// Everything is const after creation, and any number of threads may ask.
#ifndef SN_GEOMETRY_DISTANCE_H
#define SN_GEOMETRY_DISTANCE_H

#include "base/workers.h"
#include "geometry/box_tree.h"
#include "geometry/signed_fn.h"
#include "geometry/surface.h"

#include <stdbool.h>

typedef struct SnDistance SnDistance;

// The soup to measure; read at creation only.
typedef struct SnSoup {
    int vertex_count;
    int triangle_count;
    const double *positions; // m, xyz packed
    const int *triangles;    // three vertex indices each
} SnSoup;

static inline SnSoup sn_soup_of(const SnSurface *surface)
{
    return (SnSoup){surface->vertex_count, surface->triangle_count, surface->positions,
                    surface->triangles};
}

// Coordinates beyond this are refused: their powers would overflow.
#define SN_DISTANCE_REACH 1e30

// Refuses a soup without triangles, indices out of range and coordinates that are not finite, with
// the index of the triangle or vertex in the error.
SinewStatus sn_distance_create(const SnSoup *soup, const SinewAllocator *allocator,
                               SnDistance **out_distance, SinewError *error);

// NULL is fine.
void sn_distance_destroy(SnDistance *distance);

typedef struct SnClosest {
    int triangle;      // index in the soup; -1: none
    double distance;   // m, never negative
    double point[3];   // on the triangle
    double weights[3]; // of the triangle's corners at that point; they add up to one
} SnClosest;

// The nearest triangle; of several equally near ones, always the same. Coordinates of p must be
// below 1e40 in size, here and in all queries; what is not a number gets triangle -1.
void sn_distance_closest(const SnDistance *distance, const double p[3], SnClosest *out);

// The same among triangles nearer than `radius`; triangle -1 and distance `radius` when none is.
void sn_distance_closest_within(const SnDistance *distance, const double p[3], double radius,
                                SnClosest *out);

// Distance to one triangle of the soup: an upper bound of the distance.
double sn_distance_to_triangle(const SnDistance *distance, int triangle, const double p[3]);

// A cluster is far where its centre is this many of its radii away. At 2 winding numbers are right
// to 4e-3 at the worst of 10000 points, at 4 to 2e-4.
#define SN_WINDING_FAR 2.0

// The winding number: 1 inside a closed surface that faces out, 0 outside.
double sn_distance_winding(const SnDistance *distance, const double p[3]);

// The same with another idea of far; 1e9 sums every triangle.
double sn_distance_winding_far(const SnDistance *distance, const double p[3], double far);

// Distance with sign, negative inside.
double sn_distance_signed(const SnDistance *distance, const double p[3]);

// The same as an SnSignedFn; `context` is the SnDistance.
double sn_distance_fn(void *context, const double p[3]);

// Its sign alone, several times as fast, for those who ask for nothing else, such as lattices of
// cells: negative inside, of no meaning in size. Points on the surface itself may count as either.
double sn_distance_sign_fn(void *context, const double p[3]);

// Whether the soup has an inside that small enough cells would find: whether the winding number
// right beside some triangle is well above 1/2, at 3/4. Beside a flat open sheet it is 1/2, which
// is none, and beside one that is slightly bent or has another sheet some way behind it a little
// more: that is none either. Of large soups some of the triangles are asked.
bool sn_distance_has_inside(const SnDistance *distance, const SnSoup *soup);

// The smallest box around the triangles.
SnBox sn_distance_bounds(const SnDistance *distance);

#endif

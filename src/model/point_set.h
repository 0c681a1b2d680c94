// Material points of a body whose degrees of freedom are vertices: the element that each is in, its
// corners and their weights; and the forces that act at them.
#ifndef SN_MODEL_POINT_SET_H
#define SN_MODEL_POINT_SET_H

#include "geometry/point_location.h"
#include "model/near_points.h"

enum { SN_POINT_CORNERS_MAX = 8 };

// Owns its arrays, but for the forces. The last are of the step under way.
typedef struct SnPointSet {
    int count;
    int corners;          // of an element: 4 or 8
    int *elements;        // a point
    int *vertices;        // `corners` a point
    double *weights;      // `corners` a point, their sum is 1
    double *distances;    // m, from the body at rest; 0 inside
    double *places;       // m, xyz a point
    SnPointForce *forces; // last evaluated, in the room that the step lends
    int *active;          // points with a force or a stiffness, ascending
    int active_count;     //

    // Of sets that were joined, which are those that forces act at: points that may feel one.
    SnNearPoints near;
    double *last_x; // m, xyz of the vertices at the last evaluation
    int vertex_end; // past the last vertex of any point
    double stretch; // the largest sum of |weights| of a point: 1 unless it is extrapolated
} SnPointSet;

// Where a rest point is in a body.
typedef struct SnPointPlace {
    int element;                          // the nearest
    double weights[SN_POINT_CORNERS_MAX]; // of its corners
    double distance;                      // m; 0 inside
} SnPointPlace;

// How a body finds points.
typedef struct SnPointFinder {
    const char *name;    // of the body, for sentences
    const int *elements; // vertices, `corners` an element
    int corners;
    void (*locate)(const void *context, const double X[3], SnPointPlace *out);
    const void *context;
} SnPointFinder;

// A finder's `locate` in tets; the context is an SnTetLocator.
void sn_point_locate_tet(const void *locator, const double X[3], SnPointPlace *out);

// Fails at a point that is not finite or too far away; error->index is the point. What was made is
// released by sn_point_set_release in any case.
SinewStatus sn_point_set_find(const SnPointFinder *finder, const double *rest, int count,
                              const SinewAllocator *allocator, SnPointSet *out_set,
                              SinewError *error);

void sn_point_set_release(SnPointSet *set, const SinewAllocator *allocator);

// The same as an object of its own, as the model's table wants it. On failure nothing is left.
SinewStatus sn_point_set_create(const SnPointFinder *finder, const double *rest, int count,
                                const SinewAllocator *allocator, void **out_points,
                                SinewError *error);

// The same for points whose elements and weights are known; `corners` are those of `vertices`, the
// body's elements.
SinewStatus sn_point_set_create_in(const int *vertices, int corners, const int *elements,
                                   const double *weights, int count,
                                   const SinewAllocator *allocator, void **out_points,
                                   SinewError *error);

// How many points there are in all parts.
int sn_point_parts_count(const SnPointPart *parts, int part_count);

// The table's points_join, of sets with so many corners; and the same into a set that is part of a
// larger object, which sn_point_set_release ends in any case.
SinewStatus sn_point_set_join(const SnPointPart *parts, int part_count, int corners,
                              const SinewAllocator *allocator, void **out_points,
                              SinewError *error);
SinewStatus sn_point_set_join_into(const SnPointPart *parts, int part_count, int corners,
                                   const SinewAllocator *allocator, SnPointSet *out_set,
                                   SinewError *error);

void sn_point_set_destroy(void *points, const SinewAllocator *allocator); // NULL is fine

// The table's points_distance; the set may be the beginning of a larger object.
double sn_point_set_distance(const void *points, int index);

// The table's points_where, of tets.
void sn_point_set_where(const void *points, int index, int *out_element, double out_weights[4]);

// The weighted mean of a vector (xyz a vertex) at each point.
void sn_point_set_blend(const SnPointSet *set, const double *vector, double *out);

// Adds a force at each point to the forces on the vertices.
void sn_point_set_spread(const SnPointSet *set, const double *forces, double *out_force);

// Forces that depend on where points are: fills the set's room with them for vertices at x and
// returns their energy, J. The set is contacts->points, or begins there.
double sn_point_set_evaluate(const SnPointForces *contacts, SnWorkers *workers, const double *x);

// Adds the forces last evaluated to the forces on the vertices.
void sn_point_set_push(const SnPointSet *set, double *out_force);

#endif

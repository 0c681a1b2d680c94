// Primitive bodies, so that scenes have characters without any file: each has a signed distance
// (negative inside), a box around it, and a closed triangle surface. Names and members are those of
// scene files.
//
// Distances are exact but for blobs. A blob joins its parts one after the other by the polynomial
// smooth minimum, min(a, b) - (smooth - |a - b|)^2 / (4 smooth) where |a - b| < smooth: still
// 1-Lipschitz, never more than the distance to the nearest part, right at the surface of parts that
// stand alone, and a lower bound of the distance outside. Inside it, as in any union, it is a bound
// too.
#ifndef SN_GEOMETRY_SHAPE_H
#define SN_GEOMETRY_SHAPE_H

#include "base/workers.h"
#include "geometry/box_tree.h"
#include "geometry/signed_fn.h"
#include "geometry/surface.h"

typedef enum SnShapeKind {
    SN_SHAPE_BOX,
    SN_SHAPE_SPHERE,
    SN_SHAPE_ELLIPSOID,
    SN_SHAPE_CAPSULE,
    SN_SHAPE_CYLINDER,
    SN_SHAPE_CONE,
    SN_SHAPE_TORUS,
    SN_SHAPE_BLOB,
    SN_SHAPE_KIND_COUNT
} SnShapeKind;

// Everything in metres.
typedef struct SnShape {
    SnShapeKind kind;
    union {
        SnBox box;
        struct {
            double center[3];
            double radius;
        } sphere;
        struct {
            double center[3];
            double radii[3]; // along x, y, z
        } ellipsoid;
        struct {
            double from[3]; // middles of the two half balls; may be the same point
            double to[3];
            double radius;
        } capsule;
        struct {
            double from[3]; // middles of the two discs
            double to[3];
            double radius;
        } cylinder;
        struct {
            double from[3]; // middle of the base
            double to[3];   // the tip, or the middle of the top
            double radius;  // of the base
            double top;     // radius of the top; 0: a tip
        } cone;
        struct {
            double center[3];
            double axis[3]; // all zero stands for y, so that it lies on the ground
            double radius;  // of the circle inside the tube
            double tube;    // radius of the tube, less than `radius`
        } torus;
        struct {
            const struct SnShape *parts; // any but blobs
            int part_count;              // at least 1
            double smooth;               // over which distance parts melt together; 0: not at all
        } blob;
    };
} SnShape;

// "box", "sphere"... as scene files spell them.
const char *sn_shape_name(SnShapeKind kind);

// Refuses what is not finite, not positive or without a direction; the sentence names the member.
// All functions below want a shape that passed.
SinewStatus sn_shape_check(const SnShape *shape, SinewError *error);

double sn_shape_signed(const SnShape *shape, const double p[3]);

// The same as an SnSignedFn; `context` is the SnShape.
double sn_shape_fn(void *context, const double p[3]);

// A box around the shape: the smallest, but for blobs, whose joints may swell.
SnBox sn_shape_bounds(const SnShape *shape);

// A closed, manifold surface facing out, with vertices on the shape. Edges are about as long as the
// longest side of the bounds divided by `resolution` (1 to 1024); for a blob that is the cell of
// the lattice which finds its surface: edges are 0.42 of it, and what is thinner may be lost or
// torn. One group, named as the shape's kind.
SinewStatus sn_shape_surface(const SnShape *shape, int resolution, SnWorkers *workers,
                             const SinewAllocator *allocator, SnSurface **out_surface,
                             SinewError *error);

#endif

// Small surfaces and the signed distances that belong to them, for tests of cells.
#ifndef SN_TEST_SUPPORT_SHAPES_H
#define SN_TEST_SUPPORT_SHAPES_H

#include "geometry/surface.h"

// Of radius 1 about the origin; `rings` from pole to pole.
SnSurface *sn_test_sphere(int rings);
double sn_test_sphere_distance(void *context, const double p[3]);

// About the z axis, radius 1, tube radius 0.4.
SnSurface *sn_test_torus(int rings);
double sn_test_torus_distance(void *context, const double p[3]);

// `count` boxes, min xyz and max xyz each, in one surface. The distance's context is a SnTestBoxes.
SnSurface *sn_test_boxes(const double *boxes, int count);
typedef struct SnTestBoxes {
    const double *boxes;
    int count;
} SnTestBoxes;
double sn_test_boxes_distance(void *context, const double p[3]);

// An open disc of radius 1 in the plane z = 0.3, and a spiral of lines.
SnSurface *sn_test_disc(int rings);
SnSurface *sn_test_spiral(int lines);

#endif

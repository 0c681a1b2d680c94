// Whether a triangle surface is closed, and what it encloses.
#ifndef SN_TEST_SUPPORT_CLOSED_H
#define SN_TEST_SUPPORT_CLOSED_H

#include "geometry/surface.h"

typedef struct SnTestClosed {
    int bad_edges; // directed edges that occur twice, or without the opposite one
    int euler;     // vertices used - edges + triangles
    double area;
    double volume;         // positive when it faces out
    double least_angle;    // degrees, of any corner of any triangle
    double mean_edge;      // m
    double share_below_25; // of the triangles with an angle below 25 degrees
} SnTestClosed;

SnTestClosed sn_test_closed(const SnSurface *surface);

#endif

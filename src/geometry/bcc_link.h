// The neighbourhood of a point of a body-centred cubic lattice: its fourteen edges, the sphere of
// triangles that its neighbours form, and the question whether a body that has the point on its
// surface is a manifold there.
//
// Coordinates are integers in units of half a cell: corners of cells are even on all axes, centres
// odd. Long edges (length 2 in these units) go along the axes, short ones (sqrt 3) along the
// diagonals of cells.
#ifndef SN_GEOMETRY_BCC_LINK_H
#define SN_GEOMETRY_BCC_LINK_H

#include <stdbool.h>

enum { SN_BCC_EDGES = 14, SN_BCC_LONG_EDGES = 6 };

// Where the neighbours are. Direction d ^ 1 is opposite to d; the first six are long.
extern const int sn_bcc_edge[SN_BCC_EDGES][3];

// The direction of a difference of two neighbours' coordinates.
int sn_bcc_direction(const int from[3], const int to[3]);

// What a lattice point is to the body.
typedef enum SnPointLabel { SN_POINT_OUTSIDE, SN_POINT_INSIDE, SN_POINT_ON } SnPointLabel;

// True when a body whose surface goes through a lattice point has there one sheet of surface (or
// none). Given are the labels of its neighbours. The body is what the stencils make of it: in every
// tet, the part next to corners that are inside.
bool sn_bcc_is_manifold(const SnPointLabel neighbours[SN_BCC_EDGES]);

#endif

// Polygons of files as triangles. A convex polygon becomes a fan, a quad is cut along its shorter
// diagonal, a concave polygon loses its ears one by one. Corners need not lie in one plane: what is
// convex is decided along the polygon's mean normal.
#ifndef SN_GEOMETRY_POLYGON_H
#define SN_GEOMETRY_POLYGON_H

// Writes count - 2 triangles of three vertex indices each, turning as the polygon does. `count` is
// at least 3, `corners` index `positions` (xyz packed), and `scratch` holds 2 * count ints. Time is
// linear in `count`: where ears are too hard to find the rest is a fan, which crosses itself but
// winds around the same points.
void sn_polygon_cut(const double *positions, const int *corners, int count, int *scratch,
                    int *out_triangles);

#endif

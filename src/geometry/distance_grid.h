// Signed distance on a regular grid around a surface, negative inside. Node (i, j, k) stands at
// origin + spacing (i, j, k) and its value at index (i size[1] + j) size[2] + k.
//
// Within the band, |value| <= band spacing, values are exact but for their rounding to float.
// Beyond it they are the distance to a triangle nearby: never less than the true distance, never
// inside the band, and too large by 5.2 spacings at the very most, a few per cent as a rule. Signs
// are those of sn_distance_signed everywhere: nodes near the surface have their own winding number;
// blocks of 4^3 nodes away from it share one where it is clear, and do not near holes, where it
// fades without a triangle in between.
#ifndef SN_GEOMETRY_DISTANCE_GRID_H
#define SN_GEOMETRY_DISTANCE_GRID_H

#include "geometry/distance.h"

typedef struct SnDistanceGridDef {
    int cells;        // along the longest side of the surface, 1 to 4096; default 64
    double cell_size; // m; where positive it is taken instead of `cells`; default 0
    int padding;      // cells around the surface's box, 0 to 4096; default 2
    double band;      // cells on either side in which values are exact; default 3
} SnDistanceGridDef;

SnDistanceGridDef sn_distance_grid_def_default(void);

typedef struct SnDistanceGrid {
    double origin[3]; // m
    double spacing;   // m
    int size[3];      // nodes, at least 2 each
    float *values;    // m
} SnDistanceGrid;

// Refuses numbers out of range and grids of more than 2^31 - 1 nodes. The same bits for any number
// of workers.
SinewStatus sn_distance_grid_create(const SnDistance *distance, const SnDistanceGridDef *def,
                                    SnWorkers *workers, const SinewAllocator *allocator,
                                    SnDistanceGrid **out_grid, SinewError *error);

// NULL is fine. The allocator must be the one it was made with.
void sn_distance_grid_destroy(SnDistanceGrid *grid, const SinewAllocator *allocator);

// Trilinear between the nodes. Outside the grid, the value at its nearest point plus the distance
// to that. `out_gradient` (nullable) gets the gradient of the same.
double sn_distance_grid_sample(const SnDistanceGrid *grid, const double p[3],
                               double out_gradient[3]);

// The same as an SnSignedFn; `context` is the SnDistanceGrid.
double sn_distance_grid_fn(void *context, const double p[3]);

#endif

// How good a tet mesh is: the angles between the faces of its tets, their volumes and shapes, and
// how well it fills a body.
#ifndef SN_GEOMETRY_TET_QUALITY_H
#define SN_GEOMETRY_TET_QUALITY_H

#include "geometry/signed_fn.h"
#include "geometry/tet_mesh.h"

// One bin of the histogram of angles a degree.
enum { SN_TET_QUALITY_BINS = 180 };

typedef struct SnTetQuality {
    double smallest_dihedral;               // degrees, over all six of all tets
    double largest_dihedral;                // degrees
    int64_t histogram[SN_TET_QUALITY_BINS]; // of all dihedral angles; bin i from i to i + 1 degrees
    double smallest_volume;                 // m^3, negative for a tet inside out
    double volume;                          // m^3, of all
    double largest_aspect;                  // longest edge by shortest height, of the regular tet 1
    int inverted_count;                     // tets without positive volume
    int boundary_vertex_count;              //
    int boundary_triangle_count;            //
    double volume_error;                    // part of the given volume; NaN: none was given
    double largest_distance, mean_distance; // m, of the boundary's vertices; NaN: no function
} SnTetQuality;

// `volume` is what the mesh should have, NaN when not known. `distance` is the body's signed
// distance, nullable.
SinewStatus sn_tet_quality_measure(const SnTetMesh *mesh, double volume, SnSignedFn *distance,
                                   void *context, const SinewAllocator *allocator,
                                   SnTetQuality *out_quality, SinewError *error);

// The six dihedral angles of a tet, degrees; 0 or 180 where it is flat.
void sn_tet_quality_dihedrals(const SnTetMesh *mesh, int tet, double out_degrees[6]);

#endif

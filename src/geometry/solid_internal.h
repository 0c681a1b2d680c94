// What the files of a solid share: what it keeps, and what is refused before anything is made of
// it.
#ifndef SN_GEOMETRY_SOLID_INTERNAL_H
#define SN_GEOMETRY_SOLID_INTERNAL_H

#include "geometry/distance.h"
#include "geometry/solid.h"

struct SnSolid {
    SinewAllocator allocator;
    SnWorkers *workers;
    SnSolidDef def;
    double scale;         // of the pose
    SnBox bounds;         // before the pose
    SnBoxTetsDef grid;    // of a box
    SnSurface *outside;   // of a surface, repaired; of a tet mesh, its boundary; else NULL
    SnDistance *distance; // to that
    SnSolid *base;        // lends the two above and keeps meshes; NULL: they are its own
    SnTetMesh *mesh;      // of a base that was asked for tets: before any pose
    SnSurface *shown;     // of a base that was asked for its surface
    SnSolidCubes cubes;   // of a base that was asked for cubes: before any pose
};

static inline bool sn_solid_is_box(const SnSolid *solid)
{
    return solid->def.shape != NULL && solid->def.shape->kind == SN_SHAPE_BOX;
}

// From before the pose to where the body is.
void sn_solid_pose_points(const SnSolid *solid, double *positions, int count);

// The signed function of what is not a box, before the pose.
SnSignedFn *sn_solid_function(const SnSolid *solid, void **out_context);

// Coordinates beyond SN_DISTANCE_REACH (error->index: the vertex); `what` has the vertices.
SinewStatus sn_solid_check_vertices(const double *positions, int vertex_count, const char *what,
                                    SinewError *error);

// Triangles that name no vertex (error->index: the triangle).
SinewStatus sn_solid_check_triangles(const SnSurface *surface, SinewError *error);

// All that a tet mesh may have wrong.
SinewStatus sn_solid_check_tets(const SnTetMesh *mesh, const SinewAllocator *allocator,
                                SinewError *error);

#endif

// A solid: a body's rest shape before a model cuts it into its own kind of element. A model asks
// for tets or hexahedra, and gets them from whatever the solid was given by: a box has its vertices
// exactly on the grid, a tet mesh stays as it is where tets are asked for, and anything else is
// stuffed with tets or covered with cells. The pose is applied to all of it, so that everything
// below speaks of posed rest positions.
#ifndef SN_GEOMETRY_SOLID_H
#define SN_GEOMETRY_SOLID_H

#include "base/workers.h"
#include "geometry/box_tets.h"
#include "geometry/box_tree.h"
#include "geometry/hex_mesh.h"
#include "geometry/shape.h"
#include "math/affine.h"

#include <stdbool.h>

// Exactly one of shape, surface and tets is set. Borrowed: must outlive the solid. A surface may
// have holes, doubled and flipped parts: a copy of it is repaired as `sinew mesh` does, and its
// winding number tells the inside. One that has lines alone has no inside: it is good for voxels.
typedef struct SnSolidDef {
    const SnShape *shape;
    const SnSurface *surface;
    const SnTetMesh *tets;
    int resolution; // cells along the longest side, at least 1; of a tet mesh, for hexes alone
    int cells[3];   // of a box; all zero: from the resolution, cells as cubic as they fit
    SnBoxCut cut;   // of a box
    SnAffine pose;  // a similarity: rotation, one scale, translation
    double scale;   // of the pose, to the last bit; 0: found from it, with its rounding
} SnSolidDef;

typedef struct SnSolid SnSolid;

// Refuses with a sentence: shapes that sn_shape_check refuses, surfaces without triangles and
// lines, tets that are flat or name no vertex (error->index: the tet), vertices in no tet
// (error->index: the vertex), coordinates beyond 1e30.
SinewStatus sn_solid_create(const SnSolidDef *def, SnWorkers *workers,
                            const SinewAllocator *allocator, SnSolid **out_solid,
                            SinewError *error);

// The same solid with another pose (and its scale, 0: found from it), of a base that was made with
// sn_solid_create and must outlive it. Tets and surfaces are made once, in the base, and copied.
SinewStatus sn_solid_create_posed(SnSolid *base, const SnAffine *pose, double scale,
                                  SnSolid **out_solid, SinewError *error);

// NULL is fine.
void sn_solid_destroy(SnSolid *solid);

// Tets, in a new mesh that the caller destroys with the solid's allocator; all have a positive
// volume. Of a tet mesh, vertices and tets have their given indices. Refused where the cells are so
// large that none of the body is found.
SinewStatus sn_solid_tets(const SnSolid *solid, SnTetMesh **out_mesh, SinewError *error);

// The same, scaled but neither turned nor moved: equal for all poses of one scale. The placement is
// what is missing.
SinewStatus sn_solid_unplaced_surface(const SnSolid *solid, SnSurface **out_surface,
                                      SinewError *error);
SinewStatus sn_solid_unplaced_tets(const SnSolid *solid, SnTetMesh **out_mesh, SinewError *error);
SnAffine sn_solid_placement(const SnSolid *solid);

// The scale of the pose.
double sn_solid_scale(const SnSolid *solid);

// The whole pose: from the numbers of files and shapes to rest positions.
SnAffine sn_solid_pose(const SnSolid *solid);

// Hexahedra, in a new mesh that the caller destroys: the grid of a box, with the vertices of its
// tets, else all cubes that hold some of the body. Of a shape, parts thinner than a cube may be
// missed; of a surface or tet mesh, every cube that it touches is there. The share of each that is
// inside goes to a new list that the caller frees, NULL of a box, all of whose cells are whole.
SinewStatus sn_solid_hexes(const SnSolid *solid, SnHexMesh **out_mesh, double **out_fills,
                           SinewError *error);

// Cubes and where they are in their grid, in a new list that the caller destroys with
// sn_solid_cubes_destroy: the cells of a box where they are cubes to 1e-6 of their size, else the
// nearest grid of cubes (box_cover.h), or all cubes that hold some of the body. Mesh and order are
// those of sn_solid_hexes but for boxes whose cells are no cubes.
typedef struct SnSolidCubes {
    SnHexMesh *mesh;
    int *places; // i, j, k of each cube
    double
        *fills;  // the share of each that is inside, 0 to 1, from 4 x 4 x 4 points; exact in boxes
    int size[3]; // cubes of the grid
    double edge; // m, posed
} SnSolidCubes;

SinewStatus sn_solid_cubes(const SnSolid *solid, SnSolidCubes *out_cubes, SinewError *error);

// The same, scaled but neither turned nor moved. A base makes them once and they are copied.
SinewStatus sn_solid_unplaced_cubes(const SnSolid *solid, SnSolidCubes *out_cubes,
                                    SinewError *error);

// A sentence about a box whose cells are not cubes, for models that take cubes. False: there is
// nothing to say.
bool sn_solid_cover_note(const SnSolid *solid, char *out_text, size_t size);
void sn_solid_cubes_destroy(SnSolidCubes *cubes, const SinewAllocator *allocator);

// Small cubes, so many a side of a cell of the resolution, in a new list that the caller destroys
// with sn_solid_voxels_destroy: those of a box, else all that hold some of the body. Of a tet mesh
// or surface every cube that it touches is there, with a fill of 0 where none of it is inside.
typedef struct SnSolidVoxels {
    int count;
    int *places;            // i, j, k of each, sorted, k fastest
    float *fills;           // share that is inside, 0 to 1
    unsigned char *touched; // 1 where a surface passes through
    int size[3];            // cubes of the grid
    double edge;            // m, posed
    double origin[3];       // m, posed, of the grid's lowest corner
    double axes[9];         // rows: the grid's axes, posed, unit vectors
} SnSolidVoxels;

// How a body is cut into voxels. `hollow`: nothing is inside but what the surface touches, as for
// sheets and lines.
typedef struct SnSolidCut {
    int division; // voxels along a side of a cell, at least 1
    bool hollow;
} SnSolidCut;

SinewStatus sn_solid_voxels(const SnSolid *solid, const SnSolidCut *cut, SnSolidVoxels *out_voxels,
                            SinewError *error);
void sn_solid_voxels_destroy(SnSolidVoxels *voxels, const SinewAllocator *allocator);

// The share of each of those cubes that is inside, 0 to 1, from 4 x 4 x 4 points of it; exact where
// they are the cubes of a box.
SinewStatus sn_solid_fill(const SnSolid *solid, const SnHexMesh *cubes, double *out_shares,
                          SinewError *error);

// The same of cubes that are scaled but neither turned nor moved.
SinewStatus sn_solid_unplaced_fill(const SnSolid *solid, const SnHexMesh *cubes, double *out_shares,
                                   SinewError *error);

// Whether the body is made of lines alone.
bool sn_solid_is_lines(const SnSolid *solid);

// The surface to show, touch and load, in a new surface that the caller destroys: as given; of
// lines tubes a fifth of a cell thick; of a box, its grid's faces cut in two; of a tet mesh its
// outside; of another shape a closed surface twice as fine as the elements, at least 32 edges along
// the longest side. Vertices of boxes and tet meshes are in the order of the model's vertices that
// they are, without gaps.
SinewStatus sn_solid_surface(const SnSolid *solid, SnSurface **out_surface, SinewError *error);

// Around the posed rest shape: the smallest box, but for turned shapes, where it is that of their
// turned box.
SnBox sn_solid_bounds(const SnSolid *solid);

// The size of an element, m: how far outside a point may lie and still count as of the body. The
// longest side of a cell, or the mean edge of given tets.
double sn_solid_cell_size(const SnSolid *solid);

// Whether the surface is the outside of the solid's own elements, with their vertices, rather than
// as fine as it was given or is to be shown.
bool sn_solid_shows_elements(const SnSolid *solid);

#endif

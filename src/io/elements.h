// A mesh of one kind of element as the writers see it, so that tets and hexahedra share one writer
// a format: points, corners, regions and fields, all borrowed. Out comes a file.
#ifndef SN_IO_ELEMENTS_H
#define SN_IO_ELEMENTS_H

#include "geometry/cell_mesh.h"
#include "io/tet_files.h"

// A kind of element. VTK and Gmsh agree on the order of the corners of both.
typedef struct SnElementType {
    const char *plural; // for sentences
    int corner_count;
    int vtk_type;
    int gmsh_type;
} SnElementType;

extern const SnElementType sn_element_tet;
extern const SnElementType sn_element_hex;

typedef struct SnElements {
    const SnElementType *type;
    int vertex_count;
    int element_count;
    const double *positions; // m, xyz packed
    const int *corners;      // type->corner_count vertex indices an element
    const int *regions;      // of each element
    const SnNames *names;    // of the regions; at least one
    const SnVtuField *fields;
    int field_count;
} SnElements;

// Without fields. Valid as long as the mesh is.
SnElements sn_elements_of_tets(const SnTetMesh *mesh);
SnElements sn_elements_of_hexes(const SnCellMesh *mesh);

// Whether there is more to say of regions than that all elements are in one without a name.
bool sn_elements_have_regions(const SnElements *elements);

// Whether the name ends in .msh, .vtk or .vtu.
bool sn_elements_can_write(const char *path);

// Refuses what the format of the name does not know: base64 and compression are for VTU alone.
SinewStatus sn_write_options_check(const SnTetWriteOptions *options, const char *path,
                                   SinewError *error);

// Writes in the format that the name ends with, .msh, .vtk or .vtu; fields become element or node
// data. The file appears whole or not at all.
SinewStatus sn_elements_write(const SnElements *elements, const SnTetWriteOptions *options,
                              const char *path, const SinewAllocator *allocator, SinewError *error);

// The same for the cells of a lattice, with two fields: `label`, the number of the SnCellLabel, and
// `fill`.
SinewStatus sn_cell_mesh_write(const SnCellMesh *mesh, const SnTetWriteOptions *options,
                               const char *path, const SinewAllocator *allocator,
                               SinewError *error);

// One format each.
typedef SinewStatus SnElementsWriteFn(const SnElements *elements, const SnTetWriteOptions *options,
                                      const char *path, const SinewAllocator *allocator,
                                      SinewError *error);
SnElementsWriteFn sn_elements_write_msh;
SnElementsWriteFn sn_elements_write_vtk;
SnElementsWriteFn sn_elements_write_vtu;

#endif

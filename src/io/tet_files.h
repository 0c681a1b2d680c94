// Tet meshes in files: Gmsh MSH 2.2 and 4.1, TetGen node/ele, Vega veg, VTK legacy and VTU. A
// reader takes the tetrahedra (those of higher order by their four corners), skips and counts all
// other elements, turns tets that are inside out, drops vertices that no tet uses and makes element
// groups into regions, in the order of their tags. A writer gives back every double to the last
// bit.
#ifndef SN_IO_TET_FILES_H
#define SN_IO_TET_FILES_H

#include "geometry/tet_mesh.h"
#include "io/bytes.h"

// What a reader met and did about it.
typedef struct SnTetReport {
    int64_t skipped_elements; // that are no tets
    int64_t flipped_tets;     // whose volume was negative; two corners changed places
    int64_t flat_tets;        // of no volume, kept
    int64_t unused_vertices;  // dropped
} SnTetReport;

// How a file is written. All zero is the default of each format.
typedef enum SnTetEncoding {
    SN_TET_DEFAULT,        // msh: binary; vtk: binary; vtu: raw, compressed where this build can
    SN_TET_ASCII,          // msh, vtk, vtu
    SN_TET_BINARY,         // msh, vtk; vtu: appended raw
    SN_TET_BASE64,         // vtu: in place
    SN_TET_APPENDED_BASE64 // vtu: appended
} SnTetEncoding;

typedef struct SnTetWriteOptions {
    SnTetEncoding encoding;
    bool is_compressed; // vtu, with an encoding other than ASCII: zlib
    int msh_version;    // 22 or 41; 0: 41
    int first_index;    // tetgen: 0 or 1, the index of the first vertex and tet
} SnTetWriteOptions;

// The most regions of a veg file.
#define SN_VEG_REGIONS_MAX 4096

// One more array of a VTU file: results beside the mesh.
typedef struct SnVtuField {
    const char *name;    // letters, digits and the like; what XML minds is replaced by '_'
    bool is_on_cells;    // a value per tet instead of per vertex
    int component_count; // at least 1
    const float *values; // component_count for each vertex or tet
} SnVtuField;

// Whether a file is one of a tet mesh, by what it holds or how its name ends; it may still be
// damaged.
bool sn_tet_file_is_known(const SnBytes *bytes);

// Reads a file by what it holds, and where that does not tell (TetGen, Vega) by how its name ends.
// Either file of a TetGen pair stands for both.
SinewStatus sn_tet_mesh_read(const char *path, const SinewAllocator *allocator,
                             SnTetMesh **out_mesh, SinewError *error);

// The same, with what was met. `out_report` may be NULL.
SinewStatus sn_tet_mesh_read_report(const char *path, const SinewAllocator *allocator,
                                    SnTetMesh **out_mesh, SnTetReport *out_report,
                                    SinewError *error);

// Writes in the format that the name ends with: .msh, .node or .ele (both are written), .veg, .vtk,
// .vtu. The file appears whole or not at all.
SinewStatus sn_tet_mesh_write(const SnTetMesh *mesh, const char *path,
                              const SinewAllocator *allocator, SinewError *error);
SinewStatus sn_tet_mesh_write_as(const SnTetMesh *mesh, const SnTetWriteOptions *options,
                                 const char *path, const SinewAllocator *allocator,
                                 SinewError *error);

// One format each. `out_report` may be NULL.
SinewStatus sn_read_msh(const SnBytes *bytes, const SinewAllocator *allocator, SnTetMesh **out_mesh,
                        SnTetReport *out_report, SinewError *error);
SinewStatus sn_read_tetgen(const SnBytes *node_bytes, const SnBytes *ele_bytes,
                           const SinewAllocator *allocator, SnTetMesh **out_mesh,
                           SnTetReport *out_report, SinewError *error);
SinewStatus sn_read_veg(const SnBytes *bytes, const SinewAllocator *allocator, SnTetMesh **out_mesh,
                        SnTetReport *out_report, SinewError *error);
SinewStatus sn_read_vtk(const SnBytes *bytes, const SinewAllocator *allocator, SnTetMesh **out_mesh,
                        SnTetReport *out_report, SinewError *error);
SinewStatus sn_read_vtu(const SnBytes *bytes, const SinewAllocator *allocator, SnTetMesh **out_mesh,
                        SnTetReport *out_report, SinewError *error);

SinewStatus sn_write_msh(const SnTetMesh *mesh, const SnTetWriteOptions *options, const char *path,
                         const SinewAllocator *allocator, SinewError *error);
SinewStatus sn_write_tetgen(const SnTetMesh *mesh, const SnTetWriteOptions *options,
                            const char *path, const SinewAllocator *allocator, SinewError *error);
SinewStatus sn_write_veg(const SnTetMesh *mesh, const char *path, const SinewAllocator *allocator,
                         SinewError *error);
SinewStatus sn_write_vtk(const SnTetMesh *mesh, const SnTetWriteOptions *options, const char *path,
                         const SinewAllocator *allocator, SinewError *error);
SinewStatus sn_write_vtu(const SnTetMesh *mesh, const SnVtuField *fields, int field_count,
                         const SnTetWriteOptions *options, const char *path,
                         const SinewAllocator *allocator, SinewError *error);

#endif

// What sinew mesh tells about a tet mesh it made: a table or JSON, a histogram of dihedral angles,
// and a picture with the front half cut away.
#ifndef SN_TOOL_MESH_REPORT_H
#define SN_TOOL_MESH_REPORT_H

#include "base/workers.h"
#include "geometry/tet_quality.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct SnMeshReport {
    const char *input;
    const char *output;
    const SnTetMesh *mesh;
    SnTetQuality quality;
    double cell_size;  // m; 0: the tets were read, not made
    int refined_cells; // along the longest side, where the default missed the inside; 0: it did not
    bool is_graded;
    double seconds; // to make it
} SnMeshReport;

void sn_mesh_report_print(const SnMeshReport *report, FILE *file);

// False when memory is short or the file refuses.
bool sn_mesh_report_print_json(const SnMeshReport *report, FILE *file);

// The dihedral angles as an SVG file.
SinewStatus sn_mesh_report_chart(const SnMeshReport *report, const char *path, SinewError *error);

// The mesh as a PNG file, without the tets whose centres are in front of a plane through its
// middle.
SinewStatus sn_mesh_report_picture(const SnMeshReport *report, SnWorkers *workers, const char *path,
                                   SinewError *error);

#endif

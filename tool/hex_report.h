// What sinew mesh --kind hexes tells about the cells it made: a table or JSON, a histogram of how
// full the crossed cells are, and a picture with the front half cut away.
#ifndef SN_TOOL_HEX_REPORT_H
#define SN_TOOL_HEX_REPORT_H

#include "base/workers.h"
#include "geometry/cell_mesh.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct SnHexReport {
    const char *input;
    const char *output;
    const SnCellLattice *lattice;
    int part_count;      // connected by common nodes
    double volume;       // m^3, of the cells by their fills
    double volume_error; // part of the surface's volume; NaN: the surface has none
    double seconds;      // to make them
} SnHexReport;

// Adds up the fills and counts the parts. `volume` is the surface's, NaN where it is not known.
SinewStatus sn_hex_report_measure(const SnCellMesh *mesh, double volume, SnHexReport *report,
                                  SinewError *error);

void sn_hex_report_print(const SnHexReport *report, FILE *file);

// False when memory is short or the file refuses.
bool sn_hex_report_print_json(const SnHexReport *report, FILE *file);

// The fills of the boundary cells as an SVG file.
SinewStatus sn_hex_report_chart(const SnHexReport *report, const char *path, SinewError *error);

// The cells as a PNG file, interior and boundary in two colours, without those whose centres are in
// front of a plane through the middle.
SinewStatus sn_hex_report_picture(const SnHexReport *report, SnWorkers *workers, const char *path,
                                  SinewError *error);

#endif

// A VTU file in the making: the frame of XML and arrays of numbers in any encoding that VTK knows.
// Text goes straight to the file; appended data gathers in memory until its offsets are known. What
// the arrays mean is the caller's: write_vtu.c writes tet meshes, frame_vtu.c frames of a run.
#ifndef SN_IO_VTU_OUTPUT_H
#define SN_IO_VTU_OUTPUT_H

#include "base/array.h"
#include "io/numbers.h"
#include "io/tet_files.h"
#include "io/whole_file.h"

// Cell types of VTK.
enum { SN_VTK_TRIANGLE = 5, SN_VTK_TETRA = 10, SN_VTK_HEXAHEDRON = 12 };

typedef struct SnVtuOutput {
    SnWholeFile file;
    const SinewAllocator *allocator;
    SnTetEncoding encoding;
    bool is_compressed;
    SnArray appended; // char
    SnArray scratch;  // char: one array, encoded
} SnVtuOutput;

// An array as it is written.
typedef struct SnVtuArray {
    const char *name; // what XML minds is replaced by '_'
    SnNumberType type;
    int component_count;
    const void *data;
    size_t count; // numbers
} SnVtuArray;

// Opens the file and writes what stands before the first array.
SinewStatus sn_vtu_begin(SnVtuOutput *out, const SnTetWriteOptions *options, const char *path,
                         const SinewAllocator *allocator, SinewError *error);

SinewStatus sn_vtu_put_array(SnVtuOutput *out, const SnVtuArray *array, SinewError *error);

// The same for field data, which says how many tuples there are.
SinewStatus sn_vtu_put_field(SnVtuOutput *out, const SnVtuArray *array, SinewError *error);

// <Points>: three doubles each.
SinewStatus sn_vtu_put_points(SnVtuOutput *out, const double *positions, int count,
                              SinewError *error);

// <Cells>: all of one type with `corners` vertices each.
SinewStatus sn_vtu_put_cells(SnVtuOutput *out, const int *connectivity, int count, int corners,
                             int type, SinewError *error);

// Ends the piece, adds the appended data and gives the file its name.
SinewStatus sn_vtu_commit(SnVtuOutput *out, SinewError *error);

// Releases everything; the file is gone unless it was committed.
void sn_vtu_release(SnVtuOutput *out);

#endif

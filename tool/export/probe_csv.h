// The table of a run's probes: a first line `t,NAME.0,NAME.1,...` with a column for each component,
// then a row a step. Numbers have 17 digits, so that reading them gives every double back. Rows are
// added one by one and each is with the system before the next; a run that goes on keeps the rows
// that its checkpoint counts and cuts off the others, a torn last line among them.
#ifndef SN_TOOL_PROBE_CSV_H
#define SN_TOOL_PROBE_CSV_H

#include "tool/export/append_file.h"

typedef struct SnProbeColumns {
    const char *name; // quoted where CSV asks for it
    int component_count;
} SnProbeColumns;

typedef struct SnProbeCsv {
    SnAppendFile file;
    const SinewAllocator *allocator;
    int value_count; // a row, without the time
    int64_t row_count;
    char *line; // room for one row
    size_t line_size;
} SnProbeCsv;

// Starts a new table (`keep_rows` 0), or goes on after the first `keep_rows` rows of one that is
// there. The latter must have that many whole rows and the same first line: SINEW_ERROR_FILE
// otherwise.
SinewStatus sn_probe_csv_open(SnProbeCsv *csv, const char *path, const SnProbeColumns *probes,
                              int probe_count, int64_t keep_rows, const SinewAllocator *allocator,
                              SinewError *error);

// Adds a row: the values of all probes, one after the other. What is not finite becomes nan, inf or
// -inf. After a failure the table is as it was before.
SinewStatus sn_probe_csv_append(SnProbeCsv *csv, double time, const double *values,
                                SinewError *error);

// All zero is fine, and so is a second time.
SinewStatus sn_probe_csv_close(SnProbeCsv *csv, SinewError *error);

#endif

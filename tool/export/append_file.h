// A file that grows by whole records while a run goes on, such as a table or a point cache. Each
// record goes to the system in one call before the next is begun: a run that is killed leaves all
// finished records and at most a piece of one after them, which the next open cuts off; a record
// that fails, on a full disk, is taken back.
//
// Not taken: a buffered stream, which would leave the system with any number of records less than
// the checkpoint counts, and a file each record, which makes a folder of millions.
#ifndef SN_TOOL_APPEND_FILE_H
#define SN_TOOL_APPEND_FILE_H

#include "base/memory.h"

#include <stdbool.h>

typedef struct SnAppendFile {
    const char *path; // the caller's, must outlive the file
    int descriptor;
    int64_t size; // bytes of whole records
    bool is_open; // all zero is a valid file that is not open
} SnAppendFile;

// Opens a plain file that is there. SINEW_ERROR_WRITE when the system does not let us.
SinewStatus sn_append_file_open(SnAppendFile *file, const char *path, SinewError *error);

// Adds a record behind the last.
SinewStatus sn_append_file_write(SnAppendFile *file, const void *data, size_t size,
                                 SinewError *error);

// Writes over bytes that are there, such as a count in a header.
SinewStatus sn_append_file_patch(SnAppendFile *file, int64_t offset, const void *data, size_t size,
                                 SinewError *error);

// Cuts off all after the first `size` bytes.
SinewStatus sn_append_file_cut(SnAppendFile *file, int64_t size, SinewError *error);

// Closes; a disk on the network may tell of its troubles only here.
SinewStatus sn_append_file_close(SnAppendFile *file, SinewError *error);

#endif

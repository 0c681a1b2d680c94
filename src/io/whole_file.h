// A file that appears whole or not at all: it is written under a temporary name in the same folder
// and renamed at the end, so a killed run leaves the old file or the new one, never half of one.
// What is no plain file (a device, a pipe, a link) is written directly.
//
//     SnWholeFile file;
//     SN_TRY(sn_whole_file_begin(&file, path, allocator, error));
//     sn_whole_file_printf(&file, "%d\n", 42); // errors are kept until the end
//     SN_TRY(sn_whole_file_commit(&file, error));
// done:
//     sn_whole_file_abandon(&file); // does nothing after a commit
#ifndef SN_IO_WHOLE_FILE_H
#define SN_IO_WHOLE_FILE_H

#include "base/memory.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct SnWholeFile {
    const SinewAllocator *allocator;
    const char *path; // the caller's, must outlive the file
    char *temporary;  // NULL when written directly
    FILE *stream;     // NULL when committed or abandoned
    int error_number; // errno of the first write that failed, or 0
} SnWholeFile;

// Opens the file for writing. All zero is a valid SnWholeFile that is not open.
SinewStatus sn_whole_file_begin(SnWholeFile *file, const char *path,
                                const SinewAllocator *allocator, SinewError *error);

// Writes, unless an earlier write failed. False when this or an earlier write failed.
bool sn_whole_file_write(SnWholeFile *file, const void *data, size_t size);
bool sn_whole_file_printf(SnWholeFile *file, const char *format, ...) SN_PRINTF(2, 3);

// Closes the file and gives it its name. Fails if any write failed; the temporary file is gone
// either way.
SinewStatus sn_whole_file_commit(SnWholeFile *file, SinewError *error);

// Removes what killed runs left in a folder: plain files whose names end as those of temporary
// files do, ".", digits, ".", digits, ".part". The caller must be the only one who writes there.
// Returns how many there were; a folder that cannot be read has none.
int sn_whole_file_sweep(const char *folder);

// The sentence for a file that cannot be written, from errno; returns SINEW_ERROR_WRITE, or
// SINEW_ERROR_MEMORY where that is the reason.
SinewStatus sn_write_fail(SinewError *error, const char *path, int error_number);

// Closes and removes what is not committed.
void sn_whole_file_abandon(SnWholeFile *file);

#endif

// The bytes of a whole file, for readers that look at memory: mapped where the system can, read
// otherwise. Readers check every count against the bytes that are left.
#ifndef SN_IO_BYTES_H
#define SN_IO_BYTES_H

#include "base/memory.h"

#include <stdbool.h>

typedef struct SnBytes {
    const unsigned char *data; // never NULL once open; `size` bytes, not terminated
    size_t size;
    const char *path; // for sentences; the caller's, must outlive the bytes
    bool is_mapped;
    void *owned; // memory of ours, NULL for mapped and for lent bytes
    const SinewAllocator *allocator;
} SnBytes;

// Opens and maps or reads. The sentence names the file and what the system said. Folders, pipes,
// sockets and devices are refused, since they have no end that is known, and so are files larger
// than the machine's memory.
SinewStatus sn_bytes_open(const char *path, const SinewAllocator *allocator, SnBytes *out_bytes,
                          SinewError *error);

// Bytes that are in memory already: for fuzzers and files inside files. `path` names them.
SnBytes sn_bytes_of(const void *data, size_t size, const char *path);

// All zero is fine.
void sn_bytes_close(SnBytes *bytes);

#endif

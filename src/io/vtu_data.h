// The arrays of a VTU file and how they are decoded: words, base64 in place, or appended to the end
// of the file raw or in base64; each but the first with a size in front and perhaps packed by zlib.
#ifndef SN_IO_VTU_DATA_H
#define SN_IO_VTU_DATA_H

#include "io/numbers.h"

typedef enum SnVtuPlace { SN_VTU_ASCII, SN_VTU_INLINE, SN_VTU_APPENDED } SnVtuPlace;

// What holds for the whole file.
typedef struct SnVtuFormat {
    const SinewAllocator *allocator;
    bool swap;
    size_t header_size; // of each size in front of data: 4 or 8 bytes
    bool is_compressed;
    bool is_appended_base64;
    const char *appended; // what follows the '_', or NULL
    const char *appended_end;
} SnVtuFormat;

typedef struct SnVtuArray {
    SnWord name;
    SnNumberType type;
    SnVtuPlace place;
    int64_t offset; // into what is appended
    int64_t tuple_count;
    int64_t component_count;
    SnScan text; // what stands between the tags
} SnVtuArray;

// `count` numbers, no more and no less. Nothing is allocated before the sizes that the file gives
// agree with that and with the bytes that are there.
SinewStatus sn_vtu_decode(const SnVtuFormat *format, const SnVtuArray *array, int64_t count,
                          SnNumbers *out_numbers, SinewError *error);

#endif

// zlib in our memory. A build without zlib answers SINEW_ERROR_UNSUPPORTED with a sentence.
#ifndef SN_IO_DEFLATE_H
#define SN_IO_DEFLATE_H

#include "base/array.h"

#include <stdbool.h>

// No zlib stream holds more than this many bytes per byte of its own.
#define SN_INFLATE_RATIO 1040

// Whether this build can compress.
bool sn_has_deflate(void);

// Unpacks one stream of exactly `out_size` bytes. `*out_is_good` is false for garbage and for any
// other size.
SinewStatus sn_inflate(const void *data, size_t size, void *out, size_t out_size,
                       const SinewAllocator *allocator, bool *out_is_good, SinewError *error);

// Adds `size` bytes, packed, to an array of bytes.
SinewStatus sn_deflate(const void *data, size_t size, SnArray *out, SinewError *error);

#endif

// Base64, read and written piece by piece. A reader goes on after padding, since VTK joins several
// encoded pieces into one text.
#ifndef SN_IO_BASE64_H
#define SN_IO_BASE64_H

#include "base/array.h"

#include <stdbool.h>

typedef struct SnBase64Reader {
    const char *at;
    const char *end;
    unsigned char spare[3]; // decoded and not yet asked for
    int spare_count;
} SnBase64Reader;

// Decodes the next `size` bytes. False when the text ends before or holds a foreign character.
bool sn_base64_read(SnBase64Reader *reader, void *out, size_t size);

// The most bytes that `length` characters may hold.
static inline size_t sn_base64_bound(size_t length)
{
    return length / 4 * 3;
}

// Adds the text of `size` bytes, padded, to an array of char.
SinewStatus sn_base64_append(SnArray *text, const void *data, size_t size, SinewError *error);

#endif

#include "io/base64.h"

#include <string.h>

// 0..63, or -1 for what is no digit.
static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// The next four characters, which give one to three bytes. Blanks between groups are skipped.
static bool read_group(SnBase64Reader *reader)
{
    while (reader->at < reader->end && strchr(" \t\r\n", *reader->at) != NULL &&
           *reader->at != '\0') {
        ++reader->at;
    }
    if (reader->end - reader->at < 4) {
        return false;
    }
    const char *c = reader->at;
    int padding = (c[3] == '=') + (c[3] == '=' && c[2] == '=');
    unsigned bits = 0;
    for (int i = 0; i < 4; ++i) {
        int digit = i >= 4 - padding ? 0 : digit_of(c[i]);
        if (digit < 0) {
            return false;
        }
        bits = bits << 6 | (unsigned)digit;
    }
    reader->at += 4;
    reader->spare_count = 3 - padding;
    for (int i = 0; i < 3; ++i) {
        reader->spare[i] = (unsigned char)(bits >> (16 - 8 * i));
    }
    return true;
}

bool sn_base64_read(SnBase64Reader *reader, void *out, size_t size)
{
    unsigned char *place = out;
    while (size > 0) {
        if (reader->spare_count == 0 && !read_group(reader)) {
            return false;
        }
        size_t take = (size_t)reader->spare_count < size ? (size_t)reader->spare_count : size;
        memcpy(place, reader->spare, take);
        memmove(reader->spare, reader->spare + take, (size_t)reader->spare_count - take);
        reader->spare_count -= (int)take;
        place += take;
        size -= take;
    }
    return true;
}

SinewStatus sn_base64_append(SnArray *text, const void *data, size_t size, SinewError *error)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    SinewStatus status = SINEW_OK;
    const unsigned char *bytes = data;
    size_t length = (size / 3 + (size % 3 != 0)) * 4;
    char *out = sn_array_add(text, length);
    SN_TRY(sn_expect_memory(out, length, 1, error));
    for (size_t i = 0; i < size; i += 3, out += 4) {
        unsigned bits = (unsigned)bytes[i] << 16;
        bits |= i + 1 < size ? (unsigned)bytes[i + 1] << 8 : 0;
        bits |= i + 2 < size ? bytes[i + 2] : 0u;
        for (int c = 0; c < 4; ++c) {
            out[c] = digits[bits >> (18 - 6 * c) & 63];
        }
        if (i + 2 >= size) {
            out[3] = '=';
            out[2] = i + 1 < size ? out[2] : '=';
        }
    }
done:
    return status;
}

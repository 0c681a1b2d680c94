#include "io/vtu_data.h"

#include "io/base64.h"
#include "io/deflate.h"

#include <inttypes.h>

// Bytes to come, raw or behind base64.
typedef struct Stream {
    bool is_base64;
    SnBase64Reader base64;
    const unsigned char *at;
    size_t left; // the most bytes that may still come
} Stream;

static SinewStatus fail(const SnVtuArray *array, SinewError *error, const char *what)
{
    return sn_scan_fail(&array->text, error, "the array \"%.*s\" %s",
                        (int)(array->name.length < 30 ? array->name.length : 30), array->name.text,
                        what);
}

static SinewStatus open_stream(const SnVtuFormat *format, const SnVtuArray *array, Stream *out,
                               SinewError *error)
{
    const char *start = array->text.at;
    const char *end = array->text.end;
    bool is_base64 = true;
    if (array->place == SN_VTU_APPENDED) {
        start = format->appended;
        end = format->appended_end;
        is_base64 = format->is_appended_base64;
        if (start == NULL || (uint64_t)array->offset > (uint64_t)(end - start)) {
            return fail(array, error, "is appended, but not inside <AppendedData>");
        }
        start += array->offset;
    }
    size_t length = (size_t)(end - start);
    *out = (Stream){.is_base64 = is_base64,
                    .base64 = {.at = start, .end = end},
                    .at = (const unsigned char *)start,
                    .left = is_base64 ? sn_base64_bound(length) : length};
    return SINEW_OK;
}

static SinewStatus read_stream(Stream *stream, const SnVtuArray *array, void *out, size_t size,
                               SinewError *error)
{
    if (size > stream->left) {
        return fail(array, error, "is cut off");
    }
    stream->left -= size;
    if (stream->is_base64) {
        return sn_base64_read(&stream->base64, out, size)
                   ? SINEW_OK
                   : fail(array, error, "is no base64, or is cut off");
    }
    memcpy(out, stream->at, size);
    stream->at += size;
    return SINEW_OK;
}

// One of the sizes in front of the data.
static SinewStatus read_size(const SnVtuFormat *format, const SnVtuArray *array, Stream *stream,
                             uint64_t *out_size, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    unsigned char bytes[8] = {0};
    *out_size = 0;
    SN_TRY(read_stream(stream, array, bytes, format->header_size, error));
    *out_size = format->header_size == 8 ? sn_load_u64(bytes, format->swap)
                                         : sn_load_u32(bytes, format->swap);
done:
    return status;
}

static SinewStatus expect_size(const SnVtuArray *array, uint64_t size, uint64_t expected,
                               SinewError *error)
{
    if (size != expected) {
        return sn_scan_fail(&array->text, error,
                            "the array \"%.*s\" has %" PRIu64 " bytes, expected %" PRIu64,
                            (int)(array->name.length < 30 ? array->name.length : 30),
                            array->name.text, size, expected);
    }
    return SINEW_OK;
}

static SinewStatus decode_plain(const SnVtuFormat *format, const SnVtuArray *array, size_t expected,
                                Stream *stream, SnNumbers *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    unsigned char *data = NULL;
    uint64_t size = 0;
    SN_TRY(read_size(format, array, stream, &size, error));
    SN_TRY(expect_size(array, size, expected, error));
    if (expected > stream->left) {
        SN_TRY(fail(array, error, "is cut off"));
    }
    if (!stream->is_base64) {
        out->data = stream->at;
        goto done;
    }
    SN_ALLOC(data, format->allocator, expected, error);
    SN_TRY(read_stream(stream, array, data, expected, error));
    out->data = data;
    out->owned = data;
    data = NULL;
done:
    sn_free(format->allocator, data);
    return status;
}

// --- Packed data: number of blocks, size of a block, size of the last if it is a smaller one, the
// packed size of each, then the blocks.

typedef struct Blocks {
    uint64_t count;
    uint64_t size;
    uint64_t last;
    uint64_t *packed_sizes;
    size_t packed_total;
    unsigned char *packed; // decoded from base64, or NULL
} Blocks;

static SinewStatus read_block_sizes(const SnVtuFormat *format, const SnVtuArray *array,
                                    size_t expected, Stream *stream, Blocks *blocks,
                                    SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(read_size(format, array, stream, &blocks->count, error));
    SN_TRY(read_size(format, array, stream, &blocks->size, error));
    SN_TRY(read_size(format, array, stream, &blocks->last, error));
    if (blocks->count > stream->left / format->header_size || blocks->size > UINT32_MAX ||
        blocks->last > blocks->size) {
        SN_TRY(fail(array, error, "has more or larger blocks than the file could hold"));
    }
    // Both factors are below 2^61 and 2^32, and the first is no more than the bytes of the file.
    uint64_t total = blocks->count * blocks->size;
    total -= blocks->last > 0 && blocks->count > 0 ? blocks->size - blocks->last : 0;
    SN_TRY(expect_size(array, total, expected, error));
    if (total / SN_INFLATE_RATIO > stream->left) {
        SN_TRY(fail(array, error, "claims to unpack to more than its bytes could hold"));
    }
    SN_ALLOC(blocks->packed_sizes, format->allocator, blocks->count, error);
    for (uint64_t b = 0; b < blocks->count; ++b) {
        SN_TRY(read_size(format, array, stream, &blocks->packed_sizes[b], error));
    }
    for (uint64_t b = 0; b < blocks->count; ++b) {
        if (blocks->packed_sizes[b] > stream->left - blocks->packed_total) {
            SN_TRY(fail(array, error, "is cut off"));
        }
        blocks->packed_total += (size_t)blocks->packed_sizes[b];
    }
done:
    return status;
}

static SinewStatus unpack(const SnVtuFormat *format, const SnVtuArray *array, const Blocks *blocks,
                          const unsigned char *packed, unsigned char *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (uint64_t b = 0; b < blocks->count; ++b) {
        bool is_last = b + 1 == blocks->count && blocks->last > 0;
        size_t size = (size_t)(is_last ? blocks->last : blocks->size);
        bool is_good;
        SN_TRY(sn_inflate(packed, (size_t)blocks->packed_sizes[b], out, size, format->allocator,
                          &is_good, error));
        if (!is_good) {
            SN_TRY(fail(array, error, "is no zlib data of the size it claims"));
        }
        packed += blocks->packed_sizes[b];
        out += size;
    }
done:
    return status;
}

static SinewStatus decode_packed(const SnVtuFormat *format, const SnVtuArray *array,
                                 size_t expected, Stream *stream, SnNumbers *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Blocks blocks = {0};
    unsigned char *data = NULL;
    SN_TRY(read_block_sizes(format, array, expected, stream, &blocks, error));
    const unsigned char *packed = stream->at;
    if (stream->is_base64) {
        SN_ALLOC(blocks.packed, format->allocator, blocks.packed_total, error);
        SN_TRY(read_stream(stream, array, blocks.packed, blocks.packed_total, error));
        packed = blocks.packed;
    }
    SN_ALLOC(data, format->allocator, expected, error);
    SN_TRY(unpack(format, array, &blocks, packed, data, error));
    out->data = data;
    out->owned = data;
    data = NULL;
done:
    sn_free(format->allocator, data);
    sn_free(format->allocator, blocks.packed_sizes);
    sn_free(format->allocator, blocks.packed);
    return status;
}

static SinewStatus decode_words(const SnVtuFormat *format, const SnVtuArray *array, int64_t count,
                                SnNumbers *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnScan text = array->text;
    SN_TRY(sn_numbers_parse(&text, array->type, count, "a number of an array", format->allocator,
                            out, error));
    if (sn_scan_word(&text).length > 0) {
        SN_TRY(sn_scan_fail(&text, error, "the array \"%.*s\" goes on after %" PRId64 " numbers",
                            (int)(array->name.length < 30 ? array->name.length : 30),
                            array->name.text, count));
    }
done:
    if (status < 0) {
        sn_numbers_release(out, format->allocator);
    }
    return status;
}

SinewStatus sn_vtu_decode(const SnVtuFormat *format, const SnVtuArray *array, int64_t count,
                          SnNumbers *out_numbers, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Stream stream;
    size_t size = 0;
    *out_numbers = (SnNumbers){0};
    if (array->type == SN_NUMBER_NONE) {
        SN_TRY(fail(array, error, "has a type that is not read, expected Float64, Int32 or so"));
    }
    if (array->place == SN_VTU_ASCII) {
        return decode_words(format, array, count, out_numbers, error);
    }
    SnNumbers out = {.type = array->type, .swap = format->swap, .count = (size_t)count};
    if (count < 0 || (uint64_t)count > SIZE_MAX / 16 ||
        __builtin_mul_overflow((size_t)count, sn_number_size(array->type), &size)) {
        SN_TRY(fail(array, error, "has more numbers than any file"));
    }
    SN_TRY(open_stream(format, array, &stream, error));
    SN_TRY(format->is_compressed ? decode_packed(format, array, size, &stream, &out, error)
                                 : decode_plain(format, array, size, &stream, &out, error));
    *out_numbers = out;
done:
    return status;
}

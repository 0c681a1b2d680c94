#include "io/deflate.h"

#if defined(SN_ZLIB)

#include <limits.h>
#include <string.h>
#include <zlib.h>

// Meshes shrink little more at higher levels, which take several times as long.
enum { LEVEL = 2 };

static void *take(void *allocator, unsigned count, unsigned size)
{
    return sn_alloc(allocator, count, size);
}

static void give(void *allocator, void *memory)
{
    sn_free(allocator, memory);
}

// zlib hands the allocator back unchanged.
static z_stream stream_of(const SinewAllocator *allocator)
{
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    stream.zalloc = take;
    stream.zfree = give;
    stream.opaque = (void *)(uintptr_t)allocator;
    return stream;
}

bool sn_has_deflate(void)
{
    return true;
}

SinewStatus sn_inflate(const void *data, size_t size, void *out, size_t out_size,
                       const SinewAllocator *allocator, bool *out_is_good, SinewError *error)
{
    z_stream stream = stream_of(allocator);
    *out_is_good = false;
    if (size > UINT_MAX || out_size > UINT_MAX) {
        return SINEW_OK;
    }
    if (inflateInit(&stream) != Z_OK) {
        return sn_expect_memory(NULL, 1, out_size, error);
    }
    stream.next_in = (unsigned char *)(uintptr_t)data;
    stream.avail_in = (unsigned)size;
    stream.next_out = out;
    stream.avail_out = (unsigned)out_size;
    int answer = inflate(&stream, Z_FINISH);
    *out_is_good = answer == Z_STREAM_END && stream.avail_out == 0;
    inflateEnd(&stream);
    return answer == Z_MEM_ERROR ? sn_expect_memory(NULL, 1, out_size, error) : SINEW_OK;
}

SinewStatus sn_deflate(const void *data, size_t size, SnArray *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    z_stream stream = stream_of(out->allocator);
    SN_ASSERT(size < UINT_MAX / 2);
    if (deflateInit(&stream, LEVEL) != Z_OK) {
        return sn_expect_memory(NULL, 1, size, error);
    }
    size_t bound = deflateBound(&stream, (unsigned long)size);
    unsigned char *place = sn_array_add(out, bound);
    SN_TRY(sn_expect_memory(place, bound, 1, error));
    stream.next_in = (unsigned char *)(uintptr_t)data;
    stream.avail_in = (unsigned)size;
    stream.next_out = place;
    stream.avail_out = (unsigned)bound;
    int answer = deflate(&stream, Z_FINISH);
    SN_ASSERT(answer == Z_STREAM_END);
    (void)answer;
    out->count -= stream.avail_out;
done:
    deflateEnd(&stream);
    return status;
}

#else

bool sn_has_deflate(void)
{
    return false;
}

static SinewStatus refuse(SinewError *error)
{
    return sn_fail(error, SINEW_ERROR_UNSUPPORTED,
                   "compressed data needs zlib, which this build is without");
}

SinewStatus sn_inflate(const void *data, size_t size, void *out, size_t out_size,
                       const SinewAllocator *allocator, bool *out_is_good, SinewError *error)
{
    (void)data, (void)size, (void)out, (void)out_size, (void)allocator;
    *out_is_good = false;
    return refuse(error);
}

SinewStatus sn_deflate(const void *data, size_t size, SnArray *out, SinewError *error)
{
    (void)data, (void)size, (void)out;
    return refuse(error);
}

#endif

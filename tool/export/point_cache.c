#include "tool/export/point_cache.h"

#include "io/little_endian.h"
#include "io/whole_file.h"

#include <limits.h>

enum {
    AT_VERSION = 12,
    AT_VERTICES = 16,
    AT_START = 20,
    AT_STEP = 24,
    AT_SAMPLES = 28,
    HEADER_SIZE = 32,
    POINT_SIZE = 12
};

static const char signature[AT_VERSION] = "POINTCACHE2";

static int64_t size_of_samples(int vertex_count, int sample_count)
{
    return HEADER_SIZE + (int64_t)POINT_SIZE * vertex_count * sample_count;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// --- Reading

static SinewStatus read_header(SnPointCache *cache, SinewError *error)
{
    const SnBytes *bytes = &cache->bytes;
    if (bytes->size < HEADER_SIZE || memcmp(bytes->data, signature, sizeof signature) != 0) {
        return sn_fail(error, SINEW_ERROR_FILE, "%.140s: is no PC2 point cache", bytes->path);
    }
    uint32_t version = sn_load_u32_little(bytes->data + AT_VERSION);
    uint32_t vertices = sn_load_u32_little(bytes->data + AT_VERTICES);
    uint32_t samples = sn_load_u32_little(bytes->data + AT_SAMPLES);
    if (version != 1) {
        return sn_fail(error, SINEW_ERROR_FILE, "%.140s: is PC2 of version %u, expected 1",
                       bytes->path, version);
    }
    uint64_t room = (bytes->size - HEADER_SIZE) / POINT_SIZE;
    if (vertices > INT_MAX || samples > INT_MAX || (vertices > 0 && samples > room / vertices)) {
        return sn_fail(error, SINEW_ERROR_FILE,
                       "%.140s: has room for %llu points, expected %u samples of %u", bytes->path,
                       (unsigned long long)room, samples, vertices);
    }
    cache->def = (SnPointCacheDef){
        .vertex_count = (int)vertices,
        .start_frame = sn_float_of_bits(sn_load_u32_little(bytes->data + AT_START)),
        .frame_step = sn_float_of_bits(sn_load_u32_little(bytes->data + AT_STEP))};
    cache->sample_count = (int)samples;
    return SINEW_OK;
}

SinewStatus sn_point_cache_open(const char *path, const SinewAllocator *allocator,
                                SnPointCache *out_cache, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *out_cache = (SnPointCache){0};
    SN_TRY(sn_bytes_open(path, allocator, &out_cache->bytes, error));
    SN_TRY(read_header(out_cache, error));
done:
    if (status < 0) {
        sn_point_cache_close(out_cache);
    }
    return status;
}

void sn_point_cache_close(SnPointCache *cache)
{
    sn_bytes_close(&cache->bytes);
    *cache = (SnPointCache){0};
}

void sn_point_cache_vertex(const SnPointCache *cache, int sample, int vertex, float out[3])
{
    const unsigned char *at = cache->bytes.data + size_of_samples(cache->def.vertex_count, sample) +
                              (int64_t)POINT_SIZE * vertex;
    for (int k = 0; k < 3; ++k) {
        out[k] = sn_float_of_bits(sn_load_u32_little(at + 4 * k));
    }
}

// --- Writing

static SinewStatus write_header(const char *path, const SnPointCacheDef *def,
                                const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWholeFile file = {0};
    unsigned char header[HEADER_SIZE] = {0};
    memcpy(header, signature, sizeof signature);
    sn_store_u32_little(header + AT_VERSION, 1);
    sn_store_u32_little(header + AT_VERTICES, (uint32_t)def->vertex_count);
    sn_store_float_little(header + AT_START, def->start_frame);
    sn_store_float_little(header + AT_STEP, def->frame_step);
    SN_TRY(sn_whole_file_begin(&file, path, allocator, error));
    sn_whole_file_write(&file, header, sizeof header);
    SN_TRY(sn_whole_file_commit(&file, error));
done:
    sn_whole_file_abandon(&file);
    return status;
}

// What is there must be the beginning of what is to come.
static SinewStatus check_kept(const char *path, const SnPointCacheDef *def, int keep,
                              const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnPointCache cache = {0};
    SN_TRY(sn_point_cache_open(path, allocator, &cache, error));
    if (cache.def.vertex_count != def->vertex_count ||
        bits_of(cache.def.start_frame) != bits_of(def->start_frame) ||
        bits_of(cache.def.frame_step) != bits_of(def->frame_step)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_FILE,
                       "%.100s: has %d vertices from frame %g in steps of %g, expected %d from %g "
                       "in steps of %g",
                       path, cache.def.vertex_count, (double)cache.def.start_frame,
                       (double)cache.def.frame_step, def->vertex_count, (double)def->start_frame,
                       (double)def->frame_step));
    }
    if (cache.sample_count < keep) {
        SN_TRY(sn_fail(error, SINEW_ERROR_FILE,
                       "%.140s: has %d samples, expected at least %d, as the checkpoint says", path,
                       cache.sample_count, keep));
    }
done:
    sn_point_cache_close(&cache);
    return status;
}

static SinewStatus set_sample_count(SnPointCacheWriter *writer, int count, SinewError *error)
{
    unsigned char bytes[4];
    sn_store_u32_little(bytes, (uint32_t)count);
    SinewStatus status =
        sn_append_file_patch(&writer->file, AT_SAMPLES, bytes, sizeof bytes, error);
    if (status == SINEW_OK) {
        writer->sample_count = count;
    }
    return status;
}

SinewStatus sn_point_cache_begin(SnPointCacheWriter *writer, const char *path,
                                 const SnPointCacheDef *def, int keep,
                                 const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *writer = (SnPointCacheWriter){.allocator = allocator, .vertex_count = def->vertex_count};
    if (def->vertex_count < 0 || keep < 0) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%.100s: a point cache of %d vertices that keeps %d samples, expected no "
                       "negative numbers",
                       path, def->vertex_count, keep));
    }
    SN_ALLOC(writer->block, allocator, POINT_SIZE * (size_t)def->vertex_count, error);
    if (keep == 0) {
        SN_TRY(write_header(path, def, allocator, error));
    } else {
        SN_TRY(check_kept(path, def, keep, allocator, error));
    }
    SN_TRY(sn_append_file_open(&writer->file, path, error));
    if (keep > 0) {
        SN_TRY(set_sample_count(writer, keep, error));
        SN_TRY(sn_append_file_cut(&writer->file, size_of_samples(def->vertex_count, keep), error));
    }
done:
    if (status < 0) {
        sn_point_cache_end(writer, NULL);
    }
    return status;
}

SinewStatus sn_point_cache_append(SnPointCacheWriter *writer, const float *xyz, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int64_t before = writer->file.size;
    size_t count = 3 * (size_t)writer->vertex_count;
    if (writer->sample_count == INT_MAX) {
        SN_TRY(sn_fail(error, SINEW_ERROR_WRITE, "%.140s: cannot hold more than %d samples",
                       writer->file.path, INT_MAX));
    }
    for (size_t i = 0; i < count; ++i) {
        sn_store_float_little(writer->block + 4 * i, xyz[i]);
    }
    SN_TRY(sn_append_file_write(&writer->file, writer->block, 4 * count, error));
    status = set_sample_count(writer, writer->sample_count + 1, error);
    if (status < 0) {
        sn_append_file_cut(&writer->file, before, NULL);
    }
done:
    return status;
}

SinewStatus sn_point_cache_end(SnPointCacheWriter *writer, SinewError *error)
{
    sn_free(writer->allocator, writer->block);
    writer->block = NULL;
    return sn_append_file_close(&writer->file, error);
}

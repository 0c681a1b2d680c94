#include "io/volume.h"

#include "io/load.h"

#include <math.h>
#include <stdint.h>

// Places in the header, bytes.
enum {
    HEADER_SIZE = 348,
    AT_DIM = 40,
    AT_TYPE = 70,
    AT_PIXDIM = 76,
    AT_OFFSET = 108,
    AT_SLOPE = 112,
    AT_INTERCEPT = 116,
    AT_UNITS = 123,
    AT_QOFFSET = 268,
    AT_MAGIC = 344
};

typedef enum Type {
    TYPE_U8 = 2,
    TYPE_I16 = 4,
    TYPE_I32 = 8,
    TYPE_F32 = 16,
    TYPE_F64 = 64,
    TYPE_U16 = 512
} Type;

typedef struct Reading {
    const char *path;
    const unsigned char *bytes;
    size_t size;
    bool swap;
    int type;
    size_t offset; // of the numbers
    double slope, intercept;
} Reading;

static size_t type_size(int type)
{
    switch ((Type)type) {
    case TYPE_U8:
        return 1;
    case TYPE_I16:
    case TYPE_U16:
        return 2;
    case TYPE_I32:
    case TYPE_F32:
        return 4;
    case TYPE_F64:
        return 8;
    default:
        return 0;
    }
}

static double number_at(const Reading *reading, size_t index)
{
    const unsigned char *at = reading->bytes + reading->offset + index * type_size(reading->type);
    switch ((Type)reading->type) {
    case TYPE_U8:
        return at[0];
    case TYPE_I16:
        return (int16_t)sn_load_u16(at, reading->swap);
    case TYPE_U16:
        return sn_load_u16(at, reading->swap);
    case TYPE_I32:
        return (int32_t)sn_load_u32(at, reading->swap);
    case TYPE_F32:
        return (double)sn_load_f32(at, reading->swap);
    case TYPE_F64:
    default:
        return sn_load_f64(at, reading->swap);
    }
}

static SinewStatus check_kind(Reading *reading, SinewError *error)
{
    const unsigned char *bytes = reading->bytes;
    if (reading->size < HEADER_SIZE) {
        return sn_fail(error, SINEW_ERROR_FILE,
                       "%s: the file has %zu bytes, expected a NIfTI-1 header of %d", reading->path,
                       reading->size, HEADER_SIZE);
    }
    reading->swap = sn_load_u32(bytes, false) != HEADER_SIZE;
    if (sn_load_u32(bytes, reading->swap) != HEADER_SIZE ||
        memcmp(bytes + AT_MAGIC, "n+1", 4) != 0) {
        return sn_fail(error, SINEW_ERROR_FILE,
                       "%s: it does not begin as a NIfTI-1 file of one piece does, expected the "
                       "header's size %d and \"n+1\"",
                       reading->path, HEADER_SIZE);
    }
    reading->type = (int16_t)sn_load_u16(bytes + AT_TYPE, reading->swap);
    if (type_size(reading->type) == 0) {
        return sn_fail(
            error, SINEW_ERROR_FILE,
            "%s: datatype is %d, expected 2, 4, 8, 16, 64 or 512 (whole numbers of 8, 16 "
            "and 32 bits, floats of 32 and 64)",
            reading->path, reading->type);
    }
    return SINEW_OK;
}

// Metres a unit of length: metres, millimetres, micrometres; millimetres where nothing is said.
static double unit_of(const Reading *reading)
{
    int code = reading->bytes[AT_UNITS] & 7;
    return code == 1 ? 1.0 : code == 3 ? 1e-6 : 1e-3;
}

static SinewStatus read_grid(const Reading *reading, SnVolume *volume, SinewError *error)
{
    double unit = unit_of(reading);
    int axes = (int16_t)sn_load_u16(reading->bytes + AT_DIM, reading->swap);
    for (int k = 0; k < 7; ++k) {
        int size = (int16_t)sn_load_u16(reading->bytes + AT_DIM + 2 + 2 * k, reading->swap);
        if (k < axes && (size < 1 || (k >= 3 && size != 1))) {
            return sn_fail(error, SINEW_ERROR_FILE, "%s: dim[%d] is %d, expected %s", reading->path,
                           k + 1, size, k < 3 ? "1 to 32767" : "1: one volume");
        }
        if (k < 3) {
            volume->size[k] = size;
        }
    }
    if (axes < 3 || axes > 7) {
        return sn_fail(error, SINEW_ERROR_FILE, "%s: dim[0] is %d, expected 3 to 7 axes",
                       reading->path, axes);
    }
    for (int k = 0; k < 3; ++k) {
        float step = sn_load_f32(reading->bytes + AT_PIXDIM + 4 + 4 * k, reading->swap);
        float from = sn_load_f32(reading->bytes + AT_QOFFSET + 4 * k, reading->swap);
        if (!(step > 0.0f) || !(step < 1e15f) || !(fabsf(from) < 1e15f)) {
            return sn_fail(error, SINEW_ERROR_FILE,
                           "%s: along %c pixdim is %g and qoffset %g, expected a positive and a "
                           "finite number",
                           reading->path, "xyz"[k], (double)step, (double)from);
        }
        volume->spacing[k] = (double)step * unit;
        volume->origin[k] = (double)from * unit;
    }
    return SINEW_OK;
}

static SinewStatus check_room(Reading *reading, const SnVolume *volume, SinewError *error)
{
    size_t count = (size_t)volume->size[0] * (size_t)volume->size[1] * (size_t)volume->size[2];
    float offset = sn_load_f32(reading->bytes + AT_OFFSET, reading->swap);
    float slope = sn_load_f32(reading->bytes + AT_SLOPE, reading->swap);
    float intercept = sn_load_f32(reading->bytes + AT_INTERCEPT, reading->swap);
    if (!(offset >= HEADER_SIZE) || !(offset <= (float)reading->size)) {
        return sn_fail(error, SINEW_ERROR_FILE,
                       "%s: vox_offset is %g, expected %d to the file's %zu bytes", reading->path,
                       (double)offset, HEADER_SIZE, reading->size);
    }
    reading->offset = (size_t)offset;
    if (reading->offset > reading->size ||
        count > (reading->size - reading->offset) / type_size(reading->type)) {
        return sn_fail(error, SINEW_ERROR_FILE,
                       "%s: %d x %d x %d numbers of %zu bytes from byte %zu do not fit into its "
                       "%zu bytes",
                       reading->path, volume->size[0], volume->size[1], volume->size[2],
                       type_size(reading->type), reading->offset, reading->size);
    }
    // A slope of 0 stands for none.
    bool scaled = slope != 0.0f && isfinite(slope) && isfinite(intercept);
    reading->slope = scaled ? (double)slope : 1.0;
    reading->intercept = scaled ? (double)intercept : 0.0;
    return SINEW_OK;
}

static SinewStatus read_values(const Reading *reading, const SinewAllocator *allocator,
                               SnVolume *volume, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t count = (size_t)volume->size[0] * (size_t)volume->size[1] * (size_t)volume->size[2];
    SN_ALLOC(volume->values, allocator, count, error);
    for (size_t i = 0; i < count; ++i) {
        double value = reading->slope * number_at(reading, i) + reading->intercept;
        if (!(fabs(value) < 1e30)) {
            SN_TRY(sn_fail_at(error, SINEW_ERROR_FILE, (int64_t)i,
                              "%s: number %zu is %g, expected one below 1e30 in size",
                              reading->path, i, value));
        }
        volume->values[i] = (float)value;
    }

done:
    return status;
}

SinewStatus sn_volume_parse(const SnBytes *bytes, const SinewAllocator *allocator,
                            SnVolume *out_volume, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Reading reading = {.path = bytes->path, .bytes = bytes->data, .size = bytes->size};

    *out_volume = (SnVolume){0};
    SN_TRY(check_kind(&reading, error));
    SN_TRY(read_grid(&reading, out_volume, error));
    SN_TRY(check_room(&reading, out_volume, error));
    SN_TRY(read_values(&reading, allocator, out_volume, error));

done:
    if (status < 0) {
        sn_volume_release(out_volume, allocator);
    }
    return status;
}

SinewStatus sn_volume_read(const char *path, const SinewAllocator *allocator, SnVolume *out_volume,
                           SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBytes bytes = {0};

    *out_volume = (SnVolume){0};
    SN_TRY(sn_bytes_open(path, allocator, &bytes, error));
    SN_TRY(sn_volume_parse(&bytes, allocator, out_volume, error));

done:
    sn_bytes_close(&bytes);
    return status;
}

// Without a header -------------------------------------------------------------------------------

SinewStatus sn_volume_check_raw(const SinewRawImage *raw, const char *what, SinewError *error)
{
    const int *size = raw->size;
    for (int k = 0; k < 3; ++k) {
        if (size[k] < 1 || size[k] > 32767) {
            return sn_fail(error, SINEW_ERROR_ARGUMENT,
                           "%s: image_size is [%d, %d, %d], expected 1 to 32767 each, or all 0 for "
                           "a file with a header",
                           what, size[0], size[1], size[2]);
        }
        if (!(raw->spacing[k] > 0.0) || !(raw->spacing[k] < 1e9) || !(fabs(raw->origin[k]) < 1e9)) {
            return sn_fail(error, SINEW_ERROR_ARGUMENT,
                           "%s: along %c image_spacing is %g m and image_origin %g m, expected a "
                           "positive and a finite number below 1e9",
                           what, "xyz"[k], raw -> spacing[k], raw -> origin[k]);
        }
    }
    if ((int)raw->type < SINEW_IMAGE_U8 || (int)raw->type > SINEW_IMAGE_F32) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "%s: image_type is %d, expected 0 to 3", what,
                       (int)raw->type);
    }
    if (!(fabs(raw->scale) < 1e30)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: image_scale is %g, expected a number below 1e30 in size", what,
                       raw->scale);
    }
    return SINEW_OK;
}

SinewStatus sn_volume_parse_raw(const SnBytes *bytes, const SinewRawImage *raw,
                                const SinewAllocator *allocator, SnVolume *out_volume,
                                SinewError *error)
{
    static const Type types[] = {TYPE_U8, TYPE_U16, TYPE_I16, TYPE_F32};
    SinewStatus status = SINEW_OK;
    uint16_t one = 1;
    bool machine_is_big = *(const unsigned char *)&one == 0;
    Reading reading = {.path = bytes->path,
                       .bytes = bytes->data,
                       .size = bytes->size,
                       .swap = (raw->big_endian != 0) != machine_is_big,
                       .slope = raw->scale};

    *out_volume = (SnVolume){0};
    SN_TRY(sn_volume_check_raw(raw, bytes->path, error));
    reading.type = (int)types[raw->type];
    uint64_t expected = (uint64_t)raw->size[0] * (uint64_t)raw->size[1] * (uint64_t)raw->size[2] *
                        type_size(reading.type);
    if (expected != bytes->size) {
        SN_TRY(sn_fail(error, SINEW_ERROR_FILE,
                       "%s: the file has %zu bytes, expected %llu: %d x %d x %d numbers of %zu",
                       bytes->path, bytes->size, (unsigned long long)expected, raw->size[0],
                       raw->size[1], raw->size[2], type_size(reading.type)));
    }
    for (int k = 0; k < 3; ++k) {
        out_volume->size[k] = raw->size[k];
        out_volume->spacing[k] = raw->spacing[k];
        out_volume->origin[k] = raw->origin[k];
    }
    SN_TRY(read_values(&reading, allocator, out_volume, error));

done:
    if (status < 0) {
        sn_volume_release(out_volume, allocator);
    }
    return status;
}

SinewStatus sn_volume_read_raw(const char *path, const SinewRawImage *raw,
                               const SinewAllocator *allocator, SnVolume *out_volume,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBytes bytes = {0};

    *out_volume = (SnVolume){0};
    SN_TRY(sn_bytes_open(path, allocator, &bytes, error));
    SN_TRY(sn_volume_parse_raw(&bytes, raw, allocator, out_volume, error));

done:
    sn_bytes_close(&bytes);
    return status;
}

void sn_volume_release(SnVolume *volume, const SinewAllocator *allocator)
{
    sn_free(allocator, volume->values);
    *volume = (SnVolume){0};
}

float sn_volume_at(const SnVolume *volume, const double point[3])
{
    size_t place = 0;
    for (int k = 2; k >= 0; --k) {
        double along = floor((point[k] - volume->origin[k]) / volume->spacing[k] + 0.5);
        if (!(along >= 0.0) || !(along < volume->size[k])) {
            return 0.0f;
        }
        place = place * (size_t)volume->size[k] + (size_t)along;
    }
    return volume->values[place];
}

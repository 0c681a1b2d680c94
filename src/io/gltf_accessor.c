// Accessors: arrays of numbers of many kinds in the buffers. Each is held against its buffer before
// anything is read or allocated.
#include "io/gltf_internal.h"

#include <limits.h>
#include <string.h>

// A part of a buffer.
typedef struct View {
    const unsigned char *data;
    size_t size;
    size_t stride; // 0: packed
} View;

static size_t type_size(int type)
{
    switch (type) {
    case SN_GLTF_I8:
    case SN_GLTF_U8:
        return 1;
    case SN_GLTF_I16:
    case SN_GLTF_U16:
        return 2;
    case SN_GLTF_U32:
    case SN_GLTF_F32:
        return 4;
    default:
        return 0;
    }
}

static int width_of(const char *text)
{
    static const char *const names[] = {"SCALAR", "VEC2", "VEC3", "VEC4", "MAT4"};
    static const int widths[] = {1, 2, 3, 4, 16};
    for (int i = 0; i < 5 && text != NULL; ++i) {
        if (strcmp(text, names[i]) == 0) {
            return widths[i];
        }
    }
    return 0;
}

static SinewStatus open_view(const SnGltf *gltf, int index, View *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnGltfAt at = sn_gltf_item(gltf, SN_GLTF_VIEWS, index);
    int64_t buffer = 0, offset = 0, size = 0, stride = 0;
    SN_TRY(sn_gltf_int(gltf, &at, "buffer", 0, gltf->counts[SN_GLTF_BUFFERS] - 1, SN_GLTF_REQUIRED,
                       &buffer, error));
    SN_TRY(sn_gltf_int(gltf, &at, "byteOffset", 0, INT64_MAX, 0, &offset, error));
    SN_TRY(sn_gltf_int(gltf, &at, "byteLength", 1, INT64_MAX, SN_GLTF_REQUIRED, &size, error));
    SN_TRY(sn_gltf_int(gltf, &at, "byteStride", 0, 65536, 0, &stride, error));
    const SnBytes *bytes = &gltf->buffers[buffer];
    if ((uint64_t)offset > bytes->size || (uint64_t)size > bytes->size - (uint64_t)offset) {
        SN_TRY(sn_gltf_fail(gltf, &at, error,
                            "bytes %lld and %lld more are asked of a buffer of %zu",
                            (long long)offset, (long long)size, bytes->size));
    }
    *out = (View){bytes->data + offset, (size_t)size, (size_t)stride};
done:
    return status;
}

// Where `count` elements lie in the view that `at` names, from its byteOffset on.
static SinewStatus place_elements(const SnGltf *gltf, const SnGltfAt *at, int count, size_t size,
                                  bool is_packed, const unsigned char **out_data,
                                  size_t *out_stride, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    View view = {0};
    int index = -1;
    int64_t offset = 0;
    SN_TRY(sn_gltf_index(gltf, at, "bufferView", SN_GLTF_VIEWS, &index, error));
    *out_data = NULL;
    *out_stride = size;
    if (index < 0) {
        goto done;
    }
    SN_TRY(open_view(gltf, index, &view, error));
    SN_TRY(sn_gltf_int(gltf, at, "byteOffset", 0, INT64_MAX, 0, &offset, error));
    size_t stride = view.stride > 0 && !is_packed ? view.stride : size;
    if (stride < size) {
        SN_TRY(sn_gltf_fail(gltf, at, error, "its byteStride is %zu, expected at least %zu", stride,
                            size));
    }
    bool starts = (uint64_t)offset <= view.size && size <= view.size - (size_t)offset;
    if (!starts || (size_t)(count - 1) > (view.size - (size_t)offset - size) / stride) {
        SN_TRY(
            sn_gltf_fail(gltf, at, error,
                         "%d elements of %zu bytes, %zu apart, from byte %lld of bufferViews[%d], "
                         "which has %zu",
                         count, size, stride, (long long)offset, index, view.size));
    }
    *out_data = view.data + offset;
    *out_stride = stride;
done:
    return status;
}

static SinewStatus open_sparse(const SnGltf *gltf, const SnGltfAt *at, SnGltfAccessor *out,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnGltfAt sparse, indices, values;
    int64_t count = 0, type = 0;
    size_t stride = 0;
    SN_TRY(sn_gltf_child(gltf, at, "sparse", &sparse, error));
    if (sparse.object == NULL) {
        goto done;
    }
    SN_TRY(sn_gltf_int(gltf, &sparse, "count", 1, out->count, SN_GLTF_REQUIRED, &count, error));
    SN_TRY(sn_gltf_child(gltf, &sparse, "indices", &indices, error));
    SN_TRY(sn_gltf_child(gltf, &sparse, "values", &values, error));
    SN_TRY(sn_gltf_int(gltf, &indices, "componentType", SN_GLTF_I8, SN_GLTF_F32, SN_GLTF_REQUIRED,
                       &type, error));
    if (type != SN_GLTF_U8 && type != SN_GLTF_U16 && type != SN_GLTF_U32) {
        SN_TRY(sn_gltf_fail(gltf, &indices, error,
                            "componentType is %lld, expected 5121, 5123 or 5125", (long long)type));
    }
    out->sparse_type = (int)type;
    SN_TRY(place_elements(gltf, &indices, (int)count, type_size((int)type), true,
                          &out->sparse_indices, &stride, error));
    SN_TRY(place_elements(gltf, &values, (int)count, (size_t)out->width * type_size(out->type),
                          true, &out->sparse_values, &stride, error));
    if (out->sparse_indices == NULL || out->sparse_values == NULL) {
        SN_TRY(sn_gltf_fail(gltf, &sparse, error, "expected a bufferView for indices and values"));
    }
    out->sparse_count = (int)count;
done:
    return status;
}

static SinewStatus open_accessor(const SnGltf *gltf, const SnGltfAt *at, SnGltfAccessor *out,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int64_t count = 0, type = 0;
    SN_TRY(sn_gltf_int(gltf, at, "count", 1, INT_MAX, SN_GLTF_REQUIRED, &count, error));
    SN_TRY(sn_gltf_int(gltf, at, "componentType", SN_GLTF_I8, SN_GLTF_F32, SN_GLTF_REQUIRED, &type,
                       error));
    out->count = (int)count;
    out->type = (int)type;
    out->width = width_of(sn_gltf_text(at, "type"));
    out->is_normalised = json_is_true(json_object_get(at->object, "normalized"));
    if (type_size(out->type) == 0 || out->width == 0) {
        SN_TRY(sn_gltf_fail(gltf, at, error,
                            "componentType %lld and type are unknown, expected 5120 to 5126 and "
                            "SCALAR, VEC2, VEC3, VEC4 or MAT4",
                            (long long)type));
    }
    SN_TRY(place_elements(gltf, at, out->count, (size_t)out->width * type_size(out->type), false,
                          &out->data, &out->stride, error));
    // Zeros take no bytes in the file, so nothing else would bound how many there are.
    if (out->data == NULL && count > gltf->items_most / out->width) {
        SN_TRY(sn_gltf_fail(gltf, at, error, "%lld elements without a bufferView are too many",
                            (long long)count));
    }
    SN_TRY(open_sparse(gltf, at, out, error));
done:
    return status;
}

SinewStatus sn_gltf_accessor(const SnGltf *gltf, const SnGltfAt *at, const char *key, int width,
                             SnGltfAccessor *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *out = (SnGltfAccessor){.index = -1};
    SN_TRY(sn_gltf_index(gltf, at, key, SN_GLTF_ACCESSORS, &out->index, error));
    if (out->index < 0) {
        goto done;
    }
    SnGltfAt accessor = sn_gltf_item(gltf, SN_GLTF_ACCESSORS, out->index);
    SN_TRY(open_accessor(gltf, &accessor, out, error));
    if (width != 0 && out->width != width) {
        SN_TRY(sn_gltf_fail(gltf, at, error,
                            "%.40s is accessor %d with %d numbers an element, expected %d", key,
                            out->index, out->width, width));
    }
done:
    return status;
}

// One number, low byte first.
static double number_at(const unsigned char *at, int type)
{
    switch (type) {
    case SN_GLTF_I8:
        return (int8_t)at[0];
    case SN_GLTF_U8:
        return at[0];
    case SN_GLTF_I16:
        return (int16_t)(at[0] | at[1] << 8);
    case SN_GLTF_U16:
        return at[0] | at[1] << 8;
    default:
        break;
    }
    uint32_t bits = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    float real = 0.0f;
    memcpy(&real, &bits, sizeof real);
    return type == SN_GLTF_U32 ? (double)bits : (double)real;
}

// What a whole number that stands for a fraction is divided by (glTF 2.0, 3.11); -1 is also what
// the lowest of the signed ones gives.
static double divisor_of(const SnGltfAccessor *accessor)
{
    if (!accessor->is_normalised) {
        return 1.0;
    }
    switch (accessor->type) {
    case SN_GLTF_I8:
        return 127.0;
    case SN_GLTF_U8:
        return 255.0;
    case SN_GLTF_I16:
        return 32767.0;
    case SN_GLTF_U16:
        return 65535.0;
    case SN_GLTF_U32:
        return 4294967295.0;
    default:
        return 1.0;
    }
}

static void read_element(const SnGltfAccessor *accessor, const unsigned char *from, double divisor,
                         double *out)
{
    size_t size = type_size(accessor->type);
    for (int c = 0; c < accessor->width; ++c) {
        double value = number_at(from + (size_t)c * size, accessor->type);
        if (divisor > 1.0) {
            value /= divisor;
            value = value < -1.0 ? -1.0 : value;
        }
        out[c] = value;
    }
}

static SinewStatus read_sparse(const SnGltf *gltf, const SnGltfAccessor *accessor, double divisor,
                               double *out, SinewError *error)
{
    size_t index_size = accessor->sparse_count > 0 ? type_size(accessor->sparse_type) : 0;
    size_t value_size = (size_t)accessor->width * type_size(accessor->type);
    for (int i = 0; i < accessor->sparse_count; ++i) {
        double index =
            number_at(accessor->sparse_indices + (size_t)i * index_size, accessor->sparse_type);
        if (index >= accessor->count) {
            SnGltfAt at = sn_gltf_item(gltf, SN_GLTF_ACCESSORS, accessor->index);
            return sn_gltf_fail(gltf, &at, error, "sparse index %d is %.0f, expected 0 to %d", i,
                                index, accessor->count - 1);
        }
        read_element(accessor, accessor->sparse_values + (size_t)i * value_size, divisor,
                     out + (size_t)index * (size_t)accessor->width);
    }
    return SINEW_OK;
}

SinewStatus sn_gltf_accessor_read(const SnGltf *gltf, const SnGltfAccessor *accessor,
                                  double **out_values, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t width = (size_t)accessor->width;
    size_t total = (size_t)accessor->count * width;
    double divisor = divisor_of(accessor);
    double *values = NULL;
    *out_values = NULL;
    SN_ALLOC(values, gltf->allocator, total, error);
    if (accessor->data == NULL) {
        memset(values, 0, total * sizeof *values);
    }
    for (size_t i = 0; i < (size_t)accessor->count && accessor->data != NULL; ++i) {
        read_element(accessor, accessor->data + i * accessor->stride, divisor, values + i * width);
    }
    SN_TRY(read_sparse(gltf, accessor, divisor, values, error));
    for (size_t i = 0; i < total; ++i) {
        if (!isfinite(values[i])) {
            SnGltfAt at = sn_gltf_item(gltf, SN_GLTF_ACCESSORS, accessor->index);
            SN_TRY(sn_gltf_fail(gltf, &at, error, "number %zu is %f, expected a finite one", i,
                                values[i]));
        }
    }
    *out_values = values;
    values = NULL;
done:
    sn_free(gltf->allocator, values);
    return status;
}

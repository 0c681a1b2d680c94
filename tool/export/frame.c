// What is asked of a frame, and its surface as OBJ and PLY.
#include "tool/export/frame.h"

#include "io/little_endian.h"
#include "io/whole_file.h"

#include <limits.h>
#include <math.h>

// --- Checks

static const char *name_of(const SnFrame *frame)
{
    return frame->body != NULL ? frame->body : "";
}

static SinewStatus check_counts(const SnFrame *frame, SinewError *error)
{
    bool has_corners = frame->corners == 0 || frame->corners == 4 || frame->corners == 8;
    if (!has_corners || (frame->corners == 0 && frame->element_count != 0)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "body \"%.60s\" has %d elements with %d corners, expected 4 or 8",
                       name_of(frame), frame->element_count, frame->corners);
    }
    if (frame->surface_vertex_count < 0 || frame->surface_triangle_count < 0 ||
        frame->node_count < 0 || frame->element_count < 0 ||
        frame->surface_triangle_count > INT_MAX / 3 || frame->element_count > INT_MAX / 8) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "body \"%.60s\" has %d vertices, %d triangles, %d nodes and %d elements, "
                       "expected none to be negative or too large",
                       name_of(frame), frame->surface_vertex_count, frame->surface_triangle_count,
                       frame->node_count, frame->element_count);
    }
    bool lacks = (frame->surface_vertex_count > 0 && frame->surface_xyz == NULL) ||
                 (frame->surface_triangle_count > 0 && frame->surface_triangles == NULL) ||
                 (frame->node_count > 0 && frame->nodes_xyz == NULL) ||
                 (frame->element_count > 0 && frame->elements == NULL) ||
                 (frame->element_values != NULL && frame->element_value_name == NULL);
    if (lacks) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "body \"%.60s\" has counts without the arrays that belong to them",
                       name_of(frame));
    }
    return SINEW_OK;
}

static SinewStatus check_indices(const SnFrame *frame, const char *what, const int *indices,
                                 int count, int width, int limit, SinewError *error)
{
    for (int i = 0; i < count * width; ++i) {
        if (indices[i] < 0 || indices[i] >= limit) {
            return sn_fail_at(error, SINEW_ERROR_ARGUMENT, i / width,
                              "body \"%.60s\": %s %d names vertex %d, expected 0 to %d",
                              name_of(frame), what, i / width, indices[i], limit - 1);
        }
    }
    return SINEW_OK;
}

static SinewStatus fail_not_finite(const SnFrame *frame, const char *what, size_t index,
                                   SinewError *error)
{
    return sn_fail_at(error, SINEW_ERROR_ARGUMENT, (int64_t)index,
                      "body \"%.60s\": the position of %s %zu is not finite", name_of(frame), what,
                      index);
}

SinewStatus sn_frame_check(const SnFrame *frame, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(check_counts(frame, error));
    SN_TRY(check_indices(frame, "triangle", frame->surface_triangles, frame->surface_triangle_count,
                         3, frame->surface_vertex_count, error));
    SN_TRY(check_indices(frame, "element", frame->elements, frame->element_count, frame->corners,
                         frame->node_count, error));
    for (size_t i = 0; i < 3 * (size_t)frame->surface_vertex_count; ++i) {
        if (!isfinite(frame->surface_xyz[i])) {
            SN_TRY(fail_not_finite(frame, "vertex", i / 3, error));
        }
    }
    for (size_t i = 0; i < 3 * (size_t)frame->node_count; ++i) {
        if (!isfinite(frame->nodes_xyz[i])) {
            SN_TRY(fail_not_finite(frame, "node", i / 3, error));
        }
    }
done:
    return status;
}

// --- OBJ

// A name that cannot end its line early or begin a remark.
static void put_name(SnWholeFile *file, const char *name)
{
    for (const char *c = name; *c != '\0'; ++c) {
        bool spoils = (unsigned char)*c < ' ' || *c == '#';
        sn_whole_file_write(file, spoils ? "_" : c, 1);
    }
}

// Nine digits give every float back.
static void put_triples(SnWholeFile *file, const char *word, const float *xyz, int count)
{
    for (size_t v = 0; v < (size_t)count; ++v) {
        sn_whole_file_printf(file, "%s %.9g %.9g %.9g\n", word, (double)xyz[3 * v],
                             (double)xyz[3 * v + 1], (double)xyz[3 * v + 2]);
    }
}

SinewStatus sn_frame_write_obj(const SnFrame *frame, const char *path,
                               const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWholeFile file = {0};
    SN_TRY(sn_frame_check(frame, error));
    SN_TRY(sn_whole_file_begin(&file, path, allocator, error));
    if (name_of(frame)[0] != '\0') {
        sn_whole_file_printf(&file, "o ");
        put_name(&file, name_of(frame));
        sn_whole_file_printf(&file, "\n");
    }
    put_triples(&file, "v", frame->surface_xyz, frame->surface_vertex_count);
    if (frame->surface_normals != NULL) {
        put_triples(&file, "vn", frame->surface_normals, frame->surface_vertex_count);
    }
    for (size_t t = 0; t < (size_t)frame->surface_triangle_count; ++t) {
        const int *v = frame->surface_triangles + 3 * t;
        if (frame->surface_normals != NULL) {
            sn_whole_file_printf(&file, "f %d//%d %d//%d %d//%d\n", v[0] + 1, v[0] + 1, v[1] + 1,
                                 v[1] + 1, v[2] + 1, v[2] + 1);
        } else {
            sn_whole_file_printf(&file, "f %d %d %d\n", v[0] + 1, v[1] + 1, v[2] + 1);
        }
    }
    SN_TRY(sn_whole_file_commit(&file, error));
done:
    sn_whole_file_abandon(&file);
    return status;
}

// --- PLY

static void put_ply_header(SnWholeFile *file, const SnFrame *frame)
{
    sn_whole_file_printf(file, "ply\nformat binary_little_endian 1.0\nelement vertex %d\n",
                         frame->surface_vertex_count);
    sn_whole_file_printf(file, "property float x\nproperty float y\nproperty float z\n");
    if (frame->surface_normals != NULL) {
        sn_whole_file_printf(file, "property float nx\nproperty float ny\nproperty float nz\n");
    }
    sn_whole_file_printf(file,
                         "element face %d\nproperty list uchar int vertex_indices\nend_header\n",
                         frame->surface_triangle_count);
}

SinewStatus sn_frame_write_ply(const SnFrame *frame, const char *path,
                               const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWholeFile file = {0};
    unsigned char row[24];
    SN_TRY(sn_frame_check(frame, error));
    SN_TRY(sn_whole_file_begin(&file, path, allocator, error));
    put_ply_header(&file, frame);
    for (size_t v = 0; v < (size_t)frame->surface_vertex_count; ++v) {
        for (size_t k = 0; k < 3; ++k) {
            sn_store_float_little(row + 4 * k, frame->surface_xyz[3 * v + k]);
            if (frame->surface_normals != NULL) {
                sn_store_float_little(row + 12 + 4 * k, frame->surface_normals[3 * v + k]);
            }
        }
        sn_whole_file_write(&file, row, frame->surface_normals != NULL ? 24 : 12);
    }
    row[0] = 3;
    for (size_t t = 0; t < (size_t)frame->surface_triangle_count; ++t) {
        for (size_t k = 0; k < 3; ++k) {
            sn_store_u32_little(row + 1 + 4 * k, (uint32_t)frame->surface_triangles[3 * t + k]);
        }
        sn_whole_file_write(&file, row, 13);
    }
    SN_TRY(sn_whole_file_commit(&file, error));
done:
    sn_whole_file_abandon(&file);
    return status;
}

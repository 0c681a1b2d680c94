// Surfaces as OBJ, PLY and STL.
#include "io/little_endian.h"
#include "io/surface_files.h"
#include "io/whole_file.h"

#include <math.h>
#include <stdlib.h>

// The fewest of 9, 15 or 17 digits that give the same double again.
static void write_number(SnWholeFile *file, const char *before, double value)
{
    static const int digits[] = {9, 15, 17};
    char text[40];
    for (int i = 0; i < 3; ++i) {
        snprintf(text, sizeof text, "%.*g", digits[i], value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    sn_whole_file_printf(file, "%s%s", before, text);
}

static void write_position(SnWholeFile *file, const char *before, const double *position)
{
    write_number(file, before, position[0]);
    write_number(file, " ", position[1]);
    write_number(file, " ", position[2]);
    sn_whole_file_write(file, "\n", 1);
}

// What would end a name early, line breaks and the start of a remark, becomes "_".
static void write_group(SnWholeFile *file, const char *name)
{
    sn_whole_file_write(file, "g ", 2);
    char before = ' ';
    for (const char *c = name; *c != '\0'; ++c) {
        bool spoils = (unsigned char)*c < ' ' || (*c == '#' && before == ' ');
        sn_whole_file_write(file, spoils ? "_" : c, 1);
        before = *c;
    }
    sn_whole_file_write(file, "\n", 1);
}

SinewStatus sn_write_obj(const SnSurface *surface, const char *path,
                         const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWholeFile file = {0};
    SN_TRY(sn_whole_file_begin(&file, path, allocator, error));
    for (int v = 0; v < surface->vertex_count; ++v) {
        write_position(&file, "v ", surface->positions + 3 * (size_t)v);
    }
    bool is_grouped = surface->names.count > 1 || surface->names.text[0][0] != '\0';
    int group = -1;
    for (int t = 0; t < surface->triangle_count; ++t) {
        const int *corner = surface->triangles + 3 * (size_t)t;
        if (is_grouped && surface->groups[t] != group) {
            group = surface->groups[t];
            write_group(&file, surface->names.text[group]);
        }
        sn_whole_file_printf(&file, "f %d %d %d\n", corner[0] + 1, corner[1] + 1, corner[2] + 1);
    }
    for (int l = 0; l < surface->line_count; ++l) {
        const int *end = surface->lines + 2 * (size_t)l;
        sn_whole_file_printf(&file, "l %d %d\n", end[0] + 1, end[1] + 1);
    }
    SN_TRY(sn_whole_file_commit(&file, error));
done:
    sn_whole_file_abandon(&file);
    return status;
}

static bool is_all_floats(const SnSurface *surface)
{
    bool all = true;
    for (size_t i = 0; i < 3 * (size_t)surface->vertex_count; ++i) {
        double value = surface->positions[i];
        all = all && fabs(value) <= 0x1.fffffep127 && (double)(float)value == value;
    }
    return all;
}

static void write_ply_header(SnWholeFile *file, const SnSurface *surface, bool ascii, bool floats)
{
    const char *type = floats ? "float" : "double";
    sn_whole_file_printf(file, "ply\nformat %s 1.0\nelement vertex %d\n",
                         ascii ? "ascii" : "binary_little_endian", surface->vertex_count);
    sn_whole_file_printf(file, "property %s x\nproperty %s y\nproperty %s z\n", type, type, type);
    sn_whole_file_printf(file, "element face %d\nproperty list uchar int vertex_indices\n",
                         surface->triangle_count);
    if (surface->line_count > 0) {
        sn_whole_file_printf(file, "element edge %d\nproperty int vertex1\nproperty int vertex2\n",
                             surface->line_count);
    }
    sn_whole_file_printf(file, "end_header\n");
}

static void write_ply_text(SnWholeFile *file, const SnSurface *surface)
{
    for (int v = 0; v < surface->vertex_count; ++v) {
        write_position(file, "", surface->positions + 3 * (size_t)v);
    }
    for (int t = 0; t < surface->triangle_count; ++t) {
        const int *corner = surface->triangles + 3 * (size_t)t;
        sn_whole_file_printf(file, "3 %d %d %d\n", corner[0], corner[1], corner[2]);
    }
    for (int l = 0; l < surface->line_count; ++l) {
        const int *end = surface->lines + 2 * (size_t)l;
        sn_whole_file_printf(file, "%d %d\n", end[0], end[1]);
    }
}

static void write_ply_binary(SnWholeFile *file, const SnSurface *surface, bool floats)
{
    unsigned char row[24];
    for (int v = 0; v < surface->vertex_count; ++v) {
        for (int k = 0; k < 3; ++k) {
            double value = surface->positions[3 * (size_t)v + (size_t)k];
            if (floats) {
                sn_store_float_little(row + 4 * k, (float)value);
            } else {
                sn_store_double_little(row + 8 * k, value);
            }
        }
        sn_whole_file_write(file, row, floats ? 12 : 24);
    }
    row[0] = 3;
    for (int t = 0; t < surface->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            sn_store_u32_little(row + 1 + 4 * k,
                                (uint32_t)surface->triangles[3 * (size_t)t + (size_t)k]);
        }
        sn_whole_file_write(file, row, 13);
    }
    for (int l = 0; l < surface->line_count; ++l) {
        sn_store_u32_little(row, (uint32_t)surface->lines[2 * (size_t)l]);
        sn_store_u32_little(row + 4, (uint32_t)surface->lines[2 * (size_t)l + 1]);
        sn_whole_file_write(file, row, 8);
    }
}

SinewStatus sn_write_ply(const SnSurface *surface, const char *path, bool ascii,
                         const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWholeFile file = {0};
    SN_TRY(sn_whole_file_begin(&file, path, allocator, error));
    bool floats = is_all_floats(surface);
    write_ply_header(&file, surface, ascii, floats);
    if (ascii) {
        write_ply_text(&file, surface);
    } else {
        write_ply_binary(&file, surface, floats);
    }
    SN_TRY(sn_whole_file_commit(&file, error));
done:
    sn_whole_file_abandon(&file);
    return status;
}

// The normal that STL stores with each triangle; zero where there is none.
static void find_normal(const double *a, const double *b, const double *c, float out[3])
{
    double normal[3];
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        int u = (k + 1) % 3;
        int v = (k + 2) % 3;
        normal[k] = (b[u] - a[u]) * (c[v] - a[v]) - (b[v] - a[v]) * (c[u] - a[u]);
        sum += normal[k] * normal[k];
    }
    double length = sqrt(sum);
    bool good = length > 0.0 && isfinite(length);
    for (int k = 0; k < 3; ++k) {
        out[k] = good ? (float)(normal[k] / length) : 0.0f;
    }
}

static SinewStatus expect_floats(const SnSurface *surface, const char *path, SinewError *error)
{
    for (size_t i = 0; i < 3 * (size_t)surface->vertex_count; ++i) {
        if (!(fabs(surface->positions[i]) <= 0x1.fffffep127)) {
            return sn_fail_at(error, SINEW_ERROR_ARGUMENT, (int64_t)(i / 3),
                              "%.100s: a coordinate of vertex %zu is %g, expected one that STL can "
                              "hold, up to 3.4e38",
                              path, i / 3, surface->positions[i]);
        }
    }
    return SINEW_OK;
}

SinewStatus sn_write_stl(const SnSurface *surface, const char *path,
                         const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWholeFile file = {0};
    // Must not start with "solid", which stands for text.
    unsigned char header[84] = "binary STL, written by sinew";
    SN_TRY(expect_floats(surface, path, error));
    SN_TRY(sn_whole_file_begin(&file, path, allocator, error));
    sn_store_u32_little(header + 80, (uint32_t)surface->triangle_count);
    sn_whole_file_write(&file, header, sizeof header);
    for (int t = 0; t < surface->triangle_count; ++t) {
        unsigned char row[50] = {0};
        const double *corner[3];
        for (int i = 0; i < 3; ++i) {
            corner[i] =
                surface->positions + 3 * (size_t)surface->triangles[3 * (size_t)t + (size_t)i];
        }
        float normal[3];
        find_normal(corner[0], corner[1], corner[2], normal);
        for (int k = 0; k < 3; ++k) {
            sn_store_float_little(row + 4 * k, normal[k]);
            for (int i = 0; i < 3; ++i) {
                sn_store_float_little(row + 12 + 12 * i + 4 * k, (float)corner[i][k]);
            }
        }
        sn_whole_file_write(&file, row, sizeof row);
    }
    SN_TRY(sn_whole_file_commit(&file, error));
done:
    sn_whole_file_abandon(&file);
    return status;
}

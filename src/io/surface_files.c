#include "io/surface_files.h"

#include "io/gltf.h"

#include <string.h>
#include <strings.h>

static bool looks_like_glb(const SnBytes *bytes)
{
    return bytes->size >= 4 && memcmp(bytes->data, "glTF", 4) == 0;
}

// The surface of a glTF scene; buffers in files of their own stand beside it.
static SinewStatus read_gltf(const SnBytes *bytes, const SinewAllocator *allocator,
                             SnSurface **out_surface, SinewError *error)
{
    char folder[1024] = ".";
    const char *slash = strrchr(bytes->path, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - bytes->path) + 1;
    if (length >= sizeof folder) {
        return sn_fail(error, SINEW_ERROR_FILE, "the path is %zu bytes long, expected at most %zu",
                       length, sizeof folder - 1);
    }
    if (length > 0) {
        memcpy(folder, bytes->path, length);
        folder[length] = '\0';
    }
    return sn_read_gltf_surface(bytes, folder, allocator, out_surface, error);
}

// What the bytes say goes before what the path says; OBJ has no mark of its own.
static const SnSurfaceFormat formats[] = {
    {"PLY", ".ply", sn_read_ply, sn_looks_like_ply},
    {"OFF", ".off", sn_read_off, sn_looks_like_off},
    {"STL", ".stl", sn_read_stl, sn_looks_like_stl},
    {"3DS", ".3ds", sn_read_3ds, sn_looks_like_3ds},
    {"GLB", ".glb", read_gltf, looks_like_glb},
    {"glTF", ".gltf", read_gltf, NULL},
    {"OBJ", ".obj", sn_read_obj, NULL},
};

enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

static bool ends_with(const char *path, const char *extension)
{
    size_t length = strlen(path);
    size_t tail = strlen(extension);
    return length > tail && strcasecmp(path + length - tail, extension) == 0;
}

const SnSurfaceFormat *sn_surface_format_of(const SnBytes *bytes)
{
    for (int f = 0; f < FORMAT_COUNT; ++f) {
        if (formats[f].looks_so != NULL && formats[f].looks_so(bytes)) {
            return &formats[f];
        }
    }
    for (int f = 0; f < FORMAT_COUNT; ++f) {
        if (ends_with(bytes->path, formats[f].extension)) {
            return &formats[f];
        }
    }
    return NULL;
}

SinewStatus sn_surface_read(const char *path, const SinewAllocator *allocator,
                            SnSurface **out_surface, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBytes bytes = {0};
    *out_surface = NULL;
    SN_TRY(sn_bytes_open(path, allocator, &bytes, error));
    const SnSurfaceFormat *format = sn_surface_format_of(&bytes);
    if (format == NULL) {
        SN_TRY(sn_fail(
            error, SINEW_ERROR_FILE,
            "%.140s: is no surface that can be read, expected OBJ, PLY, STL, OFF, 3DS or glTF",
            path));
    }
    SN_TRY(format->read(&bytes, allocator, out_surface, error));
done:
    sn_bytes_close(&bytes);
    return status;
}

SinewStatus sn_surface_write(const SnSurface *surface, const char *path,
                             const SinewAllocator *allocator, SinewError *error)
{
    if (ends_with(path, ".obj")) {
        return sn_write_obj(surface, path, allocator, error);
    }
    if (ends_with(path, ".ply")) {
        return sn_write_ply(surface, path, false, allocator, error);
    }
    if (ends_with(path, ".stl")) {
        return sn_write_stl(surface, path, allocator, error);
    }
    return sn_fail(error, SINEW_ERROR_ARGUMENT,
                   "%.140s: surfaces are not written by this extension, expected .obj, .ply or "
                   ".stl",
                   path);
}

// 3DS (3D Studio): chunks of an id of two bytes, a size of four that counts these six too, and
// content, which may be chunks again. A mesh is two of them, its vertices and its faces.
#include "io/little_endian.h"
#include "io/scan.h"
#include "io/surface_build.h"
#include "io/surface_files.h"

#include <math.h>
#include <string.h>

enum { CHUNK_SIZE = 6, VERTEX_SIZE = 12, FACE_SIZE = 8 };

// Ids of chunks; all others are passed over.
enum {
    ID_FILE = 0x4d4d,
    ID_SCENE = 0x3d3d,
    ID_OBJECT = 0x4000, // a name that ends with a zero, then chunks
    ID_MESH = 0x4100,
    ID_VERTICES = 0x4110, // a count of two bytes, three floats each
    ID_FACES = 0x4120     // a count of two bytes, three vertices and flags of two bytes each
};

typedef struct Chunk {
    int id;
    size_t begin, end; // of its content
} Chunk;

typedef struct Reading {
    const SnBytes *bytes;
    SnSurfaceBuild build;
} Reading;

// The chunk at *at, which is then behind it. False at the end; fewer bytes than a chunk has are
// padding.
static SinewStatus next_chunk(const SnBytes *bytes, size_t *at, size_t end, Chunk *out_chunk,
                              bool *out_found, SinewError *error)
{
    size_t left = end - *at;
    *out_found = left >= CHUNK_SIZE;
    if (!*out_found) {
        return SINEW_OK;
    }
    const unsigned char *data = bytes->data + *at;
    uint32_t size = sn_load_u32_little(data + 2);
    *out_chunk = (Chunk){(int)sn_load_u16_little(data), *at + CHUNK_SIZE, *at + size};
    if (size < CHUNK_SIZE || size > left) {
        return sn_bytes_fail(bytes, *at, error,
                             "the chunk 0x%04x has %u bytes, expected at least 6 and at most the "
                             "%zu that are left",
                             (unsigned)out_chunk->id, (unsigned)size, left);
    }
    *at += size;
    return SINEW_OK;
}

// The number of items that a chunk announces.
static SinewStatus read_count(const SnBytes *bytes, const Chunk *chunk, size_t item_size,
                              const char *what, int *out_count, SinewError *error)
{
    size_t left = chunk->end - chunk->begin;
    *out_count = left >= 2 ? (int)sn_load_u16_little(bytes->data + chunk->begin) : 0;
    if (left < 2 || (size_t)*out_count > (left - 2) / item_size) {
        return sn_bytes_fail(bytes, chunk->begin, error,
                             "%d %s of %zu bytes are announced, but the chunk has %zu bytes",
                             *out_count, what, item_size, left);
    }
    return SINEW_OK;
}

static SinewStatus read_vertices(Reading *reading, const Chunk *chunk, int *out_count,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(read_count(reading->bytes, chunk, VERTEX_SIZE, "vertices", out_count, error));
    for (int v = 0; v < *out_count; ++v) {
        size_t at = chunk->begin + 2 + (size_t)v * VERTEX_SIZE;
        double position[3];
        for (size_t k = 0; k < 3; ++k) {
            uint32_t bits = sn_load_u32_little(reading->bytes->data + at + 4 * k);
            position[k] = (double)sn_float_of_bits(bits);
            if (!isfinite(position[k])) {
                SN_TRY(sn_bytes_fail(reading->bytes, at + 4 * k, error,
                                     "a coordinate of vertex %d is %g, expected a finite number", v,
                                     position[k]));
            }
        }
        SN_TRY(sn_surface_build_vertex(&reading->build, position, error));
    }
done:
    return status;
}

static SinewStatus read_faces(Reading *reading, const Chunk *chunk, int first, int vertex_count,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count;
    SN_TRY(read_count(reading->bytes, chunk, FACE_SIZE, "faces", &count, error));
    for (int f = 0; f < count; ++f) {
        size_t at = chunk->begin + 2 + (size_t)f * FACE_SIZE;
        int corners[3];
        for (size_t k = 0; k < 3; ++k) {
            int vertex = (int)sn_load_u16_little(reading->bytes->data + at + 2 * k);
            if (vertex >= vertex_count) {
                SN_TRY(sn_bytes_fail(reading->bytes, at + 2 * k, error,
                                     "face %d has vertex %d, expected one below %d", f, vertex,
                                     vertex_count));
            }
            corners[k] = first + vertex;
        }
        SN_TRY(sn_surface_build_face(&reading->build, corners, 3, error));
    }
done:
    return status;
}

// The vertices and faces of a mesh, whichever comes first.
static SinewStatus read_mesh(Reading *reading, const Chunk *mesh, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Chunk child, vertices = {0}, faces = {0};
    int first = sn_surface_build_vertex_count(&reading->build), vertex_count = 0;
    bool found = true;
    for (size_t at = mesh->begin; found;) {
        SN_TRY(next_chunk(reading->bytes, &at, mesh->end, &child, &found, error));
        vertices = found && child.id == ID_VERTICES ? child : vertices;
        faces = found && child.id == ID_FACES ? child : faces;
    }
    if (faces.id != 0 && vertices.id != 0) {
        SN_TRY(read_vertices(reading, &vertices, &vertex_count, error));
    }
    if (faces.id != 0) {
        SN_TRY(read_faces(reading, &faces, first, vertex_count, error));
    }
done:
    return status;
}

static SinewStatus read_object(Reading *reading, const Chunk *object, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const char *name = (const char *)reading->bytes->data + object->begin;
    const char *zero = memchr(name, '\0', object->end - object->begin);
    Chunk child;
    bool found = true;
    if (zero == NULL) {
        SN_TRY(sn_bytes_fail(reading->bytes, object->begin, error,
                             "an object's name has no end, expected a zero byte"));
    }
    for (size_t at = object->begin + (size_t)(zero - name) + 1; found;) {
        SN_TRY(next_chunk(reading->bytes, &at, object->end, &child, &found, error));
        if (found && child.id == ID_MESH) {
            SN_TRY(
                sn_surface_build_group(&reading->build, name, (size_t)(zero - name), true, error));
            SN_TRY(read_mesh(reading, &child, error));
        }
    }
done:
    return status;
}

static SinewStatus read_scene(Reading *reading, const Chunk *scene, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Chunk child;
    bool found = true;
    for (size_t at = scene->begin; found;) {
        SN_TRY(next_chunk(reading->bytes, &at, scene->end, &child, &found, error));
        if (found && child.id == ID_OBJECT) {
            SN_TRY(read_object(reading, &child, error));
        }
    }
done:
    return status;
}

bool sn_looks_like_3ds(const SnBytes *bytes)
{
    return bytes->size >= CHUNK_SIZE && sn_load_u16_little(bytes->data) == ID_FILE &&
           sn_load_u32_little(bytes->data + 2) == bytes->size;
}

SinewStatus sn_read_3ds(const SnBytes *bytes, const SinewAllocator *allocator,
                        SnSurface **out_surface, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Reading reading = {.bytes = bytes, .build = sn_surface_build_of(allocator)};
    Chunk file = {0}, child;
    size_t behind = 0;
    bool found;
    *out_surface = NULL;
    SN_TRY(next_chunk(bytes, &behind, bytes->size, &file, &found, error));
    if (file.id != ID_FILE) {
        SN_TRY(sn_bytes_fail(bytes, 0, error, "no 3DS file, expected the chunk 0x4d4d"));
    }
    for (size_t at = file.begin; found;) {
        SN_TRY(next_chunk(bytes, &at, file.end, &child, &found, error));
        if (found && child.id == ID_SCENE) {
            SN_TRY(read_scene(&reading, &child, error));
        }
    }
    SN_TRY(sn_surface_build_finish(&reading.build, out_surface, error));
done:
    sn_surface_build_release(&reading.build);
    return status;
}

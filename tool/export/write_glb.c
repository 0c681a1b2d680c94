#include "tool/export/write_glb.h"

#include "io/little_endian.h"
#include "io/whole_file.h"
#include "tool/export/colour.h"
#include "tool/export/json_text.h"

#include <math.h>

// Numbers of the specification.
enum { FLOAT = 5126, UNSIGNED_INT = 5125, VERTEX_DATA = 34962, INDEX_DATA = 34963 };

// A track that is written. In the binary chunk its indices stand first, then block after block of
// three floats a vertex: positions, normals if any, and the same for each target.
typedef struct Part {
    SnTrackReader reader;
    int target_count;
    int first_accessor; // of its indices; then one for each block
    int first_view;     // of its indices; then of its blocks
    uint64_t offset;    // bytes into the binary chunk
    uint64_t index_size;
    uint64_t block_size;
    int block_count;
    float *bounds; // low and high of the base and of each target's positions, six floats each
    int colour;
} Part;

typedef struct Glb {
    const SnGlbDef *def;
    const SinewAllocator *allocator;
    int part_count;
    Part *parts;
    int target_count;     // of parts that move
    int accessor_count;   // of the parts
    uint64_t times;       // where the times begin in the binary chunk; then come the weights
    uint64_t binary_size; //
    // Scratch for the part with the most vertices, three each.
    float *base, *base_normals, *normals;
    double *sums;
    SnJsonText json;
    SnWholeFile file;
} Glb;

// --- Plan

static SinewStatus check_times(const SnGlbDef *def, const char *path, SinewError *error)
{
    if (def->frame_count < 1) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%.140s: a run of %d frames, expected one or more", path, def->frame_count);
    }
    for (int f = 0; f < def->frame_count; ++f) {
        float time = (float)def->times[f];
        if (!isfinite(time) || time < 0.0f || (f > 0 && !(time > (float)def->times[f - 1]))) {
            return sn_fail_at(error, SINEW_ERROR_ARGUMENT, f,
                              "%.100s: frame %d is at %.9g s, expected later than the one before "
                              "and not negative",
                              path, f, def->times[f]);
        }
    }
    return SINEW_OK;
}

static SinewStatus open_parts(Glb *glb, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnGlbDef *def = glb->def;
    int body = 0;
    size_t most = 0;
    SN_ALLOC_ZERO(glb->parts, glb->allocator, def->track_count, error);
    for (int i = 0; i < def->track_count; ++i) {
        const SnTrack *track = &def->tracks[i];
        int colour = track->is_collider ? -1 : body++;
        if (track->triangle_count == 0) {
            continue;
        }
        Part *part = &glb->parts[glb->part_count];
        if (track->next != NULL) {
            SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                           "\"%.60s\" was cut, expected surfaces that keep their vertices in a GLB",
                           track->name != NULL ? track->name : ""));
        }
        SN_TRY(sn_track_open(track, def->frame_count, glb->allocator, &part->reader, error));
        part->target_count = track->cache_path != NULL ? def->frame_count - 1 : 0;
        part->colour = colour;
        glb->part_count++;
        SN_ALLOC(part->bounds, glb->allocator, 6 * ((size_t)part->target_count + 1), error);
        most = (size_t)track->vertex_count > most ? (size_t)track->vertex_count : most;
    }
    SN_ALLOC(glb->base, glb->allocator, 3 * most, error);
    SN_ALLOC(glb->base_normals, glb->allocator, 3 * most, error);
    SN_ALLOC(glb->normals, glb->allocator, 3 * most, error);
    SN_ALLOC(glb->sums, glb->allocator, 3 * most, error);
done:
    return status;
}

static void lay_out(Glb *glb)
{
    int kinds = glb->def->has_normals ? 2 : 1;
    for (int p = 0; p < glb->part_count; ++p) {
        Part *part = &glb->parts[p];
        const SnTrack *track = part->reader.track;
        part->first_accessor = glb->accessor_count;
        part->first_view = 2 * p;
        part->offset = glb->binary_size;
        part->index_size = 12 * (uint64_t)track->triangle_count;
        part->block_size = 12 * (uint64_t)track->vertex_count;
        part->block_count = kinds * (part->target_count + 1);
        glb->accessor_count += 1 + part->block_count;
        glb->binary_size += part->index_size + part->block_size * (uint64_t)part->block_count;
        glb->target_count = part->target_count > 0 ? part->target_count : glb->target_count;
    }
    glb->times = glb->binary_size;
    if (glb->target_count > 0) {
        uint64_t frames = (uint64_t)glb->def->frame_count;
        glb->binary_size += 4 * frames + 4 * frames * (uint64_t)glb->target_count;
    }
}

static SinewStatus check_size(const Glb *glb, uint64_t size, const char *path, SinewError *error)
{
    if (glb->part_count == 0) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "%.140s: there are no triangles to write",
                       path);
    }
    if (size > UINT32_MAX) {
        return sn_fail(error, SINEW_ERROR_UNSUPPORTED,
                       "%.100s: %d frames make a GLB of %.1f GB, expected at most 4.2; write fewer "
                       "frames, or PC2",
                       path, glb->def->frame_count, (double)size / 1e9);
    }
    return SINEW_OK;
}

// --- Frames

// Means of the triangles' normals, weighted by area; unit vectors, as the format wants it, also
// where a vertex has no triangles.
static void find_normals(const SnTrack *track, const float *xyz, double *sums, float *out)
{
    memset(sums, 0, 3 * (size_t)track->vertex_count * sizeof *sums);
    for (size_t t = 0; t < (size_t)track->triangle_count; ++t) {
        const int *v = track->triangles + 3 * t;
        double a[3], b[3];
        for (size_t k = 0; k < 3; ++k) {
            a[k] = (double)xyz[3 * (size_t)v[1] + k] - (double)xyz[3 * (size_t)v[0] + k];
            b[k] = (double)xyz[3 * (size_t)v[2] + k] - (double)xyz[3 * (size_t)v[0] + k];
        }
        for (size_t k = 0; k < 3; ++k) {
            size_t i = (k + 1) % 3, j = (k + 2) % 3;
            double normal = a[i] * b[j] - a[j] * b[i];
            for (int c = 0; c < 3; ++c) {
                sums[3 * (size_t)v[c] + k] += normal;
            }
        }
    }
    for (size_t v = 0; v < (size_t)track->vertex_count; ++v) {
        const double *n = sums + 3 * v;
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        bool is_good = length > 0.0 && isfinite(length);
        for (size_t k = 0; k < 3; ++k) {
            out[3 * v + k] = is_good ? (float)(n[k] / length) : (k == 1 ? 1.0f : 0.0f);
        }
    }
}

// The numbers of one frame: positions and normals, or their ways from the first frame.
static SinewStatus load_frame(Glb *glb, Part *part, int frame, const float **out_xyz,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnTrack *track = part->reader.track;
    SN_TRY(sn_track_frame(&part->reader, frame, out_xyz, error));
    if (frame == 0) {
        memcpy(glb->base, *out_xyz, 3 * (size_t)track->vertex_count * sizeof(float));
    }
    if (glb->def->has_normals) {
        find_normals(track, *out_xyz, glb->sums, frame == 0 ? glb->base_normals : glb->normals);
    }
done:
    return status;
}

static SinewStatus find_part_bounds(Glb *glb, Part *part, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnTrack *track = part->reader.track;
    for (int f = 0; f <= part->target_count; ++f) {
        const float *xyz;
        SN_TRY(sn_track_frame(&part->reader, f, &xyz, error));
        if (f == 0) {
            memcpy(glb->base, xyz, 3 * (size_t)track->vertex_count * sizeof(float));
        }
        float *low = part->bounds + 6 * (size_t)f;
        float *high = low + 3;
        for (int k = 0; k < 3; ++k) {
            low[k] = INFINITY;
            high[k] = -INFINITY;
        }
        for (size_t v = 0; v < (size_t)track->vertex_count; ++v) {
            float way[3];
            for (size_t k = 0; k < 3; ++k) {
                way[k] = f == 0 ? xyz[3 * v + k] : xyz[3 * v + k] - glb->base[3 * v + k];
            }
            sn_bounds_add(low, high, way, 1);
        }
        if (!isfinite(high[0] - low[0]) || !isfinite(high[1] - low[1]) ||
            !isfinite(high[2] - low[2])) {
            SN_TRY(sn_fail_at(error, SINEW_ERROR_ARGUMENT, f,
                              "\"%.60s\" moves further in frame %d than a float can hold",
                              track->name != NULL ? track->name : "", f));
        }
    }
done:
    return status;
}

// --- The description

static void put_accessor(Glb *glb, int view, uint64_t offset, int type, int64_t count,
                         const char *shape, const float *bounds)
{
    sn_json_print(&glb->json,
                  ",{\"bufferView\":%d,\"byteOffset\":%llu,\"componentType\":%d,\"count\":%lld,"
                  "\"type\":\"%s\"",
                  view, (unsigned long long)offset, type, (long long)count, shape);
    if (bounds != NULL) {
        const float *b = bounds;
        sn_json_print(&glb->json, ",\"min\":[%.9g,%.9g,%.9g],\"max\":[%.9g,%.9g,%.9g]",
                      (double)b[0], (double)b[1], (double)b[2], (double)b[3], (double)b[4],
                      (double)b[5]);
    }
    sn_json_print(&glb->json, "}");
}

static void put_part_accessors(Glb *glb, const Part *part)
{
    const SnTrack *track = part->reader.track;
    int kinds = glb->def->has_normals ? 2 : 1;
    put_accessor(glb, part->first_view, 0, UNSIGNED_INT, 3 * (int64_t)track->triangle_count,
                 "SCALAR", NULL);
    for (int b = 0; b < part->block_count; ++b) {
        const float *bounds = b % kinds == 0 ? part->bounds + 6 * (size_t)(b / kinds) : NULL;
        put_accessor(glb, part->first_view + 1, part->block_size * (uint64_t)b, FLOAT,
                     track->vertex_count, "VEC3", bounds);
    }
}

// The list begins with a comma, which is taken away again.
static void open_list(Glb *glb, const char *name, size_t *out_start)
{
    sn_json_print(&glb->json, ",\"%s\":[", name);
    *out_start = glb->json.text.count;
}

static void close_list(Glb *glb, size_t start)
{
    if (!glb->json.is_short_of_memory && glb->json.text.count > start) {
        SN_ITEMS(glb->json.text, char)[start] = ' ';
    }
    sn_json_print(&glb->json, "]");
}

static void put_accessors(Glb *glb)
{
    size_t start;
    open_list(glb, "accessors", &start);
    for (int p = 0; p < glb->part_count; ++p) {
        put_part_accessors(glb, &glb->parts[p]);
    }
    if (glb->target_count > 0) {
        int frames = glb->def->frame_count;
        sn_json_print(&glb->json,
                      ",{\"bufferView\":%d,\"componentType\":%d,\"count\":%d,\"type\":\"SCALAR\","
                      "\"min\":[%.9g],\"max\":[%.9g]}",
                      2 * glb->part_count, FLOAT, frames, (double)(float)glb->def->times[0],
                      (double)(float)glb->def->times[frames - 1]);
        put_accessor(glb, 2 * glb->part_count + 1, 0, FLOAT, (int64_t)frames * glb->target_count,
                     "SCALAR", NULL);
    }
    close_list(glb, start);
}

static void put_view(Glb *glb, uint64_t offset, uint64_t size, const char *rest)
{
    sn_json_print(&glb->json, ",{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu%s}",
                  (unsigned long long)offset, (unsigned long long)size, rest);
}

static void put_views(Glb *glb)
{
    char indices[40], vertices[60];
    snprintf(indices, sizeof indices, ",\"target\":%d", INDEX_DATA);
    snprintf(vertices, sizeof vertices, ",\"byteStride\":12,\"target\":%d", VERTEX_DATA);
    size_t start;
    open_list(glb, "bufferViews", &start);
    for (int p = 0; p < glb->part_count; ++p) {
        const Part *part = &glb->parts[p];
        put_view(glb, part->offset, part->index_size, indices);
        put_view(glb, part->offset + part->index_size,
                 part->block_size * (uint64_t)part->block_count, vertices);
    }
    if (glb->target_count > 0) {
        uint64_t weights = glb->times + 4 * (uint64_t)glb->def->frame_count;
        put_view(glb, glb->times, weights - glb->times, "");
        put_view(glb, weights, glb->binary_size - weights, "");
    }
    close_list(glb, start);
    sn_json_print(&glb->json, ",\"buffers\":[{\"byteLength\":%llu}]",
                  (unsigned long long)glb->binary_size);
}

static void put_attributes(Glb *glb, int accessor)
{
    sn_json_print(&glb->json, "{\"POSITION\":%d", accessor);
    if (glb->def->has_normals) {
        sn_json_print(&glb->json, ",\"NORMAL\":%d", accessor + 1);
    }
    sn_json_print(&glb->json, "}");
}

static void put_mesh(Glb *glb, int index)
{
    const Part *part = &glb->parts[index];
    int kinds = glb->def->has_normals ? 2 : 1;
    sn_json_print(&glb->json, ",{\"name\":");
    sn_json_string(&glb->json, part->reader.track->name);
    sn_json_print(&glb->json, ",\"primitives\":[{\"attributes\":");
    put_attributes(glb, part->first_accessor + 1);
    sn_json_print(&glb->json, ",\"indices\":%d,\"material\":%d", part->first_accessor, index);
    if (part->target_count > 0) {
        size_t start;
        open_list(glb, "targets", &start);
        for (int t = 1; t <= part->target_count; ++t) {
            sn_json_print(&glb->json, ",");
            put_attributes(glb, part->first_accessor + 1 + kinds * t);
        }
        close_list(glb, start);
    }
    sn_json_print(&glb->json, "}]}");
}

static void put_material(Glb *glb, const Part *part)
{
    float colour[3];
    if (part->colour < 0) {
        sn_collider_colour(colour);
    } else {
        sn_body_colour(part->colour, colour);
    }
    // Four digits: whatever the machine's powf, the text is the same.
    sn_json_print(&glb->json,
                  ",{\"pbrMetallicRoughness\":{\"baseColorFactor\":[%.4f,%.4f,%.4f,1],"
                  "\"metallicFactor\":0,\"roughnessFactor\":0.6},\"doubleSided\":true}",
                  (double)sn_colour_from_srgb(colour[0]), (double)sn_colour_from_srgb(colour[1]),
                  (double)sn_colour_from_srgb(colour[2]));
}

static void put_nodes(Glb *glb)
{
    size_t start;
    sn_json_print(&glb->json, "\"scene\":0,\"scenes\":[{\"nodes\":[0");
    for (int p = 1; p < glb->part_count; ++p) {
        sn_json_print(&glb->json, ",%d", p);
    }
    sn_json_print(&glb->json, "]}]");
    open_list(glb, "nodes", &start);
    for (int p = 0; p < glb->part_count; ++p) {
        sn_json_print(&glb->json, ",{\"mesh\":%d,\"name\":", p);
        sn_json_string(&glb->json, glb->parts[p].reader.track->name);
        sn_json_print(&glb->json, "}");
    }
    close_list(glb, start);
    open_list(glb, "meshes", &start);
    for (int p = 0; p < glb->part_count; ++p) {
        put_mesh(glb, p);
    }
    close_list(glb, start);
    open_list(glb, "materials", &start);
    for (int p = 0; p < glb->part_count; ++p) {
        put_material(glb, &glb->parts[p]);
    }
    close_list(glb, start);
}

// All bodies go from target to target together, so they share the sampler.
static void put_animation(Glb *glb)
{
    size_t start;
    sn_json_print(&glb->json, ",\"animations\":[{\"name\":\"run\"");
    open_list(glb, "channels", &start);
    for (int p = 0; p < glb->part_count; ++p) {
        if (glb->parts[p].target_count > 0) {
            sn_json_print(&glb->json,
                          ",{\"sampler\":0,\"target\":{\"node\":%d,\"path\":\"weights\"}}", p);
        }
    }
    close_list(glb, start);
    sn_json_print(&glb->json,
                  ",\"samplers\":[{\"input\":%d,\"output\":%d,\"interpolation\":\"LINEAR\"}]}]",
                  glb->accessor_count, glb->accessor_count + 1);
}

static SinewStatus describe(Glb *glb, SinewError *error)
{
    sn_json_print(&glb->json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"sinew %s\"},",
                  sinew_version());
    put_nodes(glb);
    if (glb->target_count > 0) {
        put_animation(glb);
    }
    put_accessors(glb);
    put_views(glb);
    sn_json_print(&glb->json, "}");
    // Chunks are filled up to whole words, this one with blanks.
    while (glb->json.text.count % 4 != 0 && !glb->json.is_short_of_memory) {
        sn_json_print(&glb->json, " ");
    }
    return sn_json_check(&glb->json, error);
}

// --- The numbers

static void put_u32(Glb *glb, uint32_t value)
{
    unsigned char bytes[4];
    sn_store_u32_little(bytes, value);
    sn_whole_file_write(&glb->file, bytes, sizeof bytes);
}

static void put_float(Glb *glb, float value)
{
    unsigned char bytes[4];
    sn_store_float_little(bytes, value);
    sn_whole_file_write(&glb->file, bytes, sizeof bytes);
}

// `from` NULL: the numbers themselves.
static void put_ways(Glb *glb, const float *to, const float *from, int vertex_count)
{
    for (size_t i = 0; i < 3 * (size_t)vertex_count; ++i) {
        put_float(glb, from == NULL ? to[i] : to[i] - from[i]);
    }
}

static SinewStatus put_part(Glb *glb, Part *part, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnTrack *track = part->reader.track;
    for (size_t i = 0; i < 3 * (size_t)track->triangle_count; ++i) {
        put_u32(glb, (uint32_t)track->triangles[i]);
    }
    for (int f = 0; f <= part->target_count && glb->file.error_number == 0; ++f) {
        const float *xyz;
        SN_TRY(load_frame(glb, part, f, &xyz, error));
        put_ways(glb, xyz, f == 0 ? NULL : glb->base, track->vertex_count);
        if (glb->def->has_normals) {
            put_ways(glb, f == 0 ? glb->base_normals : glb->normals,
                     f == 0 ? NULL : glb->base_normals, track->vertex_count);
        }
    }
done:
    return status;
}

// At frame f target f - 1 has weight 1 and all others 0; at frame 0 all have 0.
static void put_weights(Glb *glb)
{
    for (int f = 0; f < glb->def->frame_count; ++f) {
        put_float(glb, (float)glb->def->times[f]);
    }
    for (int f = 0; f < glb->def->frame_count && glb->file.error_number == 0; ++f) {
        for (int t = 0; t < glb->target_count; ++t) {
            put_float(glb, t == f - 1 ? 1.0f : 0.0f);
        }
    }
}

static SinewStatus put_file(Glb *glb, const char *path, uint64_t size, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_whole_file_begin(&glb->file, path, glb->allocator, error));
    sn_whole_file_write(&glb->file, "glTF", 4);
    put_u32(glb, 2);
    put_u32(glb, (uint32_t)size);
    put_u32(glb, (uint32_t)glb->json.text.count);
    sn_whole_file_write(&glb->file, "JSON", 4);
    sn_whole_file_write(&glb->file, glb->json.text.items, glb->json.text.count);
    put_u32(glb, (uint32_t)glb->binary_size);
    sn_whole_file_write(&glb->file, "BIN", 4);
    for (int p = 0; p < glb->part_count; ++p) {
        SN_TRY(put_part(glb, &glb->parts[p], error));
    }
    if (glb->target_count > 0) {
        put_weights(glb);
    }
    SN_TRY(sn_whole_file_commit(&glb->file, error));
done:
    sn_whole_file_abandon(&glb->file);
    return status;
}

static void release(Glb *glb)
{
    for (int p = 0; glb->parts != NULL && p < glb->part_count; ++p) {
        sn_free(glb->allocator, glb->parts[p].bounds);
        sn_track_close(&glb->parts[p].reader);
    }
    sn_free(glb->allocator, glb->parts);
    sn_free(glb->allocator, glb->base);
    sn_free(glb->allocator, glb->base_normals);
    sn_free(glb->allocator, glb->normals);
    sn_free(glb->allocator, glb->sums);
    sn_array_release(&glb->json.text);
}

SinewStatus sn_glb_write(const SnGlbDef *def, const char *path, const SinewAllocator *allocator,
                         SinewError *error)
{
    // Header, and two chunks with their own.
    enum { AROUND = 12 + 8 + 8 };
    SinewStatus status = SINEW_OK;
    Glb glb = {.def = def, .allocator = allocator, .json = sn_json_text_of(allocator)};
    SN_TRY(check_times(def, path, error));
    SN_TRY(open_parts(&glb, error));
    lay_out(&glb);
    SN_TRY(check_size(&glb, AROUND + glb.binary_size, path, error));
    for (int p = 0; p < glb.part_count; ++p) {
        SN_TRY(find_part_bounds(&glb, &glb.parts[p], error));
    }
    SN_TRY(describe(&glb, error));
    uint64_t size = AROUND + glb.json.text.count + glb.binary_size;
    SN_TRY(check_size(&glb, size, path, error));
    SN_TRY(put_file(&glb, path, size, error));
done:
    release(&glb);
    return status;
}

// Meshes of a glTF file: the primitives that the scene shows, each a part of the character. First
// all are listed and checked, which tells how much room the surface needs; then they are filled in.
#include "io/gltf_internal.h"

#include "base/array.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef enum Mode { POINTS, LINES, LINE_LOOP, LINE_STRIP, TRIANGLES, STRIP, FAN } Mode;

// What listing a part costs of the allowance: it is some hundred bytes, however small its mesh.
enum { PART_COST = 256 };

// Bytes of the name of a mesh or a material that are kept.
enum { NAME_MOST = 100 };

// A primitive under a node, checked.
typedef struct Piece {
    SnCharacterPart part;
    SnGltfAt attributes;
    SnGltfAccessor positions;
    SnGltfAccessor indices; // index -1: vertices in their order
    Mode mode;
    int corner_count;
    int mesh;
    int material;     // -1: none
    bool is_repeated; // its vertices are those of the piece before
} Piece;

typedef struct Job {
    SnGltf *gltf;
    SnCharacter *character;
    SnAffine *world; // of the nodes at rest
    bool *shown;
    SnArray pieces;
    int64_t vertex_count;
    int64_t triangle_count;
    int64_t line_count;
    bool has_skin;
} Job;

static int triangles_of(const Piece *piece)
{
    switch (piece->mode) {
    case TRIANGLES:
        return piece->corner_count / 3;
    case STRIP:
    case FAN:
        return piece->corner_count > 2 ? piece->corner_count - 2 : 0;
    default:
        return 0;
    }
}

static int lines_of(const Piece *piece)
{
    switch (piece->mode) {
    case LINES:
        return piece->corner_count / 2;
    case LINE_STRIP:
        return piece->corner_count - 1;
    case LINE_LOOP:
        return piece->corner_count > 1 ? piece->corner_count : 0;
    default:
        return 0;
    }
}

static SinewStatus check_corners(const Job *job, const SnGltfAt *at, Piece *piece,
                                 SinewError *error)
{
    const SnGltfAccessor *indices = &piece->indices;
    piece->corner_count = indices->index >= 0 ? indices->count : piece->positions.count;
    bool is_whole =
        indices->type == SN_GLTF_U8 || indices->type == SN_GLTF_U16 || indices->type == SN_GLTF_U32;
    if (indices->index >= 0 && (!is_whole || indices->is_normalised)) {
        return sn_gltf_fail(job->gltf, at, error,
                            "indices have componentType %d, expected 5121, 5123 or 5125",
                            indices->type);
    }
    int step = piece->mode == TRIANGLES ? 3 : piece->mode == LINES ? 2 : 1;
    if (piece->corner_count % step != 0) {
        return sn_gltf_fail(job->gltf, at, error, "has %d corners, expected a multiple of %d",
                            piece->corner_count, step);
    }
    return SINEW_OK;
}

// Compressed data stand in an extension, and the accessor beside it is empty.
static SinewStatus check_compression(const Job *job, const SnGltfAt *at, const Piece *piece,
                                     SinewError *error)
{
    const json_t *extensions = json_object_get(at->object, "extensions");
    if (piece->positions.data == NULL &&
        json_object_get(extensions, "KHR_draco_mesh_compression") != NULL) {
        return sn_gltf_fail(job->gltf, at, error,
                            "is compressed by KHR_draco_mesh_compression, which Sinew does not "
                            "read; expected plain accessors");
    }
    return SINEW_OK;
}

static bool repeats_before(const Job *job, const Piece *piece)
{
    if (job->pieces.count == 0) {
        return false;
    }
    const Piece *before = SN_ITEMS(job->pieces, Piece) + job->pieces.count - 1;
    static const char *const same[] = {"POSITION", "JOINTS_0", "WEIGHTS_0", "JOINTS_1",
                                       "WEIGHTS_1"};
    bool repeats = before->part.node == piece->part.node && before->mesh == piece->mesh;
    for (int i = 0; i < 5 && repeats; ++i) {
        const json_t *a = json_object_get(before->attributes.object, same[i]);
        const json_t *b = json_object_get(piece->attributes.object, same[i]);
        repeats = a == b || (json_is_integer(a) && json_is_integer(b) &&
                             json_integer_value(a) == json_integer_value(b));
    }
    return repeats;
}

// Counts the piece in and notes where its vertices will be.
static SinewStatus add_piece(Job *job, const SnGltfAt *at, Piece *piece, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int triangle_count = triangles_of(piece);
    int line_count = lines_of(piece);
    piece->is_repeated = repeats_before(job, piece);
    int64_t vertex_count = piece->is_repeated ? 0 : piece->positions.count;
    SN_TRY(
        sn_gltf_expand(job->gltf, at, vertex_count + (int64_t)triangle_count + line_count, error));
    int64_t most = INT_MAX / 4; // four joints a vertex are still counted by an int
    if (job->vertex_count + vertex_count > most || job->triangle_count + triangle_count > most ||
        job->line_count + line_count > most) {
        SN_TRY(sn_gltf_fail(job->gltf, at, error, "is one too many, expected at most %lld vertices",
                            (long long)most));
    }
    piece->part.vertex_count = piece->positions.count;
    piece->part.first_vertex =
        (int)(job->vertex_count - (piece->is_repeated ? piece->positions.count : 0));
    job->vertex_count += vertex_count;
    job->triangle_count += triangle_count;
    job->line_count += line_count;
    job->has_skin = job->has_skin || piece->part.skin >= 0;
    SN_TRY(sn_array_push(&job->pieces, piece, error));
done:
    return status;
}

static SinewStatus list_primitive(Job *job, const SnGltfAt *at, int mesh, int node, int skin,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnGltf *gltf = job->gltf;
    Piece piece = {.part = {.node = node, .skin = -1}, .mesh = mesh};
    json_t *targets = NULL;
    int target_count = 0;
    int64_t mode = 0;
    SN_TRY(sn_gltf_expand(job->gltf, at, PART_COST, error)); // also for one that is skipped
    SN_TRY(sn_gltf_int(gltf, at, "mode", POINTS, FAN, TRIANGLES, &mode, error));
    piece.mode = (Mode)mode;
    SN_TRY(sn_gltf_array(gltf, at, "targets", &targets, &target_count, error));
    SN_TRY(sn_gltf_child(gltf, at, "attributes", &piece.attributes, error));
    SN_TRY(sn_gltf_accessor(gltf, &piece.attributes, "POSITION", 3, &piece.positions, error));
    if (piece.positions.index < 0 || piece.mode == POINTS) {
        job->character->skipped_primitives++;
        goto done;
    }
    job->character->skipped_morph_targets += target_count;
    SN_TRY(check_compression(job, at, &piece, error));
    SN_TRY(sn_gltf_accessor(gltf, at, "indices", 1, &piece.indices, error));
    SN_TRY(sn_gltf_index(gltf, at, "material", SN_GLTF_MATERIALS, &piece.material, error));
    SN_TRY(check_corners(job, at, &piece, error));
    bool has_weights = json_object_get(piece.attributes.object, "JOINTS_0") != NULL &&
                       json_object_get(piece.attributes.object, "WEIGHTS_0") != NULL;
    piece.part.skin = has_weights ? skin : -1;
    SN_TRY(add_piece(job, at, &piece, error));
done:
    return status;
}

static SinewStatus list_mesh(Job *job, int mesh, int node, int skin, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnGltfAt at = sn_gltf_item(job->gltf, SN_GLTF_MESHES, mesh);
    json_t *primitives = NULL;
    int count = 0;
    SN_TRY(sn_gltf_array(job->gltf, &at, "primitives", &primitives, &count, error));
    for (int i = 0; i < count; ++i) {
        SnGltfAt primitive;
        SN_TRY(
            sn_gltf_array_object(job->gltf, &at, "primitives", primitives, i, &primitive, error));
        SN_TRY(list_primitive(job, &primitive, mesh, node, skin, error));
    }
done:
    return status;
}

static SinewStatus list_pieces(Job *job, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnGltf *gltf = job->gltf;
    int node_count = job->character->node_count;
    for (int mesh = 0; node_count == 0 && mesh < gltf->counts[SN_GLTF_MESHES]; ++mesh) {
        SN_TRY(list_mesh(job, mesh, -1, -1, error));
    }
    for (int node = 0; node < node_count; ++node) {
        SnGltfAt at = sn_gltf_item(gltf, SN_GLTF_NODES, node);
        int mesh = -1, skin = -1;
        SN_TRY(sn_gltf_index(gltf, &at, "mesh", SN_GLTF_MESHES, &mesh, error));
        SN_TRY(sn_gltf_index(gltf, &at, "skin", SN_GLTF_SKINS, &skin, error));
        if (mesh >= 0 && job->shown[node]) {
            SN_TRY(list_mesh(job, mesh, node, skin, error));
        }
    }
done:
    return status;
}

// How much of a name is kept, cut between characters of UTF-8.
static int name_length(const char *name)
{
    size_t length = strlen(name);
    if (length > NAME_MOST) {
        for (length = NAME_MOST; length > 0 && (name[length] & 0xc0) == 0x80; --length) {
        }
    }
    return (int)length;
}

// "mesh:material", or what there is of it.
static SinewStatus name_piece(const Job *job, const Piece *piece, int group, SinewError *error)
{
    char name[2 * NAME_MOST + 2];
    SnGltfAt mesh = sn_gltf_item(job->gltf, SN_GLTF_MESHES, piece->mesh);
    const char *of_mesh = sn_gltf_text(&mesh, "name");
    const char *of_material = NULL;
    if (of_mesh == NULL && piece->part.node >= 0) {
        of_mesh = job->character->node_names.text[piece->part.node];
    }
    if (piece->material >= 0) {
        SnGltfAt material = sn_gltf_item(job->gltf, SN_GLTF_MATERIALS, piece->material);
        of_material = sn_gltf_text(&material, "name");
    }
    of_mesh = of_mesh != NULL ? of_mesh : "";
    of_material = of_material != NULL ? of_material : "";
    bool both = of_mesh[0] != '\0' && of_material[0] != '\0';
    snprintf(name, sizeof name, "%.*s%s%.*s", name_length(of_mesh), of_mesh, both ? ":" : "",
             name_length(of_material), of_material);
    return sn_names_set(&job->character->surface->names, group, name, strlen(name),
                        job->gltf->allocator, error);
}

static SinewStatus fill_vertices(const Job *job, const Piece *piece, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnCharacterPart *part = &piece->part;
    double *local = NULL;
    double *out = job->character->surface->positions + 3 * (size_t)part->first_vertex;
    SN_TRY(sn_gltf_accessor_read(job->gltf, &piece->positions, &local, error));
    SnAffine to_world = sn_affine_identity();
    if (part->skin < 0 && part->node >= 0) {
        to_world = job->world[part->node];
    }
    for (size_t v = 0; v < (size_t)part->vertex_count; ++v) {
        sn_affine_apply(&to_world, local + 3 * v, out + 3 * v);
        if (!isfinite(out[3 * v]) || !isfinite(out[3 * v + 1]) || !isfinite(out[3 * v + 2])) {
            SN_TRY(sn_gltf_fail(job->gltf, &piece->attributes, error,
                                "vertex %zu is moved out of all bounds by nodes[%d]", v,
                                part->node));
        }
    }
    if (part->skin >= 0) {
        SN_TRY(sn_gltf_read_weights(job->gltf, &piece->attributes, part, job->character, error));
    }
done:
    sn_free(job->gltf->allocator, local);
    return status;
}

// Corner i of the piece as a vertex of the surface. `indices` is NULL where there are none.
static int vertex_of(const Piece *piece, const double *indices, int i)
{
    return piece->part.first_vertex + (indices != NULL ? (int)indices[i] : i);
}

static void fill_triangles(const Piece *piece, const double *indices, bool is_mirrored, int *out)
{
    int count = triangles_of(piece);
    for (int t = 0; t < count; ++t) {
        int corners[3] = {3 * t, 3 * t + 1, 3 * t + 2};
        if (piece->mode == STRIP) { // every other one is turned round
            memcpy(corners, (int[3]){t, t + 1 + t % 2, t + 2 - t % 2}, sizeof corners);
        } else if (piece->mode == FAN) {
            memcpy(corners, (int[3]){t + 1, t + 2, 0}, sizeof corners);
        }
        for (int c = 0; c < 3; ++c) {
            int to = is_mirrored && c > 0 ? 3 - c : c;
            out[3 * (size_t)t + (size_t)to] = vertex_of(piece, indices, corners[c]);
        }
    }
}

static void fill_lines(const Piece *piece, const double *indices, int *out)
{
    int count = lines_of(piece);
    int step = piece->mode == LINES ? 2 : 1;
    for (int l = 0; l < count; ++l) {
        int end = step * l + 1 < piece->corner_count ? step * l + 1 : 0; // a loop comes back
        out[2 * (size_t)l] = vertex_of(piece, indices, step * l);
        out[2 * (size_t)l + 1] = vertex_of(piece, indices, end);
    }
}

static SinewStatus fill_corners(const Job *job, const Piece *piece, int first_triangle,
                                int first_line, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSurface *surface = job->character->surface;
    double *indices = NULL;
    if (piece->indices.index >= 0) {
        SN_TRY(sn_gltf_accessor_read(job->gltf, &piece->indices, &indices, error));
    }
    for (int i = 0; indices != NULL && i < piece->corner_count; ++i) {
        if (indices[i] >= piece->part.vertex_count) {
            SnGltfAt at = sn_gltf_item(job->gltf, SN_GLTF_ACCESSORS, piece->indices.index);
            SN_TRY(sn_gltf_fail(job->gltf, &at, error, "index %d is vertex %.0f, expected 0 to %d",
                                i, indices[i], piece->part.vertex_count - 1));
        }
    }
    bool is_mirrored = piece->part.skin < 0 && piece->part.node >= 0 &&
                       sn_affine_determinant(&job->world[piece->part.node]) < 0.0;
    fill_triangles(piece, indices, is_mirrored, surface->triangles + 3 * (size_t)first_triangle);
    fill_lines(piece, indices, surface->lines + 2 * (size_t)first_line);
done:
    sn_free(job->gltf->allocator, indices);
    return status;
}

static SinewStatus fill_pieces(const Job *job, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnCharacter *character = job->character;
    int triangle = 0;
    int line = 0;
    for (int i = 0; i < (int)job->pieces.count; ++i) {
        const Piece *piece = &SN_ITEMS(job->pieces, Piece)[i];
        SnCharacterPart *part = &character->parts[i];
        *part = piece->part;
        part->to_node = sn_affine_identity();
        part->is_carried = part->node >= 0 && part->skin < 0 &&
                           sn_affine_invert(&job->world[part->node], &part->to_node);
        SN_TRY(name_piece(job, piece, i, error));
        if (!piece->is_repeated) {
            SN_TRY(fill_vertices(job, piece, error));
        }
        SN_TRY(fill_corners(job, piece, triangle, line, error));
        for (int t = 0; t < triangles_of(piece); ++t) {
            character->surface->groups[triangle + t] = i;
        }
        triangle += triangles_of(piece);
        line += lines_of(piece);
    }
done:
    return status;
}

// Room for what was listed.
static SinewStatus make_room(const Job *job, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnCharacter *character = job->character;
    const SinewAllocator *allocator = job->gltf->allocator;
    int count = (int)job->pieces.count;
    SN_TRY(sn_surface_create((int)job->vertex_count, (int)job->triangle_count, (int)job->line_count,
                             count > 0 ? count : 1, allocator, &character->surface, error));
    SN_ALLOC_ZERO(character->parts, allocator, count, error);
    character->part_count = count;
    if (job->has_skin) {
        size_t influences = SN_VERTEX_JOINTS * (size_t)job->vertex_count;
        SN_ALLOC_ZERO(character->vertex_joints, allocator, influences, error);
        SN_ALLOC_ZERO(character->vertex_weights, allocator, influences, error);
    }
done:
    return status;
}

SinewStatus sn_gltf_read_meshes(SnGltf *gltf, SnCharacter *character, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Job job = {.gltf = gltf,
               .character = character,
               .pieces = sn_array_of(gltf->allocator, sizeof(Piece))};
    SN_ALLOC(job.shown, gltf->allocator, character->node_count, error);
    SN_ALLOC(job.world, gltf->allocator, character->node_count, error);
    SN_TRY(sn_gltf_scene(gltf, character, job.shown, error));
    SN_TRY(sn_character_pose(character, -1, 0.0, NULL, job.world, error));
    SN_TRY(list_pieces(&job, error));
    SN_TRY(make_room(&job, error));
    SN_TRY(fill_pieces(&job, error));
done:
    sn_array_release(&job.pieces);
    sn_free(gltf->allocator, job.world);
    sn_free(gltf->allocator, job.shown);
    return status;
}

#include "io/gltf.h"

#include <string.h>

#ifndef SN_GLTF

static SinewStatus read_character(const SnBytes *bytes, const char *folder, bool is_surface_alone,
                                  const SinewAllocator *allocator, SnCharacter **out_character,
                                  SinewError *error)
{
    (void)folder;
    (void)is_surface_alone;
    (void)allocator;
    *out_character = NULL;
    return sn_fail(error, SINEW_ERROR_UNSUPPORTED,
                   "%.140s: cannot be read: this build of Sinew has no glTF (jansson)",
                   bytes->path);
}

#else

#include "io/gltf_internal.h"

static SinewStatus read_character(const SnBytes *bytes, const char *folder, bool is_surface_alone,
                                  const SinewAllocator *allocator, SnCharacter **out_character,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnGltf gltf = {.allocator = allocator, .path = bytes->path, .folder = folder};
    SnCharacter *character = NULL;
    *out_character = NULL;
    SN_TRY(sn_gltf_container_open(&gltf, bytes, error));
    SN_TRY(sn_gltf_json_open(&gltf, error));
    SN_TRY(sn_gltf_buffers_open(&gltf, error));
    SN_ALLOC_ZERO(character, allocator, 1, error);
    SN_TRY(sn_gltf_read_nodes(&gltf, character, error));
    SN_TRY(sn_gltf_read_skins(&gltf, character, error));
    SN_TRY(sn_gltf_read_meshes(&gltf, character, error));
    if (!is_surface_alone) {
        SN_TRY(sn_gltf_read_animations(&gltf, character, error));
    }
    *out_character = character;
    character = NULL;
done:
    sn_character_destroy(character, allocator);
    sn_gltf_buffers_close(&gltf);
    json_decref(gltf.root);
    return status;
}

#endif

static SinewStatus read_file(const char *path, bool is_surface_alone,
                             const SinewAllocator *allocator, SnCharacter **out_character,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBytes bytes = {0};
    char *folder = NULL;
    *out_character = NULL;
    const char *slash = strrchr(path, '/');
    // "model.glb" lies in ".", "/model.glb" in "/", whose slash stays.
    size_t length = slash == NULL ? 1 : slash == path ? 1 : (size_t)(slash - path);
    SN_ALLOC(folder, allocator, length + 1, error);
    memcpy(folder, slash == NULL ? "." : path, length);
    folder[length] = '\0';
    SN_TRY(sn_bytes_open(path, allocator, &bytes, error));
    SN_TRY(read_character(&bytes, folder, is_surface_alone, allocator, out_character, error));
done:
    sn_bytes_close(&bytes);
    sn_free(allocator, folder);
    return status;
}

// Takes the surface out of a character, which is gone afterwards.
static SnSurface *surface_of(SnCharacter *character, const SinewAllocator *allocator)
{
    if (character == NULL) {
        return NULL;
    }
    SnSurface *surface = character->surface;
    character->surface = NULL;
    sn_character_destroy(character, allocator);
    return surface;
}

SinewStatus sn_read_gltf(const SnBytes *bytes, const char *folder, const SinewAllocator *allocator,
                         SnCharacter **out_character, SinewError *error)
{
    return read_character(bytes, folder, false, allocator, out_character, error);
}

SinewStatus sn_gltf_read(const char *path, const SinewAllocator *allocator,
                         SnCharacter **out_character, SinewError *error)
{
    return read_file(path, false, allocator, out_character, error);
}

SinewStatus sn_read_gltf_surface(const SnBytes *bytes, const char *folder,
                                 const SinewAllocator *allocator, SnSurface **out_surface,
                                 SinewError *error)
{
    SnCharacter *character = NULL;
    SinewStatus status = read_character(bytes, folder, true, allocator, &character, error);
    *out_surface = surface_of(character, allocator);
    return status;
}

SinewStatus sn_gltf_read_surface(const char *path, const SinewAllocator *allocator,
                                 SnSurface **out_surface, SinewError *error)
{
    SnCharacter *character = NULL;
    SinewStatus status = read_file(path, true, allocator, &character, error);
    *out_surface = surface_of(character, allocator);
    return status;
}

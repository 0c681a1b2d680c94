// The hash of a scene: its values, found by the schema, and the bytes of the files it names.
#include "base/hash.h"
#include "io/bytes.h"
#include "scene/scene.h"

#include <string.h>

static uint64_t hash_table(uint64_t hash, const SnTable *table, const char *base);

static uint64_t hash_count(uint64_t hash, int count)
{
    return sn_hash(hash, &count, sizeof count);
}

static uint64_t hash_field(uint64_t hash, const SnField *field, const char *base)
{
    const char *at = base + field->offset;
    const char *items = NULL;
    int count = 0;
    if (field->type == SN_FIELD_GROUP) {
        return hash_table(hash, field->table, at);
    }
    if (field->type < SN_FIELD_NAME) {
        return sn_hash(hash, at, sn_field_size(field));
    }
    memcpy(&items, at, sizeof items);
    if (field->type == SN_FIELD_NAME || field->type == SN_FIELD_FILE) {
        // Of files the bytes count, not where they are.
        bool is_name = field->type == SN_FIELD_NAME && items != NULL;
        size_t length = is_name ? strlen(items) : 0;
        return sn_hash(hash_count(hash, (int)length), is_name ? items : "", length);
    }
    memcpy(&count, base + field->count_offset, sizeof count);
    hash = hash_count(hash, count);
    if (field->type == SN_FIELD_INDICES) {
        return sn_hash(hash, items, (size_t)count * sizeof(int));
    }
    for (int i = 0; i < count; ++i) {
        hash = hash_table(hash, field->table, items + (size_t)i * field->table->size);
    }
    return hash;
}

// Of fields to choose from only the chosen one was filled.
static uint64_t hash_table(uint64_t hash, const SnTable *table, const char *base)
{
    int choice = 0;
    if (table->choice_offset != SN_NOWHERE) {
        memcpy(&choice, base + table->choice_offset, sizeof choice);
        hash = hash_count(hash, choice);
    }
    for (int f = 0; f < table->field_count; ++f) {
        const SnField *field = &table->fields[f];
        bool is_other = (field->flags & SN_FIELD_CHOICE) != 0 && field->choice != choice;
        if (!is_other && (field->flags & SN_FIELD_NO_HASH) == 0) {
            hash = hash_field(hash, field, base);
        }
    }
    return hash;
}

static SinewStatus hash_file(const char *path, const SinewAllocator *allocator, uint64_t *hash,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBytes bytes = {0};
    SN_TRY(sn_bytes_open(path, allocator, &bytes, error));
    *hash = sn_hash(*hash, &bytes.size, sizeof bytes.size);
    *hash = sn_hash(*hash, bytes.data, bytes.size);
done:
    sn_bytes_close(&bytes);
    return status;
}

// TetGen's meshes are two files, of which the scene names one.
static SinewStatus hash_mesh(const SinewScene *scene, const char *path, uint64_t *hash,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    char *twin = NULL;
    size_t length = strlen(path);
    SN_TRY(hash_file(path, &scene->allocator, hash, error));
    bool is_node = length > 5 && strcmp(path + length - 5, ".node") == 0;
    bool is_ele = length > 4 && strcmp(path + length - 4, ".ele") == 0;
    if (is_node || is_ele) {
        size_t stem = length - (is_node ? 5 : 4);
        SN_ALLOC_ZERO(twin, &scene->allocator, stem + 6, error);
        memcpy(twin, path, stem);
        memcpy(twin + stem, is_node ? ".ele" : ".node", is_node ? 5 : 6);
        SN_TRY(hash_file(twin, &scene->allocator, hash, error));
    }
done:
    sn_free(&scene->allocator, twin);
    return status;
}

SinewStatus sinew_scene_hash(const SinewScene *scene, uint64_t *out_hash, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (scene == NULL || out_hash == NULL) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "the scene or out_hash is NULL");
    }
    uint64_t hash = hash_table(SN_HASH_START, &sn_scene_table, (const char *)&scene->content);
    for (int i = 0; i < scene->file_count; ++i) {
        SN_TRY(hash_mesh(scene, scene->files[i], &hash, error));
    }
    *out_hash = hash;
done:
    return status;
}

// The JSON of a glTF file: parsing, and members of the kind that was expected or a sentence.
#include "io/gltf_internal.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const list_names[SN_GLTF_LISTS] = {
    [SN_GLTF_ACCESSORS] = "accessors", [SN_GLTF_ANIMATIONS] = "animations",
    [SN_GLTF_BUFFERS] = "buffers",     [SN_GLTF_VIEWS] = "bufferViews",
    [SN_GLTF_MATERIALS] = "materials", [SN_GLTF_MESHES] = "meshes",
    [SN_GLTF_NODES] = "nodes",         [SN_GLTF_SCENES] = "scenes",
    [SN_GLTF_SKINS] = "skins",
};

// Extensions that a file may require because they leave its geometry alone, or that we have.
static const char *const harmless[] = {
    "KHR_mesh_quantization", "KHR_materials_", "KHR_texture_", "EXT_texture_",  "MSFT_texture_",
    "KHR_lights_",           "EXT_lights_",    "KHR_xmp",      "KHR_technique",
};

SinewStatus sn_gltf_fail(const SnGltf *gltf, const SnGltfAt *at, SinewError *error,
                         const char *format, ...)
{
    char text[140];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    // The end of a long path tells more than its beginning.
    size_t length = strlen(gltf->path);
    bool is_cut = length > 70;
    const char *path = is_cut ? gltf->path + length - 67 : gltf->path;
    return sn_fail(error, SINEW_ERROR_FILE, "%s%s: %.50s%s%s", is_cut ? "..." : "", path, at->where,
                   at->where[0] != '\0' ? ": " : "", text);
}

static SnGltfAt root_of(const SnGltf *gltf)
{
    return (SnGltfAt){.object = gltf->root, .where = ""};
}

static SinewStatus check_version(const SnGltf *gltf, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnGltfAt root = root_of(gltf);
    SnGltfAt asset;
    SN_TRY(sn_gltf_child(gltf, &root, "asset", &asset, error));
    const char *version = asset.object != NULL ? sn_gltf_text(&asset, "version") : NULL;
    const char *least = asset.object != NULL ? sn_gltf_text(&asset, "minVersion") : NULL;
    if (version == NULL) {
        SN_TRY(sn_gltf_fail(gltf, &root, error,
                            "asset.version is missing, expected a glTF file with \"2.0\""));
    }
    if (strncmp(version, "2.", 2) != 0) {
        SN_TRY(
            sn_gltf_fail(gltf, &asset, error, "version is \"%.20s\", expected \"2.0\"", version));
    }
    if (least != NULL && strcmp(least, "2.0") != 0) {
        SN_TRY(
            sn_gltf_fail(gltf, &asset, error, "minVersion is \"%.20s\", expected \"2.0\"", least));
    }
done:
    return status;
}

static bool is_harmless(const char *extension)
{
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; ++i) {
        if (strncmp(extension, harmless[i], strlen(harmless[i])) == 0) {
            return true;
        }
    }
    return false;
}

static SinewStatus check_extensions(const SnGltf *gltf, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnGltfAt root = root_of(gltf);
    json_t *required = NULL;
    int count = 0;
    SN_TRY(sn_gltf_array(gltf, &root, "extensionsRequired", &required, &count, error));
    for (int i = 0; i < count; ++i) {
        const char *name = json_string_value(json_array_get(required, (size_t)i));
        if (name == NULL) {
            SN_TRY(sn_gltf_fail(gltf, &root, error, "extensionsRequired[%d] is no text", i));
        }
        if (!is_harmless(name)) {
            SN_TRY(sn_gltf_fail(gltf, &root, error,
                                "requires the extension %.60s, which Sinew does not read; expected "
                                "plain glTF 2.0",
                                name));
        }
    }
done:
    return status;
}

static SinewStatus open_list(SnGltf *gltf, SnGltfList list, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnGltfAt root = root_of(gltf);
    const char *name = list_names[list];
    SN_TRY(sn_gltf_array(gltf, &root, name, &gltf->lists[list], &gltf->counts[list], error));
    for (int i = 0; i < gltf->counts[list]; ++i) {
        SnGltfAt item;
        SN_TRY(sn_gltf_array_object(gltf, &root, name, gltf->lists[list], i, &item, error));
    }
done:
    return status;
}

SinewStatus sn_gltf_json_open(SnGltf *gltf, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    json_error_t reason;
    gltf->root =
        json_loadb((const char *)gltf->text.data, gltf->text.size, JSON_REJECT_DUPLICATES, &reason);
    if (gltf->root == NULL && json_error_code(&reason) == json_error_out_of_memory) {
        return sn_expect_memory(NULL, gltf->text.size, 1, error);
    }
    if (gltf->root == NULL) {
        return sn_fail_at(error, SINEW_ERROR_FILE, reason.line, "%.80s:%d: %.120s", gltf->path,
                          reason.line, reason.text);
    }
    if (!json_is_object(gltf->root)) {
        return sn_fail_at(error, SINEW_ERROR_FILE, 1, "%.80s:1: expected a JSON object",
                          gltf->path);
    }
    SN_TRY(check_version(gltf, error));
    SN_TRY(check_extensions(gltf, error));
    for (int list = 0; list < SN_GLTF_LISTS; ++list) {
        SN_TRY(open_list(gltf, (SnGltfList)list, error));
    }
done:
    return status;
}

SnGltfAt sn_gltf_item(const SnGltf *gltf, SnGltfList list, int index)
{
    SnGltfAt out = {.object = json_array_get(gltf->lists[list], (size_t)index)};
    snprintf(out.where, sizeof out.where, "%s[%d]", list_names[list], index);
    return out;
}

// Whole numbers may be written with a point.
static bool whole_number(const json_t *value, int64_t *out)
{
    double real = json_number_value(value);
    if (json_is_integer(value)) {
        *out = json_integer_value(value);
        return true;
    }
    if (!json_is_real(value) || floor(real) != real || fabs(real) > 0x1p53) {
        return false;
    }
    *out = (int64_t)real;
    return true;
}

static SinewStatus check_int(const SnGltf *gltf, const SnGltfAt *at, const char *key,
                             const json_t *value, int64_t least, int64_t most, int64_t *out,
                             SinewError *error)
{
    if (!whole_number(value, out)) {
        return sn_gltf_fail(gltf, at, error, "%.40s is no whole number, expected %lld to %lld", key,
                            (long long)least, (long long)most);
    }
    if (most < least) {
        return sn_gltf_fail(gltf, at, error, "%.40s is %lld, but there is none of that kind", key,
                            (long long)*out);
    }
    if (*out < least || *out > most) {
        return sn_gltf_fail(gltf, at, error, "%.40s is %lld, expected %lld to %lld", key,
                            (long long)*out, (long long)least, (long long)most);
    }
    return SINEW_OK;
}

SinewStatus sn_gltf_int(const SnGltf *gltf, const SnGltfAt *at, const char *key, int64_t least,
                        int64_t most, int64_t fallback, int64_t *out, SinewError *error)
{
    const json_t *value = json_object_get(at->object, key);
    *out = fallback;
    if (value == NULL && fallback == SN_GLTF_REQUIRED) {
        return sn_gltf_fail(gltf, at, error, "%.40s is missing, expected a number", key);
    }
    if (value == NULL) {
        return SINEW_OK;
    }
    return check_int(gltf, at, key, value, least, most, out, error);
}

SinewStatus sn_gltf_index(const SnGltf *gltf, const SnGltfAt *at, const char *key, SnGltfList list,
                          int *out, SinewError *error)
{
    int64_t value = -1;
    SinewStatus status = sn_gltf_int(gltf, at, key, 0, gltf->counts[list] - 1, -1, &value, error);
    *out = status < 0 ? -1 : (int)value;
    return status;
}

SinewStatus sn_gltf_numbers(const SnGltf *gltf, const SnGltfAt *at, const char *key, int count,
                            double *out, SinewError *error)
{
    const json_t *array = json_object_get(at->object, key);
    if (array == NULL) {
        return SINEW_OK;
    }
    if (!json_is_array(array) || json_array_size(array) != (size_t)count) {
        return sn_gltf_fail(gltf, at, error, "%.40s is something else, expected %d numbers", key,
                            count);
    }
    for (int i = 0; i < count; ++i) {
        const json_t *value = json_array_get(array, (size_t)i);
        if (!json_is_number(value)) {
            return sn_gltf_fail(gltf, at, error, "%.40s[%d] is no number", key, i);
        }
        out[i] = json_number_value(value);
    }
    return SINEW_OK;
}

const char *sn_gltf_text(const SnGltfAt *at, const char *key)
{
    return json_string_value(json_object_get(at->object, key));
}

SinewStatus sn_gltf_child(const SnGltf *gltf, const SnGltfAt *at, const char *key, SnGltfAt *out,
                          SinewError *error)
{
    *out = (SnGltfAt){.object = json_object_get(at->object, key)};
    snprintf(out->where, sizeof out->where, "%.40s%s%.30s", at->where,
             at->where[0] != '\0' ? "." : "", key);
    if (out->object != NULL && !json_is_object(out->object)) {
        return sn_gltf_fail(gltf, at, error, "%.40s is something else, expected an object", key);
    }
    return SINEW_OK;
}

SinewStatus sn_gltf_array(const SnGltf *gltf, const SnGltfAt *at, const char *key, json_t **out,
                          int *out_count, SinewError *error)
{
    *out_count = 0;
    *out = json_object_get(at->object, key);
    if (*out == NULL) {
        return SINEW_OK;
    }
    if (!json_is_array(*out) || json_array_size(*out) > INT_MAX) {
        return sn_gltf_fail(gltf, at, error, "%.40s is something else, expected a list", key);
    }
    *out_count = (int)json_array_size(*out);
    return SINEW_OK;
}

SinewStatus sn_gltf_array_object(const SnGltf *gltf, const SnGltfAt *at, const char *key,
                                 const json_t *array, int i, SnGltfAt *out, SinewError *error)
{
    *out = (SnGltfAt){.object = json_array_get(array, (size_t)i)};
    if (!json_is_object(out->object)) {
        return sn_gltf_fail(gltf, at, error, "%.40s[%d] is something else, expected an object", key,
                            i);
    }
    snprintf(out->where, sizeof out->where, "%.30s%s%.20s[%d]", at->where,
             at->where[0] != '\0' ? "." : "", key, i);
    return SINEW_OK;
}

SinewStatus sn_gltf_array_index(const SnGltf *gltf, const SnGltfAt *at, const char *key,
                                const json_t *array, int i, SnGltfList list, int *out,
                                SinewError *error)
{
    char name[64];
    int64_t value = -1;
    snprintf(name, sizeof name, "%.30s[%d]", key, i);
    SinewStatus status = check_int(gltf, at, name, json_array_get(array, (size_t)i), 0,
                                   gltf->counts[list] - 1, &value, error);
    *out = status < 0 ? -1 : (int)value;
    return status;
}

SinewStatus sn_gltf_expand(SnGltf *gltf, const SnGltfAt *at, int64_t count, SinewError *error)
{
    if (count > gltf->allowance) {
        return sn_gltf_fail(gltf, at, error,
                            "expands to more than 16 items a byte of the file; expected fewer "
                            "copies of the same data");
    }
    gltf->allowance -= count;
    return SINEW_OK;
}

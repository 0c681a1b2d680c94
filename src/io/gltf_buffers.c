// Buffers of a glTF file: the binary chunk, base64 inside the JSON, or files beside it. A model
// comes from anywhere, so a path may lead down from its folder and nowhere else.
#include "io/gltf_internal.h"

#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

// No model needs as many, and each may be a mapping that the system has to keep.
enum { BUFFERS_MAX = 1024 };

enum { ITEMS_A_BYTE = 16, ITEMS_FREE = 1 << 20 };

static int base64_digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = c != '\0' ? strchr(digits, c) : NULL;
    return found != NULL ? (int)(found - digits) : -1;
}

// Three bytes from four digits; what is left over at the end must be padding.
static SinewStatus decode_base64(const SnGltf *gltf, const SnGltfAt *at, const char *text,
                                 SnBytes *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    unsigned char *data = NULL;
    size_t length = strlen(text);
    size_t size = 0;
    while (length > 0 && text[length - 1] == '=') {
        length--;
    }
    SN_ALLOC(data, gltf->allocator, length / 4 * 3 + 3, error);
    uint32_t bits = 0;
    for (size_t i = 0; i < length; ++i) {
        int digit = base64_digit(text[i]);
        if (digit < 0) {
            SN_TRY(sn_gltf_fail(gltf, at, error, "character %zu of the data is no base64", i));
        }
        bits = bits << 6 | (uint32_t)digit;
        if (i % 4 != 0) {
            data[size++] = (unsigned char)(bits >> (6 - 2 * (i % 4)));
        }
    }
    *out = (SnBytes){.data = data,
                     .size = size,
                     .path = gltf->path,
                     .owned = data,
                     .allocator = gltf->allocator};
    data = NULL;
done:
    sn_free(gltf->allocator, data);
    return status;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Replaces %20 and its like; NULL where what follows a % is no number or a zero.
static char *decode_percent(const char *uri, char *out)
{
    for (; *uri != '\0'; ++uri) {
        if (*uri != '%') {
            *out++ = *uri;
            continue;
        }
        int high = hex_digit(uri[1]);
        int low = high < 0 ? -1 : hex_digit(uri[2]);
        if (low < 0 || high + low == 0) {
            return NULL;
        }
        *out++ = (char)(16 * high + low);
        uri += 2;
    }
    *out = '\0';
    return out;
}

// Stays in the folder: relative, no scheme or drive, no step up.
static bool leads_down(const char *path)
{
    if (path[0] == '\0' || path[0] == '/' || strpbrk(path, "\\:") != NULL) {
        return false;
    }
    for (const char *step = path; step != NULL;) {
        const char *slash = strchr(step, '/');
        size_t length = slash != NULL ? (size_t)(slash - step) : strlen(step);
        if (length == 2 && memcmp(step, "..", 2) == 0) {
            return false;
        }
        step = slash != NULL ? slash + 1 : NULL;
    }
    return true;
}

static SinewStatus open_file(const SnGltf *gltf, const SnGltfAt *at, const char *uri, SnBytes *out,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    struct stat about;
    char *path = NULL;
    if (gltf->folder == NULL) {
        return sn_gltf_fail(gltf, at, error, "uri is the file \"%.60s\", expected data inside",
                            uri);
    }
    size_t length = strlen(gltf->folder);
    SN_ALLOC(path, gltf->allocator, length + strlen(uri) + 2, error);
    memcpy(path, gltf->folder, length);
    path[length] = '/';
    if (decode_percent(uri, path + length + 1) == NULL || !leads_down(path + length + 1)) {
        SN_TRY(sn_gltf_fail(gltf, at, error,
                            "uri is \"%.60s\", expected a relative path that leads down", uri));
    }
    // A pipe or a device (the folder may be /dev) could keep us for ever.
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) {
        SN_TRY(sn_gltf_fail(gltf, at, error, "uri is \"%.60s\", but there is no such file", uri));
    }
    SN_TRY(sn_bytes_open(path, gltf->allocator, out, error));
    out->path = gltf->path;
done:
    sn_free(gltf->allocator, path);
    return status;
}

static SinewStatus open_buffer(const SnGltf *gltf, int index, SnBytes *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnGltfAt at = sn_gltf_item(gltf, SN_GLTF_BUFFERS, index);
    int64_t size = 0;
    SN_TRY(sn_gltf_int(gltf, &at, "byteLength", 1, INT64_MAX, SN_GLTF_REQUIRED, &size, error));
    const char *uri = sn_gltf_text(&at, "uri");
    if (uri == NULL && (index != 0 || gltf->chunk.data == NULL)) {
        SN_TRY(sn_gltf_fail(gltf, &at, error, "uri is missing, and there is no binary chunk"));
    }
    if (uri == NULL) {
        *out = gltf->chunk;
    } else if (strncmp(uri, "data:", 5) == 0) {
        const char *comma = strchr(uri, ',');
        if (comma == NULL || comma - uri < 7 || memcmp(comma - 7, ";base64", 7) != 0) {
            SN_TRY(sn_gltf_fail(gltf, &at, error, "uri holds data, expected base64 after a comma"));
        }
        SN_TRY(decode_base64(gltf, &at, comma + 1, out, error));
    } else {
        SN_TRY(open_file(gltf, &at, uri, out, error));
    }
    if ((uint64_t)size > out->size) {
        SN_TRY(sn_gltf_fail(gltf, &at, error, "byteLength is %lld, but there are %zu bytes",
                            (long long)size, out->size));
    }
done:
    return status;
}

SinewStatus sn_gltf_buffers_open(SnGltf *gltf, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = gltf->counts[SN_GLTF_BUFFERS];
    uint64_t bytes = gltf->text.size;
    if (count > BUFFERS_MAX) {
        return sn_fail(error, SINEW_ERROR_FILE, "%.140s: has %d buffers, expected at most %d",
                       gltf->path, count, BUFFERS_MAX);
    }
    SN_ALLOC_ZERO(gltf->buffers, gltf->allocator, count, error);
    for (int i = 0; i < count; ++i) {
        SN_TRY(open_buffer(gltf, i, &gltf->buffers[i], error));
        bytes += gltf->buffers[i].size;
    }
    gltf->items_most = ITEMS_FREE + ITEMS_A_BYTE * (int64_t)bytes;
    gltf->allowance = gltf->items_most;
done:
    return status;
}

void sn_gltf_buffers_close(SnGltf *gltf)
{
    for (int i = 0; gltf->buffers != NULL && i < gltf->counts[SN_GLTF_BUFFERS]; ++i) {
        sn_bytes_close(&gltf->buffers[i]);
    }
    sn_free(gltf->allocator, gltf->buffers);
    gltf->buffers = NULL;
}

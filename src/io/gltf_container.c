// The two kinds of glTF file: plain JSON, or a header with a chunk of JSON and a binary one.
#include "io/gltf_internal.h"

#include "io/scan.h"

#include <string.h>

enum { HEADER_SIZE = 12, CHUNK_HEADER_SIZE = 8 };
enum { CHUNK_JSON = 0x4e4f534a, CHUNK_BINARY = 0x004e4942 };

static uint32_t word_at(const SnBytes *bytes, size_t at)
{
    const unsigned char *b = bytes->data + at;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

// The chunk at `at`, checked against the end.
static SinewStatus read_chunk(const SnBytes *bytes, size_t at, size_t end, SnBytes *out,
                              uint32_t *out_kind, SinewError *error)
{
    if (end - at < CHUNK_HEADER_SIZE) {
        return sn_bytes_fail(bytes, at, error, "the file ends, expected the header of a chunk");
    }
    size_t size = word_at(bytes, at);
    if (size > end - at - CHUNK_HEADER_SIZE) {
        return sn_bytes_fail(bytes, at, error, "a chunk claims %zu bytes, but %zu are left", size,
                             end - at - CHUNK_HEADER_SIZE);
    }
    *out_kind = word_at(bytes, at + 4);
    *out = sn_bytes_of(bytes->data + at + CHUNK_HEADER_SIZE, size, bytes->path);
    return SINEW_OK;
}

static SinewStatus open_binary(SnGltf *gltf, const SnBytes *bytes, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    uint32_t kind = 0;
    if (bytes->size < HEADER_SIZE) {
        return sn_bytes_fail(bytes, bytes->size, error,
                             "the file ends, expected 12 bytes of header");
    }
    if (word_at(bytes, 4) != 2) {
        return sn_bytes_fail(bytes, 4, error, "this is version %u of binary glTF, expected 2",
                             word_at(bytes, 4));
    }
    size_t end = word_at(bytes, 8);
    if (end > bytes->size || end < HEADER_SIZE) {
        return sn_bytes_fail(bytes, 8, error, "the header claims %zu bytes, but the file has %zu",
                             end, bytes->size);
    }
    SN_TRY(read_chunk(bytes, HEADER_SIZE, end, &gltf->text, &kind, error));
    if (kind != CHUNK_JSON) {
        return sn_bytes_fail(bytes, HEADER_SIZE + 4, error,
                             "the first chunk is of kind 0x%08x, expected JSON (0x4e4f534a)", kind);
    }
    // Chunks after the first are binary or of a kind that a reader must pass over.
    size_t at = HEADER_SIZE + CHUNK_HEADER_SIZE + gltf->text.size;
    while (gltf->chunk.data == NULL && end - at >= CHUNK_HEADER_SIZE) {
        SnBytes chunk;
        SN_TRY(read_chunk(bytes, at, end, &chunk, &kind, error));
        if (kind == CHUNK_BINARY) {
            gltf->chunk = chunk;
        }
        at += CHUNK_HEADER_SIZE + chunk.size;
    }
done:
    return status;
}

SinewStatus sn_gltf_container_open(SnGltf *gltf, const SnBytes *bytes, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (bytes->size >= 4 && memcmp(bytes->data, "glTF", 4) == 0) {
        SN_TRY(open_binary(gltf, bytes, error));
    } else {
        gltf->text = sn_bytes_of(bytes->data, bytes->size, bytes->path);
    }
    // Chunks are padded with blanks, by some writers with zeros; a mark of byte order may lead.
    SnBytes *text = &gltf->text;
    while (text->size > 0 &&
           (text->data[text->size - 1] == 0 || text->data[text->size - 1] == ' ')) {
        text->size--;
    }
    if (text->size >= 3 && memcmp(text->data, "\xef\xbb\xbf", 3) == 0) {
        text->data += 3;
        text->size -= 3;
    }
done:
    return status;
}

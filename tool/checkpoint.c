#include "tool/checkpoint.h"

#include "base/hash.h"
#include "io/bytes.h"
#include "io/whole_file.h"

#include <string.h>

// In the byte order of the machine: a checkpoint is for going on, not for sending around.
typedef struct Header {
    char magic[8];
    uint64_t scene;
    int64_t step;
    int64_t frame;
    int64_t is_finished;
    uint64_t size;
    uint64_t checksum; // of the state, and of this header with a checksum of zero
} Header;

static const char magic[8] = {'s', 'i', 'n', 'e', 'w', 'c', 'k', '1'};

static uint64_t checksum_of(Header header, const void *state)
{
    header.checksum = 0;
    return sn_hash(sn_hash(SN_HASH_START, &header, sizeof header), state, (size_t)header.size);
}

SinewStatus sn_checkpoint_write(const SnCheckpoint *checkpoint, const char *path, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWholeFile file = {0};
    Header header = {.scene = checkpoint->scene,
                     .step = checkpoint->step,
                     .frame = checkpoint->frame,
                     .is_finished = checkpoint->is_finished,
                     .size = checkpoint->size};
    memcpy(header.magic, magic, sizeof magic);
    header.checksum = checksum_of(header, checkpoint->state);

    SN_TRY(sn_whole_file_begin(&file, path, NULL, error));
    sn_whole_file_write(&file, &header, sizeof header);
    sn_whole_file_write(&file, checkpoint->state, checkpoint->size);
    SN_TRY(sn_whole_file_commit(&file, error));
done:
    sn_whole_file_abandon(&file);
    return status;
}

static SinewStatus check(const SnBytes *bytes, const Header *header, uint64_t scene,
                         SinewError *error)
{
    if (memcmp(header->magic, magic, sizeof magic) != 0 ||
        header->size != bytes->size - sizeof *header || header->step < 0 || header->frame < 0 ||
        header->checksum != checksum_of(*header, bytes->data + sizeof *header)) {
        return sn_fail(error, SINEW_ERROR_FILE,
                       "%.150s: is no checkpoint of this version, or is damaged; run without "
                       "--resume to start again",
                       bytes->path);
    }
    if (header->scene != scene) {
        return sn_fail(error, SINEW_ERROR_FILE,
                       "%.150s: belongs to another scene, or the scene was changed since; run "
                       "without --resume to start again",
                       bytes->path);
    }
    return SINEW_OK;
}

SinewStatus sn_checkpoint_read(const char *path, uint64_t scene, SnCheckpoint *out_checkpoint,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBytes bytes = {0};
    Header header = {0};
    *out_checkpoint = (SnCheckpoint){0};

    SN_TRY(sn_bytes_open(path, NULL, &bytes, error));
    if (bytes.size >= sizeof header) {
        memcpy(&header, bytes.data, sizeof header);
    }
    SN_TRY(check(&bytes, &header, scene, error));
    out_checkpoint->state = sn_alloc(NULL, (size_t)header.size, 1);
    SN_TRY(sn_expect_memory(out_checkpoint->state, (size_t)header.size, 1, error));
    memcpy(out_checkpoint->state, bytes.data + sizeof header, (size_t)header.size);
    out_checkpoint->scene = header.scene;
    out_checkpoint->step = header.step;
    out_checkpoint->frame = header.frame;
    out_checkpoint->is_finished = header.is_finished;
    out_checkpoint->size = (size_t)header.size;
done:
    sn_bytes_close(&bytes);
    return status;
}

void sn_checkpoint_release(SnCheckpoint *checkpoint)
{
    sn_free(NULL, checkpoint->state);
    *checkpoint = (SnCheckpoint){0};
}

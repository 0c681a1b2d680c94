#include "tool/run/checkpoint.h"

#include "base/hash.h"
#include "io/bytes.h"
#include "io/whole_file.h"
#include "world/state.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// In the byte order of the machine: a checkpoint is for going on, not for sending around. What
// stands before `scene` stays where it is in all versions.
typedef struct Header {
    char magic[7];
    char version; // of this header, as a digit
    char library[SN_CHECKPOINT_LIBRARY_SIZE];
    uint64_t state_version;
    uint64_t scene;
    int64_t step;
    int64_t frame;
    int64_t is_finished;
    uint64_t size;
    uint64_t checksum; // of the state, and of this header with a checksum of zero
} Header;

static const char magic[7] = {'s', 'i', 'n', 'e', 'w', 'c', 'k'};
static const char version = '2';

static uint64_t checksum_of(Header header, const void *state)
{
    header.checksum = 0;
    return sn_hash(sn_hash(SN_HASH_START, &header, sizeof header), state, (size_t)header.size);
}

SnCheckpoint sn_checkpoint_make(void)
{
    SnCheckpoint checkpoint = {.state_version = SN_STATE_VERSION};
    snprintf(checkpoint.library, sizeof checkpoint.library, "%s", sinew_version());
    return checkpoint;
}

SinewStatus sn_checkpoint_write(const SnCheckpoint *checkpoint, const char *path, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWholeFile file = {0};
    Header header = {.version = version,
                     .state_version = checkpoint->state_version,
                     .scene = checkpoint->scene,
                     .step = checkpoint->step,
                     .frame = checkpoint->frame,
                     .is_finished = checkpoint->is_finished,
                     .size = checkpoint->size};
    memcpy(header.magic, magic, sizeof magic);
    memcpy(header.library, checkpoint->library, sizeof header.library);
    header.checksum = checksum_of(header, checkpoint->state);

    SN_TRY(sn_whole_file_begin(&file, path, NULL, error));
    sn_whole_file_write(&file, &header, sizeof header);
    sn_whole_file_write(&file, checkpoint->state, checkpoint->size);
    SN_TRY(sn_whole_file_commit(&file, error));
done:
    sn_whole_file_abandon(&file);
    return status;
}

static SinewStatus check_whole(const SnBytes *bytes, const Header *header, SinewError *error)
{
    bool is_ours = memcmp(header->magic, magic, sizeof magic) == 0;
    if (is_ours && header->version != version && isdigit((unsigned char)header->version)) {
        return sn_fail(error, SINEW_ERROR_FILE,
                       "%.150s: is a checkpoint of version %c, expected %c as sinew %s writes it; "
                       "run without --resume to start again",
                       bytes->path, header->version, version, sinew_version());
    }
    if (!is_ours || header->version != version || header->size != bytes->size - sizeof *header ||
        header->step < 0 || header->frame < 0 ||
        header->checksum != checksum_of(*header, bytes->data + sizeof *header)) {
        return sn_fail(error, SINEW_ERROR_FILE,
                       "%.150s: is no checkpoint, or is damaged; run without --resume to start "
                       "again",
                       bytes->path);
    }
    return SINEW_OK;
}

static SinewStatus check_mine(const SnBytes *bytes, const Header *header, uint64_t scene,
                              SinewError *error)
{
    SnCheckpoint ours = sn_checkpoint_make();
    if (memcmp(header->library, ours.library, sizeof ours.library) != 0 ||
        header->state_version != ours.state_version) {
        return sn_fail(error, SINEW_ERROR_FILE,
                       "%.150s: was written by sinew %.15s with states of version %llu, expected "
                       "%s with %u; run without --resume to start again",
                       bytes->path, header->library, (unsigned long long)header->state_version,
                       ours.library, (unsigned)ours.state_version);
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
    *out_checkpoint = sn_checkpoint_make();

    SN_TRY(sn_bytes_open(path, NULL, &bytes, error));
    if (bytes.size >= sizeof header) {
        memcpy(&header, bytes.data, sizeof header);
    }
    SN_TRY(check_whole(&bytes, &header, error));
    SN_TRY(check_mine(&bytes, &header, scene, error));
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

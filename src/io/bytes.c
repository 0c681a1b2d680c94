#include "io/bytes.h"

#include "base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

enum { CHUNK = 1 << 16 };

static SinewStatus refuse(const char *path, SinewError *error)
{
    return sn_fail(error, SINEW_ERROR_FILE, "%.160s: %s", path, strerror(errno));
}

// What a path leads to that is no file, or NULL.
static const char *kind_of(const struct stat *about)
{
    return S_ISDIR(about->st_mode)                              ? "a folder"
           : S_ISFIFO(about->st_mode)                           ? "a pipe"
           : S_ISSOCK(about->st_mode)                           ? "a socket"
           : S_ISCHR(about->st_mode) || S_ISBLK(about->st_mode) ? "a device"
                                                                : NULL;
}

static SinewStatus refuse_size(const char *path, double size, double most, SinewError *error)
{
    return sn_fail(error, SINEW_ERROR_FILE,
                   "%.120s: has %.3g GB%s, expected at most the machine's memory of %.3g GB", path,
                   1e-9 * size, size > most ? "" : " or more", 1e-9 * most);
}

// A file whose length the system does not tell, such as those of /proc, read to its end.
static SinewStatus read_all(int file, const char *path, double most,
                            const SinewAllocator *allocator, SnBytes *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnArray bytes = sn_array_of(allocator, 1);
    for (;;) {
        unsigned char *place = sn_array_add(&bytes, CHUNK);
        SN_TRY(sn_expect_memory(place, CHUNK, 1, error));
        ssize_t got = read(file, place, CHUNK);
        if (got < 0 && errno != EINTR) {
            SN_TRY(refuse(path, error));
        }
        bytes.count -= (size_t)(CHUNK - (got > 0 ? got : 0));
        if (got == 0) {
            break;
        }
        if ((double)bytes.count > 0.25 * most) { // the array doubles, and readers want memory too
            SN_TRY(refuse_size(path, (double)bytes.count, most, error));
        }
    }
    out->size = bytes.count;
    out->owned = sn_array_take(&bytes);
    SN_TRY(sn_expect_memory(out->owned, out->size, 1, error));
    out->data = out->owned;
done:
    sn_array_release(&bytes);
    return status;
}

SinewStatus sn_bytes_open(const char *path, const SinewAllocator *allocator, SnBytes *out_bytes,
                          SinewError *error)
{
    SinewStatus status = SINEW_OK;
    struct stat about;
    *out_bytes = (SnBytes){.path = path, .allocator = allocator};
    // Looked at first: opening a pipe waits for someone to write.
    int file = -1;
    if (stat(path, &about) != 0) {
        SN_TRY(refuse(path, error));
    }
    if (kind_of(&about) == NULL) {
        // Some files of /proc wait for what may never come.
        file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (file < 0 || fstat(file, &about) != 0) {
            SN_TRY(refuse(path, error));
        }
    }
    if (kind_of(&about) != NULL) {
        SN_TRY(sn_fail(error, SINEW_ERROR_FILE, "%.160s: is %s, expected a file", path,
                       kind_of(&about)));
    }
    double most = sn_machine_memory();
    if ((double)about.st_size > most) {
        SN_TRY(refuse_size(path, (double)about.st_size, most, error));
    }
#if defined(__linux__)
    if (S_ISREG(about.st_mode) && about.st_size > 0) {
        void *data = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (data != MAP_FAILED) {
            madvise(data, (size_t)about.st_size, MADV_SEQUENTIAL);
            out_bytes->data = data;
            out_bytes->size = (size_t)about.st_size;
            out_bytes->is_mapped = true;
            goto done;
        }
    }
#endif
    SN_TRY(read_all(file, path, most, allocator, out_bytes, error));
done:
    if (file >= 0) {
        close(file);
    }
    return status;
}

SnBytes sn_bytes_of(const void *data, size_t size, const char *path)
{
    return (SnBytes){.data = data, .size = size, .path = path};
}

void sn_bytes_close(SnBytes *bytes)
{
#if defined(__linux__)
    if (bytes->is_mapped) {
        munmap((void *)(uintptr_t)bytes->data, bytes->size);
    }
#endif
    sn_free(bytes->allocator, bytes->owned);
    *bytes = (SnBytes){0};
}

#include "tool/export/append_file.h"

#include "io/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

SinewStatus sn_append_file_open(SnAppendFile *file, const char *path, SinewError *error)
{
    *file = (SnAppendFile){.path = path};
    struct stat info = {0};
    int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0 || fstat(descriptor, &info) != 0) {
        int error_number = errno;
        if (descriptor >= 0) {
            close(descriptor);
        }
        return sn_write_fail(error, path, error_number);
    }
    if (!S_ISREG(info.st_mode)) {
        close(descriptor);
        return sn_fail(error, SINEW_ERROR_WRITE,
                       "%.160s: is no plain file, which a file that grows must be", path);
    }
    file->descriptor = descriptor;
    file->size = (int64_t)info.st_size;
    file->is_open = true;
    return SINEW_OK;
}

// All bytes at a place, however many calls it takes. 0, or errno of the call that failed.
static int write_all(int descriptor, const unsigned char *data, size_t size, int64_t offset)
{
    while (size > 0) {
        ssize_t wrote = pwrite(descriptor, data, size, (off_t)offset);
        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote <= 0) {
            return wrote < 0 ? errno : EIO;
        }
        data += wrote;
        size -= (size_t)wrote;
        offset += wrote;
    }
    return 0;
}

SinewStatus sn_append_file_write(SnAppendFile *file, const void *data, size_t size,
                                 SinewError *error)
{
    int error_number = write_all(file->descriptor, data, size, file->size);
    if (error_number != 0) {
        // What is left if this fails too stands behind the last whole record, as after a kill.
        sn_append_file_cut(file, file->size, NULL);
        return sn_write_fail(error, file->path, error_number);
    }
    file->size += (int64_t)size;
    return SINEW_OK;
}

SinewStatus sn_append_file_patch(SnAppendFile *file, int64_t offset, const void *data, size_t size,
                                 SinewError *error)
{
    int error_number = write_all(file->descriptor, data, size, offset);
    return error_number == 0 ? SINEW_OK : sn_write_fail(error, file->path, error_number);
}

SinewStatus sn_append_file_cut(SnAppendFile *file, int64_t size, SinewError *error)
{
    int result;
    do {
        result = ftruncate(file->descriptor, (off_t)size);
    } while (result != 0 && errno == EINTR);
    if (result != 0) {
        return sn_write_fail(error, file->path, errno);
    }
    file->size = size;
    return SINEW_OK;
}

SinewStatus sn_append_file_close(SnAppendFile *file, SinewError *error)
{
    if (!file->is_open) {
        return SINEW_OK;
    }
    file->is_open = false;
    return close(file->descriptor) == 0 ? SINEW_OK : sn_write_fail(error, file->path, errno);
}

#include "io/whole_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Room for ".", a process number, ".", an attempt, ".part" and the end.
enum { SUFFIX_SIZE = 48, ATTEMPTS = 100 };

// A long path keeps its end, which tells more.
SinewStatus sn_write_fail(SinewError *error, const char *path, int error_number)
{
    enum { SHOWN = 140 };
    size_t length = strlen(path);
    const char *shown = length > SHOWN ? path + length - SHOWN : path;
    SinewStatus status = error_number == ENOMEM ? SINEW_ERROR_MEMORY : SINEW_ERROR_WRITE;
    return sn_fail(error, status, "%s%s: cannot be written: %s", shown == path ? "" : "...", shown,
                   error_number == 0 ? "unknown reason" : strerror(error_number));
}

// A plain file, or none yet: it can be replaced by renaming.
static bool is_replaceable(const char *path)
{
    struct stat info;
    return lstat(path, &info) != 0 || S_ISREG(info.st_mode);
}

// Opens a fresh file beside `path`. Its name holds the process, so that two runs never share one; a
// leftover of a killed run with the same number is stepped over.
static int open_temporary(SnWholeFile *file, size_t size)
{
    int descriptor = -1;
    for (int attempt = 0; attempt < ATTEMPTS && descriptor < 0; ++attempt) {
        snprintf(file->temporary, size, "%s.%ld.%d.part", file->path, (long)getpid(), attempt);
        descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (descriptor < 0 && errno != EEXIST) {
            break;
        }
    }
    return descriptor;
}

SinewStatus sn_whole_file_begin(SnWholeFile *file, const char *path,
                                const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *file = (SnWholeFile){.allocator = allocator, .path = path};

    int descriptor;
    if (is_replaceable(path)) {
        size_t size = strlen(path) + SUFFIX_SIZE;
        SN_ALLOC(file->temporary, allocator, size, error);
        descriptor = open_temporary(file, size);
    } else {
        descriptor = open(path, O_WRONLY | O_TRUNC);
    }
    if (descriptor < 0) {
        SN_TRY(sn_write_fail(error, path, errno));
    }
    file->stream = fdopen(descriptor, "wb");
    if (file->stream == NULL) {
        int error_number = errno;
        close(descriptor);
        if (file->temporary != NULL) {
            unlink(file->temporary);
        }
        SN_TRY(sn_write_fail(error, path, error_number));
    }

done:
    if (status < 0) {
        sn_free(allocator, file->temporary);
        file->temporary = NULL;
    }
    return status;
}

static bool keep_error(SnWholeFile *file, bool wrote)
{
    if (!wrote && file->error_number == 0) {
        file->error_number = errno != 0 ? errno : EIO;
    }
    return file->error_number == 0;
}

bool sn_whole_file_write(SnWholeFile *file, const void *data, size_t size)
{
    if (file->error_number != 0) {
        return false;
    }
    return keep_error(file, fwrite(data, 1, size, file->stream) == size);
}

bool sn_whole_file_printf(SnWholeFile *file, const char *format, ...)
{
    if (file->error_number != 0) {
        return false;
    }
    va_list arguments;
    va_start(arguments, format);
    bool wrote = vfprintf(file->stream, format, arguments) >= 0;
    va_end(arguments);
    return keep_error(file, wrote);
}

SinewStatus sn_whole_file_commit(SnWholeFile *file, SinewError *error)
{
    // Closing writes what is still buffered, so a full disk often shows only here.
    bool closed = fclose(file->stream) == 0;
    file->stream = NULL;
    bool good = keep_error(file, closed);
    if (file->temporary != NULL && good) {
        good = keep_error(file, rename(file->temporary, file->path) == 0);
    }
    if (file->temporary != NULL && !good) {
        unlink(file->temporary);
    }
    sn_free(file->allocator, file->temporary);
    file->temporary = NULL;
    return good ? SINEW_OK : sn_write_fail(error, file->path, file->error_number);
}

void sn_whole_file_abandon(SnWholeFile *file)
{
    if (file->stream != NULL) {
        fclose(file->stream);
        file->stream = NULL;
        if (file->temporary != NULL) {
            unlink(file->temporary);
        }
    }
    sn_free(file->allocator, file->temporary);
    file->temporary = NULL;
}

// Steps back from `end` over digits and the "." before them. NULL: they are not there.
static const char *before_number(const char *name, const char *end)
{
    const char *at = end;
    while (at > name && at[-1] >= '0' && at[-1] <= '9') {
        --at;
    }
    return at < end && at > name && at[-1] == '.' ? at - 1 : NULL;
}

static bool is_leftover(const char *name)
{
    static const char ending[] = ".part";
    size_t length = strlen(name);
    if (length < sizeof ending || strcmp(name + length - (sizeof ending - 1), ending) != 0) {
        return false;
    }
    const char *attempt = before_number(name, name + length - (sizeof ending - 1));
    const char *process = attempt == NULL ? NULL : before_number(name, attempt);
    return process != NULL && process > name;
}

int sn_whole_file_sweep(const char *folder)
{
    int count = 0;
    DIR *list = opendir(folder);
    if (list == NULL) {
        return 0;
    }
    for (struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        struct stat info;
        if (is_leftover(entry->d_name) &&
            fstatat(dirfd(list), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(info.st_mode)) {
            count += unlinkat(dirfd(list), entry->d_name, 0) == 0;
        }
    }
    closedir(list);
    return count;
}

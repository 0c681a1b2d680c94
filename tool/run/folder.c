#include "tool/run/folder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FRAME_DIGITS = 6 };

static SinewStatus make_folder(const char *path, SinewError *error)
{
    struct stat info;
    if (mkdir(path, 0777) == 0 ||
        (errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode))) {
        return SINEW_OK;
    }
    return sn_fail(error, SINEW_ERROR_WRITE, "%.160s: cannot be made: %s", path,
                   errno == EEXIST ? "it is there and is no folder" : strerror(errno));
}

static SinewStatus make_parents(const char *path, SinewError *error)
{
    char part[SN_RUN_PATH_MAX];
    for (const char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        SinewStatus status = make_folder(part, error);
        if (status < 0) {
            return status;
        }
    }
    return make_folder(path, error);
}

static bool ends_with(const char *name, const char *suffix)
{
    size_t length = strlen(name), wanted = strlen(suffix);
    return length > wanted && strcmp(name + length - wanted, suffix) == 0;
}

// "BODY.000012.vtu" or "000012.png": digits of a frame before the suffix.
static bool is_frame(const char *name)
{
    static const char *const suffixes[] = {".vtu", ".obj", ".ply", ".png", ".pc2"};
    for (size_t s = 0; s < sizeof suffixes / sizeof *suffixes; ++s) {
        if (!ends_with(name, suffixes[s])) {
            continue;
        }
        const char *end = name + strlen(name) - strlen(suffixes[s]);
        int digits = 0;
        while (end - digits > name && isdigit((unsigned char)end[-digits - 1])) {
            ++digits;
        }
        return digits >= FRAME_DIGITS && (end - digits == name || end[-digits - 1] == '.');
    }
    return false;
}

static bool is_product(const char *name)
{
    return strcmp(name, "probes.csv") == 0 || strcmp(name, "checkpoint") == 0 ||
           strcmp(name, "contact_sheet.png") == 0 || ends_with(name, ".pvd") ||
           ends_with(name, ".pc2") || ends_with(name, ".glb") || ends_with(name, ".topology.obj");
}

static bool is_plot(const char *name)
{
    return ends_with(name, ".svg");
}

static bool is_half_written(const char *name)
{
    return ends_with(name, ".part");
}

// Removes the files that `is_ours` names, and those that a killed run was writing.
static void clear(const char *path, bool (*is_ours)(const char *name))
{
    DIR *entries = opendir(path);
    if (entries == NULL) {
        return;
    }
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (is_half_written(entry->d_name) || (is_ours != NULL && is_ours(entry->d_name))) {
            unlinkat(dirfd(entries), entry->d_name, 0);
        }
    }
    closedir(entries);
}

SinewStatus sn_run_folder_open(SnRunFolder *folder, const char *path, bool is_new,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    char inner[SN_RUN_PATH_MAX];
    if (strlen(path) >= sizeof folder->path) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the output folder's name has %zu letters, expected less than %zu",
                       strlen(path), sizeof folder->path);
    }
    snprintf(folder->path, sizeof folder->path, "%s", path);
    SN_TRY(make_parents(path, error));
    clear(path, is_new ? is_product : NULL);
    static const char *const names[] = {"frames", "plots"};
    bool (*const ours[])(const char *) = {is_frame, is_plot};
    for (int i = 0; i < 2; ++i) {
        snprintf(inner, sizeof inner, "%s/%s", path, names[i]);
        SN_TRY(make_folder(inner, error));
        clear(inner, is_new ? ours[i] : NULL);
    }
done:
    return status;
}

// Letters, digits and a few signs stay.
static void copy_safe(const char *name, char *out, size_t size)
{
    size_t n = 0;
    for (; name[n] != '\0' && n + 1 < size; ++n) {
        unsigned char c = (unsigned char)name[n];
        bool is_safe = isalnum(c) || c >= 0x80 || (n > 0 && c == '.') || strchr("-_+ ", c) != NULL;
        out[n] = is_safe ? (char)c : '_';
    }
    out[n] = '\0';
}

void sn_run_folder_name(const SnRunFolder *folder, const char *name, const char *suffix,
                        char out[SN_RUN_PATH_MAX])
{
    char safe[256];
    copy_safe(name, safe, sizeof safe);
    snprintf(out, SN_RUN_PATH_MAX, "%s/%s%s", folder->path, safe, suffix);
}

void sn_run_folder_frame(const SnRunFolder *folder, const char *name, int frame, const char *suffix,
                         char out[SN_RUN_PATH_MAX])
{
    char safe[256] = "";
    if (name != NULL) {
        copy_safe(name, safe, sizeof safe);
    }
    snprintf(out, SN_RUN_PATH_MAX, "%s/frames/%s%s%0*d%s", folder->path, safe,
             name != NULL ? "." : "", FRAME_DIGITS, frame, suffix);
}

void sn_run_folder_plot(const SnRunFolder *folder, const char *name, char out[SN_RUN_PATH_MAX])
{
    char safe[256];
    copy_safe(name, safe, sizeof safe);
    snprintf(out, SN_RUN_PATH_MAX, "%s/plots/%s.svg", folder->path, safe);
}

#include "support/file_checks.h"

#include "support/test.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static char folder[64];
static struct rlimit before;

int sn_test_folder_make(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/sinew_test_XXXXXX");
    return mkdtemp(folder) == NULL ? -1 : 0;
}

int sn_test_folder_remove(void **state)
{
    (void)state;
    int left = 0;
    DIR *list = opendir(folder);
    for (struct dirent *entry = NULL; list != NULL && (entry = readdir(list)) != NULL;) {
        char path[400];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (strstr(entry->d_name, ".part") != NULL) {
            printf("%s was left behind\n", path);
            left = -1;
        }
        if (entry->d_name[0] != '.') {
            unlink(path);
        }
    }
    if (list != NULL) {
        closedir(list);
    }
    return rmdir(folder) != 0 ? -1 : left;
}

const char *sn_test_path(const char *name)
{
    static char paths[4][160];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

char *sn_test_load(const char *path, size_t *out_size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail_msg("%s is not there", path);
    }
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, size, file), size);
    fclose(file);
    bytes[size] = '\0';
    *out_size = size;
    return bytes;
}

void sn_test_expect_same_file(const char *a, const char *b)
{
    size_t size[2];
    char *bytes[2] = {sn_test_load(a, &size[0]), sn_test_load(b, &size[1])};
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    free(bytes[0]);
    free(bytes[1]);
}

void sn_test_disk_full(long size)
{
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit small = {.rlim_cur = (rlim_t)size, .rlim_max = before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
}

void sn_test_disk_free(void)
{
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
}

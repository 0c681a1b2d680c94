// Replays the seed corpora of the surface fuzzers: files named good_ are read, those named bad_ are
// refused with a sentence.
#include "support/surfaces.h"
#include "support/test.h"

#include <dirent.h>

static void replay(const char *folder, SnSurfaceReader *reader, const char *path, bool is_good)
{
    SnBytes bytes = {0};
    SnSurface *surface = NULL;
    SinewError error = {0};
    assert_int_equal(sn_bytes_open(path, NULL, &bytes, &error), SINEW_OK);
    SinewStatus status = reader(&bytes, NULL, &surface, &error);
    if (is_good && status != SINEW_OK) {
        fail_msg("%s: %s", folder, error.text);
    }
    if (!is_good && (status != SINEW_ERROR_FILE || strstr(error.text, folder) == NULL)) {
        fail_msg("%s was not refused as it should be", path);
    }
    sn_surface_destroy(surface, NULL);
    sn_bytes_close(&bytes);
}

static void replay_all(const char *name, SnSurfaceReader *reader)
{
    char folder[400];
    char path[800];
    snprintf(folder, sizeof folder, "%s/%s", SINEW_CORPUS_DIR, name);
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    int good = 0;
    int bad = 0;
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        bool is_good = strncmp(entry->d_name, "good_", 5) == 0;
        bool is_bad = strncmp(entry->d_name, "bad_", 4) == 0;
        if (is_good || is_bad) {
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            replay(name, reader, path, is_good);
            good += is_good;
            bad += is_bad;
        }
    }
    closedir(entries);
    assert_true(good >= 3 && bad >= 4); // the folder is there and is the right one
}

static void obj(void **state)
{
    (void)state;
    replay_all("obj", sn_read_obj);
}

static void ply(void **state)
{
    (void)state;
    replay_all("ply", sn_read_ply);
}

static void stl(void **state)
{
    (void)state;
    replay_all("stl", sn_read_stl);
}

static void off(void **state)
{
    (void)state;
    replay_all("off", sn_read_off);
}

static void three_ds(void **state)
{
    (void)state;
    replay_all("3ds", sn_read_3ds);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(obj), cmocka_unit_test(ply),      cmocka_unit_test(stl),
    cmocka_unit_test(off), cmocka_unit_test(three_ds),
};

SN_TEST_GROUP(io_corpus_surface, tests);

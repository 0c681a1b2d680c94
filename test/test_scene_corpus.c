// The inputs that the fuzzer of scenes starts from, and those that once broke the reader.
#include "support/test.h"

#include "io/bytes.h"
#include "sinew/scene.h"

#include <dirent.h>

// Returns 1 if the file gave a scene. What comes after a zero byte is for the fuzzer alone.
static int replay_file(const char *path)
{
    SnBytes bytes;
    SinewError error = {.text = ""};
    SinewScene *scene = NULL;
    assert_int_equal(sn_bytes_open(path, NULL, &bytes, &error), SINEW_OK);
    const unsigned char *zero = memchr(bytes.data, 0, bytes.size);
    size_t size = zero != NULL ? (size_t)(zero - bytes.data) : bytes.size;
    SinewStatus status = sinew_scene_parse((const char *)bytes.data, size, "input", NULL, NULL, 0,
                                           NULL, &scene, &error);
    assert_true((status == SINEW_OK) == (scene != NULL));
    if (status != SINEW_OK && strncmp(error.text, "input:", 6) != 0) {
        fail_msg("%s was refused without a place: %s", path, error.text);
    }
    // The names of the files say what they are.
    const char *name = strrchr(path, '/') + 1;
    if (strncmp(name, "good_", 5) == 0 && status != SINEW_OK) {
        fail_msg("%s: %s", path, error.text);
    }
    if (strncmp(name, "bad_", 4) == 0 && status == SINEW_OK) {
        fail_msg("%s was not refused", path);
    }
    sinew_scene_destroy(scene);
    sn_bytes_close(&bytes);
    return status == SINEW_OK;
}

static void corpus_is_replayed(void **state)
{
    (void)state;
    int scenes = 0;
    DIR *folder = opendir(SINEW_CORPUS_DIR "/scene");
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char path[600];
        snprintf(path, sizeof path, SINEW_CORPUS_DIR "/scene/%.200s", entry->d_name);
        scenes += entry->d_name[0] != '.' ? replay_file(path) : 0;
    }
    closedir(folder);
    assert_true(scenes >= 8);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(corpus_is_replayed)};
SN_TEST_GROUP(scene_corpus, tests);

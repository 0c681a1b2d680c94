// Checkpoints: what is written comes back; what is damaged, cut short, of another version or of
// another scene does not.
#include "support/test.h"

#include "tool/run/checkpoint.h"

#include <stdlib.h>
#include <unistd.h>

static char path[64];

static int make_path(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "sinew_checkpoint_XXXXXX");
    int descriptor = mkstemp(path);
    return descriptor < 0 ? -1 : close(descriptor);
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

static SnCheckpoint some(unsigned char bytes[100])
{
    SnCheckpoint checkpoint = sn_checkpoint_make();
    for (int i = 0; i < 100; ++i) {
        bytes[i] = (unsigned char)(3 * i);
    }
    checkpoint.scene = 17;
    checkpoint.step = 5;
    checkpoint.frame = 2;
    checkpoint.is_finished = 1;
    checkpoint.state = bytes;
    checkpoint.size = 100;
    return checkpoint;
}

static void write_one(void)
{
    unsigned char bytes[100];
    SnCheckpoint checkpoint = some(bytes);
    assert_int_equal(sn_checkpoint_write(&checkpoint, path, NULL), SINEW_OK);
}

static void what_is_written_comes_back(void **state)
{
    (void)state;
    SnCheckpoint checkpoint;
    write_one();
    assert_int_equal(sn_checkpoint_read(path, 17, &checkpoint, NULL), SINEW_OK);
    assert_int_equal(checkpoint.step, 5);
    assert_int_equal(checkpoint.frame, 2);
    assert_int_equal(checkpoint.is_finished, 1);
    assert_int_equal(checkpoint.size, 100);
    assert_int_equal(((unsigned char *)checkpoint.state)[7], 21);
    sn_checkpoint_release(&checkpoint);
}

static void another_scene_is_refused(void **state)
{
    (void)state;
    SnCheckpoint checkpoint;
    SinewError error;
    write_one();
    assert_int_equal(sn_checkpoint_read(path, 18, &checkpoint, &error), SINEW_ERROR_FILE);
    assert_non_null(strstr(error.text, "another scene"));
    assert_null(checkpoint.state);
}

static void expect_refused(const char *words)
{
    SnCheckpoint checkpoint;
    SinewError error;
    assert_int_equal(sn_checkpoint_read(path, 17, &checkpoint, &error), SINEW_ERROR_FILE);
    if (strstr(error.text, words) == NULL) {
        fail_msg("\"%s\" has no \"%s\"", error.text, words);
    }
    assert_null(checkpoint.state);
}

// Those of another library, of another kind of state, and of the first kind of file.
static void other_versions_are_refused(void **state)
{
    (void)state;
    unsigned char bytes[100];
    char words[100];
    SnCheckpoint checkpoint = some(bytes);
    unsigned mine = checkpoint.state_version;
    checkpoint.state_version = 1;
    assert_int_equal(sn_checkpoint_write(&checkpoint, path, NULL), SINEW_OK);
    snprintf(words, sizeof words, "by sinew %s with states of version 1, expected %s with %u",
             sinew_version(), sinew_version(), mine);
    expect_refused(words);
    checkpoint = some(bytes);
    memcpy(checkpoint.library, "0.0.7", sizeof "0.0.7");
    assert_int_equal(sn_checkpoint_write(&checkpoint, path, NULL), SINEW_OK);
    expect_refused("was written by sinew 0.0.7 with");
    write_one();
    FILE *file = fopen(path, "r+b");
    assert_int_equal(fseek(file, 7, SEEK_SET), 0);
    assert_int_equal(fputc('1', file), '1');
    fclose(file);
    expect_refused("is a checkpoint of version 1, expected 2");
}

// Every byte counts: turned over, or missing at the end.
static void damage_is_noticed(void **state)
{
    (void)state;
    unsigned char bytes[512];
    write_one();
    FILE *file = fopen(path, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_in_range(size, 100, sizeof bytes - 1);
    for (size_t i = 0; i < 2 * size; ++i) {
        SnCheckpoint checkpoint;
        size_t kept = i < size ? size : i - size;
        bytes[i % size] ^= i < size ? 0x40 : 0;
        file = fopen(path, "wb");
        assert_int_equal(fwrite(bytes, 1, kept, file), kept);
        fclose(file);
        assert_int_equal(sn_checkpoint_read(path, 17, &checkpoint, NULL), SINEW_ERROR_FILE);
        assert_null(checkpoint.state);
        bytes[i % size] ^= i < size ? 0x40 : 0;
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(what_is_written_comes_back, make_path, remove_path),
    cmocka_unit_test_setup_teardown(another_scene_is_refused, make_path, remove_path),
    cmocka_unit_test_setup_teardown(other_versions_are_refused, make_path, remove_path),
    cmocka_unit_test_setup_teardown(damage_is_noticed, make_path, remove_path),
};
SN_TEST_GROUP(run_checkpoint, tests);

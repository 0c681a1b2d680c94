// Checkpoints: what is written comes back; what is damaged, cut short or of another scene does not.
#include "support/test.h"

#include "tool/checkpoint.h"

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

static void write_one(void)
{
    unsigned char bytes[100];
    for (int i = 0; i < 100; ++i) {
        bytes[i] = (unsigned char)(3 * i);
    }
    SnCheckpoint checkpoint = {
        .scene = 17, .step = 5, .frame = 2, .is_finished = 1, .state = bytes, .size = sizeof bytes};
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
    cmocka_unit_test_setup_teardown(damage_is_noticed, make_path, remove_path),
};
SN_TEST_GROUP(tool_checkpoint, tests);

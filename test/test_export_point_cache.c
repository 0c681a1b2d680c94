#include "support/fail_allocator.h"
#include "support/file_checks.h"
#include "support/test.h"

#include "io/little_endian.h"
#include "tool/export/point_cache.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { VERTICES = 5, FRAMES = 7, BLOCK = 12 * VERTICES };

static const SnPointCacheDef cache_def = {
    .vertex_count = VERTICES, .start_frame = 1.0f, .frame_step = 2.0f};

static void make_positions(int frame, float *xyz)
{
    for (int i = 0; i < 3 * VERTICES; ++i) {
        xyz[i] = (float)(frame * 100 + i) + 0.125f;
    }
}

static SinewStatus append_frames(SnPointCacheWriter *writer, int begin, int end, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int f = begin; f < end && status == SINEW_OK; ++f) {
        float xyz[3 * VERTICES];
        make_positions(f, xyz);
        status = sn_point_cache_append(writer, xyz, error);
    }
    return status;
}

static void write_cache(const char *path, int keep, int end)
{
    SnPointCacheWriter writer;
    assert_int_equal(sn_point_cache_begin(&writer, path, &cache_def, keep, NULL, NULL), SINEW_OK);
    assert_int_equal(append_frames(&writer, keep, end, NULL), SINEW_OK);
    assert_int_equal(writer.sample_count, end);
    assert_int_equal(sn_point_cache_end(&writer, NULL), SINEW_OK);
}

static void expect_samples(const char *path, int count)
{
    SnPointCache cache;
    SinewError error;
    if (sn_point_cache_open(path, NULL, &cache, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(cache.sample_count, count);
    for (int f = 0; f < count; ++f) {
        float xyz[3 * VERTICES];
        make_positions(f, xyz);
        for (int v = 0; v < VERTICES; ++v) {
            float got[3];
            sn_point_cache_vertex(&cache, f, v, got);
            assert_memory_equal(got, xyz + 3 * v, sizeof got);
        }
    }
    sn_point_cache_close(&cache);
}

// Byte by byte, as Blender, Maya and Houdini read it.
static void the_header_is_that_of_the_format(void **state)
{
    (void)state;
    const char *path = sn_test_path("a.pc2");
    write_cache(path, 0, 2);
    size_t size;
    char *text = sn_test_load(path, &size);
    const unsigned char *bytes = (const unsigned char *)text;
    assert_int_equal(size, 32 + 2 * BLOCK);
    assert_memory_equal(bytes, "POINTCACHE2\0", 12);
    assert_int_equal(sn_load_u32_little(bytes + 12), 1);
    assert_int_equal(sn_load_u32_little(bytes + 16), VERTICES);
    assert_int_equal(sn_load_u32_little(bytes + 20), 0x3f800000); // 1.0f
    assert_int_equal(sn_load_u32_little(bytes + 24), 0x40000000); // 2.0f
    assert_int_equal(sn_load_u32_little(bytes + 28), 2);
    assert_int_equal(sn_load_u32_little(bytes + 32), 0x3e000000); // 0.125f
    free(text);
    expect_samples(path, 2);
}

static void a_cache_is_valid_after_each_frame(void **state)
{
    (void)state;
    const char *path = sn_test_path("a.pc2");
    SnPointCacheWriter writer;
    assert_int_equal(sn_point_cache_begin(&writer, path, &cache_def, 0, NULL, NULL), SINEW_OK);
    expect_samples(path, 0);
    for (int f = 0; f < FRAMES; ++f) {
        assert_int_equal(append_frames(&writer, f, f + 1, NULL), SINEW_OK);
        expect_samples(path, f + 1);
    }
    assert_int_equal(sn_point_cache_end(&writer, NULL), SINEW_OK);
    assert_int_equal(sn_point_cache_end(&writer, NULL), SINEW_OK);
}

// Wherever a run was killed: with any part of a frame behind the last whole one, its count in the
// header or not yet, and a checkpoint from before.
static void a_cache_goes_on_after_a_kill_at_any_byte(void **state)
{
    (void)state;
    const char *whole = sn_test_path("whole.pc2");
    const char *path = sn_test_path("killed.pc2");
    write_cache(whole, 0, FRAMES);
    for (int torn = 0; torn <= BLOCK; torn += 5) {
        for (int keep = 1; keep <= 4; ++keep) {
            unlink(path);
            write_cache(path, 0, 4);
            FILE *file = fopen(path, "ab");
            assert_non_null(file);
            for (int i = 0; i < torn; ++i) {
                fputc('x', file);
            }
            fclose(file);
            expect_samples(path, 4);
            write_cache(path, keep, FRAMES);
            sn_test_expect_same_file(path, whole);
        }
    }
}

// A process of its own writes frames until it is killed, wherever that finds it.
static void a_killed_process_leaves_a_valid_cache(void **state)
{
    (void)state;
    enum { ROUNDS = 20 };
    const char *whole = sn_test_path("whole.pc2");
    const char *path = sn_test_path("killed.pc2");
    for (int round = 0; round < ROUNDS; ++round) {
        unlink(path);
        write_cache(path, 0, 1);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            SnPointCacheWriter writer;
            sn_point_cache_begin(&writer, path, &cache_def, 1, NULL, NULL);
            append_frames(&writer, 1, 1000000, NULL);
            _exit(0);
        }
        usleep((useconds_t)(100 + 397 * round));
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, NULL, 0), child);
        SnPointCache cache;
        assert_int_equal(sn_point_cache_open(path, NULL, &cache, NULL), SINEW_OK);
        int count = cache.sample_count;
        sn_point_cache_close(&cache);
        expect_samples(path, count);
        write_cache(path, count, count + 2);
        unlink(whole);
        write_cache(whole, 0, count + 2);
        sn_test_expect_same_file(path, whole);
    }
}

// The count in the header went back, and the kill came before the rest was cut off.
static void a_cache_goes_on_after_a_kill_while_it_goes_on(void **state)
{
    (void)state;
    const char *whole = sn_test_path("whole.pc2");
    const char *path = sn_test_path("killed.pc2");
    write_cache(whole, 0, FRAMES);
    write_cache(path, 0, 5);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, 28, SEEK_SET);
    fputc(2, file);
    fclose(file);
    expect_samples(path, 2);
    write_cache(path, 2, FRAMES);
    sn_test_expect_same_file(path, whole);
}

static void a_full_disk_keeps_all_finished_frames(void **state)
{
    (void)state;
    const char *path = sn_test_path("a.pc2");
    SnPointCacheWriter writer;
    SinewError error;
    assert_int_equal(sn_point_cache_begin(&writer, path, &cache_def, 0, NULL, NULL), SINEW_OK);
    sn_test_disk_full(32 + 3 * BLOCK + 7);
    SinewStatus status = append_frames(&writer, 0, FRAMES, &error);
    sn_test_disk_free();
    assert_int_equal(status, SINEW_ERROR_WRITE);
    assert_non_null(strstr(error.text, "a.pc2: cannot be written"));
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, 32 + 3 * BLOCK);
    expect_samples(path, 3);
    // With room again it goes on as if nothing had been.
    assert_int_equal(append_frames(&writer, 3, FRAMES, NULL), SINEW_OK);
    assert_int_equal(sn_point_cache_end(&writer, NULL), SINEW_OK);
    expect_samples(path, FRAMES);
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(sn_point_cache_begin(&writer, "/dev/full", &cache_def, 0, NULL, &error),
                         SINEW_ERROR_WRITE);
    }
    assert_int_equal(
        sn_point_cache_begin(&writer, "/no/such/folder/a", &cache_def, 0, NULL, &error),
        SINEW_ERROR_WRITE);
}

static void expect_no_resume(const char *path, const SnPointCacheDef *def, int keep,
                             SinewStatus expected, const char *sentence)
{
    SnPointCacheWriter writer;
    SinewError error;
    assert_int_equal(sn_point_cache_begin(&writer, path, def, keep, NULL, &error), expected);
    if (strstr(error.text, sentence) == NULL) {
        fail_msg("\"%s\" holds no \"%s\"", error.text, sentence);
    }
    assert_int_equal(sn_point_cache_end(&writer, NULL), SINEW_OK);
}

static void what_cannot_go_on_is_refused(void **state)
{
    (void)state;
    const char *path = sn_test_path("a.pc2");
    write_cache(path, 0, 3);
    expect_no_resume(path, &cache_def, 4, SINEW_ERROR_FILE, "has 3 samples, expected at least 4");
    SnPointCacheDef other = cache_def;
    other.vertex_count = 6;
    expect_no_resume(path, &other, 1, SINEW_ERROR_FILE,
                     "has 5 vertices from frame 1 in steps of 2");
    expect_no_resume(path, &cache_def, -1, SINEW_ERROR_ARGUMENT, "keeps -1 samples");
    expect_no_resume(sn_test_path("none.pc2"), &cache_def, 1, SINEW_ERROR_FILE, "none.pc2");
    expect_no_resume("/dev/null", &cache_def, 1, SINEW_ERROR_FILE, "is a device, expected a file");
    expect_samples(path, 3);
}

// Each byte of a cache cut off, and counts that are too large.
static void damaged_caches_are_refused(void **state)
{
    (void)state;
    const char *path = sn_test_path("a.pc2");
    SnPointCache cache;
    SinewError error;
    for (int size = 0; size < 32 + 2 * BLOCK; ++size) {
        unlink(path);
        write_cache(path, 0, 2);
        assert_int_equal(truncate(path, size), 0);
        assert_int_equal(sn_point_cache_open(path, NULL, &cache, &error), SINEW_ERROR_FILE);
        assert_non_null(strstr(error.text, "a.pc2"));
        assert_null(cache.bytes.data);
    }
    static const int places[] = {3, 12, 17, 19, 29, 31};
    for (int i = 0; i < SN_COUNT(places); ++i) {
        write_cache(path, 0, 2);
        FILE *file = fopen(path, "r+b");
        assert_non_null(file);
        fseek(file, places[i], SEEK_SET);
        fputc(0xff, file);
        fclose(file);
        assert_int_equal(sn_point_cache_open(path, NULL, &cache, &error), SINEW_ERROR_FILE);
    }
}

static SinewStatus write_allocating(const SinewAllocator *allocator, void *context,
                                    SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnPointCacheWriter writer = {0};
    SnPointCache cache = {0};
    const char *path = context;
    for (int keep = 0; keep < 3; keep += 2) {
        SN_TRY(sn_point_cache_begin(&writer, path, &cache_def, keep, allocator, error));
        SN_TRY(append_frames(&writer, keep, 3, error));
        SN_TRY(sn_point_cache_end(&writer, error));
    }
    SN_TRY(sn_point_cache_open(path, allocator, &cache, error));
done:
    sn_point_cache_end(&writer, NULL);
    sn_point_cache_close(&cache);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    char path[160];
    snprintf(path, sizeof path, "%s", sn_test_path("a.pc2"));
    assert_true(sn_fail_each_allocation(write_allocating, path) >= 3);
}

#define IN_FOLDER(test)                                                                            \
    cmocka_unit_test_setup_teardown(test, sn_test_folder_make, sn_test_folder_remove)

static const struct CMUnitTest tests[] = {
    IN_FOLDER(the_header_is_that_of_the_format),
    IN_FOLDER(a_cache_is_valid_after_each_frame),
    IN_FOLDER(a_cache_goes_on_after_a_kill_at_any_byte),
    IN_FOLDER(a_killed_process_leaves_a_valid_cache),
    IN_FOLDER(a_cache_goes_on_after_a_kill_while_it_goes_on),
    IN_FOLDER(a_full_disk_keeps_all_finished_frames),
    IN_FOLDER(what_cannot_go_on_is_refused),
    IN_FOLDER(damaged_caches_are_refused),
    IN_FOLDER(each_allocation_may_fail),
};
SN_TEST_GROUP(export_point_cache, tests);

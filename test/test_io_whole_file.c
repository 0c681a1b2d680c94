#include "support/fail_allocator.h"
#include "support/test.h"

#include "io/whole_file.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
static char path[128];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/sinew_test_XXXXXX");
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/file.txt", folder);
    return 0;
}

// Also shows that no test left a temporary file behind.
static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static SinewStatus write_file(const char *words, const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWholeFile file;
    SN_TRY(sn_whole_file_begin(&file, path, allocator, error));
    sn_whole_file_printf(&file, "%s", words);
    SN_TRY(sn_whole_file_commit(&file, error));

done:
    sn_whole_file_abandon(&file);
    return status;
}

static void expect_content(const char *words)
{
    char content[64] = {0};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(content, 1, sizeof content - 1, file), strlen(words));
    fclose(file);
    assert_string_equal(content, words);
}

static void a_file_appears_at_the_commit(void **state)
{
    (void)state;
    SnWholeFile file;
    assert_int_equal(sn_whole_file_begin(&file, path, NULL, NULL), SINEW_OK);
    assert_true(sn_whole_file_write(&file, "ab", 2));
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(sn_whole_file_commit(&file, NULL), SINEW_OK);
    expect_content("ab");
    // Others may read it, as the process's mask says.
    mode_t mask = umask(0);
    umask(mask);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0666 & ~mask);
}

static void an_abandoned_file_leaves_the_old_one(void **state)
{
    (void)state;
    assert_int_equal(write_file("old", NULL, NULL), SINEW_OK);
    SnWholeFile file;
    assert_int_equal(sn_whole_file_begin(&file, path, NULL, NULL), SINEW_OK);
    sn_whole_file_printf(&file, "new and longer");
    sn_whole_file_abandon(&file);
    sn_whole_file_abandon(&file);
    expect_content("old");
    assert_int_equal(write_file("new", NULL, NULL), SINEW_OK);
    expect_content("new");
}

// A limit on the size of files stands in for a disk that runs full on the way.
static void a_disk_that_runs_full_leaves_the_old_file(void **state)
{
    (void)state;
    assert_int_equal(write_file("old", NULL, NULL), SINEW_OK);
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit small = {.rlim_cur = 1000, .rlim_max = before.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    SnWholeFile file;
    SinewStatus status = sn_whole_file_begin(&file, path, NULL, NULL);
    bool wrote = true;
    for (int i = 0; i < 10000 && status == SINEW_OK; ++i) {
        wrote = sn_whole_file_printf(&file, "line %d\n", i);
    }
    SinewError error;
    SinewStatus committed = sn_whole_file_commit(&file, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, SINEW_OK);
    assert_false(wrote);
    assert_int_equal(committed, SINEW_ERROR_WRITE);
    assert_non_null(strstr(error.text, path));
    assert_non_null(strstr(error.text, strerror(EFBIG)));
    expect_content("old");
}

static void a_leftover_of_a_killed_run_is_no_hindrance(void **state)
{
    (void)state;
    char leftover[192];
    snprintf(leftover, sizeof leftover, "%s.%ld.0.part", path, (long)getpid());
    FILE *file = fopen(leftover, "wb");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(write_file("new", NULL, NULL), SINEW_OK);
    expect_content("new");
    assert_int_equal(unlink(leftover), 0);
}

static void leftovers_can_be_swept_away(void **state)
{
    (void)state;
    static const char *const names[] = {"file.txt.12.0.part", "a.vtu.1.99.part", ".12.0.part",
                                        "file.part",          "file.7.part",     "a.12.0.parts",
                                        "a.12..part",         "a.b.0.part"};
    char place[192];
    for (int i = 0; i < SN_COUNT(names); ++i) {
        snprintf(place, sizeof place, "%s/%s", folder, names[i]);
        FILE *file = fopen(place, "wb");
        assert_non_null(file);
        fclose(file);
    }
    assert_int_equal(sn_whole_file_sweep(folder), 2);
    assert_int_equal(sn_whole_file_sweep(folder), 0);
    for (int i = 0; i < SN_COUNT(names); ++i) {
        snprintf(place, sizeof place, "%s/%s", folder, names[i]);
        assert_int_equal(unlink(place) == 0, i >= 2);
    }
    assert_int_equal(sn_whole_file_sweep("/no/such/folder"), 0);
}

static void a_long_path_keeps_its_end_in_the_message(void **state)
{
    (void)state;
    char longer[600];
    memset(longer, 'x', sizeof longer);
    snprintf(longer + 500, sizeof longer - 500, "/the_end.png");
    SnWholeFile file;
    SinewError error;
    assert_int_equal(sn_whole_file_begin(&file, longer, NULL, &error), SINEW_ERROR_WRITE);
    assert_non_null(strstr(error.text, "/the_end.png: cannot be written"));
}

static SinewStatus write_allocating(const SinewAllocator *allocator, void *context,
                                    SinewError *error)
{
    (void)context;
    return write_file("words", allocator, error);
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    assert_int_equal(sn_fail_each_allocation(write_allocating, NULL), 1);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

static const struct CMUnitTest tests[] = {
    IN_FOLDER(a_file_appears_at_the_commit),
    IN_FOLDER(an_abandoned_file_leaves_the_old_one),
    IN_FOLDER(a_disk_that_runs_full_leaves_the_old_file),
    IN_FOLDER(a_leftover_of_a_killed_run_is_no_hindrance),
    IN_FOLDER(leftovers_can_be_swept_away),
    IN_FOLDER(a_long_path_keeps_its_end_in_the_message),
    IN_FOLDER(each_allocation_may_fail),
};
SN_TEST_GROUP(io_whole_file, tests);

#include "support/fail_allocator.h"
#include "support/test.h"

#include "tool/picture/image.h"

#include <errno.h>
#include <png.h>
#include <unistd.h>

// A gradient, so that rows and channels differ.
static SnImage *make_image(int channels)
{
    SnImage *image = NULL;
    assert_int_equal(sn_image_create(37, 21, channels, NULL, &image, NULL), SINEW_OK);
    for (int y = 0; y < 21; ++y) {
        for (int x = 0; x < 37; ++x) {
            for (int c = 0; c < channels; ++c) {
                sn_image_pixel(image, x, y)[c] = (unsigned char)(5 * x + 3 * y + 71 * c);
            }
        }
    }
    return image;
}

static void an_image_starts_black_and_takes_pastes(void **state)
{
    (void)state;
    SnImage *image = NULL;
    assert_int_equal(sn_image_create(50, 30, 3, NULL, &image, NULL), SINEW_OK);
    SnImage *source = make_image(3);
    const int places[][2] = {{30, 20}, {-10, -5}, {60, 0}, {0, 40}, {-40, 0}};
    for (int i = 0; i < SN_COUNT(places); ++i) {
        sn_image_paste(image, source, places[i][0], places[i][1]);
    }
    assert_memory_equal(sn_image_pixel(image, 31, 22), sn_image_pixel(source, 1, 2), 3);
    assert_memory_equal(sn_image_pixel(image, 0, 0), sn_image_pixel(source, 10, 5), 3);
    assert_int_equal(sn_image_pixel(image, 49, 0)[0], 0);
    sn_image_destroy(source, NULL);
    sn_image_destroy(image, NULL);
}

static void a_wrong_size_is_refused(void **state)
{
    (void)state;
    const int wrong[][3] = {{0, 1, 3}, {1, -1, 3}, {SN_IMAGE_SIDE_MAX + 1, 1, 3}, {1, 1, 2}};
    for (int i = 0; i < SN_COUNT(wrong); ++i) {
        SnImage *image = NULL;
        SinewError error;
        assert_int_equal(
            sn_image_create(wrong[i][0], wrong[i][1], wrong[i][2], NULL, &image, &error),
            SINEW_ERROR_ARGUMENT);
        assert_null(image);
        assert_non_null(strstr(error.text, "expected"));
    }
}

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/sinew_test_XXXXXX");
    return mkdtemp(folder) == NULL ? -1 : 0;
}

// Also shows that no test left a temporary file behind.
static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static const char *in_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void a_png_holds_what_was_written(void **state)
{
    (void)state;
    for (int channels = 3; channels <= 4; ++channels) {
        SnImage *image = make_image(channels);
        const char *path = in_folder("picture.png");
        assert_int_equal(sn_image_write_png(image, path, NULL, NULL), SINEW_OK);
        png_image read = {.version = PNG_IMAGE_VERSION};
        assert_true(png_image_begin_read_from_file(&read, path));
        assert_int_equal(read.width, 37);
        assert_int_equal(read.height, 21);
        read.format = channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
        unsigned char pixels[37 * 21 * 4];
        assert_true(png_image_finish_read(&read, NULL, pixels, 0, NULL));
        assert_memory_equal(pixels, image->pixels, (size_t)(37 * 21 * channels));
        sn_image_destroy(image, NULL);
        assert_int_equal(unlink(path), 0);
    }
}

static void a_file_that_cannot_be_written_says_why(void **state)
{
    (void)state;
    SnImage *image = make_image(3);
    const char *paths[] = {in_folder("nowhere/picture.png"), "/dev/full", folder, ""};
    const int reasons[] = {ENOENT, ENOSPC, EISDIR, ENOENT};
    for (int i = 0; i < SN_COUNT(paths); ++i) {
        SinewError error;
        assert_int_equal(sn_image_write_png(image, paths[i], NULL, &error), SINEW_ERROR_WRITE);
        assert_non_null(strstr(error.text, paths[i]));
        assert_non_null(strstr(error.text, strerror(reasons[i])));
    }
    sn_image_destroy(image, NULL);
}

static SinewStatus create_and_write(const SinewAllocator *allocator, void *context,
                                    SinewError *error)
{
    const char *path = context;
    SnImage *image = NULL;
    SinewStatus status = sn_image_create(37, 21, 3, allocator, &image, error);
    if (status == SINEW_OK) {
        status = sn_image_write_png(image, path, allocator, error);
        assert_true((access(path, F_OK) == 0) == (status == SINEW_OK));
    }
    sn_image_destroy(image, allocator);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    char path[256];
    snprintf(path, sizeof path, "%s", in_folder("memory.png"));
    // Ours are three; the others are libpng's and zlib's.
    assert_true(sn_fail_each_allocation(create_and_write, path) > 6);
    assert_int_equal(unlink(path), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_image_starts_black_and_takes_pastes),
    cmocka_unit_test(a_wrong_size_is_refused),
    cmocka_unit_test_setup_teardown(a_png_holds_what_was_written, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(a_file_that_cannot_be_written_says_why, make_folder,
                                    remove_folder),
    cmocka_unit_test_setup_teardown(each_allocation_may_fail, make_folder, remove_folder),
};
SN_TEST_GROUP(picture_image, tests);

#include "support/fail_allocator.h"
#include "support/test.h"

#include "tool/picture/legend.h"

#include <math.h>

static SnImage *make_image(int width, int height, int channels, unsigned char value)
{
    SnImage *image = NULL;
    assert_int_equal(sn_image_create(width, height, channels, NULL, &image, NULL), SINEW_OK);
    memset(image->pixels, value, (size_t)width * (size_t)height * (size_t)channels);
    return image;
}

// The column of pixels through the bar: colours of the map, from its low end at the bottom up.
static void the_bar_shows_the_map(void **state)
{
    (void)state;
    SnImage *image = make_image(400, 300, 3, 255);
    SnLegend legend = sn_legend_default();
    legend.map = SN_COLOUR_MAP_EMBER;
    legend.range[0] = -2.0f;
    legend.range[1] = 3.0f;
    legend.title = "strain, %";
    assert_int_equal(sn_legend_draw(image, &legend, NULL), SINEW_OK);
    int column = -1; // where the bar's lowest colour is
    SnVec3 low = sn_colour_map(legend.map, 0.5f / 180.0f);
    for (int x = 0; x < 400 && column < 0; ++x) {
        const unsigned char *pixel = sn_image_pixel(image, x, 239);
        if (abs(pixel[2] - (int)(255.0f * sn_colour_to_srgb(low.z) + 0.5f)) == 0 &&
            pixel[0] < 200) {
            column = x + 3;
        }
    }
    assert_true(column > 250);
    for (int y = 60; y < 240; ++y) {
        SnVec3 expected = sn_colour_map(legend.map, (240.0f - (float)y - 0.5f) / 180.0f);
        const unsigned char *pixel = sn_image_pixel(image, column, y);
        // Rounded to bytes.
        assert_at_most(fabsf((float)pixel[0] - 255.0f * sn_colour_to_srgb(expected.x)), 0.51f);
        assert_at_most(fabsf((float)pixel[1] - 255.0f * sn_colour_to_srgb(expected.y)), 0.51f);
    }
    // Words stand over the bar and right of it, none on the left half.
    int dark_right = 0;
    for (int i = 0; i < 400 * 300; ++i) {
        bool is_dark = image->pixels[3 * i + 1] < 100;
        dark_right += is_dark && i % 400 > column + 12;
        assert_false(is_dark && i % 400 < 200);
    }
    assert_true(dark_right > 50);
    sn_image_destroy(image, NULL);
}

static void bad_legends_are_refused(void **state)
{
    (void)state;
    SnImage *image = make_image(40, 30, 3, 255);
    SinewError error;
    SnLegend legend = sn_legend_default();
    legend.range[1] = 0.0f;
    assert_int_equal(sn_legend_draw(image, &legend, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "from 0 to 0"));
    legend.range[1] = NAN;
    assert_int_equal(sn_legend_draw(image, &legend, &error), SINEW_ERROR_ARGUMENT);
    legend = sn_legend_default();
    legend.text_height = -1.0f;
    assert_int_equal(sn_legend_draw(image, &legend, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "-1 pixels high"));
    // One that is far too large for its image is cut off.
    legend.text_height = 30.0f;
    legend.range[0] = 1e9f;
    legend.range[1] = -1e9f;
    assert_int_equal(sn_legend_draw(image, &legend, &error), SINEW_OK);
    sn_image_destroy(image, NULL);
}

static void frames_stand_in_rows(void **state)
{
    (void)state;
    SnImage *frames[5];
    for (int f = 0; f < 5; ++f) {
        frames[f] = make_image(40, 20, 3, (unsigned char)(10 + f));
    }
    SnContactSheet sheet = {.frames = (const SnImage *const *)frames,
                            .frame_count = 5,
                            .columns = 3,
                            .gap = 4,
                            .background = {1, 1, 1}};
    SnImage *image = NULL;
    assert_int_equal(sn_contact_sheet(&sheet, NULL, &image, NULL), SINEW_OK);
    assert_int_equal(image->width, 4 + 3 * 44);
    assert_int_equal(image->height, 4 + 2 * 24);
    for (int f = 0; f < 5; ++f) {
        int x = 4 + f % 3 * 44;
        int y = 4 + f / 3 * 24;
        assert_int_equal(sn_image_pixel(image, x, y)[0], 10 + f);
        assert_int_equal(sn_image_pixel(image, x + 39, y + 19)[0], 10 + f);
        assert_int_equal(sn_image_pixel(image, x - 1, y - 1)[0], 255);
    }
    assert_int_equal(sn_image_pixel(image, 100, 40)[0], 255);
    sn_image_destroy(image, NULL);

    const char *const labels[5] = {"a", NULL, "c", "d", "e"};
    sheet.labels = labels;
    sheet.columns = 0;
    assert_int_equal(sn_contact_sheet(&sheet, NULL, &image, NULL), SINEW_OK);
    assert_int_equal(image->width, 4 + 2 * 44);
    assert_int_equal(image->height, 4 + 3 * (24 + 20));
    sn_image_destroy(image, NULL);

    SinewError error;
    frames[3]->channels = 4;
    assert_int_equal(sn_contact_sheet(&sheet, NULL, &image, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "frame 3 has 4 channels, expected 3"));
    frames[3]->channels = 3;
    sheet.gap = SN_IMAGE_SIDE_MAX;
    assert_int_equal(sn_contact_sheet(&sheet, NULL, &image, &error), SINEW_ERROR_ARGUMENT);
    sheet.frame_count = 0;
    assert_int_equal(sn_contact_sheet(&sheet, NULL, &image, &error), SINEW_ERROR_ARGUMENT);
    assert_null(image);
    for (int f = 0; f < 5; ++f) {
        sn_image_destroy(frames[f], NULL);
    }
}

static SinewStatus make_sheet(const SinewAllocator *allocator, void *context, SinewError *error)
{
    const SnImage *frames[1] = {context};
    SnContactSheet sheet = {.frames = frames, .frame_count = 1};
    SnImage *image = NULL;
    SinewStatus status = sn_contact_sheet(&sheet, allocator, &image, error);
    assert_true((status == SINEW_OK) == (image != NULL));
    sn_image_destroy(image, allocator);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    SnImage *frame = make_image(4, 4, 3, 0);
    assert_int_equal(sn_fail_each_allocation(make_sheet, frame), 2);
    sn_image_destroy(frame, NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_bar_shows_the_map),
    cmocka_unit_test(bad_legends_are_refused),
    cmocka_unit_test(frames_stand_in_rows),
    cmocka_unit_test(each_allocation_may_fail),
};
SN_TEST_GROUP(picture_legend, tests);

#include "support/test.h"

#include "tool/picture/text.h"

#include <math.h>

static SnImage *make_image(int width, int height, int channels)
{
    SnImage *image = NULL;
    assert_int_equal(sn_image_create(width, height, channels, NULL, &image, NULL), SINEW_OK);
    return image;
}

// White ink on black: the sum of one channel, in pixels.
static double ink(const SnImage *image, int x0, int x1)
{
    double sum = 0.0;
    for (int y = 0; y < image->height; ++y) {
        for (int x = x0; x < x1; ++x) {
            sum += sn_image_pixel(image, x, y)[0] / 255.0;
        }
    }
    return sum;
}

static const float white[3] = {1, 1, 1};

static void every_letter_has_ink_of_its_own_inside_its_width(void **state)
{
    (void)state;
    unsigned char seen['~' + 1][60 * 60];
    for (int c = '!'; c <= '~'; ++c) {
        const char text[2] = {(char)c, '\0'};
        SnImage *image = make_image(60, 60, 3);
        sn_text_draw(image, 10, 42, 30, white, text);
        assert_true(ink(image, 0, 60) > 5.0);
        // A stroke is 0.42 units of 5 pixels wide to each side.
        assert_true(ink(image, 0, 7) == 0.0 && ink(image, 33, 60) == 0.0);
        for (int i = 0; i < 60 * 60; ++i) {
            seen[c][i] = image->pixels[3 * i];
        }
        for (int other = '!'; other < c; ++other) {
            bool is_same = memcmp(seen[c], seen[other], sizeof seen[c]) == 0;
            assert_true(!is_same || (c == 'O' && other == '0'));
        }
        sn_image_destroy(image, NULL);
    }
}

// A minus sign is a bar of 2 units between the centres of its round ends.
static void ink_has_the_area_of_the_stroke(void **state)
{
    (void)state;
    SnImage *image = make_image(100, 100, 3);
    sn_text_draw(image, 10, 80, 60, white, "-");
    double lit = 0.0;
    for (int i = 0; i < 100 * 100; ++i) {
        lit += image->pixels[3 * i] >= 188; // at least half covered: 0.735 in sRGB
    }
    double r = 4.2;
    // Within the pixels along its outline, half of which count.
    assert_at_most(fabs(lit - (20 * 2 * r + 3.14159 * r * r)), 0.5 * 2 * (20 + 3.14159 * r));
    sn_image_destroy(image, NULL);
}

static void widths_count_characters_not_bytes(void **state)
{
    (void)state;
    assert_true(sn_text_width("", 12) == 0.0f);
    assert_true(sn_text_width("8", 12) == 8.0f);
    assert_true(sn_text_width("88", 12) == 20.0f);
    assert_true(sn_text_width("\u22128", 12) == sn_text_width("-8", 12));
    assert_true(sn_text_width("10\u2076", 12) < sn_text_width("106", 12));
    assert_true(sn_text_width("\xff\x80\x80", 12) == 8.0f); // one box for what is no character
}

static void text_beyond_the_image_is_cut_off(void **state)
{
    (void)state;
    SnImage *image = make_image(20, 10, 4);
    sn_text_draw(image, -30, 5, 30, white, "WWWW");
    sn_text_draw(image, 15, 300, 30, white, "W");
    sn_text_draw(image, 1e9f, -1e9f, 1e8f, white, "W");
    sn_text_draw(image, NAN, 5, 30, white, "W");
    sn_text_draw(image, 0, 5, -1, white, "W");
    assert_true(ink(image, 0, 20) > 0.0);
    sn_image_destroy(image, NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_letter_has_ink_of_its_own_inside_its_width),
    cmocka_unit_test(ink_has_the_area_of_the_stroke),
    cmocka_unit_test(widths_count_characters_not_bytes),
    cmocka_unit_test(text_beyond_the_image_is_cut_off),
};
SN_TEST_GROUP(picture_text, tests);

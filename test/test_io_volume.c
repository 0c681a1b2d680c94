// Volume images: what is written is read, in both byte orders; damaged files are refused with a
// sentence and never read beyond their end.
#include "support/test.h"

#include "base/random.h"
#include "io/volume.h"

#include <math.h>

enum { SIZE = 352 + 2 * 3 * 4 * 4 };

static void put(unsigned char *at, const void *value, size_t size, bool swap)
{
    const unsigned char *from = value;
    for (size_t i = 0; i < size; ++i) {
        at[i] = from[swap ? size - 1 - i : i];
    }
}

static void put_i16(unsigned char *at, int value, bool swap)
{
    int16_t number = (int16_t)value;
    put(at, &number, sizeof number, swap);
}

static void put_f32(unsigned char *at, float value, bool swap)
{
    put(at, &value, sizeof value, swap);
}

// 2 x 3 x 4 floats 0, 1, 2... with a slope of 2 and an intercept of 1, in millimetres.
static void make_file(bool swap, unsigned char bytes[SIZE])
{
    int32_t header = 348;
    memset(bytes, 0, SIZE);
    put(bytes, &header, sizeof header, swap);
    put_i16(bytes + 40, 3, swap);
    put_i16(bytes + 42, 2, swap);
    put_i16(bytes + 44, 3, swap);
    put_i16(bytes + 46, 4, swap);
    put_i16(bytes + 70, 16, swap);
    for (int k = 0; k < 3; ++k) {
        put_f32(bytes + 80 + 4 * k, 10.0f, swap);
        put_f32(bytes + 268 + 4 * k, 5.0f, swap);
    }
    put_f32(bytes + 108, 352.0f, swap);
    put_f32(bytes + 112, 2.0f, swap);
    put_f32(bytes + 116, 1.0f, swap);
    bytes[123] = 2;
    memcpy(bytes + 344, "n+1", 4);
    for (int i = 0; i < 24; ++i) {
        put_f32(bytes + 352 + 4 * i, (float)i, swap);
    }
}

static void values_come_back_in_both_orders(void **state)
{
    (void)state;
    for (int swap = 0; swap < 2; ++swap) {
        unsigned char file[SIZE];
        SnVolume volume;
        make_file(swap == 1, file);
        SnBytes bytes = sn_bytes_of(file, SIZE, "image.nii");
        assert_int_equal(sn_volume_parse(&bytes, NULL, &volume, NULL), SINEW_OK);
        assert_int_equal(volume.size[0] * 100 + volume.size[1] * 10 + volume.size[2], 234);
        // The second along x, third along y, last along z: 1 + 2 (2 + 3 3) = 23.
        const double inside[3] = {0.016, 0.023, 0.032}, outside[3] = {0.016, 0.023, 0.041};
        assert_true(sn_volume_at(&volume, inside) == 1.0f + 2.0f * 23.0f);
        assert_true(sn_volume_at(&volume, outside) == 0.0f);
        sn_volume_release(&volume, NULL);
    }
}

static void expect_refusal(int at, const unsigned char *value, size_t count, size_t size,
                           const char *words)
{
    unsigned char file[SIZE];
    SnVolume volume;
    SinewError error;
    make_file(false, file);
    memcpy(file + at, value, count);
    SnBytes bytes = sn_bytes_of(file, size, "image.nii");
    assert_int_equal(sn_volume_parse(&bytes, NULL, &volume, &error), SINEW_ERROR_FILE);
    if (strstr(error.text, words) == NULL || strstr(error.text, "image.nii") == NULL) {
        fail_msg("\"%s\" has no \"%s\"", error.text, words);
    }
}

static void damage_is_told(void **state)
{
    (void)state;
    const unsigned char zeros[4] = {0}, ones[4] = {255, 255, 255, 255};
    expect_refusal(0, zeros, 0, 100, "100 bytes");
    expect_refusal(0, ones, 4, SIZE, "does not begin");
    expect_refusal(344, zeros, 4, SIZE, "n+1");
    expect_refusal(70, ones, 2, SIZE, "datatype is -1");
    expect_refusal(42, zeros, 2, SIZE, "dim[1] is 0");
    expect_refusal(40, zeros, 2, SIZE, "dim[0] is 0");
    expect_refusal(80, zeros, 4, SIZE, "pixdim is 0");
    expect_refusal(108, zeros, 4, SIZE, "vox_offset is 0");
    expect_refusal(0, zeros, 0, SIZE - 1, "do not fit");
    expect_refusal(352, ones, 4, SIZE, "number 0");
}

// Any bytes: an answer, and with a sanitizer no read beyond them.
static void any_bytes_are_read_or_refused(void **state)
{
    (void)state;
    SnRandom random = {3};
    for (int pass = 0; pass < 3000; ++pass) {
        size_t size = sn_random_bits(&random) % 4 ? SIZE : sn_random_bits(&random) % SIZE;
        unsigned char good[SIZE], *file = malloc(size + 1);
        SnVolume volume;
        make_file(pass % 2 == 1, good);
        for (int flips = 0; flips < 4; ++flips) {
            good[sn_random_bits(&random) % SIZE] = (unsigned char)sn_random_bits(&random);
        }
        memcpy(file, good, size);
        SnBytes bytes = sn_bytes_of(file, size, "image.nii");
        if (sn_volume_parse(&bytes, NULL, &volume, NULL) == SINEW_OK) {
            sn_volume_release(&volume, NULL);
        }
        assert_null(volume.values);
        free(file);
    }
}

// Without a header -------------------------------------------------------------------------------

static SinewRawImage raw_of(SinewImageType type, bool big)
{
    return (SinewRawImage){.size = {2, 3, 4},
                           .type = type,
                           .big_endian = big,
                           .spacing = {0.1, 0.1, 0.1},
                           .origin = {1.0, 0.0, 0.0},
                           .scale = 0.5};
}

// The numbers -1, 0, 1... or 254, 255, 0... as bytes of the type, most or least first.
static size_t put_numbers(SinewImageType type, bool big, unsigned char *bytes)
{
    static const size_t sizes[] = {1, 2, 2, 4};
    for (int i = 0; i < 24; ++i) {
        uint32_t bits = (uint32_t)(i - 1);
        float real = (float)(i - 1);
        if (type == SINEW_IMAGE_F32) {
            memcpy(&bits, &real, sizeof bits);
        }
        for (size_t b = 0; b < sizes[type]; ++b) {
            size_t shift = 8 * (big ? sizes[type] - 1 - b : b);
            bytes[sizes[type] * (size_t)i + b] = (unsigned char)(bits >> shift);
        }
    }
    return 24 * sizes[type];
}

static void numbers_alone_come_back(void **state)
{
    (void)state;
    static const float first[] = {255.0f, 65535.0f, -1.0f, -1.0f};
    for (int type = 0; type < 4; ++type) {
        for (int big = 0; big < 2; ++big) {
            unsigned char file[96];
            SnVolume volume;
            SinewRawImage raw = raw_of((SinewImageType)type, big == 1);
            SnBytes bytes = sn_bytes_of(file, put_numbers(raw.type, big == 1, file), "image.raw");
            assert_int_equal(sn_volume_parse_raw(&bytes, &raw, NULL, &volume, NULL), SINEW_OK);
            // The second along x, third along y, last along z: 23 - 1, halved.
            const double inside[3] = {1.1, 0.22, 0.32}, corner[3] = {1.0, 0.0, 0.0};
            assert_true(sn_volume_at(&volume, inside) == 11.0f);
            assert_true(sn_volume_at(&volume, corner) == 0.5f * first[type]);
            sn_volume_release(&volume, NULL);
        }
    }
}

static void expect_raw_refusal(SinewRawImage raw, size_t size, SinewStatus expected,
                               const char *words)
{
    unsigned char file[200] = {0};
    SnVolume volume;
    SinewError error;
    SnBytes bytes = sn_bytes_of(file, size, "image.raw");
    assert_int_equal(sn_volume_parse_raw(&bytes, &raw, NULL, &volume, &error), expected);
    assert_null(volume.values);
    if (strstr(error.text, words) == NULL || strstr(error.text, "image.raw") == NULL) {
        fail_msg("\"%s\" has no \"%s\"", error.text, words);
    }
}

static void wrong_layouts_are_told(void **state)
{
    (void)state;
    SinewRawImage good = raw_of(SINEW_IMAGE_U16, false), raw = good;
    expect_raw_refusal(good, 47, SINEW_ERROR_FILE, "has 47 bytes, expected 48: 2 x 3 x 4");
    expect_raw_refusal(good, 49, SINEW_ERROR_FILE, "has 49 bytes, expected 48");
    raw.size[0] = raw.size[1] = raw.size[2] = 32767; // more bytes than 32 bits count
    expect_raw_refusal(raw, 48, SINEW_ERROR_FILE, "expected 70362301923326");
    raw = good;
    raw.size[1] = 0;
    expect_raw_refusal(raw, 48, SINEW_ERROR_ARGUMENT, "image_size is [2, 0, 4]");
    raw = good;
    raw.spacing[2] = 0.0;
    expect_raw_refusal(raw, 48, SINEW_ERROR_ARGUMENT, "along z image_spacing is 0");
    raw = good;
    raw.type = (SinewImageType)7;
    expect_raw_refusal(raw, 48, SINEW_ERROR_ARGUMENT, "image_type is 7");
    raw = good;
    raw.scale = INFINITY;
    expect_raw_refusal(raw, 48, SINEW_ERROR_ARGUMENT, "image_scale is inf");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(values_come_back_in_both_orders), cmocka_unit_test(damage_is_told),
    cmocka_unit_test(any_bytes_are_read_or_refused),   cmocka_unit_test(numbers_alone_come_back),
    cmocka_unit_test(wrong_layouts_are_told),
};

SN_TEST_GROUP(io_volume, tests);

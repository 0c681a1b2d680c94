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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(values_come_back_in_both_orders),
    cmocka_unit_test(damage_is_told),
    cmocka_unit_test(any_bytes_are_read_or_refused),
};

SN_TEST_GROUP(io_volume, tests);

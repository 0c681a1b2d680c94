#include "io/numbers.h"

#include <inttypes.h>

size_t sn_number_size(SnNumberType type)
{
    static const size_t sizes[] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return sizes[type];
}

double sn_numbers_double(const SnNumbers *numbers, size_t i)
{
    switch (numbers->type) {
    case SN_NUMBER_F32:
        return (double)sn_load_f32(numbers->data + 4 * i, numbers->swap);
    case SN_NUMBER_F64:
        return sn_load_f64(numbers->data + 8 * i, numbers->swap);
    default:
        return (double)sn_numbers_int(numbers, i);
    }
}

void sn_numbers_to_doubles(const SnNumbers *numbers, double *out)
{
    if (numbers->type == SN_NUMBER_F64) {
        for (size_t i = 0; i < numbers->count; ++i) {
            out[i] = sn_load_f64(numbers->data + 8 * i, numbers->swap);
        }
        return;
    }
    for (size_t i = 0; i < numbers->count; ++i) {
        out[i] = sn_numbers_double(numbers, i);
    }
}

SinewStatus sn_numbers_parse(SnScan *scan, SnNumberType type, int64_t count, const char *what,
                             const SinewAllocator *allocator, SnNumbers *out_numbers,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int64_t *whole = NULL;
    double *real = NULL;
    size_t left = (size_t)(scan->end - scan->at);
    // A digit and a blank each, the last without its blank.
    if (count < 0 || (uint64_t)count > (left + 1) / 2) {
        SN_TRY(sn_scan_fail(scan, error, "claims %" PRId64 " numbers, but only %zu bytes are left",
                            count, left));
    }
    if (sn_number_is_whole(type)) {
        SN_ALLOC(whole, allocator, count, error);
        for (int64_t i = 0; i < count; ++i) {
            SN_TRY(sn_scan_int(scan, sn_scan_word(scan), what, INT64_MIN, INT64_MAX, &whole[i],
                               error));
        }
        *out_numbers = (SnNumbers){.type = SN_NUMBER_I64, .owned = whole};
    } else {
        SN_ALLOC(real, allocator, count, error);
        for (int64_t i = 0; i < count; ++i) {
            SN_TRY(sn_scan_double(scan, sn_scan_word(scan), what, &real[i], error));
        }
        *out_numbers = (SnNumbers){.type = SN_NUMBER_F64, .owned = real};
    }
    out_numbers->data = out_numbers->owned;
    out_numbers->count = (size_t)count;
    whole = NULL;
    real = NULL;
done:
    sn_free(allocator, whole);
    sn_free(allocator, real);
    return status;
}

void sn_numbers_release(SnNumbers *numbers, const SinewAllocator *allocator)
{
    sn_free(allocator, numbers->owned);
    *numbers = (SnNumbers){0};
}

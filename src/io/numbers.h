// Numbers of any type and byte order as VTK files hold them: seen where they lie in the file, or in
// memory of ours when they had to be decoded.
#ifndef SN_IO_NUMBERS_H
#define SN_IO_NUMBERS_H

#include "io/load.h"
#include "io/scan.h"

typedef enum SnNumberType {
    SN_NUMBER_NONE,
    SN_NUMBER_I8,
    SN_NUMBER_U8,
    SN_NUMBER_I16,
    SN_NUMBER_U16,
    SN_NUMBER_I32,
    SN_NUMBER_U32,
    SN_NUMBER_I64,
    SN_NUMBER_U64,
    SN_NUMBER_F32,
    SN_NUMBER_F64
} SnNumberType;

typedef struct SnNumbers {
    SnNumberType type;
    bool swap; // the bytes are in the other order
    size_t count;
    const unsigned char *data;
    void *owned; // what sn_numbers_release gives back, or NULL
} SnNumbers;

// Bytes a number takes; 0 for SN_NUMBER_NONE.
size_t sn_number_size(SnNumberType type);

static inline bool sn_number_is_whole(SnNumberType type)
{
    return type >= SN_NUMBER_I8 && type <= SN_NUMBER_U64;
}

// Number i of a whole type. What no int64_t holds comes out negative, which no index is.
static inline int64_t sn_numbers_int(const SnNumbers *numbers, size_t i)
{
    const unsigned char *data = numbers->data;
    switch (numbers->type) {
    case SN_NUMBER_I32:
        return (int32_t)sn_load_u32(data + 4 * i, numbers->swap);
    case SN_NUMBER_I64:
    case SN_NUMBER_U64:
        return (int64_t)sn_load_u64(data + 8 * i, numbers->swap);
    case SN_NUMBER_U8:
        return data[i];
    case SN_NUMBER_I8:
        return (signed char)data[i];
    case SN_NUMBER_I16:
        return (int16_t)sn_load_u16(data + 2 * i, numbers->swap);
    case SN_NUMBER_U16:
        return sn_load_u16(data + 2 * i, numbers->swap);
    case SN_NUMBER_U32:
        return sn_load_u32(data + 4 * i, numbers->swap);
    default:
        return -1;
    }
}

// Number i of any type.
double sn_numbers_double(const SnNumbers *numbers, size_t i);

// All of them as doubles.
void sn_numbers_to_doubles(const SnNumbers *numbers, double *out);

// `count` words of text. They are kept as doubles or, for whole types, as int64_t.
SinewStatus sn_numbers_parse(SnScan *scan, SnNumberType type, int64_t count, const char *what,
                             const SinewAllocator *allocator, SnNumbers *out_numbers,
                             SinewError *error);

void sn_numbers_release(SnNumbers *numbers, const SinewAllocator *allocator);

#endif

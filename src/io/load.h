// Numbers out of bytes in either byte order, at any alignment.
#ifndef SN_IO_LOAD_H
#define SN_IO_LOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t sn_load_u16(const unsigned char *at, bool swap)
{
    uint16_t bits;
    memcpy(&bits, at, sizeof bits);
    return swap ? __builtin_bswap16(bits) : bits;
}

static inline uint32_t sn_load_u32(const unsigned char *at, bool swap)
{
    uint32_t bits;
    memcpy(&bits, at, sizeof bits);
    return swap ? __builtin_bswap32(bits) : bits;
}

static inline uint64_t sn_load_u64(const unsigned char *at, bool swap)
{
    uint64_t bits;
    memcpy(&bits, at, sizeof bits);
    return swap ? __builtin_bswap64(bits) : bits;
}

static inline float sn_load_f32(const unsigned char *at, bool swap)
{
    uint32_t bits = sn_load_u32(at, swap);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double sn_load_f64(const unsigned char *at, bool swap)
{
    uint64_t bits = sn_load_u64(at, swap);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline bool sn_is_little_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

#endif

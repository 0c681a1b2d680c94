// Numbers in binary files, byte by byte, so that neither alignment nor the machine's own order
// matters. Compilers turn each of these into one load or store.
#ifndef SN_IO_LITTLE_ENDIAN_H
#define SN_IO_LITTLE_ENDIAN_H

#include <stdint.h>
#include <string.h>

static inline uint16_t sn_load_u16_little(const unsigned char *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t sn_load_u32_little(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint32_t sn_load_u32_big(const unsigned char *at)
{
    return (uint32_t)at[3] | (uint32_t)at[2] << 8 | (uint32_t)at[1] << 16 | (uint32_t)at[0] << 24;
}

static inline float sn_float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double sn_double_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline void sn_store_u32_little(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; ++i) {
        at[i] = (unsigned char)(value >> 8 * i);
    }
}

static inline void sn_store_float_little(unsigned char *at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    sn_store_u32_little(at, bits);
}

static inline void sn_store_double_little(unsigned char *at, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    sn_store_u32_little(at, (uint32_t)bits);
    sn_store_u32_little(at + 4, (uint32_t)(bits >> 32));
}

#endif

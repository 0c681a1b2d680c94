// Morton codes: the bits of three coordinates interleaved, so that points near in space are mostly
// near in the order of their codes.
#ifndef SN_GEOMETRY_MORTON_H
#define SN_GEOMETRY_MORTON_H

#include <stdint.h>

enum { SN_MORTON_BITS_MAX = 21 };

// Puts two zero bits between the bits of x, 21 of them.
static inline uint64_t sn_morton_spread(uint64_t x)
{
    x &= 0x1fffff;
    x = (x | x << 32) & 0x001f00000000ffffu;
    x = (x | x << 16) & 0x001f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    x = (x | x << 2) & 0x1249249249249249u;
    return x;
}

static inline uint64_t sn_morton_compact(uint64_t x)
{
    x &= 0x1249249249249249u;
    x = (x | x >> 2) & 0x10c30c30c30c30c3u;
    x = (x | x >> 4) & 0x100f00f00f00f00fu;
    x = (x | x >> 8) & 0x001f0000ff0000ffu;
    x = (x | x >> 16) & 0x001f00000000ffffu;
    x = (x | x >> 32) & 0x1fffff;
    return x;
}

// z changes fastest: bit 0 is z's lowest, bit 1 y's, bit 2 x's.
static inline uint64_t sn_morton_encode(int i, int j, int k)
{
    return sn_morton_spread((uint64_t)i) << 2 | sn_morton_spread((uint64_t)j) << 1 |
           sn_morton_spread((uint64_t)k);
}

static inline void sn_morton_decode(uint64_t code, int out_ijk[3])
{
    out_ijk[0] = (int)sn_morton_compact(code >> 2);
    out_ijk[1] = (int)sn_morton_compact(code >> 1);
    out_ijk[2] = (int)sn_morton_compact(code);
}

#endif

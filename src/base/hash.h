// A hash of bytes (FNV-1a, 64 bits), to show that two computations gave the same bits.
#ifndef SN_BASE_HASH_H
#define SN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define SN_HASH_START 0xcbf29ce484222325u

static inline uint64_t sn_hash(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    }
    return hash;
}

#endif

// Repeatable random numbers for tests, benches and starts that want noise: SplitMix64. The same
// seed gives the same numbers everywhere.
#ifndef SN_BASE_RANDOM_H
#define SN_BASE_RANDOM_H

#include <stdint.h>

typedef struct SnRandom {
    uint64_t state;
} SnRandom;

static inline uint64_t sn_random_bits(SnRandom *random)
{
    uint64_t z = (random->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// Uniform in [0, 1).
static inline double sn_random_unit(SnRandom *random)
{
    return (double)(sn_random_bits(random) >> 11) * 0x1p-53;
}

// Uniform in [low, high).
static inline double sn_random_between(SnRandom *random, double low, double high)
{
    return low + (high - low) * sn_random_unit(random);
}

#endif

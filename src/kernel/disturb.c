// The seed of kernel/disturb.h; compiled by builds with SINEW_DISTURB alone.
#include "kernel/disturb.h"

#include <stdlib.h>

int32_t sn_disturb_seed;

// Before main, so that no kernel runs without it. Seeds that follow each other share few bits.
static __attribute__((constructor)) void seed_read(void)
{
    const char *text = getenv("SINEW_DISTURB");
    uint32_t seed = text != NULL ? (uint32_t)strtoul(text, NULL, 10) : 0;
    sn_disturb_seed = seed == 0 ? 0 : (int32_t)((seed * 0x9e3779b1u) | 1u);
}

// Fuzzes the 3DS reader: any bytes give a good surface or a sentence, and nothing is left behind.
#include "surface_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_surface(sn_read_3ds, data, size);
    return 0;
}

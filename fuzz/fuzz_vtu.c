// Fuzzes the reader of .vtu files: any bytes give a sound mesh or a sentence.
#include "tet_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return run_reader(sn_read_vtu, data, size);
}

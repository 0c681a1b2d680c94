// Fuzzes the readers of volume images: any bytes give a volume or a sentence, and nothing is left
// behind. The first bytes say how a file without a header would lie.
#include "io/volume.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SnVolume volume;
    SinewError error;
    SnBytes bytes = sn_bytes_of(data, size, "fuzz.nii");
    if (sn_volume_parse(&bytes, NULL, &volume, &error) == SINEW_OK) {
        sn_volume_release(&volume, NULL);
    }
    if (size >= 5) {
        SinewRawImage raw = {.size = {data[0], data[1], data[2]},
                             .type = (SinewImageType)(data[3] % 5),
                             .big_endian = data[4] & 1,
                             .spacing = {1.0, 1.0, 1.0},
                             .scale = 1.0};
        bytes = sn_bytes_of(data + 5, size - 5, "fuzz.raw");
        if (sn_volume_parse_raw(&bytes, &raw, NULL, &volume, &error) == SINEW_OK) {
            sn_volume_release(&volume, NULL);
        }
    }
    return 0;
}

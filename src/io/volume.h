// Volume images: a number at each point of a grid, from a NIfTI-1 file (.nii, one file, not
// packed), in either byte order and of the usual types, or from a file of nothing but numbers.
// Orientation is not looked at: the axes are x, y, z as the numbers come, x fastest, from the
// file's offset.
#ifndef SN_IO_VOLUME_H
#define SN_IO_VOLUME_H

#include "io/bytes.h"
#include "sinew/model.h"

typedef struct SnVolume {
    int size[3];
    double spacing[3]; // m, between centres
    double origin[3];  // m, of the first centre
    float *values;     // x fastest
} SnVolume;

// The sentence names the file, the member of its header, its value and what was expected.
SinewStatus sn_volume_read(const char *path, const SinewAllocator *allocator, SnVolume *out_volume,
                           SinewError *error);
SinewStatus sn_volume_parse(const SnBytes *bytes, const SinewAllocator *allocator,
                            SnVolume *out_volume, SinewError *error);

// The same of a file without a header, which has exactly as many bytes as `raw` says; and a check
// of what it says, which begins with `what`.
SinewStatus sn_volume_check_raw(const SinewRawImage *raw, const char *what, SinewError *error);
SinewStatus sn_volume_read_raw(const char *path, const SinewRawImage *raw,
                               const SinewAllocator *allocator, SnVolume *out_volume,
                               SinewError *error);
SinewStatus sn_volume_parse_raw(const SnBytes *bytes, const SinewRawImage *raw,
                                const SinewAllocator *allocator, SnVolume *out_volume,
                                SinewError *error);
void sn_volume_release(SnVolume *volume, const SinewAllocator *allocator);

// The value of the voxel that holds a point; 0 outside.
float sn_volume_at(const SnVolume *volume, const double point[3]);

#endif

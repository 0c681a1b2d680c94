// An image: rows of 8-bit sRGB pixels, top row first, and its way to a PNG file.
#ifndef SN_TOOL_IMAGE_H
#define SN_TOOL_IMAGE_H

#include "base/memory.h"

// The longest side an image may have.
#define SN_IMAGE_SIDE_MAX 32768

typedef struct SnImage {
    int width;
    int height;
    int channels;          // 3: red, green, blue; 4: and opacity, not premultiplied
    unsigned char *pixels; // width * channels bytes a row, no gaps
} SnImage;

// Makes a black (and transparent) image.
SinewStatus sn_image_create(int width, int height, int channels, const SinewAllocator *allocator,
                            SnImage **out_image, SinewError *error);

// NULL is fine. The allocator must be the one it was made with.
void sn_image_destroy(SnImage *image, const SinewAllocator *allocator);

static inline unsigned char *sn_image_pixel(const SnImage *image, int x, int y)
{
    return image->pixels + ((size_t)y * (size_t)image->width + (size_t)x) * (size_t)image->channels;
}

// Copies `source` into `target` with its top left corner at (x, y); both have the same channels and
// what hangs over is cut off.
void sn_image_paste(SnImage *target, const SnImage *source, int x, int y);

// Writes a PNG file that appears whole or not at all.
SinewStatus sn_image_write_png(const SnImage *image, const char *path,
                               const SinewAllocator *allocator, SinewError *error);

#endif

#include "tool/picture/image.h"

#include <string.h>

SinewStatus sn_image_create(int width, int height, int channels, const SinewAllocator *allocator,
                            SnImage **out_image, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnImage *image = NULL;
    *out_image = NULL;

    if (width < 1 || height < 1 || width > SN_IMAGE_SIDE_MAX || height > SN_IMAGE_SIDE_MAX) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "an image is %d x %d pixels, expected sides of 1 to %d", width, height,
                       SN_IMAGE_SIDE_MAX));
    }
    if (channels != 3 && channels != 4) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT, "an image has %d channels, expected 3 or 4",
                       channels));
    }
    SN_ALLOC_ZERO(image, allocator, 1, error);
    *image = (SnImage){.width = width, .height = height, .channels = channels};
    SN_ALLOC_ZERO(image->pixels, allocator, (size_t)width * (size_t)height * (size_t)channels,
                  error);
    *out_image = image;
    image = NULL;

done:
    sn_image_destroy(image, allocator);
    return status;
}

void sn_image_destroy(SnImage *image, const SinewAllocator *allocator)
{
    if (image == NULL) {
        return;
    }
    sn_free(allocator, image->pixels);
    sn_free(allocator, image);
}

void sn_image_paste(SnImage *target, const SnImage *source, int x, int y)
{
    SN_ASSERT(target->channels == source->channels);
    int left = x < 0 ? -x : 0;
    int top = y < 0 ? -y : 0;
    int right = source->width < target->width - x ? source->width : target->width - x;
    int bottom = source->height < target->height - y ? source->height : target->height - y;
    for (int row = top; row < bottom && left < right; ++row) {
        memcpy(sn_image_pixel(target, x + left, y + row), sn_image_pixel(source, left, row),
               (size_t)(right - left) * (size_t)source->channels);
    }
}

// Writing PNG files. libpng is spoken to in this file alone.
#include "tool/picture/image.h"

#include "io/whole_file.h"

#include <png.h>
#include <stdbool.h>
#include <stdio.h>

// What libpng's callbacks need. It lives in the caller of `encode`, so that a longjmp finds it
// unchanged.
typedef struct Job {
    const SinewAllocator *allocator;
    SnWholeFile file;
    png_structp png;
    png_infop info;
    bool out_of_memory;
    char reason[80]; // libpng's, or empty
} Job;

static png_voidp allocate(png_structp png, png_alloc_size_t size)
{
    Job *job = png_get_mem_ptr(png);
    void *memory = sn_alloc(job->allocator, size, 1);
    job->out_of_memory = job->out_of_memory || memory == NULL;
    return memory;
}

static void release(png_structp png, png_voidp memory)
{
    Job *job = png_get_mem_ptr(png);
    sn_free(job->allocator, memory);
}

static void write_bytes(png_structp png, png_bytep data, size_t size)
{
    Job *job = png_get_io_ptr(png);
    if (!sn_whole_file_write(&job->file, data, size)) {
        png_error(png, "write error"); // the file keeps the reason
    }
}

static void flush_bytes(png_structp png)
{
    (void)png;
}

// libpng asks that this does not return.
static void stop(png_structp png, png_const_charp message)
{
    Job *job = png_get_error_ptr(png);
    snprintf(job->reason, sizeof job->reason, "%s", message);
    png_longjmp(png, 1);
}

static void ignore_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

// Everything that may longjmp, and no local that changes after the setjmp. False: libpng gave up.
static bool encode(Job *job, const SnImage *image)
{
    if (setjmp(png_jmpbuf(job->png))) {
        return false;
    }
    png_set_write_fn(job->png, job, write_bytes, flush_bytes);
    png_set_IHDR(job->png, job->info, (png_uint_32)image->width, (png_uint_32)image->height, 8,
                 image->channels == 4 ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(job->png, job->info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(job->png, job->info);
    for (int y = 0; y < image->height; ++y) {
        png_write_row(job->png, sn_image_pixel(image, 0, y));
    }
    png_write_end(job->png, job->info);
    return true;
}

static SinewStatus fail_memory(const char *path, SinewError *error)
{
    return sn_fail(error, SINEW_ERROR_MEMORY, "%.140s: cannot be written: out of memory", path);
}

SinewStatus sn_image_write_png(const SnImage *image, const char *path,
                               const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Job job = {.allocator = allocator};

    SN_TRY(sn_whole_file_begin(&job.file, path, allocator, error));
    job.png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &job, stop, ignore_warning, &job,
                                        allocate, release);
    job.info = job.png == NULL ? NULL : png_create_info_struct(job.png);
    if (job.info == NULL) {
        SN_TRY(fail_memory(path, error));
    }
    // A write that failed is told by the commit, which knows why.
    if (!encode(&job, image) && job.file.error_number == 0) {
        SN_TRY(job.out_of_memory
                   ? fail_memory(path, error)
                   : sn_fail(error, SINEW_ERROR_WRITE,
                             "%.100s: cannot be written: libpng says \"%s\"", path, job.reason));
    }
    SN_TRY(sn_whole_file_commit(&job.file, error));

done:
    sn_whole_file_abandon(&job.file);
    png_destroy_write_struct(&job.png, &job.info);
    return status;
}

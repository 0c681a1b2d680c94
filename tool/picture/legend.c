#include "tool/picture/legend.h"

#include "tool/chart/axis.h"
#include "tool/picture/text.h"

#include <math.h>

enum { LABEL_SIZE = 32, TICKS = 5 };

SnLegend sn_legend_default(void)
{
    return (SnLegend){.range = {0.0f, 1.0f}, .colour = {0.18f, 0.19f, 0.21f}};
}

static unsigned char to_byte(float srgb)
{
    return (unsigned char)(fminf(fmaxf(srgb, 0.0f), 1.0f) * 255.0f + 0.5f);
}

// Sets the pixels of a rectangle that are within the image.
static void fill(SnImage *image, const int box[4], const float srgb[3])
{
    for (int y = box[1] < 0 ? 0 : box[1]; y < box[3] && y < image->height; ++y) {
        for (int x = box[0] < 0 ? 0 : box[0]; x < box[2] && x < image->width; ++x) {
            unsigned char *pixel = sn_image_pixel(image, x, y);
            for (int c = 0; c < 3; ++c) {
                pixel[c] = to_byte(srgb[c]);
            }
            if (image->channels == 4) {
                pixel[3] = 255;
            }
        }
    }
}

// The bar: the map from bottom to top, a row of pixels at a time, in a thin frame.
static void draw_bar(SnImage *image, const SnLegend *legend, const int bar[4])
{
    fill(image, (int[4]){bar[0] - 1, bar[1] - 1, bar[2] + 1, bar[3] + 1}, legend->colour);
    for (int y = bar[1]; y < bar[3]; ++y) {
        float t = ((float)(bar[3] - y) - 0.5f) / (float)(bar[3] - bar[1]);
        SnVec3 linear = sn_colour_map(legend->map, t);
        const float srgb[3] = {sn_colour_to_srgb(linear.x), sn_colour_to_srgb(linear.y),
                               sn_colour_to_srgb(linear.z)};
        fill(image, (int[4]){bar[0], y, bar[2], y + 1}, srgb);
    }
}

// The round numbers within the range; the map may run from high to low.
static SnAxis make_axis(const SnLegend *legend, const int bar[4])
{
    double first = (double)legend->range[0];
    double last = (double)legend->range[1];
    SnAxis axis = sn_axis(fmin(first, last), fmax(first, last), false, TICKS);
    double rise = (bar[3] - bar[1]) / (last - first); // pixels a unit
    axis.start = bar[3] - (axis.low - first) * rise;
    axis.end = bar[3] - (axis.high - first) * rise;
    return axis;
}

static bool is_on_bar(const SnAxis *axis, int tick, const int bar[4])
{
    double y = sn_axis_place(axis, axis->ticks[tick]);
    return y >= bar[1] - 0.01 && y <= bar[3] + 0.01;
}

static float widest_label(const SnAxis *axis, float height)
{
    float widest = 0.0f;
    for (int i = 0; i < axis->tick_count; ++i) {
        char text[LABEL_SIZE];
        sn_axis_format(axis->ticks[i], axis->step, text, sizeof text);
        widest = fmaxf(widest, sn_text_width(text, height));
    }
    return widest;
}

static void draw_ticks(SnImage *image, const SnLegend *legend, const SnAxis *axis, const int bar[4],
                       float height)
{
    for (int i = 0; i < axis->tick_count; ++i) {
        if (is_on_bar(axis, i, bar)) {
            char text[LABEL_SIZE];
            float y = (float)sn_axis_place(axis, axis->ticks[i]);
            int row = (int)y < bar[3] ? (int)y : bar[3] - 1;
            int length = (int)(0.5f * height);
            fill(image, (int[4]){bar[2], row, bar[2] + length, row + 1}, legend->colour);
            sn_axis_format(axis->ticks[i], axis->step, text, sizeof text);
            sn_text_draw(image, (float)bar[2] + height, y + 0.5f * height, height, legend->colour,
                         text);
        }
    }
}

SinewStatus sn_legend_draw(SnImage *image, const SnLegend *legend, SinewError *error)
{
    if (!isfinite(legend->range[0]) || !isfinite(legend->range[1]) ||
        legend->range[0] == legend->range[1]) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "a legend runs from %g to %g, expected two different numbers",
                       (double)legend->range[0], (double)legend->range[1]);
    }
    if (!(legend->text_height >= 0.0f) || !(legend->text_height <= (float)image->height)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "a legend's text is %g pixels high, expected 0 to %d",
                       (double)legend->text_height, image->height);
    }
    float height = legend->text_height;
    if (height == 0.0f) {
        height = fmaxf(8.0f, (float)image->height / 40.0f);
    }
    int bar[4] = {0, (int)(0.2f * (float)image->height), 0, (int)(0.8f * (float)image->height)};
    SnAxis axis = make_axis(legend, bar);
    float right = (float)image->width - 1.5f * height;
    bar[2] = (int)(right - widest_label(&axis, height) - height);
    bar[0] = (int)((float)bar[2] - 1.4f * height);
    draw_bar(image, legend, bar);
    draw_ticks(image, legend, &axis, bar, height);
    if (legend->title != NULL) {
        // Over the bar, but never beyond the right side.
        float width = sn_text_width(legend->title, height);
        float x = fminf((float)bar[0], right - width);
        sn_text_draw(image, x, (float)bar[1] - 1.6f * height, height, legend->colour,
                     legend->title);
    }
    return SINEW_OK;
}

static SinewStatus check_sheet(const SnContactSheet *sheet, SinewError *error)
{
    if (sheet->frame_count < 1 || sheet->columns < 0 || sheet->gap < 0 ||
        sheet->gap > SN_IMAGE_SIDE_MAX) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "a sheet of %d frames in %d columns with gaps of %d pixels, expected at "
                       "least one frame and no negative numbers",
                       sheet->frame_count, sheet->columns, sheet->gap);
    }
    for (int f = 1; f < sheet->frame_count; ++f) {
        if (sheet->frames[f]->channels != sheet->frames[0]->channels) {
            return sn_fail_at(error, SINEW_ERROR_ARGUMENT, f,
                              "frame %d has %d channels, expected %d as frame 0", f,
                              sheet->frames[f]->channels, sheet->frames[0]->channels);
        }
    }
    return SINEW_OK;
}

// Columns that make the sheet about as wide as high.
static int choose_columns(const SnContactSheet *sheet, int width, int height)
{
    int columns = 1;
    while (columns < sheet->frame_count &&
           (int64_t)columns * columns * width < (int64_t)sheet->frame_count * height) {
        columns++;
    }
    return columns;
}

SinewStatus sn_contact_sheet(const SnContactSheet *sheet, const SinewAllocator *allocator,
                             SnImage **out_image, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnImage *image = NULL;
    int width = 0;
    int height = 0;
    *out_image = NULL;
    SN_TRY(check_sheet(sheet, error));
    for (int f = 0; f < sheet->frame_count; ++f) {
        width = sheet->frames[f]->width > width ? sheet->frames[f]->width : width;
        height = sheet->frames[f]->height > height ? sheet->frames[f]->height : height;
    }
    int columns = sheet->columns > 0 ? sheet->columns : choose_columns(sheet, width, height);
    int rows = (sheet->frame_count + columns - 1) / columns;
    float text = fmaxf(8.0f, (float)height / 36.0f);
    int label = sheet->labels != NULL ? (int)(2.5f * text) : 0;
    // A side too long for an int is too long for an image.
    int64_t whole_width = sheet->gap + (int64_t)columns * (width + sheet->gap);
    int64_t whole_height = sheet->gap + (int64_t)rows * (height + label + sheet->gap);
    int64_t most = (int64_t)SN_IMAGE_SIDE_MAX + 1;
    SN_TRY(sn_image_create((int)(whole_width < most ? whole_width : most),
                           (int)(whole_height < most ? whole_height : most),
                           sheet->frames[0]->channels, allocator, &image, error));
    fill(image, (int[4]){0, 0, image->width, image->height}, sheet->background);
    for (int f = 0; f < sheet->frame_count; ++f) {
        int x = sheet->gap + f % columns * (width + sheet->gap);
        int y = sheet->gap + f / columns * (height + label + sheet->gap);
        sn_image_paste(image, sheet->frames[f], x, y);
        if (label > 0 && sheet->labels[f] != NULL) {
            const float ink[3] = {0.18f, 0.19f, 0.21f};
            sn_text_draw(image, (float)x + 0.3f * text, (float)(y + height) + 1.6f * text, text,
                         ink, sheet->labels[f]);
        }
    }
    *out_image = image;
done:
    return status;
}

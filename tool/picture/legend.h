// What stands beside a picture and between pictures: the bar that tells which colour is which
// number, and sheets of several frames.
#ifndef SN_TOOL_LEGEND_H
#define SN_TOOL_LEGEND_H

#include "tool/export/colour.h"
#include "tool/picture/image.h"

typedef struct SnLegend {
    SnColourMap map;
    float range[2];    // the numbers at the two ends of the map, finite and different
    const char *title; // what the numbers are, and their unit. Nullable
    float text_height; // pixels, of capitals; 0: a fortieth of the image's height, at least 8
    float colour[3];   // sRGB, of the text
} SnLegend;

// From 0 to 1, dark grey text.
SnLegend sn_legend_default(void);

// Draws the bar with round numbers beside it along the right side of an image.
SinewStatus sn_legend_draw(SnImage *image, const SnLegend *legend, SinewError *error);

// Several frames on one image, row by row from the top left, each in a cell as large as the largest
// of them. All have the same number of channels.
typedef struct SnContactSheet {
    const SnImage *const *frames;
    int frame_count;           // 1 or more
    int columns;               // 0: as many as make the sheet about as wide as high
    int gap;                   // pixels between and around them
    float background[3];       // sRGB
    const char *const *labels; // one a frame, under it. Nullable, and each nullable
} SnContactSheet;

SinewStatus sn_contact_sheet(const SnContactSheet *sheet, const SinewAllocator *allocator,
                             SnImage **out_image, SinewError *error);

#endif

// SVG text files: a page with a light background, shapes in pixels, and text that cannot break the
// markup. Errors of writing are kept until the commit. Text is measured by rule of thumb, since the
// viewer picks the font.
#ifndef SN_TOOL_SVG_H
#define SN_TOOL_SVG_H

#include "io/whole_file.h"

typedef struct SnSvg {
    SnWholeFile file;
} SnSvg;

typedef enum SnSvgAnchor { SN_SVG_START, SN_SVG_MIDDLE, SN_SVG_END } SnSvgAnchor;

// The kinds of text in a chart, from large to small.
typedef enum SnSvgText {
    SN_SVG_TITLE,
    SN_SVG_SUBTITLE,
    SN_SVG_LABEL, // names of axes, bars and series
    SN_SVG_VALUE, // numbers that matter
    SN_SVG_TICK,  // numbers along an axis
    SN_SVG_TEXT_COUNT
} SnSvgText;

SinewStatus sn_svg_begin(SnSvg *svg, const char *path, double width, double height,
                         const SinewAllocator *allocator, SinewError *error);

// Ends the page and gives the file its name.
SinewStatus sn_svg_commit(SnSvg *svg, SinewError *error);
void sn_svg_abandon(SnSvg *svg);

// Markup as it is.
#define sn_svg_print(svg, ...) sn_whole_file_printf(&(svg)->file, __VA_ARGS__)

// UTF-8 text, escaped; what is no valid character becomes a replacement mark. NULL writes nothing.
void sn_svg_escaped(SnSvg *svg, const char *text);

// One line of text at its baseline; `turn` in degrees, clockwise.
void sn_svg_text(SnSvg *svg, double x, double y, SnSvgText kind, SnSvgAnchor anchor, double turn,
                 const char *text);

// About how wide a line of text is, pixels.
double sn_svg_text_width(SnSvgText kind, const char *text);

// Colours that the colour-blind can tell apart, after M. Okabe and K. Ito; they repeat.
const char *sn_svg_colour(int index);

#endif

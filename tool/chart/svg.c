#include "tool/chart/svg.h"

#include "tool/export/xml_escape.h"

#include <string.h>

static const double text_size[SN_SVG_TEXT_COUNT] = {20.0, 13.5, 13.5, 13.0, 12.0};
static const char *const text_class[SN_SVG_TEXT_COUNT] = {"title", "subtitle", "label", "value",
                                                          "tick"};

SinewStatus sn_svg_begin(SnSvg *svg, const char *path, double width, double height,
                         const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = sn_whole_file_begin(&svg->file, path, allocator, error);
    if (status < 0) {
        return status;
    }
    sn_svg_print(svg,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" "
                 "viewBox=\"0 0 %g %g\">\n",
                 width, height, width, height);
    // An own light background, so that a chart reads the same on a dark page.
    sn_svg_print(svg, "<style>\n"
                      "text { font-family: 'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', "
                      "sans-serif; fill: #2b3440 }\n");
    static const char *const look[SN_SVG_TEXT_COUNT] = {"font-weight: bold", "fill: #66717e", "",
                                                        "font-weight: bold", "fill: #66717e"};
    for (int kind = 0; kind < SN_SVG_TEXT_COUNT; ++kind) {
        sn_svg_print(svg, ".%s { font-size: %gpx; %s }\n", text_class[kind], text_size[kind],
                     look[kind]);
    }
    sn_svg_print(svg, ".grid { stroke: #e4e8ec; stroke-width: 1 }\n"
                      ".axis { stroke: #9aa4af; stroke-width: 1.2 }\n"
                      ".line { fill: none; stroke-width: 2.4; stroke-linejoin: round; "
                      "stroke-linecap: round }\n"
                      ".mark { stroke: #fcfcfb; stroke-width: 1.4 }\n"
                      "</style>\n");
    sn_svg_print(svg,
                 "<rect x=\"0.5\" y=\"0.5\" width=\"%g\" height=\"%g\" rx=\"8\" fill=\"#fcfcfb\" "
                 "stroke=\"#dfe3e8\"/>\n",
                 width - 1.0, height - 1.0);
    return SINEW_OK;
}

SinewStatus sn_svg_commit(SnSvg *svg, SinewError *error)
{
    sn_svg_print(svg, "</svg>\n");
    return sn_whole_file_commit(&svg->file, error);
}

void sn_svg_abandon(SnSvg *svg)
{
    sn_whole_file_abandon(&svg->file);
}

void sn_svg_escaped(SnSvg *svg, const char *text)
{
    sn_xml_put_escaped(&svg->file, text);
}

void sn_svg_text(SnSvg *svg, double x, double y, SnSvgText kind, SnSvgAnchor anchor, double turn,
                 const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    if (text == NULL || *text == '\0') {
        return;
    }
    sn_svg_print(svg, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"",
                 text_class[kind], x, y, anchors[anchor]);
    if (turn != 0.0) {
        sn_svg_print(svg, " transform=\"rotate(%g %.1f %.1f)\"", turn, x, y);
    }
    sn_svg_print(svg, ">");
    sn_svg_escaped(svg, text);
    sn_svg_print(svg, "</text>\n");
}

double sn_svg_text_width(SnSvgText kind, const char *text)
{
    double width = 0.0;
    for (const char *s = text; s != NULL && *s != '\0'; ++s) {
        bool is_narrow = strchr("iljtfr.,:;'|!()[] ", *s) != NULL;
        bool is_continued = (*s & 0xc0) == 0x80; // a byte within a character
        bool is_wide = (*s >= 'A' && *s <= 'Z') || strchr("<>&mw%=+@", *s) != NULL;
        width += is_continued ? 0.0 : is_narrow ? 0.36 : is_wide ? 0.72 : 0.61;
    }
    bool is_bold = kind == SN_SVG_TITLE || kind == SN_SVG_VALUE;
    return width * text_size[kind] * (is_bold ? 1.06 : 1.0);
}

const char *sn_svg_colour(int index)
{
    static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                          "#e69f00", "#56b4e9", "#5d6670"};
    return colours[index % (int)(sizeof colours / sizeof *colours)];
}

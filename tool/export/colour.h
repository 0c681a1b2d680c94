// Colours: from sRGB, in which people write them, to linear light, in which they are mixed, and
// back; and colour maps that turn a number into a colour. The maps are curves through OKLab, a
// space in which equal distances look equal, with lightness a straight line: equal steps of the
// number are equal steps to the eye, also in grey print and to the colour-blind.
#ifndef SN_TOOL_COLOUR_H
#define SN_TOOL_COLOUR_H

#include "tool/export/vec3.h"

typedef enum SnColourMap {
    SN_COLOUR_MAP_SEA,      // dark violet, blue, green, light yellow
    SN_COLOUR_MAP_EMBER,    // dark blue, purple, orange, light yellow
    SN_COLOUR_MAP_DIVERGING // blue, near white in the middle, red
} SnColourMap;

// The linear colour of t, which is clamped to [0, 1].
SnVec3 sn_colour_map(SnColourMap map, float t);

// One channel.
float sn_colour_from_srgb(float value);
float sn_colour_to_srgb(float value);

#endif

// Words in pictures: a small font of strokes, drawn smoothly at any size. Printable ASCII and what
// numbers need beside it (minus, middle dot, raised digits, degree, micro, thin space), in UTF-8;
// all else becomes a box. Characters are equally wide, so that columns of numbers line up.
#ifndef SN_TOOL_TEXT_H
#define SN_TOOL_TEXT_H

#include "tool/picture/image.h"

// Pixels from the left of the first character to the right of the last.
float sn_text_width(const char *text, float height);

// Draws a line of text; its capitals are `height` pixels tall and stand on y, starting at x. What
// hangs over the image is cut off. `colour` is sRGB, 0 to 1.
void sn_text_draw(SnImage *image, float x, float y, float height, const float colour[3],
                  const char *text);

#endif

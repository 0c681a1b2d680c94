#include "tool/picture/text.h"

#include "tool/export/colour.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// A letter is drawn on a grid: x from 0 to 4, y from 0 (top of capitals) over 2 (top of small
// letters) and 6 (the line) to 8 (below it). Strokes are pairs of digits, xy after xy; a blank
// begins a new stroke. From '!' to '~'.
static const char *const strokes[] = {
    "2024 2626",                             // !
    "1011 3031",                             // "
    "1016 3036 0242 0444",                   // #
    "413010010213334445361605 2026",         // $
    "0640 0010110100 3545463635",            // %
    "4601102021120405162644",                // &
    "2021",                                  // '
    "30212536",                              // (
    "10212516",                              // )
    "0343 1135 3115",                        // *
    "0343 2125",                             // +
    "2627",                                  // ,
    "1333",                                  // -
    "2626",                                  // .
    "0640",                                  // /
    "103041453616050110",                    // 0
    "112026 1636",                           // 1
    "01103041420646",                        // 2
    "0110304142334445361605 1333",           // 3
    "36300444",                              // 4
    "400002324345361605",                    // 5
    "413010010516364544331304",              // 6
    "004016",                                // 7
    "103041423313020110 133344453616050413", // 8
    "423313020110304145361605",              // 9
    "2222 2525",                             // :
    "2222 2627",                             // ;
    "410345",                                // <
    "0242 0444",                             // =
    "014305",                                // >
    "01103041422324 2626",                   // ?
    "4516050110304144343223242434",          // @
    "0602204246 0444",                       // A
    "06003041423303 3344453606",             // B
    "4130100105163645",                      // C
    "00062644422000",                        // D
    "40000646 0333",                         // E
    "400006 0333",                           // F
    "41301001051636454323",                  // G
    "0006 4046 0343",                        // H
    "1030 2026 1636",                        // I
    "4045361605",                            // J
    "0006 4004 1346",                        // K
    "000646",                                // L
    "0600234046",                            // M
    "06004640",                              // N
    "103041453616050110",                    // O
    "06003041423303",                        // P
    "103041453616050110 2446",               // Q
    "06003041423303 2346",                   // R
    "413010010213334445361605",              // S
    "0040 2026",                             // T
    "000516364540",                          // U
    "002640",                                // V
    "0016223640",                            // W
    "0046 4006",                             // X
    "002340 2326",                           // Y
    "00400646",                              // Z
    "30202636",                              // [
    "0046",                                  // backslash
    "10202616",                              // ]
    "022042",                                // ^
    "0747",                                  // _
    "1021",                                  // `
    "12324346 441405163645",                 // a
    "0006 0312324345361605",                 // b
    "4332120305163645",                      // c
    "4046 4332120305163645",                 // d
    "04444332120305163645",                  // e
    "40302126 1232",                         // f
    "4247381807 4332120305163645",           // g
    "0006 0312324346",                       // h
    "122226 1636 2020",                      // i
    "32372818 3030",                         // j
    "0006 4205 1446",                        // k
    "10202536",                              // l
    "0206 03122326 23324346",                // m
    "0206 0312324346",                       // n
    "123243453616050312",                    // o
    "0208 0312324345361605",                 // p
    "4248 4332120305163645",                 // q
    "0206 03123243",                         // r
    "43321203143445361605",                  // s
    "20253646 1232",                         // t
    "0205163645 4246",                       // u
    "022642",                                // v
    "0216243642",                            // w
    "0246 4206",                             // x
    "0226 4218",                             // y
    "02420646",                              // z
    "30211203142536",                        // {
    "2028",                                  // |
    "10213243342516",                        // }
    "03122342",                              // ~
};

static const char box[] = "0046400600 0006464000";

// Half a stroke's width, in units of the grid; 6 of those are the height of a capital. Dots are a
// little wider.
static const float half_stroke = 0.42f;
static const float half_dot = 0.55f;

enum { ADVANCE = 6, SUBSAMPLES = 4 };

// One character: its strokes, their size against that of a plain letter, and how far the next is,
// in units of the grid. Smaller ones hang from the top of capitals.
typedef struct Letter {
    const char *strokes;
    float scale;
    float advance;
} Letter;

// Characters beyond ASCII.
static const struct {
    const char *utf8;
    Letter letter;
} others[] = {
    {"\u2212", {"0343", 1.0f, ADVANCE}},          // minus
    {"\u00b7", {"2323", 1.0f, ADVANCE}},          // middle dot
    {"\u00b0", {"10203122120110", 0.9f, 4}},      // degree
    {"\u00b5", {"0208 0516364542 4246", 1, 6}},   // micro
    {"\u221e", {"2312030514233243443523", 1, 6}}, // infinity
    {"\u2009", {"", 1.0f, 2.5f}},                 // thin space
};

// Raised digits, of 0 to 9, and the raised minus.
static const char *const raised[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074", "\u2075",
                                     "\u2076", "\u2077", "\u2078", "\u2079", "\u207b"};

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

// The character at *text, which moves on behind it.
static Letter next_letter(const char **text)
{
    const char *c = *text;
    *text += 1;
    while ((**text & 0xc0) == 0x80) { // the rest of a character of several bytes
        *text += 1;
    }
    if (*c == ' ') {
        return (Letter){"", 1.0f, ADVANCE};
    }
    if (*c > ' ' && *c <= '~') {
        return (Letter){strokes[*c - '!'], 1.0f, ADVANCE};
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        if (starts_with(c, others[i].utf8)) {
            return others[i].letter;
        }
    }
    for (int i = 0; i < (int)(sizeof raised / sizeof *raised); ++i) {
        if (starts_with(c, raised[i])) {
            return (Letter){strokes[(i < 10 ? '0' + i : '-') - '!'], 0.62f, 4.0f};
        }
    }
    return (Letter){box, 1.0f, ADVANCE};
}

// Squared distance of p from the segment a b.
static float distance2(const float p[2], const float a[2], const float b[2])
{
    float ab[2] = {b[0] - a[0], b[1] - a[1]};
    float ap[2] = {p[0] - a[0], p[1] - a[1]};
    float length2 = ab[0] * ab[0] + ab[1] * ab[1];
    float t = length2 > 0.0f ? (ap[0] * ab[0] + ap[1] * ab[1]) / length2 : 0.0f;
    t = fminf(fmaxf(t, 0.0f), 1.0f);
    float d[2] = {ap[0] - t * ab[0], ap[1] - t * ab[1]};
    return d[0] * d[0] + d[1] * d[1];
}

// Whether a place on a letter's grid is inked.
static int is_inked(const char *letter, float x, float y)
{
    const float p[2] = {x, y};
    float from[2] = {0.0f, 0.0f};
    int has_from = 0;
    for (const char *c = letter; *c != '\0';) {
        if (*c == ' ') {
            has_from = 0;
            ++c;
            continue;
        }
        const float to[2] = {(float)(c[0] - '0'), (float)(c[1] - '0')};
        bool is_dot = from[0] == to[0] && from[1] == to[1];
        float half = is_dot ? half_dot : half_stroke;
        if (has_from && distance2(p, from, to) <= half * half) {
            return 1;
        }
        memcpy(from, to, sizeof from);
        has_from = 1;
        c += 2;
    }
    return 0;
}

// Mixes a colour into a pixel, in linear light.
static void blend(SnImage *image, int x, int y, const float colour[3], float share)
{
    unsigned char *pixel = sn_image_pixel(image, x, y);
    for (int c = 0; c < 3; ++c) {
        float below = sn_colour_from_srgb((float)pixel[c] / 255.0f);
        float mixed = below + share * (sn_colour_from_srgb(colour[c]) - below);
        pixel[c] = (unsigned char)(sn_colour_to_srgb(mixed) * 255.0f + 0.5f);
    }
    if (image->channels == 4) {
        float opacity = (float)pixel[3] / 255.0f;
        pixel[3] = (unsigned char)((opacity + share * (1.0f - opacity)) * 255.0f + 0.5f);
    }
}

static int clamp_pixel(float x, int size)
{
    return x <= 0.0f ? 0 : x >= (float)size ? size : (int)x;
}

// One letter whose grid's corner is at (left, top), `unit` pixels a step.
static void draw_letter(SnImage *image, const char *letter, float left, float top, float unit,
                        const float colour[3])
{
    int x0 = clamp_pixel(left - unit, image->width);
    int x1 = clamp_pixel(left + 5.0f * unit + 1.0f, image->width);
    int y0 = clamp_pixel(top - unit, image->height);
    int y1 = clamp_pixel(top + 9.0f * unit + 1.0f, image->height);
    for (int y = y0; y < y1; ++y) {
        for (int x = x0; x < x1; ++x) {
            int inked = 0;
            for (int s = 0; s < SUBSAMPLES * SUBSAMPLES; ++s) {
                float px = (float)x + ((float)(s % SUBSAMPLES) + 0.5f) / SUBSAMPLES;
                float py = (float)y + ((float)(s / SUBSAMPLES) + 0.5f) / SUBSAMPLES;
                inked += is_inked(letter, (px - left) / unit, (py - top) / unit);
            }
            if (inked > 0) {
                blend(image, x, y, colour, (float)inked / (SUBSAMPLES * SUBSAMPLES));
            }
        }
    }
}

float sn_text_width(const char *text, float height)
{
    float width = 0.0f;
    while (*text != '\0') {
        width += next_letter(&text).advance;
    }
    // The last letter has no gap behind it.
    return width > 2.0f ? (width - 2.0f) * height / 6.0f : 0.0f;
}

void sn_text_draw(SnImage *image, float x, float y, float height, const float colour[3],
                  const char *text)
{
    float unit = height / 6.0f;
    if (!(unit > 0.0f) || !isfinite(x) || !isfinite(y) || !isfinite(unit)) {
        return;
    }
    while (*text != '\0') {
        Letter letter = next_letter(&text);
        draw_letter(image, letter.strokes, x, y - 6.0f * unit, unit * letter.scale, colour);
        x += letter.advance * unit;
    }
}

#include "tool/export/colour.h"

// A point on a map's curve: OKLab lightness, chroma, and hue in degrees. Hues run on past 360 where
// the curve does, so that neighbours can be mixed.
typedef struct Anchor {
    float t, lightness, chroma, hue;
} Anchor;

static const Anchor sea[] = {{0.00f, 0.28f, 0.125f, 305.0f},
                             {0.25f, 0.44f, 0.115f, 262.0f},
                             {0.50f, 0.60f, 0.110f, 195.0f},
                             {0.75f, 0.76f, 0.165f, 147.0f},
                             {1.00f, 0.92f, 0.185f, 106.0f}};
static const Anchor ember[] = {{0.00f, 0.30f, 0.150f, 278.0f},
                               {0.25f, 0.45f, 0.200f, 308.0f},
                               {0.50f, 0.60f, 0.185f, 362.0f},
                               {0.75f, 0.75f, 0.150f, 416.0f},
                               {1.00f, 0.91f, 0.155f, 465.0f}};
static const Anchor diverging[] = {{0.00f, 0.40f, 0.150f, 262.0f}, {0.25f, 0.66f, 0.105f, 250.0f},
                                   {0.50f, 0.95f, 0.005f, 250.0f}, {0.50f, 0.95f, 0.005f, 40.0f},
                                   {0.75f, 0.68f, 0.135f, 38.0f},  {1.00f, 0.42f, 0.160f, 26.0f}};

static float clamp01(float t)
{
    return t > 0.0f ? (t < 1.0f ? t : 1.0f) : 0.0f;
}

// OKLab to linear sRGB (B. Ottosson, "A perceptual color space for image processing", 2020).
static SnVec3 from_oklab(float lightness, float a, float b)
{
    float l = lightness + 0.3963377774f * a + 0.2158037573f * b;
    float m = lightness - 0.1055613458f * a - 0.0638541728f * b;
    float s = lightness - 0.0894841775f * a - 1.2914855480f * b;
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    return sn_vec3(clamp01(4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s),
                   clamp01(-1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s),
                   clamp01(-0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s));
}

SnVec3 sn_colour_map(SnColourMap map, float t)
{
    const Anchor *anchor = map == SN_COLOUR_MAP_SEA     ? sea
                           : map == SN_COLOUR_MAP_EMBER ? ember
                                                        : diverging;
    int last = map == SN_COLOUR_MAP_DIVERGING ? 5 : 4;
    t = clamp01(t);
    int i = 0;
    while (i < last - 1 && t > anchor[i + 1].t) {
        ++i;
    }
    const Anchor *p = &anchor[i];
    const Anchor *q = &anchor[i + 1];
    float s = q->t > p->t ? (t - p->t) / (q->t - p->t) : 0.0f;
    float hue = (p->hue + s * (q->hue - p->hue)) * 0.01745329252f;
    float chroma = p->chroma + s * (q->chroma - p->chroma);
    return from_oklab(p->lightness + s * (q->lightness - p->lightness), chroma * cosf(hue),
                      chroma * sinf(hue));
}

float sn_colour_from_srgb(float value)
{
    value = clamp01(value);
    return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

float sn_colour_to_srgb(float value)
{
    value = clamp01(value);
    return value <= 0.0031308f ? 12.92f * value : 1.055f * powf(value, 1.0f / 2.4f) - 0.055f;
}

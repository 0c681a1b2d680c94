#include "tool/chart/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The round number nearest to `step` from above: 1, 2 or 5 times a power of ten.
static double round_step(double step)
{
    double power = pow(10.0, floor(log10(step)));
    double digit = step / power;
    return power * (digit <= 1.0 ? 1.0 : digit <= 2.0 ? 2.0 : digit <= 5.0 ? 5.0 : 10.0);
}

static void add_tick(SnAxis *axis, double value)
{
    if (axis->tick_count < SN_AXIS_TICKS_MAX) {
        axis->ticks[axis->tick_count++] = value;
    }
}

static void place_linear(SnAxis *axis, int wanted)
{
    // An axis of one number gets some room on both sides.
    double span = axis->high - axis->low;
    double size = fmax(fabs(axis->low), fabs(axis->high));
    if (!(span > 1e-12 * size && span > 1e-280)) {
        double room = size > 1e-280 ? 0.5 * size : 1.0;
        axis->low -= room;
        axis->high += room;
        span = 2.0 * room;
    }
    axis->step = round_step(span / wanted);
    double first = floor(axis->low / axis->step + 1e-9);
    double last = ceil(axis->high / axis->step - 1e-9);
    axis->low = first * axis->step;
    axis->high = last * axis->step;
    for (int i = 0; i <= (int)(last - first); ++i) {
        add_tick(axis, (first + i) * axis->step);
    }
}

// The n-th of the numbers 1, 2, 5, 10, 20, 50, 100..., also for negative n.
static double series_125(int n)
{
    static const double digits[] = {1.0, 2.0, 5.0};
    int decade = n >= 0 ? n / 3 : -((2 - n) / 3);
    return digits[n - 3 * decade] * pow(10.0, decade);
}

// Ends at round numbers just outside of what is shown. Ticks at each of them over up to three
// decades, else at powers of ten.
static void place_log(SnAxis *axis, int wanted)
{
    const double slack = 1.0 + 1e-9;
    int first = 3 * (int)floor(log10(axis->low)) + 3;
    while (series_125(first) > axis->low * slack) {
        --first;
    }
    int last = first + 1;
    while (series_125(last) * slack < axis->high) {
        ++last;
    }
    axis->low = series_125(first);
    axis->high = series_125(last);
    int decades = (last - first + 2) / 3;
    int stride = decades <= 3 ? 1 : 3 * ((decades + 2 * wanted - 1) / (2 * wanted));
    for (int n = first; n <= last; ++n) {
        if (n % stride == 0) {
            add_tick(axis, series_125(n));
        }
    }
    axis->has_powers = axis->low < 0.9e-3 || axis->high > 1.1e6;
}

SnAxis sn_axis(double low, double high, bool is_log, int wanted)
{
    SnAxis axis = {.low = low, .high = high, .is_log = is_log, .end = 1.0};
    if (is_log) {
        place_log(&axis, wanted);
    } else {
        place_linear(&axis, wanted);
    }
    return axis;
}

double sn_axis_place(const SnAxis *axis, double value)
{
    double t = axis->is_log ? log(value / axis->low) / log(axis->high / axis->low)
                            : (value - axis->low) / (axis->high - axis->low);
    return axis->start + t * (axis->end - axis->start);
}

// Appends the digits of an exponent, raised.
static void append_raised(char *text, int size, int exponent)
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char plain[16];
    snprintf(plain, sizeof plain, "%d", exponent);
    for (const char *s = plain; *s != '\0'; ++s) {
        size_t length = strlen(text);
        snprintf(text + length, (size_t)size - length, "%s", *s == '-' ? "⁻" : raised[*s - '0']);
    }
}

static void format_power(double value, int exponent, char *out_text, int size)
{
    double digits = value / pow(10.0, exponent);
    if (fabs(fabs(digits) - 1.0) < 1e-9) {
        snprintf(out_text, (size_t)size, "%s10", digits < 0.0 ? "−" : "");
    } else {
        snprintf(out_text, (size_t)size, "%s%.3g·10", digits < 0.0 ? "−" : "", fabs(digits));
    }
    append_raised(out_text, size, exponent);
}

// Fixed decimals, with a thin space before each three digits left of the point.
static void format_fixed(double value, int decimals, char *out_text, int size)
{
    char plain[48];
    snprintf(plain, sizeof plain, "%.*f", decimals, fabs(value));
    int whole = (int)strcspn(plain, ".");
    bool is_zero = strspn(plain, "0.") == strlen(plain);
    snprintf(out_text, (size_t)size, "%s", value < 0.0 && !is_zero ? "−" : "");
    for (int i = 0; plain[i] != '\0'; ++i) {
        bool is_gap = whole > 4 && i > 0 && i < whole && (whole - i) % 3 == 0;
        size_t length = strlen(out_text);
        snprintf(out_text + length, (size_t)size - length, "%s%c", is_gap ? "\u2009" : "",
                 plain[i]);
    }
}

void sn_axis_format(double value, double step, char *out_text, int size)
{
    if (!isfinite(value)) {
        snprintf(out_text, (size_t)size, "%s", isnan(value) ? "no value" : "∞");
        return;
    }
    double magnitude = fmax(fabs(value), step);
    int exponent = magnitude > 0.0 ? (int)floor(log10(magnitude) + 1e-9) : 0;
    if (value != 0.0 && (exponent >= 6 || exponent <= -4)) {
        format_power(value, (int)floor(log10(fabs(value)) + 1e-9), out_text, size);
        return;
    }
    // As many decimals as the step has, or as make three digits.
    int decimals = step > 0.0 ? -(int)floor(log10(step) + 1e-9) : 2 - exponent;
    decimals = decimals < 0 ? 0 : decimals > 9 ? 9 : decimals;
    format_fixed(value, decimals, out_text, size);
    if (step == 0.0 && strchr(out_text, '.') != NULL) {
        size_t length = strlen(out_text);
        while (out_text[length - 1] == '0') {
            out_text[--length] = '\0';
        }
        if (out_text[length - 1] == '.') {
            out_text[length - 1] = '\0';
        }
    }
}

void sn_axis_tick_text(const SnAxis *axis, int tick, char *out_text, int size)
{
    double value = axis->ticks[tick];
    if (axis->has_powers && fabs(value - 1.0) > 1e-9) {
        format_power(value, (int)floor(log10(value) + 1e-9), out_text, size);
    } else {
        sn_axis_format(value, axis->step, out_text, size);
    }
}

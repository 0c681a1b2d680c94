#include "io/scan.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SnScan sn_scan_of(const SnBytes *bytes, char comment)
{
    const char *text = (const char *)bytes->data;
    return (SnScan){
        .at = text, .end = text + bytes->size, .path = bytes->path, .line = 1, .comment = comment};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static void skip_blanks(SnScan *scan)
{
    while (scan->at < scan->end && is_blank(*scan->at)) {
        ++scan->at;
    }
    if (scan->comment != '\0' && scan->at < scan->end && *scan->at == scan->comment) {
        const char *line_break = memchr(scan->at, '\n', (size_t)(scan->end - scan->at));
        scan->at = line_break != NULL ? line_break : scan->end;
    }
}

SnWord sn_scan_word_in_line(SnScan *scan)
{
    skip_blanks(scan);
    const char *start = scan->at;
    while (scan->at < scan->end && !is_blank(*scan->at) && *scan->at != '\n' &&
           (scan->comment == '\0' || *scan->at != scan->comment)) {
        ++scan->at;
    }
    return (SnWord){start, (size_t)(scan->at - start)};
}

SnWord sn_scan_word(SnScan *scan)
{
    for (;;) {
        SnWord word = sn_scan_word_in_line(scan);
        if (word.length > 0 || !sn_scan_next_line(scan)) {
            return word;
        }
    }
}

bool sn_scan_next_line(SnScan *scan)
{
    const char *line_break = memchr(scan->at, '\n', (size_t)(scan->end - scan->at));
    if (line_break == NULL) {
        scan->at = scan->end;
        return false;
    }
    scan->at = line_break + 1;
    ++scan->line;
    return scan->at < scan->end;
}

bool sn_word_is(SnWord word, const char *text)
{
    return strlen(text) == word.length && memcmp(word.text, text, word.length) == 0;
}

// Up to 19 digits fit 64 bits; the scale is then a power of ten that is exact in double. In that
// range one multiplication or division rounds correctly, outside it strtod does the work.
static bool read_short_double(SnWord word, double *out_value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    size_t i = 0;
    bool negative = word.length > 0 && word.text[0] == '-';
    i += negative || (word.length > 0 && word.text[0] == '+');
    uint64_t digits = 0;
    int count = 0;
    int scale = 0;
    bool point = false;
    bool has_digit = false;
    for (; i < word.length; ++i) {
        char c = word.text[i];
        if (c >= '0' && c <= '9') {
            digits = digits * 10 + (uint64_t)(c - '0');
            count += digits != 0;
            has_digit = true;
            scale -= point;
        } else if (c == '.' && !point) {
            point = true;
        } else {
            break;
        }
        if (count > 15) {
            return false;
        }
    }
    if (i < word.length && (word.text[i] == 'e' || word.text[i] == 'E') && i + 1 < word.length) {
        bool down = word.text[i + 1] == '-';
        int exponent = 0;
        i += down || word.text[i + 1] == '+' ? 2 : 1;
        size_t first = i;
        for (; i < word.length && i < first + 4 && word.text[i] >= '0' && word.text[i] <= '9';
             ++i) {
            exponent = exponent * 10 + (word.text[i] - '0');
        }
        if (i == first) {
            return false;
        }
        scale += down ? -exponent : exponent;
    }
    if (i != word.length || !has_digit || scale < -22 || scale > 22) {
        return false;
    }
    double value = (double)digits;
    value = scale < 0 ? value / powers[-scale] : value * powers[scale];
    *out_value = negative ? -value : value;
    return true;
}

SinewStatus sn_scan_double(const SnScan *scan, SnWord word, const char *what, double *out_value,
                           SinewError *error)
{
    if (word.length == 0) {
        return sn_scan_fail(scan, error, "expected %s, but the line ends", what);
    }
    bool starts_well = strchr("+-.0123456789", word.text[0]) != NULL && word.text[0] != '\0';
    if (starts_well && word.length > 1 && read_short_double(word, out_value)) {
        return SINEW_OK;
    }
    char copy[400] = "";
    char *end = copy;
    if (starts_well && word.length < sizeof copy) {
        memcpy(copy, word.text, word.length);
        copy[word.length] = '\0';
        *out_value = strtod(copy, &end);
    }
    bool is_hex = word.length > 1 && memchr(word.text, 'x', word.length) != NULL;
    if (end == copy || *end != '\0' || is_hex || !isfinite(*out_value)) {
        return sn_scan_fail(scan, error, "\"%.*s\" is not %s, expected a finite number",
                            (int)(word.length < 40 ? word.length : 40), word.text, what);
    }
    return SINEW_OK;
}

SinewStatus sn_scan_int(const SnScan *scan, SnWord word, const char *what, int64_t least,
                        int64_t most, int64_t *out_value, SinewError *error)
{
    if (word.length == 0) {
        return sn_scan_fail(scan, error, "expected %s, but the line ends", what);
    }
    size_t i = word.text[0] == '-' || word.text[0] == '+';
    int64_t value = 0;
    bool good = i < word.length && word.length < 19 + i;
    for (; good && i < word.length; ++i) {
        good = word.text[i] >= '0' && word.text[i] <= '9';
        value = value * 10 + (word.text[i] - '0');
    }
    value = word.text[0] == '-' ? -value : value;
    if (!good || value < least || value > most) {
        return sn_scan_fail(scan, error,
                            "\"%.*s\" is not %s, expected a whole number from %lld to %lld",
                            (int)(word.length < 40 ? word.length : 40), word.text, what,
                            (long long)least, (long long)most);
    }
    *out_value = value;
    return SINEW_OK;
}

SinewStatus sn_scan_item_number(const SnScan *scan, SnWord word, int64_t i, int64_t *first,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int64_t number = 0;
    int64_t least = i == 0 ? 0 : *first + i;
    SN_TRY(sn_scan_int(scan, word, "the number of this line", least, i == 0 ? 1 : least, &number,
                       error));
    *first = i == 0 ? number : *first;
done:
    return status;
}

SinewStatus sn_scan_expect_room(const SnScan *scan, const char *what, int64_t count,
                                size_t item_size, SinewError *error)
{
    size_t left = (size_t)(scan->end - scan->at);
    if (count < 0 || (uint64_t)count > (left + 1) / item_size) {
        return sn_scan_fail(scan, error, "%s is %lld, but only %zu bytes are left", what,
                            (long long)count, left);
    }
    return SINEW_OK;
}

SinewStatus sn_scan_fail(const SnScan *scan, SinewError *error, const char *format, ...)
{
    char text[140];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return sn_fail_at(error, SINEW_ERROR_FILE, scan->line, "%.80s:%lld: %s", scan->path,
                      (long long)scan->line, text);
}

SinewStatus sn_bytes_fail(const SnBytes *bytes, size_t at, SinewError *error, const char *format,
                          ...)
{
    char text[140];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return sn_fail_at(error, SINEW_ERROR_FILE, (int64_t)at, "%.70s: byte %zu: %s", bytes->path, at,
                      text);
}

#include "io/xml.h"

#include <string.h>

// Moves on, counting lines.
static void move_to(SnScan *scan, const char *place)
{
    while (scan->at < place) {
        const char *line_break = memchr(scan->at, '\n', (size_t)(place - scan->at));
        if (line_break == NULL) {
            break;
        }
        ++scan->line;
        scan->at = line_break + 1;
    }
    scan->at = place;
}

static bool starts_with(const SnScan *scan, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(scan->end - scan->at) >= length && memcmp(scan->at, text, length) == 0;
}

// Behind the next `text`; false when there is none.
static bool skip_behind(SnScan *scan, const char *text)
{
    size_t length = strlen(text);
    while (scan->at < scan->end) {
        const char *place = memchr(scan->at, text[0], (size_t)(scan->end - scan->at));
        if (place == NULL) {
            break;
        }
        move_to(scan, place);
        if (starts_with(scan, text)) {
            scan->at += length;
            return true;
        }
        ++scan->at;
    }
    move_to(scan, scan->end);
    return false;
}

static void skip_blanks(SnScan *scan)
{
    const char *at = scan->at;
    while (at < scan->end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) {
        ++at;
    }
    move_to(scan, at);
}

static SnWord read_name(SnScan *scan)
{
    const char *start = scan->at;
    while (scan->at < scan->end &&
           ((*scan->at >= 'a' && *scan->at <= 'z') || (*scan->at >= 'A' && *scan->at <= 'Z') ||
            (*scan->at >= '0' && *scan->at <= '9') || *scan->at == '_' || *scan->at == ':' ||
            *scan->at == '-' || *scan->at == '.')) {
        ++scan->at;
    }
    return (SnWord){start, (size_t)(scan->at - start)};
}

// key="value", the quotes of either kind.
static SinewStatus read_attribute(SnScan *scan, SnXmlTag *tag, SinewError *error)
{
    SnWord key = read_name(scan);
    skip_blanks(scan);
    if (key.length == 0 || scan->at == scan->end || *scan->at != '=') {
        return sn_scan_fail(scan, error, "expected name=\"value\" or the end of the tag");
    }
    ++scan->at;
    skip_blanks(scan);
    char quote = scan->at < scan->end ? *scan->at : '\0';
    if (quote != '"' && quote != '\'') {
        return sn_scan_fail(scan, error, "the attribute %.*s has no value in quotes",
                            (int)(key.length < 40 ? key.length : 40), key.text);
    }
    const char *start = ++scan->at;
    const char *end = memchr(start, quote, (size_t)(scan->end - start));
    if (end == NULL || memchr(start, '<', (size_t)(end - start)) != NULL) {
        return sn_scan_fail(scan, error, "the value of the attribute %.*s does not end",
                            (int)(key.length < 40 ? key.length : 40), key.text);
    }
    if (tag->attribute_count == SN_XML_ATTRIBUTES_MAX) {
        return sn_scan_fail(scan, error, "a tag has more than %d attributes",
                            SN_XML_ATTRIBUTES_MAX);
    }
    tag->keys[tag->attribute_count] = key;
    tag->values[tag->attribute_count++] = (SnWord){start, (size_t)(end - start)};
    move_to(scan, end + 1);
    return SINEW_OK;
}

static SinewStatus read_tag(SnScan *scan, SnXmlTag *tag, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    tag->is_close = starts_with(scan, "/");
    scan->at += tag->is_close;
    tag->name = read_name(scan);
    if (tag->name.length == 0) {
        SN_TRY(sn_scan_fail(scan, error, "expected the name of a tag after '<'"));
    }
    for (;;) {
        skip_blanks(scan);
        if (starts_with(scan, ">")) {
            ++scan->at;
            break;
        }
        if (starts_with(scan, "/>")) {
            tag->is_empty = true;
            scan->at += 2;
            break;
        }
        SN_TRY(read_attribute(scan, tag, error));
    }
done:
    return status;
}

SinewStatus sn_xml_next(SnScan *scan, SnXmlTag *out_tag, SinewError *error)
{
    out_tag->name = (SnWord){scan->end, 0};
    out_tag->is_close = false;
    out_tag->is_empty = false;
    out_tag->attribute_count = 0;
    while (skip_behind(scan, "<")) {
        if (starts_with(scan, "?") || starts_with(scan, "!--")) {
            if (!skip_behind(scan, *scan->at == '?' ? "?>" : "-->")) {
                return sn_scan_fail(scan, error, "the file ends inside a comment");
            }
        } else if (starts_with(scan, "!")) {
            return sn_scan_fail(scan, error, "<! is not read, expected plain tags");
        } else {
            return read_tag(scan, out_tag, error);
        }
    }
    return SINEW_OK;
}

SnWord sn_xml_value(const SnXmlTag *tag, const char *key)
{
    for (int i = 0; i < tag->attribute_count; ++i) {
        if (sn_word_is(tag->keys[i], key)) {
            return tag->values[i];
        }
    }
    return (SnWord){"", 0};
}

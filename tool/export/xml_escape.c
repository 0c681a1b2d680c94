#include "tool/export/xml_escape.h"

int sn_xml_character_length(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] < 0x80) {
        return s[0] >= 0x20 || s[0] == '\t' || s[0] == '\n' || s[0] == '\r' ? 1 : 0;
    }
    int length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4) {
        return 0;
    }
    unsigned code = s[0] & (0xffu >> (length + 1));
    for (int i = 1; i < length; ++i) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0; // also where the text ends within a character
        }
        code = code << 6 | (s[i] & 0x3fu);
    }
    bool too_long = code < (length == 2 ? 0x80u : length == 3 ? 0x800u : 0x10000u);
    bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
    bool is_character = code <= 0x10ffff && code != 0xfffe && code != 0xffff;
    return !too_long && !is_surrogate && is_character ? length : 0;
}

static const char *entity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&apos;";
    default:
        return NULL;
    }
}

void sn_xml_put_escaped(SnWholeFile *file, const char *text)
{
    for (const char *s = text; s != NULL && *s != '\0';) {
        int length = sn_xml_character_length(s);
        if (length == 0) {
            sn_whole_file_printf(file, "\xef\xbf\xbd");
            ++s;
        } else if (entity(*s) != NULL) {
            sn_whole_file_printf(file, "%s", entity(*s++));
        } else {
            sn_whole_file_write(file, s, (size_t)length);
            s += length;
        }
    }
}

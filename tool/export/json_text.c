#include "tool/export/json_text.h"

#include "tool/export/xml_escape.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void add(SnJsonText *json, const char *data, size_t size)
{
    char *place = json->is_short_of_memory ? NULL : sn_array_add(&json->text, size);
    if (place == NULL) {
        json->is_short_of_memory = true;
        return;
    }
    memcpy(place, data, size);
}

void sn_json_print(SnJsonText *json, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    SN_ASSERT(length >= 0 && length < (int)sizeof text);
    add(json, text, (size_t)length);
}

void sn_json_string(SnJsonText *json, const char *text)
{
    add(json, "\"", 1);
    for (const char *s = text; s != NULL && *s != '\0';) {
        int length = sn_xml_character_length(s);
        if ((unsigned char)*s < ' ') {
            sn_json_print(json, "\\u%04x", (unsigned)*s++);
        } else if (length == 0) {
            add(json, "\xef\xbf\xbd", 3);
            ++s;
        } else {
            if (*s == '"' || *s == '\\') {
                add(json, "\\", 1);
            }
            add(json, s, (size_t)length);
            s += length;
        }
    }
    add(json, "\"", 1);
}

SinewStatus sn_json_check(const SnJsonText *json, SinewError *error)
{
    return json->is_short_of_memory ? sn_expect_memory(NULL, json->text.count, 1, error) : SINEW_OK;
}

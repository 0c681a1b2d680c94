// JSON written piece by piece into memory. What runs out is kept until the end.
#ifndef SN_TOOL_JSON_TEXT_H
#define SN_TOOL_JSON_TEXT_H

#include "base/array.h"

#include <stdbool.h>

typedef struct SnJsonText {
    SnArray text; // char, not terminated
    bool is_short_of_memory;
} SnJsonText;

static inline SnJsonText sn_json_text_of(const SinewAllocator *allocator)
{
    return (SnJsonText){.text = sn_array_of(allocator, 1)};
}

// At most 500 bytes a call.
void sn_json_print(SnJsonText *json, const char *format, ...) SN_PRINTF(2, 3);

// Text between quotes, escaped; bytes that are no UTF-8 become a replacement mark. NULL is empty.
void sn_json_string(SnJsonText *json, const char *text);

SinewStatus sn_json_check(const SnJsonText *json, SinewError *error);

#endif

// Text inside XML: what would break the markup is written as an entity, and bytes that are no UTF-8
// or have no place in XML become a replacement mark.
#ifndef SN_TOOL_XML_ESCAPE_H
#define SN_TOOL_XML_ESCAPE_H

#include "io/whole_file.h"

// For text between tags and in attributes with either quotes. NULL writes nothing.
void sn_xml_put_escaped(SnWholeFile *file, const char *text);

// The length in bytes of the character at `s`, which ends with a zero; 0 when the bytes are no
// UTF-8 or the character has no place in XML.
int sn_xml_character_length(const char *s);

#endif

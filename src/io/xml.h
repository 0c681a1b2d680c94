// XML as far as VTK files use it: tags and attributes, one tag after the other. Comments and
// <?...?> are stepped over; document types, CDATA and everything that could expand are refused.
#ifndef SN_IO_XML_H
#define SN_IO_XML_H

#include "io/scan.h"

enum { SN_XML_ATTRIBUTES_MAX = 32 };

typedef struct SnXmlTag {
    SnWord name; // of length 0: there is no further tag
    bool is_close;
    bool is_empty; // <name ... />
    int attribute_count;
    SnWord keys[SN_XML_ATTRIBUTES_MAX];
    SnWord values[SN_XML_ATTRIBUTES_MAX]; // as they are written, entities and all
} SnXmlTag;

// The next tag; the scan is behind its '>' then. Text in front of it is skipped.
SinewStatus sn_xml_next(SnScan *scan, SnXmlTag *out_tag, SinewError *error);

// The value of an attribute, of length 0 where it is missing.
SnWord sn_xml_value(const SnXmlTag *tag, const char *key);

#endif

// The header of a PLY file: which elements follow, how many of each, and what each consists of.
#ifndef SN_IO_PLY_HEADER_H
#define SN_IO_PLY_HEADER_H

#include "base/array.h"
#include "io/scan.h"

typedef enum SnPlyOrder { SN_PLY_ASCII, SN_PLY_LITTLE, SN_PLY_BIG } SnPlyOrder;

typedef enum SnPlyType {
    SN_PLY_INT8,
    SN_PLY_UINT8,
    SN_PLY_INT16,
    SN_PLY_UINT16,
    SN_PLY_INT32,
    SN_PLY_UINT32,
    SN_PLY_FLOAT,
    SN_PLY_DOUBLE,
    SN_PLY_TYPE_COUNT
} SnPlyType;

typedef struct SnPlyProperty {
    SnWord name;
    SnPlyType type; // of the value, or of each item of a list
    bool is_list;
    SnPlyType count_type; // of a list's length; a whole number
    size_t offset;        // bytes in the row, where no list comes before it and the file is binary
} SnPlyProperty;

typedef struct SnPlyElement {
    SnWord name;
    int64_t count;
    size_t first_property;
    size_t property_count;
    size_t least_size; // bytes that a row takes at least
    bool has_list;
} SnPlyElement;

typedef struct SnPlyHeader {
    SnPlyOrder order;
    SnArray elements;   // SnPlyElement
    SnArray properties; // SnPlyProperty, of all elements
} SnPlyHeader;

// Bytes of a value.
size_t sn_ply_type_size(SnPlyType type);

// Reads up to and with the line end_header. Names point into the file.
SinewStatus sn_ply_header_read(SnScan *scan, const SinewAllocator *allocator,
                               SnPlyHeader *out_header, SinewError *error);

void sn_ply_header_release(SnPlyHeader *header);

// The property of an element by name; -1: it has none.
int sn_ply_property_find(const SnPlyHeader *header, const SnPlyElement *element, const char *name);

#endif

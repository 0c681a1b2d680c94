// Reads a tree into structs as the schema's tables say: unknown keys, wrong types and values out of
// range are refused with their line; what is left out gets its default.
#ifndef SN_SCENE_READ_H
#define SN_SCENE_READ_H

#include "scene/schema.h"

// Memory that lives as long as the scene: lists and texts.
typedef struct SnKeep {
    const SinewAllocator *allocator;
    SnArray blocks; // void *
} SnKeep;

SnKeep sn_keep_of(const SinewAllocator *allocator);

// `count` items of `size` bytes, all zero; NULL with a sentence when memory is short.
void *sn_keep_alloc(SnKeep *keep, size_t count, size_t size, SinewError *error);

// A copy of a text; `folder` in front of it where it is not NULL and the text is a relative path.
const char *sn_keep_text(SnKeep *keep, const char *folder, const char *text, SinewError *error);

void sn_keep_release(SnKeep *keep);

typedef struct SnReading {
    const SnYaml *yaml;
    SnKeep *keep;
    const char *folder; // of files with relative names; nullable
} SnReading;

// Reads a mapping into `out`, a struct of the table.
SinewStatus sn_table_read(const SnReading *reading, const SnTable *table, int node, void *out,
                          SinewError *error);

// Copies from `from` to `to`, both structs of the table, the fields that the mapping leaves out.
void sn_table_inherit(const SnYaml *yaml, const SnTable *table, int node, const void *from,
                      void *to);

#endif

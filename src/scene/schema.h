// The schema of scenes: each mapping is a table of fields, each field has a key, a type, a unit, a
// range, a default and a sentence of help. The reader, the overrides, the hash and the reference
// page are all driven by these tables; there is no second list of keys.
#ifndef SN_SCENE_SCHEMA_H
#define SN_SCENE_SCHEMA_H

#include "scene/yaml_tree.h"

#include <stddef.h>
#include <stdio.h>

typedef enum SnFieldType {
    SN_FIELD_NUMBER,  // double
    SN_FIELD_VECTOR,  // double[3]
    SN_FIELD_WHOLE,   // int
    SN_FIELD_WHOLES,  // int[3]
    SN_FIELD_TRUTH,   // int, 0 or 1
    SN_FIELD_WORD,    // int, index in `words`
    SN_FIELD_WORDS,   // int, a list: bit i for word i
    SN_FIELD_AXES,    // int[3], 1 for each of x, y, z that is in the text
    SN_FIELD_NAME,    // const char *
    SN_FIELD_FILE,    // const char *, with its folder
    SN_FIELD_INDICES, // int *, and a count
    SN_FIELD_GROUP,   // a mapping: `table` at the offset
    SN_FIELD_LIST     // a list of mappings: pointer to items of `table`, and a count
} SnFieldType;

enum {
    SN_FIELD_REQUIRED = 1 << 0,
    SN_FIELD_CHOICE = 1 << 1,    // exactly one of the table's fields with this flag is there
    SN_FIELD_ABOVE = 1 << 2,     // `least` itself is not in the range
    SN_FIELD_BELOW = 1 << 3,     // nor is `most`
    SN_FIELD_NOT_ZERO = 1 << 4,  // a vector that must have a direction
    SN_FIELD_ASCENDING = 1 << 5, // a list whose items begin with a time, which must grow
    SN_FIELD_NOT_EMPTY = 1 << 6, // a list of at least one
    SN_FIELD_NO_HASH = 1 << 7,   // decides nothing that a checkpoint keeps
    SN_FIELD_FOLDER = 1 << 8     // a file that is a folder
};

// A `most` beyond this is beyond all use, and told only to those who pass it.
#define SN_FIELD_FAR 1e8

// Words of a field.
typedef struct SnWordList {
    const char *const *words;
    int count;
} SnWordList;

struct SnTable;

typedef struct SnField {
    const char *key;
    SnFieldType type;
    unsigned flags;
    size_t offset;       // in the struct of the table
    size_t count_offset; // of an int, for lists
    double least;        // range of numbers, and of each component; both 0: any number
    double most;         //
    double preset[3];    // the default: numbers, or the index of the word
    const char *absent;  // what leaving it out means, where no value says it; NULL: the preset
    const char *unit;    // NULL: none
    const SnWordList *words;
    const unsigned *word_kinds; // `kinds` of each word; NULL: all
    unsigned kinds;             // bit k: kind k takes the field, of tables with kinds; 0: all do
    const struct SnTable *table;
    int choice;       // what the table's choice becomes when this field is there
    const char *help; // NULL for groups that their table explains
} SnField;

#define SN_NOWHERE ((size_t)-1)

// Looks at what a mapping said once all of its fields are read.
typedef SinewStatus SnTableCheck(const SnYaml *yaml, int node, const void *item, SinewError *error);

typedef struct SnTable {
    const char *title; // of its part of the reference page; NULL: shown where it is used
    const char *help;
    const SnField *fields;
    int field_count;
    size_t size;          // of the struct, for lists
    size_t item_offset;   // of an SnSceneItem, or SN_NOWHERE
    size_t choice_offset; // of the int that becomes the choice, or SN_NOWHERE
    const char *word;     // may stand instead of the mapping; NULL: none
    int word_choice;      // and then the choice is this
    int is_kind_first;    // 1: the first field is a kind, which decides what keys may be there
    SnTableCheck *check;  // NULL: none
} SnTable;

// The whole scene; its struct is SnSceneContent.
extern const SnTable sn_scene_table;
extern const SnTable sn_material_table;

// The tables with a title, in the order of the reference page.
extern const SnTable *const sn_scene_tables[];
extern const int sn_scene_table_count;

// The field with that key; -1 when the table has none.
int sn_table_find(const SnTable *table, const char *key);

// The field at a path of keys without indices, such as "bodies.material.law"; NULL when there is
// none. Its words are what numbers in the scene's structs stand for.
const SnField *sn_scene_field(const char *path);

// The key of the field that gives a table this choice; "" when none does.
const char *sn_table_choice(const SnTable *table, int choice);

// Fails, naming the key and where it belongs, or the nearest that the table or another has, or what
// the table has. `where` is the table's place.
SinewStatus sn_table_fail_unknown(const SnTable *table, const SnYaml *yaml, int line,
                                  const char *key, const char *where, SinewError *error);

// "a number above 0 (Pa)": what a field expects, for sentences.
typedef struct SnExpect {
    char text[140];
} SnExpect;
SnExpect sn_field_expect(const SnField *field);

// "a, b or c"; words that are not in this version are left out.
SnExpect sn_words_list(const SnWordList *words);

// The same of those words alone whose bits are set.
SnExpect sn_words_some(const SnWordList *words, unsigned bits);

// Bytes that a value of the type takes in its struct, lists without their count.
size_t sn_field_size(const SnField *field);

// The reference page, doc/scenes.md.
void sn_scene_print_reference(FILE *file);

#endif

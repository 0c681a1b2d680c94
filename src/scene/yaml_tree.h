// A YAML document as a tree that remembers its lines: text in, nodes out, which the reader then
// checks against the schema. Aliases and tags are refused, depth, size and number of nodes capped.
//
// Read with libyaml, the parser under libcyaml, and not with libcyaml 1.3.1 itself, which reports
// the line before the wrong key, takes "0.5x" for 0.5 without a word, reads numbers by the locale,
// and has neither ranges nor "one of these keys". What it would add, a table, we have (schema.h).
#ifndef SN_SCENE_YAML_TREE_H
#define SN_SCENE_YAML_TREE_H

#include "base/array.h"
#include "sinew/scene.h"

#include <stdbool.h>

enum {
    SN_YAML_SIZE_MAX = 16 << 20, // bytes of a document
    SN_YAML_NODES_MAX = 1000000,
    SN_YAML_DEPTH_MAX = 32,
    SN_YAML_KEYS_MAX = 64, // of one mapping; the schema has fewer, and keys are compared in pairs
    SN_YAML_NONE = -1
};

typedef enum SnYamlKind { SN_YAML_SCALAR, SN_YAML_LIST, SN_YAML_MAP } SnYamlKind;

typedef struct SnYamlNode {
    SnYamlKind kind;
    bool is_plain;   // a scalar without quotes
    int line;        // from 1; -1 - i for what override i brought
    int key_line;    // of its key; `line` where it has none
    int key;         // offset of its key in the texts; SN_YAML_NONE in a list
    int text;        // offset of a scalar's text
    int parent;      // nodes by index; SN_YAML_NONE: none
    int first;       //
    int last;        //
    int next;        // the sibling after it
    int child_count; //
} SnYamlNode;

typedef struct SnYaml {
    const char *name;               // of the file, for sentences; the caller's
    const SinewOverride *overrides; // for sentences; the caller's
    SnArray nodes;                  // SnYamlNode
    SnArray texts;                  // char, each text ends with a zero
    int root;
} SnYaml;

SnYaml sn_yaml_of(const char *name, const SinewOverride *overrides,
                  const SinewAllocator *allocator);
void sn_yaml_release(SnYaml *yaml);

// Adds the one document in `text` to the tree. `override` is its index, or SN_YAML_NONE for the
// scene itself. SINEW_ERROR_UNSUPPORTED in a build without libyaml.
SinewStatus sn_yaml_parse(SnYaml *yaml, const char *text, size_t size, int override, int *out_root,
                          SinewError *error);

static inline SnYamlNode *sn_yaml_node(const SnYaml *yaml, int node)
{
    return &SN_ITEMS(yaml->nodes, SnYamlNode)[node];
}

static inline const char *sn_yaml_text(const SnYaml *yaml, int node)
{
    return SN_ITEMS(yaml->texts, char) + sn_yaml_node(yaml, node)->text;
}

static inline const char *sn_yaml_key(const SnYaml *yaml, int node)
{
    int key = sn_yaml_node(yaml, node)->key;
    return key == SN_YAML_NONE ? "" : SN_ITEMS(yaml->texts, char) + key;
}

// The child with that key, or in that place; SN_YAML_NONE when there is none.
int sn_yaml_find(const SnYaml *yaml, int node, const char *key);
int sn_yaml_at(const SnYaml *yaml, int node, int index);

// Adds a text to the tree, and a node without children. `line` as in SnYamlNode.
SinewStatus sn_yaml_add_text(SnYaml *yaml, const char *text, size_t length, int *out_text,
                             SinewError *error);
SinewStatus sn_yaml_add_node(SnYaml *yaml, SnYamlKind kind, int line, int *out_node,
                             SinewError *error);

// Puts `child` behind the other children of `parent`.
void sn_yaml_append(SnYaml *yaml, int parent, int child);

// Makes `node` hold what `value` holds; its key and its place stay.
void sn_yaml_replace(SnYaml *yaml, int node, int value);

// "bodies.0.material" of a node, for sentences; cut where it is too long.
typedef struct SnYamlPath {
    char text[72];
} SnYamlPath;
SnYamlPath sn_yaml_path(const SnYaml *yaml, int node);

// A text as sentences can hold it: short, and without control characters.
typedef struct SnYamlQuote {
    char text[40];
} SnYamlQuote;
SnYamlQuote sn_yaml_quote(const char *text);

// Fails with "file:line: " in front, or with the override that brought the line; those are
// SINEW_ERROR_ARGUMENT, since they are no fault of the file.
SinewStatus sn_yaml_fail(const SnYaml *yaml, int line, SinewError *error, const char *format, ...)
    SN_PRINTF(4, 5);

#endif

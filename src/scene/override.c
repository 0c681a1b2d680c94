#include "scene/override.h"

#include <string.h>

// Where a path has led so far: a node, and what the schema knows of it.
typedef struct Walk {
    SnYaml *yaml;
    int line; // of the override, for sentences and for nodes it makes
    int node;
    const SnTable *table; // the node is a mapping of this, or of `field`'s table in a list
    const SnField *field; // NULL at the root and for items of lists
} Walk;

static SinewStatus fail_walk(const Walk *walk, SinewError *error, const char *what)
{
    return sn_yaml_fail(walk->yaml, walk->line, error, "%s %s",
                        sn_yaml_path(walk->yaml, walk->node).text, what);
}

// A mapping, list or text as the schema wants it where the tree has nothing.
static SinewStatus add_child(Walk *walk, const SnField *field, const char *key, int *out_child,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnYamlKind kind = SN_YAML_SCALAR;
    if (field == NULL || field->type == SN_FIELD_GROUP) {
        kind = SN_YAML_MAP;
    } else if (field->type == SN_FIELD_LIST || field->type == SN_FIELD_INDICES ||
               field->type == SN_FIELD_WORDS || field->type == SN_FIELD_VECTOR ||
               field->type == SN_FIELD_WHOLES) {
        kind = SN_YAML_LIST;
    }
    int text = 0;
    int key_text = SN_YAML_NONE;
    SN_TRY(sn_yaml_add_text(walk->yaml, "", 0, &text, error));
    if (key != NULL) {
        SN_TRY(sn_yaml_add_text(walk->yaml, key, strlen(key), &key_text, error));
    }
    SN_TRY(sn_yaml_add_node(walk->yaml, kind, walk->line, out_child, error));
    sn_yaml_node(walk->yaml, *out_child)->text = text;
    sn_yaml_node(walk->yaml, *out_child)->key = key_text;
    sn_yaml_append(walk->yaml, walk->node, *out_child);
done:
    return status;
}

// From a mapping to the value of one of its keys.
static SinewStatus step_key(Walk *walk, const char *word, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int index = sn_table_find(walk->table, word);
    if (index < 0) {
        SN_TRY(sn_table_fail_unknown(walk->table, walk->yaml, walk->line, word,
                                     sn_yaml_path(walk->yaml, walk->node).text, error));
    }
    SnYamlNode *node = sn_yaml_node(walk->yaml, walk->node);
    if (node->kind == SN_YAML_SCALAR && walk->table->word != NULL) {
        node->kind = SN_YAML_MAP; // "all" becomes a mapping
    }
    if (node->kind != SN_YAML_MAP) {
        SN_TRY(fail_walk(walk, error, "is no mapping in the file"));
    }
    walk->field = &walk->table->fields[index];
    int child = sn_yaml_find(walk->yaml, walk->node, word);
    if (child == SN_YAML_NONE) {
        SN_TRY(add_child(walk, walk->field, walk->field->key, &child, error));
    }
    walk->node = child;
    walk->table = walk->field->type == SN_FIELD_GROUP ? walk->field->table : NULL;
done:
    return status;
}

// From a list to one of its items; one past the last is made.
static SinewStatus step_index(Walk *walk, const char *word, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int index = 0;
    bool good = word[0] != '\0' && strlen(word) < 8;
    for (const char *c = word; good && *c != '\0'; ++c) {
        good = *c >= '0' && *c <= '9';
        index = index * 10 + (*c - '0');
    }
    if (sn_yaml_node(walk->yaml, walk->node)->kind != SN_YAML_LIST) {
        SN_TRY(fail_walk(walk, error, "is no list in the file"));
    }
    int count = sn_yaml_node(walk->yaml, walk->node)->child_count;
    if (!good || index > count) {
        SN_TRY(sn_yaml_fail(walk->yaml, walk->line, error,
                            "%s has %d items; \"%s\" is none, expected a number from 0 to %d",
                            sn_yaml_path(walk->yaml, walk->node).text, count,
                            sn_yaml_quote(word).text, count));
    }
    const SnTable *table = walk->field->type == SN_FIELD_LIST ? walk->field->table : NULL;
    int child = sn_yaml_at(walk->yaml, walk->node, index);
    if (child == SN_YAML_NONE) {
        static const SnField scalar = {.type = SN_FIELD_NUMBER};
        SN_TRY(add_child(walk, table != NULL ? NULL : &scalar, NULL, &child, error));
    }
    walk->node = child;
    walk->table = table;
    walk->field = NULL;
done:
    return status;
}

static SinewStatus step(Walk *walk, const char *word, SinewError *error)
{
    if (walk->table != NULL) {
        return step_key(walk, word, error);
    }
    bool is_list = walk->field != NULL &&
                   (walk->field->type == SN_FIELD_LIST || walk->field->type == SN_FIELD_INDICES ||
                    walk->field->type == SN_FIELD_WORDS || walk->field->type == SN_FIELD_VECTOR ||
                    walk->field->type == SN_FIELD_WHOLES);
    if (is_list) {
        return step_index(walk, word, error);
    }
    return sn_yaml_fail(walk->yaml, walk->line, error, "%s holds a value, and has no \"%s\"",
                        sn_yaml_path(walk->yaml, walk->node).text, sn_yaml_quote(word).text);
}

SinewStatus sn_override_apply(SnYaml *yaml, int index, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewOverride *override = &yaml->overrides[index];
    Walk walk = {.yaml = yaml, .line = -1 - index, .node = yaml->root, .table = &sn_scene_table};
    int value = SN_YAML_NONE;
    SN_TRY(sn_yaml_parse(yaml, override->value, strlen(override->value), index, &value, error));
    const char *at = override->path;
    for (bool more = true; more;) {
        size_t length = strcspn(at, ".");
        char word[64] = "";
        memcpy(word, at, length < sizeof word - 1 ? length : sizeof word - 1);
        SN_TRY(step(&walk, word, error));
        more = at[length] == '.';
        at += length + more;
    }
    sn_yaml_replace(yaml, walk.node, value);
done:
    return status;
}

#include "scene/kind.h"

#include <string.h>

static bool takes(unsigned kinds, int kind)
{
    return kinds == 0 || (kinds & 1u << kind) != 0;
}

// The word of a field that a value is; -1 when it is none, which its reader tells.
static int word_of(const SnField *field, const SnYaml *yaml, int value)
{
    if (field->type != SN_FIELD_WORD || sn_yaml_node(yaml, value)->kind != SN_YAML_SCALAR) {
        return -1;
    }
    for (int w = 0; w < field->words->count; ++w) {
        if (strcmp(sn_yaml_text(yaml, value), field->words->words[w]) == 0) {
            return w;
        }
    }
    return -1;
}

static bool takes_value(const SnField *field, const SnYaml *yaml, int kind, int value)
{
    int word = field->word_kinds != NULL ? word_of(field, yaml, value) : -1;
    return takes(field->kinds, kind) && (word < 0 || takes(field->word_kinds[word], kind));
}

bool sn_kind_leaves_out(const SnTable *table, const SnYaml *yaml, int node, int kind, int value)
{
    int chosen = sn_yaml_find(yaml, node, table->fields[0].key);
    bool is_overridden = chosen != SN_YAML_NONE && sn_yaml_node(yaml, chosen)->line < 0;
    const SnField *field = &table->fields[sn_table_find(table, sn_yaml_key(yaml, value))];
    return is_overridden && sn_yaml_node(yaml, value)->line >= 0 &&
           !takes_value(field, yaml, kind, value);
}

// ---- sentences --------------------------------------------------------------------------------

// "a, b, c": the keys that a kind takes, with dots where they are too many for a sentence.
static SnExpect list_keys(const SnTable *table, int kind)
{
    enum { ROOM = 90 }; // what a sentence has left for them
    SnExpect list = {.text = ""};
    size_t used = 0;
    for (int f = 1; f < table->field_count; ++f) {
        const SnField *field = &table->fields[f];
        if (!takes(field->kinds, kind)) {
            continue;
        }
        if (used + strlen(field->key) > ROOM) {
            snprintf(list.text + used, sizeof list.text - used, ", ...");
            break;
        }
        used += (size_t)snprintf(list.text + used, sizeof list.text - used, "%s%s",
                                 used == 0 ? "" : ", ", field->key);
    }
    return list;
}

// "a, b or c": the words of a field that a kind takes.
static SnExpect list_words(const SnField *field, int kind)
{
    unsigned taken = 0;
    for (int w = 0; w < field->words->count; ++w) {
        taken |= takes(field->word_kinds[w], kind) ? 1u << w : 0;
    }
    return sn_words_some(field->words, taken);
}

SinewStatus sn_kind_check(const SnTable *table, const SnYaml *yaml, int node, int kind,
                          SinewError *error)
{
    const char *name = table->fields[0].words->words[kind];
    for (int c = sn_yaml_node(yaml, node)->first; c != SN_YAML_NONE;
         c = sn_yaml_node(yaml, c)->next) {
        const SnField *field = &table->fields[sn_table_find(table, sn_yaml_key(yaml, c))];
        if (takes_value(field, yaml, kind, c) || sn_kind_leaves_out(table, yaml, node, kind, c)) {
            continue;
        }
        if (!takes(field->kinds, kind)) {
            return sn_yaml_fail(yaml, sn_yaml_node(yaml, c)->key_line, error,
                                "%s is for kind %s; kind %s takes %s", sn_yaml_path(yaml, c).text,
                                sn_words_some(table->fields[0].words, field->kinds).text, name,
                                list_keys(table, kind).text);
        }
        int word = word_of(field, yaml, c);
        return sn_yaml_fail(yaml, sn_yaml_node(yaml, c)->line, error,
                            "%s is \"%s\", expected %s for kind %s; that is for kind %s",
                            sn_yaml_path(yaml, c).text, sn_yaml_text(yaml, c),
                            list_words(field, kind).text, name,
                            sn_words_some(table->fields[0].words, field->word_kinds[word]).text);
    }
    return SINEW_OK;
}

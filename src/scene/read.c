#include "scene/read.h"

#include "base/nearest.h"
#include "io/scan.h"
#include "scene/content.h"
#include "scene/kind.h"
#include "world/check.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *member(void *base, size_t offset)
{
    return (char *)base + offset;
}

static void store_int(void *base, size_t offset, int value)
{
    memcpy(member(base, offset), &value, sizeof value);
}

// ---- sentences --------------------------------------------------------------------------------

// A plain scalar as a finite number; false for anything else.
static bool parse_number(const SnYaml *yaml, int node, double *out_value)
{
    const SnYamlNode *at = sn_yaml_node(yaml, node);
    if (at->kind != SN_YAML_SCALAR || !at->is_plain) {
        return false;
    }
    const char *text = sn_yaml_text(yaml, node);
    SnScan scan = {.path = yaml->name};
    SnWord word = {.text = text, .length = strlen(text)};
    return sn_scan_double(&scan, word, "a number", out_value, NULL) == SINEW_OK;
}

// A plain scalar that is a number, however large: 1e400 is infinite and out of every range, as
// 1e300 is out of most.
static bool parse_any_number(const SnYaml *yaml, int node, double *out_value)
{
    const SnYamlNode *at = sn_yaml_node(yaml, node);
    if (at->kind != SN_YAML_SCALAR || !at->is_plain) {
        return false;
    }
    const char *text = sn_yaml_text(yaml, node);
    char *end = NULL;
    bool is_decimal = text[0] != '\0' && strspn(text, "+-.0123456789eE") == strlen(text);
    *out_value = is_decimal ? strtod(text, &end) : 0.0;
    return is_decimal && *end == '\0';
}

// "bodies.0.material.young is -5, expected a number above 0 (Pa)"
static SinewStatus fail_value(const SnReading *reading, const SnField *field, int node,
                              SinewError *error)
{
    const SnYaml *yaml = reading->yaml;
    const SnYamlNode *at = sn_yaml_node(yaml, node);
    SnYamlQuote quote = {.text = "a list"};
    const char *mark = "";
    char limit[32] = "";
    double value;
    if (at->kind == SN_YAML_MAP) {
        quote = (SnYamlQuote){.text = "a mapping"};
    } else if (at->kind == SN_YAML_SCALAR && sn_yaml_text(yaml, node)[0] == '\0') {
        quote = (SnYamlQuote){.text = "empty"};
    } else if (at->kind == SN_YAML_SCALAR) {
        quote = sn_yaml_quote(sn_yaml_text(yaml, node));
        mark = at->is_plain ? "" : "\"";
    }
    // A limit beyond all use is told to those alone who pass it.
    double most = field->least == 0 && field->most == 0 ? SN_REACH : field->most;
    bool is_number = field->type <= SN_FIELD_WHOLES && parse_any_number(yaml, node, &value);
    bool is_untold = most > SN_FIELD_FAR || most == -field->least;
    if (is_number && is_untold && fabs(value) > most) {
        snprintf(limit, sizeof limit, value > 0 ? ", at most %g" : ", at least -%g", most);
    }
    return sn_yaml_fail(yaml, at->line, error, "%s is %s%s%s, expected %s%s",
                        sn_yaml_path(yaml, node).text, mark, quote.text, mark,
                        sn_field_expect(field).text, limit);
}

// ---- numbers ----------------------------------------------------------------------------------

static bool is_in_range(const SnField *field, double value)
{
    if (field->least == 0 && field->most == 0) {
        return fabs(value) <= SN_REACH;
    }
    bool above =
        (field->flags & SN_FIELD_ABOVE) != 0 ? value > field->least : value >= field->least;
    bool below = (field->flags & SN_FIELD_BELOW) != 0 ? value < field->most : value <= field->most;
    return above && below;
}

static SinewStatus read_number(const SnReading *reading, const SnField *field, int node,
                               double *out, SinewError *error)
{
    if (!parse_number(reading->yaml, node, out) || !is_in_range(field, *out)) {
        return fail_value(reading, field, node, error);
    }
    return SINEW_OK;
}

// A whole number may be written as 1e6 or 20.0.
static SinewStatus read_whole(const SnReading *reading, const SnField *field, int node, int *out,
                              SinewError *error)
{
    double value = 0;
    if (!parse_number(reading->yaml, node, &value) || !is_in_range(field, value) ||
        value < INT_MIN || value > INT_MAX || value != (double)(int)value) {
        return fail_value(reading, field, node, error);
    }
    *out = (int)value;
    return SINEW_OK;
}

static SinewStatus read_triple(const SnReading *reading, const SnField *field, int node, void *out,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnYaml *yaml = reading->yaml;
    double vector[3] = {0};
    int wholes[3] = {0};
    if (sn_yaml_node(yaml, node)->kind != SN_YAML_LIST ||
        sn_yaml_node(yaml, node)->child_count != 3) {
        SN_TRY(fail_value(reading, field, node, error));
    }
    int child = sn_yaml_node(yaml, node)->first;
    for (int c = 0; c < 3; ++c, child = sn_yaml_node(yaml, child)->next) {
        if (field->type == SN_FIELD_VECTOR) {
            SN_TRY(read_number(reading, field, child, &vector[c], error));
        } else {
            SN_TRY(read_whole(reading, field, child, &wholes[c], error));
        }
    }
    if ((field->flags & SN_FIELD_NOT_ZERO) != 0 && vector[0] == 0 && vector[1] == 0 &&
        vector[2] == 0) {
        SN_TRY(sn_yaml_fail(yaml, sn_yaml_node(yaml, node)->line, error,
                            "%s is [0, 0, 0], expected three numbers that are not all zero",
                            sn_yaml_path(yaml, node).text));
    }
    if (field->type == SN_FIELD_VECTOR) {
        memcpy(out, vector, sizeof vector);
    } else {
        memcpy(out, wholes, sizeof wholes);
    }
done:
    return status;
}

static SinewStatus read_indices(const SnReading *reading, const SnField *field, int node,
                                void *base, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnYaml *yaml = reading->yaml;
    const SnYamlNode *list = sn_yaml_node(yaml, node);
    if (list->kind != SN_YAML_LIST || list->child_count == 0) {
        return fail_value(reading, field, node, error);
    }
    int *indices = sn_keep_alloc(reading->keep, (size_t)list->child_count, sizeof *indices, error);
    if (indices == NULL) {
        return SINEW_ERROR_MEMORY;
    }
    int count = 0;
    for (int c = list->first; c != SN_YAML_NONE; c = sn_yaml_node(yaml, c)->next) {
        SN_TRY(read_whole(reading, field, c, &indices[count++], error));
    }
    memcpy(member(base, field->offset), &indices, sizeof(void *));
    store_int(base, field->count_offset, count);
done:
    return status;
}

// ---- words ------------------------------------------------------------------------------------

static SinewStatus read_word(const SnReading *reading, const SnField *field, int node, int *out,
                             SinewError *error)
{
    const SnYaml *yaml = reading->yaml;
    const SnWordList *list = field->words;
    if (sn_yaml_node(yaml, node)->kind != SN_YAML_SCALAR) {
        return fail_value(reading, field, node, error);
    }
    const char *text = sn_yaml_text(yaml, node);
    int line = sn_yaml_node(yaml, node)->line;
    int nearest = sn_resembling_word(text, list->words, list->count);
    if (nearest < 0) {
        return sn_yaml_fail(yaml, line, error, "%s is \"%s\", expected %s",
                            sn_yaml_path(yaml, node).text, sn_yaml_quote(text).text,
                            sn_words_list(list).text);
    }
    if (strcmp(text, list->words[nearest]) != 0) {
        return sn_yaml_fail(yaml, line, error, "%s is \"%s\"; the nearest is \"%s\", expected %s",
                            sn_yaml_path(yaml, node).text, sn_yaml_quote(text).text,
                            list->words[nearest], sn_words_list(list).text);
    }
    *out = nearest;
    return SINEW_OK;
}

static SinewStatus read_words(const SnReading *reading, const SnField *field, int node, int *out,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnYaml *yaml = reading->yaml;
    int bits = 0;
    if (sn_yaml_node(yaml, node)->kind != SN_YAML_LIST) {
        SN_TRY(fail_value(reading, field, node, error));
    }
    for (int c = sn_yaml_node(yaml, node)->first; c != SN_YAML_NONE;
         c = sn_yaml_node(yaml, c)->next) {
        int word = 0;
        SN_TRY(read_word(reading, field, c, &word, error));
        bits |= 1 << word;
    }
    *out = bits;
done:
    return status;
}

static SinewStatus read_truth(const SnReading *reading, const SnField *field, int node, int *out,
                              SinewError *error)
{
    const SnYamlNode *at = sn_yaml_node(reading->yaml, node);
    const char *text = at->kind == SN_YAML_SCALAR ? sn_yaml_text(reading->yaml, node) : "";
    bool is_true = strcmp(text, "true") == 0 || strcmp(text, "True") == 0;
    bool is_false = strcmp(text, "false") == 0 || strcmp(text, "False") == 0;
    if (!at->is_plain || (!is_true && !is_false)) {
        return fail_value(reading, field, node, error);
    }
    *out = is_true;
    return SINEW_OK;
}

static SinewStatus read_axes(const SnReading *reading, const SnField *field, int node, void *out,
                             SinewError *error)
{
    int axes[3] = {0};
    const SnYamlNode *at = sn_yaml_node(reading->yaml, node);
    const char *text = at->kind == SN_YAML_SCALAR ? sn_yaml_text(reading->yaml, node) : "";
    bool good = text[0] != '\0';
    for (const char *c = text; good && *c != '\0'; ++c) {
        good = *c >= 'x' && *c <= 'z' && axes[*c - 'x']++ == 0;
    }
    if (!good) {
        return fail_value(reading, field, node, error);
    }
    memcpy(out, axes, sizeof axes);
    return SINEW_OK;
}

// Names become parts of file names and of columns.
static bool is_name(const char *text)
{
    bool good = text[0] != '\0' && text[0] != '.' && strlen(text) <= 60;
    for (const char *c = text; good && *c != '\0'; ++c) {
        good = (unsigned char)*c >= 0x20 && *c != 0x7f && strchr("/\\,\"", *c) == NULL;
    }
    return good;
}

static SinewStatus read_text(const SnReading *reading, const SnField *field, int node, void *out,
                             SinewError *error)
{
    const SnYaml *yaml = reading->yaml;
    const char *text =
        sn_yaml_node(yaml, node)->kind == SN_YAML_SCALAR ? sn_yaml_text(yaml, node) : "";
    if (field->type == SN_FIELD_NAME ? !is_name(text) : text[0] == '\0') {
        return fail_value(reading, field, node, error);
    }
    const char *folder = field->type == SN_FIELD_FILE ? reading->folder : NULL;
    const char *copy = sn_keep_text(reading->keep, folder, text, error);
    memcpy(out, &copy, sizeof copy);
    return copy != NULL ? SINEW_OK : SINEW_ERROR_MEMORY;
}

// ---- lists of mappings ------------------------------------------------------------------------

// Items begin with a time, which must be greater than the one before.
static SinewStatus check_ascending(const SnReading *reading, const SnField *field, int node,
                                   const char *items, SinewError *error)
{
    const SnYaml *yaml = reading->yaml;
    double before = 0;
    int child = sn_yaml_node(yaml, node)->first;
    for (int i = 0; child != SN_YAML_NONE; ++i, child = sn_yaml_node(yaml, child)->next) {
        double t = 0;
        memcpy(&t, items + (size_t)i * field->table->size, sizeof t);
        if (i > 0 && !(t > before)) {
            return sn_yaml_fail(yaml, sn_yaml_node(yaml, child)->line, error,
                                "%s.t is %g, expected more than the %g before it",
                                sn_yaml_path(yaml, child).text, t, before);
        }
        before = t;
    }
    return SINEW_OK;
}

static SinewStatus read_list(const SnReading *reading, const SnField *field, int node, void *base,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnYaml *yaml = reading->yaml;
    const SnYamlNode *list = sn_yaml_node(yaml, node);
    if (list->kind != SN_YAML_LIST) {
        return fail_value(reading, field, node, error);
    }
    if (list->child_count == 0 && (field->flags & SN_FIELD_NOT_EMPTY) != 0) {
        return sn_yaml_fail(yaml, list->line, error, "%s is empty, expected at least one",
                            sn_yaml_path(yaml, node).text);
    }
    size_t size = field->table->size;
    char *items = sn_keep_alloc(reading->keep, (size_t)list->child_count, size, error);
    if (items == NULL) {
        return SINEW_ERROR_MEMORY;
    }
    int count = 0;
    for (int c = list->first; c != SN_YAML_NONE; c = sn_yaml_node(yaml, c)->next) {
        SN_TRY(sn_table_read(reading, field->table, c, items + (size_t)count++ * size, error));
    }
    if ((field->flags & SN_FIELD_ASCENDING) != 0) {
        SN_TRY(check_ascending(reading, field, node, items, error));
    }
    memcpy(member(base, field->offset), &items, sizeof(void *));
    store_int(base, field->count_offset, count);
done:
    return status;
}

// ---- mappings ---------------------------------------------------------------------------------

static SinewStatus read_field(const SnReading *reading, const SnField *field, int node, void *base,
                              SinewError *error)
{
    void *out = member(base, field->offset);
    switch (field->type) {
    case SN_FIELD_NUMBER:
        return read_number(reading, field, node, out, error);
    case SN_FIELD_VECTOR:
    case SN_FIELD_WHOLES:
        return read_triple(reading, field, node, out, error);
    case SN_FIELD_WHOLE:
        return read_whole(reading, field, node, out, error);
    case SN_FIELD_TRUTH:
        return read_truth(reading, field, node, out, error);
    case SN_FIELD_WORD:
        return read_word(reading, field, node, out, error);
    case SN_FIELD_WORDS:
        return read_words(reading, field, node, out, error);
    case SN_FIELD_AXES:
        return read_axes(reading, field, node, out, error);
    case SN_FIELD_NAME:
    case SN_FIELD_FILE:
        return read_text(reading, field, node, out, error);
    case SN_FIELD_INDICES:
        return read_indices(reading, field, node, base, error);
    case SN_FIELD_GROUP:
        return sn_table_read(reading, field->table, node, out, error);
    case SN_FIELD_LIST:
        return read_list(reading, field, node, base, error);
    }
    return SINEW_OK;
}

// The defaults. Of fields to choose from only the chosen one gets its own, when it is read.
static void preset_table(const SnTable *table, void *base)
{
    for (int f = 0; f < table->field_count; ++f) {
        const SnField *field = &table->fields[f];
        void *out = member(base, field->offset);
        int wholes[3] = {(int)field->preset[0], (int)field->preset[1], (int)field->preset[2]};
        if (field->type == SN_FIELD_GROUP && (field->flags & SN_FIELD_CHOICE) == 0) {
            preset_table(field->table, out);
        } else if (field->type == SN_FIELD_NUMBER || field->type == SN_FIELD_VECTOR) {
            memcpy(out, field->preset, sn_field_size(field));
        } else if (field->type < SN_FIELD_NAME) {
            memcpy(out, wholes, sn_field_size(field));
        }
    }
}

// Every key is one of the table's, and those that must be there are.
static SinewStatus check_keys(const SnYaml *yaml, const SnTable *table, int node, SinewError *error)
{
    for (int c = sn_yaml_node(yaml, node)->first; c != SN_YAML_NONE;
         c = sn_yaml_node(yaml, c)->next) {
        if (sn_table_find(table, sn_yaml_key(yaml, c)) < 0) {
            return sn_table_fail_unknown(table, yaml, sn_yaml_node(yaml, c)->key_line,
                                         sn_yaml_key(yaml, c), sn_yaml_path(yaml, node).text,
                                         error);
        }
    }
    for (int f = 0; f < table->field_count; ++f) {
        const SnField *field = &table->fields[f];
        if ((field->flags & SN_FIELD_REQUIRED) != 0 &&
            sn_yaml_find(yaml, node, field->key) == SN_YAML_NONE) {
            return sn_yaml_fail(yaml, sn_yaml_node(yaml, node)->line, error,
                                "%s has no \"%s\", expected %s", sn_yaml_path(yaml, node).text,
                                field->key, sn_field_expect(field).text);
        }
    }
    return SINEW_OK;
}

static SnExpect list_choices(const SnTable *table)
{
    SnExpect list = {.text = ""};
    size_t used = 0;
    for (int f = 0; f < table->field_count && used < sizeof list.text; ++f) {
        if ((table->fields[f].flags & SN_FIELD_CHOICE) != 0) {
            used += (size_t)snprintf(list.text + used, sizeof list.text - used, "%s%s",
                                     used == 0 ? "" : ", ", table->fields[f].key);
        }
    }
    return list;
}

// Exactly one of the fields to choose from.
static SinewStatus choose(const SnYaml *yaml, const SnTable *table, int node, void *base,
                          SinewError *error)
{
    const SnField *chosen = NULL;
    for (int c = sn_yaml_node(yaml, node)->first; c != SN_YAML_NONE;
         c = sn_yaml_node(yaml, c)->next) {
        const SnField *field = &table->fields[sn_table_find(table, sn_yaml_key(yaml, c))];
        if ((field->flags & SN_FIELD_CHOICE) == 0) {
            continue;
        }
        if (chosen != NULL) {
            return sn_yaml_fail(yaml, sn_yaml_node(yaml, c)->key_line, error,
                                "%s has both \"%s\" and \"%s\", expected one of them",
                                sn_yaml_path(yaml, node).text, chosen->key, field->key);
        }
        chosen = field;
    }
    if (chosen == NULL) {
        return sn_yaml_fail(yaml, sn_yaml_node(yaml, node)->line, error,
                            "%s has none of the keys %s; expected one of them",
                            sn_yaml_path(yaml, node).text, list_choices(table).text);
    }
    store_int(base, table->choice_offset, chosen->choice);
    return SINEW_OK;
}

static SinewStatus fail_mapping(const SnYaml *yaml, const SnTable *table, int node,
                                SinewError *error)
{
    const SnYamlNode *at = sn_yaml_node(yaml, node);
    char word[24] = "";
    if (table->word != NULL) {
        snprintf(word, sizeof word, "the word %s or ", table->word);
    }
    const char *quote = at->kind == SN_YAML_LIST ? "a list" : sn_yaml_text(yaml, node);
    return sn_yaml_fail(
        yaml, at->line, error, "%s is %s, expected %sa mapping with keys such as \"%s\"",
        sn_yaml_path(yaml, node).text, quote[0] == '\0' ? "empty" : sn_yaml_quote(quote).text, word,
        table->fields[0].key);
}

// The kind of a mapping, which decides what its other keys may be.
static SinewStatus read_kind(const SnReading *reading, const SnTable *table, int node, void *base,
                             int *out_kind, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnField *field = &table->fields[0];
    int value = sn_yaml_find(reading->yaml, node, field->key);
    if (value != SN_YAML_NONE) {
        SN_TRY(read_field(reading, field, value, base, error));
    }
    memcpy(out_kind, member(base, field->offset), sizeof *out_kind);
done:
    return status;
}

static SinewStatus read_mapping(const SnReading *reading, const SnTable *table, int node,
                                void *base, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnYaml *yaml = reading->yaml;
    SnSceneItem item = {.node = node};
    int kind = 0;
    if (table->is_kind_first) {
        SN_TRY(read_kind(reading, table, node, base, &kind, error));
    }
    SN_TRY(check_keys(yaml, table, node, error));
    if (table->is_kind_first) {
        SN_TRY(sn_kind_check(table, yaml, node, kind, error));
    }
    if (table->choice_offset != SN_NOWHERE) {
        SN_TRY(choose(yaml, table, node, base, error));
    }
    for (int f = 0; f < table->field_count; ++f) {
        int value = sn_yaml_find(yaml, node, table->fields[f].key);
        bool is_there = value != SN_YAML_NONE;
        if (is_there && table->is_kind_first) {
            is_there = !sn_kind_leaves_out(table, yaml, node, kind, value);
        }
        if (is_there) {
            item.present |= UINT64_C(1) << f;
            SN_TRY(read_field(reading, &table->fields[f], value, base, error));
        }
    }
    if (table->item_offset != SN_NOWHERE) {
        memcpy(member(base, table->item_offset), &item, sizeof item);
    }
    if (table->check != NULL) {
        SN_TRY(table->check(yaml, node, base, error));
    }
done:
    return status;
}

SinewStatus sn_table_read(const SnReading *reading, const SnTable *table, int node, void *out,
                          SinewError *error)
{
    const SnYaml *yaml = reading->yaml;
    const SnYamlNode *at = sn_yaml_node(yaml, node);
    preset_table(table, out);
    if (at->kind == SN_YAML_MAP) {
        return read_mapping(reading, table, node, out, error);
    }
    if (table->word != NULL && at->kind == SN_YAML_SCALAR &&
        strcmp(sn_yaml_text(yaml, node), table->word) == 0) {
        store_int(out, table->choice_offset, table->word_choice);
        return SINEW_OK;
    }
    return fail_mapping(yaml, table, node, error);
}

void sn_table_inherit(const SnYaml *yaml, const SnTable *table, int node, const void *from,
                      void *to)
{
    for (int f = 0; f < table->field_count; ++f) {
        const SnField *field = &table->fields[f];
        int value = sn_yaml_find(yaml, node, field->key);
        const char *source = (const char *)from + field->offset;
        if (field->type == SN_FIELD_GROUP) {
            sn_table_inherit(yaml, field->table, value, source, member(to, field->offset));
        } else if (value == SN_YAML_NONE) {
            memcpy(member(to, field->offset), source, sn_field_size(field));
        }
    }
}

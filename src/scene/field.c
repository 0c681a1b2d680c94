// What the schema's tables are asked for: fields by their keys, and sentences about them.
#include "scene/schema.h"

#include <string.h>

int sn_table_find(const SnTable *table, const char *key)
{
    for (int f = 0; f < table->field_count; ++f) {
        if (strcmp(table->fields[f].key, key) == 0) {
            return f;
        }
    }
    return -1;
}

const SnField *sn_scene_field(const char *path)
{
    const SnTable *table = &sn_scene_table;
    const SnField *field = NULL;
    for (bool more = true; more && table != NULL;) {
        size_t length = strcspn(path, ".");
        char key[64] = "";
        memcpy(key, path, length < sizeof key - 1 ? length : sizeof key - 1);
        int index = sn_table_find(table, key);
        field = index < 0 ? NULL : &table->fields[index];
        table = field == NULL ? NULL : field->table;
        more = path[length] == '.';
        path += length + more;
    }
    return field;
}

const char *sn_table_choice(const SnTable *table, int choice)
{
    for (int f = 0; f < table->field_count; ++f) {
        if ((table->fields[f].flags & SN_FIELD_CHOICE) != 0 && table->fields[f].choice == choice) {
            return table->fields[f].key;
        }
    }
    return "";
}

SnExpect sn_words_list(const SnWordList *words)
{
    SnExpect list = {.text = ""};
    size_t used = 0;
    for (int w = 0; w < words->count && used < sizeof list.text; ++w) {
        const char *between = w == 0 ? "" : w == words->count - 1 ? " or " : ", ";
        used += (size_t)snprintf(list.text + used, sizeof list.text - used, "%s%s", between,
                                 words->words[w]);
    }
    return list;
}

SnExpect sn_words_some(const SnWordList *words, unsigned bits)
{
    const char *some[32];
    SnWordList list = {.words = some};
    for (int w = 0; w < words->count && w < 32; ++w) {
        if ((bits & 1u << w) != 0) {
            some[list.count++] = words->words[w];
        }
    }
    return sn_words_list(&list);
}

static void write_range(const SnField *field, char *out, size_t size)
{
    bool above = (field->flags & SN_FIELD_ABOVE) != 0;
    bool below = (field->flags & SN_FIELD_BELOW) != 0;
    if (field->least == field->most && field->least != 0) {
        snprintf(out, size, ": %g", field->least);
    } else if (field->least == field->most || field->most == -field->least) {
        out[0] = '\0'; // any that a scene can mean
    } else if (field->most > SN_FIELD_FAR) {
        snprintf(out, size, above ? " above %g" : ", %g or more", field->least);
    } else if (above || below) {
        snprintf(out, size, " above %g and %s %g", field->least, below ? "below" : "at most",
                 field->most);
    } else {
        snprintf(out, size, " from %g to %g", field->least, field->most);
    }
}

SnExpect sn_field_expect(const SnField *field)
{
    static const char *const nouns[] = {
        [SN_FIELD_NUMBER] = "a number",
        [SN_FIELD_VECTOR] = "three numbers in brackets",
        [SN_FIELD_WHOLE] = "a whole number",
        [SN_FIELD_WHOLES] = "three whole numbers in brackets",
        [SN_FIELD_TRUTH] = "true or false",
        [SN_FIELD_WORD] = "",
        [SN_FIELD_WORDS] = "a list of",
        [SN_FIELD_AXES] = "some of the letters xyz",
        [SN_FIELD_NAME] = "a name of at most 60 bytes without / \\ , \" or a dot in front",
        [SN_FIELD_FILE] = "the name of a file",
        [SN_FIELD_INDICES] = "a list of whole numbers, 0 or more",
        [SN_FIELD_GROUP] = "a mapping, such as {key: value}",
        [SN_FIELD_LIST] = "a list of mappings",
    };
    SnExpect expect = {.text = ""};
    char range[48] = "";
    if (field->type <= SN_FIELD_WHOLES) {
        write_range(field, range, sizeof range);
    }
    if (field->type == SN_FIELD_WORD) {
        return sn_words_list(field->words);
    }
    if ((field->flags & SN_FIELD_FOLDER) != 0) {
        return (SnExpect){.text = "the name of a folder"};
    }
    bool is_bracketed = field->type == SN_FIELD_VECTOR || field->type == SN_FIELD_WHOLES;
    snprintf(expect.text, sizeof expect.text, "%s%s%s%s%s%s%s", nouns[field->type],
             is_bracketed && range[0] != '\0' ? ", each" : "", range,
             field->unit != NULL ? " (" : "", field->unit != NULL ? field->unit : "",
             field->unit != NULL ? ")" : "",
             (field->flags & SN_FIELD_NOT_ZERO) != 0 ? ", not all zero" : "");
    if (field->type == SN_FIELD_WORDS) {
        snprintf(expect.text, sizeof expect.text, "a list of %.100s",
                 sn_words_list(field->words).text);
    }
    return expect;
}

size_t sn_field_size(const SnField *field)
{
    switch (field->type) {
    case SN_FIELD_NUMBER:
        return sizeof(double);
    case SN_FIELD_VECTOR:
        return 3 * sizeof(double);
    case SN_FIELD_WHOLE:
    case SN_FIELD_TRUTH:
    case SN_FIELD_WORD:
    case SN_FIELD_WORDS:
        return sizeof(int);
    case SN_FIELD_WHOLES:
    case SN_FIELD_AXES:
        return 3 * sizeof(int);
    case SN_FIELD_NAME:
    case SN_FIELD_FILE:
    case SN_FIELD_INDICES:
    case SN_FIELD_LIST:
        return sizeof(void *);
    case SN_FIELD_GROUP:
        return field->table->size;
    }
    return 0;
}

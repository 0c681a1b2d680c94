// Sentences about keys that a table does not have: where the key belongs, or what resembles it.
#include "base/nearest.h"
#include "scene/schema.h"

#include <string.h>

enum { DEPTH_MAX = 6, PATH_SIZE = 96 };

// A key of some table of the schema.
typedef struct Place {
    char path[PATH_SIZE]; // of the table, without indices; empty: the scene itself
    const char *key;      // NULL: none was found
    int score;            // the higher the better
} Place;

typedef struct Search {
    const char *key;
    const char *where; // the path that the key was found at, without indices
    bool exact;        // or else what resembles the key
    Place best;
} Search;

// Parts that two paths begin with alike.
static int common_parts(const char *a, const char *b)
{
    int parts = 0;
    while (*a != '\0' && *b != '\0') {
        size_t length = strcspn(a, ".");
        if (length != strcspn(b, ".") || strncmp(a, b, length) != 0) {
            break;
        }
        parts += 1;
        a += length + (a[length] == '.');
        b += length + (b[length] == '.');
    }
    return parts;
}

static int count_parts(const char *path)
{
    int parts = path[0] != '\0' ? 1 : 0;
    for (const char *c = path; *c != '\0'; ++c) {
        parts += *c == '.';
    }
    return parts;
}

// The table nearest to where the key was found wins, then the one nearest to the scene itself.
static int score_of(const Search *search, const char *path, const char *key)
{
    int distance = search->exact ? 0 : sn_word_distance(search->key, key);
    return 100 * common_parts(search->where, path) - count_parts(path) - 10000 * distance;
}

static void look(Search *search, const SnTable *table, const char *path, int depth)
{
    for (int f = 0; f < table->field_count; ++f) {
        const SnField *field = &table->fields[f];
        bool found = search->exact ? strcmp(field->key, search->key) == 0
                                   : sn_resembling_word(search->key, &field->key, 1) == 0;
        int score = score_of(search, path, field->key);
        if (found && (search->best.key == NULL || score > search->best.score)) {
            search->best = (Place){.key = field->key, .score = score};
            snprintf(search->best.path, sizeof search->best.path, "%s", path);
        }
        if (field->table != NULL && depth < DEPTH_MAX) {
            char inner[PATH_SIZE];
            int length = snprintf(inner, sizeof inner, "%s%s%s", path, path[0] != '\0' ? "." : "",
                                  field->key);
            if (length < PATH_SIZE) {
                look(search, field->table, inner, depth + 1);
            }
        }
    }
}

// "bodies.0.pins.1" as "bodies.pins"; the scene itself has no path.
static void drop_indices(const char *where, char out[PATH_SIZE])
{
    size_t used = 0;
    out[0] = '\0';
    while (*where != '\0') {
        size_t length = strcspn(where, ".");
        if ((where[0] < '0' || where[0] > '9') && used + length + 2 < PATH_SIZE) {
            used += (size_t)snprintf(out + used, PATH_SIZE - used, "%s%.*s", used > 0 ? "." : "",
                                     (int)length, where);
        }
        where += length + (where[length] == '.');
    }
}

static const char *name_path(const Place *place)
{
    return place->path[0] != '\0' ? place->path : "the scene itself, beside world and bodies";
}

// The keys that a table has, with dots where they are too many for a sentence.
static SnExpect list_keys(const SnTable *table)
{
    enum { MOST = 100 };
    SnExpect list = {.text = ""};
    size_t used = 0;
    for (int f = 0; f < table->field_count; ++f) {
        const char *key = table->fields[f].key;
        if (used + strlen(key) + 8 > MOST) {
            snprintf(list.text + used, sizeof list.text - used, ", ...");
            break;
        }
        used += (size_t)snprintf(list.text + used, sizeof list.text - used, "%s%s",
                                 used == 0 ? "" : ", ", key);
    }
    return list;
}

SinewStatus sn_table_fail_unknown(const SnTable *table, const SnYaml *yaml, int line,
                                  const char *key, const char *where, SinewError *error)
{
    const char *known[SN_YAML_KEYS_MAX];
    char path[PATH_SIZE];
    int count = 0;
    for (; count < table->field_count && count < SN_YAML_KEYS_MAX; ++count) {
        known[count] = table->fields[count].key;
    }
    drop_indices(where, path);
    Search exact = {.key = key, .where = path, .exact = true};
    Search similar = {.key = key, .where = path};
    look(&exact, &sn_scene_table, "", 0);
    look(&similar, &sn_scene_table, "", 0);
    int nearest = sn_resembling_word(key, known, count);
    // One letter off is a typing error, whatever that word means elsewhere.
    bool is_typo = nearest >= 0 && sn_word_distance(key, known[nearest]) <= 1;
    if (exact.best.key != NULL && !is_typo) {
        return sn_yaml_fail(yaml, line, error, "unknown key \"%s\" in %s; it belongs in %s",
                            sn_yaml_quote(key).text, where, name_path(&exact.best));
    }
    if (nearest >= 0) {
        return sn_yaml_fail(yaml, line, error, "unknown key \"%s\" in %s; the nearest is \"%s\"",
                            sn_yaml_quote(key).text, where, known[nearest]);
    }
    if (similar.best.key != NULL) {
        return sn_yaml_fail(yaml, line, error,
                            "unknown key \"%s\" in %s; the nearest is \"%s\", which belongs in %s",
                            sn_yaml_quote(key).text, where, similar.best.key,
                            name_path(&similar.best));
    }
    return sn_yaml_fail(yaml, line, error, "unknown key \"%s\" in %s, expected one of %s",
                        sn_yaml_quote(key).text, where, list_keys(table).text);
}

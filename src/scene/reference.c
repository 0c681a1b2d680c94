// The reference page of scenes, printed from the schema. doc/scenes.md is this text; a test
// compares them.
#include "scene/schema.h"

#include <string.h>

static const char opening[] =
    "# Scene files\n"
    "\n"
    "This page is made from the schema that reads the files: `sinew help scene` prints it.\n"
    "\n"
    "A scene is a YAML file that says a whole simulation. Units are SI: m, kg, s, N, Pa. Keys\n"
    "that are not on this page are errors, as are values out of their range; the sentence has the\n"
    "file, the line, the key and what was expected. Aliases and tags are refused; a file has at\n"
    "most 16 MB, a million values, and 32 levels.\n"
    "\n"
    "    sinew: 1\n"
    "    world: {gravity: [0, -9.81, 0], dt: 0.01, steps: 200}\n"
    "    bodies:\n"
    "      - name: beam\n"
    "        shape: {box: {min: [0, 0, 0], max: [1, 0.2, 0.2], cells: [20, 4, 4]}}\n"
    "        model: {kind: newton, element: hex, integrator: bdf2}\n"
    "        material: {law: corotated, young: 1.0e6, poisson: 0.3, density: 1000}\n"
    "        pins:\n"
    "          - within: {box: {min: [-1, -1, -1], max: [0.001, 1, 1]}}\n"
    "    probes:\n"
    "      - {name: tip, body: beam, point: [1, 0.1, 0.1], report: displacement}\n"
    "    output: {every: 2, formats: [vtu, png]}\n"
    "\n"
    "`sinew run SCENE --set PATH=VALUE` changes a value without touching the file. The path is\n"
    "made of keys and indices: `--set bodies.0.material.young=2e6`, `--set "
    "world.gravity=[0,0,0]`.\n"
    "What the file leaves out is added, an index one past the last adds to a list.\n"
    "\n"
    "Numbers may be written 5, 5.0, 5e6 or 5.0e+6; where whole numbers are wanted, 1e6 is one.\n"
    "Words, names and files may stand in quotes, numbers and `true` may not.\n";

static const char closing[] =
    "\n"
    "What probes report:\n"
    "\n"
    "| Report | Numbers |\n"
    "|---|---|\n"
    "| position | 3, m |\n"
    "| displacement | 3, m, from rest |\n"
    "| velocity | 3, m/s |\n"
    "| force | 3, N, of contact on a vertex of the surface |\n"
    "| mean_displacement | 3, m, plain mean over the model's vertices |\n"
    "| reaction | 3, N, total force that the pin exerts; 3, N m, its moment about the origin |\n"
    "| energy | 3, J: kinetic, elastic with that of attachments, gravitational |\n"
    "| volume | m^3; smallest det F; number of inverted elements |\n"
    "| momentum | 3, kg m/s, linear; 3, kg m^2/s, angular about the origin |\n"
    "| residual | 1, relative force residual at the end of the step |\n"
    "| contact | 3, N, total force of colliders on the body; points in contact |\n"
    "| attachment | 3, N, force that it exerts; 3, N m, its moment about the origin |\n"
    "| cuts | 3: cuts so far, pieces that the body is in, kg that cuts removed |\n";

// "{center, radius}" for tables that have no part of their own.
static void print_keys(const SnTable *table, FILE *file)
{
    for (int f = 0; f < table->field_count; ++f) {
        fprintf(file, "%s`%s`", f == 0 ? "" : ", ", table->fields[f].key);
    }
}

// Fields of a table without a title of its own are told below the one that uses it.
static void print_type(const SnField *field, FILE *file)
{
    if (field->type == SN_FIELD_GROUP || field->type == SN_FIELD_LIST) {
        fputs(field->type == SN_FIELD_LIST ? "list of mappings" : "mapping", file);
        if (field->table->title != NULL) {
            fprintf(file, ", [%s](#%s)", field->table->title, field->table->title);
        } else {
            fputs(": ", file);
            print_keys(field->table, file);
            fprintf(file, "%s%s%s", field->table->word != NULL ? ", or the word `" : "",
                    field->table->word != NULL ? field->table->word : "",
                    field->table->word != NULL ? "`" : "");
        }
    } else {
        fputs(sn_field_expect(field).text, file);
    }
}

// "`voxel`, `frames`": the kinds that take something.
static void print_kinds(const SnTable *table, unsigned kinds, FILE *file)
{
    const SnWordList *all = table->fields[0].words;
    const char *between = "";
    for (int k = 0; k < all->count; ++k) {
        if ((kinds & 1u << k) != 0) {
            fprintf(file, "%s`%s`", between, all->words[k]);
            between = ", ";
        }
    }
}

// Words that not every kind takes, each with those that do.
static void print_words(const SnTable *table, const SnField *field, FILE *file)
{
    for (int w = 0; w < field->words->count; ++w) {
        fprintf(file, "%s%s (", w == 0 ? "" : "; ", field->words->words[w]);
        print_kinds(table, field->word_kinds[w], file);
        fputs(")", file);
    }
}

static void print_preset(const SnField *field, FILE *file)
{
    bool is_inner = field->type == SN_FIELD_GROUP || (field->flags & SN_FIELD_CHOICE) != 0;
    if ((field->flags & SN_FIELD_REQUIRED) != 0) {
        fputs("required", file);
    } else if (field->absent != NULL) {
        fputs(field->absent, file);
    } else if (is_inner) {
        fputs("", file);
    } else if (field->type == SN_FIELD_WORD) {
        fprintf(file, "`%s`", field->words->words[(int)field->preset[0]]);
    } else if (field->type == SN_FIELD_TRUTH) {
        fputs(field->preset[0] != 0 ? "`true`" : "`false`", file);
    } else if (field->type == SN_FIELD_NAME || field->type == SN_FIELD_FILE) {
        fputs("none", file);
    } else if (field->type == SN_FIELD_AXES) {
        fputs("`xyz`", file);
    } else if (field->type == SN_FIELD_VECTOR || field->type == SN_FIELD_WHOLES) {
        fprintf(file, "[%g, %g, %g]", field->preset[0], field->preset[1], field->preset[2]);
    } else {
        fprintf(file, "%g", field->preset[0]);
    }
}

static void print_field(const char *prefix, const SnTable *table, const SnField *field, FILE *file)
{
    char inner[64];
    snprintf(inner, sizeof inner, "%s%s.", prefix, field->key);
    fprintf(file, "| `%s%s` | ", prefix, field->key);
    if (field->word_kinds != NULL) {
        print_words(table, field, file);
    } else {
        print_type(field, file);
    }
    fputs(" | ", file);
    print_preset(field, file);
    fputs(" | ", file);
    if (field->kinds != 0) {
        print_kinds(table, field->kinds, file);
        fputs(": ", file);
    }
    fprintf(file, "%s |\n", field->help != NULL ? field->help : "");
    // Shapes without cells are those of the page's own part; only other small mappings are told.
    if (field->table != NULL && field->table->title == NULL &&
        (field->flags & SN_FIELD_CHOICE) == 0 && field->table->word == NULL) {
        for (int f = 0; f < field->table->field_count; ++f) {
            print_field(inner, field->table, &field->table->fields[f], file);
        }
    }
}

void sn_scene_print_reference(FILE *file)
{
    fputs(opening, file);
    for (int t = 0; t < sn_scene_table_count; ++t) {
        const SnTable *table = sn_scene_tables[t];
        fprintf(file, "\n## %s\n\n%s\n\n| Key | Value | Default | |\n|---|---|---|---|\n",
                table->title, table->help);
        for (int f = 0; f < table->field_count; ++f) {
            print_field("", table, &table->fields[f], file);
        }
        if (strcmp(table->title, "probes") == 0) {
            fputs(closing, file);
        }
    }
}

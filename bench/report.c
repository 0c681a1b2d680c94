// What a bench has found, for people and as JSON.
#include "bench/bench.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

// Names of the figures that entries of a group have, in order of appearance.
static int collect_figures(const SnBench *bench, const SnBenchGroup *group, const char **out_names,
                           int most)
{
    int count = 0;
    for (int e = 0; e < bench->entry_count; ++e) {
        const SnBenchResult *result = &bench->results[e];
        for (int f = 0; bench->entries[e].group == group && f < result->figure_count; ++f) {
            bool known = false;
            for (int n = 0; n < count; ++n) {
                known = known || strcmp(out_names[n], result->figures[f].name) == 0;
            }
            if (!known && count < most) {
                out_names[count++] = result->figures[f].name;
            }
        }
    }
    return count;
}

static const SnBenchFigure *find_figure(const SnBenchResult *result, const char *name)
{
    for (int f = 0; f < result->figure_count; ++f) {
        if (strcmp(result->figures[f].name, name) == 0) {
            return &result->figures[f];
        }
    }
    return NULL;
}

static int column_width(const char *name)
{
    int length = (int)strlen(name);
    return length > 9 ? length : 9;
}

static void print_row(const SnBenchEntry *entry, const SnBenchResult *result, int name_width,
                      const char *const *figures, int figure_count, int threads, FILE *file)
{
    if (result->skipped[0] != '\0') {
        fprintf(file, "%-*s skipped: %s\n", name_width, entry->name, result->skipped);
        return;
    }
    fprintf(file, "%-*s %3d %10.4g %10.4g %-5s %10.4g %7.1f%%", name_width, entry->name,
            entry->threading == SN_ALL_THREADS ? threads : 1, result->value, result->median,
            result->unit, result->limit, 100.0 * result->fraction);
    for (int f = 0; f < figure_count; ++f) {
        const SnBenchFigure *figure = find_figure(result, figures[f]);
        if (figure != NULL) {
            // Counts in full, errors and ratios to three digits.
            bool is_count = figure->value >= 1000.0 && figure->value == floor(figure->value);
            fprintf(file, is_count ? " %*.0f" : " %*.3g", column_width(figures[f]), figure->value);
        } else {
            fprintf(file, " %*s", column_width(figures[f]), "");
        }
    }
    fputc('\n', file);
}

static void print_group(const SnBench *bench, const SnBenchGroup *group, FILE *file)
{
    enum { COLUMNS_MAX = 16 };
    const char *figures[COLUMNS_MAX];
    int figure_count = collect_figures(bench, group, figures, COLUMNS_MAX);
    int name_width = (int)strlen("entry");
    for (int e = 0; e < bench->entry_count; ++e) {
        int length = (int)strlen(bench->entries[e].name);
        if (bench->entries[e].group == group && bench->entries[e].selected && length > name_width) {
            name_width = length;
        }
    }
    fprintf(file, "\n%-*s thr %10s %10s %-5s %10s %8s", name_width, "entry", "best", "median",
            "unit", "limit", "reached");
    for (int f = 0; f < figure_count; ++f) {
        fprintf(file, " %*s", column_width(figures[f]), figures[f]);
    }
    fputc('\n', file);
    for (int e = 0; e < bench->entry_count; ++e) {
        if (bench->entries[e].group == group && bench->entries[e].selected) {
            print_row(&bench->entries[e], &bench->results[e], name_width, figures, figure_count,
                      bench->threads, file);
        }
    }
}

static void print_machine(const SnBench *bench, FILE *file)
{
    const SnMachine *machine = &bench->machine;
    fprintf(file, "%s, %d cores, %s %s", machine->processor, machine->cores, bench->kernels->isa,
            bench->kernels->variant);
    for (int level = 0; level < 3; ++level) {
        if (machine->cache_size[level] > 0) {
            fprintf(file, ", L%d %ld KB", level + 1, machine->cache_size[level] >> 10);
        }
    }
    fputc('\n', file);
    if (machine->load > 0.5) {
        fprintf(file,
                "the machine was busy before this began (load %.1f): figures, above all those "
                "of several threads, may be low\n",
                machine->load);
    }
}

void sn_bench_print(const SnBench *bench, FILE *file)
{
    print_machine(bench, file);
    for (int i = 0; i < bench->left_out_count; ++i) {
        fprintf(file, "%s%s%s", i == 0 ? "--quick leaves out: " : ", ", bench->left_out[i],
                i == bench->left_out_count - 1 ? "\n" : "");
    }
    const SnBenchGroup *last = NULL;
    for (int e = 0; e < bench->entry_count; ++e) {
        if (bench->entries[e].selected && bench->entries[e].group != last) {
            last = bench->entries[e].group;
            print_group(bench, last, file);
        }
    }
}

static json_t *curve_json(const SnMachine *machine, const SnCurve curves[SN_THREADINGS])
{
    json_t *array = json_array();
    for (int t = 0; t < (machine->threads > 1 ? 2 : 1); ++t) {
        for (int s = 0; s < machine->size_count; ++s) {
            json_array_append_new(
                array, json_pack("{s:I, s:i, s:f, s:f}", "size", (json_int_t)machine->size[s],
                                 "threads", t == SN_ALL_THREADS ? machine->threads : 1, "gb_per_s",
                                 1e-9 * curves[t].rate[s], "median", 1e-9 * curves[t].median[s]));
        }
    }
    return array;
}

static json_t *peaks_json(const SnMachine *machine)
{
    json_t *array = json_array();
    for (int p = 0; p < SN_PRECISIONS; ++p) {
        for (int t = 0; t < (machine->threads > 1 ? 2 : 1); ++t) {
            for (int r = 0; r < machine->row_count; ++r) {
                const SnPeak *peak = &machine->peak[p][t][r];
                json_array_append_new(
                    array, json_pack("{s:s, s:s, s:s, s:b, s:i, s:f, s:f}", "isa",
                                     peak->kernels->isa, "variant", peak->kernels->variant, "type",
                                     p == SN_FLOAT ? "float" : "double", "fused",
                                     strcmp(peak->kernels->variant, "fast") == 0, "threads",
                                     t == SN_ALL_THREADS ? machine->threads : 1, "gf_per_s",
                                     1e-9 * peak->rate, "median", 1e-9 * peak->median));
            }
        }
    }
    return array;
}

static json_t *machine_json(const SnBench *bench)
{
    const SnMachine *machine = &bench->machine;
    return json_pack(
        "{s:s, s:i, s:i, s:s, s:s, s:{s:I, s:I, s:I}, s:f, s:b, s:s, s:s, s:o, s:o, s:o}",
        "processor", machine->processor, "cores", machine->cores, "threads", bench->threads, "isa",
        bench->kernels->isa, "variant", bench->kernels->variant, "caches", "l1d",
        (json_int_t)machine->cache_size[0], "l2", (json_int_t)machine->cache_size[1], "l3",
        (json_int_t)machine->cache_size[2], "load", machine->load, "quick", bench->quick, "version",
        sinew_version(), "compiler", __VERSION__, "read", curve_json(machine, machine->read),
        "update", curve_json(machine, machine->update), "madd", peaks_json(machine));
}

// A number, or null where JSON has no way to write it.
static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *entry_json(const SnBench *bench, int e)
{
    const SnBenchEntry *entry = &bench->entries[e];
    const SnBenchResult *result = &bench->results[e];
    json_t *object = json_pack("{s:s, s:i, s:s, s:s}", "name", entry->name, "threads",
                               entry->threading == SN_ALL_THREADS ? bench->threads : 1, "isa",
                               entry->kernels->isa, "variant", entry->kernels->variant);
    if (result->skipped[0] != '\0') {
        json_object_set_new(object, "skipped", json_string(result->skipped));
        return object;
    }
    json_object_set_new(object, "value", number(result->value));
    json_object_set_new(object, "median", number(result->median));
    json_object_set_new(object, "unit", json_string(result->unit));
    json_object_set_new(object, "limit", number(result->limit));
    json_object_set_new(object, "fraction", number(result->fraction));
    if (result->runs > 0) {
        json_object_set_new(object, "runs", json_integer(result->runs));
    }
    for (int f = 0; f < result->figure_count; ++f) {
        json_object_set_new(object, result->figures[f].name, number(result->figures[f].value));
    }
    return object;
}

bool sn_bench_print_json(const SnBench *bench, FILE *file)
{
    json_t *entries = json_array();
    for (int e = 0; e < bench->entry_count; ++e) {
        if (bench->entries[e].selected) {
            json_array_append_new(entries, entry_json(bench, e));
        }
    }
    json_t *left_out = json_array();
    for (int i = 0; i < bench->left_out_count; ++i) {
        json_array_append_new(left_out, json_string(bench->left_out[i]));
    }
    json_t *document = json_pack("{s:o, s:o, s:o}", "machine", machine_json(bench), "entries",
                                 entries, "left_out", left_out);
    bool written = document != NULL &&
                   json_dumpf(document, file, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) == 0 &&
                   fputc('\n', file) != EOF;
    json_decref(document);
    return written;
}

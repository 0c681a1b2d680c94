#include "tool/run/summary.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(SnRunTimes *times)
{
    if (times->step_count == 0) {
        return 0.0;
    }
    qsort(times->steps, (size_t)times->step_count, sizeof *times->steps, compare);
    return times->steps[times->step_count / 2];
}

// JSON has no word for what is not finite.
static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *list_bodies(const SnRunOutput *output)
{
    json_t *list = json_array();
    for (int b = 0; b < output->body_count; ++b) {
        SinewBodyInfo info = sinew_body_info(output->world, output->bodies[b].id);
        json_array_append_new(list, json_pack("{s:s, s:s, s:i, s:i, s:o, s:o, s:s?}", "name",
                                              output->bodies[b].name, "model", info.model, "dofs",
                                              info.dofs, "elements", info.elements, "mass",
                                              number(info.mass), "volume", number(info.volume),
                                              "warning", info.warning));
    }
    return list;
}

// All that a person should know before using the results, as sentences.
static json_t *list_warnings(const SnRunOutput *output, const SnRunTimes *times)
{
    json_t *list = json_array();
    for (int b = 0; b < output->body_count; ++b) {
        const char *warning = sinew_body_info(output->world, output->bodies[b].id).warning;
        if (warning != NULL) {
            json_array_append_new(list, json_string(warning));
        }
    }
    if (times->inverted.status == SINEW_INVERTED) {
        json_array_append_new(list, json_string(times->inverted.text));
    }
    return list;
}

static json_t *list_probes(const SnRunOutput *output)
{
    json_t *list = json_object();
    for (int p = 0; p < output->probe_count; ++p) {
        double values[SINEW_REPORT_VALUES_MAX];
        int count = 0;
        json_t *last = json_array();
        if (sinew_world_read_probe(output->world, output->probes[p].id, values, &count, NULL) < 0) {
            count = 0;
        }
        for (int c = 0; c < count; ++c) {
            json_array_append_new(last, number(values[c]));
        }
        json_object_set_new(list, output->probes[p].name, last);
    }
    return list;
}

SinewStatus sn_run_summary_json(const SnRunOutput *output, SnRunTimes *times, FILE *file,
                                SinewError *error)
{
    SinewStepReport report = sinew_world_report(output->world);
    json_t *document = json_pack(
        "{s:s, s:o, s:I, s:{s:o, s:o, s:o}, s:o, s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:I, "
        "s:{s:i, s:i, s:i, s:i, s:i, s:o}}",
        "status", sinew_status_text(times->inverted.status), "warnings",
        list_warnings(output, times), "steps", (json_int_t)output->step_count, "seconds", "setup",
        number(times->setup), "total", number(times->total), "step_median", number(median(times)),
        "bodies", list_bodies(output), "probes", list_probes(output), "output", output->folder.path,
        "not_converged", (json_int_t)times->loose_count, "capped", (json_int_t)times->capped_count,
        "rescues", (json_int_t)times->rescue_count, "inverted_steps",
        (json_int_t)times->inverted_count, "iterations", (json_int_t)times->iteration_count,
        "linear_solves", (json_int_t)times->solve_count, "last_step", "iterations",
        report.iterations, "line_search_cuts", report.line_search_cuts, "projected",
        report.projected, "substeps", report.substeps, "inverted", report.inverted, "residual",
        number(report.residual));
    bool written = document != NULL &&
                   json_dumpf(document, file, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) == 0 &&
                   fputc('\n', file) != EOF;
    json_decref(document);
    return written ? SINEW_OK
                   : sn_fail(error, SINEW_ERROR_WRITE, "the JSON document could not be written");
}

void sn_run_summary_print(const SnRunOutput *output, SnRunTimes *times, FILE *file)
{
    for (int b = 0; b < output->body_count; ++b) {
        SinewBodyInfo info = sinew_body_info(output->world, output->bodies[b].id);
        fprintf(file, "%s: %s, %d unknowns, %d elements, %.4g kg\n", output->bodies[b].name,
                info.model, info.dofs, info.elements, info.mass);
    }
    for (int p = 0; p < output->probe_count; ++p) {
        double values[SINEW_REPORT_VALUES_MAX];
        int count = 0;
        if (sinew_world_read_probe(output->world, output->probes[p].id, values, &count, NULL) < 0) {
            continue;
        }
        fprintf(file, "%s:", output->probes[p].name);
        for (int c = 0; c < count; ++c) {
            fprintf(file, " %.6g", values[c]);
        }
        fputc('\n', file);
    }
    if (times->loose_count > 0) {
        fprintf(file,
                "%lld steps stopped before their tolerance, the worst at a residual of %.2g\n",
                (long long)times->loose_count, times->loose_residual);
    }
    if (times->capped_count > 0) {
        fprintf(file, "%lld of %lld steps reached max_solves and took the best state so far\n",
                (long long)times->capped_count, (long long)times->step_count);
    }
    if (times->inverted_count > 0) {
        fprintf(file, "%lld of %lld static solves ended with inverted elements\n",
                (long long)times->inverted_count, (long long)times->step_count);
    }
    if (times->rescue_count > 0) {
        fprintf(file, "%lld steps of bodies were replaced by safer ones\n",
                (long long)times->rescue_count);
    }
    fprintf(file, "%lld steps in %.2f s, %.3g ms each; the results are in %s\n",
            (long long)output->step_count, times->total, 1e3 * median(times), output->folder.path);
}

#include "tool/export/probe_csv.h"

#include "base/array.h"
#include "io/bytes.h"
#include "io/whole_file.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// A comma, a sign, 17 digits, a point, and an exponent of three digits with its e and sign.
enum { NUMBER_SIZE = 26, INDEX_SIZE = 16 };

// --- The first line

static SinewStatus add(SnArray *text, const char *data, size_t size, SinewError *error)
{
    char *place = sn_array_add(text, size);
    SinewStatus status = sn_expect_memory(place, size, 1, error);
    if (status == SINEW_OK) {
        memcpy(place, data, size);
    }
    return status;
}

// A name with its component. What would end a column or a line early puts it between quotes, as RFC
// 4180 has it; line breaks become blanks, so that a row stays a line.
static SinewStatus add_column(SnArray *text, const char *name, int component, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    bool is_quoted = strpbrk(name, ",\"\r\n") != NULL;
    char index[INDEX_SIZE];
    int length = snprintf(index, sizeof index, ".%d%s", component, is_quoted ? "\"" : "");
    SN_TRY(add(text, is_quoted ? ",\"" : ",", is_quoted ? 2 : 1, error));
    for (const char *c = name; *c != '\0'; ++c) {
        if (*c == '"') {
            SN_TRY(add(text, "\"", 1, error));
        }
        SN_TRY(add(text, *c == '\r' || *c == '\n' ? " " : c, 1, error));
    }
    SN_TRY(add(text, index, (size_t)length, error));
done:
    return status;
}

static SinewStatus make_header(const SnProbeColumns *probes, int probe_count, SnArray *text,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(add(text, "t", 1, error));
    for (int p = 0; p < probe_count; ++p) {
        for (int c = 0; c < probes[p].component_count; ++c) {
            SN_TRY(add_column(text, probes[p].name, c, error));
        }
    }
    SN_TRY(add(text, "\n", 1, error));
done:
    return status;
}

// --- Opening

static SinewStatus write_header(const char *path, const SnArray *header,
                                const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWholeFile file = {0};
    SN_TRY(sn_whole_file_begin(&file, path, allocator, error));
    sn_whole_file_write(&file, header->items, header->count);
    SN_TRY(sn_whole_file_commit(&file, error));
done:
    sn_whole_file_abandon(&file);
    return status;
}

// The bytes that the first line and `keep_rows` rows take in the table that is there.
static SinewStatus find_kept(const char *path, const SnArray *header, int64_t keep_rows,
                             const SinewAllocator *allocator, int64_t *out_size, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBytes bytes = {0};
    SN_TRY(sn_bytes_open(path, allocator, &bytes, error));
    if (bytes.size < header->count || memcmp(bytes.data, header->items, header->count) != 0) {
        SN_TRY(sn_fail_at(error, SINEW_ERROR_FILE, 1,
                          "%.160s:1: has other probes than the scene, so no run can go on with it",
                          path));
    }
    size_t at = header->count;
    for (int64_t row = 0; row < keep_rows; ++row) {
        const unsigned char *end = memchr(bytes.data + at, '\n', bytes.size - at);
        if (end == NULL) {
            SN_TRY(sn_fail(error, SINEW_ERROR_FILE,
                           "%.140s: has %lld whole rows, expected at least %lld, as the "
                           "checkpoint says",
                           path, (long long)row, (long long)keep_rows));
        }
        at = (size_t)(end - bytes.data) + 1;
    }
    *out_size = (int64_t)at;
done:
    sn_bytes_close(&bytes);
    return status;
}

static SinewStatus count_values(const char *path, const SnProbeColumns *probes, int probe_count,
                                int64_t keep_rows, int *out_count, SinewError *error)
{
    int64_t sum = 0;
    bool is_good = probe_count >= 0 && keep_rows >= 0;
    for (int p = 0; p < probe_count && is_good; ++p) {
        is_good = probes[p].component_count >= 0 && probes[p].name != NULL;
        sum += probes[p].component_count;
    }
    if (!is_good || sum > INT_MAX / NUMBER_SIZE) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%.100s: a table of %d probes with %lld numbers a row that keeps %lld rows, "
                       "expected names and no negative numbers",
                       path, probe_count, (long long)sum, (long long)keep_rows);
    }
    *out_count = (int)sum;
    return SINEW_OK;
}

SinewStatus sn_probe_csv_open(SnProbeCsv *csv, const char *path, const SnProbeColumns *probes,
                              int probe_count, int64_t keep_rows, const SinewAllocator *allocator,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnArray header = sn_array_of(allocator, 1);
    int64_t kept = 0;
    *csv = (SnProbeCsv){.allocator = allocator, .row_count = keep_rows};
    SN_TRY(count_values(path, probes, probe_count, keep_rows, &csv->value_count, error));
    csv->line_size = (size_t)NUMBER_SIZE * ((size_t)csv->value_count + 1) + 2;
    SN_ALLOC(csv->line, allocator, csv->line_size, error);
    SN_TRY(make_header(probes, probe_count, &header, error));
    if (keep_rows == 0) {
        SN_TRY(write_header(path, &header, allocator, error));
        kept = (int64_t)header.count;
    } else {
        SN_TRY(find_kept(path, &header, keep_rows, allocator, &kept, error));
    }
    SN_TRY(sn_append_file_open(&csv->file, path, error));
    SN_TRY(sn_append_file_cut(&csv->file, kept, error));
done:
    if (status < 0) {
        sn_probe_csv_close(csv, NULL);
    }
    sn_array_release(&header);
    return status;
}

// --- Rows

// One spelling of what is no number, whatever its sign bit and the machine's library.
static int print_number(char *at, size_t room, double value)
{
    if (isnan(value)) {
        return snprintf(at, room, "nan");
    }
    return snprintf(at, room, "%.17g", value);
}

SinewStatus sn_probe_csv_append(SnProbeCsv *csv, double time, const double *values,
                                SinewError *error)
{
    size_t length = (size_t)print_number(csv->line, csv->line_size, time);
    for (int i = 0; i < csv->value_count; ++i) {
        csv->line[length++] = ',';
        length += (size_t)print_number(csv->line + length, csv->line_size - length, values[i]);
    }
    csv->line[length++] = '\n';
    SinewStatus status = sn_append_file_write(&csv->file, csv->line, length, error);
    csv->row_count += status == SINEW_OK;
    return status;
}

SinewStatus sn_probe_csv_close(SnProbeCsv *csv, SinewError *error)
{
    sn_free(csv->allocator, csv->line);
    csv->line = NULL;
    return sn_append_file_close(&csv->file, error);
}

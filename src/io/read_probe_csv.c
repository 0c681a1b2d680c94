// The table of a run's probes, read back.
#include "base/array.h"
#include "io/bytes.h"
#include "io/probe_csv.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// Longer than any number that we write.
enum { WORD_SIZE = 40 };

typedef struct Reader {
    SnBytes bytes;
    size_t at;
    int line;         // from 1
    int column_count; // with the time
    SnArray numbers;  // double
} Reader;

static SinewStatus fail_at_line(const Reader *reader, const char *what, SinewError *error)
{
    return sn_fail_at(error, SINEW_ERROR_FILE, reader->line, "%.140s:%d: %s", reader->bytes.path,
                      reader->line, what);
}

// Counts the columns of the first line; commas between quotes are part of a name.
static SinewStatus read_header(Reader *reader, SinewError *error)
{
    const SnBytes *bytes = &reader->bytes;
    bool is_quoted = false;
    size_t at = 0;
    reader->line = 1;
    reader->column_count = 1;
    for (; at < bytes->size && bytes->data[at] != '\n'; ++at) {
        is_quoted ^= bytes->data[at] == '"';
        reader->column_count += bytes->data[at] == ',' && !is_quoted;
    }
    bool starts = bytes->size >= 2 && bytes->data[0] == 't' &&
                  (bytes->data[1] == ',' || bytes->data[1] == '\n');
    if (!starts || at == bytes->size) {
        return fail_at_line(reader, "is no first line of a table of probes, t,NAME.0,...", error);
    }
    reader->at = at + 1;
    reader->line = 2;
    return SINEW_OK;
}

// The number before the next comma or the end of the line, which is stepped over.
static SinewStatus read_number(Reader *reader, bool is_last, SinewError *error)
{
    const char *begin = (const char *)reader->bytes.data + reader->at;
    size_t left = reader->bytes.size - reader->at;
    size_t length = 0;
    while (length < left && begin[length] != ',' && begin[length] != '\n') {
        ++length;
    }
    if (length == left || (begin[length] == '\n') != is_last) {
        return fail_at_line(reader,
                            length == left ? "ends within the row"
                                           : "has another number of columns than the first line",
                            error);
    }
    char word[WORD_SIZE] = "";
    memcpy(word, begin, length < WORD_SIZE ? length : WORD_SIZE - 1);
    char *end;
    double value = strtod(word, &end);
    if (length == 0 || length >= WORD_SIZE || *end != '\0') {
        return fail_at_line(reader, "has a word that is no number", error);
    }
    reader->at += length + 1;
    return sn_array_push(&reader->numbers, &value, error);
}

static SinewStatus read_rows(Reader *reader, int *out_count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *out_count = 0;
    while (reader->at < reader->bytes.size && *out_count < INT_MAX - 2) {
        for (int c = 0; c < reader->column_count; ++c) {
            SN_TRY(read_number(reader, c + 1 == reader->column_count, error));
        }
        reader->line++;
        ++*out_count;
    }
done:
    return status;
}

SinewStatus sn_probe_table_read(const char *path, const SinewAllocator *allocator,
                                SnProbeTable *out_table, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Reader reader = {.numbers = sn_array_of(allocator, sizeof(double))};
    *out_table = (SnProbeTable){0};
    SN_TRY(sn_bytes_open(path, allocator, &reader.bytes, error));
    SN_TRY(read_header(&reader, error));
    SN_TRY(read_rows(&reader, &out_table->row_count, error));
    size_t rows = (size_t)out_table->row_count;
    size_t values = (size_t)reader.column_count - 1;
    out_table->value_count = (int)values;
    SN_ALLOC(out_table->times, allocator, rows, error);
    SN_ALLOC(out_table->values, allocator, rows * values, error);
    const double *numbers = reader.numbers.items;
    for (size_t row = 0; row < rows; ++row, numbers += values + 1) {
        out_table->times[row] = numbers[0];
        memcpy(out_table->values + row * values, numbers + 1, values * sizeof(double));
    }
done:
    if (status < 0) {
        sn_probe_table_release(out_table, allocator);
    }
    sn_array_release(&reader.numbers);
    sn_bytes_close(&reader.bytes);
    return status;
}

void sn_probe_table_release(SnProbeTable *table, const SinewAllocator *allocator)
{
    sn_free(allocator, table->times);
    sn_free(allocator, table->values);
    *table = (SnProbeTable){0};
}

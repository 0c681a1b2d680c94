// Reading text files word by word: where we are, what the next word is, and a sentence with file
// and line when it is not what was expected. Words are separated by blanks; lines count.
#ifndef SN_IO_SCAN_H
#define SN_IO_SCAN_H

#include "io/bytes.h"

typedef struct SnScan {
    const char *at;  // next byte
    const char *end; // one past the last
    const char *path;
    int64_t line; // of `at`, from 1
    char comment; // starts a comment to the end of the line; 0: none
} SnScan;

typedef struct SnWord {
    const char *text; // not terminated
    size_t length;    // 0: there is no further word
} SnWord;

SnScan sn_scan_of(const SnBytes *bytes, char comment);

// The next word on this line; none at its end. The line break stays.
SnWord sn_scan_word_in_line(SnScan *scan);

// The next word, over line breaks.
SnWord sn_scan_word(SnScan *scan);

// Skips the rest of the line and its break. False at the end of the file.
bool sn_scan_next_line(SnScan *scan);

bool sn_word_is(SnWord word, const char *text);

// A word that must be a number. `what` names it in the sentence, such as "a coordinate".
// Doubles are rounded correctly; what is not finite is refused.
SinewStatus sn_scan_double(const SnScan *scan, SnWord word, const char *what, double *out_value,
                           SinewError *error);
SinewStatus sn_scan_int(const SnScan *scan, SnWord word, const char *what, int64_t least,
                        int64_t most, int64_t *out_value, SinewError *error);

// The number in front of item i of a numbered list: it goes on from the first, which is 0 or 1 and
// is put into `first` when i is 0.
SinewStatus sn_scan_item_number(const SnScan *scan, SnWord word, int64_t i, int64_t *first,
                                SinewError *error);

// Refuses a count of items, which `what` names, of at least `item_size` bytes each, that the rest
// of the text cannot hold. The last may lack its blank or line break.
SinewStatus sn_scan_expect_room(const SnScan *scan, const char *what, int64_t count,
                                size_t item_size, SinewError *error);

// Fails with "path:line: " in front, and the line as error->index.
SinewStatus sn_scan_fail(const SnScan *scan, SinewError *error, const char *format, ...)
    SN_PRINTF(3, 4);

// The same for binary files: "path: byte N: ...", with the byte as error->index.
SinewStatus sn_bytes_fail(const SnBytes *bytes, size_t at, SinewError *error, const char *format,
                          ...) SN_PRINTF(4, 5);

#endif

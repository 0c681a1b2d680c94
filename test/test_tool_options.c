#include "support/test.h"

#include "base/nearest.h"
#include "tool/options.h"

typedef struct Settings {
    bool json;
    int threads;
    const char *folder;
} Settings;

static const SnOption options[] = {
    {.name = "json", .kind = SN_OPTION_FLAG, .offset = offsetof(Settings, json), .help = "JSON"},
    {.name = "threads",
     .kind = SN_OPTION_INT,
     .offset = offsetof(Settings, threads),
     .least = 1,
     .most = 256,
     .value_name = "N",
     .help = "threads"},
    {.name = "output",
     .letter = 'o',
     .kind = SN_OPTION_TEXT,
     .offset = offsetof(Settings, folder),
     .value_name = "DIR",
     .help = "folder"},
};

enum { WORDS_MAX = 8 };

// Splits at spaces, since tests read better that way; `words` points into `line` afterwards.
typedef struct Reading {
    char line[128];
    char *words[WORDS_MAX];
    int word_count;
    Settings settings;
    SinewError error;
} Reading;

static SinewStatus read_line(Reading *reading, const char *line)
{
    memset(reading, 0, sizeof *reading);
    snprintf(reading->line, sizeof reading->line, "%s", line);
    int count = 0;
    for (char *word = strtok(reading->line, " "); word != NULL; word = strtok(NULL, " ")) {
        assert_true(count < WORDS_MAX);
        reading->words[count++] = word;
    }
    return sn_options_read(options, SN_COUNT(options), count, reading->words, &reading->settings,
                           &reading->word_count, &reading->error);
}

static void both_spellings_of_a_value_are_read(void **state)
{
    (void)state;
    const char *const lines[] = {
        "rotation --json --threads 3 --output a cholesky",
        "--threads=3 rotation -o a cholesky --json",
        "--output=a --json --threads 3 -- rotation cholesky",
    };
    for (int i = 0; i < SN_COUNT(lines); ++i) {
        Reading reading;
        assert_int_equal(read_line(&reading, lines[i]), SINEW_OK);
        assert_true(reading.settings.json);
        assert_int_equal(reading.settings.threads, 3);
        assert_string_equal(reading.settings.folder, "a");
        assert_int_equal(reading.word_count, 2);
        assert_string_equal(reading.words[0], "rotation");
        assert_string_equal(reading.words[1], "cholesky");
    }
}

static void what_follows_two_dashes_is_a_word(void **state)
{
    (void)state;
    Reading reading;
    assert_int_equal(read_line(&reading, "- -- --json"), SINEW_OK);
    assert_false(reading.settings.json);
    assert_int_equal(reading.word_count, 2);
    assert_string_equal(reading.words[0], "-");
    assert_string_equal(reading.words[1], "--json");
}

static void wrong_lines_are_refused_with_a_sentence(void **state)
{
    (void)state;
    const struct {
        const char *line;
        const char *sentence;
    } cases[] = {
        {"--jsno", "the nearest is \"--json\""},
        {"--thread 2", "the nearest is \"--threads\""},
        {"--thread=2", "the nearest is \"--threads\""},
        {"-x", "no option \"-x\""},
        {"--json=yes", "--json takes no value, got \"yes\""},
        {"--threads", "--threads needs a value, expected N"},
        {"--threads 0", "--threads is \"0\", expected a whole number from 1 to 256"},
        {"--threads 257", "from 1 to 256"},
        {"--threads -1", "from 1 to 256"},
        {"--threads 2x", "--threads is \"2x\""},
        {"--threads=", "--threads is \"\""},
        {"--threads 99999999999999999999", "from 1 to 256"},
        {"--output=", "--output is empty, expected DIR"},
    };
    for (int i = 0; i < SN_COUNT(cases); ++i) {
        Reading reading;
        assert_int_equal(read_line(&reading, cases[i].line), SINEW_ERROR_ARGUMENT);
        if (strstr(reading.error.text, cases[i].sentence) == NULL) {
            fail_msg("%s: \"%s\" does not say %s", cases[i].line, reading.error.text,
                     cases[i].sentence);
        }
    }
}

static void distance_counts_single_changes(void **state)
{
    (void)state;
    assert_int_equal(sn_word_distance("bench", "bench"), 0);
    assert_int_equal(sn_word_distance("bnech", "bench"), 1);
    assert_int_equal(sn_word_distance("benc", "bench"), 1);
    assert_int_equal(sn_word_distance("bbench", "bench"), 1);
    assert_int_equal(sn_word_distance("bunch", "bench"), 1);
    assert_int_equal(sn_word_distance("", "bench"), 5);
    assert_int_equal(sn_word_distance("bench", ""), 5);
    char longer[200];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(sn_word_distance(longer, ""), 63);
}

static void the_nearest_word_is_found(void **state)
{
    (void)state;
    const char *const known[] = {"run", "bench", "mesh"};
    assert_int_equal(sn_resembling_word("bnech", known, 3), 1);
    assert_int_equal(sn_resembling_word("mush", known, 3), 2);
    assert_int_equal(sn_resembling_word("ru", known, 3), 0);
    assert_int_equal(sn_resembling_word("ru", known, 0), -1);
}

// Only what a typing error explains is suggested.
static void words_resemble_or_not(void **state)
{
    (void)state;
    static const char *const known[] = {"run", "bench", "force", "resolution", "dt"};
    assert_int_equal(sn_resembling_word("bnech", known, 5), 1);
    assert_int_equal(sn_resembling_word("resolutoin", known, 5), 3);
    assert_int_equal(sn_resembling_word("res", known, 5), 3);
    assert_int_equal(sn_resembling_word("rum", known, 5), 0);
    assert_int_equal(sn_resembling_word("td", known, 5), 4);
    assert_int_equal(sn_resembling_word("-v", known, 5), -1);
    assert_int_equal(sn_resembling_word("v", known, 5), -1);
    assert_int_equal(sn_resembling_word("stress", known, 5), -1);
    assert_int_equal(sn_resembling_word("", known, 5), -1);
    assert_int_equal(sn_resembling_word("run", known, 0), -1);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(both_spellings_of_a_value_are_read),
    cmocka_unit_test(what_follows_two_dashes_is_a_word),
    cmocka_unit_test(wrong_lines_are_refused_with_a_sentence),
    cmocka_unit_test(distance_counts_single_changes),
    cmocka_unit_test(the_nearest_word_is_found),
    cmocka_unit_test(words_resemble_or_not),
};
SN_TEST_GROUP(tool_options, tests);

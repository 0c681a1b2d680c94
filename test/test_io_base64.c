#include "support/test.h"

#include "io/base64.h"

static void known_texts_are_written(void **state)
{
    (void)state;
    // The vectors of RFC 4648, section 10.
    static const char *const plain[] = {"", "f", "fo", "foo", "foob", "fooba", "foobar"};
    static const char *const coded[] = {"",         "Zg==",     "Zm8=",    "Zm9v",
                                        "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
    for (int i = 0; i < SN_COUNT(plain); ++i) {
        SnArray text = sn_array_of(NULL, 1);
        char back[8] = "";
        size_t size = strlen(plain[i]);
        assert_int_equal(sn_base64_append(&text, plain[i], size, NULL), SINEW_OK);
        assert_int_equal(text.count, strlen(coded[i]));
        assert_memory_equal(text.items, coded[i], text.count);
        SnBase64Reader reader = {.at = coded[i], .end = coded[i] + strlen(coded[i])};
        assert_true(sn_base64_read(&reader, back, size));
        assert_memory_equal(back, plain[i], size);
        assert_false(sn_base64_read(&reader, back, 1)); // and nothing after it
        sn_array_release(&text);
    }
}

static void pieces_are_read_across_padding(void **state)
{
    (void)state;
    static const char text[] = "  Zm9vYg==\n Zm8=Zm9v";
    SnBase64Reader reader = {.at = text, .end = text + sizeof text - 1};
    char back[10] = "";
    assert_true(sn_base64_read(&reader, back, 1));
    assert_true(sn_base64_read(&reader, back + 1, 4));
    assert_true(sn_base64_read(&reader, back + 5, 4));
    assert_string_equal(back, "foobfofoo");
    static const char *const wrong[] = {"Zm9", "Z=9v", "Zm9!", "====", "Zm\n9"};
    for (int i = 0; i < SN_COUNT(wrong); ++i) {
        SnBase64Reader bad = {.at = wrong[i], .end = wrong[i] + strlen(wrong[i])};
        assert_false(sn_base64_read(&bad, back, 3));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(known_texts_are_written),
    cmocka_unit_test(pieces_are_read_across_padding),
};
SN_TEST_GROUP(io_base64, tests);

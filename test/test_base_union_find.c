#include "support/test.h"

#include "base/random.h"
#include "base/union_find.h"

enum { ITEMS = 200 };

// The same sets by repainting, as slow as it is plain.
static void repaint(int *colours, int from, int to)
{
    for (int i = 0; i < ITEMS; ++i) {
        colours[i] = colours[i] == from ? to : colours[i];
    }
}

static void roots_are_the_lowest_items_of_their_sets(void **state)
{
    (void)state;
    SnRandom random = {3};
    int parents[ITEMS], colours[ITEMS], sets = ITEMS;
    sn_union_find_reset(parents, ITEMS);
    sn_union_find_reset(colours, ITEMS);
    for (int n = 0; n < 300; ++n) {
        int a = (int)sn_random_between(&random, 0.0, ITEMS);
        int b = (int)sn_random_between(&random, 0.0, ITEMS);
        bool joined = sn_union_find_join(parents, a, b);
        assert_int_equal(joined, colours[a] != colours[b]);
        sets -= joined;
        int low = colours[a] < colours[b] ? colours[a] : colours[b];
        repaint(colours, colours[a], low);
        repaint(colours, colours[b], low);
        int roots = 0;
        for (int i = 0; i < ITEMS; ++i) {
            assert_int_equal(sn_union_find_root(parents, i), colours[i]);
            roots += parents[i] == i;
        }
        assert_int_equal(roots, sets);
    }
    assert_true(sets < ITEMS / 4);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(roots_are_the_lowest_items_of_their_sets),
};
SN_TEST_GROUP(base_union_find, tests);

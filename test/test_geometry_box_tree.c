#include "support/fail_allocator.h"
#include "support/test.h"

#include "base/random.h"
#include "geometry/box_tree.h"

static SnBox *make_boxes(int count, double size, uint64_t seed)
{
    SnRandom random = {seed};
    SnBox *boxes = malloc((size_t)count * sizeof *boxes);
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            boxes[i].min[k] = sn_random_unit(&random);
            boxes[i].max[k] = boxes[i].min[k] + size * sn_random_unit(&random);
        }
    }
    return boxes;
}

static bool holds(const SnBox *outer, const SnBox *inner)
{
    for (int k = 0; k < 3; ++k) {
        if (inner->min[k] < outer->min[k] || inner->max[k] > outer->max[k]) {
            return false;
        }
    }
    return true;
}

// Every node holds its things, children share them out, leaves are small. Returns the depth.
static int check_node(const SnBoxTree *tree, const SnBox *boxes, int index, int leaf_count)
{
    const SnBoxNode *node = &tree->nodes[index];
    assert_true(node->begin < node->end);
    for (int i = node->begin; i < node->end; ++i) {
        assert_true(holds(&node->box, &boxes[tree->order[i]]));
    }
    if (node->second == 0) {
        assert_in_range(node->end - node->begin, 1, leaf_count);
        return 1;
    }
    assert_int_equal(tree->nodes[index + 1].begin, node->begin);
    assert_int_equal(tree->nodes[index + 1].end, tree->nodes[node->second].begin);
    assert_int_equal(tree->nodes[node->second].end, node->end);
    int a = check_node(tree, boxes, index + 1, leaf_count);
    int b = check_node(tree, boxes, node->second, leaf_count);
    return 1 + (a > b ? a : b);
}

static void nodes_hold_their_things(void **state)
{
    (void)state;
    const int counts[] = {1, 2, 5, 1000, 20000};
    for (int c = 0; c < SN_COUNT(counts); ++c) {
        SnBox *boxes = make_boxes(counts[c], 0.05, 7);
        SnBoxTree *tree = NULL;
        assert_int_equal(sn_box_tree_create(boxes, counts[c], 3, NULL, &tree, NULL), SINEW_OK);
        unsigned char *seen = calloc((size_t)counts[c], 1);
        for (int i = 0; i < counts[c]; ++i) {
            assert_int_equal(seen[tree->order[i]]++, 0);
        }
        assert_at_most(check_node(tree, boxes, 0, 3), 32);
        free(seen);
        sn_box_tree_destroy(tree, NULL);
        free(boxes);
    }
}

// Boxes that shrink by half again and again make the heuristic peel them off one by one, and boxes
// that are all the same give it nothing to choose by.
static void hard_inputs_stay_shallow(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    SnBox *boxes = malloc(COUNT * sizeof *boxes);
    double at = 1.0;
    for (int i = 0; i < COUNT; ++i) {
        boxes[i] = (SnBox){{at, 0.0, 0.0}, {at, 0.0, 0.0}};
        at = i < 900 ? at / 2.0 : at;
    }
    SnBoxTree *tree = NULL;
    assert_int_equal(sn_box_tree_create(boxes, COUNT, 1, NULL, &tree, NULL), SINEW_OK);
    assert_at_most(check_node(tree, boxes, 0, 1), SN_BOX_TREE_DEPTH - 1);
    sn_box_tree_destroy(tree, NULL);
    free(boxes);
}

typedef struct Seen {
    unsigned char *flags;
    int left; // visits until it has enough
} Seen;

static bool mark(void *context, int item)
{
    Seen *seen = context;
    seen->flags[item]++;
    return --seen->left > 0;
}

static void visits_find_all_that_touch(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    SnBox *boxes = make_boxes(COUNT, 0.05, 9);
    SnBox *queries = make_boxes(100, 0.2, 10);
    SnBoxTree *tree = NULL;
    assert_int_equal(sn_box_tree_create(boxes, COUNT, 4, NULL, &tree, NULL), SINEW_OK);
    for (int q = 0; q < 100; ++q) {
        unsigned char flags[COUNT] = {0};
        Seen seen = {flags, COUNT + 1};
        sn_box_tree_visit(tree, &queries[q], mark, &seen);
        for (int i = 0; i < COUNT; ++i) {
            bool touches = true;
            for (int k = 0; k < 3; ++k) {
                touches = touches && boxes[i].min[k] <= queries[q].max[k] &&
                          queries[q].min[k] <= boxes[i].max[k];
            }
            assert_true(flags[i] == 1 || (flags[i] == 0 && !touches));
        }
        int visited = COUNT + 1 - seen.left;
        assert_in_range(visited, 0, COUNT / 2);
        seen.left = 1;
        sn_box_tree_visit(tree, &queries[q], mark, &seen);
        assert_int_equal(seen.left, visited > 0 ? 0 : 1);
    }
    sn_box_tree_destroy(tree, NULL);
    free(queries);
    free(boxes);
}

static SinewStatus create_and_destroy(const SinewAllocator *allocator, void *context,
                                      SinewError *error)
{
    SnBoxTree *tree = NULL;
    SinewStatus status = sn_box_tree_create(context, 50, 4, allocator, &tree, error);
    assert_true((status == SINEW_OK) == (tree != NULL));
    sn_box_tree_destroy(tree, allocator);
    return status;
}

static void each_allocation_may_fail_and_nothing_is_refused(void **state)
{
    (void)state;
    SnBox *boxes = make_boxes(50, 0.1, 1);
    assert_int_equal(sn_fail_each_allocation(create_and_destroy, boxes), 3);
    free(boxes);
    SnBoxTree *tree = NULL;
    SinewError error;
    assert_int_equal(sn_box_tree_create(NULL, 0, 4, NULL, &tree, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "over 0 things"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(nodes_hold_their_things),
    cmocka_unit_test(hard_inputs_stay_shallow),
    cmocka_unit_test(visits_find_all_that_touch),
    cmocka_unit_test(each_allocation_may_fail_and_nothing_is_refused),
};
SN_TEST_GROUP(geometry_box_tree, tests);

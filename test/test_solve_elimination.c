// The elimination tree, column counts and supernodes against elimination done on a dense pattern.
#include "support/fail_allocator.h"
#include "support/matrices.h"
#include "support/test.h"

#include "solve/supernodes.h"

// Eliminates a pattern the slow way: filled[i * n + j] tells whether L_ij is non-zero.
static unsigned char *fill_in(const SnSparse *pattern, const int *place)
{
    int n = pattern->count;
    unsigned char *filled = calloc((size_t)n * (size_t)n, 1);
    for (int row = 0; row < n; ++row) {
        for (int e = pattern->row_start[row]; e < pattern->row_start[row + 1]; ++e) {
            filled[place[row] * n + place[pattern->column[e]]] = 1;
        }
    }
    for (int k = 0; k < n; ++k) {
        for (int i = k + 1; i < n; ++i) {
            for (int j = k + 1; filled[i * n + k] != 0 && j < n; ++j) {
                filled[i * n + j] |= filled[k * n + j];
            }
        }
    }
    return filled;
}

static int *reversed(int count)
{
    int *order = calloc((size_t)count, sizeof *order);
    for (int i = 0; i < count; ++i) {
        order[i] = count - 1 - i;
    }
    return order;
}

static void check_elimination(const SnSparse *pattern)
{
    SnElimination e;
    int n = pattern->count;
    int *order = reversed(n);
    assert_int_equal(sn_elimination_create(pattern, order, NULL, &e, NULL), SINEW_OK);
    unsigned char *filled = fill_in(pattern, e.place);
    int64_t total = 0;
    for (int j = 0; j < n; ++j) {
        assert_int_equal(e.place[e.order[j]], j);
        int below = 0;
        int first = -1;
        for (int i = j + 1; i < n; ++i) {
            below += filled[i * n + j];
            first = first < 0 && filled[i * n + j] != 0 ? i : first;
        }
        assert_int_equal(e.below[j], below);
        assert_int_equal(e.parent[j], first);
        total += below + 1;
    }
    assert_int_equal(e.fill, total);
    free(filled);
    free(order);
    sn_elimination_release(&e, NULL);
}

// Each entry of the factor must lie in its supernode's columns or rows, subtrees must be whole, and
// the top must hold nothing that a subtree could.
static void check_supernodes(const SnSparse *pattern)
{
    SnElimination e;
    SnSupernodes s;
    int n = pattern->count;
    int *order = reversed(n);
    assert_int_equal(sn_elimination_create(pattern, order, NULL, &e, NULL), SINEW_OK);
    assert_int_equal(sn_supernodes_create(pattern, &e, NULL, &s, NULL), SINEW_OK);
    unsigned char *filled = fill_in(pattern, s.place);
    assert_int_equal(s.first[0], 0);
    assert_int_equal(s.first[s.count], n);
    for (int i = 0; i < s.count; ++i) {
        assert_true(sn_supernode_width(&s, i) > 0);
        assert_true(s.parent[i] == -1 || s.parent[i] > i);
        unsigned char *has = calloc((size_t)n, 1);
        int before = s.first[i + 1] - 1;
        for (int64_t k = s.row_start[i]; k < s.row_start[i + 1]; ++k) {
            assert_true(s.rows[k] > before && s.rows[k] < n);
            before = s.rows[k];
            has[s.rows[k]] = 1;
        }
        if (s.row_start[i] < s.row_start[i + 1]) {
            int first_row = s.rows[s.row_start[i]];
            assert_true(s.parent[i] >= 0 && first_row >= s.first[s.parent[i]] &&
                        first_row < s.first[s.parent[i] + 1]);
        }
        for (int j = s.first[i]; j < s.first[i + 1]; ++j) {
            for (int row = s.first[i + 1]; row < n; ++row) {
                assert_true(filled[row * n + j] == 0 || has[row] != 0);
            }
        }
        if (s.parent[i] >= 0 && s.subtree_of[i] == -1) {
            assert_int_equal(s.subtree_of[s.parent[i]], -1);
        }
        free(has);
    }
    for (int t = 0; t < s.subtree_count; ++t) {
        for (int i = s.subtree_begin[t]; i < s.subtree_end[t]; ++i) {
            assert_int_equal(s.subtree_of[i], t);
            int up = s.parent[i];
            assert_true(up < 0 || s.subtree_of[up] == t || s.subtree_of[up] == -1);
        }
    }
    free(filled);
    free(order);
    sn_supernodes_release(&s, NULL);
    sn_elimination_release(&e, NULL);
}

static void patterns_are_eliminated_as_the_slow_way_does(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        int rows = 1 + (int)(seed * 29 % 170);
        SnTestMatrix m = sn_test_random_graph(rows, (int)(seed % 5) * rows / 2, 1, 1.0, seed);
        check_elimination(&m.sparse);
        check_supernodes(&m.sparse);
        sn_test_matrix_free(&m);
    }
    SnTestMatrix grid = sn_test_grid(9, 8, 7, 1, 1.0, 1);
    check_elimination(&grid.sparse);
    check_supernodes(&grid.sparse);
    sn_test_matrix_free(&grid);
}

static void a_postorder_puts_subtrees_together(void **state)
{
    (void)state;
    //      6        8
    //    /   |      |
    //   2    5      7
    //  / |   |
    // 0  1   3, and 4 is a root of its own
    const int parent[] = {2, 2, 6, 5, -1, 6, -1, 8, -1};
    const int expected[] = {4, 0, 1, 2, 3, 5, 6, 7, 8};
    int scratch[18];
    int post[9];
    sn_postorder(9, parent, scratch, post);
    assert_memory_equal(post, expected, sizeof post);
}

static SinewStatus analyse(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnTestMatrix *m = context;
    SnElimination e = {0};
    SnSupernodes s = {0};
    int order[60];
    for (int i = 0; i < 60; ++i) {
        order[i] = i;
    }
    SN_TRY(sn_elimination_create(&m->sparse, order, allocator, &e, error));
    SN_TRY(sn_supernodes_create(&m->sparse, &e, allocator, &s, error));
done:
    sn_supernodes_release(&s, allocator);
    sn_elimination_release(&e, allocator);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    SnTestMatrix m = sn_test_grid(5, 4, 3, 1, 1.0, 1);
    assert_true(sn_fail_each_allocation(analyse, &m) > 20);
    sn_test_matrix_free(&m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(patterns_are_eliminated_as_the_slow_way_does),
    cmocka_unit_test(a_postorder_puts_subtrees_together),
    cmocka_unit_test(each_allocation_may_fail),
};
SN_TEST_GROUP(solve_elimination, tests);

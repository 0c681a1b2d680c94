// Orders of sweeps: each row once, tasks of a stage without neighbours in each other, and halves
// that threads can share; copies of rows stay with theirs.
#include "support/fail_allocator.h"
#include "support/test.h"

#include "base/random.h"
#include "solve/sweep_order.h"

// Rows of a grid, each with the 26 around it, the diagonal among them.
typedef struct Grid {
    int count;
    int *start;
    int *columns; // three times the row
} Grid;

// Rows are numbered as `numbers` says; nullable: line by line.
static Grid make_grid(int x, int y, int z, const int *numbers)
{
    Grid grid = {.count = x * y * z};
    int *place = malloc((size_t)grid.count * sizeof *place);
    grid.start = calloc((size_t)grid.count + 1, sizeof *grid.start);
    grid.columns = malloc(27 * (size_t)grid.count * sizeof *grid.columns);
    for (int i = 0; i < grid.count; ++i) {
        place[numbers != NULL ? numbers[i] : i] = i;
    }
    for (int r = 0, filled = 0; r < grid.count; ++r) {
        int at[3] = {place[r] % x, place[r] / x % y, place[r] / (x * y)};
        for (int k = 0; k < 27; ++k) {
            int to[3] = {at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1};
            if (to[0] >= 0 && to[0] < x && to[1] >= 0 && to[1] < y && to[2] >= 0 && to[2] < z) {
                int other = to[0] + x * (to[1] + y * to[2]);
                grid.columns[filled++] = 3 * (numbers != NULL ? numbers[other] : other);
            }
        }
        grid.start[r + 1] = filled;
    }
    free(place);
    return grid;
}

static void free_grid(Grid *grid)
{
    free(grid->start);
    free(grid->columns);
}

static SnSweepOrder order_of(const Grid *grid)
{
    SnSweepOrder order;
    assert_int_equal(
        sn_sweep_order_create(grid->count, grid->start, grid->columns, 3, NULL, &order, NULL),
        SINEW_OK);
    return order;
}

static void expect_each_row_once(const SnSweepOrder *order)
{
    int *seen = calloc((size_t)order->count, sizeof *seen);
    int tasks = order->stage_start[order->stage_count];
    assert_int_equal(order->stage_start[0], 0);
    assert_int_equal(order->task_start[0], 0);
    for (int t = 0; t < tasks; ++t) {
        for (int i = order->task_start[t]; i < order->task_start[t + 1]; ++i) {
            const SnSweepRun *run = &order->runs[i];
            assert_true(run->begin < run->end);
            assert_true(i == order->task_start[t] || run[-1].end < run->begin);
            for (int row = run->begin; row < run->end; ++row) {
                assert_int_equal(order->task[row], t);
                seen[row] += 1;
            }
        }
    }
    for (int r = 0; r < order->count; ++r) {
        assert_int_equal(seen[r], 1);
    }
    free(seen);
}

static int stage_of(const SnSweepOrder *order, int task)
{
    int stage = 0;
    while (order->stage_start[stage + 1] <= task) {
        ++stage;
    }
    return stage;
}

static void expect_tasks_apart(const SnSweepOrder *order, const Grid *grid, const int *source)
{
    for (int r = 0; r < order->count; ++r) {
        int row = source != NULL ? source[r] : r;
        for (int e = grid->start[row]; e < grid->start[row + 1]; ++e) {
            int a = order->task[r], b = order->task[grid->columns[e] / 3];
            assert_true(a == b || stage_of(order, a) != stage_of(order, b));
        }
    }
}

static int rows_of(const SnSweepOrder *order, int task)
{
    int count = 0;
    for (int i = order->task_start[task]; i < order->task_start[task + 1]; ++i) {
        count += order->runs[i].end - order->runs[i].begin;
    }
    return count;
}

// Rows of the longest task of each stage: what a sweep takes where there are threads enough.
static int longest_way(const SnSweepOrder *order)
{
    int sum = 0;
    for (int s = 0; s < order->stage_count; ++s) {
        int longest = 0;
        for (int t = order->stage_start[s]; t < order->stage_start[s + 1]; ++t) {
            int rows = rows_of(order, t);
            longest = rows > longest ? rows : longest;
        }
        sum += longest;
    }
    return sum;
}

// By colours: stages of short tasks, so that many threads have something to do.
static void a_large_pattern_goes_by_colours(void **state)
{
    (void)state;
    Grid grid = make_grid(12, 12, 120, NULL);
    SnSweepOrder order = order_of(&grid);
    expect_each_row_once(&order);
    expect_tasks_apart(&order, &grid, NULL);
    assert_in_range(order.stage_count, 2, 12);
    // Tasks of four blocks of 64 rows, one of each stage.
    assert_at_most(longest_way(&order), 4 * 64 * order.stage_count);
    sn_sweep_order_release(&order, NULL);
    free_grid(&grid);
}

// A body of 20,000 tets has some 60,000 entries, this 66,000: four parts.
static void a_middling_pattern_is_quartered(void **state)
{
    (void)state;
    Grid grid = make_grid(8, 8, 48, NULL);
    SnSweepOrder order = order_of(&grid);
    expect_each_row_once(&order);
    expect_tasks_apart(&order, &grid, NULL);
    assert_int_equal(order.stage_start[1], 4);
    // Parts of twelve layers, and two layers between them, one after the other; what is not whole
    // layers of halves.
    assert_at_most(longest_way(&order), 16 * 64);
    sn_sweep_order_release(&order, NULL);
    free_grid(&grid);
}

// A body of 10,000 tets has some 30,000 entries, this 22,000: two parts, and one task for what is
// between.
static void a_small_pattern_is_halved(void **state)
{
    (void)state;
    Grid grid = make_grid(6, 6, 30, NULL);
    SnSweepOrder order = order_of(&grid);
    expect_each_row_once(&order);
    expect_tasks_apart(&order, &grid, NULL);
    assert_int_equal(order.stage_count, 2);
    assert_int_equal(order.stage_start[1], 2);
    assert_int_equal(order.stage_start[2], 3);
    assert_at_most(longest_way(&order), 17 * 36);
    sn_sweep_order_release(&order, NULL);
    free_grid(&grid);
}

// Too small to share, nothing at all, or numbers that do not say what is near what.
static void what_cannot_be_shared_is_one_task(void **state)
{
    (void)state;
    static int numbers[14 * 14 * 14];
    SnRandom random = {5};
    for (int i = 0; i < SN_COUNT(numbers); ++i) {
        int other = (int)(sn_random_bits(&random) % (uint64_t)(i + 1));
        numbers[i] = numbers[other];
        numbers[other] = i;
    }
    Grid grids[] = {make_grid(5, 5, 5, NULL), make_grid(1, 1, 1, NULL),
                    make_grid(14, 14, 14, numbers)};
    for (int g = 0; g < SN_COUNT(grids); ++g) {
        SnSweepOrder order = order_of(&grids[g]);
        expect_each_row_once(&order);
        assert_int_equal(order.stage_count, 1);
        assert_int_equal(order.stage_start[1], 1);
        sn_sweep_order_release(&order, NULL);
        free_grid(&grids[g]);
    }
}

// Each third row once more, behind all others.
static void expect_copies_with_their_rows(int layers)
{
    Grid grid = make_grid(10, 10, layers, NULL);
    SnSweepOrder order = order_of(&grid), followed;
    int count = grid.count + (grid.count + 2) / 3;
    int *source = malloc((size_t)count * sizeof *source);
    for (int r = 0; r < count; ++r) {
        source[r] = r < grid.count ? r : 3 * (r - grid.count);
    }
    assert_int_equal(sn_sweep_order_follow(&order, source, count, NULL, &followed, NULL), SINEW_OK);
    assert_int_equal(followed.stage_count, order.stage_count);
    expect_each_row_once(&followed);
    expect_tasks_apart(&followed, &grid, source);
    for (int r = 1; r < grid.count; ++r) {
        assert_int_equal(sn_sweep_comes_earlier(&followed, r - 1, r),
                         sn_sweep_comes_earlier(&order, r - 1, r));
    }
    sn_sweep_order_release(&order, NULL);
    sn_sweep_order_release(&followed, NULL);
    free(source);
    free_grid(&grid);
}

static void copies_are_swept_with_their_rows(void **state)
{
    (void)state;
    expect_copies_with_their_rows(25); // halves
    expect_copies_with_their_rows(90); // colours
}

static SinewStatus make_both(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const Grid *grid = context;
    SnSweepOrder order = {0}, followed = {0};
    int *same = NULL;
    SN_ALLOC(same, allocator, grid->count, error);
    for (int r = 0; r < grid->count; ++r) {
        same[r] = r;
    }
    SN_TRY(sn_sweep_order_create(grid->count, grid->start, grid->columns, 3, allocator, &order,
                                 error));
    SN_TRY(sn_sweep_order_follow(&order, same, order.count, allocator, &followed, error));
done:
    sn_sweep_order_release(&order, allocator);
    sn_sweep_order_release(&followed, allocator);
    sn_free(allocator, same);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    Grid halved = make_grid(6, 6, 30, NULL), coloured = make_grid(10, 10, 50, NULL);
    assert_int_equal(sn_fail_each_allocation(make_both, &halved), 9);
    assert_int_equal(sn_fail_each_allocation(make_both, &coloured), 11);
    free_grid(&halved);
    free_grid(&coloured);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_large_pattern_goes_by_colours),
    cmocka_unit_test(a_middling_pattern_is_quartered),
    cmocka_unit_test(a_small_pattern_is_halved),
    cmocka_unit_test(what_cannot_be_shared_is_one_task),
    cmocka_unit_test(copies_are_swept_with_their_rows),
    cmocka_unit_test(every_allocation_may_fail),
};
SN_TEST_GROUP(solve_sweep_order, tests);

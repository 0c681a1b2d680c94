// Sweeps over panels: every variant that runs here against the plain reference, and the reference
// against the matrix that a panel stands for.
#include "support/test.h"

#include "base/random.h"
#include "kernel/kernel_table.h"

#include <math.h>

enum { POSITIONS = 400, ROWS = 200, COLUMNS = 64 };

// One panel over scattered rows, in both precisions.
typedef struct Case {
    SnPanel panel;
    int index[ROWS];
    _Alignas(64) float float_values[COLUMNS * (ROWS + 16)];
    _Alignas(64) double double_values[COLUMNS * (ROWS + 16)];
    _Alignas(64) unsigned char scratch[8 * 3 * (ROWS + 16)];
    double dense[ROWS][COLUMNS];
} Case;

static void make_case(Case *c, int columns, int rows)
{
    SnRandom random = {(uint64_t)(columns * 1000 + rows)};
    c->panel = (SnPanel){.columns = columns, .rows = rows};
    for (int i = 0; i < rows; ++i) {
        // Own columns side by side, rows below scattered in ascending order.
        c->index[i] = i < columns ? 20 + i : 20 + columns + (i - columns) * 3 / 2;
    }
    size_t at = 0;
    for (int first = 0; first < columns;) {
        int block = sn_panel_block(columns - first);
        for (int t = 0; t < sn_panel_tiles(rows); ++t) {
            for (int col = first; col < first + block; ++col) {
                for (int i = 0; i < SN_PANEL_TILE; ++i, ++at) {
                    int row = t * SN_PANEL_TILE + i;
                    float value = row < rows ? (float)sn_random_between(&random, -1.0, 1.0) : 0.0f;
                    c->float_values[at] = value;
                    c->double_values[at] = (double)value;
                    if (row < rows) {
                        c->dense[row][col] = (double)value;
                    }
                }
            }
        }
        first += block;
    }
}

static bool is_float(int kind)
{
    return kind == SN_PANEL_FLOAT3 || kind == SN_PANEL_FLOAT1;
}

static int stride_of(int kind)
{
    return kind == SN_PANEL_FLOAT3 || kind == SN_PANEL_DOUBLE3 ? 4 : 1;
}

enum { WHOLE, IN_PARTS };

// The sweep in two parts, as workers share it, or as one.
static void run_sweep(SnPanelJob *job, const SnPanelKernels *kernels, int kind, bool forward,
                      int parts)
{
    _Alignas(64) static unsigned char result[4 * 8 * COLUMNS];
    const SnPanel *panel = &job->panels[0];
    if (parts == WHOLE || panel->rows == panel->columns) {
        (forward ? kernels->forward[kind] : kernels->backward[kind])(job);
        return;
    }
    job->result = result;
    if (forward) {
        int first = sn_panel_first_tile(panel);
        int last = sn_panel_tiles(panel->rows);
        int middle = (first + last + 1) / 2;
        kernels->forward_tiles[kind](job, middle, last);
        kernels->forward_tiles[kind](job, first, middle);
        return;
    }
    int middle = panel->columns / 2 / SN_PANEL_BLOCK * SN_PANEL_BLOCK;
    kernels->backward_columns[kind](job, middle, panel->columns);
    kernels->backward_columns[kind](job, 0, middle);
    size_t row = (size_t)stride_of(kind) * (is_float(kind) ? sizeof(float) : sizeof(double));
    memcpy((unsigned char *)job->x + (size_t)job->index[0] * row, result,
           (size_t)panel->columns * row);
}

// Runs one sweep on a start that depends on nothing but the position; answers in doubles.
static void sweep(Case *c, const SnPanelKernels *kernels, int kind, bool forward, int parts,
                  double *out)
{
    _Alignas(64) static float narrow[4 * POSITIONS];
    _Alignas(64) static double wide[4 * POSITIONS];
    int stride = stride_of(kind);
    SnRandom random = {99};
    for (int i = 0; i < POSITIONS * stride; ++i) {
        narrow[i] = stride == 4 && i % 4 == 3 ? 0.0f : (float)sn_random_between(&random, -1, 1);
        wide[i] = (double)narrow[i];
    }
    memset(c->scratch, 0xff, sizeof c->scratch); // not a number, where something is left unset
    SnPanelJob job = {.panels = &c->panel,
                      .begin = 0,
                      .end = 1,
                      .index = c->index,
                      .values = is_float(kind) ? (const void *)c->float_values : c->double_values,
                      .x = is_float(kind) ? (void *)narrow : wide,
                      .scratch = c->scratch};
    run_sweep(&job, kernels, kind, forward, parts);
    for (int i = 0; i < POSITIONS * stride; ++i) {
        out[i] = is_float(kind) ? (double)narrow[i] : wide[i];
    }
}

// What the sweep means, in double.
static void expected_sweep(const Case *c, int kind, bool forward, const double *start, double *out)
{
    int stride = stride_of(kind);
    memcpy(out, start, (size_t)(POSITIONS * stride) * sizeof *out);
    for (int r = 0; r < (stride == 4 ? 3 : 1); ++r) {
        for (int col = 0; col < c->panel.columns; ++col) {
            double sum = 0.0;
            for (int row = 0; row < c->panel.rows; ++row) {
                double value = c->dense[row][col];
                sum += value * start[c->index[row] * stride + r];
                if (forward && row >= c->panel.columns) {
                    out[c->index[row] * stride + r] += value * start[c->index[col] * stride + r];
                }
            }
            if (!forward) {
                out[c->index[col] * stride + r] = sum;
            }
        }
    }
}

static void check_case(Case *c, int kind, bool forward)
{
    static double start[4 * POSITIONS];
    static double expected[4 * POSITIONS];
    static double reference[4 * POSITIONS];
    static double got[4 * POSITIONS];
    int count = POSITIONS * stride_of(kind);
    SnPanel whole = c->panel;
    c->panel.rows = 0;
    c->panel.columns = 0;
    sweep(c, sn_kernels_of(SN_ISA_REF, SN_PORTABLE_BITS)->panel, kind, true, WHOLE, start);
    c->panel = whole;
    sweep(c, sn_kernels_of(SN_ISA_REF, SN_PORTABLE_BITS)->panel, kind, forward, WHOLE, reference);
    expected_sweep(c, kind, forward, start, expected);
    // Sums of up to 200 products of order one.
    double tolerance = is_float(kind) ? 200 * 6e-8 : 200 * 1.1e-16;
    for (int i = 0; i < count; ++i) {
        assert_at_most(fabs(reference[i] - expected[i]), tolerance);
    }
    for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
        if (!sn_isa_runs((SnIsa)isa)) {
            continue;
        }
        for (int parts = WHOLE; parts <= IN_PARTS; ++parts) {
            sweep(c, sn_kernels_of((SnIsa)isa, SN_PORTABLE_BITS)->panel, kind, forward, parts, got);
            assert_memory_equal(got, reference, (size_t)count * sizeof *got);
        }
        sweep(c, sn_kernels_of((SnIsa)isa, SN_FAST_BITS)->panel, kind, forward, WHOLE, got);
        for (int i = 0; i < count; ++i) {
            assert_at_most(fabs(got[i] - expected[i]), tolerance);
        }
    }
}

static void sweeps_equal_the_reference(void **state)
{
    (void)state;
    static Case c;
    const int columns[] = {1, 2, 3, 5, 7, 8, 12, 15, 16, 17, 23, 64};
    const int below[] = {0, 1, 3, 8, 15, 16, 17, 100, 136};
    for (int i = 0; i < SN_COUNT(columns); ++i) {
        for (int j = 0; j < SN_COUNT(below); ++j) {
            make_case(&c, columns[i], columns[i] + below[j]);
            for (int kind = 0; kind < SN_PANEL_KINDS; ++kind) {
                check_case(&c, kind, true);
                check_case(&c, kind, false);
            }
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(sweeps_equal_the_reference),
};
SN_TEST_GROUP(kernel_panel, tests);

// Plain sweeps with a factor in panels: the reference for panel.kernel.c. A panel is read through
// `entry`, row by row; sums are taken in the order that kernel/panel.h promises: forward a row's
// columns in turn, backward sixteen lanes of a tile each in turn, then halves added to halves.
#include "kernel/panel.h"

#include <stdbool.h>

typedef double Real; // floats are read into it and rounded after each operation

// Where entry (row, column) of a panel stands.
static size_t entry(const SnPanel *panel, int row, int column)
{
    int start = 0;
    int block = sn_panel_block(panel->columns);
    while (column >= start + block) {
        start += block;
        block = sn_panel_block(panel->columns - start);
    }
    size_t tiles = (size_t)sn_panel_tiles(panel->rows);
    size_t tile = (size_t)(row / SN_PANEL_TILE);
    return panel->values + SN_PANEL_TILE * ((size_t)start * tiles + tile * (size_t)block) +
           (size_t)(column - start) * SN_PANEL_TILE + (size_t)(row % SN_PANEL_TILE);
}

typedef struct Kind {
    bool is_float;
    int right_sides;
    int stride;
} Kind;

static Real get(const void *array, size_t i, Kind kind)
{
    return kind.is_float ? (Real)((const float *)array)[i] : ((const double *)array)[i];
}

static void set(void *array, size_t i, Real value, Kind kind)
{
    if (kind.is_float) {
        ((float *)array)[i] = (float)value;
    } else {
        ((double *)array)[i] = value;
    }
}

// A product of two floats is exact in double, and a sum of two floats rounded to double and then to
// float is the float sum, so rounding after each operation gives what float arithmetic gives.
static Real rounded(Real value, Kind kind)
{
    return kind.is_float ? (Real)(float)value : value;
}

static Real madd(Real a, Real b, Real c, Kind kind)
{
    return rounded(rounded(a * b, kind) + c, kind);
}

// Rows [begin, end) below.
static void forward_rows(const SnPanelJob *job, const SnPanel *panel, int begin, int end, Kind kind)
{
    const int *index = job->index + panel->first;
    for (int row = begin; row < end; ++row) {
        for (int r = 0; r < kind.right_sides; ++r) {
            Real sum = 0;
            for (int c = 0; c < panel->columns; ++c) {
                size_t own = (size_t)((index[0] + c) * kind.stride + r);
                sum = madd(get(job->values, entry(panel, row, c), kind), get(job->x, own, kind),
                           sum, kind);
            }
            size_t at = (size_t)(index[row] * kind.stride + r);
            set(job->x, at, rounded(get(job->x, at, kind) + sum, kind), kind);
        }
    }
}

static void forward(const SnPanelJob *job, Kind kind)
{
    for (int p = job->begin; p < job->end; ++p) {
        const SnPanel *panel = &job->panels[p];
        forward_rows(job, panel, panel->columns, panel->rows, kind);
    }
}

static void forward_tiles(const SnPanelJob *job, int begin, int end, Kind kind)
{
    const SnPanel *panel = &job->panels[job->begin];
    int first = begin * SN_PANEL_TILE;
    int last = end * SN_PANEL_TILE;
    forward_rows(job, panel, first < panel->columns ? panel->columns : first,
                 last < panel->rows ? last : panel->rows, kind);
}

// Column `column` of P^T times right side r of the gathered rows.
static Real column_sum(const SnPanelJob *job, const SnPanel *panel, int column, int r, Kind kind)
{
    Real lane[SN_PANEL_TILE] = {0};
    int tiles = sn_panel_tiles(panel->rows);
    for (int row = 0; row < tiles * SN_PANEL_TILE; ++row) {
        int i = row % SN_PANEL_TILE;
        size_t at = (size_t)(row * kind.right_sides + r);
        lane[i] = madd(get(job->values, entry(panel, row, column), kind),
                       get(job->scratch, at, kind), lane[i], kind);
    }
    for (int half = SN_PANEL_TILE / 2; half > 0; half /= 2) {
        for (int i = 0; i < half; ++i) {
            lane[i] = rounded(lane[i] + lane[i + half], kind);
        }
    }
    return lane[0];
}

// All rows of a panel side by side, zeros after the last.
static void gather(const SnPanelJob *job, const SnPanel *panel, Kind kind)
{
    const int *index = job->index + panel->first;
    int padded = sn_panel_tiles(panel->rows) * SN_PANEL_TILE;
    for (int row = 0; row < padded; ++row) {
        for (int r = 0; r < kind.right_sides; ++r) {
            Real value = 0;
            if (row < panel->rows) {
                value = get(job->x, (size_t)(index[row] * kind.stride + r), kind);
            }
            set(job->scratch, (size_t)(row * kind.right_sides + r), value, kind);
        }
    }
}

// Columns [begin, end) of a panel, to `own`, which is the array x or the caller's, from position
// `at`.
static void backward_panel(const SnPanelJob *job, const SnPanel *panel, int begin, int end,
                           void *own, int at, Kind kind)
{
    gather(job, panel, kind);
    for (int c = begin; c < end; ++c) {
        for (int r = 0; r < kind.stride; ++r) {
            Real sum = r < kind.right_sides ? column_sum(job, panel, c, r, kind) : 0;
            set(own, (size_t)((at + c) * kind.stride + r), sum, kind);
        }
    }
}

static void backward(const SnPanelJob *job, Kind kind)
{
    for (int p = job->end - 1; p >= job->begin; --p) {
        const SnPanel *panel = &job->panels[p];
        backward_panel(job, panel, 0, panel->columns, job->x, job->index[panel->first], kind);
    }
}

static void backward_columns(const SnPanelJob *job, int begin, int end, Kind kind)
{
    backward_panel(job, &job->panels[job->begin], begin, end, job->result, 0, kind);
}

static const Kind kinds[SN_PANEL_KINDS] = {
    [SN_PANEL_FLOAT3] = {true, 3, 4},
    [SN_PANEL_FLOAT1] = {true, 1, 1},
    [SN_PANEL_DOUBLE3] = {false, 3, 4},
    [SN_PANEL_DOUBLE1] = {false, 1, 1},
};

#define SWEEPS(name, kind)                                                                         \
    static void forward_##name(const SnPanelJob *job)                                              \
    {                                                                                              \
        forward(job, kinds[kind]);                                                                 \
    }                                                                                              \
    static void backward_##name(const SnPanelJob *job)                                             \
    {                                                                                              \
        backward(job, kinds[kind]);                                                                \
    }                                                                                              \
    static void forward_tiles_##name(const SnPanelJob *job, int begin, int end)                    \
    {                                                                                              \
        forward_tiles(job, begin, end, kinds[kind]);                                               \
    }                                                                                              \
    static void backward_columns_##name(const SnPanelJob *job, int begin, int end)                 \
    {                                                                                              \
        backward_columns(job, begin, end, kinds[kind]);                                            \
    }

SWEEPS(float3, SN_PANEL_FLOAT3)
SWEEPS(float1, SN_PANEL_FLOAT1)
SWEEPS(double3, SN_PANEL_DOUBLE3)
SWEEPS(double1, SN_PANEL_DOUBLE1)

#define KINDS(sweep)                                                                               \
    {                                                                                              \
        sweep##_float3, sweep##_float1, sweep##_double3, sweep##_double1                           \
    }

extern const SnPanelKernels sn_panel_ref;

const SnPanelKernels sn_panel_ref = {
    .forward = KINDS(forward),
    .backward = KINDS(backward),
    .forward_tiles = KINDS(forward_tiles),
    .backward_columns = KINDS(backward_columns),
};

// The two sweeps, included by panel.kernel.c once per precision and number of right-hand sides with
// REAL, VEC, LANES, MADD, TOTALS, RIGHT_SIDES and NAME set; the last two are undefined again at the
// end. No include guard: it is meant to be included several times.

// Numbers from one position of x to the next.
#define STRIDE (RIGHT_SIDES == 3 ? 4 : 1)
#define VECTORS (SN_PANEL_TILE / LANES)

static inline VEC NAME(load)(const REAL *p)
{
    VEC v;
    memcpy(&v, __builtin_assume_aligned(p, sizeof v), sizeof v);
    return v;
}

static inline void NAME(store)(REAL *p, VEC v)
{
    memcpy(__builtin_assume_aligned(p, sizeof v), &v, sizeof v);
}

// Rows [0, rows) at their positions in x -> tiles of planes.
static inline void NAME(gather)(const REAL *x, const int *index, int rows, REAL *planes)
{
    for (int row = 0; row < rows; row += SN_PANEL_TILE) {
        int count = rows - row < SN_PANEL_TILE ? rows - row : SN_PANEL_TILE;
        REAL *tile = planes + RIGHT_SIDES * row;
        if (_Generic((REAL)0, float : 1, default : 0) && RIGHT_SIDES == 3) {
            gather_tile((const float *)x, index + row, count, (float *)tile);
            continue;
        }
        for (int i = 0; i < SN_PANEL_TILE; ++i) {
            for (int r = 0; r < RIGHT_SIDES; ++r) {
                tile[r * SN_PANEL_TILE + i] =
                    i < count ? x[STRIDE * (ptrdiff_t)index[row + i] + r] : 0;
            }
        }
    }
}

// Adds rows [begin, rows) of the planes to x; begin lies in the first tile of `planes`.
static inline void NAME(scatter)(REAL *x, const int *index, int begin, int rows, const REAL *planes)
{
    for (int row = begin - begin % SN_PANEL_TILE; row < rows; row += SN_PANEL_TILE) {
        int from = row < begin ? begin - row : 0;
        int to = rows - row < SN_PANEL_TILE ? rows - row : SN_PANEL_TILE;
        if (_Generic((REAL)0, float : 1, default : 0) && RIGHT_SIDES == 3) {
            scatter_tile((float *)x, index + row, from, to, (const float *)planes);
        } else {
            for (int i = from; i < to; ++i) {
                for (int r = 0; r < RIGHT_SIDES; ++r) {
                    x[STRIDE * (ptrdiff_t)index[row + i] + r] += planes[r * SN_PANEL_TILE + i];
                }
            }
        }
        planes += RIGHT_SIDES * SN_PANEL_TILE;
    }
}

// planes += tiles of `columns` columns times x_own, a tile a turn; `fresh` planes start from zero.
static inline __attribute__((always_inline)) void NAME(forward_block)(const REAL *values, int tiles,
                                                                      int columns, bool fresh,
                                                                      const REAL *own, REAL *planes)
{
    VEC factor[SN_PANEL_BLOCK][RIGHT_SIDES];
    for (int c = 0; c < columns; ++c) {
        for (int r = 0; r < RIGHT_SIDES; ++r) {
            factor[c][r] = own[c * STRIDE + r] - (VEC){0};
        }
    }
    for (int t = 0; t < tiles; ++t) {
        for (int v = 0; v < VECTORS; ++v) {
            VEC sum[RIGHT_SIDES];
            for (int r = 0; r < RIGHT_SIDES; ++r) {
                sum[r] = fresh ? (VEC){0} : NAME(load)(planes + r * SN_PANEL_TILE + v * LANES);
            }
            for (int c = 0; c < columns; ++c) {
                VEC value = NAME(load)(values + c * SN_PANEL_TILE + v * LANES);
                IN_REGISTER(value);
                for (int r = 0; r < RIGHT_SIDES; ++r) {
                    sum[r] = MADD(value, factor[c][r], sum[r]);
                }
            }
            for (int r = 0; r < RIGHT_SIDES; ++r) {
                NAME(store)(planes + r * SN_PANEL_TILE + v * LANES, sum[r]);
            }
        }
        values += columns * SN_PANEL_TILE;
        planes += RIGHT_SIDES * SN_PANEL_TILE;
    }
}

// x_below += (-C S^-1) x_own for the rows in tiles [begin, end) of one panel.
static inline void NAME(forward_panel)(const SnPanelJob *job, const SnPanel *panel, int begin,
                                       int end)
{
    REAL *x = job->x;
    REAL *planes = job->scratch;
    const int *index = job->index + panel->first;
    const REAL *values = (const REAL *)job->values + panel->values;
    size_t tiles = (size_t)sn_panel_tiles(panel->rows);
    for (int c = 0; c < panel->columns;) {
        int block = sn_panel_block(panel->columns - c);
        const REAL *from = values + (size_t)begin * (size_t)block * SN_PANEL_TILE;
        const REAL *own = x + STRIDE * (ptrdiff_t)(index[0] + c);
        switch (block) {
        case 8:
            NAME(forward_block)(from, end - begin, 8, c == 0, own, planes);
            break;
        case 4:
            NAME(forward_block)(from, end - begin, 4, c == 0, own, planes);
            break;
        case 2:
            NAME(forward_block)(from, end - begin, 2, c == 0, own, planes);
            break;
        default:
            NAME(forward_block)(from, end - begin, 1, c == 0, own, planes);
        }
        values += tiles * (size_t)block * SN_PANEL_TILE;
        c += block;
    }
    int first = begin * SN_PANEL_TILE;
    int last = end * SN_PANEL_TILE;
    NAME(scatter)
    (x, index, first < panel->columns ? panel->columns : first,
     last < panel->rows ? last : panel->rows, planes);
}

static void NAME(forward)(const SnPanelJob *job)
{
    for (int p = job->begin; p < job->end; ++p) {
        const SnPanel *panel = &job->panels[p];
        if (panel->rows > panel->columns) {
            NAME(forward_panel)
            (job, panel, sn_panel_first_tile(panel), sn_panel_tiles(panel->rows));
        }
    }
}

static void NAME(forward_tiles)(const SnPanelJob *job, int begin, int end)
{
    NAME(forward_panel)(job, &job->panels[job->begin], begin, end);
}

// Columns whose sums stay in registers together: all of a block where there are 32 registers.
#define TOGETHER (LANES * sizeof(REAL) == 64 && VECTORS == 1 ? SN_PANEL_BLOCK : 4)

// own = (tiles of `columns` columns)^T planes.
static inline __attribute__((always_inline)) void
NAME(backward_block)(const REAL *values, int tiles, int columns, const REAL *planes, REAL *own)
{
    const int together = columns < (int)TOGETHER ? columns : (int)TOGETHER;
    for (int first = 0; first < columns; first += together) {
        VEC sum[SN_PANEL_BLOCK][RIGHT_SIDES][VECTORS];
        for (int v = 0; v < VECTORS; ++v) {
            VEC part[SN_PANEL_BLOCK][RIGHT_SIDES];
            for (int c = 0; c < together; ++c) {
                for (int r = 0; r < RIGHT_SIDES; ++r) {
                    part[c][r] = (VEC){0};
                }
            }
            const REAL *value_tile = values + first * SN_PANEL_TILE + v * LANES;
            const REAL *row_tile = planes + v * LANES;
            for (int t = 0; t < tiles; ++t) {
                VEC row[RIGHT_SIDES];
                for (int r = 0; r < RIGHT_SIDES; ++r) {
                    row[r] = NAME(load)(row_tile + r * SN_PANEL_TILE);
                }
                for (int c = 0; c < together; ++c) {
                    VEC value = NAME(load)(value_tile + c * SN_PANEL_TILE);
                    IN_REGISTER(value);
                    for (int r = 0; r < RIGHT_SIDES; ++r) {
                        part[c][r] = MADD(value, row[r], part[c][r]);
                    }
                }
                value_tile += columns * SN_PANEL_TILE;
                row_tile += RIGHT_SIDES * SN_PANEL_TILE;
            }
            for (int c = 0; c < together; ++c) {
                for (int r = 0; r < RIGHT_SIDES; ++r) {
                    sum[c][r][v] = part[c][r];
                }
            }
        }
        for (int c = 0; c < together; ++c) {
            TOTALS(RIGHT_SIDES, sum[c], own + (first + c) * STRIDE);
        }
    }
}

// own = columns [begin, end) of P^T [x_own; x_below] of one panel; begin is a multiple of 8.
static inline void NAME(backward_panel)(const SnPanelJob *job, const SnPanel *panel, int begin,
                                        int end, REAL *own)
{
    const int *index = job->index + panel->first;
    REAL *planes = job->scratch;
    int tiles = sn_panel_tiles(panel->rows);
    const REAL *values =
        (const REAL *)job->values + panel->values + (size_t)begin * (size_t)tiles * SN_PANEL_TILE;
    NAME(gather)(job->x, index, panel->rows, planes);
    for (int c = begin; c < end;) {
        int block = sn_panel_block(panel->columns - c);
        switch (block) {
        case 8:
            NAME(backward_block)(values, tiles, 8, planes, own);
            break;
        case 4:
            NAME(backward_block)(values, tiles, 4, planes, own);
            break;
        case 2:
            NAME(backward_block)(values, tiles, 2, planes, own);
            break;
        default:
            NAME(backward_block)(values, tiles, 1, planes, own);
        }
        values += (size_t)tiles * (size_t)block * SN_PANEL_TILE;
        own += block * STRIDE;
        c += block;
    }
}

static void NAME(backward)(const SnPanelJob *job)
{
    for (int p = job->end - 1; p >= job->begin; --p) {
        const SnPanel *panel = &job->panels[p];
        REAL *own = (REAL *)job->x + STRIDE * (ptrdiff_t)job->index[panel->first];
        NAME(backward_panel)(job, panel, 0, panel->columns, own);
    }
}

static void NAME(backward_columns)(const SnPanelJob *job, int begin, int end)
{
    REAL *own = (REAL *)job->result + STRIDE * begin;
    NAME(backward_panel)(job, &job->panels[job->begin], begin, end, own);
}

#undef STRIDE
#undef VECTORS
#undef TOGETHER
#undef RIGHT_SIDES
#undef NAME

#include "solve/front.h"

#include <stdbool.h>
#include <string.h>

// Columns of a large product that one worker takes at a time.
enum { STRIP = 48 };

// A front under work. Column-major; `ld` is the distance from one column to the next.
typedef struct Front {
    int width;   // own unknowns
    int below;   // unknowns below
    double *own; // (width + below) x width
    int own_ld;
    double *update; // below x below, lower triangle
    int update_ld;
} Front;

// Room for whole registers after the last row, and not a power of two, which would make columns
// compete for the same lines of the cache.
static int leading(int rows)
{
    int ld = (int)sn_round_up((size_t)rows, SN_DENSE_ROWS) + SN_DENSE_ROWS;
    return ld % 64 == 0 ? ld + SN_DENSE_ROWS : ld;
}

size_t sn_front_update_size(const SnSupernodes *s, int block, int i)
{
    size_t below = (size_t)(sn_supernode_below(s, i) * block);
    return below * (below + 1) / 2;
}

// The update while the front is under work: a square.
static size_t square_size(int below)
{
    return (size_t)leading(below) * (size_t)below + (below > 0 ? SN_DENSE_ROWS : 0);
}

static size_t own_size(int width, int below)
{
    return (size_t)leading(width + below) * (size_t)width + SN_DENSE_ROWS;
}

size_t sn_front_size(const SnSupernodes *s, int block, int i)
{
    return square_size(sn_supernode_below(s, i) * block) +
           own_size(sn_supernode_width(s, i) * block, sn_supernode_below(s, i) * block);
}

size_t sn_front_block_size(int rows)
{
    return (size_t)leading(rows) * SN_PANEL_COLUMNS + SN_DENSE_ROWS;
}

enum { PIVOT_LD = SN_PANEL_COLUMNS + 2 * SN_DENSE_ROWS };

size_t sn_front_pivot_size(void)
{
    return (size_t)PIVOT_LD * SN_PANEL_COLUMNS + SN_DENSE_ROWS;
}

static Front front_begin(const SnFactoring *f, SnFrontWork *work, int i)
{
    int block = f->layout->block;
    Front front = {.width = sn_supernode_width(f->supernodes, i) * block,
                   .below = sn_supernode_below(f->supernodes, i) * block};
    size_t update_size = square_size(front.below);
    front.own_ld = leading(front.width + front.below);
    front.update_ld = leading(front.below);
    front.update = work->stack + work->used;
    front.own = front.update + update_size;
    memset(front.update, 0, update_size * sizeof *front.update);
    memset(front.own, 0, own_size(front.width, front.below) * sizeof *front.own);
    return front;
}

// Numbers the front's rows: own columns first, then rows below.
static void number_rows(const SnSupernodes *s, int i, int *local)
{
    int at = 0;
    for (int j = s->first[i]; j < s->first[i + 1]; ++j) {
        local[j] = at++;
    }
    for (int64_t e = s->row_start[i]; e < s->row_start[i + 1]; ++e) {
        local[s->rows[e]] = at++;
    }
}

// The matrix's entries of the own columns, on and below the diagonal.
static void add_matrix(const SnFactoring *f, const int *local, int i, Front *front)
{
    const SnSupernodes *s = f->supernodes;
    const SnSparse *A = f->matrix;
    int block = A->block;
    for (int j = s->first[i]; j < s->first[i + 1]; ++j) {
        int row = s->order[j];
        for (int e = A->row_start[row]; e < A->row_start[row + 1]; ++e) {
            int k = s->place[A->column[e]];
            if (k < j) {
                continue;
            }
            const double *value = A->value + (size_t)e * (size_t)(block * block);
            double *target =
                front->own + (ptrdiff_t)local[j] * block * front->own_ld + local[k] * block;
            // Entry (a, b) of the row's block is A(row a, column b): by symmetry it belongs to
            // column a, row b of the front.
            for (int a = 0; a < block; ++a) {
                for (int b = k == j ? a : 0; b < block; ++b) {
                    target[(ptrdiff_t)a * front->own_ld + b] += value[a * block + b];
                }
            }
        }
    }
}

// A child's update, each number to where its row and column stand in this front.
static void add_child(const SnFactoring *f, const SnFrontWork *work, int child, Front *front)
{
    const SnSupernodes *s = f->supernodes;
    int block = f->layout->block;
    int count = sn_supernode_below(s, child) * block;
    const int *rows = s->rows + s->row_start[child];
    int *to = work->child_rows;
    for (int i = 0; i < count; ++i) {
        to[i] = work->local[rows[i / block]] * block + i % block;
    }
    const double *from = f->updates[child]; // column j from its diagonal on
    for (int j = 0; j < count; from += count - j, ++j) {
        double *column = to[j] < front->width
                             ? front->own + (ptrdiff_t)to[j] * front->own_ld
                             : front->update +
                                   (ptrdiff_t)(to[j] - front->width) * front->update_ld -
                                   front->width;
        for (int i = j; i < count; ++i) {
            column[to[i]] += from[i - j];
        }
    }
}

// C -= A B^T on the lower triangle of a square, in strips of columns that workers share.
typedef struct Strips {
    const SnDenseKernels *dense;
    SnDenseProduct whole;
} Strips;

static void subtract_strips(void *context, int begin, int end, int worker)
{
    (void)worker;
    const Strips *strips = context;
    SnDenseProduct p = strips->whole;
    p.rows -= begin;
    p.columns = end - begin;
    p.A += begin;
    p.B += begin;
    p.C += begin + (ptrdiff_t)begin * p.ldc;
    strips->dense->subtract(&p);
}

static void subtract_square(const SnDenseKernels *dense, SnWorkers *workers, SnDenseProduct p)
{
    Strips strips = {dense, p};
    sn_parallel_for(workers, p.columns, STRIP, subtract_strips, &strips);
}

// One panel's numbers: the pivot's inverse, then minus the rows below times it, in tiles.
typedef struct PanelSource {
    const double *pivot; // columns x columns, PIVOT_LD
    const double *below; // (rows - columns) x columns
    int below_ld;
} PanelSource;

static double panel_number(const SnPanel *panel, const PanelSource *source, int row, int column)
{
    if (row < panel->columns) {
        return source->pivot[row + column * PIVOT_LD];
    }
    if (row < panel->rows) {
        return -source->below[row - panel->columns + (ptrdiff_t)column * source->below_ld];
    }
    return 0.0;
}

static void store_panel(const SnFactoring *f, const SnPanel *panel, const PanelSource *source)
{
    size_t at = panel->values;
    int tiles = sn_panel_tiles(panel->rows);
    for (int first = 0; first < panel->columns;) {
        int block = sn_panel_block(panel->columns - first);
        for (int t = 0; t < tiles; ++t) {
            for (int c = first; c < first + block; ++c) {
                for (int i = 0; i < SN_PANEL_TILE; ++i, ++at) {
                    double value = panel_number(panel, source, t * SN_PANEL_TILE + i, c);
                    if (f->float_values != NULL) {
                        f->float_values[at] = (float)value;
                    }
                    if (f->double_values != NULL) {
                        f->double_values[at] = value;
                    }
                }
            }
        }
        first += block;
    }
}

// W from W^T.
static void transpose(int n, const double *from, double *to)
{
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            to[i + j * PIVOT_LD] = from[j + i * PIVOT_LD];
        }
    }
}

// Eliminates `columns` columns from column `from` of the front: L11, its inverse W, then
// L21 = A21 W^T, and stores W^T W and -L21 W as a panel.
static int eliminate_panel(const SnFactoring *f, SnFrontWork *work, const Front *front, int from,
                           const SnPanel *panel)
{
    int n = panel->columns;
    int rows = panel->rows - n;
    double *diagonal = front->own + from + (ptrdiff_t)from * front->own_ld;
    double *below = diagonal + n;
    int failed = f->dense->cholesky(n, diagonal, front->own_ld);
    if (failed >= 0) {
        return from + failed;
    }
    f->dense->invert(n, diagonal, front->own_ld, work->inverse_t, PIVOT_LD);
    transpose(n, work->inverse_t, work->inverse);
    int ld = leading(rows);
    SnDenseProduct p = {.rows = n,
                        .columns = n,
                        .depth = n,
                        .A = work->inverse_t,
                        .lda = PIVOT_LD,
                        .B = work->inverse_t,
                        .ldb = PIVOT_LD,
                        .C = work->pivot,
                        .ldc = PIVOT_LD};
    f->dense->multiply(&p);
    if (rows > 0) {
        p.rows = rows;
        p.A = below;
        p.lda = front->own_ld;
        p.B = work->inverse;
        p.C = work->block;
        p.ldc = ld;
        f->dense->multiply(&p); // L21
        for (int c = 0; c < n; ++c) {
            memcpy(below + (ptrdiff_t)c * front->own_ld, work->block + (ptrdiff_t)c * ld,
                   (size_t)rows * sizeof *below);
        }
        p.B = work->inverse_t;
        f->dense->multiply(&p); // L21 W
    }
    PanelSource source = {.pivot = work->pivot, .below = work->block, .below_ld = ld};
    store_panel(f, panel, &source);
    return -1;
}

// Eliminates the own columns, panel after panel, then subtracts what they leave from the update.
static int eliminate(const SnFactoring *f, SnFrontWork *work, SnWorkers *workers, int i,
                     const Front *front)
{
    const SnPanel *panel = f->layout->panels + f->layout->panel_of[i];
    int from = 0;
    for (; from < front->width; ++panel) {
        int failed = eliminate_panel(f, work, front, from, panel);
        if (failed >= 0) {
            return failed;
        }
        int next = from + panel->columns;
        const double *left = front->own + next + (ptrdiff_t)from * front->own_ld;
        SnDenseProduct p = {.rows = front->width + front->below - next,
                            .columns = front->width - next,
                            .depth = panel->columns,
                            .A = left,
                            .lda = front->own_ld,
                            .B = left,
                            .ldb = front->own_ld,
                            .C = front->own + next + (ptrdiff_t)next * front->own_ld,
                            .ldc = front->own_ld};
        subtract_square(f->dense, workers, p);
        from = next;
    }
    const double *left = front->own + front->width;
    SnDenseProduct p = {.rows = front->below,
                        .columns = front->below,
                        .depth = front->width,
                        .A = left,
                        .lda = front->own_ld,
                        .B = left,
                        .ldb = front->own_ld,
                        .C = front->update,
                        .ldc = front->update_ld};
    subtract_square(f->dense, workers, p);
    return -1;
}

// The lower triangle, column after column. It may go to where the update stands or before: no
// column reaches one that is still to be moved.
static void pack_update(const Front *front, double *target)
{
    for (int j = 0; j < front->below; ++j) {
        int count = front->below - j;
        memmove(target, front->update + (ptrdiff_t)j * front->update_ld + j,
                (size_t)count * sizeof *target);
        target += count;
    }
}

int sn_front_factor(const SnFactoring *f, SnFrontWork *work, SnWorkers *workers, int i,
                    double *keep)
{
    int block = f->layout->block;
    Front front = front_begin(f, work, i);
    number_rows(f->supernodes, i, work->local);
    add_matrix(f, work->local, i, &front);
    size_t taken = 0; // numbers of the children's updates on this stack
    for (int c = f->first_child[i]; c >= 0; c = f->next_sibling[c]) {
        add_child(f, work, c, &front);
        // A subtree's roots left their updates elsewhere.
        if (f->supernodes->subtree_of[c] == f->supernodes->subtree_of[i]) {
            taken += sn_front_update_size(f->supernodes, block, c);
        }
    }
    int failed = eliminate(f, work, workers, i, &front);
    if (failed >= 0) {
        return f->supernodes->first[i] * block + failed;
    }
    size_t size = sn_front_update_size(f->supernodes, block, i);
    work->used -= taken;
    double *target = keep;
    if (keep == NULL) {
        target = work->stack + work->used;
        work->used += size;
    }
    pack_update(&front, target);
    f->updates[i] = target;
    return -1;
}

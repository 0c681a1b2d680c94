#include "model/lattice/galerkin.h"

#include <string.h>

// K = H^T M H: rows, then columns, by halves as lattice_transform_back does.
static void spread_modes(const double *from, int stride, int to_stride, double *to)
{
    double d0 = from[0], d1 = from[stride], d2 = from[2 * stride];
    double q0 = from[3 * stride], q1 = from[4 * stride], q2 = from[5 * stride];
    double q3 = from[6 * stride];
    double u = d1 + q2, v = d1 - q2;
    double s = d2 + q1, t = d2 - q1;
    double e = q0 + q3, f = q0 - q3;
    double a[4] = {-d0 - v, v - d0, d0 - u, d0 + u};
    double b[4] = {t - f, t + f, s - e, s + e};
    for (int r = 0; r < 4; ++r) {
        to[2 * r * to_stride] = a[r] - b[r];
        to[(2 * r + 1) * to_stride] = a[r] + b[r];
    }
}

static void expand(const float *modal, double K[576])
{
    double M[21 * 21], half[21 * 24];
    for (int a = 0; a < 21; ++a) {
        for (int b = a; b < 21; ++b, modal += SN_LATTICE_BLOCK) {
            M[21 * a + b] = M[21 * b + a] = (double)*modal;
        }
    }
    for (int i = 0; i < 63; ++i) {
        spread_modes(M + 21 * (i / 3) + i % 3, 3, 3, half + 24 * (i / 3) + i % 3);
    }
    for (int i = 0; i < 72; ++i) {
        spread_modes(half + 24 * (i / 24) + i % 24, 72, 72, K + 24 * (i / 24) + i % 24);
    }
}

static void expand_regular(const SnLatticeLevel *level, int cell, SnLatticeMade *made,
                           double K[576])
{
    if (!made->has || made->block != cell / SN_LATTICE_BLOCK) {
        SnLatticeOperator op = sn_lattice_level_operator(level, false);
        bool wilson = level->element == SINEW_LATTICE_WILSON;
        made->block = cell / SN_LATTICE_BLOCK;
        made->has = true;
        (wilson ? level->kernels->modal_make_wilson
                : level->kernels->modal_make_mcadams)(&op, made->block, made->modal);
    }
    expand(made->modal + cell % SN_LATTICE_BLOCK, K);
}

void sn_lattice_galerkin_matrix(const SnLatticeLevel *level, int cell, SnLatticeMade *made,
                                double K[576])
{
    const SnLatticeHold *hold = &level->hold;
    if (!sn_lattice_hold_cuts(hold, cell)) {
        expand_regular(level, cell, made, K);
        return;
    }
    if (hold->cut_of[cell] < -1) {
        int at = -2 - hold->cut_of[cell];
        expand(hold->modal_matrices +
                   (size_t)(at / SN_LATTICE_BLOCK) * SN_LATTICE_MODAL * SN_LATTICE_BLOCK +
                   at % SN_LATTICE_BLOCK,
               K);
        return;
    }
    const float *matrix = hold->matrices + (size_t)hold->cut_of[cell] * 768;
    for (int r = 0; r < 24; ++r) {
        for (int c = 0; c < 24; ++c) {
            K[24 * r + c] = (double)matrix[32 * c + r];
        }
    }
}

// K <- T^T K T along one axis: corner `a` of a child on side `side` lies at (side + a) / 2 between
// the parent's corners.
static void interpolate(double K[576], int axis, int side)
{
    double T[2][2] = {{side ? 0.5 : 1.0, side ? 0.5 : 0.0}, {side ? 0.0 : 0.5, side ? 1.0 : 0.5}};
    int bit = 4 >> axis;
    for (int c = 0; c < 8; ++c) {
        if (c & bit) {
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            double *low = K + 24 * (3 * c + k), *high = K + 24 * (3 * (c | bit) + k);
            for (int m = 0; m < 24; ++m) {
                double a = low[m], b = high[m];
                low[m] = T[0][0] * a + T[1][0] * b;
                high[m] = T[0][1] * a + T[1][1] * b;
            }
        }
        for (int m = 0; m < 24; ++m) {
            for (int k = 0; k < 3; ++k) {
                double *row = K + 24 * m;
                double a = row[3 * c + k], b = row[3 * (c | bit) + k];
                row[3 * c + k] = T[0][0] * a + T[1][0] * b;
                row[3 * (c | bit) + k] = T[0][1] * a + T[1][1] * b;
            }
        }
    }
}

// Held components of a cell move with nothing.
static void clear_held(const SnLatticeLevel *level, const int corners[8], double K[576])
{
    for (int n = 0; n < 24; ++n) {
        if (level->hold.held[corners[n / 3] + SN_LATTICE_BLOCK * (n % 3)] == SN_LATTICE_HELD) {
            for (int m = 0; m < 24; ++m) {
                K[24 * n + m] = K[24 * m + n] = 0.0;
            }
        }
    }
}

typedef struct Galerkin {
    const SnLatticeLevel *fine;
    SnLatticeLevel *coarse;
} Galerkin;

static void add_matrix(const double from[576], double to[576])
{
    for (int i = 0; i < 576; ++i) {
        to[i] += from[i];
    }
}

static bool is_held(const SnLatticeLevel *level, const int corners[8])
{
    bool held = true;
    for (int n = 0; n < 24 && held; ++n) {
        held = level->hold.held[corners[n / 3] + SN_LATTICE_BLOCK * (n % 3)] == SN_LATTICE_HELD;
    }
    return held;
}

// K of the child in corner c of a cell, over the child's own corners; false where there is none, or
// where nothing of it moves.
static bool find_child(const SnLatticeLevel *fine, const SnLatticeCut *cut, int c,
                       SnLatticeMade *made, double K[576])
{
    int corners[8];
    int at[3] = {2 * cut->place[0] + (c >> 2 & 1), 2 * cut->place[1] + (c >> 1 & 1),
                 2 * cut->place[2] + (c & 1)};
    int cell = sn_lattice_grid_cell(&fine->grid, at[0], at[1], at[2]);
    if (cell < 0) {
        return false;
    }
    sn_lattice_grid_corners(&fine->grid, at[0], at[1], at[2], corners);
    if (is_held(fine, corners)) {
        return false;
    }
    sn_lattice_galerkin_matrix(fine, cell, made, K);
    clear_held(fine, corners, K);
    return true;
}

// The sum of T^T K T over the children, an axis at a time so that sums are interpolated.
static void find_galerkin(const SnLatticeLevel *fine, const SnLatticeCut *cut, SnLatticeMade *made,
                          double sum[576])
{
    double K[576], row[576], plane[576];
    memset(sum, 0, sizeof K);
    memset(plane, 0, sizeof plane);
    memset(row, 0, sizeof row);
    for (int c = 0; c < 8; ++c) {
        if (find_child(fine, cut, c, made, K)) {
            interpolate(K, 2, c & 1);
            add_matrix(K, row);
        }
        if (c & 1) {
            interpolate(row, 1, c >> 1 & 1);
            add_matrix(row, plane);
            memset(row, 0, sizeof row);
        }
        if ((c & 3) == 3) {
            interpolate(plane, 0, c >> 2 & 1);
            add_matrix(plane, sum);
            memset(plane, 0, sizeof plane);
        }
    }
}

static void galerkin_range(void *context, int begin, int end, int worker)
{
    const Galerkin *job = context;
    const SnLatticeHold *hold = &job->coarse->hold;
    SnLatticeMade made;
    (void)worker;
    made.has = false;
    for (int n = begin; n < end; ++n) {
        double sum[576];
        find_galerkin(job->fine, &hold->cuts[n], &made, sum);
        for (int i = 0; i < 576; ++i) {
            hold->matrices[(size_t)n * 768 + (size_t)(32 * (i % 24) + i / 24)] = (float)sum[i];
        }
    }
}

// Children of a batch in one corner of their parents: linearisations, and matrices over modes
// where there are any.
typedef struct Children {
    _Alignas(64) float tangents[SN_LATTICE_TANGENT * SN_LATTICE_BLOCK];
    _Alignas(64) float modal[SN_LATTICE_MODAL * SN_LATTICE_BLOCK];
    bool has_modal;
} Children;

static void copy_lane(const float *from, int count, int lane, float *to)
{
    for (int k = 0; k < count; ++k) {
        to[k * SN_LATTICE_BLOCK + lane] = from[k * SN_LATTICE_BLOCK];
    }
}

static void take_child(const SnLatticeLevel *fine, int cell, int lane, Children *children)
{
    size_t block = (size_t)(cell / SN_LATTICE_BLOCK) * SN_LATTICE_BLOCK;
    size_t at = (size_t)(cell % SN_LATTICE_BLOCK);
    if (!sn_lattice_hold_cuts(&fine->hold, cell)) {
        copy_lane(fine->R + 9 * block + at, 9, lane, children->tangents);
        copy_lane(fine->L + 6 * block + at, 6, lane, children->tangents + 9 * SN_LATTICE_BLOCK);
        copy_lane(fine->lame + 2 * block + at, 2, lane, children->tangents + 15 * SN_LATTICE_BLOCK);
        return;
    }
    int modal = -2 - fine->hold.cut_of[cell];
    if (!children->has_modal) {
        memset(children->modal, 0, sizeof children->modal);
        children->has_modal = true;
    }
    copy_lane(fine->hold.modal_matrices +
                  (size_t)(modal / SN_LATTICE_BLOCK) * SN_LATTICE_MODAL * SN_LATTICE_BLOCK +
                  modal % SN_LATTICE_BLOCK,
              SN_LATTICE_MODAL, lane, children->modal);
}

static void modal_range(void *context, int begin, int end, int worker)
{
    const Galerkin *job = context;
    const SnLatticeLevel *fine = job->fine;
    const SnLatticeHold *hold = &job->coarse->hold;
    bool wilson = fine->element == SINEW_LATTICE_WILSON;
    Children children;
    (void)worker;
    for (int n = begin; n < end; ++n) {
        const SnLatticeModal *modal = &hold->modals[n];
        float *out = hold->modal_matrices + (size_t)n * SN_LATTICE_MODAL * SN_LATTICE_BLOCK;
        memset(out, 0, SN_LATTICE_MODAL * SN_LATTICE_BLOCK * sizeof *out);
        for (int c = 0; c < 8; ++c) {
            memset(children.tangents, 0, sizeof children.tangents);
            children.has_modal = false;
            for (int lane = 0; lane < modal->count; ++lane) {
                int block = modal->cells[lane] / SN_LATTICE_BLOCK;
                const int *at = job->coarse->grid.places + 3 * (size_t)block;
                int k = at[2] + modal->cells[lane] % SN_LATTICE_BLOCK;
                int cell = sn_lattice_grid_cell(&fine->grid, 2 * at[0] + (c >> 2 & 1),
                                                2 * at[1] + (c >> 1 & 1), 2 * k + (c & 1));
                if (cell >= 0) {
                    take_child(fine, cell, lane, &children);
                }
            }
            (wilson ? fine->kernels->modal_add_wilson : fine->kernels->modal_add_mcadams)(
                children.tangents, children.has_modal ? children.modal : NULL, c, fine->hourglass,
                out);
        }
    }
}

void sn_lattice_galerkin_make(const SnLatticeLevel *fine, SnLatticeLevel *coarse,
                              SnWorkers *workers)
{
    Galerkin job = {fine, coarse};
    sn_parallel_for(workers, coarse->hold.cut_count, 8, galerkin_range, &job);
    sn_parallel_for(workers, coarse->hold.modal_count, 4, modal_range, &job);
}

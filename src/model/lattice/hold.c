#include "model/lattice/hold.h"

#include <math.h>
#include <string.h>

// Which components ----------------------------------------------------------------------------

// A coarse node is held as the fine node at its place is.
static void hold_node(const SnLatticeGrid *fine, const SnLatticeHold *below, int node,
                      const int at[3], SnLatticeHold *hold)
{
    int same = -1;
    if (2 * at[0] <= fine->size[0] && 2 * at[1] <= fine->size[1] && 2 * at[2] <= fine->size[2]) {
        same = sn_lattice_grid_node(fine, 2 * at[0], 2 * at[1], 2 * at[2]);
    }
    for (int k = 0; k < 3; ++k) {
        bool held =
            same >= SN_LATTICE_NODE && below->held[same + SN_LATTICE_BLOCK * k] == SN_LATTICE_HELD;
        hold->held[node + SN_LATTICE_BLOCK * k] = held ? SN_LATTICE_HELD : SN_LATTICE_FREE;
    }
}

// True when the finer level is held somewhere in the coarse cell at `at` where interpolation from
// the coarse corners does not stand still.
static bool slips(const SnLatticeGrid *fine, const SnLatticeHold *below, const int at[3],
                  const int corners[8], const SnLatticeHold *hold)
{
    for (int n = 0; n < 27; ++n) {
        int step[3] = {n / 9, n / 3 % 3, n % 3};
        int node = sn_lattice_grid_node(fine, 2 * at[0] + step[0], 2 * at[1] + step[1],
                                        2 * at[2] + step[2]);
        for (int k = 0; k < 3; ++k) {
            if (node < SN_LATTICE_NODE ||
                below->held[node + SN_LATTICE_BLOCK * k] != SN_LATTICE_HELD) {
                continue;
            }
            for (int c = 0; c < 8; ++c) {
                bool weighs = (step[0] == 1 || step[0] == 2 * (c >> 2 & 1)) &&
                              (step[1] == 1 || step[1] == 2 * (c >> 1 & 1)) &&
                              (step[2] == 1 || step[2] == 2 * (c & 1));
                if (weighs && hold->held[corners[c] + SN_LATTICE_BLOCK * k] == SN_LATTICE_FREE) {
                    return true;
                }
            }
        }
    }
    return false;
}

static bool is_full(const SnLatticeGrid *fine, const SnLatticeHold *below, const int at[3])
{
    for (int c = 0; c < 8; ++c) {
        int cell = sn_lattice_grid_cell(fine, 2 * at[0] + (c >> 2 & 1), 2 * at[1] + (c >> 1 & 1),
                                        2 * at[2] + (c & 1));
        if (cell < 0 || sn_lattice_hold_cuts(below, cell)) {
            return false;
        }
    }
    return true;
}

// True when pins touch the cells below the one at `at`, or did so on a finer level: its matrix is
// then not one over modes.
static bool is_touched(const SnLatticeGrid *fine, const SnLatticeHold *below, const int at[3])
{
    for (int n = 0; n < 27; ++n) {
        int node =
            sn_lattice_grid_node(fine, 2 * at[0] + n / 9, 2 * at[1] + n / 3 % 3, 2 * at[2] + n % 3);
        for (int k = 0; k < 3; ++k) {
            if (node >= SN_LATTICE_NODE &&
                below->held[node + SN_LATTICE_BLOCK * k] == SN_LATTICE_HELD) {
                return true;
            }
        }
    }
    for (int c = 0; c < 8; ++c) {
        int cell = sn_lattice_grid_cell(fine, 2 * at[0] + (c >> 2 & 1), 2 * at[1] + (c >> 1 & 1),
                                        2 * at[2] + (c & 1));
        if (cell >= 0 && below->cut_of != NULL && below->cut_of[cell] >= 0) {
            return true;
        }
    }
    return false;
}

typedef bool CellFn(void *context, const SnLatticeGrid *grid, int cell, const int at[3]);

static void each_cell(const SnLatticeGrid *grid, CellFn *fn, void *context)
{
    for (int b = 0; b < grid->cell_blocks; ++b) {
        for (int n = 0; n < SN_LATTICE_BLOCK; ++n) {
            int at[3] = {grid->places[3 * b], grid->places[3 * b + 1], grid->places[3 * b + 2] + n};
            if ((grid->masks[b] >> n & 1) && !fn(context, grid, b * SN_LATTICE_BLOCK + n, at)) {
                return;
            }
        }
    }
}

typedef struct Coarsening {
    const SnLatticeGrid *fine;
    const SnLatticeHold *below;
    const unsigned char *mixed; // nullable
    SnLatticeHold *hold;
    bool lists;     // the second pass: cuts and modals have room
    int slab;       // of the last modal
    int last_count; // its cells so far
} Coarsening;

static bool hold_cell(void *context, const SnLatticeGrid *grid, int cell, const int at[3])
{
    Coarsening *c = context;
    (void)cell;
    for (int n = 0; n < 8; ++n) {
        int place[3] = {at[0] + (n >> 2 & 1), at[1] + (n >> 1 & 1), at[2] + (n & 1)};
        hold_node(c->fine, c->below, sn_lattice_grid_node(grid, place[0], place[1], place[2]),
                  place, c->hold);
    }
    return true;
}

// Into the last batch of the slab, or a new one.
static void add_modal(Coarsening *c, int cell, const SnLatticeCut *cut)
{
    SnLatticeHold *hold = c->hold;
    if (c->last_count == SN_LATTICE_BLOCK || c->slab != cut->place[0]) {
        hold->modal_count += 1;
        c->slab = cut->place[0];
        c->last_count = 0;
    }
    int lane = c->last_count++;
    if (!c->lists) {
        return;
    }
    SnLatticeModal *modal = &hold->modals[hold->modal_count - 1];
    hold->modal_start[c->slab + 1] = hold->modal_count;
    hold->cut_of[cell] = -2 - ((hold->modal_count - 1) * SN_LATTICE_BLOCK + lane);
    modal->count = c->last_count;
    modal->cells[lane] = cell;
    for (int n = 0; n < 8; ++n) {
        for (int l = lane; l < SN_LATTICE_BLOCK; ++l) {
            modal->corners[n * SN_LATTICE_BLOCK + l] = cut->corners[n];
        }
    }
}

static bool cut_cell(void *context, const SnLatticeGrid *grid, int cell, const int at[3])
{
    Coarsening *c = context;
    SnLatticeHold *hold = c->hold;
    SnLatticeCut cut = {.cell = cell, .place = {at[0], at[1], at[2]}};
    sn_lattice_grid_corners(grid, at[0], at[1], at[2], cut.corners);
    bool mixed = c->mixed != NULL && c->mixed[cell] != 0;
    if (!mixed && is_full(c->fine, c->below, at) &&
        !slips(c->fine, c->below, at, cut.corners, hold)) {
        return true;
    }
    if (!is_touched(c->fine, c->below, at)) {
        add_modal(c, cell, &cut);
        return true;
    }
    if (c->lists) {
        hold->cut_of[cell] = hold->cut_count;
        hold->cuts[hold->cut_count] = cut;
        hold->cut_start[at[0] + 1] = hold->cut_count + 1;
    }
    hold->cut_count += 1;
    return true;
}

// Slabs without any begin where they end.
static void fill_starts(int slabs, int *start)
{
    for (int s = 0; s < slabs; ++s) {
        start[s + 1] = start[s + 1] < start[s] ? start[s] : start[s + 1];
    }
}

// Counts, then lists; between the two there is room to make.
static void list_cuts(const SnLatticeGrid *coarse, Coarsening *job)
{
    job->hold->cut_count = job->hold->modal_count = 0;
    job->last_count = SN_LATTICE_BLOCK;
    each_cell(coarse, cut_cell, job);
    job->lists = true;
}

SinewStatus sn_lattice_hold_coarsen(const SnLatticeGrid *fine, const SnLatticeHold *below,
                                    const SnLatticeLevel *level, const SinewAllocator *allocator,
                                    SnLatticeHold *out_hold, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnLatticeGrid *coarse = &level->grid;
    size_t numbers = (size_t)sn_lattice_grid_numbers(coarse);
    Coarsening job = {.fine = fine, .below = below, .mixed = level->mixed, .hold = out_hold};

    *out_hold = (SnLatticeHold){0};
    SN_ALLOC(out_hold->held, allocator, numbers, error);
    memset(out_hold->held, SN_LATTICE_NOTHING, numbers);
    SN_ALLOC_ZERO(out_hold->cut_start, allocator, coarse->size[0] + 1, error);
    each_cell(coarse, hold_cell, &job);
    list_cuts(coarse, &job);
    if (out_hold->cut_count + out_hold->modal_count > 0) {
        SN_ALLOC(out_hold->cut_of, allocator, coarse->cell_blocks * SN_LATTICE_BLOCK, error);
        memset(out_hold->cut_of, -1,
               (size_t)coarse->cell_blocks * SN_LATTICE_BLOCK * sizeof *out_hold->cut_of);
    }
    SN_ALLOC(out_hold->cuts, allocator, out_hold->cut_count, error);
    SN_ALLOC_ZERO(out_hold->matrices, allocator, 768 * (size_t)out_hold->cut_count, error);
    SN_ALLOC_ZERO(out_hold->modal_start, allocator, coarse->size[0] + 1, error);
    SN_ALLOC(out_hold->modals, allocator, out_hold->modal_count, error);
    SN_ALLOC_ZERO(out_hold->modal_matrices, allocator,
                  (size_t)out_hold->modal_count * SN_LATTICE_MODAL * SN_LATTICE_BLOCK, error);
    list_cuts(coarse, &job);
    fill_starts(coarse->size[0], out_hold->cut_start);
    fill_starts(coarse->size[0], out_hold->modal_start);

done:
    if (status < 0) {
        sn_lattice_hold_release(out_hold, allocator);
    }
    return status;
}

// Stiffness --------------------------------------------------------------------------------------

typedef struct Lame {
    const SnLatticeLevel *fine;
    SnLatticeLevel *coarse;
} Lame;

static bool average_lame(void *context, const SnLatticeGrid *grid, int cell, const int at[3])
{
    Lame *job = context;
    size_t block = (size_t)(cell / SN_LATTICE_BLOCK) * 2 * SN_LATTICE_BLOCK;
    size_t lane = (size_t)(cell % SN_LATTICE_BLOCK);
    float sum[2] = {0.0f, 0.0f};
    (void)grid;
    for (int c = 0; c < 8 && !sn_lattice_hold_cuts(&job->coarse->hold, cell); ++c) {
        int child = sn_lattice_grid_cell(&job->fine->grid, 2 * at[0] + (c >> 2 & 1),
                                         2 * at[1] + (c >> 1 & 1), 2 * at[2] + (c & 1));
        const float *lame = job->fine->lame +
                            (size_t)(child / SN_LATTICE_BLOCK) * 2 * SN_LATTICE_BLOCK +
                            child % SN_LATTICE_BLOCK;
        sum[0] += lame[0];
        sum[1] += lame[SN_LATTICE_BLOCK];
    }
    // h is twice as large, hence a quarter.
    job->coarse->lame[block + lane] = 0.25f * sum[0];
    job->coarse->lame[block + SN_LATTICE_BLOCK + lane] = 0.25f * sum[1];
    return true;
}

// The largest and least of each constant over the cells below, none of which may be mixed.
static bool mix_cell(void *context, const SnLatticeGrid *grid, int cell, const int at[3])
{
    Lame *job = context;
    float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    bool mixed = false;
    (void)grid;
    for (int c = 0; c < 8; ++c) {
        int child = sn_lattice_grid_cell(&job->fine->grid, 2 * at[0] + (c >> 2 & 1),
                                         2 * at[1] + (c >> 1 & 1), 2 * at[2] + (c & 1));
        if (child < 0) {
            continue;
        }
        mixed = mixed || (job->fine->mixed != NULL && job->fine->mixed[child] != 0);
        for (int k = 0; k < 2; ++k) {
            float value =
                job->fine->lame[(size_t)(child / SN_LATTICE_BLOCK) * 2 * SN_LATTICE_BLOCK +
                                (size_t)(k * SN_LATTICE_BLOCK + child % SN_LATTICE_BLOCK)];
            low[k] = value < low[k] ? value : low[k];
            high[k] = value > high[k] ? value : high[k];
        }
    }
    mixed = mixed || high[0] > SN_LATTICE_MIXED * low[0] ||
            high[1] - low[1] > (SN_LATTICE_MIXED - 1.0f) * (low[0] + fabsf(low[1]));
    job->coarse->mixed[cell] = mixed ? 1 : 0;
    // What the next level compares with.
    size_t place = (size_t)(cell / SN_LATTICE_BLOCK) * 2 * SN_LATTICE_BLOCK +
                   (size_t)(cell % SN_LATTICE_BLOCK);
    job->coarse->lame[place] = low[0];
    job->coarse->lame[place + SN_LATTICE_BLOCK] = low[1];
    return true;
}

void sn_lattice_hold_mix(const SnLatticeLevel *fine, SnLatticeLevel *coarse)
{
    Lame job = {fine, coarse};
    each_cell(&coarse->grid, mix_cell, &job);
}

void sn_lattice_hold_lame(const SnLatticeLevel *fine, SnLatticeLevel *coarse)
{
    Lame job = {fine, coarse};
    each_cell(&coarse->grid, average_lame, &job);
}

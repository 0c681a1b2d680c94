#include "model/lattice/coarsest.h"

#include "model/lattice/galerkin.h"

#include <math.h>
#include <string.h>

// Shifts that are tried, each a hundred times the last; the first is a share of the mean diagonal.
enum { SHIFTS_MAX = 4 };
#define FIRST_SHIFT 1e-9

static int number_of(int node)
{
    return node / SN_LATTICE_NODE * SN_LATTICE_BLOCK + node % SN_LATTICE_BLOCK;
}

// Rows in the order of (i, j, k).
static SinewStatus number_rows(const SnLatticeGrid *grid, const SinewAllocator *allocator,
                               SnLatticeCoarsest *c, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = grid->node_blocks * SN_LATTICE_BLOCK;

    SN_ALLOC(c->rows, allocator, count, error);
    SN_ALLOC(c->nodes, allocator, count, error);
    for (int n = 0; n < count; ++n) {
        c->rows[n] = -1;
    }
    for (int b = 0; b < grid->cell_blocks * SN_LATTICE_BLOCK; ++b) {
        const int *at = grid->places + 3 * (size_t)(b / SN_LATTICE_BLOCK);
        int corners[8];
        if (grid->masks[b / SN_LATTICE_BLOCK] >> b % SN_LATTICE_BLOCK & 1) {
            sn_lattice_grid_corners(grid, at[0], at[1], at[2] + b % SN_LATTICE_BLOCK, corners);
            for (int k = 0; k < 8; ++k) {
                c->rows[number_of(corners[k])] = 0;
            }
        }
    }
    for (int n = 0; n < count; ++n) {
        if (c->rows[n] == 0) {
            c->rows[n] = c->row_count;
            c->nodes[c->row_count++] =
                n / SN_LATTICE_BLOCK * SN_LATTICE_NODE + n % SN_LATTICE_BLOCK;
        }
    }

done:
    return status;
}

// Neighbours of node (i, j, k): those that share a cell with it.
static int find_neighbours(const SnLatticeGrid *grid, const SnLatticeCoarsest *c, int i, int j,
                           int k, int out[27])
{
    int count = 0;
    for (int n = 0; n < 27; ++n) {
        int d[3] = {n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1};
        bool shares = false;
        for (int m = 0; m < 8; ++m) {
            int cell[3] = {i - (m >> 2 & 1), j - (m >> 1 & 1), k - (m & 1)};
            int to[3] = {i + d[0] - cell[0], j + d[1] - cell[1], k + d[2] - cell[2]};
            shares =
                shares || (to[0] >= 0 && to[0] < 2 && to[1] >= 0 && to[1] < 2 && to[2] >= 0 &&
                           to[2] < 2 && sn_lattice_grid_cell(grid, cell[0], cell[1], cell[2]) >= 0);
        }
        if (shares) {
            out[count++] =
                c->rows[number_of(sn_lattice_grid_node(grid, i + d[0], j + d[1], k + d[2]))];
        }
    }
    return count;
}

static SinewStatus find_pattern(const SnLatticeGrid *grid, const SinewAllocator *allocator,
                                SnLatticeCoarsest *c, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = 0;

    SN_ALLOC(c->row_start, allocator, c->row_count + 1, error);
    SN_ALLOC(c->column, allocator, 27 * (size_t)c->row_count, error);
    // Rows are numbered by (i, j, k), so this visits them in order and columns ascend.
    for (int i = 0; i <= grid->size[0]; ++i) {
        for (int j = 0; j <= grid->size[1]; ++j) {
            for (int k = 0; k <= grid->size[2]; ++k) {
                int node = sn_lattice_grid_node(grid, i, j, k);
                int row = node < SN_LATTICE_NODE ? -1 : c->rows[number_of(node)];
                if (row >= 0) {
                    c->row_start[row] = count;
                    count += find_neighbours(grid, c, i, j, k, c->column + count);
                }
            }
        }
    }
    c->row_start[c->row_count] = count;

done:
    return status;
}

// What factors and solves work with.
static SinewStatus make_moving(SnLatticeCoarsest *c, int worker_count,
                               const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_ALLOC(c->value, allocator, 9 * (size_t)c->row_start[c->row_count], error);
    SN_ALLOC(c->right_side, allocator, 3 * (size_t)c->row_count, error);
    SN_ALLOC(c->right_side_float, allocator, 3 * (size_t)c->row_count, error);
    SN_TRY(sn_cholesky_work_create(c->cholesky, worker_count, &c->work, error));

done:
    return status;
}

SinewStatus sn_lattice_coarsest_create(const SnLatticeGrid *grid, bool in_float,
                                       const SnKernels *kernels, int worker_count,
                                       const SinewAllocator *allocator,
                                       SnLatticeCoarsest *out_coarsest, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLatticeCoarsest *c = out_coarsest;
    SnCholeskyDef def = {.allocator = allocator,
                         .kernels = kernels,
                         .ordering = SN_ORDERING_BEST,
                         .right_sides = 1,
                         .worker_count = worker_count,
                         .keep_float = in_float,
                         .keep_double = true};

    *c = (SnLatticeCoarsest){.in_float = in_float};
    SN_TRY(number_rows(grid, allocator, c, error));
    SN_TRY(find_pattern(grid, allocator, c, error));
    SnSparse A = {
        .count = c->row_count, .block = 3, .row_start = c->row_start, .column = c->column};
    SN_TRY(sn_cholesky_create(&def, &A, &c->cholesky, error));
    SN_TRY(make_moving(c, worker_count, allocator, error));

done:
    return status;
}

SinewStatus sn_lattice_coarsest_copy(const SnLatticeCoarsest *from, int worker_count,
                                     const SinewAllocator *allocator,
                                     SnLatticeCoarsest *out_coarsest, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *out_coarsest = (SnLatticeCoarsest){.row_count = from->row_count,
                                        .nodes = from->nodes,
                                        .rows = from->rows,
                                        .row_start = from->row_start,
                                        .column = from->column,
                                        .in_float = from->in_float,
                                        .is_lent = true};
    SN_TRY(sn_cholesky_create_like(from->cholesky, &out_coarsest->cholesky, error));
    SN_TRY(make_moving(out_coarsest, worker_count, allocator, error));

done:
    return status;
}

void sn_lattice_coarsest_shrink(SnLatticeCoarsest *c, const SinewAllocator *allocator)
{
    sn_cholesky_shrink(c->cholesky);
    sn_cholesky_work_destroy(c->work);
    sn_free(allocator, c->value);
    sn_free(allocator, c->right_side);
    sn_free(allocator, c->right_side_float);
    c->work = NULL;
    c->value = NULL;
    c->right_side = NULL;
    c->right_side_float = NULL;
}

void sn_lattice_coarsest_release(SnLatticeCoarsest *c, const SinewAllocator *allocator)
{
    sn_cholesky_work_destroy(c->work);
    sn_cholesky_destroy(c->cholesky);
    if (!c->is_lent) {
        sn_free(allocator, c->nodes);
        sn_free(allocator, c->rows);
        sn_free(allocator, c->row_start);
        sn_free(allocator, c->column);
    }
    sn_free(allocator, c->value);
    sn_free(allocator, c->right_side);
    sn_free(allocator, c->right_side_float);
    *c = (SnLatticeCoarsest){0};
}

// The block of (row, column).
static double *block_at(const SnLatticeCoarsest *c, int row, int column)
{
    int low = c->row_start[row], high = c->row_start[row + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (c->column[middle] < column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return c->value + 9 * (size_t)low;
}

static void add_cell(const SnLatticeCoarsest *c, const int corners[8], const double K[576])
{
    for (int n = 0; n < 64; ++n) {
        int a = n / 8, b = n % 8;
        double *block = block_at(c, c->rows[number_of(corners[a])], c->rows[number_of(corners[b])]);
        for (int k = 0; k < 9; ++k) {
            block[k] += K[24 * (3 * a + k / 3) + 3 * b + k % 3];
        }
    }
}

static void add_spring(const SnLatticeCoarsest *c, const SnLatticeSpring *site, const double k[9])
{
    for (int n = 0; n < 64; ++n) {
        int a = n / 8, b = n % 8;
        double weight = (double)site->weights[a] * (double)site->weights[b];
        double *block =
            block_at(c, c->rows[number_of(site->nodes[a])], c->rows[number_of(site->nodes[b])]);
        for (int i = 0; i < 9; ++i) {
            block[i] += weight * k[i];
        }
    }
}

static void add_springs(const SnLatticeCoarsest *c, const SnLatticeLevel *level)
{
    const SnLatticeSprings *springs = level->springs;
    for (int s = 0; s < springs->count; ++s) {
        double k[9];
        for (int i = 0; i < 9; ++i) {
            k[i] = (double)springs->stiffness[9 * (size_t)s + (size_t)i];
        }
        add_spring(c, &springs->sites[level->index][springs->points[s]], k);
    }
}

// Those that were joined by the cells of the finest level.
static void add_cell_springs(const SnLatticeCoarsest *c, const SnLatticeLevel *level)
{
    for (int e = 0; e < c->springs.count; ++e) {
        const double *s = c->springs.numbers + SN_LATTICE_CELL_SPRING * (size_t)e;
        const int *place = c->springs.places + 3 * (size_t)e;
        double k[9] = {s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2]};
        if (s[0] + s[1] + s[2] > 0.0) {
            SnLatticeSpring site;
            sn_lattice_grid_site(&level->grid, level->index, place, s + 6, &site);
            add_spring(c, &site, k);
        }
    }
}

static void assemble(const SnLatticeCoarsest *c, const SnLatticeLevel *level)
{
    const SnLatticeGrid *grid = &level->grid;
    SnLatticeMade made;
    made.has = false;
    memset(c->value, 0, 9 * (size_t)c->row_start[c->row_count] * sizeof *c->value);
    for (int cell = 0; cell < grid->cell_blocks * SN_LATTICE_BLOCK; ++cell) {
        const int *at = grid->places + 3 * (size_t)(cell / SN_LATTICE_BLOCK);
        if (grid->masks[cell / SN_LATTICE_BLOCK] >> cell % SN_LATTICE_BLOCK & 1) {
            double K[576];
            int corners[8];
            sn_lattice_grid_corners(grid, at[0], at[1], at[2] + cell % SN_LATTICE_BLOCK, corners);
            sn_lattice_galerkin_matrix(level, cell, &made, K);
            add_cell(c, corners, K);
        }
    }
    if (c->springs.numbers != NULL) {
        add_cell_springs(c, level);
    } else if (level->springs != NULL) {
        add_springs(c, level);
    }
    for (int r = 0; r < c->row_count && level->has_inertia; ++r) {
        double *block = block_at(c, r, r);
        for (int k = 0; k < 3; ++k) {
            block[4 * k] += (double)level->inertia[number_of(c->nodes[r])];
        }
    }
}

static bool is_free(const SnLatticeCoarsest *c, const SnLatticeLevel *level, int row, int k)
{
    return level->d_inverse[c->nodes[row] + SN_LATTICE_BLOCK * k] != 0.0f;
}

// Held components stand alone; the rest gets the shift. Returns the mean of the diagonal.
static double hold_rows(const SnLatticeCoarsest *c, const SnLatticeLevel *level, double shift)
{
    double sum = 0.0;
    for (int r = 0; r < c->row_count; ++r) {
        for (int e = c->row_start[r]; e < c->row_start[r + 1]; ++e) {
            double *block = c->value + 9 * (size_t)e;
            for (int k = 0; k < 9; ++k) {
                bool diagonal = c->column[e] == r && k % 4 == 0;
                if (!is_free(c, level, r, k / 3) || !is_free(c, level, c->column[e], k % 3)) {
                    block[k] = diagonal ? 1.0 : 0.0;
                } else if (diagonal) {
                    block[k] += shift;
                    sum += block[k];
                }
            }
        }
    }
    return sum / (3.0 * c->row_count);
}

SinewStatus sn_lattice_coarsest_factor(SnLatticeCoarsest *c, const SnLatticeLevel *level,
                                       SnWorkers *workers, SinewError *error)
{
    SnSparse A = {.count = c->row_count,
                  .block = 3,
                  .row_start = c->row_start,
                  .column = c->column,
                  .value = c->value};
    assemble(c, level);
    double shift = FIRST_SHIFT * hold_rows(c, level, 0.0);
    SinewStatus status = sn_cholesky_factor(c->cholesky, &A, workers, error);
    for (int i = 0; i < SHIFTS_MAX && status == SINEW_ERROR_NOT_DEFINITE; ++i) {
        hold_rows(c, level, shift);
        shift *= 100.0;
        status = sn_cholesky_factor(c->cholesky, &A, workers, error);
    }
    return status;
}

void sn_lattice_coarsest_solve(const SnLatticeCoarsest *c, const SnLatticeLevel *level,
                               SnWorkers *workers, const float *b, float *x)
{
    for (int i = 0; i < 3 * c->row_count; ++i) {
        int at = c->nodes[i / 3] + SN_LATTICE_BLOCK * (i % 3);
        float value = is_free(c, level, i / 3, i % 3) ? b[at] : 0.0f;
        c->right_side_float[i] = value;
        c->right_side[i] = (double)value;
    }
    // Fails only without a factor, and there is one.
    bool in_float = c->in_float && level->has_inertia;
    if (in_float) {
        (void)sn_cholesky_solve_float(c->cholesky, c->work, workers, c->right_side_float, NULL);
    } else {
        (void)sn_cholesky_solve_double(c->cholesky, c->work, workers, c->right_side, NULL);
    }
    memset(x, 0, (size_t)sn_lattice_grid_numbers(&level->grid) * sizeof *x);
    for (int i = 0; i < 3 * c->row_count; ++i) {
        x[c->nodes[i / 3] + SN_LATTICE_BLOCK * (i % 3)] =
            in_float ? c->right_side_float[i] : (float)c->right_side[i];
    }
}

#include "model/lattice/transfer.h"

#include <string.h>

enum { PAD = SN_LATTICE_BLOCK }; // numbers before a line, of which the last is read

typedef struct Job {
    const SnLatticeLevel *fine, *coarse;
    float *lines;
    size_t line_size;
    const float *from;
    float *to;
} Job;

size_t sn_lattice_line_size(const SnLatticeGrid *fine, const SnLatticeGrid *coarse)
{
    size_t blocks = (size_t)(2 * coarse->row_blocks > fine->row_blocks ? 2 * coarse->row_blocks
                                                                       : fine->row_blocks);
    return PAD + (blocks + 1) * SN_LATTICE_BLOCK;
}

// A worker's line, zero but for what gathering writes.
static float *line_of(const Job *job, int worker)
{
    float *line = job->lines + (size_t)worker * job->line_size;
    memset(line, 0, job->line_size * sizeof *line);
    return line + PAD;
}

// Row (I, J) of the coarse level from the nine around (2I, 2J).
static void restrict_row(const Job *job, int I, int J, float *line)
{
    const SnLatticeKernels *kernels = job->fine->kernels;
    const int *row = sn_lattice_grid_row(&job->coarse->grid, I, J);
    SnLatticeRows rows = {.count = 9, .blocks = job->fine->grid.row_blocks};
    for (int r = 0; r < 9; ++r) {
        int di = r / 3 - 1, dj = r % 3 - 1;
        rows.rows[r] = sn_lattice_grid_row(&job->fine->grid, 2 * I + di, 2 * J + dj);
        rows.weights[r] = (di == 0 ? 1.0f : 0.5f) * (dj == 0 ? 1.0f : 0.5f);
    }
    for (int axis = 0; axis < 3; ++axis) {
        kernels->gather(&rows, job->from, axis, line);
        for (int b = 0; b < job->coarse->grid.row_blocks; ++b) {
            if (row[b] != 0) {
                kernels->halve(line + (size_t)b * 2 * SN_LATTICE_BLOCK,
                               job->to + (size_t)row[b] * SN_LATTICE_NODE +
                                   axis * SN_LATTICE_BLOCK);
            }
        }
    }
}

static bool is_empty(const int *row, int blocks)
{
    for (int b = 0; b < blocks; ++b) {
        if (row[b] != 0) {
            return false;
        }
    }
    return true;
}

static void restrict_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnLatticeGrid *grid = &job->coarse->grid;
    float *line = line_of(job, worker);
    for (int I = begin; I < end; ++I) {
        for (int J = 0; J <= grid->size[1]; ++J) {
            if (!is_empty(sn_lattice_grid_row(grid, I, J), grid->row_blocks)) {
                restrict_row(job, I, J, line);
            }
        }
    }
}

void sn_lattice_restrict(const SnLatticeLevel *fine, const SnLatticeLevel *coarse,
                         SnWorkers *workers, float *lines, size_t line_size, const float *from,
                         float *to)
{
    Job job = {fine, coarse, lines, line_size, from, to};
    sn_parallel_for(workers, coarse->grid.size[0] + 1, 1, restrict_range, &job);
}

// Row (i, j) of the fine level from the one, two or four around it.
static void prolong_row(const Job *job, int i, int j, float *line)
{
    const SnLatticeKernels *kernels = job->fine->kernels;
    const int *row = sn_lattice_grid_row(&job->fine->grid, i, j);
    SnLatticeRows rows = {.blocks = job->coarse->grid.row_blocks};
    for (int a = 0; a <= i % 2; ++a) {
        for (int b = 0; b <= j % 2; ++b) {
            rows.rows[rows.count] = sn_lattice_grid_row(&job->coarse->grid, i / 2 + a, j / 2 + b);
            rows.weights[rows.count++] = (i % 2 ? 0.5f : 1.0f) * (j % 2 ? 0.5f : 1.0f);
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        kernels->gather(&rows, job->from, axis, line);
        for (int b = 0; b < job->fine->grid.row_blocks; ++b) {
            if (row[b] != 0) {
                size_t at = (size_t)row[b] * SN_LATTICE_NODE + (size_t)(axis * SN_LATTICE_BLOCK);
                kernels->spread(line + b * SN_LATTICE_BLOCK / 2, job->fine->d_inverse + at,
                                job->to + at);
            }
        }
    }
}

static void prolong_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnLatticeGrid *grid = &job->fine->grid;
    float *line = line_of(job, worker);
    for (int i = begin; i < end; ++i) {
        for (int j = 0; j <= grid->size[1]; ++j) {
            if (!is_empty(sn_lattice_grid_row(grid, i, j), grid->row_blocks)) {
                prolong_row(job, i, j, line);
            }
        }
    }
}

void sn_lattice_prolong(const SnLatticeLevel *fine, const SnLatticeLevel *coarse,
                        SnWorkers *workers, float *lines, size_t line_size, const float *from,
                        float *to)
{
    Job job = {fine, coarse, lines, line_size, from, to};
    sn_parallel_for(workers, fine->grid.size[0] + 1, 2, prolong_range, &job);
}

// A fine node's share of the coarse nodes around it.
static void restrict_node(const SnLatticeGrid *grid, int i, int j, int k, float value, float *to)
{
    float weight = (i % 2 ? 0.5f : 1.0f) * (j % 2 ? 0.5f : 1.0f) * (k % 2 ? 0.5f : 1.0f);
    for (int a = 0; a <= i % 2; ++a) {
        for (int b = 0; b <= j % 2; ++b) {
            for (int c = 0; c <= k % 2; ++c) {
                int node = sn_lattice_grid_node(grid, i / 2 + a, j / 2 + b, k / 2 + c);
                int at = node / SN_LATTICE_NODE * SN_LATTICE_BLOCK + node % SN_LATTICE_BLOCK;
                to[at] += node < SN_LATTICE_NODE ? 0.0f : weight * value;
            }
        }
    }
}

void sn_lattice_restrict_scalar(const SnLatticeLevel *fine, const SnLatticeLevel *coarse,
                                const float *from, float *to)
{
    const SnLatticeGrid *grid = &fine->grid;
    memset(to, 0, (size_t)coarse->grid.node_blocks * SN_LATTICE_BLOCK * sizeof *to);
    for (int i = 0; i <= grid->size[0]; ++i) {
        for (int j = 0; j <= grid->size[1]; ++j) {
            const int *row = sn_lattice_grid_row(grid, i, j);
            for (int k = 0; k <= grid->size[2]; ++k) {
                int block = row[k / SN_LATTICE_BLOCK];
                float value = from[block * SN_LATTICE_BLOCK + k % SN_LATTICE_BLOCK];
                if (block != 0 && value != 0.0f) {
                    restrict_node(&coarse->grid, i, j, k, value, to);
                }
            }
        }
    }
}

#include "model/tetmg/matrix.h"

enum {
    TET_GRAIN = 32,    // blocks of tets a range
    EDGE_GRAIN = 1024, //
    ROW_GRAIN = 512,   //
    SWEEP_GRAIN = 4    // row blocks a range
};

typedef struct Job {
    const SnKernels *kernels;
    const SnTetBlocks *blocks;
    const SnEdgeSum *sum;
    const SnBlockRows *rows;
    SnBlockRowsFn *fn;
    const int *row_blocks;
    const int *block_start;
} Job;

static void blocks_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    job->kernels->tet_block->blocks(job->blocks, begin, end);
}

static void sum_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    job->kernels->tet_block->sum(job->sum, begin, end);
}

static void rows_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    job->fn(job->rows, begin, end);
}

static void sweep_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    for (int b = begin; b < end; ++b) {
        const int *start = job->block_start + job->row_blocks[b];
        job->fn(job->rows, start[0], start[1]);
    }
}

static SnTetmg *body_of(const SnSplitProblem *problem)
{
    return (SnTetmg *)(void *)problem->body; // its first member
}

SnBlockRows sn_tetmg_matrix_rows(const SnSplitProblem *problem)
{
    SnTetmg *body = body_of(problem);
    SnTetmgMatrix *matrix = &body->matrix;
    return (SnBlockRows){.start = matrix->start,
                         .later = matrix->later,
                         .columns = matrix->columns,
                         .values = matrix->values,
                         .mass = problem->mass,
                         .diagonal = matrix->diagonal,
                         .inverse = matrix->inverse,
                         .free = body->tets.room.free};
}

static SnTetTangent kind_of(const SnSplitProblem *problem)
{
    const SinewTetmgDef *options = &body_of(problem)->options;
    if (options->tangent == SINEW_TANGENT_WARPED || options->mode == SINEW_TETMG_PAPER) {
        return SN_TET_WARPED;
    }
    // Newton's method that goes on to an accuracy is the faster the more exact its tangent is.
    return options->tangent == SINEW_TANGENT_MIXED && problem->counted ? SN_TET_MIXED
                                                                       : SN_TET_EXACT;
}

void sn_tetmg_matrix_assemble(const SnSplitProblem *problem)
{
    SnTetmg *body = body_of(problem);
    const SnSplit *tets = &body->tets;
    SnTetmgMatrix *matrix = &body->matrix;
    SnTetBlocks blocks = {.law = problem->law,
                          .kind = kind_of(problem),
                          .slots = matrix->slots,
                          .turned = matrix->turned,
                          .rest = tets->blocks.rest,
                          .q = tets->state.rotations,
                          .tangent = tets->room.tangent,
                          .edges = matrix->edges,
                          .lasts = matrix->lasts};
    SnEdgeSum sum = {.start = matrix->edge_start,
                     .first = matrix->edge_first,
                     .second = matrix->edge_second,
                     .edges = matrix->edges,
                     .lasts = matrix->lasts,
                     .scale = (float)problem->h2,
                     .values = matrix->values};
    SnBlockRows rows = sn_tetmg_matrix_rows(problem);
    Job job = {.kernels = tets->kernels,
               .blocks = &blocks,
               .sum = &sum,
               .rows = &rows,
               .fn = tets->kernels->block->invert};
    sn_parallel_for(problem->workers, tets->blocks.count, TET_GRAIN, blocks_range, &job);
    sn_parallel_for(problem->workers, matrix->edge_count, EDGE_GRAIN, sum_range, &job);
    sn_parallel_for(problem->workers, tets->elements.vertex_count, ROW_GRAIN, rows_range, &job);
    if (problem->step->contacts != NULL) {
        sn_tetmg_matrix_invert_contact(problem);
    }
    matrix->is_assembled = true;
}

static void each_row(const SnSplitProblem *problem, const SnBlockRows *rows, SnBlockRowsFn *fn)
{
    Job job = {.rows = rows, .fn = fn};
    sn_parallel_for(problem->workers, problem->body->elements.vertex_count, ROW_GRAIN, rows_range,
                    &job);
}

void sn_tetmg_matrix_multiply(const SnSplitProblem *problem, const float *p, float *hp)
{
    SnBlockRows rows = sn_tetmg_matrix_rows(problem);
    rows.x = p;
    rows.out = hp;
    each_row(problem, &rows, problem->body->kernels->block->multiply);
}

static void sweep_colour(const SnSplitProblem *problem, int colour, Job *job)
{
    const SnTetmgMatrix *matrix = &body_of(problem)->matrix;
    job->row_blocks = matrix->row_blocks + matrix->colour_start[colour];
    job->block_start = matrix->block_start;
    sn_parallel_for(problem->workers,
                    matrix->colour_start[colour + 1] - matrix->colour_start[colour], SWEEP_GRAIN,
                    sweep_range, job);
}

void sn_tetmg_matrix_forward(const SnSplitProblem *problem, const float *r, float *z, float *left)
{
    const SnBlockKernels *kernels = problem->body->kernels->block;
    SnBlockRows rows = sn_tetmg_matrix_rows(problem);
    Job job = {.rows = &rows, .fn = kernels->forward};
    rows.right = r;
    rows.out = z;
    for (int c = 0; c < body_of(problem)->matrix.colour_count; ++c) {
        sweep_colour(problem, c, &job);
    }
    rows.x = z;
    rows.out = left;
    each_row(problem, &rows, kernels->residual);
}

void sn_tetmg_matrix_backward(const SnSplitProblem *problem, const float *r, float *z)
{
    SnBlockRows rows = sn_tetmg_matrix_rows(problem);
    Job job = {.rows = &rows, .fn = problem->body->kernels->block->backward};
    rows.right = r;
    rows.out = z;
    for (int c = body_of(problem)->matrix.colour_count; c-- > 0;) {
        sweep_colour(problem, c, &job);
    }
}

#include "model/tetmg/matrix.h"

#include "model/tetmg/sweep.h"

enum {
    TET_GRAIN = 32,   // blocks of tets a range
    EDGE_GRAIN = 1024 //
};

typedef struct Job {
    const SnKernels *kernels;
    const SnTetBlocks *blocks;
    const SnEdgeSum *sum;
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

SinewStatus sn_tetmg_matrix_assemble(const SnSplitProblem *problem, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmg *body = body_of(problem);
    const SnSplit *tets = &body->tets;
    SnTetmgMatrix *matrix = &body->matrix;
    SnTetBlocks blocks = {.law = problem->law,
                          .kind = kind_of(problem),
                          .slots = matrix->slots,
                          .turned = matrix->turned,
                          .rest = sn_split_tangent_rest(problem),
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
    Job job = {.kernels = tets->kernels, .blocks = &blocks, .sum = &sum};
    sn_parallel_for(problem->workers, tets->blocks.count, TET_GRAIN, blocks_range, &job);
    sn_parallel_for(problem->workers, matrix->edge_count, EDGE_GRAIN, sum_range, &job);
    sn_tetmg_sweep_rows(problem->workers, tets->elements.vertex_count, &rows,
                        tets->kernels->block->invert);
    if (problem->step->contacts != NULL) {
        SN_TRY(sn_tetmg_matrix_invert_contact(problem, error));
    }
    matrix->is_assembled = true;
done:
    return status;
}

void sn_tetmg_matrix_multiply(const SnSplitProblem *problem, const float *p, float *hp)
{
    SnBlockRows rows = sn_tetmg_matrix_rows(problem);
    rows.x = p;
    rows.out = hp;
    sn_tetmg_sweep_rows(problem->workers, problem->body->elements.vertex_count, &rows,
                        problem->body->kernels->block->multiply);
}

void sn_tetmg_matrix_forward(const SnSplitProblem *problem, const float *r, float *z, float *left)
{
    const SnBlockKernels *kernels = problem->body->kernels->block;
    SnBlockRows rows = sn_tetmg_matrix_rows(problem);
    rows.right = r;
    rows.out = z;
    sn_tetmg_sweep_forward(problem->workers, &body_of(problem)->matrix.order, kernels, &rows);
    rows.x = z;
    rows.out = left;
    sn_tetmg_sweep_rows(problem->workers, problem->body->elements.vertex_count, &rows,
                        kernels->residual);
}

void sn_tetmg_matrix_backward(const SnSplitProblem *problem, const float *r, float *z)
{
    SnBlockRows rows = sn_tetmg_matrix_rows(problem);
    rows.right = r;
    rows.out = z;
    sn_tetmg_sweep_backward(problem->workers, &body_of(problem)->matrix.order,
                            problem->body->kernels->block, &rows);
}

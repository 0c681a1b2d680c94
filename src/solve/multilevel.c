#include "solve/multilevel.h"

#include "solve/aggregation.h"
#include "solve/multilevel_internal.h"

#include <string.h>

enum {
    COARSEST = 600,      // rows that are factored rather than grouped
    COARSEST_ANY = 20000 // and where grouping no longer helps, the most that are
};

static void release_rows(SnMultilevelRows *rows, const SinewAllocator *allocator)
{
    sn_free(allocator, rows->start);
    sn_free(allocator, rows->column);
    sn_free(allocator, rows->value);
    *rows = (SnMultilevelRows){0};
}

// Takes over the pattern of a matrix in double and rounds its values.
static SinewStatus take_rows(SnRowMatrix *from, const SinewAllocator *allocator,
                             SnMultilevelRows *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int entries = from->start[from->rows];
    release_rows(out, allocator);
    SN_ALLOC(out->value, allocator, entries, error);
    for (int i = 0; i < entries; ++i) {
        out->value[i] = (float)from->value[i];
    }
    out->count = from->rows;
    out->start = from->start;
    out->column = from->column;
    from->start = from->column = NULL;
done:
    return status;
}

static SinewStatus copy_matrix(const SnSparse *A, const SinewAllocator *allocator, SnRowMatrix *out,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t entries = (size_t)A->row_start[A->count];
    *out = (SnRowMatrix){.rows = A->count, .columns = A->count};
    SN_ALLOC(out->start, allocator, (size_t)A->count + 1, error);
    SN_ALLOC(out->column, allocator, entries, error);
    SN_ALLOC(out->value, allocator, entries, error);
    memcpy(out->start, A->row_start, ((size_t)A->count + 1) * sizeof *out->start);
    memcpy(out->column, A->column, entries * sizeof *out->column);
    memcpy(out->value, A->value, entries * sizeof *out->value);
done:
    if (status < 0) {
        sn_row_matrix_release(out, allocator);
    }
    return status;
}

static SinewStatus invert_diagonal(const SnRowMatrix *A, const SinewAllocator *allocator,
                                   float **out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    sn_free(allocator, *out);
    SN_ALLOC(*out, allocator, A->rows, error);
    for (int r = 0; r < A->rows; ++r) {
        double diagonal = 0.0;
        for (int i = A->start[r]; i < A->start[r + 1]; ++i) {
            diagonal = A->column[i] == r ? A->value[i] : diagonal;
        }
        if (!(diagonal > 0.0)) {
            SN_TRY(sn_fail_at(error, SINEW_ERROR_NOT_DEFINITE, r,
                              "the matrix is not positive definite: the diagonal of row %d is %g",
                              r, diagonal));
        }
        (*out)[r] = (float)(1.0 / diagonal);
    }
done:
    return status;
}

// A level's way to the next and the next one's matrix.
static SinewStatus make_level(SnMultilevel *m, int l, SnRowMatrix *A, SnRowMatrix *out_next,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &m->allocator;
    SnMultilevelLevel *level = &m->levels[l];
    SnRowMatrix P = {0}, R = {0}, AP = {0};
    double radius;
    SN_TRY(invert_diagonal(A, allocator, &level->inverse_diagonal, error));
    SN_TRY(sn_aggregation_radius(A, allocator, &radius, error));
    level->radius = radius;
    SN_TRY(
        sn_aggregation_prolong(A, level->group, level->group_count, radius, allocator, &P, error));
    SN_TRY(sn_row_matrix_transpose(&P, allocator, &R, error));
    SN_TRY(sn_row_matrix_multiply(A, &P, allocator, &AP, error));
    SN_TRY(sn_row_matrix_multiply(&R, &AP, allocator, out_next, error));
    SN_TRY(take_rows(&P, allocator, &level->prolong, error));
    SN_TRY(take_rows(&R, allocator, &level->restrict_, error));
done:
    sn_row_matrix_release(&P, allocator);
    sn_row_matrix_release(&R, allocator);
    sn_row_matrix_release(&AP, allocator);
    return status;
}

// *out_more: rows of this level are in groups, and there is a next one.
static SinewStatus find_groups(SnMultilevel *m, int l, const SnRowMatrix *A, bool *out_more,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnMultilevelLevel *level = &m->levels[l];
    *out_more = false;
    if (A->rows <= COARSEST || l + 1 == SN_MULTILEVEL_MAX) {
        return SINEW_OK;
    }
    SN_ALLOC(level->group, &m->allocator, A->rows, error);
    SN_TRY(sn_aggregation_group(A, &m->allocator, level->group, &level->group_count, error));
    // Rows that hardly group: a level would cost more than it helps.
    *out_more =
        level->group_count > 0 && (level->group_count < A->rows / 2 || A->rows > COARSEST_ANY);
done:
    return status;
}

static SinewStatus factor_coarsest(SnMultilevel *m, const SnRowMatrix *A, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSparse matrix = {.count = A->rows,
                       .block = 1,
                       .row_start = A->start,
                       .column = A->column,
                       .value = A->value};
    // Few rows are as good in any order, and then the bits do not depend on who orders.
    bool few = A->rows <= COARSEST || !sn_ordering_available();
    SnCholeskyDef def = {.allocator = &m->allocator,
                         .kernels = m->kernels,
                         .ordering = few ? SN_ORDERING_NATURAL : SN_ORDERING_BEST,
                         .right_sides = 3,
                         .worker_count = 1,
                         .keep_float = true};
    SN_TRY(sn_cholesky_create(&def, &matrix, &m->coarsest, error));
    SN_TRY(sn_cholesky_factor(m->coarsest, &matrix, NULL, error));
done:
    return status;
}

static SinewStatus make_levels(SnMultilevel *m, const SnSparse *matrix, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &m->allocator;
    SnRowMatrix A = {0}, next = {0};
    bool more = true;
    SN_TRY(copy_matrix(matrix, allocator, &A, error));
    for (int l = 0; more; ++l) {
        SN_TRY(find_groups(m, l, &A, &more, error));
        if (more) {
            SN_TRY(make_level(m, l, &A, &next, error));
        } else {
            SN_TRY(factor_coarsest(m, &A, error));
        }
        sn_free(allocator, m->levels[l].group);
        m->levels[l].group = NULL;
        SN_TRY(take_rows(&A, allocator, &m->levels[l].matrix, error));
        sn_row_matrix_release(&A, allocator);
        A = next;
        next = (SnRowMatrix){0};
        m->level_count = l + 1;
    }
done:
    sn_row_matrix_release(&A, allocator);
    sn_row_matrix_release(&next, allocator);
    return status;
}

SinewStatus sn_multilevel_create(const SnSparse *matrix, const SnKernels *kernels,
                                 const SinewAllocator *allocator, SnMultilevel **out_multilevel,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnMultilevel *m = NULL;
    *out_multilevel = NULL;
    if (matrix->block != 1 || matrix->value == NULL) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "a hierarchy is made of a matrix of numbers, not of blocks of %d",
                       matrix->block);
    }
    SN_TRY(sn_sparse_check(matrix, error));
    SN_ALLOC_ZERO(m, allocator, 1, error);
    m->allocator = allocator != NULL ? *allocator : (SinewAllocator){0};
    m->kernels = kernels;
    SN_TRY(make_levels(m, matrix, error));
    *out_multilevel = m;
    m = NULL;
done:
    sn_multilevel_destroy(m);
    return status;
}

void sn_multilevel_destroy(SnMultilevel *m)
{
    if (m == NULL) {
        return;
    }
    SinewAllocator allocator = m->allocator;
    for (int l = 0; l < SN_MULTILEVEL_MAX; ++l) {
        SnMultilevelLevel *level = &m->levels[l];
        release_rows(&level->matrix, &allocator);
        release_rows(&level->prolong, &allocator);
        release_rows(&level->restrict_, &allocator);
        sn_free(&allocator, level->inverse_diagonal);
        sn_free(&allocator, level->group);
    }
    sn_cholesky_destroy(m->coarsest);
    sn_free(&allocator, m);
}

SnMultilevelInfo sn_multilevel_info(const SnMultilevel *m)
{
    SnMultilevelInfo info = {.levels = m->level_count,
                             .coarsest = m->levels[m->level_count - 1].matrix.count};
    SnCholeskyInfo coarsest = sn_cholesky_info(m->coarsest);
    double entries = 0.0;
    info.bytes = coarsest.bytes;
    info.cycle_reads = coarsest.solve_reads * (int64_t)sizeof(float);
    for (int l = 0; l < m->level_count; ++l) {
        const SnMultilevelLevel *level = &m->levels[l];
        const SnMultilevelRows *all[] = {&level->matrix, &level->prolong, &level->restrict_};
        for (int k = 0; k < 3; ++k) {
            size_t own = all[k]->start == NULL ? 0 : (size_t)all[k]->start[all[k]->count];
            size_t bytes =
                own * (sizeof(float) + sizeof(int)) + (size_t)all[k]->count * sizeof(int);
            entries += k == 0 ? (double)own : 0.0;
            info.bytes += bytes;
            // The matrix once for conjugate gradients, on the first level, and for each sweep.
            int reads = k > 0 ? 1 : SN_MULTILEVEL_PRODUCTS + (l == 0 ? 1 : 0);
            info.cycle_reads += l + 1 < m->level_count ? (int64_t)bytes * reads : 0;
        }
        info.bytes += (size_t)level->matrix.count * sizeof(float);
    }
    info.complexity = entries / (double)m->levels[0].matrix.start[m->levels[0].matrix.count];
    return info;
}
